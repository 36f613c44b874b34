//! The packed engine against the protocol's definition, meeting for meeting.

use super::*;
use crate::{
    engine::Engine,
    protocol::Election,
    protocols::{Agent, Candidate, NumberedEpidemic, Rule, SelfTerminating},
    random::Stream,
    trial::Trial,
};
use std::sync::atomic::AtomicBool;

fn run(engine: &mut impl Engine, seed: u64, trial: u64) -> Trial {
    engine.trial(&mut Stream::of_trial(seed, trial), &AtomicBool::new(false)).unwrap()
}

fn protocols() -> impl Iterator<Item = SelfTerminating> {
    Rule::ALL.into_iter().flat_map(|rule| {
        [(1, 0), (2, 0), (4, 0), (1, 10)].map(|(margin, min_interactions)| SelfTerminating {
            margin,
            rule,
            min_interactions,
        })
    })
}

#[test]
fn both_engines_run_the_same_trials() {
    for protocol in protocols() {
        for agents in [2, 3, 5, 40, 300] {
            let watch = WatchElection::new(true, protocol.freezes());
            let mut reference = Reference::new(protocol, agents, Agent::new, watch);
            let mut packed = Packed::new(protocol, agents, Tail::Simulated);
            for trial in 0..60 {
                let expected = run(&mut reference, 5, trial);
                assert_eq!(run(&mut packed, 5, trial), expected, "{protocol:?}, n = {agents}");
            }
        }
    }
}

#[test]
fn both_engines_run_the_same_epidemics() {
    for agents in [2, 3, 200] {
        let epidemic = NumberedEpidemic::default();
        let watch = WatchElection::new(false, false);
        let mut reference = Reference::new(epidemic, agents, Candidate::new, watch);
        let mut packed = Packed::new(epidemic, agents, Tail::Skipped);
        for trial in 0..50 {
            assert_eq!(run(&mut packed, 6, trial), run(&mut reference, 6, trial));
        }
    }
}

/// Skipping the tail changes no distribution, and before it nothing at all.
#[test]
fn the_tail_is_skipped_exactly() {
    let protocol = SelfTerminating { margin: 1, rule: Rule::Text, min_interactions: 0 };
    let mut drawn = Packed::new(protocol, 50, Tail::Simulated);
    let mut skipped = Packed::new(protocol, 50, Tail::Skipped);
    let trials = 4000;
    let mut tails = [Vec::new(), Vec::new()];
    for trial in 0..trials {
        let (a, b) = (run(&mut drawn, 7, trial), run(&mut skipped, 7, trial));
        assert_eq!(
            (a.completed_at, a.conversions, a.followers_met, a.first_ok, a.leader_ok),
            (b.completed_at, b.conversions, b.followers_met, b.first_ok, b.leader_ok)
        );
        assert_eq!(a.final_ok, b.final_ok);
        for (tail, trial) in tails.iter_mut().zip([a, b]) {
            if trial.leader_ok == Some(true) {
                tail.push(trial.leader_declared_at.unwrap() - trial.completed_at.unwrap());
            }
        }
    }
    assert!(crate::statistics::ks_distance(&tails[0], &tails[1]) < 2.0);
}

#[test]
fn an_interrupted_trial_has_no_result() {
    let mut packed = Packed::new(SelfTerminating::default(), 1000, Tail::Skipped);
    assert_eq!(packed.trial(&mut Stream::of_trial(0, 0), &AtomicBool::new(true)), None);
}
