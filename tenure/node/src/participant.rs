//! The handles of a participant.

use crate::clock::{BootClock, DeadlineClock};
use crate::config::ClusterConfig;
use crate::engine::{
    EngineInbox, EngineParts, EngineRequest, MembershipChange, NodeEngine, WaitingProgram,
};
use crate::error::{ChangeError, ParticipantEnded, StandError, StartError, TransferError};
#[cfg(feature = "http")]
use crate::http::tokens::HttpTokens;
use crate::leadership::Leadership;
use crate::membership::ClusterMembers;
use crate::office::{OfficeError, OfficeName, OfficeNames};
use crate::records::{NoStore, Store};
use crate::roster::{MOST_HOSTS, Roster};
use crate::standing::{OfficeStanding, OfficeWatch};
use crate::status::{MembershipStatus, ParticipantStatus};
use crate::timing::{LeaseTiming, Stops, ticks, time};
use crate::transport::quic::{Agreement, Conversations, ReleaseTicket};
#[cfg(feature = "http")]
use crate::transport::quic::{Conversation, ConversationRights};
use crate::transport::{LocalNetwork, ParticipantTransport};
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock, Weak};
use std::thread;
use std::time::Duration;
use suffrage_net::tasks::{Panicked, Tasks};
use suffrage_net::tls::Tls;
use tenure_model::Peer;
use tenure_protocol::value::LeaderValue;
#[cfg(feature = "http")]
use tokio::io::DuplexStream;
use tokio::sync::{oneshot, watch};

/// A handle to a participant of a cluster: what [members](Member) and [clients](Client) have in
/// common. Clones refer to the same participant.
#[derive(Clone)]
pub struct Participant {
    inner: Arc<Inner>,
    _on_drop: Option<Arc<ShutDownOnDrop>>,
}

struct Inner {
    inbox: Arc<EngineInbox>,
    names: OfficeNames,
    next_id: AtomicU64,
    name: String,
    number: Arc<AtomicU32>,
    timing: LeaseTiming,
    witness: bool,
    transport: Weak<dyn ParticipantTransport>,
    members: watch::Receiver<ClusterMembers>,
    /// Closed when the loop has ended.
    ended: watch::Receiver<()>,
}

impl fmt::Debug for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Participant").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

impl Participant {
    pub(crate) fn start(parts: EngineParts) -> Result<Self, StartError> {
        let number = Arc::new(AtomicU32::new(parts.setting.me.0));
        let (ending, ended) = watch::channel(());
        let participant = Self::of(&parts, number.clone(), ended);
        let engine = NodeEngine::new(parts, number)?;
        let work = move || {
            // Dropped however the loop ends.
            let _ending = ending;
            engine.run();
        };
        let thread = thread::Builder::new().name(format!("tenure-{}", participant.name()));
        thread.spawn(work).map_err(StartError::Thread)?;
        Ok(participant)
    }

    /// Returns a handle to a participant with these parts.
    pub(crate) fn of(
        parts: &EngineParts,
        number: Arc<AtomicU32>,
        ended: watch::Receiver<()>,
    ) -> Self {
        let on_drop = ShutDownOnDrop(parts.inbox.clone());
        let inner = Inner {
            inbox: parts.inbox.clone(),
            names: OfficeNames::default(),
            next_id: AtomicU64::new(0),
            name: parts.name.clone(),
            number,
            timing: LeaseTiming::of(&parts.setting),
            witness: parts.witness,
            transport: Arc::downgrade(&parts.transport),
            members: parts.members.subscribe(),
            ended,
        };
        Self { inner: Arc::new(inner), _on_drop: Some(Arc::new(on_drop)) }
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
        Self { inner: self.inner.clone(), _on_drop: None }
    }

