//! The flags of an election that several workers hold together.

use crate::counts;
use clap::Args;
use std::path::PathBuf;

/// The flags of an election that several workers hold together.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Workers and hosts")]
pub(crate) struct TeamFlags {
    /// Divide the processes of the election among W workers
    ///
    /// Needs --schedule rounds, rounds:uniform:D or rounds:per-link:D, without faults and bounded links. The
    /// report is the same as without workers. With --hosts, every host has W workers [default: 1].
    #[arg(long, value_name = "W", value_parser = counts::within32(1..=1024))]
    pub(crate) workers: Option<u32>,

    /// Hold the election together with other hosts: a file with a line HOST:PORT for each
    ///
    /// Give every host the same file, flags and input; only --process differs. Host 0 prints the report. The
    /// network between the hosts must be trusted: strangers are turned away, but messages between hosts are
    /// not encrypted.
    #[arg(long, value_name = "FILE", requires_all = ["process", "secret"])]
    pub(crate) hosts: Option<PathBuf>,

    /// The number of this host: its line in the file of --hosts, counted from 0
    #[arg(long, value_name = "I", requires = "hosts", value_parser = counts::count32)]
    pub(crate) process: Option<u32>,

    /// A file with a secret of at least 16 bytes that all hosts have and no stranger
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub(crate) secret: Option<PathBuf>,

    /// How long to wait for the other hosts, in seconds
    #[arg(long, value_name = "SECONDS", requires = "hosts", default_value_t = 60)]
    #[arg(value_parser = counts::within(1..=86_400))]
    pub(crate) wait: u64,

    /// Store the election in this directory from time to time, so that it can go on after an
    /// interruption
    ///
    /// Several hosts may share the directory, or have one each.
    #[arg(long, value_name = "DIR", requires = "every")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Store it again after this many ticks
    #[arg(long, value_name = "TICKS", requires = "checkpoint")]
    #[arg(value_parser = counts::within(1..=u64::MAX))]
    pub(crate) every: Option<u64>,

    /// Resume the election that --checkpoint has stored in this directory
    ///
    /// The election must be the same; the numbers of workers and hosts may differ. Every host needs the files
    /// of all hosts. The report is the same as without an interruption.
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Hold it with several workers even where one alone is faster
    #[arg(long)]
    pub(crate) force: bool,
}

impl TeamFlags {
    pub(crate) const fn given(&self) -> Option<&'static str> {
        match self {
            Self { hosts: Some(_), .. } => Some("--hosts"),
            Self { workers: Some(_), .. } => Some("--workers"),
            Self { checkpoint: Some(_), .. } => Some("--checkpoint"),
            Self { resume: Some(_), .. } => Some("--resume"),
            _ => None,
        }
    }
}
