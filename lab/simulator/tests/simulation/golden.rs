//! Golden traces: one small run of each algorithm of the catalogue, as the JSON lines that the
//! tracer writes, compared byte for byte with the file in `tests/simulation/golden/traces`.
//!
//! A trace shows an algorithm's whole execution, so a change to it is either a mistake or worth a
//! look. To rewrite the files after a change that is meant:
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-simulator --test simulation golden
//! git diff lab/simulator/tests/simulation/golden
//! ```

use crate::common::{elect, ids, network_for, replay_of, traced};
use std::fs;
use std::path::PathBuf;
use suffrage_algorithms::Algorithm;
use suffrage_model::{NetworkClass, Timing};
use suffrage_networks::wiring::Wiring;
use suffrage_simulator::{Experiment, Outcome, Pace, Schedule, Wakes};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/simulation/golden/traces")
}

/// The run of an algorithm that is kept: five processes, or four where there are no five, of which
/// three wake, one of them late, unless the algorithm relies on that all wake together.
fn with_experiment<T>(row: &Algorithm, then: impl FnOnce(&Wiring, &Experiment<'_>) -> T) -> T {
    let wiring = network_for(row.network, 5);
    let numbers = match row.network {
        NetworkClass::HomonymRing => [30, 10, 10, 20, 20],
        _ => [30, 10, 50, 20, 40],
    };
    let ids = ids(numbers.into_iter().take(wiring.nodes() as usize));
    let experiment = Experiment {
        schedule: match row.timing {
            Timing::Asynchronous => Schedule::Uniform(3),
            Timing::Rounds | Timing::SimultaneousRounds => Schedule::Rounds(Pace::Unit),
        },
        wakes: match row.timing {
            Timing::SimultaneousRounds => Wakes::All,
            Timing::Asynchronous | Timing::Rounds => Wakes::At(vec![(0, 0), (0, 2), (2, 3)]),
        },
        seed: 2,
        ..Experiment::new(&wiring, &ids)
    };
    then(&wiring, &experiment)
}

#[test]
fn every_algorithm_runs_as_its_golden_trace_says() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let mut changed = Vec::new();
    for row in Algorithm::all() {
        let trace = with_experiment(row, |wiring, experiment| {
            let (outcome, trace) = traced(row.name, experiment);
            let schedule = replay_of(&trace);
            // The seed is that of random choices.
            let seed = experiment.seed;
            let replay = Experiment { schedule, seed, ..Experiment::new(wiring, experiment.ids) };
            let again = elect(row.name, &replay);
            // A replay has no ticks of its own, at whose ends the peak would be.
            let peak_in_flight = again.peak_in_flight;
            let expected = match row.timing {
                Timing::Asynchronous => outcome,
                Timing::Rounds | Timing::SimultaneousRounds => {
                    Outcome { peak_in_flight, ..outcome }
                }
            };
            assert_eq!(again, expected, "{}: a trace replays", row.name);
            trace
        });
        let path = folder().join(row.name).with_extension("jsonl");
        if update {
            fs::create_dir_all(folder()).expect("a folder for the traces");
            fs::write(&path, &trace).expect("a trace can be written");
        }
        match fs::read_to_string(&path) {
            Ok(golden) if golden == trace => {}
            Ok(golden) => {
                let line = golden.lines().zip(trace.lines()).take_while(|(a, b)| a == b).count();
                let [was, is] = [&golden, &trace].map(|t| t.lines().nth(line).unwrap_or("(end)"));
                changed.push(format!("{} line {}:\n  was {was}\n  is  {is}", row.name, line + 1));
            }
            Err(error) => changed.push(format!("{}: {error}", path.display())),
        }
    }
    assert!(changed.is_empty(), "UPDATE_GOLDEN=1 rewrites these:\n{}", changed.join("\n"));
}

#[test]
fn there_is_no_golden_trace_of_an_algorithm_that_is_gone() {
    for entry in fs::read_dir(folder()).expect("the folder of traces") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert!(Algorithm::named(name).is_some(), "{}", path.display());
    }
}
