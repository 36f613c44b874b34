//! Logging to standard error.

use crate::error::CommandError;
use std::time::Duration;
use suffrage_shell::{LogFormat, LogLines, StandardErrorLog};
use tenure_node::Participant;
use tokio::time::sleep;
use tracing_subscriber::filter::LevelFilter;

/// How often it is looked whether lines of the log were lost.
const LOOK: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// What to log on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info", help_heading = "Log")]
    log: LevelFilter,

    /// How to log
    #[arg(long, value_enum, default_value_t, help_heading = "Log")]
    log_format: LogFormat,
}

pub(crate) fn start(level: LevelFilter) -> Result<StandardErrorLog, CommandError> {
    LogArgs { log: level, log_format: LogFormat::Text }.start()
}

impl LogArgs {
    pub(crate) fn start(&self) -> Result<StandardErrorLog, CommandError> {
        StandardErrorLog::start(self.log, self.log_format)
            .map_err(|error| CommandError::failed(format!("no thread for the log: {error}")))
    }
}

/// Tells in the status of a participant how many lines of the log were lost. Never returns.
pub(crate) async fn watch(log: LogLines, participant: Participant) {
    loop {
        let lost = log.lost();
        let warning = format!(
            "lines of the log were lost, {lost} so far: the reader of standard error is too slow"
        );
        participant.warn_of("log", (lost > 0).then_some(warning));
        sleep(LOOK).await;
    }
}
