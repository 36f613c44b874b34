//! A recorder of the effects of a reaction.

use std::collections::BTreeMap;
use suffrage_numbers::random::Generator;
use tenure_model::Effort;
use tenure_model::{Cell, Effects, Office, Peer, Recoverable};

/// The effects of a reaction, and the coins that it was given.
pub(super) struct RecordedEffects<P: Recoverable> {
    pub cells: BTreeMap<Cell, u64>,
    pub sends: Vec<(Peer, P::Msg)>,
    /// The number of messages sent before the first write, if there is one.
    pub sent_before: Option<usize>,
    /// The alarms set, with their number of ticks, or cancelled.
    pub alarms: Vec<(P::Alarm, Option<u32>)>,
    pub rejected: Option<&'static str>,
    /// The number that each coin shows, and the greatest that it could show.
    coins: Vec<(u32, u32)>,
    tossed: usize,
    effort: Effort,
    /// The seed from which coins are drawn where they are not given.
    seed: Option<u64>,
}

impl<P: Recoverable> RecordedEffects<P> {
    /// Creates the recording of a reaction whose first coins show these numbers, and all others 0.
    pub(super) fn new(cells: &BTreeMap<Cell, u64>, coins: Vec<(u32, u32)>) -> Self {
        Self {
            cells: cells.clone(),
            sends: Vec::new(),
            sent_before: None,
            alarms: Vec::new(),
            rejected: None,
            coins,
            tossed: 0,
            effort: Effort::default(),
            seed: None,
        }
    }

    /// Creates the recording of a reaction whose coins are drawn from `seed`.
    pub(super) fn tossing(cells: &BTreeMap<Cell, u64>, seed: u64) -> Self {
        Self { seed: Some(seed), ..Self::new(cells, Vec::new()) }
    }

    pub(super) fn next_coins(mut self) -> Option<Vec<(u32, u32)>> {
        self.coins.truncate(self.tossed);
        while let Some((shows, most)) = self.coins.pop() {
            if shows < most {
                self.coins.push((shows + 1, most));
                return Some(self.coins);
            }
        }
        None
    }
}

impl<P: Recoverable> Effects<P> for RecordedEffects<P> {
    fn send(&mut self, to: Peer, msg: P::Msg) {
        self.effort.add();
        self.sends.push((to, msg));
    }

    fn set_alarm(&mut self, alarm: P::Alarm, ticks: u32) {
        self.effort.add();
        self.alarms.push((alarm, Some(ticks)));
    }

    fn cancel_alarm(&mut self, alarm: P::Alarm) {
        self.alarms.push((alarm, None));
    }

    fn read(&self, cell: Cell) -> Option<u64> {
        self.effort.add();
        self.cells.get(&cell).copied()
    }

    fn write(&mut self, cell: Cell, number: u64) {
        self.sent_before.get_or_insert(self.sends.len());
        self.cells.insert(cell, number);
    }

    fn choose(&mut self, max: u32) -> u32 {
        if let Some(seed) = &mut self.seed {
            let mut rng = Generator::new(*seed, "coin");
            *seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
            return rng.below(u64::from(max) + 1) as u32;
        }
        if self.tossed == self.coins.len() {
            self.coins.push((0, max));
        }
        let (shows, _) = self.coins[self.tossed];
        self.tossed += 1;
        shows.min(max)
    }

    fn changed(&mut self, _: Office) {
        self.effort.add();
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected.get_or_insert(why);
    }
}
