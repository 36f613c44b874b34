//! Processes that change their user, which a process without privileges cannot kill.
//!
//! A control group kills its processes whatever their user. Where there is none, and this process may not signal
//! other users (`CAP_KILL`), nothing that a guard starts can gain privileges: the kernel then ignores set-uid bits
//! and capabilities of files (`no_new_privs`), so that all descendants keep the user of the guard.

use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities, set_no_new_privs};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The set-uid bit of a file's mode.
const SET_UID: u32 = 0o4000;

fn may(what: CapabilitySet) -> bool {
    capabilities(None).is_ok_and(|own| own.effective.contains(what))
}

/// Returns whether this process may kill the processes of other users.
pub(crate) fn kills_others() -> bool {
    may(CapabilitySet::KILL)
}

/// Prevents this process, and all that it executes, from gaining privileges.
pub(crate) fn confine() -> io::Result<()> {
    Ok(set_no_new_privs(true)?)
}

/// Returns why a command could not be killed, or could not run, without a control group.
pub(crate) fn unkillable(program: &OsStr) -> Option<String> {
    if kills_others() {
        return None;
    }
    if may(CapabilitySet::SETUID) {
        let why = "this process may change users (CAP_SETUID), and may not kill those of others (CAP_KILL)";
        return Some(why.to_owned());
    }
    let path = program_file(program)?;
    let data = fs::metadata(&path).ok()?;
    let other = data.mode() & SET_UID != 0 && data.uid() != geteuid().as_raw();
    let empty: &mut [u8] = &mut [];
    let capable = rustix::fs::getxattr(&path, "security.capability", empty).is_ok();
    let why = match (other, capable) {
        (true, _) => "runs as another user (set-uid)",
        (_, true) => "gains capabilities (setcap)",
        _ => return None,
    };
    Some(format!("{} {why}", path.display()))
}

/// Finds the file of a program, as `execvp` does: the first one of this name that can be executed.
#[must_use]
pub fn program_file(name: &OsStr) -> Option<PathBuf> {
    use rustix::fs::{Access, access};
    let executable = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| executable(path));
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name));
    found.filter(|_| !name.is_empty()).find(|path| executable(path))
}
