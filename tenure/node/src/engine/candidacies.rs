//! The programs that stand for offices and lead in them.
//!
//! A participant stands for an office while a program waits for it or leads in it, and not while
//! the work of an earlier leadership goes on: so no two programs work in one office here. The work of a program that
//! has to confirm its leadership ends by itself, with its stop time after the last end that it was told: then another
//! program can lead here, too, whether that one has said so or stands still.
//!
//! # Why in this order
//! [`NodeEngine::update`] reconciles programs and process after any change of either:
//! 1. A leadership whose tenure is over ends first. Its handle knows that before any message of the same
//!    reaction leaves, so that no successor leads while it still takes itself for certain.
//! 2. A new tenure is handed over only when all that was written up to its beginning is synced (`gaining`):
//!    after a crash, this member must know the term that a program has used.
//! 3. Work of an earlier leadership that goes on makes the new tenure useless. It is left at once.
//! 4. A program that is done is forgotten, then the office is left, and only then is the process told that the
//!    work has stopped: that last command may release the office, and another host may lead from then on.
//! 5. Whether to stand is decided after that, since a leadership that has just ended makes room for the next
//!    program; watchers are told of the result, and an office that matters to nothing is forgotten last.

use super::{EngineRequest, NodeEngine, TICK};
use crate::error::TransferError;
use crate::leadership::{Leadership, ReleaseReply, SharedLeadership};
use crate::office::OfficeName;
use crate::standing::OfficeStanding;
use crate::status::{StorageStatus, WorkStatus};
use std::collections::VecDeque;
use std::sync::Arc;
use tenure_model::{Command, Office, OfficeTenure, Peer, Recoverable, Term};
use tenure_protocol::reconfiguration::ReconfigurableAlarm;
use tenure_protocol::tenure::Alarm;
use tenure_protocol::value::{LeaderValue, ValueInput};
use tokio::sync::{oneshot, watch};
use tracing::warn;

/// The state of an office at this participant.
pub(super) struct Candidacy {
    pub(super) office: OfficeName,
    waiting: VecDeque<WaitingProgram>,
    current: Option<OngoingLeadership>,
    /// The priority with which the process was told to stand.
    told: Option<u32>,
    /// A tenure that has begun but may depend on writes that are not on stable storage: its term,
    /// and the number of reactions whose writes have to be synced.
    gaining: Option<(Term, u64)>,
    pub(super) standing: Option<watch::Sender<OfficeStanding>>,
    /// Until when it is kept because a program has asked who leads. It is kept for longer while one watches.
    pub(super) asked_for: Option<u64>,
    pub(super) reports: super::observer::MemberReports,
    pub(super) work: super::work::LeaderWork,
    /// The latest term of a leader that this participant knows of.
    pub(super) last_term: Option<Term>,
    pub(super) was_led: bool,
}

pub(crate) struct WaitingProgram {
    pub(crate) id: u64,
    pub(crate) priority: Option<u32>,
    /// For how many ticks its work may go on after a loss.
    pub(crate) stop: Option<u32>,
    /// Whether it has to confirm its leadership again and again.
    pub(crate) confirms: bool,
    /// The value of its leadership, until it sets another one.
    pub(crate) value: LeaderValue,
    pub(crate) answer: oneshot::Sender<Leadership>,
}

struct OngoingLeadership {
    shared: Arc<SharedLeadership>,
    /// For how many ticks the work may go on after a loss.
    stop: u32,
    lost: bool,
    /// When its work has ended by itself, after it was lost; the greatest number if it need not be confirmed.
    ends_at: u64,
    /// Whether the program has ended its work; and its choice of the next leader.
    done: bool,
    next: Option<Peer>,
    answers: Vec<ReleaseReply>,
}

impl OngoingLeadership {
    /// Notes that it is lost. Returns when its work has ended by itself; never, if the program need not confirm it.
    fn lose(&mut self, now: u64) -> u64 {
        self.lost = true;
        self.shared.end();
        let promised = self.shared.promised().filter(|_| self.shared.is_confirmed());
        let end = |promised: u64| now.max(promised).saturating_add(u64::from(self.stop) * TICK);
        self.ends_at = promised.map_or(u64::MAX, end);
        self.ends_at
    }
}

impl Drop for OngoingLeadership {
    fn drop(&mut self) {
        self.shared.end();
        for answer in self.answers.drain(..) {
            let _ = answer.send(Ok(()));
        }
    }
}

