//! A livelock, from the checker by a file to the simulator. No algorithm of the catalogue has one.

use super::Course;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{Faults, Instance, Options, Specification, Verdict, explore};
use suffrage::process::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage::simulator::simulate_process;
use suffrage::topology::wiring::Wiring;

/// A process that passes on every token but the first; the one with identity 1 passes on all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PassesOn {
    id: Id,
    kept: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Token(Id);

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
        Self { id, kept: false }
    }
    fn wake(&mut self, net: &mut impl Net<Token>) {
        net.send(Port::NEXT, Token(self.id));
    }
    fn receive(&mut self, _: Port, token: Token, net: &mut impl Net<Token>) {
        if self.id.get() == 1 || self.kept {
            net.send(Port::NEXT, token);
        }
        self.kept = true;
    }
    fn status(&self) -> Status {
        Status::Undecided
    }
    fn halted(&self) -> bool {
        false
    }
}

/// The course of a livelock on a ring, as it is read from its file.
fn livelock(faults: Faults) -> Course {
    let ids = [1, 2, 3].map(Id::new).to_vec();
    let instance = Instance { faults, ..Instance::new(Wiring::ring(3), ids) };
    let specification = Specification::<PassesOn>::these(&[Property::Termination]);
    let found = explore(&instance, &specification, &Options::default()).expect("it fits").verdict;
    let Verdict::Broken(found) = found else { panic!("{found:?}") };
    let row = Algorithm::named("chang-roberts").expect("a row");
    let course = Course::of(row, &found.execution, Some(&found.broken));
    Course::parse(&course.json().expect("a course is JSON")).expect("it can be read")
}

#[test]
fn a_livelock_that_the_checker_found_is_reproduced() {
    for no_fifo in [false, true] {
        let course = livelock(Faults { no_fifo, ..Faults::default() });
        let replayed = course.replay_by(None, simulate_process::<PassesOn>).expect("it fits");
        assert_eq!((replayed.reproduced, replayed.unfinished), (Some(true), false));
        let text = replayed.text();
        let steps = course.steps.len();
        for part in [
            format!("loop            from step {} to step {steps}", steps - 2),
            format!("BROKEN: termination at step {steps}"),
            "livelock: the last 3 steps lead back to where they began".to_owned(),
        ] {
            assert!(text.contains(&part), "{text}");
        }
    }
}

#[test]
fn a_course_that_does_not_come_back_is_not() {
    let course = livelock(Faults::default());
    let around = course.around.map(|before| before - 1);
    for course in [Course { around, ..course.clone() }, Course { around: None, ..course }] {
        let replayed = course.replay_by(None, simulate_process::<PassesOn>).expect("it fits");
        assert_eq!(replayed.reproduced, Some(false));
        assert!(replayed.text().contains("NOT REPRODUCED: the course is to break termination"));
    }
}
