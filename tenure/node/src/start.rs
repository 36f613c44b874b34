//! Starts participants on real hosts.

use crate::clock;
use crate::config::{Config, ConfigError, TlsFiles, check_address};
use crate::engine::{Action, Inbox, Parts, Priorities};
#[cfg(feature = "http")]
use crate::http::Token;
use crate::office::OfficeName;
use crate::participant::{Host, Member, Participant, Stander, StartError};
use crate::records::{FileStore, NoStore};
use crate::timing::{Stops, ticks};
use crate::transport::quic::{
    self, LIMITS, Limits, Me, Quic, VERSIONS, Versions, Welcome, numbers,
};
use std::net::UdpSocket;
use std::sync::{Arc, RwLock};
#[cfg(feature = "http")]
use suffrage_net::tls::Site;
use suffrage_net::tls::{Tls, refresh_for_ever};
use tenure_model::Peer;
use tokio::task::spawn_blocking;

impl Member {
    /// Starts the member that this host is. It votes at once, and stands on request.
    ///
    /// # Errors
    /// If the configuration, the certificates, the record or the clock cannot be used, or the
    /// address cannot be listened on.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_within(config, VERSIONS, LIMITS).await
    }

    /// Starts the member with a range of versions, and limits on what it serves.
    pub(crate) async fn start_within(
        config: Config,
        versions: Versions,
        limits: Limits,
    ) -> Result<Self, StartError> {
        spawn_blocking(move || Self::start_now(&config, versions, limits))
            .await
            .unwrap_or_else(|error| Err(StartError::Thread(std::io::Error::other(error))))
    }

    fn start_now(config: &Config, versions: Versions, limits: Limits) -> Result<Self, StartError> {
        let drift = clock::check(&config.timing)?;
        let (tls, name) = config.identify()?;
        let agreement = config.agreement();
        let me = agreement.member(&name).unwrap_or(Peer(0));
        let own = &config.members[me.0 as usize];
        let (key, listen) = match &config.listen {
            Some(listen) => ("listen".to_owned(), listen),
            None => (format!("members, `{name}`, address"), &own.address),
        };
        let socket = UdpSocket::bind(listen.as_str())
            .map_err(|error| config.wrong(&key, format!("cannot listen on {listen}: {error}")))?;
        let inbox = Arc::new(Inbox::default());
        let setting = config.timing.setting(me, agreement.members.len() as u32)?;
        let members = config.members.iter().map(|member| member.name.clone()).collect();
        // The record is opened before this member sends anything.
        let store = Box::new(FileStore::new(&config.data, &config.cluster, &name));
        let stops = Arc::new(RwLock::new(config.stops()));
        let parts = quic::Parts {
            cluster: config.cluster.clone(),
            peer: me,
            me: Me { name: name.clone(), credential: name.clone() },
            agreement: agreement.clone(),
            versions,
            limits,
            addresses: config.members.iter().map(|member| member.address.clone()).collect(),
            stops: stops.clone(),
            tls: tls.clone(),
            doorway: inbox.doorway(),
            // The numbers of members are their places in the configuration.
            taken: Box::new(|_| {}),
        };
        let transport = Quic::start(socket, parts);
        let participant = Participant::start(Parts {
            setting,
            members,
            name: name.clone(),
            cluster: config.cluster.clone(),
            witness: own.witness,
            priorities: config.priorities(&name),
            offices: config.office_names(),
            stops: config.stops(),
            store,
            clock: clock::of_host()?,
            clock_drift: Some(drift),
            transport: transport.map_err(StartError::Network)?,
            inbox,
        })?;
        participant.enter(config.offices.iter().map(|office| &office.name))?;
        #[cfg(feature = "http")]
        let token = {
            let token = Token::new(config.token()?.as_deref());
            serve_http(config, &participant, token.clone())?;
            token
        };
        #[cfg(not(feature = "http"))]
        config.no_http()?;
        let host = Host {
            config: config.clone(),
            tls,
            stops,
            #[cfg(feature = "http")]
            token,
        };
        Ok(Self::of(participant, agreement, Some(host)))
    }
}

/// Serves HTTP if that is configured.
#[cfg(feature = "http")]
fn serve_http(config: &Config, participant: &Participant, token: Token) -> Result<(), StartError> {
    let Some(http) = &config.http else { return Ok(()) };
    let site = config.site()?;
    let listener = std::net::TcpListener::bind(http.listen).map_err(|error| {
        config.wrong("http.listen", format!("cannot listen on {}: {error}", http.listen))
    })?;
    crate::http::serve(listener, participant.clone(), token, site).map_err(StartError::Network)
}

/// The minimal length of a token, in bytes.
#[cfg(feature = "http")]
const SHORTEST_TOKEN: usize = 16;

