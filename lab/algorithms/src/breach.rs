//! The search for processes and messages for which an assertion does not hold.

use crate::assertion::{
    Argument, Assertion, AssertionPart, Comparison, CountedTerm, MessageEnds, NamedTerm,
    RingDirection, Sort,
};
use crate::moment::{FactName, KnownFact, KnownValue, Moment, NameSet, ProcessFacts};
use crate::{Fact, FactValue, FormulaReading};
use alloc::{boxed::Box, collections::BTreeMap, format, string::String, vec, vec::Vec};
use core::cell::RefCell;
use suffrage_model::Status;

/// An assertion, prepared for the search for a breach.
pub(crate) struct BreachSearch {
    variables: Vec<crate::assertion::Variable>,
    free: usize,
    /// What must hold of the free variables for a breach.
    query: Query,
    /// What is counted on the sides of an equation.
    sides: Vec<CountedTest>,
    pub(crate) reads: Reads,
    /// Whether it reads only the kinds of states and messages, and compares no identities.
    pub(crate) reads_kinds: bool,
    /// `None` if a breach may depend on all processes and messages.
    pub(crate) subjects: Option<BreachSubjects>,
}

/// On what a breach depends: in an instance, it is one whatever the states of other processes are, and the messages
/// under way to them.
pub(crate) struct BreachSubjects {
    pub(crate) all: Vec<BreachSubject>,
    /// Whether each breach has a message for each of them that is one.
    pub(crate) are_needed: bool,
    /// Whether the places of others matter, too: they are compared, or send a message.
    pub(crate) and_others: bool,
    /// Variables that more than one of them names in every breach: so these name the same process.
    shared: [Option<usize>; SHARED],
}

/// How many of the variables that subjects share are looked at.
const SHARED: usize = 2;

/// Which processes a subject can name in a breach, for each of some variables that it may share with others: bits, whose
/// numbers are the identities modulo 64. Subjects for which the sets of one variable have no bit in common make no
/// breach together.
pub type SharedProcesses = [u64; SHARED];

/// Any, for each variable.
pub const ANY_PROCESS: SharedProcesses = [u64::MAX; SHARED];

/// A message, or a process whose state an assertion reads.
pub(crate) struct BreachSubject {
    variable: usize,
    is_process: bool,
    pub(crate) reads: Reads,
    /// What it must say in every breach, and what a process must not.
    needs: Vec<(bool, NamedTerm)>,
}

impl BreachSubjects {
    fn of(assertion: &Assertion, query: &Query) -> Option<Self> {
        let any_message = |step: &SearchStep| matches!(step, SearchStep::Each(_, Sort::Place));
        let depends = query.ways.iter().any(|way| way.steps.iter().any(any_message));
        if depends || assertion.is_existential() {
            return None;
        }
        let breach = AssertionPart::Not(Box::new(assertion.formula.clone()));
        let mut conditions = Vec::new();
        conjuncts(breach, true, &mut conditions);
        let subject = |variable| BreachSubject::new(variable, assertion, &conditions);
        let all: Vec<BreachSubject> = (0..assertion.free).filter_map(subject).collect();
        let is_said = |subject: &BreachSubject| {
            conditions.iter().any(|(holds, part)| {
                *holds && matches!(part, AssertionPart::Message(_, _, at, _) if *at == subject.variable)
            })
        };
        let are_needed = all.iter().all(|subject| subject.is_process || is_said(subject));
        let is_other = |variable| all.iter().all(|subject| subject.variable != variable);
        // The receiver of a message does not tell who sends it, and so not where the sender's ports lead.
        let and_others = assertion.formula.any(&|part| match part {
            AssertionPart::Between(..) => part.mentions(&is_other),
            AssertionPart::Message(_, term, _, ends) => {
                *ends != MessageEnds::default() || term.has_port()
            }
            _ => false,
        });
        let is_shared =
            |&variable: &usize| all.iter().filter(|subject| subject.names(variable)).count() > 1;
        let mut variables = (0..assertion.free).filter(is_shared);
        let shared = [(); SHARED].map(|()| variables.next());
        Some(Self { all, are_needed, and_others, shared })
    }

