//! Joins a cluster: as a member, by a configuration, or as a stander, by the addresses of members.

use crate::control::chronicle::Chronicle;
use crate::control::neighbours::Neighbours;
use crate::control::place;
use crate::control::server::{Desk, Socket};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tenure_node::config::{Config, Holder, OfficeConfig, Role, Tls, TlsFiles};
use tenure_node::{Member, Participant, Stander, StanderConfig, Timing};
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

    fn of_one(office: &str, stop: Duration) -> Self {
        Self(Arc::new(RwLock::new([(office.to_owned(), stop)].into())))
    }

    /// Returns how long the work of an office may go on after its leadership was lost: 0 if the
    /// configuration does not say.
    pub(crate) fn of(&self, office: &str) -> Duration {
        let stops = self.0.read().unwrap_or_else(PoisonError::into_inner);
        stops.get(office).copied().unwrap_or_default()
    }

    pub(crate) fn all(&self) -> BTreeMap<String, Duration> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The flags by which a host without a vote finds the members of a cluster.
#[derive(clap::Args)]
pub(crate) struct MembersArgs {
    /// Addresses of members to ask for the others; one is enough
    #[arg(long, value_name = "HOST:PORT,..", value_delimiter = ',', global = true)]
    #[arg(conflicts_with_all = ["config", "socket"])]
    pub(crate) members: Vec<String>,

    /// With --members: the name of the cluster [default: the one in our certificate, which has every
    /// name of lower case letters, digits and hyphens]
    #[arg(long, value_name = "NAME", requires = "members", global = true)]
    cluster: Option<String>,

    /// With --members: the authority's certificate [default: ca.pem]
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    authority: Option<PathBuf>,

    /// With --members: our certificate [default: certificate.pem]
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    certificate: Option<PathBuf>,

    /// With --members: our key [default: key.pem]
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    key: Option<PathBuf>,

    /// With --members: the lists of revoked certificates, one for each authority; read again when the file
    /// changes. Without it revoked members are trusted
    #[arg(long, value_name = "FILE", requires = "members", global = true)]
    revoked: Option<PathBuf>,
}

impl MembersArgs {
    pub(crate) fn holder(&self) -> Result<Option<(Holder, TlsFiles)>, Error> {
        if self.members.is_empty() {
            return Ok(None);
        }
        let file =
            |given: &Option<PathBuf>, name: &str| given.clone().unwrap_or_else(|| name.into());
        let files = TlsFiles {
            authority: file(&self.authority, "ca.pem"),
            certificate: file(&self.certificate, "certificate.pem"),
            key: file(&self.key, "key.pem"),
            revoked: self.revoked.clone(),
        };
        let tls = Tls::from_files(files.clone()).map_err(|error| {
            Error::usage(format!(
                "--members: {error}; write --authority, --certificate and --key, or have ca.pem, \
                 certificate.pem and key.pem in this folder"
            ))
        })?;
        if let Some(holder) = tls.holder(self.cluster.as_deref()) {
            return Ok(Some((holder, files)));
        }
        let certificate = files.certificate.display();
        Err(Error::usage(match &self.cluster {
            Some(cluster) => format!(
                "--cluster {}: {certificate} is for none of its members, standers and operators",
                cluster.escape_debug()
            ),
            None => format!(
                "--members: {certificate} does not say for which cluster it is: write --cluster NAME"
            ),
        }))
    }

    pub(crate) fn stander(&self) -> Result<Option<StanderConfig>, Error> {
        let Some((holder, tls)) = self.holder()? else { return Ok(None) };
        let Holder { role, name, cluster } = holder;
        if role != Role::Stander {
            let kind = if role == Role::Member { "member" } else { "operator" };
            return Err(Error::usage(format!(
                "--members: {} is the certificate of {kind} {name}, and standing without a vote takes a \
                 stander's: `tenure cert --cluster {cluster} --standers NAME --add` makes one",
                tls.certificate.display()
            )));
        }
        let (credential, members) = (name, self.members.clone());
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
    let started = Member::start(config.clone()).await;
    let member = started.map_err(|error| Error::from(error).at(path.display()))?;
    info!("{} is up", member.name());
    let neighbours = Neighbours::of(&config, member.name());
    let socket = socket.map_or_else(|| place(member.name()), Path::to_owned);
    let joined = Joined { participant: (*member).clone(), timing, stops };
    joined.answer_at(&socket, neighbours.clone())?;
    reload(member, path.to_owned(), joined.stops.clone(), neighbours)?;
    Ok(joined)
}

/// Starts a stander for an office, as soon as a member answers.
pub(crate) async fn stander(config: StanderConfig, office: &str) -> Result<Joined, Error> {
    let started = Stander::start(config).await;
    let stander = started.map_err(|error| Error::from(error).at("--members"))?;
    info!("{} is up", stander.name());
    let timing = stander.timing();
    let stops = Stops::of_one(office, stander.stop_of(office));
    Ok(Joined { participant: (*stander).clone(), timing, stops })
}

impl Joined {
    /// Starts to serve local programs, and operators of any host.
    fn answer_at(&self, socket: &Path, neighbours: Neighbours) -> Result<(), Error> {
        let chronicle = Chronicle::default();
        tokio::spawn(chronicle.clone().keep(self.participant.clone()));
        let desk = Desk {
            participant: self.participant.clone(),
            chronicle,
            timing: self.timing,
            stops: self.stops.clone(),
            neighbours: Some(neighbours),
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
fn reload(
    member: Member,
    path: PathBuf,
    stops: Stops,
    neighbours: Neighbours,
) -> Result<(), Error> {
    let mut hang_up =
        signal(SignalKind::hangup()).map_err(|error| Error::failed(format!("signals: {error}")))?;
    tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            let read = Config::read(&path).and_then(|config| {
                member.reload(&config)?;
                stops.set(&config);
                neighbours.use_files(config.tls);
                Ok(())
            });
            match read {
                Ok(()) => info!("{} was read again", path.display()),
                Err(error) => error!("{}: {error}; the old configuration stays", path.display()),
            }
        }
    });
    Ok(())
}
