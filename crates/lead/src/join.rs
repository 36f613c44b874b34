//! Joins a cluster: as a member, by a configuration, or as a stander, by the addresses of members.

use crate::control::chronicle::Chronicle;
use crate::control::place;
use crate::control::server::{Desk, Socket};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use suffrage_service::config::{Config, TlsFiles};
use suffrage_service::{Member, Participant, Stander, StanderConfig, Timing};
use tokio::signal::unix::{SignalKind, signal};
use tracing::{error, info};

/// A participant of this process.
pub(crate) struct Joined {
    pub(crate) participant: Participant,
    pub(crate) timing: Timing,
    /// The stop times of offices; 0 for offices that are not listed.
    pub(crate) stops: Arc<BTreeMap<String, Duration>>,
}

/// The flags by which a host without a vote finds the cluster.
#[derive(clap::Args)]
pub(crate) struct StanderArgs {
    /// Stand without a vote: addresses of members, at least one of which must be reachable
    #[arg(long, value_name = "HOST:PORT,..", value_delimiter = ',', conflicts_with_all = ["config", "socket"])]
    #[arg(requires_all = ["cluster", "authority", "certificate", "key", "stander"])]
    members: Vec<String>,

    /// With --members: the name of the cluster
    #[arg(long, value_name = "NAME", requires = "members")]
    cluster: Option<String>,

    /// With --members: the name of the standers that the certificate is for
    #[arg(long, value_name = "NAME", requires = "members")]
    stander: Option<String>,

    /// With --members: the authority's certificate
    #[arg(long, value_name = "FILE", requires = "members")]
    authority: Option<PathBuf>,

    /// With --members: our certificate
    #[arg(long, value_name = "FILE", requires = "members")]
    certificate: Option<PathBuf>,

    /// With --members: our key
    #[arg(long, value_name = "FILE", requires = "members")]
    key: Option<PathBuf>,
}

impl StanderArgs {
    /// Returns the configuration of a stander, if the flags name one.
    pub(crate) fn config(&self) -> Option<StanderConfig> {
        if self.members.is_empty() {
            return None;
        }
        Some(StanderConfig {
            cluster: self.cluster.clone()?,
            credential: self.stander.clone()?,
            suffix: String::new(),
            members: self.members.clone(),
            tls: TlsFiles {
                authority: self.authority.clone()?,
                certificate: self.certificate.clone()?,
                key: self.key.clone()?,
                revoked: None,
            },
        })
    }
}

/// Reads a configuration.
pub(crate) fn read(path: &Path) -> Result<Config, Error> {
    Config::read(path).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
}

/// Starts the member of a configuration, and serves its socket. On SIGHUP the file is read again.
pub(crate) async fn member(path: &Path, socket: Option<&Path>) -> Result<Joined, Error> {
    let config = read(path)?;
    let timing = config.timing;
    let stops = config.offices.iter().map(|office| (office.name.name().to_owned(), office.stop));
    let stops = Arc::new(stops.collect());
    let started = Member::start(config).await;
    let member = started.map_err(|error| Error::failed(format!("{}: {error}", path.display())))?;
    info!("{} is up", member.name());
    let socket = socket.map_or_else(|| place(member.name()), Path::to_owned);
    let joined = Joined { participant: (*member).clone(), timing, stops };
    joined.answer_at(&socket)?;
    reload(member, path.to_owned())?;
    Ok(joined)
}

/// Starts a stander.
pub(crate) async fn stander(config: StanderConfig) -> Result<Joined, Error> {
    let started = Stander::start(config).await;
    let stander = started.map_err(|error| Error::failed(format!("--members: {error}")))?;
    info!("{} is up", stander.name());
    let timing = stander.timing();
    Ok(Joined { participant: (*stander).clone(), timing, stops: Arc::default() })
}

impl Joined {
    /// Starts to serve local programs and operators.
    fn answer_at(&self, socket: &Path) -> Result<(), Error> {
        let chronicle = Chronicle::default();
        tokio::spawn(chronicle.clone().keep(self.participant.clone()));
        let desk = Desk {
            participant: self.participant.clone(),
            chronicle,
            timing: self.timing,
            stops: self.stops.clone(),
        };
        tokio::spawn(Socket::bind(socket)?.serve(desk));
        Ok(())
    }

    /// Returns how long the work of an office may go on after its leadership was lost.
    pub(crate) fn stop_of(&self, office: &str) -> Duration {
        self.stops.get(office).copied().unwrap_or_default()
    }
}

/// Reads the file again on each SIGHUP.
fn reload(member: Member, path: PathBuf) -> Result<(), Error> {
    let mut hang_up =
        signal(SignalKind::hangup()).map_err(|error| Error::failed(format!("signals: {error}")))?;
    tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            match Config::read(&path).and_then(|config| member.reload(&config)) {
                Ok(()) => info!("{} was read again", path.display()),
                Err(error) => error!("{}: {error}; the old configuration stays", path.display()),
            }
        }
    });
    Ok(())
}
