//! Three hosts in one program, each with a folder for its certificate and its record.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use suffrage_net::free;
use tempfile::TempDir;
use tenure_node::certificates::{Authority, CertificateSubject};
use tenure_node::config::{ClusterConfig, TlsFiles};
use tenure_node::{Member, Participant, ParticipantStatus, StartError};
use tokio::time::sleep;

pub(crate) const OFFICE: &str = "db-primary";
pub(crate) const LONG: Duration = Duration::from_secs(30);
pub(crate) const CLUSTER: &str = "lab";

pub(crate) struct Hosts {
    pub(crate) folder: TempDir,
    pub(crate) authority: Authority,
    pub(crate) addresses: Vec<String>,
    pub(crate) names: Vec<&'static str>,
}

impl Hosts {
    pub(crate) fn three() -> Self {
        Self::new(&["a", "b", "c"])
    }

    pub(crate) fn new(names: &[&'static str]) -> Self {
        let addresses = free::addresses(names.len()).unwrap();
        let hosts = Self {
            folder: tempfile::tempdir().unwrap(),
            authority: Authority::new().unwrap(),
            addresses: addresses.iter().map(ToString::to_string).collect(),
            names: names.to_vec(),
        };
        for name in names {
            let own = hosts.authority.issue(CLUSTER, CertificateSubject::Member(name)).unwrap();
            hosts.install(name, &hosts.authority.with(own));
        }
        hosts
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes certificates into the folder of a host.
    pub(crate) fn install(
        &self,
        name: &str,
        credentials: &suffrage_net::tls::Credentials,
    ) -> TlsFiles {
        let folder = self.folder(name);
        std::fs::create_dir_all(&folder).unwrap();
        let write = |file: &str, bytes: &[u8]| {
            let path = folder.join(file);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        TlsFiles {
            authority: write("authority.pem", &credentials.authority),
            certificate: write("certificate.pem", &credentials.certificate),
            key: write("key.pem", &credentials.key),
            revoked: credentials.revoked.as_ref().map(|list| write("revoked.pem", list)),
        }
    }

    /// Reads the certificates in the folder of a host.
    pub(crate) fn files(&self, name: &str) -> suffrage_net::tls::Credentials {
        let read = |file: &str| std::fs::read(self.folder(name).join(file));
        suffrage_net::tls::Credentials {
            authority: read("authority.pem").unwrap(),
            certificate: read("certificate.pem").unwrap(),
            key: read("key.pem").unwrap(),
            revoked: read("revoked.pem").ok(),
        }
    }

    pub(crate) fn text(&self, name: &str, timing: &str) -> String {
        let revoked = self.folder(name).join("revoked.pem");
        let revoked = if revoked.exists() { "revoked = \"revoked.pem\"" } else { "" };
        let mut text = format!(
            "cluster = \"{CLUSTER}\"\ndata = \"record\"\n{timing}\n[tls]\nauthority = \
             \"authority.pem\"\ncertificate = \"certificate.pem\"\nkey = \"key.pem\"\n{revoked}\n"
        );
        for (member, address) in self.names.iter().zip(&self.addresses) {
            let _ = writeln!(text, "[[members]]\nname = \"{member}\"\naddress = \"{address}\"");
        }
        text
    }

    pub(crate) fn config(&self, name: &str) -> ClusterConfig {
        ClusterConfig::from_toml(&self.text(name, TIMING), &self.folder(name)).unwrap()
    }

    pub(crate) fn config_of(&self, name: &str, text: &str) -> ClusterConfig {
        ClusterConfig::from_toml(text, &self.folder(name)).unwrap()
    }

    pub(crate) async fn start(&self, name: &str) -> Member {
        self.try_start(name).await.unwrap()
    }

    pub(crate) async fn try_start(&self, name: &str) -> Result<Member, StartError> {
        Member::start(self.config(name)).await
    }

    pub(crate) async fn start_all(&self) -> Vec<Member> {
        self.start_with(TIMING).await
    }

    /// Starts all members with these keys, among them the timing.
    pub(crate) async fn start_with(&self, keys: &str) -> Vec<Member> {
        let mut members = Vec::new();
        for name in &self.names {
            let config = self.config_of(name, &self.text(name, keys));
            members.push(Member::start(config).await.unwrap());
        }
        members
    }
}

/// Slower than `lan`, for machines that are busy with other tests.
pub(crate) const TIMING: &str =
    "profile = \"custom\"\ntiming = { heartbeat = \"50ms\", lease = \"500ms\" }";

/// Waits until the status of a member satisfies `wanted`.
pub(crate) async fn until(
    member: &Participant,
    wanted: impl Fn(&ParticipantStatus) -> bool,
) -> ParticipantStatus {
    let reached = async {
        loop {
            let status = member.status().await.unwrap();
            if wanted(&status) {
                return status;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, reached).await.expect("the status is reached in time")
}

/// Waits until a member reports why it has no connection to another one, and returns the reason.
pub(crate) async fn trouble(member: &Member, with: &str, says: &str) -> String {
    let of = |status: &ParticipantStatus| {
        let peer = status.members.iter().find(|peer| peer.name == with).unwrap();
        peer.trouble.clone().unwrap_or_default()
    };
    of(&until(member, |status| of(status).contains(says)).await)
}
