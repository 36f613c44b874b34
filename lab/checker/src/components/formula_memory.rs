//! Where formulas held, so that they need not be evaluated where they read the same.

use crate::components::{
    component::{FormulaSet, NO_SUBJECT, PlacesRead, Subjects},
    scene::Scene,
    tables::ComponentTables,
    word::{Word, change, get, hash},
};
use hashbrown::{HashTable, hash_table::Entry};
use suffrage_model::Id;

/// Where formulas held, in one instance after another.
#[derive(Default)]
pub(crate) struct FormulaMemory<const L: usize> {
    /// For each set of formulas. If it makes no difference to it where the processes are, or only in which order, this
    /// is kept for other instances.
    held: Vec<HeldReadings<L>>,
    /// The identities of these, and whether their first ports lead back.
    ids: Vec<(Id, bool)>,
}

impl<const L: usize> FormulaMemory<L> {
    /// Returns the memory that is allocated, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.held.iter().map(HeldReadings::memory).sum::<usize>() as u64
    }

    pub(crate) fn forget(&mut self) {
        self.held.clear();
    }

    /// Begins an instance whose processes have these identities. Keeps what is of use there.
    pub(crate) fn begin(&mut self, ids: &[Id], scene: &Scene, tables: &ComponentTables) {
        let ids = scene.by_id.iter().map(|&at| (ids[at], scene.turned >> at & 1 == 1));
        let ids: Vec<(Id, bool)> = ids.collect();
        if ids != self.ids || ids.windows(2).any(|two| two[0].0 == two[1].0) {
            self.forget();
        }
        self.ids = ids;
        self.held.resize_with(tables.formulas.len(), HeldReadings::default);
        let both = tables.formulas.iter().zip(&mut self.held);
        both.filter(|(set, _)| set.places == PlacesRead::Yes).for_each(|(_, held)| held.clear());
    }

    /// Returns the formulas that may not hold in a configuration: those that have read something new of their
    /// subjects, since the one before, in which they held.
    #[inline]
    pub(crate) fn open_formulas(
        &mut self,
        before: Option<&Word<L>>,
        now: &Word<L>,
        scene: &Scene,
        tables: &ComponentTables,
    ) -> u64 {
        let differs = |node: usize| before.is_none_or(|before| get(before, node) != get(now, node));
        let moved = scene.by_id.iter().enumerate();
        let moved = moved.fold(0, |set, (place, &node)| set | u32::from(differs(node)) << place);
        let read =
            |word, place: usize, column: usize| tables.read(get(word, scene.by_id[place]))[column];
        let (mut open, mut next) = (0, 0);
        for (&set, held) in tables.formulas.iter().zip(&mut self.held) {
            let columns = next..next + set.subjects.readings();
            next = columns.end;
            let changed = |column: usize| {
                let is_new = |&place: &usize| {
                    before.is_none_or(|old| read(old, place, column) != read(now, place, column))
                };
                places(moved).filter(is_new).fold(0, |set, place| set | 1 << place)
            };
            let mut changed_by = [0; 3];
            changed_by.iter_mut().zip(columns.clone()).for_each(|(set, at)| *set = changed(at));
            if changed_by != [0; 3] {
                let mut readings = [SubjectReading::default(); 3];
                for ((reading, column), changed) in readings.iter_mut().zip(columns).zip(changed_by)
                {
                    *reading = SubjectReading::new(column, changed, now, scene, tables);
                }
                if !held.add(&readings, set, scene) {
                    open |= set.formulas;
                }
            }
        }
        open
    }
}

/// What a set of formulas has read where it held.
#[derive(Default)]
struct HeldReadings<const L: usize> {
    /// Of few processes: of each its place in the order of the identities, and the number of what was read of it,
    /// in 20 bits; above these bits, how they follow each other, if that matters.
    few: HashTable<Word<1>>,
    /// Of all processes, in that order.
    all: HashTable<Word<L>>,
}

/// What a set of formulas reads of the processes as one of its subjects, in the order of the identities.
#[derive(Clone, Copy)]
struct SubjectReading<const L: usize> {
    word: Word<L>,
    /// The places that are read, and those whose reading has changed.
    some: u32,
    changed: u32,
}

impl<const L: usize> Default for SubjectReading<L> {
    fn default() -> Self {
        Self { word: [0; L], some: 0, changed: 0 }
    }
}

impl<const L: usize> SubjectReading<L> {
    #[inline]
    fn new(
        column: usize,
        changed: u32,
        now: &Word<L>,
        scene: &Scene,
        tables: &ComponentTables,
    ) -> Self {
        let (mut word, mut some) = ([0; L], 0);
        for (place, &node) in scene.by_id.iter().enumerate() {
            let read = tables.read(get(now, node))[column];
            change(&mut word, place, 0, read);
            some |= u32::from(read != NO_SUBJECT) << place;
        }
        Self { word, some, changed: changed & some }
    }

    /// Returns a place with what is read of it, in 20 bits.
    #[inline]
    fn part(&self, place: usize) -> u64 {
        (place as u64) << 16 | u64::from(get(&self.word, place))
    }
}

/// Returns the places of a set.
fn places(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (first < u32::BITS).then_some(first as usize)
    })
}

impl<const L: usize> HeldReadings<L> {
    /// Adds what is read in a configuration, since one in which the formulas held. Returns whether they hold: what a
    /// breach would depend on was read where they did.
    #[inline]
    fn add(&mut self, read: &[SubjectReading<L>; 3], set: FormulaSet, scene: &Scene) -> bool {
        let order = |places: &[usize]| match set.places {
            PlacesRead::Order => scene.order(places),
            PlacesRead::No | PlacesRead::Yes => 0,
        };
        let mut held = true;
        let &[first, second, third] = read;
        match set.subjects {
            Subjects::Three => {
                // Where the first has not changed, the second may have, or else the third.
                let old = first.some & !first.changed;
                let also_old = second.some & !second.changed;
                let ways = [
                    (first.changed, second.some, third.some),
                    (old, second.changed, third.some),
                    (old, also_old, third.changed),
                ];
                for (firsts, seconds, thirds) in ways {
                    for one in places(firsts) {
                        for two in places(seconds) {
                            for three in places(thirds) {
                                let key = order(&[one, two, three]) << 20 | first.part(one);
                                let key = (key << 20 | second.part(two)) << 20 | third.part(three);
                                held &= add(&mut self.few, [key]);
                            }
                        }
                    }
                }
            }
            Subjects::Two if scene.nodes > 1 => {
                for one in places(first.changed) {
                    // Two that have both changed are looked at together once.
                    for two in places(first.some & !(first.changed & ((1 << one) - 1) | 1 << one)) {
                        let (low, high) = (one.min(two), one.max(two));
                        let key = order(&[low, high]) << 20 | first.part(low);
                        held &= add(&mut self.few, [key << 20 | first.part(high)]);
                    }
                }
            }
            Subjects::Two | Subjects::All => held = add(&mut self.all, first.word),
        }
        held
    }

    fn clear(&mut self) {
        self.few.clear();
        self.all.clear();
    }

    fn memory(&self) -> usize {
        self.few.allocation_size() + self.all.allocation_size()
    }
}

/// Returns whether a set contains this, and adds it.
#[inline]
fn add<const M: usize>(set: &mut HashTable<Word<M>>, new: Word<M>) -> bool {
    match set.entry(hash(&new), |&of| of == new, hash) {
        Entry::Occupied(_) => true,
        Entry::Vacant(place) => {
            place.insert(new);
            false
        }
    }
}
