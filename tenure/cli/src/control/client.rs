//! The side of a local program or an operator.

use super::{ControlReply, JsonLines, Request, folder};
use crate::error::CommandError;
use std::fmt::{self, Display};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenure_node::config::TlsFiles;
use tenure_node::{Address, Conversation};
use tokio::net::UnixStream;

/// Finds the socket of a participant of this host: the given path, the path in the environment, or the only
/// socket that exists.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let named =
        named.map(Path::to_owned).or_else(|| std::env::var_os("TENURE_SOCKET").map(PathBuf::from));
    if let Some(path) = named {
        return Ok(path);
    }
    let folder = folder();
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let ours = |name: &str| name.starts_with("tenure.") && name.ends_with(".socket");
    let mut found: Vec<_> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(ours))
        .map(|entry| entry.path())
        // A socket without a listener was left by a process that was killed.
        .filter(|path| std::os::unix::net::UnixStream::connect(path).is_ok())
        .collect();
    found.sort();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(CommandError::failed(format!(
            "no member runs on this host (there is no socket in {}): start one with `tenure serve \
             --config FILE`, or give --config FILE or --members here",
            folder.display()
        ))),
        several => {
            let names: Vec<_> = several.iter().map(|path| path.display().to_string()).collect();
            let names = names.join(", ");
            Err(CommandError::usage(format!(
                "several members run on this host; say which with --socket: {names}"
            )))
        }
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
    /// Connects to the participant.
    pub(crate) async fn connect(&self) -> Result<JsonLines, CommandError> {
        match self {
            Self::Socket(path) => connect(path).await.map(JsonLines::of_client),
            Self::Members { cluster, tls, addresses } => {
                Conversation::begin(cluster, tls.clone(), addresses)
                    .await
                    .map(JsonLines::of_client)
                    .map_err(|error| CommandError::failed(format!("no member answers: {error}")))
            }
        }
    }
}

/// Connects to a participant of this host.
pub(crate) async fn connect(path: &Path) -> Result<UnixStream, CommandError> {
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
    request: &Request,
) -> Result<ControlReply, CommandError> {
    let mut lines = place.connect().await?;
    let failed = |error: io::Error| CommandError::failed(format!("{place}: {error}"));
    lines.say(request).await.map_err(failed)?;
    match lines.hear().await.map_err(failed)? {
        Some(ControlReply::Refused { why }) => Err(CommandError::failed(why)),
        Some(answer) => Ok(answer),
        None => Err(failed(io::Error::other("it closed the connection"))),
    }
}

/// Returns the name of the participant, the stop time of an office, and the longest stop time of
/// its cluster.
pub(crate) async fn introduce(
    place: &ControlAddress,
    office: &str,
) -> Result<(String, Duration, Duration), CommandError> {
    match ask(place, &Request::Status).await? {
        ControlReply::Status(status) => {
            let name = status.state.get("name").and_then(|name| name.as_str()).unwrap_or_default();
            let time = |ms: f64| Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
            let stop = status.stops_ms.get(office).map_or(Duration::ZERO, |&ms| time(ms));
            Ok((name.to_owned(), stop, time(status.stop_ms)))
        }
        _ => Err(CommandError::failed(format!("{place} answers nonsense"))),
    }
}
