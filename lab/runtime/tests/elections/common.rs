//! Clusters for the tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use suffrage_algorithms::{Algorithm, Parameters};
use suffrage_model::{NetworkClass, Phase};
use suffrage_networks::{Ids, Ports, Spec, Topology};
use suffrage_runtime::{Cluster, ClusterSummary, Membership};

pub(crate) fn correct() -> impl Iterator<Item = &'static Algorithm> {
    Algorithm::asynchronous()
}

pub(crate) fn network(algorithm: &Algorithm, nodes: u32) -> Topology {
    let spec = match algorithm.network {
        NetworkClass::Complete | NetworkClass::OrientedComplete => format!("complete:{nodes}"),
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
            format!("ring:{nodes}")
        }
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
            format!("hypercube:{}", nodes.ilog2())
        }
        NetworkClass::Tree => format!("tree:random:{nodes}"),
        NetworkClass::Mesh => format!("grid:2x{}", nodes / 2),
        NetworkClass::Torus | NetworkClass::OrientedTorus => format!("torus:3x{}", nodes / 3),
        NetworkClass::Connected if nodes < 3 => format!("path:{nodes}"),
        NetworkClass::Connected => format!("barabasi-albert:{nodes}:2"),
    };
    spec.parse::<Spec>().unwrap().build(7).unwrap()
}

/// Returns the membership of a network, with random ids, in a cluster of its own: a node of an election
/// that is over may dial a port that is another node's now, and must not take it for a restart.
pub(crate) fn membership(algorithm: &Algorithm, topology: Topology) -> Arc<Membership> {
    let topology = topology.fit(algorithm.network).unwrap();
    let ids = Ids::Random.assign(topology.nodes(), 7);
    static CLUSTERS: AtomicU32 = AtomicU32::new(0);
    let name = format!("test-{}", CLUSTERS.fetch_add(1, Ordering::Relaxed));
    Arc::new(Membership::new(&name, topology.wire(Ports::Rotation, 7), ids).unwrap())
}

/// Holds an election that must end in time.
pub(crate) async fn elect(cluster: &Cluster, algorithm: &'static Algorithm) -> ClusterSummary {
    let election = cluster.elect(algorithm);
    let what = format!("{}, {cluster:?}", algorithm.name);
    match tokio::time::timeout(Duration::from_secs(60), election).await {
        Ok(summary) => summary.unwrap_or_else(|error| panic!("{what}: {error}")),
        Err(_) => panic!("{what}: no end in sight"),
    }
}

/// Checks that there is one leader, the right one, known to all; that every message has arrived;
/// and that the bound holds.
pub(crate) fn check(algorithm: &Algorithm, membership: &Membership, summary: &ClusterSummary) {
    let what = format!("{} on {} nodes", algorithm.name, membership.nodes());
    let leader = summary.leader().unwrap_or_else(|| panic!("{what}: not one leader"));
    assert!(summary.agreed(), "{what}");
    let woken = summary.outcomes.iter().map(|one| one.woke);
    let all = membership.ids().iter().copied().zip(woken);
    if let Some(must) = algorithm.claims.rule.winner(all) {
        assert_eq!((u64::from(leader.node), leader.id), (must.node, must.id), "{what}");
    }
    for one in &summary.outcomes {
        assert_eq!(one.violations, [], "{what}, node {}", one.node);
    }
    let received: u64 = summary.outcomes.iter().map(|one| one.received).sum();
    assert_eq!(summary.total(), received + summary.late(), "{what}: lost or doubled");
    let parameters =
        Parameters::new(membership.nodes().into(), membership.wiring().links(), summary.woken());
    let parameters = algorithm.claims.identified(parameters, membership.ids().iter().copied());
    for (bound, phase) in [
        (&algorithm.claims.election, Phase::Election),
        (&algorithm.claims.announcement, Phase::Announcement),
    ] {
        let sent: u64 = summary.outcomes.iter().map(|one| one.of(phase)).sum();
        let most = bound.at(&parameters);
        assert!(!bound.is_sure() || sent <= most, "{what}: {sent} > {}", bound.formula);
        assert!(!bound.is_exact() || sent == most, "{what}: {sent} is not {}", bound.formula);
    }
}
