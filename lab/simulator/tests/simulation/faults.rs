//! Each fault shows itself as a broken property, or is survived; and it does so again and again.

use crate::common::{at_once, breaks, broken, elect, ids, network_for, random_ids, row, traced};
use suffrage_algorithms::CATALOGUE;
use suffrage_networks::wiring::Wiring;
use suffrage_simulator::{
    Amount, Experiment, Fault, Outcome, Property, Schedule, SimulationError, Simulator, Wakes,
};

/// The experiment with one fault, on a ring.
fn on_a_ring(name: &str, fault: Fault, seed: u64) -> Outcome {
    let (ring, ids) = (Wiring::ring(12), random_ids(12, seed));
    let faults = vec![fault];
    let schedule = Schedule::Uniform(5);
    elect(name, &Experiment { faults, schedule, seed, ..Experiment::new(&ring, &ids) })
}

/// Everything sent was delivered or lost, in an election that has come to its end.
fn adds_up(outcome: &Outcome) -> bool {
    outcome.messages.total() == outcome.delivered + outcome.lost
}

#[test]
fn a_lost_token_leaves_a_ring_without_a_leader() {
    let mut failed = 0;
    for seed in 0..40 {
        let outcome = on_a_ring("lelann", Fault::Loss(Amount::Probability(0.1)), seed);
        assert!(adds_up(&outcome), "{outcome:?}");
        if outcome.lost > 0 && !outcome.halted {
            assert!(breaks(&outcome, Property::EveryoneHalted));
            failed += 1;
        }
    }
    assert!(failed > 30, "{failed} of 40 elections failed");
}

#[test]
fn when_everything_is_lost_nothing_arrives() {
    for row in CATALOGUE {
        let wiring = network_for(row.network, 9);
        let ids = random_ids(wiring.nodes(), 1);
        let faults = vec![Fault::Loss(Amount::Probability(1.0))];
        let outcome = elect(row.name, &Experiment { faults, ..Experiment::new(&wiring, &ids) });
        // The largest of all needs no answer to lead.
        let first = if row.name == "bully" { "agreement" } else { "exactly-one-leader" };
        assert_eq!(broken(&outcome), [first, "everyone-halted"], "{}", row.name);
        assert_eq!((outcome.delivered, outcome.lost), (0, outcome.messages.total()));
        assert_eq!((outcome.time, outcome.causal_depth), (0, 0));
    }
}

/// A token that comes home twice cannot be: LeLann says so, where others would not notice.
#[test]
fn a_doubled_token_is_a_message_that_cannot_be() {
    let outcome = on_a_ring("lelann", Fault::Duplicate(Amount::Probability(0.2)), 1);
    assert!(breaks(&outcome, Property::PossibleMessages), "{outcome:?}");
    assert!(adds_up(&outcome), "{outcome:?}");
}

#[test]
fn when_everything_is_doubled_twice_as_much_is_sent_and_arrives() {
    let (clique, ids) = (Wiring::complete(8), random_ids(8, 1));
    let faults = vec![Fault::Duplicate(Amount::Probability(1.0))];
    let outcome = elect("all-to-all", &Experiment { faults, ..Experiment::new(&clique, &ids) });
    assert_eq!(outcome.messages.total(), 2 * 8 * 7);
    assert_eq!((outcome.delivered, outcome.lost), (2 * 8 * 7, 0));
}

#[test]
fn losses_come_as_often_as_their_probability_says() {
    let (clique, ids) = (Wiring::complete(101), random_ids(101, 1));
    let faults = vec![Fault::Loss(Amount::Probability(0.25))];
    let outcome = elect("all-to-all", &Experiment { faults, ..Experiment::new(&clique, &ids) });
    // 10,100 messages: 2525 are expected to be lost, with a standard deviation of 44.
    assert_eq!(outcome.messages.total(), 10_100);
    assert!((2305..2745).contains(&outcome.lost), "{} lost", outcome.lost);
}

/// On the ring 1, 2, 3, ... the smallest identity is that of process 0, and would win.
fn with_a_crash(node: u32, at: u64) -> Outcome {
    let (ring, ids) = (Wiring::ring(8), ids(1..=8));
    let faults = vec![Fault::Crash { node, at }];
    elect("chang-roberts", &Experiment { faults, ..Experiment::new(&ring, &ids) })
}

