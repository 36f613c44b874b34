//! The DNS names in certificates.

use sha2::{Digest as _, Sha256};

/// The maximal length of a label of a DNS name, in bytes.
const LONGEST_LABEL: usize = 63;
/// The maximal length of the name of a cluster, in bytes.
pub const LONGEST_CLUSTER: usize = 64;
/// The prefix of labels made of a digest.
const HASHED: &str = "sha256-";

/// Returns the DNS name that the certificate of a node carries: `node-7.lab` for node 7 of the
/// cluster `lab`.
///
/// A cluster whose name is not a label in lower case (letters, digits and hyphens, at most 63) is
/// named by a digest, as in `node-7.sha256-4f53…`, since DNS names allow no other characters and
/// ignore case. So the names of two clusters always differ, and no certificate for one is valid for
/// the other.
#[must_use]
pub fn node_name(cluster: &str, id: u64) -> String {
    format!("node-{id}.{}", label(cluster))
}

/// Returns the DNS name that the certificate of a member carries: `a.members.lab` for member `a` of
/// the cluster `lab`. Beside it, each carries [`any_member_name`].
///
/// The name of the member must be a [label](is_label).
#[must_use]
pub fn member_name(cluster: &str, member: &str) -> String {
    format!("{member}.{}", any_member_name(cluster))
}

/// Returns the DNS name that the certificates of all members of a cluster carry: `members.lab`. By
/// it a dialler that does not know the name of a member can still check that it is one.
#[must_use]
pub fn any_member_name(cluster: &str) -> String {
    format!("members.{}", label(cluster))
}

/// Returns the DNS name that the certificate of clients carries: `web.clients.lab` for those
/// whose names begin with `web`, in the cluster `lab`.
///
/// The name of the clients must be a [label](is_label).
#[must_use]
pub fn client_name(cluster: &str, clients: &str) -> String {
    format!("{clients}.clients.{}", label(cluster))
}

/// Returns the DNS name that the certificate of an operator carries: `alice.operators.lab` for
/// operator `alice` of the cluster `lab`.
///
/// The name of the operator must be a [label](is_label).
#[must_use]
pub fn operator_name(cluster: &str, operator: &str) -> String {
    format!("{operator}.operators.{}", label(cluster))
}

/// Returns whether a name can be a label of a DNS name, as those of members must be: lower case
/// letters, digits and hyphens, at most 63, with no hyphen at either end.
#[must_use]
pub fn is_label(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LONGEST_LABEL).contains(&name.len())
        && name.bytes().all(letter)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

/// The kind of the holder of a certificate, in a cluster that keeps leaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateRole {
    /// A member: [`any_member_name`].
    Member,
    /// A client: [`client_name`].
    Client,
    /// An operator: [`operator_name`].
    Operator,
}

impl CertificateRole {
    pub(super) fn of_name(name: &str, cluster: &str) -> Option<Self> {
        let cluster = label(cluster);
        let rest = name.strip_suffix(&cluster)?.strip_suffix('.')?;
        match rest.rsplit_once('.') {
            None if rest == "members" => Some(Self::Member),
            Some((name, "clients")) if is_label(name) => Some(Self::Client),
            Some((name, "operators")) if is_label(name) => Some(Self::Operator),
            _ => None,
        }
    }
}

/// The holder of a certificate, in a cluster that keeps leaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateHolder {
    /// Its role.
    pub role: CertificateRole,
    /// Its name. Clients with the same certificate share it.
    pub name: String,
    /// The name of the cluster.
    pub cluster: String,
}

impl CertificateHolder {
    /// Returns the holder that a DNS name in a certificate names, in this cluster, or in the one that
    /// the DNS name has. `None` if there is none, or if the cluster has a name that DNS names do not
    /// have.
    pub(super) fn of_name(name: &str, cluster: Option<&str>) -> Option<Self> {
        let mut parts = name.splitn(3, '.');
        let (name, kind, of) = (parts.next()?, parts.next()?, parts.next()?);
        let role = match kind {
            "members" => CertificateRole::Member,
            "clients" => CertificateRole::Client,
            "operators" => CertificateRole::Operator,
            _ => return None,
        };
        let cluster = cluster.unwrap_or(of);
        let is_named = is_label(name) && label(cluster) == of;
        is_named.then(|| Self { role, name: name.to_owned(), cluster: cluster.to_owned() })
    }
}

fn label(cluster: &str) -> String {
    let usable = is_label(cluster)
        // A name of digits alone would look like a part of an address.
        && cluster.bytes().any(|byte| byte.is_ascii_lowercase())
        && !cluster.starts_with(HASHED);
    if usable {
        return cluster.to_owned();
    }
    let digest = Sha256::digest(cluster.as_bytes());
    format!("{HASHED}{}", hex(&digest[..16]))
}

/// Returns hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
