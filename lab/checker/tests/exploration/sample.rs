//! Sampled checking: what it finds, how small it makes it, and that a seed says everything.

use crate::common::row;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use suffrage_algorithms::{Algorithm, Property, ring};
use suffrage_checker::{
    FaultBudget, RandomInstances, SampleReport, SampleScheduler, Sampler, SecondTier,
    Specification, Wake, WideIds,
};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::Wiring;

fn sampled(name: &str, instances: &RandomInstances, samples: u64, threads: usize) -> SampleReport {
    let sampler = Sampler::new(row(name), instances).samples(samples).seed(3);
    sampler.threads(threads).run().expect("instances for the algorithm")
}

#[test]
fn no_sample_of_the_catalogue_fails() {
    for row in Algorithm::asynchronous() {
        let instances = RandomInstances::new(row.network, 1..=24);
        let report = Sampler::new(row, &instances).samples(64).run().unwrap();
        assert!(report.violation.is_none(), "{}: {:?}", row.name, report.violation);
        assert_eq!((report.samples, report.endless, report.stopped), (64, 0, false));
        let (most, bound) = report.nearest.expect("a bound");
        let within = most <= bound || !row.claims.guarantee().is_sure();
        assert!(0 < most && within, "{}", row.name);
    }
}

/// The sizes at which representations change, and the orders that chance hardly ever draws.
#[test]
fn no_sample_of_the_second_tier_fails() {
    for row in Algorithm::asynchronous() {
        let second_tier = Some(SecondTier { nodes: 17..=80, wide_ids: WideIds::of(&row.claims) });
        let instances =
            RandomInstances { second_tier, ..RandomInstances::new(row.network, 5..=16) };
        let of_tier =
            (0..1024).filter(|number| number % 64 >= 56).map(|number| instances.get(1, number));
        let largest = of_tier.clone().flat_map(|instance| instance.ids).max().expect("some");
        assert!(
            WideIds::of(&row.claims) != WideIds::Powers
                || largest.get() >= 1 << 31
                || row.network == NetworkClass::HomonymRing
        );
        let mut ports = of_tier.map(|instance| {
            (0..instance.wiring.nodes()).map(|node| instance.wiring.degree(node)).max()
        });
        assert!(row.network != NetworkClass::Complete || ports.any(|ports| ports > Some(64)));
        let sampler = Sampler::new(row, &instances).first(56).samples(8);
        let report = sampler.shrink(false).run().unwrap();
        assert!(report.violation.is_none(), "{}: {:?}", row.name, report.violation);
        assert_eq!((report.samples, report.endless), (8, 0), "{}", row.name);
    }
}

/// A comparison of numbers that are cut off, or that have a sign, errs where some are on each side.
#[test]
fn wide_identities_are_on_both_sides_of_where_representations_change() {
    let second_tier = Some(SecondTier { nodes: 17..=80, wide_ids: WideIds::Powers });
    let network = NetworkClass::OrientedRing;
    let instances = RandomInstances { second_tier, ..RandomInstances::new(network, 5..=16) };
    for bits in [31, 32, 63] {
        let beyond = |id: &Id| id.get() >= 1 << bits;
        let mut all = (0..2048).map(|number| instances.get(1, number).ids);
        assert!(all.any(|ids| ids.iter().any(beyond) && !ids.iter().all(beyond)), "2^{bits}");
    }
}

/// A count of hops or of ports that is cut off errs only where they are many.
#[test]
fn the_second_tier_has_long_paths_and_large_stars() {
    for network in [NetworkClass::Tree, NetworkClass::Connected] {
        let second_tier = Some(SecondTier { nodes: 17..=80, wide_ids: WideIds::Powers });
        let instances = RandomInstances { second_tier, ..RandomInstances::new(network, 5..=16) };
        let wirings: Vec<Wiring> =
            (0..1024).map(|number| instances.get(1, number).wiring).collect();
        let most = |wiring: &Wiring| (0..wiring.nodes()).map(|node| wiring.degree(node)).max();
        assert!(wirings.iter().any(|wiring| wiring.nodes() > 32 && most(wiring) == Some(2)));
        assert!(wirings.iter().any(|wiring| most(wiring) > Some(32)), "{network:?}");
    }
}

