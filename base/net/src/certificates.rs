//! An authority for tests and small clusters, and the certificates that it issues.

mod folder;

pub use folder::CertificateFolder;

use crate::tls::{
    Credentials, LONGEST_CLUSTER, any_member_name, client_name, hex, is_label, member_name,
    node_name, operator_name,
};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DistinguishedName,
    DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose,
    PublicKeyData, RevokedCertParams, SerialNumber, date_time_ymd,
};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Display};
use std::time::{SystemTime, UNIX_EPOCH};
use webpki::{EndEntityCert, anchor_from_trusted_cert};

/// An authority that issues the certificates of clusters. Keys are ECDSA keys on P-256.
///
/// It can serve several clusters: a certificate names the cluster as well as the node.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
    key: String,
}

/// A certificate and its key, as PEM texts.
#[derive(Clone)]
pub struct Certified {
    /// The certificate.
    pub certificate: String,
    /// The private key, in PKCS #8. A process that has it can impersonate the node.
    pub key: String,
}

impl fmt::Debug for Certified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certified").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Authority {
    /// Creates a new authority, with a new key.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn new() -> Result<Self, CertificateError> {
        Self::of(KeyPair::generate()?, None)
    }

    /// Reads an authority that [`new`](Self::new) has created from its certificate and key, as PEM
    /// texts.
    ///
    /// # Errors
    /// If they cannot be read, do not belong together, or are those of an authority that another
    /// program has created.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, CertificateError> {
        let authority = Self::of(KeyPair::from_pem(key)?, Some(certificate.to_owned()))?;
        let made = CertificateParams::self_signed(
            &params_of_authority(authority.issuer.key()),
            authority.issuer.key(),
        )?;
        let given = der(certificate)?;
        let same = match (anchor_from_trusted_cert(&given), anchor_from_trusted_cert(made.der())) {
            (Ok(given), Ok(made)) => {
                given.subject == made.subject
                    && given.subject_public_key_info == made.subject_public_key_info
            }
            _ => false,
        };
        if same { Ok(authority) } else { Err(CertificateError::Foreign) }
    }

    fn of(key: KeyPair, certificate: Option<String>) -> Result<Self, CertificateError> {
        let params = params_of_authority(&key);
        let certificate = match certificate {
            Some(certificate) => certificate,
            None => params.self_signed(&key)?.pem(),
        };
        Ok(Self { certificate, key: key.serialize_pem(), issuer: Issuer::new(params, key) })
    }

    /// Returns the authority's own certificate and key.
    #[must_use]
    pub fn own(&self) -> Certified {
        Certified { certificate: self.certificate.clone(), key: self.key.clone() }
    }

    /// Issues a certificate for a cluster. It serves on both sides of a connection, and does not
    /// expire.
    ///
    /// # Errors
    /// If the name of the cluster has not 1 to [`LONGEST_CLUSTER`] bytes, the subject's name is not a
    /// label of a DNS name, or the system provides no random numbers.
    pub fn issue(
        &self,
        cluster: &str,
        subject: CertificateSubject<'_>,
    ) -> Result<Certified, CertificateError> {
        self.issue_until(cluster, subject, None)
    }

    /// Issues a certificate as [`issue`](Self::issue) does, which ends at this time of day if one is given.
    ///
    /// # Errors
    /// As [`issue`](Self::issue).
    pub fn issue_until(
        &self,
        cluster: &str,
        subject: CertificateSubject<'_>,
        end: Option<SystemTime>,
    ) -> Result<Certified, CertificateError> {
        if !(1..=LONGEST_CLUSTER).contains(&cluster.len()) {
            return Err(CertificateError::Cluster);
        }
        let names = subject.names(cluster)?;
        let key = KeyPair::generate()?;
        let name = named(names.first().map_or("", String::as_str));
        let mut params = CertificateParams::new(names)?;
        from_the_first_day(&mut params);
        if let Some(end) = end {
            params.not_after = end.into();
        }
        params.distinguished_name = name;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Certified { certificate, key: key.serialize_pem() })
    }

    /// Returns the credentials for a [`Tls`](crate::tls::Tls) that uses a certificate of this
    /// authority.
    #[must_use]
    pub fn with(&self, own: Certified) -> Credentials {
        Credentials {
            authority: self.certificate.clone().into_bytes(),
            certificate: own.certificate.into_bytes(),
            key: own.key.into_bytes(),
            revoked: None,
        }
    }

    /// Issues a certificate, and returns all that a [`Tls`](crate::tls::Tls) needs.
    ///
    /// # Errors
    /// As [`issue`](Self::issue).
    pub fn credentials(
        &self,
        cluster: &str,
        subject: CertificateSubject<'_>,
    ) -> Result<Credentials, CertificateError> {
        self.issue(cluster, subject).map(|own| self.with(own))
    }

    /// Creates the list of the certificates that this authority has revoked, as a PEM text, from
    /// those certificates. It replaces every earlier list.
    ///
    /// # Errors
    /// If one of them is no certificate.
    pub fn revoke<'a>(
        &self,
        certificates: impl IntoIterator<Item = &'a str>,
    ) -> Result<String, CertificateError> {
        let now = SystemTime::now();
        let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut revoked_certs = Vec::new();
        for certificate in certificates {
            revoked_certs.push(RevokedCertParams {
                serial_number: SerialNumber::from(serial_number(certificate)?),
                revocation_time: now.into(),
                reason_code: None,
                invalidity_date: None,
            });
        }
        let list = CertificateRevocationListParams {
            this_update: now.into(),
            next_update: date_time_ymd(4096, 1, 1),
            crl_number: SerialNumber::from(since_1970),
            issuing_distribution_point: None,
            revoked_certs,
            key_identifier_method: KeyIdMethod::Sha256,
        };
        Ok(list.signed_by(&self.issuer)?.pem()?)
    }
}

