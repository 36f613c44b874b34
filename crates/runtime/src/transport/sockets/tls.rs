//! TLS 1.3 with certificates on both sides.

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use std::sync::Arc;
use std::{fmt, io};
use suffrage_process::Id;
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// What a node shows to others, and whom it believes.
#[derive(Clone)]
pub struct Tls {
    connector: TlsConnector,
    acceptor: TlsAcceptor,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// What is wrong with certificates or keys.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
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

/// The name that the certificate of a node carries, as a DNS name: `node-7`.
#[must_use]
pub fn node_name(id: Id) -> String {
    format!("node-{id}")
}

impl Tls {
    /// From PEM texts: the certificates of the authorities that vouch for nodes, this node's own
    /// certificate with those between it and an authority, and its key.
    ///
    /// # Errors
    /// If one of them cannot be read, or they do not fit together.
    pub fn from_pem(authorities: &[u8], chain: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let unfit = |what| move |error: &dyn fmt::Display| unfit(what, error);
        let mut roots = RootCertStore::empty();
        for authority in certificates("the authority's certificate", authorities)? {
            roots.add(authority).map_err(|error| unfit("the authority's certificate")(&error))?;
        }
        let roots = Arc::new(roots);
        let chain = certificates("the node's certificate", chain)?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| TlsError::Pem { what: "the node's key", error })?;
        let own = unfit("the node's certificate and key");
        let provider: Arc<CryptoProvider> = ring::default_provider().into();
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| own(&error))?
            .with_root_certificates(roots.clone())
            .with_client_auth_cert(chain.clone(), key.clone_key())
            .map_err(|error| own(&error))?;
        client.resumption = Resumption::disabled();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
            .build()
            .map_err(|error| unfit("the authority's certificate")(&error))?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| own(&error))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|error| own(&error))?;
        server.send_tls13_tickets = 0;
        Ok(Self {
            connector: TlsConnector::from(Arc::new(client)),
            acceptor: TlsAcceptor::from(Arc::new(server)),
        })
    }

    /// Dials: the other side must be the node of this identity.
    pub(super) async fn connect(
        &self,
        stream: TcpStream,
        to: Id,
    ) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(node_name(to)).map_err(io::Error::other)?;
        self.connector.connect(name, stream).await
    }

    /// Is dialled: the other side must be some node that an authority vouches for.
    pub(super) async fn accept(
        &self,
        stream: TcpStream,
    ) -> io::Result<server::TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

/// Whether the certificate that the other side has shown is that of a node.
pub(super) fn is_from(stream: &server::TlsStream<TcpStream>, id: Id) -> bool {
    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    let Some(certificate) = shown.and_then(|der| webpki::EndEntityCert::try_from(der).ok()) else {
        return false;
    };
    ServerName::try_from(node_name(id))
        .is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
}

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
