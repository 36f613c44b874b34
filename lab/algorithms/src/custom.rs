//! Algorithms from outside the catalogue, with everything that a row of the catalogue has.

use crate::{Claimed, Claims, Invariant, Race};
use alloc::vec::Vec;
use core::fmt;
use suffrage_model::Process;

/// An algorithm that is not in the catalogue: a process type with a name and, optionally, claims.
///
/// Every engine that takes an [`Algorithm`](crate::Algorithm) takes a `Custom`, too, and checks its
/// claims in the same way.
///
/// ```
/// use suffrage_algorithms::{Announced, Custom, ring::ChangRoberts};
///
/// // `ChangRoberts` stands for a process of your own.
/// let plain = Custom::<Announced<ChangRoberts>>::new("mine");
/// assert!(plain.claims().is_none());
/// let claimed = Custom::<Announced<ChangRoberts>>::claimed("mine");
/// assert_eq!(claimed.claims().map(|claims| claims.stated().formula).as_deref(), Some("k n - k(k-1)/2 + n"));
/// ```
pub struct Custom<P: Process> {
    name: &'static str,
    claims: Option<Claims>,
    invariants: fn() -> Vec<Invariant<P>>,
    race: fn() -> Option<Race<P>>,
}

impl<P: Process> Custom<P> {
    /// Creates an algorithm without claims: engines hold it to what every election must be.
    ///
    /// Reports show the name, and in a real election the nodes compare it.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, claims: None, invariants: Vec::new, race: || None }
    }

    /// Sets the claims about the algorithm: which process wins, how many messages it sends, how it
    /// ends.
    #[must_use]
    pub const fn with_claims(self, claims: Claims) -> Self {
        Self { claims: Some(claims), ..self }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the claims, if there are any.
    #[must_use]
    pub const fn claims(&self) -> Option<&Claims> {
        self.claims.as_ref()
    }

    /// Returns the invariants of the process's claims; none if it has no claims.
    #[must_use]
    pub fn invariants(&self) -> Vec<Invariant<P>> {
        (self.invariants)()
    }

    /// Returns how processes compete, by the process's claims; `None` if it has no claims.
    #[must_use]
    pub fn race(&self) -> Option<Race<P>> {
        (self.race)()
    }
}

impl<P: Claimed> Custom<P> {
    /// Creates an algorithm with the claims and the invariants of its process.
    #[must_use]
    pub const fn claimed(name: &'static str) -> Self {
        Self { name, claims: Some(P::CLAIMS), invariants: P::invariants, race: P::race }
    }
}

impl<P: Process> Clone for Custom<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Process> Copy for Custom<P> {}

impl<P: Process> fmt::Debug for Custom<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claims = self.claims.map(|claims| claims.stated().formula);
        f.debug_struct("Custom").field("name", &self.name).field("claims", &claims).finish()
    }
}
