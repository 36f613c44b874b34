//! A heartbeat repeats as much as if it went through all offices.

use crate::world::{Verdict, World};
use std::collections::BTreeMap;
use suffrage_process::recovery::*;
use suffrage_protocols::tenure::{Alarm, Msg, Tenure};

/// What a heartbeat does.
#[derive(Debug, PartialEq)]
struct Beat {
    cells: BTreeMap<Cell, u64>,
    sent: Vec<(Peer, Msg)>,
    alarms: Vec<(Alarm, Option<u32>)>,
    changed: Vec<Office>,
}

impl Effects<Tenure> for Beat {
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

/// Lets a copy of each process have a heartbeat, and another copy that looks at all offices. Counts the
/// heartbeats that repeat something about an office, and those that do not.
pub(crate) fn check(world: &World<Tenure>, counts: &mut [u64; 2]) -> Verdict {
    for site in &world.sites {
        let Some(process) = &site.process else { continue };
        let beat = |mut process: Tenure| {
            let cells = site.cells.clone();
            let mut beat = Beat { cells, sent: vec![], alarms: vec![], changed: vec![] };
            process.ring(Alarm::Beat, &mut beat);
            (process, beat)
        };
        let mut all = process.clone();
        all.look_everywhere();
        assert!(all == *process, "where it looks is no part of the state");
        let (one, all) = (beat(process.clone()), beat(all));
        if one != all {
            return Err(format!("{:?} instead of {:?}", one.1, all.1));
        }
        let repeats = one.1.sent.iter().any(|(_, msg)| msg.office().is_some());
        counts[usize::from(repeats)] += 1;
    }
    Ok(())
}
