//! Networks for leader election: implicit, generated and read from files.
//!
//! A [`Topology`] is a connected network whose nodes are numbered from 0 and may have names. It
//! comes from a [`Spec`] such as `grid:4x5`, is handed over in the
//! form that an algorithm wants ([`Topology::fit`]), and becomes what an engine runs on, a
//! [`Wiring`](wiring::Wiring), when its ports are numbered ([`Topology::wire`]). Everything random comes from seeds, by the generators of [`random`].
//!
//! ```
//! use suffrage_process::Network;
//! use suffrage_topology::Spec;
//!
//! let tree = "tree:random:1000".parse::<Spec>()?.build(7)?;
//! assert_eq!((tree.nodes(), tree.links()), (1000, 999));
//! assert!(!tree.fits(Network::Ring));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fit;
mod generate;
mod graph;
mod limits;
mod names;
pub mod random;
mod spec;
mod topology;
pub mod wiring;

pub use fit::Misfit;
pub use spec::{Spec, SpecError};
pub use topology::{Note, Ports, Topology};
