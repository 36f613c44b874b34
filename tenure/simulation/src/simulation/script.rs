//! Scripts of faults: their kinds, instants and durations.

use super::{Invalid, Nanos};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{fmt, str::FromStr};

/// A participant of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// The participant of this number. Written as the number.
    Peer(u32),
    /// The holder of office 0 when the fault begins; if there is none, the first member that is up.
    /// Written `"leader"`.
    Leader,
    /// The `k`-th member, from 1 on, that is not [`Leader`](Self::Leader). Written `"follower-k"`.
    Follower(u32),
}

/// The state of the record of a process that crashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// All synced writes, and maybe some that were in progress.
    #[default]
    Kept,
    /// Nothing, and the process is told.
    Lost,
    /// The record as of the latest `backup`, or nothing; the process is not told. This is the
    /// operator's fault, and no promise holds after it. An operator who says that the record is no
    /// longer the latest does the same as one who has lost it.
    Restored,
}

/// A fault, or a request to an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A process crashes. It starts again when the fault ends.
    Crash {
        /// The process that crashes.
        peer: Who,
        /// The record that it finds on its disk when it starts again.
        #[serde(default, skip_serializing_if = "is_kept")]
        record: Record,
    },
    /// The record of a process is copied, for a crash with `"record": "restored"`. It has no end.
    Backup {
        /// The process whose record is copied.
        peer: Who,
    },
    /// A process is suspended. What is due rings late, when the fault ends, and before anything
    /// else.
    Suspend {
        /// The process that is suspended.
        peer: Who,
    },
    /// The clock of a process changes its rate, until the fault ends.
    Clock {
        /// The process whose clock changes.
        peer: Who,
        /// The number of millionths by which it is faster than the slowest clock within the bound.
        /// Less than 0, or more than the bound, is *beyond the bound*, and no promise holds after
        /// it.
        ppm: i64,
    },
    /// Each sync of a process's disk takes at least a given time.
    SlowDisk {
        /// The process whose disk is slow.
        peer: Who,
        /// The least duration of a sync.
        sync: Nanos,
    },
    /// No sync of a process's disk ends before the fault does.
    StuckDisk {
        /// The process whose disk is stuck.
        peer: Who,
    },
    /// The next write of a process fails, and it crashes. It starts again when the fault ends.
    FailedDisk {
        /// The process whose disk fails.
        peer: Who,
    },
    /// Participants of different sides cannot reach each other. Those of no side reach all others.
    Split {
        /// The sides.
        sides: Vec<Vec<Who>>,
    },
    /// A split whose sides one participant still connects: each of them reaches it.
    Bridge {
        /// The participant that connects the sides.
        over: Who,
        /// The sides, without that participant.
        sides: Vec<Vec<Who>>,
    },
    /// No message from some participants reaches some others.
    OneWay {
        /// The senders.
        from: Vec<Who>,
        /// The receivers.
        to: Vec<Who>,
    },
    /// Each of these participants reaches, of them, only its neighbours in the list.
    Chain {
        /// The participants, in the order of the chain.
        peers: Vec<Who>,
    },
    /// Members reach only one of them, the hub.
    Star {
        /// The hub.
        hub: Who,
        /// The members that do not reach even the hub.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        but: Vec<Who>,
    },
    /// Two participants cannot reach each other.
    Link {
        /// The two participants.
        between: [Who; 2],
    },
    /// This percentage of messages is lost.
    Loss {
        /// The percentage, at most 100.
        percent: u32,
    },
    /// This percentage of messages arrives twice.
    Duplicate {
        /// The percentage, at most 100.
        percent: u32,
    },
    /// This percentage of messages is late, and overtaken.
    Overtake {
        /// The percentage, at most 100.
        percent: u32,
        /// The greatest time by which they are late.
        by: Nanos,
    },
    /// Every message takes longer.
    Delay {
        /// The additional time.
        by: Nanos,
    },
    /// An application resigns from all offices. When the fault ends, it stands again.
    Resign {
        /// The process whose application resigns.
        peer: Who,
    },
    /// An application hands over all offices that it holds. It has no end.
    Transfer {
        /// The process whose application hands over.
        peer: Who,
        /// The process that is to receive the offices.
        to: Who,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_kept(record: &Record) -> bool {
    *record == Record::Kept
}

/// A fault, with its instant and duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The instant at which it begins.
    pub at: Nanos,
    /// Its duration; `None` if it lasts to the end.
    pub lasts: Option<Nanos>,
    /// The period of a fault that comes and goes: it is present, then absent, each for this time.
    /// Only for cuts of links.
    pub flapping: Option<Nanos>,
    /// The fault.
    pub fault: Fault,
}

