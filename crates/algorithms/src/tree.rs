//! Algorithms for trees.

mod tree_wave;

pub use tree_wave::{Msg as TreeWaveMsg, TreeWave};
