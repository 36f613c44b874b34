//! Algorithms for trees.

pub(crate) mod tree_identify;
pub(crate) mod tree_wave;

pub use tree_identify::{Msg as TreeIdentifyMsg, TreeIdentify};
pub use tree_wave::{Msg as TreeWaveMsg, TreeWave};
