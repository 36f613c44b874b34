//! Algorithms for rings.

mod chang_roberts;
mod dolev_klawe_rodeh;
mod lelann;

pub use chang_roberts::{ChangRoberts, Token as ChangRobertsToken};
pub use dolev_klawe_rodeh::{DolevKlaweRodeh, Msg as DolevKlaweRodehMsg};
pub use lelann::{LeLann, Token as LeLannToken};
