//! What hosts that meet over the network have in common, whatever they have to say to each other:
//! certificates, connections that have yet to authenticate themselves, pauses between attempts,
//! logs that a flood does not fill, configuration files whose errors name the line.

pub mod acceptor;
pub mod backoff;
#[cfg(feature = "certificates")]
pub mod certificates;
pub mod log_limit;
pub mod tasks;
pub mod tls;
pub mod toml_file;
