//! Algorithms for complete networks.

mod afek_gafni;
mod all_to_all;
mod humblet;
mod villadangos;

pub use afek_gafni::{AfekGafni, Msg as AfekGafniMsg};
pub use all_to_all::{AllToAll, Identity};
pub use humblet::{Humblet, Msg as HumbletMsg};
pub use villadangos::{Candidate, Msg as VilladangosMsg, Villadangos};
