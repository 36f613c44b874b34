//! Equations of numbers: of processes, and of messages under way.
//!
//! Each process and each message has a weight: the number of terms on the left that count it, less those on the right. An
//! equation says that the weights add up to nothing. A reaction changes the weights of the process that reacts, of the
//! message that it takes and of those that it sends, and no others, since what is counted is told by its own state.
//! As processes and messages are finitely many, where one has a weight above 0, another has one below. The processes in
//! the premise count as one: what they weigh together, something else makes up for.

use crate::ground::{Atom, GroundFormula, GroundProblem, Solution, Spot};
use crate::system::{Change, NEAR, NEXT, System, When};
use std::cmp::Ordering;
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
        let differs = differs(&changes, problem);
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
        let named = premised(assertion, values);
        let all = self.weights_together(assertion, values, (&named, now), problem);
        let one = problem.node("one that counts");
        let weights = self.weights(assertion, values, (Sort::Process, one), now, problem);
        let other = vec![apart((Sort::Process, one), &named), differs(&weights, problem)];
        GroundFormula::Any(vec![differs(&all, problem), GroundFormula::All(other)])
    }

    /// What adds to the weights of the processes in the premise.
    fn weights_together(
        &self,
        assertion: &Assertion,
        values: &[usize],
        (named, now): (&[(Sort, usize)], &When<'_>),
        problem: &mut GroundProblem,
    ) -> Weights {
        let mut all = Weights::new();
        for (number, &one) in named.iter().enumerate() {
            let weights = self.weights(assertion, values, one, now, problem);
            let new = weights.into_iter().map(|(weight, form)| {
                (weight, GroundFormula::All(vec![form, apart(one, &named[..number])]))
            });
            all.extend(new);
        }
        all
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

    /// Returns that the sides are equal. If the processes in the premise have together a weight above 0, something else has
    /// one below, and the other way round; if they have none, what else has one is not on one side alone.
    pub(crate) fn balanced(
        &self,
        assertion: &Assertion,
        values: &[usize],
        problem: &mut GroundProblem,
    ) -> GroundFormula {
        let (_, terms) = assertion.equation().expect("an equation");
        let sort = |term: &CountedTerm| assertion.variables[term.variable].sort;
        let others = [(1, "more on the left"), (-1, "more on the right")].map(|(sign, name)| {
            let mut there = Vec::new();
            let has = |of| terms.iter().any(|term| sort(term) == of && term.is_left == (sign > 0));
            if has(Sort::Process) {
                there.push((Sort::Process, problem.node(name)));
            }
            if has(Sort::Place) {
                there.push((Sort::Place, problem.point(name)));
            }
            there
        });
        let named = premised(assertion, values);
        let now = (&named[..], &When::Before);
        let together = self.weights_together(assertion, values, now, problem);
        let together = sums(&together, problem);
        let mut all = each_of_all(problem);
        all.retain(|of| !named.contains(of));
        let mut weighs = |of, such: &dyn Fn(i32) -> bool| {
            let weights = self.weights(assertion, values, of, &When::Before, problem);
            total(&weights, 0, such)
        };
        let [above, below] = [1, -1].map(|sign| {
            let there = others[usize::from(sign < 0)].iter().map(|&of| {
                GroundFormula::All(vec![apart(of, &named), weighs(of, &|sum| sum * sign > 0)])
            });
            GroundFormula::Any(there.collect())
        });
        let [none_above, none_below] = [1, -1].map(|sign| {
            let none = all.iter().map(|&of| {
                let is_named = apart(of, &named).negated();
                GroundFormula::Any(vec![is_named, weighs(of, &|sum| sum * sign <= 0)])
            });
            GroundFormula::All(none.collect())
        });
        let either = |one: &GroundFormula, other: &GroundFormula| {
            GroundFormula::Any(vec![one.clone(), other.clone()])
        };
        let parts = together.into_iter().map(|(sum, is_not)| match sum.cmp(&0) {
            Ordering::Greater => either(&is_not, &below),
            Ordering::Less => either(&is_not, &above),
            Ordering::Equal => {
                let both = vec![either(&above, &none_below), either(&below, &none_above)];
                GroundFormula::Any(vec![is_not, GroundFormula::All(both)])
            }
        });
        GroundFormula::All(parts.collect())
    }

    /// Returns whether a solution does not fulfil that the sides of an equation are equal.
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
        if !solution.holds(&supposed) {
            return false;
        }
        let named = premised(assertion, values);
        let is_among = |(sort, of): (Sort, usize), named: &[(Sort, usize)]| {
            let is_it = |(_, other): &(_, usize)| solution.are_same(Spot::Of(of), Spot::Of(*other));
            sort == Sort::Process && named.iter().any(is_it)
        };
        let all = each_of_all(problem);
        let mut weighs = |of| {
            let weights = self.weights(assertion, values, of, now, problem);
            let counts = weights.iter().filter(|(_, form)| solution.holds(form));
            counts.map(|(weight, _)| weight).sum::<i32>()
        };
        let new = (0..named.len()).filter(|&number| !is_among(named[number], &named[..number]));
        let together: i32 = new.map(|number| weighs(named[number])).sum();
        let mut found = [false; 2];
        for of in all.into_iter().filter(|&of| !is_among(of, &named)) {
            match weighs(of) {
                0 => {}
                weight => found[usize::from(weight < 0)] = true,
            }
        }
        match together.cmp(&0) {
            Ordering::Greater => !found[1],
            Ordering::Less => !found[0],
            Ordering::Equal => found[0] != found[1],
        }
    }
}

/// The processes in the premise of an equation.
fn premised(assertion: &Assertion, values: &[usize]) -> Vec<(Sort, usize)> {
    let premise = (0..assertion.free).map(|of| (assertion.variables[of].sort, values[of]));
    premise.filter(|(sort, _)| *sort == Sort::Process).collect()
}

/// That a process, or a message, is none of these processes.
fn apart((sort, one): (Sort, usize), from: &[(Sort, usize)]) -> GroundFormula {
    let from = from.iter().filter(|_| sort == Sort::Process);
    GroundFormula::All(from.map(|&(_, of)| GroundFormula::same_node(one, of, false)).collect())
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

/// Returns that the weights that count do not add up to nothing.
fn differs(weights: &Weights, problem: &mut GroundProblem) -> GroundFormula {
    let nothing = sums(weights, problem).into_iter().find(|(sum, _)| *sum == 0);
    nothing.map_or(GroundFormula::TRUE, |(_, is_not)| is_not)
}

/// Returns what the weights that count may add up to, each with the formula that they do not: one after the other is
/// added.
fn sums(weights: &Weights, problem: &mut GroundProblem) -> Vec<(i32, GroundFormula)> {
    let first = problem.totals;
    let is = |step, sum, holds| GroundFormula::Is(Atom::Total(first + step, sum), holds);
    problem.assume(is(0, 0, true));
    let mut sums = BTreeSet::from([0]);
    let weights = weights.iter().filter(|(_, form)| !form.is_never());
    let mut last = 0;
    for (step, (weight, form)) in weights.enumerate() {
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
        last = step + 1;
    }
    problem.totals += last + 1;
    sums.into_iter().map(|sum| (sum, is(last, sum, false))).collect()
}
