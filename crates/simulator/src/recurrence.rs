//! Whether a replay comes back to where it was.

use crate::{medium::Medium, world::World};
use suffrage_algorithms::{Property, Violation};
use suffrage_process::{Port, Process, Stage};

/// All on which the further course of an election depends, at some moment of a replay.
pub(crate) struct Moment<P: Process> {
    /// How many steps are said to lead back to here.
    steps: u64,
    nodes: Vec<(P, Stage)>,
    between: Between<P::Msg>,
}

/// What lies between the processes.
pub(crate) struct Between<M> {
    /// The links that hold messages, in an order of their own, and what they hold.
    pub links: Vec<(u64, Vec<M>)>,
    /// Whether the messages of a link arrive in their order.
    pub fifo: bool,
    /// Who waits for room, and for what, in their order.
    pub waiting: Vec<(u32, Vec<(Port, M)>)>,
    /// Whose alarms are set.
    pub alarms: Vec<u32>,
}

impl<M: Eq> PartialEq for Between<M> {
    fn eq(&self, other: &Self) -> bool {
        let links = self.links.len() == other.links.len()
            && self.links.iter().zip(&other.links).all(|((link, now), (same, then))| {
                link == same && if self.fifo { now == then } else { are_alike(now, then) }
            });
        links && self.waiting == other.waiting && self.alarms == other.alarms
    }
}

/// Whether both hold the same messages, in whatever order.
fn are_alike<M: Eq>(now: &[M], then: &[M]) -> bool {
    let count = |all: &[M], one: &M| all.iter().filter(|other| *other == one).count();
    now.len() == then.len() && now.iter().all(|one| count(now, one) == count(then, one))
}

impl<P: Process, T: Medium<P::Msg>> World<'_, '_, P, T> {
    /// Remembers the present, if a recording says that it comes back to it.
    #[cold]
    pub(crate) fn remember(&mut self) {
        let Some(steps) = self.environment.medium.steps_around() else { return };
        self.remembered = self.moment(steps);
    }

    /// Looks whether the present is what was remembered.
    pub(crate) fn look_back(&mut self) {
        let Some(then) = self.remembered.take() else { return };
        let Some(now) = self.moment(then.steps) else { return };
        if now.nodes == then.nodes && now.between == then.between {
            let detail = format!(
                "livelock: the last {} steps lead back to where they began, so the election can go \
                 around for ever",
                then.steps
            );
            self.breaches.add(self.time, Violation { property: Property::Termination, detail });
        }
    }

    fn moment(&self, steps: u64) -> Option<Moment<P>> {
        let nodes = self.nodes.iter().map(|node| (node.process.clone(), node.stage)).collect();
        Some(Moment { steps, nodes, between: self.environment.medium.between()? })
    }
}