    /// Returns which processes a subject can name if these facts are read of it.
    pub(crate) fn shared_processes(&self, subject: usize, facts: &[Fact]) -> SharedProcesses {
        let named = |variable| self.all[subject].processes_named(variable, facts);
        self.shared.map(|variable| variable.map_or(u64::MAX, named))
    }
}

impl BreachSubject {
    /// Returns a subject, if this variable is one.
    fn new(variable: usize, assertion: &Assertion, conditions: &Conditions) -> Option<Self> {
        let is_process = assertion.variables[variable].sort == Sort::Process;
        let says = |part: &AssertionPart| match part {
            AssertionPart::State(of, _) => *of == variable,
            AssertionPart::Message(_, _, at, _) => *at == variable,
            _ => false,
        };
        let needs = conditions.iter().filter_map(|(holds, part)| match part {
            AssertionPart::State(of, term) if *of == variable && !is_relation(&term.name) => {
                let any = term.arguments.iter().all(|of| *of == Argument::Any);
                (*holds || any).then(|| (*holds, term.clone()))
            }
            AssertionPart::Message(_, term, at, _) if *at == variable && *holds => {
                Some((true, term.clone()))
            }
            _ => None,
        });
        let (reads, needs) = (Reads::of(assertion, &says), needs.collect());
        let is_one = !is_process || assertion.formula.any(&says);
        is_one.then_some(Self { variable, is_process, reads, needs })
    }

    /// The places at which facts that it says in every breach name a variable.
    fn places_of(&self, variable: usize) -> impl Iterator<Item = (&str, usize)> {
        let said = self.needs.iter().filter(|(holds, term)| *holds && !term.is_counted);
        said.flat_map(move |(_, term)| {
            let arguments = term.arguments.iter().enumerate();
            let such = arguments.filter(move |(_, of)| **of == Argument::Variable(variable));
            such.map(|(at, _)| (term.name.as_str(), at))
        })
    }

    fn names(&self, variable: usize) -> bool {
        self.places_of(variable).next().is_some()
    }

    /// The processes for which a variable can stand in a breach, by what these facts name.
    fn processes_named(&self, variable: usize, facts: &[Fact]) -> u64 {
        let named = |(name, at): (&str, usize)| {
            let values = facts.iter().filter(|fact| fact.name == name);
            let bits = values.map(|fact| match fact.values.get(at) {
                Some(FactValue::Id(id)) => 1 << (id % u64::from(u64::BITS)),
                Some(FactValue::Count(_) | FactValue::Number(_)) | None => 0,
                // In the network it stands for a process.
                Some(_) => u64::MAX,
            });
            bits.fold(0, |all, bit| all | bit)
        };
        self.places_of(variable).map(named).fold(u64::MAX, |all, bits| all & bits)
    }

    /// Returns what is read of a process that says this; `None` if it is no such subject of a breach.
    pub(crate) fn of_process(&self, facts: Vec<Fact>, of: &ProcessFacts) -> Option<FormulaReading> {
        let is_said = |term: &NamedTerm| match built_in(&term.name) {
            Some(says) => says(of),
            None => facts
                .iter()
                .any(|fact| fact.name == term.name && term.arguments.len() <= fact.values.len()),
        };
        let fits =
            self.is_process && self.needs.iter().all(|(holds, term)| is_said(term) == *holds);
        fits.then(|| self.reads.of_process(facts, of))
    }
}

/// The facts of processes and of messages that an assertion reads, by name, and which built-in ones it does.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    states: BTreeMap<String, ValuesRead>,
    messages: BTreeMap<String, ValuesRead>,
    built_in: [bool; BUILT_IN.len()],
    /// Whether it compares places, or reads ways or who sends a message.
    places: bool,
}

/// Which of the first values of a fact are read; it may have more.
type ValuesRead = Vec<bool>;

