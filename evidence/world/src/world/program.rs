//! `tenure lead` on a host: the shell around its member and its state machine, as `LeaderLoop` is on a real host.

use super::awaited::{Awaited, poll, poll_by};
use super::guarded::GuardShell;
use super::served::ServedProgram;
use super::{OFFICE, ServiceWorld};
use crate::clock::MILLI;
use crate::network::WorldLinks;
use crate::queue::{HostNumber, HostTask, WorldEvent};
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};
use std::time::Duration;
use tenure_cli::CommandError;
use tenure_cli::testing::{LeaderInput, LeaderOutput, LeaderState, LeadershipNews, WatchdogState};
use tenure_guard::testing::{GuardOrder, HandleState};
use tenure_guard::{Boottime, GuardEvent};
use tenure_model::{Memory, Peer};
use tenure_node::records::Loaded;
use tenure_node::testing::{SteppedDialling, SteppedLinks, SteppedMember};
use tenure_node::transport::MessageSink;
use tenure_node::{
    ClusterMembers, Extensions, LeaderValue, Leadership, Participant, StandError, TransferError,
};

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

/// How long a program may take to end, until the service manager kills it.
const ENDS: u64 = 12_000 * MILLI;

/// How long the service manager waits for a word of the program, as examples/systemd have it.
pub(crate) const WATCHDOG: u64 = 10_000 * MILLI;

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

pub(crate) struct Program {
    /// Which start of the program on this host it is.
    pub(crate) number: u64,
    pub(crate) member: SteppedMember,
    pub(crate) links: SteppedLinks,
    /// Its connections with other members, and which side of each it is.
    pub(crate) connections: Vec<(u64, usize)>,
    /// How it dials each other member, or waits to be dialled.
    pub(crate) dialling: BTreeMap<Peer, SteppedDialling>,
    /// The record that the disk is writing.
    pub(crate) writing: Option<(u64, Loaded, u64)>,
    /// Whether the member was told that this cannot be written.
    pub(crate) unwritable: bool,
    state: LeaderState<'static>,
    /// When it began, by the clock that stops while the host is suspended.
    pub(crate) start: u64,
    handle: HandleState,
    pub(crate) guard: u64,
    pub(crate) reports: VecDeque<GuardEvent>,
    /// Whether the guard has closed the socket.
    pub(crate) guard_gone: bool,
    /// When all that a lost guard has left is dead, and the deadline of that.
    sweeping: Option<(u64, Option<Boottime>)>,
    woken: Arc<LoopWaker>,
    pub(crate) waker: Waker,
    standing: Option<Awaited<Result<Leadership, StandError>>>,
    /// What operators have asked the member for, and when.
    pub(crate) operators: Vec<(u64, Awaited<Result<(), TransferError>>)>,
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
    /// The connections of programs that stand by its member.
    pub(crate) served: BTreeMap<u64, ServedProgram>,
    pub(crate) watchdog: WatchdogState,
    /// Whether its member's loop answers, for the watchdog.
    pub(crate) answers: Option<Awaited<bool>>,
    /// When it has told the service manager that it works, by the clock that stops while the host is suspended.
    pub(crate) told_manager_at: u64,
    /// Until when its member may take to leave its offices, once the main loop has ended.
    pub(crate) ending: Option<u64>,
}

impl Program {
    pub(crate) fn is_leading(&self) -> bool {
        self.held.as_ref().is_some_and(|held| !held.leadership.valid_for().is_zero())
    }
}

/// Returns what others are told of a leader: where its program is, and its how many-th start this is.
pub(crate) fn value_of(name: &str, start: u64) -> String {
    format!("{name}, start {start}")
}

impl ServiceWorld {
    pub(crate) fn boottime(&self, host: HostNumber) -> Boottime {
        Boottime::from_nanos(self.hosts[host].rate.local(self.now))
    }

    /// Returns the host's clock that stops while it is suspended.
    pub(crate) fn monotonic(&self, host: HostNumber) -> u64 {
        let host = &self.hosts[host];
        host.rate.local(self.now).saturating_sub(host.slept)
    }

