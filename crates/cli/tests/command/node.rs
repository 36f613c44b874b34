//! `suffrage node` and `suffrage cert`: elections between processes.

use crate::common::{Said, line, refusal, refused, says, suffrage};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Returns addresses on which no process listens at the moment.
fn addresses(count: usize) -> Vec<String> {
    let all: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    all.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect()
}

/// Writes a file for all nodes, which override id and address by flags.
fn shared(folder: &Path, algorithm: &str, network: &str, addresses: &[String]) {
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

fn start(folder: &Path, words: &[&str]) -> Child {
    let words = [&["--config", "node.toml"], words].concat();
    node(folder, &words, Stdio::piped())
}

fn node(folder: &Path, words: &[&str], log: Stdio) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(["node", "--format", "json"])
        .args(words)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap()
}

fn end(child: Child) -> Said {
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
fn certificates_are_made_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let cert = |words: &str| suffrage(["cert", "--out", out].into_iter().chain(words.split(' ')));
    says(&cert("--cluster test --nodes 2").out, &["an authority and 2 certificates"]);
    let again = cert("--cluster test --nodes 2");
    says(&refusal(again, "cert"), &["ca-key.pem", "--force replaces it", "--add"]);
    assert_eq!(cert("--cluster test --ids 1,2 --force").code, 0);
    says(&cert("--cluster test --ids 7 --add").out, &["1 certificate for cluster test"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = std::fs::metadata(folder.path().join("node-2-key.pem")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600, "for its owner's eyes");
    }
    let addresses = addresses(2);
    let mut nodes = Vec::new();
    for (id, address) in (1..).zip(&addresses) {
        shared(folder.path(), "lelann", "ring", &addresses);
        let file = folder.path().join("node.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let tls = format!(
            "[tls]\nauthority = \"ca.pem\"\ncertificate = \"node-{id}.pem\"\nkey = \
             \"node-{id}-key.pem\"\n"
        );
        std::fs::write(folder.path().join(format!("{id}.toml")), text + &tls).unwrap();
        let (config, id) = (format!("{id}.toml"), id.to_string());
        let mut node = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"));
        node.args(["node", "--config", &config, "--id", &id, "--listen", address])
            .args(["--timeout", "30"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        nodes.push(node.spawn().unwrap());
    }
    for node in nodes {
        let Said { code, out, err } = end(node);
        assert_eq!(code, 0, "{err}");
        says(&out, &["leader", "all have halted", "sent"]);
    }
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

/// A duplicate name, an impossible folder and inconsistent files of an authority leave no file
/// behind.
#[test]
fn certificates_are_made_all_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new");
    let cert = |words: &str| {
        let out = out.to_str().unwrap().to_owned();
        let words = words.split_whitespace().map(str::to_owned);
        refusal(
            suffrage(["cert".to_owned(), "--out".to_owned(), out].into_iter().chain(words)),
            "cert",
        )
    };
    says(&cert("--cluster c --ids 7,7"), &["--ids: the id 7 is there twice"]);
    assert!(!out.exists());
    says(&cert("--ids 7"), &["--cluster"]);
    says(&cert("--cluster c --ids 7 --add"), &["cannot read", "ca.pem"]);
    says(&cert("--revoke 7"), &["cannot read", "ca.pem"]);
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("node-3.pem"), "mine").unwrap();
    says(&cert("--cluster c --nodes 3"), &["node-3.pem", "--force"]);
    let names: Vec<_> =
        std::fs::read_dir(&out).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(names, ["node-3.pem"]);
}

#[test]
fn a_certificate_is_revoked_and_another_one_issued() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let cert = |words: &str| {
        let said = suffrage(["cert", "--out", out].into_iter().chain(words.split(' ')));
        assert_eq!(said.code, 0, "{}", said.err);
        said.out
    };
    cert("--cluster test --nodes 2");
    says(&cert("--revoke 2"), &["revoked.pem: 1 revoked certificate\n"]);
    assert!(!folder.path().join("node-2.pem").exists());
    cert("--cluster test --ids 2 --add");
    says(&cert("--revoke 2"), &["revoked.pem: 2 revoked certificates"]);
    cert("--cluster test --ids 2 --add");
    // With the list in their configurations, the nodes with the new certificates elect.
    let addresses = addresses(2);
    shared(folder.path(), "lelann", "ring", &addresses);
    let shared = std::fs::read_to_string(folder.path().join("node.toml")).unwrap();
    let mut nodes = Vec::new();
    for (id, address) in ["1", "2"].iter().zip(&addresses) {
        let tls = format!(
            "[tls]\nauthority = \"ca.pem\"\ncertificate = \"node-{id}.pem\"\nkey = \
             \"node-{id}-key.pem\"\nrevoked = \"revoked.pem\"\n"
        );
        let config = format!("{id}.toml");
        std::fs::write(folder.path().join(&config), format!("{shared}{tls}")).unwrap();
        let words = ["--config", &config, "--id", id, "--listen", address, "--timeout", "60"];
        nodes.push(node(folder.path(), &words, Stdio::piped()));
    }
    for node in nodes {
        let Said { code, err, .. } = end(node);
        assert_eq!(code, 0, "{err}");
    }
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

#[test]
fn a_node_without_peers_must_be_told_that_it_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    shared(folder.path(), "humblet", "complete", &addresses(1));
    let words = ["--config", "node.toml", "--timeout", "30"];
    let Said { code, out, err } = end(node(folder.path(), &words, Stdio::piped()));
    assert_eq!((code, out.as_str()), (2, ""));
    says(&err, &["would elect itself", "--alone"]);
    let words = [&words[..], &["--alone"]].concat();
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
    let quick = "[timeouts]\ngone = 0.5\nabandon = 0.5\n";
    std::fs::write(&file, good.clone() + quick).unwrap();
    // The third looks for the first at a wrong address, and is not found by it.
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let lost = good.replace(&format!("\"{}\"", addresses[0]), &format!("\"{nowhere}\""));
    std::fs::write(folder.path().join("third.toml"), lost).unwrap();
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
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
    first.kill().unwrap();
    let Said { code, out, .. } = end(second);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["all_halted"], &report["leader"]), (3, &false.into(), &3.into()));
    third.kill().unwrap();
    let _ = (first.wait(), third.wait());
    says(
        &suffrage(["node", "--help"]).out,
        &["3    a leader was elected", "not known whether all have"],
    );
}

