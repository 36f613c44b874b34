//! A tabulated election in Promela.

use super::{
    condition::{ModelCondition, Notation},
    election::{TabulatedElection, plain},
    tables::{TabulatedInput, TabulatedOutcome, TabulatedReaction},
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
    none_kept: |link| format!("len(n{link}) == 0"),
    waits: |process| format!("len(o{process}) > 0"),
};

/// A condition in brackets.
fn said(condition: &ModelCondition) -> String {
    match condition.text(&NOTATION) {
        text if text.starts_with('(') => text,
        text => format!("({text})"),
    }
}

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
        self.write_setting(f)?;
        for (number, message) in of.messages.iter().enumerate() {
            let lead = if number == 0 { "\n" } else { "" };
            writeln!(f, "{lead}/* message {number} is {} */", plain(message))?;
        }
        let goals = &of.goals;
        writeln!(f, "\n#define ALWAYS {}", goals.always.text(&NOTATION))?;
        writeln!(f, "#define QUIET {}", goals.quiet.text(&NOTATION))?;
        writeln!(f, "#define AT_THE_END {}", goals.at_the_end.text(&NOTATION))?;
        self.write_guards(f)?;
        (0..of.processes.len()).try_for_each(|process| self.write_process(process, f))?;
        self.write_surroundings(f)
    }
}

