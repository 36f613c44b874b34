//! Scenarios, meeting by meeting.

use super::*;
use crate::protocols::{Margin, SelfTerminating};
use std::sync::atomic::AtomicBool;

/// An election whose agents declare when they have met more followers than conversions.
fn ranks(agents: u64, highest: u32) -> Ranks<SelfTerminating> {
    let election = SelfTerminating {
        margin: Margin::whole(1),
        min_interactions: 0,
        ..SelfTerminating::default()
    };
    Ranks::new(election, agents, highest)
}

const fn namesake(class: usize) -> RankedAgent {
    RankedAgent { class, namesake: true }
}

const fn follower(class: usize) -> RankedAgent {
    RankedAgent { class, namesake: false }
}

fn sizes<E>(ranks: &Ranks<E>) -> Vec<u64> {
    ranks.classes.iter().map(Believers::size).collect()
}

#[test]
fn the_higher_identity_converts_whoever_initiates() {
    for swapped in [false, true] {
        let mut all = ranks(3, 3);
        let (a, b) = if swapped { (1, 0) } else { (0, 1) };
        all.meet(namesake(a), namesake(b));
        assert_eq!(sizes(&all), [2, 0, 1]);
        let leader = all.leader();
        assert_eq!((leader.conversions, leader.met_followers, all.namesakes()), (1, 0, 2));
        all.tidy();
        assert_eq!(sizes(&all), [2, 1]);
        // A conversion of the third agent, by either of the others, or a meeting of these.
        assert_eq!(all.weight(), 3);
    }
}

#[test]
fn only_the_meetings_of_a_namesake_are_counted() {
    let mut all = ranks(4, 4);
    all.meet(namesake(0), namesake(1));
    all.meet(follower(0), namesake(2));
    assert_eq!((sizes(&all), all.leader().conversions), (vec![3, 0, 0, 1], 1));
    all.meet(follower(0), follower(0));
    assert_eq!((all.leader().conversions, all.leader().met_followers), (1, 0));
    all.meet(follower(0), namesake(0));
    assert_eq!((all.leader().conversions, all.leader().met_followers), (1, 1));
}

#[test]
fn a_declaration_is_judged_after_its_meeting() {
    let mut all = ranks(3, 3);
    all.time = 5;
    all.meet(namesake(0), namesake(1));
    all.meet(namesake(0), follower(0));
    assert_eq!(all.trial.declared_at, None);
    all.time = 6;
    all.meet(namesake(0), follower(0));
    assert_eq!((all.trial.leader_declared_at, all.trial.leader_ok), (Some(6), Some(false)));
    // The second declaration changes nothing.
    all.meet(follower(0), namesake(2));
    all.meet(namesake(0), follower(0));
    assert_eq!((all.trial.leader_declared_at, all.trial.first_ok), (Some(6), Some(false)));
    assert!(all.over());
}

#[test]
fn neighbours_without_namesakes_are_one_class() {
    let mut all = ranks(10, 2);
    assert_eq!(sizes(&all), [1, 1, 8]);
    all.meet(namesake(1), follower(2));
    all.meet(namesake(0), namesake(1));
    assert_eq!((sizes(&all), all.namesakes()), (vec![2, 1, 7], 1));
    all.tidy();
    assert_eq!(sizes(&all), [2, 8]);
    assert_eq!(all.weight(), 2 * 8 + 1);
}

#[test]
fn a_run_loses_no_agent_and_ends_in_time() {
    let (mut all, mut stream) = (ranks(1000, 3).always_in_batches(), RandomStream::of_trial(7, 0));
    for until in 1..400 {
        let before = all.time;
        all.advance(until, &mut stream);
        assert!(before <= all.time && all.time <= until);
        assert_eq!(sizes(&all).iter().sum::<u64>(), 1000);
    }
}

#[test]
fn a_stopped_run_has_no_answer() {
    let (mut all, mut stream) = (ranks(100, 3), RandomStream::of_trial(7, 0));
    assert_eq!(all.run(u64::MAX, &mut stream, &AtomicBool::new(true)), None);
    assert_eq!(all.run(10, &mut stream, &AtomicBool::new(false)), Some(false));
    assert_eq!(all.time(), 10);
}
