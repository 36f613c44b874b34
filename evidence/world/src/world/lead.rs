//! `tenure lead` on a host: the shell around its state machine, as `LeaderLoop` is on a real host.

use super::awaited::{Awaited, poll, poll_by};
use super::connections::NOTICED;
use super::guarded::GuardShell;
use super::session::{AskedConnection, MemberSession};
use super::watchdog::{WATCHDOG, WatchedProcess};
use super::{OFFICE, ServiceWorld};
use crate::clock::MILLI;
use crate::queue::{HostNumber, HostTask, ServiceUnit, WorldEvent};
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};
use std::time::Duration;
use tenure_cli::CommandError;
use tenure_cli::testing::{
    ClientMessage, LeaderInput, LeaderOutput, LeaderState, LeadershipNews, SessionInput,
    SessionOutput,
};
use tenure_guard::testing::{GuardOrder, HandleState};
use tenure_guard::{Boottime, GuardEvent};
use tenure_node::{Extensions, LeaderValue, Leadership, Participant, StandError, TransferError};

fn await_by<T>(awaited: &mut Option<Awaited<T>>, waker: &Waker) -> Option<T> {
    poll_by(awaited.as_mut()?, waker)
}

/// Whether something that the main loop awaits has come.
#[derive(Default)]
struct LoopWaker(AtomicBool);

impl Wake for LoopWaker {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// How often the loop looks at a leadership that nothing extends, in nanoseconds.
const LOOK_AGAIN: u64 = 1_000 * MILLI;

/// A leadership that the program holds.
pub(crate) struct Held {
    pub(crate) term: u64,
    /// Its handle, where the member is in this process.
    handle: Option<(Leadership, Extensions)>,
    until: Boottime,
    stopping: bool,
    over: bool,
    look_at: u64,
}

impl Held {
    /// An office that is held by the member of another process.
    pub(crate) const fn there(term: u64, until: Boottime) -> Self {
        Self { term, handle: None, until, stopping: false, over: false, look_at: u64::MAX }
    }

    pub(crate) fn leadership(&self) -> Option<&Leadership> {
        self.handle.as_ref().map(|(leadership, _)| leadership)
    }

    /// Returns whether its handle says what the loop does not know.
    fn has_news(&self, now: Boottime) -> bool {
        let Some(leadership) = self.leadership() else { return false };
        let until = valid_until(now, leadership);
        let stopping = leadership.is_stopping() && !self.stopping;
        !self.over && (stopping || until > self.until || until <= now)
    }
}

/// The process of `tenure lead`.
pub(crate) struct LeadProcess {
    /// Which start of it on this host it is.
    pub(crate) number: u64,
    /// The member, if it is in this process, too.
    participant: Option<Participant>,
    state: LeaderState<'static>,
    pub(crate) watched: WatchedProcess,
    handle: HandleState,
    pub(crate) guard: u64,
    pub(crate) reports: VecDeque<GuardEvent>,
    /// Whether the guard has closed the socket.
    pub(crate) guard_gone: bool,
    /// When all that a lost guard has left is dead, and the deadline of that.
    sweeping: Option<(u64, Option<Boottime>)>,
    woken: Arc<LoopWaker>,
    waker: Waker,
    standing: Option<Awaited<Result<Leadership, StandError>>>,
    asking: Option<Awaited<Result<(), TransferError>>>,
    releasing: Option<Awaited<()>>,
    /// Its connection with the member of another process, by which it stands, or leads, or has asked it to
    /// release the office.
    pub(crate) session: Option<MemberSession>,
    /// Whether it waits for that.
    pub(crate) leaves: bool,
    pub(crate) asking_there: Option<AskedConnection>,
    pub(crate) held: Option<Held>,
    /// The term of the crash notifier that is to connect.
    pub(crate) notifier: Option<u64>,
    /// The term of the one that has, where its word is not the guard's.
    pub(crate) notifies: Option<u64>,
    notified: Option<Result<(), String>>,
    pub(crate) inputs: VecDeque<LeaderInput>,
    pub(crate) quits: u32,
    /// What it last told operators of COMMAND: why it does not run, if it does not.
    pub(crate) told: Option<Option<String>>,
}

impl LeadProcess {
    /// Returns the connection by which it leads, as far as it knows.
    pub(crate) fn led_by(&self) -> Option<u64> {
        self.held.as_ref().filter(|held| !held.over)?;
        self.session.as_ref().map(MemberSession::connection)
    }

