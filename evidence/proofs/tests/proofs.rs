//! What is proved, and what must not be.

use serde::{Deserialize, Serialize};
use suffrage_algorithms::{Algorithm, Statement};
use suffrage_proofs::{
    SUBJECTS, document,
    prelude::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status},
    proof::{Proof, Report},
    subjects::{ProvedAlgorithm, TabulatedFault},
    symbols::PortsGuard,
    table::Table,
};

fn tried(subject: &ProvedAlgorithm, table: &Table, statements: &[Statement]) -> Report {
    let proof = subject.proof(table, statements.iter().copied());
    proof.expect("formulas of this table").run(true)
}

fn statements(subject: &ProvedAlgorithm) -> Vec<Statement> {
    Algorithm::named(subject.name).expect("a row").statements().collect()
}

/// The algorithm whose proof has the most conditions, the one with the largest, and the one with the largest solutions.
const LONG: [&str; 3] = ["stages-with-feedback", "tree-extinction", "dolev-klawe-rodeh"];

#[test]
fn the_algorithms_are_proved() {
    are_proved(|name| !LONG.contains(&name));
}

#[test]
#[ignore = "takes four minutes; part of `.ci/evidence`"]
fn the_algorithms_with_long_proofs_are_proved() {
    are_proved(|name| LONG.contains(&name));
}

fn are_proved(such: impl Fn(&str) -> bool) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/proved.md");
    let written = std::fs::read_to_string(path).expect("docs/reference/proved.md");
    assert!(written.starts_with(document::INTRODUCTION), "its introduction is another one");
    for subject in SUBJECTS.iter().filter(|subject| such(subject.name)) {
        let table = (subject.table)().expect("it compares");
        let report = tried(subject, &table, &statements(subject));
        let failed: Vec<_> = report.failures().collect();
        assert!(failed.is_empty(), "{}: {failed:#?}", subject.name);
        for property in subject.record().properties {
            let shown = report.conditions.iter().any(|condition| condition.shows == *property);
            assert!(shown, "{}: no condition shows {property}", subject.name);
        }
        assert!(!report.possible.is_empty(), "{}: nothing can happen", subject.name);
        let record = subject.record();
        let known = (record.conditions, record.source.to_owned());
        let found = (report.conditions.len(), subject.row().digest());
        assert_eq!(known, found, "{}: `cargo xtask prove --record` writes it", subject.name);
        let section = document::section(subject, &report);
        assert!(written.contains(&section), "docs/reference/proved.md has not\n{section}");
    }
}

#[test]
fn seeded_faults_are_refused() {
    // A minute each, and ten seconds to a minute each of the algorithms that are elsewhere: `.ci/evidence` has them.
    let slow = ["writes to its neighbour", "stays on the ring"];
    let elsewhere = ["tree-wave", "tree-extinction", LONG[2]];
    for subject in SUBJECTS.iter().filter(|subject| !elsewhere.contains(&subject.name)) {
        // What may pass takes a whole proof, and there `cargo xtask prove --faults` tries it.
        let long = ["afek-gafni", "franklin", "hirschberg-sinclair", "humblet", LONG[0]]
            .contains(&subject.name);
        let tried = |fault: &&TabulatedFault| {
            !slow.contains(&fault.name) && (!long || subject.must_refuse(fault))
        };
        for fault in subject.faults.iter().filter(tried) {
            let (fate, _) = subject.examine(fault);
            assert!(fate.is_right, "{}: {fate:?}", subject.name);
        }
    }
}

