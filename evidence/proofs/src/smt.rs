//! Conditions as SMT-LIB, so that other solvers can judge them.
//!
//! This is a second way from the table and the formulas to the conditions: it shares no code with the first one.
//! Formulas keep their quantifiers; places are ordered by the axioms of a cyclic order, and no circle is cut; a
//! reaction defines what is so afterwards. Names of what is so at first begin with `start.`, and afterwards
//! with `after.`.

mod equation;

use crate::condition::{Lemma, ReactionFault, Refutation};
use crate::prelude::Status;
use crate::set_number::{SetBase, SetGuard, SetNumber};
use crate::symbols::{
    OWN, PortsGuard, Symbol, SymbolGuard, SymbolOrders, SymbolicFirstPorts, leads_to,
};
use crate::system::{BEYOND, NEAR, RingReaction, System, ValueKind, identities, leads_forward};
use crate::table::{Effect, Event, LinkedNetwork, ReactionRow, View};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use suffrage_algorithms::assertion::{
    Argument, Assertion, AssertionPart, Comparison, MessageEnds, NamedTerm, RingDirection, Sort,
    Variable,
};
use suffrage_algorithms::{Fact, FactValue};

/// Conditions about one reaction, or about one moment, as a program in SMT-LIB 2.6.
#[derive(Debug)]
pub struct Script {
    /// What it is about, in words.
    pub about: String,
    /// The program.
    pub text: String,
    /// What each check shows, in their order, and whether it has been refuted.
    pub checks: Vec<(String, bool)>,
    /// Whether a solver does best to look for finite structures that lack no instance of a formula.
    pub by_structures: bool,
    /// The invariants, each with its name.
    invariants: Vec<(Arc<str>, String)>,
    /// What else says that something exists.
    existential: String,
    /// Whether the reaction takes a message.
    takes: bool,
    oriented: bool,
    complete: bool,
    ports: bool,
    linked: bool,
    /// The sets of ports, each a fact and the number of the value there.
    sets: Vec<(&'static str, usize)>,
    /// The fact with first ports, and the number of the value there.
    first: Option<(&'static str, usize)>,
    ways: &'static [RingDirection],
    messages: BTreeMap<&'static str, usize>,
    kinds: BTreeMap<&'static str, Vec<ValueKind>>,
}

/// When something is so.
#[derive(Clone, Copy)]
pub(crate) enum ScriptMoment {
    Start,
    Before,
    After,
}

/// What a reaction sends: the way, the kind, and the constants of the identities.
pub(crate) type WrittenSends = Vec<(RingDirection, &'static str, String)>;

impl ScriptMoment {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Start => "start.",
            Self::Before => "",
            Self::After => "after.",
        }
    }
}

/// No process leads.
pub(crate) const NO_LEADER: &str = "(forall ((a Place)) (=> (process a) (not (leads a))))";

/// Some process has not halted.
pub(crate) const NOT_ALL_HALTED: &str = "(exists ((a Place)) (and (process a) (not (halted a))))";

const THEORY: &str = "\
(set-logic UF)
(declare-sort Place 0)
; Some process stands here.
(declare-fun process (Place) Bool)
; Going forward from the first, the second comes before the third.
(declare-fun between (Place Place Place) Bool)
(assert (forall ((x Place) (y Place) (z Place)) (=> (between x y z) (between y z x))))
(assert (forall ((w Place) (x Place) (y Place) (z Place))
  (=> (and (between w x y) (between w y z)) (between w x z))))
(assert (forall ((x Place) (y Place) (z Place)) (=> (between x y z) (not (between x z y)))))
(assert (forall ((x Place) (y Place) (z Place))
  (or (= x y) (= y z) (= z x) (between x y z) (between x z y))))
; The identity of the first process is smaller.
(declare-fun smaller (Place Place) Bool)
(assert (forall ((a Place)) (not (smaller a a))))
(assert (forall ((a Place) (b Place) (c Place)) (=> (and (smaller a b) (smaller b c)) (smaller a c))))
(assert (forall ((a Place) (b Place))
  (=> (and (process a) (process b)) (or (smaller a b) (= a b) (smaller b a)))))
(declare-fun turned (Place) Bool)
";

const NEXT_THEORY: &str = "\
; The second process is the next one forward.
(declare-fun next (Place Place) Bool)
(assert (forall ((a Place) (b Place) (c Place)) (=> (and (next a b) (process c))
  (and (not (between a c b)) (or (not (= a b)) (= c a))))))
";

const LINKS_THEORY: &str = "\
; A link joins two processes.
(declare-fun near (Place Place) Bool)
(assert (forall ((a Place) (b Place)) (=> (near a b) (and (process a) (process b) (not (= a b))
  (near b a)))))
; The message at the first place was sent before the other one.
(declare-fun before (Place Place) Bool)
(assert (forall ((x Place)) (not (before x x))))
(assert (forall ((x Place) (y Place) (z Place)) (=> (and (before x y) (before y z)) (before x z))))
(assert (forall ((x Place) (y Place)) (or (= x y) (before x y) (before y x))))
";

const TREE_THEORY: &str = "\
; The third process is on the side of the second of the link between the first two.
(declare-fun beyond (Place Place Place) Bool)
(assert (forall ((a Place) (b Place) (c Place)) (=> (and (near a b) (process c))
  (xor (beyond a b c) (beyond b a c)))))
(assert (forall ((a Place) (b Place)) (=> (near a b) (beyond a b b))))
(assert (forall ((a Place) (b Place) (c Place) (d Place))
  (=> (and (near a b) (near b d) (not (= a d)) (beyond b d c)) (beyond a b c))))
(assert (forall ((a Place) (c Place)) (=> (and (process a) (process c) (not (= a c)))
  (exists ((b Place)) (and (near a b) (beyond a b c))))))
";

impl Script {
    /// Creates one from the whole program.
    pub(crate) const fn plain(about: String, text: String, checks: Vec<(String, bool)>) -> Self {
        Self {
            about,
            text,
            checks,
            by_structures: true,
            invariants: Vec::new(),
            existential: String::new(),
            takes: false,
            oriented: false,
            complete: false,
            ports: false,
            linked: false,
            sets: Vec::new(),
            first: None,
            ways: &[],
            messages: BTreeMap::new(),
            kinds: BTreeMap::new(),
        }
    }

    /// Returns the program with one check alone, by its number. What a solver has done for other checks can lead it astray.
    #[must_use]
    pub fn alone(&self, check: usize) -> String {
        let mut parts = self.text.split("(push");
        let common = parts.next().unwrap_or_default();
        let check = parts.nth(check).expect("each check stands behind a `push`");
        [common, "(push", check].concat()
    }

