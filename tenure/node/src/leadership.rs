//! The handle of a program that leads, and the thread that ends leaderships by the clock.
//!
//! The loop tells a leadership that it is over. In case the loop is late, a thread watches the clock as well,
//! for all leaderships of the participant at once. Most of them last until the same instant, since one
//! renewal extends them all. With a timer for each, a thousand leaderships would wake a thousand programs at
//! each heartbeat.

use crate::clock::DeadlineClock;
use crate::error::{LeadershipLost, TransferError};
use crate::office::OfficeName;
use crate::status::WorkStatus;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;
use tenure_model::{Office, Term};
use tenure_protocol::value::LeaderValue;
use tokio::sync::{oneshot, watch};

/// The value of `until` of a leadership that is over.
const OVER: u64 = 0;
/// The value of `until` of a leadership that no alarm ends.
const NO_END: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeadershipStage {
    Leading,
    Stopping,
    Over,
}

/// The state that the loop and the handles of one leadership share.
#[derive(Debug)]
pub(crate) struct SharedLeadership {
    pub(crate) office: OfficeName,
    pub(crate) term: Term,
    ends: Arc<Ends>,
    /// Until when the leadership lasts. Once this is [`OVER`] it stays so.
    until: AtomicU64,
    /// Until when it was ever certain. It may end sooner, and its work may not have looked since.
    promised: AtomicU64,
    stage: watch::Sender<LeadershipStage>,
    /// If the program has to confirm it: for how long it lasts from each heartbeat where no alarm ends it. So its work
    /// counts on it for no longer than that, however it ends.
    lease: Option<u64>,
    /// Marked as changed when it is extended.
    extended: watch::Sender<()>,
    /// Until when the program has confirmed it; [`NO_END`] if it need not.
    confirmed: AtomicU64,
    /// Why the work is not under way, if it is not, and since when, once the program has told.
    work: Mutex<Option<(Option<String>, u64)>>,
}

/// How long a program may be silent after the end that it has confirmed, in nanoseconds.
const SILENCE: u64 = 100_000_000;

impl SharedLeadership {
    pub(crate) fn new(office: OfficeName, term: Term, ends: Arc<Ends>) -> Self {
        let until = AtomicU64::new(1);
        let stage = watch::Sender::new(LeadershipStage::Leading);
        let confirmed = AtomicU64::new(NO_END);
        let (extended, work) = (watch::Sender::default(), Mutex::default());
        let promised = AtomicU64::new(0);
        let lease = None;
        Self { office, term, ends, until, promised, stage, lease, extended, confirmed, work }
    }

    /// Demands confirmations, the first one before the end with which it begins.
    pub(crate) fn confirmed(self, lease: u64) -> Self {
        Self { lease: Some(lease), ..self }
    }

    /// Returns until when its work may count on it, whatever has happened since; `None` if no alarm ends it.
    pub(crate) fn promised(&self) -> Option<u64> {
        Some(self.promised.load(Ordering::SeqCst)).filter(|&until| until != NO_END)
    }

    /// Returns whether the program that has to confirm it is silent: it stands still, or the work cannot run. From then
    /// on it cannot be confirmed.
    pub(crate) fn is_silent(&self, now: u64) -> bool {
        let silent = |until: u64| (until.saturating_add(SILENCE) < now).then_some(OVER);
        self.confirmed.fetch_update(Ordering::SeqCst, Ordering::SeqCst, silent).is_ok()
    }

    pub(crate) fn work(&self) -> Option<WorkStatus> {
        let told = self.work.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let now = self.ends.clock().now();
        told.map(|(why, since)| WorkStatus {
            running: why.is_none(),
            since: Duration::from_nanos(now.saturating_sub(since)),
            why,
        })
    }

    fn valid_for(&self) -> Duration {
        let mut until = self.until.load(Ordering::SeqCst);
        loop {
            let left = match until {
                NO_END => return Duration::MAX,
                OVER => return Duration::ZERO,
                _ => until.saturating_sub(self.ends.clock().now()),
            };
            if left > 0 {
                return self.ends.clock().wait(left);
            }
            // A caller that has seen it as over never sees it as valid again. It may have been extended
            // after its end was read.
            let over = self.until.compare_exchange(until, OVER, Ordering::SeqCst, Ordering::SeqCst);
            until = over.map_or_else(|extended| extended, |_| OVER);
        }
    }

