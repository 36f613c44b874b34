//! Proofs: every invariant of a header holds at first, and every reaction keeps it; and what follows.

use crate::condition::{Lemma, ReactionFault, Refutation};
use crate::counterexample;
use crate::ground::{Atom, GroundFormula, GroundOutcome, GroundProblem, Solution, Spot};
use crate::prelude::{Claimed, Status};
use crate::smt::{NO_LEADER, NOT_ALL_HALTED, Script, ScriptMoment};
use crate::symbols::NotTabulated;
use crate::system::{BEYOND, RingReaction, System, When, is_leader, near};
use crate::table::{Effect, LinkedNetwork, MISCOUNTED, Table, View};
use crate::theory;
use std::{
    fmt,
    num::NonZero,
    ops::Range,
    panic::resume_unwind,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    thread,
};
use suffrage_algorithms::assertion::{Assertion, RingDirection, Sort};
use suffrage_algorithms::{FactValue, Property, Rule, Statement};

/// What is to be proved of a table.
pub struct Proof<'t> {
    system: System<'t>,
    lemmas: Vec<Lemma>,
    /// The finite sets of processes, each as a formula. The first set has the initiators.
    sets: Vec<Assertion>,
    rule: Rule,
    /// The properties that are to be shown beside the invariants.
    properties: &'t [&'t str],
}

/// What is shown of an algorithm, for every number of processes and every schedule.
#[derive(Debug, Default)]
pub struct Report {
    /// Each condition with what came of it, in the order of proof.
    pub conditions: Vec<Condition>,
    /// The reactions that are possible as far as the invariants say.
    pub possible: Vec<String>,
    /// Those that are not.
    pub unreachable: Vec<String>,
    /// The conditions for other solvers.
    pub scripts: Vec<Script>,
}

/// A condition of a proof.
#[derive(Debug)]
pub struct Condition {
    /// What it shows: an invariant, or a property of elections.
    pub shows: String,
    /// At which moment.
    pub moment: String,
    /// The refutation; or a counterexample to induction, in words.
    pub result: Result<Refutation, String>,
}

/// A proof that cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProof(pub String);

impl fmt::Display for NoProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoProof {}

impl From<NotTabulated> for NoProof {
    fn from(NotTabulated(why): NotTabulated) -> Self {
        Self(why)
    }
}

impl Report {
    /// Returns the conditions that do not hold.
    pub fn failures(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter().filter(|condition| condition.result.is_err())
    }

    /// Returns whether all conditions hold.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.failures().next().is_none()
    }

    /// Returns what is shown, with the number of conditions of each, in the order of proof.
    #[must_use]
    pub fn shown(&self) -> Vec<(&str, usize)> {
        let mut shown: Vec<(&str, usize)> = Vec::new();
        for condition in &self.conditions {
            match shown.iter_mut().find(|(name, _)| *name == condition.shows) {
                Some((_, count)) => *count += 1,
                None => shown.push((&condition.shows, 1)),
            }
        }
        shown
    }
}

/// The number of instances of invariants that a problem may have for the sake of what exists: for each of the many
/// conditions of reactions, for each of the few that follow from the invariants, and where messages are followed.
const LARGEST: [usize; 3] = [20_000, 250_000, 400_000];

/// The number of processes and messages in a problem from which on no invariant is added for its solution.
const MOST_NAMED: usize = 30;

/// The level at which all invariants are assumed that do not say that something exists.
const UNIVERSAL: usize = 1;

/// Tries to prove a process for every number of processes: invariants, each a name and a sentence with its
/// formula beneath, and properties of elections: those of [`Property`] that speak of no number, `sent-once` and
/// `announced`.
///
/// The file of the process is compiled against this crate in place of `suffrage`, as
/// `evidence/proofs/tests/as_far.rs` does it.
///
/// # Errors
/// If the process does more with identities than compare them, or a formula does not fit.
pub fn prove<P: Claimed>(
    invariants: &[(&'static str, &'static str)],
    properties: &[&str],
) -> Result<Report, NoProof> {
    let table = Table::of::<P>()?;
    let statements = invariants.iter().map(Statement::of);
    Ok(Proof::new(&table, statements, P::CLAIMS.rule, properties, &[])?.run(false))
}

