//! Steps of a program as sequences of actions.

use super::structure::{FiniteStructure, Value};
use super::{Becomes, GuardedAction, Number, Relation, Role, SystemFormula};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// The most states at which the search looks for a step.
const STATES: usize = 4000;

/// The actions of a system, without what they do to the past.
pub struct Steps<'r> {
    relation: &'r Relation,
    actions: Vec<GuardedAction>,
    /// For each action whether it only sends messages.
    sends: Vec<bool>,
}

impl<'r> Steps<'r> {
    /// Prepares the search for the actions of steps.
    #[must_use]
    pub fn new(relation: &'r Relation) -> Self {
        let mut actions = relation.actions.clone();
        for action in &mut actions {
            action.updates.retain(|update| !relation.is(update.symbol, Role::Ghost));
        }
        let sends = actions.iter().map(|action| {
            action.updates.iter().all(|update| {
                relation.is(update.symbol, Role::Message)
                    && update.becomes == Becomes::Relation(SystemFormula::TRUE)
            })
        });
        let sends = sends.collect();
        Self { relation, actions, sends }
    }

    /// Finds actions of one participant, by number, that lead from one state to another one, if messages may be lost
    /// on the way. `None` if it finds none.
    #[must_use]
    pub fn between(
        &self,
        before: &FiniteStructure,
        by: Value,
        after: &FiniteStructure,
    ) -> Option<Vec<usize>> {
        let (mut before, mut after) = (before.clone(), after.clone());
        for (one, other) in before.domains.iter_mut().zip(&mut after.domains) {
            one.extend_from_slice(other);
            one.sort_unstable();
            one.dedup();
            other.clone_from(one);
        }
        // What never changes is known of what occurs.
        for (at, symbol) in self.relation.symbols.iter().enumerate() {
            if symbol.role == Role::Fixed {
                before.facts[at].extend(after.facts[at].iter().cloned());
            }
        }
        let found = self.search(&before, by, &after, true);
        found.or_else(|| self.search(&before, by, &after, false))
    }

    /// Searches for the actions, those first that lead near the end. If it is `direct`, each changes something that is
    /// not as it is in the end.
    fn search(
        &self,
        before: &FiniteStructure,
        by: Value,
        after: &FiniteStructure,
        direct: bool,
    ) -> Option<Vec<usize>> {
        let mut queue = BinaryHeap::from([Reverse((0, 0, 0))]);
        let mut states = vec![(before.clone(), Vec::new())];
        let mut known = HashSet::from([(before.facts.clone(), before.values.clone())]);
        while let Some(Reverse((_, _, number))) = queue.pop() {
            let (mut state, mut path) = states[number].clone();
            self.send(&mut state, &mut path, by, after);
            if self.distance(&state, after) == 0 && self.has_messages(&state, after) {
                return Some(path);
            }
            if states.len() > STATES {
                return None;
            }
            for (number, action) in self.actions.iter().enumerate() {
                if self.sends[number] {
                    continue;
                }
                for of in self.instances(&state, action, by) {
                    let next = state.after(action, &of);
                    if direct && !self.changes_what_differs(&state, &next, after)
                        || !known.insert((next.facts.clone(), next.values.clone()))
                    {
                        continue;
                    }
                    let path: Vec<usize> = path.iter().copied().chain([number]).collect();
                    let away = self.distance(&next, after);
                    queue.push(Reverse((away + path.len(), away, states.len())));
                    states.push((next, path));
                }
            }
        }
        None
    }

    /// Returns whether the change from a state to the next one is of something that is not as it is in the end.
    fn changes_what_differs(
        &self,
        one: &FiniteStructure,
        next: &FiniteStructure,
        end: &FiniteStructure,
    ) -> bool {
        let symbols = self.relation.symbols.iter().enumerate();
        symbols.filter(|(_, of)| of.role == Role::State).any(|(at, _)| {
            let (values, others) = (&one.values[at], &next.values[at]);
            let mut keys = values.keys().chain(others.keys());
            let mut facts = one.facts[at].symmetric_difference(&next.facts[at]);
            facts.any(|fact| one.facts[at].contains(fact) != end.facts[at].contains(fact))
                || keys.any(|key| {
                    let was = values.get(key);
                    was != others.get(key) && was != end.values[at].get(key)
                })
        })
    }

    fn instances(
        &self,
        state: &FiniteStructure,
        action: &GuardedAction,
        by: Value,
    ) -> Vec<Vec<Option<Value>>> {
        let mut of = vec![None; action.variables.len()];
        of[0] = Some(by);
        let free: Vec<Number> = (1..action.parameters).collect();
        let mut found = Vec::new();
        let scope = (&mut *of, &action.variables);
        state.solutions(&action.guard, scope, (&free, true), (&mut found, usize::MAX));
        found
    }

    /// Sends every message that can be sent and is under way in the end, and those of the participant to itself.
    fn send(
        &self,
        state: &mut FiniteStructure,
        path: &mut Vec<usize>,
        by: Value,
        after: &FiniteStructure,
    ) {
        for (number, action) in self.actions.iter().enumerate().filter(|&(at, _)| self.sends[at]) {
            for of in self.instances(state, action, by) {
                for update in &action.updates {
                    let at = update.at.iter().map(|term| state.value(term, &of));
                    let Some(at) = at.collect::<Option<Vec<Value>>>() else { continue };
                    let wanted = after.facts[update.symbol].contains(&at) || at[..2] == [by, by];
                    if wanted && state.facts[update.symbol].insert(at) {
                        path.push(number);
                    }
                }
            }
        }
    }

    /// The number of differences, without those of messages.
    fn distance(&self, one: &FiniteStructure, other: &FiniteStructure) -> usize {
        let symbols = self.relation.symbols.iter().enumerate();
        let differences = symbols.filter(|(_, of)| of.role == Role::State).map(|(at, _)| {
            let (values, others) = (&one.values[at], &other.values[at]);
            let keys: HashSet<_> = values.keys().chain(others.keys()).collect();
            one.facts[at].symmetric_difference(&other.facts[at]).count()
                + keys.into_iter().filter(|&key| values.get(key) != others.get(key)).count()
        });
        differences.sum()
    }

    fn has_messages(&self, one: &FiniteStructure, other: &FiniteStructure) -> bool {
        let symbols = self.relation.symbols.iter().enumerate();
        let mut messages = symbols.filter(|(_, of)| of.role == Role::Message);
        messages.all(|(at, _)| other.facts[at].is_subset(&one.facts[at]))
    }

    /// Describes how two states differ, apart from messages under way.
    #[must_use]
    pub fn differences(&self, one: &FiniteStructure, other: &FiniteStructure) -> String {
        let mut words = Vec::new();
        for (at, symbol) in self.relation.symbols.iter().enumerate() {
            if matches!(symbol.role, Role::Ghost | Role::Fixed) {
                continue;
            }
            for said in other.facts[at].difference(&one.facts[at]) {
                words.push(format!("{}{said:?}", symbol.name));
            }
            for said in one.facts[at].difference(&other.facts[at]) {
                words.push(format!("!{}{said:?}", symbol.name));
            }
            let (values, others) = (&one.values[at], &other.values[at]);
            let keys: std::collections::BTreeSet<_> = values.keys().chain(others.keys()).collect();
            for key in keys.into_iter().filter(|&key| values.get(key) != others.get(key)) {
                let value = |of: Option<&Value>| of.copied().unwrap_or(0);
                let (was, is) = (value(values.get(key)), value(others.get(key)));
                words.push(format!("{}{key:?} = {is}, was {was}", symbol.name));
            }
        }
        words.join("; ")
    }
}
