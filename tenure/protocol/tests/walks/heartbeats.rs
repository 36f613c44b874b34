//! A process that looks only where something has changed misses nothing.

use crate::world::{Verdict, World};
use std::collections::BTreeMap;
use tenure_model::*;
use tenure_protocol::tenure::{Alarm, Msg, Tenure};

/// What an alarm causes.
#[derive(Debug, PartialEq)]
struct Effect {
    cells: BTreeMap<Cell, u64>,
    sent: Vec<(Peer, Msg)>,
    alarms: Vec<(Alarm, Option<u32>)>,
    changed: Vec<Office>,
}

impl Effects<Tenure> for Effect {
    fn send(&mut self, to: Peer, msg: Msg) {
        self.sent.push((to, msg));
    }
    fn set_alarm(&mut self, alarm: Alarm, ticks: u32) {
        self.alarms.push((alarm, Some(ticks)));
    }
    fn cancel_alarm(&mut self, alarm: Alarm) {
        self.alarms.push((alarm, None));
    }
    fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }
    fn write(&mut self, cell: Cell, number: u64) {
        self.cells.insert(cell, number);
    }
    fn choose(&mut self, max: u32) -> u32 {
        panic!("it draws a number up to {max}");
    }
    fn changed(&mut self, office: Office) {
        self.changed.push(office);
    }
    fn reject(&mut self, why: &'static str) {
        panic!("it rejects: {why}");
    }
}

/// Lets a heartbeat and each pending alarm ring in a copy of each process, and in another copy that looks at
/// all offices. Counts the heartbeats that repeat nothing about an office, and those that do.
pub(crate) fn check(world: &World<Tenure>, counts: &mut [u64; 2]) -> Verdict {
    for (at, site) in world.sites.iter().enumerate() {
        let Some(process) = &site.process else { continue };
        let ring = |mut process: Tenure, alarm| {
            let cells = site.cells.clone();
            let mut effect = Effect { cells, sent: vec![], alarms: vec![], changed: vec![] };
            process.ring(alarm, &mut effect);
            (process, effect)
        };
        let mut all = process.clone();
        all.look_everywhere();
        assert!(all == *process, "where it looks is no part of the state");
        let pending = world.alarms.iter().filter(|pending| pending.at == at);
        for alarm in pending.map(|pending| pending.alarm).chain([Alarm::Beat]) {
            let (one, all) = (ring(process.clone(), alarm), ring(all.clone(), alarm));
            if one != all {
                return Err(format!("{alarm:?}: {:?} instead of {:?}", one.1, all.1));
            }
            if alarm == Alarm::Beat {
                let repeats = one.1.sent.iter().any(|(_, msg)| msg.office().is_some());
                counts[usize::from(repeats)] += 1;
            }
        }
    }
    Ok(())
}
