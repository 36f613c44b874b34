//! Equations of numbers, without numbers: sums are true or false.

use super::{Script, ScriptMoment, all, any, declare, not, quantify, variable_name};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use suffrage_algorithms::assertion::{Assertion, CountedTerm, Sort, Variable};

/// What may be so of something that counts, each with what it then adds to its weight.
type WrittenWeights = Vec<(i32, String)>;

impl Script {
    /// Says that an equation does not hold at first. With the number of messages that a reaction sends, that it does not hold
    /// after the reaction, although it did before.
    pub(super) fn unequal(&self, assertion: &Assertion, sends: Option<usize>) -> String {
        let (premise, terms) = assertion.equation().expect("an equation");
        let variables = &assertion.variables;
        let weights = |sort, of: &str, now| self.weights(terms, variables, (sort, of), now);
        let supposed = |now| self.formula(premise, variables, now);
        let free: Vec<usize> = (0..assertion.free).collect();
        let (declared, sorts) = declare(variables, &free);
        let Some(sends) = sends else {
            let start = ScriptMoment::Start;
            let named = premised(terms, variables);
            let together = self.together(terms, variables, (&named, start));
            let another = differ(&weights(Sort::Process, "one", start));
            let another = all(["(process one)".into(), apart("one", &named), another]);
            let another = quantify("exists", "(one Place)", &another);
            let is = all([sorts, supposed(start), any([differ(&together), another])]);
            return quantify("exists", &declared, &is);
        };
        let (before, after) = (ScriptMoment::Before, ScriptMoment::After);
        let less = |(weight, such): (i32, String)| (-weight, such);
        let mut changes = weights(Sort::Process, "node", after);
        changes.extend(weights(Sort::Process, "node", before).into_iter().map(less));
        if self.takes {
            changes.extend(weights(Sort::Place, "arrived", before).into_iter().map(less));
        }
        for number in 0..sends {
            changes.extend(weights(Sort::Place, &format!("departed{number}"), after));
        }
        let changed = any([not(&supposed(before)), differ(&changes)]);
        quantify("exists", &declared, &all([sorts, supposed(after), changed]))
    }

    /// What adds to the weights of the processes in the premise.
    fn together(
        &self,
        terms: &[CountedTerm],
        variables: &[Variable],
        (named, now): (&[String], ScriptMoment),
    ) -> WrittenWeights {
        let mut together = WrittenWeights::new();
        for (number, name) in named.iter().enumerate() {
            let new = |such| all([apart(name, &named[..number]), such]);
            let weights = self.weights(terms, variables, (Sort::Process, name), now).into_iter();
            together.extend(weights.map(|(weight, such)| (weight, new(such))));
        }
        together
    }

    /// If the processes in the premise have together a weight above 0, something else has one below, and the other way
    /// round; if they have none, what else has one is not on one side alone.
    pub(super) fn balanced(&self, terms: &[CountedTerm], variables: &[Variable]) -> String {
        let named = premised(terms, variables);
        let there = |sign: i32| {
            let such = |sort, is: &str| {
                let weights = self.weights(terms, variables, (sort, "one"), ScriptMoment::Before);
                let has = total(&weights, 0, &|sum| sum * sign > 0);
                quantify("exists", "(one Place)", &all([is.to_owned(), has]))
            };
            let another = all(["(process one)".to_owned(), apart("one", &named)]);
            any([such(Sort::Process, &another), such(Sort::Place, "(not (process one))")])
        };
        let (above, below) = (there(1), there(-1));
        let together = self.together(terms, variables, (&named, ScriptMoment::Before));
        added(&together, &|sum| match sum.cmp(&0) {
            Ordering::Greater => below.clone(),
            Ordering::Less => above.clone(),
            Ordering::Equal => format!("(and (=> {above} {below}) (=> {below} {above}))"),
        })
    }

    /// What of a process or a message adds to its weight.
    fn weights(
        &self,
        terms: &[CountedTerm],
        variables: &[Variable],
        (sort, of): (Sort, &str),
        now: ScriptMoment,
    ) -> WrittenWeights {
        let terms = terms.iter().filter(|term| variables[term.variable].sort == sort);
        let weight = |term: &CountedTerm| {
            let name = variable_name(&variables[term.variable], term.variable);
            let such = self.formula(&term.such, variables, now);
            (if term.is_left { 1 } else { -1 }, format!("(let (({name} {of})) {such})"))
        };
        terms.map(weight).collect()
    }
}

/// The weights that count add up to such a number.
fn total(weights: &[(i32, String)], sum: i32, such: &dyn Fn(i32) -> bool) -> String {
    let Some(((weight, is), rest)) = weights.split_first() else {
        return such(sum).to_string();
    };
    let [with, without] = [sum + weight, sum].map(|sum| total(rest, sum, such));
    if with == without { with } else { format!("(ite {is} {with} {without})") }
}

/// The weights that count do not add up to nothing.
fn differ(weights: &WrittenWeights) -> String {
    added(weights, &|sum| (sum != 0).to_string())
}

/// What must be so of that to which the weights that count add up. That after the first of them this is the sum has a name
/// for each.
fn added(weights: &WrittenWeights, such: &dyn Fn(i32) -> String) -> String {
    if weights.is_empty() {
        return such(0);
    }
    let name = |step: usize, sum: i32| match sum < 0 {
        true => format!("sum{step}.less{}", -sum),
        false => format!("sum{step}.{sum}"),
    };
    let mut parts = vec![name(0, 0)];
    let mut names = vec![name(0, 0)];
    let mut sums = BTreeSet::from([0]);
    for (step, (weight, is)) in weights.iter().enumerate() {
        let counts = format!("counts{step}");
        parts.push(not(&format!("(xor {counts} {is})")));
        let mut next = BTreeSet::new();
        for sum in sums {
            let (was, with) = (name(step, sum), name(step + 1, sum + weight));
            let without = name(step + 1, sum);
            parts.push(format!("(=> {was} (ite {counts} {with} {without}))"));
            next.extend([sum, sum + weight]);
        }
        names.push(counts);
        names.extend(next.iter().map(|&sum| name(step + 1, sum)));
        sums = next;
    }
    let last = |sum: i32| format!("(=> {} {})", name(weights.len(), sum), such(sum));
    parts.extend(sums.into_iter().map(last));
    let declared: String = names.iter().map(|name| format!(" ({name} Bool)")).collect();
    quantify("exists", &declared, &all(parts))
}

/// The names of the processes in the premise of an equation.
fn premised(terms: &[CountedTerm], variables: &[Variable]) -> Vec<String> {
    let free = terms.iter().map(|term| term.variable).min().unwrap_or_default();
    let processes = (0..free).filter(|&of| variables[of].sort == Sort::Process);
    processes.map(|of| variable_name(&variables[of], of)).collect()
}

/// That a process is none of these.
fn apart(of: &str, from: &[String]) -> String {
    all(from.iter().map(|other| not(&format!("(= {of} {other})"))))
}