    /// Begins with the theory of rings, and the names of a table.
    pub(crate) fn new(system: &System<'_>, about: &str) -> Self {
        let one: &[RingDirection] = &[RingDirection::Forward];
        let both: &[RingDirection] = &[RingDirection::Forward, RingDirection::Back];
        let mut script = Self {
            about: about.to_owned(),
            text: String::new(),
            checks: Vec::new(),
            by_structures: false,
            invariants: Vec::new(),
            existential: String::new(),
            takes: false,
            oriented: system.table.oriented,
            complete: system.table.complete,
            ports: system.table.ports,
            linked: system.table.links.is_some(),
            sets: system.sets(),
            first: system.first_ports(),
            ways: if system.goes_back { both } else { one },
            messages: system.messages.keys().map(|name| (*name, system.named_by(name))).collect(),
            kinds: system.messages.clone(),
        };
        for line in about.lines() {
            let _ = writeln!(script.text, "; {line}");
        }
        script.text += THEORY;
        if script.complete {
            script.text += NEXT_THEORY;
        }
        if script.linked {
            script.text += LINKS_THEORY;
        }
        if system.table.links == Some(LinkedNetwork::Tree) {
            script.text += TREE_THEORY;
        }
        script.states(system);
        script.queues();
        script.start(system);
        script.views(system, ScriptMoment::Start);
        script.views(system, ScriptMoment::Before);
        script
    }

    fn states(&mut self, system: &System<'_>) {
        let declared = &mut self.text;
        for name in ["asleep", "woke"] {
            let _ = writeln!(declared, "(declare-fun {name} (Place) Bool)");
        }
        for (name, kinds) in &system.facts {
            let _ = writeln!(declared, "(declare-fun is.{name} (Place) Bool)");
            for (at, kind) in kinds.iter().enumerate() {
                let _ = match kind {
                    ValueKind::Number => Ok(()),
                    ValueKind::Set => writeln!(
                        declared,
                        "(declare-fun among.{name}.{at} (Place Place) Bool)\n\
                         (assert (forall ((a Place) (b Place)) (=> (among.{name}.{at} a b) {})))",
                        neighbours(self.linked)
                    ),
                    ValueKind::Ports => writeln!(
                        declared,
                        "(declare-fun among.{name}.{at} (Place Place) Bool)\n\
                         (assert (forall ((a Place)) (not (among.{name}.{at} a a))))\n\
                         (declare-fun most.{name}.{at} (Place) Bool)"
                    ),
                    ValueKind::Port => {
                        writeln!(declared, "(declare-fun port1.{name}.{at} (Place) Bool)")
                    }
                    ValueKind::Process => writeln!(
                        declared,
                        "(declare-fun value.{name}.{at} (Place Place) Bool)\n\
                         (assert (forall ((a Place) (b Place) (c Place)) (=> (and \
                         (value.{name}.{at} a b) (value.{name}.{at} a c)) (= b c))))"
                    ),
                };
            }
        }
        let shapes =
            system.shapes.iter().map(|shape| shaped(system, shape, ScriptMoment::Before, "a"));
        let _ = writeln!(self.text, "(assert (forall ((a Place)) {}))", any(shapes));
    }

    /// Messages, and what processes have sent.
    fn queues(&mut self) {
        let mut kinds = Vec::new();
        for way in self.ways {
            kinds.extend(self.messages.iter().map(|(name, count)| (message(*way, name), *count)));
        }
        let declared = &mut self.text;
        for (name, count) in &kinds {
            let _ =
                writeln!(declared, "(declare-fun {name} (Place{}) Bool)", " Place".repeat(*count));
            let (v, w) = (list("v", *count), list("w", *count));
            let are = (0..*count).map(|at| format!("(process v{at})"));
            let _ = writeln!(
                declared,
                "(assert (forall ((x Place){}) (=> ({name} x{v}) {})))",
                bound("v", *count),
                all(are.chain(["(not (process x))".to_owned()]))
            );
            let same = (0..*count).map(|at| format!("(= v{at} w{at})"));
            let _ = writeln!(
                declared,
                "(assert (forall ((x Place){}{}) (=> (and ({name} x{v}) ({name} x{w})) {})))",
                bound("v", *count),
                bound("w", *count),
                all(same)
            );
        }
        for (name, count) in kinds.iter().filter(|_| self.linked) {
            let _ = writeln!(
                declared,
                "(assert (forall ((x Place){}) (=> ({name} x{}) (near v1 v0))))",
                bound("v", *count),
                list("v", *count)
            );
        }
        for (number, (one, count)) in kinds.iter().enumerate() {
            for (other, others) in &kinds[..number] {
                let _ = writeln!(
                    declared,
                    "(assert (forall ((x Place){}{}) (not (and ({one} x{}) ({other} x{})))))",
                    bound("v", *count),
                    bound("w", *others),
                    list("v", *count),
                    list("w", *others)
                );
            }
        }
        for (name, count) in &self.messages {
            let places = " Place".repeat(*count);
            let _ = writeln!(declared, "(declare-fun sent.{name} (Place{places}) Bool)");
        }
    }

    /// Defines what is so before anything has happened.
    fn start(&mut self, system: &System<'_>) {
        let start = &system.table.start;
        let mut define = |name: &str, parameters: &str, is: &str| {
            let _ = writeln!(self.text, "(define-fun start.{name} {parameters} Bool {is})");
        };
        define("asleep", "((a Place))", "true");
        define("woke", "((a Place))", "false");
        for (name, kinds) in &system.facts {
            let fact = start.iter().find(|fact| fact.name == *name);
            define(
                &format!("is.{name}"),
                "((a Place))",
                if fact.is_some() { "true" } else { "false" },
            );
            for (at, kind) in kinds.iter().enumerate() {
                let value = fact.map(|fact| fact.values[at]);
                match kind {
                    ValueKind::Number => {}
                    ValueKind::Set => define(
                        &format!("among.{name}.{at}"),
                        "((a Place) (b Place))",
                        neighbours(self.linked),
                    ),
                    ValueKind::Ports => {
                        define(&format!("among.{name}.{at}"), "((a Place) (b Place))", "false");
                        let most = format!("most.{name}.{at}");
                        define(&most, "((a Place))", &format!("({most} a)"));
                    }
                    ValueKind::Port => {
                        let is = if value == Some(FactValue::Port(1)) { "true" } else { "false" };
                        define(&format!("port1.{name}.{at}"), "((a Place))", is);
                    }
                    ValueKind::Process => {
                        let is_own = value.and_then(FactValue::process) == Some(OWN);
                        let is = if is_own { "(= a b)" } else { "false" };
                        define(&format!("value.{name}.{at}"), "((a Place) (b Place))", is);
                    }
                }
            }
        }
        for (name, &count) in &self.messages {
            let parameters = format!("((x Place){})", bound("v", count));
            for way in self.ways {
                define(&message(*way, name), &parameters, "false");
            }
            define(&format!("sent.{name}"), &parameters, "false");
        }
    }

