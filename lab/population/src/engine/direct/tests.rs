//! Compares the packed engine with the protocol's definition, meeting by meeting.

use super::*;
use crate::meetings::{SelfMeetings, UniformMeetings};
use crate::{
    engine::{Supervisor, TrialEngine},
    meetings::Meetings,
    protocol::NumberedElection,
    protocols::{
        Agent, DeclarationRule, Infection, NumberedCandidate, NumberedEpidemic, SelfTerminating,
    },
    random::RandomStream,
    trial::Trial,
};
use std::sync::atomic::AtomicBool;

fn run(engine: &mut impl TrialEngine, seed: u64, trial: u64) -> Trial {
    engine.trial(&mut RandomStream::of_trial(seed, trial), &AtomicBool::new(false)).unwrap()
}

fn protocols() -> impl Iterator<Item = SelfTerminating> {
    DeclarationRule::ALL.into_iter().flat_map(|rule| {
        [(1, 0), (2, 0), (4, 0), (1, 10)].map(|(margin, min_interactions)| SelfTerminating {
            margin: margin.into(),
            rule,
            min_interactions,
        })
    })
}

fn assert_same_trials<M: UniformMeetings>(meetings: M, seed: u64) {
    for protocol in protocols() {
        let agents = meetings.agents();
        let watch = WatchElection::new(true, protocol.freezes());
        let mut reference = Reference::new(protocol, meetings.clone(), Agent::new, watch);
        let mut packed = Packed::new(protocol, meetings.clone(), TrialTail::Simulated);
        for trial in 0..60 {
            let expected = run(&mut reference, seed, trial);
            assert_eq!(run(&mut packed, seed, trial), expected, "{protocol:?}, n = {agents}");
        }
    }
}

#[test]
fn both_engines_run_the_same_trials() {
    for agents in [2, 3, 5, 40, 300] {
        assert_same_trials(Meetings::among(agents), 5);
        assert_same_trials(SelfMeetings::among(agents), 6);
    }
}

#[test]
fn both_engines_run_the_same_epidemics() {
    for agents in [2, 3, 200] {
        let epidemic = NumberedEpidemic::default();
        let watch = WatchElection::new(false, false);
        let mut reference =
            Reference::new(epidemic, Meetings::among(agents), NumberedCandidate::new, watch);
        let mut packed = Packed::new(epidemic, Meetings::among(agents), TrialTail::Skipped);
        for trial in 0..50 {
            assert_eq!(run(&mut packed, 6, trial), run(&mut reference, 6, trial));
        }
    }
}

/// Skipping the tail changes no distribution, and no value before the tail. With this margin half
/// of the elections have an early declaration, and the news is spreading at completion.
#[test]
fn the_tail_is_skipped_exactly() {
    for agents in [2, 3, 5, 50] {
        assert_tail_is_skipped(Meetings::among(agents), 4000);
        assert_tail_is_skipped(SelfMeetings::among(agents), 4000);
    }
}

fn assert_tail_is_skipped<M: UniformMeetings>(meetings: M, trials: u64) {
    let protocol =
        SelfTerminating { margin: 1.into(), rule: DeclarationRule::Text, min_interactions: 0 };
    let agents = meetings.agents();
    let mut drawn = Packed::new(protocol, meetings.clone(), TrialTail::Simulated);
    let mut skipped = Packed::new(protocol, meetings, TrialTail::Skipped);
    let mut early = 0;
    let (mut tails, mut news, mut both) = ([vec![], vec![]], [vec![], vec![]], [vec![], vec![]]);
    for trial in 0..trials {
        let (a, b) = (run(&mut drawn, 7, trial), run(&mut skipped, 7, trial));
        assert_eq!(
            (a.completed_at, a.conversions, a.followers_met, a.first_ok, a.leader_ok),
            (b.completed_at, b.conversions, b.followers_met, b.first_ok, b.leader_ok)
        );
        assert_eq!(a.final_ok, b.final_ok);
        early += u32::from(a.first_ok == Some(false));
        for (place, trial) in [a, b].iter().enumerate() {
            let completed_at = trial.completed_at.unwrap();
            let (declared, told) = (trial.leader_declared_at.unwrap(), trial.told_at.unwrap());
            if trial.leader_ok == Some(true) {
                tails[place].push(declared - completed_at);
            }
            news[place].push(told);
            // Both together: their joint distribution matters, too.
            both[place].push(declared.abs_diff(told));
        }
    }
    assert!(agents == 2 || early > 100, "some news is under way at completion");
    for [drawn, skipped] in [tails, news, both] {
        // A false alarm has a probability of 10^-4.
        assert!(suffrage_numbers::statistics::ks_distance(&drawn, &skipped) < 2.23);
    }
}

#[test]
fn an_interrupted_trial_has_no_result() {
    let mut packed =
        Packed::new(SelfTerminating::default(), Meetings::among(1000), TrialTail::Skipped);
    assert_eq!(packed.trial(&mut RandomStream::of_trial(0, 0), &AtomicBool::new(true)), None);
}

/// A supervisor that stops at the second call, and records the time of each.
struct Second(std::sync::Mutex<Vec<u64>>);

impl Supervisor for Second {
    fn go_on(&self, time: u64) -> Option<()> {
        let mut asked = self.0.lock().unwrap();
        asked.push(time);
        (asked.len() < 2).then_some(())
    }
}

/// The system provides the memory of 10^9 agents page by page, which takes a minute.
#[test]
fn a_trial_can_be_stopped_while_its_agents_are_initialized() {
    let agents = 3 << 20;
    let mut packed =
        Packed::new(NumberedEpidemic::default(), Meetings::among(agents), TrialTail::Skipped);
    let watch = WatchUntil::new(true, agents.into());
    let mut reference = Reference::new(Infection, Meetings::among(agents), |i| i == 0, watch);
    let engines: [&mut dyn TrialEngine; 2] = [&mut packed, &mut reference];
    for engine in engines {
        let second = Second(std::sync::Mutex::default());
        assert_eq!(engine.trial(&mut RandomStream::of_trial(0, 0), &second), None);
        assert_eq!(*second.0.lock().unwrap(), [0, 0], "both times before the first meeting");
    }
}
