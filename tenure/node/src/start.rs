//! Starts participants on real hosts, and applies another configuration to a member that runs.

use crate::clock;
#[cfg(feature = "http")]
use crate::config::ProgramConfig;
use crate::config::{ClusterConfig, ConfigError, MemberConfig, TlsFiles, check_address};
use crate::engine::{EngineInbox, EngineParts, EngineRequest, Priorities};
use crate::error::StartError;
#[cfg(feature = "http")]
use crate::http::tokens::{HttpProgram, HttpTokens, TokenSet};
use crate::membership::{ClusterMembers, HostStart};
use crate::office::OfficeName;
use crate::participant::{Client, Member, MemberHost, Participant};
use crate::records::{FileStore, Loaded, Store as _};
use crate::roster::RosterHost;
use crate::timing::{Stops, ticks};
use crate::transport::quic::{
    self, DiallerIdentity, Identity, LIMITS, LinkNews, Quic, QuicParts, ServingLimits, VERSIONS,
    Versions, WelcomeReply, numbers,
};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, ErrorKind};
#[cfg(feature = "http")]
use std::net::TcpListener;
use std::net::UdpSocket;
#[cfg(feature = "http")]
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
#[cfg(feature = "http")]
use std::time::SystemTime;
use suffrage_net::tasks::on_thread;
#[cfg(feature = "http")]
use suffrage_net::tls::{ServerTls, warning};
use suffrage_net::tls::{Tls, refresh_for_ever};
use tenure_model::{Memory, Peer};
use tokio::time::sleep;
use tracing::warn;

impl Member {
    /// Starts the member that this host is. It votes at once, and stands on request.
    ///
    /// # Errors
    /// If the configuration, the certificates, the record or the clock cannot be used, or the
    /// address cannot be listened on.
    pub async fn start(config: ClusterConfig) -> Result<Self, StartError> {
        Self::start_within(config, VERSIONS, LIMITS).await
    }

    /// Starts the member with a range of versions, and limits on what it serves.
    pub(crate) async fn start_within(
        config: ClusterConfig,
        versions: Versions,
        limits: ServingLimits,
    ) -> Result<Self, StartError> {
        let (config, mut opened) = blocking(move || {
            let opened = config.open()?;
            Ok((config, opened))
        })
        .await?;
        let members = match opened.members.take() {
            Some(members) => members,
            None => opened.join(&config, versions).await?,
        };
        blocking(move || Self::start_now(&config, opened, members, (versions, limits))).await
    }

    fn start_now(
        config: &ClusterConfig,
        opened: OpenedMember,
        (membership, me): (ClusterMembers, Peer),
        (versions, limits): (Versions, ServingLimits),
    ) -> Result<Self, StartError> {
        let OpenedMember { prepared, store, loaded, .. } = opened;
        let PreparedMember { tls, name, drift, socket, .. } = prepared;
        let wrong = |(key, why): (String, io::Error)| config.wrong(&key, why);
        let socket = socket.map_err(wrong)?;
        // Before the member runs, and writes its record.
        #[cfg(feature = "http")]
        let listener = prepared.listener.transpose().map_err(wrong)?;
        let agreement = config.agreement();
        let stops = Arc::new(RwLock::new(config.stops()));
        let links = QuicParts {
            cluster: config.cluster.clone(),
            peer: me,
            me: Identity { name: name.clone(), credential: name.clone() },
            membership,
            agreement: agreement.clone(),
            versions,
            limits,
            addresses: config.addresses(),
            stops: stops.clone(),
            tls: tls.clone(),
            clock: clock::of_host()?,
        };
        let participant = start(socket, links, drift, |parts| {
            parts.witness = config.own(&name).is_some_and(|own| own.witness);
            parts.first_term = config.first_term;
            parts.priorities = config.priorities(&name);
            parts.offices = config.office_names();
            parts.stops = config.stops();
            parts.store = Box::new(store);
            parts.loaded = loaded;
        })?;
        participant.enter(config.offices.iter().map(|office| &office.name))?;
        #[cfg(feature = "http")]
        let tokens = {
            let tokens = HttpTokens::new(prepared.tokens);
            if let Some(listener) = listener {
                crate::http::serve(listener, participant.clone(), tokens.clone(), prepared.site)
                    .map_err(StartError::network)?;
            }
            tokens
        };
        let host = MemberHost {
            config: config.clone(),
            tls,
            stops,
            #[cfg(feature = "http")]
            tokens,
        };
        Ok(Self::of(participant, agreement, Some(host)))
    }
}

