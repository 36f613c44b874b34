//! Five members and their faults: no two commands ever run at once, and terms grow.

use crate::{Test, ended, tenure};
use serde_json::Value;
use std::fs::{self, File};
use std::process::{Output, Stdio};

pub(crate) const TESTS: &[Test] = &[
    ("whatever_befalls_the_leader_the_office_moves_and_nothing_lives_twice", tour),
    ("whatever_befalls_others_the_leader_leads_on", others),
    ("a_leader_that_is_cut_off_is_dead_before_the_next_one_leads", cut),
    ("a_program_is_suspended_until_it_is_resumed_and_what_cannot_be_done_is_said", until),
    ("a_leader_that_hears_nobody_or_is_heard_by_nobody_is_replaced", one_way),
    ("steps_come_from_a_file_from_standard_input_or_from_a_tour", script),
];

/// Takes steps, and returns the report.
fn demo(steps: &str) -> Value {
    let (code, out, err) = ended(&["demo", "--format", "json", "--steps", steps]);
    assert_eq!(code, 0, "{out}{err}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["violations"], Value::Array(vec![]));
    report
}

fn steps(report: &Value) -> &[Value] {
    report["steps"].as_array().unwrap()
}

fn tour() {
    let report = demo(
        "kill leader; start all; stop leader; start all; crash leader; start all; \
         suspend leader 1s; resign; transfer follower-1; repeat 2",
    );
    assert_eq!(steps(&report).len(), 12);
    for step in steps(&report) {
        assert_ne!(step["before"], step["after"], "{step}");
        assert!(step["next_ms"].is_number(), "{step}");
    }
    assert!(report["tenures"].as_u64().unwrap() >= 13);
}

/// A busy machine may cost a leader its lease of 250 ms at any time, so not every attempt counts.
fn others() {
    let leads_on = || {
        let report = demo(
            "kill follower-1; start all; crash follower-1; start all; stop follower-1; suspend follower-1 100ms",
        );
        let stays = |step: &Value| step["before"] == step["after"] && step["next_ms"].is_null();
        steps(&report).iter().all(stays)
    };
    assert!((0..5).any(|_| leads_on()), "the leader changed in each of five attempts");
}

fn cut() {
    let report = demo("cut leader; heal; repeat 2");
    for step in steps(&report) {
        assert!(step["gone_ms"].as_f64() < step["next_ms"].as_f64(), "{step}");
    }
}

fn until() {
    let report = demo("suspend 1; resume 1; suspend 1; kill 1; start 1; stop 1");
    let taken: Vec<_> = steps(&report).iter().map(|step| step["step"].as_str().unwrap()).collect();
    assert_eq!(taken, ["suspend 1", "suspend 1", "kill 1", "stop 1"]);
    for (steps, says) in [
        ("suspend 1; stop 1", "stop 1: the program of member 1 is suspended"),
        ("resume 1", "resume 1: the program of member 1 is not suspended"),
        ("kill 1; kill 1", "kill 1: the program of member 1 is killed"),
        ("stop 1; stop 1", "stop 1: the program of member 1 does not run"),
        ("crash 1; transfer 1", "transfer 1: member 1 is not up"),
        ("transfer leader", "leads already"),
    ] {
        let (code, _, err) = ended(&["demo", "--steps", steps]);
        assert_eq!(code, 1, "{steps}: {err}");
        assert!(err.contains(says), "{steps}: {err}");
    }
}

fn one_way() {
    let report = demo("cut leader in; heal; cut leader out; heal");
    for step in steps(&report) {
        assert_ne!(step["before"], step["after"], "{step}");
        assert!(step["gone_ms"].as_f64() < step["next_ms"].as_f64(), "{step}");
    }
}

fn script() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steps");
    fs::write(&path, "# of a file\nkill leader\n\nstart all; wait 10ms\nresign\n").unwrap();
    let file = path.to_str().unwrap();
    let of = |script: &[&str], input: Stdio| {
        let command = ["demo", "--format", "json"].iter().chain(script).copied();
        let Output { status, stdout, stderr } =
            tenure(&command.collect::<Vec<_>>()).stdin(input).output().unwrap();
        assert!(status.success(), "{script:?}: {}", String::from_utf8_lossy(&stderr));
        let report: Value = serde_json::from_slice(&stdout).unwrap();
        steps(&report).iter().map(|step| step["step"].as_str().unwrap().to_owned()).collect()
    };
    let taken: Vec<String> = of(&["--script", file], Stdio::null());
    assert_eq!(taken, ["kill leader", "resign"]);
    let taken: Vec<String> = of(&["--script", "-"], File::open(&path).unwrap().into());
    assert_eq!(taken, ["kill leader", "resign"]);
    let tour: Vec<String> = of(&["--script"], Stdio::null());
    assert!(tour.len() > 5 && tour.contains(&"suspend leader 2s".to_owned()), "{tour:?}");
    let (code, _, err) = ended(&["demo", "--script", "nowhere"]);
    assert_eq!(code, 2);
    assert!(err.contains("--script nowhere: No such file"), "{err}");
    fs::write(&path, "heal\nexplode\n").unwrap();
    let (code, _, err) = ended(&["demo", "--script", file]);
    assert_eq!(code, 2);
    assert!(err.contains("line 2: `explode` is no step"), "{err}");
}
