//! Faults: their kinds, instants and durations, and the links that they cut.

use crate::Nanos;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A participant of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The participant of this number. Written as the number.
    Peer(u32),
    /// The holder of office 0 when the step is taken; if there is none, the first member that is up.
    /// Written `leader`.
    Leader,
    /// The `k`-th member, from 1 on, that is not [`Leader`](Self::Leader). Written `follower-k`.
    Follower(u32),
}

/// The state of the record of a process that crashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordFate {
    /// All synced writes, and maybe some that were in progress.
    #[default]
    Kept,
    /// Nothing, and the process knows it. Written `lost`.
    Lost,
    /// The record as of the latest `backup`, or nothing; the process does not know it. Written
    /// `restored`. This is the operator's fault, and no promise holds after it. If the operator
    /// declares that the record is outdated, this is the same as a lost record.
    Restored,
}

/// The directions in which a participant is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutWays {
    /// Both.
    Both,
    /// It hears no member. Written `in`.
    In,
    /// No member hears it. Written `out`.
    Out,
}

/// A fault, or a request to an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterFault {
    /// A process crashes. It starts again when the fault ends. `crash 2`, `crash leader lost`.
    Crash {
        /// The process that crashes.
        peer: Who,
        /// The record that it finds on its disk when it starts again.
        #[serde(skip_serializing_if = "is_kept")]
        record: RecordFate,
    },
    /// The record of a process is copied, for a crash with a restored record. It has no end.
    Backup {
        /// The process whose record is copied.
        peer: Who,
    },
    /// A process is suspended. Due alarms ring late, when the fault ends, and before anything else.
    Suspend {
        /// The process that is suspended.
        peer: Who,
    },
    /// The clock of a process changes its rate, until the fault ends. `clock 1 -200ppm`.
    Clock {
        /// The process whose clock changes.
        peer: Who,
        /// The number of millionths by which it is faster than the slowest clock within the bound.
        /// Less than 0, or more than the bound, is *beyond the bound*, and no promise holds after
        /// it.
        ppm: i64,
    },
    /// Each sync of a process's disk takes at least a given time. `slow-disk 1 300ms`.
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
    /// Participants of different sides cannot reach each other. Participants of no side reach all
    /// others. `split 0 1 | 2 3 4`.
    Split {
        /// The sides.
        sides: Vec<Vec<Who>>,
    },
    /// A split whose sides one participant still connects: each of them reaches it.
    /// `bridge 2 | 0 1 | 3 4`.
    Bridge {
        /// The participant that connects the sides.
        over: Who,
        /// The sides, without that participant.
        sides: Vec<Vec<Who>>,
    },
    /// No message from some participants reaches some others. `one-way 0 1 > 2`.
    OneWay {
        /// The senders.
        from: Vec<Who>,
        /// The receivers.
        to: Vec<Who>,
    },
    /// Each of these participants reaches, of them, only its neighbours in the list. `chain 0 1 2`.
    Chain {
        /// The participants, in the order of the chain.
        peers: Vec<Who>,
    },
    /// Members reach only one of them, the hub. `star 1 but 0`.
    Star {
        /// The hub.
        hub: Who,
        /// The members that do not reach even the hub.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        but: Vec<Who>,
    },
    /// Two participants cannot reach each other. `cut 0-1`.
    Link {
        /// The two participants.
        between: [Who; 2],
    },
    /// A participant is cut off from all members. `cut 2`, `cut 2 in`, `cut 2 out`.
    CutOff {
        /// The participant.
        peer: Who,
        /// The directions.
        ways: CutWays,
    },
    /// This percentage of messages is lost. `loss 20%`.
    Loss {
        /// The percentage, at most 100.
        percent: u32,
    },
    /// This percentage of messages arrives twice. `duplicate 5%`.
    Duplicate {
        /// The percentage, at most 100.
        percent: u32,
    },
    /// This percentage of messages is late, and overtaken. `overtake 10% 100ms`.
    Overtake {
        /// The percentage, at most 100.
        percent: u32,
        /// The greatest time by which they are late.
        by: Nanos,
    },
    /// Every message takes longer. `delay 100ms`.
    Delay {
        /// The additional time.
        by: Nanos,
    },
    /// An application resigns from all offices. When the fault ends, it stands again. `resign`: the
    /// leader's.
    Resign {
        /// The process whose application resigns.
        peer: Who,
    },
    /// An application hands over all offices that it holds. It has no end. `transfer 1 to 2`,
    /// `transfer 2`: from the leader.
    Transfer {
        /// The process whose application hands over.
        peer: Who,
        /// The process that is to receive the offices.
        to: Who,
    },
    /// An operator asks a member for other members, the leader if it is one. It has no end.
    /// `members 0 1 3`, `members only 2`.
    Members {
        /// The participants that are to be the members.
        peers: Vec<Who>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_kept(record: &RecordFate) -> bool {
    *record == RecordFate::Kept
}

/// A fault, with its instant and duration. Written `at 2s for 500ms crash leader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimedFault {
    /// The instant at which it begins.
    pub at: Nanos,
    /// Its duration; `None` if it lasts to the end.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Nanos>,
    /// The period of a fault that comes and goes: it is present, then absent, each for this time.
    /// Only for cuts of links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flapping: Option<Nanos>,
    /// The fault.
    #[serde(flatten)]
    pub fault: ClusterFault,
}