    /// Defines who leads, follows, and has halted.
    fn views(&mut self, system: &System<'_>, now: ScriptMoment) {
        let views = &system.table.views;
        let mut define = |name: &str, such: &dyn Fn(&View) -> bool| {
            let ways = views.iter().filter(|view| such(view)).map(|view| viewed(system, view, now));
            let prefix = now.prefix();
            let _ =
                writeln!(self.text, "(define-fun {prefix}{name} ((a Place)) Bool {})", any(ways));
        };
        define("leads", &|view| view.status == Status::Leader);
        define("follows", &|view| view.status == Status::Follower);
        define("halted", &|view| view.halted);
    }

    /// Assumes that invariants hold, where they are of use.
    pub(crate) fn assume<'a>(&mut self, invariants: impl IntoIterator<Item = &'a Lemma>) {
        for Lemma { name, assertion } in invariants {
            let text = format!("(assert {})\n", self.quantified(assertion, ScriptMoment::Before));
            self.invariants.push((name.clone(), text));
        }
    }

    /// Assumes of each set that there are a smallest and a largest process in it, if there is one.
    pub(crate) fn finite(&mut self, sets: &[Assertion]) {
        for (number, set) in sets.iter().enumerate() {
            let is_in = self.formula(&set.formula, &set.variables, ScriptMoment::Before);
            let a = variable_name(&set.variables[0], 0);
            if let [_, other] = &set.variables[..] {
                let b = variable_name(other, 1);
                let is = |one: &str, other: &str| {
                    format!("(and (near {one} {other}) (let (({a} {one}) ({b} {other})) {is_in}))")
                };
                let next =
                    format!("(or (= c from{number}) (not {}))", is(&format!("to{number}"), "c"));
                let _ = writeln!(
                    self.text,
                    "(declare-const from{number} Place)\n(declare-const to{number} Place)\n\
                     (assert (forall ((p Place) (q Place)) (=> {} (and {} (forall ((c Place)) {next})))))",
                    is("p", "q"),
                    is(&format!("from{number}"), &format!("to{number}"))
                );
                continue;
            }
            if self.linked && number > 0 {
                let is = |one: &str| format!("(let (({a} {one})) {is_in})");
                let (p, q) = (is("p"), is("q"));
                self.text += &format!(
                    "(assert (=> (and (exists ((p Place)) (and (process p) {p})) \
                     (exists ((q Place)) (and (process q) (not {q})))) \
                     (exists ((p Place) (q Place)) (and (near p q) {p} (not {q})))))\n"
                );
            }
            for (extreme, order) in [("smallest", true), ("largest", false)] {
                let name = format!("{extreme}{number}");
                let (one, other) = if order { (&*a, &*name) } else { (&*name, &*a) };
                let _ = writeln!(
                    self.text,
                    "(declare-const {name} Place)\n(assert (forall (({a} Place)) (=> (and (process \
                     {a}) {is_in}) (and (process {name}) (not (smaller {one} {other})) (let (({a} \
                     {name})) {is_in})))))"
                );
            }
        }
    }

    /// Assumes of each set: if another process than the one that reacts is in it, one comes first on the way forward, and
    /// one last.
    pub(crate) fn nearest(&mut self, sets: &[Assertion]) {
        for (number, set) in sets.iter().enumerate() {
            let is_in = self.formula(&set.formula, &set.variables, ScriptMoment::Before);
            let a = variable_name(&set.variables[0], 0);
            for (name, between) in [
                (format!("first{number}"), format!("(between node {a} first{number})")),
                (format!("last{number}"), format!("(between last{number} {a} node)")),
            ] {
                let _ = writeln!(
                    self.existential,
                    "(declare-const {name} Place)\n(assert (forall (({a} Place)) (=> (and (process {a}) \
                     (not (= {a} node)) {is_in}) (and (process {name}) (not (= {name} node)) (not \
                     {between}) (let (({a} {name})) {is_in})))))"
                );
            }
        }
    }

    /// Assumes that two majorities meet: of two processes whose first ports lead to such.
    pub(crate) fn majorities_meet(&mut self) {
        let Some((name, at)) = self.first else { return };
        let belongs = |to: &str| format!("(or (= c {to}) (among.{name}.{at} {to} c))");
        let (one, other) = (belongs("a"), belongs("b"));
        self.assert(&format!(
            "(forall ((a Place) (b Place)) (=> (and (process a) (process b) (most.{name}.{at} a) \
             (most.{name}.{at} b)) (exists ((c Place)) (and (process c) {one} {other}))))"
        ));
    }

    /// Assumes what a row asks of first ports.
    fn ask(&mut self, row: &ReactionRow, symbols: &mut BTreeMap<Symbol, String>) {
        let mut numbers: Vec<u32> = Vec::new();
        for guard in &row.asked {
            if let Some(symbol) = guard.symbol()
                && !symbols.contains_key(&symbol)
            {
                let name = format!("at.port{}", symbols.len());
                let _ = writeln!(self.text, "(declare-const {name} Place)");
                self.assert(&format!("(process {name})"));
                symbols.insert(symbol, name);
            }
            match guard {
                PortsGuard::Contains(first, ..)
                | PortsGuard::Next(first, _)
                | PortsGuard::Majority(first, _) => numbers.push(*first),
                PortsGuard::OfSet(_) => {}
            }
        }
        let states = row.before.iter().chain(&row.after);
        numbers.extend(states.flat_map(|fact| &fact.values).filter_map(|value| match value {
            FactValue::Ports(first) => Some(*first as u32),
            _ => None,
        }));
        // What comes after fewer ports is spoken of, too.
        let mut spoken = BTreeSet::new();
        for mut first in numbers {
            spoken.insert(first);
            while let Some(before) = SymbolicFirstPorts::before(first) {
                spoken.insert(before);
                first = before;
            }
        }
        for first in spoken {
            let _ = writeln!(
                self.text,
                "(declare-fun after{first} (Place) Bool)\n(declare-const majority{first} Bool)"
            );
        }
        for guard in &row.asked {
            let said = match *guard {
                PortsGuard::Contains(first, symbol, is) => {
                    signed(self.among(first, &symbols[&symbol]), is)
                }
                PortsGuard::Majority(first, is) => signed(self.majority(first), is),
                PortsGuard::OfSet(guard) => self.of_set(guard, symbols),
                PortsGuard::Next(first, None) => all([
                    self.majority(first),
                    format!("(forall ((b Place)) (not (after{first} b)))"),
                    format!(
                        "(forall ((b Place)) (=> (process b) (or (= b node) {})))",
                        self.among(first, "b")
                    ),
                ]),
                PortsGuard::Next(first, Some(symbol)) => {
                    let among = self.among(first, "b");
                    all([
                        format!("(after{first} {})", symbols[&symbol]),
                        format!(
                            "(forall ((b Place)) (=> (after{first} b) (and (process b) (not (= b node)) \
                             (not {among}))))"
                        ),
                        format!(
                            "(forall ((b Place) (c Place)) (=> (and (after{first} b) (after{first} c)) \
                             (= b c)))"
                        ),
                    ])
                }
            };
            self.assert(&said);
        }
    }

