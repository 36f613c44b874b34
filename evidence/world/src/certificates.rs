//! The certificates of a cluster, and handshakes between its hosts: they are real ones, within this process.

use anyhow::{Context, anyhow};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConnection, ServerConnection};
use std::time::{Duration, SystemTime};
use suffrage_net::certificates::{Authority, CertificateSubject, Certified};
use suffrage_net::tls::{Credentials, Tls};

/// What is wrong with the certificate of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateFault {
    /// It is over.
    Expired,
    /// All other hosts have a list by which it is revoked.
    Revoked,
    /// Another authority has issued it, and the host trusts that one.
    Foreign,
}

/// Both authorities, and the certificate of each host by the right one.
pub(crate) struct ClusterCertificates {
    authority: Authority,
    other: Authority,
    own: Vec<Certified>,
}

const CLUSTER: &str = "world";

impl ClusterCertificates {
    pub(crate) fn new(names: &[String]) -> anyhow::Result<Self> {
        let authority = Authority::new()?;
        let issue = |name: &String| authority.issue(CLUSTER, CertificateSubject::Member(name));
        let own = names.iter().map(issue).collect::<Result<_, _>>()?;
        Ok(Self { own, other: Authority::new()?, authority })
    }

    /// Issues a new certificate for a host.
    pub(crate) fn rotate(&mut self, host: usize, name: &str) -> anyhow::Result<()> {
        self.own[host] = self.authority.issue(CLUSTER, CertificateSubject::Member(name))?;
        Ok(())
    }

    /// Returns the credentials of a host, whose certificate has this fault. Those of `revoked` hosts are revoked.
    pub(crate) fn credentials(
        &self,
        (host, name): (usize, &str),
        wrong: Option<CertificateFault>,
        revoked: &[usize],
    ) -> anyhow::Result<Credentials> {
        let subject = CertificateSubject::Member(name);
        let list = revoked.iter().filter(|&&other| other != host);
        let list: Vec<_> = list.map(|&other| self.own[other].certificate.as_str()).collect();
        let mut credentials = match wrong {
            Some(CertificateFault::Expired) => {
                let end = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
                self.authority.with(self.authority.issue_until(CLUSTER, subject, Some(end))?)
            }
            Some(CertificateFault::Foreign) => self.other.credentials(CLUSTER, subject)?,
            _ => self.authority.with(self.own[host].clone()),
        };
        credentials.revoked = Some(self.authority.revoke(list)?.into_bytes());
        Ok(credentials)
    }
}

/// Lets one host connect to another one, which must have a certificate for this name. Returns what the dialler has shown.
///
/// # Errors
/// If one of them refuses the other.
pub(crate) fn shake_hands(
    dialler: &Tls,
    dialled: &Tls,
    name: String,
) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let mut client = ClientConnection::new(dialler.configs().0, ServerName::try_from(name)?)?;
    let mut server = ServerConnection::new(dialled.configs().1)?;
    while client.is_handshaking() || server.is_handshaking() {
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes)?;
        if !bytes.is_empty() {
            server.read_tls(&mut bytes.as_slice())?;
            server.process_new_packets().map_err(|why| anyhow!("it refuses: {why}"))?;
        }
        let mut bytes = Vec::new();
        server.write_tls(&mut bytes)?;
        if !bytes.is_empty() {
            client.read_tls(&mut bytes.as_slice())?;
            client.process_new_packets().map_err(|why| anyhow!("refused: {why}"))?;
        }
    }
    server.peer_certificates().map(<[_]>::to_vec).context("the dialler shows no certificate")
}
