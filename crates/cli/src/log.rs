//! The log of a node, on standard error.

use clap::ValueEnum;
use std::io::{self, Write};
use std::time::Duration;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::LevelFilter;

/// Lines that wait for a slow reader. Any more are dropped.
const LINES: usize = 4096;

/// How to log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: a JSON object a line
    Json,
}

/// Standard error, written by a thread of its own: a node neither waits for who reads its log nor
/// fails with it.
pub(crate) struct Log {
    writer: NonBlocking,
    guard: Option<WorkerGuard>,
}

impl Log {
    /// Logs from now on, whatever the program does.
    pub(crate) fn start(level: LevelFilter, format: Format) -> Self {
        let (writer, guard) = NonBlockingBuilder::default()
            .lossy(true)
            .buffered_lines_limit(LINES)
            .thread_name("log")
            .finish(io::stderr());
        let log = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(writer.clone())
            .with_target(false)
            // Else a line that cannot be written is an occasion to write another one, and to panic.
            .log_internal_errors(false);
        match format {
            Format::Text => log.init(),
            Format::Json => log.json().init(),
        }
        Self { writer, guard: Some(guard) }
    }

    /// Writes a line for people, after all that was logged before.
    pub(crate) fn say(&self, line: &str) {
        let _ = self.writer.clone().write_all(format!("{line}\n").as_bytes());
    }
}

impl Drop for Log {
    /// Waits, but not for long, until what was logged is written.
    fn drop(&mut self) {
        let guard = self.guard.take();
        if self.writer.error_counter().dropped_lines() > 0 {
            // The reader does not keep up. The guard would complain of that on standard output.
            std::thread::sleep(Duration::from_millis(100));
            std::mem::forget(guard);
        }
    }
}
