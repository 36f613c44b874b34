//! An undisturbed run takes a loop compiled for its process, network and schedule. An observed run takes
//! the general engine, with the same outcome: an observer changes nothing.

use crate::common::{at_once, random_ids, schedules, some_of};
use crate::conformance::networks::{Named, networks};
use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, Custom};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status, Timing};
use suffrage_networks::{Ports, random::Generator};
use suffrage_simulator::{
    ElectionEvent, Experiment, Observer, Outcome, Pace, Property, Schedule, Simulator, Subject,
    Wakes,
};

/// An observer that does nothing.
struct Idle;

impl Observer for Idle {
    fn event(&mut self, _: u64, _: u32, _: &ElectionEvent<'_>) {}
}

/// Runs an experiment unobserved and observed; in both, stops it after `stop` calls of `on_progress`.
fn both<S: Subject>(subject: &S, experiment: &Experiment<'_>, stop: u32) -> [Outcome; 2] {
    let mut idle = Idle;
    [None, Some(&mut idle)].map(|observer| {
        let mut calls = 0;
        let mut simulator = Simulator::of(subject, experiment.clone()).on_progress(|delivered| {
            calls += 1;
            assert_eq!(delivered, u64::from(calls) << 16);
            if calls == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(observer) = observer {
            simulator = simulator.observer(observer);
        }
        simulator.run().unwrap_or_else(|error| panic!("{error}"))
    })
}

fn assert_same<S: Subject>(subject: &S, experiment: &Experiment<'_>, what: &str) -> Outcome {
    let [alone, watched] = both(subject, experiment, 0);
    assert_eq!(alone, watched, "{what}, {}, seed {}", experiment.schedule, experiment.seed);
    alone
}

/// All schedules, and uniform delays of other lengths: longer than a word of the calendar, and longer
/// than the calendar.
fn paces() -> Vec<Schedule> {
    let uniform = [1, 2, 63, 64, 500, 1024, 1025].map(Schedule::Uniform);
    schedules().into_iter().chain(uniform).collect()
}

/// All at the start, some at the start, and some from time to time.
fn wakes(nodes: u32, seed: u64) -> [Wakes; 3] {
    let some = some_of(nodes, nodes.div_ceil(3), seed);
    let spread = some.iter().map(|&node| (u64::from(node) % 5, node)).collect();
    [Wakes::All, at_once(some), Wakes::At(spread)]
}

/// The networks for an algorithm, and a ring or a complete network whose neighbours are stored.
fn all_networks(network: NetworkClass, nodes: u32) -> Vec<Named> {
    let stored = |spec: String| Named {
        wiring: crate::common::wired(&spec, Ports::Rotation, 1),
        name: format!("{spec}, stored"),
    };
    let more = match network {
        NetworkClass::Ring if nodes > 2 => vec![stored(format!("ring:{nodes}"))],
        NetworkClass::Complete if nodes > 2 => vec![stored(format!("erdos-renyi:{nodes}:1"))],
        _ => vec![],
    };
    networks(network, nodes).into_iter().chain(more).collect()
}

#[test]
fn whoever_only_watches_changes_nothing() {
    for row in Algorithm::all().filter(|row| row.timing == Timing::Asynchronous) {
        for nodes in [1, 2, 3, 10] {
            let ids = random_ids(nodes, 5);
            for Named { name, wiring } in all_networks(row.network, nodes) {
                for (seed, schedule) in (0..).zip(paces()) {
                    let mut wakes = wakes(nodes, seed).into_iter().cycle().skip(seed as usize);
                    let wakes = wakes.next().unwrap_or(Wakes::All);
                    // Some printed forms never end.
                    let (start, event_limit) = (Experiment::new(&wiring, &ids), 2_000);
                    let experiment = Experiment { schedule, wakes, seed, event_limit, ..start };
                    assert_same(row, &experiment, &format!("{} on {name}", row.name));
                }
            }
        }
    }
}

#[test]
fn whoever_only_watches_changes_nothing_in_a_run_that_is_stopped() {
    let (nodes, name) = (700, "lelann");
    let row = crate::common::row(name);
    let (wiring, ids) = (crate::common::network_for(row.network, nodes), random_ids(nodes, 2));
    for schedule in [Schedule::Synchronous, Schedule::Uniform(10)] {
        for event_limit in [1, 2, 699, 700, 701, 65_536, 70_000, 490_699, 490_700, 490_701] {
            let schedule = schedule.clone();
            let experiment = Experiment { schedule, event_limit, ..Experiment::new(&wiring, &ids) };
            let outcome = assert_same(row, &experiment, name);
            assert_eq!(outcome.delivered, event_limit.min(490_700));
            assert_eq!(outcome.violations.is_empty(), event_limit >= 490_700);
        }
        for stop in [1, 2, 7] {
            let schedule = schedule.clone();
            let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
            let [alone, watched] = both(row, &experiment, stop);
            assert_eq!(alone, watched, "{name} stopped after {stop} calls");
            assert!(alone.interrupted && alone.delivered == u64::from(stop) << 16);
        }
    }
}

/// A message of two kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Word {
    Short(u32),
    Long(Id, u32),
}

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("short"), Kind::announcement("long").ids(1)];
    fn kind(&self) -> usize {
        match self {
            Self::Short(_) => 0,
            Self::Long(..) => 1,
        }
    }
}

