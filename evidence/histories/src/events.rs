//! The events of a run, from the traces of its commands and the logs and answers of its members.

use anyhow::{Context, bail};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt, fs,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

/// A tenure at a term, at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TenureEvent {
    pub(super) term: u64,
    pub(super) member: String,
    /// In microseconds since 1970; 0 if it is not known.
    pub(super) at: u64,
}

impl fmt::Display for TenureEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "term {} of {}", self.term, self.member)?;
        if self.at > 0 { write!(f, " ({} us)", self.at) } else { Ok(()) }
    }
}

/// A command that has read its lease.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    /// When it began to.
    pub(super) event: TenureEvent,
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
    /// In microseconds since 1970.
    pub(super) from: u64,
    pub(super) to: u64,
    /// How much longer a vacancy may last by it, in microseconds.
    pub(super) adds: u64,
    /// For how long members must have waited for processors, in microseconds and within a lease, if a leader
    /// that survives this loses its office; `None` if it need not survive it.
    pub(super) survives: Option<u64>,
    pub(super) what: String,
}

/// For how long members were kept from processors and disks between two instants; all in microseconds.
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
    /// When this was logged, after all of the command was dead, in microseconds since 1970; a guard does not say.
    pub(super) at: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Events {
    /// The starts of commands, in the order of time.
    pub(super) starts: Vec<TenureEvent>,
    /// For how long the command of a term had waited for a processor when it started, in microseconds.
    pub(super) waited: BTreeMap<u64, u64>,
    pub(super) holds: Vec<Hold>,
    /// Commands that started while another one lived.
    pub(super) overlaps: Vec<TenureEvent>,
    /// The terms that the register accepted, in its order.
    pub(super) writes: Vec<u64>,
    /// Writers that the register refused.
    pub(super) refused: Vec<TenureEvent>,
    pub(super) values: Vec<ToldValue>,
    pub(super) faults: Vec<InjectedFault>,
    pub(super) waits: Vec<Waits>,
    /// When the driver was done, and began to end the members, in microseconds since 1970.
    pub(super) end: Option<u64>,
    /// For each member, the tenures that it has won.
    pub(super) logs: Vec<Vec<TenureEvent>>,
    /// The commands that outlived their leadership, by their terms.
    pub(super) late: BTreeMap<u64, Late>,
    /// Who led at which term, as members have told.
    pub(super) told: Vec<TenureEvent>,
}

impl Events {
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
        Ok(())
    }

    fn line(&mut self, words: &[&str]) -> anyhow::Result<()> {
        match *words {
            ["fault", from, to, adds, survives, ref what @ ..] => {
                self.faults.push(InjectedFault {
                    from: from.parse()?,
                    to: to.parse()?,
                    adds: 1000 * adds.parse::<u64>()?,
                    survives: match survives {
                        "moves" => None,
                        waits => Some(1000 * waits.parse::<u64>()?),
                    },
                    what: what.join(" "),
                });
                return Ok(());
            }
            ["waits", from, to, processors, disks] => {
                self.waits.push(Waits {
                    from: from.parse()?,
                    to: to.parse()?,
                    processors: processors.parse()?,
                    disks: disks.parse()?,
                });
                return Ok(());
            }
            ["end", at] => {
                self.end = Some(at.parse()?);
                return Ok(());
            }
            _ => {}
        }
        let [kind, term, member, at, rest @ ..] = words else { bail!("it has too few words") };
        let event =
            TenureEvent { term: term.parse()?, member: (*member).to_owned(), at: at.parse()? };
        match (*kind, rest) {
            ("start", [waited]) => {
                self.waited.insert(event.term, waited.parse()?);
                self.starts.push(event);
            }
            ("overlap", []) => self.overlaps.push(event),
            ("write", []) => self.writes.push(event.term),
            ("refused", []) => self.refused.push(event),
            ("hold", [up, until]) => {
                self.holds.push(Hold { event, up: up.parse()?, until: until.parse()? });
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

/// Reads a time of day, as microseconds since 1970.
fn instant(text: &str) -> Option<u64> {
    let since = humantime::parse_rfc3339_weak(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_micros()).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests;
