//! Finite structures, in which formulas have values.

use super::{Becomes, GuardedAction, Number, Relation, Scope, SystemFormula, SystemTerm};
use std::collections::{BTreeMap, BTreeSet};

/// A value. Those of an ordered sort are ordered as numbers, and the least one is 0.
pub type Value = u64;

/// A state of a system with finitely many values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FiniteStructure {
    /// The values of each sort, ascending.
    pub domains: Vec<Vec<Value>>,
    /// For each relation, of what it is true.
    pub facts: Vec<BTreeSet<Vec<Value>>>,
    /// For each function its values; where it has none, its value is 0.
    pub values: Vec<BTreeMap<Vec<Value>, Value>>,
}

impl FiniteStructure {
    /// Creates a structure without any fact, where every value is 0.
    #[must_use]
    pub fn new(relation: &Relation) -> Self {
        let symbols = relation.symbols.len();
        Self {
            domains: vec![Vec::new(); relation.sorts.len()],
            facts: vec![BTreeSet::new(); symbols],
            values: vec![BTreeMap::new(); symbols],
        }
    }

    /// Sets what a symbol says: the arguments and, if it is a function, the value.
    ///
    /// # Panics
    /// If the system has no symbol of this name, or one of other arguments.
    pub fn set(&mut self, relation: &Relation, name: &str, said: &[Value]) {
        let number = relation.symbol(name).unwrap_or_else(|| panic!("there is no symbol {name}"));
        let symbol = &relation.symbols[number];
        let arguments = said.len() - usize::from(symbol.value.is_some());
        assert_eq!(arguments, symbol.of.len(), "{name} has other arguments");
        if symbol.value.is_none() {
            self.facts[number].insert(said.to_vec());
        } else if said[arguments] > 0 {
            self.values[number].insert(said[..arguments].to_vec(), said[arguments]);
        }
    }

    /// Adds all values that occur, and the least ones of ordered sorts, to the domains.
    pub fn close(&mut self, relation: &Relation) {
        let mut domains: Vec<BTreeSet<Value>> =
            self.domains.iter().map(|domain| domain.iter().copied().collect()).collect();
        for (sort, domain) in relation.sorts.iter().zip(&mut domains) {
            domain.extend(sort.is_ordered.then_some(0));
        }
        for (number, symbol) in relation.symbols.iter().enumerate() {
            let values = self.values[number].keys();
            for said in self.facts[number].iter().chain(values) {
                for (&sort, &value) in symbol.of.iter().zip(said) {
                    domains[sort].insert(value);
                }
            }
            if let Some(sort) = symbol.value {
                domains[sort].extend(self.values[number].values());
            }
        }
        self.domains = domains.into_iter().map(|domain| domain.into_iter().collect()).collect();
    }

    pub(crate) fn value(&self, term: &SystemTerm, of: &[Option<Value>]) -> Option<Value> {
        match term {
            SystemTerm::Variable(number) => of[*number],
            SystemTerm::Least(_) => Some(0),
            SystemTerm::Apply(symbol, terms) => {
                let at: Option<Vec<Value>> =
                    terms.iter().map(|term| self.value(term, of)).collect();
                Some(self.values[*symbol].get(&at?).copied().unwrap_or(0))
            }
        }
    }

    /// Returns whether a formula holds, if that follows from the values of the variables that have one.
    pub(crate) fn holds(
        &self,
        formula: &SystemFormula,
        of: &mut [Option<Value>],
        scope: &Scope,
    ) -> Option<bool> {
        let mut fold = |parts: &[SystemFormula], is: bool| {
            let mut result = Some(is);
            for part in parts {
                match self.holds(part, of, scope) {
                    Some(holds) if holds == is => {}
                    None => result = None,
                    other => return other,
                }
            }
            result
        };
        match formula {
            SystemFormula::All(parts) => fold(parts, true),
            SystemFormula::Any(parts) => fold(parts, false),
            SystemFormula::Not(part) => self.holds(part, of, scope).map(|holds| !holds),
            SystemFormula::Same(one, other) => Some(self.value(one, of)? == self.value(other, of)?),
            SystemFormula::Less(one, other) => Some(self.value(one, of)? < self.value(other, of)?),
            SystemFormula::Is(symbol, terms) => {
                let at: Vec<Option<Value>> =
                    terms.iter().map(|term| self.value(term, of)).collect();
                let facts = &self.facts[*symbol];
                match at.iter().copied().collect::<Option<Vec<Value>>>() {
                    Some(at) => Some(facts.contains(&at)),
                    None => {
                        let fits = |(known, value): (&Option<Value>, &Value)| {
                            known.is_none_or(|known| known == *value)
                        };
                        let some = facts.iter().any(|fact| at.iter().zip(fact).all(fits));
                        if some { None } else { Some(false) }
                    }
                }
            }
            SystemFormula::Every(bound, part) => self.quantified(bound, part, of, scope, true),
            SystemFormula::Some(bound, part) => self.quantified(bound, part, of, scope, false),
        }
    }

