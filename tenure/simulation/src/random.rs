//! Scripts of random faults.

use super::{
    ClusterFault, FaultScript, Invalid, Nanos, RecordFate, TimedFault, Who, plan::SimulationPlan,
};
use std::{fmt, str::FromStr};
use suffrage_numbers::random::Generator;

/// A kind of fault that is drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// A crash with recovery.
    Crash,
    /// A crash in which the record is lost.
    LostRecord,
    /// A suspension of a process.
    Suspend,
    /// A change of a clock's rate within the bound.
    Clock,
    /// A slow disk.
    SlowDisk,
    /// A disk that is stuck.
    StuckDisk,
    /// A disk that fails.
    FailedDisk,
    /// A split into two sides.
    Split,
    /// A split into two sides and one participant between them.
    Bridge,
    /// A cut in one direction.
    OneWay,
    /// A cut that leaves a chain.
    Chain,
    /// A cut that leaves a star.
    Star,
    /// A cut of one link.
    Link,
    /// A cut of one of these kinds that comes and goes.
    Flapping,
    /// Loss of messages.
    Loss,
    /// Duplication of messages.
    Duplicate,
    /// Overtaking of messages.
    Overtake,
    /// Delay of messages.
    Delay,
    /// A resignation of the leader.
    Resign,
    /// A transfer by the leader.
    Transfer,
    /// A clock beyond the bound; not in [`ALL`](Self::ALL).
    ClockBeyond,
    /// A crash after which the record is an old one; not in [`ALL`](Self::ALL).
    RestoredRecord,
    /// A change of members; not in [`ALL`](Self::ALL), since it takes a protocol whose [members
    /// change](tenure_model::Recoverable::MEMBERS_CHANGE).
    Membership,
}

impl FaultKind {
    /// All kinds in their order, each with its name.
    const NAMED: [(Self, &'static str); 23] = [
        (Self::Crash, "crash"),
        (Self::LostRecord, "lost-record"),
        (Self::Suspend, "suspend"),
        (Self::Clock, "clock"),
        (Self::SlowDisk, "slow-disk"),
        (Self::StuckDisk, "stuck-disk"),
        (Self::FailedDisk, "failed-disk"),
        (Self::Split, "split"),
        (Self::Bridge, "bridge"),
        (Self::OneWay, "one-way"),
        (Self::Chain, "chain"),
        (Self::Star, "star"),
        (Self::Link, "link"),
        (Self::Flapping, "flapping"),
        (Self::Loss, "loss"),
        (Self::Duplicate, "duplicate"),
        (Self::Overtake, "overtake"),
        (Self::Delay, "delay"),
        (Self::Resign, "resign"),
        (Self::Transfer, "transfer"),
        (Self::ClockBeyond, "clock-beyond"),
        (Self::RestoredRecord, "restored-record"),
        (Self::Membership, "membership"),
    ];

    /// The kinds that the model allows: no promise is broken under them.
    pub const ALL: [Self; 20] = {
        let mut all = [Self::Crash; 20];
        let mut i = 0;
        while i < all.len() {
            all[i] = Self::NAMED[i].0;
            i += 1;
        }
        all
    };

    /// The kinds beyond the model.
    pub const BEYOND: [Self; 2] = [Self::ClockBeyond, Self::RestoredRecord];

    /// Returns the name of the kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMED[self as usize].1
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FaultKind {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let kind = Self::NAMED.iter().find(|(_, name)| *name == text).map(|(kind, _)| *kind);
        kind.ok_or_else(|| {
            let names = Self::NAMED.map(|(_, name)| name);
            Invalid::new(format!("{text:?} is no kind of faults; choose {}", names.join(", ")))
        })
    }
}

/// The faults of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Faults {
    /// The faults of a script.
    Script(FaultScript),
    /// Faults of these kinds, drawn from the seed of the run.
    Random {
        /// The kinds, each as likely as the others.
        kinds: Vec<FaultKind>,
        /// The mean time between the beginnings of successive faults.
        every: Nanos,
        /// The greatest duration of a fault; durations are uniform up to it.
        longest: Nanos,
    },
}

impl Faults {
    /// Returns an empty script.
    #[must_use]
    pub const fn none() -> Self {
        Self::Script(FaultScript(Vec::new()))
    }

    /// Returns random faults of all kinds that the model allows, one every 4 seconds on average,
    /// each for up to 4 seconds.
    #[must_use]
    pub fn all() -> Self {
        Self::of(&FaultKind::ALL)
    }

