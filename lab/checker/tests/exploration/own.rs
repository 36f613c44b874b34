//! Processes and properties of one's own: lots, alarms, closures; deadlock and livelock.

use suffrage_algorithms::Property;
use suffrage_checker::{CheckVerdict, Counterexample, Instance, Options, Specification, explore};
use suffrage_model::{Action, Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::Wiring;

/// A process alone on a ring. Its identity says what it does when it wakes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Alone {
    id: Id,
    status: Status,
}

const DRAWS: u64 = 1;
const RINGS: u64 = 2;
const WAITS: u64 = 3;
const TURNS: u64 = 4;
const ERRS: u64 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Nothing;

impl Message for Nothing {
    const KINDS: &'static [Kind] = &[Kind::election("nothing")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Alone {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Nothing;

    fn new(id: Id, _: u32) -> Self {
        Self { id, status: Status::Undecided }
    }

    fn wake(&mut self, net: &mut impl Net<Nothing>) {
        match self.id.get() {
            DRAWS => {
                let both_are_one = net.choose(1) + net.choose(2) == 2 && net.choose(0) == 0;
                self.status = if both_are_one { Status::Follower } else { Status::Leader };
            }
            RINGS => net.set_alarm(3),
            TURNS => net.send(Port::NEXT, Nothing),
            ERRS => net.send(Port(2), Nothing),
            _ => {}
        }
    }

    fn receive(&mut self, _: Port, _: Nothing, net: &mut impl Net<Nothing>) {
        net.send(Port::NEXT, Nothing);
    }

    fn alarm(&mut self, _: &mut impl Net<Nothing>) {
        self.status = Status::Leader;
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.status != Status::Undecided
    }
}

fn alone(does: u64) -> Instance {
    Instance::new(Wiring::ring(1), vec![Id::new(does)])
}

fn broken(does: u64, specification: &Specification<'_, Alone>) -> Counterexample {
    let found = explore(&alone(does), specification, &Options::default());
    match found.expect("an instance that can be").verdict {
        CheckVerdict::Violated(found) => *found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_way_in_which_lots_may_fall_is_explored() {
    let all =
        explore(&alone(DRAWS), &Specification::<Alone>::these(&[]), &Options::default()).unwrap();
    // Asleep; a leader in four ways of six, and a follower in two.
    assert_eq!((all.states, all.transitions, all.terminal), (3, 6, 2));
    let found = broken(DRAWS, &Specification::election());
    assert_eq!(found.violation.property.name(), "exactly-one-leader");
    assert_eq!(found.execution.moves, [Action::Wake(0)]);
    assert_eq!(found.execution.coins, [0, 2, 0]);
}

#[test]
fn an_alarm_rings_once() {
    let found = explore(&alone(RINGS), &Specification::<Alone>::election(), &Options::default());
    let found = found.unwrap();
    assert!(matches!(found.verdict, CheckVerdict::Holds), "{:?}", found.verdict);
    assert_eq!((found.states, found.transitions, found.terminal), (3, 2, 1));
    assert_eq!(found.costs.unwrap().messages.max, 0);
}

#[test]
fn deadlock_and_livelock_are_told_apart() {
    let found = broken(WAITS, &Specification::election());
    assert_eq!(found.violation.property.name(), "exactly-one-leader");
    assert!(
        found.violation.detail.starts_with("nothing is under way any more"),
        "{}",
        found.violation.detail
    );
    let found = broken(TURNS, &Specification::election());
    assert_eq!(found.violation.property.name(), "termination");
    assert!(
        found.violation.detail.starts_with("livelock: after 1 steps"),
        "{}",
        found.violation.detail
    );
    assert_eq!(found.execution.moves.len(), 2);
}

#[test]
fn a_property_of_ones_own_is_held_in_every_configuration() {
    let specification =
        Specification::<Alone>::these(&[]).always("never awake", |here| here.is_asleep(0));
    let found = broken(RINGS, &specification);
    assert_eq!((found.violation.property.name(), found.execution.moves.len()), ("never awake", 1));
    let specification = Specification::<Alone>::these(&[])
        .always("nothing under way", |here| here.messages().count() == 0 && !here.has_crashed(0));
    let found = broken(TURNS, &specification);
    assert_eq!(found.execution.moves, [Action::Wake(0)]);
    // It is named, and the configuration is shown.
    assert_eq!(
        found.violation.detail,
        "`nothing under way` does not hold here: process 0 (id 4, running): Alone { id: Id(4), \
         status: Undecided }; on its way from 0 to 0: Nothing"
    );
}

#[test]
fn to_send_through_a_port_that_is_not_there_is_a_violation() {
    for specification in [Specification::election(), Specification::these(&[])] {
        let found = broken(ERRS, &specification);
        assert_eq!(found.violation.property, Property::ExistingPorts);
        assert_eq!(
            found.violation.detail,
            "process 0 sends through port 2, and has ports 0 to 1 only"
        );
        assert_eq!(found.execution.moves, [Action::Wake(0)]);
    }
}

#[test]
fn a_property_of_ones_own_is_held_at_the_end_alone() {
    let specification =
        Specification::<Alone>::these(&[]).finally("asleep", |end| end.is_asleep(0));
    let found = broken(RINGS, &specification);
    assert_eq!(found.violation.property.name(), "asleep");
    assert_eq!(found.execution.moves, [Action::Wake(0), Action::Alarm(0)]);
    let specification = Specification::<Alone>::these(&[]).finally("leads", |end| {
        end.processes().all(|process| process.status == Status::Leader) && end.ids().len() == 1
    });
    let found = explore(&alone(RINGS), &specification, &Options::default()).unwrap();
    assert!(matches!(found.verdict, CheckVerdict::Holds));
}
