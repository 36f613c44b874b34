//! Handles signals that ask for an end. Before there is anything to finish, while input is read or a network is
//! made, the first one ends the program. Later the first one asks for an orderly end, and further ones never destroy
//! finished results.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time after the first signal in which further ones are ignored: `timeout` sends two at once,
/// and an orderly end takes less.
const TOGETHER: Duration = Duration::from_secs(2);

/// The longest wait for a pending write; a longer one means that the reader has stopped.
const WRITE: Duration = Duration::from_secs(5);

static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether a run has begun that looks at [`ASKED`] and finishes in order. So does whatever writes a file.
static BEGUN: AtomicBool = AtomicBool::new(false);
static FIRST: OnceLock<Instant> = OnceLock::new();
static WARNED: AtomicBool = AtomicBool::new(false);
/// Files that have been begun and not finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// The text that closes the document on standard output; locked while a piece of it is written.
static CLOSING: Mutex<&'static str> = Mutex::new("");

/// The reaction to a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignalReaction {
    /// Asks for an orderly end.
    Ask,
    /// Ignores it: the program is already ending.
    Wait,
    /// Warns that files are being written.
    Warn,
    /// Closes the document on standard output, and ends.
    End,
}

fn reaction(
    since_first: Option<Duration>,
    begun: bool,
    unfinished: bool,
    warned: bool,
) -> SignalReaction {
    match since_first {
        None if !begun => SignalReaction::End,
        None => SignalReaction::Ask,
        Some(since) if since < TOGETHER => SignalReaction::Wait,
        Some(_) if unfinished && !warned => SignalReaction::Warn,
        Some(_) => SignalReaction::End,
    }
}

/// Starts to listen. If signals cannot be caught, Ctrl-C ends the program at once.
///
/// A file that becomes larger than the system allows is an error of the write, and does not end the program. Memory
/// that the system does not give ends it: the standard library says so, and aborts. That is a limit and no fault, so
/// the exit code is 2.
pub fn listen() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    #[cfg(unix)]
    end_at([signal_hook::consts::SIGABRT], 2);
    let caught = ctrlc::set_handler(|| {
        let since_first = if ASKED.swap(true, Relaxed) {
            Some(FIRST.get().map_or(Duration::ZERO, Instant::elapsed))
        } else {
            let _ = FIRST.set(Instant::now());
            None
        };
        let unfinished = !unfinished().is_empty();
        let begun = BEGUN.load(Relaxed) || unfinished;
        match reaction(since_first, begun, unfinished, WARNED.load(Relaxed)) {
            SignalReaction::Ask | SignalReaction::Wait => {}
            SignalReaction::Warn => {
                WARNED.store(true, Relaxed);
                let text = "still writing a file; interrupt once more to give it up\n";
                let _ = io::stderr().write_all(text.as_bytes());
            }
            SignalReaction::End => {
                if since_first.is_none() {
                    let text = "interrupted before there was anything to report\n";
                    let _ = io::stderr().write_all(text.as_bytes());
                }
                end()
            }
        }
    });
    // Where no thread can be started that would wait for signals, they are taken nevertheless, and would do nothing.
    #[cfg(unix)]
    if caught.is_err() {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        end_at([SIGINT, SIGTERM, SIGHUP], 130);
    }
}

/// Ends the program at the first of these signals, with this exit code.
#[cfg(unix)]
fn end_at(signals: impl IntoIterator<Item = i32>, code: i32) {
    for signal in signals {
        let at_once = Arc::new(AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(signal, code, at_once);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program, with a whole document on standard output and no half-written file.
fn end() -> ! {
    for path in unfinished().iter() {
        let _ = std::fs::remove_file(path);
    }
    let since = Instant::now();
    while since.elapsed() < WRITE {
        let closing = match CLOSING.try_lock() {
            Ok(closing) => closing,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                sleep(Duration::from_millis(10));
                continue;
            }
        };
        let mut out = io::stdout().lock();
        let _ = out.write_all(closing.as_bytes()).and_then(|()| out.flush());
        // The lock is kept, so that no thread writes any more.
        exit(130);
    }
    exit(130);
}

pub(crate) fn asked() -> bool {
    flag().load(Relaxed)
}

/// Whether a signal has asked for an end; this alone begins nothing.
pub(crate) fn is_set() -> bool {
    ASKED.load(Relaxed)
}

/// The flag that a signal sets. From now on there is something to finish, so a first signal only asks.
pub(crate) fn flag() -> &'static AtomicBool {
    BEGUN.store(true, Relaxed);
    &ASKED
}

/// Keeps the program from ending while a piece of a document is written. The guarded text closes
/// the document, and may be changed with the piece.
pub(crate) fn writing() -> MutexGuard<'static, &'static str> {
    CLOSING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is being written: while there is one, a late signal warns before the next one ends
/// the program and removes the file.
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Registers the file at this path; an empty path for a file that must not be removed.
    pub(crate) fn new(path: PathBuf) -> Self {
        unfinished().push(path.clone());
        Self(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut all = unfinished();
        if let Some(place) = all.iter().position(|path| *path == self.0) {
            all.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_come_together_are_one() {
        assert_eq!(reaction(None, true, true, false), SignalReaction::Ask);
        for unfinished in [false, true] {
            let soon = Some(Duration::from_millis(500));
            assert_eq!(reaction(soon, true, unfinished, false), SignalReaction::Wait);
        }
    }

    #[test]
    fn the_first_signal_ends_a_program_that_has_nothing_to_finish() {
        assert_eq!(reaction(None, false, false, false), SignalReaction::End);
    }

    #[test]
    fn a_late_signal_ends_the_program_but_not_a_file_without_a_warning() {
        let late = Some(Duration::from_secs(3));
        assert_eq!(reaction(late, true, false, false), SignalReaction::End);
        assert_eq!(reaction(late, true, true, false), SignalReaction::Warn);
        assert_eq!(reaction(late, true, true, true), SignalReaction::End);
    }
}
