//! Algorithms for complete networks.

pub(crate) mod afek_gafni;
pub(crate) mod afek_gafni_a;
pub(crate) mod all_to_all;
pub(crate) mod bully;
pub(crate) mod humblet;
pub(crate) mod korach_moran_zaks;
pub(crate) mod loui_matsushita_west;
pub(crate) mod random_referees;
pub(crate) mod villadangos;

pub use afek_gafni::{AfekGafni, Msg as AfekGafniMsg};
pub use afek_gafni_a::{AfekGafniA, Msg as AfekGafniAMsg};
pub use all_to_all::{AllToAll, Identity};
pub use bully::{Bully, Msg as BullyMsg};
pub use humblet::{Humblet, Msg as HumbletMsg};
pub use korach_moran_zaks::{KorachMoranZaks, Msg as KorachMoranZaksMsg};
pub use loui_matsushita_west::{Elect, LouiMatsushitaWest};
pub use random_referees::{Msg as RandomRefereesMsg, RandomReferees, Rank};
pub use villadangos::{Candidate, Msg as VilladangosMsg, Villadangos};
