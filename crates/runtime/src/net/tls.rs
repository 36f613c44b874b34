//! TLS 1.3 with certificates on both sides, which can be replaced while connections are made.

mod credentials;
mod name;

pub use credentials::{Credentials, TlsFiles};
pub use name::node_name;

use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{CertificateError, ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::{fmt, io};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// The credentials of a node, ready for both sides of TLS connections.
///
/// Clones share their credentials: [`replace`](Self::replace) changes them for all, and so for
/// every node that was made with one of them.
#[derive(Clone)]
pub struct Tls(Arc<Shared>);

struct Shared {
    current: RwLock<Current>,
    /// The files that the credentials came from.
    files: Option<TlsFiles>,
    /// The number of times the credentials have been replaced.
    replaced: watch::Sender<u64>,
}

/// The credentials in use.
struct Current {
    credentials: Credentials,
    connector: TlsConnector,
    acceptor: TlsAcceptor,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.0.files).finish_non_exhaustive()
    }
}

/// An error in certificates or keys.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: io::Error,
    },
    /// The PEM text cannot be read, or there is nothing of the kind in it.
    #[error("{what}: {error}")]
    Pem {
        /// What was to be read.
        what: &'static str,
        /// What is wrong.
        error: rustls_pki_types::pem::Error,
    },
    /// The parts do not fit together, or are not supported.
    #[error("{what}: {error}")]
    Unfit {
        /// Which part.
        what: &'static str,
        /// What is wrong.
        error: String,
    },
}

impl Tls {
    /// Makes the two sides of TLS from credentials.
    ///
    /// # Errors
    /// If a part of them cannot be read, or they do not fit together.
    pub fn new(credentials: Credentials) -> Result<Self, TlsError> {
        Self::of(credentials, None)
    }

    /// Reads credentials from files, which [`refresh`](Self::refresh) reads again. A node that uses
    /// them does so now and then.
    ///
    /// # Errors
    /// If a file cannot be read, or as [`new`](Self::new).
    pub fn from_files(files: TlsFiles) -> Result<Self, TlsError> {
        Self::of(files.read()?, Some(files))
    }

    fn of(credentials: Credentials, files: Option<TlsFiles>) -> Result<Self, TlsError> {
        let current = RwLock::new(Current::of(credentials)?);
        Ok(Self(Arc::new(Shared { current, files, replaced: watch::Sender::new(0) })))
    }

    /// Uses other credentials from now on. Nodes close the connections that were made with the old
    /// ones, and make them anew, so that a peer that is no longer trusted is shut out at once.
    ///
    /// # Errors
    /// As [`new`](Self::new); the old credentials stay in use.
    pub fn replace(&self, credentials: Credentials) -> Result<(), TlsError> {
        let new = Current::of(credentials)?;
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        self.0.replaced.send_modify(|times| *times += 1);
        Ok(())
    }

