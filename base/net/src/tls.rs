//! TLS 1.3 with certificates on both sides, which can be replaced while connections are made.

mod credentials;
mod name;
mod refresh;
mod site;
mod validity;

pub use credentials::{Credentials, TlsFiles};
#[cfg(feature = "certificates")]
pub(crate) use name::hex;
pub use name::{
    CertificateHolder, CertificateRole, LONGEST_CLUSTER, any_member_name, client_name, is_label,
    member_name, node_name, operator_name,
};
pub use refresh::refresh_for_ever;
pub use site::{ServerTls, ServerTlsFiles};
pub use validity::{SOON, date, warning};

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::version::TLS13;
use rustls::{CertificateError, ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName, UnixTime,
};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Display};
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// The credentials of a node, ready for both sides of TLS connections.
///
/// Clones share their credentials: [`replace`](Self::replace) changes them for all, and so for
/// every node that was made with one of them.
#[derive(Clone)]
pub struct Tls(Arc<SharedCredentials>);

struct SharedCredentials {
    current: RwLock<Arc<CurrentCredentials>>,
    /// The files that the credentials came from.
    files: RwLock<Option<TlsFiles>>,
    /// The number of times the credentials have been replaced.
    replaced: watch::Sender<u64>,
}

/// The credentials in use.
struct CurrentCredentials {
    credentials: Credentials,
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    /// What the two sides check certificates by: those of diallers, and those of dialled ones.
    diallers: Arc<dyn ClientCertVerifier>,
    dialled: Arc<dyn ServerCertVerifier>,
    /// The number of revocation lists that belong to no trusted authority.
    foreign_lists: usize,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.files()).finish_non_exhaustive()
    }
}

/// An error in certificates or keys.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {why}")]
pub struct TlsError {
    /// The file that cannot be read, or the part that is wrong or does not fit the others.
    pub what: String,
    /// The reason.
    pub why: String,
}

impl TlsError {
    /// Returns what makes errors of this part.
    fn of<E: Display>(what: impl Display) -> impl Fn(E) -> Self {
        move |why| Self { what: what.to_string(), why: why.to_string() }
    }
}

impl Tls {
    /// Creates the client and server sides of TLS from credentials.
    ///
    /// # Errors
    /// If a part of them cannot be read, or they do not fit together.
    pub fn new(credentials: Credentials) -> Result<Self, TlsError> {
        Self::of(credentials, None)
    }

    /// Reads credentials from files, which [`refresh`](Self::refresh) reads again. Nodes call it
    /// periodically.
    ///
    /// # Errors
    /// If a file cannot be read, or as [`new`](Self::new).
    pub fn from_files(files: TlsFiles) -> Result<Self, TlsError> {
        Self::of(files.read()?, Some(files))
    }

    fn of(credentials: Credentials, files: Option<TlsFiles>) -> Result<Self, TlsError> {
        let current = RwLock::new(Arc::new(CurrentCredentials::of(credentials)?));
        let files = RwLock::new(files);
        Ok(Self(Arc::new(SharedCredentials { current, files, replaced: watch::Sender::new(0) })))
    }

    /// Reads the files again as [`refresh`](Self::refresh) does, and keeps the credentials in use where the others would
    /// [refuse](Self::check_own) the new ones.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh) and [`check_own`](Self::check_own).
    pub fn refresh_valid(&self) -> Result<bool, TlsError> {
        let Some(files) = self.files() else { return Ok(false) };
        let credentials = files.read()?;
        if self.current().credentials == credentials {
            return Ok(false);
        }
        CurrentCredentials::of(credentials.clone())?.check_own()?;
        self.replace(credentials).map(|()| true)
    }

    /// Replaces the credentials. Nodes close the connections that were made with the old ones and
    /// dial again, so that a peer that is no longer trusted is shut out at once.
    ///
    /// # Errors
    /// As [`new`](Self::new); the old credentials stay in use.
    pub fn replace(&self, credentials: Credentials) -> Result<(), TlsError> {
        let new = Arc::new(CurrentCredentials::of(credentials)?);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        self.0.replaced.send_modify(|times| *times += 1);
        Ok(())
    }

