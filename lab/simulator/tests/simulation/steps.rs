//! Schedules written step by step, as a checker writes them: with faults that strike one message,
//! and with an end before the election's.

use crate::common::{breaks, broken, elect, ids, replay_of, row, traced};
use std::sync::Arc;
use suffrage_algorithms::Custom;
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::{End, Wiring};
use suffrage_simulator::{
    Action, Adversary, Amount, Experiment, Fault, Outcome, Property, Recording, Schedule,
    Simulator, Tracer, Wakes,
};

const fn end(node: u32, port: u32) -> End {
    End { node, port: Port(port) }
}

const fn deliver(node: u32, port: u32) -> Action {
    Action::Deliver { to: end(node, port), overtakes: 0 }
}

/// A step is a tick.
fn schedule(steps: &[Action]) -> Schedule {
    let steps = (1..).zip(steps.iter().copied()).collect();
    Schedule::Replay(Arc::new(Recording::new("steps".into(), steps)))
}

/// An experiment in which only the steps happen.
fn only<'a>(wiring: &'a Wiring, ids: &'a [Id], steps: &[Action]) -> Experiment<'a> {
    let wakes = Wakes::At(Vec::new());
    Experiment { wakes, schedule: schedule(steps), ..Experiment::new(wiring, ids) }
}

/// The schedule of these steps, and that of the trace which it leaves, have the same execution.
fn comes_again(name: &str, experiment: &Experiment<'_>) -> Outcome {
    let (outcome, trace) = traced(name, experiment);
    let again = Experiment { schedule: replay_of(&trace), ..experiment.clone() };
    let (same, same_trace) = traced(name, &again);
    assert_eq!(same, outcome);
    assert!(same_trace == trace, "{same_trace}");
    // Watching changes nothing.
    assert_eq!(elect(name, experiment), outcome);
    outcome
}

/// On a ring of two, 1 wins: its token goes around and its announcement, too.
const RING_OF_TWO: [Action; 6] = [
    Action::Wake(0),
    deliver(1, 1),
    deliver(0, 1),
    deliver(1, 1),
    deliver(0, 1),
    // Never reached below.
    deliver(0, 1),
];

#[test]
fn a_replay_that_goes_to_the_end_is_finished() {
    let (ring, ids) = (Wiring::ring(2), ids([1, 2]));
    let outcome = comes_again("chang-roberts", &only(&ring, &ids, &RING_OF_TWO[..5]));
    assert_eq!(broken(&outcome), [""; 0]);
    assert!(!outcome.unfinished && outcome.halted && outcome.agreed);
    assert_eq!((outcome.messages.total(), outcome.time), (4, 5));
}

#[test]
fn a_replay_that_stops_on_the_way_has_broken_nothing() {
    let (ring, ids) = (Wiring::ring(2), ids([1, 2]));
    for steps in 1..5 {
        let outcome = comes_again("chang-roberts", &only(&ring, &ids, &RING_OF_TWO[..steps]));
        assert!(outcome.unfinished && !outcome.interrupted, "{steps}: {outcome:?}");
        assert_eq!(broken(&outcome), [""; 0], "{steps}");
        // It leads from the third step on.
        assert_eq!(outcome.leader.is_some(), steps >= 3, "{steps}");
    }
}

#[test]
fn where_nothing_can_happen_any_more_a_leader_is_missed() {
    let (ring, ids) = (Wiring::ring(2), ids([1, 2]));
    let outcome = elect("chang-roberts", &only(&ring, &ids, &[]));
    assert_eq!(broken(&outcome), ["exactly-one-leader", "everyone-halted"]);
    assert!(!outcome.unfinished);
    let lost = [Action::Wake(0), Action::Lose { to: end(1, 1) }];
    let outcome = comes_again("chang-roberts", &only(&ring, &ids, &lost));
    assert_eq!(broken(&outcome), ["exactly-one-leader", "everyone-halted"]);
    assert_eq!((outcome.unfinished, outcome.lost, outcome.delivered), (false, 1, 0));
    assert_eq!(outcome.time, 2);
}