impl Candidacy {
    pub(super) fn new(office: OfficeName) -> Self {
        Self {
            office,
            waiting: VecDeque::new(),
            current: None,
            told: None,
            gaining: None,
            standing: None,
            asked_for: None,
            reports: super::observer::MemberReports::default(),
            work: super::work::LeaderWork::default(),
            last_term: None,
            was_led: false,
        }
    }

    pub(super) const fn is_working(&self) -> bool {
        self.current.is_some()
    }

    /// Returns for how many ticks the work of the program may go on after its leadership was lost; 0
    /// if no program has begun any.
    pub(super) fn stop(&self) -> u32 {
        self.current.as_ref().map_or(0, |current| current.stop)
    }

    /// Returns until when the work of the program that leads here may count on its leadership, even if that is over.
    pub(super) fn promised(&self) -> Option<u64> {
        self.current.as_ref()?.shared.promised()
    }

    /// Returns whether the work of the program that leads here is under way, with its term, if it tells.
    pub(super) fn own_work(&self) -> Option<(Term, WorkStatus)> {
        let shared = &self.current.as_ref().filter(|current| !current.done)?.shared;
        Some((shared.term, shared.work()?))
    }

    pub(super) const fn stands(&self) -> bool {
        self.told.is_some()
    }

    pub(super) fn is_watched(&self) -> bool {
        self.standing.as_ref().is_some_and(|standing| standing.receiver_count() > 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.current.is_none() && self.told.is_none()
    }
}

impl NodeEngine {
    pub(super) fn candidacy(&mut self, office: &OfficeName) -> &mut Candidacy {
        self.candidacies.entry(office.number()).or_insert_with(|| Candidacy::new(office.clone()))
    }

    /// Creates a candidacy for each office that is known beforehand.
    pub(super) fn know_offices(&mut self) {
        for office in self.parts.offices.clone() {
            self.candidacy(&office);
        }
    }

    pub(super) fn stand(&mut self, office: &OfficeName, program: WaitingProgram) {
        if self.shutdown.is_none() {
            self.candidacy(office).waiting.push_back(program);
            self.update(office.number());
        }
    }

    pub(super) fn abandon(&mut self, office: Office, id: u64) {
        if let Some(candidacy) = self.candidacies.get_mut(&office) {
            candidacy.waiting.retain(|waiting| waiting.id != id);
            self.update(office);
        }
    }

    fn ongoing(&mut self, office: Office, term: Term) -> Option<&mut OngoingLeadership> {
        let current = self.candidacies.get_mut(&office)?.current.as_mut();
        current.filter(|current| current.shared.term == term)
    }

    /// Releases a leadership, whose work has ended.
    pub(super) fn release(
        &mut self,
        office: Office,
        term: Term,
        to: Option<String>,
        answer: Option<ReleaseReply>,
    ) {
        let next = to.as_deref().map(|name| (name, self.peer_named(name)));
        let Some(current) = self.ongoing(office, term) else { return };
        current.done = true;
        let refused = match next {
            Some((_, Some(peer))) if !current.lost => {
                current.next = Some(peer);
                None
            }
            Some((_, Some(_))) => {
                let office = current.shared.office.name();
                Some(TransferError::NotLeading(format!("the leadership of `{office}` is over")))
            }
            Some((name, None)) => Some(TransferError::Unknown(name.to_owned())),
            None => None,
        };
        match (answer, refused) {
            (Some(answer), Some(refused)) => drop(answer.send(Err(refused))),
            (answer, None) => current.answers.extend(answer),
            (None, Some(_)) => {}
        }
        self.update(office);
    }

    /// Asks the program that leads in this term to end its work; the office is then left to `next`.
    /// Returns whether there is one.
    pub(super) fn ask_to_stop(&mut self, office: Office, term: Term, next: Option<Peer>) -> bool {
        let Some(current) = self.ongoing(office, term).filter(|current| !current.lost) else {
            return false;
        };
        current.next = next.or(current.next);
        current.shared.stop();
        true
    }

    pub(super) fn tenure(
        &self,
        office: Office,
    ) -> Option<(OfficeTenure<ReconfigurableAlarm>, Option<u64>)> {
        let tenure = self.process.as_ref()?.tenure(office)?;
        let Some(alarm) = tenure.until else { return Some((tenure, None)) };
        let due = self.alarms.due(alarm).filter(|&due| due > self.now())?;
        Some((tenure, Some(due)))
    }

