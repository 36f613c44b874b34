//! The search against the definition: every formula of the catalogue, in configurations that are drawn.

use super::*;
use crate::moment::MessageFact;
use crate::{Algorithm, Statement};
use alloc::collections::BTreeSet;
use alloc::rc::Rc;

/// Numbers that look random, the same for each seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// Draws a fact of this name, with as many values as the formula reads or more.
    fn fact(&mut self, name: &str, arguments: usize, processes: usize) -> KnownFact {
        let ways = [RingDirection::Forward, RingDirection::Back];
        let values = (0..arguments + self.below(2)).map(|_| match self.below(12) {
            0 => KnownValue::Other,
            1 => KnownValue::Way(ways[self.below(2)]),
            _ => KnownValue::Process(self.below(processes) as u32),
        });
        KnownFact { values: values.collect(), name: FactName::new(String::leak(name.into())) }
    }

    /// Draws processes and messages that say what a formula reads; some of each.
    fn moment(&mut self, reads: &Reads) -> Moment {
        let size = 1 + self.below(4);
        let mut places: Vec<u32> = (0..size as u32).collect();
        places.rotate_left(self.below(size));
        let processes = (0..size).map(|number| {
            let mut facts = Vec::new();
            for (name, arguments) in &reads.states {
                for _ in 0..self.below(3) {
                    facts.push(self.fact(name, arguments.len(), size));
                }
            }
            let says = ProcessFacts {
                id: [7, 3, 9, 1][number],
                asleep: self.below(3) == 0,
                woke: self.below(2) == 0,
                status: [Status::Undecided, Status::Leader, Status::Follower][self.below(3)],
                halted: self.below(2) == 0,
                named: facts.iter().map(|fact| fact.name).collect(),
                facts,
            };
            (places[number], Rc::new(says))
        });
        let processes: Vec<_> = processes.collect();
        let mut messages = Vec::new();
        // Sometimes there are enough messages for an index.
        let most = if self.below(30) == 0 { 20 } else { 2 };
        for (name, arguments) in &reads.messages {
            for _ in 0..1 + self.below(most) {
                messages.push(MessageFact {
                    fact: Rc::new(self.fact(name, arguments.len(), size)),
                    way: [RingDirection::Forward, RingDirection::Back][self.below(2)],
                    place: (size + messages.len()) as u32,
                    to: self.below(size) as u32,
                    from: self.below(size) as u32,
                });
            }
        }
        Moment::new(processes, messages, Rc::default())
    }
}

/// Returns whether a part holds, by its definition.
fn holds(part: &AssertionPart, about: &Assertion, now: &Moment, values: &mut Vec<u32>) -> bool {
    match part {
        AssertionPart::Not(of) => !holds(of, about, now, values),
        AssertionPart::All(parts) => parts.iter().all(|part| holds(part, about, now, values)),
        AssertionPart::Any(parts) => parts.iter().any(|part| holds(part, about, now, values)),
        AssertionPart::If(one, other) => {
            !holds(one, about, now, values) || holds(other, about, now, values)
        }
        AssertionPart::Exists(variables, of) => {
            somewhere(variables, about, now, values, &mut |values| holds(of, about, now, values))
        }
        AssertionPart::AsMany(terms) => {
            let mut number = |is_left: bool| -> usize {
                let terms = terms.iter().filter(|term| term.is_left == is_left);
                let counted = terms.map(|CountedTerm { variable, such, .. }| {
                    let mut count = 0;
                    somewhere(&[*variable], about, now, values, &mut |values| {
                        count += usize::from(holds(such, about, now, values));
                        false
                    });
                    count
                });
                counted.sum()
            };
            number(true) == number(false)
        }
        atom => {
            let mut bound = vec![true; about.variables.len()];
            Test::new(atom.clone(), true, about, &mut bound).holds(now, values)
        }
    }
}

/// Returns whether something holds of some values of these variables.
fn somewhere(
    variables: &[usize],
    about: &Assertion,
    now: &Moment,
    values: &mut Vec<u32>,
    such: &mut dyn FnMut(&mut Vec<u32>) -> bool,
) -> bool {
    let Some((&first, rest)) = variables.split_first() else { return such(values) };
    let processes = now.processes.len() as u32;
    let range = match about.variables[first].sort {
        Sort::Process => 0..processes,
        Sort::Place => processes..processes + now.messages.len() as u32,
    };
    range.into_iter().any(|value| {
        values[first] = value;
        somewhere(rest, about, now, values, such)
    })
}

/// Forms that no header has.
const OTHERS: [&str; 9] = [
    "(A(a) -> B(a, b)) -> a < b",
    "A(a) & (B(b) -> A(b)) & M(a) at x -> exists c. (A(c) | B(c) & leads(c)) & c != a",
    "!(A(a) & B(b, a)) | M(a) at x & (N(b) at x | leads(a))",
    "M(a) at x from c to b & M(d) at y from c to b -> x = y",
    "M(a) at x to b & A(b) -> exists c y. M(c) at y from b",
    "M(a) at x from b -> !M(a) at y to b",
    "count x. M(_) at x + count a. A(a) = count a. (B(a) & leads(a)) + count a. B(a, _)",
    "A(a) & a != b -> count x. (M(a) at x & x in (a, b)) = count c. (c in (a, b) | c = b & B(b, a))",
    "A(a) -> exists b. B(b, a) & (count c. A(c, b) = count c. B(c, b))",
];

#[test]
fn the_search_finds_a_breach_where_there_is_one() {
    let stated: BTreeSet<&str> = Algorithm::all()
        .flat_map(|row| row.header.invariants)
        .filter_map(|stated| Statement::of(stated).formula)
        .chain(OTHERS)
        .collect();
    let (mut draws, mut found) = (Draws(1), [0, 0]);
    for text in &stated {
        let about = Assertion::read(text).unwrap();
        let (search, free) = (BreachSearch::new(&about), (0..about.free).collect::<Vec<_>>());
        for _ in 0..300 {
            let now = draws.moment(&search.reads);
            let mut values = vec![NONE; about.variables.len()];
            let breach = somewhere(&free, &about, &now, &mut values, &mut |values| {
                !holds(&about.formula, &about, &now, values)
            });
            assert_eq!(search.find(&now).is_some(), breach, "{text}\n{now:?}");
            found[usize::from(breach)] += 1;
        }
    }
    assert!(stated.len() > 100 && found.iter().all(|&found| found > 5_000), "{found:?}");
}