    /// Waits until this participant has ended, without keeping it alive.
    #[cfg(feature = "http")]
    pub(crate) fn until_ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.inner.ended.clone();
        async move { drop(ended.changed().await) }
    }

    /// Returns who the members are, to the knowledge of this participant.
    #[must_use]
    pub fn membership(&self) -> ClusterMembers {
        self.inner.members.borrow().clone()
    }

    pub(crate) fn act(&self, action: EngineRequest) {
        self.inner.inbox.act(action);
    }

    /// Makes a request of the loop, and waits for the answer; `None` if the loop has ended.
    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<T>) -> EngineRequest) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.act(request(answer));
        answered.await.ok()
    }

    /// Returns the name of this participant.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the number of this participant in the cluster. A client takes another one if it turns
    /// out that another client has the same.
    #[must_use]
    pub fn peer(&self) -> Peer {
        Peer(self.inner.number.load(Ordering::SeqCst))
    }

    /// Returns the timing of the cluster. The stop time is the longest of all offices.
    #[must_use]
    pub fn timing(&self) -> LeaseTiming {
        self.inner.timing
    }

    /// Returns the office of this name. An invalid name is reported when the office is used.
    #[must_use]
    pub fn office(&self, name: &str) -> OfficeHandle {
        OfficeHandle {
            participant: self.clone(),
            name: self.named(name),
            priority: None,
            stop: None,
            confirms: false,
            value: LeaderValue::default(),
        }
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
    pub async fn watch(&self, office: &str) -> Result<OfficeWatch, StandError> {
        self.office(office).watch().await
    }

    /// Returns what a [`CrashNotifier`](crate::CrashNotifier) has to know to release an office for this
    /// participant after it was killed; `None` within one program.
    #[must_use]
    pub fn release_ticket(&self) -> Option<ReleaseTicket> {
        self.inner.transport.upgrade()?.release_ticket()
    }

    /// Returns the conversations that begin with this member, for the program to answer: those of operators on any host,
    /// and those of programs that stand over HTTP. Until it is called, both are refused. `None` at the second call, and
    /// for participants that no one dials.
    #[must_use]
    pub fn conversations(&self) -> Option<Conversations> {
        self.inner.transport.upgrade()?.conversations()
    }

    /// Begins a conversation with this member. Returns the other side's end; `None` if the program does not answer.
    #[cfg(feature = "http")]
    pub(crate) fn converse(&self, rights: ConversationRights) -> Option<DuplexStream> {
        let (ours, theirs) = Conversation::within(rights);
        self.inner.transport.upgrade()?.begin(theirs).then_some(ours)
    }

    /// Adds a warning about a part of the program to the status of this participant, in place of the earlier one; or
    /// takes it back.
    pub fn warn_of(&self, about: &'static str, warning: Option<String>) {
        if let Some(transport) = self.inner.transport.upgrade() {
            transport.warn_of(about, warning);
        }
    }

    /// Returns a group for tasks of the program in the background. One that panics is logged, counted and named in the
    /// status, as the participant's own tasks are. All are cancelled when the group is dropped.
    #[must_use]
    pub fn tasks(&self) -> Tasks {
        let transport = self.inner.transport.clone();
        Tasks::new(Arc::new(move |Panicked { task, message }: Panicked| {
            if let Some(transport) = transport.upgrade() {
                transport.panicked(task, &message);
            }
        }))
    }

    /// Returns the state of this participant.
    ///
    /// # Errors
    /// If the participant has ended.
    pub async fn status(&self) -> Result<ParticipantStatus, ParticipantEnded> {
        self.ask(|answer| EngineRequest::Status { answer }).await.ok_or(ParticipantEnded)
    }

    /// Returns who the members are, to the knowledge of this participant.
    ///
    /// # Errors
    /// If the participant has ended.
    pub async fn members(&self) -> Result<MembershipStatus, ParticipantEnded> {
        self.ask(|answer| EngineRequest::Members { answer }).await.ok_or(ParticipantEnded)
    }

    /// Changes the members, and returns when the new ones decide alone. It takes about three round trips, two syncs of the
    /// records of a majority of the old members and of the new ones, and a heartbeat; offices stay led. Dropping the
    /// future does not take the change back.
    ///
    /// # Errors
    /// If this participant is no member, the change cannot be made, or another one was made first.
    pub async fn change_members(&self, change: MembershipChange) -> Result<(), ChangeError> {
        let changed = self.ask(|answer| EngineRequest::ChangeMembers { change, answer }).await;
        changed.unwrap_or_else(|| Err(ParticipantEnded.to_string())).map_err(ChangeError)
    }

    /// Shuts the participant down: programs that lead are asked to [stop](crate::Leadership::stopping),
    /// and when all leaderships were dropped or are over, all offices are released. No program can
    /// stand here any more. To stop waiting for a program, drop this future and call
    /// [`kill`](Self::kill).
    pub async fn shut_down(&self) {
        self.ask(|answer| EngineRequest::ShutDown { answer }).await;
        self.ended().await;
    }

    /// Ends the participant at once, as if the program had been killed: no office is released, so the offices held here
    /// are vacant until the lease is over. Leaderships are over at once.
    pub fn kill(&self) {
        self.inner.inbox.act(EngineRequest::Kill);
    }

    /// Waits until this participant has ended.
    pub async fn ended(&self) {
        let _ = self.inner.ended.clone().changed().await;
    }
}

