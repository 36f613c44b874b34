//! Networks for leader election: implicit, generated and read from files.
//!
//! A [`Topology`] is a connected network whose nodes are numbered from 0 and may have names. It
//! comes from a [`Spec`] such as `grid:4x5` or from a file ([`read_file`]), is handed over in the
//! form that an algorithm wants ([`Topology::fit`]), and becomes what an engine runs on, a
//! [`Wiring`](wiring::Wiring), when its ports are numbered ([`Topology::wire`]). [`Ids`] gives the
//! nodes their identities. Everything random comes from seeds, by the generators of [`random`].
//!
//! ```
//! use suffrage_process::{NetworkClass, Port};
//! use suffrage_topology::{FileOptions, Ids, Ports, Spec, read_from};
//!
//! let tree = "tree:random:1000".parse::<Spec>()?.build(7)?;
//! assert_eq!((tree.nodes(), tree.links()), (1000, 999));
//! assert!(!tree.fits(NetworkClass::Ring));
//! let ids = Ids::Random.assign(tree.nodes(), 7);
//! assert_eq!(ids.len(), 1000);
//!
//! let text = "Oslo Wien\nWien Roma\nRoma Oslo\n";
//! let ring = read_from(text.as_bytes(), "cities.txt", FileOptions::default())?
//!     .fit(NetworkClass::OrientedRing)?;
//! let wiring = ring.wire(Ports::Rotation, 7);
//! let next = wiring.across(0, Port::NEXT).node;
//! assert_eq!(ring.label(next), Some("Wien"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

pub use files::{Components, FileError, FileOptions, Position, read_file, read_from};
pub use fit::Misfit;
pub use format::{FileFormat, UnknownFormat};
pub use ids::{IdError, Ids};
pub use memory::Memory;
pub use spec::{Spec, SpecError};
pub use topology::{Note, Ports, Topology};