    /// Reads the files again, and replaces the credentials if they have changed. Returns whether
    /// they have; `false` if the credentials did not come from files.
    ///
    /// # Errors
    /// As [`from_files`](Self::from_files); the old credentials stay in use.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        let Some(files) = self.files() else { return Ok(false) };
        let credentials = files.read()?;
        if self.current().credentials == credentials {
            return Ok(false);
        }
        self.replace(credentials).map(|()| true)
    }

    fn current(&self) -> Arc<CurrentCredentials> {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads credentials from these files from now on, and replaces the credentials if they differ.
    /// Returns whether they did.
    ///
    /// # Errors
    /// As [`from_files`](Self::from_files); the old credentials and files stay in use.
    pub fn use_files(&self, files: TlsFiles) -> Result<bool, TlsError> {
        CurrentCredentials::of(files.read()?)?;
        *self.0.files.write().unwrap_or_else(PoisonError::into_inner) = Some(files);
        self.refresh()
    }

    /// Returns the files that the credentials come from; `None` if they do not come from files.
    #[must_use]
    pub fn files(&self) -> Option<TlsFiles> {
        self.0.files.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the certificate of this side, followed by those between it and an authority.
    #[must_use]
    pub fn own_certificates(&self) -> Vec<CertificateDer<'static>> {
        certificates(CERTIFICATE, &self.current().credentials.certificate).unwrap_or_default()
    }

    /// Checks this side's own certificate as others check it who trust the same authorities and have the same lists.
    ///
    /// # Errors
    /// If it is over or not yet valid, was issued by none of the authorities, or is revoked.
    pub fn check_own(&self) -> Result<(), TlsError> {
        self.current().check_own()
    }

    /// Returns when this side's certificate ends, or one of those between it and an authority, in seconds since
    /// 1970; `None` if they cannot be read.
    #[must_use]
    pub fn ends(&self) -> Option<u64> {
        self.own_certificates().iter().filter_map(validity::end_of).min()
    }

    /// Returns what an operator should know of the credentials in use: that a certificate ends [`SOON`], and that
    /// lists of revoked certificates belong to no trusted authority.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let ends = self.ends().and_then(|ends| warning(CERTIFICATE, ends, SystemTime::now()));
        let foreign = self.current().foreign_lists;
        let foreign = (foreign > 0).then(|| {
            format!(
                "{foreign} of the lists of revoked certificates belong to none of the authorities in `authority`, \
                 and revoke nothing that these have issued"
            )
        });
        ends.into_iter().chain(foreign).collect()
    }

    /// Returns the holder that the certificate of this side names, in this cluster, or in the one whose
    /// name the certificate has; `None` if it names none.
    #[must_use]
    pub fn holder(&self, cluster: Option<&str>) -> Option<CertificateHolder> {
        let own = self.own_certificates();
        let certificate = webpki::EndEntityCert::try_from(own.first()?).ok()?;
        certificate.valid_dns_names().find_map(|name| CertificateHolder::of_name(name, cluster))
    }

    /// Returns whether the credentials came from files.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.files().is_some()
    }

    /// Returns a receiver that changes whenever the credentials are replaced.
    #[must_use]
    pub fn replaced(&self) -> watch::Receiver<u64> {
        self.0.replaced.subscribe()
    }

    /// Runs the handshake of the dialling side. The other side must have a certificate for this
    /// name.
    ///
    /// # Errors
    /// If the handshake fails.
    pub async fn connect(
        &self,
        stream: TcpStream,
        name: &str,
    ) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(self.configs().0);
        connector.connect(name, stream).await.map_err(without_clock)
    }

    /// Runs the handshake of the dialled side. The other side must have a certificate of an
    /// authority.
    ///
    /// # Errors
    /// If the handshake fails.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<server::TlsStream<TcpStream>> {
        let acceptor = TlsAcceptor::from(self.configs().1);
        acceptor.accept(stream).await.map_err(without_clock)
    }

    /// Returns a digest of the private key in use, to derive secrets that outlive a process.
    #[must_use]
    pub fn key_digest(&self) -> [u8; 32] {
        Sha256::digest(&self.current().credentials.key).into()
    }

    /// Returns the client and server configurations with the credentials in use.
    #[must_use]
    pub fn configs(&self) -> (Arc<ClientConfig>, Arc<ServerConfig>) {
        let current = self.current();
        (current.client.clone(), current.server.clone())
    }
}