    /// The formula for a question about a set of ports of the process that reacts.
    fn of_set(&self, guard: SetGuard, symbols: &BTreeMap<Symbol, String>) -> String {
        let member = |to: &str| self.member(guard.set(), to, symbols);
        let some = quantify("exists", "(b Place)", &member("b"));
        match guard {
            SetGuard::Contains(_, symbol, is) => signed(member(&symbols[&symbol]), is),
            SetGuard::Empty(_, is) => signed(some, !is),
            SetGuard::Last(_, Some(symbol)) => {
                let to = &symbols[&symbol];
                let others = format!("(=> {} (= b {to}))", member("b"));
                all([member(to), quantify("forall", "(b Place)", &others)])
            }
            SetGuard::Last(_, None) => {
                let two = all([member("b"), member("c"), not("(= b c)")]);
                any([not(&some), quantify("exists", "(b Place) (c Place)", &two)])
            }
        }
    }

    /// A set of ports of the process that reacts has one that leads to `to`.
    fn member(&self, set: SetNumber, to: &str, symbols: &BTreeMap<Symbol, String>) -> String {
        let is = match set.base() {
            SetBase::State(number) => {
                let (name, at) = self.sets[number];
                format!("(among.{name}.{at} node {to})")
            }
            SetBase::All => {
                let neighbours = neighbours(self.linked);
                format!("(let ((a node) (b {to})) {neighbours})")
            }
        };
        let stays = set.taken_out().map(|taken| not(&format!("(= {to} {})", symbols[&taken])));
        all([is].into_iter().chain(stays))
    }

    /// One of these first ports of the process that reacts leads to `to`.
    fn among(&self, first: u32, to: &str) -> String {
        let (none, more) = SymbolicFirstPorts::parts(first);
        let state = self.first.filter(|_| !none);
        let state = state.map(|(name, at)| format!("(among.{name}.{at} node {to})"));
        let later = (1..=more).map(|less| format!("(after{} {to})", first - 2 * less));
        any(state.into_iter().chain(later))
    }

    fn majority(&self, first: u32) -> String {
        match self.first.filter(|_| first == 0) {
            Some((name, at)) => format!("(most.{name}.{at} node)"),
            None => format!("majority{first}"),
        }
    }

    /// A message goes to all neighbours but one.
    fn depart_to_all(&mut self, than: Option<&String>, earlier: usize) {
        self.text += "(declare-fun to.all (Place) Bool)\n(declare-fun to.one (Place Place) Bool)\n";
        for (name, count) in self.messages.clone() {
            let free = format!(
                "(=> (to.all x) (and (not (process x)) (not ({} x{}))))",
                message(RingDirection::Forward, name),
                list("v", count)
            );
            self.assert(&quantify("forall", &format!("(x Place){}", bound("v", count)), &free));
            if self.linked {
                let later = format!(
                    "(forall ((x Place) (y Place){}) (=> (and (to.all y) ({} x{})) (before x y)))",
                    bound("v", count),
                    message(RingDirection::Forward, name),
                    list("v", count)
                );
                self.assert(&later);
            }
        }
        let to_one = |x: &str| format!("(to.all {x}) (to.one {x} a)");
        let goes = all([not("(= a node)")]
            .into_iter()
            .chain(self.linked.then(|| "(near node a)".to_owned()))
            .chain(than.map(|than| not(&format!("(= a {than})")))));
        let (x, y) = (to_one("x"), to_one("y"));
        self.assert(&format!("(forall ((x Place) (a Place)) (=> (and {x}) {goes}))"));
        if self.linked || self.ports && !self.sets.is_empty() {
            // It reaches each of them, which is of use where something is to exist.
            let reaches = format!("(exists ((x Place)) (and {x}))");
            let _ = writeln!(
                self.existential,
                "(assert (forall ((a Place)) (=> (and (process a) {goes}) {reaches})))"
            );
        }
        self.assert(&format!(
            "(forall ((x Place) (y Place) (a Place)) (=> (and {x} {y}) (= x y)))"
        ));
        for number in (0..earlier).filter(|_| self.linked) {
            self.text += &format!(
                "(assert (forall ((x Place)) (=> (to.all x) (before departed{number} x))))\n"
            );
        }
    }

    /// Adds a check: what is to be refuted. Of the invariants, those come with it on which the refutation rests that has
    /// been found; all, where none has been.
    pub(crate) fn refute(
        &mut self,
        shows: &str,
        result: &Result<Refutation, String>,
        wrong: impl FnOnce(&Self) -> String,
    ) {
        let wrong = wrong(self);
        let is_of_use = |name: &Arc<str>| match result {
            Ok(refutation) => refutation.invariants.contains(name),
            Err(_) => true,
        };
        let exists = !matches!(result, Ok(Refutation { existential: false, .. }));
        let existential = if exists { &*self.existential } else { "" };
        let used = self.invariants.iter().filter(|(name, _)| is_of_use(name));
        let used: String = used.map(|(_, text)| &**text).collect();
        let _ = write!(
            self.text,
            "; {shows}\n(push 1)\n{used}{existential}(assert {wrong})\n(check-sat)\n(pop 1)\n"
        );
        self.checks.push((shows.to_owned(), result.is_ok()));
    }