impl Config {
    /// Reads all files that a member with this configuration reads when it starts, except its record: the
    /// certificates, and the token and the certificate of HTTP. Returns the name of the member that this host
    /// is.
    ///
    /// # Errors
    /// If a file cannot be read or used, or as [`own_name`](Self::own_name).
    pub fn check_files(&self) -> Result<String, ConfigError> {
        let (_, name) = self.identify()?;
        #[cfg(feature = "http")]
        {
            self.token()?;
            self.site()?;
        }
        #[cfg(not(feature = "http"))]
        self.no_http()?;
        Ok(name)
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
    fn site(&self) -> Result<Option<Site>, ConfigError> {
        let files = self.http.as_ref().and_then(|http| http.site.clone());
        let site = files.map(|files| Site::from_files(files, &["http/1.1"]));
        site.transpose().map_err(|error| self.wrong("http.certificate", error))
    }

    pub(crate) fn office_names(&self) -> Vec<OfficeName> {
        self.offices.iter().map(|office| office.name.clone()).collect()
    }

    pub(crate) fn stops(&self) -> Stops {
        self.offices.iter().map(|office| (office.name.number(), ticks(office.stop))).collect()
    }

    /// Reads the token of clients of HTTP, if there is one.
    #[cfg(feature = "http")]
    pub(crate) fn token(&self) -> Result<Option<String>, ConfigError> {
        let path = self.http.as_ref().and_then(|http| http.token.as_ref());
        let Some(path) = path else { return Ok(None) };
        let wrong = |why| self.wrong("http.token", why);
        let text = std::fs::read_to_string(path)
            .map_err(|error| wrong(format!("{}: {error}", path.display())))?;
        let token = text.trim().to_owned();
        if token.len() < SHORTEST_TOKEN {
            return Err(wrong(format!("a token has at least {SHORTEST_TOKEN} bytes")));
        }
        Ok(Some(token))
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

/// The configuration of a stander.
#[derive(Clone, Debug)]
pub struct StanderConfig {
    /// The name of the cluster.
    pub cluster: String,
    /// The name in its certificate, which standers of one service may share.
    pub credential: String,
    /// The rest of the stander's name; if it is empty, it is drawn at random.
    pub suffix: String,
    /// The addresses of members to ask for the others, `host:port`; one is enough.
    pub members: Vec<String>,
    /// The files of the certificates.
    pub tls: TlsFiles,
}

impl Stander {
    /// Starts a stander: asks the configured members for the list of members, for as long as none
    /// answers, and logs why. Certificates that are replaced meanwhile are used. Cancellation-safe: a
    /// program that waits no longer than it wants to drops the future, for example by
    /// `tokio::time::timeout`.
    ///
    /// # Errors
    /// If the addresses, the certificates or the clock cannot be used, or the members have a timing that
    /// this host cannot keep.
    pub async fn start(config: StanderConfig) -> Result<Self, StartError> {
        Self::start_as(config, numbers::draw(), VERSIONS).await
    }

    /// Starts the stander with a number, as long as no other one has it, and a range of versions.
    pub(crate) async fn start_as(
        config: StanderConfig,
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
        let files = tls.clone();
        let welcome = tokio::select! {
            found = quic::discover(&config.cluster, versions, &tls, &config.members) => found,
            () = refresh_for_ever(move || files.refresh(), quic::REFRESH) => {
                let error = std::io::Error::other("the runtime has ended");
                return Err(StartError::Thread(error));
            }
        };
        let start = move || Self::start_now(config, (peer, versions), tls, welcome);
        spawn_blocking(start)
            .await
            .unwrap_or_else(|error| Err(StartError::Thread(std::io::Error::other(error))))
    }

    fn start_now(
        config: StanderConfig,
        (peer, versions): (Peer, Versions),
        tls: Tls,
        welcome: Welcome,
    ) -> Result<Self, StartError> {
        let Welcome { agreement, addresses, stops, .. } = welcome;
        let timing = agreement.timing();
        let drift = clock::check(&timing)?;
        let suffix = match config.suffix.as_str() {
            "" => format!("{:012x}", quic::draw() >> 80),
            suffix => suffix.to_owned(),
        };
        let name = format!("{}-{suffix}", config.credential);
        let socket = quic::any_socket().map_err(StartError::Network)?;
        let inbox = Arc::new(Inbox::default());
        let setting = timing.setting(peer, agreement.members.len() as u32)?;
        let members = agreement.members.iter().map(|(name, _)| name.clone()).collect();
        let loops = inbox.clone();
        let parts = quic::Parts {
            cluster: config.cluster.clone(),
            peer,
            me: Me { name: name.clone(), credential: config.credential },
            agreement,
            versions,
            limits: LIMITS,
            addresses,
            // No participant dials a stander.
            stops: Arc::default(),
            tls: tls.clone(),
            doorway: inbox.doorway(),
            taken: Box::new(move |number| {
                loops.act(Action::Taken { number });
            }),
        };
        let transport = Quic::start(socket, parts);
        let participant = Participant::start(Parts {
            setting,
            members,
            name,
            cluster: config.cluster,
            witness: false,
            priorities: Priorities::default(),
            offices: Vec::new(),
            stops: stops.clone(),
            store: Box::new(NoStore),
            clock: clock::of_host()?,
            clock_drift: Some(drift),
            transport: transport.map_err(StartError::Network)?,
            inbox,
        })?;
        Ok(Self::of(participant, stops))
    }
}
