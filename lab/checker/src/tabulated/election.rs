//! The tables of an election, filled by an exploration.

use super::{
    condition::Goals,
    tables::{
        TabulatedInput, TabulatedLink, TabulatedOutcome, TabulatedProcess, TabulatedReaction,
        TabulatedSetting, TabulatedState,
    },
};
use crate::{
    checkable::Checkable,
    encoding_set::EncodingSet,
    exploration::explore_while,
    instance::{Instance, InvalidInstance, Wake},
    model::{
        EnabledEvent, TransitionSystem,
        automaton::{Automaton, LocalEffect},
        configuration::GlobalState,
        processes::{LocalInput, Observation},
    },
    outcome::{CheckVerdict, Exploration, Options},
    specification::Properties,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::ControlFlow,
};
use suffrage_model::Stage;

/// The greatest number of configurations of an election that is tabulated.
const MOST: usize = 2_000_000;

/// An error: an election cannot be tabulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExported {
    /// The instance is invalid.
    #[error(transparent)]
    Invalid(#[from] InvalidInstance),
    /// Processes may wake or never wake.
    #[error("a model has initiators that all wake: choose them")]
    MayNeverWake,
    /// The language cannot say it.
    #[error(
        "PRISM has no queues, in which messages could wait for room on a full link: write the model for Spin (.pml) \
         or TLC (.tla), or leave out --capacity"
    )]
    NoQueues,
    /// It has too many configurations.
    #[error(
        "models are written of elections of up to {} million configurations: take fewer nodes or initiators", MOST / 1_000_000
    )]
    TooLarge,
    /// The caller has stopped it.
    #[error("interrupted before all reactions were tabulated: no model is written")]
    Stopped,
}

/// An election with one network and one set of initiators, as tables.
pub struct TabulatedElection {
    /// What the model is called.
    pub title: String,
    pub(super) setting: TabulatedSetting,
    pub(super) processes: Vec<TabulatedProcess>,
    /// The sending and the receiving process of each link, and the most messages that are under way on it.
    pub(super) links: Vec<TabulatedLink>,
    /// The texts of the messages.
    pub(super) messages: Vec<String>,
    pub(super) goals: Goals,
    /// The number of configurations that can be reached.
    pub configurations: u64,
    /// The number of steps between them.
    pub steps: u64,
    /// The checker's result for the same election, held to every claim.
    pub exploration: Exploration,
}

