//! The handles of a participant.

use crate::clock::{BootClock, Clock, ClockError};
use crate::config::ConfigError;
use crate::engine::{Action, Doorway, Engine, Inbox, Parts, Priorities, TICK};
use crate::leadership::{Leadership, TransferError};
use crate::office::{Names, OfficeError, OfficeName};
use crate::records::{NoStore, Store, StoreError};
use crate::standing::{Standing, Watch};
use crate::status::Status;
use crate::timing::{Timing, TimingError};
use crate::transport::quic::Agreement;
use crate::transport::{LocalNetwork, Transport};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use suffrage_net::tls::Tls;
use suffrage_process::recovery::{Peer, Setting};
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
    peer: Peer,
    timing: Timing,
    witness: bool,
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
    /// The name cannot be that of an office.
    #[error(transparent)]
    Office(#[from] OfficeError),
    /// A witness never leads.
    #[error("this member is a witness: it votes, and never leads")]
    Witness,
    /// The participant has ended, or is about to.
    #[error("the participant has ended")]
    Ended,
}

impl Participant {
    pub(crate) fn start(parts: Parts) -> Result<Self, StartError> {
        let (inbox, name, peer) = (parts.inbox.clone(), parts.name.clone(), parts.setting.me);
        let timing = Timing::of(&parts.setting);
        let witness = parts.witness;
        let engine = Engine::new(parts)?;
        let (ending, ended) = watch::channel(false);
        let work = move || {
            // Sent however the loop ends.
            let _ending = Ending(ending);
            engine.run();
        };
        let thread = thread::Builder::new().name(format!("suffrage-{name}"));
        thread.spawn(work).map_err(StartError::Thread)?;
        let (names, tickets) = (Names::default(), AtomicU64::new(0));
        let keeper = Keeper(inbox.clone());
        let inner = Inner { inbox, names, tickets, name, peer, timing, witness, ended };
        Ok(Self { inner: Arc::new(inner), _keeper: Some(Arc::new(keeper)) })
    }

