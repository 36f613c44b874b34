//! The participant's side of the socket.

use super::client::Neighbours;
use super::connection::{ConnectionInput, ConnectionOutput, ConnectionState, Rights, StandRequest};
use super::history::LeaderHistory;
use super::{ClientMessage, JsonLines, MemberMessage, OfficeReport, StatusReport, milliseconds};
use crate::done;
use crate::error::CommandError;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::fs::{self, Permissions};
use std::future::pending;
use std::io;
use std::mem::replace;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tenure_guard::Boottime;
use tenure_node::config::{ClusterConfig, OfficeConfig};
use tenure_node::{
    ConversationRights, Conversations, Extensions, Leadership, LeaseTiming, MembershipChange,
    OfficeWatch, Participant, StandError,
};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

/// The maximal number of connections at a time.
const MOST: usize = 2048;

/// The longest time between two looks whether a leadership is extended.
const BEAT: Duration = Duration::from_millis(50);

/// How long after this participant is known to lead the office may be the one of the program that asks.
const SETTLE: Duration = Duration::from_millis(100);

/// How often it is looked whether the socket is still there.
const LOOK: Duration = Duration::from_secs(1);

/// The configured stop times of offices, which change when the configuration is read again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops(Arc<RwLock<BTreeMap<String, Duration>>>);

impl Stops {
    pub(crate) fn set(&self, config: &ClusterConfig) {
        let stop = |office: &OfficeConfig| (office.name.name().to_owned(), office.stop);
        let stops = config.offices.iter().map(stop).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = stops;
    }

    pub(crate) fn of_one(office: &str, stop: Duration) -> Self {
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

/// The state that all connections share.
#[derive(Clone)]
pub(crate) struct ControlServer {
    pub(crate) participant: Participant,
    pub(crate) history: LeaderHistory,
    pub(crate) timing: LeaseTiming,
    pub(crate) stops: Stops,
    /// The members of other hosts, if there are any.
    pub(crate) neighbours: Option<Neighbours>,
}

/// The socket. Dropping it removes the file.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    mode: u32,
    /// Its file: device and number.
    file: (u64, u64),
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Not the socket of another one.
        let own = |file: fs::Metadata| (file.dev(), file.ino()) == self.file;
        if fs::symlink_metadata(&self.path).is_ok_and(own) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A user that may connect may lead: only the user of the member, unless an operator says otherwise.
pub(crate) const OWN_USER: u32 = 0o600;

impl Socket {
    /// Creates the socket, with these permissions. A socket without a listener is replaced.
    pub(crate) fn bind(path: &Path, mode: u32) -> Result<Self, CommandError> {
        let failed = |error: &io::Error| {
            CommandError::failed(format!("the socket {}: {error}", path.display()))
        };
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            let path = path.display();
            return Err(CommandError::failed(format!(
                "the socket {path}: another process listens there; give each member of this host a \
                 socket of its own with --socket"
            )));
        }
        let stale = fs::symlink_metadata(path)
            .is_ok_and(|data| std::os::unix::fs::FileTypeExt::is_socket(&data.file_type()));
        if stale {
            fs::remove_file(path).map_err(|error| failed(&error))?;
        }
        let listener = UnixListener::bind(path).map_err(|error| failed(&error))?;
        fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|error| failed(&error))?;
        let file = fs::symlink_metadata(path).map_err(|error| failed(&error))?;
        Ok(Self { listener, path: path.to_owned(), mode, file: (file.dev(), file.ino()) })
    }