/// The faults of a run, in the order of their beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultScript(pub Vec<TimedFault>);

impl ClusterFault {
    /// Returns the name of its kind.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Crash { record: RecordFate::Kept, .. } => "crash",
            Self::Crash { record: RecordFate::Lost, .. } => "lost-record",
            Self::Crash { record: RecordFate::Restored, .. } => "restored-record",
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
            Self::CutOff { .. } => "cut",
            Self::Loss { .. } => "loss",
            Self::Duplicate { .. } => "duplicate",
            Self::Overtake { .. } => "overtake",
            Self::Delay { .. } => "delay",
            Self::Resign { .. } => "resign",
            Self::Transfer { .. } => "transfer",
            Self::Members { .. } => "membership",
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
                | Self::CutOff { .. }
        )
    }

    /// Returns whether it is over as soon as it has begun.
    #[must_use]
    pub const fn is_momentary(&self) -> bool {
        matches!(self, Self::Backup { .. } | Self::Transfer { .. } | Self::Members { .. })
    }

    /// Returns the participants that it names.
    #[must_use]
    pub fn named(&self) -> Vec<Who> {
        match self {
            Self::Crash { peer, .. }
            | Self::Backup { peer }
            | Self::Suspend { peer }
            | Self::Clock { peer, .. }
            | Self::SlowDisk { peer, .. }
            | Self::StuckDisk { peer }
            | Self::FailedDisk { peer }
            | Self::CutOff { peer, .. }
            | Self::Resign { peer } => vec![*peer],
            Self::Split { sides } => sides.concat(),
            Self::Bridge { over, sides } => [vec![*over], sides.concat()].concat(),
            Self::OneWay { from, to } => [from.as_slice(), to].concat(),
            Self::Chain { peers } | Self::Members { peers } => peers.clone(),
            Self::Star { hub, but } => [&[*hub], but.as_slice()].concat(),
            Self::Link { between } => between.to_vec(),
            Self::Transfer { peer, to } => vec![*peer, *to],
            Self::Loss { .. }
            | Self::Duplicate { .. }
            | Self::Overtake { .. }
            | Self::Delay { .. } => vec![],
        }
    }

    /// Returns the links that it cuts among a number of members and the clients that it names, each
    /// from the sender to the receiver; `resolve` returns the participants that are meant at this
    /// instant.
    pub fn links(&self, members: u32, resolve: impl Fn(Who) -> u32) -> Vec<(u32, u32)> {
        let all = |whos: &[Who]| whos.iter().map(|&who| resolve(who)).collect::<Vec<u32>>();
        let mut links = Vec::new();
        let mut both = |a: u32, b: u32| links.extend([(a, b), (b, a)]);
        match self {
            Self::Split { sides } | Self::Bridge { sides, .. } => {
                let sides: Vec<Vec<u32>> = sides.iter().map(|side| all(side)).collect();
                for (i, side) in sides.iter().enumerate() {
                    for (&a, &b) in pairs(side, &sides[i + 1..].concat()) {
                        both(a, b);
                    }
                }
            }
            Self::OneWay { from, to } => {
                let (from, to) = (all(from), all(to));
                links.extend(pairs(&from, &to).map(|(&a, &b)| (a, b)));
            }
            Self::Chain { peers } => {
                let peers = all(peers);
                for (i, &a) in peers.iter().enumerate() {
                    peers.iter().skip(i + 2).for_each(|&b| both(a, b));
                }
            }
            Self::Star { hub, but } => {
                let (hub, but) = (resolve(*hub), all(but));
                let members: Vec<u32> = (0..members).collect();
                for (&a, &b) in pairs(&members, &members) {
                    if a < b && ((a != hub && b != hub) || but.contains(&a) || but.contains(&b)) {
                        both(a, b);
                    }
                }
            }
            Self::Link { between: [a, b] } => both(resolve(*a), resolve(*b)),
            Self::CutOff { peer, ways } => {
                let peer = resolve(*peer);
                for other in (0..members).filter(|&other| other != peer) {
                    if *ways != CutWays::Out {
                        links.push((other, peer));
                    }
                    if *ways != CutWays::In {
                        links.push((peer, other));
                    }
                }
            }
            _ => {}
        }
        links
    }
}

