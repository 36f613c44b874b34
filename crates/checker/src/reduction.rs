//! Which steps of a configuration are enough to explore: DESIGN.md proves that they are.
//!
//! Steps of different processes commute, so that it is enough to explore those of a *cluster*: a
//! set of processes into whose empty links nobody outside of it can send before one of them
//! acts. Who can send what is not computed beforehand. It is assumed that a process in a local
//! state sends no more than it has been seen to send from there on ([`Habits`]), the assumption is
//! held against all that is seen, and where it was wrong the configuration is explored again.

use crate::{
    automaton::{Automaton, Cause, Outcome, Stage},
    burst::{Bursts, Inbox},
    configuration::Configuration,
    model::{Event, Model},
};
use suffrage_process::Process;

/// All processes.
pub(crate) const EVERYONE: u64 = u64::MAX;

/// What processes have been seen to send from each local state on.
#[derive(Default)]
pub(crate) struct Habits {
    /// The ports through which it goes on to send.
    ever: Vec<u64>,
    /// The ports through which it goes on to send before it receives anything there.
    unasked: Vec<u64>,
    /// The reactions that were seen, all together and by the local state before them.
    seen: Vec<u32>,
    known: Vec<bool>,
}

impl Habits {
    pub(crate) fn clear(&mut self) {
        for reaction in self.seen.drain(..) {
            self.known[reaction as usize] = false;
        }
        self.ever.iter_mut().for_each(|ports| *ports = 0);
        self.unasked.iter_mut().for_each(|ports| *ports = 0);
    }

    /// A reaction has been seen.
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