/// Hypercubes have not every number of nodes: the smaller networks on which a failure is looked for are those that exist.
#[test]
fn a_failure_on_a_hypercube_is_shrunk_to_a_hypercube() {
    let faults = FaultBudget { loss: 1, ..FaultBudget::default() };
    let network = row("hyper-elect").network;
    let instances = RandomInstances { faults, ..RandomInstances::new(network, 5..=16) };
    let properties = [Property::ExactlyOneLeader];
    let sampler = Sampler::new(row("hyper-elect"), &instances).properties(&properties);
    let failure = sampler.samples(1_000).run().unwrap().violation.expect("it needs every message");
    assert!(failure.nodes >= 8);
    assert_eq!(failure.counterexample.execution.instance.wiring.nodes(), 2);
}

#[test]
fn a_failure_is_shrunk_to_the_smallest_deadlock_and_cannot_be_shorter() {
    let instances = RandomInstances::new(NetworkClass::OrientedComplete, 6..=12);
    let report = sampled("villadangos@published", &instances, 10_000, 2);
    let failure = report.violation.expect("the published form deadlocks");
    assert!(failure.nodes >= 6);
    let found = &failure.counterexample;
    assert_eq!(found.violation.property, failure.violation.property);
    // The smallest network that deadlocks has three nodes and six steps, as exploration shows.
    assert_eq!(found.execution.instance.wiring.nodes(), 3);
    assert_eq!((found.execution.moves.len(), found.shortest), (6, true));
}

/// What fails in large networks only is looked for in all smaller ones, with a cost that does not grow with their number.
#[test]
fn a_failure_of_large_networks_is_shrunk_with_a_bounded_cost() {
    let looked = AtomicU64::new(0);
    let few = Specification::<ring::ChangRoberts>::these(&[]).always("few", |now| {
        looked.fetch_add(1, Relaxed);
        now.processes().count() <= 60
    });
    let instances = RandomInstances::new(NetworkClass::OrientedRing, 64..=64);
    let report = Sampler::new(&few, &instances).samples(1).run().expect("instances");
    let found = report.violation.expect("64 are more than 60").counterexample;
    assert_eq!(found.execution.instance.wiring.nodes(), 61);
    assert_eq!(found.execution.instance.initiators.len(), 1);
    assert!(looked.load(Relaxed) < 1 << 23);
}

#[test]
fn the_seed_says_everything() {
    for (name, faults) in [
        ("villadangos@published", FaultBudget::default()),
        ("humblet", FaultBudget { no_fifo: true, ..FaultBudget::default() }),
        ("all-to-all", FaultBudget { duplicate: 1, ..FaultBudget::default() }),
        ("humblet", FaultBudget::default()),
    ] {
        let instances =
            RandomInstances { faults, ..RandomInstances::new(row(name).network, 4..=9) };
        let reports =
            [1, 2, 3].map(|threads| format!("{:?}", sampled(name, &instances, 60, threads)));
        assert_eq!(reports[0], reports[1], "{name}");
        assert_eq!(reports[0], reports[2], "{name}");
    }
}

#[test]
fn every_scheduler_runs_every_election_to_its_end() {
    let instances = RandomInstances::new(NetworkClass::Connected, 1..=12);
    for scheduler in SampleScheduler::ALL {
        let schedulers = [scheduler];
        let sampler = Sampler::new(row("echo-extinction"), &instances).samples(100);
        let report = sampler.schedulers(&schedulers).run().unwrap();
        assert!(report.violation.is_none() && report.endless == 0, "{scheduler}");
        assert_eq!(
            report.guarantees.len(),
            usize::from(matches!(scheduler, SampleScheduler::Pct(_)))
        );
    }
}