impl CurrentCredentials {
    fn of(credentials: Credentials) -> Result<Self, TlsError> {
        const OWN: &str = "the node's certificate and key";
        let mut roots = RootCertStore::empty();
        for authority in certificates(AUTHORITY, &credentials.authority)? {
            roots.add(authority).map_err(TlsError::of(AUTHORITY))?;
        }
        let roots = Arc::new(roots);
        let chain = certificates(CERTIFICATE, &credentials.certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&credentials.key)
            .map_err(TlsError::of("the node's key"))?;
        let lists: Vec<CertificateRevocationListDer<'_>> = match &credentials.revoked {
            Some(revoked) => items(REVOKED, "revocation list", revoked)?,
            None => Vec::new(),
        };
        let provider: Arc<CryptoProvider> = ring::default_provider().into();
        let foreign_lists = foreign(&roots, &lists)?;
        // Each list is for the certificates of one authority. Where an authority has none, as one that has just been
        // made, none of its certificates is revoked.
        let dialled = WebPkiServerVerifier::builder_with_provider(roots.clone(), provider.clone())
            .with_crls(lists.clone())
            .only_check_end_entity_revocation()
            .allow_unknown_revocation_status()
            .build()
            .map_err(TlsError::of(AUTHORITY))?;
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])
            .map_err(TlsError::of(OWN))?
            .with_webpki_verifier(dialled.clone())
            .with_client_auth_cert(chain.clone(), key.clone_key())
            .map_err(TlsError::of(OWN))?;
        client.resumption = Resumption::disabled();
        let diallers = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
            .with_crls(lists)
            .only_check_end_entity_revocation()
            .allow_unknown_revocation_status()
            .build()
            .map_err(TlsError::of(AUTHORITY))?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(TlsError::of(OWN))?
            .with_client_cert_verifier(diallers.clone())
            .with_single_cert(chain, key)
            .map_err(TlsError::of(OWN))?;
        server.send_tls13_tickets = 0;
        let (client, server) = (Arc::new(client), Arc::new(server));
        Ok(Self { credentials, client, server, diallers, dialled, foreign_lists })
    }

    fn check_own(&self) -> Result<(), TlsError> {
        let chain = certificates(CERTIFICATE, &self.credentials.certificate)?;
        let refused = |error| validity::refused(CERTIFICATE, &error);
        let none = || TlsError::of(CERTIFICATE)("it names no host");
        let (own, between) = chain.split_first().ok_or_else(none)?;
        let now = UnixTime::now();
        self.diallers.verify_client_cert(own, between, now).map_err(refused)?;
        let certificate =
            webpki::EndEntityCert::try_from(own).map_err(TlsError::of(CERTIFICATE))?;
        let name = certificate.valid_dns_names().next().ok_or_else(none)?;
        let name = ServerName::try_from(name).map_err(TlsError::of(CERTIFICATE))?;
        self.dialled.verify_server_cert(own, between, &name, &[], now).map_err(refused)?;
        Ok(())
    }
}

/// Returns the number of lists that belong to none of the authorities.
///
/// # Errors
/// If a list cannot be read, or if two authorities have one name: a list is found by the name of its authority, and
/// would be taken for the list of the other one.
fn foreign(
    roots: &RootCertStore,
    lists: &[CertificateRevocationListDer<'_>],
) -> Result<usize, TlsError> {
    let mut foreign = 0;
    for list in lists {
        let list = webpki::BorrowedCertRevocationList::from_der(list);
        let list = webpki::CertRevocationList::from(list.map_err(TlsError::of(REVOKED))?);
        let mut keys = roots.roots.iter().filter(|root| root.subject.as_ref() == list.issuer());
        match (keys.next(), keys.next()) {
            (None, _) => foreign += 1,
            (Some(one), Some(other))
                if one.subject_public_key_info != other.subject_public_key_info =>
            {
                let why = "two authorities have the same name, so that no list can be one's own: make one with \
                           another name";
                return Err(TlsError::of(AUTHORITY)(why));
            }
            _ => {}
        }
    }
    Ok(foreign)
}

/// Returns whether the certificate of the other side is for this name.
#[must_use]
pub fn is_from(stream: &server::TlsStream<TcpStream>, name: &str) -> bool {
    is_for(stream.get_ref().1.peer_certificates(), name)
}

/// Returns whether the first of these certificates, the other side's own, is for this name.
#[must_use]
pub fn is_for(shown: Option<&[CertificateDer<'_>]>, name: &str) -> bool {
    let first = shown.and_then(<[_]>::first);
    let Some(certificate) = first.and_then(|der| webpki::EndEntityCert::try_from(der).ok()) else {
        return false;
    };
    ServerName::try_from(name)
        .is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
}

/// Returns the role of the other side in a cluster that keeps leaders, by the first certificate that it has
/// shown, which is its own.
#[must_use]
pub fn role(shown: Option<&[CertificateDer<'_>]>, cluster: &str) -> Option<CertificateRole> {
    let certificate = webpki::EndEntityCert::try_from(shown?.first()?).ok()?;
    certificate.valid_dns_names().find_map(|name| CertificateRole::of_name(name, cluster))
}

const AUTHORITY: &str = "the authority's certificate";
const CERTIFICATE: &str = "the node's certificate";
const REVOKED: &str = "the list of revoked certificates";

fn certificates(what: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    items(what, "certificate", pem)
}

/// Reads all items of one kind, at least one.
fn items<T: PemObject>(what: &str, kind: &str, pem: &[u8]) -> Result<Vec<T>, TlsError> {
    let all: Vec<T> =
        T::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(TlsError::of(what))?;
    if all.is_empty() {
        return Err(TlsError::of(what)(format!("there is no {kind} in it")));
    }
    Ok(all)
}

/// Removes the time from an error, so that the same reason has the same text.
fn without_clock(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let Some(rustls::Error::InvalidCertificate(invalid)) = inner else { return error };
    let (what, at) = match invalid {
        CertificateError::ExpiredContext { not_after, .. } => ("expired at", not_after),
        CertificateError::NotValidYetContext { not_before, .. } => {
            ("is not valid before", not_before)
        }
        _ => return error,
    };
    let at = at.as_secs();
    let text = format!("the certificate of the other side {what} {at} s Unix time");
    io::Error::new(error.kind(), text)
}

#[cfg(test)]
mod tests;
