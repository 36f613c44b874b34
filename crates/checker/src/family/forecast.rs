//! How large an exploration will be, before it is begun.

use crate::{
    exploration::{Options, Verdict},
    family::{Family, Initiators},
    model::instance::Instance,
};
use std::collections::BTreeMap;
use suffrage_algorithms::{Algorithm, Visitor};
use suffrage_process::{Id, NetworkClass, Process};
use suffrage_topology::wiring::{Adjacency, Wiring};

/// An estimate of the size of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The configurations of the largest instance.
    pub largest: u64,
    /// The configurations of all instances.
    pub total: u64,
}

impl Forecast {
    /// The bytes of memory that a configuration takes, about.
    pub const BYTES: u64 = 300;
}

/// Estimates how many configurations there are, from what the same algorithm has on networks of
/// two to four nodes: the logarithm is taken to grow as it grows there, and as much faster with
/// each node. It is an estimate: off by a factor of ten is nothing strange.
#[must_use]
pub fn forecast(algorithm: &Algorithm, family: &Family, full: bool) -> Forecast {
    let nodes = family.nodes();
    if family.is_empty() || nodes < 2 {
        return Forecast { largest: 1, total: family.len() };
    }
    let probe = |initiators| Probe { algorithm, family, full, initiators };
    let mut known: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    let mut estimate = |links: u64, initiators: u32| {
        let dense = algorithm.network == NetworkClass::Connected && nodes > 3;
        let (sparse, dense) = *known.entry(initiators).or_insert_with(|| {
            let sparse = probe(initiators).extrapolate(nodes, false);
            (sparse, if dense { probe(initiators).extrapolate(nodes, true) } else { sparse })
        });
        let (ring, all) = (f64::from(nodes), f64::from(nodes) * f64::from(nodes - 1) / 2.0);
        let share = ((links as f64 - ring) / (all - ring).max(1.0)).clamp(0.0, 1.0);
        (sparse + (dense - sparse) * share).exp().min(1e18)
    };
    let most = match &family.initiators {
        Initiators::EverySet => nodes,
        Initiators::These(nodes) => nodes.len() as u32,
    };
    // The last is the one with the most links where there are several.
    let largest = estimate(family.get(family.len() - 1).wiring.links(), most);
    let some = family.len().min(SAMPLE);
    let sum: f64 = (0..some)
        .map(|place| {
            let number = u128::from(place) * u128::from(family.len()) / u128::from(some);
            let instance = family.get(number as u64);
            estimate(instance.wiring.links(), instance.initiators.len() as u32)
        })
        .sum();
    let total = (sum / some as f64 * family.len() as f64).min(1e18);
    Forecast { largest: largest as u64, total: total.max(largest) as u64 }
}

/// How many instances of a family are looked at.
const SAMPLE: u64 = 500;

struct Probe<'a> {
    algorithm: &'a Algorithm,
    family: &'a Family,
    full: bool,
    initiators: u32,
}

impl Probe<'_> {
    /// The logarithm of the number of configurations on so many nodes.
    fn extrapolate(&self, nodes: u32, dense: bool) -> f64 {
        let known: Vec<f64> = (2..=4.min(nodes)).map_while(|n| self.explore(n, dense)).collect();
        let &[.., last] = known.as_slice() else { return 0.0 };
        let steps: Vec<f64> = known.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let step = steps.last().copied().unwrap_or(last);
        let faster = steps.windows(2).map(|pair| pair[1] - pair[0]).next_back();
        let faster = faster.unwrap_or(step / 2.0).max(0.0);
        let further = f64::from(nodes).max(1.0) - 1.0 - known.len() as f64;
        last + step * further + faster * further * (further + 1.0) / 2.0
    }

    /// The logarithm of the number of configurations on a few nodes; `None` if that is too many.
    fn explore(&self, nodes: u32, dense: bool) -> Option<f64> {
        let list = |from: u32| match dense {
            true => (0..nodes).filter(|&to| to != from).collect(),
            false if nodes == 2 => vec![1 - from],
            false => vec![(from + 1) % nodes, (from + nodes - 1) % nodes],
        };
        let star = |from: u32| if from == 0 { (1..nodes).collect() } else { vec![0] };
        let stored = |lists: Vec<Vec<u32>>| Wiring::stored(Adjacency::new(&lists));
        let wiring = match self.algorithm.network {
            NetworkClass::Complete | NetworkClass::OrientedComplete => Wiring::complete(nodes),
            NetworkClass::Ring | NetworkClass::OrientedRing => Wiring::ring(nodes),
            NetworkClass::Tree => stored((0..nodes).map(star).collect()),
            NetworkClass::Connected => stored((0..nodes).map(list).collect()),
        };
        let Family { wake, capacity, faults, .. } = self.family;
        let instance = Instance {
            wiring,
            ids: (1..=u64::from(nodes)).map(Id::new).collect(),
            initiators: (0..self.initiators.min(nodes)).collect(),
            wake: *wake,
            capacity: *capacity,
            faults: *faults,
        };
        let options = Options { full: self.full, memory: 1 << 26, costs: false };
        self.algorithm.visit(Count { instance: &instance, options: &options })
    }
}

struct Count<'a> {
    instance: &'a Instance,
    options: &'a Options,
}

impl Visitor for Count<'_> {
    type Output = Option<f64>;
    fn visit<P: Process>(self) -> Option<f64> {
        let specification = crate::Specification::<P>::these(&[]);
        let found = crate::explore(self.instance, &specification, self.options).ok()?;
        matches!(found.verdict, Verdict::Holds).then(|| (found.states.max(1) as f64).ln())
    }
}
