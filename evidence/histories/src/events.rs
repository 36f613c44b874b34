//! The events of a run. Those of real hosts are from the traces of commands and the logs and answers of members; a
//! simulated world tells of its own. All instants and durations are in nanoseconds.

use anyhow::{Context, bail};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt, fs,
    ops::Range,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

/// A tenure at a term, at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenureEvent {
    /// The term.
    pub term: u64,
    /// Who leads in it.
    pub member: String,
    /// Since 1970, or since the beginning of a simulated world; 0 if it is not known.
    pub at: u64,
}

impl fmt::Display for TenureEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "term {} of {}", self.term, self.member)?;
        if self.at > 0 { write!(f, " ({} us)", self.at / 1000) } else { Ok(()) }
    }
}

/// Returns why not, if a member tells of another leader and term than the right ones.
#[must_use]
pub fn disagrees(member: &str, told: (&str, u64), right: (&str, u64)) -> Option<String> {
    let ((name, number), (leader, term)) = (told, right);
    let why =
        || format!("{member} tells of {name} in term {number}, not of {leader} in term {term}");
    (told != right).then(why)
}

/// What a follower was told when it asked for the value of a leader that it knew.
#[derive(Clone, Debug)]
pub(super) struct ToldValue {
    /// The leader, and when the follower had the value.
    pub(super) asked: TenureEvent,
    /// The value, which is the name of its leader.
    pub(super) value: String,
    /// The host of the follower.
    pub(super) follower: String,
}

/// What the driver did to the hosts.
#[derive(Clone, Debug)]
pub(super) struct InjectedFault {
    pub(super) from: u64,
    pub(super) to: u64,
    /// How much longer a vacancy may last by it.
    pub(super) adds: u64,
    /// For how long members must have waited for processors within a lease, if a leader that survives this loses its
    /// office; `None` if it need not survive it.
    pub(super) survives: Option<u64>,
    pub(super) what: String,
}

/// For how long members were kept from processors and disks between two instants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) processors: u64,
    pub(super) disks: u64,
}

/// That a command outlived its leadership, as its member or its guard has logged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late {
    pub(super) by: Duration,
    /// When this was logged, after all of the command was dead; a guard does not say.
    pub(super) at: Option<u64>,
}

/// What the judge knows of a run.
#[derive(Debug, Default)]
pub struct RunEvents {
    /// The starts of commands, in the order of time.
    pub starts: Vec<TenureEvent>,
    /// For how long the command of a term had waited for a processor when it started.
    pub(super) waited: BTreeMap<u64, u64>,
    /// Commands that have read their leases.
    pub(super) holds: Vec<TenureEvent>,
    /// Commands and others that took their leaderships for certain.
    pub certain: Vec<TenureEvent>,
    /// Until when a command was alive, and its term, in the order of time: where that is known, and is not only seen by
    /// signs of life.
    pub ends: Vec<(u64, u64)>,
    /// Commands that started while another one lived. A simulated world tells of those that nothing excepts.
    pub overlaps: Vec<TenureEvent>,
    /// The terms that the register accepted, in its order.
    pub(super) writes: Vec<u64>,
    /// Writers that the register refused.
    pub(super) refused: Vec<TenureEvent>,
    pub(super) values: Vec<ToldValue>,
    pub(super) faults: Vec<InjectedFault>,
    /// Where the faults are those of a script: the times in which they may have effect, in order and
    /// [apart](super::apart). In all others the office is led, and does not move.
    pub unsettled: Vec<Range<u64>>,
    /// What each member said about the leader when all should be well: `-` in term 0 if it named none or did not answer.
    pub(super) views: Vec<(String, TenureEvent)>,
    pub(super) waits: Vec<Waits>,
    /// When the driver was done, and began to end the members.
    pub end: Option<u64>,
    /// For each member, the tenures that it has won.
    pub logs: Vec<Vec<TenureEvent>>,
    /// The commands that outlived their leadership, by their terms.
    pub(super) late: BTreeMap<u64, Late>,
    /// Who led at which term, as members have told.
    pub(super) told: Vec<TenureEvent>,
}

impl RunEvents {
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

    /// Adds what commands, the driver and the observer of waits have traced.
    pub(super) fn trace(&mut self, text: &str) -> anyhow::Result<()> {
        for (number, line) in (1..).zip(text.lines()) {
            let read = self.line(&line.split(' ').collect::<Vec<_>>());
            read.with_context(|| format!("line {number}: {line:?}"))?;
        }
        self.starts.sort_by_key(|start| start.at);
        self.unsettled = super::apart(std::mem::take(&mut self.unsettled));
        Ok(())
    }