#[test]
fn the_guarantee_of_pct_is_that_of_its_authors() {
    let instances = RandomInstances {
        wake: Some(Wake::AnyTime),
        ..RandomInstances::new(NetworkClass::OrientedRing, 4..=4)
    };
    let report = sampled("lelann", &instances, 800, 1);
    let depth_3 = report.guarantees.iter().find(|guarantee| guarantee.depth == 3).unwrap();
    // Eight one-way links and four initiators; 4 n messages, n of them announcements, and n
    // wake-ups.
    assert_eq!((depth_3.threads, depth_3.steps, depth_3.samples), (12, 24, 100));
    let expected = 1.0 / (12.0 * 24.0 * 24.0);
    assert!((depth_3.probability() - expected).abs() < 1e-12);
}

#[test]
fn capacities_and_faults_are_part_of_the_sample() {
    // Room for one message deadlocks waves, and a duplicate elects two.
    let one = RandomInstances {
        capacity: Some(1..=1),
        ..RandomInstances::new(NetworkClass::Connected, 3..=8)
    };
    let report = sampled("echo-extinction", &one, 1_000, 2);
    let found = report.violation.expect("a deadlock").counterexample;
    assert_eq!(found.execution.instance.wiring.nodes(), 3);
    let faults = FaultBudget { duplicate: 1, ..FaultBudget::default() };
    let twice = RandomInstances { faults, ..RandomInstances::new(NetworkClass::Complete, 3..=6) };
    let report = sampled("all-to-all", &twice, 1_000, 2);
    let violation = report.violation.expect("two leaders").violation;
    assert_eq!(violation.property, Property::AtMostOneLeader);
}

#[test]
fn samples_that_are_stopped_are_a_prefix() {
    let instances = RandomInstances::new(NetworkClass::Complete, 16..=32);
    let sampler = Sampler::new(row("humblet"), &instances).samples(1_000_000);
    let report = sampler.on_progress(|_| ControlFlow::Break(())).run().unwrap();
    assert!(report.stopped && report.samples < 1_000_000 && report.violation.is_none());
}

/// What goes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word;

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word")];
    fn kind(&self) -> usize {
        0
    }
}

/// A process that looks again and again, by alarms, whether a word has come; it keeps the first one, or passes on
/// every one `FOREVER`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Waits<const FOREVER: bool> {
    has_word: bool,
}

impl<const FOREVER: bool> Process for Waits<FOREVER> {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = ();
    type Msg = Word;

    fn new((): (), _: u32) -> Self {
        Self { has_word: false }
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        net.send(Port::NEXT, Word);
        net.set_alarm(1);
    }

    fn receive(&mut self, _: Port, _: Word, net: &mut impl Net<Word>) {
        if FOREVER || !self.has_word {
            net.send(Port::NEXT, Word);
        }
        self.has_word = true;
    }

    fn alarm(&mut self, net: &mut impl Net<Word>) {
        if !self.has_word {
            net.set_alarm(1);
        }
    }

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}

fn waiting<const FOREVER: bool>(scheduler: SampleScheduler) -> SampleReport {
    let ends = Specification::<Waits<FOREVER>>::these(&[Property::Termination]);
    let instances = RandomInstances::new(NetworkClass::OrientedRing, 2..=8);
    let schedulers = [scheduler];
    let sampler = Sampler::new(&ends, &instances).schedulers(&schedulers).samples(4);
    sampler.most_steps(1 << 14).run().expect("instances")
}

/// A run is given up after many steps. Under a fair scheduler, that breaks termination.
#[test]
fn a_run_that_does_not_end_breaks_termination_under_a_fair_scheduler() {
    for fair in [SampleScheduler::Uniform, SampleScheduler::Oldest] {
        let report = waiting::<true>(fair);
        let found = report.violation.expect("words go round without end");
        assert_eq!(found.violation.property, Property::Termination);
        assert_eq!(found.violation.detail, "no end after 16384 steps");
        // It is explored for the shortest loop.
        assert!(found.counterexample.execution.loop_start.is_some());
        assert!(found.counterexample.execution.moves.len() < 16);
        let report = waiting::<false>(fair);
        assert!(report.violation.is_none() && report.endless == 0, "{:?}", report.violation);
    }
    // The alarm rings again and again, and no word arrives: that is no fair schedule.
    let report = waiting::<false>(SampleScheduler::Newest);
    assert!(report.violation.is_none() && report.endless > 0, "{:?}", report.violation);
}