    /// Returns whether something has come that the loop awaits.
    pub(crate) fn awaits(&self, now: Boottime) -> bool {
        let awaited = self.woken.0.swap(false, Ordering::SeqCst);
        // A leader's loop also looks at its handle.
        awaited || self.held.as_ref().is_some_and(|held| held.has_news(now))
    }
}

/// Returns what others are told of a leader: where its program is, and its how many-th start this is.
pub(crate) fn value_of(name: &str, start: u64) -> String {
    format!("{name}, start {start}")
}

impl ServiceWorld {
    /// Starts `tenure lead` by the member of another process, if its host is up and it does not run. Where no member
    /// answers it ends at once.
    pub(crate) fn start_lead(&mut self, number: HostNumber) {
        let host = &self.hosts[number];
        if host.is_down() || host.lead.is_some() {
            return;
        }
        let listens = host.program.as_ref().is_some_and(|program| program.ending.is_none());
        if host.no_fork
            || !listens
            || !host.can_run(HostTask::Served)
            || host.upgraded == Some(true)
        {
            let again = WorldEvent::Start(number, ServiceUnit::Lead);
            return self.queue.push(self.now + 500 * MILLI, again);
        }
        self.say(number, || "the program starts".to_owned());
        self.make_lead(number, None);
        self.wake(number, HostTask::Loop);
    }

    /// Makes the process of `tenure lead`, which has this member in it, if any.
    pub(crate) fn make_lead(&mut self, number: HostNumber, participant: Option<Participant>) {
        self.hosts[number].lead_starts += 1;
        let start = self.hosts[number].lead_starts;
        let guard = self.spawn_guard(number);
        let woken = Arc::<LoopWaker>::default();
        let began = self.monotonic(number);
        let apart = participant.is_none();
        let lead = LeadProcess {
            number: start,
            state: LeaderState::new(self.settings[number], !apart),
            watched: WatchedProcess::new(began, participant.clone()),
            participant,
            handle: HandleState::new(self.workloads[number].clone()),
            guard,
            reports: VecDeque::new(),
            guard_gone: false,
            sweeping: None,
            waker: woken.clone().into(),
            woken,
            standing: None,
            asking: None,
            releasing: None,
            session: None,
            leaves: false,
            asking_there: None,
            held: None,
            notifier: None,
            notifies: None,
            notified: None,
            inputs: VecDeque::new(),
            quits: 0,
            told: None,
        };
        self.hosts[number].lead = Some(Box::new(lead));
        if apart {
            let looks = WorldEvent::Watchdog(number, ServiceUnit::Lead, start);
            self.queue.push(self.now + WATCHDOG, looks);
        }
    }

    /// Ends `tenure lead`, however that happens.
    pub(crate) fn end_lead(&mut self, number: HostNumber) -> Option<Box<LeadProcess>> {
        let mut ended = self.hosts[number].lead.take()?;
        self.leave_session(&mut ended.session);
        self.leave_asked(&mut ended.asking_there);
        self.abandon_guard(number, ended.guard);
        self.wake(number, HostTask::Keeper(ended.guard));
        Some(ended)
    }

    fn abandon_guard(&mut self, number: HostNumber, id: u64) {
        if let Some(guard) = self.hosts[number].guards.get_mut(&id) {
            guard.abandoned = true;
        }
        self.wake(number, HostTask::Guard(id));
    }

    /// Spawns a guard, which begins to work after a while.
    fn spawn_guard(&mut self, number: HostNumber) -> u64 {
        self.guards += 1;
        let guard = self.guards;
        let after = 4 * MILLI + self.dice.below(20 * MILLI);
        let shell = GuardShell::new(self.hosts[number].lead_starts, self.workloads[number].clone());
        self.hosts[number].guards.insert(guard, shell);
        self.queue.push(self.now + after, WorldEvent::GuardStarts(number, guard, 0));
        guard
    }

