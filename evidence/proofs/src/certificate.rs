//! The checker of certificates: it trusts no solver.
//!
//! A clause follows if some clause becomes false when all of its literals are set false, and then every literal that
//! this forces. Nothing else is taken on trust here.

use crate::sat::Literal;
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
/// before it, and the last is empty.
///
/// # Errors
/// If one does not follow.
pub fn check(
    variables: usize,
    clauses: &[Vec<Literal>],
    certificate: &[Vec<Literal>],
) -> Result<(), Unproved> {
    let mut known = Known {
        clauses: Vec::new(),
        watching: vec![Vec::new(); 2 * variables + 2],
        is_true: vec![false; 2 * variables + 2],
        set: Vec::new(),
        done: 0,
        contradiction: false,
    };
    clauses.iter().for_each(|clause| known.add(clause));
    for (number, clause) in (1..).zip(certificate) {
        if !known.implies(clause) {
            return Err(Unproved(number));
        }
        known.add(clause);
    }
    match certificate.last() {
        Some(last) if last.is_empty() => Ok(()),
        _ => Err(Unproved(certificate.len() + 1)),
    }
}

/// Clauses, and what they force.
struct Known {
    clauses: Vec<Vec<Literal>>,
    /// For each literal the clauses to look at when it becomes false.
    watching: Vec<Vec<usize>>,
    is_true: Vec<bool>,
    set: Vec<Literal>,
    done: usize,
    contradiction: bool,
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
        match open {
            0 => self.contradiction = true,
            1 if !self.is_true[at(clause[0])] => self.assume(clause[0]),
            _ => {}
        }
        if clause.len() > 1 {
            let number = self.clauses.len();
            clause.iter().take(2).for_each(|&literal| self.watching[at(literal)].push(number));
            self.clauses.push(clause);
        }
        self.contradiction |= !self.settle();
    }

    fn assume(&mut self, literal: Literal) {
        self.is_true[at(literal)] = true;
        self.set.push(literal);
    }

    /// Sets every forced literal; returns whether no clause is false.
    fn settle(&mut self) -> bool {
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
                    return false;
                }
                if !self.is_true[at(partner)] {
                    self.assume(partner);
                }
            }
        }
        true
    }

    fn implies(&mut self, clause: &[Literal]) -> bool {
        if self.contradiction {
            return true;
        }
        let before = self.set.len();
        let mut follows = false;
        for &literal in clause {
            if self.is_true[at(literal)] {
                follows = true;
            } else if !self.is_false(literal) {
                self.assume(-literal);
            }
        }
        follows = follows || !self.settle();
        for literal in self.set.drain(before..) {
            self.is_true[at(literal)] = false;
        }
        self.done = before;
        follows
    }
}
