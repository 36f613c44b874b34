//! The checker of certificates: it trusts no solver.
//!
//! A clause follows if some clause becomes false when all of its literals are set false, and then every literal that
//! this forces. Nothing else is taken on trust here.

use crate::sat::{Literal, variable};
use std::collections::BTreeSet;
use std::fmt;

/// The clause of a certificate that does not follow from those before it, from 1 on; or one more than
/// there are, if the last one is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unproved(pub usize);

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the certificate does not follow", self.0)
    }
}

impl std::error::Error for Unproved {}

/// Checks that clauses have no solution: each clause of the certificate follows from them and from those
/// before it, and the last is empty. Returns which of the clauses this rests on, by their numbers.
///
/// # Errors
/// If one does not follow.
pub fn check(
    variables: usize,
    clauses: &[Vec<Literal>],
    certificate: &[Vec<Literal>],
) -> Result<Vec<usize>, Unproved> {
    let mut known = Known {
        clauses: Vec::new(),
        watching: vec![Vec::new(); 2 * variables + 2],
        is_true: vec![false; 2 * variables + 2],
        reasons: vec![None; variables + 1],
        set: Vec::new(),
        done: 0,
        contradiction: None,
    };
    clauses.iter().for_each(|clause| known.add(clause));
    let mut steps = Vec::new();
    for (number, clause) in (1..).zip(certificate) {
        steps.push(known.implies(clause).ok_or(Unproved(number))?);
        known.add(clause);
    }
    match certificate.last() {
        Some(last) if last.is_empty() => Ok(known.rests_on(clauses.len(), &steps)),
        _ => Err(Unproved(certificate.len() + 1)),
    }
}

/// What a step of a certificate follows from.
struct Grounds {
    /// Clauses, by their numbers.
    clauses: Vec<usize>,
    /// Variables whose values were forced before the step.
    forced: BTreeSet<usize>,
}

/// Clauses, and what they force.
struct Known {
    clauses: Vec<Vec<Literal>>,
    /// For each literal the clauses to look at when it becomes false.
    watching: Vec<Vec<usize>>,
    is_true: Vec<bool>,
    /// For each variable the clause that forced its value, while it has one and is not only supposed.
    reasons: Vec<Option<usize>>,
    set: Vec<Literal>,
    done: usize,
    /// A clause that is false without any supposition.
    contradiction: Option<usize>,
}

fn at(literal: Literal) -> usize {
    let twice = 2 * literal.unsigned_abs() as usize;
    if literal > 0 { twice } else { twice + 1 }
}

impl Known {
    fn is_false(&self, literal: Literal) -> bool {
        self.is_true[at(-literal)]
    }

    fn add(&mut self, clause: &[Literal]) {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        // The literals that are not false come first: they are watched.
        clause.sort_by_key(|&literal| self.is_false(literal));
        let open = clause.iter().filter(|&&literal| !self.is_false(literal)).count();
        let number = self.clauses.len();
        match open {
            0 => self.contradiction = self.contradiction.or(Some(number)),
            1 if !self.is_true[at(clause[0])] => self.set(clause[0], Some(number)),
            _ => {}
        }
        if clause.len() > 1 {
            clause.iter().take(2).for_each(|&literal| self.watching[at(literal)].push(number));
        }
        self.clauses.push(clause);
        let settled = self.settle();
        self.contradiction = self.contradiction.or(settled);
    }

    /// Sets a literal true, for this reason.
    fn set(&mut self, literal: Literal, reason: Option<usize>) {
        self.is_true[at(literal)] = true;
        self.reasons[variable(literal)] = reason;
        self.set.push(literal);
    }

    /// Sets every forced literal; returns a clause that is false.
    fn settle(&mut self) -> Option<usize> {
        while let Some(&literal) = self.set.get(self.done) {
            self.done += 1;
            let falsified = -literal;
            let looking = std::mem::take(&mut self.watching[at(falsified)]);
            for (number, left) in looking.iter().copied().zip((0..looking.len()).rev()) {
                let clause = &self.clauses[number];
                let place = usize::from(clause[0] != falsified);
                let partner = clause[1 - place];
                let next = (2..clause.len()).find(|&next| !self.is_false(clause[next]));
                match next {
                    Some(next) if !self.is_true[at(partner)] => {
                        self.clauses[number].swap(place, next);
                        let watched = self.clauses[number][place];
                        self.watching[at(watched)].push(number);
                        continue;
                    }
                    _ => self.watching[at(falsified)].push(number),
                }
                if self.is_false(partner) {
                    let rest = &looking[looking.len() - left..];
                    self.watching[at(falsified)].extend_from_slice(rest);
                    return Some(number);
                }
                if !self.is_true[at(partner)] {
                    self.set(partner, Some(number));
                }
            }
        }
        None
    }

    /// Returns what a clause follows from, if it does.
    fn implies(&mut self, clause: &[Literal]) -> Option<Grounds> {
        let before = self.set.len();
        let mut is_false = self.contradiction;
        let mut is_true = None;
        if is_false.is_none() {
            for &literal in clause {
                if self.is_true[at(literal)] {
                    is_true = Some(variable(literal));
                } else if !self.is_false(literal) {
                    self.set(-literal, None);
                }
            }
            if is_true.is_none() {
                is_false = self.settle();
            }
        }
        let follows = is_false.is_some() || is_true.is_some();
        let grounds = follows.then(|| self.grounds(is_false, is_true, before));
        for literal in self.set.drain(before..) {
            self.is_true[at(literal)] = false;
        }
        self.done = before;
        grounds
    }

    /// Returns what made a clause false, or gave a variable its value. `before` literals were set before anything was
    /// supposed.
    fn grounds(&self, is_false: Option<usize>, is_true: Option<usize>, before: usize) -> Grounds {
        let mut clauses: Vec<usize> = is_false.into_iter().collect();
        let falsified = is_false.into_iter().flat_map(|number| self.variables(number));
        let mut forced: BTreeSet<usize> = falsified.chain(is_true).collect();
        // What forced a literal was set before it.
        for &literal in self.set[before..].iter().rev() {
            let of = variable(literal);
            if forced.remove(&of)
                && let Some(reason) = self.reasons[of]
            {
                clauses.push(reason);
                forced.extend(self.variables(reason).filter(|&other| other != of));
            }
        }
        Grounds { clauses, forced }
    }

    fn variables(&self, number: usize) -> impl Iterator<Item = usize> {
        self.clauses[number].iter().copied().map(variable)
    }

    /// Returns which of the first clauses the last step rests on.
    fn rests_on(&self, given: usize, steps: &[Grounds]) -> Vec<usize> {
        let mut clauses = vec![false; self.clauses.len()];
        let mut forced = vec![false; self.reasons.len()];
        let mut open: Vec<&Grounds> = steps.last().into_iter().collect();
        let mut by_reasons = Vec::new();
        while let Some(grounds) = open.pop() {
            by_reasons.extend(grounds.forced.iter().copied());
            let mut used = grounds.clauses.clone();
            while let Some(of) = by_reasons.pop() {
                if !std::mem::replace(&mut forced[of], true)
                    && let Some(reason) = self.reasons[of]
                {
                    used.push(reason);
                    by_reasons.extend(self.variables(reason));
                }
            }
            for number in used {
                if !std::mem::replace(&mut clauses[number], true) && number >= given {
                    open.push(&steps[number - given]);
                }
            }
        }
        (0..given).filter(|&number| clauses[number]).collect()
    }
}
