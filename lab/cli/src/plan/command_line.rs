//! The command that holds an election again, whatever the flags were that led to it.

use super::Setup;
use crate::flags::{Capacity, NodeOrder, PortOrder, Timing};
use crate::session;
use std::fmt::Display;
use suffrage::simulator::Schedule;

impl Setup {
    /// The command that holds the election of this seed.
    pub(crate) fn command(&self, seed: u64) -> String {
        let mut words = vec!["suffrage elect".to_owned(), self.algorithm.name.to_owned()];
        let mut flag = |name: &str, value: &dyn Display| {
            words.push(format!("--{name} {}", quoted(&value.to_string())));
        };
        flag("topology", &self.source.text());
        let options = self.source.options();
        if let Some(format) = options.format {
            flag("topology-format", &format);
        }
        let conditions = &self.conditions;
        if conditions.ids != "random" {
            flag("ids", &conditions.ids);
        }
        if conditions.order != NodeOrder::Given {
            flag("order", &conditions.order.name());
        }
        if conditions.ports != PortOrder::Rotation {
            flag("ports", &conditions.ports.name());
        }
        if let Some(initiators) = &conditions.initiators {
            flag("initiators", initiators);
        }
        if let Some(wake) = &conditions.wake {
            flag("wake", wake);
        }
        if conditions.schedule != Timing::Rule(Schedule::Synchronous) {
            flag("schedule", &conditions.schedule);
        }
        if conditions.capacity != Capacity(None) {
            flag("capacity", &conditions.capacity);
        }
        for fault in &conditions.faults {
            flag("fault", fault);
        }
        if let Some(event_limit) = conditions.event_limit {
            flag("event-limit", &event_limit);
        }
        flag("seed", &seed);
        if conditions.invariants {
            words.push("--invariants".to_owned());
        }
        if options.largest_component {
            words.push("--largest-component".to_owned());
        }
        words.join(" ")
    }
}

/// The command as typed, without the parts that do not affect results: threads, and whether the election is
/// watched.
pub(crate) fn typed() -> String {
    let words = session::words().unwrap_or_else(|| {
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
    });
    words_of(essential(words))
}

/// Formats a command of `suffrage` by the words that follow.
#[must_use]
pub fn words_of(words: impl IntoIterator<Item = String>) -> String {
    let words = words.into_iter().map(|word| quoted(&word));
    std::iter::once("suffrage".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Leaves out threads, and what is about the page of a run.
fn essential(mut words: Vec<String>) -> Vec<String> {
    if words.first().is_some_and(|word| word == "watch") {
        words.remove(0);
    }
    without(words, &["--threads", "--html"], &["--no-browser"])
}

/// Leaves out flags with a value, and flags without one.
#[must_use]
pub fn without(mut words: Vec<String>, with_value: &[&str], alone: &[&str]) -> Vec<String> {
    let mut is_value = false;
    words.retain(|word| {
        let name = word.split('=').next().unwrap_or_default();
        let has_value = with_value.contains(&name);
        let left_out = is_value || has_value || alone.contains(&&**word);
        is_value = !is_value && has_value && name == word;
        !left_out
    });
    words
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,@+=%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{essential, quoted};

    #[test]
    fn what_no_result_depends_on_is_left_out() {
        let words = |line: &str| essential(line.split(' ').map(str::to_owned).collect()).join(" ");
        assert_eq!(words("elect --threads 2 --seed 3"), "elect --seed 3");
        assert_eq!(words("elect --threads=2 lelann --threads 3"), "elect lelann");
        assert_eq!(words("watch --html a.html check lelann --no-browser"), "check lelann");
        assert_eq!(words("check humblet --force"), "check humblet --force");
    }

    #[test]
    fn a_shell_reads_what_was_meant() {
        assert_eq!(quoted("crash:3@10"), "crash:3@10");
        assert_eq!(quoted("my net.txt"), "'my net.txt'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
