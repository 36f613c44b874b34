//! Forms of algorithms as sources print them, implemented literally: some are faulty, some are
//! variants.
//!
//! They are rows of [`FORMS`](crate::FORMS), not of the catalogue.

pub(crate) mod afek_gafni;
pub(crate) mod chang_roberts;
pub(crate) mod dolev_klawe_rodeh;
pub(crate) mod echo;
pub(crate) mod humblet;
pub(crate) mod lelann;
pub(crate) mod pseudo_code;
pub(crate) mod tree_wave;

pub use afek_gafni::DeadGivesUp;
pub use chang_roberts::ChangRoberts;
pub use dolev_klawe_rodeh::DolevKlaweRodeh;
pub use echo::EchoExtinction;
pub use humblet::SleepersDefend;
pub use lelann::LeLann;
pub use pseudo_code::{Pair, PseudoCode};
pub use tree_wave::{Msg as TreeWaveMsg, TreeWave};
