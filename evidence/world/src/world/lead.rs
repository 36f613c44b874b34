//! `tenure lead` on a host: the shell around its state machine, as `LeaderLoop` is on a real host.

use super::awaited::{Awaited, poll, poll_by};
use super::guarded::GuardShell;
use super::program::ENDS;
use super::watchdog::WatchedProcess;
use super::{OFFICE, ServiceWorld};
use crate::clock::MILLI;
use crate::queue::{HostNumber, HostTask, WorldEvent};
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};
use std::time::Duration;
use tenure_cli::CommandError;
use tenure_cli::testing::{LeaderInput, LeaderOutput, LeaderState, LeadershipNews};
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
    pub(crate) leadership: Leadership,
    extensions: Extensions,
    until: Boottime,
    stopping: bool,
    over: bool,
    look_at: u64,
}

impl Held {
    /// Returns whether its handle says what the loop does not know.
    fn has_news(&self, now: Boottime) -> bool {
        let until = valid_until(now, &self.leadership);
        let stopping = self.leadership.is_stopping() && !self.stopping;
        !self.over && (stopping || until > self.until || until <= now)
    }
}

/// The process of `tenure lead`.
pub(crate) struct LeadProcess {
    /// Which start of it on this host it is.
    pub(crate) number: u64,
    /// The member, which is in this process, too.
    participant: Participant,
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
    pub(crate) held: Option<Held>,
    /// The term of the crash notifier that is to connect.
    notifier: Option<u64>,
    notified: Option<Result<(), String>>,
    inputs: VecDeque<LeaderInput>,
    pub(crate) quits: u32,
    /// What it last told operators of COMMAND: why it does not run, if it does not.
    pub(crate) told: Option<Option<String>>,
}

