//! End components: where an election can run without end, with a positive probability.
//!
//! An *end component* is a set of configurations, each with some of its events, that a schedule
//! which takes only these events never leaves, whatever the outcomes, and in which it can reach
//! every configuration from every other one. With probability 1, the configurations and events that
//! occur infinitely often in a run without an end are an end component (L. de Alfaro, *Formal
//! Verification of Probabilistic Systems*, dissertation, Stanford University, 1997, chapter 3). So a
//! schedule can make an election run without end, with a positive probability, exactly if it can reach an end
//! component.
//!
//! A schedule is *fair* if an event that stays enabled is taken in the end: every initiator wakes or
//! is reached, every alarm rings, and, as the first message of a link stays the first until it is
//! delivered, every message is delivered. An end component is fair if no event that is not among its
//! own is enabled in all of its configurations: then a schedule that takes each of its events again
//! and again is fair. Whatever contains a fair end component is one as well if it is an end component, so it
//! is enough to look at the largest ones. Faults need not happen, nor, where initiators wake
//! [or never do](Wake::AnyTimeOrNever), wake-ups: they lead to the elections of other sets of initiators.

use crate::{
    instance::Wake,
    model::{Transition, automaton::Automaton, processes::LocalInput},
    specification::Cycles,
    state_graph::{StateGraph, Successor},
};
use petgraph::{algo::kosaraju_scc, graph::DiGraph};
use rustc_hash::FxHashSet;

pub(crate) const NOWHERE: u32 = u32::MAX;

/// A finished graph of configurations with the probabilities of its steps.
pub(crate) struct DecisionProcess<'a> {
    pub graph: &'a StateGraph,
    /// For each effect, its probability, and whether it is the last outcome of its event.
    effects: Vec<(f64, bool)>,
    /// Whether processes that may wake need never do so.
    may_sleep: bool,
}

impl<'a> DecisionProcess<'a> {
    pub(crate) fn new(graph: &'a StateGraph, automaton: &Automaton, wake: Wake) -> Self {
        let may_sleep = wake == Wake::AnyTimeOrNever;
        Self { graph, effects: automaton.probabilities(), may_sleep }
    }

    pub(crate) fn events(&self, number: u32) -> impl Iterator<Item = &'a [Successor]> {
        self.graph.steps(number).split_inclusive(|edge| match edge.step {
            Transition::React(_, effect) => self.effects[effect as usize].1,
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => true,
        })
    }

    pub(crate) fn probability(&self, edge: &Successor) -> f64 {
        match edge.step {
            Transition::React(_, effect) => self.effects[effect as usize].0,
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => 1.0,
        }
    }

    pub(crate) fn draws(&self) -> bool {
        let steps = |number| self.graph.steps(number).iter();
        let mut all = (0..self.graph.len() as u32).flat_map(steps);
        all.any(|edge| self.probability(edge) < 1.0)
    }
}

/// Some components of a graph in which executions can run without end.
pub(crate) struct EndComponents {
    /// For each configuration the number of its component, or [`NOWHERE`].
    pub of: Vec<u32>,
    /// The events that do not belong to the component of their configuration, by its number and
    /// theirs.
    left_out: FxHashSet<(u32, u32)>,
}

impl EndComponents {
    /// Finds the components in which cycles of this kind are. Takes time linear in the number of
    /// steps, once for each layer of events that lead out.
    pub(crate) fn new(process: &DecisionProcess<'_>, automaton: &Automaton, of: Cycles) -> Self {
        let size = process.graph.len();
        let mut found = Self { of: vec![0; size], left_out: FxHashSet::default() };
        found.decompose(process);
        if of != Cycles::All {
            while found.leave_out(process) {
                found.decompose(process);
            }
        }
        if of == Cycles::FairAndProbable {
            found.leave_out_unfair(process, automaton);
        }
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.of.iter().all(|&component| component == NOWHERE)
    }