    pub(super) fn gains(&self, office: Office) -> bool {
        let tenure = self.process.as_ref().and_then(|process| process.tenure(office));
        let current =
            self.candidacies.get(&office).and_then(|candidacy| candidacy.current.as_ref());
        tenure.is_some_and(|tenure| current.map(|current| current.shared.term) != Some(tenure.term))
    }

    /// Tells the handles of a leadership if its tenure is over.
    pub(super) fn end_if_over(&mut self, office: Office) {
        let term = self.tenure(office).map(|(tenure, _)| tenure.term);
        let now = self.now();
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        let Some(current) = &mut candidacy.current else { return };
        if !current.lost && term != Some(current.shared.term) {
            let end = current.lose(now);
            self.status.losses += u64::from(!current.done);
            let unasked = !current.done && candidacy.told.is_some();
            let (office, term) = (current.shared.office.clone(), current.shared.term.0);
            self.look_by(end);
            if unasked {
                self.log_loss(office.name(), term);
            }
        }
    }

    /// Logs why a leadership is lost that no one has asked to end.
    fn log_loss(&self, office: &str, term: u64) {
        let why = match &self.status.storage {
            StorageStatus::Failed { .. } => "the record cannot be written",
            StorageStatus::Hangs => "the disk hangs",
            _ => "a majority of the members has not acknowledged its renewals for a lease",
        };
        let heard = self.now().saturating_sub(self.hearing.majority()) / 1_000_000;
        let lease_ms = u64::from(self.parts.setting.lease) * TICK / 1_000_000;
        warn!(office, term, majority_heard_ms = heard, lease_ms, why, "the leadership is lost");
    }

    /// Ends the leaderships whose programs have to confirm them and are silent. The work has a deadline of its own; if
    /// it goes on nevertheless, its stop time follows, as after any loss.
    pub(super) fn end_silent(&mut self) {
        let now = self.now();
        let mut silent = Vec::new();
        for candidacy in self.candidacies.values() {
            let current =
                candidacy.current.as_ref().filter(|current| !current.lost && !current.done);
            if let Some(current) = current.filter(|current| current.shared.is_silent(now)) {
                let (office, term) = (current.shared.office.name(), current.shared.term.0);
                warn!(
                    office,
                    term,
                    "the program that leads does not confirm that its work can run: ends its leadership"
                );
                current.shared.end();
                self.status.losses += 1;
                silent.push(current.shared.office.number());
            }
        }
        for office in silent {
            self.update(office);
        }
    }

    /// Extends all leaderships to the present end of their tenures, if any may have been prolonged since
    /// the last time: mostly once per heartbeat.
    pub(super) fn refresh(&mut self) {
        let Some(process) = self.process.as_ref().filter(|_| self.held_offices > 0) else { return };
        if self.told_until >= process.as_tenure().horizon() {
            return;
        }
        self.told_until = u64::MAX;
        let mut over = Vec::new();
        // Most tenures last until the same alarm.
        let mut last = None;
        let mut tenures = process.as_tenure().tenures().peekable();
        for (&office, candidacy) in &mut self.candidacies {
            let Some(current) = candidacy.current.as_ref().filter(|current| !current.lost) else {
                continue;
            };
            while tenures.next_if(|&(other, _)| other < office).is_some() {}
            let tenure = tenures.next_if(|&(other, _)| other == office);
            let tenure = tenure.filter(|(_, it)| it.term == current.shared.term);
            let prolonged = tenure.is_some_and(|(_, tenure)| match tenure.until {
                None => current.shared.lasts(None),
                Some(alarm) => {
                    let due = match last {
                        Some((other, due)) if other == alarm => due,
                        _ => self.alarms.due(ReconfigurableAlarm::Own(alarm)),
                    };
                    last = Some((alarm, due));
                    if let Alarm::Renewal(number) = alarm {
                        self.told_until = self.told_until.min(number);
                    }
                    due.is_some_and(|due| current.shared.lasts(Some(due)))
                }
            });
            if !prolonged {
                over.push(office);
            }
        }
        drop(tenures);
        for office in over {
            self.update(office);
        }
    }

