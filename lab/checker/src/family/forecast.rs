//! Estimates of the size of an exploration.

use crate::{
    explorer::ScheduleExplorer,
    family::{Family, InitiatorSets},
    instance::{FaultBudget, Instance, Wake},
    outcome::{CheckVerdict, Options, Wanted},
    specification::{Properties, Specification},
};
use std::{collections::BTreeMap, ops::ControlFlow};
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, Claimed};
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::wiring::{Adjacency, Wiring};

/// An estimate of the size of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The number of configurations of the largest instance.
    pub largest: u64,
    /// The number of configurations of all instances.
    pub total: u64,
}

impl Forecast {
    /// The approximate memory that a configuration takes, in bytes.
    pub const BYTES: u64 = 300;
}

/// Estimates the number of configurations of families, before they are explored.
///
/// The estimate extrapolates from networks of two to four nodes. It explores one instance of each,
/// up to 131,072 configurations and the memory allowed. It assumes that the logarithm of the number
/// keeps growing as it does there, with the same acceleration for each further node. An error by a factor of ten is
/// common. The instances explored for one family are reused for the next.
pub struct Forecaster<'a> {
    algorithm: &'a Algorithm,
    full: bool,
    memory: u64,
    known: Vec<(SizeProbe, Option<f64>)>,
}

impl<'a> Forecaster<'a> {
    /// Creates a forecaster for an algorithm, explored in full or with partial-order reduction, that takes
    /// at most this memory, in bytes.
    #[must_use]
    pub const fn new(algorithm: &'a Algorithm, full: bool, memory: u64) -> Self {
        Self { algorithm, full, memory, known: Vec::new() }
    }

    /// Returns the number of small instances that have been explored for the estimates so far.
    #[must_use]
    pub fn explored(&self) -> usize {
        self.known.len()
    }

    /// Estimates the size of a family's exploration.
    #[must_use]
    pub fn forecast(&mut self, family: &Family) -> Forecast {
        let united = family.united(self.algorithm.timing, Some(&self.algorithm.claims));
        let family = united.as_ref().unwrap_or(family);
        let (nodes, instances) = (family.nodes(), family.listing());
        if family.is_empty() || nodes < 2 {
            return Forecast { largest: 1, total: instances.len() };
        }
        let mut known: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        let mut estimate = |links: u64, initiators: u32| {
            let has_dense = self.algorithm.network == NetworkClass::Connected && nodes > 3;
            let (sparse, dense) = *known.entry(initiators).or_insert_with(|| {
                let sparse = self.extrapolate(family, initiators, false);
                let dense = has_dense.then(|| self.extrapolate(family, initiators, true));
                (sparse, dense.unwrap_or(sparse))
            });
            let (ring, all) = (f64::from(nodes), f64::from(nodes) * f64::from(nodes - 1) / 2.0);
            let share = ((links as f64 - ring) / (all - ring).max(1.0)).clamp(0.0, 1.0);
            (sparse + (dense - sparse) * share).exp().min(1e18)
        };
        let most = match &family.initiators {
            InitiatorSets::EverySet => nodes,
            InitiatorSets::These(nodes) => nodes.len() as u32,
        };
        // The last instance is the one with the most links where they differ.
        let largest = estimate(instances.get(instances.len() - 1).wiring.links(), most);
        let some = instances.len().min(SAMPLE);
        let sum: f64 = (0..some)
            .map(|place| {
                let number = u128::from(place) * u128::from(instances.len()) / u128::from(some);
                let instance = instances.get(number as u64);
                estimate(instance.wiring.links(), instance.initiators.len() as u32)
            })
            .sum();
        let total = (sum / some as f64 * instances.len() as f64).min(1e18);
        Forecast { largest: largest as u64, total: total.max(largest) as u64 }
    }

