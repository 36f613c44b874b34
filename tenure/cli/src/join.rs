//! Joins a cluster: as a member, by a configuration, or as a client, by the addresses of members. Operators ask a
//! member by the same flags.

use crate::control::client::{self, ControlAddress, Neighbours, address};
use crate::control::history::LeaderHistory;
use crate::control::place;
use crate::control::server::{ControlServer, Socket, Stops};
use crate::error::CommandError;
use crate::{log, signals};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suffrage_net::tasks::{AFTER_PANIC, Tasks};
use suffrage_shell::LogLines;
use tenure_node::config::{CertificateHolder, CertificateRole, ClusterConfig, Tls, TlsFiles};
use tenure_node::{Address, Client, ClientConfig, LeaseTiming, Member, Participant};
use tokio::signal::unix::SignalKind;
use tokio::sync::Mutex;
use tracing::{error, info};

pub(crate) struct Joined {
    pub(crate) participant: Participant,
    pub(crate) timing: LeaseTiming,
    pub(crate) stops: Stops,
    /// The address of the member, without its port; `None` of a client.
    pub(crate) address: Option<String>,
    /// What this program does in the background, until this is dropped.
    pub(crate) tasks: Tasks,
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
    pub(crate) fn holder(&self) -> Result<Option<(CertificateHolder, TlsFiles)>, CommandError> {
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
            CommandError::usage(format!(
                "--members: {error}; write --authority, --certificate and --key, or put ca.pem, \
                 certificate.pem and key.pem into this folder"
            ))
        })?;
        if let Some(holder) = tls.holder(self.cluster.as_deref()) {
            return Ok(Some((holder, files)));
        }
        let certificate = files.certificate.display();
        Err(CommandError::usage(match &self.cluster {
            Some(cluster) => format!(
                "--cluster {}: {certificate} belongs to none of its members, clients and operators",
                cluster.escape_debug()
            ),
            None => format!(
                "--members: {certificate} does not say for which cluster it is: write --cluster NAME"
            ),
        }))
    }

    pub(crate) fn client(&self) -> Result<Option<ClientConfig>, CommandError> {
        let Some((holder, tls)) = self.holder()? else { return Ok(None) };
        let CertificateHolder { role, name, cluster } = holder;
        if role != CertificateRole::Client {
            let kind = if role == CertificateRole::Member { "member" } else { "operator" };
            return Err(CommandError::usage(format!(
                "--members: {} is the certificate of {kind} {name}, and standing without a vote takes a \
                 client's: `tenure cert --cluster {cluster} --clients NAME --add` makes one",
                tls.certificate.display()
            )));
        }
        let (credential, members) = (name, self.members.clone());
        Ok(Some(ClientConfig { cluster, credential, suffix: String::new(), members, tls }))
    }
}

pub(crate) fn read(path: &Path) -> Result<ClusterConfig, CommandError> {
    ClusterConfig::read(path)
        .map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))
}

/// Starts the member of a configuration, and serves its socket. On SIGHUP the file is read again.
pub(crate) async fn member(
    path: &Path,
    socket: Option<&Path>,
    mode: u32,
) -> Result<Joined, CommandError> {
    let config = read(path)?;
    let timing = config.timing;
    let stops = Stops::default();
    stops.set(&config);
    let started = Member::start(config.clone()).await;
    let member = started.map_err(|error| CommandError::from(error).at(path.display()))?;
    info!("{} is up", member.name());
    let neighbours = Neighbours::of(&config, member.name());
    let socket = socket.map_or_else(|| place(member.name()), Path::to_owned);
    let tasks = member.tasks();
    let own = config.members.iter().find(|other| other.name == member.name());
    let address = own.and_then(|own| own.address.rsplit_once(':')).map(|(host, _)| host.to_owned());
    let joined = Joined { participant: (*member).clone(), timing, stops, address, tasks };
    joined.answer_at(&socket, mode, neighbours.clone())?;
    joined.reload(member, path.to_owned(), neighbours)?;
    Ok(joined)
}

/// Starts a client for an office, as soon as a member answers.
pub(crate) async fn client(config: ClientConfig, office: &str) -> Result<Joined, CommandError> {
    let started = Client::start(config).await;
    let client = started.map_err(|error| CommandError::from(error).at("--members"))?;
    info!("{} is up", client.name());
    let timing = client.timing();
    let stops = Stops::of_one(office, client.stop_of(office));
    let tasks = client.tasks();
    Ok(Joined { participant: (*client).clone(), timing, stops, address: None, tasks })
}

