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
    empty: |link| format!("empty_q{link}"),
    none_kept: |link| format!("empty_n{link}"),
    // A model in which processes wait is not written.
    waits: |_| "false".to_owned(),
};

/// A Markov decision process: the schedule is a choice, and the random choices of processes are probabilities. A
/// link is a row of variables: the numbers of its messages, from 1 on, and zeros behind them. Where messages overtake each
/// other, a row is sorted.
pub(super) struct Prism<'a>(pub &'a TabulatedElection);

impl fmt::Display for Prism<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        of.write_head(f, "// ")?;
        writeln!(f, "//\n// To check it, with this file as election.prism:")?;
        let properties = [
            "P>=1 [ G \"always\" ]",
            "P>=1 [ G \"possible\" ]",
            "P>=1 [ G \"ended\" ]",
            "Pmin=? [ F (\"quiet\" & \"elected\") ]",
            "R{\"messages\"}max=? [ F \"quiet\" ]",
        ];
        // Under faults, nothing is claimed of the end.
        let claimed = if of.setting.faults.is_none() { 5 } else { 2 };
        for property in &properties[..claimed] {
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
            for (row, most) in [("q", link.most), ("n", link.most_kept)] {
                for place in 1..=most {
                    writeln!(f, "  {row}{number}_{place} : [0..{}] init 0;", of.messages.len())?;
                }
            }
        }
        self.write_variables(f)?;
        for (number, message) in (1..).zip(&of.messages) {
            writeln!(f, "  // message {number}: {}", plain(message))?;
        }
        for process in 0..of.processes.len() {
            for reaction in &of.processes[process].reactions {
                self.write_reaction(process, reaction, f)?;
            }
        }
        self.write_surroundings(f)?;
        writeln!(f, "endmodule\n")?;
        self.write_lengths(f)?;
        self.write_guards(f)?;
        self.write_goals(f)
    }
}

