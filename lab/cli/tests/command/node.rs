//! `suffrage node` and `suffrage cert`: elections between processes.

use crate::common::{Said, line, refusal, says};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use suffrage_net::free;

pub(crate) fn addresses(count: usize) -> Vec<String> {
    free::addresses(count).unwrap().iter().map(ToString::to_string).collect()
}

/// Writes a file for all nodes, which override id and address by flags.
pub(crate) fn shared(folder: &Path, algorithm: &str, network: &str, addresses: &[String]) {
    let mut text = format!(
        "cluster = \"test\"\nalgorithm = \"{algorithm}\"\nnetwork = \"{network}\"\nid = 1\n\
         listen = \"{}\"\n",
        addresses[0]
    );
    for (id, address) in (1..).zip(addresses) {
        text += &format!("[[peers]]\nid = {id}\naddress = \"{address}\"\n");
    }
    std::fs::write(folder.join("node.toml"), text).unwrap();
}

pub(crate) fn start(folder: &Path, words: &[&str]) -> Child {
    let words = [&["--config", "node.toml"], words].concat();
    node(folder, &words, Stdio::piped())
}

pub(crate) fn node(folder: &Path, words: &[&str], log: Stdio) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(["node", "--format", "json"])
        .args(words)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap()
}

pub(crate) fn end(child: Child) -> Said {
    child.wait_with_output().unwrap().into()
}

#[test]
fn three_processes_elect_one() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(3);
    shared(folder.path(), "all-to-all", "complete", &addresses);
    let nodes: Vec<_> = ["1", "2", "3"]
        .iter()
        .zip(&addresses)
        .map(|(id, address)| {
            start(folder.path(), &["--id", id, "--listen", address, "--timeout", "30"])
        })
        .collect();
    for (id, node) in (1_u64..).zip(nodes) {
        let Said { code, out, err } = end(node);
        assert_eq!(code, 0, "{err}");
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&report["id"], &report["leader"]), (&id.into(), &3.into()));
        assert_eq!(report["role"], if id == 3 { "leader" } else { "follower" });
        assert_eq!(report["messages"]["by_kind"]["identity"], 2);
        assert_eq!((&report["received"], &report["causal_depth"]), (&2.into(), &1.into()));
        says(&err, &["decided", "leader=3"]);
    }
}

#[test]
fn who_is_missing_is_named_and_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(2);
    shared(folder.path(), "humblet", "complete", &addresses);
    let Said { code, out, err } = end(start(folder.path(), &["--timeout", "2"]));
    assert_eq!((code, out.as_str()), (1, ""));
    let missing = format!("missing: node 2 ({}): no process listens there", addresses[1]);
    says(&err, &["gave up after", "the election is going on", &missing]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_node_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    shared(folder.path(), "humblet", "complete", &addresses(2));
    for signal in ["-INT", "-TERM"] {
        let mut node = start(folder.path(), &["--log-format", "json"]);
        let mut log = String::new();
        let mut errors = BufReader::new(node.stderr.take().unwrap());
        errors.read_line(&mut log).unwrap();
        let id = node.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let Said { code, out, .. } = end(node);
        let mut err = String::new();
        errors.read_to_string(&mut err).unwrap();
        assert_eq!((code, out.as_str()), (130, ""), "{err}");
        says(&err, &["interrupted: the election is going on; missing: node 2"]);
        let log: Value = serde_json::from_str(&log).expect("a line of JSON");
        assert_eq!(log["level"], "INFO");
        says(log["fields"]["message"].as_str().unwrap(), &["waiting for node 2"]);
    }
}

/// A node that has nothing to do waits for events: it does not look for signals, or for anything else,
/// many times a second.
#[cfg(target_os = "linux")]
#[test]
fn a_node_that_waits_sleeps() {
    let folder = tempfile::tempdir().unwrap();
    shared(folder.path(), "humblet", "complete", &addresses(2));
    let pauses = ["--timeouts", "first_pause=30,longest_pause=30,stall=30", "--timeout", "60"];
    let mut node = start(folder.path(), &pauses);
    let mut errors = BufReader::new(node.stderr.take().unwrap());
    errors.read_line(&mut String::new()).unwrap();
    let switches = || -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", node.id())).unwrap();
        let status = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("status"));
        let count = |status: &str| -> Option<u64> {
            let line =
                status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line?.trim().parse().ok()
        };
        tasks.flatten().filter_map(|task| count(&status(task).ok()?)).sum()
    };
    let before = switches();
    std::thread::sleep(Duration::from_secs(1));
    let after = switches();
    node.kill().unwrap();
    node.wait().unwrap();
    assert!(after - before < 25, "{} times in a second", after - before);
}

#[test]
fn nodes_that_disagree_say_about_what() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(2);
    shared(folder.path(), "humblet", "complete", &addresses);
    let first = start(folder.path(), &["--timeout", "3"]);
    let words =
        ["--id", "2", "--listen", &addresses[1], "--algorithm", "afek-gafni", "--timeout", "2"];
    let second = start(folder.path(), &words);
    let (second, first) = (end(second), end(first));
    assert_eq!((first.code, second.code), (1, 1));
    says(&second.err, &["it refuses this node: the algorithm is humblet there"]);
    says(&first.err, &["afek-gafni"]);
}

