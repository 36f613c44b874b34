//! Conditions on configurations, and what an election is to achieve, as conditions.

use super::tables::{TabulatedLink, TabulatedProcess, TabulatedSetting};
use crate::{instance::Instance, model::processes::Observation, specification::Properties};
use suffrage_algorithms::{Problem, Property, Rule};
use suffrage_model::{Id, Stage, Status};

/// A condition on a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelCondition {
    All(Vec<ModelCondition>),
    Any(Vec<ModelCondition>),
    Not(Box<ModelCondition>),
    /// The local state of a process is among these, both included.
    Within(usize, usize, usize),
    /// Nothing is under way on a link.
    Empty(usize),
    /// Nothing has been sent over a link in this tick.
    NoneKept(usize),
    /// A process waits for room to send.
    Waits(usize),
}

/// How a language writes conditions.
pub(super) struct Notation {
    pub all: &'static str,
    pub any: &'static str,
    pub not: &'static str,
    pub truth: [&'static str; 2],
    pub state: fn(usize) -> String,
    pub equal: &'static str,
    pub empty: fn(usize) -> String,
    pub none_kept: fn(usize) -> String,
    pub waits: fn(usize) -> String,
}

impl ModelCondition {
    pub(super) fn text(&self, notation: &Notation) -> String {
        let joined = |of: &[Self], by: &str, none: &str| match of {
            [] => none.to_owned(),
            [only] => only.text(notation),
            several => {
                let each: Vec<_> = several.iter().map(|one| one.text(notation)).collect();
                format!("({})", each.join(by))
            }
        };
        match self {
            Self::All(of) => joined(of, notation.all, notation.truth[1]),
            Self::Any(of) => joined(of, notation.any, notation.truth[0]),
            Self::Not(of) => match of.text(notation) {
                text if text.starts_with('(') => format!("{}{text}", notation.not),
                text => format!("{}({text})", notation.not),
            },
            &Self::Empty(link) => (notation.empty)(link),
            &Self::NoneKept(link) => (notation.none_kept)(link),
            &Self::Waits(process) => (notation.waits)(process),
            &Self::Within(process, first, last) => {
                let state = (notation.state)(process);
                match first == last {
                    true => format!("{state} {} {first}", notation.equal),
                    false => format!("({state} >= {first}{}{state} <= {last})", notation.all),
                }
            }
        }
    }

    /// That holds everywhere.
    const fn always() -> Self {
        Self::All(Vec::new())
    }

    /// That holds nowhere.
    const fn never() -> Self {
        Self::Any(Vec::new())
    }

    pub(super) fn all(of: impl IntoIterator<Item = Self>) -> Self {
        let mut each = Vec::new();
        for one in of {
            match one {
                never if never == Self::never() => return never,
                Self::All(several) => each.extend(several),
                other => each.push(other),
            }
        }
        if each.len() == 1 { each.remove(0) } else { Self::All(each) }
    }

    pub(super) fn any(of: impl IntoIterator<Item = Self>) -> Self {
        let mut each = Vec::new();
        for one in of {
            match one {
                always if always == Self::always() => return always,
                Self::Any(several) => each.extend(several),
                other => each.push(other),
            }
        }
        if each.len() == 1 { each.remove(0) } else { Self::Any(each) }
    }

    pub(super) fn not(self) -> Self {
        match self {
            always if always == Self::always() => Self::never(),
            never if never == Self::never() => Self::always(),
            Self::Not(of) => *of,
            other => Self::Not(Box::new(other)),
        }
    }

    /// That this implies another condition.
    fn implies(self, other: Self) -> Self {
        Self::any([self.not(), other])
    }
}

/// What an election is to achieve.
pub(super) struct Goals {
    /// What holds of every configuration.
    pub always: ModelCondition,
    /// Whether nothing can happen any more.
    pub quiet: ModelCondition,
    /// What holds when nothing can happen any more.
    pub at_the_end: ModelCondition,
    /// Whether exactly one process leads.
    pub elected: ModelCondition,
    /// Whether each process may wake by itself, as long as no message reaches it.
    pub may_wake: Vec<ModelCondition>,
    /// Whether each process has crashed.
    pub crashed: Vec<ModelCondition>,
}

impl Goals {
    pub(super) fn of(
        (processes, links): (&[TabulatedProcess], &[TabulatedLink]),
        setting: TabulatedSetting,
        instance: &Instance,
        specification: &dyn Properties,
    ) -> Self {
        let of = GoalsOf { processes, ids: &instance.ids, specification };
        let initiates = |node| instance.initiators.contains(&(node as u32));
        let empty = (0..links.len()).map(ModelCondition::Empty);
        let none_kept = (0..links.len()).filter(|_| setting.in_rounds);
        let links_rest = empty.chain(none_kept.map(ModelCondition::NoneKept));
        let still = (0..processes.len()).map(|node| {
            let moves =
                |view: &Observation| view.stage == Stage::Asleep && initiates(node) || view.alarm;
            of.which(node, |view| view.stage == Stage::Crashed || !moves(view))
        });
        // Who waits for room on a link receives nothing.
        let rests = |(node, still): (usize, ModelCondition)| {
            let entering = (0..links.len()).filter(|&link| links[link].to as usize == node);
            let nothing = ModelCondition::all(entering.map(ModelCondition::Empty).chain([still]));
            ModelCondition::any([ModelCondition::Waits(node), nothing])
        };
        let quiet = match setting.capacity {
            Some(_) => ModelCondition::all(still.enumerate().map(rests)),
            None => ModelCondition::all(links_rest.chain(still)),
        };
        let asleep = |node| of.which(node, |view| view.stage == Stage::Asleep && initiates(node));
        let crashed = |node| of.which(node, |view| view.stage == Stage::Crashed);
        let always = match specification.requires(Property::AtMostOneLeader) {
            true => of.at_most_one_leader(),
            false => ModelCondition::always(),
        };
        Self {
            always,
            quiet,
            at_the_end: of.at_the_end(),
            elected: ModelCondition::all([of.some_leader(), of.at_most_one_leader()]),
            may_wake: (0..processes.len()).map(asleep).collect(),
            crashed: (0..processes.len()).map(crashed).collect(),
        }
    }
}

struct GoalsOf<'a> {
    processes: &'a [TabulatedProcess],
    ids: &'a [Id],
    specification: &'a dyn Properties,
}

