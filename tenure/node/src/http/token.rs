//! The token of HTTP clients.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// The token with which an HTTP client may make leaders leave, if there is one. Clones share it.
#[derive(Clone, Default)]
pub struct HttpToken(Arc<RwLock<Option<Arc<str>>>>);

impl HttpToken {
    /// Creates a token; with `None`, no HTTP client may make leaders leave.
    #[must_use]
    pub fn new(token: Option<&str>) -> Self {
        Self(Arc::new(RwLock::new(token.map(Arc::from))))
    }

    /// Replaces the token for all servers that were started with it.
    pub fn replace(&self, token: Option<&str>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = token.map(Arc::from);
    }

    pub(super) fn get(&self) -> Option<Arc<str>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for HttpToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}
