//! What is proved, in words: docs/reference/proved.md.

use crate::proof::{NoProof, Proof, Report};
use crate::subjects::{ProvedAlgorithm, TabulatedFault};
use crate::symbols::NotTabulated;
use crate::table::Table;
use std::fmt::Write;
use suffrage_algorithms::{Algorithm, ProofRecord, Statement, assertion::Assertion};

/// Why a seeded fault is refused.
#[derive(Debug)]
pub enum Refused {
    /// This does not hold.
    Fails(String),
    /// It cannot be tabulated, for this reason.
    NotTabulated(String),
    /// A formula says of its states or messages what they do not say.
    DoesNotFit(String),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fails(shows) => write!(f, "*{shows}* does not hold"),
            Self::NotTabulated(why) => write!(f, "it has no table ({why})"),
            Self::DoesNotFit(why) => write!(f, "a formula does not fit ({why})"),
        }
    }
}

/// What came of a seeded fault.
#[derive(Debug)]
pub struct FaultFate {
    /// Its name.
    pub name: &'static str,
    /// The property that it breaks first.
    pub breaks: Option<&'static str>,
    /// The invariant or property that cannot be proved of it, or why there is no table of it; `None` if all can be
    /// proved.
    pub refused: Option<Refused>,
    /// Whether that is as it must be.
    pub is_right: bool,
}

impl ProvedAlgorithm {
    /// Returns its row in the catalogue.
    ///
    /// # Panics
    /// If it has none.
    #[must_use]
    pub fn row(&self) -> &'static Algorithm {
        Algorithm::named(self.name).expect("what is proved is in the catalogue")
    }

    /// Returns what is to be proved of it, and what was.
    ///
    /// # Panics
    /// If there is no record of it.
    #[must_use]
    pub fn record(&self) -> &'static ProofRecord {
        self.row().proved().expect("what is proved has a record")
    }

    /// Tries to prove the algorithm.
    ///
    /// # Errors
    /// If it cannot be tabulated, or its formulas do not fit.
    pub fn prove(&self) -> Result<Report, NoProof> {
        Ok(self.proof(&(self.table)()?, self.row().statements())?.run(false))
    }

    /// Prepares the proof of what its record says, from these statements.
    ///
    /// # Errors
    /// If a formula does not fit the table.
    pub fn proof<'t>(
        &self,
        table: &'t Table,
        statements: impl IntoIterator<Item = Statement>,
    ) -> Result<Proof<'t>, NoProof> {
        let record = self.record();
        Proof::new(table, statements, self.row().claims.rule, record.properties, record.finite)
    }

    /// Tries to prove the algorithm with a fault in it, up to the first failure. Returns what came of it, with the
    /// conditions.
    #[must_use]
    pub fn examine(&self, fault: &TabulatedFault) -> (FaultFate, Report) {
        let (refused, report) = match self.table_with(fault) {
            Err(NotTabulated(why)) => (Some(Refused::NotTabulated(why)), Report::default()),
            Ok(table) => match self.proof(&table, self.row().statements()) {
                Err(NoProof(why)) => (Some(Refused::DoesNotFit(why)), Report::default()),
                Ok(proof) => {
                    let report = proof.run(true);
                    let first = report.failures().next();
                    (first.map(|failure| Refused::Fails(failure.shows.clone())), report)
                }
            },
        };
        let is_right = match refused {
            // That it changes nothing may follow from what is not proved: which messages are possible.
            Some(_) => {
                fault.breaks.is_some() || !self.record().properties.contains(&"possible-messages")
            }
            None => !self.must_refuse(fault),
        };
        (FaultFate { name: fault.name, breaks: fault.breaks, refused, is_right }, report)
    }
}

