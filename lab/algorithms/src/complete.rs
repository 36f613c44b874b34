//! Algorithms for complete networks.

mod afek_gafni;
mod afek_gafni_a;
mod all_to_all;
mod bully;
mod humblet;
mod korach_moran_zaks;
mod loui_matsushita_west;
mod random_referees;
mod villadangos;

pub use afek_gafni::{AfekGafni, Msg as AfekGafniMsg};
pub use afek_gafni_a::{AfekGafniA, Msg as AfekGafniAMsg};
pub use all_to_all::{AllToAll, Identity};
pub use bully::{Bully, Msg as BullyMsg};
pub use humblet::{Humblet, Msg as HumbletMsg};
pub use korach_moran_zaks::{KorachMoranZaks, Msg as KorachMoranZaksMsg};
pub use loui_matsushita_west::{Elect, LouiMatsushitaWest};
pub use random_referees::{Msg as RandomRefereesMsg, RandomReferees, Rank};
pub use villadangos::{Candidate, Msg as VilladangosMsg, Villadangos};