    fn quantified(
        &self,
        bound: &[Number],
        part: &SystemFormula,
        of: &mut [Option<Value>],
        scope: &Scope,
        every: bool,
    ) -> Option<bool> {
        let Some((&first, rest)) = bound.split_first() else {
            return self.holds(part, of, scope);
        };
        let mut result = Some(every);
        for &value in &self.domains[scope[first].1] {
            of[first] = Some(value);
            match self.quantified(rest, part, of, scope, every) {
                Some(holds) if holds == every => {}
                None => result = None,
                other => {
                    result = other;
                    break;
                }
            }
        }
        of[first] = None;
        result
    }

    /// Finds values of the variables for which the formula holds or, if `holds` is false, does not: at most `limit`
    /// solutions. Variables that have a value keep it.
    pub(crate) fn solutions(
        &self,
        formula: &SystemFormula,
        (of, scope): (&mut [Option<Value>], &Scope),
        (free, holds): (&[Number], bool),
        (found, limit): (&mut Vec<Vec<Option<Value>>>, usize),
    ) {
        let known = self.holds(formula, of, scope);
        if found.len() >= limit || known.is_some_and(|known| known != holds) {
            return;
        }
        let open = free.iter().position(|&variable| of[variable].is_none());
        let Some(at) = open else {
            if known == Some(holds) {
                found.push(of.to_vec());
            }
            return;
        };
        let variable = free[at];
        for &value in &self.domains[scope[variable].1] {
            of[variable] = Some(value);
            self.solutions(formula, (of, scope), (&free[at + 1..], holds), (found, limit));
        }
        of[variable] = None;
    }

    /// Carries out an action with these values of its parameters.
    pub(crate) fn after(&self, action: &GuardedAction, of: &[Option<Value>]) -> Self {
        let mut after = self.clone();
        let mut of = of.to_vec();
        of.resize(action.variables.len(), None);
        for update in action.updates.iter().rev() {
            let open: Vec<Number> = update
                .at
                .iter()
                .filter_map(|term| match term {
                    SystemTerm::Variable(number) if *number >= action.parameters => Some(*number),
                    _ => None,
                })
                .collect();
            let mut change = |of: &mut [Option<Value>]| {
                let at: Vec<Value> =
                    update.at.iter().filter_map(|term| self.value(term, of)).collect();
                match &update.becomes {
                    Becomes::Relation(formula) => {
                        let facts = &mut after.facts[update.symbol];
                        if self.holds(formula, of, &action.variables) == Some(true) {
                            facts.insert(at);
                        } else {
                            facts.remove(&at);
                        }
                    }
                    Becomes::Function(term) => {
                        let values = &mut after.values[update.symbol];
                        match self.value(term, of).unwrap_or(0) {
                            0 => values.remove(&at),
                            value => values.insert(at, value),
                        };
                    }
                }
            };
            let falls =
                matches!(&update.becomes, Becomes::Relation(of) if *of == SystemFormula::FALSE);
            if falls && !open.is_empty() {
                for fact in self.facts[update.symbol].clone() {
                    let mut here = of.clone();
                    let fits = update.at.iter().zip(&fact).all(|(term, &value)| {
                        let open = matches!(term, SystemTerm::Variable(of) if open.contains(of));
                        if let (SystemTerm::Variable(number), true) = (term, open) {
                            here[*number] = Some(value);
                        }
                        open || self.value(term, &here) == Some(value)
                    });
                    if fits {
                        change(&mut here);
                    }
                }
                continue;
            }
            self.each(&open, &mut of, &action.variables, &mut change);
        }
        after
    }

    fn each(
        &self,
        open: &[Number],
        of: &mut [Option<Value>],
        scope: &Scope,
        visit: &mut impl FnMut(&mut [Option<Value>]),
    ) {
        let Some((&first, rest)) = open.split_first() else { return visit(of) };
        for &value in &self.domains[scope[first].1] {
            of[first] = Some(value);
            self.each(rest, of, scope, visit);
        }
        of[first] = None;
    }
}
