//! TLS for clients without a certificate: the server alone shows one.

use super::credentials::read;
use super::{TlsError, certificates, unfit};
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

const CERTIFICATE: &str = "the server's certificate";
const KEY: &str = "the server's key";

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

#[derive(Debug)]
struct CurrentServer {
    /// The texts of certificate and key.
    texts: (Vec<u8>, Vec<u8>),
    config: Arc<ServerConfig>,
}

impl ServerTlsFiles {
    fn read(&self) -> Result<(Vec<u8>, Vec<u8>), TlsError> {
        Ok((read(&self.certificate)?, read(&self.key)?))
    }
}

impl ServerTls {
    /// Reads certificate and key. `protocols` are those of the application, as in ALPN.
    ///
    /// # Errors
    /// If a file cannot be read, or they do not fit together.
    pub fn from_files(files: ServerTlsFiles, protocols: &[&str]) -> Result<Self, TlsError> {
        let protocols: Vec<_> = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let current = CurrentServer::of(files.read()?, &protocols)?;
        Ok(Self { files, protocols, current: Arc::new(RwLock::new(current)) })
    }

    /// Reads the files again, and uses them from now on if they have changed. Returns whether they
    /// have.
    ///
    /// # Errors
    /// As [`from_files`](Self::from_files); what was read before stays in use.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        let texts = self.files.read()?;
        if self.current.read().unwrap_or_else(PoisonError::into_inner).texts == texts {
            return Ok(false);
        }
        let new = CurrentServer::of(texts, &self.protocols)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(true)
    }

    /// Runs the handshake.
    ///
    /// # Errors
    /// If it fails.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<server::TlsStream<TcpStream>> {
        let config = {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            current.config.clone()
        };
        TlsAcceptor::from(config).accept(stream).await
    }
}

impl CurrentServer {
    fn of(texts: (Vec<u8>, Vec<u8>), protocols: &[Vec<u8>]) -> Result<Self, TlsError> {
        let chain = certificates(CERTIFICATE, &texts.0)?;
        let key = PrivateKeyDer::from_pem_slice(&texts.1)
            .map_err(|error| TlsError::Pem { what: KEY, error })?;
        let wrong =
            |error: &dyn std::fmt::Display| unfit("the server's certificate and key", error);
        let mut config = ServerConfig::builder_with_provider(ring::default_provider().into())
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| wrong(&error))?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| wrong(&error))?;
        config.alpn_protocols = protocols.to_vec();
        Ok(Self { texts, config: Arc::new(config) })
    }
}