/// The faults of a run, in the order of their beginning.
///
/// As text, a script has a line for each fault, a JSON object. `at` gives its beginning, `for` its
/// duration (left out: to the end), `flapping` the time after which a cut link comes back, and is
/// cut again, and so on. The other key is the fault:
///
/// ```text
/// # Lines like this one, and empty ones, are passed over.
/// {"at": "2s", "for": "500ms", "crash": {"peer": "leader"}}
/// {"at": "4s", "for": "1s", "crash": {"peer": 2, "record": "lost"}}
/// {"at": "6s", "for": "3s", "flapping": "100ms", "split": {"sides": [[0, 1], [2, 3, 4]]}}
/// ```
///
/// [`Fault`] lists them all; variants and fields are written in kebab-case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script(pub Vec<Entry>);

impl Fault {
    /// Returns the name of its kind.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Crash { record: Record::Kept, .. } => "crash",
            Self::Crash { record: Record::Lost, .. } => "lost-record",
            Self::Crash { record: Record::Restored, .. } => "restored-record",
            Self::Backup { .. } => "backup",
            Self::Suspend { .. } => "suspend",
            Self::Clock { .. } => "clock",
            Self::SlowDisk { .. } => "slow-disk",
            Self::StuckDisk { .. } => "stuck-disk",
            Self::FailedDisk { .. } => "failed-disk",
            Self::Split { .. } => "split",
            Self::Bridge { .. } => "bridge",
            Self::OneWay { .. } => "one-way",
            Self::Chain { .. } => "chain",
            Self::Star { .. } => "star",
            Self::Link { .. } => "link",
            Self::Loss { .. } => "loss",
            Self::Duplicate { .. } => "duplicate",
            Self::Overtake { .. } => "overtake",
            Self::Delay { .. } => "delay",
            Self::Resign { .. } => "resign",
            Self::Transfer { .. } => "transfer",
        }
    }

    /// Returns whether it cuts links.
    #[must_use]
    pub const fn cuts(&self) -> bool {
        matches!(
            self,
            Self::Split { .. }
                | Self::Bridge { .. }
                | Self::OneWay { .. }
                | Self::Chain { .. }
                | Self::Star { .. }
                | Self::Link { .. }
        )
    }

    /// Returns whether it is over as soon as it has begun.
    #[must_use]
    pub const fn is_momentary(&self) -> bool {
        matches!(self, Self::Backup { .. } | Self::Transfer { .. })
    }

    fn named(&self) -> Vec<Who> {
        match self {
            Self::Crash { peer, .. }
            | Self::Backup { peer }
            | Self::Suspend { peer }
            | Self::Clock { peer, .. }
            | Self::SlowDisk { peer, .. }
            | Self::StuckDisk { peer }
            | Self::FailedDisk { peer }
            | Self::Resign { peer } => vec![*peer],
            Self::Split { sides } => sides.concat(),
            Self::Bridge { over, sides } => [vec![*over], sides.concat()].concat(),
            Self::OneWay { from, to } => [from.as_slice(), to].concat(),
            Self::Chain { peers } => peers.clone(),
            Self::Star { hub, but } => [&[*hub], but.as_slice()].concat(),
            Self::Link { between } => between.to_vec(),
            Self::Transfer { peer, to } => vec![*peer, *to],
            Self::Loss { .. }
            | Self::Duplicate { .. }
            | Self::Overtake { .. }
            | Self::Delay { .. } => vec![],
        }
    }
}

