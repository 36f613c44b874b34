//! The relevant part of the past, and the remaining budget.

use super::{Budget, FEW};
use tenure_model::{Office, Peer, Term};
use tenure_simulation::promises::Breach;

/// The work of an application in an office, from the beginning of a tenure until it reports that it
/// has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct OpenWork {
    pub of: Peer,
    pub office: Office,
    pub term: Term,
}

/// The greatest terms, and the work in progress.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExploredHistory {
    /// The greatest term of all tenures so far, by office.
    pub greatest: Vec<Term>,
    /// The work in progress, ascending.
    pub works: Vec<OpenWork>,
}

impl ExploredHistory {
    /// Records the beginning of a tenure, and of the work in it; also of one whose term is not new, which is `Err`.
    pub(super) fn begin(&mut self, peer: Peer, office: Office, term: Term) -> Result<(), Breach> {
        let known = &mut self.greatest[office.0 as usize];
        let greatest = *known;
        *known = greatest.max(term);
        let work = OpenWork { of: peer, office, term };
        self.works.retain(|other| other.of != peer || other.office != office);
        let at = self.works.partition_point(|&other| other < work);
        self.works.insert(at, work);
        match term > greatest {
            true => Ok(()),
            false => Err(Breach::OldTerm { greatest, newcomer: (peer, term) }),
        }
    }
}

/// The remaining budget: a number for each kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RemainingBudget {
    pub tenures: u8,
    pub rings: u8,
    pub losses: u8,
    pub overtakings: u8,
    pub duplicates: u8,
    pub crashes: u8,
    pub lost_records: u8,
    pub departures: u8,
    pub changes: u8,
}

/// The place of the lost records among the numbers.
const LOST_RECORDS: usize = 6;

impl RemainingBudget {
    pub(super) const fn of(budget: &Budget) -> Self {
        let Budget { tenures, rings, losses, overtakings, duplicates, .. } = *budget;
        let Budget { crashes, lost_records, departures, changes, .. } = *budget;
        Self {
            tenures,
            rings,
            losses,
            overtakings,
            duplicates,
            crashes,
            lost_records,
            departures,
            changes,
        }
    }

    const fn numbers(self) -> [u8; 9] {
        let Self { tenures, rings, losses, overtakings, .. } = self;
        let Self { duplicates, crashes, lost_records, departures, changes, .. } = self;
        [
            tenures,
            rings,
            losses,
            overtakings,
            duplicates,
            crashes,
            lost_records,
            departures,
            changes,
        ]
    }

    /// Returns it as a number: the changes and the lost records, at most [`FEW`] each, share a byte.
    pub(super) const fn pack(self) -> u64 {
        let [mut bytes @ .., changes] = self.numbers();
        bytes[LOST_RECORDS] = bytes[LOST_RECORDS] << 4 | changes;
        u64::from_le_bytes(bytes)
    }

    pub(super) const fn unpack(packed: u64) -> Self {
        let [tenures, rings, losses, overtakings, duplicates, crashes, few, departures] =
            packed.to_le_bytes();
        Self {
            tenures,
            rings,
            losses,
            overtakings,
            duplicates,
            crashes,
            lost_records: few >> 4,
            departures,
            changes: few & FEW,
        }
    }

    pub(super) fn covers(self, other: Self) -> bool {
        self.numbers().into_iter().zip(other.numbers()).all(|(own, other)| own >= other)
    }
}
