//! Persistent sets, chosen by observation.
//!
//! Steps of different processes commute, so it is enough to explore those of a *persistent set*: a
//! set of processes into whose empty links no process outside of it can send before one of them
//! takes a step. What a process can send is not computed statically. It is assumed to send from a
//! local state on no more than it has been observed to send ([`MaySend`]); the assumption is
//! validated against all observations, and where it was wrong the configuration is expanded again.
//!
//! # Why in this order
//! [`choose`](TransitionSystem::choose) takes the first choice that is good enough:
//! 1. *No more than one enabled event*: there is nothing to leave out, and nothing to validate later.
//! 2. *A delivery to a halted process*: one step, and true whatever else happens, so not validated.
//! 3. *A no-op delivery*: one step, looked up in a table. It comes before persistent sets, which cost
//!    more, and even before one of a single step, because a step that changes nothing leads on to fewer
//!    configurations. It is validated later, when it is known what its receiver may become.
//! 4. *The smallest persistent set.* The search ends with the first set of one step. Where processes wake or
//!    never do, it has a step that is no such wake-up: an election may end before that.
//! 5. *A commuting delivery*, only if that set has several steps: to decide whether it commutes takes
//!    longest, and its validation needs all that may be received before.
//!
//! When a choice of 3 or 5 was refuted, the configuration is expanded again with `alone` unset, so that it
//! is not chosen again, and the exploration ends.

use crate::{
    model::{
        EnabledEvent, TransitionSystem,
        automaton::{Automaton, LocalEffect},
        configuration::GlobalState,
        processes::LocalInput,
    },
    reduction::independence::{Independence, PendingInputs},
};
use suffrage_model::Stage;

pub(crate) const ALL_PROCESSES: u64 = u64::MAX;

/// May-send analysis: the ports through which processes have been observed to send from each local
/// state on.
#[derive(Default)]
pub(crate) struct MaySend {
    /// The ports through which a process may send from each local state on.
    ever: Vec<u64>,
    /// The ports through which it may send before it receives anything there.
    unasked: Vec<u64>,
    /// The reactions that were observed, as a list and as a set.
    seen: Vec<u32>,
    known: Vec<bool>,
}

impl MaySend {
    pub(crate) fn clear(&mut self) {
        for reaction in self.seen.drain(..) {
            self.known[reaction as usize] = false;
        }
        self.ever.iter_mut().for_each(|ports| *ports = 0);
        self.unasked.iter_mut().for_each(|ports| *ports = 0);
    }

    #[inline]
    pub(crate) fn see(&mut self, reaction: u32) {
        let place = reaction as usize;
        if self.known.len() <= place {
            self.known.resize(place + 1, false);
        }
        if !self.known[place] {
            self.known[place] = true;
            self.seen.push(reaction);
        }
    }

    /// Propagates the observations backwards to a fixed point. Returns whether anything changed.
    pub(crate) fn conclude(&mut self, automaton: &Automaton) -> bool {
        let Self { ever, unasked, seen, .. } = self;
        ever.resize(automaton.locals(), 0);
        unasked.resize(automaton.locals(), 0);
        let (mut news, mut again) = (false, true);
        while again {
            again = false;
            // Reactions that are found late tend to occur late, and the propagation runs backwards.
            for &reaction in seen.iter().rev() {
                let (from, effects) = automaton.reaction(reaction);
                let from = from as usize;
                for effect in effects {
                    let effect = automaton.effect(effect);
                    let to = effect.to as usize;
                    let sends = automaton.sends(effect);
                    let sends = sends.iter().fold(0, |ports, (port, _)| ports | 1 << port);
                    let asked = match effect.input {
                        LocalInput::Deliver(port, _) => 1 << port,
                        _ => 0,
                    };
                    let later = (
                        ever[from] | sends | ever[to],
                        unasked[from] | (sends | unasked[to]) & !asked,
                    );
                    if later != (ever[from], unasked[from]) {
                        (ever[from], unasked[from]) = later;
                        again = true;
                    }
                }
            }
            news |= again;
        }
        news
    }

    pub(crate) fn effects<'a>(
        &'a self,
        automaton: &'a Automaton,
    ) -> impl Iterator<Item = &'a LocalEffect> {
        let of = |&reaction: &u32| automaton.reaction(reaction).1;
        self.seen.iter().flat_map(of).map(|effect| automaton.effect(effect))
    }

    fn ever(&self, local: u32) -> u64 {
        self.ever.get(local as usize).copied().unwrap_or(0)
    }

    fn unasked(&self, local: u32) -> u64 {
        self.unasked.get(local as usize).copied().unwrap_or(0)
    }
}

/// The steps with which a configuration is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// The steps of a persistent set of processes.
    Persistent(u64),
    /// A delivery that its receiver drops, because it has halted.
    Discard(EnabledEvent),
    /// A delivery that is a no-op at any time at which it may occur.
    NoOp(EnabledEvent),
    /// A delivery before which its receiver sends nothing, and that commutes with everything until
    /// then.
    Commuting(EnabledEvent),
}