    fn extrapolate(&mut self, family: &Family, initiators: u32, dense: bool) -> f64 {
        let nodes = family.nodes();
        let &Family { wake, capacity, faults, .. } = family;
        let probe = |nodes: u32| {
            let initiators = initiators.min(nodes);
            SizeProbe { nodes, initiators, dense, wake, capacity, faults }
        };
        let sizes = (2..=nodes).filter(|&nodes| self.algorithm.network.has_size(nodes));
        let sizes: Vec<u32> = sizes.collect();
        let small = sizes.iter().take_while(|&&nodes| nodes <= 4);
        let known: Vec<f64> = small.map_while(|&nodes| self.measure(probe(nodes))).collect();
        let &[.., last] = known.as_slice() else { return 0.0 };
        let steps: Vec<f64> = known.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let step = steps.last().copied().unwrap_or(last);
        let faster = steps.windows(2).map(|pair| pair[1] - pair[0]).next_back();
        let faster = faster.unwrap_or(step / 2.0).max(0.0);
        let further = sizes.len() as f64 - known.len() as f64;
        last + step * further + faster * further * (further + 1.0) / 2.0
    }

    fn measure(&mut self, probe: SizeProbe) -> Option<f64> {
        if let Some(&(_, size)) = self.known.iter().find(|(known, _)| *known == probe) {
            return size;
        }
        let instance = probe.instance(self.algorithm.network);
        let options = Options { full: self.full, memory: self.memory, costs: false };
        let size = measure(&instance, &options, &*self.algorithm.visit(Unspecified));
        self.known.push((probe, size));
        size
    }
}

/// The maximum number of instances of a family that are examined.
const SAMPLE: u64 = 500;

/// The maximum number of configurations that are explored of one probe.
const LIMIT: u64 = 1 << 17;

/// A small instance that is explored for the estimate.
#[derive(Clone, Copy, PartialEq)]
struct SizeProbe {
    nodes: u32,
    initiators: u32,
    dense: bool,
    wake: Wake,
    capacity: Option<u32>,
    faults: FaultBudget,
}

impl SizeProbe {
    fn instance(self, network: NetworkClass) -> Instance {
        let Self { nodes, initiators, dense, wake, capacity, faults } = self;
        let list = |from: u32| match dense {
            true => (0..nodes).filter(|&to| to != from).collect(),
            false if nodes == 2 => vec![1 - from],
            false => vec![(from + 1) % nodes, (from + nodes - 1) % nodes],
        };
        let star = |from: u32| if from == 0 { (1..nodes).collect() } else { vec![0] };
        let stored = |lists: Vec<Vec<u32>>| Wiring::stored(Adjacency::new(&lists));
        let wiring = match network {
            NetworkClass::Complete | NetworkClass::OrientedComplete => Wiring::complete(nodes),
            NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                Wiring::ring(nodes)
            }
            NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
                Wiring::hypercube(nodes.ilog2())
            }
            NetworkClass::Tree => stored((0..nodes).map(star).collect()),
            NetworkClass::Connected
            | NetworkClass::Mesh
            | NetworkClass::Torus
            | NetworkClass::OrientedTorus => stored((0..nodes).map(list).collect()),
        };
        Instance {
            wiring,
            ids: (1..=u64::from(nodes)).map(Id::new).collect(),
            initiators: (0..initiators).collect(),
            wake,
            capacity,
            faults,
        }
    }
}

/// Returns the logarithm of the number of configurations of an instance; `None` if they are too
/// many.
fn measure(instance: &Instance, options: &Options, none: &dyn Properties) -> Option<f64> {
    let mut limit = |states| match states > LIMIT {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    instance.check(none.network(), none.timing()).ok()?;
    let mut explorer = ScheduleExplorer::new(none.automaton());
    let found = explorer.examine(instance, none, options, &Wanted::NOTHING, &mut limit);
    matches!(found.verdict, CheckVerdict::Holds).then(|| (found.states.max(1) as f64).ln())
}

struct Unspecified;

impl AlgorithmVisitor for Unspecified {
    type Output = Box<dyn Properties>;
    fn visit<P: Claimed>(self) -> Self::Output {
        Box::new(Specification::<P>::these(&[]))
    }
}
