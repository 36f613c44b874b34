//! Serial numbers by rank: two configurations that differ only in the values of their serial
//! numbers, and not in their order, count as one.
//!
//! [`Recoverable::serials`] explains why this is sound: the numbers of a series are compared only
//! to each other. In the normal form the numbers of each series in a configuration are 1, 2, 3, and
//! so on. A renewal therefore has an age, but no date.

use super::{
    Explorer,
    configuration::Configuration,
    tables::{Alarm, Local, Tables},
};
use std::collections::BTreeMap;
use tenure_model::{Peer, Recoverable, Series};

/// The serial numbers of a state, a message or an alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Serials {
    /// All serial numbers, in the order of visiting.
    all: Box<[(Series, u64)]>,
    /// The numbers of each series, by its place: one bit for each number.
    bits: Box<[(u8, u64)]>,
    /// Whether there is a series without a place, or a number without a bit.
    great: bool,
}

/// The number of series that have a place.
const PLACES: usize = 64;

/// The key of a renaming: the renamed value, and its serial numbers afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Renaming {
    what: What,
    number: u32,
    to: Box<[u64]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    Local,
    Parcel,
    Alarm,
}

pub(super) fn serials_of(visit: impl FnOnce(&mut dyn FnMut(Series, &mut u64))) -> Serials {
    let mut found = Serials::default();
    let mut all = Vec::new();
    let mut bits = BTreeMap::new();
    visit(&mut |series: Series, number: &mut u64| {
        all.push((series, *number));
        let place = series.of.0 as usize * 2 + usize::from(series.name);
        if *number > 64 || series.name > 1 || place >= PLACES {
            found.great = true;
        } else if *number > 0 {
            *bits.entry(place as u8).or_insert(0) |= 1_u64 << (*number - 1);
        }
    });
    Serials { all: all.into(), bits: bits.into_iter().collect(), ..found }
}

type Ranks = BTreeMap<Series, Vec<u64>>;

/// Renumbers the series of a configuration from 1.
pub(super) fn rank<P: Recoverable>(
    here: &mut Configuration,
    explorer: &Explorer<P>,
    tables: &Tables<P>,
) {
    let mut used = [0_u64; PLACES];
    let mut great = false;
    visit(here, tables, |serials| {
        great |= serials.great;
        serials.bits.iter().for_each(|&(place, bits)| used[usize::from(place)] |= bits);
    });
    // Each series is numbered from 1 without a gap.
    if !great && used.iter().all(|&bits| bits & bits.wrapping_add(1) == 0) {
        return;
    }
    let mut ranks = Ranks::new();
    visit(here, tables, |serials| {
        for &(series, number) in serials.all.iter().filter(|&&(_, number)| number > 0) {
            ranks.entry(series).or_default().push(number);
        }
    });
    for numbers in ranks.values_mut() {
        numbers.sort_unstable();
        numbers.dedup();
    }
    for local in &mut here.locals {
        *local = renamed(What::Local, *local, &ranks, explorer, tables);
    }
    for parcel in &mut here.net {
        *parcel = renamed(What::Parcel, *parcel, &ranks, explorer, tables);
    }
    if !explorer.queued() {
        here.net.sort_unstable();
    }
    here.pending.renumber(|alarm| renamed(What::Alarm, alarm, &ranks, explorer, tables));
}

fn visit<P: Recoverable>(
    here: &Configuration,
    tables: &Tables<P>,
    mut visit: impl FnMut(&Serials),
) {
    here.locals.iter().for_each(|&local| visit(&tables.locals.get(local).serials));
    here.net.iter().for_each(|&parcel| visit(&tables.parcels.get(parcel).serials));
    for &alarm in &here.pending.alarms {
        visit(&tables.names.get(tables.alarms.get(alarm).name).serials);
    }
}

fn rank_of(ranks: &Ranks, series: Series, number: u64) -> u64 {
    let numbers = ranks.get(&series).map_or(&[][..], Vec::as_slice);
    numbers.partition_point(|&smaller| smaller <= number) as u64
}

fn renamed<P: Recoverable>(
    what: What,
    number: u32,
    ranks: &Ranks,
    explorer: &Explorer<P>,
    tables: &Tables<P>,
) -> u32 {
    let serials = match what {
        What::Local => &tables.locals.get(number).serials,
        What::Parcel => &tables.parcels.get(number).serials,
        What::Alarm => &tables.names.get(tables.alarms.get(number).name).serials,
    };
    if serials.all.iter().all(|&(series, number)| rank_of(ranks, series, number) == number) {
        return number;
    }
    let to = serials.all.iter().map(|&(series, number)| rank_of(ranks, series, number)).collect();
    let mut rename = |series: Series, number: &mut u64| *number = rank_of(ranks, series, *number);
    *tables.renamed.get_or_insert(Renaming { what, number, to }, || match what {
        What::Local => {
            let mut local: Local<P> = tables.locals.get(number).local.clone();
            if let Some(up) = &mut local.up {
                up.serials(&mut rename);
            }
            tables.local(explorer, local)
        }
        What::Parcel => {
            let parcel = tables.parcels.get(number);
            let (from, to): (Peer, Peer) = (parcel.from, parcel.to);
            let mut msg = parcel.msg;
            P::serials_of_message(from, to, &mut msg, &mut rename);
            tables.parcel(from, to, msg)
        }
        What::Alarm => {
            let Alarm { name, ticks } = *tables.alarms.get(number);
            let name = tables.names.get(name);
            let mut alarm = name.alarm;
            P::serials_of_alarm(name.of, &mut alarm, &mut rename);
            tables.alarms.number(Alarm { name: tables.name(name.of, alarm), ticks })
        }
    })
}