/// Returns the section about an algorithm, without the seeded faults.
#[must_use]
pub fn section(subject: &ProvedAlgorithm, report: &Report) -> String {
    let row = subject.row();
    let mut text = format!("## {}\n\n", subject.name);
    let _ = writeln!(
        text,
        "{} conditions; {} reactions that can happen, {} that cannot.\n",
        report.conditions.len(),
        report.possible.len(),
        report.unreachable.len()
    );
    for set in subject.record().finite {
        let of_links = Assertion::read(set).is_ok_and(|set| set.variables.len() > 1);
        let what = if of_links { "links" } else { "processes" };
        let _ = writeln!(text, "It is used that the {what} with `{set}` are finitely many.\n");
    }
    text += "| Proved | Conditions | |\n|---|---:|---|\n";
    for (name, count) in report.shown() {
        if name.starts_with("asleep") {
            continue; // What holds of every algorithm.
        }
        let stated = |of: Statement| said(of.says, of.formula.unwrap_or_default());
        let says = row.statement(name).map_or_else(|| ProofRecord::says(name).to_owned(), stated);
        let _ = writeln!(text, "| *{name}* | {count} | {says} |");
    }
    let open = row.explored_only(subject.record());
    let (functions, properties): (Vec<&str>, Vec<&str>) =
        open.into_iter().partition(|name| row.statement(name).is_some());
    let functions: Vec<_> = functions.into_iter().map(|name| format!("*{name}*")).collect();
    let _ = write!(text, "\nNot proved, but explored: {}", properties.join(", "));
    let functions = match functions.split_last() {
        None => String::new(),
        Some((one, [])) => format!("; the invariant {one}, which has no formula"),
        Some((last, others)) => {
            format!("; the invariants {} and {last}, which have no formulas", others.join(", "))
        }
    };
    text += &functions;
    text += ".\n";
    text
}

pub(crate) fn said(says: &str, formula: &str) -> String {
    let words: Vec<_> = formula.split_whitespace().collect();
    format!("{says} `{}`", words.join(" ").replace('|', "\\|"))
}

/// Returns the table of the seeded faults of an algorithm.
#[must_use]
pub fn faults(fates: &[FaultFate]) -> String {
    let mut text = String::from("\n| Seeded fault | Breaks | |\n|---|---|---|\n");
    for FaultFate { name, breaks, refused, .. } in fates {
        let breaks = breaks.unwrap_or("nothing");
        let came = match refused {
            Some(why) => format!("refused: {why}"),
            None if breaks == "nothing" => "let through: all is proved of it, too".into(),
            None if breaks == "agreement" => "let through: no process names a wrong leader".into(),
            None => format!("let through: *{breaks}* is not proved"),
        };
        let _ = writeln!(text, "| {name} | {breaks} | {came} |");
    }
    text
}

/// The beginning of the document.
pub const INTRODUCTION: &str = "\
# Proved for every number of processes

What is written here as *proved* holds on every ring with FIFO links, with any number of processes, any order of
identities, any set of initiators and on every schedule; for `villadangos` on every complete network with positions, and
for `all-to-all`, `afek-gafni` and `humblet` on every one with any numbering of the ports, where links need not be FIFO;
and for `tree-wave` and `tree-extinction` on every tree with FIFO links, with any numbering of the ports. It is proved
of the Rust file that runs: the file is compiled a second time against symbols in place of identities, each path through
a reaction becomes a row of a table, and every row must keep the invariants in the header of the file.
[invariants](invariants.md) describes the language of their formulas, `evidence/proofs/src/theory.rs` the axioms about
networks. Each condition is refuted by a solver whose certificate another program
(`evidence/proofs/src/certificate.rs`) checks. `cargo xtask prove --solver z3`, and `--solver cvc5`, have all
conditions judged a second time, from formulas that are written another way (`evidence/proofs/src/smt.rs`), each with
the invariants alone on which its refutation rests. z3 4.8.12 agrees on each of those on rings, of `villadangos`,
`afek-gafni`, `humblet` and `tenure`, and on all but one of `all-to-all`, which it leaves undecided in 60 seconds. Those
on trees were last judged by z3 5.4.1, of `tree-wave` alone, and with all invariants.
`suffrage prove NAME` says whether the file has changed since. For `tenure` all of this is in its own section.

