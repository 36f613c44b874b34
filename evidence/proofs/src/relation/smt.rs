//! The conditions of a system as SMT-LIB, with their quantifiers, for other solvers: what a symbol is after an action
//! is defined there, and not put in its place.

use super::{
    Becomes, GuardedAction, NamedClaim, Number, Relation, Scope, SystemFormula, SystemTerm, Update,
};
use crate::smt::Script;
use std::fmt::Write;

/// Writes conditions that have something in common.
pub(crate) struct ConditionWriter<'r> {
    relation: &'r Relation,
    action: Option<&'r GuardedAction>,
    about: String,
    text: String,
    checks: Vec<(String, bool)>,
}

/// The names of variables, and whether symbols are those after the action.
struct VariableNames<'n> {
    of: &'n dyn Fn(Number) -> String,
    after: bool,
}

impl<'r> ConditionWriter<'r> {
    /// Begins with what is assumed; where there is an action, it happens.
    pub(crate) fn new<'c>(
        relation: &'r Relation,
        about: &str,
        assumed: impl IntoIterator<Item = &'c NamedClaim>,
        action: Option<&'r GuardedAction>,
    ) -> Self {
        let (about, text, checks) = (about.to_owned(), String::new(), Vec::new());
        let mut script = Self { relation, action, about, text, checks };
        script.declare();
        for claim in assumed {
            let _ = writeln!(script.text, "; {}", claim.name);
            let all: Vec<Number> = (0..claim.variables.len()).collect();
            let free = script.free(&claim.formula, &all);
            let names = VariableNames { of: &|number| format!("v{number}"), after: false };
            let formula = script.formula(&claim.formula, &claim.variables, &names);
            let formula = script.bound("forall", &free, &claim.variables, &names, &formula);
            let _ = writeln!(script.text, "(assert {formula})");
        }
        if let Some(action) = action {
            script.happens(action);
        }
        script
    }

    fn declare(&mut self) {
        self.text += "(set-logic UF)\n";
        for sort in &self.relation.sorts {
            let s = &sort.name;
            let _ = writeln!(self.text, "(declare-sort {s} 0)");
            if sort.is_ordered {
                let _ = write!(
                    self.text,
                    "(declare-fun less-{s} ({s} {s}) Bool)\n(declare-const least-{s} {s})\n\
                     (assert (forall ((x {s})) (not (less-{s} x x))))\n\
                     (assert (forall ((x {s}) (y {s}) (z {s}))\n  \
                     (=> (and (less-{s} x y) (less-{s} y z)) (less-{s} x z))))\n\
                     (assert (forall ((x {s}) (y {s})) (or (less-{s} x y) (= x y) (less-{s} y x))))\n\
                     (assert (forall ((x {s})) (not (less-{s} x least-{s}))))\n"
                );
            }
        }
        for symbol in &self.relation.symbols {
            let of: Vec<&str> =
                symbol.of.iter().map(|&sort| &*self.relation.sorts[sort].name).collect();
            let value = symbol.value.map_or("Bool", |sort| &*self.relation.sorts[sort].name);
            let _ = writeln!(self.text, "(declare-fun {} ({}) {value})", symbol.name, of.join(" "));
        }
    }

    fn happens(&mut self, action: &GuardedAction) {
        for (number, &(_, sort)) in action.variables[..action.parameters].iter().enumerate() {
            let sort = &self.relation.sorts[sort].name;
            let _ = writeln!(self.text, "(declare-const a{number} {sort})");
        }
        let names = VariableNames { of: &|number| self.of_action(action, number), after: false };
        let guard = self.formula(&action.guard, &action.variables, &names);
        let _ = writeln!(self.text, "(assert {guard})");
        for number in 0..self.relation.symbols.len() {
            let updates: Vec<&Update> =
                action.updates.iter().filter(|update| update.symbol == number).collect();
            if !updates.is_empty() {
                self.changes(action, number, &updates);
            }
        }
    }

    fn of_action(&self, action: &GuardedAction, number: Number) -> String {
        let kind = if number < action.parameters { "a" } else { "v" };
        format!("{kind}{number}")
    }

    /// Defines a symbol after the action.
    fn changes(&mut self, action: &GuardedAction, number: Number, updates: &[&Update]) {
        let symbol = &self.relation.symbols[number];
        let sort = |sort: Number| &*self.relation.sorts[sort].name;
        let places: Vec<String> = (0..symbol.of.len()).map(|place| format!("x{place}")).collect();
        let mut is = applied(&symbol.name, &places);
        for update in updates.iter().rev() {
            // The variables of the line are the places at which they stand.
            let name = |variable: Number| {
                let at = update.at.iter().position(|term| *term == SystemTerm::Variable(variable));
                match at.filter(|_| variable >= action.parameters) {
                    Some(place) => format!("x{place}"),
                    None => self.of_action(action, variable),
                }
            };
            let names = VariableNames { of: &name, after: false };
            let mut here = vec!["true".to_owned()];
            for (place, term) in places.iter().zip(&update.at) {
                let open = matches!(term, SystemTerm::Variable(of) if *of >= action.parameters);
                if !open {
                    here.push(format!("(= {place} {})", self.term(term, &names)));
                }
            }
            let becomes = match &update.becomes {
                Becomes::Relation(of) => self.formula(of, &action.variables, &names),
                Becomes::Function(of) => self.term(of, &names),
            };
            is = format!("(ite (and {}) {becomes} {is})", here.join(" "));
        }
        let of: Vec<String> = places
            .iter()
            .zip(&symbol.of)
            .map(|(place, of)| format!("({place} {})", sort(*of)))
            .collect();
        let value = symbol.value.map_or("Bool", sort);
        let _ = writeln!(
            self.text,
            "(define-fun after.{} ({}) {value}\n  {is})",
            symbol.name,
            of.join(" ")
        );
    }

    /// Adds the check that a claim follows, of the state after the action or of the one before.
    pub(crate) fn follows(&mut self, claim: &NamedClaim, after: bool, refuted: bool) {
        self.text += "(push)\n";
        let known = match claim.at {
            Some(_) => self.action.map_or(0, |action| action.parameters),
            None => 0,
        };
        let name = |number: Number| match number < known {
            true => format!("a{number}"),
            false => format!("v{number}"),
        };
        let all: Vec<Number> = (known..claim.variables.len()).collect();
        let free = self.free(&claim.formula, &all);
        for &number in &free {
            let sort = &self.relation.sorts[claim.variables[number].1].name;
            let _ = writeln!(self.text, "(declare-const v{number} {sort})");
        }
        let names = VariableNames { of: &name, after };
        let formula = self.formula(&claim.formula, &claim.variables, &names);
        let _ = writeln!(self.text, "(assert (not {formula}))\n(check-sat)\n(pop)");
        self.checks.push((claim.name.clone(), refuted));
    }

    pub(crate) fn done(self) -> Script {
        Script::plain(self.about, self.text, self.checks)
    }

    /// Those of the variables that nothing binds.
    fn free(&self, formula: &SystemFormula, all: &[Number]) -> Vec<Number> {
        let mut bound = Vec::new();
        binds(formula, &mut bound);
        all.iter().copied().filter(|number| !bound.contains(number)).collect()
    }

    fn bound(
        &self,
        how: &str,
        of: &[Number],
        scope: &Scope,
        names: &VariableNames<'_>,
        within: &str,
    ) -> String {
        if of.is_empty() {
            return within.to_owned();
        }
        let of: Vec<String> = of
            .iter()
            .map(|&number| {
                format!("({} {})", (names.of)(number), self.relation.sorts[scope[number].1].name)
            })
            .collect();
        format!("({how} ({}) {within})", of.join(" "))
    }

    fn term(&self, term: &SystemTerm, names: &VariableNames<'_>) -> String {
        match term {
            SystemTerm::Variable(number) => (names.of)(*number),
            SystemTerm::Least(sort) => format!("least-{}", self.relation.sorts[*sort].name),
            SystemTerm::Apply(symbol, terms) => {
                let terms: Vec<String> = terms.iter().map(|term| self.term(term, names)).collect();
                applied(&self.name(*symbol, names), &terms)
            }
        }
    }

    fn name(&self, symbol: Number, names: &VariableNames<'_>) -> String {
        let changes = |action: &GuardedAction| action.updates.iter().any(|of| of.symbol == symbol);
        let prefix = if names.after && self.action.is_some_and(changes) { "after." } else { "" };
        format!("{prefix}{}", self.relation.symbols[symbol].name)
    }

    fn formula(&self, formula: &SystemFormula, scope: &Scope, names: &VariableNames<'_>) -> String {
        let each = |parts: &[SystemFormula], sign: &str, empty: &str| match parts {
            [] => empty.to_owned(),
            parts => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.formula(part, scope, names)).collect();
                format!("({sign} {})", parts.join(" "))
            }
        };
        match formula {
            SystemFormula::Is(symbol, terms) => {
                self.term(&SystemTerm::Apply(*symbol, terms.clone()), names)
            }
            SystemFormula::Same(one, other) => {
                format!("(= {} {})", self.term(one, names), self.term(other, names))
            }
            SystemFormula::Less(one, other) => {
                // Both are of one sort, which a variable, a function or the sign 0 tells.
                let sort = &self.relation.sorts[self.relation.sort_of(one, scope)].name;
                format!("(less-{sort} {} {})", self.term(one, names), self.term(other, names))
            }
            SystemFormula::Not(of) => format!("(not {})", self.formula(of, scope, names)),
            SystemFormula::All(parts) => each(parts, "and", "true"),
            SystemFormula::Any(parts) => each(parts, "or", "false"),
            SystemFormula::Every(of, part) => {
                self.bound("forall", of, scope, names, &self.formula(part, scope, names))
            }
            SystemFormula::Some(of, part) => {
                self.bound("exists", of, scope, names, &self.formula(part, scope, names))
            }
        }
    }
}

fn applied(symbol: &str, terms: &[String]) -> String {
    if terms.is_empty() { symbol.to_owned() } else { format!("({symbol} {})", terms.join(" ")) }
}

fn binds(formula: &SystemFormula, bound: &mut Vec<Number>) {
    match formula {
        SystemFormula::Every(of, part) | SystemFormula::Some(of, part) => {
            bound.extend(of);
            binds(part, bound);
        }
        SystemFormula::Not(of) => binds(of, bound),
        SystemFormula::All(parts) | SystemFormula::Any(parts) => {
            parts.iter().for_each(|part| binds(part, bound));
        }
        SystemFormula::Is(..) | SystemFormula::Same(..) | SystemFormula::Less(..) => {}
    }
}