impl Reads {
    /// Returns what these parts of an assertion read.
    fn of(assertion: &Assertion, such: &dyn Fn(&AssertionPart) -> bool) -> Self {
        let reads = RefCell::new(Self::default());
        let read = |names: &mut BTreeMap<String, ValuesRead>, term: &NamedTerm| {
            let values = names.entry(term.name.clone()).or_default();
            values.resize(term.arguments.len().max(values.len()), false);
            let each = values.iter_mut().zip(&term.arguments);
            each.for_each(|(read, argument)| *read |= *argument != Argument::Any);
        };
        assertion.formula.any(&|part| {
            if !such(part) {
                return false;
            }
            let Self { states, messages, built_in, places } = &mut *reads.borrow_mut();
            *places |= match part {
                AssertionPart::Between(..) => true,
                AssertionPart::State(_, term) => is_relation(&term.name) || term.has_port(),
                AssertionPart::Order(one, how, _) => {
                    *how != Comparison::Same && assertion.variables[*one].sort == Sort::Place
                }
                AssertionPart::Message(_, term, _, ends) => {
                    *ends != MessageEnds::default() || term.has_port()
                }
                _ => false,
            };
            match part {
                AssertionPart::State(_, term) => {
                    match BUILT_IN.iter().position(|&(name, _)| name == term.name) {
                        Some(at) => built_in[at] = true,
                        None if is_relation(&term.name) => {}
                        None => read(states, term),
                    }
                }
                AssertionPart::Message(_, term, ..) => read(messages, term),
                _ => {}
            }
            false
        });
        reads.into_inner()
    }

    /// Returns whether it holds alike wherever the processes are, on oriented rings or, if it reads no messages,
    /// anywhere.
    pub(crate) fn is_placeless(&self, oriented: bool) -> bool {
        !self.places && (oriented || self.messages.is_empty())
    }

    /// Returns whether it reads no values.
    fn are_kinds(&self) -> bool {
        let mut all = self.states.values().chain(self.messages.values()).flatten();
        all.all(|is_read| !is_read)
    }

    /// Returns what is read of a process that says this.
    pub(crate) fn of_process(&self, facts: Vec<Fact>, of: &ProcessFacts) -> FormulaReading {
        let says = BUILT_IN.iter().zip(self.built_in).map(|(&(_, says), read)| read && says(of));
        FormulaReading::Facts(named(facts, &self.states), says.collect())
    }

    /// Returns what is read of a message.
    pub(crate) fn of_message(&self, facts: Vec<Fact>) -> FormulaReading {
        FormulaReading::Facts(named(facts, &self.messages), Vec::new())
    }
}

/// Returns the facts that have one of these names, with zeros for values that make no difference.
fn named(mut facts: Vec<Fact>, among: &BTreeMap<String, ValuesRead>) -> Vec<Fact> {
    facts.retain_mut(|fact| {
        let Some(read) = among.get(fact.name) else { return false };
        fact.values.truncate(read.len());
        for (value, &is_read) in fact.values.iter_mut().zip(read) {
            if !is_read || value.is_unnamed() {
                *value = FactValue::Number(0);
            }
        }
        true
    });
    facts
}

/// The search for values of variables for which all of some conditions hold.
#[derive(Debug)]
struct Query {
    /// Each is one of the ways in which the conditions can hold.
    ways: Vec<SearchWay>,
    /// The variables that it searches for.
    search: Vec<usize>,
}

/// A search for values of the variables that these steps name.
#[derive(Debug)]
struct SearchWay {
    steps: Vec<SearchStep>,
    /// The names of facts of processes, and of messages, without which nothing can be found.
    needs: (NameSet, NameSet),
}

#[derive(Debug)]
enum SearchStep {
    /// The variable is any process, or any message.
    Each(usize, Sort),
    /// A message that fits; the variables are those to which it gives values.
    Match(MessagePattern, Vec<usize>),
    /// A fact of the process that fits; the last variables are those to which it gives values.
    Fact(usize, FactPattern, Vec<usize>),
    /// This must hold; all its variables are bound.
    Test(Test),
}

/// A [`NamedTerm`], prepared for comparisons.
#[derive(Debug)]
struct FactPattern {
    name: FactName<String>,
    /// The name alone.
    named: NameSet,
    arguments: Vec<Argument>,
}

/// A message that moves this way.
#[derive(Debug)]
struct MessagePattern {
    way: RingDirection,
    says: FactPattern,
    /// The variable of its place.
    at: usize,
    /// The variables of its receiver and of its sender.
    ends: MessageEnds,
}

