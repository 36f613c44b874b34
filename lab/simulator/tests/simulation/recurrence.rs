//! A replay that is said to come back to where it was does so, or not: livelocks.

use crate::common::{broken, ids};
use std::sync::Arc;
use suffrage_algorithms::Custom;
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::{End, Wiring};
use suffrage_simulator::{
    Action, Experiment, Fault, Outcome, Recording, Schedule, Simulator, Wakes,
};

/// A process that sends as many messages as its identity says, passes on whatever comes, and with
/// identity 0 sends none but lets its alarm ring again and again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PassesOn(Id);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Token {
    of: Id,
    number: u64,
}

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for PassesOn {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _: u32) -> Self {
        Self(id)
    }
    fn wake(&mut self, net: &mut impl Net<Token>) {
        (0..self.0.get()).for_each(|number| net.send(Port::NEXT, Token { of: self.0, number }));
        if self.0.get() == 0 {
            net.set_alarm(1);
        }
    }
    fn receive(&mut self, _: Port, token: Token, net: &mut impl Net<Token>) {
        net.send(Port::NEXT, token);
    }
    fn alarm(&mut self, net: &mut impl Net<Token>) {
        net.set_alarm(2);
    }
    fn status(&self) -> Status {
        Status::Undecided
    }
    fn halted(&self) -> bool {
        false
    }
}

const fn wake(node: u32) -> Action {
    Action::Wake(node)
}

/// The next message reaches a process of a ring of two.
const fn reach(node: u32) -> Action {
    Action::Deliver { to: End { node, port: Port(1) }, overtakes: 0 }
}

fn run(
    of: &[u64],
    steps: &[Action],
    after: usize,
    change: impl FnOnce(&mut Experiment<'_>),
) -> Outcome {
    let (wiring, ids) = (Wiring::ring(of.len() as u32), ids(of.iter().copied()));
    let steps = (1..).zip(steps.iter().copied()).collect();
    let recording = Recording::new("steps".into(), steps).that_goes_around(after);
    let mut experiment = Experiment {
        wakes: Wakes::At(Vec::new()),
        schedule: Schedule::Replay(Arc::new(recording)),
        ..Experiment::new(&wiring, &ids)
    };
    change(&mut experiment);
    Simulator::of(&Custom::<PassesOn>::new("custom"), experiment).run().expect("steps that fit")
}

#[test]
fn messages_that_are_where_they_were_in_their_order_are_a_livelock() {
    let one = [wake(0), reach(1), reach(0), reach(1)];
    let found = run(&[1, 9], &one, 2, |_| ());
    assert_eq!(broken(&found), ["termination"]);
    let words = "livelock: the last 2 steps lead back to where they began";
    assert!(
        found.violations[0].violation.detail.starts_with(words),
        "{}",
        found.violations[0].violation.detail
    );
    assert_eq!((found.violations[0].at, found.unfinished), (4, false));
    // Who was asleep before is awake now, or the message is elsewhere.
    for after in [0, 1, 3] {
        assert_eq!(broken(&run(&[1, 9], &one, after, |_| ())), [""; 0], "{after}");
    }
    // Both tokens must have gone around.
    let two = [wake(0), reach(1), reach(1), reach(0), reach(0), reach(1), reach(1)];
    assert_eq!(broken(&run(&[2, 1], &two, 3, |_| ())), ["termination"]);
    assert_eq!(broken(&run(&[2, 1], &two[..6], 3, |_| ())), [""; 0]);
}

#[test]
fn the_order_on_a_link_is_no_matter_where_messages_overtake() {
    // Two tokens behind each other; the first goes around and is then the second.
    let steps = [wake(0), reach(1), reach(1), reach(0), reach(1)];
    assert_eq!(broken(&run(&[2, 1], &steps, 3, |_| ())), [""; 0]);
    let no_fifo = |experiment: &mut Experiment<'_>| experiment.faults = vec![Fault::NoFifo];
    assert_eq!(broken(&run(&[2, 1], &steps, 3, no_fifo)), ["termination"]);
    // But which messages there are is.
    assert_eq!(broken(&run(&[2, 1], &steps[..4], 3, no_fifo)), [""; 0]);
}

#[test]
fn what_waits_for_room_is_where_it_was() {
    // Three tokens, and room for two: one waits, now here, now there.
    let steps = [wake(0), reach(1), reach(1)];
    let around = [reach(0), reach(1), reach(0), reach(1), reach(0), reach(1)];
    let steps = [&steps[..], &around].concat();
    let one = |experiment: &mut Experiment<'_>| experiment.capacity = Some(1);
    assert_eq!(broken(&run(&[3, 1], &steps, 3, one)), ["termination"]);
    for too_few in [4, 5, 6, 7, 8] {
        assert_eq!(broken(&run(&[3, 1], &steps[..too_few], 3, one)), [""; 0], "{too_few}");
    }
}

#[test]
fn an_alarm_that_is_set_again_is_as_it_was() {
    let steps = [wake(0), Action::Alarm(0)];
    assert_eq!(broken(&run(&[0], &steps, 1, |_| ())), ["termination"]);
    assert_eq!(broken(&run(&[0], &steps, 0, |_| ())), [""; 0]);
}

#[test]
fn no_steps_are_no_livelock() {
    assert_eq!(broken(&run(&[1], &[wake(0)], 1, |_| ())), [""; 0]);
    assert_eq!(broken(&run(&[1], &[wake(0)], 2, |_| ())), [""; 0]);
}
