//! The file and the socket from which the command reads how long the leadership is valid.

use crate::Boottime;
use crate::cgroup::{left_behind, safe};
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The backlog of the socket: connections that may wait to be answered.
const AT_ONCE: usize = 64;

/// The type of a file system in memory (`TMPFS_MAGIC` of statfs(2)).
const TMPFS: rustix::fs::FsWord = 0x0102_1994;

/// The value of `/proc/self/ns/pid` outside of all containers.
const HOST: &str = "pid:[4026531836]";

/// A folder with a socket, made before the office is won. Dropping it removes the folder.
#[derive(Debug)]
pub(crate) struct LeaseFolder {
    folder: PathBuf,
    listener: UnixListener,
}

/// A file and a socket in a folder. Both give a line `SECONDS TERM OFFICE`: the file with the
/// instant at which the leadership ends, on the clock of `/proc/uptime`; the socket, on each
/// connection, with the time that is left. 0 when it has ended.
#[derive(Debug)]
pub(crate) struct PublishedLease {
    place: LeaseFolder,
    text: LeaseText,
    until: Boottime,
    /// The thread that writes the file: a disk that stands still must not keep the guard from killing.
    /// Started with the first renewal. Disconnected when it has ended.
    writer: Option<(Sender<Boottime>, Receiver<()>)>,
}

fn folder(office: &str, guard: u32) -> PathBuf {
    base().join(format!("{}{guard}", prefix(office)))
}

/// Returns the name of a folder up to the process ID. Containers may share `/dev/shm`, and each numbers its
/// own processes.
fn prefix(office: &str) -> String {
    let own = fs::read_link("/proc/self/ns/pid").unwrap_or_else(|_| HOST.into());
    let namespace = match own.to_str() {
        Some(HOST) | None => String::new(),
        Some(own) => own.chars().filter(char::is_ascii_digit).chain(['.']).collect(),
    };
    format!("tenure-{}.{namespace}", safe(office))
}

/// Returns the folder for files that live as long as a process: in memory, unless the user has named another one
/// or there is none. A disk that is busy would keep a command from starting, and an office from being released.
fn base() -> PathBuf {
    let given = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    if let Some(given) = given.filter(|path| path.is_absolute() && path.is_dir()) {
        return given;
    }
    let own = match rustix::process::geteuid().is_root() {
        true => PathBuf::from("/run"),
        false => std::env::temp_dir(),
    };
    let in_memory = |place: &PathBuf| {
        rustix::fs::statfs(place.as_path()).is_ok_and(|found| found.f_type == TMPFS)
    };
    let shared = PathBuf::from("/dev/shm");
    if in_memory(&own) || !in_memory(&shared) { own } else { shared }
}

/// Removes the folder of the guard with this process ID.
pub(crate) fn remove(office: &str, guard: u32) {
    let _ = fs::remove_dir_all(folder(office, guard));
}

/// Removes the folders that guards of this office left behind when they were killed.
pub(crate) fn remove_left_behind(office: &str) {
    for folder in left_behind(&base(), &prefix(office)) {
        let _ = fs::remove_dir_all(folder);
    }
}

impl LeaseFolder {
    /// Creates the folder of this process.
    pub(crate) fn make(office: &str) -> io::Result<Self> {
        let folder = folder(office, std::process::id());
        let _ = fs::remove_dir_all(&folder);
        fs::DirBuilder::new().mode(0o755).create(&folder)?;
        // The answers are not secret, and the command may run as another user.
        let path = folder.join("socket");
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        fs::set_permissions(&path, Permissions::from_mode(0o666))?;
        Ok(Self { folder, listener })
    }
}

impl Drop for LeaseFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl PublishedLease {
    /// Publishes for the first time until when the leadership is valid; waits for the file.
    pub(crate) fn begin(
        place: LeaseFolder,
        office: &str,
        term: u64,
        until: Boottime,
    ) -> io::Result<Self> {
        let text = LeaseText { folder: place.folder.clone(), term, office: office.to_owned() };
        text.write(until)?;
        Ok(Self { place, text, until, writer: None })
    }

    pub(crate) fn listener(&self) -> &UnixListener {
        &self.place.listener
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.place.folder.join("lease")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.place.folder.join("socket")
    }

    /// Publishes that the leadership is valid until `until`. Does not wait for the file.
    pub(crate) fn say(&mut self, until: Boottime) {
        self.until = until;
        if self.writer.is_none() {
            let (writer, instants) = channel();
            let (running, ended) = channel();
            let text = self.text.clone();
            let work = move || {
                let _running: Sender<()> = running;
                text.follow(&instants);
            };
            match thread::Builder::new().name("tenure-lease".into()).spawn(work) {
                Ok(_) => self.writer = Some((writer, ended)),
                Err(error) => complain(&error),
            }
        }
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
            let Ok((mut stream, _)) = self.listener().accept() else { return };
            let _ = stream.set_nonblocking(true);
            let left = self.until.remaining().as_secs_f64();
            let _ = writeln!(stream, "{left:.6} {} {}", self.text.term, self.text.office);
        }
    }
}

fn complain(error: &io::Error) {
    let _ = writeln!(io::stderr(), "tenure: the lease's file: {error}");
}

/// The file, to who writes it.
#[derive(Clone, Debug)]
struct LeaseText {
    folder: PathBuf,
    term: u64,
    office: String,
}

impl LeaseText {
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
                complain(&error);
            }
        }
    }

    fn write(&self, until: Boottime) -> io::Result<()> {
        let new = self.folder.join("lease.new");
        fs::write(&new, format!("{until} {} {}\n", self.term, self.office))?;
        fs::rename(new, self.folder.join("lease"))
    }
}