/// A condition on variables that have values.
#[derive(Debug)]
enum Test {
    Order(usize, Comparison, usize),
    Between(usize, usize, usize),
    /// The message at the first place was sent before the other one, on the same link.
    Earlier(usize, usize),
    /// The second is the next process forward.
    Next(usize, usize),
    /// The two are neighbours.
    Near(usize, usize),
    /// The third is on the side of the second of the link between the first two.
    Beyond(usize, usize, usize),
    /// The process says so, as every process can.
    BuiltIn(usize, fn(&ProcessFacts) -> bool),
    State(usize, FactPattern),
    Message(MessagePattern),
    /// What no configuration tells.
    Sent,
    /// As many of those on the left as of those on the right.
    AsMany(Vec<CountedTest>),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
    Exists(Query),
}

/// What is so of the processes or messages that count on one side.
#[derive(Debug)]
struct CountedTest {
    variable: usize,
    sort: Sort,
    such: Test,
    is_left: bool,
}

/// The value of a variable that has none.
const NONE: u32 = u32::MAX;

impl BreachSearch {
    pub(crate) fn new(assertion: &Assertion) -> Self {
        let free: Vec<usize> = (0..assertion.free).collect();
        let breach = AssertionPart::Not(Box::new(assertion.formula.clone()));
        let mut bound = vec![false; assertion.variables.len()];
        let query = Query::new(breach, &free, assertion, &mut bound);
        let counted = assertion.equation().map_or(&[][..], |(_, terms)| terms);
        let sides = CountedTest::all(counted.to_vec(), assertion, &mut bound);
        let (variables, free) = (assertion.variables.clone(), assertion.free);
        let reads = Reads::of(assertion, &|_| true);
        let compares = |part: &AssertionPart| match part {
            AssertionPart::Order(one, how, _) => {
                *how != Comparison::Same && assertion.variables[*one].sort == Sort::Process
            }
            _ => false,
        };
        let reads_kinds = reads.are_kinds() && !assertion.formula.any(&compares);
        let subjects = BreachSubjects::of(assertion, &query);
        Self { variables, free, query, sides, reads, reads_kinds, subjects }
    }

    /// Returns the values of the free variables in a breach, in words.
    pub(crate) fn find(&self, now: &Moment) -> Option<String> {
        let mut values = vec![NONE; self.variables.len()];
        if !self.query.finds(now, &mut values) {
            return None;
        }
        let [left, right] = CountedTest::sides(&self.sides, now, &mut values);
        let named = self.variables.iter().zip(values).take(self.free);
        let named = named.filter(|&(_, value)| value != NONE);
        let words = named.map(|(variable, value)| match variable.sort {
            Sort::Process => format!("{} is process {value}", variable.name),
            Sort::Place => {
                let message = &now.messages[value as usize - now.processes.len()];
                format!("{} is where {} is", variable.name, message.fact)
            }
        });
        let words = words.collect::<Vec<_>>().join(", ");
        Some(match (left == right, words.as_str()) {
            (true, _) => format!("not where {words}"),
            (false, "") => format!("{left} on the left, and {right} on the right"),
            (false, _) => format!("{left} on the left, and {right} on the right, where {words}"),
        })
    }
}

impl Query {
    fn new(of: AssertionPart, search: &[usize], about: &Assertion, bound: &mut Vec<bool>) -> Self {
        let mut conditions = Vec::new();
        conjuncts(of, true, &mut conditions);
        let ways = alternatives(conditions, bound.len());
        let ways = ways.into_iter().map(|all| SearchWay::new(all, search, about, bound));
        Self { ways: ways.collect(), search: search.to_vec() }
    }

    /// Returns whether values can be found; then the variables have them.
    fn finds(&self, now: &Moment, values: &mut Vec<u32>) -> bool {
        self.ways.iter().any(|way| way.finds(now, values))
    }
}

