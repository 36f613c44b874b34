//! Induction: the invariants hold at first, and after each action if they held before.
//!
//! A condition is refuted from instances of what is assumed. Which ones are needed shows by itself: a solution of those
//! that are known is a finite structure; each assumption that does not hold in it has an instance that it lacks.
//! Where none is lacking, the structure is a counterexample to induction. Each refutation has a certificate, and what
//! it refutes are instances of the assumptions and of the axioms of equality and order, and nothing else.

use super::smt::ConditionWriter;
use super::structure::{FiniteStructure, Value};
use super::{
    Becomes, GuardedAction, NamedClaim, Number, Relation, Role, Scope, SystemFormula, SystemTerm,
    Update,
};
use crate::condition::Refutation;
use crate::ground::{Clauses, GroundFormula, GroundOutcome, Solution};
use crate::proof::{Condition, Report};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// What is to be proved of a system at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Everything.
    End,
    /// Everything before the first condition that does not hold.
    Failure,
}

/// Tries to prove that the invariants hold in every state, and the goals.
#[must_use]
pub fn prove(relation: &Relation, until: Until) -> Report {
    let mut proof = SystemProof { relation, until, report: Report::default() };
    // If it ends early, the report has the failure.
    let _ = proof.run();
    proof.report
}

struct SystemProof<'r> {
    relation: &'r Relation,
    until: Until,
    report: Report,
}

/// The end of a proof that is to go no further.
struct ProofEnded;

impl SystemProof<'_> {
    fn run(&mut self) -> Result<(), ProofEnded> {
        self.initiation()?;
        for action in self.relation.actions.iter().chain(&losses(self.relation)) {
            self.consecution(action)?;
        }
        self.relation.goals.iter().try_for_each(|goal| self.goal(goal))
    }

    /// Tries to refute that a claim does not hold; returns whether it is refuted.
    fn tried(
        &mut self,
        claim: &NamedClaim,
        moment: &str,
        problem: InstanceProblem<'_>,
    ) -> Result<bool, ProofEnded> {
        let result = problem.refute();
        let is_refuted = result.is_ok();
        let (shows, moment) = (claim.name.clone(), moment.to_owned());
        self.report.conditions.push(Condition { shows, moment, result });
        if is_refuted || self.until == Until::End { Ok(is_refuted) } else { Err(ProofEnded) }
    }

    fn initiation(&mut self) -> Result<(), ProofEnded> {
        let relation = self.relation;
        let assumed = || relation.axioms.iter().chain(&relation.start);
        let mut script = ConditionWriter::new(relation, "at first", assumed(), None);
        for claim in &relation.invariants {
            let mut problem = InstanceProblem::new(relation);
            problem.assume_all(assumed());
            problem.deny_with(&claim.formula, &claim.variables, 0..0);
            let is_refuted = self.tried(claim, "at first", problem)?;
            script.follows(claim, false, is_refuted);
        }
        self.report.scripts.push(script.done());
        Ok(())
    }

    fn consecution(&mut self, action: &GuardedAction) -> Result<(), ProofEnded> {
        let relation = self.relation;
        let is_possible = before(relation, action).refute().is_err();
        let kind = match is_possible {
            true => &mut self.report.possible,
            false => &mut self.report.unreachable,
        };
        kind.push(action.name.clone());
        let moment = format!("after {}", action.name);
        let assumed = relation.axioms.iter().chain(&relation.invariants);
        let mut script = ConditionWriter::new(relation, &moment, assumed, Some(action));
        for claim in relation.invariants.iter().filter(|claim| concerns(action, claim)) {
            let mut problem = before(relation, action);
            let (formula, variables) = post(action, claim);
            let own = action.parameters..action.variables.len();
            problem.deny_with(&formula, &variables, own);
            let is_refuted = self.tried(claim, &moment, problem)?;
            script.follows(claim, true, is_refuted);
        }
        self.report.scripts.push(script.done());
        Ok(())
    }

    fn goal(&mut self, claim: &NamedClaim) -> Result<(), ProofEnded> {
        let relation = self.relation;
        let assumed = || relation.axioms.iter().chain(&relation.invariants);
        let action = claim.at.map(|action| &relation.actions[action]);
        let (mut problem, known) = match action {
            Some(action) => (before(relation, action), action.parameters),
            None => {
                let mut problem = InstanceProblem::new(relation);
                problem.assume_all(assumed());
                (problem, 0)
            }
        };
        problem.deny_with(&claim.formula, &claim.variables, known..known);
        let moment = action.map_or("always".to_owned(), |action| format!("at {}", action.name));
        let mut script = ConditionWriter::new(relation, &moment, assumed(), action);
        let is_refuted = self.tried(claim, &moment, problem)?;
        script.follows(claim, false, is_refuted);
        self.report.scripts.push(script.done());
        Ok(())
    }
}

