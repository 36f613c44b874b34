//! What no algorithm of the catalogue does, shown by processes made for it: they throw coins and
//! set alarms, and break every property that a run is held to.

use crate::common::{at_once, breaks, broken, ids};
use std::io::Cursor;
use std::sync::Arc;
use suffrage_algorithms::Custom;
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Size, Status};
use suffrage_networks::wiring::Wiring;
use suffrage_simulator::{
    ElectionEvent, Experiment, Observer, Outcome, Pace, Property, Recording, Schedule, Simulator,
    Tracer,
};

/// A number on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Number(u32);

impl Message for Number {
    const KINDS: &'static [Kind] = &[Kind::election("number").counters(1)];
    fn kind(&self) -> usize {
        0
    }
}

/// Defines a process on a complete network: its state after `new`, and what it does.
macro_rules! process {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $start:expr),* $(,)? }
     wake($me:ident, $net:ident) $wake:block
     receive($you:ident, $number:ident, $more:ident) $receive:block
     alarm($they:ident, $late:ident) $alarm:block
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        struct $name { id: Id, size: u32, status: Status, names: Option<Id>, done: bool, $($field: $type),* }

        impl Process for $name {
            const NETWORK: NetworkClass = NetworkClass::Complete;
            type Knows = (Id, Size);
            type Msg = Number;

            fn new((id, Size(size)): (Id, Size), _degree: u32) -> Self {
                Self {
                    id, size, status: Status::Undecided, names: None, done: false,
                    $($field: $start),*
                }
            }
            fn wake(&mut self, $net: &mut impl Net<Number>) { let $me = self; $wake }
            fn receive(&mut self, _: Port, Number($number): Number, $more: &mut impl Net<Number>) {
                let $you = self;
                $receive
            }
            fn alarm(&mut self, $late: &mut impl Net<Number>) { let $they = self; $alarm }
            fn status(&self) -> Status { self.status }
            fn leader(&self) -> Option<Id> { self.names }
            fn halted(&self) -> bool { self.done }
        }
    };
}

process! {
    /// Sends 1000 throws of a die to the next process, and so on; all follow the first.
    Dice {}
    wake(me, net) {
        for _ in 0..1000 {
            let throw = net.choose(5);
            net.send(Port(0), Number(throw));
        }
        (me.status, me.done) = (Status::Leader, true);
    }
    receive(_you, _number, _net) {}
    alarm(_they, _net) {}
}

process! {
    /// Sets an alarm in 10 ticks, and then one in 4 in its place; rings on until it has rung thrice.
    Clock { rung: u32 = 0 }
    wake(me, net) {
        net.set_alarm(10);
        net.set_alarm(4);
        me.status = Status::Leader;
    }
    receive(_you, _number, _net) {}
    alarm(they, net) {
        they.rung += 1;
        if they.rung == 3 {
            they.names = Some(they.id);
            they.done = true;
        } else {
            net.set_alarm(they.rung * 5);
        }
    }
}

process! {
    /// Sets alarms without end.
    Metronome {}
    wake(_me, net) { net.set_alarm(1); }
    receive(_you, _number, _net) {}
    alarm(_they, net) { net.set_alarm(1); }
}

process! {
    /// Everyone who wakes leads.
    Anarchy {}
    wake(me, _net) { (me.status, me.names, me.done) = (Status::Leader, Some(me.id), true); }
    receive(_you, _number, _net) {}
    alarm(_they, _net) {}
}

process! {
    /// Leads on waking, tells all, and follows when it is told. A follower names itself.
    Waverer {}
    wake(me, net) {
        me.status = Status::Leader;
        net.send_all(Number(0));
    }
    receive(you, _number, _net) { (you.status, you.done) = (Status::Follower, true); }
    alarm(_they, _net) {}
}

process! {
    /// The first to wake leads and tells all; those who hear of it name themselves.
    Dissenter {}
    wake(me, net) {
        (me.status, me.names, me.done) = (Status::Leader, Some(me.id), true);
        net.send_all(Number(0));
    }
    receive(you, _number, _net) {
        (you.status, you.names, you.done) = (Status::Follower, Some(you.id), true);
    }
    alarm(_they, _net) {}
}

process! {
    /// As before, but those that hear of it name no leader.
    Silent {}
    wake(me, net) {
        (me.status, me.names, me.done) = (Status::Leader, Some(me.id), true);
        net.send_all(Number(0));
    }
    receive(you, _number, _net) { (you.status, you.done) = (Status::Follower, true); }
    alarm(_they, _net) {}
}

process! {
    /// Leads, and rejects whatever it receives.
    Rejecter {}
    wake(me, net) {
        me.status = Status::Leader;
        net.send_all(Number(me.size));
    }
    receive(_you, _number, net) { net.reject("numbers are of no use to it"); }
    alarm(_they, _net) {}
}

