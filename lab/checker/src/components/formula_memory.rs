//! Where formulas held, so that they need not be evaluated where they read the same.

use crate::components::{
    component::{FormulaSet, PlacesRead, Subjects},
    scene::Scene,
    tables::{ComponentTables, Readings},
    word::{Word, change, get, hash},
};
use hashbrown::{HashTable, hash_table::Entry};
use suffrage_algorithms::{ANY_PROCESS, SharedProcesses};
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
        let mut read = ReadProcesses {
            readings: &tables.readings,
            rows: [&[]; MOST_PLACES],
            some: [0; MOST_PLACES],
            changed: [0; MOST_PLACES],
        };
        let mut changed = 0;
        for (place, &node) in scene.by_id.iter().enumerate() {
            let component = get(now, node);
            let (row, some) = (tables.read(component), tables.subjects(component));
            (read.rows[place], read.some[place]) = (row, some);
            read.changed[place] = match before.map(|before| get(before, node)) {
                Some(before) if before == component => 0,
                Some(before) => some & columns_that_differ(tables.read(before), row),
                None => some,
            };
            changed |= read.changed[place];
        }
        let (mut open, mut next) = (0, 0);
        for (&set, held) in tables.formulas.iter().zip(&mut self.held) {
            let first = next;
            next += set.subjects.readings();
            if changed >> first & ((1 << set.subjects.readings()) - 1) != 0
                && !held.add(&read, first, set, scene)
            {
                open |= set.formulas;
            }
        }
        open
    }
}

/// The greatest number of processes.
const MOST_PLACES: usize = 16;

/// What sets of formulas read of the processes, in the order of the identities: the columns of all sets side by side.
struct ReadProcesses<'a> {
    readings: &'a [Readings],
    rows: [&'a [u16]; MOST_PLACES],
    /// Of each process the columns in which it is a subject, and the changed ones among these, as bits.
    some: [u64; MOST_PLACES],
    changed: [u64; MOST_PLACES],
}

fn columns_that_differ(one: &[u16], other: &[u16]) -> u64 {
    let differ = one.iter().zip(other).map(|(one, other)| u64::from(one != other));
    differ.enumerate().fold(0, |all, (column, differs)| all | differs << column)
}

/// The places of the processes that can be a subject, and of the changed ones among these, as bits.
#[derive(Clone, Copy)]
struct SubjectPlaces {
    some: u32,
    changed: u32,
}

