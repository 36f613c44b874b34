//! What is proved of the relation, and what must not be.

use suffrage_algorithms::digest;
use suffrage_proofs::{
    relation::{
        induction::{Until, prove},
        text,
    },
    systems::{SystemFault, TENURE},
};
use tenure_protocol::tenure::{PROOF, RELATION};

#[test]
fn the_relation_keeps_its_invariants_and_every_action_is_possible() {
    let report = TENURE.prove().expect("it is a relation");
    let failed: Vec<_> = report.failures().collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(report.unreachable, [""; 0], "these cannot happen");
    let (known, found) =
        ((PROOF.conditions, PROOF.source), (report.conditions.len(), &*digest(RELATION)));
    assert_eq!(known, found, "`cargo xtask prove tenure --record` writes it");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/proved.md");
    let written = std::fs::read_to_string(path).expect("docs/reference/proved.md");
    let section = TENURE.section(&report).expect("it is a relation");
    assert!(written.contains(&section), "docs/reference/proved.md has not\n{section}");
}

fn are_refused(faults: &[SystemFault]) {
    for fault in faults {
        let (fate, report) = TENURE.examine(fault).expect("it is a relation");
        println!("{}: {:?}, {} conditions", fault.name, fate.refused, report.conditions.len());
        assert!(fate.is_right, "{} is let through", fault.name);
    }
}

#[test]
fn faults_in_the_relation_are_refused() {
    let (first, _) = TENURE.faults.split_at(TENURE.faults.len() / 3);
    are_refused(first);
}

#[test]
#[ignore = "takes two minutes; part of `.ci/evidence`"]
fn further_faults_in_the_relation_are_refused() {
    let (_, last) = TENURE.faults.split_at(TENURE.faults.len() / 3);
    are_refused(last);
}

/// Each is wrong, or does not follow from itself.
#[test]
fn wrong_invariants_are_refused() {
    for wrong in [
        "leader(h) -> vote(r, h, term(h), attempt(h, r))",
        "counts(h, g) -> owed(g, h)",
        "candidate(h) & candidate(p) -> h = p",
        "vote(g, h, t, i) -> t = promised(g)",
        "granted(h, g) -> vote(g, h, term(h), attempt(h, g))",
        "Grant(g, h, t, e, i) -> vote(g, h, t, i)",
        "owes(g, h) -> counts(h, g)",
        "began(t) & lost(h) -> t <= term(h)",
        "learning(g) -> !voted(g)",
        "heard(g, r) -> promised(r) <= told(g, r)",
        "dawn(g) & learning(g) & look(g) != 0 -> !begun",
        "r != g & record(g, r) != 0 -> !voted(g)",
    ] {
        let text = format!("{}\ninvariant wrong: it is none.\n    {wrong}\n", TENURE.text);
        let mut relation = text::read(&text).expect("it is a relation");
        relation.invariants.rotate_right(1);
        relation.goals.clear();
        let report = prove(&relation, Until::Failure);
        let failed = report.failures().next().unwrap_or_else(|| panic!("{wrong} is proved"));
        assert_eq!(failed.shows, "wrong", "{wrong}: {failed:#?}");
    }
}

#[test]
fn a_text_that_is_no_relation_is_refused_where_it_is_wrong() {
    let error = |text: &str| text::read(text).expect_err("it is none").to_string();
    let begins = "sort peer h\norder term t\nstate\n    leads(peer)\n    term(peer): term\n\
                  ghost\n    began(term)\n";
    let cases = [
        ("rule x", "line 8, column 1: `rule` begins no item"),
        (
            "invariant a: b.\n    leads(t)",
            "line 9, column 11: it is of the sort term, and one of the sort peer is expected",
        ),
        ("invariant a: b.\n    h < h", "line 9, column 7: there is no order of the sort peer"),
        ("invariant a: b.\n    leads(h) &", "line 9, column 15: a formula is expected"),
        (
            "action a(h): b.\n    if began(term(h))",
            "line 9, column 8: a guard asks for what is of the past alone",
        ),
        ("action a(h): b.\n    if term(h) < t", "line 9, column 18: nothing says what `t` is"),
        (
            "action a(h): b.\n    term(h) := leads",
            "line 9, column 16: there is no symbol and no variable `leads`",
        ),
        ("goal a at b(h): c.\n    leads(h)", "line 8, column 11: there is no action `b`"),
    ];
    for (text, expected) in cases {
        assert_eq!(error(&format!("{begins}{text}\n")), expected, "{text}");
    }
}