#[test]
fn a_replay_that_stops_tells_what_could_have_happened_next() {
    let (ring, ids) = (Wiring::ring(2), ids([1, 2]));
    let wakes = Wakes::At(vec![(0, 0), (0, 1)]);
    let next = |steps: &[Action]| {
        let experiment = Experiment { wakes: wakes.clone(), ..only(&ring, &ids, steps) };
        let outcome = elect("chang-roberts", &experiment);
        assert_eq!(outcome.unfinished, !outcome.possible.is_empty());
        outcome.possible
    };
    assert_eq!(next(&[]), [Action::Wake(0), Action::Wake(1)]);
    assert_eq!(next(&[Action::Wake(0)]), [Action::Wake(1), deliver(1, 1)]);
    assert_eq!(next(&[Action::Wake(0), Action::Wake(1)]), [deliver(0, 1), deliver(1, 1)]);
    for steps in 2..5 {
        assert_eq!(next(&RING_OF_TWO[..steps]), RING_OF_TWO[steps..=steps]);
    }
    assert_eq!(next(&RING_OF_TWO[..5]), []);
}

#[test]
fn a_recording_goes_on_in_the_order_of_an_adversary() {
    let (ring, ids) = (Wiring::ring(5), ids([3, 5, 1, 4, 2]));
    let wakes = Wakes::At((0..5).map(|node| (0, node)).collect());
    let steps = [Action::Wake(1), deliver(2, 1), Action::Wake(4), deliver(0, 1), deliver(1, 1)];
    for adversary in [Adversary::Random(7), Adversary::Newest, Adversary::Oldest] {
        for taken in 0..=steps.len() {
            let numbered = (1..).zip(steps[..taken].iter().copied()).collect();
            let recording = Recording::new("steps".into(), numbered).then(adversary);
            let schedule = Schedule::Replay(Arc::new(recording));
            let going =
                Experiment { wakes: wakes.clone(), schedule, ..Experiment::new(&ring, &ids) };
            let (outcome, trace) = traced("chang-roberts", &going);
            assert!(
                !outcome.unfinished && outcome.agreed,
                "{adversary:?} after {taken}: {outcome:?}"
            );
            assert_eq!(broken(&outcome), [""; 0], "{adversary:?} after {taken}");
            // What happened is a recording, too, which begins with the steps.
            let again = Recording::read("trace", trace.as_bytes()).unwrap();
            let begin: Vec<_> = again.steps().iter().map(|&(_, step)| step).take(taken).collect();
            assert_eq!(begin, steps[..taken]);
            let again = Experiment { schedule: Schedule::Replay(Arc::new(again)), ..going.clone() };
            assert_eq!(elect("chang-roberts", &again), outcome);
        }
    }
}

#[test]
fn a_doubled_message_arrives_twice_and_counts_twice() {
    let (clique, ids) = (Wiring::complete(2), ids([1, 2]));
    let steps = [
        Action::Wake(0),
        Action::Duplicate { to: end(1, 0) },
        deliver(1, 0),
        deliver(1, 0),
        deliver(0, 0),
    ];
    let outcome = comes_again("all-to-all", &only(&clique, &ids, &steps));
    // 1 has halted after the first copy.
    assert_eq!((outcome.messages.total(), outcome.delivered, outcome.late), (3, 3, 1));
    assert_eq!(outcome.peak_in_flight, 2);
    assert_eq!(broken(&outcome), [""; 0], "claims are for networks without faults");
    // The copy takes no room: the link is full, and still gets it.
    let full = Experiment { capacity: Some(1), ..only(&clique, &ids, &steps) };
    assert_eq!(comes_again("all-to-all", &full), outcome);
}

