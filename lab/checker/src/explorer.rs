//! The explorer: expands configurations until all reachable ones, or enough of them, are known.

use crate::{
    components::ComponentStore,
    cost::token_move::TokenMove,
    model::{
        EnabledEvent, StateView, Transition, TransitionSystem, automaton::Automaton,
        configuration::GlobalState, processes::LocalViolation,
    },
    reduction::{
        independence::Independence,
        persistent_set::{ALL_PROCESSES, Expansion, MaySend},
        singletons::unjustified,
    },
    search::Search,
    state_graph::{StateGraph, Successor},
};
use suffrage_algorithms::{Property, Violation};

/// An explorer of instances. Its buffers and its table of reactions are reused from one instance to
/// the next.
pub(crate) struct ScheduleExplorer {
    pub automaton: Automaton,
    /// The tables of components; none if everything is to be explored without them.
    pub components: Option<Box<ComponentStore>>,
    pub graph: StateGraph,
    pub may_send: MaySend,
    /// The choice with which each configuration was expanded.
    pub choices: Vec<Expansion>,
    independence: Independence,
    events: Vec<EnabledEvent>,
    written: Vec<u8>,
    pub here: GlobalState,
    steps: Vec<Transition>,
}

#[derive(Debug)]
pub(crate) enum SearchEnd {
    /// Everything was explored.
    Complete,
    /// A property is violated, at a configuration or by the last step to it.
    Violated(ViolationSite),
    /// The memory is used up.
    Full,
    /// The exploration was stopped.
    Stopped,
}

#[derive(Debug)]
pub(crate) struct ViolationSite {
    pub violation: Violation,
    /// The configuration, and the last step from it, if it is a step that violates the property.
    pub at: u32,
    pub last: Option<Transition>,
}

impl ScheduleExplorer {
    pub(crate) fn new(automaton: Automaton) -> Self {
        Self {
            automaton,
            components: Some(Box::default()),
            graph: StateGraph::new(),
            may_send: MaySend::default(),
            choices: Vec::new(),
            independence: Independence::default(),
            events: Vec::new(),
            written: Vec::new(),
            here: GlobalState::default(),
            steps: Vec::new(),
        }
    }

    /// Returns whether the last examination found its result by components: it has left no other graph.
    pub(crate) fn is_by_components(&self) -> bool {
        self.graph.len() == 0
    }

    /// Explores an instance breadth first, and stops at the first violation.
    pub(crate) fn explore(&mut self, search: &mut Search<'_>) -> SearchEnd {
        let (model, specification) = (search.model, search.specification);
        self.graph.clear();
        self.choices.clear();
        self.may_send.clear();
        self.here = model.first(&mut self.automaton);
        self.written.clear();
        self.here.write(&mut self.written);
        self.graph.insert(&self.written, 0);
        // Faults are counted for all processes together, so steps that use them do not commute.
        let full =
            search.full || model.instance.faults.counted() || specification.needs_everything();
        // Choices of configurations below `doubtful` were made before the last new observation.
        let (mut next, mut lesson, mut doubtful) = (0, 64, 0);
        loop {
            while (next as usize) < self.graph.len() {
                if search.is_full(next as usize, || self.graph.memory()) {
                    return SearchEnd::Full;
                }
                if search.is_stopped(next as usize) {
                    return SearchEnd::Stopped;
                }
                if !full && next == lesson {
                    // The more is known, the fewer choices turn out to be wrong.
                    if self.may_send.conclude(&self.automaton) {
                        doubtful = next;
                    }
                    lesson *= 2;
                }
                if let Some(violation) = self.expand(search, next, full, true) {
                    return SearchEnd::Violated(violation);
                }
                next += 1;
            }
            if full {
                break;
            }
            if self.may_send.conclude(&self.automaton) {
                doubtful = next;
            }
            let Self { graph, choices, independence, automaton, here, .. } = self;
            let Some(unjustified) =
                unjustified(model, graph, choices, independence, automaton, here)
            else {
                return self.explore_all(search);
            };
            let again = self.unjustified(model, unjustified, doubtful);
            doubtful = 0;
            if again.is_empty() {
                break;
            }
            for number in again {
                if let Some(violation) = self.expand(search, number, full, false) {
                    return SearchEnd::Violated(violation);
                }
            }
        }
        // If a leader revokes its status, two leaders need not both remain at the end.
        let revoked = |fault| matches!(fault, Some(LocalViolation::Revoked(..)));
        if !full
            && specification.requires(Property::AtMostOneLeader)
            && self.may_send.effects(&self.automaton).any(|effect| revoked(effect.fault))
        {
            return self.explore_all(search);
        }
        SearchEnd::Complete
    }

