//! The handles of a participant.

mod office;

pub use office::Office;

use crate::clock::{BootClock, Clock, ClockError};
use crate::config::{Config, ConfigError};
use crate::engine::{Action, Engine, Inbox, Parts, Priorities};
#[cfg(feature = "http")]
use crate::http::Token;
use crate::office::{Names, OfficeError, OfficeName};
use crate::records::{NoStore, Store, StoreError};
use crate::standing::Watch;
use crate::status::Status;
use crate::timing::{Stops, Timing, TimingError, time};
use crate::transport::quic::{Agreement, Errand, Operators};
use crate::transport::{LocalNetwork, Transport};
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock, Weak};
use std::thread;
use std::time::Duration;
use suffrage_net::tls::Tls;
use tenure_model::Peer;
use tokio::sync::{oneshot, watch};

/// A handle to a participant of a cluster: what [members](Member) and [standers](Stander) have in
/// common. Clones refer to the same participant.
#[derive(Clone)]
pub struct Participant {
    inner: Arc<Inner>,
    _keeper: Option<Arc<Keeper>>,
}

struct Inner {
    inbox: Arc<Inbox>,
    names: Names,
    tickets: AtomicU64,
    name: String,
    number: Arc<AtomicU32>,
    timing: Timing,
    witness: bool,
    transport: Weak<dyn Transport>,
    /// Changes to `true` when the loop has ended.
    ended: watch::Receiver<bool>,
}

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Participant").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

/// An error: the participant has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the participant has ended")]
pub struct Ended;

/// An error: a participant cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The timing cannot be kept.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The record must not be used.
    #[error("the record: {0}")]
    Store(#[from] StoreError),
    /// The cluster has no member of this name, or too many members.
    #[error("{0}")]
    Members(String),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The names of two offices collide.
    #[error(transparent)]
    Office(#[from] OfficeError),
    /// The clock of this host cannot be relied on.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// The network cannot be used.
    #[error("the network: {0}")]
    Network(std::io::Error),
    /// No thread could be started.
    #[error("no thread for the loop: {0}")]
    Thread(std::io::Error),
}

/// An error: a program cannot stand for or watch an office.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StandError {
    /// The office cannot have this name.
    #[error(transparent)]
    Office(#[from] OfficeError),
    /// The work may not go on for so long.
    #[error(
        "a stop time of {stop:?} is longer than the {longest:?} that successors wait: set the stop \
         time of the office in the configuration of all members"
    )]
    Stop {
        /// The stop time.
        stop: Duration,
        /// The longest stop time of all offices.
        longest: Duration,
    },
    /// A witness never leads.
    #[error("this member is a witness: it votes, and never leads")]
    Witness,
    /// The participant has ended, or is about to.
    #[error("the participant has ended")]
    Ended,
}

impl Participant {
    pub(crate) fn start(parts: Parts) -> Result<Self, StartError> {
        let (inbox, name) = (parts.inbox.clone(), parts.name.clone());
        let number = Arc::new(AtomicU32::new(parts.setting.me.0));
        let timing = Timing::of(&parts.setting);
        let (witness, transport) = (parts.witness, Arc::downgrade(&parts.transport));
        let engine = Engine::new(parts, number.clone())?;
        let (ending, ended) = watch::channel(false);
        let work = move || {
            // Sent however the loop ends.
            let _ending = Ending(ending);
            engine.run();
        };
        let thread = thread::Builder::new().name(format!("tenure-{name}"));
        thread.spawn(work).map_err(StartError::Thread)?;
        let (names, tickets) = (Names::default(), AtomicU64::new(0));
        let keeper = Keeper(inbox.clone());
        let inner =
            Inner { inbox, names, tickets, name, number, timing, witness, transport, ended };
        Ok(Self { inner: Arc::new(inner), _keeper: Some(Arc::new(keeper)) })
    }

