//! The systems whose relations are proved.

use crate::document::{FaultFate, Refused, said};
use crate::proof::{NoProof, Report};
use crate::relation::{
    Relation,
    induction::{Until, prove},
    text,
};
use std::fmt::Write;

/// A system, its relation, and faults in that.
#[derive(Debug)]
pub struct ProvedSystem {
    /// Its name.
    pub name: &'static str,
    /// The relation, as a text.
    pub text: &'static str,
    /// What the proof is about, and what it is not about.
    pub about: &'static str,
    /// Faults. Each breaks a goal.
    pub faults: &'static [SystemFault],
}

/// A fault in a relation.
#[derive(Debug)]
pub struct SystemFault {
    /// Its name.
    pub name: &'static str,
    /// A text that occurs once.
    pub was: &'static str,
    /// What stands in its place.
    pub is: &'static str,
}

impl ProvedSystem {
    /// Reads the relation.
    ///
    /// # Errors
    /// If it is none.
    pub fn relation(&self) -> Result<Relation, NoProof> {
        text::read(self.text).map_err(|error| NoProof(error.to_string()))
    }

    /// Tries to prove it.
    ///
    /// # Errors
    /// If the text is no relation.
    pub fn prove(&self) -> Result<Report, NoProof> {
        Ok(prove(&self.relation()?, Until::End))
    }

    /// Returns the section of the document about it, without the faults.
    ///
    /// # Errors
    /// If the text is no relation.
    pub fn section(&self, report: &Report) -> Result<String, NoProof> {
        let relation = self.relation()?;
        let mut text = format!("## {}\n\n{}\n", self.name, self.about);
        let _ = writeln!(
            text,
            "{} conditions; {} actions.\n\n| Proved | Conditions | |\n|---|---:|---|",
            report.conditions.len(),
            relation.actions.len()
        );
        for (name, count) in report.shown() {
            let mut claims = relation.invariants.iter().chain(&relation.goals);
            let claim = claims.find(|claim| claim.name == name);
            let says = claim.map_or_else(String::new, |claim| said(&claim.says, &claim.text));
            let _ = writeln!(text, "| *{name}* | {count} | {says} |");
        }
        Ok(text)
    }

    /// Tries to prove it with a fault in it, up to the first failure. Returns what came of it, with the conditions.
    ///
    /// # Errors
    /// If the text does not have what the fault replaces exactly once, or is no relation afterwards.
    pub fn examine(&self, fault: &SystemFault) -> Result<(FaultFate, Report), NoProof> {
        if self.text.matches(fault.was).count() != 1 {
            return Err(NoProof(format!("{}: its text occurs not once", fault.name)));
        }
        let text = self.text.replacen(fault.was, fault.is, 1);
        let relation = text::read(&text);
        let relation = relation.map_err(|error| NoProof(format!("{}: {error}", fault.name)))?;
        let report = prove(&relation, Until::Failure);
        let first = report.failures().next();
        let refused = first.map(|failure| Refused::Fails(failure.shows.clone()));
        let is_right = refused.is_some();
        Ok((FaultFate { name: fault.name, breaks: None, refused, is_right }, report))
    }
}

/// Returns the table of the faults in a system.
#[must_use]
pub fn table_of_faults(fates: &[FaultFate]) -> String {
    let mut text = String::from("\n| Fault in the relation | |\n|---|---|\n");
    for FaultFate { name, refused, .. } in fates {
        let came = refused.as_ref().map_or("let through".into(), |why| format!("refused: {why}"));
        let _ = writeln!(text, "| {name} | {came} |");
    }
    text
}

const fn fault(name: &'static str, was: &'static str, is: &'static str) -> SystemFault {
    SystemFault { name, was, is }
}

const TENURE_ABOUT: &str = "\
Proved for any number of members and clients, any quorums of which two have a member in common, any number of terms,
renewals, restarts and offices, and messages that are lost, repeated and delivered in any order. The reactions of this
protocol use collections, and so there is no table of them. Instead `tenure/protocol/src/tenure/relation.txt` says as
guarded actions what they do to one office and to the leases, and its invariants are proved as those of a table are:
each condition is refuted by the same solver, with a certificate that the same program checks. Every action is possible
in a state in which the invariants hold. The records of members are part of it: a member may lose its own and learn from
others what it may have promised, and members of a new cluster find out that all records were empty at one time.