    /// Tells the handles if it is over, by the clock. Returns until when it lasts otherwise.
    pub(crate) fn look(&self) -> Option<u64> {
        if self.valid_for().is_zero() {
            self.stage.send_replace(LeadershipStage::Over);
            return None;
        }
        Some(self.until.load(Ordering::SeqCst))
    }

    /// Extends it to `until`; `None` if no alarm ends it. Returns whether it did: not if a handle
    /// has reported that it is over.
    pub(crate) fn lasts(&self, until: Option<u64>) -> bool {
        let until = self.end_of(until);
        self.promised.fetch_max(until, Ordering::SeqCst);
        let update = |old| (old != OVER).then_some(until);
        let old = self.until.fetch_update(Ordering::SeqCst, Ordering::SeqCst, update);
        self.ends.note(until);
        if old.is_ok_and(|old| old < until) && self.extended.receiver_count() > 0 {
            self.extended.send_replace(());
        }
        old.is_ok()
    }

    /// Returns whether the program has to confirm it.
    pub(crate) const fn is_confirmed(&self) -> bool {
        self.lease.is_some()
    }

    fn end_of(&self, until: Option<u64>) -> u64 {
        let unending =
            || self.lease.map_or(NO_END, |it| self.ends.clock().now().saturating_add(it));
        until.unwrap_or_else(unending).max(1)
    }

    pub(crate) fn begin(self: &Arc<Self>, until: Option<u64>) {
        let until = self.end_of(until);
        self.promised.store(until, Ordering::SeqCst);
        if self.lease.is_some() {
            self.confirmed.store(until, Ordering::SeqCst);
        }
        self.until.store(until, Ordering::SeqCst);
        self.ends.watch(self);
    }

    #[cfg(test)]
    pub(crate) fn stage(&self) -> LeadershipStage {
        *self.stage.borrow()
    }

    #[cfg(test)]
    pub(crate) fn ends(&self) -> &Ends {
        &self.ends
    }

    pub(crate) fn stop(&self) {
        self.stage.send_if_modified(|stage| {
            let leads = *stage == LeadershipStage::Leading;
            if leads {
                *stage = LeadershipStage::Stopping;
            }
            leads
        });
    }

    pub(crate) fn end(&self) {
        self.until.store(OVER, Ordering::SeqCst);
        self.stage.send_replace(LeadershipStage::Over);
    }
}

/// The participant by which a leadership is held, and which releases its office.
pub(crate) trait LeadershipHolder: Send + Sync {
    /// Releases the office in this term, to the participant of this name if one is given; and
    /// answers when this participant holds it no longer. Returns at once.
    fn release(&self, office: Office, term: Term, to: Option<String>, answer: Option<ReleaseReply>);

    /// Sets the value of the leadership of this term. Returns at once.
    fn proclaim(&self, office: Office, term: Term, value: LeaderValue);
}

/// Where the answer to a release or a transfer goes.
pub(crate) type ReleaseReply = oneshot::Sender<Result<(), TransferError>>;

/// The leadership of an office, for one term.
///
/// It is certain for [`valid_for`](Self::valid_for) from now, and is extended continually while the
/// participant can reach a majority of the members. Once it is over it stays so: a later
/// leadership of the same office is another value, with a greater term.
///
/// **Dropping it declares that the work has ended**: the office is released at once, if it is still
/// held. So drop it when the work has ended, and not before.
pub struct Leadership {
    shared: Arc<SharedLeadership>,
    holder: Arc<dyn LeadershipHolder>,
    released: bool,
}

impl fmt::Debug for Leadership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leadership")
            .field("office", &self.shared.office.name())
            .field("term", &self.shared.term.0)
            .field("valid_for", &self.valid_for())
            .finish()
    }
}

impl Leadership {
    pub(crate) fn new(shared: Arc<SharedLeadership>, holder: Arc<dyn LeadershipHolder>) -> Self {
        Self { shared, holder, released: false }
    }

    /// Returns the name of the office.
    #[must_use]
    pub fn office(&self) -> &str {
        self.shared.office.name()
    }

    /// Returns the term. It is greater than the terms of all earlier leaderships of this office. It is the
    /// fencing token: send it with each write of this leader.
    #[must_use]
    pub fn term(&self) -> u64 {
        self.shared.term.0
    }

    /// Returns for how long the leadership is certain from now on, by the clock, which is read at
    /// each call. Zero if it is over; [`Duration::MAX`] if only its holder can end it, and it need not be confirmed.
    ///
    /// It may end sooner, for example if members that have granted it start again. Even then no other participant
    /// leads before the instant that this call gave, unless this leadership is dropped.
    #[must_use]
    pub fn valid_for(&self) -> Duration {
        self.shared.valid_for()
    }