What is assumed, and not proved:

- the axioms about rings: order, circle, room, FIFO, directions, asynchrony, finiteness, numbers, nearness; and about
  complete networks: order, destination, asynchrony, finiteness, and with positions circle and positions, without them
  ports, sets of ports, first ports and majorities (two have a process in common); and about trees: order, destination,
  asynchrony, ports, links, FIFO, sets of ports, connectedness, sides, ways and depth;
- that the compiled code does what it did on its symbols: a test looks up every reaction of the code that runs, in every
  election of up to 4 processes (Afek-Gafni, Franklin, stages with feedback and Humblet: 3) and in samples of larger
  ones, and finds exactly one row, or several that differ in what they ask of counters and of ports that do nothing, or
  one and turns of a loop;
- that what a process keeps of a set of ports, their number or also their sum, is that of the set: it is, if no port is
  taken out twice, which is proved (*possible-messages*), and the same test compares them;
- that a process in a tree, or in a complete network without positions, asks of ports whether they are the same, and
  nothing else of their numbers, nor how many they are: its table is made with two numberings, and with none, one and
  many, and must be the same;
- the small programs that are believed: the tables, the reading of formulas, and the checker of certificates.

A process that sends through a port that it does not have is refused, and so is one that does more with an identity than
compare it. Of counters nothing is known: every comparison of two may have any result, and so the proof is of more
reactions than the process has. Of what waits in a queue nothing is known either: what is taken from it may be anything.
Each turn of a loop over a queue is a reaction of its own, which may happen at any time. *exactly-one-leader* and
*everyone-halted* are proved as far as they say that the election does not get stuck. That it ends at all
(*termination*) is explored, and so are the bounds. The proof is of the algorithm without the announcement that follows
it; where *announced* is proved, the announcement does not disturb it.

Some algorithms on rings go in rounds: an active process waits for one behind it, or ahead, that is a round behind,
and this waiting cannot go all the way round. But rounds are in no state, and so no formula orders them. What shows it
is a count, that as many messages are under way as processes are active. So it is proved of `alternating-steps`,
`franklin` and `dolev-klawe-rodeh`, by equations of numbers, and with it that no message is rejected. Of stages with
feedback these equations are not written, and so *exactly-one-leader* is not proved of it. Of `peterson` nothing is
proved: an active process takes what comes for a message of its own phase, odd or even, and the messages do not say of
which they are. Two with the same identity may be under way, and which one is ahead no formula can say without a
process between them that stays active.

Of `loui-matsushita-west` nothing is proved. Its tokens and states bear distances, which would have to stand for
processes, as positions do: in a state for the one that lies so far before the process, in a message for the one that
lies so far before the receiver. Nor is anything proved of extinction over the echo algorithm or a traversal. A
process that has not finished a wave has a father that has not. In a tree there is one way to the initiator, and so
`tree-extinction` is proved. In a graph fathers might stand in a circle; they do not, since they join a wave before
their children. But who joined before whom is in no state, and neither is what a process had done in a wave that it left
for a smaller one. `bully` compares numbers, and sends to all with larger ones; neither has a symbol.

Where *sent-once* is proved, the bound follows by counting, which is done by hand, and with it that the election ends.
In `lelann` each of the `n` processes sends each of the `k` tokens at most once. In `chang-roberts` and
`ring-extinction` a token is sent only by the processes from its initiator up to the smallest initiator (*not-beyond*),
by each once, and with `k` initiators these are at most `n`, `n-1`, .., `n-k+1` processes.

A seeded fault (of [mutants](mutants.md)) that breaks a proved property must be refused: some condition then has a
counterexample, or it does what no table says. One that breaks another property may pass. One that breaks none may be
refused where *possible-messages* is not proved, since that it breaks none may follow from that. *agreement* is proved
in the sense that a process that names a leader names the right one; that all name one is explored.

```text
cargo xtask prove --document > docs/reference/proved.md
```
";
