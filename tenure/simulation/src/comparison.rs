//! Patterns of faults for the comparison of protocols.

use super::{ClusterFault, FaultScript, Nanos, RecordFate, TimedFault, Who};

/// A pattern: a set of faults, at the same instants for every protocol.
///
/// The three partitions are those of H. Ng, S. Haridi, P. Carbone, "Omni-Paxos: Breaking the
/// Barriers of Partial Connectivity", *`EuroSys`*, 2023.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultPattern {
    /// There are no faults.
    Quiet,
    /// The leader crashes and stays down.
    LeaderCrash,
    /// The leader resigns.
    Resignation,
    /// All links between members are cut, except for those of one follower. The leader is still
    /// connected to that follower, but to no majority; only the follower is connected to a
    /// majority.
    QuorumLoss,
    /// As [`QuorumLoss`](Self::QuorumLoss), with the leader also cut off from that follower.
    ConstrainedElection,
    /// The link between the leader and one follower is cut: with a third member between, a chain.
    Chained,
    /// A fifth of all messages is lost.
    Loss,
    /// The leader is suspended.
    SuspendedLeader,
    /// The members crash and recover, one after the other.
    RollingRestarts,
}

impl FaultPattern {
    /// All patterns.
    pub const ALL: [Self; 9] = [
        Self::Quiet,
        Self::LeaderCrash,
        Self::Resignation,
        Self::QuorumLoss,
        Self::ConstrainedElection,
        Self::Chained,
        Self::Loss,
        Self::SuspendedLeader,
        Self::RollingRestarts,
    ];

    /// The instant at which the first fault begins. A leader is present until then.
    pub const BEGIN: Nanos = Nanos::seconds(10);

    /// The length of a run.
    pub const LENGTH: Nanos = Nanos::seconds(60);

    /// Returns the name of the pattern.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::LeaderCrash => "leader-crash",
            Self::Resignation => "resignation",
            Self::QuorumLoss => "quorum-loss",
            Self::ConstrainedElection => "constrained-election",
            Self::Chained => "chained",
            Self::Loss => "loss-20",
            Self::SuspendedLeader => "suspended-leader",
            Self::RollingRestarts => "rolling-restarts",
        }
    }

    /// Returns its faults, in a cluster of `members` members.
    #[must_use]
    pub fn script(self, members: u32) -> FaultScript {
        let lasting = |seconds, fault| TimedFault {
            at: Self::BEGIN,
            lasts: Some(Nanos::seconds(seconds)),
            flapping: None,
            fault,
        };
        let one = |seconds, fault| FaultScript(vec![lasting(seconds, fault)]);
        let (leader, hub) = (Who::Leader, Who::Follower(1));
        match self {
            Self::Quiet => FaultScript::default(),
            Self::LeaderCrash => {
                one(50, ClusterFault::Crash { peer: leader, record: RecordFate::Kept })
            }
            Self::Resignation => one(30, ClusterFault::Resign { peer: leader }),
            Self::QuorumLoss => one(30, ClusterFault::Star { hub, but: vec![] }),
            Self::ConstrainedElection => one(30, ClusterFault::Star { hub, but: vec![leader] }),
            Self::Chained => one(30, ClusterFault::Link { between: [leader, hub] }),
            Self::Loss => one(40, ClusterFault::Loss { percent: 20 }),
            Self::SuspendedLeader => one(5, ClusterFault::Suspend { peer: leader }),
            Self::RollingRestarts => {
                let restart = |member: u32| TimedFault {
                    at: Nanos(Self::BEGIN.0 + Nanos::seconds(3).0 * u64::from(member)),
                    ..lasting(
                        1,
                        ClusterFault::Crash { peer: Who::Peer(member), record: RecordFate::Kept },
                    )
                };
                FaultScript((0..members.min(16)).map(restart).collect())
            }
        }
    }
}