    /// Lets the main loop do all that there is to do.
    pub(crate) fn run_loop(&mut self, number: HostNumber) {
        self.set_clock(number);
        let ends = self.hosts[number].program.as_ref().is_some_and(|it| it.ending.is_some());
        let Some(mut lead) =
            self.hosts[number].lead.take_if(|it| it.participant.is_none() || !ends)
        else {
            return;
        };
        let mut steps = 0;
        while let Some(input) = self.next_input(number, &mut lead) {
            steps += 1;
            if steps > 10_000 {
                self.broken("the main loop of the program spins");
                break;
            }
            let elapsed = lead.watched.elapsed(self.monotonic(number));
            for output in lead.state.step(elapsed, input) {
                if let LeaderOutput::Exit(result) = output {
                    self.hosts[number].lead = Some(lead);
                    return self.exit_program(number, result);
                }
                self.carry_out(number, &mut lead, output);
            }
        }
        self.beat(number, &mut lead.watched, &lead.waker);
        self.wake_loop_again(number, &lead);
        self.hosts[number].lead = Some(lead);
        if self.hosts[number].program.as_ref().is_some_and(|it| it.member.has_news()) {
            self.wake(number, HostTask::Engine);
        }
    }

    fn exit_program(&mut self, number: HostNumber, result: Result<u8, CommandError>) {
        let guard = self.hosts[number].lead.as_ref().map_or(0, |lead| lead.guard);
        self.say(number, || match &result {
            Ok(code) => format!("the program ends with {code}"),
            Err(error) => format!("the program ends: {error}"),
        });
        self.judge_exit(number);
        if self.hosts[number].served {
            return self.restart_ended(number, ServiceUnit::Lead);
        }
        self.abandon_guard(number, guard);
        self.shut_down(number);
    }

    /// Sets the timers of the loop.
    fn wake_loop_again(&mut self, number: HostNumber, lead: &LeadProcess) {
        let now = self.monotonic(number);
        let alarm =
            lead.state.next_alarm().map(|(due, _)| lead.watched.began + due.as_nanos() as u64);
        let look = lead.held.as_ref().filter(|held| !held.over).map(|held| held.look_at);
        let beat = lead.watched.due();
        if let Some(due) = alarm.into_iter().chain(look).chain(beat).min() {
            let local = self.boottime(number).as_nanos() + due.saturating_sub(now);
            self.wake_at(number, HostTask::Loop, local);
        }
        if let Some(overdue) = lead.handle.overdue() {
            self.wake_at(number, HostTask::Loop, overdue.as_nanos());
        }
        if let Some((done, _)) = lead.sweeping {
            let wait = done.checked_sub(self.now).unwrap_or(MILLI);
            self.wake_in(number, HostTask::Loop, wait);
        }
    }

    /// Returns what has happened, in the order in which `LeaderLoop` looks at it.
    fn next_input(&mut self, number: HostNumber, lead: &mut LeadProcess) -> Option<LeaderInput> {
        if let Some(input) = lead.inputs.pop_front() {
            return Some(input);
        }
        if lead.state.guarded
            && let Some(event) = self.guard_event(number, lead)
        {
            return Some(LeaderInput::Guard(event));
        }
        if let Some(stood) = await_by(&mut lead.standing, &lead.waker) {
            (lead.standing, lead.asking) = (None, None);
            return Some(self.stood(number, lead, stood));
        }
        if let Some(stood) = self.stood_there(number, lead) {
            self.leave_asked(&mut lead.asking_there);
            return Some(stood);
        }
        if let Some(news) = self.leadership_news(number, lead) {
            let now = self.boottime(number);
            let left = lead.held.as_ref().map_or(Duration::ZERO, |held| held.until.since(now));
            return Some(LeaderInput::Leadership(news, left));
        }
        if self.released(number, lead) {
            (lead.releasing, lead.notifier, lead.notifies) = (None, None, None);
            return Some(LeaderInput::Released);
        }
        if let Some(notified) = lead.notified.take() {
            return Some(LeaderInput::Notifier(notified));
        }
        let elapsed = lead.watched.elapsed(self.monotonic(number));
        if let Some((_, alarm)) = lead.state.next_alarm().filter(|&(due, _)| due <= elapsed) {
            return Some(LeaderInput::Alarm(alarm));
        }
        if let Some(asked) = await_by(&mut lead.asking, &lead.waker) {
            lead.asking = None;
            return Some(LeaderInput::Asked(asked.map_err(|error| error.to_string())));
        }
        if let Some(asked) = self.transferred(&mut lead.asking_there) {
            return Some(LeaderInput::Asked(asked));
        }
        let quit = lead.quits > 0;
        lead.quits = lead.quits.saturating_sub(1);
        quit.then_some(LeaderInput::Quit)
    }

