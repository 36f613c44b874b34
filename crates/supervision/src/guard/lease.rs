//! The file and the socket from which the command reads how long the leadership is valid.

use crate::Boottime;
use crate::cgroup::{is_guard, safe};
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The backlog of the socket: connections that may wait to be answered.
const AT_ONCE: usize = 64;

/// A folder with a file and a socket. Both give a line `SECONDS TERM OFFICE`: the file with the
/// instant at which the leadership ends, on the clock of `/proc/uptime`; the socket, on each
/// connection, with the time that is left. 0 when it has ended.
#[derive(Debug)]
pub(crate) struct Lease {
    folder: PathBuf,
    pub(crate) listener: UnixListener,
    office: String,
    term: u64,
    until: Boottime,
    /// The thread that writes the file: a disk that stands still must not keep the guard from killing.
    /// Disconnected when that has ended.
    writer: Option<(Sender<Boottime>, Receiver<()>)>,
}

fn folder(office: &str, guard: u32) -> PathBuf {
    base().join(format!("suffrage-{}.{guard}", safe(office)))
}

/// Returns the folder for files that live as long as a process.
fn base() -> PathBuf {
    let given = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usable = |path: &PathBuf| path.is_absolute() && path.is_dir();
    given.filter(usable).unwrap_or_else(|| {
        let run = PathBuf::from("/run");
        if rustix::process::geteuid().is_root() && run.is_dir() {
            run
        } else {
            std::env::temp_dir()
        }
    })
}

/// Removes the folder of the guard with this process ID.
pub(crate) fn remove(office: &str, guard: u32) {
    let _ = fs::remove_dir_all(folder(office, guard));
}

/// Removes the folders that guards of this office left behind when they were killed.
pub(crate) fn remove_left_behind(office: &str) {
    let prefix = format!("suffrage-{}.", safe(office));
    for entry in fs::read_dir(base()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let guard = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.parse().ok());
        if guard.is_some_and(|guard| !is_guard(guard)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Lease {
    /// Creates the folder of this process.
    pub(crate) fn make(office: &str, term: u64, until: Boottime) -> io::Result<Self> {
        let folder = folder(office, std::process::id());
        let _ = fs::remove_dir_all(&folder);
        fs::DirBuilder::new().mode(0o755).create(&folder)?;
        // The answers are not secret, and the command may run as another user.
        let path = folder.join("socket");
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        fs::set_permissions(&path, Permissions::from_mode(0o666))?;
        let file = Text { folder: folder.clone(), term, office: office.to_owned() };
        file.write(until)?;
        let (writer, instants) = channel();
        let (running, ended) = channel();
        thread::Builder::new().name("suffrage-lease".into()).spawn(move || {
            let _running: Sender<()> = running;
            file.follow(&instants);
        })?;
        let (office, writer) = (office.to_owned(), Some((writer, ended)));
        Ok(Self { folder, listener, office, term, until, writer })
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join("lease")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Publishes that the leadership is valid until `until`. Does not wait for the file.
    pub(crate) fn say(&mut self, until: Boottime) {
        self.until = until;
        if let Some((writer, _)) = &self.writer {
            let _ = writer.send(until);
        }
    }

    /// Publishes that the leadership is over, and waits until the file says so, or until this instant.
    pub(crate) fn end(&mut self, last: Boottime) {
        self.say(Boottime::default());
        if let Some((writer, ended)) = self.writer.take() {
            drop(writer);
            let _ = ended.recv_timeout(last.remaining());
        }
    }

    /// Answers all pending connections.
    pub(crate) fn answer(&self) {
        for _ in 0..AT_ONCE {
            let Ok((mut stream, _)) = self.listener.accept() else { return };
            let _ = stream.set_nonblocking(true);
            let left = self.until.remaining().as_secs_f64();
            let _ = writeln!(stream, "{left:.6} {} {}", self.term, self.office);
        }
    }
}

/// The file, to the thread that writes it.
struct Text {
    folder: PathBuf,
    term: u64,
    office: String,
}

impl Text {
    /// Writes the latest of these instants, again and again, until there are no more.
    fn follow(&self, instants: &Receiver<Boottime>) {
        let mut complained = false;
        while let Ok(until) = instants.recv() {
            let until = instants.try_iter().last().unwrap_or(until);
            // What an older file says is shorter than what is true. Without its folder all is over.
            if let Err(error) = self.write(until)
                && error.kind() != io::ErrorKind::NotFound
                && !std::mem::replace(&mut complained, true)
            {
                let _ = writeln!(io::stderr(), "suffrage: the lease's file: {error}");
            }
        }
    }

    fn write(&self, until: Boottime) -> io::Result<()> {
        let new = self.folder.join("lease.new");
        fs::write(&new, format!("{until} {} {}\n", self.term, self.office))?;
        fs::rename(new, self.folder.join("lease"))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
