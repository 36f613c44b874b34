#![doc = include_str!("../README.md")]

pub mod acceptor;
pub mod backoff;
#[cfg(feature = "certificates")]
pub mod certificates;
pub mod free;
pub mod log_limit;
pub mod small_file;
pub mod tasks;
pub mod tls;
pub mod toml_file;
pub mod window;
