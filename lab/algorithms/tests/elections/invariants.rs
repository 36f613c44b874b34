//! The invariants of every algorithm, in the configurations of random elections.

use crate::catalogue::networks_of;
use crate::driver::Run;
use crate::networks::{Rng, Wiring};
use suffrage_algorithms::{
    Algorithm, AlgorithmVisitor, Claimed, Property, Statement, assertion::Assertion,
};
use suffrage_model::NetworkClass;

/// Runs an algorithm on a network: random identities, initiators and interleavings.
struct Elections<'a> {
    row: &'a Algorithm,
    wiring: &'a Wiring,
    seeds: std::ops::Range<u64>,
}

impl AlgorithmVisitor for Elections<'_> {
    type Output = ();
    fn visit<P: Claimed>(self) {
        let (n, invariants) = (self.wiring.len(), P::invariants());
        for seed in self.seeds {
            let mut rng = Rng(seed);
            let mut ids: Vec<u64> = (0..n as u64).collect();
            rng.shuffle(&mut ids);
            let mut initiators: Vec<usize> = (0..n).collect();
            rng.shuffle(&mut initiators);
            // Waves of many initiators through a large graph take many messages.
            let most = if self.row.network == NetworkClass::Connected { n.min(5) } else { n };
            initiators.truncate(1 + rng.below(most));
            let mut run = Run::<P>::new(self.wiring, &ids, &initiators, usize::MAX);
            run.coins = Rng(seed);
            // In large networks not every configuration is looked at.
            let (stride, mut events) = ((n * n / 64).max(1), 0);
            let mut check = |run: &Run<'_, P>| {
                events += 1;
                if events % stride != 0 {
                    return;
                }
                if let Err(violation) = run.check(&invariants) {
                    panic!("{} on {n} nodes, seed {seed}: {violation}", self.row.name);
                }
            };
            run.finish_checked(1 + rng.below(2 * n), &mut rng, &mut check);
        }
    }
}

#[test]
fn every_invariant_holds_in_every_configuration() {
    let mut rng = Rng(3);
    for row in Algorithm::asynchronous() {
        for (n, seeds) in [(1, 2), (2, 20), (3, 40), (4, 40), (5, 40), (8, 10), (16, 3), (64, 1)] {
            for wiring in &networks_of(row.network, n, &mut rng) {
                row.visit(Elections { row, wiring, seeds: 0..seeds });
            }
        }
    }
}

#[test]
fn the_invariants_are_those_of_the_header() {
    for row in Algorithm::correct() {
        let mut names = row.invariants();
        names.retain(|&name| name != "named"); // The announcement's.
        // What has been sent, no configuration tells.
        let is_of_history = |stated: &Statement| {
            let formula = stated.formula.map(|text| Assertion::read(text).expect(stated.name));
            formula.is_some_and(|assertion| assertion.is_of_history())
        };
        let written = row.statements().filter(|stated| !is_of_history(stated));
        assert!(written.map(|stated| stated.name).eq(names), "{}", row.name);
    }
}

#[test]
fn an_invariant_is_a_property_by_its_name() {
    for row in Algorithm::correct() {
        for name in row.invariants() {
            assert_eq!(Property::named(name), Some(Property::Invariant(name)), "{}", row.name);
        }
    }
    assert_eq!(Property::named("agreement"), Some(Property::Agreement));
    assert_eq!(Property::named("no such property"), None);
}
