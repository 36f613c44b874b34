//! One election, from its flags to its report, for commands that hold it in another way than `suffrage elect`.

pub use crate::commands::elect::{NODES, choose};
pub use crate::counts::{count32, positive, within, within32};
pub use crate::error::{Ending, Error, USAGE, complain};
pub use crate::flags::{
    Capacity, ConditionFlags, Conditions, FileFlags, Initiators, NodeOrder, PortOrder, Timing,
    WakeUps,
};
pub use crate::interrupt::{listen, stop_if_asked};
pub use crate::number::{count, grouped};
pub use crate::output::print;
pub use crate::plan::initiators::{Nodes, wakes_of};
pub use crate::plan::{
    Demands, Identities, Plan, Setup, Shape, Site, Source, by_name, natural, without, words_of,
};
pub use crate::progress::Progress;
pub use crate::report::{Facts, Format, Ground, Network, TimeBoundOf, json_of};
pub use crate::terminal::fitted;
