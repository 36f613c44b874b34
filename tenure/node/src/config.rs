//! The configuration file of a cluster.

mod text;

pub use suffrage_net::tls::{CertificateHolder, CertificateRole, ServerTlsFiles, Tls, TlsFiles};
pub use suffrage_net::toml_file::ConfigError;
pub(crate) use text::check_address;

use crate::membership::ClusterMembers;
use crate::office::OfficeName;
use crate::roster::{Roster, RosterHost};
use crate::timing::LeaseTiming;
use crate::transport::quic::Agreement;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suffrage_net::tls::{is_for, member_name};
use suffrage_net::toml_file::{self, KeyPlaces};
use tenure_model::Peer;
use tenure_protocol::electorate::Members;

/// A configuration file with every key, explained.
pub const EXAMPLE: &str = include_str!("config/example.toml");

/// The maximal number of members of a cluster.
pub const MOST_MEMBERS: usize = 9;

/// The maximal number of offices in a configuration. Others can be led, too.
pub const MOST_OFFICES: usize = 4096;

/// The configuration of a member. The fields are those of [`EXAMPLE`].
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// The name of the cluster.
    pub cluster: String,
    /// The member that this host is; `None` to take it from the certificate.
    pub member: Option<String>,
    /// The folder of the member's record.
    pub data: PathBuf,
    /// The address to listen on; `None` for the member's own address.
    pub listen: Option<String>,
    /// The addresses of members of a cluster that exists, which this host joins. Then the file names no other members: the
    /// record says who they are.
    pub join: Option<Vec<String>>,
    /// All terms are greater: so they keep growing where all members have lost their records.
    pub first_term: u64,
    /// The heartbeat, lease, stop time and clock bound. The stop time is the longest of all
    /// offices.
    pub timing: LeaseTiming,
    /// The name of the timing profile.
    pub profile: String,
    /// The members, in the order of their names.
    pub members: Vec<MemberConfig>,
    /// The offices that are known beforehand, in the order of their names.
    pub offices: Vec<OfficeConfig>,
    /// The files of the certificates.
    pub tls: TlsFiles,
    /// The HTTP server, if there is one.
    pub http: Option<HttpConfig>,
    pub(crate) lines: KeyPlaces,
}

/// The configuration of a member.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberConfig {
    /// The name.
    pub name: String,
    /// The address at which it listens: `host:port`.
    pub address: String,
    /// The priority with which it stands, unless an office has another one.
    #[serde(default)]
    pub priority: u32,
    /// Whether it votes and never leads.
    #[serde(default)]
    pub witness: bool,
}

/// The configuration of the HTTP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpConfig {
    /// The address: one of the loopback interface, unless there is a certificate.
    pub listen: SocketAddr,
    /// The files of the server's certificate. Without one it speaks HTTP without TLS.
    pub site: Option<ServerTlsFiles>,
    /// The file of the token that authorizes an HTTP client to make leaders leave.
    pub token: Option<PathBuf>,
    /// The programs that may stand.
    pub programs: Vec<ProgramConfig>,
}

/// A program that may stand over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramConfig {
    /// Its name, for logs and messages.
    pub name: String,
    /// The file of its token.
    pub token: PathBuf,
    /// The offices for which it may stand. One that ends with `*` is for all offices that begin so.
    pub offices: Vec<String>,
}

/// The configuration of an office.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficeConfig {
    /// The name.
    pub name: OfficeName,
    /// How long the work may go on after the leadership was lost. A leader releases the office then;
    /// if it cannot be heard, successors wait for the longest time of all offices.
    pub stop: Duration,
    /// The priorities of members, in place of their own.
    pub priorities: BTreeMap<String, u32>,
}

fn explain_majority(count: usize) -> String {
    let majority = count / 2 + 1;
    let spare = count - majority;
    let are = if spare == 1 { "member is" } else { "members are" };
    let mut text = format!(
        "majority: {majority} of {count}; offices stay led while at most {spare} {are} down or cut off\n"
    );
    if count.is_multiple_of(2) {
        let less = count - 1;
        let _ = writeln!(text, "  an even number: {less} members would survive as many failures");
    }
    text
}