/// Shuts the participant down when its last handle is dropped. Programs that still lead are asked
/// to stop, and waited for.
struct ShutDownOnDrop(Arc<EngineInbox>);

impl Drop for ShutDownOnDrop {
    fn drop(&mut self) {
        let (answer, _) = oneshot::channel();
        self.0.act(EngineRequest::ShutDown { answer });
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
    host: Option<Arc<MemberHost>>,
}

/// What a member on a host of its own has beside the participant.
#[derive(Debug)]
pub(crate) struct MemberHost {
    /// The configuration with which it has started.
    pub(crate) config: ClusterConfig,
    pub(crate) tls: Tls,
    /// The stop times of the configured offices, as clients are told them.
    pub(crate) stops: Arc<RwLock<Stops>>,
    #[cfg(feature = "http")]
    pub(crate) tokens: HttpTokens,
}

impl Deref for Member {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.participant
    }
}

impl Member {
    pub(crate) fn of(
        participant: Participant,
        agreement: Agreement,
        host: Option<MemberHost>,
    ) -> Self {
        Self { participant, agreement: Arc::new(agreement), host: host.map(Arc::new) }
    }

    pub(crate) fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    pub(crate) fn host(&self) -> Option<&MemberHost> {
        self.host.as_deref()
    }
}

/// A participant without a vote, which stands for offices.
#[derive(Clone, Debug)]
pub struct Client {
    participant: Participant,
    stops: Arc<Stops>,
}

impl Deref for Client {
    type Target = Participant;

    fn deref(&self) -> &Participant {
        &self.participant
    }
}

impl Client {
    pub(crate) fn of(participant: Participant, stops: Stops) -> Self {
        Self { participant, stops: Arc::new(stops) }
    }

    /// Returns how long the work of an office may go on after its leadership was lost: what the members'
    /// configuration said when this client started.
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
    timing: LeaseTiming,
}

impl LocalCluster {
    /// Describes a cluster of members with these names.
    #[must_use]
    pub fn new(network: LocalNetwork, members: &[&str], timing: LeaseTiming) -> Self {
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
        clock: Arc<dyn DeadlineClock>,
    ) -> Result<Member, StartError> {
        let number = self.members.iter().position(|member| member == name);
        let number = number.ok_or_else(|| {
            StartError::Members(format!(
                "there is no member `{name}`; there are {:?}",
                self.members
            ))
        })?;
        let participant = self.start(name, Peer(number as u32), Box::new(store), clock)?;
        Ok(Member::of(participant, Agreement::new(&self.timing), None))
    }

    /// Starts a client of this name. No other client may have its number.
    ///
    /// # Errors
    /// If the timing cannot be kept.
    pub fn client(&self, name: &str, number: u32) -> Result<Client, StartError> {
        let peer = Peer(MOST_HOSTS as u32 + number);
        let participant = self.start(name, peer, Box::new(NoStore), Arc::new(BootClock))?;
        Ok(Client::of(participant, Stops::new()))
    }

    fn start(
        &self,
        name: &str,
        me: Peer,
        mut store: Box<dyn Store>,
        clock: Arc<dyn DeadlineClock>,
    ) -> Result<Participant, StartError> {
        let loaded = store.load()?;
        let setting = self.timing.setting(me, self.members.len() as u32)?;
        let inbox = Arc::new(EngineInbox::default());
        let transport: Arc<dyn ParticipantTransport> = self.network.join(me, name, inbox.sink());
        let members = ClusterMembers::of_record(&loaded.record, Roster::named(&self.members));
        let parts = EngineParts::new(setting, (name, "local"), members, clock, transport, inbox);
        Participant::start(EngineParts { store, loaded, ..parts })
    }
}

/// A handle to an office at a participant.
#[derive(Clone, Debug)]
pub struct OfficeHandle {
    participant: Participant,
    name: Result<OfficeName, OfficeError>,
    priority: Option<u32>,
    stop: Option<Duration>,
    confirms: bool,
    value: LeaderValue,
}

impl OfficeHandle {
    /// Sets the priority with which to stand, in place of the configured one. Among the candidates for a vacant office,
    /// the one with the greatest priority leads.
    #[must_use]
    pub fn priority(self, priority: u32) -> Self {
        Self { priority: Some(priority), ..self }
    }