process! {
    /// Passes a number on, one less each time, until it is 0.
    Countdown {}
    wake(_me, net) { net.send(Port(0), Number(9)); }
    receive(_you, number, net) {
        if number > 0 {
            net.send(Port(0), Number(number - 1));
        }
    }
    alarm(_they, _net) {}
}

/// On a complete network of `n`, of whom `initiators` wake at once.
fn run<P: Process>(n: u32, initiators: &[u32], seed: u64) -> Outcome {
    let (clique, ids) = (Wiring::complete(n), ids(1..=n.into()));
    let wakes = at_once(initiators.iter().copied());
    let experiment =
        Experiment { wakes, seed, event_limit: 10_000, ..Experiment::new(&clique, &ids) };
    Simulator::of(&Custom::<P>::new("custom"), experiment).run().expect("a possible experiment")
}

/// The ticks of alarms, and the numbers in sent messages.
#[derive(Default)]
struct Log {
    alarms: Vec<u64>,
    numbers: Vec<u32>,
}

impl Observer for Log {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        match event {
            ElectionEvent::Alarm(_) => self.alarms.push(at),
            ElectionEvent::Send(passage) => {
                let text = format!("{:?}", passage.message);
                let digits = text.trim_matches(|c: char| !c.is_ascii_digit());
                self.numbers.push(digits.parse().expect("a number"));
            }
            _ => {}
        }
    }
}

fn logged<P: Process>(n: u32, schedule: Schedule, seed: u64) -> Log {
    let (clique, ids) = (Wiring::complete(n), ids(1..=n.into()));
    let wakes = at_once([0]);
    let experiment = Experiment { wakes, schedule, seed, ..Experiment::new(&clique, &ids) };
    let mut log = Log::default();
    Simulator::of(&Custom::<P>::new("custom"), experiment)
        .observer(&mut log)
        .run()
        .expect("a possible experiment");
    log
}

#[test]
fn coins_are_fair_and_come_from_the_seed() {
    let throws = |seed| logged::<Dice>(2, Schedule::Synchronous, seed).numbers;
    let mut counts = [0_u32; 6];
    for throw in throws(1) {
        counts[throw as usize] += 1;
    }
    // 167 of each are expected, with a standard deviation of 12.
    assert!(counts.iter().all(|count| (107..227).contains(count)), "{counts:?}");
    assert_eq!(throws(1), throws(1));
    assert_ne!(throws(1), throws(2));
}

#[test]
fn coins_do_not_depend_on_the_schedule() {
    let throws = |schedule| logged::<Dice>(2, schedule, 1).numbers;
    let first = throws(Schedule::Synchronous);
    assert!(crate::common::schedules().into_iter().all(|schedule| throws(schedule) == first));
}

process! {
    /// Two of these tell each other at each tick of an alarm, and notice what comes first.
    Punctual { told: u32 = 0, rung: u32 = 0, first: Option<bool> = None }
    wake(me, net) {
        net.set_alarm(1);
        net.send(Port(0), Number(0));
        me.status = Status::Undecided;
    }
    receive(you, _number, _net) {
        you.told += 1;
        you.first.get_or_insert(you.rung == 0);
    }
    alarm(they, net) {
        they.rung += 1;
        they.first.get_or_insert(they.told > 0);
        if they.first == Some(true) && they.told == they.rung {
            (they.status, they.names) = (Status::Follower, Some(Id::new(1)));
            if they.id == Id::new(1) {
                they.status = Status::Leader;
            }
            they.done = true;
        } else {
            net.reject("a message of this tick comes after the alarm");
        }
    }
}

#[test]
fn in_rounds_an_alarm_rings_after_the_messages_of_its_tick_and_elsewhere_before() {
    for (schedule, possible) in
        [(Schedule::Rounds(Pace::Unit), true), (Schedule::Synchronous, false)]
    {
        for capacity in [None, Some(u32::MAX)] {
            let (clique, ids) = (Wiring::complete(2), ids(1..=2));
            let schedule = schedule.clone();
            let experiment = Experiment { schedule, capacity, ..Experiment::new(&clique, &ids) };
            let outcome = Simulator::of(&Custom::<Punctual>::new("custom"), experiment).run();
            let outcome = outcome.expect("a possible experiment");
            assert_eq!(outcome.violations.is_empty(), possible, "{outcome:?}");
            assert_eq!(breaks(&outcome, Property::PossibleMessages), !possible);
        }
    }
}

#[test]
fn an_alarm_rings_when_it_was_set_for_and_in_place_of_the_one_before() {
    for schedule in crate::common::schedules() {
        let log = logged::<Clock>(1, schedule.clone(), 1);
        assert_eq!(log.alarms, [4, 4 + 5, 4 + 5 + 10], "{schedule}");
    }
    let outcome = run::<Clock>(1, &[0], 1);
    assert_eq!((outcome.violations.as_slice(), outcome.time), (&[][..], 19));
    assert!(outcome.agreed && outcome.halted);
}

