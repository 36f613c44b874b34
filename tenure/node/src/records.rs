//! The record of a member: its state that survives a crash.

mod file;
pub(crate) mod image;

pub use file::FileStore;

use crate::roster::Roster;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tenure_model::{Cell, Memory};

/// The contents of stable storage: the number of the last start, and the cells of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberRecord {
    /// The number of the last start.
    pub boot: u64,
    /// The cells.
    pub cells: BTreeMap<Cell, u64>,
    /// Which host has which number, since the first start.
    pub roster: Option<Roster>,
}

/// A record that was loaded, and its condition.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The record.
    pub record: MemberRecord,
    /// The conclusions that the process may draw from it.
    pub memory: Memory,
    /// Whether something in its place was damaged: a part, or all if it is lost.
    pub damaged: bool,
    /// The random number of the store, drawn when it was created; 0 if it has none.
    pub store: u128,
}

impl Loaded {
    /// Returns an empty record, from which the process may conclude this.
    #[must_use]
    pub fn nothing(memory: Memory) -> Self {
        Self { record: MemberRecord::default(), memory, damaged: false, store: 0 }
    }
}

/// An error: a record cannot be read, or must not be used, since it belongs to another member, is of another
/// version, or is in use.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct StoreError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason, and what to do.
    pub why: String,
}

/// Storage for the record of one member.
pub trait Store: Send + 'static {
    /// Opens the storage and reads the record that was saved last.
    ///
    /// # Errors
    /// If the record cannot be read, or must not be used. A missing record is no error.
    fn load(&mut self) -> Result<Loaded, StoreError>;

    /// Replaces the record, atomically, and returns when the new one is on stable storage.
    ///
    /// # Errors
    /// If the record may not have been saved. The caller tries again.
    fn save(&mut self, record: &MemberRecord) -> io::Result<()>;

    /// Returns whether the last save found that the storage was deleted or replaced since the one before, and made it
    /// anew.
    fn was_recreated(&self) -> bool {
        false
    }
}

/// A store that keeps nothing, for participants without a vote.
#[derive(Debug)]
pub(crate) struct NoStore;

impl Store for NoStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        Ok(Loaded::nothing(Memory::New))
    }

    fn save(&mut self, _: &MemberRecord) -> io::Result<()> {
        Ok(())
    }
}

/// A record in memory, for tests. Clones share the record, so that it outlives its member.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<MemoryState>>);

#[derive(Debug, Default)]
struct MemoryState {
    saved: Option<MemberRecord>,
    founded: bool,
    failure: Option<String>,
}

impl MemoryStore {
    /// Creates the record of a member that has run before and lost it.
    #[must_use]
    pub fn lost() -> Self {
        Self::default()
    }

    /// Creates the record of a member that has never run before.
    #[must_use]
    pub fn founding() -> Self {
        let store = Self::default();
        store.state().founded = true;
        store
    }

    /// Makes every attempt to save fail for this reason, until it is called with `None`.
    pub fn fail(&self, why: Option<&str>) {
        self.state().failure = why.map(str::to_owned);
    }

    /// Returns the record that was saved last.
    #[must_use]
    pub fn saved(&self) -> Option<MemberRecord> {
        self.state().saved.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, MemoryState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        let state = self.state();
        let memory = match (&state.saved, state.founded) {
            (Some(_), _) => Memory::Kept,
            (None, true) => Memory::New,
            (None, false) => Memory::Lost,
        };
        let record = state.saved.clone().unwrap_or_default();
        Ok(Loaded { record, memory, ..Loaded::nothing(memory) })
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
        let mut state = self.state();
        if let Some(why) = &state.failure {
            return Err(io::Error::other(why.clone()));
        }
        state.saved = Some(record.clone());
        Ok(())
    }
}
