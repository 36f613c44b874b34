//! A rate limit on log lines about events that other hosts can cause.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of lines let through per [`PERIOD`].
pub const LINES: u32 = 8;
/// The period after which lines are let through again.
pub const PERIOD: Duration = Duration::from_secs(10);

/// A limit on the log lines of one kind: eight in ten seconds. Lines that are held back are
/// counted.
#[derive(Debug, Default)]
pub struct LogLimit(Mutex<LogLimitState>);

#[derive(Debug, Default)]
struct LogLimitState {
    /// When the current period began.
    since: Option<Instant>,
    let_through: u32,
    held_back: u64,
}

impl LogLimit {
    /// Returns whether a line may be written now: `None` if not; otherwise the number of lines that
    /// were held back since the last one.
    pub fn permit(&self) -> Option<u64> {
        self.permit_at(Instant::now())
    }

    fn permit_at(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.since.is_none_or(|since| now.saturating_duration_since(since) >= PERIOD) {
            state.since = Some(now);
            state.let_through = 0;
        }
        if state.let_through >= LINES {
            state.held_back += 1;
            return None;
        }
        state.let_through += 1;
        Some(std::mem::take(&mut state.held_back))
    }
}

/// Returns a text with `#` in place of each number, with its fraction and its unit: so two reasons are equal that
/// differ in a time alone.
#[must_use]
pub fn without_numbers(text: &str) -> String {
    let mut kind = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_ascii_digit() {
            kind.push(letter);
            continue;
        }
        kind.push('#');
        let number = |next: &char| next.is_alphanumeric() || *next == '.';
        while letters.next_if(number).is_some() {}
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_a_time_alone_are_equal() {
        let why = |time: Duration| without_numbers(&format!("it was heard {time:?} ago"));
        let times = [7, 1_300, 999_999_999, 1_500_000_000].map(Duration::from_nanos);
        assert!(times.iter().all(|&time| why(time) == "it was heard # ago"), "{}", why(times[1]));
        assert_eq!(without_numbers("refused: no"), "refused: no");
    }

    #[test]
    fn a_flood_becomes_a_few_lines_and_a_count() {
        let limit = LogLimit::default();
        let start = Instant::now();
        let lines = (0..10_000).filter_map(|_| limit.permit_at(start)).count();
        assert_eq!(lines, LINES as usize);
        assert_eq!(limit.permit_at(start + PERIOD), Some(10_000 - u64::from(LINES)));
        assert_eq!(limit.permit_at(start + PERIOD), Some(0));
    }
}