impl TransitionSystem<'_> {
    /// Returns a choice of steps that is sufficient, of one step where such a one is found. Takes time
    /// quadratic in the number of processes and linear in the number of links for each.
    pub(crate) fn choose(
        &self,
        here: &GlobalState,
        automaton: &mut Automaton,
        independence: &mut Independence,
        may_send: &MaySend,
        alone: bool,
        enabled: &[EnabledEvent],
    ) -> Expansion {
        if let [_] | [] = enabled {
            return Expansion::Persistent(ALL_PROCESSES);
        }
        // It matters when a message leaves a full link, and which message overtakes which.
        let free = self.instance.capacity.is_none() && !self.instance.faults.no_fifo;
        let (mut able, mut ignored) = (0_u64, None);
        for &event in enabled {
            let EnabledEvent::React(node, input) = event else { continue };
            able |= 1 << node;
            if !matches!(input, LocalInput::Deliver(..)) {
                continue;
            }
            let local = here.locals[usize::from(node)];
            if automaton.view(local).stage == Stage::Halted {
                return Expansion::Discard(event);
            }
            if alone && free && automaton.ignores(local, input) {
                ignored.get_or_insert(event);
            }
        }
        if let Some(event) = ignored {
            return Expansion::NoOp(event);
        }
        let (mut best, mut least) = (ALL_PROCESSES, enabled.len());
        let mut starts = able;
        while starts != 0 {
            let start = starts.trailing_zeros();
            starts &= starts - 1;
            let cluster = self.closure(1 << start, here, may_send);
            let inside = |event: &&EnabledEvent| match **event {
                EnabledEvent::React(node, _) => cluster >> node & 1 == 1,
                EnabledEvent::Lose(_) | EnabledEvent::Double(_) | EnabledEvent::Tick => true,
            };
            let count = enabled.iter().filter(inside).count();
            // An election may end before a process wakes that need not, so a set has to contain something
            // that will happen in any case.
            let goes_on = enabled.iter().filter(inside).any(|event| !self.may_not_happen(event));
            if count < least && goes_on {
                (best, least) = (cluster, count);
            }
            if least == 1 {
                break;
            }
        }
        if alone && free && least > 1 {
            let quiet = enabled.iter().find(|event| {
                let EnabledEvent::React(node, input @ LocalInput::Deliver(port, _)) = **event
                else {
                    return false;
                };
                let local = here.locals[usize::from(node)];
                automaton.view(local).stage == Stage::Running
                    && automaton.quiet(local, input).is_some()
                    && {
                        let inbox = self.inbox(node, port, here, Vec::new());
                        independence.before(automaton, local, input, inbox).is_some()
                    }
            });
            if let Some(&event) = quiet {
                return Expansion::Commuting(event);
            }
        }
        Expansion::Persistent(best)
    }

    pub(crate) fn inbox(
        &self,
        node: u16,
        but: u16,
        here: &GlobalState,
        mut later: Vec<(u16, u32, bool)>,
    ) -> PendingInputs {
        let ports = (0..self.links.degree(node.into()) as u16).filter(|&port| port != but);
        let queue = |port: u16| {
            let link = self.links.entering(node.into(), port.into());
            here.queues[link].iter().map(|token| token.msg).collect::<Vec<u32>>()
        };
        let queues = ports.map(|port| (port, queue(port)));
        later.retain(|&(port, ..)| port != but);
        PendingInputs { queues: queues.filter(|(_, queue)| !queue.is_empty()).collect(), later }
    }

    /// Returns whether no process outside of a set can send into its empty links before it takes a
    /// step.
    pub(crate) fn is_closed(&self, cluster: u64, here: &GlobalState, may_send: &MaySend) -> bool {
        cluster == ALL_PROCESSES || self.closure(cluster, here, may_send) == cluster
    }

    fn closure(&self, mut cluster: u64, here: &GlobalState, may_send: &MaySend) -> u64 {
        let mut open = cluster;
        while open != 0 {
            let node = open.trailing_zeros() as usize;
            open &= open - 1;
            let mut add = 0;
            for port in 0..self.links.degree(node) {
                let link = self.links.entering(node, port);
                let from = self.links.from(link);
                let (other, through) = (from.node as usize, from.port.0);
                if (cluster | add) >> other & 1 == 1 {
                    continue;
                }
                // Without FIFO, a message that joins others on a link enables a new delivery, too.
                let full = !here.queues[link].is_empty();
                if full && !self.instance.faults.no_fifo {
                    continue;
                }
                let local = here.locals[other];
                let asked = !here.queues[self.links.leaving(node, port)].is_empty();
                let ports = if asked { may_send.ever(local) } else { may_send.unasked(local) };
                let waiting =
                    || here.outboxes[other].iter().any(|&(to, _)| usize::from(to) == link);
                if ports >> through & 1 == 1 || waiting() {
                    add |= 1 << other;
                }
            }
            // The process waits for room, which the receiver on this link makes.
            if let Some(&(link, _)) = here.outboxes[node].first() {
                add |= 1 << self.links.to(link.into()).node;
            }
            open |= add & !cluster;
            cluster |= add;
        }
        cluster
    }
}