/// Any message may be lost.
pub(crate) fn losses(relation: &Relation) -> Vec<GuardedAction> {
    let messages = relation.symbols.iter().enumerate();
    let messages = messages.filter(|(_, symbol)| symbol.role == Role::Message);
    let loss = |(symbol, of): (Number, &super::SystemSymbol)| {
        let variables: Scope = of.of.iter().map(|&sort| ("x".to_owned(), sort)).collect();
        let at: Vec<SystemTerm> = (0..variables.len()).map(SystemTerm::Variable).collect();
        let becomes = Becomes::Relation(SystemFormula::FALSE);
        GuardedAction {
            name: format!("the loss of a {}", of.name),
            says: String::new(),
            parameters: variables.len(),
            variables,
            guard: SystemFormula::Is(symbol, at.clone()),
            updates: vec![Update { symbol, at, becomes }],
        }
    };
    messages.map(loss).collect()
}

/// Returns whether the action changes a symbol of the claim.
pub(crate) fn concerns(action: &GuardedAction, claim: &NamedClaim) -> bool {
    let changes = |symbol| action.updates.iter().any(|update| update.symbol == symbol);
    claim.formula.mentions(&changes)
}

/// A state in which the invariants hold, and in which the action is possible.
fn before<'r>(relation: &'r Relation, action: &GuardedAction) -> InstanceProblem<'r> {
    let mut problem = InstanceProblem::new(relation);
    for (name, sort) in &action.variables[..action.parameters] {
        problem.constant(name, *sort);
    }
    problem.assume_all(relation.axioms.iter().chain(&relation.invariants));
    let mut places: Vec<Number> = (0..action.parameters).collect();
    let mut universal = Vec::new();
    let guard =
        problem.flatten(&action.guard, true, (&action.variables, &mut places), &mut universal);
    problem.keep(universal, guard);
    problem
}

/// What a claim says of the state after an action, said of the state before. The variables of the action come first.
pub(crate) fn post(action: &GuardedAction, claim: &NamedClaim) -> (SystemFormula, Scope) {
    let shift = action.variables.len();
    let scope = action.variables.iter().chain(&claim.variables).cloned().collect();
    (after(action, &shifted(&claim.formula, shift)), scope)
}

fn shifted(formula: &SystemFormula, by: Number) -> SystemFormula {
    let all = |parts: &[SystemFormula]| parts.iter().map(|part| shifted(part, by)).collect();
    let bound = |of: &[Number]| of.iter().map(|number| number + by).collect();
    match formula {
        SystemFormula::Not(of) => shifted(of, by).not(),
        SystemFormula::All(parts) => SystemFormula::All(all(parts)),
        SystemFormula::Any(parts) => SystemFormula::Any(all(parts)),
        SystemFormula::Every(of, part) => {
            SystemFormula::Every(bound(of), Box::new(shifted(part, by)))
        }
        SystemFormula::Some(of, part) => {
            SystemFormula::Some(bound(of), Box::new(shifted(part, by)))
        }
        atom => atom.with(&|number| Some(SystemTerm::Variable(number + by))),
    }
}