    /// Checks that the leadership is not over, for example before a step that only a leader may
    /// take. The resource that the step writes to should still compare [terms](Self::term): this
    /// program may be suspended between the check and the step.
    ///
    /// # Errors
    /// [`LeadershipLost`] if it is over.
    pub fn check(&self) -> Result<(), LeadershipLost> {
        if self.valid_for().is_zero() { Err(self.lost_error()) } else { Ok(()) }
    }

    fn lost_error(&self) -> LeadershipLost {
        LeadershipLost { office: self.office().to_owned(), term: self.term() }
    }

    /// Waits until the leadership is over, by the clock at the latest. Cancellation-safe.
    pub async fn lost(&self) {
        let mut stage = self.shared.stage.subscribe();
        while !self.valid_for().is_zero() && *stage.borrow_and_update() != LeadershipStage::Over {
            if stage.changed().await.is_err() {
                return;
            }
        }
    }

    /// Confirms that this program and its work are well: the work ends by itself when `valid` from now is over,
    /// unless the program confirms it again. See [`OfficeHandle::confirmed`](crate::OfficeHandle::confirmed). Returns
    /// whether it was not too late: otherwise the leadership ends, since the program was silent.
    pub fn confirm(&self, valid: Duration) -> bool {
        let valid = u64::try_from(valid.as_nanos()).unwrap_or(NO_END);
        let until = self.shared.ends.clock().now().saturating_add(valid);
        let later = |old: u64| (old != OVER).then_some(old.max(until));
        self.shared.confirmed.fetch_update(Ordering::SeqCst, Ordering::SeqCst, later).is_ok()
    }

    /// Tells operators whether the work is under way, and otherwise why not. See
    /// [`OfficeStatus::work`](crate::status::OfficeStatus::work).
    pub fn tell_work(&self, why_not: Option<&str>) {
        let now = self.shared.ends.clock().now();
        let mut work = self.shared.work.lock().unwrap_or_else(PoisonError::into_inner);
        if work.as_ref().is_none_or(|(told, _)| told.as_deref() != why_not) {
            *work = Some((why_not.map(str::to_owned), now));
        }
    }

    /// Sets the value of this leadership, such as the address at which it serves, in place of the present one; the empty
    /// one takes it back. All participants that know who leads can tell it, as soon as a message reaches them:
    /// [`OfficeStanding::value`](crate::OfficeStanding::value). Returns at once.
    ///
    /// # Errors
    /// [`LeadershipLost`] if it is over.
    pub fn proclaim(&self, value: LeaderValue) -> Result<(), LeadershipLost> {
        self.check()?;
        self.holder.proclaim(self.shared.office.number(), self.shared.term, value);
        Ok(())
    }

    /// Returns the extensions of this leadership from now on, for work that needs to know how long it may go on.
    #[must_use]
    pub fn extensions(&self) -> Extensions {
        Extensions(self.shared.extended.subscribe())
    }

    /// Waits until the work has to end: because an operator wants the office to be resigned or
    /// transferred, because the participant shuts down, or because the leadership is over. The
    /// caller should then end the work and drop the leadership. Cancellation-safe.
    pub async fn stopping(&self) {
        let mut stage = self.shared.stage.subscribe();
        let told =
            async { stage.wait_for(|stage| *stage != LeadershipStage::Leading).await.map(drop) };
        tokio::select! {
            _ = told => {}
            () = self.lost() => {}
        }
    }

    /// Returns whether the work has to end: whether [`stopping`](Self::stopping) would return.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.shared.stage.borrow() != LeadershipStage::Leading || self.valid_for().is_zero()
    }

    /// Releases the office, after the work has ended, and waits until this participant holds it no
    /// longer. Can also be called after the leadership was lost, if the work went on for a while.
    pub async fn resign(mut self) {
        // Without a successor it cannot fail.
        let _ = self.release(None).await;
    }

    /// Releases the office to the participant of this name, if that one stands for it, after the
    /// work has ended; and waits until this participant holds it no longer.
    ///
    /// # Errors
    /// If no participant of this name is known, or the leadership is over. The office is released
    /// then, too.
    pub async fn transfer(mut self, to: &str) -> Result<(), TransferError> {
        self.release(Some(to.to_owned())).await
    }

    async fn release(&mut self, to: Option<String>) -> Result<(), TransferError> {
        self.released = true;
        let (answer, answered) = oneshot::channel();
        let (office, term) = (self.shared.office.number(), self.shared.term);
        self.holder.release(office, term, to, Some(answer));
        // If the loop has ended, no office is held any more.
        answered.await.unwrap_or(Ok(()))
    }
}