/// A wrong invariant is refused. So is a right one that does not follow from itself.
#[test]
fn wrong_invariants_are_refused() {
    let wrong = [
        ("chang-roberts", "Token(a) at x & b in (x, a) -> Lost(b)"),
        ("chang-roberts", "woke(a) -> Lost(a)"),
        ("chang-roberts", "Lost(a) -> woke(a)"),
        ("lelann", "Token(a) at x & Token(b) at y -> a = b"),
        ("ring-extinction", "of(a, c) -> c <= a"),
        ("franklin", "Candidate(a) at x & Candidate(a) back y -> x = y"),
        ("franklin", "heard(b, ahead, c) -> !Active(c)"),
        ("hirschberg-sinclair", "From(a, _) at x & b in (x, a) -> Passive(b) | Lost(b)"),
        ("hirschberg-sinclair", "Candidate(a, _, _) -> !Ok(a) at x"),
        ("higham-przytycka", "last(q, a) & last(p, a) -> p = q"),
        ("alternating-steps", "early(b, c) & Sent(b, ahead) & d in (c, b) -> Passive(d)"),
        ("alternating-steps", "count x. Candidate(_) at x = count a. Sent(a, ahead)"),
        (
            "alternating-steps",
            "Sent(a) & Sent(b) & a != b -> count x. (Candidate(_) at x & x in (a, b)) = count c. c = a",
        ),
        ("franklin", "count x. Candidate(_) at x + count a. heard(a, behind) = count a. Active(a)"),
        ("afek-gafni", "level(a, c) -> owned(c, a)"),
        ("afek-gafni", "leads(a) & level(b, c) -> a = b"),
        ("humblet", "level(a, c) -> owner(c, a)"),
        ("humblet", "level(a, c) & level(b, c) -> a = b"),
        ("humblet", "Accept() at x from c to a -> owner(c, a)"),
        ("humblet", "Yes() at x from a to c -> owner(c, a)"),
        ("humblet", "contender(a, c) -> owner(c)"),
        ("humblet", "owner(a, c) -> level(c, a)"),
        ("humblet", "leads(a) -> woke(a)"),
        ("all-to-all", "Waiting(a) & counted missing(a, c) -> c < a"),
        ("all-to-all", "counted missing(a, c) -> Sleep(c)"),
        ("all-to-all", "Identity(v) at x from c to a & largest(a, w) -> w < v"),
        ("all-to-all", "counted missing(a, c) -> counted missing(c, a)"),
        ("villadangos", "Message2(a, _) at x to c -> predecessor(c)"),
        ("tree-wave", "near(a, c) -> silent(a, c)"),
        ("tree-wave", "Token(v) at x from b to a & beyond(b, a, c) -> v <= c"),
        ("tree-wave", "Token(v) at y from c to a & WakeUp() at x from c to a -> y < x"),
        ("tree-wave", "near(a, c) & dormant(a, c) -> Sleep(c)"),
        ("tree-wave", "Sent(a) & near(a, c) -> !silent(a, c)"),
        ("dolev-klawe-rodeh", "Propagation(b) & current(b, a) & One(a) at x -> x in (a, b)"),
    ];
    for (name, formula) in wrong {
        let subject = ProvedAlgorithm::named(name).expect("it is proved");
        let table = (subject.table)().expect("it compares");
        let wrong = Statement { name: "wrong", says: "", formula: Some(formula) };
        let mut statements = statements(subject);
        statements.insert(0, wrong);
        let report = tried(subject, &table, &statements);
        let failed = report.failures().find(|failure| failure.shows == "wrong");
        let failed = failed.unwrap_or_else(|| panic!("{name}: {formula} is proved"));
        let shown = failed.result.as_ref().expect_err("a failure");
        assert!(shown.starts_with("    before") && shown.contains("\n    by: "), "{shown}");
    }
}

#[test]
fn what_does_not_hold_at_first_shows_processes_as_they_are_then() {
    let subject = ProvedAlgorithm::named("all-to-all").expect("it is proved");
    let table = (subject.table)().expect("it compares");
    let wrong = "largest(a, v) & counted missing(a, c) -> v < c";
    let wrong = Statement { name: "wrong", says: "", formula: Some(wrong) };
    let report = tried(subject, &table, &[wrong]);
    let failed = report.failures().next().expect("it does not hold");
    let shown = failed.result.as_ref().expect_err("a failure");
    assert!(shown.starts_with("    at first") && shown.contains("Sleep"), "{shown}");
    assert!(!shown.contains("Decided") && !shown.contains("Waiting"), "{shown}");
}

