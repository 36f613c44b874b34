//! Instances: small elections with everything fixed but the schedule.

use suffrage_algorithms::{Claims, Parameters};
use suffrage_model::{Id, NetworkClass, Timing};
use suffrage_networks::{
    Amount, Fault, FaultError,
    wiring::{Unsuited, Wiring},
};

/// The maximum number of nodes of an instance: sets of nodes are bits of a word.
pub const MAX_NODES: u32 = 64;

/// The maximum number of nodes of an instance that is only sampled: its sets of nodes are 128 bits.
pub const MAX_SAMPLED_NODES: u32 = 128;

/// An election with everything fixed but the schedule.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The network, with its port numbering.
    pub wiring: Wiring,
    /// The identity of each process; they must be distinct, or asymmetric labels of
    /// [homonyms](NetworkClass::HomonymRing).
    pub ids: Vec<Id>,
    /// The processes that may wake spontaneously, at least one. Each does, unless a message reaches
    /// it first.
    pub initiators: Vec<u32>,
    /// The time at which the initiators wake.
    pub wake: Wake,
    /// The capacity of links; `None` for unbounded links. A process that has sent into a full link
    /// waits for room before it receives anything more.
    pub capacity: Option<u32>,
    /// The faults that may occur.
    pub faults: FaultBudget,
}

/// The time at which initiators wake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wake {
    /// Each at any time before a message reaches it.
    #[default]
    AnyTime,
    /// All before anything else happens.
    AtStart,
    /// Each at any time before a message reaches it, or never. Such an instance contains every execution of
    /// each non-empty set of its initiators, as initiators that wake at [any time](Self::AnyTime): the
    /// executions in which the others do not wake. It ends wherever one of those ends, also where processes
    /// could still wake, and is judged there by the set that woke.
    ///
    /// A sample of such an instance is one in which all wake. In rounds it is invalid.
    AnyTimeOrNever,
}

/// The faults that may occur in an instance. The checker explores every way in which they can occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultBudget {
    /// Whether messages on a link may overtake each other. Not together with other faults, nor with
    /// bounded links.
    pub no_fifo: bool,
    /// The maximum number of messages that are lost.
    pub loss: u8,
    /// The maximum number of messages that are duplicated. The copy follows immediately.
    pub duplicate: u8,
    /// The maximum number of processes that crash. Messages on their way to them are lost.
    pub crash: u8,
}

impl FaultBudget {
    /// Returns whether no fault may occur.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Creates the faults of this list, in which messages and crashes are counted.
    ///
    /// # Errors
    /// If two of them contradict each other, or one cannot be explored: a probability, a crash at a
    /// tick, or a count of more than 255.
    pub fn of(list: &[Fault]) -> Result<Self, UnexplorableFault> {
        Fault::check_all(list)?;
        let mut faults = Self::default();
        for &fault in list {
            let most =
                |count: u32| u8::try_from(count).map_err(|_| UnexplorableFault::TooMany(fault));
            match fault {
                Fault::NoFifo => faults.no_fifo = true,
                Fault::Loss(Amount::Count(count)) => faults.loss = most(count)?,
                Fault::Duplicate(Amount::Count(count)) => faults.duplicate = most(count)?,
                Fault::Crashes(count) => faults.crash = most(count)?,
                Fault::Loss(Amount::Probability(_)) => {
                    return Err(UnexplorableFault::Probability(fault, "loss"));
                }
                Fault::Duplicate(Amount::Probability(_)) => {
                    return Err(UnexplorableFault::Probability(fault, "duplicate"));
                }
                Fault::Crash { .. } => return Err(UnexplorableFault::Tick(fault)),
            }
        }
        Ok(faults)
    }

    /// Returns the same faults as a list.
    #[must_use]
    pub fn list(&self) -> Vec<Fault> {
        let count = |most: u8| (most > 0).then_some(u32::from(most));
        [
            self.no_fifo.then_some(Fault::NoFifo),
            count(self.loss).map(|most| Fault::Loss(Amount::Count(most))),
            count(self.duplicate).map(|most| Fault::Duplicate(Amount::Count(most))),
            count(self.crash).map(Fault::Crashes),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    pub(crate) const fn counted(&self) -> bool {
        self.loss > 0 || self.duplicate > 0 || self.crash > 0
    }
}

/// An error: a fault cannot be explored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnexplorableFault {
    /// Two faults contradict each other, or one is out of its range.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// A probability.
    #[error(
        "fault `{0}`: every case is explored, whatever its probability; write how many messages it \
         strikes at most, as in {1}:1"
    )]
    Probability(Fault, &'static str),
    /// A crash at a tick.
    #[error(
        "fault `{0}`: crashes of every process at every moment are explored; write how many crash at \
         most, as in crash:1"
    )]
    Tick(Fault),
    /// A count that is too large.
    #[error("fault `{0}`: write the greatest number of times, from 1 to 255")]
    TooMany(Fault),
}

