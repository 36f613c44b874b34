//! An authority for tests and small clusters, and the certificates that it issues.

use crate::transport::sockets::node_name;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use suffrage_process::Id;

/// An authority that vouches for the nodes of one cluster. Keys are ECDSA keys on P-256.
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
    /// The private key, in PKCS #8: whoever has it is the node.
    pub key: String,
}

impl std::fmt::Debug for Certified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certified").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Authority {
    /// A new authority, with a key of its own.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn new(cluster: &str) -> Result<Self, CertificateError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.distinguished_name = named(&format!("suffrage cluster {cluster}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { certificate, key: key.serialize_pem(), issuer: Issuer::new(params, key) })
    }

    /// The authority's own certificate and key.
    #[must_use]
    pub fn own(&self) -> Certified {
        Certified { certificate: self.certificate.clone(), key: self.key.clone() }
    }

    /// A certificate for the node of this identity. It carries the name `node-ID`, and serves on
    /// both sides of a connection.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn issue(&self, id: Id) -> Result<Certified, CertificateError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new([node_name(id)])?;
        params.distinguished_name = named(&node_name(id));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Certified { certificate, key: key.serialize_pem() })
    }
}

/// No certificate could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no certificate could be made: {0}")]
pub struct CertificateError(#[from] rcgen::Error);

fn named(name: &str) -> DistinguishedName {
    let mut all = DistinguishedName::new();
    all.push(DnType::CommonName, name);
    all
}