impl SearchWay {
    fn new(
        mut conditions: Conditions,
        search: &[usize],
        about: &Assertion,
        bound: &mut Vec<bool>,
    ) -> Self {
        // The conditions do not name the others.
        let search: Vec<usize> = search
            .iter()
            .copied()
            .filter(|&variable| {
                conditions.iter().any(|(_, claim)| claim.mentions(&|of| of == variable))
            })
            .collect();
        let mut steps = Vec::new();
        loop {
            // What can be decided comes first, then what a message determines, then each process.
            let mut left = Vec::new();
            for (holds, claim) in conditions.drain(..) {
                match free_of(&claim, bound, &search) {
                    true => steps.push(SearchStep::Test(Test::new(claim, holds, about, bound))),
                    false => left.push((holds, claim)),
                }
            }
            conditions = left;
            let message = conditions
                .iter()
                .position(|(holds, claim)| *holds && matches!(claim, AssertionPart::Message(..)));
            if let Some(at) = message
                && let (_, AssertionPart::Message(way, term, at, ends)) = conditions.remove(at)
            {
                let fresh = bind_new(&term, [at].into_iter().chain(ends.variables()), bound);
                let pattern = MessagePattern { way, says: term.into(), at, ends };
                steps.push(SearchStep::Match(pattern, fresh));
                continue;
            }
            let fact = conditions.iter().position(|(holds, claim)| {
                let AssertionPart::State(process, term) = claim else { return false };
                *holds
                    && bound[*process]
                    && built_in(&term.name).is_none()
                    && !is_relation(&term.name)
            });
            if let Some(at) = fact
                && let (_, AssertionPart::State(process, term)) = conditions.remove(at)
            {
                let fresh = bind_new(&term, [], bound);
                steps.push(SearchStep::Fact(process, term.into(), fresh));
                continue;
            }
            match search.iter().find(|&&variable| !bound[variable]) {
                Some(&variable) => {
                    bound[variable] = true;
                    steps.push(SearchStep::Each(variable, about.variables[variable].sort));
                }
                None => break,
            }
        }
        for &variable in &search {
            bound[variable] = false;
        }
        let mut needs = (NameSet::default(), NameSet::default());
        for step in &steps {
            match step {
                SearchStep::Match(of, _) | SearchStep::Test(Test::Message(of)) => {
                    needs.1.insert(&of.says.name);
                }
                SearchStep::Fact(_, of, _) | SearchStep::Test(Test::State(_, of)) => {
                    needs.0.insert(&of.name);
                }
                SearchStep::Each(..) | SearchStep::Test(_) => {}
            }
        }
        Self { steps, needs }
    }

    /// Returns whether values can be found; then the variables have them.
    fn finds(&self, now: &Moment, values: &mut Vec<u32>) -> bool {
        let (states, messages) = now.named;
        states.may_contain(self.needs.0)
            && messages.may_contain(self.needs.1)
            && self.holds(now, values, 0)
    }

    fn holds(&self, now: &Moment, values: &mut Vec<u32>, step: usize) -> bool {
        let Some(this) = self.steps.get(step) else { return true };
        match this {
            SearchStep::Test(test) => test.holds(now, values) && self.holds(now, values, step + 1),
            SearchStep::Each(variable, sort) => {
                for value in now.all(*sort) {
                    values[*variable] = value;
                    if self.holds(now, values, step + 1) {
                        return true;
                    }
                }
                values[*variable] = NONE;
                false
            }
            SearchStep::Fact(process, pattern, fresh) => {
                for fact in now.processes[values[*process] as usize].1.named(pattern.named) {
                    if bind(fact, pattern, values) && self.holds(now, values, step + 1) {
                        return true;
                    }
                    fresh.iter().for_each(|&variable| values[variable] = NONE);
                }
                false
            }
            SearchStep::Match(pattern, fresh) => {
                let MessageEnds { to, from } = pattern.ends;
                let known = |end: Option<usize>| Some(values[end?]).filter(|&end| end != NONE);
                for number in now.messages_between(known(to), known(from)) {
                    let message = &now.messages[number as usize];
                    let number = now.processes.len() as u32 + number;
                    let at = [(Some(pattern.at), number), (to, message.to), (from, message.from)];
                    let at = at.into_iter().filter_map(|(of, is)| Some((of?, is)));
                    if message.way == pattern.way
                        && at.clone().all(|(of, is)| [NONE, is].contains(&values[of]))
                    {
                        at.for_each(|(of, is)| values[of] = is);
                        if bind(&message.fact, &pattern.says, values)
                            && self.holds(now, values, step + 1)
                        {
                            return true;
                        }
                        fresh.iter().for_each(|&variable| values[variable] = NONE);
                    }
                }
                false
            }
        }
    }
}