    /// Concludes from the reactions what follows for the states before them. Says whether that was
    /// news.
    pub(crate) fn conclude<P: Process>(&mut self, automaton: &Automaton<P>) -> bool {
        let Self { ever, unasked, seen, .. } = self;
        ever.resize(automaton.locals(), 0);
        unasked.resize(automaton.locals(), 0);
        let (mut news, mut again) = (false, true);
        while again {
            again = false;
            // What is found last tends to come last, and conclusions go backwards.
            for &reaction in seen.iter().rev() {
                let (from, outcomes) = automaton.reaction(reaction);
                let from = from as usize;
                for outcome in outcomes {
                    let outcome = automaton.outcome(outcome);
                    let to = outcome.to as usize;
                    let sends = automaton.sends(outcome);
                    let sends = sends.iter().fold(0, |ports, (port, _)| ports | 1 << port);
                    let asked = match outcome.cause {
                        Cause::Deliver(port, _) => 1 << port,
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

    /// The outcomes of all reactions that were seen.
    pub(crate) fn outcomes<'a, P: Process>(
        &'a self,
        automaton: &'a Automaton<P>,
    ) -> impl Iterator<Item = &'a Outcome> {
        let of = |&reaction: &u32| automaton.reaction(reaction).1;
        self.seen.iter().flat_map(of).map(|outcome| automaton.outcome(outcome))
    }

    fn ever(&self, local: u32) -> u64 {
        self.ever.get(local as usize).copied().unwrap_or(0)
    }

    fn unasked(&self, local: u32) -> u64 {
        self.unasked.get(local as usize).copied().unwrap_or(0)
    }
}

/// The steps to explore from a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Those of these processes.
    Cluster(u64),
    /// This delivery alone: the process has halted, and drops it.
    Drop(Event),
    /// This delivery alone: the process ignores it, now and whenever it may happen.
    Ignore(Event),
    /// This delivery alone: the process sends nothing before it, and it makes no difference when
    /// it happens until then.
    Absorb(Event),
}

impl Model<'_> {
    /// The least steps that are enough.
    pub(crate) fn choose<P: Process>(
        &self,
        configuration: &Configuration,
        automaton: &mut Automaton<P>,
        bursts: &mut Bursts,
        habits: &Habits,
        alone: bool,
        enabled: &[Event],
    ) -> Choice {
        if let [_] | [] = enabled {
            return Choice::Cluster(EVERYONE);
        }
        // When a message leaves a full link, and which one overtakes which, makes a difference.
        let free = self.instance.capacity.is_none() && !self.instance.faults.no_fifo;
        let (mut able, mut ignored) = (0_u64, None);
        for &event in enabled {
            let Event::React(node, cause) = event else { continue };
            able |= 1 << node;
            if !matches!(cause, Cause::Deliver(..)) {
                continue;
            }
            let local = configuration.locals[usize::from(node)];
            if automaton.view(local).stage == Stage::Halted {
                return Choice::Drop(event);
            }
            if alone && free && automaton.ignores(local, cause) {
                ignored.get_or_insert(event);
            }
        }
        if let Some(event) = ignored {
            return Choice::Ignore(event);
        }
        let (mut best, mut least) = (EVERYONE, enabled.len());
        let mut starts = able;
        while starts != 0 {
            let start = starts.trailing_zeros();
            starts &= starts - 1;
            let cluster = self.closure(1 << start, configuration, habits);
            let inside = |event: &&Event| match **event {
                Event::React(node, _) => cluster >> node & 1 == 1,
                Event::Lose(_) | Event::Double(_) => true,
            };
            let count = enabled.iter().filter(inside).count();
            if count < least {
                (best, least) = (cluster, count);
            }
            if least == 1 {
                break;
            }
        }
        if alone && free && least > 1 {
            let quiet = enabled.iter().find(|event| {
                let Event::React(node, cause @ Cause::Deliver(port, _)) = **event else {
                    return false;
                };
                let local = configuration.locals[usize::from(node)];
                automaton.view(local).stage == Stage::Running
                    && automaton.quiet(local, cause).is_some()
                    && {
                        let inbox = self.inbox(node, port, configuration, Vec::new());
                        bursts.before(automaton, local, cause, inbox).is_some()
                    }
            });
            if let Some(&event) = quiet {
                return Choice::Absorb(event);
            }
        }
        Choice::Cluster(best)
    }

    /// What may reach a process before it takes anything from one port.
    pub(crate) fn inbox(
        &self,
        node: u16,
        but: u16,
        configuration: &Configuration,
        mut later: Vec<(u16, u32, bool)>,
    ) -> Inbox {
        let ports = (0..self.links.degree(node.into()) as u16).filter(|&port| port != but);
        let queue = |port: u16| {
            let link = self.links.entering(node.into(), port.into());
            configuration.queues[link].iter().map(|token| token.msg).collect::<Vec<u32>>()
        };
        let queues = ports.map(|port| (port, queue(port)));
        later.retain(|&(port, ..)| port != but);
        Inbox { queues: queues.filter(|(_, queue)| !queue.is_empty()).collect(), later }
    }

    /// Whether nobody outside of a cluster can send into its empty links before it acts.
    pub(crate) fn is_closed(
        &self,
        cluster: u64,
        configuration: &Configuration,
        habits: &Habits,
    ) -> bool {
        cluster == EVERYONE || self.closure(cluster, configuration, habits) == cluster
    }

    /// The least closed cluster around some processes.
    fn closure(&self, mut cluster: u64, configuration: &Configuration, habits: &Habits) -> u64 {
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
                // Where messages overtake, one that joins others on a link is something new, too.
                let full = !configuration.queues[link].is_empty();
                if full && !self.instance.faults.no_fifo {
                    continue;
                }
                let local = configuration.locals[other];
                let asked = !configuration.queues[self.links.leaving(node, port)].is_empty();
                let ports = if asked { habits.ever(local) } else { habits.unasked(local) };
                let waiting =
                    || configuration.outboxes[other].iter().any(|&(to, _)| usize::from(to) == link);
                if ports >> through & 1 == 1 || waiting() {
                    add |= 1 << other;
                }
            }
            // It waits for room, which this one makes.
            if let Some(&(link, _)) = configuration.outboxes[node].first() {
                add |= 1 << self.links.to(link.into()).node;
            }
            open |= add & !cluster;
            cluster |= add;
        }
        cluster
    }
}