fn pairs<'a>(these: &'a [u32], those: &'a [u32]) -> impl Iterator<Item = (&'a u32, &'a u32)> {
    these.iter().flat_map(move |a| those.iter().map(move |b| (a, b)))
}

/// The greatest number of a member that takes the place of another.
const GREATEST_MEMBER: u32 = u64::BITS - 1;

impl TimedFault {
    /// Checks the fault for a cluster of `peers` participants. The first `members` of them vote.
    ///
    /// # Errors
    /// If it names a participant that is not there, or a quantity is out of range.
    pub fn check(&self, peers: u32, members: u32) -> Result<(), String> {
        self.fault.named().into_iter().try_for_each(|who| who.check(peers, members))?;
        if self.flapping.is_some() && !self.fault.cuts() {
            return Err(format!("{} cannot be flapping, only links can", self.fault.name()));
        }
        if self.flapping.is_some_and(|period| period < Nanos::millis(1)) {
            return Err("flapping takes at least 1ms".to_owned());
        }
        match self.fault {
            ClusterFault::Loss { percent }
            | ClusterFault::Duplicate { percent }
            | ClusterFault::Overtake { percent, .. }
                if percent > 100 =>
            {
                Err(format!("{percent} percent are more than all"))
            }
            ClusterFault::Clock { ppm, .. } if !(-900_000..=9_000_000).contains(&ppm) => {
                Err("ppm is from -900000 to 9000000".to_owned())
            }
            ClusterFault::Delay { by } | ClusterFault::Overtake { by, .. }
                if by > Nanos::seconds(3600) =>
            {
                Err("messages are late by an hour at most".to_owned())
            }
            ClusterFault::Members { .. } if members > GREATEST_MEMBER + 1 => {
                Err(format!("{members} members are too many to change them"))
            }
            ClusterFault::Members { ref peers }
                if peers
                    .iter()
                    .any(|who| matches!(who, Who::Peer(peer) if *peer > GREATEST_MEMBER)) =>
            {
                Err(format!("members that change have numbers up to {GREATEST_MEMBER}"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the instant at which it ends; `None` if it lasts to the end of the run.
    #[must_use]
    pub fn end(&self) -> Option<Nanos> {
        if self.fault.is_momentary() {
            Some(self.at)
        } else {
            self.lasts.map(|lasts| Nanos(self.at.0 + lasts.0))
        }
    }
}

impl Who {
    pub(crate) fn check(self, peers: u32, members: u32) -> Result<(), String> {
        match self {
            Self::Peer(peer) if peer >= peers => {
                Err(format!("there is no participant {peer}; they are 0 to {}", peers - 1))
            }
            Self::Follower(k) if k == 0 || k >= members => {
                Err(format!("there is no follower-{k} among {members} members"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(peer) => write!(f, "{peer}"),
            Self::Leader => f.write_str("leader"),
            Self::Follower(k) => write!(f, "follower-{k}"),
        }
    }
}

impl Serialize for FaultScript {
    /// Writes the lines of its text.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(ToString::to_string))
    }
}

impl<'de> Deserialize<'de> for FaultScript {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let lines = Vec::<String>::deserialize(from)?;
        lines.join("\n").parse().map_err(de::Error::custom)
    }
}

impl Serialize for Who {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Peer(peer) => to.serialize_u32(*peer),
            who => to.collect_str(who),
        }
    }
}

impl fmt::Display for ClusterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |whos: &[Who]| whos.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let sides =
            |sides: &[Vec<Who>]| sides.iter().map(|side| all(side)).collect::<Vec<_>>().join(" | ");
        let name = self.name();
        match self {
            Self::Crash { peer, record: RecordFate::Lost } => write!(f, "crash {peer} lost"),
            Self::Crash { peer, record: RecordFate::Restored } => {
                write!(f, "crash {peer} restored")
            }
            Self::Crash { peer, .. }
            | Self::Backup { peer }
            | Self::Suspend { peer }
            | Self::StuckDisk { peer }
            | Self::FailedDisk { peer }
            | Self::Resign { peer }
            | Self::CutOff { peer, ways: CutWays::Both } => write!(f, "{name} {peer}"),
            Self::Clock { peer, ppm } => write!(f, "clock {peer} {ppm}ppm"),
            Self::SlowDisk { peer, sync } => write!(f, "slow-disk {peer} {sync}"),
            Self::Split { sides: all } => write!(f, "split {}", sides(all)),
            Self::Bridge { over, sides: all } => write!(f, "bridge {over} | {}", sides(all)),
            Self::OneWay { from, to } => write!(f, "one-way {} > {}", all(from), all(to)),
            Self::Chain { peers } => write!(f, "chain {}", all(peers)),
            Self::Star { hub, but } if but.is_empty() => write!(f, "star {hub}"),
            Self::Star { hub, but } => write!(f, "star {hub} but {}", all(but)),
            Self::Link { between: [a, b] } => write!(f, "cut {a}-{b}"),
            Self::CutOff { peer, ways: CutWays::In } => write!(f, "cut {peer} in"),
            Self::CutOff { peer, ways: CutWays::Out } => write!(f, "cut {peer} out"),
            Self::Loss { percent } | Self::Duplicate { percent } => write!(f, "{name} {percent}%"),
            Self::Overtake { percent, by } => write!(f, "overtake {percent}% {by}"),
            Self::Delay { by } => write!(f, "delay {by}"),
            Self::Transfer { peer, to } => write!(f, "transfer {peer} to {to}"),
            Self::Members { peers } if peers.len() == 1 => write!(f, "members only {}", all(peers)),
            Self::Members { peers } => write!(f, "members {}", all(peers)),
        }
    }
}

/// Writes when a fault begins, for how long it lasts, and its period, as far as they are given.
pub(crate) fn write_times(f: &mut fmt::Formatter<'_>, times: [Option<Nanos>; 3]) -> fmt::Result {
    let mut given = ["at", "for", "flapping"].into_iter().zip(times);
    given.try_for_each(|(word, time)| time.map_or(Ok(()), |time| write!(f, "{word} {time} ")))
}

impl fmt::Display for TimedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_times(f, [Some(self.at), self.lasts, self.flapping])?;
        write!(f, "{}", self.fault)
    }
}

impl fmt::Display for FaultScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|fault| writeln!(f, "{fault}"))
    }
}
