//! The events of a run, as its commands traced them and its members logged and told them.

use anyhow::{Context, bail};
use serde_json::Value;
use std::{collections::BTreeSet, fmt, fs, path::Path};

/// A tenure at a term, at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) term: u64,
    pub(super) member: String,
    /// In microseconds since 1970; 0 if it is not known.
    pub(super) at: u64,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "term {} of {}", self.term, self.member)?;
        if self.at > 0 { write!(f, " ({} us)", self.at) } else { Ok(()) }
    }
}

/// A command that has read its lease.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    /// When it began to.
    pub(super) event: Event,
    /// The host's uptime afterwards, and until when the leadership was certain, in seconds.
    up: f64,
    until: f64,
}

impl Hold {
    /// Whether it took its leadership for certain. The uptime is rounded down to 10 ms.
    pub(super) fn is_certain(&self) -> bool {
        self.up + 0.01 < self.until
    }
}

/// All events of a run.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The starts of commands, in the order of time.
    pub(super) starts: Vec<Event>,
    pub(super) holds: Vec<Hold>,
    /// Commands that started while another one lived.
    pub(super) overlaps: Vec<Event>,
    /// The terms that the register accepted, in its order.
    pub(super) writes: Vec<u64>,
    pub(super) refused: usize,
    /// For each member, the tenures that it has won.
    pub(super) logs: Vec<Vec<Event>>,
    /// The terms of commands that outlived their leadership, as members have logged.
    pub(super) late: BTreeSet<u64>,
    /// Who led at which term, as members have told.
    pub(super) told: Vec<Event>,
}

impl Events {
    /// Reads the logs of a run.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut events = Self::default();
        let text = |path: &str| fs::read_to_string(folder.join(path)).context(path.to_owned());
        events.trace(&text("log")?).context("log")?;
        for host in 1.. {
            if !folder.join(host.to_string()).is_dir() {
                break;
            }
            events.log(&format!("host-{host}"), &text(&format!("{host}/err"))?);
            events.watch(&text(&format!("{host}/watch")).unwrap_or_default());
        }
        Ok(events)
    }

    /// Adds what commands have traced.
    pub(super) fn trace(&mut self, text: &str) -> anyhow::Result<()> {
        for (number, line) in (1..).zip(text.lines()) {
            let read = self.line(&line.split(' ').collect::<Vec<_>>());
            read.with_context(|| format!("line {number}: {line:?}"))?;
        }
        self.starts.sort_by_key(|start| start.at);
        Ok(())
    }

    fn line(&mut self, words: &[&str]) -> anyhow::Result<()> {
        let [kind, term, member, at, rest @ ..] = words else { bail!("it has too few words") };
        let event = Event { term: term.parse()?, member: (*member).to_owned(), at: at.parse()? };
        match (*kind, rest) {
            ("start", []) => self.starts.push(event),
            ("overlap", []) => self.overlaps.push(event),
            ("write", []) => self.writes.push(event.term),
            ("refused", []) => self.refused += 1,
            ("hold", [up, until]) => {
                self.holds.push(Hold { event, up: up.parse()?, until: until.parse()? });
            }
            _ => bail!("it is no event"),
        }
        Ok(())
    }

    /// Adds a member's log, in which lines of text are those of its guard, and of other programs.
    pub(super) fn log(&mut self, member: &str, text: &str) {
        let mut won = Vec::new();
        for line in text.lines() {
            let json = serde_json::from_str::<Value>(line).ok();
            let message = match &json {
                Some(line) => line["fields"]["message"].as_str(),
                None => line.strip_prefix("suffrage: "),
            };
            let Some(message) = message else { continue };
            let leads = message.strip_prefix("leads db-primary in term ");
            if let Some(term) = leads.and_then(|term| term.parse().ok()) {
                won.push(Event { term, member: member.to_owned(), at: 0 });
            }
            let late =
                message.strip_prefix("the command outlived its leadership of db-primary in term ");
            self.late.extend(late.and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok()));
        }
        self.logs.push(won);
    }

    /// Adds what a member has told, a line per change.
    pub(super) fn watch(&mut self, text: &str) {
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if let (Some(leader), Some(term)) = (line["leader"].as_str(), line["term"].as_u64()) {
                self.told.push(Event { term, member: leader.to_owned(), at: 0 });
            }
        }
    }
}
