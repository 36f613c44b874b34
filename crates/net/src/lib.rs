//! Networking that the runtime and the service share: certificates, unauthenticated connections,
//! back-off, rate-limited logs, and configuration files whose errors name the line.

pub mod acceptor;
pub mod backoff;
#[cfg(feature = "certificates")]
pub mod certificates;
pub mod log_limit;
pub mod tasks;
pub mod tls;
pub mod toml_file;