/// The variables of a term, and others with it, that have no value; they get one.
fn bind_new(
    term: &NamedTerm,
    others: impl IntoIterator<Item = usize>,
    bound: &mut [bool],
) -> Vec<usize> {
    let named = term.arguments.iter().filter_map(|argument| match argument {
        Argument::Variable(variable) => Some(*variable),
        _ => None,
    });
    let mut fresh: Vec<usize> = named.chain(others).filter(|&variable| !bound[variable]).collect();
    fresh.sort_unstable();
    fresh.dedup();
    fresh.iter().for_each(|&variable| bound[variable] = true);
    fresh
}

/// Returns whether a process says what every process can.
type BuiltIn = fn(&ProcessFacts) -> bool;

/// The facts that the processes of every algorithm can have.
const BUILT_IN: [(&str, BuiltIn); 5] = [
    ("asleep", |of| of.asleep),
    ("woke", |of| of.woke),
    ("leads", |of| of.status == Status::Leader),
    ("follows", |of| of.status == Status::Follower),
    ("halted", |of| of.halted),
];

/// The relation of a process with the next one forward, in a complete network with positions.
const NEXT: &str = "next";

/// The relation of neighbours.
const NEAR: &str = "near";

/// The relation of two neighbours in a tree with the processes on the side of the second.
const BEYOND: &str = "beyond";

/// Returns whether the network tells this of processes, and not their states.
fn is_relation(name: &str) -> bool {
    [NEXT, NEAR, BEYOND].contains(&name)
}

fn built_in(name: &str) -> Option<BuiltIn> {
    BUILT_IN.iter().find(|&&(known, _)| known == name).map(|&(_, says)| says)
}

impl From<NamedTerm> for FactPattern {
    fn from(NamedTerm { name, arguments, .. }: NamedTerm) -> Self {
        let name = FactName::new(name);
        let mut named = NameSet::default();
        named.insert(&name);
        Self { name, named, arguments }
    }
}

/// The parts that must all hold, or must not, for a claim to hold, or not to hold.
fn conjuncts(of: AssertionPart, holds: bool, into: &mut Conditions) {
    match (of, holds) {
        (AssertionPart::Not(of), _) => conjuncts(*of, !holds, into),
        (AssertionPart::All(parts), true) | (AssertionPart::Any(parts), false) => {
            parts.into_iter().for_each(|part| conjuncts(part, holds, into));
        }
        (AssertionPart::If(one, other), false) => {
            conjuncts(*one, true, into);
            conjuncts(*other, false, into);
        }
        (of, _) => into.push((holds, of)),
    }
}

/// In how many ways an assertion is taken apart at most.
const MOST_WAYS: usize = 64;

/// Conditions, and whether each holds.
type Conditions = Vec<(bool, AssertionPart)>;

/// Returns the ways in which all of these can hold, with one part of each disjunction in each of them. A disjunction is
/// taken apart if one of its parts names fewer variables than it does, or if every part finds values by itself.
fn alternatives(conditions: Conditions, variables: usize) -> Vec<Conditions> {
    let mut ways: Vec<Conditions> = vec![Vec::new()];
    for (holds, claim) in conditions {
        let parts = disjuncts(&claim, holds);
        let names = |variable: usize| {
            let named = |(_, part): &&(bool, AssertionPart)| part.mentions(&|of| of == variable);
            parts.iter().filter(named).count()
        };
        let differ = (0..variables).any(|of| (1..parts.len()).contains(&names(of)));
        let apart = ways.len() * parts.len() <= MOST_WAYS && parts.len() > 1;
        if apart && (differ || parts.iter().all(finds)) {
            let with = |way: &Conditions| -> Vec<Conditions> {
                let each = parts.iter().map(|(holds, part)| {
                    let mut way = way.clone();
                    conjuncts(part.clone(), *holds, &mut way);
                    way
                });
                each.collect()
            };
            ways = ways.iter().flat_map(with).collect();
        } else {
            ways.iter_mut().for_each(|way| way.push((holds, claim.clone())));
        }
    }
    ways
}