    /// Reads the files again, and uses what they hold if that has changed. Returns whether it has;
    /// never where the credentials did not come from files.
    ///
    /// # Errors
    /// As [`from_files`](Self::from_files); the old credentials stay in use.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        let Some(files) = &self.0.files else { return Ok(false) };
        let credentials = files.read()?;
        let current = self.0.current.read().unwrap_or_else(PoisonError::into_inner);
        if current.credentials == credentials {
            return Ok(false);
        }
        drop(current);
        self.replace(credentials).map(|()| true)
    }

    /// Whether the credentials came from files.
    pub(crate) fn has_files(&self) -> bool {
        self.0.files.is_some()
    }

    /// A receiver that changes whenever the credentials are replaced.
    pub(crate) fn replaced(&self) -> watch::Receiver<u64> {
        self.0.replaced.subscribe()
    }

    /// Dials: the other side must have a certificate for this name.
    pub(crate) async fn connect(
        &self,
        stream: TcpStream,
        name: &str,
    ) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let connector = self.with(|current| current.connector.clone());
        connector.connect(name, stream).await.map_err(without_clock)
    }

    /// Is dialled: the other side must have a certificate that an authority vouches for.
    pub(crate) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<server::TlsStream<TcpStream>> {
        let acceptor = self.with(|current| current.acceptor.clone());
        acceptor.accept(stream).await.map_err(without_clock)
    }

    fn with<T>(&self, get: impl FnOnce(&Current) -> T) -> T {
        get(&self.0.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Current {
    fn of(credentials: Credentials) -> Result<Self, TlsError> {
        let unfit = |what| move |error: &dyn fmt::Display| unfit(what, error);
        let mut roots = RootCertStore::empty();
        for authority in certificates(AUTHORITY, &credentials.authority)? {
            roots.add(authority).map_err(|error| unfit(AUTHORITY)(&error))?;
        }
        let roots = Arc::new(roots);
        let chain = certificates(CERTIFICATE, &credentials.certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&credentials.key)
            .map_err(|error| TlsError::Pem { what: "the node's key", error })?;
        let lists = match &credentials.revoked {
            Some(revoked) => lists(revoked)?,
            None => Vec::new(),
        };
        let own = unfit("the node's certificate and key");
        let provider: Arc<CryptoProvider> = ring::default_provider().into();
        // Without a list nobody is revoked; with lists, there must be one for every authority.
        let server = WebPkiServerVerifier::builder_with_provider(roots.clone(), provider.clone())
            .with_crls(lists.clone())
            .only_check_end_entity_revocation()
            .build()
            .map_err(|error| unfit(AUTHORITY)(&error))?;
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| own(&error))?
            .with_webpki_verifier(server)
            .with_client_auth_cert(chain.clone(), key.clone_key())
            .map_err(|error| own(&error))?;
        client.resumption = Resumption::disabled();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
            .with_crls(lists)
            .only_check_end_entity_revocation()
            .build()
            .map_err(|error| unfit(AUTHORITY)(&error))?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| own(&error))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|error| own(&error))?;
        server.send_tls13_tickets = 0;
        Ok(Self {
            credentials,
            connector: TlsConnector::from(Arc::new(client)),
            acceptor: TlsAcceptor::from(Arc::new(server)),
        })
    }
}

/// Whether the certificate that the other side has shown is for this name.
pub(crate) fn is_from(stream: &server::TlsStream<TcpStream>, name: &str) -> bool {
    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    let Some(certificate) = shown.and_then(|der| webpki::EndEntityCert::try_from(der).ok()) else {
        return false;
    };
    ServerName::try_from(name)
        .is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
}

const AUTHORITY: &str = "the authority's certificate";
const CERTIFICATE: &str = "the node's certificate";
const REVOKED: &str = "the list of revoked certificates";

fn unfit(what: &'static str, error: &dyn fmt::Display) -> TlsError {
    TlsError::Unfit { what, error: error.to_string() }
}

fn certificates(what: &'static str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let all: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| TlsError::Pem { what, error })?;
    if all.is_empty() {
        return Err(unfit(what, &"there is no certificate in it"));
    }
    Ok(all)
}

fn lists(pem: &[u8]) -> Result<Vec<CertificateRevocationListDer<'static>>, TlsError> {
    let all: Vec<_> = CertificateRevocationListDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| TlsError::Pem { what: REVOKED, error })?;
    if all.is_empty() {
        return Err(unfit(REVOKED, &"there is no revocation list in it"));
    }
    Ok(all)
}

/// The same error without the time at which it occurred, so that a reason that stays the same reads
/// the same.
fn without_clock(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let text = match inner {
        Some(rustls::Error::InvalidCertificate(CertificateError::ExpiredContext {
            not_after,
            ..
        })) => format!(
            "the certificate of the other side expired at {} s Unix time",
            not_after.as_secs()
        ),
        Some(rustls::Error::InvalidCertificate(CertificateError::NotValidYetContext {
            not_before,
            ..
        })) => format!(
            "the certificate of the other side is not valid before {} s Unix time",
            not_before.as_secs()
        ),
        _ => return error,
    };
    io::Error::new(error.kind(), text)
}
