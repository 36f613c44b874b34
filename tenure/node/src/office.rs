//! The names and numbers of offices.

use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenure_model::Office;

/// The maximal length of the name of an office, in bytes.
pub const LONGEST_NAME: usize = 128;

/// The name of an office, which is not empty, not longer than [`LONGEST_NAME`] and has no control
/// characters; and the number by which participants refer to it, a hash of the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfficeName {
    name: Arc<str>,
    number: Office,
}

/// An error: an office cannot have this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfficeError {
    /// The name is empty, too long, or has a control character.
    #[error(
        "`{}` cannot name an office: write 1 to {LONGEST_NAME} bytes without control characters",
        .0.escape_debug()
    )]
    Name(String),
    /// Two names have the same number. The probability is 2^-64 per pair.
    #[error("the offices `{first}` and `{second}` have the same number: rename one of them")]
    Collision {
        /// The name that was entered first.
        first: String,
        /// The other one.
        second: String,
    },
}

impl OfficeName {
    /// Creates an office name.
    ///
    /// # Errors
    /// [`OfficeError::Name`] if no office can have this name.
    pub fn new(name: &str) -> Result<Self, OfficeError> {
        let fits = (1..=LONGEST_NAME).contains(&name.len()) && !name.contains(char::is_control);
        if !fits {
            return Err(OfficeError::Name(name.to_owned()));
        }
        let digest = Sha256::digest(name.as_bytes());
        let mut number = [0; 8];
        number.copy_from_slice(&digest[..8]);
        Ok(Self { name: name.into(), number: Office(u64::from_le_bytes(number)) })
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number.
    #[must_use]
    pub const fn number(&self) -> Office {
        self.number
    }
}

/// The names of the offices that are configured here, or that a program has stood for.
#[derive(Debug, Default)]
pub(crate) struct OfficeNames(Mutex<Known>);

type Known = BTreeMap<Office, Arc<str>>;

impl OfficeNames {
    /// Enters a name, unless another one has its number.
    pub(crate) fn enter(&self, office: &OfficeName) -> Result<(), OfficeError> {
        let mut names = self.names();
        collides(&names, office)?;
        names.entry(office.number).or_insert_with(|| office.name.clone());
        Ok(())
    }

    /// Checks that no other name has its number. Does not enter the name: a program that only asks enters
    /// none.
    pub(crate) fn check(&self, office: &OfficeName) -> Result<(), OfficeError> {
        collides(&self.names(), office)
    }

    fn names(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn collides(known: &Known, office: &OfficeName) -> Result<(), OfficeError> {
    match known.get(&office.number) {
        Some(first) if **first != *office.name => Err(OfficeError::Collision {
            first: first.to_string(),
            second: office.name.to_string(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