/// Returns the serial number of a certificate in a PEM text, in hexadecimal digits.
///
/// # Errors
/// If it is no certificate.
pub fn serial(certificate: &str) -> Result<String, CertificateError> {
    Ok(hex(&serial_number(certificate)?))
}

fn serial_number(certificate: &str) -> Result<Vec<u8>, CertificateError> {
    let der = der(certificate)?;
    let certificate = EndEntityCert::try_from(&der).map_err(|_| CertificateError::Unreadable)?;
    Ok(certificate.serial().to_vec())
}

/// An error of an authority.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// A certificate could not be generated, or a key could not be read.
    #[error("no certificate could be made: {0}")]
    Generate(#[from] rcgen::Error),
    /// The name of the cluster is empty or too long.
    #[error("the name of a cluster has 1 to {LONGEST_CLUSTER} bytes")]
    Cluster,
    /// The name cannot name a member, clients or an operator.
    #[error(
        "`{}` cannot name a member, clients or an operator: write lower case letters, digits and hyphens, at \
         most 63, with no hyphen at either end",
        .0.escape_debug()
    )]
    Name(String),
    /// The text is no certificate.
    #[error("there is no certificate in it")]
    Unreadable,
    /// The key and the certificate are not those of an authority that this crate has created.
    #[error(
        "the certificate and the key do not belong to one authority that `suffrage cert` has made"
    )]
    Foreign,
    /// A folder of certificates cannot be used: the error, its place, and a remedy.
    #[error("{0}")]
    Folder(String),
}

/// The holder of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CertificateSubject<'a> {
    /// A node of an election. Its certificate carries the name that [`node_name`] gives.
    Node(u64),
    /// A member of a cluster that keeps leaders. Its certificate carries the names that
    /// [`member_name`] and [`any_member_name`] give.
    Member(&'a str),
    /// The clients of such a cluster whose names begin with this one, which may share the
    /// certificate. It carries the name that [`client_name`] gives.
    Client(&'a str),
    /// An operator of such a cluster, who asks its members and can make leaders leave. The
    /// certificate carries the name that [`operator_name`] gives.
    Operator(&'a str),
}

impl CertificateSubject<'_> {
    fn names(self, cluster: &str) -> Result<Vec<String>, CertificateError> {
        match self {
            Self::Member(name) | Self::Client(name) | Self::Operator(name) if !is_label(name) => {
                Err(CertificateError::Name(name.to_owned()))
            }
            Self::Node(id) => Ok(vec![node_name(cluster, id)]),
            Self::Member(name) => Ok(vec![member_name(cluster, name), any_member_name(cluster)]),
            Self::Client(name) => Ok(vec![client_name(cluster, name)]),
            Self::Operator(name) => Ok(vec![operator_name(cluster, name)]),
        }
    }
}

/// As the files of its certificate are named: `node-7`, `member-a`, `client-web`, `operator-alice`.
impl Display for CertificateSubject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(id) => write!(f, "node-{id}"),
            Self::Member(name) => write!(f, "member-{name}"),
            Self::Client(name) => write!(f, "client-{name}"),
            Self::Operator(name) => write!(f, "operator-{name}"),
        }
    }
}

/// Makes a certificate valid from 1970 on: no clock is behind that.
fn from_the_first_day(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(1970, 1, 1);
}

/// Returns the parameters of the authority with this key. Its name is derived from the key, so that
/// no two authorities have the same one.
fn params_of_authority(key: &KeyPair) -> CertificateParams {
    let mut params = CertificateParams::default();
    from_the_first_day(&mut params);
    let digest = Sha256::digest(key.subject_public_key_info());
    params.distinguished_name = named(&format!("suffrage authority {}", hex(&digest[..8])));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn der(certificate: &str) -> Result<CertificateDer<'static>, CertificateError> {
    CertificateDer::from_pem_slice(certificate.as_bytes()).map_err(|_| CertificateError::Unreadable)
}

fn named(name: &str) -> DistinguishedName {
    let mut all = DistinguishedName::new();
    all.push(DnType::CommonName, name);
    all
}

#[cfg(test)]
mod tests;
