#![doc = include_str!("../README.md")]

mod fault;
mod files;
mod fit;
mod format;
mod generate;
mod graph;
mod hypercube;
mod ids;
mod implicit;
mod input;
mod lattice;
mod memory;
mod names;
mod permutation;
mod ports;
mod shape;
mod spec;
mod topology;
pub mod wiring;

pub use fault::{Amount, Fault, FaultError};
pub use files::parts;
pub use files::{Components, FileError, FileOptions, FilePosition, Links, read_file, read_from};
pub use fit::Mismatch;
pub use format::{FileFormat, FileSyntax, Separator, UnknownFormat};
pub use ids::{ComputedIds, IdError, IdList, IdNote, Ids};
pub use implicit::Implicit;
pub use input::Input;
pub use memory::NetworkMemory;
pub use ports::Ports;
pub use shape::{Shape, Side};
pub use spec::{Spec, SpecError};
pub use suffrage_numbers::{CountError, parse_count, random, short};
pub use topology::{Note, Topology};
