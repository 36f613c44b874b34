//! A trace is a schedule: replayed, it gives the same outcome, to the tick, and the same trace.

use crate::common::{elect, network_for, random_ids, replay_of, row, schedules, traced};
use std::sync::Arc;
use suffrage_algorithms::CATALOGUE;
use suffrage_model::Port;
use suffrage_networks::wiring::{End, Wiring};
use suffrage_simulator::{
    Action, Amount, Experiment, Fault, Recording, Schedule, SimulationError, Simulator, Tracer,
    Wakes,
};

/// Records, replays, and compares everything.
fn comes_again(name: &str, experiment: &Experiment<'_>) {
    let (outcome, trace) = traced(name, experiment);
    let replay = Experiment { schedule: replay_of(&trace), ..experiment.clone() };
    let mut tracer = Tracer::new(Vec::new(), &()).expect("a vector takes everything");
    let again = Simulator::of(row(name), replay)
        .observer(&mut tracer)
        .run()
        .unwrap_or_else(|error| panic!("{name}, {experiment:?}: {error}"));
    let trace_again = tracer.finish().expect("a vector takes everything");
    let mut expected = outcome;
    if matches!(experiment.schedule, Schedule::Rounds(_)) {
        // A replay has no ticks of its own, so its peak is taken at all times.
        assert!(expected.peak_in_flight <= again.peak_in_flight, "{name}, {experiment:?}");
        expected.peak_in_flight = again.peak_in_flight;
    }
    assert_eq!(again, expected, "{name}, {experiment:?}");
    assert!(trace_again == trace.as_bytes(), "{name}, {experiment:?}");
}

#[test]
fn every_schedule_and_capacity_replays() {
    for row in CATALOGUE {
        let wiring = network_for(row.network, 12);
        let ids = random_ids(wiring.nodes(), 8);
        for schedule in schedules() {
            for capacity in [None, Some(1), Some(2)] {
                for seed in 0..4 {
                    let schedule = schedule.clone();
                    let wakes = match seed {
                        0 => Wakes::All,
                        // Some of these wake-ups come after a message, and are none.
                        _ => Wakes::At(
                            (0..wiring.nodes()).map(|node| (u64::from(node) * 3, node)).collect(),
                        ),
                    };
                    let experiment = Experiment {
                        schedule,
                        capacity,
                        wakes,
                        seed,
                        ..Experiment::new(&wiring, &ids)
                    };
                    comes_again(row.name, &experiment);
                }
            }
        }
    }
}

#[test]
fn every_fault_replays() {
    let faults = [
        vec![Fault::NoFifo],
        vec![Fault::Loss(Amount::Probability(0.1))],
        vec![Fault::Duplicate(Amount::Probability(0.1))],
        vec![Fault::Crash { node: 3, at: 4 }],
        vec![Fault::Crash { node: 0, at: 0 }, Fault::Crash { node: 5, at: 40 }],
        vec![
            Fault::NoFifo,
            Fault::Loss(Amount::Probability(0.05)),
            Fault::Duplicate(Amount::Probability(0.1)),
        ],
    ];
    for row in CATALOGUE {
        let wiring = network_for(row.network, 12);
        let ids = random_ids(wiring.nodes(), 8);
        for faults in &faults {
            let reorders = faults.contains(&Fault::NoFifo);
            for schedule in schedules() {
                if reorders && !schedule.can_reorder() {
                    continue;
                }
                for (seed, capacity) in (0..).zip([None, Some(1), Some(3)]) {
                    let (schedule, faults) = (schedule.clone(), faults.clone());
                    let experiment = Experiment {
                        schedule,
                        capacity,
                        faults,
                        seed,
                        event_limit: 10_000,
                        ..Experiment::new(&wiring, &ids)
                    };
                    comes_again(row.name, &experiment);
                }
            }
        }
    }
}

#[test]
fn an_election_that_ran_out_of_patience_replays() {
    let (ring, ids) = (Wiring::ring(20), random_ids(20, 1));
    for schedule in schedules() {
        comes_again(
            "lelann",
            &Experiment { schedule, event_limit: 77, ..Experiment::new(&ring, &ids) },
        );
    }
}

#[test]
fn the_same_experiment_has_the_same_trace_to_the_byte() {
    for row in CATALOGUE {
        let wiring = network_for(row.network, 12);
        let ids = random_ids(wiring.nodes(), 8);
        for schedule in schedules() {
            let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
            let (once, twice) = (traced(row.name, &experiment), traced(row.name, &experiment));
            assert!(once == twice, "{}, {}", row.name, experiment.schedule);
            // Watching changes nothing.
            assert_eq!(elect(row.name, &experiment), once.0, "{}", row.name);
        }
    }
}

const fn end(node: u32, port: u32) -> End {
    End { node, port: Port(port) }
}

const fn lose(node: u32, port: u32) -> Action {
    Action::Lose { to: end(node, port) }
}

const fn duplicate(node: u32, port: u32) -> Action {
    Action::Duplicate { to: end(node, port) }
}