    /// Starts the program, if its host is up and it does not run.
    pub(crate) fn start_program(&mut self, number: HostNumber) {
        self.set_clock(number);
        let host = &mut self.hosts[number];
        if host.is_down() || host.program.is_some() {
            return;
        }
        if host.no_fork {
            return self.queue.push(self.now + 500 * MILLI, WorldEvent::Start(number));
        }
        let mut loaded = host.record.clone();
        let Some(members) = self.starts_as(number, &mut loaded) else {
            return self.queue.push(self.now + 500 * MILLI, WorldEvent::Start(number));
        };
        let host = &mut self.hosts[number];
        host.starts += 1;
        let start = host.starts;
        if host.record.memory == Memory::New {
            // Founded: from now on it has a record, or has lost it.
            host.record.memory = Memory::Lost;
        }
        let Some((member, links)) = self.start_member(number, members, loaded) else { return };
        let guard = self.spawn_guard(number);
        let woken = Arc::<LoopWaker>::default();
        let program = Program {
            number: start,
            member,
            links,
            connections: Vec::new(),
            dialling: BTreeMap::new(),
            writing: None,
            unwritable: false,
            state: LeaderState::new(self.settings[number], true),
            start: self.monotonic(number),
            handle: HandleState::new(self.workloads[number].clone()),
            guard,
            reports: VecDeque::new(),
            guard_gone: false,
            sweeping: None,
            waker: woken.clone().into(),
            woken,
            standing: None,
            operators: Vec::new(),
            asking: None,
            releasing: None,
            held: None,
            notifier: None,
            notified: None,
            inputs: VecDeque::new(),
            quits: 0,
            told: None,
            served: BTreeMap::new(),
            watchdog: WatchdogState::new(Duration::from_nanos(WATCHDOG / 2), true),
            answers: None,
            told_manager_at: self.monotonic(number),
            ending: None,
        };
        self.say(number, || "the program starts".to_owned());
        self.hosts[number].program = Some(Box::new(program));
        self.queue.push(self.now + WATCHDOG, WorldEvent::Watchdog(number, start));
        self.dial_all(number);
        self.wake(number, HostTask::Engine);
        self.wake(number, HostTask::Loop);
    }

