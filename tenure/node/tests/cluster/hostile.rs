//! The promises hold under lossy links, cuts, kills, restarts and suspensions.

use super::{NAMES, OFFICE, TIMING, history::History};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use suffrage_numbers::random::Generator;
use tenure_node::clock::{DeadlineClock, TestClock};
use tenure_node::records::MemoryStore;
use tenure_node::transport::{LinkFaults, LocalNetwork};
use tenure_node::{LeaseTiming, LocalCluster, Member};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// Stands, works for a while, and stands again, as long as the member runs.
async fn serve(member: Member, history: Arc<History>, mut coins: Generator) {
    while let Ok(leadership) = member.office(OFFICE).stand().await {
        let leadership = Arc::new(leadership);
        history.begins(&leadership);
        let work = Duration::from_millis(20 + coins.below(400));
        let _ = timeout(work, leadership.stopping()).await;
        history.ends(&leadership);
    }
}

/// Runs a cluster with faults drawn from a seed, and returns the leaderships that were seen.
async fn run(seed: u64, rates: [u64; 3], timing: LeaseTiming) -> Arc<History> {
    let network = LocalNetwork::new(seed);
    let cluster = LocalCluster::new(network.clone(), &NAMES, timing);
    let stores = NAMES.map(|_| MemoryStore::founding());
    let clocks = rates.map(|rate| Arc::new(TestClock::new(rate)));
    let history = Arc::new(History::default());
    let mut coins = Generator::new(seed, "faults");
    let start = |number: usize, coins: &mut Generator| {
        let clock: Arc<dyn DeadlineClock> = clocks[number].clone();
        let member = cluster.member(NAMES[number], stores[number].clone(), clock).unwrap();
        let task = Generator::new(coins.bits(), "work");
        tokio::spawn(serve(member.clone(), history.clone(), task));
        member
    };
    let mut members: Vec<Member> = (0..3).map(|number| start(number, &mut coins)).collect();
    let looking = Arc::new(AtomicBool::new(true));
    let (watched, on) = (history.clone(), looking.clone());
    let watcher = std::thread::spawn(move || {
        while on.load(Ordering::SeqCst) {
            watched.look();
            std::thread::sleep(Duration::from_micros(500));
        }
    });
    for _ in 0..24 {
        let victim = coins.below(3) as usize;
        match coins.below(6) {
            0 => network.set_weather(LinkFaults {
                loss: coins.below(30) as f64 / 100.0,
                duplication: 0.2,
                delay: Duration::ZERO..Duration::from_millis(coins.below(60)),
            }),
            1 => network.isolate(members[victim].peer()),
            2 => network.cut(members[victim].peer(), members[(victim + 1) % 3].peer()),
            3 => network.heal(),
            4 => {
                members[victim].kill();
                members[victim].ended().await;
                members[victim] = start(victim, &mut coins);
            }
            _ => {
                // Time passes for the host that is suspended as for the others. (A clock that is
                // merely moved ahead breaks the bound, and with it the promises.)
                let (clock, time) = (clocks[victim].clone(), coins.below(400));
                spawn_blocking(move || clock.suspend(Duration::from_millis(time)));
            }
        }
        sleep(Duration::from_millis(20 + coins.below(150))).await;
    }
    // After the last fault the office is filled.
    network.heal();
    network.set_weather(LinkFaults::default());
    let before = history.begun();
    let filled = async {
        while history.begun() == before {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(20), filled).await.expect("the office is filled in the end");
    looking.store(false, Ordering::SeqCst);
    watcher.join().unwrap();
    history
}

/// A suspended host blocks the threads on which its tasks run, hence their number.
#[tokio::test(flavor = "multi_thread", worker_threads = 16)]
async fn the_promises_hold_whatever_the_network_and_the_hosts_do() {
    let seeds = (1..=4).map(|seed| {
        // The rates differ by one percent, which the bound allows.
        tokio::spawn(run(seed, [1_000_000, 1_009_900, 1_005_000], TIMING))
    });
    for (seed, run) in (1..).zip(seeds.collect::<Vec<_>>()) {
        let history = run.await.unwrap();
        assert_eq!(history.violations(), Vec::<String>::new(), "seed {seed}");
        assert!(history.begun() > 2, "seed {seed}: only {} leaderships", history.begun());
    }
}

/// The check detects two leaders: where one clock runs at a third of the rate of the others, its
/// leader counts on leases that are over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_beyond_the_bound_makes_two_leaders_and_the_judge_sees_them() {
    let network = LocalNetwork::new(1);
    let cluster = LocalCluster::new(network.clone(), &NAMES, TIMING);
    let rates = [300_000, 1_000_000, 1_000_000];
    let mut members = Vec::new();
    for (name, rate) in NAMES.iter().zip(rates) {
        let clock = Arc::new(TestClock::new(rate));
        members.push(cluster.member(name, MemoryStore::founding(), clock).unwrap());
    }
    let history = History::default();
    let slow = Arc::new(members[0].office(OFFICE).stand().await.unwrap());
    history.begins(&slow);
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    sleep(2 * TIMING.heartbeat).await;
    network.isolate(members[0].peer());
    let second = Arc::new(second.await.unwrap());
    history.begins(&second);
    assert!(history.violations().iter().any(|it| it.contains("at once")));
}