impl ReadProcesses<'_> {
    #[inline]
    fn subject(&self, column: usize, nodes: usize) -> SubjectPlaces {
        let places = |of: &[u64]| {
            let bits = of.iter().map(|columns| (columns >> column & 1) as u32);
            bits.enumerate().fold(0, |all, (place, bit)| all | bit << place)
        };
        SubjectPlaces { some: places(&self.some[..nodes]), changed: places(&self.changed[..nodes]) }
    }

    /// Returns a place with what is read of it, in 20 bits.
    #[inline]
    fn part(&self, place: usize, column: usize) -> u64 {
        (place as u64) << 16 | u64::from(self.rows[place][column])
    }

    /// Returns which of these processes a subject can name, too, if it is at this place.
    #[inline]
    fn shared(&self, with: SharedProcesses, place: usize, column: usize) -> SharedProcesses {
        let shared = self.readings[column].shared(self.rows[place][column]);
        std::array::from_fn(|at| with[at] & shared[at])
    }

    /// Returns what is read of all: in the order of the identities, or of the places if these matter alone.
    fn all<const L: usize>(&self, column: usize, places: PlacesRead, scene: &Scene) -> Word<L> {
        let mut word = [0; L];
        for (place, (row, &position)) in self.rows.iter().zip(&scene.positions).enumerate() {
            let at = if places == PlacesRead::Alone { position } else { place };
            change(&mut word, at, 0, row[column]);
        }
        word
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

/// What a set of formulas has read where it held.
#[derive(Default)]
struct HeldReadings<const L: usize> {
    few: HeldOfFew,
    /// Of all processes, in the order of the identities, or on the ring.
    all: HashTable<Word<L>>,
}

impl<const L: usize> HeldReadings<L> {
    /// Adds what is read in a configuration, in columns from this one on, since one in which the formulas held. Returns
    /// whether they hold: what a breach would depend on was read where they did.
    #[inline]
    fn add(
        &mut self,
        read: &ReadProcesses<'_>,
        column: usize,
        set: FormulaSet,
        scene: &Scene,
    ) -> bool {
        let order = |places: &[usize]| match set.places {
            PlacesRead::Order => scene.order(places),
            PlacesRead::No | PlacesRead::Yes | PlacesRead::Alone => 0,
        };
        let mut held = true;
        let subject = |column| read.subject(column, scene.nodes);
        match set.subjects {
            Subjects::Three => {
                let whole = column + 3;
                let mut subjects = [column, column + 1, column + 2].map(subject);
                if scene.nodes == 1 {
                    // It may send itself what it has just received, so what is first may change alone.
                    subjects.iter_mut().for_each(|of| of.changed = of.some);
                }
                let [first, second, third] = subjects;
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
                        let by_one = read.shared(ANY_PROCESS, one, column);
                        for two in places(seconds) {
                            let by_two = read.shared(by_one, two, column + 1);
                            if by_two.contains(&0) {
                                continue;
                            }
                            for three in places(thirds) {
                                if read.shared(by_two, three, column + 2).contains(&0) {
                                    continue;
                                }
                                let together = [one == two || one == three, two == three];
                                let column_of =
                                    |number| if together[number] { whole } else { column + number };
                                let key = read.part(one, column_of(0)) << 20
                                    | read.part(two, column_of(1));
                                let key = key << 20 | read.part(three, column + 2);
                                held &= self.few.add(order(&[one, two, three]) << 60 | key);
                            }
                        }
                    }
                }
            }
            Subjects::Two if scene.nodes > 1 => {
                let first = subject(column);
                for one in places(first.changed) {
                    // Two that have both changed are looked at together once.
                    for two in places(first.some & !(first.changed & ((1 << one) - 1) | 1 << one)) {
                        let (low, high) = (one.min(two), one.max(two));
                        let key = read.part(low, column) << 20 | read.part(high, column);
                        held &= self.few.add(order(&[low, high]) << 40 | key);
                    }
                }
            }
            Subjects::Two | Subjects::All => {
                let all = read.all(column, set.places, scene);
                held = add(&mut self.all, hash(&all), all);
            }
        }
        held
    }

    fn clear(&mut self) {
        self.few = HeldOfFew::default();
        self.all.clear();
    }

    fn memory(&self) -> usize {
        self.few.known.allocation_size() + self.all.allocation_size()
    }
}

/// What was read of few processes where formulas held: of each its place in the order of the identities, and the number
/// of what was read of it, in 20 bits; above these bits, how they follow each other, if that matters.
struct HeldOfFew {
    known: HashTable<Word<1>>,
    /// Some of them, each where its hash says: most are found here, near the processor.
    recent: Box<[u64; 1 << RECENT]>,
}

/// The binary logarithm of the number of those that are kept nearest.
const RECENT: u32 = 9;

impl Default for HeldOfFew {
    fn default() -> Self {
        // All ones stand for none: no reading has that number.
        Self { known: HashTable::new(), recent: Box::new([u64::MAX; 1 << RECENT]) }
    }
}

impl HeldOfFew {
    /// Returns whether it contains this, and adds it.
    #[inline]
    fn add(&mut self, new: u64) -> bool {
        let hash = hash(&[new]);
        let recent = &mut self.recent[(hash >> (u64::BITS - RECENT)) as usize];
        *recent == new || {
            *recent = new;
            add(&mut self.known, hash, [new])
        }
    }
}

/// Returns whether a set contains this, which has this hash, and adds it.
#[inline]
fn add<const M: usize>(set: &mut HashTable<Word<M>>, hashed: u64, new: Word<M>) -> bool {
    match set.entry(hashed, |&of| of == new, hash) {
        Entry::Occupied(_) => true,
        Entry::Vacant(place) => {
            place.insert(new);
            false
        }
    }
}