#[test]
fn a_crash_needs_no_fault_in_the_experiment() {
    let (clique, ids) = (Wiring::complete(3), ids([1, 2, 3]));
    let steps = [
        Action::Wake(0),
        Action::Crash(2),
        deliver(1, 1),
        deliver(0, 0),
        // To the crashed one, and lost.
        deliver(2, 0),
    ];
    let alone = only(&clique, &ids, &steps);
    let outcome = comes_again("all-to-all", &alone);
    // One message is left, on its way to the crashed process: nothing comes of it.
    assert!(!outcome.unfinished, "{outcome:?}");
    assert_eq!((outcome.lost, outcome.messages.total(), outcome.delivered), (1, 4, 2));
    assert_eq!(broken(&outcome), ["exactly-one-leader", "everyone-halted"]);
    // With the fault as well, it crashes once.
    let faults = vec![Fault::Crash { node: 2, at: 2 }];
    assert_eq!(comes_again("all-to-all", &Experiment { faults, ..alone }), outcome);
}

#[test]
fn a_message_may_overtake_where_the_recording_says_so() {
    // Both messages of a doubling are the same, so that the order shows in the trace alone.
    let (clique, ids) = (Wiring::complete(2), ids([1, 2]));
    let overtaking = Action::Deliver { to: end(1, 0), overtakes: 1 };
    let steps = [Action::Wake(0), Action::Duplicate { to: end(1, 0) }, overtaking];
    let (outcome, trace) = traced("all-to-all", &only(&clique, &ids, &steps));
    assert!(outcome.unfinished && trace.contains("\"overtakes\":1"), "{trace}");
}

#[test]
fn a_full_link_makes_its_sender_wait_in_a_replay_too() {
    // Afek and Gafni on links of one message: 0 and 1 cannot both send into full links for ever.
    let (clique, ids) = (Wiring::complete(3), ids([1, 2, 3]));
    let experiment = Experiment {
        schedule: Schedule::Newest,
        capacity: Some(1),
        ..Experiment::new(&clique, &ids)
    };
    let (outcome, trace) = traced("echo-extinction", &experiment);
    let again = Experiment { schedule: replay_of(&trace), ..experiment.clone() };
    assert_eq!(elect("echo-extinction", &again), outcome);
    let narrow = Experiment {
        capacity: Some(1),
        ..only(&clique, &ids, &[Action::Wake(0), Action::Wake(1), Action::Wake(2)])
    };
    assert!(elect("echo-extinction", &narrow).unfinished);
}

#[test]
fn what_is_broken_on_the_way_is_broken() {
    // As published, both of two elect themselves where messages are doubled: LeLann rejects.
    let (ring, ids) = (Wiring::ring(2), ids([1, 2]));
    let steps = [
        Action::Wake(0),
        deliver(1, 1),
        Action::Duplicate { to: end(0, 1) },
        deliver(0, 1),
        deliver(0, 1),
    ];
    let outcome = comes_again("lelann", &only(&ring, &ids, &steps));
    assert!(outcome.unfinished);
    assert!(breaks(&outcome, Property::PossibleMessages), "{outcome:?}");
    assert_eq!(broken(&outcome).len(), 1);
}

/// Flips a coin as it wakes, and is the leader if it falls on 2.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gambler(Vec<u32>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Nothing;

impl Message for Nothing {
    const KINDS: &'static [Kind] = &[Kind::election("nothing")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Gambler {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = ();
    type Msg = Nothing;
    fn new((): (), _: u32) -> Self {
        Self(Vec::new())
    }
    fn wake(&mut self, net: &mut impl Net<Nothing>) {
        self.0 = (0..3).map(|_| net.choose(2)).collect();
    }
    fn receive(&mut self, _: Port, _: Nothing, _: &mut impl Net<Nothing>) {}
    fn status(&self) -> Status {
        match self.0.first() {
            Some(2) => Status::Leader,
            Some(_) => Status::Follower,
            None => Status::Undecided,
        }
    }
    fn halted(&self) -> bool {
        !self.0.is_empty()
    }
}

