//! Certificates and keys, in memory and in files.

use super::TlsError;
use crate::small_file;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// Certificates and a key, as PEM texts.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The certificates of the trusted authorities.
    pub authority: Vec<u8>,
    /// The certificate of this node, followed by those between it and an authority.
    pub certificate: Vec<u8>,
    /// The private key of this node.
    pub key: Vec<u8>,
    /// Lists of revoked certificates, each of one authority. Of an authority without a list, no certificate is
    /// revoked.
    pub revoked: Option<Vec<u8>>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials { .. }")
    }
}

/// The PEM files of [`Credentials`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The certificates of the trusted authorities.
    pub authority: PathBuf,
    /// The certificate of this node.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Lists of revoked certificates, each of one authority.
    #[serde(default)]
    pub revoked: Option<PathBuf>,
}

impl TlsFiles {
    /// Resolves relative paths against a folder.
    #[must_use]
    pub fn within(&self, folder: &Path) -> Self {
        Self {
            authority: folder.join(&self.authority),
            certificate: folder.join(&self.certificate),
            key: folder.join(&self.key),
            revoked: self.revoked.as_ref().map(|path| folder.join(path)),
        }
    }

    /// Reads the files.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read(&self) -> Result<Credentials, TlsError> {
        Ok(Credentials {
            authority: read(&self.authority)?,
            certificate: read(&self.certificate)?,
            key: read(&self.key)?,
            revoked: self.revoked.as_deref().map(read).transpose()?,
        })
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    small_file::read(path).map_err(TlsError::of(path.display()))
}
