//! Algorithms for rings.

mod chang_roberts;
mod dolev_klawe_rodeh;
mod fokkink_pang_a;
mod fokkink_pang_b;
mod lelann;
mod probabilistic_franklin;

pub use chang_roberts::{ChangRoberts, Token as ChangRobertsToken};
pub use dolev_klawe_rodeh::{DolevKlaweRodeh, Msg as DolevKlaweRodehMsg};
pub use fokkink_pang_a::{FokkinkPangA, Msg as FokkinkPangAMsg};
pub use fokkink_pang_b::{FokkinkPangB, Msg as FokkinkPangBMsg};
pub use lelann::{LeLann, Token as LeLannToken};
pub use probabilistic_franklin::{Msg as ProbabilisticFranklinMsg, ProbabilisticFranklin};