That the code does nothing else is explored, and not proved: in small clusters (`evidence/proofs/tests/tenure`), each
step of the exploration consists of such actions of the participant that reacts, or of none; only a step that loses the
last record is left out. What is assumed:

- *meeting*, *owner*, *voters*: two quorums have a member in common, a term belongs to one participant, and only members
  are in quorums;
- of time only this: an alarm that was set earlier, and is shorter by more than clocks may differ, rings earlier. So a
  lease is owed until the alarms have rung of all renewals that were under way when it was last prolonged (`waits`), and
  a quarantine ends after the alarms of all renewals that were under way when it began (`awaits`);
- that no epoch and no boot is used twice, and that a disk keeps what was synced, or loses all of it while its process
  is down. The last record is never lost: once a member has a record, some member has one. A member that lost its own
  stays in quarantine for as long as the processes before it may owe, so the setting has not changed meanwhile;
- that who is started as a new member has never run before;
- that the office is any one of several. Their leases are the same, and what one does to the others is that terms which
  they begin with grow.

Not proved, but explored: that an office is filled (*soon*, *stable*), the time for which work may go on after a tenure
(`stop`), ranks and who is preferred, members that change, and the values of leaderships.
";

/// The offices and leases of Tenure.
pub const TENURE: ProvedSystem = ProvedSystem {
    name: "tenure",
    text: tenure_protocol::tenure::RELATION,
    about: TENURE_ABOUT,
    faults: &[
        fault(
            "quorums need not meet",
            "member(meet(q1, q2), q1) & member(meet(q1, q2), q2)",
            "member(meet(q1, q2), q1)",
        ),
        fault("a lease ends too early", "if owes(g, h) & all k. !waits(g, h, k)", "if owes(g, h)"),
        fault("no quarantine", "quarantined(p) := votes(p)", "quarantined(p) := false"),
        fault(
            "the quarantine is too short",
            "if quarantined(g) & !down(g) & all h k. !awaits(g, h, k)",
            "if quarantined(g) & !down(g)",
        ),
        fault(
            "a lease counts from the receipt of its acknowledgement",
            "    number(h, g) := k\n    epoch(h, g) := e",
            "    number(h, g) := sent(h)\n    epoch(h, g) := e",
        ),
        fault(
            "what was granted in an older epoch counts",
            "    epoch(h, g) := e\n    granted(h, g) := false",
            "    epoch(h, g) := e",
        ),
        fault(
            "an epoch is given twice",
            "Renew(h, g, b, k, e2) & epochs(g) < e",
            "Renew(h, g, b, k, e2) & epochs(g) <= e",
        ),
        fault(
            "a lease that was said to be over counts again",
            "    if number(h, g) != 0 & number(h, g) <= k\n",
            "",
        ),
        fault(
            "a lease is said to be over that counts",
            "if g != h & number(h, g) <= rung(h)",
            "if g != h",
        ),
        fault(
            "grants of any epoch count",
            "Grant(g, h, term(h), epoch(h, g), attempt(h, g))\n    granted(h, g) := true",
            "exists e. Grant(g, h, term(h), e, attempt(h, g))\n    granted(h, g) := true",
        ),
        fault(
            "grants to any attempt count",
            "Grant(g, h, term(h), epoch(h, g), attempt(h, g))\n    granted(h, g) := true",
            "exists i. Grant(g, h, term(h), epoch(h, g), i)\n    granted(h, g) := true",
        ),
        fault(
            "grants to the last term count in the next",
            "    term(h) := t\n    granted(h, g) := false",
            "    term(h) := t",
        ),
        fault(
            "a term is used again",
            "own(h, t) & term(h) < t & promised(h) < t",
            "own(h, t) & term(h) <= t & promised(h) < t",
        ),
        fault(
            "a leader yields",
            "if (candidate(h) | !granted(h, g)) & attempt(h, g) < i",
            "if attempt(h, g) < i",
        ),
        fault(
            "a leader goes on without a quorum",
            "    if leader(h) -> all r. member(r, q) -> granted(h, r) & (r = h | k < number(h, r))\n",
            "",
        ),
        fault(
            "an office is handed over while its holder leads on",
            "if open(h, g) & (t < term(h) | t = term(h) & !holds(h))",
            "if open(h, g) & t <= term(h)",
        ),
        fault(
            "a vote is given to two",
            "promised(g) < t\n    if all p t2 i2. !vote(g, p, t2, i2)\n",
            "promised(g) < t\n",
        ),
        fault(
            "a member in quarantine votes",
            "!quarantined(g) & !learning(g) & waiting(g, h, t, i) & promised(g) < t",
            "!learning(g) & waiting(g, h, t, i) & promised(g) < t",
        ),
        fault(
            "a promise is not looked at",
            "waiting(g, h, t, i) & promised(g) < t\n",
            "waiting(g, h, t, i)\n",
        ),
        fault(
            "a promise does not survive a crash",
            "    down(p) := true\n",
            "    down(p) := true\n    promised(p) := 0\n",
        ),
        fault(
            "who does not lead is believed to",
            "    if leader(h) & open(h, g)\n    Lead",
            "    if holds(h) & open(h, g)\n    Lead",
        ),
        fault(
            "a late request of an earlier attempt takes the vote back",
            "    if all t2 i2. vote(g, h, t2, i2) -> t2 < t | t2 = t & i2 < i\n",
            "",
        ),
        fault(
            "requests of any epoch are heeded",
            "if owed(g, h) & current(g, h) = e & own(h, t) & Request",
            "if owed(g, h) & own(h, t) & Request",
        ),
        fault(
            "releases of any epoch are heeded",
            "if owed(g, h) & current(g, h) = e & Release",
            "if owed(g, h) & Release",
        ),
        fault(
            "a release takes back what was claimed after it",
            "    vote(g, h, t2, i2) := vote(g, h, t2, i2) & t < t2\n",
            "    vote(g, h, t2, i2) := false\n",
        ),
        fault(
            "a member without a record votes",
            "!quarantined(g) & !learning(g) & waiting(g, h, t, i) & promised(g) < t",
            "!quarantined(g) & waiting(g, h, t, i) & promised(g) < t",
        ),
        fault(
            "a member without a record asks in quarantine",
            "if learning(g) & !quarantined(g) & r != g & votes(r)",
            "if learning(g) & r != g & votes(r)",
        ),
        fault(
            "a member without a record is content with fewer answers",
            "    if all q. member(g, q) -> chosen(a, q) != g & member(chosen(a, q), q) & heard(g, chosen(a, q))\n",
            "",
        ),
        fault(
            "what others have promised is not promised",
            "heard(g, chosen(a, q))\n    if all r. heard(g, r) -> told(g, r) <= t\n",
            "heard(g, chosen(a, q))\n",
        ),
        fault(
            "answers from before a crash count",
            "if learning(g) & Promised(r, g, boot(g), t)",
            "if learning(g) & exists b. Promised(r, g, b, t)",
        ),
        fault(
            "a member without a record tells what it has promised",
            "if !learning(r) & Learn(g, r, b, s, l) & promised(r) <= t",
            "if Learn(g, r, b, s, l) & promised(r) <= t",
        ),
        fault("one look is enough", "seen(g, r) != 0 & seen-in(g, r) = look(g)", "seen(g, r) != 0"),
        fault(
            "a look goes on after another empty record",
            "seen(g, r) != s & look(g) < l2",
            "seen(g, r) != s & look(g) <= l2",
        ),
        fault(
            "whoever has no record is told of those that were empty at first",
            "if !learning(r) & Learn(g, r, b, record(r, g), l)",
            "if !learning(r) & exists s. Learn(g, r, b, s, l)",
        ),
        fault(
            "an empty record has the number of the one that was lost",
            "    promised(g) := 0\n    record(g, g) := s\n",
            "    promised(g) := 0\n    record(g, g) := record(g, g)\n",
        ),
        fault(
            "a member founds that knows of no other record",
            "all r. votes(r) & r != g -> record(g, r) != 0",
            "true",
        ),
        fault(
            "the last record is lost",
            "record(g, g) < s & r != g & votes(r) & !learning(r)",
            "record(g, g) < s & r != g",
        ),
        fault(
            "a member that has run before is taken for a new one",
            "if new(g) & learning(g)",
            "if learning(g)",
        ),
    ],
};
