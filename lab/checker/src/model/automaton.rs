//! Tables of reactions: the effects of each input in each local state, computed once.
//!
//! A reaction of a process depends on its own state and on its input, and on nothing else. A state
//! space of millions of configurations has some hundreds of local states; each reaction is computed
//! when it is first needed, and looked up from then on.

use crate::model::processes::{
    AnyMessage, Interned, LocalInput, LocalViolation, Observation, Processes, RawReaction,
};
use rustc_hash::FxHashMap;
use std::{any::Any, ops::Range};
use suffrage_model::{Facts, Kind, Process, Stage, Timing};

/// The effect of an input: one of several if the process makes random choices.
#[derive(Clone, Debug)]
pub(crate) struct LocalEffect {
    pub input: LocalInput,
    /// The local state after the input.
    pub to: u32,
    sends: Range<u32>,
    /// The number of ticks for which an alarm was set, if one was.
    pub alarm: Option<u32>,
    /// The property that the reaction violates, if any.
    pub fault: Option<LocalViolation>,
    /// The results of the random choices.
    pub coins: Box<[u32]>,
    /// The probability of these results.
    pub probability: f64,
}

/// The local states, messages and reactions that have occurred.
pub(crate) struct Automaton {
    processes: Box<dyn Processes>,
    reactions: FxHashMap<(u32, LocalInput), u32>,
    /// For each reaction, the local state before it and the range of its effects.
    table: Vec<(u32, Range<u32>)>,
    effects: Vec<LocalEffect>,
    sends: Vec<(u16, u32)>,
    views: Vec<Observation>,
    /// Whether some random choice has had more than one result.
    draws: bool,
}

impl Automaton {
    pub(crate) fn of<P: Process>() -> Self {
        Self {
            processes: Box::new(Interned::<P>::default()),
            reactions: FxHashMap::default(),
            table: Vec::new(),
            effects: Vec::new(),
            sends: Vec::new(),
            views: Vec::new(),
            draws: false,
        }
    }

    /// Returns the local states and messages, as values.
    ///
    /// # Panics
    /// If it is the automaton of another algorithm.
    pub(crate) fn values<P: Process>(&self) -> &Interned<P> {
        let processes: &dyn Any = &*self.processes;
        processes.downcast_ref().expect("an automaton of this algorithm")
    }

    /// Observes the local states that are new.
    fn look(&mut self) {
        for local in self.views.len()..self.processes.locals() {
            self.views.push(self.processes.observe(local as u32));
        }
    }

    pub(crate) fn fresh(&mut self, facts: &Facts, degree: u32) -> u32 {
        let local = self.processes.fresh(facts, degree);
        self.look();
        local
    }

    pub(crate) fn view(&self, local: u32) -> &Observation {
        &self.views[local as usize]
    }

    pub(crate) fn message(&self, number: u32) -> AnyMessage {
        self.processes.message(number)
    }

    pub(crate) fn text(&self, local: u32) -> String {
        self.processes.text(local)
    }

    pub(crate) fn message_text(&self, number: u32) -> String {
        self.processes.message_text(number)
    }

    pub(crate) fn number(&mut self, message: &AnyMessage) -> u32 {
        self.processes.number(message)
    }

    pub(crate) fn locals(&self) -> usize {
        self.views.len()
    }

    pub(crate) fn effects(&self) -> usize {
        self.effects.len()
    }

    pub(crate) fn effect(&self, number: u32) -> &LocalEffect {
        &self.effects[number as usize]
    }

    pub(crate) fn draws(&self) -> bool {
        self.draws
    }

    pub(crate) fn probabilities(&self) -> Vec<(f64, bool)> {
        let mut all: Vec<_> =
            self.effects.iter().map(|effect| (effect.probability, false)).collect();
        self.table.iter().for_each(|(_, effects)| all[effects.end as usize - 1].1 = true);
        all
    }

    pub(crate) fn sends(&self, effect: &LocalEffect) -> &[(u16, u32)] {
        &self.sends[effect.sends.start as usize..effect.sends.end as usize]
    }

