//! The flags of the command.

use clap::{Args, Parser};
use std::path::PathBuf;
use suffrage::experiment::ElectionSpecification;
use suffrage::experiment::counts::{count32, positive, within, within32};
use suffrage_cli::election::{ConditionFlags, FileFlags, ReportFormat, without, words_of};

/// Run one election on several workers: threads, and hosts
///
/// It prints the report that `suffrage elect` prints with the same flags, byte for byte. It refuses what only
/// one core can do: traces, drawings, faults, bounded links, and all schedules but rounds, rounds:uniform:D and rounds:per-link:D.
#[derive(Parser)]
#[command(name = "suffrage-distributed", version, arg_required_else_help = true)]
#[command(allow_negative_numbers = true, after_help = EXAMPLES)]
pub(super) struct Flags {
    /// A name from `suffrage algorithms`
    pub(super) algorithm: Option<String>,

    /// The number of nodes, on the network that the algorithm is for [default: 16]
    #[arg(long, value_name = "N", value_parser = within32(1..=u32::MAX))]
    #[arg(conflicts_with = "topology", help_heading = "Network")]
    pub(super) nodes: Option<u32>,

    /// A file, or a specification such as grid:4x5, as for `suffrage elect`
    ///
    /// An edge list is read in parts, if an algorithm is named.
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Network")]
    pub(super) topology: Option<String>,

    #[command(flatten)]
    pub(super) file: FileFlags,

    #[command(flatten)]
    pub(super) conditions: ConditionFlags,

    #[command(flatten)]
    pub(super) team: TeamFlags,

    /// Report the time and memory of the run
    #[arg(long, help_heading = "Output")]
    pub(super) timing: bool,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(super) format: ReportFormat,
}

const EXAMPLES: &str = "\
Examples:
  suffrage-distributed echo-extinction --topology torus:1000x1000 --schedule rounds --workers 2
  suffrage-distributed humblet --nodes 5000 --schedule rounds --hosts hosts --process 0 --secret secret
  suffrage-distributed yo-yo --topology links --schedule rounds --checkpoint stored --every 200";

/// The flags of workers and hosts.
#[derive(Args)]
#[command(next_help_heading = "Workers and hosts")]
pub(super) struct TeamFlags {
    /// Divide the processes of the election among W workers
    ///
    /// Needs --schedule rounds, rounds:uniform:D or rounds:per-link:D, without faults and bounded links. The
    /// report is the same as without workers. With --hosts, every host has W workers [default: 1].
    #[arg(long, value_name = "W", value_parser = within32(1..=1024))]
    pub(super) workers: Option<u32>,

    /// Run the election together with other hosts: a file with a line HOST:PORT for each
    ///
    /// Give every host the same file, flags and input; only --process differs. Host 0 prints the report. The
    /// network between the hosts must be trusted: strangers are turned away, but messages between hosts are
    /// not encrypted.
    #[arg(long, value_name = "FILE", requires_all = ["process", "secret"])]
    pub(super) hosts: Option<PathBuf>,

    /// The number of this host: its line in the file of --hosts, counted from 0
    #[arg(long, value_name = "I", requires = "hosts", value_parser = count32)]
    pub(super) process: Option<u32>,

    /// A file with a secret of at least 16 bytes that all hosts have and no stranger
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub(super) secret: Option<PathBuf>,

    /// How long to wait for the other hosts, in seconds
    #[arg(long, value_name = "SECONDS", requires = "hosts", default_value_t = 60)]
    #[arg(value_parser = within(1..=86_400))]
    pub(super) wait: u64,

    /// Store the election in this directory from time to time, so that it can go on after an
    /// interruption
    ///
    /// Several hosts may share the directory, or have one each.
    #[arg(long, value_name = "DIR", requires = "every")]
    pub(super) checkpoint: Option<PathBuf>,

    /// Store it again after this many ticks
    #[arg(long, value_name = "TICKS", requires = "checkpoint")]
    #[arg(value_parser = positive)]
    pub(super) every: Option<u64>,

    /// Resume the election that --checkpoint has stored in this directory
    ///
    /// The election must be the same; the numbers of workers and hosts may differ. Every host needs the files
    /// of all hosts. The report is the same as without an interruption.
    #[arg(long, value_name = "DIR")]
    pub(super) resume: Option<PathBuf>,

    /// Run it on several workers even where one alone is faster
    #[arg(long)]
    pub(super) force: bool,
}

impl Flags {
    /// What the flags ask for. What no report depends on is not among it.
    pub(super) fn specification(&self) -> ElectionSpecification {
        let options = self.file.options();
        let mut specification = ElectionSpecification {
            algorithm: self.algorithm.iter().cloned().collect(),
            nodes: self.nodes.into_iter().collect(),
            topology: self.topology.iter().cloned().collect(),
            topology_format: options.format,
            largest_component: options.largest_component,
            ..ElectionSpecification::default()
        };
        self.conditions.set(&mut specification);
        specification
    }
}

impl TeamFlags {
    /// The flag that divides the election or stores it, for messages.
    pub(super) const fn given(&self) -> &'static str {
        match self {
            Self { hosts: Some(_), .. } => "--hosts",
            Self { checkpoint: Some(_), .. } => "--checkpoint",
            Self { resume: Some(_), .. } => "--resume",
            _ => "--workers",
        }
    }
}

/// The command of one core that makes the same report.
pub(super) fn command_of_one_core() -> String {
    const OF_TEAMS: [&str; 8] = [
        "--workers",
        "--hosts",
        "--process",
        "--secret",
        "--wait",
        "--checkpoint",
        "--every",
        "--resume",
    ];
    let typed = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words = without(typed.collect(), &OF_TEAMS, &["--force"]);
    words_of(std::iter::once("elect".to_owned()).chain(words))
}