/// Runs what reads files and measures the clock.
async fn blocking<T: Send + 'static>(
    start: impl FnOnce() -> Result<T, StartError> + Send + 'static,
) -> Result<T, StartError> {
    on_thread("tenure-start", start).await.map_err(StartError::Thread)?
}

/// Starts the links and the loop of a participant, which `adapt` makes more than a client.
fn start(
    socket: UdpSocket,
    links: QuicParts,
    drift: u64,
    adapt: impl FnOnce(&mut EngineParts),
) -> Result<Participant, StartError> {
    let (agreement, cluster, name) =
        (links.agreement.clone(), links.cluster.clone(), links.me.name.clone());
    let (members, clock) = (links.membership.clone(), links.clock.clone());
    let setting = agreement.timing().setting(links.peer, members.roster.founders().end())?;
    let inbox = Arc::new(EngineInbox::default());
    let loops = inbox.clone();
    let news = Box::new(move |news| {
        loops.act(match news {
            LinkNews::Taken(number) => EngineRequest::Taken { number },
            LinkNews::Behind(peer) => EngineRequest::TellMembers { peer },
        });
    });
    let transport = Quic::start(socket, links, inbox.sink(), news).map_err(StartError::network)?;
    let names = (name.as_str(), cluster.as_str());
    let mut parts = EngineParts::new(setting, names, members, clock, transport, inbox);
    parts.clock_drift = Some(drift);
    adapt(&mut parts);
    Participant::start(parts)
}

/// The minimal length of a token, in bytes.
#[cfg(feature = "http")]
const SHORTEST_TOKEN: usize = 16;

/// A configuration with which a member can start.
#[derive(Clone, Debug)]
pub struct CheckedConfig {
    /// The name of the member that this host is.
    pub member: String,
    /// What an operator should know, such as that a certificate ends soon.
    pub warnings: Vec<String>,
}

/// What a member that starts has read and opened.
struct PreparedMember {
    tls: Tls,
    name: String,
    drift: u64,
    socket: Result<UdpSocket, (String, io::Error)>,
    warnings: Vec<String>,
    #[cfg(feature = "http")]
    site: Option<ServerTls>,
    #[cfg(feature = "http")]
    listener: Option<Result<TcpListener, (String, io::Error)>>,
    #[cfg(feature = "http")]
    tokens: TokenSet,
}

/// A member that starts, with its record.
struct OpenedMember {
    prepared: PreparedMember,
    store: FileStore,
    loaded: Loaded,
    /// The members and its number, if they are known.
    members: Option<(ClusterMembers, Peer)>,
}

/// How often a host asks whether it was added.
const ASKS: Duration = Duration::from_millis(500);

