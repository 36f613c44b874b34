//! Partial-order reduction: which of the enabled steps have to be explored.
//!
//! A configuration is expanded by a *persistent set* (P. Godefroid, *Partial-Order Methods for the
//! Verification of Concurrent Systems*, LNCS 1032, 1996) or by a single delivery that commutes with
//! everything that may precede it. Both choices rest on what processes have been observed to send
//! so far; they are validated after the exploration, and configurations whose choice turns out to
//! be unjustified are expanded again. `docs/why/design/checker.md` has the proofs.

pub(crate) mod independence;
pub(crate) mod may_receive;
pub(crate) mod no_op;
pub(crate) mod persistent_set;
pub(crate) mod singletons;
