//! Scenarios: for each reason in the header of the module, a few processes that show it.

use super::*;
use std::ops::ControlFlow;
use suffrage_algorithms::{Property, ring::LeLann};
use suffrage_model::{Id, Kind, Net};
use suffrage_networks::wiring::Wiring;

/// A process on a ring, whose role is its identity divided by ten.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Actor {
    role: u64,
    status: Status,
    halted: bool,
}

/// Sends a word to the next process as it wakes; passes on what comes until it has gone three times.
const STARTS: u64 = 1;
/// Sends two words to the next process as it wakes.
const STARTS_TWO: u64 = 2;
/// Passes each word on.
const PASSES: u64 = 3;
/// Halts with the first word.
const HALTS: u64 = 4;
/// Leads as it wakes, and sends a word.
const LEADS: u64 = 5;
/// Rejects a word, and leads.
const REJECTS: u64 = 6;
/// Sends each word back and on.
const FORKS: u64 = 7;
/// Sets an alarm as it wakes.
const SLEEPS: u64 = 8;

/// A word, and how many times it has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word(u32);

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word")];
    fn kind(&self) -> usize {
        0
    }
}

/// The port to the next process of the ring.
const NEXT: Port = Port(0);

impl Process for Actor {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Word;

    fn new(id: Id, _: u32) -> Self {
        Self { role: id.get() / 10, status: Status::Undecided, halted: false }
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        match self.role {
            STARTS => net.send(NEXT, Word(1)),
            STARTS_TWO => (0..2).for_each(|_| net.send(NEXT, Word(1))),
            LEADS => {
                self.status = Status::Leader;
                net.send(NEXT, Word(1));
            }
            SLEEPS => net.set_alarm(3),
            _ => {}
        }
    }

    fn receive(&mut self, from: Port, Word(sent): Word, net: &mut impl Net<Word>) {
        match self.role {
            STARTS | PASSES if sent < 3 => net.send(NEXT, Word(sent + 1)),
            FORKS if sent < 3 => {
                [from, NEXT].into_iter().for_each(|to| net.send(to, Word(sent + 1)));
            }
            HALTS => self.halted = true,
            REJECTS => {
                net.reject("it rejects");
                self.status = Status::Leader;
            }
            _ => {}
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.halted
    }
}

/// Runs the processes of these identities on a ring, in which these wake.
fn run_with(
    ids: &[u64],
    wakes: &[u32],
    change: impl FnOnce(&mut Experiment<'_>),
) -> Option<Outcome> {
    let wiring = Wiring::ring(ids.len() as u32);
    let ids: Vec<Id> = ids.iter().copied().map(Id::new).collect();
    let wakes = Wakes::At(wakes.iter().map(|&node| (0, node)).collect());
    let mut experiment = Experiment { wakes, ..Experiment::new(&wiring, &ids) };
    change(&mut experiment);
    run::<Actor>(None, &experiment, &mut |_| ControlFlow::Continue(()))
}

fn played(ids: &[u64], wakes: &[u32]) -> Outcome {
    run_with(ids, wakes, |_| {}).expect("nothing disturbs it")
}

/// A word goes through 0, 1, 2 and ends at 0. Each arrival is the last of its round, and what the reaction sends
/// belongs to the next: three rounds. If the arrival were recorded after the reaction, no round would end.
#[test]
fn an_arrival_ends_a_round_before_the_reaction() {
    let delays = |experiment: &mut Experiment<'_>| experiment.schedule = Schedule::Uniform(5);
    let outcome = run_with(&[10, 30, 31], &[0], delays).expect("nothing disturbs it");
    assert_eq!((outcome.delivered, outcome.units), (3, Some(3)));
    assert!(outcome.time > 3, "delays of more than a tick");
}

/// 0 sends two words to 1, which halts with the first. The second is delivered late; 1 has received one message, and
/// nothing is deeper than one.
#[test]
fn what_reaches_a_halted_process_changes_nothing_of_it() {
    let outcome = played(&[20, 40], &[0]);
    assert_eq!((outcome.delivered, outcome.late), (2, 1));
    assert_eq!((outcome.busiest.node, outcome.busiest.messages), (0, 2));
    assert_eq!(outcome.causal_depth, 1);
}

/// A word goes three times: what a reaction sends is one deeper than what it received.
#[test]
fn what_a_reaction_sends_is_one_deeper() {
    for schedule in
        [Schedule::Synchronous, Schedule::Rounds(schedule::Pace::Unit), Schedule::Uniform(5)]
    {
        let outcome =
            run_with(&[10, 30, 31, 32], &[0], |experiment| experiment.schedule = schedule);
        let outcome = outcome.expect("nothing disturbs it");
        assert_eq!((outcome.messages.total(), outcome.causal_depth), (3, 3));
    }
}

/// A process that passes its only word on has at no time two under way; one that forks it does.
#[test]
fn a_message_is_not_under_way_beside_what_its_reaction_sends() {
    assert_eq!(played(&[10, 30, 31], &[0]).peak_in_flight, 1);
    assert_eq!(played(&[10, 70, 32], &[0]).peak_in_flight, 2);
}

/// 1 rejects a word and leads beside 0, in one reaction: the second leader is recorded first.
#[test]
fn a_decision_is_recorded_before_the_misstep_of_its_reaction() {
    let outcome = played(&[50, 60], &[0]);
    let broken: Vec<_> = outcome.violations.iter().map(|found| found.violation.property).collect();
    let [first, second, ..] = broken[..] else { panic!("{broken:?}") };
    assert_eq!((first, second), (Property::AtMostOneLeader, Property::PossibleMessages));
}

/// Two words arrive in one tick, and one event is allowed: the other word is not delivered.
#[test]
fn no_message_is_delivered_beyond_the_limit() {
    let outcome = run_with(&[20, 30], &[0], |experiment| experiment.event_limit = 1);
    let outcome = outcome.expect("nothing disturbs it");
    assert_eq!((outcome.delivered, outcome.messages.total()), (1, 3));
    assert_eq!(outcome.violations[0].violation.property, Property::Termination);
}

/// The loop has no alarms: it gives up at the end if no tick comes, and at the next tick otherwise.
#[test]
fn an_alarm_makes_the_loop_give_up() {
    assert!(run_with(&[80, 30], &[0], |_| {}).is_none());
    assert!(run_with(&[80, 10], &[0, 1], |_| {}).is_none());
}

fn time_before(end: u64) -> Option<u64> {
    let (wiring, ids) = (Wiring::ring(5), [3, 1, 4, 5, 2].map(Id::new));
    let experiment = Experiment::new(&wiring, &ids);
    let mut nodes = SimulatedProcess::<LeLann, ()>::all(&experiment);
    let mut waiting = LockstepQueue::default();
    let initiators = InitialWakes::of(&experiment).expect("all wake at the start");
    let mut go_on = |_| ControlFlow::Continue(());
    let rare = RareEvents::new(&experiment, end, &mut go_on);
    let pace = Lockstep::new(&mut waiting);
    play(&mut nodes, OrientedRing { nodes: 5 }, pace, rare, &initiators).map(|done| done.time)
}

#[test]
fn a_run_that_goes_on_for_too_many_ticks_is_given_up() {
    let time = time_before(END).expect("five tokens need less");
    assert_eq!([0, 1, time, time + 1].map(time_before), [None, None, None, Some(time)]);
}