impl TabulatedElection {
    /// Tabulates an election. `go_on` is asked from time to time whether to continue, with the number of
    /// configurations so far.
    ///
    /// # Errors
    /// If the instance is invalid or too large, or has processes that may never wake.
    pub fn of(
        title: String,
        subject: &impl Checkable,
        instance: &Instance,
        go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Self, NotExported> {
        let specification = subject.specified(&[], instance.faults.is_none());
        let specification = &*specification;
        instance.check(specification.network(), specification.timing())?;
        if instance.wake == Wake::AnyTimeOrNever {
            return Err(NotExported::MayNeverWake);
        }
        let setting = TabulatedSetting::of(instance, specification.timing().in_rounds());
        let model = TransitionSystem::new(instance);
        let mut automaton = specification.automaton();
        let mut tables = Tabulation::default();
        let (configurations, steps) = tables.fill(&model, &mut automaton, go_on)?;
        let options = Options { full: true, ..Options::default() };
        let exploration = explore_while(instance, subject, &options, go_on)?;
        if matches!(exploration.verdict, CheckVerdict::Stopped) {
            return Err(NotExported::Stopped);
        }
        let (processes, messages) = tables.processes(&model, &automaton, specification);
        let ends =
            (0..model.links.len()).map(|link| (model.links.from(link), model.links.to(link)));
        let most = tables.most.iter().zip(&tables.most_kept);
        let links = ends.zip(most).map(|((from, to), (&most, &most_kept))| TabulatedLink {
            from: from.node,
            port: from.port.0,
            to: to.node,
            most,
            most_kept,
        });
        let links: Vec<_> = links.collect();
        let goals = Goals::of((&processes, &links), setting, instance, specification);
        Ok(Self {
            title,
            setting,
            processes,
            links,
            messages,
            goals,
            configurations,
            steps,
            exploration,
        })
    }

    /// Writes what the model says and what is expected of it, each line after `lead`.
    pub(super) fn write_head(&self, f: &mut fmt::Formatter<'_>, lead: &str) -> fmt::Result {
        let exploration = &self.exploration;
        writeln!(f, "{lead}{}", plain(&self.title))?;
        let how = [
            "",
            "Each process is a table of its reactions, which the algorithm's own code has computed. A state or a",
            "message is a number; comments tell what it is.",
        ];
        let said = self.setting.words();
        let found = [
            "Not said here: bounds on messages and time, and invariants.",
            "",
            "What Suffrage's own exploration of this election finds:",
        ];
        for line in how.into_iter().chain(said.iter().map(String::as_str)).chain(found) {
            writeln!(f, "{}", format!("{lead}{line}").trim_end())?;
        }
        let (configurations, steps) = (self.configurations, self.steps);
        writeln!(f, "{lead}- {configurations} configurations, {steps} steps between them")?;
        match &exploration.verdict {
            CheckVerdict::Violated(found) => {
                let violation = &found.violation;
                let (property, detail) = (violation.property, plain(&violation.detail));
                writeln!(f, "{lead}- {property} is violated: {detail}")?;
            }
            _ => writeln!(f, "{lead}- every property holds")?,
        }
        if let Some(costs) = &exploration.costs {
            let messages = costs.messages;
            writeln!(f, "{lead}- {} to {} messages", messages.min, messages.max)?;
        }
        if let Some(chances) = &exploration.chances {
            let (messages, elected) = (chances.messages, chances.elected);
            writeln!(f, "{lead}- {:.6} to {:.6} messages on average", messages.min, messages.max)?;
            writeln!(
                f,
                "{lead}- one leader with a probability of {:.6} to {:.6}",
                elected.min, elected.max
            )?;
        }
        Ok(())
    }

    /// The reactions of a process, each outcome by itself.
    pub(super) fn outcomes(
        &self,
        process: usize,
    ) -> impl Iterator<Item = (&TabulatedReaction, &TabulatedOutcome)> {
        let reactions = self.processes[process].reactions.iter();
        reactions.flat_map(|of| of.outcomes.iter().map(move |outcome| (of, outcome)))
    }

    /// Describes a reaction in words.
    pub(super) fn words(
        &self,
        process: usize,
        of: &TabulatedReaction,
        outcome: &TabulatedOutcome,
    ) -> String {
        let mut words = match of.input {
            TabulatedInput::Wake => "wakes".to_owned(),
            TabulatedInput::Alarm => "is alarmed".to_owned(),
            TabulatedInput::Crash => "crashes".to_owned(),
            TabulatedInput::Receive(link, message) => {
                format!("receives {} from {}", self.messages[message], self.links[link].from)
            }
        };
        for &(link, message) in &outcome.sends {
            words += &format!(", sends {} to {}", self.messages[message], self.links[link].to);
        }
        let state = &self.processes[process].states[outcome.to].text;
        plain(&format!("{words}: {state}"))
    }
}

/// Text that ends no comment in any of the languages.
pub(super) fn plain(text: &str) -> String {
    text.replace("*/", "* /").replace("(*", "( *").replace("*)", "* )").replace('\n', " ")
}

/// What becomes of the alarm of a process in rounds.
fn alarm_after(effect: &LocalEffect, automaton: &Automaton) -> Option<u32> {
    match automaton.view(effect.to).stage {
        Stage::Halted | Stage::Crashed => Some(0),
        Stage::Asleep | Stage::Running => {
            let rang = (effect.input == LocalInput::Alarm).then_some(0);
            effect.alarm.map(|ticks| ticks + 1).or(rang)
        }
    }
}

/// What an exploration has met.
#[derive(Default)]
struct Tabulation {
    /// The local states of each process.
    locals: Vec<BTreeSet<u32>>,
    /// The reactions of each process.
    reactions: Vec<BTreeSet<u32>>,
    most: Vec<usize>,
    most_kept: Vec<usize>,
    most_ticks: Vec<u32>,
}

impl Tabulation {
    /// Visits every configuration. Returns the numbers of configurations and of steps.
    fn fill(
        &mut self,
        model: &TransitionSystem<'_>,
        automaton: &mut Automaton,
        go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(u64, u64), NotExported> {
        self.locals = vec![BTreeSet::new(); model.nodes()];
        self.reactions = self.locals.clone();
        self.most = vec![0; model.links.len()];
        self.most_kept = self.most.clone();
        self.most_ticks = vec![0; model.nodes()];
        let mut known = EncodingSet::new();
        let mut here = model.first(automaton);
        known.insert_written(|out| here.write(out));
        let (mut steps, mut events, mut next) = (0, Vec::new(), 0);
        let mut after = here.clone();
        while next < known.len() {
            if known.len() > MOST {
                return Err(NotExported::TooLarge);
            }
            if next.is_multiple_of(1 << 12) && go_on(known.len() as u64).is_break() {
                return Err(NotExported::Stopped);
            }
            here.read(known.get(next as u32));
            next += 1;
            self.look(&here);
            model.events(&here, automaton, u128::MAX, &mut events);
            for &event in &events {
                if let EnabledEvent::React(node, input) = event {
                    let reaction = automaton.react(here.locals[usize::from(node)], input);
                    self.reactions[usize::from(node)].insert(reaction);
                }
                model.steps(event, &here, automaton, |automaton, step| {
                    steps += 1;
                    after.clone_from(&here);
                    model.apply(step, &mut after, automaton);
                    known.insert_written(|out| after.write(out));
                });
            }
        }
        Ok((known.len() as u64, steps))
    }

    fn look(&mut self, here: &GlobalState) {
        for (known, &local) in self.locals.iter_mut().zip(&here.locals) {
            known.insert(local);
        }
        for (most, queue) in self.most.iter_mut().zip(&here.queues) {
            *most = queue.len().max(*most);
        }
        let Some(round) = &here.round else { return };
        for kept in &here.outboxes {
            for sent in kept.chunk_by(|(one, _), (next, _)| one == next) {
                let most = &mut self.most_kept[usize::from(sent[0].0)];
                *most = sent.len().max(*most);
            }
        }
        for (most, alarm) in self.most_ticks.iter_mut().zip(&round.alarms) {
            *most = alarm.unwrap_or(0).max(*most);
        }
    }

    /// Returns the tables of all processes and the texts of the messages. Local states that
    /// look alike from outside have consecutive numbers.
    fn processes(
        &self,
        model: &TransitionSystem<'_>,
        automaton: &Automaton,
        specification: &dyn Properties,
    ) -> (Vec<TabulatedProcess>, Vec<String>) {
        let mut messages = BTreeMap::new();
        let mut processes = Vec::new();
        for (node, (locals, reactions)) in self.locals.iter().zip(&self.reactions).enumerate() {
            let mut order: Vec<u32> = locals.iter().copied().collect();
            order.sort_by_key(|&local| {
                let Observation { stage, status, leader, woke, alarm } = *automaton.view(local);
                (stage, status as u8, leader, woke, alarm, local)
            });
            let numbers: BTreeMap<u32, usize> = order.iter().copied().zip(0..).collect();
            let mut said = |message: u32| {
                let number = messages.len();
                *messages.entry(message).or_insert(number)
            };
            let mut rows: Vec<_> = reactions
                .iter()
                .map(|&reaction| {
                    let (from, effects) = automaton.reaction(reaction);
                    let input = match automaton.effect(effects.start).input {
                        LocalInput::Deliver(port, message) => {
                            let link = model.links.entering(node, port.into());
                            TabulatedInput::Receive(link, said(message))
                        }
                        LocalInput::Alarm => TabulatedInput::Alarm,
                        LocalInput::Wake => TabulatedInput::Wake,
                        LocalInput::Crash => TabulatedInput::Crash,
                    };
                    let outcome = |effect| {
                        let effect = automaton.effect(effect);
                        let sends = automaton.sends(effect).iter().map(|&(port, message)| {
                            (model.links.leaving(node, port.into()), said(message))
                        });
                        let violated = |fault| specification.violated_by(fault, node as u16);
                        TabulatedOutcome {
                            to: numbers[&effect.to],
                            sends: sends.collect(),
                            alarm: alarm_after(effect, automaton),
                            violation: effect.fault.and_then(violated).map(|found| found.detail),
                            one_of: (1.0 / effect.probability).round() as u64,
                        }
                    };
                    let outcomes = effects.map(outcome).collect();
                    TabulatedReaction { from: numbers[&from], input, outcomes }
                })
                .collect();
            rows.sort_by_key(|row| (row.from, row.input));
            let states = order.iter().map(|&local| TabulatedState {
                text: automaton.text(local),
                view: *automaton.view(local),
            });
            let most_ticks = self.most_ticks[node];
            let states = states.collect();
            processes.push(TabulatedProcess { states, reactions: rows, most_ticks });
        }
        let mut texts = vec![String::new(); messages.len()];
        messages.iter().for_each(|(&of, &at)| texts[at] = automaton.message_text(of));
        (processes, texts)
    }
}
