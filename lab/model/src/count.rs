//! Numbers with which processes count.

use core::fmt;

/// A number that a process counts with: a phase, a level, a distance.
///
/// It can be compared with others, and others can be computed from it. In proofs for every number of processes nothing is
/// known of its value, as nothing is known of an [`Id`](crate::Id).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Count<T = u32>(T);

impl<T: Copy> Count<T> {
    /// Creates the count of this many.
    #[must_use]
    pub const fn new(number: T) -> Self {
        Self(number)
    }

    /// Returns how many these are.
    #[must_use]
    pub const fn get(self) -> T {
        self.0
    }

    /// Returns the count that a function makes of this one.
    #[must_use]
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> Count<U> {
        Count(to(self.0))
    }
}

impl Count {
    /// Returns so many less; `None` if there are fewer.
    #[must_use]
    pub const fn checked_sub(self, less: u32) -> Option<Self> {
        match self.0.checked_sub(less) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Count<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