    /// Enters the names of offices.
    pub(crate) fn enter<'a>(
        &self,
        offices: impl IntoIterator<Item = &'a OfficeName>,
    ) -> Result<(), OfficeError> {
        offices.into_iter().try_for_each(|office| self.inner.names.enter(office))
    }

    /// Checks that none of these names has the number of another one.
    pub(crate) fn check<'a>(
        &self,
        offices: impl IntoIterator<Item = &'a OfficeName>,
    ) -> Result<(), OfficeError> {
        offices.into_iter().try_for_each(|office| self.inner.names.check(office))
    }

    #[cfg(feature = "http")]
    pub(crate) fn weak(&self) -> Self {
        Self { inner: self.inner.clone(), _keeper: None }
    }

    /// Waits until this participant has ended, without keeping it alive.
    #[cfg(feature = "http")]
    pub(crate) fn until_ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.inner.ended.clone();
        async move { drop(ended.wait_for(|ended| *ended).await) }
    }

    pub(crate) fn act(&self, action: Action) {
        self.inner.inbox.act(action);
    }

    /// Returns the name of this participant.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the number of this participant in the cluster. A stander takes another one if it turns
    /// out that another stander has the same.
    #[must_use]
    pub fn peer(&self) -> Peer {
        Peer(self.inner.number.load(Ordering::SeqCst))
    }

    /// Returns the timing of the cluster. The stop time is the longest of all offices.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.inner.timing
    }

    /// Returns the office of this name. An invalid name is reported when the office is used.
    #[must_use]
    pub fn office(&self, name: &str) -> Office {
        Office { participant: self.clone(), name: self.named(name), priority: None, stop: None }
    }

    fn named(&self, name: &str) -> Result<OfficeName, OfficeError> {
        let name = OfficeName::new(name)?;
        self.inner.names.check(&name)?;
        Ok(name)
    }

    /// Watches who leads an office.
    ///
    /// # Errors
    /// If the office cannot have this name, or the participant has ended.
    pub async fn watch(&self, office: &str) -> Result<Watch, StandError> {
        self.office(office).watch().await
    }

    /// Returns what a [`Herald`](crate::Herald) has to know to release an office for this
    /// participant after it was killed; `None` within one program.
    #[must_use]
    pub fn errand(&self) -> Option<Errand> {
        self.inner.transport.upgrade()?.errand()
    }

    /// Returns the conversations that operators on any host begin with this member, for the program
    /// to answer; until it is called, operators are refused. `None` at the second call, and for
    /// participants that no one dials.
    #[must_use]
    pub fn operators(&self) -> Option<Operators> {
        self.inner.transport.upgrade()?.operators()
    }

    /// Returns the state of this participant.
    ///
    /// # Errors
    /// If the participant has ended.
    pub async fn status(&self) -> Result<Status, Ended> {
        let (answer, answered) = oneshot::channel();
        self.inner.inbox.act(Action::Status { answer });
        answered.await.map_err(|_| Ended)
    }

    /// Shuts the participant down: programs that lead are asked to [stop](crate::Leadership::stopping),
    /// and when all leaderships were dropped or are over, all offices are released. No program can
    /// stand here any more. To stop waiting for a program, drop this future and call
    /// [`kill`](Self::kill).
    pub async fn shut_down(&self) {
        let (answer, answered) = oneshot::channel();
        self.inner.inbox.act(Action::ShutDown { answer });
        let _ = answered.await;
        self.ended().await;
    }

    /// Ends the participant at once, as if the program had been killed: no office is released, so
    /// that offices that are held here are vacant until the lease is over. Leaderships are over at
    /// once.
    pub fn kill(&self) {
        self.inner.inbox.act(Action::Kill);
    }

    /// Waits until this participant has ended.
    pub async fn ended(&self) {
        let _ = self.inner.ended.clone().wait_for(|ended| *ended).await;
    }
}

