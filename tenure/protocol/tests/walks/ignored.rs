//! A message that a process ignores now, it ignores at any later time.

use crate::world::World;
use std::cell::RefCell;
use tenure_model::*;

/// A reaction that must do nothing.
struct Nothing;

impl<P: Recoverable> Effects<P> for Nothing {
    fn send(&mut self, _: Peer, _: P::Msg) {
        panic!("it sends");
    }
    fn set_alarm(&mut self, _: P::Alarm, _: u32) {
        panic!("it sets an alarm");
    }
    fn cancel_alarm(&mut self, _: P::Alarm) {
        panic!("it cancels an alarm");
    }
    fn read(&self, _: Cell) -> Option<u64> {
        panic!("it reads");
    }
    fn write(&mut self, _: Cell, _: u64) {
        panic!("it writes");
    }
    fn choose(&mut self, _: u32) -> u32 {
        panic!("it chooses");
    }
    fn changed(&mut self, _: Office) {
        panic!("it changes");
    }
    fn reject(&mut self, why: &'static str) {
        panic!("it rejects: {why}");
    }
}

/// Messages that were ignored once: receiver, sender, message.
pub(crate) type Ignored<P> = RefCell<Vec<(usize, Peer, <P as Recoverable>::Msg)>>;

/// Delivers what was ignored at some time to a copy of its receiver: nothing may come of it.
pub(crate) fn check<P: Recoverable>(world: &World<P>, ignored: &Ignored<P>) {
    let mut ignored = ignored.borrow_mut();
    for &(from, to, msg) in &world.net {
        let from = Peer(from as u32);
        let process = world.sites[to].process.as_ref();
        if process.is_some_and(|process| process.ignores(from, &msg)) {
            ignored.push((to, from, msg));
        }
    }
    // The eldest are the most telling; a sample of the others is enough.
    if ignored.len() > 40 {
        ignored.drain(20..30);
    }
    for &(to, from, msg) in &*ignored {
        if let Some(process) = &world.sites[to].process {
            let mut after = process.clone();
            after.receive(from, msg, &mut Nothing);
            assert!(after == *process, "{msg:?} changes a process that has ignored it");
        }
    }
}
