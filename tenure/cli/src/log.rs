//! Logging to standard error.

use std::io::{IsTerminal, stderr};
use suffrage_shell::LogFormat;
use tracing_subscriber::filter::LevelFilter;

#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// What to log on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info", help_heading = "Log")]
    log: LevelFilter,

    /// How to log
    #[arg(long, value_enum, default_value_t, help_heading = "Log")]
    log_format: LogFormat,
}

pub(crate) fn start(level: LevelFilter) {
    LogArgs { log: level, log_format: LogFormat::Text }.start();
}

impl LogArgs {
    pub(crate) fn start(&self) {
        let log = tracing_subscriber::fmt()
            .with_max_level(self.log)
            .with_writer(stderr)
            .with_target(false)
            .with_ansi(stderr().is_terminal())
            .log_internal_errors(false);
        // A logger that is already set stays.
        let _ = match self.log_format {
            LogFormat::Text => log.try_init(),
            LogFormat::Json => log.json().try_init(),
        };
    }
}
