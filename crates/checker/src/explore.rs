//! The exploration of one instance: every configuration, or as many as are enough.

use crate::{
    alone,
    automaton::{Automaton, Misdeed},
    burst::Bursts,
    configuration::Configuration,
    model::{Event, Model, Step},
    property::{Broken, Promises},
    reduction::{Choice, EVERYONE, Habits},
    space::Space,
};
use std::ops::ControlFlow;
use suffrage_algorithms::Property;
use suffrage_process::Process;

/// Room for explorations, used again from one to the next, and the reactions met in all of them.
pub(crate) struct Explorer<P: Process> {
    pub automaton: Automaton<P>,
    pub space: Space,
    habits: Habits,
    /// What was explored of each configuration.
    pub choices: Vec<Choice>,
    bursts: Bursts,
    events: Vec<Event>,
    written: Vec<u8>,
    pub here: Configuration,
    steps: Vec<Step>,
}

/// How an exploration has ended.
#[derive(Debug)]
pub(crate) enum End {
    /// There is nothing more.
    Complete,
    /// A property does not hold: at this configuration, or on the last step to it.
    Broken(Violation),
    /// There is no more memory.
    Full,
    /// It was asked to stop.
    Stopped,
}

/// Where a property does not hold.
#[derive(Debug)]
pub(crate) struct Violation {
    pub broken: Broken,
    /// The configuration, and a last step from it that breaks the property, if it is a step.
    pub at: u32,
    pub last: Option<Step>,
}

/// How much is to be explored, and by whom it is watched.
pub(crate) struct Conduct<'w> {
    /// Explore every configuration.
    pub full: bool,
    /// The most bytes to take.
    pub memory: u64,
    /// Is told now and then how many configurations there are, and may stop it.
    pub pulse: &'w mut dyn FnMut(u64) -> ControlFlow<()>,
}

/// How many configurations are explored between two pulses.
const PULSE: u32 = 1 << 13;

impl<P: Process> Default for Explorer<P> {
    fn default() -> Self {
        Self {
            automaton: Automaton::default(),
            space: Space::new(),
            habits: Habits::default(),
            choices: Vec::new(),
            bursts: Bursts::default(),
            events: Vec::new(),
            written: Vec::new(),
            here: Configuration::default(),
            steps: Vec::new(),
        }
    }
}

impl<P: Process> Explorer<P> {
    /// Explores an instance, in the order of distance from its beginning, and stops at the first
    /// configuration or step that breaks a promise.
    pub(crate) fn explore(
        &mut self,
        model: &Model<'_>,
        promises: &Promises<'_, P>,
        conduct: &mut Conduct<'_>,
    ) -> End {
        self.space.clear();
        self.choices.clear();
        self.habits.clear();
        self.here = model.first(&mut self.automaton);
        self.written.clear();
        self.here.write(&mut self.written);
        self.space.insert(&self.written, 0);
        // Faults are counted for all processes together, so steps that use them do not commute.
        let full = conduct.full || model.instance.faults.counted() || promises.need_everything();
        // Choices of configurations before this number were made before the last news.
        let (mut next, mut lesson, mut doubtful) = (0, 64, 0);
        loop {
            while (next as usize) < self.space.len() {
                if next % PULSE == 0 {
                    if self.space.memory() > conduct.memory {
                        return End::Full;
                    }
                    if (conduct.pulse)(next.into()).is_break() {
                        return End::Stopped;
                    }
                }
                if !full && next == lesson {
                    // The more is known, the fewer choices turn out to be wrong.
                    if self.habits.conclude(&self.automaton) {
                        doubtful = next;
                    }
                    lesson *= 2;
                }
                if let Some(violation) = self.expand(next, full, true, model, promises) {
                    return End::Broken(violation);
                }
                next += 1;
            }
            if full {
                break;
            }
            if self.habits.conclude(&self.automaton) {
                doubtful = next;
            }
            let Self { space, choices, bursts, automaton, here, .. } = self;
            let Some(mistaken) = alone::mistaken(model, space, choices, bursts, automaton, here)
            else {
                return self.explore_all(model, promises, conduct);
            };
            let again = self.mistaken(model, mistaken, doubtful);
            doubtful = 0;
            if again.is_empty() {
                break;
            }
            for number in again {
                if let Some(violation) = self.expand(number, full, false, model, promises) {
                    return End::Broken(violation);
                }
            }
        }
        // Leaders of whom one steps back need not be there at the end.
        let revoked = |fault| matches!(fault, Some(Misdeed::Revoked(..)));
        if !full
            && promises.keep(Property::AtMostOneLeader)
            && self.habits.outcomes(&self.automaton).any(|outcome| revoked(outcome.fault))
        {
            return self.explore_all(model, promises, conduct);
        }
        End::Complete
    }