    /// Returns random faults of some kinds, one every 4 seconds on average, each for up to 4
    /// seconds.
    #[must_use]
    pub fn of(kinds: &[FaultKind]) -> Self {
        Self::Random { kinds: kinds.to_vec(), every: Nanos::seconds(4), longest: Nanos::seconds(4) }
    }
}

impl From<FaultScript> for Faults {
    fn from(script: FaultScript) -> Self {
        Self::Script(script)
    }
}

/// Draws faults for a run. The last ones end before the last fifth, so that the
/// world is quiet at the end; a record is never lost by all members that know it at the same time.
pub(crate) fn script(
    kinds: &[FaultKind],
    every: Nanos,
    longest: Nanos,
    plan: &SimulationPlan,
) -> FaultScript {
    let length = plan.run.length;
    let changes = kinds.contains(&FaultKind::Membership);
    let members = if changes { plan.peers() } else { plan.setting.members };
    // A member that has lost its record learns from others.
    let least = if kinds.contains(&FaultKind::LostRecord) { 3 } else { 1 };
    let mut random = Generator::new(plan.run.seed, "faults");
    // Most of the members after a change must know their records, also those that were none before.
    let loser = changes.then(|| random.below(members.into()) as u32);
    let mut draw = Draw { random, plan, members, least, loser };
    // The time after which a member that lost its record has learnt what it must know, if no other
    // fault occurs.
    let learning = 2 * plan.bound;
    let mut entries = Vec::new();
    let end = length.0 / 5 * 4;
    let mut at = Nanos::millis(500).0.min(length.0 / 10);
    let (mut busy_until, mut forgetful_until) = (0, 0);
    while !kinds.is_empty() {
        at += 1 + draw.random.below(2 * every.0.max(1));
        if at >= end {
            break;
        }
        let kind = kinds[draw.random.below(kinds.len() as u64) as usize];
        let lasts = 1 + draw.random.below(longest.0.max(1)).min(end - at);
        let alone = plan.setting.members == 1 || at < forgetful_until.max(busy_until);
        if kind == FaultKind::LostRecord && alone {
            // There is no other member, or one may have lost its record, or may be unreachable.
            continue;
        }
        if kind != FaultKind::LostRecord && at < forgetful_until {
            continue;
        }
        busy_until = busy_until.max(at + lasts);
        if kind == FaultKind::LostRecord {
            forgetful_until = at + lasts + learning;
        }
        let flapping = kind == FaultKind::Flapping;
        let fault = draw.fault(kind);
        if let ClusterFault::Crash { peer, record: RecordFate::Restored } = fault {
            let backup = at - draw.random.below(at.min(10 * every.0.max(1)));
            entries.push(TimedFault {
                at: Nanos(backup),
                lasts: None,
                flapping: None,
                fault: ClusterFault::Backup { peer },
            });
        }
        let period = Nanos::millis(20 + draw.random.below(480));
        entries.push(TimedFault {
            at: Nanos(at),
            lasts: (!fault.is_momentary()).then_some(Nanos(lasts)),
            flapping: flapping.then_some(period),
            fault,
        });
    }
    entries.sort_by_key(|entry| entry.at);
    FaultScript(entries)
}

struct Draw<'a> {
    random: Generator,
    plan: &'a SimulationPlan,
    /// How many participants may be members: the first ones.
    members: u32,
    /// The least number of members after a change; fewer only if there are fewer participants.
    least: usize,
    /// The only participant that loses its record, where members change.
    loser: Option<u32>,
}

