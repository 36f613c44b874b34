//! Published descriptions taken at their word, where the word is wrong. `errata.rs` runs them.

mod afek_gafni;
mod chang_roberts;
mod dolev_klawe_rodeh;
mod echo;
mod humblet;
mod lelann;
mod villadangos;

pub(crate) use afek_gafni::{GivesUp, PseudoCode};
pub(crate) use chang_roberts::ChangRoberts;
pub(crate) use dolev_klawe_rodeh::DolevKlaweRodeh;
pub(crate) use echo::EchoExtinction;
pub(crate) use humblet::SleepersDefend;
pub(crate) use lelann::LeLann;
pub(crate) use villadangos::Villadangos;
