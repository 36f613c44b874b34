//! The settings of `tenure lead`, from its flags.

use super::health::HealthProbe;
use crate::error::CommandError;
use clap::ValueEnum;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;
use tenure_node::OfficeName;

/// The reaction to a command that ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnExit {
    /// Release the office, and stand for it again
    #[default]
    Release,
    /// Start the command again, and keep the office
    Restart,
    /// Release the office, and end with the command's exit code
    Stop,
}

/// The command and how to run it.
#[derive(Clone, Debug)]
pub(crate) struct LeadSettings {
    pub(crate) office: String,
    pub(crate) priority: Option<u32>,
    /// For how long it stands before it asks for the office.
    pub(crate) take_back: Option<Duration>,
    pub(crate) command: Vec<OsString>,
    pub(crate) grace: Duration,
    pub(crate) on_exit: OnExit,
    pub(crate) ready: Option<String>,
    pub(crate) health: Option<HealthProbe>,
    pub(crate) interval: Duration,
    pub(crate) failures: u32,
    pub(crate) warm_up: Duration,
    pub(crate) probe_limit: Duration,
}

impl LeadSettings {
    /// Checks the name of the office, and that the command exists. It may be gone when the office is won;
    /// but this reports most mistakes early.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        OfficeName::new(&self.office)?;
        let program = self.command.first().map_or(OsStr::new(""), OsString::as_os_str);
        if is_program(program) {
            return Ok(());
        }
        let program = program.display();
        Err(CommandError::usage(format!(
            "COMMAND: there is no program `{program}`, or it cannot be executed"
        )))
    }
}

fn is_program(name: &OsStr) -> bool {
    use rustix::fs::{Access, access};
    let executable = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if name.as_encoded_bytes().contains(&b'/') {
        return executable(Path::new(name));
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    !name.is_empty() && std::env::split_paths(&folders).any(|folder| executable(&folder.join(name)))
}

#[cfg(test)]
mod tests;