    /// Assumes that a reaction takes place, and defines what is so afterwards.
    pub(crate) fn react(
        &mut self,
        reaction: RingReaction<'_>,
        system: &System<'_>,
    ) -> WrittenSends {
        self.text += "(declare-const node Place)\n(assert (process node))\n";
        let mut symbols = BTreeMap::from([(OWN, "node".to_owned())]);
        let mut gone = None;
        let mut reacts = None;
        let mut sends = WrittenSends::new();
        match reaction {
            RingReaction::Row { row, turned } => {
                if !self.oriented {
                    let is_turned = "(turned node)".to_owned();
                    self.assert(&if turned { is_turned } else { not(&is_turned) });
                }
                if row.alone == Some(false) {
                    self.text += "(declare-const other Place)\n";
                    self.assert("(and (process other) (not (= other node)))");
                }
                if row.alone == Some(true) {
                    self.assert("(forall ((a Place)) (=> (process a) (= a node)))");
                }
                match &row.event {
                    Event::Turn => {}
                    Event::Wake => self.assert("(asleep node)"),
                    Event::Receive(port, fact) => {
                        let way = direction(self.ports || !leads_forward(*port, turned));
                        self.arrive(way, fact.name);
                        let first = usize::from(self.complete) + usize::from(self.ports);
                        if let Some(from) = leads_to(*port).filter(|_| self.ports) {
                            symbols.insert(from, "named1".to_owned());
                        }
                        for (at, symbol) in identities(fact).enumerate() {
                            symbols.insert(symbol, format!("named{}", first + at));
                        }
                        gone = Some(way);
                    }
                }
                self.state(row, system, &mut symbols);
                for symbol in row.taken() {
                    let name = format!("taken{symbol}");
                    let _ = writeln!(self.text, "(declare-const {name} Place)");
                    self.assert(&format!("(process {name})"));
                    symbols.insert(symbol, name);
                }
                self.ask(row, &mut symbols);
                for guard in row.guards.iter().filter(|guard| !row.is_idle(guard)) {
                    self.assert(&ordered(guard, &symbols));
                }
                sends = self.send(row, turned, &symbols, gone);
                reacts = Some(row);
            }
            RingReaction::Discard { way, name } => {
                self.arrive(way, name);
                self.assert("(halted node)");
                gone = Some(way);
            }
            RingReaction::Dismiss { way, name } => {
                self.arrive(way, name);
                self.lead();
                gone = Some(way);
            }
            RingReaction::Rouse => {
                self.assert("(asleep node)");
                self.lead();
            }
        }
        self.after(system, reacts, &symbols);
        let to_all = reacts.and_then(|row| to_all(row, &symbols));
        self.carried(gone, &sends, to_all);
        self.views(system, ScriptMoment::After);
        sends
    }

    /// What a row sends departs.
    fn send(
        &mut self,
        row: &ReactionRow,
        turned: bool,
        symbols: &BTreeMap<Symbol, String>,
        gone: Option<RingDirection>,
    ) -> WrittenSends {
        let mut sends = WrittenSends::new();
        for effect in &row.effects {
            if let Effect::Send(port, fact) = effect {
                let way = direction(self.complete || leads_forward(*port, turned));
                self.depart(way, &sends, gone);
                if self.linked {
                    self.depart_last(sends.len(), row);
                }
                let to = self.complete.then(|| match leads_to(*port) {
                    Some(symbol) => format!(" {}", symbols[&symbol]),
                    None => self.next(sends.len()),
                });
                let from = self.ports.then(|| " node".to_owned());
                let ends = to.into_iter().chain(from);
                let values = identities(fact).map(|symbol| format!(" {}", symbols[&symbol]));
                sends.push((way, fact.name, ends.chain(values).collect()));
            }
            match effect {
                Effect::SendAll(_) => self.depart_to_all(None, sends.len()),
                Effect::SendOthers(than, _) => {
                    let than = leads_to(*than).map(|symbol| &symbols[&symbol]);
                    self.depart_to_all(than, sends.len());
                }
                _ => {}
            }
        }
        sends
    }

    fn assert(&mut self, what: &str) {
        let _ = writeln!(self.text, "(assert {what})");
    }

    /// There is a leader, whose announcement is what happens.
    fn lead(&mut self) {
        self.text += "(declare-const leader Place)\n";
        self.assert("(and (process leader) (leads leader))");
    }

    /// No process lies on the way from a place to another one, and no message that moves the same way and is not
    /// the `exception`.
    fn nothing(&mut self, way: RingDirection, from: &str, to: &str, exception: &str) {
        let lies = |at: &str| match way {
            RingDirection::Forward => format!("(between {from} {at} {to})"),
            RingDirection::Back => format!("(between {to} {at} {from})"),
        };
        self.assert(&format!("(forall ((a Place)) (not (and (process a) {})))", lies("a")));
        for (name, count) in self.messages.clone() {
            self.assert(&format!(
                "(forall ((x Place){}) (=> ({} x{}) (or {exception} (not {}))))",
                bound("v", count),
                message(way, name),
                list("v", count),
                lies("x")
            ));
        }
    }

    /// A message arrives.
    fn arrive(&mut self, way: RingDirection, name: &str) {
        let count = self.messages[name];
        self.takes = true;
        self.text += "(declare-const arrived Place)\n";
        for at in 0..count {
            let _ = writeln!(self.text, "(declare-const named{at} Place)");
        }
        self.assert(&format!("({} arrived{})", message(way, name), list("named", count)));
        match self.complete {
            true => self.assert("(= named0 node)"),
            false => self.nothing(way, "arrived", "node", "false"),
        }
        let linked = self.linked;
        for (name, count) in self.messages.clone().into_iter().filter(|_| linked) {
            self.assert(&format!(
                "(forall ((x Place){}) (=> (and ({} x{}) (= v0 node) (= v1 named1)) (not (before x arrived))))",
                bound("v", count),
                message(way, name),
                list("v", count)
            ));
        }
    }

    /// Declares the next process forward, to which a message goes.
    fn next(&mut self, number: usize) -> String {
        let next = format!("next{number}");
        let _ = writeln!(
            self.text,
            "(declare-const {next} Place)\n(assert (and (process {next}) (next node {next})))"
        );
        format!(" {next}")
    }

    /// A message departs: it gets the place of this number.
    fn depart(
        &mut self,
        way: RingDirection,
        earlier: &[(RingDirection, &str, String)],
        gone: Option<RingDirection>,
    ) {
        let place = format!("departed{}", earlier.len());
        let _ = writeln!(self.text, "(declare-const {place} Place)");
        self.assert(&not(&format!("(process {place})")));
        let exception = if gone == Some(way) { "(= x arrived)" } else { "false" };
        if !self.complete {
            self.nothing(way, "node", &place, exception);
        }
        for way in self.ways {
            for (name, count) in self.messages.clone() {
                let free = not(&format!("({} {place}{})", message(*way, name), list("v", count)));
                self.assert(&quantify("forall", &bound("v", count), &free));
            }
        }
        for (number, (as_way, ..)) in earlier.iter().enumerate() {
            self.assert(&not(&format!("(= {place} departed{number})")));
            if *as_way == way && !self.complete {
                self.assert(&not(&match way {
                    RingDirection::Forward => format!("(between node departed{number} {place})"),
                    RingDirection::Back => format!("(between {place} departed{number} node)"),
                }));
            }
        }
    }

