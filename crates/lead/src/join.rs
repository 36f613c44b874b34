//! Joins a cluster: as a member, by a configuration, or as a stander, by the addresses of members.

use crate::control::chronicle::Chronicle;
use crate::control::place;
use crate::control::server::{Desk, Socket};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use suffrage_service::config::{Config, OfficeConfig, TlsFiles};
use suffrage_service::{Member, Participant, Stander, StanderConfig, StartError, Timing};
use tokio::signal::unix::{SignalKind, signal};
use tracing::{error, info};

/// A participant of this process.
pub(crate) struct Joined {
    pub(crate) participant: Participant,
    pub(crate) timing: Timing,
    pub(crate) stops: Stops,
}

/// The configured stop times of offices, which change when the configuration is read again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops(Arc<RwLock<BTreeMap<String, Duration>>>);

impl Stops {
    fn set(&self, config: &Config) {
        let stop = |office: &OfficeConfig| (office.name.name().to_owned(), office.stop);
        let stops = config.offices.iter().map(stop).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = stops;
    }

    /// Returns how long the work of an office may go on after its leadership was lost: 0 if the
    /// configuration does not say.
    pub(crate) fn of(&self, office: &str) -> Duration {
        let stops = self.0.read().unwrap_or_else(PoisonError::into_inner);
        stops.get(office).copied().unwrap_or_default()
    }

    /// Returns the stop times of all offices that are configured.
    pub(crate) fn all(&self) -> BTreeMap<String, Duration> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The flags by which a host without a vote finds the members of a cluster.
#[derive(clap::Args)]
pub(crate) struct MembersArgs {
    /// Addresses of members, from one of which the others are learnt
    #[arg(long, value_name = "HOST:PORT,..", value_delimiter = ',', global = true)]
    #[arg(conflicts_with_all = ["config", "socket"])]
    #[arg(requires_all = ["cluster", "authority", "certificate", "key"])]
    pub(crate) members: Vec<String>,

    /// With --members: the name of the cluster
    #[arg(long, value_name = "NAME", requires = "members", global = true)]
    cluster: Option<String>,

    /// With --members: the authority's certificate
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    authority: Option<PathBuf>,

    /// With --members: our certificate
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    certificate: Option<PathBuf>,

    /// With --members: our key
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    key: Option<PathBuf>,

    /// With --members: the lists of revoked certificates, one for each authority; read again when the file
    /// changes. Without it revoked members are trusted
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    revoked: Option<PathBuf>,
}

impl MembersArgs {
    /// Returns the name of the cluster and the files of the certificates, if the flags are given.
    pub(crate) fn cluster(&self) -> Option<(String, TlsFiles)> {
        let files = TlsFiles {
            authority: self.authority.clone()?,
            certificate: self.certificate.clone()?,
            key: self.key.clone()?,
            revoked: self.revoked.clone(),
        };
        Some((self.cluster.clone()?, files))
    }
}

/// The flags by which a host without a vote stands.
#[derive(clap::Args)]
pub(crate) struct StanderArgs {
    #[command(flatten)]
    members: MembersArgs,

    /// With --members, to stand without a vote: the name of the standers that the certificate is for
    #[arg(long, value_name = "NAME", requires = "members")]
    stander: Option<String>,
}

impl StanderArgs {
    /// Returns the configuration of a stander, if the flags name one.
    pub(crate) fn config(&self) -> Result<Option<StanderConfig>, Error> {
        let Some((cluster, tls)) = self.members.cluster() else { return Ok(None) };
        let Some(credential) = self.stander.clone() else {
            let why = "--members: write --stander NAME, too, as in the certificate";
            return Err(Error::usage(why));
        };
        let members = self.members.members.clone();
        Ok(Some(StanderConfig { cluster, credential, suffix: String::new(), members, tls }))
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
    let stops = Stops::default();
    stops.set(&config);
    let started = Member::start(config).await;
    let member = started.map_err(|error| Error::failed(format!("{}: {error}", path.display())))?;
    info!("{} is up", member.name());
    let socket = socket.map_or_else(|| place(member.name()), Path::to_owned);
    let joined = Joined { participant: (*member).clone(), timing, stops };
    joined.answer_at(&socket)?;
    reload(member, path.to_owned(), joined.stops.clone())?;
    Ok(joined)
}

/// Starts a stander, as soon as a member answers.
pub(crate) async fn stander(config: StanderConfig) -> Result<Joined, Error> {
    let started = Stander::start(config).await;
    let stander = started.map_err(|error| match error {
        StartError::Config(_) => Error::usage(format!("--members: {error}")),
        _ => Error::failed(format!("--members: {error}")),
    })?;
    info!("{} is up", stander.name());
    let timing = stander.timing();
    Ok(Joined { participant: (*stander).clone(), timing, stops: Stops::default() })
}

impl Joined {
    /// Starts to serve local programs, and operators of any host.
    fn answer_at(&self, socket: &Path) -> Result<(), Error> {
        let chronicle = Chronicle::default();
        tokio::spawn(chronicle.clone().keep(self.participant.clone()));
        let desk = Desk {
            participant: self.participant.clone(),
            chronicle,
            timing: self.timing,
            stops: self.stops.clone(),
        };
        let socket = Socket::bind(socket)?;
        if let Some(operators) = self.participant.operators() {
            tokio::spawn(desk.clone().serve(operators));
        }
        tokio::spawn(socket.serve(desk));
        Ok(())
    }
}

/// Reads the file again on each SIGHUP.
fn reload(member: Member, path: PathBuf, stops: Stops) -> Result<(), Error> {
    let mut hang_up =
        signal(SignalKind::hangup()).map_err(|error| Error::failed(format!("signals: {error}")))?;
    tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            let read = Config::read(&path)
                .and_then(|config| member.reload(&config).map(|()| stops.set(&config)));
            match read {
                Ok(()) => info!("{} was read again", path.display()),
                Err(error) => error!("{}: {error}; the old configuration stays", path.display()),
            }
        }
    });
    Ok(())
}
