//! Forms of algorithms as sources print them, implemented literally: some are faulty, some are
//! variants.
//!
//! They are rows of [`FORMS`](crate::FORMS), beside the catalogue.

mod afek_gafni;
mod chang_roberts;
mod dolev_klawe_rodeh;
mod echo;
mod humblet;
mod lelann;
mod pseudo_code;
mod tree_wave;

pub use afek_gafni::DeadGivesUp;
pub use chang_roberts::ChangRoberts;
pub use dolev_klawe_rodeh::DolevKlaweRodeh;
pub use echo::EchoExtinction;
pub use humblet::SleepersDefend;
pub use lelann::LeLann;
pub use pseudo_code::{Pair, PseudoCode};
pub use tree_wave::{Msg as TreeWaveMsg, TreeWave};