    /// On links, what departs comes after all that has.
    fn depart_last(&mut self, number: usize, row: &ReactionRow) {
        for (name, count) in self.messages.clone() {
            self.assert(&format!(
                "(forall ((x Place){}) (=> ({} x{}) (before x departed{number})))",
                bound("v", count),
                message(RingDirection::Forward, name),
                list("v", count)
            ));
        }
        for earlier in 0..number {
            self.assert(&format!("(before departed{earlier} departed{number})"));
        }
        let sends = row.effects.iter().scan(0, |sent, effect| {
            let is_send = matches!(effect, Effect::Send(..));
            *sent += usize::from(is_send);
            Some((*sent, effect))
        });
        let mut before = sends.take_while(|(sent, _)| *sent <= number);
        if before.any(|(_, of)| matches!(of, Effect::SendAll(_) | Effect::SendOthers(..))) {
            self.assert(&format!(
                "(forall ((x Place)) (=> (to.all x) (before x departed{number})))"
            ));
        }
    }

    /// The process is in the state before a row.
    fn state(
        &mut self,
        row: &ReactionRow,
        system: &System<'_>,
        symbols: &mut BTreeMap<Symbol, String>,
    ) {
        let says = row.before.iter().map(|fact| fact.name).collect();
        self.assert(&shaped(system, &says, ScriptMoment::Before, "node"));
        for fact in &row.before {
            for (at, value) in fact.values.iter().enumerate() {
                match value {
                    FactValue::Port(port) => {
                        let is_one = format!("(port1.{}.{at} node)", fact.name);
                        self.assert(&if *port == 1 { is_one } else { not(&is_one) });
                    }
                    FactValue::Id(symbol) | FactValue::Place(symbol) => {
                        if !symbols.contains_key(symbol) {
                            let name = format!("stored{}", symbols.len());
                            let _ = writeln!(self.text, "(declare-const {name} Place)");
                            self.assert(&format!("(process {name})"));
                            symbols.insert(*symbol, name);
                        }
                        let value = format!("(value.{}.{at} node {})", fact.name, symbols[symbol]);
                        self.assert(&value);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Defines the states after a row, or that they are as before.
    fn after(
        &mut self,
        system: &System<'_>,
        row: Option<&ReactionRow>,
        symbols: &BTreeMap<Symbol, String>,
    ) {
        let mut text = String::new();
        let mut define = |name: &str, of: &[&str], here: Option<&str>| {
            let was = format!("({name} {})", of.join(" "));
            let is = match here {
                Some(here) => format!("(ite (= a node) {here} {was})"),
                None => was,
            };
            let parameters: String = of.iter().map(|name| format!("({name} Place)")).collect();
            let _ = writeln!(text, "(define-fun after.{name} ({parameters}) Bool {is})");
        };
        define("asleep", &["a"], Some("false"));
        let wakes = row.filter(|row| row.event == Event::Wake);
        define("woke", &["a"], wakes.map(|_| "true"));
        for (name, kinds) in &system.facts {
            let fact = row.map(|row| row.after.iter().find(|fact| fact.name == *name));
            let says = fact.map(|fact| if fact.is_some() { "true" } else { "false" });
            define(&format!("is.{name}"), &["a"], says);
            for (at, kind) in kinds.iter().enumerate() {
                let before = row.and_then(|row| row.before.iter().find(|of| of.name == *name));
                let value = |fact: &Fact| fact.values[at];
                let here = fact.filter(|fact| fact.map(value) != before.map(value));
                match kind {
                    ValueKind::Number => {}
                    ValueKind::Set => {
                        let among = here.map(|fact| match fact.map(value) {
                            Some(FactValue::Set(set)) => self.member(SetNumber(set), "b", symbols),
                            _ => "false".to_owned(),
                        });
                        define(&format!("among.{name}.{at}"), &["a", "b"], among.as_deref());
                    }
                    ValueKind::Ports => {
                        let first = here.map(|fact| match fact.map(value) {
                            Some(FactValue::Ports(first)) => {
                                (self.among(first as u32, "b"), self.majority(first as u32))
                            }
                            _ => ("false".to_owned(), "false".to_owned()),
                        });
                        let (among, most) = first.unzip();
                        define(&format!("among.{name}.{at}"), &["a", "b"], among.as_deref());
                        define(&format!("most.{name}.{at}"), &["a"], most.as_deref());
                    }
                    ValueKind::Port => {
                        let is = here.map(|fact| fact.map(value) == Some(FactValue::Port(1)));
                        let is = is.map(|is| if is { "true" } else { "false" });
                        define(&format!("port1.{name}.{at}"), &["a"], is);
                    }
                    ValueKind::Process => {
                        let is = here.map(|fact| match fact.map(value) {
                            Some(FactValue::Id(symbol) | FactValue::Place(symbol)) => {
                                format!("(= b {})", symbols[&symbol])
                            }
                            _ => "false".to_owned(),
                        });
                        define(&format!("value.{name}.{at}"), &["a", "b"], is.as_deref());
                    }
                }
            }
        }
        self.text += &text;
    }

    /// Defines which messages are under way afterwards, and have been sent.
    fn carried(
        &mut self,
        gone: Option<RingDirection>,
        sends: &[(RingDirection, &str, String)],
        to_all: Option<(&str, String)>,
    ) {
        for (name, &count) in &self.messages {
            let parameters = format!("(x Place){}", bound("v", count));
            let values = list("v", count);
            let equal = |sent: &str| {
                let pairs = sent.split_whitespace().enumerate();
                pairs.map(|(at, value)| format!("(= v{at} {value})")).collect::<Vec<_>>()
            };
            for way in self.ways {
                let of = message(*way, name);
                let stays = format!("({of} x{values})");
                let mut ways = vec![match gone == Some(*way) {
                    true => all([stays, not("(= x arrived)")]),
                    false => stays,
                }];
                for (number, (as_way, kind, sent)) in sends.iter().enumerate() {
                    if as_way == way && kind == name {
                        let here = format!("(= x departed{number})");
                        ways.push(all(equal(sent).into_iter().chain([here])));
                    }
                }
                if let Some((_, values)) = to_all.as_ref().filter(|(kind, _)| kind == name) {
                    let pairs = values.split_whitespace().zip(1..);
                    let equal = pairs.map(|(value, at)| format!("(= v{at} {value})"));
                    let here = ["(to.all x)", "(process v0)", "(to.one x v0)"].map(String::from);
                    ways.push(all(here.into_iter().chain(equal)));
                }
                let is = any(ways);
                let _ = writeln!(self.text, "(define-fun after.{of} ({parameters}) Bool {is})");
            }
            let mut ways = vec![format!("(sent.{name} x{values})")];
            for (_, _, sent) in sends.iter().filter(|(_, kind, _)| kind == name) {
                ways.push(all(equal(sent).into_iter().chain(["(= x node)".to_owned()])));
            }
            let is = any(ways);
            let _ = writeln!(self.text, "(define-fun after.sent.{name} ({parameters}) Bool {is})");
        }
    }

    /// What is wrong after a reaction.
    pub(crate) fn fault(&self, fault: &ReactionFault<'_>, sends: &WrittenSends) -> String {
        match fault {
            ReactionFault::Happens => "true".to_owned(),
            ReactionFault::Breaks(lemma) => match lemma.is_equation() {
                true => self.unequal(&lemma.assertion, Some(sends.len())),
                false => self.broken(&lemma.assertion, ScriptMoment::After),
            },
            ReactionFault::Revokes(status) => {
                let decided = if *status == Status::Leader { "leads" } else { "follows" };
                format!("(and ({decided} node) (not (after.{decided} node)))")
            }
            ReactionFault::Strays => any(sends.iter().map(|(.., values)| {
                let to = values.split_whitespace().next().unwrap_or("node");
                format!("(= {to} node)")
            })),
            ReactionFault::Repeats => {
                let mut ways = Vec::new();
                for (number, (_, name, values)) in sends.iter().enumerate() {
                    ways.push(format!("(sent.{name} node{values})"));
                    for (.., earlier) in sends[..number].iter().filter(|(_, kind, _)| kind == name)
                    {
                        let pairs = values.split_whitespace().zip(earlier.split_whitespace());
                        ways.push(all(pairs.map(|(one, other)| format!("(= {one} {other})"))));
                    }
                }
                any(ways)
            }
        }
    }

    /// A process names another leader than the one that leads.
    pub(crate) fn disagree(system: &System<'_>) -> String {
        let names = any(system.table.views.iter().filter_map(|view| names(system, view)));
        format!(
            "(exists ((a Place) (b Place) (c Place)) (and (process a) (process b) (process c) {names} \
             (leads c) (not (= b c))))"
        )
    }

    /// A process has woken, no message is under way, and this holds.
    pub(crate) fn at_rest(&self, holds: &str) -> String {
        let woken = "(exists ((a Place)) (and (process a) (woke a)))";
        let mut parts = vec![woken.to_owned(), holds.to_owned()];
        for way in self.ways {
            parts.extend(self.messages.iter().map(|(name, &count)| {
                let (values, name) = (list("v", count), message(*way, name));
                format!("(forall ((x Place){}) (not ({name} x{values})))", bound("v", count))
            }));
        }
        all(parts)
    }

    /// An assertion does not hold.
    pub(crate) fn broken(&self, assertion: &Assertion, now: ScriptMoment) -> String {
        if assertion.equation().is_some() {
            return self.unequal(assertion, None);
        }
        not(&self.quantified(assertion, now))
    }

    fn quantified(&self, assertion: &Assertion, now: ScriptMoment) -> String {
        let Assertion { formula, variables, free } = assertion;
        let body = self.formula(formula, variables, now);
        let free: Vec<usize> = (0..*free).collect();
        let (declared, sorts) = declare(variables, &free);
        quantify("forall", &declared, &format!("(=> {sorts} {body})"))
    }

    fn formula(&self, part: &AssertionPart, variables: &[Variable], now: ScriptMoment) -> String {
        let read = |part: &AssertionPart| self.formula(part, variables, now);
        let name = |variable: usize| variable_name(&variables[variable], variable);
        let prefix = now.prefix();
        match part {
            AssertionPart::Not(of) => not(&read(of)),
            AssertionPart::All(parts) => all(parts.iter().map(read)),
            AssertionPart::Any(parts) => any(parts.iter().map(read)),
            AssertionPart::If(one, other) => format!("(=> {} {})", read(one), read(other)),
            AssertionPart::Exists(of, body) => {
                let (declared, sorts) = declare(variables, of);
                quantify("exists", &declared, &all([sorts, read(body)]))
            }
            AssertionPart::Order(one, Comparison::Same, other) => {
                format!("(= {} {})", name(*one), name(*other))
            }
            AssertionPart::Order(one, how, other) => {
                let order = match variables[*one].sort {
                    Sort::Process => "smaller",
                    Sort::Place => "before",
                };
                match how {
                    Comparison::AtMost => {
                        not(&format!("({order} {} {})", name(*other), name(*one)))
                    }
                    _ => format!("({order} {} {})", name(*one), name(*other)),
                }
            }
            AssertionPart::Between(from, at, to) => {
                format!("(between {} {} {})", name(*from), name(*at), name(*to))
            }
            AssertionPart::Message(way, term, at, to) => {
                if !self.ways.contains(way) {
                    return "false".to_owned();
                }
                let MessageEnds { to, from } = *to;
                let (mut values, mut any) = (String::new(), 0);
                let to: String = to.iter().map(|&to| format!(" {}", name(to))).collect();
                if self.ports {
                    values += &from.map_or(" any0".to_owned(), |from| format!(" {}", name(from)));
                    any = usize::from(from.is_none());
                }
                for (kind, argument) in self.kinds[&*term.name].iter().zip(&term.arguments) {
                    match argument {
                        Argument::Variable(variable) => values += &format!(" {}", name(*variable)),
                        _ if *kind == ValueKind::Process => {
                            values += &format!(" any{any}");
                            any += 1;
                        }
                        _ => {}
                    }
                }
                let is =
                    format!("({prefix}{} {}{to}{values})", message(*way, &term.name), name(*at));
                quantify("exists", &bound("any", any), &is)
            }
            AssertionPart::Sent(term, by) => {
                format!("({prefix}sent.{} {}{})", term.name, name(*by), arguments(term, &name))
            }
            AssertionPart::State(process, term) => self.said(&name(*process), term, &name, prefix),
            AssertionPart::AsMany(terms) => self.balanced(terms, variables),
        }
    }

    fn said(
        &self,
        process: &str,
        term: &NamedTerm,
        name: &dyn Fn(usize) -> String,
        prefix: &str,
    ) -> String {
        let NamedTerm { name: fact, arguments, .. } = term;
        if let ("next", [Argument::Variable(next)]) = (&**fact, &arguments[..]) {
            return format!("(next {process} {})", name(*next));
        }
        if [NEAR, BEYOND].contains(&&**fact) {
            return format!("({fact} {process}{})", self::arguments(term, name));
        }
        if crate::system::BUILT_IN.contains(&&**fact) {
            return format!("({prefix}{fact} {process})");
        }
        let mut parts = vec![format!("({prefix}is.{fact} {process})")];
        for (at, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Any => {}
                Argument::Most => parts.push(format!("({prefix}most.{fact}.{at} {process})")),
                Argument::Variable(variable)
                    if self.first == Some((&**fact, at)) || self.sets.contains(&(&**fact, at)) =>
                {
                    let value = name(*variable);
                    parts.push(format!("({prefix}among.{fact}.{at} {process} {value})"));
                }
                Argument::Variable(variable) => {
                    let value = name(*variable);
                    parts.push(format!("({prefix}value.{fact}.{at} {process} {value})"));
                }
                Argument::Port(way) => {
                    let is_one = format!("({prefix}port1.{fact}.{at} {process})");
                    // Port 0 leads forward, unless ports are turned.
                    let back = match self.oriented {
                        true => is_one,
                        false => format!("(xor {is_one} (turned {process}))"),
                    };
                    parts.push(match way {
                        RingDirection::Back => back,
                        RingDirection::Forward => not(&back),
                    });
                }
            }
        }
        all(parts)
    }
}

/// The process `a` names `b` as the leader, in a state of this view.
fn names(system: &System<'_>, view: &View) -> Option<String> {
    let leader = view.leader?;
    let mut parts = vec![viewed(system, view, ScriptMoment::Before)];
    if leader == OWN {
        parts.push("(= a b)".to_owned());
    }
    for fact in view.state.iter().filter(|_| leader != OWN) {
        let values = fact.values.iter().enumerate();
        parts.extend(
            values
                .filter(|(_, value)| **value == FactValue::Id(leader))
                .map(|(at, _)| format!("(value.{}.{at} a b)", fact.name)),
        );
    }
    Some(all(parts))
}

/// The process `a` is in a state of this view.
fn viewed(system: &System<'_>, view: &View, now: ScriptMoment) -> String {
    let prefix = now.prefix();
    let says = view.state.iter().map(|fact| fact.name).collect();
    let mut parts = vec![shaped(system, &says, now, "a")];
    for fact in &view.state {
        for (at, value) in fact.values.iter().enumerate() {
            match value {
                FactValue::Port(port) => {
                    let is_one = format!("({prefix}port1.{}.{at} a)", fact.name);
                    parts.push(if *port == 1 { is_one } else { not(&is_one) });
                }
                FactValue::Id(symbol) | FactValue::Place(symbol) => {
                    let about = |guard: &&SymbolGuard| [guard.one, guard.other].contains(symbol);
                    for guard in view.guards.iter().filter(about) {
                        let is_own = format!("({prefix}value.{}.{at} a a)", fact.name);
                        let same = guard.orders == SymbolOrders::SAME;
                        parts.push(if same { is_own } else { not(&is_own) });
                    }
                }
                FactValue::Ports(_)
                | FactValue::Set(_)
                | FactValue::CountedSet(_)
                | FactValue::Count(_)
                | FactValue::Number(_) => {}
            }
        }
    }
    all(parts)
}

/// The state of a process says these, and nothing else.
fn shaped(
    system: &System<'_>,
    says: &BTreeSet<&'static str>,
    now: ScriptMoment,
    process: &str,
) -> String {
    all(system.facts.keys().map(|name| {
        let is = format!("({}is.{name} {process})", now.prefix());
        if says.contains(name) { is } else { not(&is) }
    }))
}

/// The message that a row sends to all: its name, from where it comes, and what it names.
fn to_all<'r>(
    row: &'r ReactionRow,
    symbols: &BTreeMap<Symbol, String>,
) -> Option<(&'r str, String)> {
    row.effects.iter().find_map(|effect| match effect {
        Effect::SendAll(fact) | Effect::SendOthers(_, fact) => {
            let values = identities(fact).map(|symbol| format!(" {}", symbols[&symbol]));
            Some((fact.name, format!(" node{}", values.collect::<String>())))
        }
        _ => None,
    })
}

/// The port of `a` that leads to `b` is one of all its ports.
const fn neighbours(linked: bool) -> &'static str {
    if linked { "(near a b)" } else { "(and (process b) (not (= a b)))" }
}

/// How two symbols compare.
fn ordered(guard: &SymbolGuard, symbols: &BTreeMap<Symbol, String>) -> String {
    let (one, other) = (&symbols[&guard.one], &symbols[&guard.other]);
    let ways = [
        (SymbolOrders::LESS, format!("(smaller {one} {other})")),
        (SymbolOrders::SAME, format!("(= {one} {other})")),
        (SymbolOrders::MORE, format!("(smaller {other} {one})")),
    ];
    any(ways.into_iter().filter(|(order, _)| guard.orders.has(*order)).map(|(_, text)| text))
}

const fn direction(forward: bool) -> RingDirection {
    if forward { RingDirection::Forward } else { RingDirection::Back }
}

fn message(way: RingDirection, name: &str) -> String {
    match way {
        RingDirection::Forward => format!("forward.{name}"),
        RingDirection::Back => format!("back.{name}"),
    }
}

fn variable_name(variable: &Variable, number: usize) -> String {
    format!("{}.{number}", variable.name)
}

/// The declarations of variables, and that they are of their sorts.
fn declare(variables: &[Variable], which: &[usize]) -> (String, String) {
    let declared =
        which.iter().map(|&of| format!(" ({} Place)", variable_name(&variables[of], of))).collect();
    let sorts = which.iter().map(|&of| {
        let is = format!("(process {})", variable_name(&variables[of], of));
        match variables[of].sort {
            Sort::Process => is,
            Sort::Place => not(&is),
        }
    });
    (declared, all(sorts))
}

fn arguments(term: &NamedTerm, name: &dyn Fn(usize) -> String) -> String {
    let named = term.arguments.iter().filter_map(|argument| match argument {
        Argument::Variable(variable) => Some(format!(" {}", name(*variable))),
        _ => None,
    });
    named.collect()
}

/// Variables of this name, numbered, as arguments.
fn list(name: &str, count: usize) -> String {
    (0..count).map(|at| format!(" {name}{at}")).collect()
}

/// The same as declarations.
fn bound(name: &str, count: usize) -> String {
    (0..count).map(|at| format!(" ({name}{at} Place)")).collect()
}

fn quantify(quantifier: &str, declared: &str, body: &str) -> String {
    match declared.trim() {
        "" => body.to_owned(),
        declared => format!("({quantifier} ({declared}) {body})"),
    }
}

fn signed(of: String, holds: bool) -> String {
    if holds { of } else { not(&of) }
}

fn not(of: &str) -> String {
    format!("(not {of})")
}

fn all(parts: impl IntoIterator<Item = String>) -> String {
    joined("and", "true", parts)
}

fn any(parts: impl IntoIterator<Item = String>) -> String {
    joined("or", "false", parts)
}

fn joined(operator: &str, none: &str, parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    match &parts[..] {
        [] => none.to_owned(),
        [one] => one.clone(),
        _ => format!("({operator} {})", parts.join(" ")),
    }
}