/// Signals on drop that the loop has ended.
struct Ending(watch::Sender<bool>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

/// Shuts the participant down when its last handle is dropped. Programs that still lead are asked
/// to stop, and waited for.
struct Keeper(Arc<Inbox>);

impl Drop for Keeper {
    fn drop(&mut self) {
        let (answer, _) = oneshot::channel();
        self.0.act(Action::ShutDown { answer });
    }
}

/// A member of a cluster: it votes, and can stand unless it is a witness.
///
/// Dropping the last clone [shuts it down](Participant::shut_down).
#[derive(Clone, Debug)]
pub struct Member {
    participant: Participant,
    agreement: Arc<Agreement>,
    /// `None` within one program.
    host: Option<Arc<Host>>,
}

/// What a member on a host of its own has beside the participant.
#[derive(Debug)]
pub(crate) struct Host {
    /// The configuration with which it has started.
    pub(crate) config: Config,
    pub(crate) tls: Tls,
    /// The stop times of the configured offices, as standers are told them.
    pub(crate) stops: Arc<RwLock<Stops>>,
    #[cfg(feature = "http")]
    pub(crate) token: Token,
}

impl Deref for Member {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.participant
    }
}

impl Member {
    pub(crate) fn of(participant: Participant, agreement: Agreement, host: Option<Host>) -> Self {
        Self { participant, agreement: Arc::new(agreement), host: host.map(Arc::new) }
    }

    pub(crate) fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    pub(crate) fn host(&self) -> Option<&Host> {
        self.host.as_deref()
    }
}

/// A participant without a vote, which stands for offices.
#[derive(Clone, Debug)]
pub struct Stander {
    participant: Participant,
    stops: Arc<Stops>,
}

impl Deref for Stander {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.participant
    }
}

impl Stander {
    pub(crate) fn of(participant: Participant, stops: Stops) -> Self {
        Self { participant, stops: Arc::new(stops) }
    }

    /// Returns how long the work of an office may go on after its leadership was lost: what the members'
    /// configuration said when this stander started.
    #[must_use]
    pub fn stop_of(&self, office: &str) -> Duration {
        let number = OfficeName::new(office).map(|name| name.number());
        let stop = number.ok().and_then(|number| self.stops.get(&number));
        stop.copied().map_or(Duration::ZERO, time)
    }
}

/// A cluster whose participants live in one program, over a [`LocalNetwork`].
#[derive(Clone, Debug)]
pub struct LocalCluster {
    network: LocalNetwork,
    members: Vec<String>,
    timing: Timing,
}

impl LocalCluster {
    /// Describes a cluster of members with these names.
    #[must_use]
    pub fn new(network: LocalNetwork, members: &[&str], timing: Timing) -> Self {
        let members = members.iter().map(|&name| name.to_owned()).collect();
        Self { network, members, timing }
    }

    /// Starts a member with a record and a clock.
    ///
    /// # Errors
    /// If there is no member of this name, the timing cannot be kept, or the record must not be
    /// used.
    pub fn member(
        &self,
        name: &str,
        store: impl Store,
        clock: Arc<dyn Clock>,
    ) -> Result<Member, StartError> {
        let number = self.members.iter().position(|member| member == name);
        let number = number.ok_or_else(|| {
            StartError::Members(format!(
                "there is no member `{name}`; there are {:?}",
                self.members
            ))
        })?;
        let participant = self.start(name, Peer(number as u32), Box::new(store), clock)?;
        let members = self.members.iter().map(|name| (name.clone(), false)).collect();
        Ok(Member::of(participant, Agreement::new(members, &self.timing), None))
    }

    /// Starts a stander of this name. No other stander may have its number.
    ///
    /// # Errors
    /// If the timing cannot be kept.
    pub fn stander(&self, name: &str, number: u32) -> Result<Stander, StartError> {
        let peer = Peer(self.members.len() as u32 + number);
        let participant = self.start(name, peer, Box::new(NoStore), Arc::new(BootClock))?;
        Ok(Stander::of(participant, Stops::new()))
    }

    fn start(
        &self,
        name: &str,
        me: Peer,
        store: Box<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Result<Participant, StartError> {
        let setting = self.timing.setting(me, self.members.len() as u32)?;
        let inbox = Arc::new(Inbox::default());
        let transport: Arc<dyn Transport> = self.network.join(me, name, inbox.doorway());
        Participant::start(Parts {
            setting,
            members: self.members.clone(),
            name: name.to_owned(),
            cluster: "local".to_owned(),
            priorities: Priorities::default(),
            witness: false,
            offices: Vec::new(),
            stops: Stops::new(),
            store,
            clock,
            clock_drift: None,
            transport,
            inbox,
        })
    }
}