    fn events<'g>(
        &self,
        process: &DecisionProcess<'g>,
        number: u32,
    ) -> impl Iterator<Item = (&'g [Successor], bool)> {
        let events = (0..).zip(process.events(number));
        events.map(move |(event, outcomes)| (outcomes, !self.left_out.contains(&(number, event))))
    }

    pub(crate) fn within<'g>(
        &self,
        process: &DecisionProcess<'g>,
        number: u32,
    ) -> impl Iterator<Item = &'g Successor> {
        let here = self.of[number as usize];
        let kept = self.events(process, number).filter(|&(_, kept)| kept);
        let edges = kept.flat_map(|(outcomes, _)| outcomes);
        edges.filter(move |edge| here != NOWHERE && self.of[edge.to as usize] == here)
    }

    /// Finds the strongly connected components of the events that are left.
    fn decompose(&mut self, process: &DecisionProcess<'_>) {
        let size = self.of.len() as u32;
        let pairs =
            (0..size).flat_map(|from| self.within(process, from).map(move |edge| (from, edge.to)));
        let mut of = vec![NOWHERE; size as usize];
        let graph = DiGraph::<(), ()>::from_edges(pairs);
        for (number, component) in (0..).zip(kosaraju_scc(&graph)) {
            let alone = component.len() == 1;
            for node in component {
                let node = node.index() as u32;
                if !alone || self.within(process, node).any(|edge| edge.to == node) {
                    of[node as usize] = number;
                }
            }
        }
        self.of = of;
    }

    /// Leaves out the events that have an outcome outside of their component. Returns whether there
    /// were any.
    fn leave_out(&mut self, process: &DecisionProcess<'_>) -> bool {
        let before = self.left_out.len();
        for number in 0..self.of.len() as u32 {
            let here = self.of[number as usize];
            if here == NOWHERE {
                continue;
            }
            for (event, outcomes) in (0..).zip(process.events(number)) {
                if outcomes.iter().any(|edge| self.of[edge.to as usize] != here) {
                    self.left_out.insert((number, event));
                }
            }
        }
        self.left_out.len() > before
    }

    /// Leaves out the components in which an event is always enabled, and never taken.
    fn leave_out_unfair(&mut self, process: &DecisionProcess<'_>, automaton: &Automaton) {
        let input = |outcomes: &[Successor]| match outcomes.first()?.step {
            Transition::React(node, effect) => {
                let input = automaton.effect(effect).input;
                let may_wait = match input {
                    LocalInput::Crash => true,
                    LocalInput::Wake => process.may_sleep,
                    LocalInput::Alarm | LocalInput::Deliver(..) => false,
                };
                (!may_wait).then_some((node, input))
            }
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => None,
        };
        // The events of each component that stay enabled, and are not taken, as far as is known.
        let components = self.of.iter().filter(|&&of| of != NOWHERE).max();
        let mut starved = vec![None; components.map_or(0, |&most| most as usize + 1)];
        for number in 0..self.of.len() as u32 {
            let component = self.of[number as usize];
            if component == NOWHERE {
                continue;
            }
            let here = self.events(process, number);
            let enabled: Vec<_> =
                here.filter_map(|(outcomes, taken)| Some((input(outcomes)?, taken))).collect();
            let untaken = |of: &(u16, LocalInput)| enabled.contains(&(*of, false));
            match &mut starved[component as usize] {
                Some(known) => {
                    let known: &mut Vec<_> = known;
                    known.retain(untaken);
                }
                new @ None => {
                    let inputs = enabled.iter().map(|&(input, _)| input);
                    *new = Some(inputs.filter(untaken).collect());
                }
            }
        }
        for of in &mut self.of {
            let unfair = starved.get(*of as usize).and_then(Option::as_ref);
            if unfair.is_some_and(|starved| !starved.is_empty()) {
                *of = NOWHERE;
            }
        }
    }
}
