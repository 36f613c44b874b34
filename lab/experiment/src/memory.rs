//! Refuses elections that do not fit in memory, before anything of them is allocated.
use crate::conditions::{Conditions, ScheduleChoice};
use crate::error::Error;
use crate::initiators::{at_once, estimate, tables};
use crate::number::{count, grouped};
use suffrage_algorithms::{Algorithm, CATALOGUE, Parameters};
use suffrage_model::NetworkClass;
use suffrage_networks::{Spec, Topology};
use suffrage_parallel::memory::{available, size};
use suffrage_simulator::{Fault, Footprint, Pace, Schedule};

/// The properties of a network's size that determine its memory.
#[derive(Clone, Copy)]
pub struct NetworkShape {
    nodes: u64,
    links: u64,
    /// What the network itself takes while it is made.
    network: u64,
}

impl NetworkShape {
    /// The shape of a network that is not made yet.
    pub fn of_spec(spec: &Spec) -> Self {
        let (nodes, links) = spec.size();
        Self { nodes, links, network: spec.memory().peak }
    }

    /// The shape of a network that exists already, except for its ports.
    pub fn of_topology(topology: &Topology) -> Self {
        let network = topology.memory().peak.saturating_sub(topology.memory().topology);
        Self { nodes: topology.nodes().into(), links: topology.links(), network }
    }

    /// The shape of a network whose parts are there already, with their ports.
    pub(crate) const fn of_parts(nodes: u64, links: u64) -> Self {
        Self { nodes, links, network: 0 }
    }

    /// A network of this kind of another size.
    fn resized(self, nodes: u64) -> Self {
        let pairs = |nodes: u64| u128::from(nodes) * u128::from(nodes.saturating_sub(1)) / 2;
        let scale = |of: u64, new: u128, old: u128| {
            u64::try_from(u128::from(of) * new / old.max(1)).unwrap_or(u64::MAX)
        };
        let (new, old) = (u128::from(nodes), u128::from(self.nodes));
        let links = if self.is_complete() {
            u64::try_from(pairs(nodes)).unwrap_or(u64::MAX)
        } else {
            scale(self.links, new, old)
        };
        Self { nodes, links, network: scale(self.network, new, old) }
    }

    fn is_complete(self) -> bool {
        u128::from(self.links) * 2 == u128::from(self.nodes) * u128::from(self.nodes - 1)
    }

    /// The number of nodes.
    pub const fn nodes(self) -> u64 {
        self.nodes
    }

    /// The number of links.
    pub const fn links(self) -> u64 {
        self.links
    }

    /// The least number of messages of an election in which all initiators wake: the claimed number, or the number that
    /// they send when they wake.
    pub fn least(self, algorithm: &Algorithm, conditions: &Conditions) -> u64 {
        let initiators = estimate(conditions, self.nodes);
        let nodes = u32::try_from(self.nodes).unwrap_or(u32::MAX);
        let first = Footprint::of(algorithm, nodes, self.degree(), false).in_flight(initiators);
        let parameters = Parameters::new(self.nodes, self.links, initiators);
        let claims = &algorithm.claims;
        // Where chance decides who sends, not all do.
        let first =
            if claims.guarantee().is_sure() { first } else { first.min(claims.bound(&parameters)) };
        claims.least(&parameters).max(first)
    }

    /// The links of a node, on average.
    fn degree(self) -> u32 {
        u32::try_from(self.links.saturating_mul(2).div_ceil(self.nodes.max(1))).unwrap_or(u32::MAX)
    }
}

/// An election, as far as its memory is concerned.
#[derive(Clone, Copy)]
struct Demand<'a> {
    algorithm: &'a Algorithm,
    shape: NetworkShape,
    conditions: &'a Conditions,
    /// How many are held at the same time.
    elections: u64,
}

