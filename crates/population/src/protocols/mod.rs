//! The protocols: one file for each.

mod fratricide;
mod infection;
mod known_bounds;
mod numbered;
mod self_terminating;

pub use fratricide::{Fratricide, Role};
pub use infection::Infection;
pub use known_bounds::KnownBounds;
pub use numbered::{Candidate, NumberedEpidemic};
pub use self_terminating::{Agent, Rule, SelfTerminating};