fn gamble(coins: Vec<u32>) -> Result<Outcome, String> {
    let (clique, ids) = (Wiring::complete(2), ids([1, 2]));
    let steps = vec![(1, Action::Wake(0)), (2, Action::Wake(1))];
    let recording = Recording::new("steps".into(), steps).with_coins(coins);
    let schedule = Schedule::Replay(Arc::new(recording));
    let experiment = Experiment { schedule, ..only(&clique, &ids, &[]) };
    Simulator::of(&Custom::<Gambler>::new("custom"), experiment)
        .run()
        .map_err(|error| error.to_string())
}

#[test]
fn recorded_coins_fall_in_their_order() {
    for (coins, leader) in
        [(vec![2, 0, 0, 1, 0, 0], Some(0)), (vec![0, 1, 2, 2, 2, 2], Some(1)), (vec![0; 6], None)]
    {
        let outcome = gamble(coins).unwrap();
        assert_eq!(outcome.leader.map(|leader| leader.node), leader);
    }
    // After the last one the seed goes on.
    assert!(gamble(vec![2]).is_ok());
    let said = gamble(vec![0, 0, 0, 3]).unwrap_err();
    let says = "its step 2 makes process 1 choose a number in 0..=2, and the recorded coin is 3";
    assert!(said.contains(says), "{said}");
}

#[test]
fn the_coins_of_a_trace_are_in_its_first_line() {
    let trace = "{\"suffrage-run\":1,\"coins\":[1,0,2]}\n";
    let recording = Recording::read("a trace", trace.as_bytes()).unwrap();
    assert_eq!(recording.coins(), [1, 0, 2]);
    let plain = Recording::read("a trace", &b"{\"suffrage-run\":1}\n"[..]).unwrap();
    assert!(plain.coins().is_empty());
}

/// A loss by chance and a loss by a step are told apart, or a replay would lose twice.
#[test]
fn losses_by_chance_and_losses_by_a_step_replay_together() {
    let (clique, ids) = (Wiring::complete(4), ids([1, 2, 3, 4]));
    let faults = vec![Fault::Loss(Amount::Probability(0.3))];
    let mut steps = (0..4).map(Action::Wake).collect::<Vec<_>>();
    let experiment = Experiment { faults: faults.clone(), ..only(&clique, &ids, &steps) };
    let sent = elect("all-to-all", &experiment);
    assert!(sent.lost > 0 && sent.lost < 12, "{}", sent.lost);
    let there = |end: &End| {
        let mut steps = steps.clone();
        steps.push(Action::Lose { to: *end });
        let schedule = schedule(&steps);
        let experiment = Experiment { schedule, ..experiment.clone() };
        Simulator::of(row("all-to-all"), experiment).run().is_ok()
    };
    let ends = (0..4).flat_map(|node| (0..3).map(move |port| end(node, port)));
    let left: Vec<_> = ends.filter(there).collect();
    assert_eq!(left.len() as u64 + sent.lost, 12);
    steps.push(Action::Lose { to: left[0] });
    let outcome = comes_again("all-to-all", &Experiment { faults, ..only(&clique, &ids, &steps) });
    assert_eq!(outcome.lost, sent.lost + 1);
}

#[test]
fn a_trace_says_that_a_message_was_struck_on_its_link() {
    let (ring, ids) = (Wiring::ring(2), ids([1, 2]));
    let steps = [Action::Wake(0), Action::Lose { to: end(1, 1) }];
    let mut tracer = Tracer::new(Vec::new(), &()).unwrap();
    Simulator::of(row("lelann"), only(&ring, &ids, &steps)).observer(&mut tracer).run().unwrap();
    let trace = String::from_utf8(tracer.finish().unwrap()).unwrap();
    let last = trace.lines().last().unwrap();
    assert_eq!(
        last,
        "{\"at\":2,\"event\":\"lose\",\"from\":[0,0],\"to\":[1,1],\"kind\":\"token\",\
         \"message\":\"Elect(Token(Id(1)))\",\"on_link\":true,\"clock\":1}"
    );
}