    /// Returns whether the office is released that was to be.
    fn released(&mut self, number: HostNumber, lead: &mut LeadProcess) -> bool {
        if lead.leaves {
            let released = loop {
                match self.next_of_session(number, &mut lead.session) {
                    Some(SessionOutput::Released) => break true,
                    Some(_) => {}
                    None => break false,
                }
            };
            if released {
                lead.leaves = false;
                self.leave_session(&mut lead.session);
            }
            return released;
        }
        await_by(&mut lead.releasing, &lead.waker).is_some()
    }

    /// Returns what the guard has reported; or that it is lost, when all that it has left is dead.
    fn guard_event(&mut self, number: HostNumber, lead: &mut LeadProcess) -> Option<GuardEvent> {
        let now = self.boottime(number);
        loop {
            if let Some((done, last)) = lead.sweeping {
                if done > self.now || self.hosts[number].kernel.living(lead.guard) > 0 {
                    return None;
                }
                lead.sweeping = None;
                let late = last.map_or(Duration::ZERO, |last| now.since(last));
                return Some(GuardEvent::Lost { late });
            }
            if let Some(ended) = lead.handle.end_void() {
                return Some(ended);
            }
            if let Some(event) = lead.reports.pop_front() {
                lead.handle.hear(now, &event);
                return Some(event);
            }
            let overdue = lead.handle.overdue().is_some_and(|overdue| overdue <= now);
            if !lead.guard_gone && !overdue {
                return None;
            }
            if !lead.guard_gone {
                self.judge_overdue(number);
            }
            let last = lead.handle.lose();
            self.say(number, || "the program kills its guard, and all that it guards".to_owned());
            let done = self.sweep(number, lead.guard);
            lead.sweeping = Some((done, last));
        }
    }

    fn stood(
        &mut self,
        number: HostNumber,
        lead: &mut LeadProcess,
        stood: Result<Leadership, StandError>,
    ) -> LeaderInput {
        let leadership = match stood {
            Ok(leadership) => leadership,
            Err(error) => return LeaderInput::NotWon(error.into()),
        };
        let now = self.boottime(number);
        let until = valid_until(now, &leadership);
        let term = leadership.term();
        self.say(number, || format!("has won term {term}"));
        let known = lead.participant.as_ref().map_or(0, |it| it.membership().number());
        self.judge_win(number, known, term);
        let won = LeaderInput::Won(term, until.since(now));
        let extensions = leadership.extensions();
        lead.held = Some(Held {
            term,
            handle: Some((leadership, extensions)),
            until,
            stopping: false,
            over: false,
            look_at: self.monotonic(number) + LOOK_AGAIN,
        });
        won
    }

    fn leadership_news(
        &mut self,
        number: HostNumber,
        lead: &mut LeadProcess,
    ) -> Option<LeadershipNews> {
        let mut held = lead.held.take_if(|held| !held.over)?;
        let news = self.news_of(number, lead, &mut held);
        match &news {
            Some(LeadershipNews::Valid(until)) => held.until = held.until.max(*until),
            Some(LeadershipNews::Stopping) => held.stopping = true,
            Some(_) => held.over = true,
            None => {}
        }
        lead.held = Some(held);
        news
    }

    fn news_of(
        &mut self,
        number: HostNumber,
        lead: &mut LeadProcess,
        held: &mut Held,
    ) -> Option<LeadershipNews> {
        let (now, mono) = (self.boottime(number), self.monotonic(number));
        let Some((leadership, extensions)) = &mut held.handle else {
            loop {
                if let SessionOutput::News(news) =
                    self.next_of_session(number, &mut lead.session)?
                {
                    return Some(news);
                }
            }
        };
        Some(if leadership.valid_for().is_zero() {
            LeadershipNews::Over
        } else if leadership.is_stopping() && !held.stopping {
            LeadershipNews::Stopping
        } else {
            let extended = poll(&mut pin!(extensions.next())).is_some();
            if !extended && held.look_at > mono {
                return None;
            }
            held.look_at = mono + LOOK_AGAIN;
            LeadershipNews::Valid(valid_until(now, leadership))
        })
    }