#[test]
fn a_crash_breaks_a_ring() {
    for node in 0..8 {
        let outcome = with_a_crash(node, 3);
        // The smallest identity has passed these by then, and makes its process the leader; but
        // the announcement does not come through.
        assert_eq!(outcome.leader.is_some(), node == 1 || node == 2, "{outcome:?}");
        assert!(breaks(&outcome, Property::EveryoneHalted), "{outcome:?}");
        assert!(outcome.lost > 0 && adds_up(&outcome), "{outcome:?}");
    }
}

#[test]
fn an_initiator_that_crashes_before_it_starts_never_wakes() {
    let (ring, ids) = (Wiring::ring(8), ids(1..=8));
    let faults = vec![Fault::Crash { node: 3, at: 0 }];
    let wakes = at_once([3]);
    let experiment = Experiment { wakes, faults, ..Experiment::new(&ring, &ids) };
    let outcome = elect("chang-roberts", &experiment);
    assert_eq!((outcome.woken, outcome.messages.total()), (0, 0));
    assert_eq!(broken(&outcome), ["exactly-one-leader", "everyone-halted"]);
    assert!(
        outcome.violations[1].violation.detail.starts_with("7 processes"),
        "{:?}",
        outcome.violations
    );
}

#[test]
fn a_leader_that_crashes_leads_no_more() {
    // Process 0 leads at tick 8, and its announcement is back at tick 16.
    let early = with_a_crash(0, 9);
    assert!(early.leader.is_none() && breaks(&early, Property::ExactlyOneLeader), "{early:?}");
    // Everyone else has heard of it and halted: only the crashed one has not.
    let late = with_a_crash(0, 16);
    assert_eq!(broken(&late), ["exactly-one-leader"]);
    assert!(late.halted && !late.agreed);
}

#[test]
fn who_crashes_is_exempt_from_agreement_and_halting() {
    // In an election by everyone's identity, a process that has sent its own is not missed.
    let (clique, ids) = (Wiring::complete(6), ids(1..=6));
    let faults = vec![Fault::Crash { node: 2, at: 1 }];
    let outcome = elect("all-to-all", &Experiment { faults, ..Experiment::new(&clique, &ids) });
    assert_eq!(outcome.violations, []);
    assert!(outcome.agreed && outcome.halted && outcome.leader.is_some_and(|l| l.node == 5));
    // What reached the crashed one is lost.
    assert_eq!((outcome.messages.total(), outcome.delivered, outcome.lost), (30, 25, 5));
}

#[test]
fn what_a_crashed_process_had_no_room_for_is_lost() {
    // Extinction on a triangle: the process that waits for room crashes, and its outbox with it.
    let (clique, ids) = (Wiring::complete(5), ids([5, 4, 3, 2, 1]));
    let mut lost = 0;
    for at in 1..20 {
        let experiment = Experiment {
            schedule: Schedule::Newest,
            capacity: Some(1),
            faults: vec![Fault::Crash { node: 0, at }],
            ..Experiment::new(&clique, &ids)
        };
        let outcome = elect("echo-extinction", &experiment);
        assert!(outcome.delivered + outcome.lost <= outcome.messages.total(), "{outcome:?}");
        lost += outcome.lost;
    }
    assert!(lost > 0);
}

#[test]
fn an_election_that_goes_on_is_stopped_by_patience() {
    let (ring, ids) = (Wiring::ring(50), random_ids(50, 1));
    let experiment = Experiment { event_limit: 100, ..Experiment::new(&ring, &ids) };
    let outcome = elect("lelann", &experiment);
    assert_eq!(broken(&outcome), ["termination"], "what must hold in the end is not missed yet");
    assert_eq!((outcome.delivered, outcome.leader, outcome.interrupted), (100, None, false));
}

#[test]
fn patience_with_exactly_as_many_deliveries_as_it_takes_is_enough() {
    let (ring, ids) = (Wiring::ring(10), random_ids(10, 1));
    let run =
        |event_limit| elect("lelann", &Experiment { event_limit, ..Experiment::new(&ring, &ids) });
    assert_eq!(broken(&run(110)), [""; 0]);
    assert_eq!(broken(&run(109)), ["termination"]);
    assert_eq!(broken(&run(0)), ["termination"]);
}