/// The extensions of a leadership ([`Leadership::extensions`]).
#[derive(Debug)]
pub struct Extensions(watch::Receiver<()>);

impl Extensions {
    /// Waits until the leadership has been extended since the last call. Cancellation-safe.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // The leadership is over.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Leadership {
    fn drop(&mut self) {
        if !self.released {
            let (office, term) = (self.shared.office.number(), self.shared.term);
            self.holder.release(office, term, None, None);
        }
        // The holder has not begun any work that could go on.
        self.shared.until.store(OVER, Ordering::SeqCst);
    }
}

/// The longest time between two readings of the clock: timers stop while the host is suspended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The shortest time between two readings.
const LOOK_LATER: Duration = Duration::from_micros(100);

/// The watch over the leaderships of a participant. It ends when the participant and all its
/// leaderships are dropped.
#[derive(Debug)]
pub(crate) struct Ends {
    clock: Arc<dyn DeadlineClock>,
    /// The first end of a leadership, as the thread knows it.
    first: Arc<AtomicU64>,
    /// Takes the leaderships to watch; `None` has the thread look sooner.
    thread: Sender<Option<Weak<SharedLeadership>>>,
}

impl Ends {
    pub(crate) fn new(clock: Arc<dyn DeadlineClock>) -> io::Result<Arc<Self>> {
        let (ends, mut watcher) = Self::watched(clock);
        thread::Builder::new().name("tenure-ends".into()).spawn(move || watcher.run())?;
        Ok(ends)
    }

    /// Returns a watch that its caller keeps.
    pub(crate) fn watched(clock: Arc<dyn DeadlineClock>) -> (Arc<Self>, EndWatcher) {
        let (thread, news) = channel();
        let first = Arc::new(AtomicU64::new(u64::MAX));
        let ends = Self { clock: clock.clone(), first: first.clone(), thread };
        (Arc::new(ends), EndWatcher { clock, first, news, watched: Vec::new() })
    }

    pub(crate) fn clock(&self) -> &dyn DeadlineClock {
        &*self.clock
    }

    /// Watches a leadership until it is over or dropped.
    pub(crate) fn watch(&self, shared: &Arc<SharedLeadership>) {
        let _ = self.thread.send(Some(Arc::downgrade(shared)));
    }

    /// Notes that a leadership that is watched now ends at this instant, after its end was changed.
    pub(crate) fn note(&self, until: u64) {
        if until < self.first.load(Ordering::SeqCst) {
            let _ = self.thread.send(None);
        }
    }
}

/// The thread's part.
#[derive(Debug)]
pub(crate) struct EndWatcher {
    clock: Arc<dyn DeadlineClock>,
    first: Arc<AtomicU64>,
    news: Receiver<Option<Weak<SharedLeadership>>>,
    watched: Vec<Weak<SharedLeadership>>,
}

impl EndWatcher {
    fn run(&mut self) {
        loop {
            let first = self.look();
            let left = self.clock.wait(first.saturating_sub(self.clock.now()));
            let wait = left.clamp(LOOK_LATER, LOOK_AGAIN);
            let heard = match self.watched.is_empty() {
                true => self.news.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => self.news.recv_timeout(wait),
            };
            match heard {
                Ok(heard) => {
                    self.watched.extend(heard);
                    self.hear();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Takes the leaderships that have begun meanwhile.
    pub(crate) fn hear(&mut self) {
        self.watched.extend(self.news.try_iter().flatten());
    }

    /// Tells the leaderships whose ends are due that they are over, and returns the first end of
    /// the others.
    pub(crate) fn look(&mut self) -> u64 {
        loop {
            let mut first = u64::MAX;
            self.watched.retain(|watched| {
                let until = watched.upgrade().and_then(|shared| shared.look());
                first = first.min(until.unwrap_or(u64::MAX));
                until.is_some()
            });
            // One that was made to end sooner meanwhile has compared its end with the value of
            // before, or is seen in another look.
            if first <= self.first.swap(first, Ordering::SeqCst) {
                return first;
            }
        }
    }
}

#[cfg(test)]
mod tests;
