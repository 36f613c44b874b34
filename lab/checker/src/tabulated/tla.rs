//! A tabulated election in TLA+.

use super::{
    condition::Notation,
    election::{TabulatedElection, plain},
    tables::TabulatedInput,
};
use std::fmt;

const NOTATION: Notation = Notation {
    all: " /\\ ",
    any: " \\/ ",
    not: "~",
    truth: ["FALSE", "TRUE"],
    state: |process| format!("local[{process}]"),
    equal: "=",
    empty: |link| format!("(queue[{link}] = <<>>)"),
};

/// The reactions are a set of records, and one action performs any of them.
pub(super) struct Tla<'a>(pub &'a TabulatedElection, pub &'a str);

impl fmt::Display for Tla<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(of, module) = self;
        writeln!(f, "---- MODULE {module} ----")?;
        of.write_head(f, "\\* ")?;
        writeln!(
            f,
            "\\*\n\\* To check it, with this file as {module}.tla: tlc {module}, with {module}.cfg, which says"
        )?;
        writeln!(f, "\\*   SPECIFICATION Spec")?;
        writeln!(f, "\\*   INVARIANTS Possible Always Ended")?;
        writeln!(f, "\\*   CHECK_DEADLOCK FALSE")?;
        writeln!(
            f,
            "\\* TLC is to find {} distinct states. Add `PROPERTY Terminates` where there is no chance.",
            of.configurations
        )?;
        writeln!(f, "EXTENDS Integers, Sequences\n\nVARIABLES local, queue\n")?;
        writeln!(f, "Processes == 0..{}", of.processes.len() - 1)?;
        writeln!(f, "Links == 0..{}", of.links.len() - 1)?;
        for (number, link) in of.links.iter().enumerate() {
            writeln!(
                f,
                "\\* link {number}: from {}, port {}, to {}",
                link.from, link.port, link.to
            )?;
        }
        for (number, message) in of.messages.iter().enumerate() {
            writeln!(f, "\\* message {number}: {}", plain(message))?;
        }
        self.write_reactions(f)?;
        let goals = &of.goals;
        f.write_str(DYNAMICS)?;
        writeln!(f, "Always == {}", goals.always.text(&NOTATION))?;
        writeln!(f, "Quiet == {}", goals.quiet.text(&NOTATION))?;
        writeln!(f, "Ended == Quiet => {}", goals.at_the_end.text(&NOTATION))?;
        writeln!(f, "Terminates == <>Quiet\n====")
    }
}

const DYNAMICS: &str = r"
Init == local = [process \in Processes |-> 0] /\ queue = [link \in Links |-> <<>>]

\* A reaction to a message needs it to be the first of its link; one without a message has the link -1.
Enabled(r) ==
    /\ local[r.process] = r.from
    /\ r.link # -1 => (queue[r.link] # <<>> /\ Head(queue[r.link]) = r.message)

Sent(r, link) ==
    LET all == SelectSeq(r.sends, LAMBDA sent : sent[1] = link)
    IN [i \in 1..Len(all) |-> all[i][2]]

React(r) ==
    /\ Enabled(r)
    /\ local' = [local EXCEPT ![r.process] = r.to]
    /\ queue' = [link \in Links |->
        (IF link = r.link THEN Tail(queue[link]) ELSE queue[link]) \o Sent(r, link)]

Next == \E r \in Reactions : React(r)
Spec == Init /\ [][Next]_<<local, queue>> /\ WF_<<local, queue>>(Next)

Possible == \A r \in Reactions : Enabled(r) => r.possible
";

impl Tla<'_> {
    fn write_reactions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        writeln!(f, "\nReactions == {{")?;
        let mut separator = " ";
        for process in 0..of.processes.len() {
            for (reaction, outcome) in of.outcomes(process) {
                let (from, to) = (reaction.from, outcome.to);
                let (link, message) = match reaction.input {
                    TabulatedInput::Receive(link, message) => {
                        (link.to_string(), message.to_string())
                    }
                    TabulatedInput::Wake | TabulatedInput::Alarm => ("-1".into(), "-1".into()),
                };
                let sends =
                    outcome.sends.iter().map(|(link, message)| format!("<<{link}, {message}>>"));
                let sends: Vec<_> = sends.collect();
                let possible = if outcome.violation.is_none() { "TRUE" } else { "FALSE" };
                writeln!(f, "  \\* process {process} {}", of.words(process, reaction, outcome))?;
                if let Some(violation) = &outcome.violation {
                    writeln!(f, "  \\* This violates a property: {}", plain(violation))?;
                }
                writeln!(
                    f,
                    "  {separator}[process |-> {process}, from |-> {from}, link |-> {link}, message |-> {message}, \
                     to |-> {to}, sends |-> <<{}>>, possible |-> {possible}]",
                    sends.join(", ")
                )?;
                separator = ",";
            }
        }
        writeln!(f, "}}")
    }
}
