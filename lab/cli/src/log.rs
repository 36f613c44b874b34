//! The log of a node, on standard error.

use std::io::{self, Write};
use std::time::Duration;
use suffrage_shell::LogFormat;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::LevelFilter;

/// The maximal number of lines that wait for a slow reader. More are dropped.
const LINES: usize = 4096;

/// Standard error, written by a thread of its own, so that a node neither waits for nor fails with
/// the reader of its log.
pub(crate) struct StandardErrorLog {
    writer: NonBlocking,
    guard: Option<WorkerGuard>,
}

impl StandardErrorLog {
    /// Starts to log.
    pub(crate) fn start(level: LevelFilter, format: LogFormat) -> Self {
        let (writer, guard) = NonBlockingBuilder::default()
            .lossy(true)
            .buffered_lines_limit(LINES)
            .thread_name("log")
            .finish(io::stderr());
        let log = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(writer.clone())
            .with_target(false)
            // Otherwise a failed write would cause another write, and a panic.
            .log_internal_errors(false);
        match format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().init(),
        }
        Self { writer, guard: Some(guard) }
    }

    /// Writes a line for people, after all that was logged before.
    pub(crate) fn say(&self, line: &str) {
        let _ = self.writer.clone().write_all(format!("{line}\n").as_bytes());
    }
}

impl Drop for StandardErrorLog {
    /// Waits for a limited time until all lines are written.
    fn drop(&mut self) {
        let guard = self.guard.take();
        if self.writer.error_counter().dropped_lines() > 0 {
            // The reader does not keep up, on which the guard would print a message on standard
            // output.
            std::thread::sleep(Duration::from_millis(100));
            std::mem::forget(guard);
        }
    }
}