#[test]
fn a_counterexample_is_a_configuration_and_a_step() {
    let subject = ProvedAlgorithm::named("chang-roberts").expect("it is proved");
    let fault = subject.faults.iter().find(|of| of.name == "sends its token twice");
    let table = subject.table_with(fault.expect("it is listed")).expect("it compares");
    let report = tried(subject, &table, &statements(subject));
    let failed = report.failures().next().expect("it is refused");
    let expected = "    \
    before             after
    1 Sleep, asleep    1 Candidate, woke    the process that reacts, a, c
                       v Token(1)           the message that is sent, y, x
                       v Token(1)           the message that is sent, x
    by: Sleep wakes -> Candidate, sends Token(own) through port 0, sends Token(own) through port 0
";
    assert_eq!(
        (failed.shows.as_str(), failed.result.as_ref().unwrap_err().as_str()),
        ("once", expected)
    );
}

/// Without an axiom that majorities meet, or with majorities that are none, nothing keeps two from leading.
#[test]
fn majorities_are_what_keeps_two_from_leading() {
    let subject = ProvedAlgorithm::named("humblet").expect("it is proved");
    let table = (subject.table)().expect("it compares");
    let mut less = statements(subject);
    less.retain(|statement| statement.name != "majority");
    let failed = |report: &Report| -> Vec<String> {
        report.failures().map(|failure| failure.shows.clone()).collect()
    };
    assert_eq!(failed(&tried(subject, &table, &less)), ["at-most-one-leader", "agreement"]);
    // A row that leads without a majority, and one that takes a port twice.
    for (was, is) in [
        (PortsGuard::Majority(2, true), PortsGuard::Majority(2, false)),
        (PortsGuard::Next(0, Some(2)), PortsGuard::Majority(0, false)),
    ] {
        let mut table = table.clone();
        let asked = table.rows.iter_mut().flat_map(|row| &mut row.asked);
        let changed = asked.filter(|guard| **guard == was).map(|guard| *guard = is).count();
        assert!(changed > 0, "no row asks {was}");
        assert!(!failed(&tried(subject, &table, &statements(subject))).is_empty(), "{is}");
    }
}

/// Without *on-its-way*, a process may wait for a message that is not under way.
#[test]
fn what_is_on_its_way_is_what_lets_all_come_to_an_end() {
    let subject = ProvedAlgorithm::named("all-to-all").expect("it is proved");
    let table = (subject.table)().expect("it compares");
    let mut less = statements(subject);
    less.retain(|statement| statement.name != "on-its-way");
    let report = tried(subject, &table, &less);
    let failed: Vec<_> = report.failures().map(|failure| failure.shows.as_str()).collect();
    assert_eq!(failed, ["exactly-one-leader", "everyone-halted"]);
}

