//! A control group for the command, where the guard may create one. Killing it takes one write,
//! which no process in it escapes.

use rustix::process::Pid;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How often a killed group is checked, 10 ms apart, until it is empty.
const PATIENCE: u32 = 100;

/// A control group below the one of this process. Dropping it removes the group.
#[derive(Debug)]
pub(crate) struct Cgroup(PathBuf);

pub(crate) fn safe(office: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let name: String = office
        .bytes()
        .take(40)
        .map(|byte| if plain(byte) { char::from(byte) } else { '_' })
        .collect();
    if office.len() <= 40 && name == office {
        return name;
    }
    // FNV-1a: names that differ only in what has been left out stay different.
    let digest = office.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{name}-{digest:016x}")
}

/// The value of `/proc/self/ns/pid` outside of all containers.
const HOST: &str = "pid:[4026531836]";

/// Returns the name of what belongs to a guard of an office, up to the guard's process ID. Containers may share
/// folders and control groups, and each numbers its own processes.
pub(crate) fn prefix(office: &str) -> String {
    let own = fs::read_link("/proc/self/ns/pid").unwrap_or_else(|_| HOST.into());
    let namespace = match own.to_str() {
        Some(HOST) | None => String::new(),
        Some(own) => own.chars().filter(char::is_ascii_digit).chain(['.']).collect(),
    };
    format!("tenure-{}.{namespace}", safe(office))
}

impl Cgroup {
    /// Creates the group of the guard with this process ID. `nonce` is of this guard alone, so that its group is no
    /// other one's.
    ///
    /// # Errors
    /// If the host has no control groups of version 2, they are not writable, or the group exists.
    pub(crate) fn make(office: &str, guard: u32, nonce: u64) -> io::Result<Self> {
        let path = own()?.join(name(office, guard, nonce));
        fs::create_dir(&path)?;
        let group = Self(path);
        if !group.0.join("cgroup.kill").exists() {
            return Err(io::Error::other("the kernel has no cgroup.kill (it needs Linux 5.14)"));
        }
        Ok(group)
    }

    pub(crate) fn of(office: &str, guard: u32, nonce: u64) -> Option<Self> {
        let path = own().ok()?.join(name(office, guard, nonce));
        path.is_dir().then_some(Self(path))
    }

    /// The groups of guards of this office that were killed.
    pub(crate) fn left_behind(office: &str) -> Vec<Self> {
        let all = own().map(|own| left_behind(&own, &prefix(office)));
        all.into_iter().flatten().map(Self).collect()
    }

    pub(crate) fn members(&self) -> OsString {
        self.0.join("cgroup.procs").into_os_string()
    }

    /// Returns the processes in the group, without those in groups below it.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        let all = fs::read_to_string(self.members()).unwrap_or_default();
        all.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect()
    }

    /// Kills all processes in the group and in the groups below it.
    pub(crate) fn kill(&self) {
        let _ = fs::write(self.0.join("cgroup.kill"), "1");
    }

    fn is_empty(&self) -> bool {
        fs::read_to_string(self.0.join("cgroup.events"))
            .map_or(true, |text| text.lines().any(|line| line == "populated 0"))
    }

    /// Kills all processes in the group and waits for a limited time until they are gone.
    pub(crate) fn clear(&self) {
        for _ in 0..PATIENCE {
            if self.is_empty() {
                return;
            }
            self.kill();
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // Groups that the command made below its own go first.
        fn remove(path: &Path) {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    remove(&entry.path());
                }
            }
            let _ = fs::remove_dir(path);
        }
        remove(&self.0);
    }
}

fn name(office: &str, guard: u32, nonce: u64) -> String {
    format!("{}{guard}-{nonce:x}", prefix(office))
}

/// Returns the folders here whose names are this prefix and the process ID of a guard that is gone, with or without
/// a nonce. This process has none yet.
pub(crate) fn left_behind(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let abandoned = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()?.strip_prefix(prefix));
        let guard = name.and_then(|name| name.split('-').next()?.parse().ok());
        guard.is_some_and(|guard| guard == std::process::id() || !is_guard(guard))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(abandoned).collect()
}

fn is_guard(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|text| {
        text.split(|&byte| byte == 0).nth(1).is_some_and(|first| first == crate::GUARD.as_bytes())
    })
}

fn own() -> io::Result<PathBuf> {
    let absent = || io::Error::other("this system has no control groups, version 2");
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let mounted = mounts.lines().find_map(mount_of).ok_or_else(absent)?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/")).ok_or_else(absent)?;
    Ok(Path::new(mounted).join(group))
}

fn mount_of(line: &str) -> Option<&str> {
    let (mount, kind) = line.split_once(" - ")?;
    kind.starts_with("cgroup2 ").then(|| mount.split(' ').nth(4))?
}

#[cfg(test)]
mod tests;
