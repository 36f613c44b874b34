//! The file and the socket from which the command reads how long the leadership is valid.

use crate::Boottime;
use crate::cgroup::{left_behind, prefix};
use crate::complaint::complain;
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// The backlog of the socket: connections that may wait to be answered.
const AT_ONCE: usize = 64;

/// The type of a file system in memory (`TMPFS_MAGIC` of statfs(2)).
const TMPFS: rustix::fs::FsWord = 0x0102_1994;

/// A folder with a socket, made before the office is won. Dropping it removes the folder.
#[derive(Debug)]
pub(crate) struct LeaseFolder {
    folder: PathBuf,
    listener: UnixListener,
}

/// A file and a socket in a folder. Both give a line `SECONDS TERM OFFICE`: the file with the
/// instant at which the leadership ends, on the clock of `/proc/uptime`; the socket, on each
/// connection, with the time that is left. 0 when it has ended.
///
/// A container may virtualize `/proc/uptime`, and no other process can know by how much. Where it does not show
/// `CLOCK_BOOTTIME` the first line of the file says 0. The second line `TICKS BOOT NAMESPACE` has the same instant
/// on `CLOCK_BOOTTIME`, as `/proc/PID/stat` shows it for the start of a process, and the clock that this is: that
/// of one start of the kernel, in one time namespace.
#[derive(Debug)]
pub(crate) struct PublishedLease {
    place: LeaseFolder,
    text: LeaseText,
    until: Boottime,
    /// The thread that writes the file: a disk that stands still must not keep the guard from killing.
    /// Started with the first renewal. Disconnected when it has ended.
    writer: Option<(Sender<Boottime>, Receiver<()>)>,
    /// Whether it has been said that the thread cannot be started.
    told: bool,
}

fn folder(office: &str, guard: u32) -> PathBuf {
    base().join(format!("{}{guard}", prefix(office)))
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
        let text = LeaseText {
            folder: place.folder.clone(),
            term,
            office: office.to_owned(),
            on_uptime: uptime_shows_boottime(),
        };
        text.write(until)?;
        Ok(Self { place, text, until, writer: None, told: false })
    }

    /// Returns whether `/proc/uptime` shows the clock of the leadership.
    pub(crate) const fn is_on_uptime(&self) -> bool {
        self.text.on_uptime
    }

    pub(crate) fn listener(&self) -> &UnixListener {
        &self.place.listener
    }

    /// Returns the variables that tell where both are.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let path = |name| self.place.folder.join(name).to_string_lossy().into_owned();
        [("TENURE_LEASE", "lease"), ("TENURE_LEASE_SOCKET", "socket")]
            .map(|(variable, name)| (variable.to_owned(), path(name)))
            .into()
    }

    /// Publishes that the leadership is valid until `until`. Does not wait for the file. Returns why the file does not
    /// say so, once; the next call tries again.
    pub(crate) fn say(&mut self, until: Boottime) -> Option<String> {
        self.until = until;
        let mut failure = None;
        if self.writer.is_none() {
            let (writer, instants) = channel();
            let (running, ended) = channel();
            let mut text = self.text.clone();
            let work = move || {
                let _running: Sender<()> = running;
                text.follow(&instants);
            };
            match thread::Builder::new().name("tenure-lease".into()).spawn(work) {
                Ok(_) => self.writer = Some((writer, ended)),
                Err(error) => {
                    failure = Some(format!(
                        "TENURE_LEASE says less than is certain: no thread writes it: {error}"
                    ));
                }
            }
        }
        if let Some((writer, _)) = &self.writer {
            let _ = writer.send(until);
        }
        failure.filter(|_| !std::mem::replace(&mut self.told, true))
    }

    /// Publishes that the leadership is over, and waits until the file says so, or until this instant.
    pub(crate) fn end(&mut self, last: Boottime) {
        let _ = self.say(Boottime::default());
        if self.writer.is_none() {
            // Nothing can write it now, and no reader may take what it says for true.
            let _ = fs::remove_file(self.place.folder.join("lease"));
        }
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

/// The file, to who writes it.
#[derive(Clone, Debug)]
struct LeaseText {
    folder: PathBuf,
    term: u64,
    office: String,
    on_uptime: bool,
}

impl LeaseText {
    /// Writes the latest of these instants, again and again, until there are no more.
    fn follow(&mut self, instants: &Receiver<Boottime>) {
        let mut complained = false;
        while let Ok(until) = instants.recv() {
            let until = instants.try_iter().last().unwrap_or(until);
            self.on_uptime = uptime_shows_boottime();
            // What an older file says is shorter than what is true. Without its folder all is over.
            if let Err(error) = self.write(until)
                && error.kind() != io::ErrorKind::NotFound
                && !std::mem::replace(&mut complained, true)
            {
                complain(&format!("the lease's file: {error}"));
            }
        }
    }

    fn write(&self, until: Boottime) -> io::Result<()> {
        let new = self.folder.join("lease.new");
        let shown = if self.on_uptime { until } else { Boottime::default() };
        let (ticks, clock) = clock().map_or((0, String::new()), |clock| (until.ticks(), clock));
        fs::write(&new, format!("{shown} {} {}\n{ticks} {clock}\n", self.term, self.office))?;
        fs::rename(new, self.folder.join("lease"))
    }
}

/// Returns the clock that this process reads as `CLOCK_BOOTTIME`: the start of the kernel, and the time namespace,
/// if the kernel has any.
fn clock() -> io::Result<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let namespace = fs::read_link("/proc/self/ns/time").unwrap_or_default();
    Ok(format!("{} {}", boot.trim(), namespace.display()).trim().to_owned())
}

/// Returns whether `/proc/uptime` shows `CLOCK_BOOTTIME`, to the hundredth of a second that it has.
fn uptime_shows_boottime() -> bool {
    let before = Boottime::now().ticks();
    let shown = fs::read_to_string("/proc/uptime").ok().and_then(|text| {
        let (seconds, part) = text.split_whitespace().next()?.split_once('.')?;
        let part = Some(part).filter(|part| part.len() == 2)?.parse::<u64>().ok()?;
        seconds.parse::<u64>().ok()?.checked_mul(100)?.checked_add(part)
    });
    shown.is_some_and(|shown| (before..=Boottime::now().ticks()).contains(&shown))
}

/// The most bytes that are read of a lease's file, which has fewer. A device or a pipe may never end.
const LONGEST: u64 = 4096;

/// Returns for how long a leadership is certain, by its lease's file (`TENURE_LEASE`) and the clock, which is read
/// after the file. Zero if it is over; the file is gone then, too.
///
/// # Errors
/// If the file cannot be read, is no lease's file, or gives the instant on a clock that this process cannot read,
/// of another host or another time namespace.
pub fn certain_for(file: &Path) -> io::Result<Duration> {
    let mut text = String::new();
    match File::open(file).and_then(|file| file.take(LONGEST).read_to_string(&mut text)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Duration::ZERO),
        read => read?,
    };
    let (ticks, of) = text
        .lines()
        .nth(1)
        .and_then(|line| line.split_once(' '))
        .and_then(|(ticks, clock)| Some((ticks.parse().ok()?, clock)))
        .ok_or_else(|| io::Error::other("it is no lease's file"))?;
    if of != clock()? {
        return Err(io::Error::other("its clock belongs to another host or time namespace"));
    }
    Ok(Boottime::from_ticks(ticks).remaining())
}
