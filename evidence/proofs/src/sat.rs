//! A solver for propositional problems that gives a certificate when there is no solution.
//!
//! It learns from conflicts (J. P. Marques Silva, K. A. Sakallah, "GRASP", 1996) and watches two literals
//! of each clause (M. W. Moskewicz et al., "Chaff", 2001). The clauses that it learns are the certificate:
//! each follows from those before it by setting what is forced (E. Goldberg, Y. Novikov, "Verification of
//! proofs of unsatisfiability for CNF formulas", 2003).

use std::collections::BinaryHeap;

/// A variable, from 1 on, or its negation.
pub type Literal = i32;

/// What came out.
#[derive(Debug)]
pub enum SatAnswer {
    /// A solution: for each variable, from 1 on, whether it is true; the first entry means nothing.
    Solution(Vec<bool>),
    /// There is none: each of these clauses follows from those before it, and the last is empty.
    Refuted(Vec<Vec<Literal>>),
}

struct Solver {
    clauses: Vec<Vec<Literal>>,
    /// For each literal the clauses that watch it.
    watches: Vec<Vec<usize>>,
    /// For each variable 1 if it is true, -1 if it is false, 0 if it is open.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<usize>,
    activity: Vec<f64>,
    bump: f64,
    /// The open variables, each with its activity, whose bits are in the order of numbers that are not negative; and
    /// entries that are out of date.
    order: BinaryHeap<(u64, usize)>,
    /// For each variable the last value that it had.
    phases: Vec<bool>,
    trail: Vec<Literal>,
    /// The length of the trail at each decision.
    decisions: Vec<usize>,
    done: usize,
}

/// The conflicts after which the search begins again, with what it has learnt.
const RESTART: usize = 100;

const NO_REASON: usize = usize::MAX;

fn index(literal: Literal) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

pub(crate) fn variable(literal: Literal) -> usize {
    literal.unsigned_abs() as usize
}

/// Solves the problem of these clauses over the variables from 1 to this number.
#[must_use]
pub fn solve(variables: usize, clauses: &[Vec<Literal>]) -> SatAnswer {
    let mut solver = Solver {
        clauses: Vec::with_capacity(clauses.len()),
        watches: vec![Vec::new(); 2 * variables + 2],
        values: vec![0; variables + 1],
        levels: vec![0; variables + 1],
        reasons: vec![NO_REASON; variables + 1],
        activity: vec![0.0; variables + 1],
        bump: 1.0,
        order: BinaryHeap::new(),
        phases: vec![false; variables + 1],
        trail: Vec::new(),
        decisions: Vec::new(),
        done: 0,
    };
    for clause in clauses {
        if !solver.add(clause.clone()) {
            return SatAnswer::Refuted(vec![Vec::new()]);
        }
    }
    solver.sort();
    solver.run()
}

impl Solver {
    fn value(&self, literal: Literal) -> i8 {
        let value = self.values[variable(literal)];
        if literal < 0 { -value } else { value }
    }

    /// Adds a clause before the first decision; returns whether a solution is still possible.
    fn add(&mut self, clause: Vec<Literal>) -> bool {
        let is_true =
            clause.iter().any(|&literal| self.value(literal) == 1 || clause.contains(&-literal));
        let mut open: Vec<_> =
            clause.into_iter().filter(|&literal| self.value(literal) == 0).collect();
        open.sort_unstable();
        open.dedup();
        match open.as_slice() {
            _ if is_true => true,
            [] => false,
            [one] => {
                self.set(*one, NO_REASON);
                self.propagate().is_none()
            }
            _ => {
                self.attach(open);
                true
            }
        }
    }

    fn attach(&mut self, clause: Vec<Literal>) -> usize {
        let number = self.clauses.len();
        self.watches[index(clause[0])].push(number);
        self.watches[index(clause[1])].push(number);
        self.clauses.push(clause);
        number
    }