impl ClusterConfig {
    /// Reads a configuration file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// If the file cannot be read, or a value cannot be used; with the line and the key.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        toml_file::read(path, Self::from_toml)
    }

    /// Parses a configuration, in which paths are relative to `folder`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, ConfigError> {
        text::read(text, folder)
    }

    /// Creates an error at a key, with its line in the file.
    pub(crate) fn wrong(&self, key: &str, why: impl Display) -> ConfigError {
        self.lines.wrong(key, why)
    }

    pub(crate) fn agreement(&self) -> Agreement {
        Agreement::new(&self.timing)
    }

    /// Returns the roster of a cluster that begins with the members of this file.
    pub(crate) fn roster(&self) -> Roster {
        let host = |it: &MemberConfig| RosterHost::founder(&it.name, &it.address, it.witness);
        Roster::founding(self.members.iter().map(host).collect())
    }

    /// Checks that the file names the members of the cluster, or leaves that to the record.
    ///
    /// # Errors
    /// If it names others: it may be an old one.
    pub(crate) fn check_members(&self, now: &ClusterMembers) -> Result<(), ConfigError> {
        let electorate = now.configuration.electorate;
        let is = |members: Members| {
            let host = |peer| now.roster.host(peer);
            let same = |host: &RosterHost| {
                self.members.iter().any(|it| it.name == host.name && it.witness == host.witness)
            };
            members.len() == self.members.len() && members.iter().filter_map(host).all(same)
        };
        if self.join.is_some() || electorate.halves().any(is) {
            return Ok(());
        }
        let name = |(_, host): (Peer, &RosterHost)| match host.witness {
            true => format!("`{}` (a witness)", host.name),
            false => format!("`{}`", host.name),
        };
        let (hosts, names) =
            (now.hosts().map(name).collect::<Vec<_>>().join(", "), self.member_names());
        Err(self.wrong(
            "members",
            format!(
                "this file names {names}, and by the record the members are {hosts}, by change {}: write these, or \
                 the key `join`; to change them, use `tenure members`",
                now.configuration.tag.number / 2
            ),
        ))
    }

    /// Reads the certificates, and returns them with the name of the member that this host is.
    ///
    /// # Errors
    /// If a file cannot be read or used, as [`own_name`](Self::own_name), or if the certificate would be refused by
    /// the other members: it is over, is of an authority that is not trusted, or is revoked.
    pub fn identify(&self) -> Result<(Tls, String), ConfigError> {
        let tls = Tls::from_files(self.tls.clone()).map_err(|error| self.wrong("tls", error))?;
        let name = self.own_name(&tls)?;
        tls.check_own().map_err(|error| self.wrong("tls", error))?;
        Ok((tls, name))
    }

    /// Returns the name of the member that this host is: the one that the file names, or else the
    /// one that the certificate is for.
    ///
    /// # Errors
    /// If there is no such member, or the certificate belongs to no member or to another one.
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
                "the certificate belongs to none of the members {names} of cluster `{}`",
                self.cluster
            );
            self.wrong("tls", why)
        })
    }

    fn member_names(&self) -> String {
        let names = self.members.iter().map(|member| format!("`{}`", member.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Returns how long the work of an office may go on after its leadership was lost.
    #[must_use]
    pub fn stop_of(&self, office: &str) -> Duration {
        let office = self.offices.iter().find(|known| known.name.name() == office);
        office.map_or(Duration::ZERO, |office| office.stop)
    }

    /// Explains the configuration in prose: who votes, how many may fail, and the guaranteed times.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = String::new();
        let who = match &self.join {
            Some(_) => "its members know who they are".to_owned(),
            None => format!("{} members", self.members.len()),
        };
        let _ = writeln!(text, "cluster {}: {who}", self.cluster);
        for member in &self.members {
            let what = match (member.witness, member.priority) {
                (true, _) => ", a witness: it votes and never leads".to_owned(),
                (false, 0) => String::new(),
                (false, priority) => format!(", priority {priority}"),
            };
            let _ = writeln!(text, "  {:<16} {}{what}", member.name, member.address);
        }
        if self.join.is_none() {
            text.push_str(&explain_majority(self.members.len()));
        }
        if self.first_term > 0 {
            let _ = writeln!(text, "all terms are greater than {}", self.first_term);
        }
        let timing = self.timing;
        let _ = writeln!(
            text,
            "timing {}: heartbeat {:?}, lease {:?}, clock bound {} millionths",
            self.profile, timing.heartbeat, timing.lease, timing.clock_bound
        );
        let longest = timing.longest_vacancy(Duration::ZERO, Duration::ZERO);
        let _ = writeln!(
            text,
            "longest vacancy after a silent crash: {longest:?} + 2 round trips + 1 disk sync",
        );
        if !timing.stop.is_zero() {
            let _ = writeln!(text, "  including {:?} for work that stops late", timing.stop);
        }
        let _ = writeln!(
            text,
            "a member that starts again grants nothing for its first {:?}",
            timing.owed()
        );
        for office in &self.offices {
            let _ = write!(text, "office {}: stop {:?}", office.name.name(), office.stop);
            for (member, priority) in &office.priorities {
                let _ = write!(text, ", {member} has priority {priority}");
            }
            let _ = writeln!(text);
        }
        text
    }
}
