//! The side of a local program or an operator, and of a member that asks the others.

use super::messages::VERSIONS;
use super::{
    ClientMessage, JsonLines, MemberMessage, OfficeReport, folders, milliseconds, path_in,
};
use crate::error::CommandError;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tenure_node::config::{ClusterConfig, MemberConfig, TlsFiles};
use tenure_node::{Address, ClusterMembers, Conversation, LeaseTiming};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// Finds the socket of a participant of this host: the given path, the path in the environment, or the only
/// socket that exists.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let named = named.map(Path::to_owned).or_else(|| path_in("TENURE_SOCKET"));
    if let Some(path) = named {
        return Ok(path);
    }
    let folders = folders();
    let ours = |name: &str| name.starts_with("tenure.") && name.ends_with(".socket");
    let (mut found, mut closed) = (Vec::new(), None);
    for entry in
        folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten()
    {
        if !entry.file_name().to_str().is_some_and(ours) {
            continue;
        }
        match std::os::unix::net::UnixStream::connect(entry.path()) {
            Ok(_) => found.push(entry.path()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                closed = Some(entry.path());
            }
            // A socket without a listener was left by a process that was killed.
            Err(_) => {}
        }
    }
    found.sort();
    let listed = |paths: &[PathBuf], between| {
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(between)
    };
    match (found.as_slice(), closed) {
        ([one], _) => Ok(one.clone()),
        ([], Some(closed)) => Err(CommandError::failed(format!(
            "the member at {} lets its own user connect, and with `--socket-mode 660` its group: \
             become one of these",
            closed.display()
        ))),
        ([], None) => Err(CommandError::failed(format!(
            "no member runs on this host (there is no socket in {}): start one with `tenure serve \
             --config FILE`, or give --config FILE or --members here",
            listed(&folders, " or ")
        ))),
        (several, _) => Err(CommandError::usage(format!(
            "several members run on this host; choose one with --socket: {}",
            listed(several, ", ")
        ))),
    }
}

/// Where a participant is found.
pub(crate) enum ControlAddress {
    /// On this host, by its socket.
    Socket(PathBuf),
    /// On any host: the first of these members that answers.
    Members { cluster: String, tls: TlsFiles, addresses: Vec<Address> },
}

impl Display for ControlAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "the member at {}", path.display()),
            Self::Members { .. } => f.write_str("the member"),
        }
    }
}

impl ControlAddress {
    /// Connects and greets.
    pub(crate) async fn connect(&self) -> Result<JsonLines, CommandError> {
        let lines =
            match self {
                Self::Socket(path) => JsonLines::of_client(connect(path).await?),
                Self::Members { cluster, tls, addresses } => {
                    let begun = Conversation::begin(cluster, tls.clone(), addresses).await;
                    JsonLines::of_client(begun.map_err(|error| {
                        CommandError::failed(format!("no member answers: {error}"))
                    })?)
                }
            };
        self.greet(lines).await
    }

    async fn greet(&self, mut lines: JsonLines) -> Result<JsonLines, CommandError> {
        match self.say(&mut lines, &ClientMessage::Hello { versions: VERSIONS.to_vec() }).await? {
            MemberMessage::Hello { .. } => Ok(lines),
            _ => Err(CommandError::failed(format!("{self} answers nonsense"))),
        }
    }

    /// Sends a message, and returns the answer.
    async fn say(
        &self,
        lines: &mut JsonLines,
        message: &ClientMessage,
    ) -> Result<MemberMessage, CommandError> {
        let failed = |error: io::Error| CommandError::failed(format!("{self}: {error}"));
        lines.say(message).await.map_err(failed)?;
        match lines.hear().await.map_err(failed)? {
            Some(MemberMessage::Refused { why, .. }) => Err(CommandError::failed(why)),
            Some(answer) => Ok(answer),
            None => Err(failed(io::Error::other("it closed the connection"))),
        }
    }
}

/// The line by which the guard of a command says that no process of it is left, where its program is gone.
pub(crate) const RELEASE: &str = "{\"release\":{}}\n";

/// Connects to a participant of this host and greets it. Also returns a descriptor that keeps the connection open, for
/// the guard of a command.
pub(crate) async fn connect_guarded(
    path: &Path,
) -> Result<(JsonLines, Option<OwnedFd>), CommandError> {
    let stream = connect(path).await?;
    let kept = stream.as_fd().try_clone_to_owned().ok();
    let place = ControlAddress::Socket(path.to_owned());
    Ok((place.greet(JsonLines::of_client(stream)).await?, kept))
}

/// Connects to a participant of this host.
async fn connect(path: &Path) -> Result<UnixStream, CommandError> {
    UnixStream::connect(path).await.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
                "no member listens there".to_owned()
            }
            io::ErrorKind::PermissionDenied => "you may not connect to it".to_owned(),
            _ => error.to_string(),
        };
        CommandError::failed(format!("the socket {}: {why}", path.display()))
    })
}

