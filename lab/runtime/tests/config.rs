//! Configurations of nodes, and their errors.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::time::Duration;
use suffrage_runtime::{EXAMPLE, Node, NodeConfig};

const GOOD: &str = "cluster = \"c\"\nalgorithm = \"humblet\"\nnetwork = \"complete\"\nid = 1\n\
                    listen = \"127.0.0.1:0\"\n[[peers]]\nid = 2\naddress = \"127.0.0.1:7002\"\n";

fn config(text: &str) -> NodeConfig {
    NodeConfig::from_toml(text, Path::new("")).unwrap()
}

async fn bind(config: &NodeConfig) -> Result<Node, String> {
    config.bind().await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn the_example_is_a_configuration() {
    let mut example = config(EXAMPLE);
    example.listen = "127.0.0.1:0".to_owned();
    bind(&example).await.unwrap();
    // Every key is present, at least as a comment, and every timeout with its default.
    let all: String = EXAMPLE
        .lines()
        .map(|line| {
            line.strip_prefix("# ").filter(|line| line.contains(['=', '['])).unwrap_or(line)
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let timeouts = all.split("[timeouts]").nth(1).unwrap();
    let text = format!("{GOOD}[timeouts]\n{timeouts}");
    assert_eq!(config(&text).timeouts, suffrage_runtime::Timeouts::default());
    assert_eq!(timeouts.lines().filter(|line| line.contains('=')).count(), 10);
}

#[tokio::test]
async fn a_node_without_peers_is_refused_unless_it_is_to_be_alone() {
    let (alone, _) = GOOD.split_once("[[peers]]").unwrap();
    let error = bind(&config(alone)).await.unwrap_err();
    assert!(error.contains("would elect itself") && error.contains("--alone"), "{error}");
    // A list of peers that contains only this node is refused, too.
    let listed = alone.replace(":0", ":7001");
    let own = format!("{listed}[[peers]]\nid = 1\naddress = \"127.0.0.1:7001\"\n");
    let error = bind(&config(&own)).await.unwrap_err();
    assert!(error.contains("would elect itself"), "{error}");
    let mut node = bind(&config(&alone.replace("id = 1", "id = 1\nalone = true"))).await.unwrap();
    assert_eq!(node.elect().await.unwrap().total(), 0);
}

#[tokio::test]
async fn a_peer_with_this_nodes_id_and_another_address_is_refused() {
    let with = |listen: &str, own: &str| {
        let text = GOOD.replace("127.0.0.1:0", listen);
        config(&format!("{text}[[peers]]\nid = 1\naddress = \"{own}\"\n"))
    };
    for (listen, own) in
        [("127.0.0.1:7001", "127.0.0.1:7009"), ("127.0.0.1:7001", "127.0.0.2:7001")]
    {
        let error = bind(&with(listen, own)).await.unwrap_err();
        assert!(error.contains("line 9, peers, the 2nd: node 1 is at"), "{error}");
        assert!(error.contains(own) && error.contains(listen), "{error}");
    }
    let error = bind(&with("127.0.0.1:7001", "no-such-host.invalid:7001")).await.unwrap_err();
    assert!(error.contains("is no address"), "{error}");
    // The same address, written in another way; and any address of a node that listens on all.
    let free = suffrage_net::free::addresses(2).unwrap();
    let (free, other) = (free[0].port(), free[1].port());
    bind(&with(&format!("127.0.0.1:{free}"), &format!("localhost:{free}"))).await.unwrap();
    let mut open = with(&format!("0.0.0.0:{other}"), &format!("192.0.2.1:{other}"));
    open.insecure = true;
    bind(&open).await.unwrap();
}

#[test]
fn timeouts_are_set_by_name_and_checked() {
    let with =
        |lines: &str| NodeConfig::from_toml(&format!("{GOOD}[timeouts]\n{lines}"), Path::new(""));
    let set = with("silence = 3\nfirst_pause = 0.25\n").unwrap().timeouts;
    assert_eq!(set.silence, Duration::from_secs(3));
    assert_eq!(set.first_pause, Duration::from_millis(250));
    for (lines, says) in [
        (
            "patience = 3",
            "line 10, timeouts.patience: there is no such timeout; there are greeting",
        ),
        ("linger = -1", "line 10, timeouts.linger: write a number of seconds"),
        ("linger = nan", "line 10, timeouts.linger: write a number of seconds"),
        ("linger = 1e10", "line 10, timeouts.linger: it must be at most 1000000000 seconds"),
        ("linger = 1e300", "line 10, timeouts.linger: it must be at most 1000000000 seconds"),
        ("linger = inf", "line 10, timeouts.linger: it must be at most 1000000000 seconds"),
        ("linger = 0", "line 10, timeouts.linger: it must be more than 0"),
        (
            "linger = 5\nheartbeat = 9",
            "line 11, timeouts.heartbeat: it must be shorter than `silence`",
        ),
        ("abandon = 1", "timeouts.gone: it must be shorter than `abandon`"),
        ("linger = \"5 s\"", "line 10, linger"),
    ] {
        let error = with(lines).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
}

/// Labels of the network name its nodes.
#[test]
fn labels_come_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.edges"), "Praha Brno\n").unwrap();
    let text = GOOD
        .replace("humblet", "echo-extinction")
        .replace("\"complete\"", "\"net.edges\"")
        .replace("id = 1", "id = 1\nname = \"Praha\"")
        .replace("id = 2", "id = 2\nname = \"Brno\"");
    let place = NodeConfig::from_toml(&text, folder.path()).unwrap().place().unwrap();
    let labels: Vec<_> = (0..2).map(|node| place.membership.label(node)).collect();
    assert_eq!(labels, [Some("Praha"), Some("Brno")]);
}
