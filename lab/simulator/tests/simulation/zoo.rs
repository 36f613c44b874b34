//! Real networks, where they are at hand: every algorithm on every network on which it runs.

use crate::common::{elect, schedules, some_of};
use std::path::PathBuf;
use suffrage_algorithms::CATALOGUE;
use suffrage_model::NetworkClass;
use suffrage_networks::{FileOptions, Ids, Ports, Topology, read_file};
use suffrage_simulator::{Experiment, Wakes};

/// The networks, each with the name of its file; none, and a message, where there is no folder.
fn zoo() -> Vec<(String, Topology)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/topologies");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no folder {}", folder.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "graphml"));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let options = FileOptions { largest_component: true, format: None };
            let topology = read_file(path, options).unwrap_or_else(|error| panic!("{error}"));
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), topology)
        })
        .collect()
}

#[test]
fn every_algorithm_elects_on_every_real_network_on_which_it_runs() {
    let zoo = zoo();
    for row in CATALOGUE {
        let mut on = Vec::new();
        for (name, topology) in &zoo {
            let Ok(fitted) = topology.clone().fit(row.network) else { continue };
            on.push(name.as_str());
            for ports in [Ports::Rotation, Ports::Random] {
                let wiring = fitted.wire(ports, 7);
                if !wiring.fits(row.network) {
                    continue; // Random ports hide the direction that it needs.
                }
                for (seed, schedule) in (0..).zip(schedules()) {
                    let nodes = wiring.nodes();
                    let ids = Ids::ALL[seed as usize % 4].assign(nodes, seed);
                    let few = some_of(nodes, nodes.div_ceil(4), seed);
                    for wakes in [Wakes::All, Wakes::At((0..).zip(few).collect())] {
                        let schedule = schedule.clone();
                        let experiment =
                            Experiment { schedule, wakes, seed, ..Experiment::new(&wiring, &ids) };
                        let outcome = elect(row.name, &experiment);
                        let said = &outcome.violations;
                        assert!(said.is_empty(), "{}, {name}, seed {seed}: {said:?}", row.name);
                        assert!(outcome.agreed && outcome.halted && outcome.leader.is_some());
                    }
                }
            }
        }
        println!("{}: {}", row.name, on.join(", "));
        // Some of them are rings and trees, all are connected; nobody builds a complete one, a cube or a torus.
        let built = matches!(
            row.network.unoriented(),
            NetworkClass::Connected | NetworkClass::Tree | NetworkClass::Ring
        );
        assert_eq!(!on.is_empty(), built && !zoo.is_empty(), "{} ran on {on:?}", row.name);
    }
}