impl<'t> Proof<'t> {
    /// Prepares the proof of the statements with a formula, and of properties of elections, for a process
    /// that elects by this rule. That the initiators are finitely many is assumed, and of these sets, too, each a
    /// formula with one variable: if there is such a process, one has the smallest identity, and one the largest.
    ///
    /// # Errors
    /// If the table says things that formulas cannot, or a formula says what the table does not.
    pub fn new(
        table: &'t Table,
        statements: impl IntoIterator<Item = Statement>,
        rule: Rule,
        properties: &'t [&'t str],
        sets: &[&str],
    ) -> Result<Self, NoProof> {
        let system = System::new(table)?;
        let mut texts = fresh(&system);
        let stated = statements.into_iter();
        texts.extend(stated.filter_map(|of| Some((of.name.to_owned(), of.formula?.to_owned()))));
        let read = |(name, text): (String, String)| {
            let assertion =
                Assertion::read(&text).map_err(|error| NoProof(format!("*{name}*, {error}")))?;
            match system.fault_in(&assertion) {
                Some(fault) => Err(NoProof(format!("*{name}*: {fault}"))),
                None => Ok(Lemma { name: name.into(), assertion }),
            }
        };
        let lemmas = texts.into_iter().map(read).collect::<Result<_, _>>()?;
        let set = |text: &&str| {
            let Lemma { name, assertion } = read(("a finite set".into(), (*text).into()))?;
            let most = if system.table.links.is_some() { 2 } else { 1 };
            let variables = &assertion.variables;
            let is_of_processes = variables.iter().all(|of| of.sort == Sort::Process);
            match is_of_processes && (1..=most).contains(&variables.len()) {
                true => Ok(assertion),
                false => Err(NoProof(format!("*{name}*: `{text}` is said of one process"))),
            }
        };
        let miscounts = |effect: &Effect| *effect == Effect::Reject(MISCOUNTED);
        if table.rows.iter().any(|row| row.effects.iter().any(miscounts))
            && !properties.contains(&POSSIBLE)
        {
            return Err(NoProof(format!("{MISCOUNTED}, unless *{POSSIBLE}* says that none is")));
        }
        let sets = ["woke(a)"].iter().chain(sets).map(set).collect::<Result<_, _>>()?;
        Ok(Self { system, lemmas, sets, rule, properties })
    }

    /// Tries the proof, on all processors. With `until_failure` it ends with the first reaction or part with a
    /// condition that does not hold.
    #[must_use]
    pub fn run(&self, until_failure: bool) -> Report {
        let mut report = Report::default();
        self.initiation(&mut report);
        if until_failure && !report.is_proved() {
            return report;
        }
        let reactions = self.system.reactions();
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let work = || {
            let mut done = Vec::new();
            while !(until_failure && failed.load(Relaxed)) {
                let number = next.fetch_add(1, Relaxed);
                let Some(&reaction) = reactions.get(number) else { break };
                let part = self.kept(reaction);
                failed.fetch_or(!part.is_proved(), Relaxed);
                done.push((number, part));
            }
            done
        };
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let mut parts: Vec<(usize, Report)> = thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| match worker.join() {
                Ok(done) => done,
                Err(payload) => resume_unwind(payload),
            };
            workers.into_iter().flat_map(join).collect()
        });
        parts.sort_unstable_by_key(|(number, _)| *number);
        for (_, part) in parts {
            report.conditions.extend(part.conditions);
            report.possible.extend(part.possible);
            report.unreachable.extend(part.unreachable);
            report.scripts.extend(part.scripts);
        }
        if !until_failure || report.is_proved() {
            self.consequences(&mut report);
        }
        report
    }

    /// Every invariant holds at first.
    fn initiation(&self, report: &mut Report) {
        let start = || When::Start(&self.system.table.start, self.system.table.links);
        let mut script = Script::new(&self.system, "at first");
        for lemma in &self.lemmas {
            let problem = GroundProblem::make(|problem| {
                self.assume_not(lemma, &start(), problem);
                self.system.states(problem);
            });
            let holds = self.concluded(&problem, problem.solve(theory::axioms), start(), None);
            script.refute(&lemma.name, &holds, |script| {
                script.broken(&lemma.assertion, ScriptMoment::Start)
            });
            report.add(&lemma.name, "at first", holds);
        }
        report.scripts.push(script);
    }

    /// A reaction keeps every invariant, or the invariants say that it cannot happen.
    fn kept(&self, reaction: RingReaction<'t>) -> Report {
        let mut report = Report::default();
        let moment = reaction.to_string();
        let mut script = Script::new(&self.system, &moment);
        script.assume(&self.lemmas);
        let sends = script.react(reaction, &self.system);
        if self.has_equations() {
            script.nearest(&self.sets[1..]);
        }
        let excluded = match reaction {
            RingReaction::Discard { .. } => self.is_wanted(SILENT),
            _ if reaction.strays() => self.is_wanted(PORTS),
            _ => reaction.rejects().is_some() && self.is_wanted(POSSIBLE),
        };
        let happens = match excluded {
            // What must not happen need not be shown harmless as well.
            true => self.refute(reaction, &ReactionFault::Happens),
            false => self.conclude(
                &GroundProblem::make(|problem| {
                    let change = self.system.react(reaction, problem);
                    self.system.name_all(&change, problem);
                    self.known(&self.lemmas, problem, UNIVERSAL, None);
                }),
                Some(reaction),
            ),
        };
        if happens.is_ok() {
            let shows = match reaction {
                RingReaction::Discard { .. } => SILENT,
                _ if reaction.is_announced() => ANNOUNCED,
                _ if reaction.strays() => PORTS,
                _ if reaction.rejects().is_some() => POSSIBLE,
                _ => UNREACHABLE,
            };
            let shows = if self.is_wanted(shows) { shows } else { UNREACHABLE };
            script.refute(shows, &happens, |_| String::from("true"));
            report.add(shows, &moment, happens);
            report.unreachable.push(moment);
        } else {
            for (shows, fault) in self.faults(reaction) {
                let refuted = self.refute(reaction, &fault);
                script.refute(shows, &refuted, |script| script.fault(&fault, &sends));
                report.add(shows, &moment, refuted);
            }
            report.possible.push(moment);
        }
        report.scripts.push(script);
        report
    }

    /// What a reaction must not do, and what is shown if it does not.
    fn faults(&self, reaction: RingReaction<'t>) -> Vec<(&str, ReactionFault<'_>)> {
        let mut faults: Vec<(&str, ReactionFault<'_>)> = Vec::new();
        for lemma in &self.lemmas {
            let shows = if reaction.is_announced() { ANNOUNCED } else { &lemma.name };
            faults.push((shows, ReactionFault::Breaks(lemma)));
        }
        if reaction.rejects().is_some() {
            faults.push((POSSIBLE, ReactionFault::Happens));
        }
        if reaction.strays() {
            faults.push((PORTS, ReactionFault::Happens));
        }
        match reaction {
            RingReaction::Discard { .. } => faults.push((SILENT, ReactionFault::Happens)),
            RingReaction::Row { .. } => {
                let decisions = [Status::Leader, Status::Follower];
                faults
                    .extend(decisions.map(|of| ("irrevocable-status", ReactionFault::Revokes(of))));
            }
            RingReaction::Dismiss { .. } | RingReaction::Rouse => {}
        }
        if reaction.sends() {
            faults.push((SENT_ONCE, ReactionFault::Repeats));
            if self.system.table.complete && !self.system.table.ports {
                faults.push((PORTS, ReactionFault::Strays));
            }
        }
        faults.retain(|(shows, _)| self.is_wanted(shows));
        faults
    }

    /// Whether this is an invariant or one of the properties that are to be shown.
    fn is_wanted(&self, shows: &str) -> bool {
        let is_property = Property::ALL.iter().any(|of| of.name() == shows)
            || [SENT_ONCE, ANNOUNCED].contains(&shows);
        !is_property || self.properties.contains(&shows)
    }

    /// What follows from the invariants at any moment.
    fn consequences(&self, report: &mut Report) {
        let mut script = Script::new(&self.system, "at any moment");
        script.assume(&self.lemmas);
        script.finite(&self.sets);
        script.majorities_meet();
        let mut shown: Vec<Lemma> = Vec::new();
        let order = match self.rule {
            Rule::LargestInitiator => Some("leads(a) & woke(b) -> b <= a"),
            Rule::SmallestInitiator => Some("leads(a) & woke(b) -> a <= b"),
            Rule::LargestId => Some("leads(a) -> b <= a"),
            Rule::SmallestId => Some("leads(a) -> a <= b"),
            _ => None,
        };
        let one = Some("leads(a) & leads(b) -> a = b");
        for (name, text) in [("at-most-one-leader", one), ("winner-by-rule", order)] {
            let Some(Ok(assertion)) = text.map(Assertion::read) else { continue };
            let goal = Lemma { name: name.into(), assertion };
            let result = self.follows((&self.lemmas, &shown), &|problem| {
                self.assume_not(&goal, &When::Before, problem);
            });
            if self.is_wanted(name) {
                script.refute(name, &result, |script| {
                    script.broken(&goal.assertion, ScriptMoment::Before)
                });
            }
            // What has not been shown is no reason for anything else.
            if result.is_ok() {
                script.assume([&goal]);
                shown.push(goal);
            }
            report.add(name, "at any moment", result);
        }
        let agreement = self.follows((&self.lemmas, &shown), &|problem| {
            let [follower, named, leader] =
                ["a process", "the one that it names", "the leader"].map(|name| problem.node(name));
            problem.assume(self.system.names(follower, named));
            problem.assume(self.system.views(leader, &When::Before, true, &is_leader));
            problem.assume(GroundFormula::same_node(named, leader, false));
        });
        if self.is_wanted("agreement") {
            script.refute("agreement", &agreement, |_| Script::disagree(&self.system));
        }
        report.add("agreement", "at any moment", agreement);
        self.at_rest(&shown, &mut script, report);
        report.conditions.retain(|condition| self.is_wanted(&condition.shows));
        report.scripts.push(script);
    }

    /// What follows from the invariants, and what has been shown, once a process has woken and nothing is under way any
    /// more.
    fn at_rest(&self, shown: &[Lemma], script: &mut Script, report: &mut Report) {
        let lemmas: Vec<_> = self.lemmas.iter().map(Lemma::when_silent).collect();
        let without_leader = |problem: &mut GroundProblem| {
            let follows = |node| self.system.views(node, &When::Before, false, &is_leader);
            problem.assume_of_each(Sort::Process, follows);
        };
        let with_another = |problem: &mut GroundProblem| {
            let goes_on = problem.node("a process that has not halted");
            let halted = |view: &View| view.halted;
            problem.assume(self.system.views(goes_on, &When::Before, false, &halted));
        };
        type Goal<'a> = (&'a str, &'a dyn Fn(&mut GroundProblem), &'a str);
        let goals: [Goal<'_>; 2] = [
            (Property::ExactlyOneLeader.name(), &without_leader, NO_LEADER),
            (Property::EveryoneHalted.name(), &with_another, NOT_ALL_HALTED),
        ];
        for (name, negation, written) in goals.into_iter().filter(|of| self.is_wanted(of.0)) {
            let result = self.follows((&lemmas, shown), &|problem| {
                let initiator = problem.node("an initiator");
                problem.assume(GroundFormula::Is(Atom::Woke(initiator), true));
                negation(problem);
                for way in [RingDirection::Forward, RingDirection::Back] {
                    let silent = |point| GroundFormula::Is(Atom::Taken(way, point), false);
                    problem.assume_of_each(Sort::Place, silent);
                }
                self.sets[1..].iter().for_each(|set| match set.variables[..] {
                    [_] => {
                        self.finite(set, problem);
                        self.connected(set, problem);
                    }
                    _ => self.deepest(set, problem),
                });
            });
            script.refute(name, &result, |script| script.at_rest(written));
            report.add(name, "when nothing is under way", result);
        }
    }

    /// Whether something follows from the invariants, what has been shown, and finiteness.
    fn follows(
        &self,
        (lemmas, shown): (&[Lemma], &[Lemma]),
        negation: &dyn Fn(&mut GroundProblem),
    ) -> Shown {
        self.by_levels(None, (lemmas, None), &|problem, level| {
            negation(problem);
            self.system.majorities_meet(problem);
            self.finite(&self.sets[0], problem);
            self.known(lemmas, problem, level, None);
            shown.iter().for_each(|lemma| self.universal(lemma, problem));
        })
    }

    /// If the set is not empty, one of its processes has the smallest identity, and one the largest.
    fn finite(&self, set: &Assertion, problem: &mut GroundProblem) {
        let has = |node, problem: &mut GroundProblem| self.has(set, &[node], true, problem);
        for extreme in ["smallest", "largest"] {
            let first = problem.node(format!("the {extreme} of a set"));
            let is_in = has(first, problem);
            for node in 0..problem.total(Sort::Process) {
                let (one, other) =
                    if extreme == "smallest" { (node, first) } else { (first, node) };
                let is_before = GroundFormula::Is(Atom::Smaller(one, other), false);
                let is_first = GroundFormula::All(vec![is_in.clone(), is_before]);
                let is_not = has(node, problem).negated();
                problem.assume(GroundFormula::Any(vec![is_not, is_first]));
            }
        }
    }

    /// In a connected network, if some process is in the set and some is not, there are two such neighbours.
    fn connected(&self, set: &Assertion, problem: &mut GroundProblem) {
        if self.system.table.links.is_none() {
            return;
        }
        let has = |node, holds, problem: &mut GroundProblem| self.has(set, &[node], holds, problem);
        let [inside, outside] =
            ["a process in the set", "its neighbour outside"].map(|name| problem.node(name));
        let joined = GroundFormula::All(vec![
            near(inside, outside, true),
            has(inside, true, problem),
            has(outside, false, problem),
        ]);
        for one in 0..problem.total(Sort::Process) {
            for other in 0..problem.total(Sort::Process) {
                let ways =
                    vec![has(one, false, problem), has(other, true, problem), joined.clone()];
                problem.assume(GroundFormula::Any(ways));
            }
        }
    }

    /// In a finite tree, if there is a link in the set, there is one from which none in the set leads on.
    fn deepest(&self, set: &Assertion, problem: &mut GroundProblem) {
        if self.system.table.links != Some(LinkedNetwork::Tree) {
            return;
        }
        let [from, to] = ["the last in the set", "its end"].map(|name| problem.node(name));
        let is_in = |one, other, holds, problem: &mut GroundProblem| {
            let parts = vec![near(one, other, holds), self.has(set, &[one, other], holds, problem)];
            GroundFormula::all(parts, holds)
        };
        let mut last = vec![is_in(from, to, true, problem)];
        for next in 0..problem.total(Sort::Process) {
            let back = GroundFormula::same_node(next, from, true);
            last.push(GroundFormula::Any(vec![back, is_in(to, next, false, problem)]));
        }
        for one in 0..problem.total(Sort::Process) {
            for other in 0..problem.total(Sort::Process) {
                let none = is_in(one, other, false, problem);
                let last = GroundFormula::All(last.clone());
                problem.assume(GroundFormula::Any(vec![none, last]));
            }
        }
    }

    fn has_equations(&self) -> bool {
        self.lemmas.iter().any(Lemma::is_equation)
    }

    /// If another process on the ring than this one is in a set, one of them comes first on the way forward, and one last.
    fn nearest(&self, node: usize, problem: &mut GroundProblem) {
        for set in &self.sets[1..] {
            for (is_first, name) in [(true, "the first of a set"), (false, "the last of it")] {
                let nearest = problem.node(name);
                let is_in = self.has(set, &[nearest], true, problem);
                for one in 0..problem.total(Sort::Process) {
                    let [from, at, to] = [node, one, nearest].map(Spot::Of);
                    let (from, to) = if is_first { (from, to) } else { (to, from) };
                    let is_nearest = GroundFormula::All(vec![
                        GroundFormula::same_node(nearest, node, false),
                        is_in.clone(),
                        GroundFormula::between(from, at, to, false),
                    ]);
                    let is_not = self.has(set, &[one], false, problem);
                    let is_it = GroundFormula::same_node(one, node, true);
                    problem.assume(GroundFormula::Any(vec![is_not, is_it, is_nearest]));
                }
            }
        }
    }

    /// That these processes are in a set, or not.
    fn has(
        &self,
        set: &Assertion,
        values: &[usize],
        holds: bool,
        problem: &mut GroundProblem,
    ) -> GroundFormula {
        let part = (&set.formula, holds);
        self.system.read(part, &set.variables, values, &When::Before, (problem, false))
    }

    /// Refutes that a reaction takes place, and this comes of it.
    fn refute(&self, reaction: RingReaction<'t>, fault: &ReactionFault<'_>) -> Shown {
        let own = match *fault {
            ReactionFault::Breaks(lemma) => Some(lemma),
            _ => None,
        };
        self.by_levels(Some(reaction), (&self.lemmas, own), &|problem, level| {
            let change = self.system.react(reaction, problem);
            let node = change.node();
            let mut own = None;
            match *fault {
                ReactionFault::Happens if self.has_equations() => self.nearest(node, problem),
                ReactionFault::Happens => {}
                ReactionFault::Breaks(lemma) => {
                    let values = self.assume_not(lemma, &When::After(change), problem);
                    own = Some((lemma, values));
                }
                ReactionFault::Revokes(status) => {
                    let such = |view: &View| view.status == status;
                    problem.assume(self.system.views(node, &When::Before, true, &such));
                    problem.assume(self.system.views(node, &When::After(change), false, &such));
                }
                ReactionFault::Repeats => {
                    problem.assume(GroundFormula::Any(self.system.sent_again(&change)));
                }
                ReactionFault::Strays => {
                    problem.assume(GroundFormula::Any(self.system.strays(&change)));
                }
            }
            self.known(&self.lemmas, problem, level, own.as_ref());
        })
    }

    /// Tries to refute what `make` assumes: with the invariant alone that is to be shown; with all that do not say that
    /// something exists; and with the others. Where some are equations, these are added where a solution does not fulfil
    /// them. Elsewhere they come in a fixed order: what the one to be shown says of the same processes before the step,
    /// and of all; then those of one process that say that processes exist, and at last those of messages. What becomes
    /// too large is not tried.
    fn by_levels(
        &self,
        reaction: Option<RingReaction<'t>>,
        (lemmas, own): (&[Lemma], Option<&Lemma>),
        make: &dyn Fn(&mut GroundProblem, usize),
    ) -> Shown {
        let counts = self.has_equations();
        let levels = match !counts && self.lemmas.iter().any(Lemma::says_what_exists) {
            true if own.is_some_and(Lemma::says_what_exists) => UNIVERSAL + 5,
            true => UNIVERSAL + 3,
            false => UNIVERSAL + 1,
        };
        let mut all: Vec<(usize, bool, bool)> =
            (0..levels).map(|level| (level, false, false)).collect();
        if self.system.table.links == Some(LinkedNetwork::Tree) {
            all.insert(UNIVERSAL + 1, (UNIVERSAL, true, false));
        }
        if counts {
            all.push((UNIVERSAL, false, true));
        }
        let of = match (own, reaction) {
            (Some(_), _) => EquationProcesses::None,
            (None, Some(_)) => EquationProcesses::First,
            (None, None) => EquationProcesses::Added,
        };
        let mut tried = None;
        for (level, has_sides, adds) in all {
            let make = |instances: &[LemmaInstance<'_>]| {
                GroundProblem::make(|problem| {
                    problem.has_sides = has_sides;
                    make(problem, level);
                    for (lemma, values) in instances {
                        match lemma.is_equation() {
                            true => self.assume_equation(lemma, values, problem),
                            false => self.assume_instance(lemma, values, problem, true),
                        }
                    }
                })
            };
            let problem = make(&[]);
            let largest = match self.system.follows_messages() {
                true => LARGEST[2],
                false => LARGEST[usize::from(reaction.is_none())],
            };
            if level > UNIVERSAL && self.instances(&problem) > largest {
                continue;
            }
            let (problem, outcome, added) = match adds {
                true => self.with_instances(lemmas, problem, of, &make),
                false => {
                    let outcome = problem.solve(theory::axioms);
                    (problem, outcome, 0)
                }
            };
            if let GroundOutcome::Refuted(refutation) = outcome {
                let existential = level > UNIVERSAL || added > 0;
                return Ok(Refutation { existential, ..refutation });
            }
            tried = Some((problem, outcome));
        }
        let (problem, outcome) = tried.expect("the first level is tried");
        self.concluded(&problem, outcome, When::Before, reaction)
    }

    /// Solves a problem. As long as a solution does not fulfil an invariant that is not assumed of everything, what it
    /// says of the same processes and messages is added, unless it becomes too large. Returns how often it was. `of` are
    /// the processes in the premises of equations.
    fn with_instances<'l>(
        &self,
        lemmas: &'l [Lemma],
        mut problem: GroundProblem,
        of: EquationProcesses,
        make: &dyn Fn(&[LemmaInstance<'l>]) -> GroundProblem,
    ) -> (GroundProblem, GroundOutcome, usize) {
        let mut added = Vec::new();
        let first = [Sort::Process, Sort::Place].map(|sort| 0..problem.total(sort));
        loop {
            let outcome = problem.solve(theory::axioms);
            let GroundOutcome::Solved(solution) = &outcome else {
                return (problem, outcome, added.len());
            };
            let named = problem.total(Sort::Process) + problem.total(Sort::Place);
            let lacking = match named <= MOST_NAMED {
                true => self.lacking((lemmas, &added), &first, of, (&mut problem, solution)),
                false => None,
            };
            let Some(lacking) = lacking else { return (problem, outcome, added.len()) };
            added.push(lacking);
            problem = make(&added);
        }
    }

    /// Returns an invariant, and processes and messages for which a solution does not fulfil it: one that says that
    /// something exists, for what the problem named at first; an equation; or one that says so of anything.
    fn lacking<'l>(
        &self,
        (lemmas, added): (&'l [Lemma], &[LemmaInstance<'l>]),
        first: &[Range<usize>; 2],
        of: EquationProcesses,
        (problem, solution): (&mut GroundProblem, &Solution),
    ) -> Option<LemmaInstance<'l>> {
        let all = [Sort::Process, Sort::Place].map(|sort| 0..problem.total(sort));
        let processes = match of {
            EquationProcesses::None => 0..0,
            EquationProcesses::First => first[0].clone(),
            EquationProcesses::Added => first[0].end..all[0].end,
        };
        let mut lacks = |lemma: &'l Lemma, ranges: &[Range<usize>; 2]| {
            let mut choices =
                System::choices(&lemma.assertion, |sort| ranges[sort as usize].clone());
            if lemma.is_equation() {
                choices.reverse(); // Equations are of use for what others have named last.
            }
            let is_new = |values: &Vec<usize>| {
                !added.iter().any(|(of, known)| std::ptr::eq(*of, lemma) && known == values)
            };
            let values = choices.into_iter().filter(is_new).find(|values| {
                let Assertion { formula, variables, .. } = &lemma.assertion;
                if lemma.is_equation() {
                    let of_these = (&mut *problem, solution);
                    return self.system.is_unbalanced(&lemma.assertion, values, of_these);
                }
                let (part, now) = ((formula, false), &When::Before);
                let of_these = (&mut *problem, false);
                solution.holds(&self.system.read(part, variables, values, now, of_these))
            });
            Some((lemma, values?))
        };
        let existential = || lemmas.iter().filter(|lemma| lemma.says_what_exists());
        let equations = || lemmas.iter().filter(|lemma| lemma.is_equation());
        let of_none = equations().filter(|lemma| lemma.assertion.free == 0);
        let said = [processes, all[1].clone()];
        existential()
            .find_map(|lemma| lacks(lemma, first))
            .or_else(|| of_none.chain(equations()).find_map(|lemma| lacks(lemma, &said)))
            .or_else(|| existential().find_map(|lemma| lacks(lemma, &all)))
    }

    /// Assumes that an equation holds of these processes.
    fn assume_equation(
        &self,
        Lemma { name, assertion }: &Lemma,
        values: &[usize],
        problem: &mut GroundProblem,
    ) {
        let (premise, _) = assertion.equation().expect("an equation");
        let (part, variables, now) = ((premise, false), &assertion.variables, &When::Before);
        problem.assume_of(name, |problem| {
            let balanced = self.system.balanced(assertion, values, problem);
            let is_not = self.system.read(part, variables, values, now, (&mut *problem, false));
            problem.assume(GroundFormula::Any(vec![is_not, balanced]));
        });
    }

    /// The number of instances of the invariants that do not say that something exists, in such a problem.
    fn instances(&self, problem: &GroundProblem) -> usize {
        let universal = self.lemmas.iter().filter(|lemma| {
            let of_sides = lemma.assertion.mentions_fact(BEYOND) && !problem.has_sides;
            !lemma.assertion.is_existential() && !of_sides
        });
        let instances = |Lemma { assertion, .. }: &Lemma| {
            let Assertion { variables, free, .. } = assertion;
            match self.system.follows_messages() {
                true => self.system.chosen(assertion, problem, false).len(),
                false => variables[..*free].iter().map(|of| problem.total(of.sort)).product(),
            }
        };
        universal.map(instances).sum()
    }

    /// Assumes the invariants. The one that is to be shown comes with what it is to be shown of.
    fn known(
        &self,
        lemmas: &[Lemma],
        problem: &mut GroundProblem,
        level: usize,
        own: Option<&(&Lemma, Vec<usize>)>,
    ) {
        if problem.has_sides {
            self.system.ways(problem);
        }
        let is_own = |lemma: &Lemma| own.is_some_and(|(own, _)| std::ptr::eq(*own, lemma));
        let own_first = own.filter(|(own, _)| own.says_what_exists());
        if let Some((own, values)) = own_first.filter(|_| level > UNIVERSAL) {
            self.assume_instance(own, values, problem, true);
        }
        if level > UNIVERSAL && problem.is_step {
            self.system.reach_all(problem);
        }
        match (level.saturating_sub(UNIVERSAL), own_first) {
            (0, _) | (1, Some(_)) => {}
            (2, Some((own, _))) => self.existential(&[own], problem),
            (step, own) => {
                let messages = step == if own.is_some() { 4 } else { 2 };
                let is_step = problem.is_step;
                // Of two processes there would be too many.
                let of_one = |lemma: &&Lemma| {
                    let Assertion { variables, free, .. } = &lemma.assertion;
                    let (free, bound) = variables.split_at(*free);
                    lemma.says_what_exists()
                        && (is_step
                            || free.iter().filter(|of| of.sort == Sort::Process).count() < 2)
                        && (messages || bound.iter().all(|of| of.sort == Sort::Process))
                };
                let others = lemmas.iter().filter(of_one).filter(|lemma| !is_own(lemma));
                self.existential(&others.collect::<Vec<_>>(), problem);
            }
        }
        self.system.states(problem);
        let of_sides = |lemma: &Lemma| lemma.assertion.mentions_fact(BEYOND);
        let has_sides = problem.has_sides || own.is_some_and(|(own, _)| of_sides(own));
        for lemma in lemmas.iter().filter(|lemma| !lemma.assertion.is_existential()) {
            if level >= UNIVERSAL && (has_sides || !of_sides(lemma)) || is_own(lemma) {
                self.universal(lemma, problem);
            }
        }
    }

    /// Assumes of all that the problem names so far that what these say exists does, by a name.
    fn existential(&self, lemmas: &[&Lemma], problem: &mut GroundProblem) {
        let count = [Sort::Process, Sort::Place].map(|sort| problem.count(sort));
        for lemma in lemmas {
            let choices = match problem.is_step {
                true => self.system.chosen(&lemma.assertion, problem, true),
                false => System::choices(&lemma.assertion, |sort| 0..count[sort as usize]),
            };
            for values in choices {
                self.assume_instance(lemma, &values, problem, true);
            }
        }
    }

    /// Assumes that an invariant holds of all that the problem names.
    fn universal(&self, lemma: &Lemma, problem: &mut GroundProblem) {
        for values in self.system.chosen(&lemma.assertion, problem, false) {
            self.assume_instance(lemma, &values, problem, false);
        }
    }

    fn assume_instance(
        &self,
        lemma: &Lemma,
        values: &[usize],
        problem: &mut GroundProblem,
        named: bool,
    ) {
        let Lemma { name, assertion: Assertion { formula, variables, .. } } = lemma;
        let (part, now) = ((formula, true), &When::Before);
        problem.assume_of(name, |problem| {
            let form = self.system.read(part, variables, values, now, (&mut *problem, named));
            problem.assume(form);
        });
    }

    /// Assumes that an invariant does not hold. Returns of what: the values of its variables.
    fn assume_not(&self, lemma: &Lemma, now: &When<'_>, problem: &mut GroundProblem) -> Vec<usize> {
        let Assertion { formula, variables, free } = &lemma.assertion;
        let mut values = vec![usize::MAX; variables.len()];
        for (value, variable) in values.iter_mut().zip(variables).take(*free) {
            *value = match variable.sort {
                Sort::Process => problem.node(&variable.name),
                Sort::Place => problem.point(&variable.name),
            };
        }
        if problem.nodes.is_empty() {
            problem.node("a process");
        }
        let form = match lemma.assertion.equation() {
            Some(_) => self.system.unequal(&lemma.assertion, &values, now, problem),
            None => {
                let part = (formula, false);
                self.system.read(part, variables, &values, now, (&mut *problem, true))
            }
        };
        problem.assume(form);
        values
    }

    /// Solves a problem that should have no solution.
    fn conclude(&self, problem: &GroundProblem, reaction: Option<RingReaction<'t>>) -> Shown {
        self.concluded(problem, problem.solve(theory::axioms), When::Before, reaction)
    }

    /// Says what came of a problem; a solution is drawn as it is at this moment.
    fn concluded(
        &self,
        problem: &GroundProblem,
        outcome: GroundOutcome,
        now: When<'_>,
        reaction: Option<RingReaction<'t>>,
    ) -> Shown {
        match outcome {
            GroundOutcome::Refuted(refutation) => Ok(refutation),
            GroundOutcome::Solved(solution) => {
                Err(counterexample::describe(&self.system, problem, &solution, now, reaction))
            }
            GroundOutcome::Uncertified(unproved) => Err(format!("the solver errs: {unproved}")),
        }
    }
}