    fn order(&mut self, number: HostNumber, lead: &LeadProcess, order: Option<GuardOrder>) {
        let guard = self.hosts[number].guards.get_mut(&lead.guard);
        if let (Some(guard), Some(order)) = (guard, order) {
            guard.orders.push_back(order);
            self.wake(number, HostTask::Guard(lead.guard));
        }
    }

    fn carry_out(&mut self, number: HostNumber, lead: &mut LeadProcess, output: LeaderOutput) {
        match output {
            LeaderOutput::Log(_, text) | LeaderOutput::News(_, text) => self.log(number, text),
            LeaderOutput::SpawnGuard => {
                let spawned = if self.hosts[number].no_fork {
                    Err("no process can be started".to_owned())
                } else {
                    lead.handle = HandleState::new(self.workloads[number].clone());
                    lead.guard = self.spawn_guard(number);
                    lead.guard_gone = false;
                    lead.reports.clear();
                    Ok(())
                };
                lead.inputs.push_back(LeaderInput::Spawned(spawned));
            }
            LeaderOutput::Stand => {
                let value = value_of(&self.names[number], lead.number);
                let Some(participant) = &lead.participant else {
                    return lead.session = Some(self.stand_there(number, value));
                };
                let (office, stop) = (participant.office(OFFICE), self.workloads[number].stop);
                let value = LeaderValue::new(&value).unwrap_or_default();
                let office = office.stop(stop).confirmed().value(value);
                lead.standing = Some(Box::pin(async move { office.stand().await }));
                // It begins to stand at once.
                if let Some(stood) = await_by(&mut lead.standing, &lead.waker) {
                    lead.standing = None;
                    let input = self.stood(number, lead, stood);
                    lead.inputs.push_back(input);
                }
            }
            LeaderOutput::Withdraw => {
                (lead.standing, lead.asking) = (None, None);
                self.leave_session(&mut lead.session);
                self.leave_asked(&mut lead.asking_there);
            }
            LeaderOutput::AskForOffice => {
                let name = self.names[number].clone();
                let Some(participant) = &lead.participant else {
                    let request = ClientMessage::Transfer { office: OFFICE.to_owned(), to: name };
                    lead.asking_there = self.ask_member_here(number, request);
                    if lead.asking_there.is_none() {
                        let why = "no member listens there".to_owned();
                        lead.inputs.push_back(LeaderInput::Asked(Err(why)));
                    }
                    return;
                };
                let office = participant.office(OFFICE);
                let mut asking: Awaited<_> =
                    Box::pin(async move { office.ask_to_transfer(&name).await });
                let _ = poll_by(&mut asking, &lead.waker);
                lead.asking = Some(asking);
            }
            LeaderOutput::ProbeReadiness => {
                self.order(number, lead, Some(GuardOrder::Probe { health: false }));
            }
            LeaderOutput::ProbeHealth => {
                self.order(number, lead, Some(GuardOrder::Probe { health: true }));
            }
            LeaderOutput::Prolong(until) => {
                self.order(number, lead, lead.handle.prolong(until));
            }
            LeaderOutput::EndCommand(grace) => {
                self.order(number, lead, Some(GuardOrder::End { grace }));
            }
            output => self.carry_out_leading(number, lead, output),
        }
    }

