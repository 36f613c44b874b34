//! Algorithms for any connected graph.

pub(crate) mod echo_extinction;
pub(crate) mod flood_max;
pub(crate) mod gallager_humblet_spira;
pub(crate) mod korach_kutten_moran;
pub(crate) mod least_element_lists;
pub(crate) mod yo_yo;

pub use echo_extinction::{EchoExtinction, Msg as EchoExtinctionMsg};
pub use flood_max::{FloodMax, Max as FloodMaxMax};
pub use gallager_humblet_spira::{GallagerHumbletSpira, Msg as GallagerHumbletSpiraMsg, Weight};
pub use korach_kutten_moran::{KorachKuttenMoran, Msg as KorachKuttenMoranMsg};
pub use least_element_lists::{Element, Least as LeastElementListsLeast, LeastElementLists};
pub use yo_yo::{Msg as YoYoMsg, YoYo};