impl LeadProcess {
    pub(crate) fn is_leading(&self) -> bool {
        self.held.as_ref().is_some_and(|held| !held.leadership.valid_for().is_zero())
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
    pub(crate) fn start_lead(
        &mut self,
        number: HostNumber,
        participant: Participant,
    ) -> LeadProcess {
        let guard = self.spawn_guard(number);
        let woken = Arc::<LoopWaker>::default();
        let began = self.monotonic(number);
        LeadProcess {
            number: self.hosts[number].starts,
            state: LeaderState::new(self.settings[number], true),
            watched: WatchedProcess::new(began, Some(participant.clone())),
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
            held: None,
            notifier: None,
            notified: None,
            inputs: VecDeque::new(),
            quits: 0,
            told: None,
        }
    }

    /// Ends `tenure lead`, however that happens.
    pub(crate) fn end_lead(&mut self, number: HostNumber) -> Option<Box<LeadProcess>> {
        let ended = self.hosts[number].lead.take()?;
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
        let shell = GuardShell::new(self.hosts[number].starts, self.workloads[number].clone());
        self.hosts[number].guards.insert(guard, shell);
        self.queue.push(self.now + after, WorldEvent::GuardStarts(number, guard, 0));
        guard
    }

    /// Lets the main loop do all that there is to do.
    pub(crate) fn run_loop(&mut self, number: HostNumber) {
        self.set_clock(number);
        let ends = self.hosts[number].program.as_ref().is_some_and(|it| it.ending.is_some());
        let Some(mut lead) = self.hosts[number].lead.take_if(|_| !ends) else { return };
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
        let Some(program) = &mut self.hosts[number].program else { return };
        let participant = Participant::clone(&program.member);
        let mut ending: Awaited<_> = Box::pin(async move { participant.shut_down().await });
        // It is asked at once.
        let _ = poll(&mut ending);
        program.ending = Some(self.now + ENDS);
        self.abandon_guard(number, guard);
        self.wake(number, HostTask::Engine);
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
        if let Some(releasing) = &mut lead.releasing {
            poll_by(releasing, &lead.waker)?;
            lead.releasing = None;
            lead.notifier = None;
            lead.inputs.push_back(LeaderInput::Released);
        }
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
        if let Some(news) = self.leadership_news(number, lead) {
            let now = self.boottime(number);
            let left = lead.held.as_ref().map_or(Duration::ZERO, |held| held.until.since(now));
            return Some(LeaderInput::Leadership(news, left));
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
        let quit = lead.quits > 0;
        lead.quits = lead.quits.saturating_sub(1);
        quit.then_some(LeaderInput::Quit)
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
        self.judge_win(number, lead.participant.membership().number(), term);
        let won = LeaderInput::Won(term, until.since(now));
        lead.held = Some(Held {
            term,
            extensions: leadership.extensions(),
            leadership,
            until,
            stopping: false,
            over: false,
            look_at: self.monotonic(number) + LOOK_AGAIN,
        });
        won
    }

    fn leadership_news(
        &self,
        number: HostNumber,
        lead: &mut LeadProcess,
    ) -> Option<LeadershipNews> {
        let (now, mono) = (self.boottime(number), self.monotonic(number));
        let held = lead.held.as_mut().filter(|held| !held.over)?;
        let leadership = &held.leadership;
        let news = if leadership.valid_for().is_zero() {
            LeadershipNews::Over
        } else if leadership.is_stopping() && !held.stopping {
            LeadershipNews::Stopping
        } else {
            let extended = poll(&mut pin!(held.extensions.next())).is_some();
            if !extended && held.look_at > mono {
                return None;
            }
            held.look_at = mono + LOOK_AGAIN;
            LeadershipNews::Valid(valid_until(now, &held.leadership))
        };
        match news {
            LeadershipNews::Valid(until) => held.until = held.until.max(until),
            LeadershipNews::Stopping => held.stopping = true,
            _ => held.over = true,
        }
        Some(news)
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
                let (office, stop) = (lead.participant.office(OFFICE), self.workloads[number].stop);
                let value = value_of(&self.names[number], lead.number);
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
            LeaderOutput::Withdraw => (lead.standing, lead.asking) = (None, None),
            LeaderOutput::AskForOffice => {
                let (office, name) = (lead.participant.office(OFFICE), self.names[number].clone());
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
            LeaderOutput::Confirm(until) => _ = held.leadership.confirm(until.since(now)),
            LeaderOutput::Tell(news) => {
                held.leadership.tell_work(news.why_not());
                lead.told = Some(news.why_not().map(str::to_owned));
            }
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
                let mut releasing: Awaited<()> =
                    Box::pin(async move { held.leadership.resign().await });
                lead.told = None;
                // It is told at once.
                let released = poll_by(&mut releasing, &lead.waker).is_some();
                lead.releasing = (!released).then_some(releasing);
                if lead.releasing.is_none() {
                    lead.inputs.push_back(LeaderInput::Released);
                }
            }
            _ => {}
        }
    }

    /// A crash notifier is killed.
    pub(crate) fn notifier_ends(&mut self, number: HostNumber) {
        let Some(lead) = &mut self.hosts[number].lead else { return };
        let runs = lead.held.as_ref().map(|held| held.term);
        let guard = lead.guard;
        let kept = self.hosts[number].guards.get_mut(&guard).and_then(|guard| guard.kept.take());
        let Some(lead) = &mut self.hosts[number].lead else { return };
        if runs.is_some() && (kept == runs || lead.notifier.take() == runs) {
            lead.notified = Some(Err("it was killed".to_owned()));
            self.wake(number, HostTask::Loop);
        }
    }

    /// A crash notifier has connected: from now on the guard can tell it.
    pub(crate) fn notifier_runs(&mut self, number: HostNumber, start: u64, term: u64) {
        let Some(lead) = &mut self.hosts[number].lead else { return };
        if lead.number != start || lead.notifier != Some(term) {
            return;
        }
        lead.notifier = None;
        let guard = lead.guard;
        if let Some(guard) = self.hosts[number].guards.get_mut(&guard) {
            guard.kept = Some(term);
        }
    }
}

fn valid_until(now: Boottime, leadership: &Leadership) -> Boottime {
    now.after(leadership.valid_for())
}
