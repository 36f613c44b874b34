//! Algorithms for any connected graph.

mod echo_extinction;

pub use echo_extinction::{EchoExtinction, Msg as EchoExtinctionMsg};
