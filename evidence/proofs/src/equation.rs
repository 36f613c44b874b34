//! Equations of numbers: of processes, and of messages under way.
//!
//! Each process and each message has a weight: the number of terms on the left that count it, less those on the right. An
//! equation says that the weights add up to nothing. A reaction changes the weights of the process that reacts, of the
//! message that it takes and of those that it sends, and no others, since what is counted is told by its own state.
//! As processes and messages are finitely many, where one has a weight above 0, another has one below.

use crate::ground::{Atom, GroundFormula, GroundProblem, Solution};
use crate::system::{Change, NEAR, NEXT, System, When};
use std::collections::BTreeSet;
use suffrage_algorithms::assertion::{Assertion, AssertionPart, CountedTerm, Sort};

/// What may be so of something that counts, each with what it then adds to its weight.
type Weights = Vec<(i32, GroundFormula)>;

impl System<'_> {
    /// Returns what is wrong with an equation.
    pub(crate) fn fault_in_equation(&self, assertion: &Assertion) -> Option<String> {
        let equates = |part: &AssertionPart| matches!(part, AssertionPart::AsMany(_));
        if !assertion.formula.any(&equates) {
            return None;
        }
        if self.table.complete {
            return Some("`count` is for rings".to_owned());
        }
        let alone = "an equation stands alone, or after a single `->`".to_owned();
        let Some((premise, terms)) = assertion.equation() else { return Some(alone) };
        if premise.any(&equates) {
            return Some(alone);
        }
        terms.iter().find_map(|term| {
            let variable = &assertion.variables[term.variable];
            let of_another = |part: &AssertionPart| match part {
                AssertionPart::State(of, said) => {
                    *of != term.variable && ![NEXT, NEAR].contains(&&*said.name)
                }
                AssertionPart::Message(_, _, at, _) => *at != term.variable,
                AssertionPart::Exists(..) | AssertionPart::Sent(..) | AssertionPart::AsMany(_) => {
                    true
                }
                _ => false,
            };
            let silent = crate::condition::when_silent(&term.such);
            let nothing = AssertionPart::Any(Vec::new());
            if term.such.any(&of_another) {
                let name = &variable.name;
                return Some(format!(
                    "what counts as `{name}` is told by its own state or message"
                ));
            }
            (variable.sort == Sort::Place && silent != nothing)
                .then(|| format!("`{}` counts without a message", variable.name))
        })
    }

    /// Returns that an equation does not hold at first, or after a reaction, if it did before.
    pub(crate) fn unequal(
        &self,
        assertion: &Assertion,
        values: &[usize],
        now: &When<'_>,
        problem: &mut GroundProblem,
    ) -> GroundFormula {
        let (premise, _) = assertion.equation().expect("an equation");
        let mut supposed = |now: &When<'_>, holds| {
            self.read((premise, holds), &assertion.variables, values, now, (&mut *problem, false))
        };
        let is_supposed = supposed(now, true);
        let When::After(change) = now else {
            let differ = self.unequal_at_first(assertion, values, now, problem);
            return GroundFormula::All(vec![is_supposed, differ]);
        };
        let was_not = supposed(&When::Before, false);
        let changes = self.changes(assertion, values, (now, change), problem);
        let differs = differs(0, &changes, problem);
        GroundFormula::All(vec![is_supposed, GroundFormula::Any(vec![was_not, differs])])
    }

    /// Returns that at first the weights of the processes in an equation's premise do not add up to nothing, or another
    /// process has a weight.
    fn unequal_at_first(
        &self,
        assertion: &Assertion,
        values: &[usize],
        now: &When<'_>,
        problem: &mut GroundProblem,
    ) -> GroundFormula {
        let named: Vec<usize> = (0..assertion.free)
            .filter(|&of| assertion.variables[of].sort == Sort::Process)
            .map(|of| values[of])
            .collect();
        let apart = |one: usize, from: &[usize]| -> GroundFormula {
            let differ = from.iter().map(|&of| GroundFormula::same_node(one, of, false));
            GroundFormula::All(differ.collect())
        };
        let mut all = Weights::new();
        for (number, &one) in named.iter().enumerate() {
            let weights = self.weights(assertion, values, (Sort::Process, one), now, problem);
            let new = weights.into_iter().map(|(weight, form)| {
                (weight, GroundFormula::All(vec![form, apart(one, &named[..number])]))
            });
            all.extend(new);
        }
        let one = problem.node("one that counts");
        let weights = self.weights(assertion, values, (Sort::Process, one), now, problem);
        let other = vec![apart(one, &named), differs(all.len() + 1, &weights, problem)];
        GroundFormula::Any(vec![differs(0, &all, problem), GroundFormula::All(other)])
    }

    /// What a reaction adds to the weights of all, and takes away.
    fn changes(
        &self,
        assertion: &Assertion,
        values: &[usize],
        (now, change): (&When<'_>, &Change<'_>),
        problem: &mut GroundProblem,
    ) -> Weights {
        let mut all = Vec::new();
        let mut add = |sign, of, now: &When<'_>| {
            let weights = self.weights(assertion, values, of, now, problem).into_iter();
            all.extend(weights.map(|(weight, form)| (sign * weight, form)));
        };
        add(1, (Sort::Process, change.node()), now);
        add(-1, (Sort::Process, change.node()), &When::Before);
        if let Some((_, point)) = change.received {
            add(-1, (Sort::Place, point), &When::Before);
        }
        for point in change.departed() {
            add(1, (Sort::Place, point), now);
        }
        all
    }

    /// What of a process or a message adds to its weight.
    fn weights(
        &self,
        assertion: &Assertion,
        values: &[usize],
        (sort, of): (Sort, usize),
        now: &When<'_>,
        problem: &mut GroundProblem,
    ) -> Weights {
        let (_, terms) = assertion.equation().expect("an equation");
        let variables = &assertion.variables;
        let terms = terms.iter().filter(|term| variables[term.variable].sort == sort);
        let weight = |term: &CountedTerm| {
            let mut values = values.to_vec();
            values[term.variable] = of;
            let such = (&term.such, true);
            let form = self.read(such, variables, &values, now, (&mut *problem, false));
            (if term.is_left { 1 } else { -1 }, form)
        };
        terms.map(weight).collect()
    }

    /// Returns that the sides are equal: if the problem names something with a weight above 0, there is something with
    /// one below, and the other way round.
    pub(crate) fn balanced(
        &self,
        assertion: &Assertion,
        values: &[usize],
        problem: &mut GroundProblem,
    ) -> GroundFormula {
        let (_, terms) = assertion.equation().expect("an equation");
        let sort = |term: &CountedTerm| assertion.variables[term.variable].sort;
        let sides = [(1, "more on the left"), (-1, "more on the right")].map(|(sign, name)| {
            let mut there = Vec::new();
            let has = |of| terms.iter().any(|term| sort(term) == of && term.is_left == (sign > 0));
            if has(Sort::Process) {
                there.push((Sort::Process, problem.node(name)));
            }
            if has(Sort::Place) {
                there.push((Sort::Place, problem.point(name)));
            }
            (sign, there)
        });
        let all = each_of_all(problem);
        let mut parts = Vec::new();
        for (sign, others) in sides {
            let mut weighs = |of, such: &dyn Fn(i32) -> bool| {
                let weights = self.weights(assertion, values, of, &When::Before, problem);
                total(&weights, 0, such)
            };
            let there = others.into_iter().map(|of| weighs(of, &|weight| weight * sign > 0));
            let mut ways: Vec<GroundFormula> = there.collect();
            let none = all.iter().map(|&of| weighs(of, &|weight| weight * sign >= 0));
            ways.push(GroundFormula::All(none.collect()));
            parts.push(GroundFormula::Any(ways));
        }
        GroundFormula::All(parts)
    }

    /// Returns whether in a solution there is something on one side of an equation, and nothing on the other.
    pub(crate) fn is_unbalanced(
        &self,
        assertion: &Assertion,
        values: &[usize],
        (problem, solution): (&mut GroundProblem, &Solution),
    ) -> bool {
        let (premise, _) = assertion.equation().expect("an equation");
        let now = &When::Before;
        let supposed =
            self.read((premise, true), &assertion.variables, values, now, (&mut *problem, false));
        let mut found = [false; 2];
        for of in each_of_all(problem) {
            let weights = self.weights(assertion, values, of, now, problem);
            let counts = weights.iter().filter(|(_, form)| solution.holds(form));
            match counts.map(|(weight, _)| weight).sum::<i32>() {
                0 => {}
                weight => found[usize::from(weight < 0)] = true,
            }
        }
        solution.holds(&supposed) && found[0] != found[1]
    }
}