impl Demand<'_> {
    /// How many messages are in flight at the same time: the first ones of all that send at once, but not more than
    /// are claimed where chance decides who sends.
    fn in_flight(&self) -> u64 {
        let first = self.footprint().in_flight(self.senders());
        if self.algorithm.claims.guarantee().is_sure() { first } else { first.min(self.claimed()) }
    }

    /// How many messages are claimed.
    fn claimed(&self) -> u64 {
        let NetworkShape { nodes, links, .. } = self.shape;
        let initiators = estimate(self.conditions, nodes);
        self.algorithm.claims.bound(&Parameters::new(nodes, links, initiators))
    }

    /// How many processes send their first messages at the same time.
    fn senders(&self) -> u64 {
        // Where the first one sends to all at once, all are awake one delay later.
        let floods = self.footprint().first_messages == u64::from(self.shape.degree());
        match floods && self.shape.is_complete() && self.shape.nodes > 2 {
            true => self.shape.nodes,
            false => at_once(self.conditions, self.shape.nodes),
        }
    }

    fn footprint(&self) -> Footprint {
        let nodes = u32::try_from(self.shape.nodes).unwrap_or(u32::MAX);
        let conditions = self.conditions;
        let timed = match &conditions.schedule {
            ScheduleChoice::Rule(schedule) => schedule.is_timed(),
            ScheduleChoice::Recorded(_) | ScheduleChoice::Worst(_) => false,
        };
        let fifo = !conditions.faults.contains(&Fault::NoFifo);
        let queues = !timed || conditions.capacity.0.is_some() || !fifo;
        Footprint::of(self.algorithm, nodes, self.shape.degree(), queues)
    }

    /// The memory that its parts take.
    fn parts(&self) -> MemoryDemands {
        let NetworkShape { network, nodes, .. } = self.shape;
        let (ids, initiators) = (nodes.saturating_mul(8), tables(self.conditions, nodes));
        // Each worker lists those of its own nodes.
        let listed = if initiators > 0 { estimate(self.conditions, nodes) } else { 0 };
        let shared = self.bytes().saturating_sub(network.saturating_add(ids));
        MemoryDemands { network, ids, initiators, divided: shared.saturating_add(16 * listed) }
    }

    /// The least bytes that it takes.
    fn bytes(&self) -> u64 {
        let footprint = self.footprint();
        let in_flight = self.in_flight().saturating_mul(footprint.message);
        let election = footprint.bytes(self.shape.nodes, 0).saturating_add(in_flight);
        let beside = self.learnt().saturating_add(self.last_arrivals());
        let whole = election.saturating_add(beside).saturating_add(self.shape.network);
        whole.saturating_mul(self.elections)
    }

    /// The memory that keeps links FIFO if delays are drawn: the last arrival of each link, in both directions.
    fn last_arrivals(&self) -> u64 {
        use Schedule::{Exponential, Pareto, Rounds, Uniform};
        let Conditions { schedule, faults, .. } = self.conditions;
        match schedule {
            _ if self.shape.is_complete() || faults.contains(&Fault::NoFifo) => 0,
            ScheduleChoice::Rule(
                Uniform(_) | Exponential(_) | Pareto(_) | Rounds(Pace::Uniform(_)),
            ) => self.shape.links.saturating_mul(2 * 8),
            _ => 0,
        }
    }

    /// The memory for what processes learn: homonyms, which know neither n nor their identity, keep the labels of a lap
    /// or more.
    fn learnt(&self) -> u64 {
        let each = match self.algorithm.network {
            NetworkClass::HomonymRing => self.shape.nodes.saturating_mul(8),
            _ => 0,
        };
        each.saturating_mul(self.shape.nodes)
    }
}

/// Refuses elections that surely do not fit in the memory that is free, where the system tells how
/// much that is: says what they would take, and what would fit.
pub(crate) fn check(
    name: &str,
    algorithm: &Algorithm,
    shape: NetworkShape,
    conditions: &Conditions,
    elections: u64,
) -> Result<(), Error> {
    let demand = Demand { algorithm, shape, conditions, elections };
    match available() {
        Some(available) if demand.bytes() > available => {
            Err(Error::new(refusal(name, demand, available)))
        }
        _ => Ok(()),
    }
}

fn refusal(name: &str, demand: Demand<'_>, available: u64) -> String {
    let shape = demand.shape;
    let mut parts = vec![count(shape.nodes, "process")];
    let in_flight = demand.in_flight();
    if in_flight > 0 {
        let guarantee = demand.algorithm.claims.guarantee();
        let sense = match guarantee.is_sure() {
            true => String::new(),
            false => format!("{} ", guarantee.words()),
        };
        parts.push(format!("{sense}{} messages in flight", grouped(in_flight)).into());
    }
    if shape.network > 0 {
        parts.push("the network's links".into());
    }
    let last = parts.pop().unwrap_or_default();
    let of = match parts.as_slice() {
        [] => last.into_owned(),
        parts => format!("{} and {last}", parts.join(", ")),
    };
    let many = match demand.elections {
        1 => String::new(),
        elections => format!(" for each of {elections} elections at a time"),
    };
    format!(
        "{name}: {} takes at least {}, for {of}{many}, and {} of memory are free; {}",
        demand.algorithm.name,
        size(demand.bytes()),
        size(available),
        advice(demand, available)
    )
}

/// The memory that the parts of an election take, in bytes.
pub struct MemoryDemands {
    /// The network, which takes the same memory on every host that stores it.
    pub network: u64,
    /// The identities.
    pub ids: u64,
    /// The list of those who start.
    pub initiators: u64,
    /// The parts that workers divide among them.
    pub divided: u64,
}

/// What the parts of an election take in memory.
pub(crate) fn demands(
    algorithm: &Algorithm,
    shape: NetworkShape,
    conditions: &Conditions,
) -> MemoryDemands {
    Demand { algorithm, shape, conditions, elections: 1 }.parts()
}

/// Alternatives that would fit, the smallest change first.
fn advice(demand: Demand<'_>, available: u64) -> String {
    let fits = |demand: Demand<'_>| demand.bytes() <= available;
    let mut advice = Vec::new();
    if demand.elections > 1 {
        let threads = largest(demand.elections, |elections| fits(Demand { elections, ..demand }));
        if threads > 0 {
            advice.push(format!("use at most --threads {threads}"));
        }
    }
    let other = CATALOGUE
        .iter()
        .filter(|other| other.network == demand.algorithm.network)
        .map(|algorithm| Demand { algorithm, ..demand })
        .filter(|demand| fits(*demand))
        .min_by_key(Demand::bytes);
    if let Some(other) = other {
        advice.push(format!("{} takes {}", other.algorithm.name, size(other.bytes())));
    }
    let nodes = largest(demand.shape.nodes, |nodes| {
        fits(Demand { shape: demand.shape.resized(nodes), ..demand })
    });
    advice.push(match nodes {
        0 => "free some memory".to_owned(),
        nodes => format!("about {} fit", count(rounded(nodes), "node")),
    });
    advice.join(", or ")
}

/// The largest number below `limit` that satisfies `is_so`, if all smaller numbers satisfy it.
fn largest(limit: u64, is_so: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, limit);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_so(middle) { low = middle } else { high = middle }
    }
    low
}

/// A number to two digits, rounded down.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    number / unit * unit
}
