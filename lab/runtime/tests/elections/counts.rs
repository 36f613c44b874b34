//! Compares the counts of real elections with the simulator's.

use crate::common::{check, correct, elect, membership, network};
use std::path::Path;
use suffrage_algorithms::Algorithm;
use suffrage_model::Kind;
use suffrage_networks::{FileOptions, read_file};
use suffrage_runtime::{Cluster, LinkMedium, Membership};
use suffrage_simulator::{Experiment, Simulator, Wakes};

fn simulated(
    algorithm: &Algorithm,
    membership: &Membership,
    initiators: Option<&[u32]>,
) -> Vec<(&'static Kind, u64)> {
    let wakes = match initiators {
        None => Wakes::All,
        Some(who) => Wakes::At(who.iter().map(|&node| (0, node)).collect()),
    };
    let experiment = Experiment { wakes, ..Experiment::new(membership.wiring(), membership.ids()) };
    let outcome = Simulator::of(algorithm, experiment.clone()).run().unwrap();
    outcome.messages.by_kind().collect()
}

/// Algorithms that send as many messages of each kind on every schedule, if all initiate.
const SCHEDULE_INDEPENDENT: [&str; 5] =
    ["all-to-all", "tree-wave", "villadangos", "lelann", "chang-roberts"];

#[tokio::test]
async fn where_the_schedule_does_not_matter_the_counts_are_the_simulators() {
    for name in SCHEDULE_INDEPENDENT {
        let algorithm = Algorithm::named(name).unwrap();
        for nodes in [1, 2, 3, 7, 12] {
            let membership = membership(algorithm, network(algorithm, nodes));
            let summary = elect(&membership.clone().into(), algorithm).await;
            let expected = simulated(algorithm, &membership, None);
            let sum = |counts: &[(&Kind, u64)]| counts.iter().map(|(_, n)| n).sum::<u64>();
            assert_eq!(sum(&summary.sent()), sum(&expected), "{name} on {nodes}");
            if name != "villadangos" {
                assert_eq!(summary.sent(), expected, "{name} on {nodes}");
            }
        }
    }
}

#[tokio::test]
async fn a_single_wave_costs_what_it_costs_in_the_simulator() {
    let echo = Algorithm::named("echo-extinction").unwrap();
    for nodes in [1, 2, 5, 16] {
        let membership = membership(echo, network(echo, nodes));
        let cluster = Cluster::from(membership.clone()).initiators([nodes / 2]);
        let summary = elect(&cluster, echo).await;
        assert_eq!(summary.sent(), simulated(echo, &membership, Some(&[nodes / 2])));
        check(echo, &membership, &summary);
    }
}

/// All applicable algorithms, on networks of real operators, if these are available.
#[tokio::test]
async fn real_networks_elect() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/topologies");
    for name in ["Abilene", "Arpanet196912", "Garr200112", "Cesnet1993", "Geant2012"] {
        let path = folder.join(format!("{name}.graphml"));
        if !path.exists() {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        }
        for algorithm in correct() {
            let topology =
                read_file(&path, FileOptions { largest_component: true, format: None }).unwrap();
            if !topology.fits(algorithm.network) {
                continue;
            }
            let membership = membership(algorithm, topology);
            for medium in [LinkMedium::Tcp, LinkMedium::Tls, LinkMedium::Channels] {
                let cluster = Cluster::from(membership.clone()).medium(medium);
                let summary = elect(&cluster, algorithm).await;
                check(algorithm, &membership, &summary);
                if SCHEDULE_INDEPENDENT.contains(&algorithm.name) {
                    assert_eq!(summary.sent(), simulated(algorithm, &membership, None));
                }
            }
        }
    }
}