    pub(crate) fn explore_all(&mut self, search: &mut Search<'_>) -> SearchEnd {
        self.explore(&mut Search { full: true, heartbeat: &mut *search.heartbeat, ..*search })
    }

    /// Adds to `unjustified` the configurations whose persistent sets are not valid by the present
    /// observations.
    fn unjustified(
        &mut self,
        model: &TransitionSystem<'_>,
        mut unjustified: Vec<u32>,
        doubtful: u32,
    ) -> Vec<u32> {
        for (number, choice) in (0..doubtful).zip(&self.choices) {
            let Expansion::Persistent(cluster) = *choice else { continue };
            if cluster != ALL_PROCESSES {
                self.here.read(self.graph.get(number));
                if !model.is_closed(cluster, &self.here, &self.may_send) {
                    unjustified.push(number);
                }
            }
        }
        unjustified
    }

    /// Expands a configuration: finds its steps and where they lead.
    fn expand(
        &mut self,
        &Search { model, specification, costs, judged, .. }: &Search<'_>,
        number: u32,
        full: bool,
        alone: bool,
    ) -> Option<ViolationSite> {
        let Self {
            automaton,
            graph,
            may_send,
            choices,
            independence,
            events,
            written,
            here,
            steps,
            ..
        } = self;
        here.read(graph.get(number));
        model.events(here, automaton, u128::MAX, events);
        let view = StateView { state: here, automaton, model };
        let ends = model.is_end(events);
        graph.ends(number, ends);
        if !judged && let Some(violation) = specification.at(view, ends) {
            return Some(ViolationSite { violation, at: number, last: None });
        }
        let choice = match full || model.begins(here, automaton) {
            true => Expansion::Persistent(ALL_PROCESSES),
            false => model.choose(here, automaton, independence, may_send, alone, events),
        };
        match choices.get_mut(number as usize) {
            Some(known) => *known = choice,
            None => choices.push(choice),
        }
        match choice {
            Expansion::Persistent(ALL_PROCESSES) => {}
            Expansion::Persistent(cluster) => events.retain(|event| match *event {
                EnabledEvent::React(node, _) => cluster >> node & 1 == 1,
                EnabledEvent::Lose(_) | EnabledEvent::Double(_) | EnabledEvent::Tick => true,
            }),
            Expansion::Discard(event) | Expansion::NoOp(event) | Expansion::Commuting(event) => {
                events.splice(.., [event]).for_each(drop);
            }
        }
        steps.clear();
        for &event in &*events {
            if let EnabledEvent::React(node, input) = event {
                may_send.see(automaton.react(here.locals[usize::from(node)], input));
            }
            model.steps(event, here, automaton, |_, step| steps.push(step));
        }
        graph.begin(number);
        for (place, &step) in steps.iter().enumerate() {
            if place > 0 {
                here.read(graph.get(number));
            }
            let received = model.apply(step, here, automaton);
            let moved = if costs { TokenMove::record(received, here, &mut graph.moves) } else { 0 };
            written.clear();
            here.write(written);
            let (to, _) = graph.insert(written, number);
            graph.step(number, Successor { to, step, moved });
            if let Transition::React(node, effect) = step
                && let Some(violation) = automaton.effect(effect).fault
                && let Some(violation) = specification.violated_by(violation, node)
            {
                return Some(ViolationSite { violation, at: number, last: Some(step) });
            }
        }
        None
    }
}
