//! TLS for clients without a certificate: the server alone shows one.

use super::credentials::read;
use super::validity::end_of;
use super::{TlsError, certificates};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::version::TLS13;
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server};

/// The PEM files of a [`ServerTls`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTlsFiles {
    /// The certificate of the server, followed by those between it and an authority.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// A server that shows its certificate and asks for none. Clones share it.
#[derive(Clone, Debug)]
pub struct ServerTls {
    files: ServerTlsFiles,
    /// The protocols of the application, as in ALPN.
    protocols: Vec<Vec<u8>>,
    current: Arc<RwLock<CurrentServer>>,
}

/// The texts of certificate and key, and what they configure.
type CurrentServer = ((Vec<u8>, Vec<u8>), Arc<ServerConfig>);

impl ServerTls {
    /// Reads certificate and key. `protocols` are those of the application, as in ALPN.
    ///
    /// # Errors
    /// If a file cannot be read, or they do not fit together.
    pub fn from_files(files: ServerTlsFiles, protocols: &[&str]) -> Result<Self, TlsError> {
        let protocols: Vec<_> = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let texts = files.read()?;
        let config = configure(&texts, &protocols)?;
        Ok(Self { files, protocols, current: Arc::new(RwLock::new((texts, config))) })
    }

    /// Reads the files again, and uses them from now on if they have changed. Returns whether they
    /// have.
    ///
    /// # Errors
    /// As [`from_files`](Self::from_files); what was read before stays in use.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        let texts = self.files.read()?;
        if self.current.read().unwrap_or_else(PoisonError::into_inner).0 == texts {
            return Ok(false);
        }
        let config = configure(&texts, &self.protocols)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = (texts, config);
        Ok(true)
    }

    /// Returns when the certificate ends, or one of those between it and an authority, in seconds since 1970; `None`
    /// if they cannot be read.
    #[must_use]
    pub fn ends(&self) -> Option<u64> {
        let text = self.current.read().unwrap_or_else(PoisonError::into_inner).0.0.clone();
        let chain = certificates("the server's certificate", &text).unwrap_or_default();
        chain.iter().filter_map(end_of).min()
    }

    /// Runs the handshake.
    ///
    /// # Errors
    /// If it fails.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<server::TlsStream<TcpStream>> {
        let config = self.current.read().unwrap_or_else(PoisonError::into_inner).1.clone();
        TlsAcceptor::from(config).accept(stream).await
    }
}

impl ServerTlsFiles {
    fn read(&self) -> Result<(Vec<u8>, Vec<u8>), TlsError> {
        Ok((read(&self.certificate)?, read(&self.key)?))
    }
}

fn configure(
    (certificate, key): &(Vec<u8>, Vec<u8>),
    protocols: &[Vec<u8>],
) -> Result<Arc<ServerConfig>, TlsError> {
    const OWN: &str = "the server's certificate and key";
    let chain = certificates("the server's certificate", certificate)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(TlsError::of("the server's key"))?;
    let mut config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_protocol_versions(&[&TLS13])
        .map_err(TlsError::of(OWN))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(TlsError::of(OWN))?;
    config.alpn_protocols = protocols.to_vec();
    Ok(Arc::new(config))
}
