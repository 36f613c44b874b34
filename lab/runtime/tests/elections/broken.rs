//! Links survive broken connections.

use crate::common::{check, correct, membership, network};
use crate::proxy::{Weather, all, nodes_behind_proxies};
use std::sync::atomic::Ordering;
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Connections are killed after a few hundred bytes, in the middle of a frame or of a greeting,
/// 1,000 times in all. The counts and the processes' own checks would show a message that was lost,
/// duplicated or reordered.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_killed_connections_change_nothing() {
    let (mut killed, mut elections) = (0, 0);
    let mut tasks = JoinSet::new();
    for (algorithm, seed) in correct().collect::<Vec<_>>().into_iter().cycle().zip(1..) {
        if tasks.len() == 8 {
            killed += tasks.join_next().await.unwrap().unwrap();
            elections += 1;
        }
        if killed >= 1000 {
            break;
        }
        tasks.spawn(killing(algorithm, seed));
    }
    tasks.join_all().await;
    assert!(elections > 20, "{elections} elections");
}

/// Holds one election, and returns the number of connections that were killed in it.
async fn killing(algorithm: &'static Algorithm, seed: u64) -> u64 {
    let membership = membership(algorithm, network(algorithm, 6));
    let weather = Weather { lifetime: Some((60, 420)), ..Weather::default() };
    let (nodes, proxies) = nodes_behind_proxies(algorithm, &membership, weather, seed).await;
    let summary = all(nodes).await;
    check(algorithm, &membership, &summary);
    proxies.iter().map(|proxy| proxy.killed.load(Ordering::Relaxed)).sum()
}

/// A link is cut during the election, in one direction or both, and restored later.
#[tokio::test(flavor = "multi_thread")]
async fn a_cut_that_is_mended_is_survived() {
    for (inwards, outwards) in [(false, false), (false, true), (true, false)] {
        let algorithm = Algorithm::named("lelann").unwrap();
        let membership = membership(algorithm, network(algorithm, 5));
        let fair = Weather { delay: Duration::from_millis(2), ..Weather::default() };
        let (nodes, proxies) = nodes_behind_proxies(algorithm, &membership, fair, 1).await;
        let weather = proxies[2].weather.clone();
        let cut = async {
            sleep(Duration::from_millis(8)).await;
            weather.send_replace(Weather { inwards, outwards, ..fair });
            // Longer than the silence after which connections are closed.
            sleep(Duration::from_millis(700)).await;
            weather.send_replace(fair);
        };
        let (summary, ()) = tokio::join!(all(nodes), cut);
        check(algorithm, &membership, &summary);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stalls_and_delays_are_survived() {
    for name in ["humblet", "echo-extinction", "dolev-klawe-rodeh"] {
        let algorithm = Algorithm::named(name).unwrap();
        let membership = membership(algorithm, network(algorithm, 6));
        let slow = Weather { delay: Duration::from_millis(5), ..Weather::default() };
        let (nodes, proxies) = nodes_behind_proxies(algorithm, &membership, slow, 3).await;
        let stalls = async {
            for proxy in proxies.iter().cycle().take(12) {
                sleep(Duration::from_millis(5)).await;
                proxy.weather.send_modify(|weather| weather.inwards = !weather.inwards);
            }
        };
        let (summary, ()) = tokio::join!(all(nodes), stalls);
        check(algorithm, &membership, &summary);
    }
}

/// A node starts long after the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_node_is_waited_for() {
    for algorithm in correct() {
        let membership = membership(algorithm, network(algorithm, 4));
        let (mut nodes, _proxies) =
            nodes_behind_proxies(algorithm, &membership, Weather::default(), 5).await;
        let mut late = nodes.remove(1);
        let view = nodes[0].watch();
        let (mut summary, outcome) = tokio::join!(all(nodes), async {
            sleep(Duration::from_millis(60)).await;
            assert!(view.borrow().stage < suffrage_runtime::NodeStage::Released);
            late.elect().await.unwrap()
        });
        summary.outcomes.insert(1, outcome);
        check(algorithm, &membership, &summary);
    }
}