impl OpenedMember {
    /// Asks the members of a cluster who they are until they know this host.
    async fn join(
        &mut self,
        config: &ClusterConfig,
        versions: Versions,
    ) -> Result<(ClusterMembers, Peer), StartError> {
        let PreparedMember { name, tls, .. } = &self.prepared;
        let join = config.join.as_deref().unwrap_or_default();
        if join.is_empty() {
            let why =
                "there is no record: write the addresses of members, which say who the others are";
            return Err(config.wrong("join", why).into());
        }
        let own = config.own(name).ok_or_else(|| config.wrong("member", "it is no member"))?;
        let record = self.loaded.store;
        let host = RosterHost { record, ..RosterHost::founder(name, &own.address, own.witness) };
        let mut said = false;
        let mut addresses = join.to_vec();
        loop {
            let who = || (config.cluster.as_str(), DiallerIdentity::Newcomer(host.clone()));
            // Each of them knows then that this host waits. One may know better than another who is a member.
            let answers = quic::ask_all(who(), versions, tls, &addresses).await;
            let newest = answers.into_iter().max_by_key(|it| it.membership.configuration.tag);
            let WelcomeReply { agreement, membership, .. } = match newest {
                Some(newest) => newest,
                None => discover(who(), versions, tls, &addresses).await?,
            };
            let others = membership.hosts().map(|(_, host)| &host.address);
            addresses = join.to_vec();
            addresses
                .extend(others.filter(|it| **it != own.address && !join.contains(it)).cloned());
            if let Some(difference) = config.agreement().difference(&agreement) {
                let why = format!("the members there do not agree about {difference}");
                return Err(config.wrong("join", why).into());
            }
            let found = config.members_of(&mut self.loaded, name, Some(&membership))?;
            if let Some(found) = found {
                return Ok(found);
            }
            if !said {
                warn!(
                    "this host waits to be added: use `tenure members add {name}` on a member of `{}`",
                    config.cluster
                );
                said = true;
            }
            sleep(ASKS).await;
        }
    }
}

/// Asks the members at these addresses for the list of members, until one answers. Certificates that are replaced
/// meanwhile are used.
async fn discover(
    who: (&str, DiallerIdentity),
    versions: Versions,
    tls: &Tls,
    addresses: &[String],
) -> Result<WelcomeReply, StartError> {
    let files = tls.clone();
    tokio::select! {
        found = quic::discover(who, versions, tls, addresses) => Ok(found),
        () = refresh_for_ever(move || files.refresh(), quic::REFRESH, drop) => {
            Err(StartError::Thread(io::Error::other("the runtime has ended")))
        }
    }
}

fn cannot_listen(address: &dyn Display, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
}

impl ClusterConfig {
    /// Checks all that a member with this configuration needs to start here and now: its clock, its certificates and
    /// other files, its record, and the addresses to listen on, which a member that runs already may have. Nothing is
    /// written.
    ///
    /// # Errors
    /// As [`Member::start`].
    pub fn check(&self) -> Result<CheckedConfig, StartError> {
        let prepared = self.prepare()?;
        let store = self.store(&prepared.name);
        if let Some(mut loaded) = store.check().map_err(|error| self.wrong("data", error))? {
            self.members_of(&mut loaded, &prepared.name, None)?;
        }
        let taken = prepared.socket.err().into_iter();
        #[cfg(feature = "http")]
        let taken = taken.chain(prepared.listener.and_then(Result::err));
        for (key, why) in taken {
            if why.kind() != ErrorKind::AddrInUse {
                return Err(self.wrong(&key, why).into());
            }
        }
        Ok(CheckedConfig { member: prepared.name, warnings: prepared.warnings })
    }

    /// Does what a start does before it writes anything.
    fn prepare(&self) -> Result<PreparedMember, StartError> {
        let drift = clock::check(&self.timing)?;
        let (tls, name) = self.identify()?;
        self.agreement().timing().check()?;
        let (key, listen) = match (&self.listen, self.own(&name)) {
            (Some(listen), _) => ("listen".to_owned(), listen.as_str()),
            (None, Some(own)) => (format!("members, `{name}`, address"), own.address.as_str()),
            (None, None) => return Err(self.wrong("member", "it is no member").into()),
        };
        let socket = UdpSocket::bind(listen);
        let socket = socket.map_err(|error| (key, cannot_listen(&listen, &error)));
        let warnings = tls.warnings();
        #[cfg(feature = "http")]
        {
            let mut warnings = warnings;
            let site = self.site()?;
            let ends = site.as_ref().and_then(ServerTls::ends);
            let now = SystemTime::now();
            warnings.extend(ends.and_then(|it| warning("the certificate for HTTP", it, now)));
            let listener = self.http.as_ref().map(|http| {
                let listener = TcpListener::bind(http.listen);
                listener.map_err(|error| {
                    ("http.listen".to_owned(), cannot_listen(&http.listen, &error))
                })
            });
            let tokens = self.tokens()?;
            Ok(PreparedMember { tls, name, drift, socket, warnings, site, listener, tokens })
        }
        #[cfg(not(feature = "http"))]
        {
            self.no_http()?;
            Ok(PreparedMember { tls, name, drift, socket, warnings })
        }
    }