/// All processes and messages of a problem.
fn each_of_all(problem: &GroundProblem) -> Vec<(Sort, usize)> {
    let sorts = [Sort::Process, Sort::Place].into_iter();
    sorts.flat_map(|sort| (0..problem.total(sort)).map(move |of| (sort, of))).collect()
}

/// That the weights that count add up to such a number.
fn total(weights: &[(i32, GroundFormula)], sum: i32, such: &dyn Fn(i32) -> bool) -> GroundFormula {
    let Some(((weight, form), rest)) = weights.split_first() else {
        return GroundFormula::constant(such(sum));
    };
    let ways = [(form.clone(), sum + weight), (form.clone().negated(), sum)];
    GroundFormula::Any(
        ways.map(|(form, sum)| GroundFormula::All(vec![form, total(rest, sum, such)])).into(),
    )
}

/// Returns that the weights that count do not add up to nothing: one after the other is added, in steps from a first one
/// on.
fn differs(first: usize, weights: &Weights, problem: &mut GroundProblem) -> GroundFormula {
    let is = |step, sum, holds| GroundFormula::Is(Atom::Total(first + step, sum), holds);
    problem.assume(is(0, 0, true));
    let mut sums = BTreeSet::from([0]);
    for (step, (weight, form)) in weights.iter().enumerate() {
        let mut next = BTreeSet::new();
        for sum in sums {
            for (counts, after) in [(true, sum + weight), (false, sum)] {
                let does_not = if counts { form.clone().negated() } else { form.clone() };
                let ways = vec![is(step, sum, false), does_not, is(step + 1, after, true)];
                problem.assume(GroundFormula::Any(ways));
                next.insert(after);
            }
        }
        sums = next;
    }
    is(weights.len(), 0, false)
}
