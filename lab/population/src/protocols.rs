//! The protocols, one module for each.

mod catalogue;
mod fratricide;
mod infection;
mod known_bounds;
mod margin;
mod numbered;
mod reelection;
mod self_terminating;

pub use catalogue::NamedProtocol;
pub use fratricide::{Fratricide, FratricideRole};
pub use infection::Infection;
pub use known_bounds::KnownBounds;
pub use margin::{Margin, MarginError};
pub use numbered::{NumberedCandidate, NumberedEpidemic};
pub use reelection::{Reelection, Survivor};
pub use self_terminating::{Agent, DeclarationRule, SelfTerminating};