/// An error: an instance cannot be explored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidInstance {
    /// Its parts do not fit each other.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// Faults that cannot be combined.
    #[error(
        "messages that overtake each other are not explored together with faults that are \
         counted (loss, duplicate, crash) or with bounded links: take one of these at a time"
    )]
    NoFifoWith,
    /// Processes that wake or do not, in rounds.
    #[error(
        "in rounds it depends on who may still wake whether time passes: take each set of initiators by \
         itself"
    )]
    NeverInRounds,
    /// Messages that overtake each other, or links of bounded capacity, in rounds.
    #[error(
        "this algorithm runs in rounds, in which a message takes exactly one tick: none overtakes \
         another one, and none waits for room on its link"
    )]
    ExactlyOneTick,
    /// Initiators that do not all wake at the start.
    #[error("in this algorithm all processes start in the same round: let all wake, at the start")]
    NotSimultaneous,
    /// There are too many nodes.
    #[error("{0} nodes are too many: {MAX_NODES} can be explored, and {MAX_SAMPLED_NODES} sampled")]
    TooManyNodes(u32),
}

/// What the claims about the elections of an instance depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ElectionClass {
    /// The number of initiators.
    pub initiators: u64,
    /// The identity that wins, where the claims depend on it and the rule determines it.
    pub winner: Option<Id>,
}

impl Instance {
    /// Creates an instance in which every process may wake at any time, with unbounded links and
    /// without faults.
    #[must_use]
    pub fn new(wiring: Wiring, ids: Vec<Id>) -> Self {
        let initiators = (0..wiring.nodes()).collect();
        let (wake, faults) = (Wake::default(), FaultBudget::default());
        Self { wiring, ids, initiators, wake, capacity: None, faults }
    }

    /// Returns the quantities on which bounds depend, where all initiators wake; as upper bound of the
    /// winner's identity, the largest one.
    pub(crate) fn parameters(&self, claims: &Claims) -> Parameters {
        let initiators = self.initiators.len() as u64;
        self.parameters_of(claims, ElectionClass { initiators, winner: None })
    }

    /// Returns the same for a class.
    pub(crate) fn parameters_of(&self, claims: &Claims, class: ElectionClass) -> Parameters {
        let ElectionClass { initiators, winner } = class;
        let known = Parameters::new(self.wiring.nodes().into(), self.wiring.links(), initiators);
        let known = claims.identified(known, self.ids.iter().copied()).with_winner(winner);
        claims.measured(known, &|| self.wiring.diameter().into())
    }

    /// Returns the time that is claimed of a class, if one is claimed of every election.
    pub(crate) fn claimed_time(&self, claims: &Claims, class: ElectionClass) -> Option<u64> {
        let time = claims.time.filter(|time| self.capacity.is_none() && time.is_sure())?;
        let parameters = self.parameters_of(claims, class);
        Some(time.within(&parameters, &|| self.wiring.diameter().into()))
    }

    /// Checks the instance for an algorithm that needs this network and this timing, and whether it can be explored.
    pub(crate) fn check(
        &self,
        network: NetworkClass,
        timing: Timing,
    ) -> Result<(), InvalidInstance> {
        let nodes = self.wiring.nodes();
        if nodes > MAX_NODES {
            return Err(InvalidInstance::TooManyNodes(nodes));
        }
        self.check_fit(network, timing)
    }

    /// Checks the instance for an algorithm that needs this network and this timing.
    pub(crate) fn check_fit(
        &self,
        network: NetworkClass,
        timing: Timing,
    ) -> Result<(), InvalidInstance> {
        let nodes = self.wiring.nodes();
        self.wiring.suits(network, &self.ids, self.capacity)?;
        if self.initiators.is_empty() {
            return Err(Unsuited::NoInitiator.into());
        }
        self.initiators.iter().try_for_each(|&node| self.wiring.has(node))?;
        if self.faults.no_fifo && (self.faults.counted() || self.capacity.is_some()) {
            return Err(InvalidInstance::NoFifoWith);
        }
        if timing.in_rounds() && (self.faults.no_fifo || self.capacity.is_some()) {
            return Err(InvalidInstance::ExactlyOneTick);
        }
        if timing.in_rounds() && self.wake == Wake::AnyTimeOrNever {
            return Err(InvalidInstance::NeverInRounds);
        }
        if timing == Timing::SimultaneousRounds {
            let all = (0..nodes).all(|node| self.initiators.contains(&node));
            if !all || self.wake != Wake::AtStart {
                return Err(InvalidInstance::NotSimultaneous);
            }
        }
        Ok(())
    }
}