    fn set(&mut self, literal: Literal, reason: usize) {
        let at = variable(literal);
        self.values[at] = if literal < 0 { -1 } else { 1 };
        self.levels[at] = self.decisions.len() as u32;
        self.reasons[at] = reason;
        self.trail.push(literal);
    }

    /// Sets every forced literal; returns a clause that has become false.
    fn propagate(&mut self) -> Option<usize> {
        while let Some(&set) = self.trail.get(self.done) {
            self.done += 1;
            let mut watching = std::mem::take(&mut self.watches[index(-set)]);
            let (mut kept, mut at, mut conflict) = (0, 0, None);
            while at < watching.len() {
                let number = watching[at];
                at += 1;
                let clause = &mut self.clauses[number];
                if clause[0] == -set {
                    clause.swap(0, 1);
                }
                let value = |literal: Literal| {
                    let value = self.values[variable(literal)];
                    if literal < 0 { -value } else { value }
                };
                let first = clause[0];
                if value(first) != 1
                    && let Some(other) = (2..clause.len()).find(|&at| value(clause[at]) != -1)
                {
                    clause.swap(1, other);
                    self.watches[index(clause[1])].push(number);
                    continue;
                }
                watching[kept] = number;
                kept += 1;
                match value(first) {
                    1 => {}
                    0 => self.set(first, number),
                    _ => {
                        conflict = Some(number);
                        break;
                    }
                }
            }
            watching.drain(kept..at);
            self.watches[index(-set)] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Returns what a conflict teaches, with the literal that it sets first, and the level at which it does.
    fn learn(&mut self, conflict: usize) -> (Vec<Literal>, u32) {
        let here = self.decisions.len() as u32;
        let mut seen = vec![false; self.values.len()];
        let mut learnt = vec![0];
        let (mut open, mut clause, mut at) = (0, conflict, self.trail.len());
        loop {
            for &literal in &self.clauses[clause] {
                let of = variable(literal);
                if seen[of] || self.levels[of] == 0 || self.value(literal) == 1 {
                    continue;
                }
                seen[of] = true;
                self.activity[of] += self.bump;
                if self.levels[of] == here {
                    open += 1;
                } else {
                    learnt.push(literal);
                }
            }
            let literal = loop {
                at -= 1;
                if seen[variable(self.trail[at])] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                learnt[0] = -literal;
                break;
            }
            clause = self.reasons[variable(literal)];
        }
        self.bump *= 1.05;
        if self.bump > 1e100 {
            self.activity.iter_mut().for_each(|of| *of *= 1e-100);
            self.bump *= 1e-100;
            self.sort();
        }
        let level = |literal: &Literal| self.levels[variable(*literal)];
        let back = (1..learnt.len()).max_by_key(|&at| level(&learnt[at]));
        let level = back.map_or(0, |at| level(&learnt[at]));
        if let Some(at) = back {
            learnt.swap(1, at);
        }
        (learnt, level)
    }

    fn undo(&mut self, level: u32) {
        if let Some(&length) = self.decisions.get(level as usize) {
            for literal in self.trail.drain(length..) {
                let of = variable(literal);
                self.values[of] = 0;
                self.phases[of] = literal > 0;
                self.order.push((self.activity[of].to_bits(), of));
            }
            self.decisions.truncate(level as usize);
            self.done = length;
            if self.order.len() > 4 * self.values.len() {
                self.sort();
            }
        }
    }

    fn sort(&mut self) {
        let open = (1..self.values.len()).filter(|&of| self.values[of] == 0);
        self.order = open.map(|of| (self.activity[of].to_bits(), of)).collect();
    }

    /// Returns the open variable with the greatest activity, the last one of several.
    fn most_active(&mut self) -> Option<usize> {
        while let Some((activity, of)) = self.order.pop() {
            if self.values[of] == 0 && activity == self.activity[of].to_bits() {
                return Some(of);
            }
        }
        None
    }

    fn run(mut self) -> SatAnswer {
        let mut certificate = Vec::new();
        let mut restart = RESTART;
        loop {
            if let Some(conflict) = self.propagate() {
                if self.decisions.is_empty() {
                    certificate.push(Vec::new());
                    return SatAnswer::Refuted(certificate);
                }
                let (learnt, level) = self.learn(conflict);
                certificate.push(learnt.clone());
                self.undo(level);
                let first = learnt[0];
                let reason = if learnt.len() > 1 { self.attach(learnt) } else { NO_REASON };
                self.set(first, reason);
                if certificate.len() >= restart {
                    restart += RESTART + restart / 2;
                    self.undo(0);
                }
                continue;
            }
            match self.most_active() {
                None => {
                    return SatAnswer::Solution(
                        self.values.iter().map(|&value| value == 1).collect(),
                    );
                }
                Some(of) => {
                    self.decisions.push(self.trail.len());
                    let literal = of as Literal;
                    self.set(if self.phases[of] { literal } else { -literal }, NO_REASON);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::check;

    /// Each of the pigeons sits in a hole, and no two in the same one.
    fn pigeons(pigeons: i32, holes: i32) -> (usize, Vec<Vec<Literal>>) {
        let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        let mut clauses: Vec<Vec<_>> = (0..pigeons)
            .map(|pigeon| (0..holes).map(|hole| sits(pigeon, hole)).collect())
            .collect();
        for hole in 0..holes {
            for one in 0..pigeons {
                clauses.extend((0..one).map(|other| vec![-sits(one, hole), -sits(other, hole)]));
            }
        }
        ((pigeons * holes) as usize, clauses)
    }

    #[test]
    fn six_pigeons_do_not_fit_into_five_holes_and_the_certificate_says_why() {
        let (variables, clauses) = pigeons(6, 5);
        let SatAnswer::Refuted(certificate) = solve(variables, &clauses) else {
            panic!("they do not fit")
        };
        check(variables, &clauses, &certificate).expect("a proof");
        assert!(certificate.len() > 2);
    }

    #[test]
    fn what_a_certificate_rests_on_has_no_solution_either_and_has_nothing_of_another_problem() {
        // Between the clauses of six pigeons and five holes stand those of five and five, over other variables.
        let (first, clauses) = pigeons(6, 5);
        let (second, others) = pigeons(5, 5);
        let moved = |clause: Vec<Literal>| -> Vec<Literal> {
            clause.into_iter().map(|of| of + of.signum() * first as i32).collect()
        };
        let mut all: Vec<(bool, Vec<Literal>)> =
            others.into_iter().map(|clause| (false, moved(clause))).collect();
        for (number, clause) in clauses.into_iter().enumerate() {
            all.insert(2 * number.min(all.len() / 2), (true, clause));
        }
        let clauses: Vec<Vec<Literal>> = all.iter().map(|(_, clause)| clause.clone()).collect();
        let SatAnswer::Refuted(certificate) = solve(first + second, &clauses) else {
            panic!("they do not fit")
        };
        let rests_on = check(first + second, &clauses, &certificate).expect("a proof");
        assert!(rests_on.iter().all(|&number| all[number].0));
        let core: Vec<Vec<Literal>> =
            rests_on.iter().map(|&number| clauses[number].clone()).collect();
        assert!(matches!(solve(first + second, &core), SatAnswer::Refuted(_)));
    }

    #[test]
    fn a_solution_makes_every_clause_true() {
        let (variables, clauses) = pigeons(5, 5);
        let SatAnswer::Solution(values) = solve(variables, &clauses) else { panic!("they fit") };
        let is_true = |&literal: &Literal| values[variable(literal)] == (literal > 0);
        assert!(clauses.iter().all(|clause| clause.iter().any(is_true)));
    }

    #[test]
    fn a_false_certificate_is_refused() {
        let (variables, clauses) = pigeons(6, 5);
        assert!(check(variables, &clauses, &[Vec::new()]).is_err());
        let (variables, clauses) = pigeons(3, 3);
        assert!(check(variables, &clauses, &[vec![1], vec![-1], Vec::new()]).is_err());
        assert!(check(variables, &clauses, &[]).is_err());
    }
}
