//! The effects that the process can have during one reaction.

use super::TICK;
use super::seats::Seat;
use crate::packet::Packet;
use std::collections::BTreeMap;
use suffrage_numbers::random::Key;
use tenure_model::{Alarms, Cell, Effects, Office, Peer};
use tenure_protocol::tenure::{Alarm, Msg, Tenure};

pub(super) struct Scene<'a> {
    /// The time of the reaction.
    pub(super) now: u64,
    pub(super) alarms: &'a mut Alarms<Alarm>,
    pub(super) cells: &'a mut BTreeMap<Cell, u64>,
    pub(super) outbox: &'a mut Vec<(Peer, Packet)>,
    pub(super) changed: &'a mut Vec<Office>,
    pub(super) coins: &'a mut u64,
    pub(super) seats: &'a BTreeMap<Office, Seat>,
    pub(super) key: Key,
    /// Whether messages about offices leave, and not only those about leases.
    pub(super) repeats: bool,
    /// The number of messages sent before the first write, if there is one.
    pub(super) sent_before: Option<usize>,
    pub(super) rejected: Option<&'static str>,
}

impl Effects<Tenure> for Scene<'_> {
    fn send(&mut self, to: Peer, msg: Msg) {
        if self.repeats || msg.office().is_none() {
            self.outbox.push((to, Packet::Protocol(msg)));
        }
    }

    fn set_alarm(&mut self, alarm: Alarm, ticks: u32) {
        let ticks = match alarm {
            // The protocol knows only the longest stop time of all offices. The work of this one has
            // ended after its own: to the protocol, as if the program had said so then.
            Alarm::Stop(office) => ticks.min(self.seats.get(&office).map_or(0, Seat::stop)),
            _ => ticks,
        };
        self.alarms.set(alarm, self.now + u64::from(ticks) * TICK);
    }

    fn cancel_alarm(&mut self, alarm: Alarm) {
        self.alarms.cancel(alarm);
    }

    fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }

    fn write(&mut self, cell: Cell, number: u64) {
        self.cells.insert(cell, number);
        self.sent_before.get_or_insert(self.outbox.len());
    }

    fn choose(&mut self, max: u32) -> u32 {
        *self.coins += 1;
        self.key.at(*self.coins).below(u64::from(max) + 1) as u32
    }

    fn changed(&mut self, office: Office) {
        if self.changed.last() != Some(&office) {
            self.changed.push(office);
        }
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