    /// Enters the names of offices.
    pub(crate) fn enter<'a>(
        &self,
        offices: impl IntoIterator<Item = &'a OfficeName>,
    ) -> Result<(), OfficeError> {
        offices.into_iter().try_for_each(|office| self.inner.names.enter(office))
    }

    /// Returns a handle that does not keep the participant alive.
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

    /// Returns the number of this participant in the cluster.
    #[must_use]
    pub fn peer(&self) -> Peer {
        self.inner.peer
    }

    /// Returns the timing of the cluster. The stop time is the longest of all offices.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.inner.timing
    }

    /// Returns the office of this name. An invalid name is reported when the office is used.
    #[must_use]
    pub fn office(&self, name: &str) -> Office {
        Office { participant: self.clone(), name: self.named(name), priority: None }
    }

    fn named(&self, name: &str) -> Result<OfficeName, OfficeError> {
        let name = OfficeName::new(name)?;
        self.inner.names.enter(&name)?;
        Ok(name)
    }

    /// Watches who leads an office.
    ///
    /// # Errors
    /// If the name cannot be that of an office, or the participant has ended.
    pub async fn watch(&self, office: &str) -> Result<Watch, StandError> {
        self.office(office).watch().await
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

    /// Shuts the participant down: programs that lead are asked to [stop](Leadership::stopping),
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

/// A handle to an office at a participant.
#[derive(Clone, Debug)]
pub struct Office {
    participant: Participant,
    name: Result<OfficeName, OfficeError>,
    priority: Option<u32>,
}

impl Office {
    /// Sets the priority with which to stand, in place of the configured one. Of several candidates
    /// for a vacant office the one of the greatest priority leads.
    #[must_use]
    pub fn priority(self, priority: u32) -> Self {
        Self { priority: Some(priority), ..self }
    }

    /// Stands for the office until this participant leads, and no other does. Several tasks may
    /// stand for one office here: one of them leads at a time, in the order of their calls.
    ///
    /// Cancellation-safe: dropping the future withdraws the candidacy. To lead again after a loss,
    /// call it again.
    ///
    /// # Errors
    /// If the name is not that of an office, or this participant is a witness or has ended.
    pub async fn stand(&self) -> Result<Leadership, StandError> {
        let office = self.name.clone()?;
        let inner = &self.participant.inner;
        if inner.witness {
            return Err(StandError::Witness);
        }
        let ticket = inner.tickets.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        let number = office.number();
        let priority = self.priority;
        inner.inbox.act(Action::Stand { office, ticket, priority, answer });
        // Withdraws on drop; after an answer this has no effect.
        let _withdrawal = Withdrawal { inbox: inner.inbox.clone(), office: number, ticket };
        answered.await.map_err(|_| StandError::Ended)
    }

    /// Watches who leads.
    ///
    /// # Errors
    /// If the name is not that of an office, or the participant has ended.
    pub async fn watch(&self) -> Result<Watch, StandError> {
        self.standings().await.map(Watch::new)
    }

    /// Returns the present leader, as far as this participant knows.
    ///
    /// # Errors
    /// If the name is not that of an office, or the participant has ended.
    pub async fn standing(&self) -> Result<Standing, StandError> {
        Ok(self.standings().await?.borrow().clone())
    }

    async fn standings(&self) -> Result<watch::Receiver<Standing>, StandError> {
        let office = self.name.clone()?;
        let (answer, answered) = oneshot::channel();
        self.participant.inner.inbox.act(Action::Watch { office, answer });
        answered.await.map_err(|_| StandError::Ended)
    }

    /// Asks the leader, wherever it is, to end its work and to leave the office, and waits until it
    /// has, as far as this participant knows. This is for operators; a program that leads calls
    /// [`Leadership::resign`].
    ///
    /// # Errors
    /// If no leader is known, or the leader does not leave.
    pub async fn ask_to_resign(&self) -> Result<(), TransferError> {
        self.ask_to_leave(None).await
    }

    /// Asks the leader, wherever it is, to leave the office to the participant of this name, if
    /// that one stands for it, and waits until it has left, as far as this participant knows.
    ///
    /// # Errors
    /// If no leader is known, no participant of this name is known, or the leader does not leave.
    pub async fn ask_to_transfer(&self, to: &str) -> Result<(), TransferError> {
        self.ask_to_leave(Some(to.to_owned())).await
    }

    async fn ask_to_leave(&self, to: Option<String>) -> Result<(), TransferError> {
        let not_leading = |why: String| TransferError::NotLeading(why);
        let office = self.name.clone().map_err(|error| not_leading(error.to_string()))?;
        let (answer, answered) = oneshot::channel();
        self.participant.inner.inbox.act(Action::Leave { office, to, answer });
        answered.await.unwrap_or_else(|_| Err(not_leading(Ended.to_string())))
    }
}

struct Withdrawal {
    inbox: Arc<Inbox>,
    office: suffrage_process::recovery::Office,
    ticket: u64,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.inbox.act(Action::Abandon { office: self.office, ticket: self.ticket });
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
    tls: Option<Tls>,
}

impl Deref for Member {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.participant
    }
}

impl Member {
    pub(crate) fn of(participant: Participant, agreement: Agreement, tls: Option<Tls>) -> Self {
        Self { participant, agreement: Arc::new(agreement), tls }
    }

    pub(crate) fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    pub(crate) const fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }
}

/// A participant without a vote, which stands for offices.
#[derive(Clone, Debug)]
pub struct Stander(Participant);

impl Deref for Stander {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.0
    }
}

impl Stander {
    pub(crate) const fn of(participant: Participant) -> Self {
        Self(participant)
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
        self.start(name, peer, Box::new(NoStore), Arc::new(BootClock)).map(Stander)
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
        let transport: Arc<dyn Transport> = self.network.join(me, name, Doorway(inbox.clone()));
        Participant::start(Parts {
            setting,
            members: self.members.clone(),
            name: name.to_owned(),
            cluster: "local".to_owned(),
            priorities: Priorities::default(),
            witness: false,
            offices: Vec::new(),
            store,
            clock,
            transport,
            inbox,
        })
    }
}

impl Timing {
    /// Returns the timing that a process was given.
    fn of(setting: &Setting) -> Self {
        let time = |ticks: u32| std::time::Duration::from_nanos(u64::from(ticks) * TICK);
        Self {
            heartbeat: time(setting.heartbeat),
            lease: time(setting.lease),
            stop: time(setting.stop),
            clock_bound: setting.clocks.fastest - setting.clocks.slowest,
        }
    }

    /// Returns the setting of a process with this timing.
    pub(crate) fn setting(&self, me: Peer, members: u32) -> Result<Setting, TimingError> {
        self.check()?;
        let ticks = |time: std::time::Duration| (time.as_nanos() as u64 / TICK) as u32;
        Ok(Setting {
            me,
            members,
            heartbeat: ticks(self.heartbeat),
            lease: ticks(self.lease),
            stop: ticks(self.stop),
            clocks: self.clocks(),
        })
    }
}