/// What holds of a process that is asleep: it is as it was made, and has not woken.
fn fresh(system: &System<'_>) -> Vec<(String, String)> {
    let mut all = vec![("asleep".to_owned(), "asleep(a) -> !woke(a)".to_owned())];
    for &name in system.facts.keys() {
        let text = match system.table.start.iter().find(|fact| fact.name == name) {
            None => format!("asleep(a) -> !{name}(a)"),
            Some(fact) => {
                let own = fact.values.iter().map(|value| match value {
                    FactValue::Id(_) => ", a",
                    _ => ", _",
                });
                let own: String = own.collect();
                format!("asleep(a) -> {name}(a{own})")
            }
        };
        all.push((format!("asleep, `{name}`"), text));
        if system.first_ports().is_some_and(|(of, _)| of == name) {
            let (_, at) = system.first_ports().unwrap_or_default();
            let text = format!("asleep(a) -> !{name}(a{}, c)", ", _".repeat(at));
            all.push((format!("asleep, none in `{name}`"), text));
        }
    }
    all
}

impl Report {
    fn add(&mut self, shows: &str, moment: &str, result: Shown) {
        let (shows, moment) = (shows.to_owned(), moment.to_owned());
        self.conditions.push(Condition { shows, moment, result });
    }
}

/// The condition that each process sends each message once.
pub const SENT_ONCE: &str = "sent-once";

/// The condition that a process sends through the ports that it has.
pub const PORTS: &str = "existing-ports";

/// The condition that the leader's announcement changes nothing for the election.
pub const ANNOUNCED: &str = "announced";

/// The condition that a reaction cannot happen.
pub const UNREACHABLE: &str = "unreachable reactions";

const POSSIBLE: &str = "possible-messages";
const SILENT: &str = "silent-ending";

type Shown = Result<Refutation, String>;

/// An invariant, with values for its variables.
type LemmaInstance<'l> = (&'l Lemma, Vec<usize>);

/// The processes in the premises of equations.
#[derive(Clone, Copy)]
enum EquationProcesses {
    None,
    /// Those that a problem named at first: the one that reacts, and its nearest of a set.
    First,
    /// Those that equations of no processes have added.
    Added,
}
