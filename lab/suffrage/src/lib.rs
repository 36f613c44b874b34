#![doc = include_str!("../README.md")]

pub use suffrage_algorithms as algorithms;
pub use suffrage_checker as checker;
pub use suffrage_experiment::{self as experiment, choice};
pub use suffrage_figures::{diagram, network, page, play, plot, run};
pub use suffrage_model as model;
pub use suffrage_networks as networks;
pub use suffrage_numbers::statistics;
pub use suffrage_population as population;
#[cfg(feature = "runtime")]
pub use suffrage_runtime as runtime;
pub use suffrage_simulator as simulator;

/// Leadership that survives crashes: the model, the protocols, and the engines that study them.
pub mod tenure {
    pub use tenure_exploration as exploration;
    pub use tenure_model as model;
    pub use tenure_protocol as protocol;
    pub use tenure_simulation as simulation;
}

pub mod prelude;