#[test]
fn alarms_replay() {
    let (clique, ids) = (Wiring::complete(3), ids(1..=3));
    let run = |schedule| {
        let experiment = Experiment { schedule, ..Experiment::new(&clique, &ids) };
        let mut tracer = Tracer::new(Vec::new(), &()).unwrap();
        let outcome = Simulator::of(&Custom::<Clock>::new("custom"), experiment)
            .observer(&mut tracer)
            .run()
            .unwrap();
        (outcome, tracer.finish().unwrap())
    };
    for schedule in crate::common::schedules() {
        let (outcome, trace) = run(schedule);
        let recording = Recording::read("alarms", Cursor::new(&trace)).unwrap();
        assert_eq!(run(Schedule::Replay(Arc::new(recording))), (outcome, trace));
    }
}

/// It sends nothing, so an event limit that counted only deliveries would never be reached.
#[test]
fn alarms_without_end_are_stopped_by_patience() {
    assert_eq!(broken(&run::<Metronome>(2, &[0], 1)), ["termination"]);
}

#[test]
fn two_leaders_break_at_most_one_leader_and_exactly_one_leader() {
    assert_eq!(broken(&run::<Anarchy>(2, &[0], 1)), ["everyone-halted"]);
    let outcome = run::<Anarchy>(4, &[0, 1, 3], 1);
    let all = ["at-most-one-leader", "exactly-one-leader", "agreement", "everyone-halted"];
    assert_eq!(broken(&outcome), all);
    assert_eq!(outcome.violations[0].violation.detail, "processes 0 and 1 are both leaders");
    assert_eq!(outcome.violations[1].violation.detail, "there are 3 leaders");
    assert_eq!((outcome.leader, outcome.agreed), (None, false));
}

#[test]
fn a_leader_that_follows_breaks_irrevocable_status() {
    let outcome = run::<Waverer>(2, &[0, 1], 1);
    assert!(breaks(&outcome, Property::IrrevocableStatus) && outcome.leader.is_none());
    let waverer = &outcome.violations[1];
    assert_eq!((waverer.violation.property, waverer.at), (Property::IrrevocableStatus, 1));
    assert_eq!(waverer.violation.detail, "process 1 was Leader and is now Follower");
}

#[test]
fn a_follower_that_names_another_breaks_agreement() {
    let outcome = run::<Dissenter>(3, &[1], 1);
    assert_eq!(broken(&outcome), ["agreement"]);
    assert_eq!(outcome.violations[0].violation.detail, "process 0 names 1, but the leader is 2");
    assert!(!outcome.agreed && outcome.halted && outcome.leader.is_some_and(|l| l.node == 1));
}

#[test]
fn followers_that_name_no_leader_do_not_agree_and_break_nothing() {
    let outcome = run::<Silent>(3, &[1], 1);
    assert_eq!(broken(&outcome), [""; 0]);
    assert!(!outcome.agreed && outcome.halted && outcome.leader.is_some());
}

#[test]
fn what_is_rejected_breaks_possible_messages() {
    let outcome = run::<Rejecter>(3, &[2], 1);
    assert_eq!(broken(&outcome), ["possible-messages", "everyone-halted"]);
    let rejected = &outcome.violations[0];
    assert_eq!(rejected.at, 1);
    assert!(
        rejected.violation.detail.ends_with("because numbers are of no use to it"),
        "{rejected}"
    );
}

#[test]
fn quiescence_without_a_leader_is_a_failure() {
    let outcome = run::<Countdown>(3, &[0], 1);
    assert_eq!(broken(&outcome), ["exactly-one-leader", "everyone-halted"]);
    assert_eq!((outcome.messages.total(), outcome.causal_depth, outcome.time), (10, 10, 10));
    assert!(
        outcome.violations[0].violation.detail.contains("3 processes are undecided, 0 of them")
    );
}

#[test]
fn who_is_never_reached_is_said_to_be_asleep() {
    let outcome = run::<Metronome>(1, &[0], 1);
    assert_eq!(outcome.woken, 1);
    let outcome = run::<Dice>(3, &[0], 1);
    assert_eq!(broken(&outcome), ["everyone-halted"]);
    assert!(outcome.violations[0].violation.detail.starts_with("2 processes wait forever (1, 2)"));
}

#[test]
fn nothing_is_sent_twice_or_forgotten_when_a_pulse_stops_the_run() {
    let (clique, ids) = (Wiring::complete(400), ids(1..=400));
    let mut pulses = Vec::new();
    let outcome = Simulator::new(crate::common::row("all-to-all"), &clique, &ids)
        .on_progress(|delivered| {
            pulses.push(delivered);
            std::ops::ControlFlow::Break(())
        })
        .run();
    let outcome = outcome.unwrap();
    assert!(outcome.interrupted && outcome.violations.is_empty() && outcome.leader.is_none());
    assert_eq!(pulses, [outcome.delivered]);
    assert!(outcome.delivered < 400 * 399);
}