    /// Sets how long the work may go on after its leadership was lost, in place of the configured time
    /// of this office; for an office that is not configured that is the longest of the cluster. When
    /// this time is over, the office is released, whatever the program says.
    #[must_use]
    pub fn stop(self, stop: Duration) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Demands that the program [confirms](crate::Leadership::confirm) its leadership again and again, before the end
    /// that it has confirmed; the first time before the end of the first lease. Otherwise the leadership ends: a
    /// program that stands still, or whose work cannot run, leaves the office to others.
    #[must_use]
    pub fn confirmed(self) -> Self {
        Self { confirms: true, ..self }
    }

    /// Sets the value with which the leadership begins, such as the address at which it serves. The leader may
    /// [change](crate::Leadership::proclaim) it.
    #[must_use]
    pub fn value(self, value: LeaderValue) -> Self {
        Self { value, ..self }
    }

    /// Stands for the office until this participant leads, and no other does. Several tasks may
    /// stand for one office here: one of them leads at a time, in the order of their calls.
    ///
    /// Cancellation-safe: dropping the future withdraws the candidacy. To lead again after a loss,
    /// call it again.
    ///
    /// # Errors
    /// If the office cannot have this name, the stop time is longer than successors wait, or this participant
    /// is a witness or has ended.
    pub async fn stand(&self) -> Result<Leadership, StandError> {
        let office = self.name.clone()?;
        let inner = &self.participant.inner;
        if inner.witness {
            return Err(StandError::Witness);
        }
        let longest = inner.timing.stop;
        if let Some(stop) = self.stop.filter(|&stop| stop > longest) {
            return Err(StandError::Stop { stop, longest });
        }
        inner.names.enter(&office)?;
        let stop = self.stop.map(ticks);
        let id = inner.next_id.fetch_add(1, Ordering::Relaxed);
        let (priority, confirms, value) = (self.priority, self.confirms, self.value.clone());
        // Withdraws on drop; after an answer this has no effect.
        let _withdrawal = Withdrawal { inbox: inner.inbox.clone(), office: office.number(), id };
        let led = self.participant.ask(|answer| {
            let program = WaitingProgram { id, priority, stop, confirms, value, answer };
            EngineRequest::Stand { office, program }
        });
        led.await.ok_or(StandError::Ended)
    }

    /// Watches who leads.
    ///
    /// # Errors
    /// If the office cannot have this name, or the participant has ended.
    pub async fn watch(&self) -> Result<OfficeWatch, StandError> {
        let office = self.name.clone()?;
        let standings = self.participant.ask(|answer| EngineRequest::Watch { office, answer });
        standings.await.map(OfficeWatch::new).ok_or(StandError::Ended)
    }

    /// Returns the present leader, to the knowledge of this participant. If it does not know, it asks the members, and
    /// a later call returns their answers.
    ///
    /// # Errors
    /// If the office cannot have this name, or the participant has ended.
    pub async fn standing(&self) -> Result<OfficeStanding, StandError> {
        let office = self.name.clone()?;
        let standing = self.participant.ask(|answer| EngineRequest::Tell { office, answer });
        standing.await.ok_or(StandError::Ended)
    }

    /// Asks the leader, wherever it is, to end its work and to leave the office, and waits until it has, to the
    /// knowledge of this participant, for about a minute. This is for operators; a program that leads calls
    /// [`Leadership::resign`].
    ///
    /// # Errors
    /// If no leader is known, or the leader does not leave.
    pub async fn ask_to_resign(&self) -> Result<(), TransferError> {
        self.ask_to_leave(None).await
    }

    /// Asks the leader, wherever it is, to leave the office to the participant of this name, and waits until that one
    /// leads, to the knowledge of this participant.
    ///
    /// # Errors
    /// If no leader is known, the participant is not known, leads already, is known not to stand, or does not
    /// answer, since it is down, cut off or suspended: then the leader is not told to leave. If the leader does not
    /// leave, since its work does not end; and if it has left, and not the participant that was named leads then.
    pub async fn ask_to_transfer(&self, to: &str) -> Result<(), TransferError> {
        self.ask_to_leave(Some(to.to_owned())).await
    }

    async fn ask_to_leave(&self, to: Option<String>) -> Result<(), TransferError> {
        let not_leading = |why: String| TransferError::NotLeading(why);
        let office = self.name.clone().map_err(|error| not_leading(error.to_string()))?;
        let left = self.participant.ask(|answer| EngineRequest::Leave { office, to, answer });
        left.await.unwrap_or_else(|| Err(not_leading(ParticipantEnded.to_string())))
    }
}

struct Withdrawal {
    inbox: Arc<EngineInbox>,
    office: tenure_model::Office,
    id: u64,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.inbox.act(EngineRequest::Abandon { office: self.office, id: self.id });
    }
}
