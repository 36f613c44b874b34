//! The tokens of HTTP clients.

use axum::http::{HeaderMap, header};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// What HTTP clients may do beside reading, by the token that they show. Clones share the tokens.
#[derive(Clone, Default)]
pub struct HttpTokens(Arc<RwLock<Arc<TokenSet>>>);

/// Tokens, and what each is for.
#[derive(Default)]
pub struct TokenSet {
    /// The token that makes leaders leave; with `None`, no HTTP client may.
    pub operator: Option<String>,
    /// The programs that may stand.
    pub programs: Vec<HttpProgram>,
}

/// A program that may stand over HTTP.
pub struct HttpProgram {
    /// Its name, for logs.
    pub name: String,
    /// Its token.
    pub token: String,
    /// The offices for which it may stand. One that ends with `*` is for all offices that begin so.
    pub offices: Vec<String>,
}

impl HttpProgram {
    fn may_stand(&self, office: &str) -> bool {
        self.offices.iter().any(|may| match may.strip_suffix('*') {
            Some(begin) => office.starts_with(begin),
            None => office == may,
        })
    }
}

/// Why a token does not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenError {
    /// There is no token for it.
    NotConfigured,
    /// None, or an unknown one, was shown.
    Unknown,
    /// It is for other offices.
    OtherOffices,
}

impl HttpTokens {
    /// Creates a set of tokens.
    #[must_use]
    pub fn new(tokens: TokenSet) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(tokens))))
    }

    /// Replaces the tokens for all servers that were started with them.
    pub fn replace(&self, tokens: TokenSet) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tokens);
    }

    fn get(&self) -> Arc<TokenSet> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks that these headers show the operator's token.
    pub(super) fn check_operator(&self, headers: &HeaderMap) -> Result<(), TokenError> {
        let tokens = self.get();
        let token = tokens.operator.as_deref().ok_or(TokenError::NotConfigured)?;
        if shows(headers, token) { Ok(()) } else { Err(TokenError::Unknown) }
    }

    /// Checks that these headers show the token of a program, and one that may stand for this office if one is given.
    /// Returns its name.
    pub(super) fn check_program(
        &self,
        headers: &HeaderMap,
        office: Option<&str>,
    ) -> Result<String, TokenError> {
        let tokens = self.get();
        if tokens.programs.is_empty() {
            return Err(TokenError::NotConfigured);
        }
        let shown: Vec<_> =
            tokens.programs.iter().filter(|program| shows(headers, &program.token)).collect();
        let may = |program: &&&HttpProgram| office.is_none_or(|office| program.may_stand(office));
        match shown.iter().find(may) {
            Some(program) => Ok(program.name.clone()),
            None if shown.is_empty() => Err(TokenError::Unknown),
            None => Err(TokenError::OtherOffices),
        }
    }
}

/// Compares in constant time.
fn shows(headers: &HeaderMap, token: &str) -> bool {
    let shown = headers.get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes);
    let shown = shown.and_then(|shown| shown.strip_prefix(b"Bearer ")).unwrap_or_default();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"tenure");
    let expected = ring::hmac::sign(&key, token.as_bytes());
    ring::hmac::verify(&key, shown, expected.as_ref()).is_ok()
}

impl fmt::Debug for HttpTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpTokens")
    }
}