    pub(crate) fn reaction(&self, number: u32) -> (u32, Range<u32>) {
        self.table[number as usize].clone()
    }

    pub(crate) fn ignores(&mut self, local: u32, input: LocalInput) -> bool {
        self.quiet(local, input) == Some(local) && self.view(local).stage == Stage::Running
    }

    pub(crate) fn only(&mut self, local: u32, input: LocalInput) -> Option<u32> {
        let reaction = self.react(local, input);
        let (_, effects) = self.reaction(reaction);
        let first = effects.start;
        (effects.len() == 1 && self.effect(first).fault.is_none()).then_some(first)
    }

    /// Returns the local state after an input, if its effect is the only one, violates no property
    /// and sends nothing.
    pub(crate) fn quiet(&mut self, local: u32, input: LocalInput) -> Option<u32> {
        let effect = self.only(local, input)?;
        let effect = self.effect(effect);
        effect.sends.is_empty().then_some(effect.to)
    }

    pub(crate) fn react(&mut self, local: u32, input: LocalInput) -> u32 {
        match self.reactions.get(&(local, input)) {
            Some(&reaction) => reaction,
            None => self.find_out(local, input),
        }
    }

    #[cold]
    fn find_out(&mut self, local: u32, input: LocalInput) -> u32 {
        let first = self.effects.len() as u32;
        // All results of the random choices, the last choice varying fastest.
        let mut coins: Vec<(u32, u32)> = Vec::new();
        loop {
            self.perform(local, input, &mut coins, &mut |_| 0);
            while coins.last().is_some_and(|&(coin, max)| coin == max) {
                coins.pop();
            }
            let Some((coin, _)) = coins.last_mut() else { break };
            *coin += 1;
        }
        let number = self.table.len() as u32;
        self.table.push((local, first..self.effects.len() as u32));
        self.reactions.insert((local, input), number);
        number
    }

    /// Returns the effect of an input whose random choices are drawn: `draw` returns a number from 0 to the given one.
    /// Tables have no reaction that draws, since its results may be too many.
    pub(crate) fn react_by_lot(
        &mut self,
        local: u32,
        input: LocalInput,
        draw: &mut dyn FnMut(u32) -> u32,
    ) -> u32 {
        if let Some(&reaction) = self.reactions.get(&(local, input)) {
            let (_, effects) = self.reaction(reaction);
            if effects.len() == 1 {
                return effects.start;
            }
        }
        let (first, mut coins) = (self.effects.len() as u32, Vec::new());
        self.perform(local, input, &mut coins, draw);
        if coins.iter().all(|&(_, max)| max == 0) {
            self.reactions.insert((local, input), self.table.len() as u32);
            self.table.push((local, first..first + 1));
        }
        first
    }

    fn perform(
        &mut self,
        from: u32,
        input: LocalInput,
        coins: &mut Vec<(u32, u32)>,
        draw: &mut dyn FnMut(u32) -> u32,
    ) {
        let first = self.sends.len() as u32;
        let RawReaction { to, alarm, fault } =
            self.processes.react(from, input, (coins, draw), &mut self.sends);
        self.look();
        let probability = coins.iter().map(|&(_, max)| 1.0 / (f64::from(max) + 1.0)).product();
        self.draws |= coins.iter().any(|&(_, max)| max > 0);
        let coins = coins.iter().map(|&(coin, _)| coin).collect();
        let sends = first..self.sends.len() as u32;
        self.effects.push(LocalEffect { input, to, sends, alarm, fault, coins, probability });
    }

    pub(crate) fn timing(&self) -> Timing {
        self.processes.timing()
    }

    pub(crate) fn asks_for_diameter(&self) -> bool {
        self.processes.asks_for_diameter()
    }

    pub(crate) fn kinds(&self) -> &'static [Kind] {
        self.processes.kinds()
    }

    pub(crate) fn kind(&self, message: u32) -> usize {
        self.processes.kind(message)
    }
}
