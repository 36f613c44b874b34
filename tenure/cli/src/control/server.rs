//! The participant's side of the socket.

use super::client::Neighbours;
use super::history::LeaderHistory;
use super::{ControlReply, JsonLines, OfficeReport, Request, StatusReport, milliseconds};
use crate::error::CommandError;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tenure_guard::Boottime;
use tenure_node::config::{ClusterConfig, OfficeConfig};
use tenure_node::{Leadership, LeaseTiming, Operators, Participant, StandError};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::{info, warn};

/// The maximal number of connections at a time.
const MOST: usize = 2048;

/// The time that a program has to send its request.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether the socket is still there.
const LOOK: Duration = Duration::from_secs(1);

/// What a connection may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rights {
    /// Everything: a program of this host that may connect to the socket.
    Local,
    /// Everything but to stand: an operator, or a member, of another host.
    Operator,
    /// To be told, and to change nothing: a client's certificate.
    Reader,
}

impl Rights {
    fn refuse(self, request: &Request) -> Option<&'static str> {
        match request {
            Request::Stand { .. } if self != Self::Local => {
                Some("only programs of its host stand by a member: `tenure lead --members` stands")
            }
            Request::Resign { .. } | Request::Transfer { .. } if self == Self::Reader => {
                Some("a client's certificate does not allow this; an operator's or a member's does")
            }
            _ => None,
        }
    }
}

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

