//! What the tests of the simulator share.

use std::io::Cursor;
use std::sync::Arc;
use suffrage_algorithms::{Algorithm, Parameters};
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::random::Generator;
use suffrage_networks::wiring::Wiring;
use suffrage_networks::{Ids, Ports, Spec};
use suffrage_simulator::{
    Experiment, Outcome, Pace, Property, Recording, Schedule, Simulator, Tracer, Wakes,
};

/// The messages for which links need room.
pub(crate) fn room(row: &Algorithm, nodes: u32) -> u32 {
    row.room.at(&Parameters::new(nodes.into(), 0, 0)) as u32
}

/// The row of the catalogue with this name.
pub(crate) fn row(name: &str) -> &'static Algorithm {
    Algorithm::named(name).unwrap_or_else(|| panic!("no algorithm is called {name}"))
}

/// The network of a spec, with ports in rotation.
pub(crate) fn network(spec: &str) -> Wiring {
    wired(spec, Ports::Rotation, 1)
}

/// The network of a spec.
pub(crate) fn wired(spec: &str, ports: Ports, seed: u64) -> Wiring {
    let spec: Spec = spec.parse().unwrap_or_else(|error| panic!("{error}"));
    spec.build(seed).unwrap_or_else(|error| panic!("{error}")).wire(ports, seed)
}

/// A network of about `nodes` nodes on which every algorithm for `network` runs.
pub(crate) fn network_for(network: NetworkClass, nodes: u32) -> Wiring {
    match network {
        NetworkClass::Complete | NetworkClass::OrientedComplete => Wiring::complete(nodes),
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
            Wiring::ring(nodes)
        }
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
            Wiring::hypercube(nodes.ilog2())
        }
        NetworkClass::Tree => wired(&format!("tree:random:{nodes}"), Ports::Rotation, 3),
        NetworkClass::Mesh => wired("grid:2x3", Ports::Rotation, 3),
        NetworkClass::Torus | NetworkClass::OrientedTorus => Wiring::torus(3, 3),
        NetworkClass::Connected => wired(&format!("erdos-renyi:{nodes}:0.5"), Ports::Rotation, 3),
    }
}

/// Every schedule that is not a replay.
pub(crate) fn schedules() -> [Schedule; 10] {
    [
        Schedule::Synchronous,
        Schedule::Uniform(10),
        Schedule::Exponential(4.0),
        Schedule::Pareto(1.2),
        Schedule::PerLink(7),
        Schedule::Random,
        Schedule::Newest,
        Schedule::Oldest,
        Schedule::Rounds(Pace::Unit),
        Schedule::Rounds(Pace::Uniform(10)),
    ]
}

/// Random identities.
pub(crate) fn random_ids(nodes: u32, seed: u64) -> Vec<Id> {
    Ids::Random.assign(nodes, seed)
}

/// Identities with these numbers.
pub(crate) fn ids(numbers: impl IntoIterator<Item = u64>) -> Vec<Id> {
    numbers.into_iter().map(Id::new).collect()
}

/// These processes wake, all at the start.
pub(crate) fn at_once(nodes: impl IntoIterator<Item = u32>) -> Wakes {
    Wakes::At(nodes.into_iter().map(|node| (0, node)).collect())
}

/// `count` random processes, in random order.
pub(crate) fn some_of(nodes: u32, count: u32, seed: u64) -> Vec<u32> {
    let mut all: Vec<u32> = (0..nodes).collect();
    Generator::new(seed, "initiators").shuffle(&mut all);
    all.truncate(count as usize);
    all
}

/// Runs an experiment.
pub(crate) fn elect(name: &str, experiment: &Experiment<'_>) -> Outcome {
    Simulator::of(row(name), experiment.clone()).run().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs an experiment and its trace, as JSON lines.
pub(crate) fn traced(name: &str, experiment: &Experiment<'_>) -> (Outcome, String) {
    let mut tracer = Tracer::new(Vec::new(), &()).expect("a vector takes everything");
    let outcome = Simulator::of(row(name), experiment.clone())
        .observer(&mut tracer)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
    let bytes = tracer.finish().expect("a vector takes everything");
    (outcome, String::from_utf8(bytes).expect("JSON is UTF-8"))
}

/// The schedule that replays a trace.
pub(crate) fn replay_of(trace: &str) -> Schedule {
    let recording = Recording::read("a trace", Cursor::new(trace));
    Schedule::Replay(Arc::new(recording.unwrap_or_else(|error| panic!("{error}"))))
}

/// The names of the properties that a run has broken, in the order in which it did.
pub(crate) fn broken(outcome: &Outcome) -> Vec<&'static str> {
    outcome.violations.iter().map(|breach| breach.violation.property.name()).collect()
}

/// Whether a run has broken a property.
pub(crate) fn breaks(outcome: &Outcome, property: Property) -> bool {
    outcome.violations.iter().any(|breach| breach.violation.property == property)
}
