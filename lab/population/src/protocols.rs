//! The protocols, one module for each.

mod catalogue;
mod fratricide;
mod infection;
mod known_bounds;
mod margin;
mod numbered;
mod reelection;
mod self_terminating;

pub use catalogue::Protocol;
pub use fratricide::{Fratricide, Role};
pub use infection::Infection;
pub use known_bounds::KnownBounds;
pub use margin::{Margin, MarginError};
pub use numbered::{Candidate, NumberedEpidemic};
pub use reelection::{Reelection, Survivor};
pub use self_terminating::{Agent, Rule, SelfTerminating};