impl Socket {
    /// Creates the socket. A socket without a listener is replaced.
    pub(crate) fn bind(path: &Path) -> Result<Self, CommandError> {
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
        // A user that may connect may lead: only this one, unless an operator changes the mode.
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(|error| failed(&error))?;
        let file = fs::symlink_metadata(path).map_err(|error| failed(&error))?;
        Ok(Self { listener, path: path.to_owned(), file: (file.dev(), file.ino()) })
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
        match Self::bind(&self.path) {
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
    /// Serves operators of other hosts until the member ends.
    pub(crate) async fn serve(self, operators: &mut Operators) {
        while let Some(conversation) = operators.next().await {
            let rights = match conversation.may_order() {
                true => Rights::Operator,
                false => Rights::Reader,
            };
            tokio::spawn(self.clone().attend(JsonLines::of_server(conversation), rights));
        }
    }

    async fn attend(self, mut lines: JsonLines, rights: Rights) {
        let request = match timeout(PATIENCE, lines.hear::<Request>()).await {
            Ok(Ok(Some(request))) => request,
            Ok(Err(error)) => {
                return drop(lines.say(&refused(&format!("not a request: {error}"))).await);
            }
            Ok(Ok(None)) | Err(_) => return,
        };
        if let Some(why) = rights.refuse(&request) {
            return drop(lines.say(&refused(why)).await);
        }
        let done = match request {
            Request::Stand { office, priority, stop_ms } => {
                let stop = stop_ms.map(Duration::from_millis);
                self.stand(&mut lines, &office, priority, stop).await
            }
            Request::Watch { office } => self.watch(&mut lines, &office).await,
            other => {
                let refused = |why| ControlReply::Refused { why };
                lines.say(&self.answer(other).await.unwrap_or_else(refused)).await
            }
        };
        // The program has disconnected, which is no error.
        drop(done);
    }

    async fn answer(&self, request: Request) -> Result<ControlReply, String> {
        Ok(match request {
            Request::List => {
                ControlReply::Offices(self.with_neighbours(self.offices().await?, None).await)
            }
            Request::Known { office: None } => ControlReply::Offices(self.offices().await?),
            Request::Known { office: Some(office) } => {
                ControlReply::Offices(vec![self.known(&office).await?])
            }
            Request::Show { office } => {
                let known = vec![self.show(&office).await?];
                let mut reports = self.with_neighbours(known, Some(&office)).await.into_iter();
                reports.next().map(ControlReply::Office).ok_or_else(ended)?
            }
            Request::Resign { office } => {
                self.participant.office(&office).ask_to_resign().await.map_err(why)?;
                ControlReply::Done
            }
            Request::Transfer { office, to } => {
                self.participant.office(&office).ask_to_transfer(&to).await.map_err(why)?;
                ControlReply::Done
            }
            Request::History { office } => {
                self.show(&office).await?;
                ControlReply::History(self.history.of(&office))
            }
            Request::Status => ControlReply::Status(Box::new(self.status().await?)),
            Request::Stand { .. }
            | Request::Watch { .. }
            | Request::Alive { .. }
            | Request::Done => return Err("this connection has no candidate".to_owned()),
        })
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
            Some(neighbours) => neighbours.add(known, office, self.timing.lease).await,
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

    async fn watch(&self, lines: &mut JsonLines, office: &str) -> io::Result<()> {
        let mut watch = match self.participant.watch(office).await {
            Ok(watch) => watch,
            Err(error) => return lines.say(&refused(&error.to_string())).await,
        };
        loop {
            tokio::select! {
                standing = watch.next() => {
                    if standing.is_none() {
                        return Ok(());
                    }
                    match self.show(office).await {
                        Ok(report) => lines.say(&ControlReply::Office(report)).await?,
                        Err(why) => return lines.say(&ControlReply::Refused { why }).await,
                    }
                }
                // Only the end of the connection matters.
                heard = lines.hear::<Request>() => if heard?.is_none() { return Ok(()) },
            }
        }
    }

    /// Stands until the office is led, and then holds it for the program.
    async fn stand(
        &self,
        lines: &mut JsonLines,
        office: &str,
        priority: Option<u32>,
        stop: Option<Duration>,
    ) -> io::Result<()> {
        let stop = stop.unwrap_or_else(|| self.stops.of(office));
        let mut candidate = self.participant.office(office).stop(stop).confirmed();
        if let Some(priority) = priority {
            candidate = candidate.priority(priority);
        }
        self.history.follow(&self.participant, office);
        let leadership = tokio::select! {
            leadership = candidate.stand() => leadership,
            // The program is gone, or violates the protocol.
            _ = lines.hear::<Request>() => return Ok(()),
        };
        match leadership {
            Ok(leadership) => self.hold(lines, leadership).await,
            // The program looks for another member of this host, or for this one when it is back.
            Err(StandError::Ended) => Ok(()),
            Err(error) => lines.say(&refused(&error.to_string())).await,
        }
    }

    /// Holds the office while the candidate is connected. Returning releases it.
    async fn hold(&self, lines: &mut JsonLines, leadership: Leadership) -> io::Result<()> {
        let (office, term) = (leadership.office().to_owned(), leadership.term());
        info!("a local program leads {office} in term {term}");
        let mut until = valid_until(&leadership);
        let release_ticket = self.participant.release_ticket().map(Box::new);
        lines.say(&ControlReply::Leading { term, until: until.as_nanos(), release_ticket }).await?;
        let mut extensions = leadership.extensions();
        let beat = self.timing.heartbeat.min(Duration::from_millis(50));
        let mut stopping = false;
        let mut over = false;
        let mut next = Instant::now() + beat;
        loop {
            tokio::select! {
                biased;
                request = lines.hear::<Request>() => match request? {
                    Some(Request::Alive { until, command }) => {
                        leadership.confirm(Boottime::from_nanos(until).remaining());
                        if let Some(news) = command {
                            leadership.tell_work(news.why_not());
                        }
                    }
                    Some(Request::Done) => {
                        leadership.resign().await;
                        return lines.say(&ControlReply::Done).await;
                    }
                    Some(_) => return lines.say(&refused("this connection holds an office")).await,
                    // The last descriptor was its guard's: no process of the command is left.
                    None => {
                        info!("the local program that led {office} in term {term} is gone");
                        return Ok(());
                    }
                },
                () = leadership.stopping(), if !stopping => {
                    stopping = true;
                    lines.say(&ControlReply::Stopping).await?;
                }
                () = leadership.lost(), if !over => {
                    over = true;
                    lines.say(&ControlReply::Over).await?;
                }
                () = extensions.next() => next = Instant::now(),
                () = sleep_until(next) => {
                    next = Instant::now() + beat;
                    let now = valid_until(&leadership);
                    if !over && now > until {
                        until = now;
                        lines.say(&ControlReply::Valid { until: until.as_nanos() }).await?;
                    }
                }
            }
        }
    }
}

pub(crate) fn valid_until(leadership: &Leadership) -> Boottime {
    // In this order: time that passes in between makes the result earlier, never later.
    let now = Boottime::now();
    now.after(leadership.valid_for().min(Duration::from_secs(3600)))
}

fn refused(why: &str) -> ControlReply {
    ControlReply::Refused { why: why.to_owned() }
}

fn why(error: impl Display) -> String {
    error.to_string()
}

fn ended() -> String {
    "the participant has ended".to_owned()
}

#[cfg(test)]
mod tests;