#[test]
fn a_formula_that_does_not_fit_is_refused_by_name() {
    let subject = ProvedAlgorithm::named("lelann").expect("it is proved");
    let table = (subject.table)().expect("it compares");
    let error = |formula| {
        let one = Statement { name: "mine", says: "", formula: Some(formula) };
        let row = Algorithm::named(subject.name).expect("a row");
        match Proof::new(&table, [one], row.claims.rule, &[], &[]) {
            Ok(_) => panic!("{formula} fits"),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(
        error("Passive(a)"),
        "*mine*: no state says `Passive`; there are `Candidate`, `Leader`, `Lost`, `Sleep`, and always `asleep`, `woke`, `leads`, `follows`, `halted`"
    );
    assert_eq!(error("One(a) at x"), "*mine*: there is no message `One`; there are `Token`");
    let carries = "carries [Process]: a variable stands for a process, and `_` for a number";
    assert_eq!(error("Token(a, _) at x"), format!("*mine*: `Token` {carries}"));
    let equations = [
        (
            "Lost(b) | count a. Lost(a) = count a. woke(a)",
            "an equation stands alone, or after a single `->`",
        ),
        (
            "count a. Lost(b) = count a. woke(a)",
            "what counts as `a` is told by its own state or message",
        ),
        (
            "count x. (Token(_) at x | x in (a, b)) = count c. woke(c)",
            "`x` counts without a message",
        ),
    ];
    for (formula, why) in equations {
        assert_eq!(error(formula), format!("*mine*: {why}"));
    }
    assert_eq!(error("Lost(a) ->"), "*mine*, line 1, column 11: a formula is expected");
}

#[test]
fn that_a_counted_set_counts_its_ports_is_shown_wherever_there_is_one() {
    let subject = ProvedAlgorithm::named("all-to-all").expect("it is proved");
    let table = (subject.table)().expect("it compares");
    let row = Algorithm::named(subject.name).expect("a row");
    let error = |formula, properties| {
        let one = Statement { name: "mine", says: "", formula: Some(formula) };
        Proof::new(&table, [one], row.claims.rule, properties, &[]).err().map(|no| no.to_string())
    };
    let twice =
        "a port is taken out of a counted set twice, unless *possible-messages* says that none is";
    assert_eq!(error("woke(a) -> !Sleep(a)", &[]).as_deref(), Some(twice));
    let shown: &[&str] = &["possible-messages"];
    assert_eq!(
        error("missing(a, c) -> a != c", shown).as_deref(),
        Some("*mine*: `missing` is only counted: `counted missing(..)` says which are in it")
    );
    assert_eq!(
        error("counted largest(a, c) -> a <= c", shown).as_deref(),
        Some("*mine*: `largest` is no set of ports that is only counted")
    );
    assert_eq!(error("counted missing(a, c) -> a != c", shown), None);
    // Nothing keeps a sender from sending twice, unless that is an invariant.
    let report = Proof::new(&table, [], row.claims.rule, shown, &[]).expect("it fits").run(false);
    let failed = report.failures().find(|failure| failure.shows == "possible-messages");
    let moment = &failed.expect("it takes a port out twice").moment;
    assert!(moment.ends_with("rejects it: a port is taken out of a counted set twice"), "{moment}");
}

/// Adds up identities, or whatever the test wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Counts<const DOES: u8> {
    id: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Hello(Id);

impl Message for Hello {
    const KINDS: &'static [Kind] = &[Kind::election("hello").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

impl<const DOES: u8> Process for Counts<DOES> {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Hello;

    fn new(id: Id, _: u32) -> Self {
        Self { id }
    }

    fn wake(&mut self, net: &mut impl Net<Hello>) {
        net.send(Port::NEXT, Hello(self.id));
    }

    fn receive(&mut self, _: Port, Hello(id): Hello, net: &mut impl Net<Hello>) {
        match DOES {
            0 => assert!(id.get() + self.id.get() > 0),
            1 => net.set_alarm(1),
            2 => assert_eq!(net.choose(1), 0),
            _ => {
                for port in 0.. {
                    net.send(Port(port), Hello(id));
                }
            }
        }
    }

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}

#[test]
fn what_does_more_than_compare_is_refused_by_reaction_and_reason() {
    let why = [
        Table::of::<Counts<0>>(),
        Table::of::<Counts<1>>(),
        Table::of::<Counts<2>>(),
        Table::of::<Counts<3>>(),
    ];
    let why = why.map(|table| table.expect_err("it does more").to_string());
    let expected = [
        "receive: it takes the number of an identity",
        "receive: it sets an alarm",
        "receive: it draws lots",
        "receive: it sends through port 2, which no process on a ring has",
    ];
    assert_eq!(why, expected);
}
