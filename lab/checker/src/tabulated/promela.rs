//! A tabulated election in Promela.

use super::{
    condition::Notation,
    election::{TabulatedElection, plain},
    tables::TabulatedInput,
};
use crate::outcome::CheckVerdict;
use std::fmt;
use suffrage_model::Status;

const NOTATION: Notation = Notation {
    all: " && ",
    any: " || ",
    not: "!",
    truth: ["false", "true"],
    state: |process| format!("s{process}"),
    equal: "==",
    empty: |link| format!("len(q{link}) == 0"),
};

/// Each process is a loop over its reactions. A reaction is one transition, so that Spin counts configurations
/// and steps as Suffrage does.
pub(super) struct Promela<'a>(pub &'a TabulatedElection);

impl fmt::Display for Promela<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        writeln!(f, "/*")?;
        of.write_head(f, " * ")?;
        writeln!(f, " *\n * To check it, with this file as election.pml:")?;
        writeln!(
            f,
            " *   spin -a election.pml && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m10000000"
        )?;
        writeln!(f, " * To look for executions without an end:")?;
        writeln!(f, " *   gcc -O2 -DNP -o pan pan.c && ./pan -m10000000 -l")?;
        if matches!(of.exploration.verdict, CheckVerdict::Holds) {
            let (configurations, steps) = (of.configurations, of.steps + 1);
            writeln!(
                f,
                " * Spin is to find no error, in {configurations} states, with {steps} transitions: the beginning counts as one."
            )?;
        }
        writeln!(f, " */\n")?;
        for (number, process) in of.processes.iter().enumerate() {
            writeln!(f, "int s{number} = 0; /* of {} local states */", process.states.len())?;
        }
        for (number, link) in of.links.iter().enumerate() {
            let (from, port, to, room) = (link.from, link.port, link.to, link.most.max(1));
            writeln!(
                f,
                "chan q{number} = [{room}] of {{ int }}; /* from {from}, port {port}, to {to} */"
            )?;
        }
        for (number, message) in of.messages.iter().enumerate() {
            let lead = if number == 0 { "\n" } else { "" };
            writeln!(f, "{lead}/* message {number} is {} */", plain(message))?;
        }
        let goals = &of.goals;
        writeln!(f, "\n#define ALWAYS {}", goals.always.text(&NOTATION))?;
        writeln!(f, "#define QUIET {}", goals.quiet.text(&NOTATION))?;
        writeln!(f, "#define AT_THE_END {}", goals.at_the_end.text(&NOTATION))?;
        (0..of.processes.len()).try_for_each(|process| self.write_process(process, f))
    }
}

impl Promela<'_> {
    fn write_process(&self, process: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        writeln!(f, "\nactive proctype process_{process}() {{\nend:\tdo")?;
        for (reaction, outcome) in of.outcomes(process) {
            write!(f, "\t:: d_step {{ s{process} == {}", reaction.from)?;
            match reaction.input {
                TabulatedInput::Receive(link, message) => {
                    write!(f, " && q{link}?[{message}] -> q{link}?{message}; ")?;
                }
                TabulatedInput::Wake | TabulatedInput::Alarm => write!(f, " -> ")?,
            }
            write!(f, "s{process} = {}; ", outcome.to)?;
            for (link, message) in &outcome.sends {
                write!(f, "q{link}!{message}; ")?;
            }
            if let Some(violation) = &outcome.violation {
                write!(f, "assert(false) /* {} */; ", plain(violation))?;
            }
            // Two lead only after one of them has begun to, and after a sending something is under way.
            if of.processes[process].states[outcome.to].view.status == Status::Leader {
                write!(f, "assert(ALWAYS); ")?;
            }
            if outcome.sends.is_empty() {
                write!(f, "assert(!(QUIET) || (AT_THE_END)); ")?;
            }
            writeln!(f, "}} /* {} */", of.words(process, reaction, outcome))?;
        }
        // A process that never reacts waits.
        let idle = of.processes[process].reactions.is_empty();
        writeln!(f, "{}\tod\n}}", if idle { "\t:: false\n" } else { "" })
    }
}