impl Entry {
    /// Checks the entry for a cluster of `peers` participants. The first `members` of them vote.
    pub(crate) fn check(&self, peers: u32, members: u32) -> Result<(), String> {
        for who in self.fault.named() {
            match who {
                Who::Peer(peer) if peer >= peers => {
                    return Err(format!(
                        "there is no participant {peer}; they are 0 to {}",
                        peers - 1
                    ));
                }
                Who::Follower(k) if k == 0 || k >= members => {
                    return Err(format!("there is no follower-{k} among {members} members"));
                }
                _ => {}
            }
        }
        if self.flapping.is_some() && !self.fault.cuts() {
            return Err(format!("{} cannot be flapping, only links can", self.fault.name()));
        }
        if self.flapping.is_some_and(|period| period < Nanos::millis(1)) {
            return Err("flapping takes at least 1ms".to_owned());
        }
        match self.fault {
            Fault::Loss { percent }
            | Fault::Duplicate { percent }
            | Fault::Overtake { percent, .. }
                if percent > 100 =>
            {
                Err(format!("{percent} percent are more than all"))
            }
            Fault::Clock { ppm, .. } if !(-900_000..=9_000_000).contains(&ppm) => {
                Err("ppm is from -900000 to 9000000".to_owned())
            }
            Fault::Delay { by } | Fault::Overtake { by, .. } if by > Nanos::seconds(3600) => {
                Err("messages are late by an hour at most".to_owned())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn end(&self) -> Option<Nanos> {
        if self.fault.is_momentary() {
            Some(self.at)
        } else {
            self.lasts.map(|l| Nanos(self.at.0 + l.0))
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\"at\":\"{}\"", self.at)?;
        if let Some(lasts) = self.lasts {
            write!(f, ",\"for\":\"{lasts}\"")?;
        }
        if let Some(flapping) = self.flapping {
            write!(f, ",\"flapping\":\"{flapping}\"")?;
        }
        let fault = serde_json::to_string(&self.fault).map_err(|_| fmt::Error)?;
        // `{"crash":{..}}` without its outer braces.
        write!(f, ",{}}}", &fault[1..fault.len() - 1])
    }
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut keys: Map<String, Value> =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        let mut time = |key: &str| match keys.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => text.parse::<Nanos>().map(Some),
            Some(other) => {
                Err(format!("{key}: {other} is no duration; write \"250ms\" or the like"))
            }
        };
        let (at, lasts, flapping) = (time("at")?, time("for")?, time("flapping")?);
        let at = at.ok_or_else(|| "\"at\" is missing: when it begins".to_owned())?;
        if keys.len() != 1 {
            let names: Vec<&str> = keys.keys().map(String::as_str).collect();
            return Err(match names[..] {
                [] => "there is no fault, as in \"crash\": {\"peer\": 0}".to_owned(),
                _ => format!("one fault a line, not {}", names.join(" and ")),
            });
        }
        let fault =
            serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())?;
        Ok(Self { at, lasts, flapping, fault })
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|entry| writeln!(f, "{entry}"))
    }
}

impl FromStr for Script {
    type Err = Invalid;

    /// Reads a script; the lines may stand in any order.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let entry = |(at, line): (usize, &str)| {
            line.parse().map_err(|error| Invalid::new(format!("line {at}: {error}")))
        };
        let mut entries = lines.map(entry).collect::<Result<Vec<Entry>, _>>()?;
        entries.sort_by_key(|entry| entry.at);
        Ok(Self(entries))
    }
}

impl Serialize for Who {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Peer(peer) => to.serialize_u32(*peer),
            Self::Leader => to.serialize_str("leader"),
            Self::Follower(k) => to.collect_str(&format_args!("follower-{k}")),
        }
    }
}

impl<'de> Deserialize<'de> for Who {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let who = match &value {
            Value::Number(number) => {
                number.as_u64().and_then(|n| u32::try_from(n).ok()).map(Self::Peer)
            }
            Value::String(text) if text == "leader" => Some(Self::Leader),
            Value::String(text) => {
                text.strip_prefix("follower-").and_then(|k| k.parse().ok()).map(Self::Follower)
            }
            _ => None,
        };
        who.ok_or_else(|| {
            serde::de::Error::custom(format!(
                "{value} is no participant; write its number, \"leader\" or \"follower-1\""
            ))
        })
    }
}

#[cfg(test)]
mod tests;
