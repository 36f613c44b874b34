//! The flags of the commands that make certificates.

use std::path::PathBuf;
use suffrage_net::certificates::{CertificateError, CertificateFolder, CertificateSubject};

/// What to do with the certificates of the holders that a command names, and where. The holders are
/// flags of the command, in a group called `holders`.
#[derive(clap::Args)]
pub struct Certificates {
    /// The name of the cluster, as in the configurations
    #[arg(long, value_name = "NAME", required_unless_present = "revoke")]
    #[arg(conflicts_with = "revoke")]
    cluster: Option<String>,

    /// Use the authority in the folder instead of a new one
    #[arg(long, conflicts_with = "revoke")]
    add: bool,

    /// Revoke their certificates in the folder, instead of making new ones
    #[arg(long)]
    revoke: bool,

    /// The folder for the files; created if it does not exist
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,

    /// Replace existing files
    #[arg(long, conflicts_with = "revoke")]
    force: bool,
}

impl Certificates {
    /// Makes the certificates, or revokes them. Returns what was done, in a line.
    ///
    /// # Errors
    /// As [`CertificateFolder::issue`] and [`CertificateFolder::revoke`].
    pub fn carry_out(
        &self,
        holders: &[CertificateSubject<'_>],
    ) -> Result<String, CertificateError> {
        let folder = CertificateFolder::new(&self.out);
        if self.revoke {
            return folder.revoke(holders);
        }
        let cluster = self.cluster.as_deref().unwrap_or_default();
        folder.issue(cluster, holders, self.add, self.force)
    }
}
