//! The log on standard error, written by a thread of its own: a program neither waits for nor fails with the reader
//! of its log.
//!
//! Two things keep the log small. A reader that does not keep up loses lines. And each place in a program that logs has
//! a [`LogLimit`], since another host may cause any number of its lines. Both are counted, and the counts are logged.
//! Lines of the levels debug and trace are not held back, nor are [`NEWS`].

use crate::LogFormat;
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{panic, thread};
use suffrage_net::log_limit::LogLimit;
use tracing::callsite::Identifier;
use tracing::{Level, Metadata, error, warn};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The maximal number of lines that wait for a slow reader. More are lost.
const MOST: usize = 4096;
/// How often it is looked whether lines were held back or lost.
const LOOK: Duration = Duration::from_secs(1);
/// For how long the end of a program waits for a slow reader.
const FAREWELL: Duration = Duration::from_millis(500);

/// The target of lines that are never held back: what a program did itself, such as each leadership with its term. Other
/// hosts cannot cause any number of them.
pub const NEWS: &str = "news";

/// The log of a program. Dropping it waits, for a limited time, until all lines are written.
pub struct StandardErrorLog(LogLines);

impl StandardErrorLog {
    /// Starts to log. A logger that is already set stays.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(level: LevelFilter, format: LogFormat) -> io::Result<Self> {
        let lines = LogLines::to(io::stderr())?;
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(lines.clone())
            .with_target(false)
            .with_ansi(io::stderr().is_terminal())
            // Otherwise a failed write would cause another write, and a panic.
            .log_internal_errors(false);
        let _ = match format {
            LogFormat::Text => subscriber.try_init(),
            LogFormat::Json => subscriber.json().try_init(),
        };
        // The usual hook would wait for the reader of standard error.
        if level >= LevelFilter::ERROR {
            panic::set_hook(Box::new(|panic| error!("{panic}")));
        }
        Ok(Self(lines))
    }

    /// Writes a line for people, after all that was logged before.
    pub fn say(&self, line: &str) {
        self.0.add(format!("{line}\n").into_bytes());
    }

    /// Returns the lines of the log, to count those that were lost.
    #[must_use]
    pub fn lines(&self) -> LogLines {
        self.0.clone()
    }
}

impl Drop for StandardErrorLog {
    fn drop(&mut self) {
        self.0.flush();
    }
}

/// The lines of a log. Clones are the same.
#[derive(Clone)]
pub struct LogLines {
    lines: SyncSender<Entry>,
    state: Arc<LogState>,
}

enum Entry {
    Line(Vec<u8>),
    /// All lines before it have been written.
    Flushed(SyncSender<()>),
}

#[derive(Default)]
struct LogState {
    lost: AtomicU64,
    /// The limit of each place in the program that logs.
    limits: Mutex<HashMap<Identifier, LogLimit>>,
}

impl LogState {
    /// Returns whether a line of this place may be written.
    fn permit(&self, place: Identifier, line: &[u8]) -> bool {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.entry(place).or_default().admit(&String::from_utf8_lossy(line), Instant::now())
    }

    /// Returns how many lines each place has had to hold back, with the first of them.
    fn held_back(&self, now: Instant) -> Vec<(String, u64)> {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held_back = Vec::new();
        limits.retain(|_, limit| {
            held_back.extend(limit.held_back(now));
            true
        });
        held_back
    }
}

impl LogLines {
    fn to(output: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, entries) = sync_channel(MOST);
        let log = Self { lines, state: Arc::default() };
        let state = log.state.clone();
        thread::Builder::new().name("log".into()).spawn(move || write(&entries, &state, output))?;
        Ok(log)
    }

    /// Returns the number of lines that were lost, since their reader did not keep up.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.state.lost.load(Ordering::Relaxed)
    }

    /// Waits until all lines are written, for a limited time.
    fn flush(&self) {
        let (flushed, wait) = sync_channel(1);
        if self.lines.try_send(Entry::Flushed(flushed)).is_ok() {
            let _ = wait.recv_timeout(FAREWELL);
        }
    }

    fn add(&self, line: Vec<u8>) {
        if self.lines.try_send(Entry::Line(line)).is_err() {
            self.state.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The thread of the log.
fn write(entries: &Receiver<Entry>, state: &LogState, mut output: impl Write) {
    let (mut looked, mut told) = (Instant::now(), 0);
    loop {
        match entries.recv_timeout(LOOK) {
            // The reader may be gone: the program goes on.
            Ok(Entry::Line(line)) => drop(output.write_all(&line)),
            Ok(Entry::Flushed(flushed)) => drop(flushed.try_send(())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if looked.elapsed() < LOOK {
            continue;
        }
        looked = Instant::now();
        for (like, held_back) in state.held_back(looked) {
            warn!(held_back, like, "more such lines were held back");
        }
        let lost = state.lost.load(Ordering::Relaxed);
        if lost > told {
            warn!(lost = lost - told, "lines of the log were lost: its reader is too slow");
            told = lost;
        }
    }
}

/// Writes the lines of one event.
pub struct LineWriter {
    lines: LogLines,
    /// The place in the program, unless its lines are not limited.
    place: Option<Identifier>,
}

impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let state = &self.lines.state;
        if self.place.clone().is_none_or(|place| state.permit(place, line)) {
            self.lines.add(line.to_vec());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LogLines {
    type Writer = LineWriter;

    fn make_writer(&self) -> LineWriter {
        LineWriter { lines: self.clone(), place: None }
    }

    fn make_writer_for(&self, line: &Metadata<'_>) -> LineWriter {
        let own = [module_path!(), NEWS].contains(&line.target());
        let limited = *line.level() <= Level::INFO && !own;
        LineWriter { lines: self.clone(), place: limited.then(|| line.callsite()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};
    use suffrage_net::log_limit::{LINES, PERIOD};

    struct Output(Sender<Vec<u8>>, Option<Receiver<()>>);

    impl Write for Output {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            if let Some(reader) = &self.1 {
                let _ = reader.recv();
            }
            let _ = self.0.send(line.to_vec());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_waits_for_a_reader_that_does_not_read_and_the_lost_lines_are_counted() {
        let (sent, lines) = channel();
        let (reads, reader) = channel();
        let log = LogLines::to(Output(sent, Some(reader))).unwrap();
        for number in 0..3 * MOST {
            log.add(number.to_string().into_bytes());
        }
        let lost = log.lost();
        // One line may be on its way.
        assert!((2 * MOST as u64 - 1..=2 * MOST as u64).contains(&lost), "{lost}");
        drop(reads);
        log.flush();
        assert_eq!(lines.recv().unwrap(), b"0");
    }

    #[test]
    fn lines_are_held_back_by_the_place_that_logs_them_and_counted() {
        let (sent, lines) = channel();
        let log = LogLines::to(Output(sent, None)).unwrap();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).without_time().with_writer(log.clone());
        tracing::subscriber::with_default(subscriber.finish(), || {
            for number in 0..100 {
                warn!("refused: it was heard {number}.5ms ago");
            }
            for term in 0..100 {
                warn!(target: NEWS, "leads in term {term}");
            }
            // The same text from another place is another line.
            warn!("refused: it was heard 0.5ms ago");
        });
        log.flush();
        assert_eq!(lines.try_iter().count() as u32, LINES + 1 + 100);
        assert!(log.state.held_back(Instant::now()).is_empty());
        let held_back = log.state.held_back(Instant::now() + PERIOD);
        assert_eq!(held_back.iter().map(|(_, count)| count).sum::<u64>(), 100 - u64::from(LINES));
    }
}
