//! What is logged, on standard error.

use clap::ValueEnum;
use std::io::{IsTerminal, stderr};
use tracing_subscriber::filter::LevelFilter;

/// How to log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: a JSON object a line
    Json,
}

#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// What to log on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info", help_heading = "Log")]
    log: LevelFilter,

    /// How to log
    #[arg(long, value_enum, default_value_t, help_heading = "Log")]
    log_format: Format,
}

/// Logs for people from now on.
pub(crate) fn start(level: LevelFilter) {
    LogArgs { log: level, log_format: Format::Text }.start();
}

impl LogArgs {
    /// Logs from now on.
    pub(crate) fn start(&self) {
        let log = tracing_subscriber::fmt()
            .with_max_level(self.log)
            .with_writer(stderr)
            .with_target(false)
            .with_ansi(stderr().is_terminal())
            .log_internal_errors(false);
        // Where somebody logs already, that goes on.
        let _ = match self.log_format {
            Format::Text => log.try_init(),
            Format::Json => log.json().try_init(),
        };
    }
}