/// Returns the error of `node` for a configuration and flags.
fn complaint(text: &str, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node.toml");
    std::fs::write(&path, text).unwrap();
    // If it is accepted, the timeout ends it.
    let all = ["node", "--timeout", "1", "--config", path.to_str().unwrap()];
    refusal(suffrage(all.iter().chain(words)), text)
}

#[test]
fn a_wrong_configuration_names_the_key_and_the_line() {
    let good = "cluster = \"c\"\nalgorithm = \"humblet\"\nnetwork = \"complete\"\nid = 1\n\
                listen = \"127.0.0.1:0\"\n[[peers]]\nid = 2\naddress = \"127.0.0.1:7002\"\n";
    let without = |part: &str, other: &str| {
        assert!(good.contains(part));
        complaint(&good.replace(part, other), &[])
    };
    says(&without("id = 1\n", "id = \"one\"\n"), &["node.toml", "line 4, id"]);
    says(&without("id = 1\n", ""), &["missing field `id`"]);
    says(&without("listen", "listn"), &["line 5, listn", "unknown field"]);
    says(&without("\"humblet\"", "\"humblett\""), &["did you mean `humblet`"]);
    says(&without("\"complete\"", "\"no.graphml\""), &["line 3, network", "there is no file"]);
    says(&without("\"complete\"", "\"ring\""), &["line 3, network", "humblet"]);
    says(&without("\"complete\"", "\"complete:5\""), &["line 3, network", "5 nodes", "2 here"]);
    says(&without("id = 2", "id = 2\nport = 3"), &["line 8, port", "unknown field"]);
    says(&without(":7002\"", "\""), &["line 6, peers, the 1st", "no port"]);
    let twice = format!("{good}[[peers]]\nid = 2\naddress = \"127.0.0.1:7003\"\n");
    says(&complaint(&twice, &[]), &["line 9, peers, the 2nd", "the id 2 is there twice"]);
    says(&without("127.0.0.1:0", "nowhere"), &["line 5, listen", "is no address"]);
    let open = without("127.0.0.1:0", "0.0.0.0:0");
    says(&open, &["line 5, listen", "without TLS any host may take part", "--insecure"]);
    let tls = format!("{good}[tls]\nauthority = \"a\"\ncertificate = \"b\"\nkey = \"c\"\n");
    says(&complaint(&tls, &[]), &["line 9, tls"]);
    says(&complaint(good, &["--log", "loud"]), &["--log"]);
    says(&refused("node --config x --timeout soon"), &["--timeout", "seconds"]);
    says(&refused("node --config no-such-file"), &["no-such-file", "cannot be read"]);
    says(&refused("node"), &["--config"]);
    says(&complaint("cluster = ", &[]), &["line 1"]);
}

#[test]
fn help_says_that_no_algorithm_survives_a_crash() {
    let help = line("node --help").out;
    says(&help.replace('\n', " "), &["NO ALGORITHM OF THE CATALOGUE SURVIVES A CRASH"]);
}