impl Prism<'_> {
    fn guard(&self, process: usize, reaction: &TabulatedReaction) -> String {
        let setting = self.0.setting;
        let mut all = vec![format!("s{process}={}", reaction.from)];
        let earlier =
            |what: &str| (0..process).map(|other| format!("{what}{other}")).collect::<Vec<_>>();
        if setting.at_start {
            match reaction.input {
                TabulatedInput::Wake => all.extend(earlier("!wakes_")),
                _ => all.push("!sleeping".to_owned()),
            }
        }
        match reaction.input {
            TabulatedInput::Receive(link, message) => {
                let is_this = |place| format!("q{link}_{place}={}", message + 1);
                if setting.faults.no_fifo {
                    let any: Vec<_> = (1..=self.0.links[link].most).map(is_this).collect();
                    all.push(format!("({})", any.join(" | ")));
                } else {
                    all.push(is_this(1));
                }
                if setting.in_rounds {
                    all.extend(earlier("!arriving_"));
                }
            }
            TabulatedInput::Wake if setting.in_rounds => all.push("begins".to_owned()),
            TabulatedInput::Alarm if setting.in_rounds => {
                all.push(format!("!arriving & a{process}=1"));
                all.extend((0..process).map(|other| format!("a{other}!=1")));
            }
            TabulatedInput::Crash => all.push("crashes>0".to_owned()),
            TabulatedInput::Wake | TabulatedInput::Alarm => {}
        }
        all.join(" & ")
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
        writeln!(f, "  [{action}] {} -> {};", self.guard(process, reaction), each.join(" + "))
    }

    fn update(&self, process: usize, of: &TabulatedReaction, outcome: &TabulatedOutcome) -> String {
        let setting = self.0.setting;
        let mut all = vec![format!("(s{process}'={})", outcome.to)];
        if of.input == TabulatedInput::Crash {
            all.push("(crashes'=crashes-1)".to_owned());
        }
        if setting.in_rounds {
            if let Some(alarm) = outcome.alarm {
                all.push(format!("(a{process}'={alarm})"));
            }
            if !matches!(of.input, TabulatedInput::Wake | TabulatedInput::Crash) {
                all.push("(begins'=false)".to_owned());
            }
        }
        for (link, about) in self.0.links.iter().enumerate() {
            let sent = outcome.sends.iter().filter(|(to, _)| *to == link);
            let sent: Vec<_> = sent.map(|(_, message)| message + 1).collect();
            let taken = match of.input {
                TabulatedInput::Receive(from, message) if from == link => Some(message + 1),
                _ => None,
            };
            if of.input == TabulatedInput::Crash && about.to as usize == process {
                all.extend((1..=about.most).map(|place| format!("(q{link}_{place}'=0)")));
                continue;
            }
            let row = |name: &str, most| LinkRow::of(format!("{name}{link}"), most);
            if setting.in_rounds {
                all.extend(row("n", about.most_kept).with(&sent).updates());
            }
            let mut queue = row("q", about.most);
            queue = match (taken, setting.faults.no_fifo) {
                (Some(message), true) => queue.without(message),
                (Some(_), false) => queue.shifted(),
                (None, _) => queue,
            };
            if setting.in_rounds {
                all.extend(queue.updates());
                continue;
            }
            let before = queue.clone();
            queue = match setting.faults.no_fifo {
                true => sent.iter().fold(queue, |row, &message| row.sorted_with(message)),
                false => queue.with(&sent),
            };
            if setting.faults.crash > 0 && !sent.is_empty() {
                queue = before.where_crashed(about.to, queue);
            }
            all.extend(queue.updates());
        }
        all.join("&")
    }

    /// The variables for everything but states and links.
    fn write_variables(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let faults = of.setting.faults;
        for (most, left) in
            [(faults.loss, "losses"), (faults.duplicate, "copies"), (faults.crash, "crashes")]
        {
            if most > 0 {
                writeln!(f, "  {left} : [0..{most}] init {most}; // that may still happen")?;
            }
        }
        if of.setting.in_rounds {
            writeln!(
                f,
                "  begins : bool init true; // nothing but wake-ups has happened in this tick"
            )?;
            for (process, about) in of.processes.iter().enumerate() {
                let most = about.most_ticks + 1;
                writeln!(
                    f,
                    "  a{process} : [0..{most}] init 0; // the ticks until the alarm of {process} rings, and one more"
                )?;
            }
            writeln!(f, "  // n..: the messages sent over a link in this tick, for the next one")?;
        }
        Ok(())
    }

    /// What happens to links and to time.
    fn write_surroundings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let setting = of.setting;
        let awake = if setting.at_start { " & !sleeping" } else { "" };
        for (link, about) in of.links.iter().enumerate().filter(|(_, about)| about.most > 0) {
            let row = LinkRow::of(format!("q{link}"), about.most);
            let faults = [
                (setting.faults.loss, "losses", row.clone().shifted()),
                (setting.faults.duplicate, "copies", row.doubled()),
            ];
            for (_, left, becomes) in faults.into_iter().filter(|(most, ..)| *most > 0) {
                let updates = becomes.updates().collect::<Vec<_>>();
                let updates = [vec![format!("({left}'={left}-1)")], updates].concat().join("&");
                writeln!(f, "  [] {left}>0 & q{link}_1>0{awake} -> {updates};")?;
            }
        }
        if !setting.in_rounds {
            return Ok(());
        }
        let mut updates = vec!["(begins'=true)".to_owned()];
        updates.extend(
            (0..of.processes.len()).map(|one| format!("(a{one}'=a{one}=0?0:a{one}-ticks)")),
        );
        for (link, about) in of.links.iter().enumerate() {
            let kept = LinkRow::of(format!("n{link}"), about.most_kept);
            updates.extend((1..=about.most).map(|place| {
                let value = kept.at(place);
                let enters = match setting.faults.crash {
                    0 => value,
                    _ => format!("crashed_{}?0:{value}", about.to),
                };
                format!("(q{link}_{place}'={enters})")
            }));
            updates.extend((1..=about.most_kept).map(|place| format!("(n{link}_{place}'=0)")));
        }
        writeln!(
            f,
            "  // The tick ends. Where nothing is under way and no process may wake, the next alarm rings."
        )?;
        writeln!(
            f,
            "  [] !arriving & !due & (sent | set | !begins & sleeping){awake} -> {};",
            updates.join("&")
        )
    }

    /// What has to be so for others to act.
    fn write_guards(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let setting = of.setting;
        let all = |name: &str, end: &str| {
            let each = (0..of.processes.len()).map(|process| format!("{name}{process}{end}"));
            each.collect::<Vec<_>>().join(" | ")
        };
        if setting.faults.crash > 0 {
            for (process, crashed) in of.goals.crashed.iter().enumerate() {
                writeln!(f, "formula crashed_{process} = {};", crashed.text(&NOTATION))?;
            }
        }
        if setting.at_start || setting.in_rounds {
            for (process, may_wake) in of.goals.may_wake.iter().enumerate() {
                writeln!(f, "formula wakes_{process} = {};", may_wake.text(&NOTATION))?;
            }
            writeln!(f, "formula sleeping = {};", all("wakes_", ""))?;
        }
        if !setting.in_rounds {
            return Ok(());
        }
        for process in 0..of.processes.len() {
            let entering =
                of.links.iter().enumerate().filter(|(_, link)| link.to as usize == process);
            let each: String = entering.map(|(link, _)| format!(" | !empty_q{link}")).collect();
            writeln!(f, "formula arriving_{process} = false{each};")?;
        }
        writeln!(f, "formula arriving = {};", all("arriving_", ""))?;
        writeln!(f, "formula due = {};", all("a", "=1"))?;
        writeln!(f, "formula set = {};", all("a", ">0"))?;
        let sent: String = (0..of.links.len()).map(|link| format!(" | !empty_n{link}")).collect();
        writeln!(f, "formula sent = false{sent};")?;
        let most = of.processes.iter().map(|process| process.most_ticks + 1).max().unwrap_or(1);
        let each: String =
            (0..of.processes.len()).map(|one| format!(", (a{one}=0?{most}:a{one}-1)")).collect();
        writeln!(f, "formula ticks = sent | sleeping ? 1 : min({most}{each});")
    }

    /// The number of messages in each row.
    fn write_lengths(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let rows = of.links.iter().enumerate().flat_map(|(number, link)| {
            let kept = of.setting.in_rounds.then(|| (format!("n{number}"), link.most_kept));
            [(format!("q{number}"), link.most)].into_iter().chain(kept)
        });
        for (row, most) in rows {
            let length = (1..=most).rev().fold("0".to_owned(), |more, place| {
                let more = if more == "0" { place.to_string() } else { more };
                format!("({row}_{place}=0?{}:{more})", place - 1)
            });
            writeln!(f, "formula length_{row} = {length};")?;
            match most {
                0 => writeln!(f, "formula empty_{row} = true;")?,
                _ => writeln!(f, "formula empty_{row} = {row}_1=0;")?,
            }
        }
        Ok(())
    }

    fn write_goals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.0;
        let goals = &of.goals;
        let impossible: Vec<_> = (0..of.processes.len())
            .flat_map(|process| {
                let reactions = of.processes[process].reactions.iter();
                let violating =
                    reactions.filter(|of| of.outcomes.iter().any(|one| one.violation.is_some()));
                violating.map(move |reaction| format!("({})", self.guard(process, reaction)))
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

/// What the variables of a row become.
#[derive(Clone)]
struct LinkRow {
    name: String,
    /// The new value of each place.
    values: Vec<String>,
    /// The number of messages taken from the front.
    taken: usize,
}

impl LinkRow {
    fn of(name: String, most: usize) -> Self {
        let values = (1..=most).map(|place| format!("{name}_{place}")).collect();
        Self { name, values, taken: 0 }
    }

    /// The value of a place, from 1 on; behind the last there is nothing.
    fn at(&self, place: usize) -> String {
        self.values.get(place - 1).cloned().unwrap_or_else(|| "0".to_owned())
    }

    fn map(self, value: impl Fn(&Self, usize) -> String) -> Self {
        let values = (1..=self.values.len()).map(|place| value(&self, place)).collect();
        Self { values, ..self }
    }

    /// Without its first message.
    fn shifted(self) -> Self {
        let row = self.map(|row, place| row.at(place + 1));
        Self { taken: 1, ..row }
    }

    /// With its first message a second time before it.
    fn doubled(self) -> Self {
        self.map(|row, place| row.at(place.max(2) - 1))
    }

    /// With these messages behind the others.
    fn with(self, sent: &[usize]) -> Self {
        self.map(|row, place| {
            let reaches = |text: String, (after, message): (usize, &usize)| match place
                .checked_sub(after + 1)
            {
                Some(before) => {
                    format!("length_{}={}?{message}:({text})", row.name, before + row.taken)
                }
                None => text,
            };
            sent.iter().enumerate().fold(row.at(place), reaches)
        })
    }

    /// Without one of these messages, where they are sorted.
    fn without(self, message: usize) -> Self {
        self.map(|row, place| {
            let own = row.at(place);
            format!("({own}>0 & {own}<{message}?{own}:{})", row.at(place + 1))
        })
    }

    /// With this message in its place, where they are sorted.
    fn sorted_with(self, message: usize) -> Self {
        let comes_before = |value: &str| format!("{value}>0 & {value}<={message}");
        self.map(|row, place| {
            let own = row.at(place);
            let instead = match place {
                1 => message.to_string(),
                _ => {
                    let before = row.at(place - 1);
                    format!("({}?{message}:{before})", comes_before(&before))
                }
            };
            format!("({}?{own}:{instead})", comes_before(&own))
        })
    }

    /// This, where the receiver has crashed, and otherwise the other.
    fn where_crashed(self, receiver: u32, otherwise: Self) -> Self {
        self.map(|row, place| {
            format!("crashed_{receiver}?{}:({})", row.at(place), otherwise.at(place))
        })
    }

    /// The assignments to the variables that change.
    fn updates(self) -> impl Iterator<Item = String> {
        let Self { name, values, .. } = self;
        (1..).zip(values).filter_map(move |(place, value)| {
            let own = format!("{name}_{place}");
            (value != own).then(|| format!("({own}'={value})"))
        })
    }
}
