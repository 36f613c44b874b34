//! The effects of one reaction of a process.

use suffrage_model::{Message, Net, Port};
use suffrage_networks::random::Generator;

/// The net of a process, for one reaction.
pub(super) struct Reaction<'a, M> {
    pub(super) degree: u32,
    pub(super) outbox: &'a mut Vec<(Port, M)>,
    pub(super) coins: &'a mut Generator,
    /// The numbers that were drawn.
    pub(super) drawn: Vec<u32>,
    pub(super) alarm: Option<u32>,
    pub(super) rejected: Option<&'static str>,
    /// A port that the process has sent through but does not have.
    pub(super) no_such_port: Option<Port>,
}

impl<M: Message> Net<M> for Reaction<'_, M> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: M) {
        if to.0 < self.degree {
            self.outbox.push((to, msg));
        } else {
            self.no_such_port = Some(to);
        }
    }

    fn choose(&mut self, max: u32) -> u32 {
        let drawn = self.coins.below(u64::from(max) + 1) as u32;
        self.drawn.push(drawn);
        drawn
    }

    fn set_alarm(&mut self, ticks: u32) {
        self.alarm = Some(ticks);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
