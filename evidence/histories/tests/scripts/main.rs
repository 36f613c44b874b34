//! The same faults in simulation and in reality.
//!
//! A seed determines a script of faults, as for `suffrage tenure simulate`. The simulator runs it,
//! and so do real members: the loops and disks' threads of `tenure-node`, over links within
//! this program that are cut, lossy and slow as the script says, on clocks and disks that go as it
//! says. Both are held to the same promises: *one* and *ever newer* by the same ledger, and when
//! the faults are over, the office is filled.
//!
//! ```sh
//! SEEDS=100 cargo test --release -p suffrage-histories --test scripts -- --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cluster;
mod host;
mod judge;

use cluster::TestCluster;
use judge::Judge;
use std::sync::Arc;
use std::time::Duration;
use tenure_model::{Peer, Ratio};
use tenure_node::LeaseTiming;
use tenure_protocol::tenure::Tenure;
use tenure_simulation::promises::Promise;
use tenure_simulation::{FaultKind, Faults, Nanos, Simulation};

const MEMBERS: u32 = 3;
const LENGTH: Duration = Duration::from_secs(6);

/// Fast, to keep the tests short; but slow enough for a busy machine.
const TIMING: LeaseTiming = LeaseTiming {
    heartbeat: Duration::from_millis(20),
    lease: Duration::from_millis(200),
    stop: Duration::ZERO,
    ..LeaseTiming::LAN
};

fn simulation(seed: u64) -> Simulation<Tenure> {
    let (every, longest) = (Nanos::millis(250), Nanos::millis(700));
    Simulation::new()
        .members(MEMBERS)
        .heartbeat(TIMING.heartbeat)
        .lease(TIMING.lease)
        .clocks(Ratio { fastest: 101, slowest: 100 })
        .faults(Faults::Random { kinds: FaultKind::ALL.to_vec(), every, longest })
        .duration(LENGTH)
        .seed(seed)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seeds_of_faults_keep_the_same_promises_in_simulation_and_reality() {
    let seeds: u64 = std::env::var("SEEDS").map_or(4, |text| text.parse().unwrap());
    let mut begun = (0, 0);
    for group in (1..=seeds).collect::<Vec<_>>().chunks(4) {
        let mut runs = tokio::task::JoinSet::new();
        for &seed in group {
            runs.spawn(async move {
                let simulation = simulation(seed);
                let report = simulation.run().unwrap();
                assert_eq!(report.violations, [], "in simulation, seed {seed}");
                assert_eq!(report.vacant_at_the_end, 0);
                let judge = Arc::new(Judge::default());
                let cluster = TestCluster::start(MEMBERS, TIMING, seed, judge.clone());
                cluster.suffer(&report.script).await;
                cluster.until_led().await;
                let breaches = judge.breaches();
                assert!(breaches.is_empty(), "seed {seed}: {breaches:?}\n{}", report.script);
                (report.tenures, judge.begun())
            });
        }
        for (simulated, real) in runs.join_all().await {
            begun = (begun.0 + simulated, begun.1 + real);
        }
    }
    eprintln!("{seeds} seeds: {} tenures in simulation, {} in reality", begun.0, begun.1);
    assert!(begun.0.min(begun.1) > seeds, "the faults make the office move: {begun:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_judge_finds_two_leaders_where_clocks_break_their_bound() {
    let judge = Arc::new(Judge::default());
    let cluster = TestCluster::start(
        MEMBERS,
        LeaseTiming { lease: Duration::from_secs(10), ..TIMING },
        1,
        judge.clone(),
    );
    let leader = cluster.until_led().await;
    cluster.network.isolate(Peer(leader));
    for member in (0..MEMBERS).filter(|&member| member != leader) {
        cluster.clock(member).advance(Duration::from_secs(11));
    }
    while judge.begun() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let breaches = judge.breaches();
    assert!(breaches.iter().any(|breach| breach.promise() == Promise::One), "{breaches:?}");
}
