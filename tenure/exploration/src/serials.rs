//! Serial numbers by rank: two configurations that differ only in the values of their serial
//! numbers, and not in their order, count as one.
//!
//! [`Recoverable::serials`](tenure_model::Recoverable::serials) explains why this is sound: the numbers of a series are compared only
//! to each other. In the normal form the numbers of each series in a configuration are 1, 2, 3, and
//! so on. A renewal therefore has an age, but no date.

use std::collections::BTreeMap;
use tenure_model::Series;

/// The serial numbers of a state, a message or an alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Serials {
    /// All serial numbers, in the order of visiting.
    pub all: Box<[(Series, u64)]>,
    /// The numbers of each series, by its place: one bit for each number.
    pub bits: Box<[(u8, u64)]>,
    /// Whether there is a series without a place, or a number without a bit.
    pub great: bool,
}

/// The number of series that have a place.
pub(super) const PLACES: usize = 64;

/// The key of a renaming: the renamed value, and its serial numbers afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Renaming {
    pub what: Renamed,
    pub number: u32,
    pub to: Box<[u64]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Renamed {
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

/// The numbers of each series that occur, ascending.
pub(super) type Ranks = BTreeMap<Series, Vec<u64>>;

pub(super) fn rank_of(ranks: &Ranks, series: Series, number: u64) -> u64 {
    let numbers = ranks.get(&series).map_or(&[][..], Vec::as_slice);
    numbers.partition_point(|&smaller| smaller <= number) as u64
}