fn after(action: &GuardedAction, formula: &SystemFormula) -> SystemFormula {
    let all = |parts: &[SystemFormula]| parts.iter().map(|part| after(action, part)).collect();
    match formula {
        SystemFormula::Not(of) => after(action, of).not(),
        SystemFormula::All(parts) => SystemFormula::All(all(parts)),
        SystemFormula::Any(parts) => SystemFormula::Any(all(parts)),
        SystemFormula::Every(of, part) => {
            SystemFormula::Every(of.clone(), Box::new(after(action, part)))
        }
        SystemFormula::Some(of, part) => {
            SystemFormula::Some(of.clone(), Box::new(after(action, part)))
        }
        SystemFormula::Is(symbol, terms) => {
            cases(action, terms, |terms| relation_after(action, *symbol, terms))
        }
        SystemFormula::Same(one, other) => cases(action, &[one.clone(), other.clone()], |terms| {
            SystemFormula::Same(terms[0].clone(), terms[1].clone())
        }),
        SystemFormula::Less(one, other) => cases(action, &[one.clone(), other.clone()], |terms| {
            SystemFormula::Less(terms[0].clone(), terms[1].clone())
        }),
    }
}

/// A value after an action, and when it is that.
type ValueCase = (Vec<SystemFormula>, SystemTerm);

/// Says something of the values of terms after an action.
fn cases(
    action: &GuardedAction,
    terms: &[SystemTerm],
    say: impl Fn(&[SystemTerm]) -> SystemFormula,
) -> SystemFormula {
    let all = combined(action, terms);
    if let [(_, terms)] = &*all {
        return say(terms);
    }
    let case = |(mut when, terms): (Vec<SystemFormula>, Vec<SystemTerm>)| {
        when.push(say(&terms));
        SystemFormula::All(when)
    };
    SystemFormula::Any(all.into_iter().map(case).collect())
}

fn combined(
    action: &GuardedAction,
    terms: &[SystemTerm],
) -> Vec<(Vec<SystemFormula>, Vec<SystemTerm>)> {
    let mut all = vec![(Vec::new(), Vec::new())];
    for term in terms {
        let values = values_after(action, term);
        all = all
            .iter()
            .flat_map(|(when, before): &(Vec<SystemFormula>, Vec<SystemTerm>)| {
                values.iter().map(move |(then, value)| {
                    let terms = before.iter().chain([value]).cloned().collect();
                    (when.iter().chain(then).cloned().collect(), terms)
                })
            })
            .collect();
    }
    all
}

fn values_after(action: &GuardedAction, term: &SystemTerm) -> Vec<ValueCase> {
    let SystemTerm::Apply(symbol, terms) = term else { return vec![(Vec::new(), term.clone())] };
    let mut all = Vec::new();
    for (when, terms) in combined(action, terms) {
        let mut when = when;
        let mut settled = false;
        for update in action.updates.iter().filter(|update| update.symbol == *symbol) {
            let Becomes::Function(value) = &update.becomes else { continue };
            let (fits, places) = fit(action, update, &terms);
            let value = value.with(&|number| places.get(&number).cloned());
            let here = when.iter().cloned().chain(fits.clone()).collect();
            all.push((here, value));
            if fits.is_empty() {
                settled = true;
                break;
            }
            when.push(SystemFormula::All(fits).not());
        }
        if !settled {
            all.push((when, SystemTerm::Apply(*symbol, terms)));
        }
    }
    all
}

fn relation_after(action: &GuardedAction, symbol: Number, terms: &[SystemTerm]) -> SystemFormula {
    let mut result = SystemFormula::Is(symbol, terms.to_vec());
    for update in action.updates.iter().rev().filter(|update| update.symbol == symbol) {
        let Becomes::Relation(formula) = &update.becomes else { continue };
        let (fits, places) = fit(action, update, terms);
        let value = formula.with(&|number| places.get(&number).cloned());
        result = match fits.is_empty() {
            true => value,
            false => {
                let here = SystemFormula::All(fits);
                let there = SystemFormula::All(vec![here.clone().not(), result]);
                SystemFormula::Any(vec![SystemFormula::All(vec![here, value]), there])
            }
        };
    }
    result
}

