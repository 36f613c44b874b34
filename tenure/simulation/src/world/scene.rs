//! The effects of a process on the world, for the duration of one reaction.

use crate::{disk::SimulatedDisk, plan::TICK};
use suffrage_numbers::random::Key;
use tenure_model::{Alarms, Cell, Effects, Effort, Office, Peer, Recoverable};

pub(crate) struct ReactionScene<'a, P: Recoverable> {
    /// The instant at which the reaction happens, on the process's clock.
    pub(super) now: u64,
    pub(super) alarms: &'a mut Alarms<P::Alarm>,
    pub(super) disk: &'a mut SimulatedDisk,
    pub(super) outbox: &'a mut Vec<(Peer, P::Msg)>,
    /// The number of messages sent before the first write.
    pub(super) sent_before: usize,
    pub(super) changed: &'a mut Vec<Office>,
    pub(super) coins: &'a mut u64,
    pub(super) key: Key,
    pub(super) rejected: Option<&'static str>,
    pub(super) effort: Effort,
}

impl<P: Recoverable> Effects<P> for ReactionScene<'_, P> {
    #[inline]
    fn send(&mut self, to: Peer, msg: P::Msg) {
        self.effort.add();
        self.outbox.push((to, msg));
    }

    #[inline]
    fn set_alarm(&mut self, alarm: P::Alarm, ticks: u32) {
        self.effort.add();
        self.alarms.set(alarm, self.now + u64::from(ticks) * TICK);
    }

    #[inline]
    fn cancel_alarm(&mut self, alarm: P::Alarm) {
        self.alarms.cancel(alarm);
    }

    #[inline]
    fn read(&self, cell: Cell) -> Option<u64> {
        self.effort.add();
        self.disk.read(cell)
    }

    fn write(&mut self, cell: Cell, number: u64) {
        if !self.disk.has_written() {
            self.sent_before = self.outbox.len();
        }
        self.disk.write(cell, number);
    }

    fn choose(&mut self, max: u32) -> u32 {
        *self.coins += 1;
        self.key.at(*self.coins).below(u64::from(max) + 1) as u32
    }

    #[inline]
    fn changed(&mut self, office: Office) {
        self.effort.add();
        // Announcing an office twice does no harm.
        if self.changed.last() != Some(&office) {
            self.changed.push(office);
        }
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
