//! A tabulated election in the language of PRISM.

use super::{
    condition::Notation,
    election::{TabulatedElection, plain},
    tables::{TabulatedInput, TabulatedOutcome, TabulatedReaction},
};
use std::fmt;

const NOTATION: Notation = Notation {
    all: " & ",
    any: " | ",
    not: "!",
    truth: ["false", "true"],
    state: |process| format!("s{process}"),
    equal: "=",
    empty: |link| format!("empty{link}"),
};

/// A Markov decision process: the schedule is a choice, and the random choices of processes are probabilities. A
/// link is a row of variables: the numbers of its messages, from 1 on, and zeros behind them.
pub(super) struct Prism<'a>(pub &'a TabulatedElection);

impl fmt::Display for Prism<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        of.write_head(f, "// ")?;
        writeln!(f, "//\n// To check it, with this file as election.prism:")?;
        for property in [
            "P>=1 [ G \"always\" ]",
            "P>=1 [ G \"ended\" ]",
            "P>=1 [ G \"possible\" ]",
            "Pmin=? [ F (\"quiet\" & \"elected\") ]",
            "R{\"messages\"}max=? [ F \"quiet\" ]",
        ] {
            writeln!(f, "//   prism election.prism -pf '{property}'")?;
        }
        writeln!(
            f,
            "// It has {} states. (storm --prism election.prism --prop '..' is the same.)",
            of.configurations
        )?;
        writeln!(f, "\nmdp\n\nmodule election")?;
        for (number, process) in of.processes.iter().enumerate() {
            writeln!(f, "  s{number} : [0..{}] init 0;", (process.states.len() - 1).max(1))?;
        }
        for (number, link) in of.links.iter().enumerate() {
            writeln!(
                f,
                "  // link {number}: from {}, port {}, to {}",
                link.from, link.port, link.to
            )?;
            for place in 1..=link.most {
                writeln!(f, "  q{number}_{place} : [0..{}] init 0;", of.messages.len())?;
            }
        }
        for (number, message) in (1..).zip(&of.messages) {
            writeln!(f, "  // message {number}: {}", plain(message))?;
        }
        for process in 0..of.processes.len() {
            for reaction in &of.processes[process].reactions {
                self.write_reaction(process, reaction, f)?;
            }
        }
        writeln!(f, "endmodule\n")?;
        self.write_formulas(f)
    }
}

impl Prism<'_> {
    fn guard(process: usize, reaction: &TabulatedReaction) -> String {
        let own = format!("s{process}={}", reaction.from);
        match reaction.input {
            TabulatedInput::Receive(link, message) => format!("{own} & q{link}_1={}", message + 1),
            TabulatedInput::Wake | TabulatedInput::Alarm => own,
        }
    }

    /// The messages that a reaction sends on average: their number over all outcomes, as a fraction.
    fn sends(reaction: &TabulatedReaction) -> (u64, u64) {
        // The least common multiple of what probabilities are a part of.
        let common = reaction.outcomes.iter().fold(1, |common, outcome| {
            let (mut a, mut b) = (common, outcome.one_of);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            common / a * outcome.one_of
        });
        let each = reaction.outcomes.iter();
        let sent = each.map(|of| of.sends.len() as u64 * (common / of.one_of)).sum();
        (sent, common)
    }

    fn write_reaction(
        &self,
        process: usize,
        reaction: &TabulatedReaction,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let action = match Self::sends(reaction) {
            (0, _) => String::new(),
            (sent, of) => format!("sends_{sent}_{of}"),
        };
        for outcome in &reaction.outcomes {
            writeln!(f, "  // process {process} {}", self.0.words(process, reaction, outcome))?;
        }
        let each: Vec<_> = reaction
            .outcomes
            .iter()
            .map(|outcome| {
                let update = self.update(process, reaction, outcome);
                format!("1/{} : {update}", outcome.one_of)
            })
            .collect();
        writeln!(f, "  [{action}] {} -> {};", Self::guard(process, reaction), each.join(" + "))
    }

    fn update(&self, process: usize, of: &TabulatedReaction, outcome: &TabulatedOutcome) -> String {
        let mut all = vec![format!("(s{process}'={})", outcome.to)];
        if let TabulatedInput::Receive(link, _) = of.input {
            let most = self.0.links[link].most;
            all.extend((1..=most).map(|place| match place == most {
                true => format!("(q{link}_{place}'=0)"),
                false => format!("(q{link}_{place}'=q{link}_{})", place + 1),
            }));
        }
        for (link, _) in self.0.links.iter().enumerate() {
            let sent = outcome.sends.iter().filter(|(to, _)| *to == link);
            let sent: Vec<_> = sent.map(|(_, message)| message + 1).collect();
            if sent.is_empty() {
                continue;
            }
            all.extend((1..=self.0.links[link].most).map(|place| {
                let own = format!("q{link}_{place}");
                let reaches = |text: String, (after, message): (usize, &usize)| match place
                    .checked_sub(after + 1)
                {
                    Some(before) => format!("length{link}={before}?{message}:({text})"),
                    None => text,
                };
                let value = sent.iter().enumerate().fold(own, reaches);
                format!("(q{link}_{place}'={value})")
            }));
        }
        all.join("&")
    }

    fn write_formulas(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        for (number, link) in of.links.iter().enumerate() {
            let places = (1..=link.most).rev();
            let length = places.fold("0".to_owned(), |more, place| {
                format!(
                    "(q{number}_{place}=0?{}:{})",
                    place - 1,
                    if more == "0" { place.to_string() } else { more }
                )
            });
            writeln!(f, "formula length{number} = {length};")?;
            match link.most {
                0 => writeln!(f, "formula empty{number} = true;")?,
                _ => writeln!(f, "formula empty{number} = q{number}_1=0;")?,
            }
        }
        let goals = &of.goals;
        let impossible: Vec<_> = (0..of.processes.len())
            .flat_map(|process| {
                let reactions = of.processes[process].reactions.iter();
                let violating =
                    reactions.filter(|of| of.outcomes.iter().any(|one| one.violation.is_some()));
                violating.map(move |reaction| format!("({})", Self::guard(process, reaction)))
            })
            .collect();
        let possible = match impossible.is_empty() {
            true => "true".to_owned(),
            false => format!("!({})", impossible.join(" | ")),
        };
        for (name, condition) in
            [("always", &goals.always), ("quiet", &goals.quiet), ("elected", &goals.elected)]
        {
            writeln!(f, "label \"{name}\" = {};", condition.text(&NOTATION))?;
        }
        let (quiet, at_the_end) = (goals.quiet.text(&NOTATION), goals.at_the_end.text(&NOTATION));
        writeln!(f, "label \"ended\" = !({quiet}) | {at_the_end};")?;
        writeln!(f, "label \"possible\" = {possible};")?;
        writeln!(f, "\nrewards \"messages\"")?;
        let mut kinds: Vec<_> =
            of.processes.iter().flat_map(|of| &of.reactions).map(Self::sends).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for (sent, of) in kinds.into_iter().filter(|(sent, _)| *sent > 0) {
            writeln!(f, "  [sends_{sent}_{of}] true : {sent}/{of};")?;
        }
        writeln!(f, "endrewards")
    }
}
