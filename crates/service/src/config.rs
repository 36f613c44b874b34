//! The configuration of a cluster, from a file.

mod explain;
mod text;

pub use suffrage_net::tls::TlsFiles;
pub use suffrage_net::toml_file::ConfigError;

use crate::office::OfficeName;
use crate::timing::Timing;
use crate::transport::quic::Agreement;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suffrage_net::tls::{Tls, is_for, member_name};
use suffrage_net::toml_file::{self, Lines};

/// A file with every key, explained.
pub const EXAMPLE: &str = include_str!("config/example.toml");

/// The most members of a cluster.
pub const MOST_MEMBERS: usize = 9;

/// The configuration of a member. The fields are those of [`EXAMPLE`].
#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the cluster.
    pub cluster: String,
    /// Which member this host is; `None` to tell it by the certificate.
    pub member: Option<String>,
    /// The folder of the member's record.
    pub data: PathBuf,
    /// Where it listens; `None` for its address among the members.
    pub listen: Option<String>,
    /// Heartbeat, lease, stop time, clock bound. The stop time is the longest of all offices.
    pub timing: Timing,
    /// The name of the timing profile.
    pub profile: String,
    /// The members, in the order of their names.
    pub members: Vec<MemberConfig>,
    /// The offices that are known beforehand, in the order of their names.
    pub offices: Vec<OfficeConfig>,
    /// Certificates.
    pub tls: TlsFiles,
    /// Where HTTP is served, if it is.
    pub http: Option<HttpConfig>,
    pub(crate) lines: Lines,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberConfig {
    /// Its name.
    pub name: String,
    /// The address at which it listens: `host:port`.
    pub address: String,
    /// The priority with which it stands, where an office has no other.
    pub priority: u32,
    /// Whether it votes and never leads.
    pub witness: bool,
}

/// Where HTTP is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpConfig {
    /// An address of the loopback interface.
    pub listen: SocketAddr,
    /// The file of the token that lets who shows it have leaders leave.
    pub token: Option<PathBuf>,
}

/// An office.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficeConfig {
    /// Its name.
    pub name: OfficeName,
    /// How long its work may go on after its leadership was lost.
    pub stop: Duration,
    /// The priorities of members, in place of their own.
    pub priorities: BTreeMap<String, u32>,
}

impl Config {
    /// Reads a file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// If it cannot be read, or what it says cannot be used; with the line and the key.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        toml_file::read(path, Self::from_toml)
    }

    /// Reads a text, in which paths are relative to `folder`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        text::read(text, folder)
    }

    /// An error at a key, with the line that it has in the file.
    pub(crate) fn wrong(&self, key: &str, why: impl Display) -> ConfigError {
        self.lines.wrong(key, why)
    }

    /// What all participants must agree about.
    pub(crate) fn agreement(&self) -> Agreement {
        let member = |member: &MemberConfig| (member.name.clone(), member.witness);
        Agreement::new(self.members.iter().map(member).collect(), &self.timing)
    }

    /// The name of the member that this host is: the one that the file names, or the only one whose
    /// certificate it is.
    ///
    /// # Errors
    /// If there is no such member, or the certificate tells none.
    pub fn own_name(&self, tls: &Tls) -> Result<String, ConfigError> {
        let shown = tls.own_certificates();
        let is_for_member = |name: &str| is_for(Some(&shown), &member_name(&self.cluster, name));
        if let Some(name) = &self.member {
            if self.members.iter().all(|member| member.name != *name) {
                let names = self.member_names();
                let why = format!("there is no member `{name}`; there are {names}");
                return Err(self.wrong("member", why));
            }
            if !is_for_member(name) {
                let dns = member_name(&self.cluster, name);
                let why =
                    format!("the certificate is not that of member `{name}`: it is not for {dns}");
                return Err(self.wrong("tls", why));
            }
            return Ok(name.clone());
        }
        let own = self.members.iter().find(|member| is_for_member(&member.name));
        own.map(|member| member.name.clone()).ok_or_else(|| {
            let names = self.member_names();
            let why = format!(
                "the certificate is that of none of the members {names} of cluster `{}`",
                self.cluster
            );
            self.wrong("tls", why)
        })
    }

    fn member_names(&self) -> String {
        let names = self.members.iter().map(|member| format!("`{}`", member.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// How long the work of an office may go on after its leadership was lost.
    #[must_use]
    pub fn stop_of(&self, office: &str) -> Duration {
        let office = self.offices.iter().find(|known| known.name.name() == office);
        office.map_or(Duration::ZERO, |office| office.stop)
    }
}
