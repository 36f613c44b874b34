//! Numbers every series of serial numbers in a world from 1, in its order.

use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use tenure_model::{Peer, Recoverable, Series};

/// Renames all serial numbers.
pub(crate) fn rename<P: Recoverable>(world: &mut World<P>) {
    let mut found: BTreeMap<Series, BTreeSet<u64>> = BTreeMap::new();
    visit(world, &mut |series, number| {
        found.entry(series).or_default().insert(*number);
    });
    visit(world, &mut |series, number| {
        *number = found[&series].range(..=*number).filter(|&&number| number > 0).count() as u64;
    });
}

fn visit<P: Recoverable>(world: &mut World<P>, visit: &mut impl FnMut(Series, &mut u64)) {
    for process in world.sites.iter_mut().filter_map(|site| site.process.as_mut()) {
        process.serials(visit);
    }
    for (from, to, msg) in &mut world.net {
        P::serials_of_message(Peer(*from as u32), Peer(*to as u32), msg, visit);
    }
    for pending in &mut world.alarms {
        P::serials_of_alarm(Peer(pending.at as u32), &mut pending.alarm, visit);
    }
}