    fn carry_out_leading(
        &mut self,
        number: HostNumber,
        lead: &mut LeadProcess,
        output: LeaderOutput,
    ) {
        let now = self.boottime(number);
        let Some(held) = &lead.held else { return };
        match output {
            LeaderOutput::Begin => {
                let order = lead.handle.begin(now, held.term, held.until);
                self.order(number, lead, order);
            }
            LeaderOutput::Confirm(until) => match held.leadership() {
                Some(leadership) => _ = leadership.confirm(until.since(now)),
                None => self.step_session(number, &mut lead.session, SessionInput::Confirm(until)),
            },
            LeaderOutput::Tell(news) => match held.leadership() {
                Some(leadership) => {
                    leadership.tell_work(news.why_not());
                    lead.told = Some(news.why_not().map(str::to_owned));
                }
                None => self.step_session(number, &mut lead.session, SessionInput::Tell(news)),
            },
            LeaderOutput::StartNotifier => {
                if self.hosts[number].no_fork {
                    lead.notified = Some(Err("no process can be started".to_owned()));
                    return;
                }
                lead.notifier = Some(held.term);
                let after = 5 * MILLI + self.dice.below(60 * MILLI);
                let runs = WorldEvent::NotifierRuns(number, lead.number, held.term);
                self.queue.push(self.now + after, runs);
                lead.notified = Some(Ok(()));
            }
            LeaderOutput::Release => {
                let Some(held) = lead.held.take() else { return };
                if self.hosts[number].kernel.acts_in(held.term) {
                    self.broken(&format!("host {number} releases the office while COMMAND runs"));
                }
                let Some((leadership, _)) = held.handle else {
                    lead.leaves = true;
                    return self.step_session(number, &mut lead.session, SessionInput::Release);
                };
                let mut releasing: Awaited<()> = Box::pin(async move { leadership.resign().await });
                lead.told = None;
                // It is told at once.
                let released = poll_by(&mut releasing, &lead.waker).is_some();
                lead.releasing = (!released).then_some(releasing);
                if lead.releasing.is_none() {
                    lead.inputs.push_back(LeaderInput::Released);
                }
            }
            LeaderOutput::ReleaseByNotifier => self.release_by_own_notifier(number, lead),
            _ => {}
        }
    }

    /// Returns whether the office is won by the member of another process, or why it is not.
    fn stood_there(&mut self, number: HostNumber, lead: &mut LeadProcess) -> Option<LeaderInput> {
        if lead.held.is_some() || lead.leaves {
            return None;
        }
        loop {
            match self.next_of_session(number, &mut lead.session)? {
                SessionOutput::Won { term, until, .. } => {
                    let id = lead.session.as_ref().map(MemberSession::connection);
                    self.keep_session(number, lead.guard, id.unwrap_or_default());
                    lead.held = Some(Held::there(term, until));
                    return Some(LeaderInput::Won(term, until.since(self.boottime(number))));
                }
                SessionOutput::NotWon(error) => {
                    self.leave_session(&mut lead.session);
                    return Some(LeaderInput::NotWon(error));
                }
                _ => {}
            }
        }
    }

    /// The program has the office released by its crash notifier.
    fn release_by_own_notifier(&mut self, number: HostNumber, lead: &mut LeadProcess) {
        let (connects, runs) = (lead.notifier.take().is_some(), lead.notifies.take().is_some());
        let Some(held) = lead.held.take() else { return };
        self.leave_session(&mut lead.session);
        // One that was killed just now says nothing.
        if connects || runs {
            let host = &self.hosts[number];
            let takes = if runs { NOTICED } else { 65 * MILLI };
            let tells = WorldEvent::NotifierTells(number, host.me, held.term);
            self.queue.push(self.now + host.slow_notifier + takes, tells);
        }
        lead.inputs.push_back(LeaderInput::Released);
    }

    /// A crash notifier is killed.
    pub(crate) fn notifier_ends(&mut self, number: HostNumber) {
        let Some(lead) = &mut self.hosts[number].lead else { return };
        let runs = lead.held.as_ref().map(|held| held.term);
        let guard = lead.guard;
        let kept = self.hosts[number].guards.get_mut(&guard).and_then(|guard| guard.kept.take());
        let Some(lead) = &mut self.hosts[number].lead else { return };
        let killed = [kept, lead.notifies.take(), lead.notifier.take()].contains(&runs);
        if runs.is_some() && killed {
            lead.notified = Some(Err("it was killed".to_owned()));
            self.wake(number, HostTask::Loop);
        }
    }

    /// A crash notifier has connected: from now on the guard can tell it; or the program alone, where the member of another
    /// process releases the office itself.
    pub(crate) fn notifier_runs(&mut self, number: HostNumber, start: u64, term: u64) {
        let Some(lead) = &mut self.hosts[number].lead else { return };
        if lead.number != start || lead.notifier != Some(term) {
            return;
        }
        lead.notifier = None;
        if lead.participant.is_none() {
            return lead.notifies = Some(term);
        }
        let guard = lead.guard;
        if let Some(guard) = self.hosts[number].guards.get_mut(&guard) {
            guard.kept = Some(term);
        }
    }
}

fn valid_until(now: Boottime, leadership: &Leadership) -> Boottime {
    now.after(leadership.valid_for())
}
