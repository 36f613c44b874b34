//! Five members and their faults: no two commands ever run at once, and terms grow.

use crate::{Test, ended};
use serde_json::Value;

pub(crate) const TESTS: &[Test] = &[
    ("whatever_befalls_the_leader_the_office_moves_and_nothing_lives_twice", tour),
    ("whatever_befalls_others_the_leader_leads_on", others),
    ("a_leader_that_is_cut_off_is_dead_before_the_next_one_leads", cut),
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
         suspend leader 1s; resign; transfer other; repeat 2",
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
        let report =
            demo("kill other; start all; crash other; start all; stop other; suspend other 100ms");
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