/// When a change is one at the values of these terms, and for what its own variables stand there.
fn fit(
    action: &GuardedAction,
    update: &Update,
    terms: &[SystemTerm],
) -> (Vec<SystemFormula>, HashMap<Number, SystemTerm>) {
    let (mut fits, mut places) = (Vec::new(), HashMap::new());
    for (place, term) in update.at.iter().zip(terms) {
        match place {
            SystemTerm::Variable(number) if *number >= action.parameters => {
                places.insert(*number, term.clone());
            }
            place => fits.push(SystemFormula::Same(place.clone(), term.clone())),
        }
    }
    (fits, places)
}

/// A term without variables, by its number.
type GroundTerm = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum TermShape {
    Constant(usize),
    Least(Number),
    Apply(Number, Vec<GroundTerm>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum GroundFact {
    Is(Number, Vec<GroundTerm>),
    Same(GroundTerm, GroundTerm),
    Less(GroundTerm, GroundTerm),
}

/// What is assumed of all values of some variables: only atoms in it are negated.
struct Assumption {
    universal: Vec<Number>,
    formula: SystemFormula,
    /// Whether it speaks of values of a function into a sort without order: of further ones.
    makes: bool,
}

/// Assumptions that are to be refuted.
struct InstanceProblem<'r> {
    relation: &'r Relation,
    scope: Scope,
    /// The terms for which those variables stand that are constants.
    constants: Vec<Option<GroundTerm>>,
    assumptions: Vec<Assumption>,
    terms: Vec<(TermShape, Number)>,
    numbers: HashMap<TermShape, GroundTerm>,
    /// The number of terms that are compared to all of their sort.
    compared: usize,
    clauses: Clauses<GroundFact>,
}

/// The rounds after which a refutation is given up.
const ROUNDS: usize = 2000;

/// The instances of an assumption that are added in a round.
const INSTANCES: usize = 4;

impl<'r> InstanceProblem<'r> {
    fn new(relation: &'r Relation) -> Self {
        Self {
            relation,
            scope: Scope::new(),
            constants: Vec::new(),
            assumptions: Vec::new(),
            terms: Vec::new(),
            numbers: HashMap::new(),
            compared: 0,
            clauses: Clauses::default(),
        }
    }

    /// Adds a variable that stands for one value.
    fn constant(&mut self, name: &str, sort: Number) -> Number {
        self.scope.push((name.to_owned(), sort));
        let number = self.scope.len() - 1;
        let term = self.term(TermShape::Constant(number), sort);
        self.constants.push(Some(term));
        number
    }

    fn variable(&mut self, name: &str, sort: Number) -> Number {
        self.scope.push((name.to_owned(), sort));
        self.constants.push(None);
        self.scope.len() - 1
    }

    fn assume_all<'c>(&mut self, claims: impl IntoIterator<Item = &'c NamedClaim>) {
        for claim in claims {
            let each = claim.variables.iter();
            let mut places: Vec<Number> =
                each.map(|(name, sort)| self.variable(name, *sort)).collect();
            let mut universal = places.clone();
            let scope = (&claim.variables, &mut places);
            let formula = self.flatten(&claim.formula, true, scope, &mut universal);
            self.keep(universal, formula);
        }
    }

    /// Assumes that a formula does not hold for some values. Its first variables are the first constants; those of
    /// `unused` are no longer in it.
    fn deny_with(&mut self, formula: &SystemFormula, variables: &Scope, unused: Range<usize>) {
        let mut places: Vec<Number> = (0..unused.end).collect();
        for (name, sort) in &variables[unused.end..] {
            places.push(self.constant(name, *sort));
        }
        let mut universal = Vec::new();
        let formula = self.flatten(formula, false, (variables, &mut places), &mut universal);
        self.keep(universal, formula);
    }

    fn keep(&mut self, universal: Vec<Number>, formula: SystemFormula) {
        let (mut used, mut open) = (Vec::new(), vec![false; self.scope.len()]);
        variables(&formula, &mut |number| open[number] = true);
        used.extend(universal.into_iter().filter(|&number| open[number]));
        match formula {
            SystemFormula::All(parts) => {
                parts.into_iter().for_each(|part| self.keep(used.clone(), part));
            }
            formula => {
                let makes = |of: Number| {
                    let symbol = &self.relation.symbols[of];
                    symbol.value.is_some_and(|sort| !self.relation.sorts[sort].is_ordered)
                };
                let makes = formula.mentions(&makes);
                self.assumptions.push(Assumption { universal: used, formula, makes });
            }
        }
    }

    /// Brings a formula, or its negation, into a form in which only atoms are negated, and that has no quantifiers:
    /// what it says exists is a constant, and what it says of all values it says of further variables.
    fn flatten(
        &mut self,
        formula: &SystemFormula,
        holds: bool,
        (scope, places): (&Scope, &mut Vec<Number>),
        universal: &mut Vec<Number>,
    ) -> SystemFormula {
        match formula {
            SystemFormula::Not(of) => self.flatten(of, !holds, (scope, places), universal),
            SystemFormula::All(parts) | SystemFormula::Any(parts) => {
                let all = matches!(formula, SystemFormula::All(_)) == holds;
                let parts: Vec<SystemFormula> = parts
                    .iter()
                    .map(|part| self.flatten(part, holds, (scope, places), universal))
                    .collect();
                if all { SystemFormula::All(parts) } else { SystemFormula::Any(parts) }
            }
            SystemFormula::Every(bound, of) | SystemFormula::Some(bound, of) => {
                let every = matches!(formula, SystemFormula::Every(..)) == holds;
                // A system must not say of each of some values that something exists.
                assert!(every || universal.is_empty(), "something exists for each value");
                for &number in bound {
                    let (name, sort) = &scope[number];
                    let place = match every {
                        true => self.variable(name, *sort),
                        false => self.constant(name, *sort),
                    };
                    if every {
                        universal.push(place);
                    }
                    if places.len() <= number {
                        places.resize(number + 1, 0);
                    }
                    places[number] = place;
                }
                self.flatten(of, holds, (scope, places), universal)
            }
            atom => {
                let atom = atom.with(&|number| Some(SystemTerm::Variable(places[number])));
                if holds { atom } else { atom.not() }
            }
        }
    }

    fn term(&mut self, shape: TermShape, sort: Number) -> GroundTerm {
        if let Some(&number) = self.numbers.get(&shape) {
            return number;
        }
        self.terms.push((shape.clone(), sort));
        self.numbers.insert(shape, self.terms.len() - 1);
        self.terms.len() - 1
    }

    fn ground_term(&mut self, term: &SystemTerm, of: &[Option<GroundTerm>]) -> GroundTerm {
        match term {
            SystemTerm::Variable(number) => of[*number].expect("all variables have values"),
            SystemTerm::Least(sort) => self.term(TermShape::Least(*sort), *sort),
            SystemTerm::Apply(symbol, terms) => {
                let terms = terms.iter().map(|term| self.ground_term(term, of)).collect();
                let sort = self.relation.symbols[*symbol].value.expect("it is a function");
                self.term(TermShape::Apply(*symbol, terms), sort)
            }
        }
    }

    fn ground(
        &mut self,
        formula: &SystemFormula,
        of: &[Option<GroundTerm>],
        holds: bool,
    ) -> GroundFormula<GroundFact> {
        match formula {
            SystemFormula::Not(part) => self.ground(part, of, !holds),
            SystemFormula::All(parts) | SystemFormula::Any(parts) => {
                let all = matches!(formula, SystemFormula::All(_)) == holds;
                let parts = parts.iter().map(|part| self.ground(part, of, holds)).collect();
                if all { GroundFormula::All(parts) } else { GroundFormula::Any(parts) }
            }
            SystemFormula::Is(symbol, terms) => {
                let terms = terms.iter().map(|term| self.ground_term(term, of)).collect();
                GroundFormula::Is(GroundFact::Is(*symbol, terms), holds)
            }
            SystemFormula::Same(one, other) => {
                let (one, other) = (self.ground_term(one, of), self.ground_term(other, of));
                match one == other {
                    true if holds => GroundFormula::TRUE,
                    true => GroundFormula::FALSE,
                    false => {
                        GroundFormula::Is(GroundFact::Same(one.min(other), one.max(other)), holds)
                    }
                }
            }
            SystemFormula::Less(one, other) => {
                let (one, other) = (self.ground_term(one, of), self.ground_term(other, of));
                match one == other {
                    true if holds => GroundFormula::FALSE,
                    true => GroundFormula::TRUE,
                    false => GroundFormula::Is(GroundFact::Less(one, other), holds),
                }
            }
            SystemFormula::Every(..) | SystemFormula::Some(..) => {
                unreachable!("quantifiers are gone")
            }
        }
    }

    /// Compares each new term to all of its sort: one is smaller, or they are the same.
    fn compare(&mut self) {
        for one in self.compared..self.terms.len() {
            let sort = self.terms[one].1;
            let is_ordered = self.relation.sorts[sort].is_ordered;
            for other in (0..one).filter(|&other| self.terms[other].1 == sort) {
                let same = self.clauses.atom(&GroundFact::Same(other, one));
                if !is_ordered {
                    continue;
                }
                let less = self.clauses.atom(&GroundFact::Less(other, one));
                let more = self.clauses.atom(&GroundFact::Less(one, other));
                self.clauses.clause(vec![same, less, more]);
                for (one, other) in [(same, less), (same, more), (less, more)] {
                    self.clauses.clause(vec![-one, -other]);
                }
            }
        }
        self.compared = self.terms.len();
        for sort in 0..self.relation.sorts.len() {
            let Some(&least) = self.numbers.get(&TermShape::Least(sort)) else { continue };
            for other in (0..self.terms.len()).filter(|&of| of != least && self.terms[of].1 == sort)
            {
                let less = self.clauses.atom(&GroundFact::Less(other, least));
                self.clauses.clause(vec![-less]);
            }
        }
    }

    /// Tries to refute the assumptions: `Err` is a structure in which they hold, in words.
    fn refute(mut self) -> Result<Refutation, String> {
        for (number, sort) in self.relation.sorts.iter().enumerate() {
            if sort.is_ordered {
                self.term(TermShape::Least(number), number);
            } else if !self.terms.iter().any(|term| term.1 == number) {
                self.constant("some", number);
            }
        }
        let assumptions = std::mem::take(&mut self.assumptions);
        let constants = self.constants.clone();
        for assumption in assumptions.iter().filter(|of| of.universal.is_empty()) {
            let ground = self.ground(&assumption.formula, &constants, true);
            self.clauses.add(&ground);
        }
        for _ in 0..ROUNDS {
            self.compare();
            // The conditions of a relation are given to other solvers with all that is known.
            let solution = match self.clauses.solve(|_| BTreeSet::new()) {
                GroundOutcome::Refuted(refutation) => return Ok(refutation),
                GroundOutcome::Uncertified(unproved) => return Err(unproved.to_string()),
                GroundOutcome::Solved(solution) => solution,
            };
            let Some(model) = self.model(&solution) else { continue };
            let mut of = vec![None; self.scope.len()];
            for (place, constant) in of.iter_mut().zip(&self.constants) {
                *place = constant.map(|term| model.class[term]);
            }
            // What names further values comes last, and one at a time.
            let mut lacking = Vec::new();
            for (makes, limit) in [(false, INSTANCES), (true, 1)] {
                let such = assumptions.iter().filter(|of| of.makes == makes);
                for assumption in such.filter(|of| !of.universal.is_empty()) {
                    let mut found = Vec::new();
                    model.structure.solutions(
                        &assumption.formula,
                        (&mut of, &self.scope),
                        (&assumption.universal, false),
                        (&mut found, limit),
                    );
                    lacking.extend(found.into_iter().map(|values| (assumption, values)));
                }
                if !lacking.is_empty() {
                    break;
                }
            }
            if lacking.is_empty() {
                return Err(self.words(&model));
            }
            for (assumption, values) in lacking {
                let mut of = self.constants.clone();
                for &number in &assumption.universal {
                    let value = values[number].expect("it has a value");
                    of[number] = Some(model.terms[self.scope[number].1][value as usize]);
                }
                let ground = self.ground(&assumption.formula, &of, true);
                self.clauses.add(&ground);
            }
        }
        Err("    no answer was found\n".to_owned())
    }

    /// Makes a structure of a solution; or adds axioms of order and equality that the solution lacks.
    fn model(&mut self, solution: &Solution<GroundFact>) -> Option<Model> {
        let mut model = Model {
            structure: FiniteStructure::new(self.relation),
            class: vec![0; self.terms.len()],
            terms: vec![Vec::new(); self.relation.sorts.len()],
        };
        let mut lacks = false;
        for sort in 0..self.relation.sorts.len() {
            let is_ordered = self.relation.sorts[sort].is_ordered;
            let all: Vec<GroundTerm> =
                (0..self.terms.len()).filter(|&term| self.terms[term].1 == sort).collect();
            let same = |one: GroundTerm, other: GroundTerm| {
                one == other || solution.is(&GroundFact::Same(one.min(other), one.max(other)))
            };
            let less = |one: GroundTerm, other: GroundTerm| {
                is_ordered && solution.is(&GroundFact::Less(one, other))
            };
            lacks |= self.transitive(&all, is_ordered, &same, &less);
            if lacks {
                continue;
            }
            let mut first: Vec<GroundTerm> = Vec::new();
            for &term in &all {
                if !first.iter().any(|&other| same(other, term)) {
                    first.push(term);
                }
            }
            first.sort_by_key(|&term| all.iter().filter(|&&other| less(other, term)).count());
            for &term in &all {
                let class = first.iter().position(|&other| same(other, term));
                model.class[term] = class.expect("it is in one") as Value;
            }
            model.structure.domains[sort] = (0..first.len() as Value).collect();
            model.terms[sort] = first;
        }
        if lacks || self.congruent(&mut model, solution) { None } else { Some(model) }
    }

    /// Adds the axioms of an order, or of equality, that a solution lacks; returns whether there are such.
    fn transitive(
        &mut self,
        all: &[GroundTerm],
        is_ordered: bool,
        same: &impl Fn(GroundTerm, GroundTerm) -> bool,
        less: &impl Fn(GroundTerm, GroundTerm) -> bool,
    ) -> bool {
        let mut new = Vec::new();
        for &a in all {
            for &b in all.iter().filter(|&&b| b != a) {
                for &c in all.iter().filter(|&&c| c != a && c != b) {
                    if is_ordered {
                        // What is not more than something is not more than what that is not more than.
                        if !less(b, a) && !less(c, b) && less(c, a) {
                            new.push([
                                GroundFact::Less(b, a),
                                GroundFact::Less(c, b),
                                GroundFact::Less(c, a),
                            ]);
                        }
                    } else if same(a, b) && same(b, c) && !same(a, c) {
                        let pair =
                            |x: GroundTerm, y: GroundTerm| GroundFact::Same(x.min(y), x.max(y));
                        new.push([pair(a, b), pair(b, c), pair(a, c)]);
                    }
                }
            }
        }
        for facts in &new {
            let [one, other, third] = [0, 1, 2].map(|at: usize| self.clauses.atom(&facts[at]));
            match is_ordered {
                true => self.clauses.clause(vec![one, other, -third]),
                false => self.clauses.clause(vec![-one, -other, third]),
            }
        }
        !new.is_empty()
    }

    /// Fills the structure; or adds that what is the same has the same properties and values, where a solution lacks it.
    fn congruent(&mut self, model: &mut Model, solution: &Solution<GroundFact>) -> bool {
        let mut lacks = false;
        let mut known: HashMap<(Number, Vec<Value>), (Vec<GroundTerm>, bool)> = HashMap::new();
        let said = |fact: &GroundFact| match fact {
            GroundFact::Is(symbol, terms) => Some((*symbol, terms.clone())),
            GroundFact::Same(..) | GroundFact::Less(..) => None,
        };
        let mut facts: Vec<(Number, Vec<GroundTerm>)> =
            self.clauses.atoms.keys().filter_map(said).collect();
        facts.sort_unstable();
        for (symbol, terms) in facts {
            let holds = solution.is(&GroundFact::Is(symbol, terms.clone()));
            let at: Vec<Value> = terms.iter().map(|&term| model.class[term]).collect();
            let (others, before) =
                known.entry((symbol, at.clone())).or_insert_with(|| (terms.clone(), holds)).clone();
            if before == holds {
                if holds {
                    model.structure.facts[symbol].insert(at);
                }
                continue;
            }
            lacks = true;
            let mut clause = self.apart(&terms, &others);
            let [one, other] =
                [terms, others].map(|terms| self.clauses.atom(&GroundFact::Is(symbol, terms)));
            clause.extend(if holds { [-one, other] } else { [one, -other] });
            self.clauses.clause(clause);
        }
        let mut values: HashMap<(Number, Vec<Value>), GroundTerm> = HashMap::new();
        for term in 0..self.terms.len() {
            let TermShape::Apply(symbol, terms) = self.terms[term].0.clone() else { continue };
            let at: Vec<Value> = terms.iter().map(|&term| model.class[term]).collect();
            let other = *values.entry((symbol, at.clone())).or_insert(term);
            if model.class[other] == model.class[term] {
                model.structure.values[symbol].insert(at, model.class[term]);
                continue;
            }
            lacks = true;
            let TermShape::Apply(_, others) = self.terms[other].0.clone() else { continue };
            let mut clause = self.apart(&terms, &others);
            clause.push(self.clauses.atom(&GroundFact::Same(other.min(term), other.max(term))));
            self.clauses.clause(clause);
        }
        lacks
    }

    /// Literals: at least one is true if these differ.
    fn apart(&mut self, one: &[GroundTerm], other: &[GroundTerm]) -> Vec<i32> {
        let pairs = one.iter().zip(other).filter(|(one, other)| one != other);
        let pairs: Vec<_> =
            pairs.map(|(&one, &other)| GroundFact::Same(one.min(other), one.max(other))).collect();
        pairs.iter().map(|pair| -self.clauses.atom(pair)).collect()
    }

    /// A structure in words: what is true in it.
    fn words(&self, model: &Model) -> String {
        use std::fmt::Write;
        let relation = self.relation;
        let name = |sort: Number, value: Value| {
            let sort = &relation.sorts[sort];
            match sort.is_ordered {
                true => value.to_string(),
                false => format!("{}{value}", &sort.name[..1]),
            }
        };
        let mut text = String::new();
        for (constant, (variable, sort)) in self.constants.iter().zip(&self.scope) {
            if let Some(term) = constant.filter(|_| variable != "some") {
                let _ = writeln!(text, "    {variable} is {}", name(*sort, model.class[term]));
            }
        }
        for (number, symbol) in relation.symbols.iter().enumerate() {
            let at = |said: &[Value]| {
                let said = symbol.of.iter().zip(said).map(|(&sort, &value)| name(sort, value));
                said.collect::<Vec<_>>().join(", ")
            };
            for fact in &model.structure.facts[number] {
                let _ = writeln!(text, "    {}({})", symbol.name, at(fact));
            }
            for (said, &value) in &model.structure.values[number] {
                let value = name(symbol.value.unwrap_or_default(), value);
                let _ = writeln!(text, "    {}({}) = {value}", symbol.name, at(said));
            }
        }
        text
    }
}

/// A structure, with the values of all terms and, for each value, a term that has it.
struct Model {
    structure: FiniteStructure,
    class: Vec<Value>,
    terms: Vec<Vec<GroundTerm>>,
}

fn variables(formula: &SystemFormula, visit: &mut impl FnMut(Number)) {
    fn of_term(term: &SystemTerm, visit: &mut impl FnMut(Number)) {
        match term {
            SystemTerm::Variable(number) => visit(*number),
            SystemTerm::Apply(_, terms) => terms.iter().for_each(|term| of_term(term, visit)),
            SystemTerm::Least(_) => {}
        }
    }
    match formula {
        SystemFormula::Is(_, terms) => terms.iter().for_each(|term| of_term(term, visit)),
        SystemFormula::Same(one, other) | SystemFormula::Less(one, other) => {
            of_term(one, visit);
            of_term(other, visit);
        }
        SystemFormula::Not(of) | SystemFormula::Every(_, of) | SystemFormula::Some(_, of) => {
            variables(of, visit);
        }
        SystemFormula::All(parts) | SystemFormula::Any(parts) => {
            parts.iter().for_each(|part| variables(part, visit));
        }
    }
}
