//! The names that an algorithm's file uses: of this crate, of the model, and of `alloc`.

pub use crate::{
    AlgorithmHeader, Bound, BoundStanding, Claimed, Claims, Configuration, Ending, Form, FormKind,
    Guarantee, InTransit, Invariant, Node, Problem, Property, Race, Rule, Standing, Time,
};
pub use alloc::{format, string::String, vec, vec::Vec};
pub use serde::{Deserialize, Serialize};
pub use suffrage_model::{
    Count, CountedPorts, Diameter, End, FirstPorts, Id, Kind, Label, Message, Multiplicity, Net,
    NetworkClass, Place, Port, PortSet, Process, Size, Status, Timing,
};