    fn store(&self, name: &str) -> FileStore {
        FileStore::new(&self.data, &self.cluster, name)
    }

    fn own(&self, name: &str) -> Option<&MemberConfig> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Returns the addresses of the members that this file names, by name.
    #[must_use]
    pub fn addresses(&self) -> BTreeMap<String, String> {
        let of = |member: &MemberConfig| (member.name.clone(), member.address.clone());
        self.members.iter().map(of).collect()
    }

    /// Opens the record, and finds out who the members are, if the record or this file says so.
    fn open(&self) -> Result<OpenedMember, StartError> {
        let mut prepared = self.prepare()?;
        prepared.warnings.iter().for_each(|warning| warn!("{warning}"));
        let wrong = |(key, why): (String, io::Error)| self.wrong(&key, why);
        // Before the record is opened.
        prepared.socket = Ok(prepared.socket.map_err(wrong)?);
        #[cfg(feature = "http")]
        {
            prepared.listener = prepared.listener.transpose().map_err(wrong)?.map(Ok);
        }
        let mut store = self.store(&prepared.name);
        store.check().map_err(|error| self.wrong("data", error))?;
        let mut loaded = store.load()?;
        let members = self.members_of(&mut loaded, &prepared.name, None)?;
        if members.is_none() && loaded.memory == Memory::Lost {
            // The number of the store is on disk before any member is told.
            store.save(&loaded.record).map_err(|why| self.wrong("data", why))?;
        }
        Ok(OpenedMember { prepared, store, loaded, members })
    }

    /// Returns the members, and the number of this host; `None` if it has to ask, or to ask again.
    fn members_of(
        &self,
        loaded: &mut Loaded,
        name: &str,
        told: Option<&ClusterMembers>,
    ) -> Result<Option<(ClusterMembers, Peer)>, ConfigError> {
        let joins = self.join.is_some().then_some(told);
        match ClusterMembers::start_of(name, loaded, &self.roster(), joins) {
            HostStart::As(me, now) => {
                self.check_members(&now)?;
                Ok(Some((now, me)))
            }
            HostStart::Waits => Ok(None),
            HostStart::Unknown => {
                Err(self.wrong("data", format!("the record knows no host `{name}`")))
            }
            HostStart::Removed(now) => {
                let names = now.hosts().map(|(_, host)| format!("`{}`", host.name));
                let names = names.collect::<Vec<_>>().join(", ");
                Err(self.wrong(
                    "data",
                    format!(
                        "by this record `{name}` is a member no longer; the members are {names}. To add it again, delete \
                         the record, write the key `join`, and use `tenure members add`"
                    ),
                ))
            }
        }
    }

    /// Fails if HTTP is configured, which this build lacks.
    #[cfg(not(feature = "http"))]
    fn no_http(&self) -> Result<(), ConfigError> {
        match &self.http {
            Some(_) => Err(self.wrong("http.listen", "this build has no HTTP")),
            None => Ok(()),
        }
    }

    /// Reads the certificate with which HTTP is served, if there is one.
    #[cfg(feature = "http")]
    fn site(&self) -> Result<Option<ServerTls>, ConfigError> {
        let files = self.http.as_ref().and_then(|http| http.site.clone());
        let site = files.map(|files| ServerTls::from_files(files, &["http/1.1"]));
        site.transpose().map_err(|error| self.wrong("http.certificate", error))
    }

    pub(crate) fn office_names(&self) -> Vec<OfficeName> {
        self.offices.iter().map(|office| office.name.clone()).collect()
    }

