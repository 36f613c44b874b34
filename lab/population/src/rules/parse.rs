//! Parses rules.

use super::{Rules, StateAmount};
use crate::{
    protocols::Margin,
    transitions::{CERTAIN, MOST_STATES, MeetingOutcome, StateNumbers, Transitions},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};
use suffrage_numbers::parse_count;
use thiserror::Error;

/// An error in a file of rules: its description, its place, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{what}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct RulesError {
    /// The line, from 1.
    pub line: Option<usize>,
    /// The error.
    pub what: String,
}

impl RulesError {
    pub(super) fn of(what: impl Into<String>) -> Self {
        Self { line: None, what: what.into() }
    }
}

/// Rules that are being read.
#[derive(Default)]
struct RulesReader {
    states: StateNumbers<String>,
    inputs: BTreeMap<String, u32>,
    /// The outputs of states, and their lines.
    outputs: BTreeMap<u32, (String, usize)>,
    /// The counts by name, until all inputs are known; and their lines.
    counted: Vec<(String, StateAmount, usize)>,
    /// The transitions of pairs, and their lines.
    next: BTreeMap<(u32, u32), (Vec<MeetingOutcome>, usize)>,
}

impl FromStr for Rules {
    type Err = RulesError;

    /// Parses rules in the format that the [module](super) describes.
    fn from_str(text: &str) -> Result<Self, RulesError> {
        let mut reader = RulesReader::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start_matches('\u{FEFF}');
            let line = line.split_once('#').map_or(line, |(line, _)| line).trim();
            if !line.is_empty() {
                let failed = |what| RulesError { line: Some(number), what };
                reader.line(line, number).map_err(failed)?;
            }
        }
        reader.finish()
    }
}

impl RulesReader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), String> {
        if let Some((before, after)) = line.split_once("->") {
            let before = pair(before, ',')?;
            let after = results(after, |text| pair(text, ','))?;
            return self.transition(&before, &after, number);
        }
        if let Some((before, after)) = line.split_once(">>") {
            let (a, b) = reaction(before)?;
            let after = results(after, reaction)?;
            self.transition(&(a.clone(), b.clone()), &after, number)?;
            if a != b {
                let turned = after.into_iter().map(|((c, d), weight)| ((d, c), weight));
                self.transition(&(b, a), &turned.collect::<Vec<_>>(), number)?;
            }
            return Ok(());
        }
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["init", what, amount] => {
                let amount = self::amount(amount)?;
                if self.counted.iter().any(|(other, ..)| other == what) {
                    return Err(format!("`init {what}` is there already"));
                }
                self.counted.push((name(what)?, amount, number));
                Ok(())
            }
            ["input", symbol, state] => {
                let state = self.state(state)?;
                match self.inputs.insert(name(symbol)?, state) {
                    Some(_) => Err(format!("the input `{symbol}` has a state already")),
                    None => Ok(()),
                }
            }
            ["output", state, symbol] => {
                let place = self.state(state)?;
                match self.outputs.insert(place, (name(symbol)?, number)) {
                    Some(_) => Err(format!("the state `{state}` has an output already")),
                    None => Ok(()),
                }
            }
            _ => Err(format!(
                "`{line}` is no statement; write a transition `A, B -> C, D`, a reaction \
                 `A + B >> C + D`, a random one `A + B >> C + D 50% | 2*B 10%`, \
                 `init STATE NUMBER`, `init STATE 60%`, `input SYMBOL STATE` or `output STATE SYMBOL`"
            )),
        }
    }

    fn state(&mut self, text: &str) -> Result<u32, String> {
        let text = name(text)?;
        match self.states.number(text.clone()) {
            number if (number as usize) < MOST_STATES => Ok(number),
            _ => Err(format!("`{text}` is one state more than {MOST_STATES}")),
        }
    }

    fn transition(
        &mut self,
        (a, b): &Names,
        after: &[(Names, u64)],
        line: usize,
    ) -> Result<(), String> {
        let before = (self.state(a)?, self.state(b)?);
        let mut outcomes: Vec<MeetingOutcome> = Vec::new();
        let mut add = |after, weight| match outcomes.iter_mut().find(|known| known.after == after) {
            Some(known) => known.weight += weight,
            None if weight > 0 => outcomes.push(MeetingOutcome { after, weight }),
            None => {}
        };
        let mut left = CERTAIN;
        for ((c, d), weight) in after {
            add((self.state(c)?, self.state(d)?), *weight);
            left = left.checked_sub(*weight).ok_or("the probabilities sum to more than 100 %")?;
        }
        add(before, left);
        let after = outcomes;
        match self.next.insert(before, (after.clone(), line)) {
            Some((other, first)) if other != after => Err(format!(
                "line {first} already defines the result of initiator {a} and responder {b}"
            )),
            _ => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Rules, RulesError> {
        let mut initial = Vec::new();
        let mut shares = None;
        for (what, amount, line) in std::mem::take(&mut self.counted) {
            let failed = |what| RulesError { line: Some(line), what };
            let state = match self.inputs.get(&what) {
                Some(&state) => state,
                None if self.inputs.is_empty() => self.state(&what).map_err(failed)?,
                None => {
                    let known = self.inputs.keys().cloned().collect::<Vec<_>>().join(", ");
                    return Err(failed(format!(
                        "there is no input `{what}`; the inputs are {known}"
                    )));
                }
            };
            if let StateAmount::Share(share) = amount {
                *shares.get_or_insert(0) += share;
            }
            initial.push((state, amount));
        }
        if initial.is_empty() {
            return Err(RulesError::of(
                "no agents: say how many begin in which state, as in `init A 60%` or `init A 100`",
            ));
        }
        if let Some(shares) = shares.filter(|&shares| shares != CERTAIN) {
            let percent = shares as f64 / 1e6;
            return Err(RulesError::of(format!("the shares sum to {percent} %, and not to 100 %")));
        }
        self.check_outputs(&initial)?;
        let names = self.states.states();
        let states = names.len() as u32;
        let mut next = Transitions::of(names.len());
        for pair in (0..states).flat_map(|i| (0..states).map(move |j| (i, j))) {
            match self.next.get(&pair) {
                Some((outcomes, _)) => next.push(outcomes),
                None => next.push(&[MeetingOutcome::certain(pair)]),
            }
        }
        let outputs = (0..).zip(names).map(|(number, state)| {
            self.outputs.get(&number).map_or(state, |(symbol, _)| symbol).clone()
        });
        Ok(Rules { outputs: outputs.collect(), next, states: names.to_vec(), initial })
    }

    /// Refuses the output of a state in which no agent can be: its name is another one's, written wrongly.
    fn check_outputs(&self, initial: &[(u32, StateAmount)]) -> Result<(), RulesError> {
        let meetings = self.next.iter().flat_map(|(&before, (outcomes, _))| {
            outcomes.iter().map(|outcome| outcome.after).chain([before])
        });
        let used: BTreeSet<u32> = meetings
            .flat_map(|(a, b)| [a, b])
            .chain(self.inputs.values().copied())
            .chain(initial.iter().map(|&(state, _)| state))
            .collect();
        let names = self.states.states();
        match self.outputs.iter().find(|(state, _)| !used.contains(state)) {
            None => Ok(()),
            Some((&state, (_, line))) => {
                let known: Vec<&str> =
                    used.iter().map(|&state| names[state as usize].as_str()).collect();
                let (state, known) = (&names[state as usize], known.join(", "));
                let what = format!("there is no state `{state}`; the states are {known}");
                Err(RulesError { line: Some(*line), what })
            }
        }
    }
}

fn special(c: char) -> bool {
    c.is_whitespace() || c.is_control() || ",+*%#>|".contains(c)
}

fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the name of a state is missing".to_owned());
    }
    let found: BTreeSet<char> = text.chars().filter(|&c| special(c)).collect();
    match found.first() {
        None => Ok(text.to_owned()),
        Some(c) if c.is_whitespace() => Err(format!("`{text}` is more than one name")),
        Some(c) => Err(format!(
            "`{}` is no name: a name has no `{}`",
            text.escape_debug(),
            c.escape_debug()
        )),
    }
}

