//! The view of a configuration that is passed to properties.

use crate::model::{StateView, configuration::LinkMessage, processes::Interned};
use std::fmt;
use suffrage_algorithms::{self as algorithms, CheckScope, InTransit, Invariant, Node, Violation};
use suffrage_model::{End, Id, Process, Stage};

/// A configuration: the state of every process, and every message under way.
pub struct StateSnapshot<'a, P: Process> {
    here: StateView<'a>,
    values: &'a Interned<P>,
}

/// Invariants that hold in a configuration, by number, as bits, and in others in which they read the same.
#[derive(Clone, Copy, Default)]
pub(crate) struct NarrowChecks {
    /// Those that read each process by itself, with the messages under way to it.
    pub each: u64,
    /// Those that read processes, and no messages.
    pub processes: u64,
}

impl<'a, P: Process> StateSnapshot<'a, P> {
    pub(crate) fn new(here: StateView<'a>) -> Self {
        Self { here, values: here.automaton.values() }
    }

    /// Returns the processes, by number. A crashed process is in the state in which it crashed.
    pub fn processes(&self) -> impl Iterator<Item = &'a P> {
        self.here.state.locals.iter().map(|&local| &self.values.local(local).process)
    }

    /// Returns the identities of the processes.
    #[must_use]
    pub fn ids(&self) -> &'a [Id] {
        &self.here.model.instance.ids
    }

    /// Returns whether a process has neither woken nor received a message.
    ///
    /// # Panics
    /// If there is no such process.
    #[must_use]
    pub fn is_asleep(&self, node: u32) -> bool {
        self.stage(node) == Stage::Asleep
    }

    /// Returns whether a process has crashed.
    ///
    /// # Panics
    /// If there is no such process.
    #[must_use]
    pub fn has_crashed(&self, node: u32) -> bool {
        self.stage(node) == Stage::Crashed
    }

    /// Checks the invariants that are not among those of these numbers, and returns which of the first 64 read less
    /// than everything.
    pub(crate) fn check(
        &self,
        invariants: &[Invariant<P>],
        known: u64,
    ) -> Result<NarrowChecks, Violation> {
        let Self { here: StateView { state, model, .. }, values } = *self;
        let across = |end: End| model.instance.wiring.across(end.node, end.port);
        let nodes = state.locals.iter().zip(&model.instance.ids).map(|(&local, &id)| {
            let number = Some(local);
            let local = values.local(local);
            let (process, degree) = (&local.process, local.degree);
            Node { process, id, stage: local.stage, woke: local.woke, degree, number }
        });
        let transit = |link: usize, token: &LinkMessage| InTransit {
            from: model.links.from(link),
            to: model.links.to(link),
            msg: *values.message(token.msg),
            number: Some(token.msg),
        };
        let queues = state.queues.iter().enumerate();
        let on_links =
            queues.flat_map(|(link, queue)| queue.iter().map(move |token| transit(link, token)));
        // Messages that wait for room follow those on their link.
        let waiting = state.outboxes.iter().flatten();
        let waiting = waiting.map(|(link, token)| transit(usize::from(*link), token));
        let messages = on_links.chain(waiting).collect();
        let now = algorithms::Configuration::new(nodes.collect(), messages, &across);
        let now = now.remembering(&model.memory);
        let unknown = |number: u32| known.checked_shr(number).unwrap_or(0) & 1 == 0;
        let mut narrow = NarrowChecks::default();
        for (number, invariant) in (0..).zip(invariants).filter(|&(number, _)| unknown(number)) {
            let bit = 1_u64.checked_shl(number).unwrap_or(0);
            match invariant.check(&now)? {
                CheckScope::Each => narrow.each |= bit,
                CheckScope::Processes => narrow.processes |= bit,
                CheckScope::Everything => {}
            }
        }
        Ok(narrow)
    }

    fn stage(&self, node: u32) -> Stage {
        self.here.automaton.view(self.here.state.locals[node as usize]).stage
    }

    /// Returns the messages under way, link by link, each with the sending and the receiving end of
    /// its link. Messages of a FIFO link are in the order of sending. Messages that wait for room
    /// are not included.
    pub fn messages(&self) -> impl Iterator<Item = (End, End, &'a P::Msg)> {
        let (links, values) = (&self.here.model.links, self.values);
        self.here.state.queues.iter().enumerate().flat_map(move |(link, queue)| {
            let (from, to) = (links.from(link), links.to(link));
            queue.iter().map(move |token| (from, to, values.message(token.msg)))
        })
    }
}

/// The processes with their identities and states, and the messages on each link.
impl<P: Process> fmt::Display for StateSnapshot<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processes = self.processes().zip(self.ids());
        for (node, (process, id)) in (0..).zip(processes) {
            let stage = match self.stage(node) {
                Stage::Asleep => "asleep",
                Stage::Running => "running",
                Stage::Halted => "halted",
                Stage::Crashed => "crashed",
            };
            let separator = if node == 0 { "" } else { "; " };
            write!(f, "{separator}process {node} (id {id}, {stage}): {process:?}")?;
        }
        let mut last = None;
        for (from, to, message) in self.messages() {
            let separator = if last.replace((from, to)) == Some((from, to)) {
                ", ".to_owned()
            } else {
                format!("; on its way from {} to {}: ", from.node, to.node)
            };
            write!(f, "{separator}{message:?}")?;
        }
        Ok(())
    }
}
