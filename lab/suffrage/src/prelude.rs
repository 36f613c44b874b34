//! Everything for an algorithm of your own, and the engines that run it: `use
//! suffrage::prelude::*`.

pub use crate::algorithms::{
    Algorithm, Announced, Bound, Claimed, Claims, Custom, Ending, Invariant, Parameters, Problem,
    Property, Rule,
};
pub use crate::checker::{Checker, Family, Specification};
pub use crate::model::{
    Count, Id, Kind, Message, Net, NetworkClass, Phase, Place, Port, Process, Size, Status,
};
pub use crate::networks::{Ids, Ports, Spec, Topology, wiring::Wiring};
#[cfg(feature = "runtime")]
pub use crate::runtime::{Cluster, LinkMedium};
pub use crate::simulator::{Fault, Schedule, Simulator, Wakes};