    fn line(&mut self, words: &[&str]) -> anyhow::Result<()> {
        match *words {
            ["fault", from, to, adds, survives, ref what @ ..] => self.faults.push(InjectedFault {
                from: micros(from)?,
                to: micros(to)?,
                adds: 1000 * micros(adds)?,
                survives: match survives {
                    "moves" => None,
                    waits => Some(1000 * micros(waits)?),
                },
                what: what.join(" "),
            }),
            ["waits", from, to, processors, disks] => self.waits.push(Waits {
                from: micros(from)?,
                to: micros(to)?,
                processors: micros(processors)?,
                disks: micros(disks)?,
            }),
            ["unsettled", from, to] => self.unsettled.push(micros(from)?..micros(to)?),
            ["view", at, member, leader, term] => {
                let told = tenure(term, leader, at)?;
                self.views.push((member.to_owned(), told));
            }
            ["end", at] => self.end = Some(micros(at)?),
            [kind, term, member, at, ref rest @ ..] => {
                return self.command(kind, tenure(term, member, at)?, rest);
            }
            _ => bail!("it has too few words"),
        }
        Ok(())
    }

    fn command(&mut self, kind: &str, event: TenureEvent, rest: &[&str]) -> anyhow::Result<()> {
        match (kind, rest) {
            ("start", [waited]) => {
                self.waited.insert(event.term, micros(waited)?);
                self.starts.push(event);
            }
            ("overlap", []) => self.overlaps.push(event),
            ("write", []) => self.writes.push(event.term),
            ("refused", []) => self.refused.push(event),
            ("hold", [up, until]) => {
                // The host's uptime afterwards, rounded down to 10 ms, and until when it was certain, in seconds.
                if up.parse::<f64>()? + 0.01 < until.parse()? {
                    self.certain.push(event.clone());
                }
                self.holds.push(event);
            }
            ("value", [value, follower]) => {
                let (value, follower) = ((*value).to_owned(), (*follower).to_owned());
                self.values.push(ToldValue { asked: event, value, follower });
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
                None => line.strip_prefix("tenure: "),
            };
            let Some(message) = message else { continue };
            // A member says it of a program that leads by its socket.
            let leads = message.strip_prefix("a program ").unwrap_or(message);
            let leads = leads.strip_prefix("leads db-primary in term ");
            if let Some(term) = leads.and_then(|term| term.parse().ok()) {
                won.push(TenureEvent { term, member: member.to_owned(), at: 0 });
            }
            let at = json.as_ref().and_then(|line| instant(line["timestamp"].as_str()?));
            self.late.extend(late(message).map(|(term, by)| (term, Late { by, at })));
        }
        self.logs.push(won);
    }

    /// Adds what a member has told, a line per change.
    pub(super) fn watch(&mut self, text: &str) {
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if let (Some(leader), Some(term)) = (line["leader"].as_str(), line["term"].as_u64()) {
                self.told.push(TenureEvent { term, member: leader.to_owned(), at: 0 });
            }
        }
    }
}

/// Parses the message that a command has outlived its leadership: the term, and by how long.
fn late(message: &str) -> Option<(u64, Duration)> {
    let rest =
        message.strip_prefix("the command outlived its leadership of db-primary in term ")?;
    let (term, rest) = rest.split_once(" by ")?;
    let (by, _) = rest.split_once(':')?;
    Some((term.parse().ok()?, duration(by)?))
}

/// Reads a duration as Rust prints it to programmers.
fn duration(text: &str) -> Option<Duration> {
    let units = [("ns", 1e-9), ("\u{b5}s", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (number, unit) =
        units.iter().find_map(|&(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()
}

fn tenure(term: &str, member: &str, at: &str) -> anyhow::Result<TenureEvent> {
    Ok(TenureEvent { term: term.parse()?, member: member.to_owned(), at: micros(at)? })
}

/// Reads a number of microseconds.
fn micros(text: &str) -> anyhow::Result<u64> {
    Ok(1000 * text.parse::<u64>()?)
}

/// Reads a time of day.
fn instant(text: &str) -> Option<u64> {
    let since = humantime::parse_rfc3339_weak(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests;
