//! Results as people and programs read them: text and JSON.
//!
//! The command line adds the parsing of flags and nothing else; with the feature `cli` even those
//! are here, as [`args`].

#[cfg(feature = "cli")]
pub mod args;
mod experiment;
mod text;

pub use experiment::Report;
pub use text::{number, percent};