#[test]
fn the_example_is_a_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let example = line("node --print-config").out;
    says(&example, &["cluster = \"lab\"", "[[peers]]", "[tls]", "survives the crash"]);
    std::fs::write(folder.path().join("node.toml"), &example).unwrap();
    let Said { code, err, .. } =
        end(start(folder.path(), &["--listen", "127.0.0.1:0", "--timeout", "2"]));
    assert_eq!(code, 1, "{err}");
    says(&err, &["missing: node 2 (127.0.0.1:7002)"]);
}

/// A full disk, and a pipe without a reader. The node elects as usual, and so do the
/// others.
#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_written_breaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(3);
    shared(folder.path(), "all-to-all", "complete", &addresses);
    let mut nodes = Vec::new();
    for (id, address) in ["1", "2", "3"].iter().zip(&addresses) {
        let log = match *id {
            "1" => Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap()),
            _ => Stdio::piped(),
        };
        let words = ["--config", "node.toml", "--id", id, "--listen", address, "--log", "trace"];
        let mut node = node(folder.path(), &words, log);
        if *id == "2" {
            drop(node.stderr.take());
        }
        nodes.push(node);
    }
    for node in nodes {
        let Said { code, out, err } = end(node);
        assert_eq!(code, 0, "{err}");
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["leader"], 3);
    }
    // The final report cannot be written either, but the exit code is right.
    let full = Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let alone = node(folder.path(), &["--config", "node.toml", "--timeout", "0.2"], full);
    assert_eq!(end(alone).code, 1);
    let full = Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let wrong = node(folder.path(), &["--config", "no-such-file"], full);
    assert_eq!(end(wrong).code, 2);
}

/// A node is suspended for much longer than silence lasts until connections are closed, and the last
/// one starts meanwhile. The election goes on where it stood.
#[cfg(unix)]
#[test]
fn a_node_that_was_suspended_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(3);
    shared(folder.path(), "all-to-all", "complete", &addresses);
    let timeouts = ["--timeouts", "heartbeat=0.1,silence=0.4,greeting=0.4,longest_pause=0.2"];
    let start = |id: &str, address: &str| {
        let words = ["--config", "node.toml", "--id", id, "--listen", address, "--timeout", "60"];
        node(folder.path(), &[&words[..], &timeouts].concat(), Stdio::piped())
    };
    let (first, mut second) = (start("1", &addresses[0]), start("2", &addresses[1]));
    let log = Arc::new(Mutex::new(String::new()));
    let (lines, written) = (BufReader::new(second.stderr.take().unwrap()).lines(), log.clone());
    std::thread::spawn(move || {
        lines.map_while(Result::ok).for_each(|line| written.lock().unwrap().push_str(&line));
    });
    // Waits until the second node says so, or for some seconds: of many messages it holds some back.
    let wait_for = |part: &str| {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(5) {
            let mut log = log.lock().unwrap();
            if log.contains(part) {
                return log.clear();
            }
            drop(log);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait_for("waiting for node 3");
    let signal = |name: &str| {
        let id = first.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    };
    signal("-STOP");
    wait_for("waiting for node 1");
    let third = start("3", &addresses[2]);
    wait_for("connected at last");
    std::thread::sleep(Duration::from_millis(600));
    signal("-CONT");
    for node in [first, second, third] {
        let Said { code, out, err } = end_in_time(node);
        assert_eq!(code, 0, "{err}");
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&report["leader"], &report["all_halted"]), (&3.into(), &true.into()));
    }
}

