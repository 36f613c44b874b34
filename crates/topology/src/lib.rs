#![doc = include_str!("../README.md")]

mod count;
mod fault;
mod files;
mod fit;
mod format;
mod generate;
mod graph;
mod ids;
mod limits;
mod memory;
mod names;
pub mod random;
mod spec;
mod topology;
pub mod wiring;

pub use count::{CountError, parse_count};
pub use fault::{Amount, Fault, FaultError};
pub use files::{Components, FileError, FileOptions, Position, read_file, read_from};
pub use fit::Misfit;
pub use format::{FileFormat, UnknownFormat};
pub use ids::{IdError, IdList, IdNote, Ids};
pub use memory::Memory;
pub use spec::{Spec, SpecError};
pub use topology::{Note, Ports, Topology};