/// As published, the algorithm deadlocks under some schedules, and their traces replay.
#[test]
fn villadangos_as_published_deadlocks_and_as_repaired_does_not() {
    let mut deadlocks = 0;
    for seed in 0..60 {
        let (clique, ids) = (Wiring::complete(5), random_ids(5, seed));
        let experiment =
            Experiment { schedule: Schedule::Random, seed, ..Experiment::new(&clique, &ids) };
        let (outcome, trace) = traced("villadangos@published", &experiment);
        if !outcome.violations.is_empty() {
            assert_eq!(broken(&outcome), ["exactly-one-leader", "everyone-halted"]);
            let schedule = crate::common::replay_of(&trace);
            let replay = Experiment { schedule, ..Experiment::new(&clique, &ids) };
            assert_eq!(elect("villadangos@published", &replay), outcome);
            deadlocks += 1;
        }
        assert_eq!(elect("villadangos", &experiment).violations, []);
    }
    assert_eq!(deadlocks, 45, "of 60");
}

#[test]
fn faults_come_again_with_the_same_seed_and_differ_with_another() {
    let (ring, ids) = (Wiring::ring(12), random_ids(12, 1));
    for fault in [
        Fault::NoFifo,
        Fault::Loss(Amount::Probability(0.2)),
        Fault::Duplicate(Amount::Probability(0.2)),
    ] {
        let run = |seed| {
            let experiment = Experiment {
                faults: vec![fault],
                schedule: Schedule::Uniform(5),
                wakes: Wakes::All,
                seed,
                ..Experiment::new(&ring, &ids)
            };
            traced("lelann", &experiment)
        };
        assert!(run(1) == run(1), "{fault}: the same outcome and the same bytes");
        assert!(run(1).1 != run(2).1, "{fault}");
    }
}

/// The command line refuses these before; a program that makes its own is refused here.
#[test]
fn parameters_out_of_range_are_refused() {
    let (ring, ids) = (Wiring::ring(3), random_ids(3, 1));
    let refused = |schedule, fault: Option<Fault>| {
        let faults = fault.into_iter().collect();
        let experiment = Experiment { schedule, faults, ..Experiment::new(&ring, &ids) };
        match Simulator::of(row("lelann"), experiment.clone()).run() {
            Err(SimulationError::Impossible(why)) => why.to_string(),
            other => panic!("{experiment:?}: {other:?}"),
        }
    };
    for (schedule, says) in [
        (Schedule::Uniform(0), "from 1 to 1048576"),
        (Schedule::PerLink(0), "from 1 to 1048576"),
        (Schedule::Exponential(f64::NAN), "above 0"),
        (Schedule::Pareto(-1.0), "above 0"),
    ] {
        let said = refused(schedule, None);
        assert!(said.contains(says), "{said}");
    }
    for fault in
        [Fault::Loss(Amount::Probability(1.5)), Fault::Duplicate(Amount::Probability(f64::NAN))]
    {
        let said = refused(Schedule::Synchronous, Some(fault));
        assert!(said.contains("from 0 to 1"), "{said}");
    }
    for (fault, write) in
        [("loss:1", "loss:20%"), ("duplicate:2", "duplicate:0.2"), ("crash:1", "crash:3@10")]
    {
        let said = refused(Schedule::Synchronous, Some(fault.parse().unwrap()));
        assert!(said.contains(fault) && said.contains(write), "{said}");
    }
    let crash = Fault::Crash { node: 3, at: 0 };
    assert!(refused(Schedule::Synchronous, Some(crash)).contains("no process 3"));
    assert!(refused(Schedule::PerLink(3), Some(Fault::NoFifo)).contains("`per-link:3`"));
}

#[test]
fn an_election_between_processes_with_one_identity_is_refused() {
    let (ring, same) = (Wiring::ring(3), ids([4, 2, 4]));
    match Simulator::of(row("lelann"), Experiment::new(&ring, &same)).run() {
        Err(SimulationError::Impossible(why)) => assert_eq!(
            why.to_string(),
            "two processes have the identity 4; identities must be distinct, except to an algorithm \
             for rings of homonyms"
        ),
        other => panic!("{other:?}"),
    }
}