impl Joined {
    /// Starts to serve local programs, and operators of any host.
    fn answer_at(
        &self,
        socket: &Path,
        mode: u32,
        neighbours: Neighbours,
    ) -> Result<(), CommandError> {
        let history = LeaderHistory::default();
        let (kept, participant) = (history.clone(), self.participant.clone());
        self.tasks.spawn_again("the history of offices", AFTER_PANIC, move || {
            kept.clone().keep(participant.clone())
        });
        let server = ControlServer {
            participant: self.participant.clone(),
            history,
            timing: self.timing,
            stops: self.stops.clone(),
            neighbours: Some(neighbours),
        };
        let socket = Arc::new(Mutex::new(Socket::bind(socket, mode)?));
        if let Some(conversations) = self.participant.conversations() {
            let (conversations, server) = (Arc::new(Mutex::new(conversations)), server.clone());
            self.tasks.spawn_again("answers to operators", AFTER_PANIC, move || {
                let (conversations, server) = (conversations.clone(), server.clone());
                async move { server.serve(&mut *conversations.lock().await).await }
            });
        }
        self.tasks.spawn_again("answers to local programs", AFTER_PANIC, move || {
            let (socket, server) = (socket.clone(), server.clone());
            async move { socket.lock().await.serve(server).await }
        });
        Ok(())
    }

    /// Tells in the status how many lines of the log are lost.
    pub(crate) fn watch(&self, lines: LogLines) {
        let participant = self.participant.clone();
        self.tasks.spawn_again("the look at the log", AFTER_PANIC, move || {
            log::watch(lines.clone(), participant.clone())
        });
    }

    /// Reads the file again on each SIGHUP.
    fn reload(
        &self,
        member: Member,
        path: PathBuf,
        neighbours: Neighbours,
    ) -> Result<(), CommandError> {
        let hang_up = Arc::new(Mutex::new(signals::listen(SignalKind::hangup())?));
        let (shared, stops) = (Arc::new((member, path, neighbours)), self.stops.clone());
        self.tasks.spawn_again("the reader of the configuration", AFTER_PANIC, move || {
            let (hang_up, shared, stops) = (hang_up.clone(), shared.clone(), stops.clone());
            async move {
                let (member, path, neighbours) = &*shared;
                while hang_up.lock().await.recv().await.is_some() {
                    read_again(member, path, neighbours, &stops);
                }
            }
        });
        Ok(())
    }
}

fn read_again(member: &Member, path: &Path, neighbours: &Neighbours, stops: &Stops) {
    let read = ClusterConfig::read(path).and_then(|config| {
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

/// The member to ask: one of this host, or of any other.
#[derive(clap::Args)]
#[command(next_help_heading = "The member to ask")]
pub(crate) struct AskedMember {
    /// The member of this host with this socket [default: what the variable `TENURE_SOCKET` names,
    /// or the only one on this host]
    #[arg(long, global = true, value_name = "PATH", conflicts_with = "config")]
    socket: Option<PathBuf>,

    /// The first member of this configuration that answers, on any host; with the certificate that
    /// the file names
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// With --config: this member
    #[arg(long, global = true, value_name = "NAME", requires = "config")]
    member: Option<String>,

    #[command(flatten)]
    members: MembersArgs,
}

impl AskedMember {
    pub(crate) fn place(&self) -> Result<ControlAddress, CommandError> {
        if let Some(path) = &self.config {
            let config = read(path)?;
            let asked = self.member.as_ref();
            let members = config.members.iter();
            let members = members.filter(|member| asked.is_none_or(|name| member.name == *name));
            let mut addresses: Vec<_> = members.map(address).collect();
            let others = config.join.iter().flatten().filter(|_| asked.is_none());
            addresses.extend(others.map(|at| Address { at: at.clone(), member: None }));
            if addresses.is_empty() {
                let names: Vec<_> = config.members.iter().map(|one| one.name.as_str()).collect();
                let name = asked.map_or("", String::as_str).escape_debug();
                let names = names.join(", ");
                return Err(CommandError::usage(format!(
                    "--member {name}: there is no such member; there are {names}"
                )));
            }
            return Ok(ControlAddress::Members {
                cluster: config.cluster,
                tls: config.tls,
                addresses,
            });
        }
        if let Some((holder, tls)) = self.members.holder()? {
            let cluster = holder.cluster;
            let any = |at: &String| Address { at: at.clone(), member: None };
            let addresses = self.members.members.iter().map(any).collect();
            return Ok(ControlAddress::Members { cluster, tls, addresses });
        }
        client::find(self.socket.as_deref()).map(ControlAddress::Socket)
    }
}