/// Returns the alternatives that make a claim hold, or not hold; none if it is no disjunction.
fn disjuncts(of: &AssertionPart, holds: bool) -> Conditions {
    match (of, holds) {
        (AssertionPart::Any(parts), true) | (AssertionPart::All(parts), false) => {
            parts.iter().map(|part| (holds, part.clone())).collect()
        }
        (AssertionPart::If(one, other), true) => {
            vec![(false, (**one).clone()), (true, (**other).clone())]
        }
        _ => Vec::new(),
    }
}

/// Returns whether values for a condition can be found without a test of all of them.
fn finds((holds, part): &(bool, AssertionPart)) -> bool {
    let mut all = Vec::new();
    conjuncts(part.clone(), *holds, &mut all);
    all.iter().any(|(holds, claim)| match claim {
        AssertionPart::Message(..) => *holds,
        AssertionPart::State(_, term) => {
            *holds && built_in(&term.name).is_none() && !is_relation(&term.name)
        }
        _ => false,
    })
}

/// Whether no variable that is searched for and has no value is in a claim.
fn free_of(claim: &AssertionPart, bound: &[bool], search: &[usize]) -> bool {
    !claim.mentions(&|variable| search.contains(&variable) && !bound[variable])
}

impl Test {
    fn new(of: AssertionPart, holds: bool, about: &Assertion, bound: &mut Vec<bool>) -> Self {
        if !holds {
            return Self::Not(Box::new(Self::new(of, true, about, bound)));
        }
        let mut all = |parts: Vec<AssertionPart>| -> Vec<Self> {
            parts.into_iter().map(|part| Self::new(part, true, about, bound)).collect()
        };
        match of {
            AssertionPart::Not(of) => Self::Not(Box::new(Self::new(*of, true, about, bound))),
            AssertionPart::All(parts) => Self::All(all(parts)),
            AssertionPart::Any(parts) => Self::Any(all(parts)),
            AssertionPart::If(one, other) => Self::Any(all(vec![AssertionPart::Not(one), *other])),
            AssertionPart::Exists(variables, of) => {
                Self::Exists(Query::new(*of, &variables, about, bound))
            }
            AssertionPart::Order(one, how, other) => match (about.variables[one].sort, how) {
                (Sort::Place, Comparison::Less) => Self::Earlier(one, other),
                (Sort::Place, Comparison::AtMost) => Self::Not(Box::new(Self::Earlier(other, one))),
                _ => Self::Order(one, how, other),
            },
            AssertionPart::Between(from, at, to) => Self::Between(from, at, to),
            AssertionPart::State(of, term) => match (built_in(&term.name), &term.arguments[..]) {
                (Some(holds), _) => Self::BuiltIn(of, holds),
                (None, &[Argument::Variable(next)]) if term.name == NEXT => Self::Next(of, next),
                (None, &[Argument::Variable(near)]) if term.name == NEAR => Self::Near(of, near),
                (None, &[Argument::Variable(to), Argument::Variable(of_side)])
                    if term.name == BEYOND =>
                {
                    Self::Beyond(of, to, of_side)
                }
                (None, _) => Self::State(of, term.into()),
            },
            AssertionPart::Message(way, term, at, ends) => {
                Self::Message(MessagePattern { way, says: term.into(), at, ends })
            }
            AssertionPart::Sent(..) => Self::Sent,
            AssertionPart::AsMany(terms) => Self::AsMany(CountedTest::all(terms, about, bound)),
        }
    }