impl GoalsOf<'_> {
    /// That a process is in a local state that looks like this from outside.
    fn which(&self, process: usize, is: impl Fn(&Observation) -> bool) -> ModelCondition {
        let states = &self.processes[process].states;
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (number, _) in states.iter().enumerate().filter(|(_, state)| is(&state.view)) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => ranges.push((number, number)),
            }
        }
        match ranges.as_slice() {
            [(0, last)] if *last + 1 == states.len() => ModelCondition::always(),
            ranges => ModelCondition::any(
                ranges.iter().map(|&(first, last)| ModelCondition::Within(process, first, last)),
            ),
        }
    }

    fn everywhere(&self, each: impl FnMut(usize) -> ModelCondition) -> ModelCondition {
        ModelCondition::all((0..self.ids.len()).map(each))
    }

    fn leads(&self, process: usize) -> ModelCondition {
        self.which(process, |view| view.status == Status::Leader && view.stage != Stage::Crashed)
    }

    fn some_leader(&self) -> ModelCondition {
        ModelCondition::any((0..self.ids.len()).map(|process| self.leads(process)))
    }

    /// That none of some processes leads.
    fn none_leads(&self, among: impl Iterator<Item = usize>) -> ModelCondition {
        ModelCondition::all(among.map(|process| self.leads(process).not()))
    }

    fn at_most_one_leader(&self) -> ModelCondition {
        self.everywhere(|process| {
            self.leads(process).implies(self.none_leads(process + 1..self.ids.len()))
        })
    }

    /// What [`judge`](suffrage_algorithms::judge) asks of an election that has ended.
    fn at_the_end(&self) -> ModelCondition {
        let claims = self.specification.claims();
        let requires = |property| self.specification.requires(property);
        let mut all = Vec::new();
        if requires(Property::ExactlyOneLeader) {
            all.extend([self.some_leader(), self.at_most_one_leader()]);
        }
        if requires(Property::EveryoneHalted) && claims.is_none_or(|of| of.ending.halts()) {
            let halted = |process| self.which(process, |view| view.stage == Stage::Halted);
            all.push(self.everywhere(halted));
        }
        for leader in 0..self.ids.len() {
            let leads = |others| ModelCondition::all([self.leads(leader), others]);
            if requires(Property::Agreement) {
                all.push(leads(self.none_leads(0..leader)).implies(self.agree(leader)));
            }
            if requires(Property::WinnerByRule) {
                let others = (0..self.ids.len()).filter(|&other| other != leader);
                all.push(leads(self.none_leads(others)).implies(self.may_win(leader)));
            }
        }
        ModelCondition::all(all)
    }

    /// That no process contradicts this leader.
    fn agree(&self, leader: usize) -> ModelCondition {
        let id = self.ids[leader];
        let problem = self.specification.claims().map(|claims| claims.problem);
        self.everywhere(|process| {
            self.which(process, |view| match (view.leader, problem) {
                (Some(named), _) => named == id,
                (None, Some(Problem::Explicit)) => false,
                (None, Some(Problem::Implicit)) => view.status != Status::Undecided,
                (None, None) => true,
            })
        })
    }

    /// That the claimed rule lets this process win.
    fn may_win(&self, leader: usize) -> ModelCondition {
        let Some(claims) = self.specification.claims() else { return ModelCondition::always() };
        let smaller = match claims.rule {
            Rule::SmallestInitiator => true,
            Rule::LargestInitiator => false,
            rule => {
                let must = rule.winner(self.ids.iter().map(|&id| (id, true)));
                let may = must.is_none_or(|must| must.node == leader as u64);
                return if may { ModelCondition::always() } else { ModelCondition::never() };
            }
        };
        let woke = |process| self.which(process, |view| view.woke);
        let comes_before = |process: &usize| {
            let (other, own) = (self.ids[*process], self.ids[leader]);
            if smaller { other < own } else { other > own }
        };
        let before = (0..self.ids.len()).filter(comes_before);
        let first = ModelCondition::all(before.map(|process| woke(process).not()));
        let nobody = self.everywhere(|process| woke(process).not());
        ModelCondition::any([ModelCondition::all([woke(leader), first]), nobody])
    }
}
