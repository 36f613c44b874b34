//! What the checker finds, replayed.

use suffrage_algorithms::{Custom, ROUNDS};
use suffrage_checker::{CheckReport, Checkable, Checker, Family, Objective, Wake, search_worst};
use suffrage_figures::run::Run;
use suffrage_model::{Action, Id, Kind, Message, Net, NetworkClass, Port, Process, Status, Timing};
use suffrage_simulator::Outcome;

fn checked(subject: &impl Checkable, family: &Family) -> CheckReport {
    Checker::new(subject, family).run().unwrap()
}

fn replayed(run: &Run) -> Outcome {
    let outcome = run.replay(None).unwrap().outcome;
    assert_eq!(outcome.violations, [], "{}", run.header.algorithm);
    outcome
}

/// A tick has many steps: their numbers are no time.
#[test]
fn an_execution_in_rounds_takes_as_long_when_it_is_replayed() {
    for row in ROUNDS {
        let family = Family::everything(row.network, 3).unwrap().timed(row.timing);
        let report = checked(row, &family);
        let greatest = report.costs.unwrap().greatest_time.unwrap();
        let execution = report.worst.unwrap().execution;
        let run = Run::of_execution(row.name, &execution, None);
        assert!(replayed(&run).units.unwrap() <= greatest, "{}", row.name);

        let instance = Family { wake: Wake::AtStart, ..family }.get(0);
        let found = search_worst(row, &instance, Objective::Messages, 2, 1, &mut |_| {
            std::ops::ControlFlow::Continue(())
        });
        let run = Run::of_execution(row.name, &found.unwrap().execution, None);
        assert!(replayed(&run).units.unwrap() <= greatest, "{}", row.name);
    }
}

/// Tells its neighbours every third tick that it is there, without an end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Restless;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Here;

impl Message for Here {
    const KINDS: &'static [Kind] = &[Kind::election("here")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Restless {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    const TIMING: Timing = Timing::Rounds;
    type Knows = Id;
    type Msg = Here;

    fn new(_: Id, _: u32) -> Self {
        Self
    }
    fn wake(&mut self, net: &mut impl Net<Here>) {
        self.alarm(net);
    }
    fn receive(&mut self, _: Port, _: Here, _: &mut impl Net<Here>) {}
    fn alarm(&mut self, net: &mut impl Net<Here>) {
        net.set_alarm(3);
        net.send_all(Here);
    }
    fn status(&self) -> Status {
        Status::Undecided
    }
    fn leader(&self) -> Option<Id> {
        None
    }
    fn halted(&self) -> bool {
        false
    }
}

/// The loop of an execution begins at an action: ticks are none.
#[test]
fn a_livelock_in_rounds_is_one_when_it_is_replayed() {
    let restless = Custom::<Restless>::new("restless");
    let family = Family::everything(NetworkClass::Complete, 2).unwrap();
    let family = Family { wake: Wake::AtStart, ..family };
    let (_, found) = checked(&restless, &family).counterexample.unwrap();
    let execution = found.execution;
    let before = execution.loop_start.unwrap();
    assert!(execution.moves[before..].iter().any(|of| matches!(of, Action::Alarm(_))));
    let mut file = Vec::new();
    Run::of_execution("restless", &execution, None).write(&mut file).unwrap();
    let run = Run::read("a file", file.as_slice()).unwrap();
    let outcome = run.replay_of(&restless, None).unwrap().outcome;
    let broken: Vec<_> =
        outcome.violations.iter().map(|breach| breach.violation.property.name()).collect();
    assert_eq!(broken, ["termination"]);
}