impl Promela<'_> {
    /// The variables for everything but states and links.
    fn write_setting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let faults = of.setting.faults;
        for (most, left) in
            [(faults.loss, "losses"), (faults.duplicate, "copies"), (faults.crash, "crashes")]
        {
            if most > 0 {
                writeln!(f, "byte {left} = {most}; /* that may still happen */")?;
            }
        }
        if of.setting.capacity.is_some() {
            for process in 0..of.processes.len() {
                let most = of.outcomes(process).map(|(_, outcome)| outcome.sends.len()).max();
                let most = most.unwrap_or(0).max(1);
                writeln!(
                    f,
                    "chan o{process} = [{most}] of {{ int, int }}; /* the links and messages for which {process} \
                     has no room yet */"
                )?;
            }
        }
        if of.setting.in_rounds {
            writeln!(
                f,
                "bool begins = true; /* whether nothing but wake-ups has happened in this tick */"
            )?;
            for (number, link) in of.links.iter().enumerate() {
                let most = link.most_kept.max(1);
                writeln!(
                    f,
                    "chan n{number} = [{most}] of {{ int }}; /* for q{number} in the next tick */"
                )?;
            }
            for process in 0..of.processes.len() {
                writeln!(
                    f,
                    "int a{process} = 0; /* the ticks until the alarm of {process} rings, and one more; or none */"
                )?;
            }
        }
        match of.setting.is_plain() {
            true => Ok(()),
            false => writeln!(f, "hidden int to, what, ticks, length; /* within a step */"),
        }
    }

    /// What has to be so for others to act.
    fn write_guards(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let may_wake: Vec<_> = of.goals.may_wake.iter().map(said).collect();
        if of.setting.at_start || of.setting.in_rounds {
            writeln!(f, "#define SLEEPING ({})", may_wake.join(" || "))?;
        }
        if of.setting.in_rounds {
            for process in 0..of.processes.len() {
                let arriving: Vec<_> =
                    self.entering(process).map(|link| format!("len(q{link}) > 0")).collect();
                let arriving =
                    if arriving.is_empty() { "false".into() } else { arriving.join(" || ") };
                writeln!(f, "#define ARRIVING_{process} ({arriving})")?;
            }
            let all = |each: &dyn Fn(usize) -> String| {
                (0..of.processes.len()).map(each).collect::<Vec<_>>().join(" || ")
            };
            let sent = (0..of.links.len()).map(|link| format!(" || len(n{link}) > 0"));
            writeln!(f, "#define ARRIVING ({})", all(&|process| format!("ARRIVING_{process}")))?;
            writeln!(f, "#define DUE ({})", all(&|process| format!("a{process} == 1")))?;
            writeln!(f, "#define SENT (false{})", sent.collect::<String>())?;
            writeln!(f, "#define SET ({})", all(&|process| format!("a{process} > 0")))?;
        }
        if of.setting.capacity.is_some() {
            (0..of.processes.len()).try_for_each(|process| self.write_flow(process, f))?;
        }
        Ok(())
    }

    /// Moves what a process has not sent yet to its links, while there is room.
    fn write_flow(&self, process: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        writeln!(
            f,
            "\ninline flow_{process}() {{\n\tdo\n\t:: len(o{process}) > 0 -> o{process}?<to, what>;\n\t\tif"
        )?;
        let leaving = of.links.iter().enumerate().filter(|(_, link)| link.from as usize == process);
        for (number, _) in leaving {
            let (gone, capacity) = (self.is_gone(number), of.setting.capacity.unwrap_or(0));
            if let Some(gone) = &gone {
                writeln!(f, "\t\t:: to == {number} && {gone} -> o{process}?_, _ /* is lost */")?;
            }
            let here = gone.map_or_else(String::new, |gone| format!("!{gone} && "));
            writeln!(
                f,
                "\t\t:: to == {number} && {here}len(q{number}) < {capacity} -> o{process}?_, _; q{number}!what"
            )?;
        }
        writeln!(f, "\t\t:: else -> break\n\t\tfi\n\t:: else -> break\n\tod\n}}")
    }

    fn entering(&self, process: usize) -> impl Iterator<Item = usize> + '_ {
        let links = self.0.links.iter().enumerate();
        links.filter(move |(_, link)| link.to as usize == process).map(|(number, _)| number)
    }

    /// Whether the receiver of a link has crashed, where one may.
    fn is_gone(&self, link: usize) -> Option<String> {
        let of = self.0;
        let gone = &of.goals.crashed[of.links[link].to as usize];
        (of.setting.faults.crash > 0).then(|| said(gone))
    }

    fn write_process(&self, process: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        writeln!(f, "\nactive proctype process_{process}() {{\nend:\tdo")?;
        for (reaction, outcome) in of.outcomes(process) {
            let (guard, first) = self.guard(process, reaction);
            write!(f, "\t:: d_step {{ s{process} == {}{guard} -> {first}", reaction.from)?;
            write!(f, "s{process} = {}; ", outcome.to)?;
            self.write_effects(process, reaction, outcome, f)?;
            self.write_assertions(process, outcome, f)?;
            writeln!(f, "}} /* {} */", of.words(process, reaction, outcome))?;
        }
        // A process that never reacts waits.
        let idle = of.processes[process].reactions.is_empty();
        writeln!(f, "{}\tod\n}}", if idle { "\t:: false\n" } else { "" })
    }

    /// What a reaction needs beside its state, and what comes first in it.
    fn guard(&self, process: usize, reaction: &TabulatedReaction) -> (String, String) {
        let of = self.0;
        let setting = of.setting;
        let mut guard = String::new();
        let mut first = String::new();
        let need = |guard: &mut String, what: &str| *guard += &format!(" && {what}");
        let before = |name: &str| {
            (0..process).map(|other| format!(" && !({name}{other})")).collect::<String>()
        };
        if setting.at_start {
            match reaction.input {
                TabulatedInput::Wake => {
                    for may in &of.goals.may_wake[..process] {
                        need(&mut guard, &format!("!{}", said(may)));
                    }
                }
                _ => need(&mut guard, "!SLEEPING"),
            }
        }
        if setting.capacity.is_some() && reaction.input != TabulatedInput::Crash {
            need(&mut guard, &format!("len(o{process}) == 0"));
        }
        match reaction.input {
            TabulatedInput::Wake if setting.in_rounds => need(&mut guard, "begins"),
            TabulatedInput::Alarm if setting.in_rounds => {
                let earlier =
                    (0..process).map(|other| format!(" && a{other} != 1")).collect::<String>();
                need(&mut guard, &format!("!ARRIVING && a{process} == 1{earlier}"));
                first += "begins = false; ";
            }
            TabulatedInput::Wake | TabulatedInput::Alarm => {}
            TabulatedInput::Crash => {
                need(&mut guard, "crashes > 0");
                first += "crashes--; ";
            }
            TabulatedInput::Receive(link, message) => {
                let any = if setting.faults.no_fifo { "??" } else { "?" };
                need(&mut guard, &format!("q{link}{any}[{message}]"));
                if setting.in_rounds {
                    guard += &before("ARRIVING_");
                    first += "begins = false; ";
                }
                first += &format!("q{link}{any}{message}; ");
            }
        }
        (guard, first)
    }

    /// What a reaction does beside changing its state.
    fn write_effects(
        &self,
        process: usize,
        reaction: &TabulatedReaction,
        outcome: &TabulatedOutcome,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let of = self.0;
        let setting = of.setting;
        if let Some(alarm) = outcome.alarm.filter(|_| setting.in_rounds) {
            write!(f, "a{process} = {alarm}; ")?;
        }
        match reaction.input {
            TabulatedInput::Crash => {
                if setting.capacity.is_some() {
                    write!(
                        f,
                        "do :: len(o{process}) > 0 -> o{process}?_, _ :: else -> break od; "
                    )?;
                }
                for link in self.entering(process) {
                    write!(f, "do :: len(q{link}) > 0 -> q{link}?_ :: else -> break od; ")?;
                }
                let senders = self.entering(process).map(|link| of.links[link].from);
                let senders: std::collections::BTreeSet<u32> = senders.collect();
                for sender in senders.iter().filter(|_| setting.capacity.is_some()) {
                    write!(f, "flow_{sender}(); ")?;
                }
            }
            TabulatedInput::Receive(link, _) if setting.capacity.is_some() => {
                write!(f, "flow_{}(); ", of.links[link].from)?;
            }
            _ => {}
        }
        for (link, message) in &outcome.sends {
            let gone = self.is_gone(*link);
            match (setting.in_rounds, setting.capacity, gone, setting.faults.no_fifo) {
                (true, ..) => write!(f, "n{link}!{message}; ")?,
                (_, Some(_), ..) => write!(f, "o{process}!{link}, {message}; ")?,
                (_, _, Some(gone), _) => {
                    write!(f, "if :: {gone} -> skip :: else -> q{link}!{message} fi; ")?;
                }
                (.., true) => write!(f, "q{link}!!{message}; ")?,
                _ => write!(f, "q{link}!{message}; ")?,
            }
        }
        if setting.capacity.is_some() && !outcome.sends.is_empty() {
            write!(f, "flow_{process}(); ")?;
        }
        Ok(())
    }

    fn write_assertions(
        &self,
        process: usize,
        outcome: &TabulatedOutcome,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let of = self.0;
        if let Some(violation) = &outcome.violation {
            write!(f, "assert(false) /* {} */; ", plain(violation))?;
        }
        // Two lead only after one of them has begun to, and after a sending something is under way, or waits.
        if of.processes[process].states[outcome.to].view.status == Status::Leader {
            write!(f, "assert(ALWAYS); ")?;
        }
        if outcome.sends.is_empty() || of.setting.capacity.is_some() {
            write!(f, "assert(!(QUIET) || (AT_THE_END)); ")?;
        }
        Ok(())
    }

    /// What happens to links and to time.
    fn write_surroundings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let setting = of.setting;
        let awake = if setting.at_start { " && !SLEEPING" } else { "" };
        let mut steps = Vec::new();
        for (number, link) in of.links.iter().enumerate() {
            let flow = match setting.capacity {
                Some(_) => format!(" flow_{}();", link.from),
                None => String::new(),
            };
            if setting.faults.loss > 0 {
                steps.push(format!(
                    "len(q{number}) > 0 && losses > 0{awake} -> losses--; q{number}?_;{flow} /* is lost */"
                ));
            }
            if setting.faults.duplicate > 0 && link.most > 0 {
                let room = setting
                    .capacity
                    .map_or_else(String::new, |of| format!(" && len(q{number}) < {of}"));
                steps.push(format!(
                    "len(q{number}) > 0 && copies > 0{room}{awake} -> copies--; {} /* is doubled */",
                    doubling(number)
                ));
            }
        }
        if setting.in_rounds {
            steps.push(self.tick(awake));
        }
        if steps.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nactive proctype surroundings() {{")?;
        writeln!(f, "end:\tdo")?;
        for step in steps {
            // Spin leaves no loop that ends a step.
            writeln!(f, "\t:: d_step {{ {step} skip }}")?;
        }
        writeln!(f, "\tod\n}}")
    }

    /// Ends the tick: what was sent enters the links, and alarms are one tick nearer; where nothing is under way and
    /// no process may wake, the next one rings.
    fn tick(&self, awake: &str) -> String {
        let of = self.0;
        let mut step = format!(
            "!ARRIVING && !DUE && (SET || SENT || !begins && SLEEPING){awake} -> ticks = 1; if :: SENT || SLEEPING -> \
             skip :: else -> ticks = 0; "
        );
        for process in 0..of.processes.len() {
            step += &format!(
                "if :: a{process} > 0 && (ticks == 0 || a{process} - 1 < ticks) -> ticks = a{process} - 1 :: else -> \
                 skip fi; "
            );
        }
        step += "fi; ";
        for process in 0..of.processes.len() {
            step += &format!(
                "if :: a{process} > 0 -> a{process} = a{process} - ticks :: else -> skip fi; "
            );
        }
        for link in 0..of.links.len() {
            let enters = match self.is_gone(link) {
                Some(gone) => format!("if :: {gone} -> skip :: else -> q{link}!what fi"),
                None => format!("q{link}!what"),
            };
            step +=
                &format!("do :: len(n{link}) > 0 -> n{link}?what; {enters} :: else -> break od; ");
        }
        step + "begins = true; /* the tick ends */"
    }
}

/// Puts a copy of its first message before all on a link: after it, all others are sent again.
fn doubling(link: usize) -> String {
    format!(
        "length = len(q{link}) - 1; q{link}?what; q{link}!what; q{link}!what; do :: length > 0 -> length--; \
         q{link}?what; q{link}!what :: else -> break od;"
    )
}