/// The names of two states.
type Names = (String, String);

/// Parses the results of a meeting: one, or several with their probabilities.
fn results(
    text: &str,
    of: impl Fn(&str) -> Result<Names, String>,
) -> Result<Vec<(Names, u64)>, String> {
    let one = |text: &str| {
        let text = text.trim();
        let last = text.rsplit_once(char::is_whitespace);
        match last.and_then(|(names, last)| Some((names, last.strip_suffix('%')?))) {
            Some((names, share)) => match percent(share) {
                Some(weight @ 1..=CERTAIN) => Ok((of(names)?, weight)),
                _ => Err(format!(
                    "`{share}%` is no probability; write one above 0% and up to 100%, with at most \
                     six decimal places"
                )),
            },
            None => Ok((of(text)?, CERTAIN)),
        }
    };
    text.split('|').map(one).collect()
}

/// Parses the number of a percentage, in millionths of a per cent.
fn percent(text: &str) -> Option<u64> {
    // A margin is a decimal number of six places, too.
    text.parse().ok().map(Margin::millionths)
}

fn pair(text: &str, separator: char) -> Result<Names, String> {
    match text.split(separator).collect::<Vec<_>>()[..] {
        [a, b] => Ok((name(a)?, name(b)?)),
        _ => Err(format!(
            "`{}` is not two agents; write two names with `{separator}` between them",
            text.trim()
        )),
    }
}

/// Parses one side of a reaction: `A + B`, or `2*A`.
fn reaction(text: &str) -> Result<Names, String> {
    match text.trim().strip_prefix("2*") {
        Some(both) => {
            let both = name(both)?;
            Ok((both.clone(), both))
        }
        None => pair(text, '+'),
    }
}

fn amount(text: &str) -> Result<StateAmount, String> {
    let wrong = || format!("`{text}` is no number of agents; write 1000, 1e6 or 60%");
    if let Some(share) = text.strip_suffix('%') {
        return match percent(share).ok_or_else(wrong)? {
            share @ ..=CERTAIN => Ok(StateAmount::Share(share)),
            _ => Err(format!("`{text}` is more than 100%")),
        };
    }
    parse_count(text).map(StateAmount::Agents).map_err(|_| wrong())
}