/// A process that throws coins to decide what to do, allowed or not: it sends several messages, some
/// through ports that it does not have, rejects messages, changes its mind, halts, and sets alarms
/// unless it is `CALM`. Of the networks it takes `CLASS`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Unruly<const CLASS: u8, const CALM: bool> {
    id: Id,
    degree: u32,
    strength: u32,
    status: Status,
    done: bool,
}

impl<const CLASS: u8, const CALM: bool> Unruly<CLASS, CALM> {
    fn act(&mut self, net: &mut impl Net<Word>) {
        for _ in 0..net.choose(3) {
            if self.strength == 0 {
                break;
            }
            self.strength -= 1;
            let (action, port) = (net.choose(11), net.choose(self.degree));
            match action {
                0 => net.reject("a coin says so"),
                1 => net.reject("another coin says so"),
                2 => net.send(Port(self.degree + port), Word::Short(0)),
                3 => self.status = Status::Leader,
                4 => self.status = Status::Follower,
                5 if !CALM => net.set_alarm(port),
                6 if self.strength < 5 => self.done = true,
                7 => net.send_all(Word::Long(self.id, self.strength)),
                // One port in so many does not exist.
                _ => net.send(Port(port), Word::Short(self.strength)),
            }
        }
    }
}

impl<const CLASS: u8, const CALM: bool> Process for Unruly<CLASS, CALM> {
    const NETWORK: NetworkClass = match CLASS {
        0 => NetworkClass::OrientedRing,
        1 => NetworkClass::Complete,
        _ => NetworkClass::Connected,
    };
    type Knows = Id;
    type Msg = Word;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, degree, strength: 12, status: Status::Undecided, done: false }
    }
    fn wake(&mut self, net: &mut impl Net<Word>) {
        net.send_all(Word::Short(9));
        self.act(net);
    }
    fn receive(&mut self, _: Port, _: Word, net: &mut impl Net<Word>) {
        self.act(net);
    }
    fn alarm(&mut self, net: &mut impl Net<Word>) {
        self.act(net);
    }
    fn status(&self) -> Status {
        self.status
    }
    fn leader(&self) -> Option<Id> {
        (self.status == Status::Leader).then_some(self.id)
    }
    fn halted(&self) -> bool {
        self.done
    }
}

/// Watches unruly processes, and returns the properties that they broke.
fn watch_unruly<const CLASS: u8, const CALM: bool>(name: &'static str) -> Vec<Property> {
    let unruly = Custom::<Unruly<CLASS, CALM>>::new(name);
    let mut random = Generator::new(1, name);
    let (mut broken, mut late) = (Vec::new(), 0);
    for seed in 0..60 {
        let nodes = 1 + random.below(12) as u32;
        let ids = random_ids(nodes, seed);
        for Named { name, wiring } in all_networks(<Unruly<CLASS, CALM> as Process>::NETWORK, nodes)
        {
            for schedule in [
                Schedule::Synchronous,
                Schedule::Uniform(10),
                Schedule::Rounds(Pace::Unit),
                Schedule::PerLink(3),
            ] {
                let [all, some, spread] = wakes(nodes, seed);
                let wakes = [all, some, spread][random.below(3) as usize].clone();
                let experiment =
                    Experiment { schedule, wakes, seed, ..Experiment::new(&wiring, &ids) };
                let outcome = assert_same(&unruly, &experiment, &name);
                broken.extend(outcome.violations.iter().map(|breach| breach.violation.property));
                late += outcome.late;
            }
        }
    }
    assert!(late > 0, "{name}: messages reached processes that had halted");
    broken.sort_unstable_by_key(|property| property.name());
    broken.dedup();
    broken
}

#[test]
fn whoever_only_watches_changes_nothing_among_unruly_processes() {
    for broken in [
        watch_unruly::<0, true>("calm on rings"),
        watch_unruly::<1, true>("calm on complete networks"),
        watch_unruly::<2, true>("calm on any network"),
        watch_unruly::<2, false>("unruly"),
    ] {
        for property in
            [Property::AtMostOneLeader, Property::IrrevocableStatus, Property::PossibleMessages]
        {
            assert!(broken.contains(&property), "{property:?} was never broken");
        }
    }
}
