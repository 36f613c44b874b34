//! `suffrage cluster`, which reports in the form of `elect`.

use crate::common::{json, keys, line, says, zoo};
use serde_json::Value;

#[test]
fn the_report_has_the_keys_of_a_simulated_one() {
    let real = json("cluster all-to-all --nodes 6");
    let simulated = json("elect all-to-all --nodes 6");
    // Between real processes it is not known how long a message takes at most.
    let mut timed = keys(&simulated);
    timed.retain(|&key| key != "time_bound");
    assert_eq!(keys(&real), timed);
    for part in ["network", "initiators", "leader", "messages", "busiest", "bound"] {
        assert_eq!(keys(&real[part]), keys(&simulated[part]), "{part}");
    }
    for equal in ["network", "leader", "messages", "bits", "bound", "violations", "agreed"] {
        assert_eq!(real[equal], simulated[equal], "{equal}");
    }
    assert!(real["time"].as_f64().unwrap() > 0.0, "seconds");
    assert_eq!(real["schedule"], "real (tcp)");
}

#[test]
fn every_transport_and_processes_send_what_the_simulator_sends() {
    for how in ["", "--transport tls", "--transport channels", "--processes"] {
        for what in [
            "chang-roberts --nodes 5",
            "tree-wave --topology tree:random:5",
            "villadangos",
            "lyndon-word --nodes 7 --ids homonyms:3",
            "flood-max@alpha --topology grid:2x3",
        ] {
            if what.contains("homonyms") && how == "--processes" {
                continue;
            }
            let words = format!("cluster {what} {how} --against-simulation");
            let both = json(&words);
            let (real, simulated) = (&both["real"], &both["simulated"]);
            assert_eq!(real["messages"]["total"], simulated["messages"]["total"], "{words}");
            assert_eq!(real["leader"], simulated["leader"], "{words}");
            assert_eq!((&real["agreed"], &real["halted"]), (&true.into(), &true.into()), "{words}");
        }
    }
    let words =
        "cluster echo-extinction --nodes 4 --processes --transport tls --initiators nodes:2";
    let both = json(&format!("{words} --ports random --against-simulation"));
    assert_eq!(both["real"]["messages"], both["simulated"]["messages"]);
    assert_eq!(both["real"]["peak_in_flight"], Value::Null);
}

#[test]
fn counts_stand_side_by_side() {
    let text = line("cluster lelann --nodes 4 --against-simulation").out;
    says(
        &text,
        &["beside the simulator", "real", "simulated", "token", "equal", "schedule real (tcp)"],
    );
}

#[test]
fn a_real_network_elects() {
    let Some(path) = zoo("Abilene.graphml") else { return };
    let real = json(&format!("cluster --topology {} --initiators nodes:Denver", path.display()));
    assert_eq!(real["leader"]["label"], "Denver");
    assert_eq!(real["messages"]["total"], real["bound"]["messages"], "a single wave");
}

#[test]
fn capacity_is_that_of_a_link() {
    let real = json("cluster afek-gafni --nodes 6 --transport channels --capacity 1");
    assert_eq!(real["capacity"], 1);
    assert!(real["peak_in_flight"].as_u64().unwrap() <= 30);
}

/// The published form of this algorithm deadlocks in the simulator and in real elections; waves in
/// every direction fill links that hold one message.
#[test]
fn an_election_without_an_end_is_given_up() {
    let said = line("cluster villadangos@published --nodes 64 --timeout 1.5");
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    says(&said.err, &["gave up after 1.5 s: of 64 nodes 0 know the leader"]);
    let words = "cluster echo-extinction --topology complete:12 --ids descending --timeout 1.5";
    let said = line(&format!("{words} --transport channels --capacity 1"));
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    says(&said.err, &["of 12 nodes 0 know the leader", "bounded links"]);
}

/// One of forty processes is killed as soon as it runs. The command names it, and does not wait
/// until the others give up.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_is_noticed_at_once() {
    use std::process::{Command, Stdio};
    let cluster = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(["cluster", "all-to-all", "--nodes", "40", "--processes", "--timeout", "500"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let children = format!("/proc/{0}/task/{0}/children", cluster.id());
    let victim = loop {
        let children = std::fs::read_to_string(&children).unwrap();
        match children.split_whitespace().next() {
            Some(child) => break child.to_owned(),
            None => std::thread::sleep(std::time::Duration::from_millis(1)),
        }
    };
    assert!(Command::new("kill").args(["-KILL", &victim]).status().unwrap().success());
    let output = cluster.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    says(&err, &["error: the process of node", "has ended", "signal: 9"]);
}

#[test]
fn what_happened_can_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| crate::common::suffrage_in(folder.path(), words.split_whitespace());
    for how in ["--transport channels", "", "--processes"] {
        for what in [
            "lelann --nodes 5",
            "humblet --nodes 12 --ports random",
            "afek-gafni --nodes 6 --transport channels --capacity 1",
            "villadangos --nodes 7 --initiators nodes:1,4",
            "echo-extinction --topology grid:2x3 --initiators 3",
            "tree-wave --topology tree:random:6",
            "dolev-klawe-rodeh --nodes 2",
        ] {
            if how != "--transport channels" && what.contains("--transport") {
                continue;
            }
            let how = if what.contains("--transport") { "--seed 2" } else { how };
            let words = format!("cluster {what} {how} --trace t.jsonl --format json");
            let real = run(&words);
            assert_eq!((real.code, real.err.as_str()), (0, ""), "{words}");
            let replayed = run("replay t.jsonl --format json");
            assert_eq!((replayed.code, replayed.err.as_str()), (0, ""), "{words}");
            let [real, replayed] =
                [real, replayed].map(|said| serde_json::from_str::<Value>(&said.out).unwrap());
            assert_eq!(replayed["leader"]["id"], real["leader"]["id"], "{words}");
            assert_eq!(replayed["messages"], real["messages"]["total"], "{words}");
            assert_eq!(replayed["by_kind"], real["messages"]["by_kind"], "{words}");
            assert_eq!(replayed["causal_depth"], real["causal_depth"], "{words}");
            assert_eq!(replayed["late"], real["late"], "{words}");
        }
    }
    says(&run("replay t.jsonl").out, &["command         suffrage cluster dolev-klawe-rodeh", "p0"]);
    let words = "elect dolev-klawe-rodeh --nodes 2 --schedule replay:t.jsonl";
    assert_eq!(run(words).code, 0);
}

#[test]
fn timeouts_are_flags() {
    for how in ["", "--processes"] {
        let words = format!("cluster lelann --nodes 3 {how} --timeouts gone=10,abandon=20");
        assert_eq!(line(&words).code, 0, "{words}");
    }
}

#[test]
fn a_limit_on_open_files_is_named_with_what_to_do() {
    // The administrator could raise the limit, so that capability is dropped if possible.
    let dropped = "setpriv --bounding-set=-sys_resource";
    let can_drop =
        std::process::Command::new("sh").args(["-c", &format!("{dropped} true")]).output();
    let prefix = if can_drop.unwrap().status.success() { dropped } else { "" };
    let script = format!("ulimit -n 40; exec {prefix} \"$@\"");
    for words in ["cluster humblet --nodes 100", "cluster humblet --nodes 100 --processes"] {
        let output = std::process::Command::new("sh")
            .args(["-c", &script, "sh"])
            .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args(words.split(' '))
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err.lines().count()), (Some(2), 1), "{words}: {err}");
        says(&err, &["files", "ulimit -n"]);
    }
}