    pub(crate) fn stops(&self) -> Stops {
        self.offices.iter().map(|office| (office.name.number(), ticks(office.stop))).collect()
    }

    /// Reads the tokens of HTTP clients.
    #[cfg(feature = "http")]
    pub(crate) fn tokens(&self) -> Result<TokenSet, ConfigError> {
        let Some(http) = &self.http else { return Ok(TokenSet::default()) };
        let operator =
            http.token.as_ref().map(|path| self.token("http.token", path)).transpose()?;
        let mut programs = Vec::new();
        for ProgramConfig { name, token, offices } in &http.programs {
            let token = self.token(&format!("http.programs, `{name}`, token"), token)?;
            programs.push(HttpProgram { name: name.clone(), token, offices: offices.clone() });
        }
        Ok(TokenSet { operator, programs })
    }

    /// Reads a token from a file, which this key names.
    #[cfg(feature = "http")]
    fn token(&self, key: &str, path: &Path) -> Result<String, ConfigError> {
        let wrong = |why| self.wrong(key, why);
        let text = suffrage_net::small_file::text(path)
            .map_err(|error| wrong(format!("{}: {error}", path.display())))?;
        let token = text.trim().to_owned();
        if token.len() < SHORTEST_TOKEN {
            return Err(wrong(format!("a token has at least {SHORTEST_TOKEN} bytes")));
        }
        Ok(token)
    }

    pub(crate) fn priorities(&self, name: &str) -> Priorities {
        let own = self.members.iter().find(|member| member.name == name);
        let by_office = self
            .offices
            .iter()
            .filter_map(|office| Some((office.name.number(), *office.priorities.get(name)?)));
        Priorities {
            general: own.map_or(0, |member| member.priority),
            by_office: by_office.collect(),
        }
    }
}

/// The configuration of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The name of the cluster.
    pub cluster: String,
    /// The name in its certificate, which clients of one service may share.
    pub credential: String,
    /// The rest of the client's name; if it is empty, it is drawn at random.
    pub suffix: String,
    /// The addresses of members to ask for the others, `host:port`; one is enough.
    pub members: Vec<String>,
    /// The files of the certificates.
    pub tls: TlsFiles,
}

impl Client {
    /// Starts a client: asks the configured members for the list of members, for as long as none answers, and logs why.
    /// Certificates that are replaced meanwhile are used. Cancellation-safe: to limit the wait, drop the future, for
    /// example by `tokio::time::timeout`.
    ///
    /// # Errors
    /// If the addresses, the certificates or the clock cannot be used, or the members have a timing that
    /// this host cannot keep.
    pub async fn start(config: ClientConfig) -> Result<Self, StartError> {
        Self::start_as(config, numbers::draw(), VERSIONS).await
    }

    /// Starts the client with a number, as long as no other one has it, and a range of versions.
    pub(crate) async fn start_as(
        config: ClientConfig,
        peer: Peer,
        versions: Versions,
    ) -> Result<Self, StartError> {
        let wrong = |key, why| StartError::Config(ConfigError::new(key, None, why));
        if config.members.is_empty() {
            return Err(wrong("members", "name the address of one or more".to_owned()));
        }
        for address in &config.members {
            check_address(address).map_err(|why| wrong("members", why))?;
        }
        let tls = Tls::from_files(config.tls.clone());
        let tls = tls.map_err(|error| wrong("tls", error.to_string()))?;
        let who = (config.cluster.as_str(), DiallerIdentity::Visitor);
        let welcome = discover(who, versions, &tls, &config.members).await?;
        blocking(move || Self::start_now(config, (peer, versions), tls, welcome)).await
    }

