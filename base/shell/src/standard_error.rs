//! The log on standard error, written by a thread of its own: a program neither waits for nor fails with the reader
//! of its log.
//!
//! Two things keep the log small. A reader that does not keep up loses lines. And of the lines that differ in numbers
//! only, [`LINES`] are written in each [`PERIOD`]: another host may cause any number of them. Both are counted, and
//! the counts are logged. Lines of the levels debug and trace are not held back.

use crate::LogFormat;
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use suffrage_net::log_limit::{LINES, PERIOD, without_numbers};
use tracing::{Level, Metadata, warn};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The maximal number of lines that wait for a slow reader. More are lost.
const MOST: usize = 4096;
/// How often it is looked whether lines were held back or lost.
const LOOK: Duration = Duration::from_secs(1);
/// For how long the end of a program waits for a slow reader.
const FAREWELL: Duration = Duration::from_millis(500);
/// The maximal number of kinds of lines that are counted at a time.
const KINDS: usize = 1024;

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
    kinds: Mutex<HashMap<String, LineKind>>,
}

/// Lines of one kind, in the present period.
struct LineKind {
    since: Instant,
    written: u32,
    held_back: u64,
}

impl LogState {
    /// Returns whether a line may be written.
    fn permit(&self, line: &[u8], now: Instant) -> bool {
        let kind = without_numbers(&String::from_utf8_lossy(line));
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if kinds.len() >= KINDS && !kinds.contains_key(&kind) {
            return true;
        }
        let kind = kinds.entry(kind).or_insert(LineKind { since: now, written: 0, held_back: 0 });
        let permitted = kind.written < LINES;
        kind.written += u32::from(permitted);
        kind.held_back += u64::from(!permitted);
        permitted
    }

    /// Forgets the kinds whose period is over. Returns each that had lines held back, and how many.
    fn over(&self, now: Instant) -> Vec<(String, u64)> {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let mut over = Vec::new();
        kinds.retain(|line, kind| {
            let lasts = now.saturating_duration_since(kind.since) < PERIOD;
            if !lasts && kind.held_back > 0 {
                over.push((line.trim().to_owned(), kind.held_back));
            }
            lasts
        });
        over
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
        for (like, held_back) in state.over(looked) {
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
    limited: bool,
}

impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if !self.limited || self.lines.state.permit(line, Instant::now()) {
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
        LineWriter { lines: self.clone(), limited: false }
    }

    fn make_writer_for(&self, line: &Metadata<'_>) -> LineWriter {
        let limited = *line.level() <= Level::INFO && line.target() != module_path!();
        LineWriter { lines: self.clone(), limited }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

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
    fn lines_that_differ_in_numbers_alone_are_held_back_and_counted() {
        let state = LogState::default();
        let start = Instant::now();
        let line = |number: u32| format!("refused: it was heard {number}.5ms ago\n");
        let written = (0..100).filter(|&number| state.permit(line(number).as_bytes(), start));
        assert_eq!(written.count(), LINES as usize);
        assert!(state.permit(b"another one\n", start));
        assert_eq!(state.over(start + PERIOD / 2), []);
        let over = state.over(start + PERIOD);
        assert_eq!(over, [("refused: it was heard # ago".to_owned(), 100 - u64::from(LINES))]);
        assert!(state.permit(line(1).as_bytes(), start + PERIOD));
    }
}
