//! A rate limit on log lines, since other hosts can cause any number of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of lines let through per [`PERIOD`] that differ in numbers only.
pub const LINES: u32 = 8;
/// The number of lines let through per [`PERIOD`], however they differ: names, addresses and reasons vary, too.
pub const LINES_OF_ALL: u32 = 32;
/// The period after which lines are let through again.
pub const PERIOD: Duration = Duration::from_secs(10);

/// A limit on the log lines of one place in a program: in ten seconds eight that differ in numbers only, and 32 in all.
/// Lines that are held back are counted.
#[derive(Debug, Default)]
pub struct LogLimit(Mutex<LogLimitState>);

#[derive(Debug, Default)]
struct LogLimitState {
    /// When the current period began.
    since: Option<Instant>,
    let_through: u32,
    /// How many lines of each kind, without its numbers, were let through.
    kinds: BTreeMap<String, u32>,
    /// How many lines were held back in earlier periods, and in the current one.
    held_back: (u64, u64),
    /// The first of them, without its numbers.
    like: String,
}

impl LogLimitState {
    fn is_over(&self, now: Instant) -> bool {
        self.since.is_none_or(|since| now.saturating_duration_since(since) >= PERIOD)
    }

    fn admit(&mut self, line: &str, now: Instant) -> bool {
        if self.is_over(now) {
            self.since = Some(now);
            self.let_through = 0;
            self.kinds.clear();
            self.held_back = (self.held_back.0 + self.held_back.1, 0);
        }
        let kind = without_numbers(line);
        let of_kind = self.kinds.get(&kind).copied().unwrap_or(0);
        if of_kind >= LINES || self.let_through >= LINES_OF_ALL {
            if self.held_back == (0, 0) {
                self.like = kind;
            }
            self.held_back.1 += 1;
            return false;
        }
        self.let_through += 1;
        self.kinds.insert(kind, of_kind + 1);
        true
    }
}

impl LogLimit {
    fn state(&self) -> MutexGuard<'_, LogLimitState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this line may be written now: `None` if not; otherwise the number of lines that
    /// were held back since the last one.
    pub fn permit(&self, line: &str) -> Option<u64> {
        let mut state = self.state();
        let permitted = state.admit(line, Instant::now());
        permitted.then(|| std::mem::take(&mut state.held_back)).map(|(before, now)| before + now)
    }

    /// Returns whether this line may be written. [`held_back`](Self::held_back) tells of the others.
    pub fn admit(&self, line: &str, now: Instant) -> bool {
        self.state().admit(line, now)
    }

    /// Returns the number of lines that were held back in periods that are over, once, with the first of them, without
    /// its numbers.
    pub fn held_back(&self, now: Instant) -> Option<(String, u64)> {
        let mut state = self.state();
        if state.is_over(now) {
            state.held_back = (state.held_back.0 + state.held_back.1, 0);
        }
        let held_back = std::mem::take(&mut state.held_back.0);
        (held_back > 0).then(|| (state.like.trim().to_owned(), held_back))
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
        // What rustls says of a certificate.
        let at = |seconds: u64| without_numbers(&format!("verification time {seconds} (UNIX)"));
        assert_eq!(at(1_700_000_000), at(1_700_000_001));
        assert_eq!(without_numbers("refused: no"), "refused: no");
    }

    /// Offers a line again and again in one instant, and returns how many times it was let through.
    fn flood(limit: &LogLimit, now: Instant, line: impl Fn(u32) -> String) -> u32 {
        (0..10_000).map(|number| u32::from(limit.admit(&line(number), now))).sum()
    }

    #[test]
    fn a_flood_becomes_a_few_lines_and_a_count() {
        let limit = LogLimit::default();
        let start = Instant::now();
        let line = |number| format!("refused: it was heard {number}.5ms ago");
        assert_eq!(flood(&limit, start, line), LINES);
        assert!(limit.admit("another reason", start), "it is not hidden by the flood");
        assert_eq!(limit.held_back(start + PERIOD / 2), None);
        // Also where the flood goes on, so that the next period has begun.
        assert!(limit.admit(&line(1), start + PERIOD));
        let held_back = 10_000 - u64::from(LINES);
        let like = "refused: it was heard # ago".to_owned();
        assert_eq!(limit.held_back(start + PERIOD), Some((like, held_back)));
        assert_eq!(limit.held_back(start + PERIOD), None);
    }

    #[test]
    fn lines_that_differ_in_all_they_say_are_held_back_too() {
        let limit = LogLimit::default();
        let start = Instant::now();
        // Names without a digit.
        let name = |number: u32| {
            number.to_string().bytes().map(|it| char::from(it + 49)).collect::<String>()
        };
        let line = |number| format!("there is no member `{}`", name(number));
        assert_eq!(flood(&limit, start, line), LINES_OF_ALL);
        assert_eq!(flood(&limit, start + PERIOD, line), LINES_OF_ALL);
        let told = limit.held_back(start + 2 * PERIOD).map(|(_, count)| count);
        assert_eq!(told, Some(2 * (10_000 - u64::from(LINES_OF_ALL))));
    }

    #[test]
    fn who_writes_a_line_is_told_how_many_were_held_back() {
        let limit = LogLimit::default();
        assert_eq!((0..10_000).filter(|_| limit.permit("no").is_some()).count(), LINES as usize);
        assert_eq!(limit.permit("yes"), Some(10_000 - u64::from(LINES)));
        assert_eq!(limit.permit("yes"), Some(0));
    }
}
