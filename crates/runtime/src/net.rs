//! Connections between hosts that show each other certificates. Nothing here knows of elections.

pub(crate) mod acceptor;
pub(crate) mod backoff;
pub(crate) mod log_limit;
pub(crate) mod tasks;
pub(crate) mod tls;