    /// Reconciles the programs with the process, after either has changed.
    pub(super) fn update(&mut self, office: Office) {
        self.end_if_over(office);
        let tenure = self.tenure(office);
        if self.candidacies.contains_key(&office) {
            match tenure {
                Some((tenure, until)) => self.update_leading(office, tenure, until),
                None => self.update_not_leading(office),
            }
            self.update_standing(office);
        }
        self.tell_watchers(office);
        let known = self.known_stop(office).is_some();
        let idle = self
            .candidacies
            .get(&office)
            .is_some_and(|candidacy| candidacy.is_empty() && candidacy.asked_for.is_none());
        if idle && !known && self.tenure(office).is_none() && !self.is_learnt(office) {
            self.candidacies.remove(&office);
            self.step_values(ValueInput::Forget(office));
        }
        self.held_offices = self.held_offices.min(self.candidacies.len());
    }

    /// Returns the last instant to come until which work of a leadership that was lost may count on it.
    pub(super) fn counted_on(&self) -> Option<u64> {
        let lost = |candidacy: &Candidacy| candidacy.current.as_ref().is_some_and(|it| it.lost);
        let lost = self.candidacies.values().filter(|candidacy| lost(candidacy));
        lost.filter_map(Candidacy::promised).max().filter(|&until| until > self.now())
    }

    pub(super) fn known_stop(&self, office: Office) -> Option<u32> {
        self.parts.stops.get(&office).copied()
    }

    fn update_leading(
        &mut self,
        office: Office,
        tenure: OfficeTenure<ReconfigurableAlarm>,
        until: Option<u64>,
    ) {
        let (now, closing) = (self.now(), self.shutdown.is_some());
        let (written, released) = (self.written, self.released);
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        let term = tenure.term;
        match &mut candidacy.current {
            Some(current) if current.shared.term == term && !current.lost => {
                // The handle of work that has ended says that it is over, too.
                if !current.done && !current.shared.lasts(until) {
                    // A handle has seen the leadership end.
                    let end = current.lose(now);
                    self.look_by(end);
                    return self.leave(office, None);
                }
                if tenure.stopping || closing {
                    current.shared.stop();
                }
                if current.done {
                    let next = current.next;
                    candidacy.current = None;
                    self.held_offices = self.held_offices.saturating_sub(1);
                    if !tenure.stopping {
                        self.leave(office, next);
                    }
                    self.command(Command::Stopped { office, term });
                }
            }
            // Its leadership was given up, and its work goes on: until it ends, or its stop time is over.
            Some(current) if current.shared.term == term && !current.done => {}
            // The work of an earlier tenure goes on, so no program can use this one.
            Some(current) if !current.done => self.leave_unused(office, term, tenure.stopping),
            Some(_) => self.work_ended(office),
            None if tenure.stopping || closing => {
                self.leave_unused(office, term, tenure.stopping);
            }
            None => {
                let (_, needed) = match candidacy.gaining {
                    Some(gaining) if gaining.0 == term => gaining,
                    _ => *candidacy.gaining.insert((term, written)),
                };
                if needed <= released {
                    self.hand_over(office, term, until);
                }
            }
        }
    }

    /// Gives a new leadership to the program that has waited longest.
    fn hand_over(&mut self, office: Office, term: Term, until: Option<u64>) {
        let (ends, inbox) = (self.ends.clone(), self.parts.inbox.clone());
        let (longest, lease) =
            (self.parts.setting.stop, u64::from(self.parts.setting.lease) * TICK);
        let usual = self.known_stop(office).unwrap_or(longest);
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        candidacy.gaining = None;
        while let Some(waiting) = candidacy.waiting.pop_front() {
            if waiting.answer.is_closed() {
                continue;
            }
            let shared = SharedLeadership::new(candidacy.office.clone(), term, ends);
            let shared = if waiting.confirms { shared.confirmed(lease) } else { shared };
            let shared = Arc::new(shared);
            shared.begin(until);
            let answers = Vec::new();
            let (lost, ends_at, done, next) = (false, 0, false, None);
            let stop = waiting.stop.unwrap_or(usual).min(longest);
            candidacy.current = Some(OngoingLeadership {
                shared: shared.clone(),
                stop,
                lost,
                ends_at,
                done,
                next,
                answers,
            });
            self.held_offices += 1;
            self.told_until = 0;
            self.status.elections += 1;
            self.begin_value(office, term, waiting.value);
            // If the program has withdrawn, dropping the leadership releases it.
            let _ = waiting.answer.send(Leadership::new(shared, inbox));
            return;
        }
        self.leave_unused(office, term, false);
    }

    fn update_not_leading(&mut self, office: Office) {
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        candidacy.gaining = None;
        if candidacy.current.as_ref().is_some_and(|current| current.done) {
            self.work_ended(office);
        }
    }