/// Sends a request that has one answer, and returns the answer.
pub(crate) async fn ask(
    place: &ControlAddress,
    request: &ClientMessage,
) -> Result<MemberMessage, CommandError> {
    let mut lines = place.connect().await?;
    place.say(&mut lines, request).await
}

/// Returns the name of the participant, the stop time of an office, and the timing of its cluster.
pub(crate) async fn introduce(
    place: &ControlAddress,
    office: &str,
) -> Result<(String, Duration, LeaseTiming), CommandError> {
    match ask(place, &ClientMessage::Status {}).await? {
        MemberMessage::Status(status) => {
            let time = |ms: f64| Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
            let stop = status.stops_ms.get(office).map_or(Duration::ZERO, |&ms| time(ms));
            let timing = LeaseTiming {
                heartbeat: time(status.heartbeat_ms),
                lease: time(status.lease_ms),
                stop: time(status.stop_ms),
                clock_bound: status.clock_bound_ppm,
            };
            Ok((status.state.name.clone(), stop, timing))
        }
        _ => Err(CommandError::failed(format!("{place} answers nonsense"))),
    }
}

pub(crate) fn address(member: &MemberConfig) -> Address {
    Address { at: member.address.clone(), member: Some(member.name.clone()) }
}

/// The other members of the cluster.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    cluster: String,
    /// The name of this member.
    name: String,
    /// The addresses of members as this host's configuration has them, by name.
    addresses: BTreeMap<String, String>,
    /// The files of this member's certificates, which change when the configuration is read again.
    tls: Arc<RwLock<TlsFiles>>,
}

impl Neighbours {
    pub(crate) fn of(config: &ClusterConfig, name: &str) -> Self {
        Self {
            cluster: config.cluster.clone(),
            name: name.to_owned(),
            addresses: config.addresses(),
            tls: Arc::new(RwLock::new(config.tls.clone())),
        }
    }

    /// Uses these files of certificates from now on.
    pub(crate) fn use_files(&self, tls: TlsFiles) {
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = tls;
    }

    /// Adds what the other members know of an office, or of all, within a time.
    pub(crate) async fn add(
        &self,
        members: &ClusterMembers,
        known: Vec<OfficeReport>,
        office: Option<&str>,
        limit: Duration,
    ) -> Vec<OfficeReport> {
        let mut asked = JoinSet::new();
        for (_, host) in members.hosts().filter(|(_, host)| host.name != self.name) {
            let at = host.address_among(&self.addresses).to_owned();
            let address = Address { at, member: Some(host.name.clone()) };
            let tls = self.tls.read().unwrap_or_else(PoisonError::into_inner).clone();
            let place = ControlAddress::Members {
                cluster: self.cluster.clone(),
                tls,
                addresses: vec![address],
            };
            let request = ClientMessage::Known { office: office.map(str::to_owned) };
            asked.spawn(async move {
                let begin = Instant::now();
                let answer = timeout(limit, ask(&place, &request)).await;
                (answer, begin.elapsed())
            });
        }
        let mut all: BTreeMap<_, _> =
            known.into_iter().map(|report| (report.office.clone(), report)).collect();
        while let Some(told) = asked.join_next().await {
            // One that does not answer in time knows nothing that the others do not, mostly.
            if let Ok((Ok(Ok(MemberMessage::Offices(offices))), took)) = told {
                offices.into_iter().for_each(|report| merge(&mut all, report, took));
            }
        }
        all.into_values().collect()
    }
}

/// Adds what another member has answered, which took some time.
fn merge(known: &mut BTreeMap<String, OfficeReport>, report: OfficeReport, took: Duration) {
    let took = milliseconds(took).saturating_add(1);
    let left = report.valid_for_ms.and_then(|left| left.checked_sub(took));
    let report = OfficeReport {
        here: false,
        staleness_ms: report.staleness_ms.saturating_add(took),
        valid_for_ms: left.filter(|&left| left > 0),
        ..report
    };
    let Some(ours) = known.get_mut(&report.office) else {
        known.insert(report.office.clone(), report);
        return;
    };
    // Of two that know of the same tenure, the first has noticed it sooner.
    let same = (&report.leader, report.term) == (&ours.leader, ours.term);
    let since = if same { ours.since.iter().chain(&report.since).min().cloned() } else { None };
    // The leader knows best; and one that knows no leader may only not hear it.
    let weight = |report: &OfficeReport| {
        let certain = report.here || report.valid_for_ms.is_some();
        (report.term, certain, report.leader.is_some())
    };
    // A leader without a vote tells all members of its command.
    let command = if same { ours.command.take().or_else(|| report.command.clone()) } else { None };
    let newest = match same && ours.change >= report.change {
        true => (ours.change, ours.value.take()),
        false => (report.change, report.value.clone()),
    };
    let better = (weight(&report), ours.staleness_ms) > (weight(ours), report.staleness_ms);
    if better {
        *ours = report;
    }
    if same {
        ours.since = since;
        ours.command = command;
        (ours.change, ours.value) = newest;
    }
}

#[cfg(test)]
mod tests;