    fn holds(&self, now: &Moment, values: &mut Vec<u32>) -> bool {
        let process = |variable: usize| &*now.processes[values[variable] as usize].1;
        match self {
            Self::Order(one, Comparison::Same, other) => values[*one] == values[*other],
            Self::Order(one, Comparison::Less, other) => process(*one).id < process(*other).id,
            Self::Order(one, Comparison::AtMost, other) => process(*one).id <= process(*other).id,
            Self::Between(from, at, to) => {
                let [from, at, to] = [from, at, to].map(|&spot| now.place(values[spot]));
                let turns = [(from, at, to), (at, to, from), (to, from, at)];
                turns.iter().any(|(a, b, c)| a < b && b < c)
            }
            Self::Next(one, next) => {
                let after = now.place(values[*one]) + 1;
                after % now.processes.len() as u32 == now.place(values[*next])
            }
            Self::Earlier(one, other) => now.place(values[*one]) < now.place(values[*other]),
            Self::Near(one, other) => now.links.are_near(values[*one], values[*other]),
            Self::Beyond(from, to, of) => {
                now.links.is_beyond(values[*from], values[*to], values[*of])
            }
            Self::BuiltIn(of, holds) => holds(process(*of)),
            Self::State(of, pattern) => {
                process(*of).named(pattern.named).iter().any(|fact| says(fact, pattern, values))
            }
            Self::Message(MessagePattern { way, says: pattern, at, ends }) => {
                let message = &now.messages[values[*at] as usize - now.processes.len()];
                message.way == *way
                    && ends.to.is_none_or(|to| values[to] == message.to)
                    && ends.from.is_none_or(|from| values[from] == message.from)
                    && says(&message.fact, pattern, values)
            }
            Self::Sent => false,
            Self::Not(of) => !of.holds(now, values),
            Self::AsMany(terms) => {
                let [left, right] = CountedTest::sides(terms, now, values);
                left == right
            }
            Self::All(parts) => parts.iter().all(|part| part.holds(now, values)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(now, values)),
            Self::Exists(query) => {
                let found = query.finds(now, values);
                query.search.iter().for_each(|&variable| values[variable] = NONE);
                found
            }
        }
    }
}

impl CountedTest {
    fn all(terms: Vec<CountedTerm>, about: &Assertion, bound: &mut Vec<bool>) -> Vec<Self> {
        let test = |CountedTerm { variable, such, is_left }| {
            let sort = about.variables[variable].sort;
            Self { variable, sort, such: Test::new(such, true, about, bound), is_left }
        };
        terms.into_iter().map(test).collect()
    }

    /// Returns the numbers on the left and on the right.
    fn sides(terms: &[Self], now: &Moment, values: &mut Vec<u32>) -> [usize; 2] {
        let mut sides = [0; 2];
        for Self { variable, sort, such, is_left } in terms {
            let all = now.all(*sort);
            let counts = all.filter(|&value| {
                values[*variable] = value;
                such.holds(now, values)
            });
            sides[usize::from(!is_left)] += counts.count();
            values[*variable] = NONE;
        }
        sides
    }
}

impl Moment {
    /// Returns the numbers of all processes, or of all messages.
    fn all(&self, sort: Sort) -> core::ops::Range<u32> {
        let (processes, messages) = (self.processes.len() as u32, self.messages.len() as u32);
        match sort {
            Sort::Process => 0..processes,
            Sort::Place => processes..processes + messages,
        }
    }

    /// Returns the place of a process, or of a message, whose numbers follow those of processes.
    fn place(&self, number: u32) -> u32 {
        match (number as usize).checked_sub(self.processes.len()) {
            None => self.processes[number as usize].0,
            Some(message) => self.messages[message].place,
        }
    }
}

/// Gives the variables of a term that have none the values of a fact; returns whether the fact is then
/// what the term says.
fn bind(fact: &KnownFact, term: &FactPattern, values: &mut [u32]) -> bool {
    if fact.name != term.name {
        return false;
    }
    for (argument, &value) in term.arguments.iter().zip(&fact.values) {
        if let (Argument::Variable(variable), KnownValue::Process(process)) = (argument, value)
            && values[*variable] == NONE
        {
            values[*variable] = process;
        }
    }
    says(fact, term, values)
}

/// Whether a fact is what a term says. A term may have fewer arguments.
fn says(fact: &KnownFact, term: &FactPattern, values: &[u32]) -> bool {
    fact.name == term.name
        && term.arguments.len() <= fact.values.len()
        && term.arguments.iter().zip(&fact.values).all(|(argument, &value)| match argument {
            Argument::Any => true,
            Argument::Port(way) => value == KnownValue::Way(*way),
            Argument::Most => value == KnownValue::Most,
            Argument::Variable(variable) => value == KnownValue::Process(values[*variable]),
        })
}

#[cfg(test)]
mod tests;