/// Runs on a ring of three; says what is wrong with the steps.
fn misfit(steps: Vec<(u64, Action)>) -> String {
    let (ring, ids) = (Wiring::ring(3), random_ids(3, 1));
    let schedule = Schedule::Replay(Arc::new(Recording::new("steps".into(), steps)));
    let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
    match Simulator::of(row("lelann"), experiment).run() {
        Err(SimulationError::Misfit(misfit)) => misfit.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recording_that_does_not_fit_is_refused_with_its_step() {
    let deliver = |node, port, overtakes| {
        (1, Action::Deliver { to: End { node, port: Port(port) }, overtakes })
    };
    let wake = |node| (0, Action::Wake(node));
    let no_message = "and there is no such message";
    for (steps, says) in [
        (vec![deliver(1, 1, 0)], no_message),
        (vec![wake(0), deliver(1, 1, 1)], no_message),
        (vec![wake(0), deliver(1, 1, 0), deliver(1, 1, 0)], no_message),
        (vec![wake(0), deliver(1, 0, 0)], no_message),
        (vec![wake(0), deliver(1, 2, 0)], no_message),
        (vec![wake(0), deliver(3, 0, 0)], no_message),
        (vec![wake(0), wake(0)], "wakes process 0, which is not asleep"),
        (
            vec![wake(0), (1, lose(1, 0))],
            "loses a message to process 1 through its port 0, and none",
        ),
        (vec![wake(0), (1, duplicate(2, 1))], "doubles a message to process 2 through its port 1"),
        (
            vec![wake(0), (1, lose(3, 1))],
            "loses a message to process 3 through its port 1, and none",
        ),
        (vec![(5, Action::Crash(3))], "names a process that"),
        (vec![wake(3)], "names a process that does not exist: there are only 3"),
        (vec![wake(0), (5, Action::Alarm(0))], "is an alarm that process 0 has not set"),
        (vec![(5, Action::Alarm(9))], "names a process that does not exist: there are only 3"),
    ] {
        let step = format!("its step {} ", steps.len());
        let said = misfit(steps);
        assert!(said.contains(&step) && said.contains(says), "{said}");
    }
}

#[test]
fn a_trace_of_another_network_does_not_fit() {
    let (large, small) = (Wiring::ring(9), Wiring::ring(5));
    let (_, trace) = traced("lelann", &Experiment::new(&large, &random_ids(9, 1)));
    let ids = random_ids(5, 1);
    let replay = Experiment { schedule: replay_of(&trace), ..Experiment::new(&small, &ids) };
    let error = Simulator::of(row("lelann"), replay).run().unwrap_err();
    assert!(matches!(error, SimulationError::Misfit(_)), "{error}");
}

fn unreadable(text: &[u8]) -> String {
    Recording::read("file.jsonl", text).expect_err("it is no trace").to_string()
}

#[test]
fn what_is_not_a_trace_is_refused_with_the_line() {
    const HEADER: &str = "{\"suffrage-run\":1}\n";
    let wake = "{\"at\":3,\"event\":\"wake\",\"node\":0,\"clock\":0}\n";
    for (text, line, says) in [
        ("", 1, "a run begins with"),
        ("hello\n", 1, "a run begins with"),
        ("{\"suffrage-run\":2}\n", 1, "version 2 of the format; this program reads version 1"),
        ("{\"suffrage-trace\":1}\n", 1, "a trace of an earlier version"),
        ("{\"suffrage-course\":1,\"steps\":[\n", 1, "a course of an earlier version"),
        ("{\"suffrage-run\":1,\n", 1, "a run begins with"),
        ("{\"suffrage-run\":1,\"seed\":1,\"seed\":2}\n", 1, "the key `seed` is there twice"),
        (&format!("{HEADER}{wake}{{\"at\":4,\"event\":\"wa"), 3, "not an event"),
        (&format!("{HEADER}\n"), 2, "not an event"),
        (&format!("{HEADER}{{\"event\":\"wake\",\"node\":1}}\n"), 2, "missing field `at`"),
        (&format!("{HEADER}{{\"at\":1,\"event\":\"wake\"}}\n"), 2, "does not say where"),
        (&format!("{HEADER}{{\"at\":1,\"event\":\"deliver\",\"node\":1}}\n"), 2, "say where"),
        (&format!("{HEADER}{{\"at\":1,\"event\":\"sleep\",\"node\":1}}\n"), 2, "`sleep`"),
        (&format!("{HEADER}{{\"at\":-1,\"event\":\"wake\",\"node\":1}}\n"), 2, "not an event"),
        (&format!("{HEADER}{wake}{}", wake.replace('3', "2")), 3, "tick 2 comes after 3"),
    ] {
        let said = unreadable(text.as_bytes());
        assert!(said.starts_with(&format!("file.jsonl, line {line}: ")), "{said}");
        assert!(said.contains(says), "{said}");
    }
    let latin = [HEADER.as_bytes(), b"{\"at\":1,\"event\":\"\xe9\"}\n"].concat();
    assert!(unreadable(&latin).starts_with("file.jsonl, line 2: "), "{}", unreadable(&latin));
}

/// Cut anywhere, a trace is a shorter schedule at the end of a line, and refused within one.
#[test]
fn a_trace_that_breaks_off_is_refused_or_shorter() {
    let (ring, ids) = (Wiring::ring(3), random_ids(3, 1));
    let (_, trace) = traced("chang-roberts", &Experiment::new(&ring, &ids));
    for cut in 0..trace.len() {
        let text = &trace.as_bytes()[..cut];
        let at_line_end = cut > 0 && (trace.as_bytes()[cut] == b'\n' || text.ends_with(b"\n"));
        assert_eq!(Recording::read("cut", text).is_ok(), at_line_end, "{}", &trace[..cut]);
    }
}