    /// As [`explore`](Self::explore), every configuration.
    pub(crate) fn explore_all(
        &mut self,
        model: &Model<'_>,
        promises: &Promises<'_, P>,
        conduct: &mut Conduct<'_>,
    ) -> End {
        let Conduct { memory, pulse, .. } = conduct;
        let mut all = Conduct { full: true, memory: *memory, pulse: &mut **pulse };
        self.explore(model, promises, &mut all)
    }

    /// The configurations of which, as is known now, not enough was explored.
    fn mistaken(&mut self, model: &Model<'_>, mut mistaken: Vec<u32>, doubtful: u32) -> Vec<u32> {
        for (number, choice) in (0..doubtful).zip(&self.choices) {
            let Choice::Cluster(cluster) = *choice else { continue };
            if cluster != EVERYONE {
                self.here.read(self.space.get(number));
                if !model.is_closed(cluster, &self.here, &self.habits) {
                    mistaken.push(number);
                }
            }
        }
        mistaken
    }

    /// Finds the steps of a configuration and where they lead.
    fn expand(
        &mut self,
        number: u32,
        full: bool,
        alone: bool,
        model: &Model<'_>,
        promises: &Promises<'_, P>,
    ) -> Option<Violation> {
        let Self { automaton, space, habits, choices, bursts, events, written, here, steps } = self;
        here.read(space.get(number));
        model.events(here, automaton, EVERYONE, events);
        if let Some(broken) = promises.at(here, automaton, model, events.is_empty()) {
            return Some(Violation { broken, at: number, last: None });
        }
        let choice = match full || model.begins(here, automaton) {
            true => Choice::Cluster(EVERYONE),
            false => model.choose(here, automaton, bursts, habits, alone, events),
        };
        match choices.get_mut(number as usize) {
            Some(known) => *known = choice,
            None => choices.push(choice),
        }
        match choice {
            Choice::Cluster(EVERYONE) => {}
            Choice::Cluster(cluster) => events.retain(|event| match *event {
                Event::React(node, _) => cluster >> node & 1 == 1,
                Event::Lose(_) | Event::Double(_) => true,
            }),
            Choice::Drop(event) | Choice::Ignore(event) | Choice::Absorb(event) => {
                events.splice(.., [event]).for_each(drop);
            }
        }
        steps.clear();
        for &event in &*events {
            if let Event::React(node, cause) = event {
                habits.see(automaton.react(here.locals[usize::from(node)], cause));
            }
            model.steps(event, here, automaton, |_, step| steps.push(step));
        }
        space.begin(number);
        for (place, &step) in steps.iter().enumerate() {
            if place > 0 {
                here.read(space.get(number));
            }
            model.apply(step, here, automaton);
            written.clear();
            here.write(written);
            let (to, _) = space.insert(written, number);
            space.step(number, step, to);
            if let Step::React(node, outcome) = step
                && let Some(misdeed) = automaton.outcome(outcome).fault
                && let Some(broken) = promises.broken_by(misdeed, node)
            {
                return Some(Violation { broken, at: number, last: Some(step) });
            }
        }
        None
    }
}

impl Misdeed {
    /// What a process did, in words.
    pub(crate) fn words(self, node: u16) -> String {
        match self {
            Self::Rejected(why) => {
                format!("process {node} received a message it cannot receive, because {why}")
            }
            Self::Revoked(old, new) => format!("process {node} was {old:?} and is now {new:?}"),
            Self::Late => format!("a message reached process {node}, which had halted"),
        }
    }
}
