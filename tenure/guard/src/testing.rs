//! The state machines of a guard and of its member, for simulations in this repository. No part of the interface: it
//! changes without notice.

pub use crate::guard::guard_state::{GuardInput, GuardOutput, GuardState};
pub use crate::guard::tree::Reaped;
pub use crate::handle_state::HandleState;
pub use crate::wire::GuardOrder;