    /// Handles the end of the work of a lost tenure.
    fn work_ended(&mut self, office: Office) {
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        if let Some(current) = candidacy.current.take() {
            self.held_offices = self.held_offices.saturating_sub(1);
            self.command(Command::Stopped { office, term: current.shared.term });
        }
    }

    /// Forgets the programs that stand still, once the work of their lost leaderships has ended by itself. Returns
    /// whether there are others whose work goes on.
    pub(super) fn forget_stopped(&mut self, now: u64) -> bool {
        let goes_on = |current: &&OngoingLeadership| {
            current.lost && !current.done && current.ends_at < u64::MAX
        };
        let end = |candidacy: &Candidacy| Some(candidacy.current.as_ref().filter(goes_on)?.ends_at);
        let ends = self.candidacies.iter().filter_map(|(&office, it)| Some((office, end(it)?)));
        let (over, others): (Vec<_>, Vec<_>) = ends.partition(|&(_, end)| end <= now);
        for (office, _) in over {
            self.work_ended(office);
            self.update(office);
        }
        !others.is_empty()
    }

    /// Makes the process leave a tenure in which no work was begun.
    fn leave_unused(&mut self, office: Office, term: Term, stopping: bool) {
        if !stopping {
            self.leave(office, None);
        }
        self.command(Command::Stopped { office, term });
    }

    pub(super) fn leave(&mut self, office: Office, to: Option<Peer>) {
        match to {
            Some(to) => self.command(Command::Transfer { office, to }),
            None => {
                if let Some(candidacy) = self.candidacies.get_mut(&office) {
                    candidacy.told = None;
                }
                self.command(Command::Resign { office });
            }
        }
    }

    /// Makes the process stand for the office if and only if a program wants it to.
    fn update_standing(&mut self, office: Office) {
        let closing = self.shutdown.is_some();
        let leads = self.tenure(office).is_some();
        let Some(candidacy) = self.candidacies.get_mut(&office) else { return };
        candidacy.waiting.retain(|waiting| !waiting.answer.is_closed());
        if closing {
            candidacy.waiting.clear();
        }
        let wanted = match &candidacy.current {
            // It stands as long as it leads, unless it was told to leave.
            Some(current) if !current.lost => candidacy.told,
            Some(_) => None,
            None if leads => candidacy.told,
            None => {
                let priority = |waiting: &WaitingProgram| waiting.priority;
                let general = self.parts.priorities.general;
                let here = self.parts.priorities.by_office.get(&office).copied();
                let usual = here.unwrap_or(general);
                candidacy.waiting.iter().map(|waiting| priority(waiting).unwrap_or(usual)).max()
            }
        };
        if wanted == candidacy.told || self.process.is_none() {
            return;
        }
        candidacy.told = wanted;
        self.command(match wanted {
            Some(priority) => Command::Stand { office, priority },
            None => Command::Resign { office },
        });
    }

    /// Gives the process a command. Its effects are handled after the reaction.
    fn command(&mut self, command: Command) {
        self.react(None, |process, scene| process.command(command, scene));
    }

    pub(super) fn update_all(&mut self) {
        for office in self.candidacies.keys().copied().collect::<Vec<_>>() {
            self.update(office);
        }
    }

    /// Updates the offices whose new tenures may be on stable storage now.
    pub(super) fn update_gained(&mut self) {
        let gaining = self.candidacies.iter().filter(|(_, candidacy)| candidacy.gaining.is_some());
        for office in gaining.map(|(&office, _)| office).collect::<Vec<_>>() {
            self.update(office);
        }
    }

    /// Ends all leaderships after a crash of the process.
    pub(super) fn crash_candidacies(&mut self) {
        let (now, mut end) = (self.now(), u64::MAX);
        for candidacy in self.candidacies.values_mut() {
            candidacy.told = None;
            candidacy.gaining = None;
            if let Some(current) = candidacy.current.as_mut().filter(|current| !current.lost) {
                end = end.min(current.lose(now));
                self.status.losses += 1;
            }
        }
        self.look_by(end);
        for office in self.candidacies.keys().copied().collect::<Vec<_>>() {
            self.tell_watchers(office);
        }
    }
}

impl Drop for NodeEngine {
    /// Ends all leaderships, however the loop has ended.
    fn drop(&mut self) {
        self.parts.inbox.close();
        self.candidacies.clear();
    }
}

impl std::fmt::Debug for EngineRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Action")
    }
}