    fn start_member(
        &mut self,
        number: HostNumber,
        members: (ClusterMembers, Peer),
        loaded: Loaded,
    ) -> Option<(SteppedMember, SteppedLinks)> {
        let host = &self.hosts[number];
        let (clock, tls) = (host.clock.clone(), host.tls.clone());
        let name = self.names[number].clone();
        let (versions, waiting, timing) =
            (self.versions(number), self.waiting.clone(), self.timing);
        let (known, me) = members.clone();
        let mut made = None;
        let with = (tls, clock.clone() as _);
        let links = |sink: MessageSink, behind| {
            self.hosts[number].sink = Some(sink.clone());
            let told = (sink, behind);
            let links = SteppedLinks::new((&name, me), &timing, known, &versions, with, told);
            made = Some(links.clone());
            WorldLinks { waiting, links }
        };
        let member = SteppedMember::start(&name, members, &timing, loaded, clock, links);
        match member {
            Ok(member) => Some((member, made?)),
            Err(error) => {
                self.broken(&format!("the member cannot start: {error}"));
                None
            }
        }
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

    /// Ends the program, however that happens: a write may have reached the disk or not.
    pub(crate) fn end_program(&mut self, number: HostNumber, killed: bool) -> Option<Box<Program>> {
        let ended = self.hosts[number].program.take()?;
        if let Some((_, record, _)) = ended.writing.as_ref().filter(|_| self.dice.below(2) == 0) {
            self.hosts[number].record = record.clone();
        }
        self.hosts[number].sink = None;
        self.leave_links(&ended.connections, killed);
        ended.served.keys().for_each(|&id| self.end_connection(id));
        if let Some(guard) = self.hosts[number].guards.get_mut(&ended.guard) {
            guard.abandoned = true;
        }
        self.wake(number, HostTask::Guard(ended.guard));
        self.wake(number, HostTask::Keeper(ended.guard));
        Some(ended)
    }

    /// Lets the member's loop take a turn, and carries out what it asks for.
    pub(crate) fn run_engine(&mut self, number: HostNumber) {
        self.set_clock(number);
        let Some(program) = &mut self.hosts[number].program else { return };
        program.member.turn();
        let writes = std::iter::from_fn(|| program.member.write()).collect::<Vec<_>>();
        let start = program.number;
        for (write, record) in writes {
            self.submit(number, start, write, record);
        }
        self.send_all(number);
        self.note_members(number);
        self.wake_ends(number);
        self.look_at_served(number, true);
        self.look_at_ending(number);
        let now = self.boottime(number);
        let Some(program) = &mut self.hosts[number].program else { return };
        let mut answers = Vec::new();
        program.operators.retain_mut(|(since, asked)| {
            let answer = poll(asked);
            let waits = answer.is_none();
            answers.push((*since, answer));
            waits
        });
        let awaited = program.woken.0.swap(false, Ordering::SeqCst);
        // A leader's loop also looks at its handle.
        let awaited = awaited || program.held.as_ref().is_some_and(|held| held.has_news(now));
        let (news, (due, _)) = (program.member.has_news(), program.member.next_due());
        if let Some(due) = due {
            self.wake_at(number, HostTask::Engine, due);
        }
        if news {
            self.wake(number, HostTask::Engine);
        }
        if awaited {
            self.wake(number, HostTask::Loop);
        }
        self.judge_answers(number, answers);
    }

    fn wake_ends(&mut self, number: HostNumber) {
        let Some(program) = &mut self.hosts[number].program else { return };
        program.member.watch_ends();
        let (_, end) = program.member.next_due();
        if end != u64::MAX {
            self.wake_at(number, HostTask::Ends, end);
        }
    }

    pub(crate) fn run_ends(&mut self, number: HostNumber) {
        self.set_clock(number);
        self.wake_ends(number);
        self.look_at_served(number, false);
        self.wake(number, HostTask::Loop);
    }

    /// Lets the main loop do all that there is to do.
    pub(crate) fn run_loop(&mut self, number: HostNumber) {
        self.set_clock(number);
        let Some(mut program) = self.hosts[number].program.take_if(|it| it.ending.is_none()) else {
            return;
        };
        let mut steps = 0;
        while let Some(input) = self.next_input(number, &mut program) {
            steps += 1;
            if steps > 10_000 {
                self.broken("the main loop of the program spins");
                break;
            }
            let elapsed = Duration::from_nanos(self.monotonic(number) - program.start);
            for output in program.state.step(elapsed, input) {
                if let LeaderOutput::Exit(result) = output {
                    self.hosts[number].program = Some(program);
                    return self.exit_program(number, result);
                }
                self.carry_out(number, &mut program, output);
            }
        }
        self.beat(number, &mut program);
        self.wake_loop_again(number, &mut program);
        let news = program.member.has_news();
        self.hosts[number].program = Some(program);
        if news {
            self.wake(number, HostTask::Engine);
        }
    }

    fn exit_program(&mut self, number: HostNumber, result: Result<u8, CommandError>) {
        let guard = self.hosts[number].program.as_ref().map_or(0, |program| program.guard);
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
        if let Some(guard) = self.hosts[number].guards.get_mut(&guard) {
            guard.abandoned = true;
        }
        self.wake(number, HostTask::Guard(guard));
        self.wake(number, HostTask::Engine);
    }

    /// Ends the program when its member has left all its offices, or takes too long for the service manager.
    fn look_at_ending(&mut self, number: HostNumber) {
        let Some(program) = &mut self.hosts[number].program else { return };
        if program.ending.is_none_or(|end| end > self.now && program.member.turn()) {
            return;
        }
        if program.ending.is_some_and(|end| end <= self.now) {
            self.judge_ending(number);
        }
        self.end_program(number, false);
        let pause = 100 * MILLI + self.dice.below(400 * MILLI);
        self.queue.push(self.now + pause, WorldEvent::Start(number));
    }

    /// Sets the timers of the loop.
    fn wake_loop_again(&mut self, number: HostNumber, program: &mut Program) {
        let now = self.monotonic(number);
        let alarm =
            program.state.next_alarm().map(|(due, _)| program.start + due.as_nanos() as u64);
        let look = program.held.as_ref().filter(|held| !held.over).map(|held| held.look_at);
        let beat = program.watchdog.due().map(|due| program.start + due.as_nanos() as u64);
        if let Some(due) = alarm.into_iter().chain(look).chain(beat).min() {
            let local = self.boottime(number).as_nanos() + due.saturating_sub(now);
            self.wake_at(number, HostTask::Loop, local);
        }
        if let Some(overdue) = program.handle.overdue() {
            self.wake_at(number, HostTask::Loop, overdue.as_nanos());
        }
        if let Some((done, _)) = program.sweeping {
            let wait = done.checked_sub(self.now).unwrap_or(MILLI);
            self.wake_in(number, HostTask::Loop, wait);
        }
    }

    /// Returns what has happened, in the order in which `LeaderLoop` looks at it.
    fn next_input(&mut self, number: HostNumber, program: &mut Program) -> Option<LeaderInput> {
        if let Some(releasing) = &mut program.releasing {
            poll_by(releasing, &program.waker)?;
            program.releasing = None;
            program.notifier = None;
            program.inputs.push_back(LeaderInput::Released);
        }
        if let Some(input) = program.inputs.pop_front() {
            return Some(input);
        }
        if program.state.guarded
            && let Some(event) = self.guard_event(number, program)
        {
            return Some(LeaderInput::Guard(event));
        }
        if let Some(stood) = await_by(&mut program.standing, &program.waker) {
            (program.standing, program.asking) = (None, None);
            return Some(self.stood(number, program, stood));
        }
        if let Some(news) = self.leadership_news(number, program) {
            let now = self.boottime(number);
            let left = program.held.as_ref().map_or(Duration::ZERO, |held| held.until.since(now));
            return Some(LeaderInput::Leadership(news, left));
        }
        if let Some(notified) = program.notified.take() {
            return Some(LeaderInput::Notifier(notified));
        }
        let elapsed = Duration::from_nanos(self.monotonic(number) - program.start);
        if let Some((_, alarm)) = program.state.next_alarm().filter(|&(due, _)| due <= elapsed) {
            return Some(LeaderInput::Alarm(alarm));
        }
        if let Some(asked) = await_by(&mut program.asking, &program.waker) {
            program.asking = None;
            return Some(LeaderInput::Asked(asked.map_err(|error| error.to_string())));
        }
        let quit = program.quits > 0;
        program.quits = program.quits.saturating_sub(1);
        quit.then_some(LeaderInput::Quit)
    }

    /// Returns what the guard has reported; or that it is lost, when all that it has left is dead.
    fn guard_event(&mut self, number: HostNumber, program: &mut Program) -> Option<GuardEvent> {
        let now = self.boottime(number);
        loop {
            if let Some((done, last)) = program.sweeping {
                if done > self.now || self.hosts[number].kernel.living(program.guard) > 0 {
                    return None;
                }
                program.sweeping = None;
                let late = last.map_or(Duration::ZERO, |last| now.since(last));
                return Some(GuardEvent::Lost { late });
            }
            if let Some(ended) = program.handle.end_void() {
                return Some(ended);
            }
            if let Some(event) = program.reports.pop_front() {
                program.handle.hear(now, &event);
                return Some(event);
            }
            let overdue = program.handle.overdue().is_some_and(|overdue| overdue <= now);
            if !program.guard_gone && !overdue {
                return None;
            }
            if !program.guard_gone {
                self.judge_overdue(number);
            }
            let last = program.handle.lose();
            self.say(number, || "the program kills its guard, and all that it guards".to_owned());
            let done = self.sweep(number, program.guard);
            program.sweeping = Some((done, last));
        }
    }

    fn stood(
        &mut self,
        number: HostNumber,
        program: &mut Program,
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
        self.judge_win(number, program.member.membership().number(), term);
        let won = LeaderInput::Won(term, until.since(now));
        program.held = Some(Held {
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

    fn leadership_news(&self, number: HostNumber, program: &mut Program) -> Option<LeadershipNews> {
        let (now, mono) = (self.boottime(number), self.monotonic(number));
        let held = program.held.as_mut().filter(|held| !held.over)?;
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

    fn order(&mut self, number: HostNumber, program: &Program, order: Option<GuardOrder>) {
        let guard = self.hosts[number].guards.get_mut(&program.guard);
        if let (Some(guard), Some(order)) = (guard, order) {
            guard.orders.push_back(order);
            self.wake(number, HostTask::Guard(program.guard));
        }
    }

    fn carry_out(&mut self, number: HostNumber, program: &mut Program, output: LeaderOutput) {
        match output {
            LeaderOutput::Log(_, text) | LeaderOutput::News(_, text) => self.log(number, text),
            LeaderOutput::SpawnGuard => {
                let spawned = if self.hosts[number].no_fork {
                    Err("no process can be started".to_owned())
                } else {
                    program.handle = HandleState::new(self.workloads[number].clone());
                    program.guard = self.spawn_guard(number);
                    program.guard_gone = false;
                    program.reports.clear();
                    Ok(())
                };
                program.inputs.push_back(LeaderInput::Spawned(spawned));
            }
            LeaderOutput::Stand => {
                let (office, stop) = (program.member.office(OFFICE), self.workloads[number].stop);
                let value = value_of(&self.names[number], program.number);
                let value = LeaderValue::new(&value).unwrap_or_default();
                let office = office.stop(stop).confirmed().value(value);
                program.standing = Some(Box::pin(async move { office.stand().await }));
                // It begins to stand at once.
                if let Some(stood) = await_by(&mut program.standing, &program.waker) {
                    program.standing = None;
                    let input = self.stood(number, program, stood);
                    program.inputs.push_back(input);
                }
            }
            LeaderOutput::Withdraw => (program.standing, program.asking) = (None, None),
            LeaderOutput::AskForOffice => {
                let (office, name) = (program.member.office(OFFICE), self.names[number].clone());
                let mut asking: Awaited<_> =
                    Box::pin(async move { office.ask_to_transfer(&name).await });
                let _ = poll_by(&mut asking, &program.waker);
                program.asking = Some(asking);
            }
            LeaderOutput::ProbeReadiness => {
                self.order(number, program, Some(GuardOrder::Probe { health: false }));
            }
            LeaderOutput::ProbeHealth => {
                self.order(number, program, Some(GuardOrder::Probe { health: true }));
            }
            LeaderOutput::Prolong(until) => {
                self.order(number, program, program.handle.prolong(until));
            }
            LeaderOutput::EndCommand(grace) => {
                self.order(number, program, Some(GuardOrder::End { grace }));
            }
            output => self.carry_out_leading(number, program, output),
        }
    }

    fn carry_out_leading(
        &mut self,
        number: HostNumber,
        program: &mut Program,
        output: LeaderOutput,
    ) {
        let now = self.boottime(number);
        let Some(held) = &program.held else { return };
        match output {
            LeaderOutput::Begin => {
                let order = program.handle.begin(now, held.term, held.until);
                self.order(number, program, order);
            }
            LeaderOutput::Confirm(until) => _ = held.leadership.confirm(until.since(now)),
            LeaderOutput::Tell(news) => {
                held.leadership.tell_work(news.why_not());
                program.told = Some(news.why_not().map(str::to_owned));
            }
            LeaderOutput::StartNotifier => {
                if self.hosts[number].no_fork {
                    program.notified = Some(Err("no process can be started".to_owned()));
                    return;
                }
                program.notifier = Some(held.term);
                let after = 5 * MILLI + self.dice.below(60 * MILLI);
                let runs = WorldEvent::NotifierRuns(number, program.number, held.term);
                self.queue.push(self.now + after, runs);
                program.notified = Some(Ok(()));
            }
            LeaderOutput::Release => {
                let Some(held) = program.held.take() else { return };
                if self.hosts[number].kernel.acts_in(held.term) {
                    self.broken(&format!("host {number} releases the office while COMMAND runs"));
                }
                let mut releasing: Awaited<()> =
                    Box::pin(async move { held.leadership.resign().await });
                program.told = None;
                // It is told at once.
                let released = poll_by(&mut releasing, &program.waker).is_some();
                program.releasing = (!released).then_some(releasing);
                if program.releasing.is_none() {
                    program.inputs.push_back(LeaderInput::Released);
                }
            }
            _ => {}
        }
    }

    /// A crash notifier is killed.
    pub(crate) fn notifier_ends(&mut self, number: HostNumber) {
        let Some(program) = &mut self.hosts[number].program else { return };
        let runs = program.held.as_ref().map(|held| held.term);
        let guard = program.guard;
        let kept = self.hosts[number].guards.get_mut(&guard).and_then(|guard| guard.kept.take());
        let Some(program) = &mut self.hosts[number].program else { return };
        if runs.is_some() && (kept == runs || program.notifier.take() == runs) {
            program.notified = Some(Err("it was killed".to_owned()));
            self.wake(number, HostTask::Loop);
        }
    }

    /// A crash notifier has connected: from now on the guard can tell it.
    pub(crate) fn notifier_runs(&mut self, number: HostNumber, start: u64, term: u64) {
        let Some(program) = &mut self.hosts[number].program else { return };
        if program.number != start || program.notifier != Some(term) {
            return;
        }
        program.notifier = None;
        let guard = program.guard;
        if let Some(guard) = self.hosts[number].guards.get_mut(&guard) {
            guard.kept = Some(term);
        }
    }
}

fn valid_until(now: Boottime, leadership: &Leadership) -> Boottime {
    now.after(leadership.valid_for())
}