/// Waits for the end of a node, within a limited time.
#[cfg(unix)]
fn end_in_time(mut node: Child) -> Said {
    let since = Instant::now();
    while node.try_wait().unwrap().is_none() {
        if since.elapsed() > Duration::from_secs(60) {
            node.kill().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    end(node)
}

#[cfg(unix)]
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (reader, writer) = std::io::pipe().unwrap();
    let mut filling = writer.try_clone().unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    // Ends when the reader is dropped.
    std::thread::spawn(move || {
        while std::io::Write::write(&mut filling, &[b'.'; 512]).is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut before = 0;
    loop {
        std::thread::sleep(Duration::from_millis(100));
        match written.load(Ordering::Relaxed) {
            now if now == before && now > 0 => return (reader, writer),
            now => before = now,
        }
    }
}

/// The reader of the log has stopped, and strangers cause more lines than are kept for it. The nodes
/// elect as usual.
#[cfg(unix)]
#[test]
fn a_log_that_is_not_read_delays_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(2);
    shared(folder.path(), "all-to-all", "complete", &addresses);
    let (_reader, writer) = full_pipe();
    let start = |id: &str, address: &str| {
        let words = ["--config", "node.toml", "--id", id, "--listen", address, "--log", "debug"];
        node(folder.path(), &words, Stdio::from(writer.try_clone().unwrap()))
    };
    let first = start("1", &addresses[0]);
    let mut strangers = 0;
    while strangers < 4500 {
        match std::net::TcpStream::connect(&addresses[0]) {
            Ok(mut stream) => {
                strangers += 1;
                let _ = std::io::Write::write(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
                // Reads until the node has closed the connection, and logged that.
                let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
                if stream.read(&mut [0]).is_err_and(|e| e.kind() == std::io::ErrorKind::WouldBlock)
                {
                    break;
                }
            }
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    let second = start("2", &addresses[1]);
    for node in [first, second] {
        let Said { code, out, .. } = end_in_time(node);
        assert_eq!(code, 0, "{out}");
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["leader"], 2);
    }
}

#[test]
fn timeouts_of_a_node_are_flags() {
    let folder = tempfile::tempdir().unwrap();
    shared(folder.path(), "humblet", "complete", &addresses(2));
    let refused = |words: &str, all: &[&str]| {
        let words =
            [&["--config", "node.toml", "--timeout", "1", "--timeouts"][..], &[words]].concat();
        let said = end(node(folder.path(), &words, Stdio::piped()));
        says(&refusal(said, words[5]), all);
    };
    refused("patience=3", &["there is no timeout `patience`", "heartbeat"]);
    // They override those of the file, and are checked together with them.
    let file = folder.path().join("node.toml");
    let text = std::fs::read_to_string(&file).unwrap() + "[timeouts]\nsilence = 90\n";
    std::fs::write(&file, text).unwrap();
    refused("heartbeat=100", &["--timeouts heartbeat", "shorter than `silence`"]);
    let words = ["--config", "node.toml", "--timeout", "0.3", "--timeouts", "heartbeat=80"];
    assert_eq!(end(node(folder.path(), &words, Stdio::piped())).code, 1, "there is no other node");
}

/// A missing neighbour has its identity, its label in the network and its address.
#[test]
fn who_is_missing_has_the_label_of_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(2);
    std::fs::write(folder.path().join("net.edges"), "Praha Brno\n").unwrap();
    let text = format!(
        "cluster = \"test\"\nalgorithm = \"echo-extinction\"\nnetwork = \"net.edges\"\nid = 70\n\
         name = \"Praha\"\nlisten = \"{}\"\n[[peers]]\nid = 80\nname = \"Brno\"\naddress = \"{}\"\n",
        addresses[0], addresses[1]
    );
    std::fs::write(folder.path().join("node.toml"), text).unwrap();
    let Said { code, err, .. } = end(start(folder.path(), &["--timeout", "1.5"]));
    assert_eq!(code, 1, "{err}");
    let missing = format!("missing: node 80 `Brno` ({}): no process listens there", addresses[1]);
    says(&err, &[&missing, &format!("waiting for node 80 `Brno` ({})", addresses[1])]);
}

#[test]
fn a_node_that_is_told_that_it_is_alone_elects_itself() {
    let folder = tempfile::tempdir().unwrap();
    shared(folder.path(), "humblet", "complete", &addresses(1));
    let words = ["--config", "node.toml", "--timeout", "30", "--alone"];
    let Said { code, out, err } = end(node(folder.path(), &words, Stdio::piped()));
    assert_eq!(code, 0, "{err}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["role"], "leader");
}

/// Of three nodes, the first is the root of the termination tree and the third never halts. The
/// first is killed, so the second cannot know whether all have halted.
#[cfg(unix)]
#[test]
fn doubt_has_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(3);
    shared(folder.path(), "all-to-all", "complete", &addresses);
    let file = folder.path().join("node.toml");
    let good = std::fs::read_to_string(&file).unwrap();
    // Long enough that a machine with much else to do keeps the links that are meant to be kept.
    let quick = "[timeouts]\ngone = 2\nabandon = 2\n";
    std::fs::write(&file, good.clone() + quick).unwrap();
    // The third looks for the first at a wrong address, and is not found by it.
    let nowhere = &super::node::addresses(1)[0];
    let lost = good.replace(&format!("\"{}\"", addresses[0]), &format!("\"{nowhere}\""));
    std::fs::write(folder.path().join("third.toml"), lost).unwrap();
    let nowhere = &super::node::addresses(1)[0];
    let first = good.replace(&format!("\"{}\"", addresses[2]), &format!("\"{nowhere}\""));
    std::fs::write(folder.path().join("first.toml"), first).unwrap();
    let start = |config: &str, id: &str, address: &str| {
        let words = ["--config", config, "--id", id, "--listen", address, "--timeout", "100"];
        node(folder.path(), &words, Stdio::piped())
    };
    let mut first = start("first.toml", "1", &addresses[0]);
    let mut third = start("third.toml", "3", &addresses[2]);
    let mut second = start("node.toml", "2", &addresses[1]);
    let mut log = BufReader::new(second.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("decided") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "it has ended");
    }
    // The second has not halted before the first has taken its message.
    std::thread::sleep(Duration::from_secs(2));
    first.kill().unwrap();
    let Said { code, out, .. } = end(second);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["all_halted"], &report["leader"]), (3, &false.into(), &3.into()));
    third.kill().unwrap();
    let _ = (first.wait(), third.wait());
}