impl Draw<'_> {
    /// Draws a participant: once in four times the leader, as most faults of interest are there.
    fn who(&mut self) -> Who {
        if self.random.below(4) == 0 { Who::Leader } else { self.peer() }
    }

    /// Draws a participant: members and clients with equal probability if there are both.
    fn peer(&mut self) -> Who {
        let members = self.plan.setting.members;
        let clients = u64::from(self.plan.run.clients);
        if clients > 0 && self.random.below(2) == 0 {
            return Who::Peer(members + self.random.below(clients) as u32);
        }
        self.member()
    }

    fn member(&mut self) -> Who {
        Who::Peer(self.random.below(u64::from(self.members)) as u32)
    }

    /// Draws the members after a change.
    fn members(&mut self) -> Vec<Who> {
        let mut peers: Vec<Who> = (0..self.members.min(u64::BITS)).map(Who::Peer).collect();
        self.random.shuffle(&mut peers);
        let least = self.least.min(peers.len());
        let more = self.random.below((peers.len() - least + 1) as u64) as usize;
        peers.truncate(least + more);
        peers.sort_by_key(number);
        peers
    }

    /// Draws two sides that contain every participant except `but`.
    fn sides(&mut self, but: Option<Who>) -> Vec<Vec<Who>> {
        let mut all: Vec<Who> =
            (0..self.plan.peers()).map(Who::Peer).filter(|who| Some(*who) != but).collect();
        self.random.shuffle(&mut all);
        let first = self.random.below(all.len() as u64 + 1) as usize;
        let mut second = all.split_off(first);
        all.sort_by_key(number);
        second.sort_by_key(number);
        vec![all, second]
    }

    fn fault(&mut self, kind: FaultKind) -> ClusterFault {
        use ClusterFault as Fault;
        match kind {
            FaultKind::Crash => Fault::Crash { peer: self.who(), record: RecordFate::Kept },
            FaultKind::LostRecord => {
                let peer = self.loser.map_or_else(|| self.member(), Who::Peer);
                Fault::Crash { peer, record: RecordFate::Lost }
            }
            FaultKind::RestoredRecord => {
                Fault::Crash { peer: self.member(), record: RecordFate::Restored }
            }
            FaultKind::Suspend => Fault::Suspend { peer: self.who() },
            FaultKind::Clock => {
                let ppm = self.random.below(self.plan.ppm() + 1);
                Fault::Clock { peer: self.who(), ppm: ppm as i64 }
            }
            FaultKind::ClockBeyond => {
                // Up to half as fast, up to twice as fast.
                let far = 1 + self.random.below(500_000) as i64;
                let bound = self.plan.ppm() as i64;
                let ppm = if self.random.below(2) == 0 { -far } else { bound + 2 * far };
                Fault::Clock { peer: self.who(), ppm }
            }
            FaultKind::SlowDisk => {
                let sync = Nanos::millis(1 + self.random.below(500));
                Fault::SlowDisk { peer: self.member(), sync }
            }
            FaultKind::StuckDisk => Fault::StuckDisk { peer: self.member() },
            FaultKind::FailedDisk => Fault::FailedDisk { peer: self.member() },
            FaultKind::Loss => Fault::Loss { percent: 1 + self.random.below(50) as u32 },
            FaultKind::Duplicate => Fault::Duplicate { percent: 1 + self.random.below(50) as u32 },
            FaultKind::Overtake => Fault::Overtake {
                percent: 1 + self.random.below(50) as u32,
                by: Nanos::millis(1 + self.random.below(2000)),
            },
            FaultKind::Delay => Fault::Delay { by: Nanos::millis(1 + self.random.below(300)) },
            FaultKind::Resign => Fault::Resign { peer: Who::Leader },
            FaultKind::Transfer => Fault::Transfer { peer: Who::Leader, to: self.peer() },
            FaultKind::Membership => Fault::Members { peers: self.members() },
            FaultKind::Flapping => {
                let cuts = [
                    FaultKind::Split,
                    FaultKind::Bridge,
                    FaultKind::OneWay,
                    FaultKind::Chain,
                    FaultKind::Star,
                    FaultKind::Link,
                ];
                let kind = cuts[self.random.below(cuts.len() as u64) as usize];
                self.fault(kind)
            }
            FaultKind::Split => Fault::Split { sides: self.sides(None) },
            FaultKind::Bridge => {
                let over = self.member();
                Fault::Bridge { over, sides: self.sides(Some(over)) }
            }
            FaultKind::OneWay => {
                let mut sides = self.sides(None).into_iter();
                let mut side = || sides.next().unwrap_or_default();
                Fault::OneWay { from: side(), to: side() }
            }
            FaultKind::Chain => {
                let mut peers: Vec<Who> = (0..self.members).map(Who::Peer).collect();
                self.random.shuffle(&mut peers);
                Fault::Chain { peers }
            }
            FaultKind::Star => Fault::Star { hub: self.member(), but: Vec::new() },
            FaultKind::Link => Fault::Link { between: [self.who(), self.peer()] },
        }
    }
}

fn number(who: &Who) -> u32 {
    match who {
        Who::Peer(peer) => *peer,
        Who::Leader | Who::Follower(_) => u32::MAX,
    }
}