    fn start_now(
        config: ClientConfig,
        (peer, versions): (Peer, Versions),
        tls: Tls,
        welcome: WelcomeReply,
    ) -> Result<Self, StartError> {
        let WelcomeReply { agreement, membership, stops, .. } = welcome;
        let drift = clock::check(&agreement.timing())?;
        let suffix = match config.suffix.as_str() {
            "" => format!("{:012x}", crate::random::draw() >> 80),
            suffix => suffix.to_owned(),
        };
        let name = format!("{}-{suffix}", config.credential);
        let socket = quic::any_socket().map_err(StartError::Network)?;
        let links = QuicParts {
            cluster: config.cluster,
            peer,
            me: Identity { name, credential: config.credential },
            agreement,
            versions,
            limits: LIMITS,
            addresses: BTreeMap::new(),
            membership: membership.clone(),
            // No participant dials a client.
            stops: Arc::default(),
            tls,
            clock: clock::of_host()?,
        };
        let participant = start(socket, links, drift, |parts| {
            parts.stops.clone_from(&stops);
            parts
                .loaded
                .record
                .cells
                .extend(membership.configuration.cells().into_iter().flatten());
        })?;
        Ok(Self::of(participant, stops))
    }
}

impl Member {
    /// Applies another configuration: certificates, priorities, offices, and the token of HTTP.
    ///
    /// # Errors
    /// If it cannot be used, or differs in a key that only a restart can change. Nothing of it is applied
    /// then.
    pub fn reload(&self, config: &ClusterConfig) -> Result<(), ConfigError> {
        let wrong = |key, why| Err(config.wrong(key, why));
        if let Some(difference) = self.agreement().difference(&config.agreement()) {
            return wrong("", format!("{difference}: this needs a restart of all members"));
        }
        config.check_members(&self.membership())?;
        let names = || config.offices.iter().map(|office| &office.name);
        let offices = |error| config.wrong("offices", error);
        self.check(names()).map_err(offices)?;
        if let Some(host) = self.host() {
            host.reload(config, self.name())?;
        }
        self.enter(names()).map_err(offices)?;
        let (priorities, offices) = (config.priorities(self.name()), config.office_names());
        self.act(EngineRequest::Configure { priorities, offices, stops: config.stops() });
        Ok(())
    }
}

impl MemberHost {
    /// Applies the settings that concern neither the protocol nor programs, all or none.
    fn reload(&self, config: &ClusterConfig, name: &str) -> Result<(), ConfigError> {
        let fixed = fixed(&self.config, config);
        if let Some(first) = fixed.first() {
            let why = format!(
                "a change of {} needs a restart of this member; nothing of the file was applied",
                fixed.join(" and ")
            );
            return Err(config.wrong(first, why));
        }
        let (_, own) = config.identify()?;
        if own != name {
            let why = format!("this member is `{name}`, and by the file it would be `{own}`");
            return Err(config.wrong("member", why));
        }
        #[cfg(feature = "http")]
        let tokens = config.tokens()?;
        // From here on only the files of the certificates can fail, if they have changed meanwhile.
        self.tls.use_files(config.tls.clone()).map_err(|error| config.wrong("tls", error))?;
        #[cfg(feature = "http")]
        self.tokens.replace(tokens);
        *self.stops.write().unwrap_or_else(PoisonError::into_inner) = config.stops();
        Ok(())
    }
}

fn fixed(before: &ClusterConfig, now: &ClusterConfig) -> Vec<String> {
    let mut keys = Vec::new();
    let mut compare = |key: &str, differs: bool| keys.extend(differs.then(|| key.to_owned()));
    compare("cluster", before.cluster != now.cluster);
    compare("data", before.data != now.data);
    compare("listen", before.listen != now.listen);
    compare("first_term", before.first_term != now.first_term);
    for one in &before.members {
        let other = now.members.iter().find(|other| other.name == one.name);
        let differs = other.is_some_and(|other| one.address != other.address);
        compare(&format!("members, `{}`, address", one.name), differs);
    }
    let listen = |config: &ClusterConfig| config.http.as_ref().map(|http| http.listen);
    compare("http.listen", listen(before) != listen(now));
    let site = |config: &ClusterConfig| config.http.as_ref().and_then(|http| http.site.clone());
    compare("http.certificate", site(before) != site(now));
    keys
}