    /// Makes the socket again if its file is gone: a folder that is cleared, or made anew at a mount, loses it.
    fn restore(&mut self) {
        let file = fs::symlink_metadata(&self.path);
        if !file.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return;
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            return; // Until it comes back.
        }
        match Self::bind(&self.path, self.mode) {
            Ok(mut again) => {
                warn!("the socket {} was gone, and is made again", self.path.display());
                std::mem::swap(self, &mut again);
            }
            Err(error) => warn!("the socket is gone, and cannot be made again: {error}"),
        }
    }

    /// Accepts and serves connections. Does not return.
    pub(crate) async fn serve(&mut self, server: ControlServer) {
        let places = Arc::new(Semaphore::new(MOST));
        loop {
            let Ok(place) = places.clone().acquire_owned().await else { return };
            let accepted = loop {
                match timeout(LOOK, self.listener.accept()).await {
                    Ok(accepted) => break accepted,
                    Err(_) => self.restore(),
                }
            };
            match accepted {
                Ok((stream, _)) => {
                    let server = server.clone();
                    tokio::spawn(async move {
                        server.attend(JsonLines::of_server(stream), Rights::Local).await;
                        drop(place);
                    });
                }
                Err(error) => {
                    warn!("a local connection cannot be accepted: {error}");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}

impl ControlServer {
    /// Serves operators and programs of other hosts until the member ends.
    pub(crate) async fn serve(self, conversations: &mut Conversations) {
        while let Some(conversation) = conversations.next().await {
            let rights = match conversation.rights() {
                ConversationRights::Order => Rights::Operator,
                ConversationRights::Read => Rights::Reader,
                ConversationRights::Stand(program) => {
                    info!("the program {program} stands over HTTP");
                    let LeaseTiming { clock_bound, lease, .. } = self.timing;
                    Rights::Program { clock_bound, lease }
                }
            };
            tokio::spawn(self.clone().attend(JsonLines::of_server(conversation), rights));
        }
    }

    async fn attend(self, lines: JsonLines, rights: Rights) {
        let beat = self.timing.heartbeat.min(BEAT);
        let state = ConnectionState::new(self.participant.name(), rights, beat);
        let (begin, doing) = (Boottime::now(), ConnectionTask::Nothing);
        let lines = Some(lines);
        ServedConnection { server: self, lines, state, begin, doing, rival: None }.run().await;
    }

    async fn answer(self, request: ClientMessage) -> Result<MemberMessage, String> {
        Ok(match request {
            ClientMessage::List {} => {
                let mut offices = self.with_neighbours(self.offices().await?, None).await;
                offices.iter_mut().for_each(|report| self.history.keep_newest(report));
                MemberMessage::Offices(offices)
            }
            ClientMessage::Known { office: None } => MemberMessage::Offices(self.offices().await?),
            ClientMessage::Known { office: Some(office) } => {
                MemberMessage::Offices(vec![self.known(&office).await?])
            }
            ClientMessage::Show { office } => {
                let known = vec![self.show(&office).await?];
                let mut reports = self.with_neighbours(known, Some(&office)).await.into_iter();
                let mut report = reports.next().ok_or_else(ended)?;
                self.history.keep_newest(&mut report);
                MemberMessage::Office(report)
            }
            ClientMessage::Resign { office } => {
                self.participant.office(&office).ask_to_resign().await.map_err(why)?;
                MemberMessage::Done {}
            }
            ClientMessage::Transfer { office, to } => {
                self.participant.office(&office).ask_to_transfer(&to).await.map_err(why)?;
                MemberMessage::Done {}
            }
            ClientMessage::History { office } => {
                self.show(&office).await?;
                MemberMessage::History(self.history.of(&office))
            }
            ClientMessage::Status {} => MemberMessage::Status(Box::new(self.status().await?)),
            ClientMessage::Members {} => {
                MemberMessage::Members(self.participant.members().await.map_err(why)?.into())
            }
            ClientMessage::AddMember { name, address } => {
                self.change(MembershipChange::Add { name, address }).await?
            }
            ClientMessage::RemoveMember { name } => {
                self.change(MembershipChange::Remove { name }).await?
            }
            ClientMessage::ReplaceMember { name, by, address } => {
                self.change(MembershipChange::Replace { name, by, address }).await?
            }
            ClientMessage::ForceMembers { lost } => {
                self.change(MembershipChange::Force { lost }).await?
            }
            _ => return Err("this is not a question".to_owned()),
        })
    }

    async fn change(&self, change: MembershipChange) -> Result<MemberMessage, String> {
        self.participant.change_members(change).await.map_err(why)?;
        Ok(MemberMessage::Done {})
    }

    async fn offices(&self) -> Result<Vec<OfficeReport>, String> {
        self.history.offices(&self.participant).await.ok_or_else(ended)
    }

    /// Adds what the other members know, if they say so within a lease.
    async fn with_neighbours(
        &self,
        known: Vec<OfficeReport>,
        office: Option<&str>,
    ) -> Vec<OfficeReport> {
        match &self.neighbours {
            Some(neighbours) => {
                let members = self.participant.membership();
                neighbours.add(&members, known, office, self.timing.lease).await
            }
            None => known,
        }
    }

    /// Shows an office, as this participant knows it, and has its changes be kept from now on if it has ever been
    /// led.
    async fn show(&self, office: &str) -> Result<OfficeReport, String> {
        let report = self.known(office).await?;
        if report.term.is_some() {
            self.history.follow(&self.participant, office);
        }
        Ok(report)
    }

    /// Shows an office, as this participant knows it.
    async fn known(&self, office: &str) -> Result<OfficeReport, String> {
        let standing = self.participant.office(office).standing().await.map_err(why)?;
        let known = self.history.offices(&self.participant).await.unwrap_or_default();
        let known = known.into_iter().find(|report| report.office == office);
        Ok(known.unwrap_or_else(|| OfficeReport {
            office: office.to_owned(),
            leader: standing.leader().map(|leader| leader.name.clone()),
            term: standing.term(),
            value: standing.value().map(str::to_owned),
            change: standing.change(),
            since: None,
            staleness_ms: milliseconds(standing.staleness()),
            here: false,
            valid_for_ms: None,
            command: None,
        }))
    }

    async fn status(&self) -> Result<StatusReport, String> {
        let status = self.participant.status().await.map_err(why)?;
        let slowest = status.members.iter().filter_map(|member| member.round_trip).max();
        let vacancy = self.timing.longest_vacancy(slowest.unwrap_or_default(), status.longest_sync);
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        Ok(StatusReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            heartbeat_ms: ms(self.timing.heartbeat),
            lease_ms: ms(self.timing.lease),
            stop_ms: ms(self.timing.stop),
            stops_ms: self.stops.all().into_iter().map(|(name, stop)| (name, ms(stop))).collect(),
            clock_bound_ppm: self.timing.clock_bound,
            longest_vacancy_ms: ms(vacancy),
            state: status,
        })
    }

    /// Stands for an office. If that is only to be tried, also returns what waits until another program leads.
    fn stand(&self, wish: StandRequest) -> (ConnectionTask, Option<RivalWatch>) {
        let stop = wish.stop.unwrap_or_else(|| self.stops.of(&wish.office));
        let mut candidate =
            self.participant.office(&wish.office).stop(stop).confirmed().value(wish.value);
        if let Some(priority) = wish.priority {
            candidate = candidate.priority(priority);
        }
        self.history.follow(&self.participant, &wish.office);
        let standing = Box::pin(async move { candidate.stand().await });
        let (participant, office) = (self.participant.clone(), wish.office);
        let rival = async move { led(&participant, &office).await };
        let rival = wish.only_try.then(|| -> RivalWatch { Box::pin(rival) });
        (ConnectionTask::Standing(standing, stop), rival)
    }
}

/// Waits until a program leads an office, other than one that has just won it, and returns the participant's name.
pub(crate) async fn led(participant: &Participant, office: &str) -> String {
    if let Ok(mut watch) = participant.watch(office).await {
        while let Some(standing) = watch.next().await {
            if let Some(leader) = standing.leader() {
                if leader.name == participant.name() {
                    sleep(SETTLE).await;
                }
                return leader.name.clone();
            }
        }
    }
    pending().await
}

type RivalWatch = Pin<Box<dyn Future<Output = String> + Send>>;

/// What is under way for a connection. Dropping it gives it up.
enum ConnectionTask {
    Nothing,
    Asking(Pin<Box<dyn Future<Output = Result<MemberMessage, String>> + Send>>),
    /// With whether a change is still to be told.
    Watching(String, OfficeWatch, bool),
    /// With the stop time.
    Standing(Pin<Box<dyn Future<Output = Result<Leadership, StandError>> + Send>>, Duration),
    Holding(Leadership, Extensions),
}

/// A connection, which does what its [state](ConnectionState) decides.
struct ServedConnection {
    server: ControlServer,
    /// `None` once it is closed.
    lines: Option<JsonLines>,
    state: ConnectionState,
    begin: Boottime,
    doing: ConnectionTask,
    /// Waits until another program leads, if that is to be known.
    rival: Option<RivalWatch>,
}

impl ServedConnection {
    async fn run(mut self) {
        let mut inputs = VecDeque::new();
        loop {
            let (now, input) = match inputs.pop_front() {
                Some(input) => input,
                None => {
                    let input = self.next().await;
                    (self.now(), input)
                }
            };
            for output in self.state.step(now, input) {
                if output == ConnectionOutput::End {
                    return;
                }
                inputs.extend(self.carry_out(output).await);
            }
        }
    }

    fn now(&self) -> Duration {
        Boottime::now().since(self.begin)
    }

    /// Waits for what happens next.
    async fn next(&mut self) -> ConnectionInput {
        let now = self.now();
        let alarm = self.state.alarm().map(|due| due.saturating_sub(now));
        let lines = self.lines.as_mut().filter(|_| self.state.listens());
        let (leads, holds) = (self.state.leads(), self.state.holds());
        tokio::select! {
            biased;
            heard = done(lines.map(JsonLines::hear)) => match heard {
                Ok(Some(message)) => ConnectionInput::Heard(Ok(message)),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    ConnectionInput::Heard(Err(error.to_string()))
                }
                Ok(None) | Err(_) => ConnectionInput::Closed,
            },
            input = self.doing.next(&self.server, leads, holds) => input,
            leader = done(self.rival.as_mut()) => {
                self.rival = None;
                ConnectionInput::Led(leader)
            }
            () = done(alarm.map(sleep)) => ConnectionInput::Alarm,
        }
    }

    /// Returns the answer and its time, if there is one at once.
    async fn carry_out(&mut self, output: ConnectionOutput) -> Option<(Duration, ConnectionInput)> {
        match output {
            ConnectionOutput::Say(message) => {
                if self.lines.as_mut()?.say(&message).await.is_err() {
                    return Some((self.now(), ConnectionInput::Closed));
                }
            }
            ConnectionOutput::Ask(ClientMessage::Watch { office }) => {
                match self.server.participant.watch(&office).await {
                    Ok(watch) => self.doing = ConnectionTask::Watching(office, watch, false),
                    Err(error) => {
                        return Some((self.now(), ConnectionInput::Answer(Err(why(error)))));
                    }
                }
            }
            ConnectionOutput::Ask(question) => {
                self.doing = ConnectionTask::Asking(Box::pin(self.server.clone().answer(question)));
            }
            ConnectionOutput::Stand(wish) => (self.doing, self.rival) = self.server.stand(wish),
            ConnectionOutput::Release(to) => {
                if let ConnectionTask::Holding(leadership, _) =
                    replace(&mut self.doing, ConnectionTask::Nothing)
                {
                    let released = match to {
                        Some(to) => leadership.transfer(&to).await.map_err(why),
                        None => {
                            leadership.resign().await;
                            Ok(())
                        }
                    };
                    let answer = released.map(|()| MemberMessage::Released {});
                    return Some((self.now(), ConnectionInput::Answer(answer)));
                }
            }
            ConnectionOutput::Log(text) => info!("{text}"),
            ConnectionOutput::HangUp => self.lines = None,
            ConnectionOutput::Look
            | ConnectionOutput::Work(_)
            | ConnectionOutput::Proclaim(_)
            | ConnectionOutput::End => {
                let ConnectionTask::Holding(leadership, _) = &self.doing else { return None };
                match output {
                    // The time first: what passes in between makes the end earlier, never later. A leadership without
                    // an end is certain for a lease, again and again: for so long it is held for a program that is gone.
                    ConnectionOutput::Look => {
                        let now = self.now();
                        let time = leadership.valid_for().min(self.server.timing.lease);
                        let time = if leadership.confirm(time) { time } else { Duration::ZERO };
                        return Some((now, ConnectionInput::Certain(time)));
                    }
                    ConnectionOutput::Work(news) => leadership.tell_work(news.why_not()),
                    // If it is over, the program is told so.
                    ConnectionOutput::Proclaim(value) => drop(leadership.proclaim(value)),
                    _ => {}
                }
            }
        }
        None
    }
}

impl ConnectionTask {
    /// Waits for what happens next. Cancellation-safe.
    async fn next(&mut self, server: &ControlServer, leads: bool, holds: bool) -> ConnectionInput {
        match self {
            Self::Nothing => pending().await,
            Self::Asking(answer) => ConnectionInput::Answer(answer.await),
            Self::Watching(office, watch, changed) => {
                if !*changed && watch.next().await.is_none() {
                    return ConnectionInput::Closed;
                }
                *changed = true;
                let mut report = server.show(office).await;
                report.iter_mut().for_each(|report| server.history.keep_newest(report));
                *changed = false;
                ConnectionInput::Answer(report.map(MemberMessage::Office))
            }
            Self::Standing(standing, stop) => match standing.await {
                Ok(leadership) => {
                    let (term, stop) = (leadership.term(), *stop);
                    let release_ticket = server.participant.release_ticket().map(Box::new);
                    let extensions = leadership.extensions();
                    *self = Self::Holding(leadership, extensions);
                    ConnectionInput::Won { term, stop, release_ticket }
                }
                Err(StandError::Ended) => ConnectionInput::NotWon(None),
                Err(error) => ConnectionInput::NotWon(Some(why(error))),
            },
            Self::Holding(leadership, extensions) => tokio::select! {
                biased;
                () = leadership.stopping(), if leads => ConnectionInput::Stopping,
                () = leadership.lost(), if holds => ConnectionInput::Lost,
                () = extensions.next() => ConnectionInput::Extended,
            },
        }
    }
}

pub(crate) fn valid_until(leadership: &Leadership) -> Boottime {
    // In this order: time that passes in between makes the result earlier, never later.
    let now = Boottime::now();
    now.after(leadership.valid_for())
}

fn why(error: impl Display) -> String {
    error.to_string()
}

fn ended() -> String {
    "the participant has ended".to_owned()
}
