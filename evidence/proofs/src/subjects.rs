//! What is proved: the files of the catalogue, compiled a second time, and the seeded faults in them.

use crate::symbols::NotTabulated;
use crate::table::Table;
use std::cell::Cell;

/// An algorithm of the catalogue.
pub struct ProvedAlgorithm {
    /// Its name.
    pub name: &'static str,
    /// Tabulates its file.
    pub table: fn() -> Result<Table, NotTabulated>,
    /// Tabulates its file with the chosen one of all seeded faults.
    pub(crate) with_faults: fn() -> Result<Table, NotTabulated>,
    /// The seeded faults in its file.
    pub faults: &'static [TabulatedFault],
}

/// A seeded fault.
pub struct TabulatedFault {
    /// Its number in the list of all faults.
    pub(crate) number: usize,
    /// What is wrong.
    pub name: &'static str,
    /// The property that it breaks first; `None` if it is equivalent.
    pub breaks: Option<&'static str>,
}

thread_local! {
    /// The number of the fault in what this thread tabulates, or 0.
    static CHOSEN: Cell<usize> = const { Cell::new(0) };
}

/// The fault in what this thread tabulates.
pub(crate) fn chosen() -> usize {
    CHOSEN.get()
}

/// Faults that break a property in another sense than that in which it is proved: in an election without an
/// announcement no process names a leader, and so none names another one than the leader.
const OF_ANOTHER_SENSE: [(&str, &str); 1] = [("humblet", "no announcement")];

impl ProvedAlgorithm {
    /// Returns the algorithm of this name, if it is proved.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        crate::SUBJECTS.iter().find(|subject| subject.name == name)
    }

    /// Tabulates its file with a fault in it.
    ///
    /// # Errors
    /// If the algorithm does more than a table can say.
    pub fn table_with(&self, fault: &TabulatedFault) -> Result<Table, NotTabulated> {
        CHOSEN.set(fault.number);
        let table = (self.with_faults)();
        CHOSEN.set(0);
        table
    }

    /// Returns whether a fault must be refused: it breaks a property that is proved, or the election does not
    /// end, for which a leader would be enough.
    #[must_use]
    pub fn must_refuse(&self, fault: &TabulatedFault) -> bool {
        let has = |property| self.record().properties.contains(&property);
        !OF_ANOTHER_SENSE.contains(&(self.name, fault.name))
            && fault.breaks.is_some_and(|breaks| {
                has(breaks) || breaks == "termination" && has("exactly-one-leader")
            })
    }
}
