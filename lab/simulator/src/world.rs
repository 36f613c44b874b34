//! The processes of an election, and the engine that drives them.

use crate::{
    Experiment,
    competition::CompetitionRecorder,
    environment::{Environment, Misstep},
    medium::{InFlight, Medium, ReplayMismatch, Turn},
    monitor::{ElectionMonitor, endless},
    node::SimulatedProcess,
    reaction::TurningPoint,
    recurrence::EarlierState,
    trace::{ElectionEvent, Observer},
    verdict::Accounts,
};
use std::{hint::black_box, ops::ControlFlow};
use suffrage_algorithms::{Invariant, Property};
use suffrage_model::{Action, Id, Process, Stage, Timing};

/// A callback that receives the number of delivered messages from time to time, and may stop the run.
pub(crate) type Pulse<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

pub(crate) const PULSE: u64 = 1 << 16;

/// The size of a small second-level cache, in bytes.
const CACHE: usize = 1 << 19;

/// The number of messages for which the receiving processes are fetched at once.
const AHEAD: usize = 32;

/// All processes, and the environment that they share.
pub(crate) struct World<'e, 'w, P: Process> {
    pub nodes: Vec<SimulatedProcess<P>>,
    pub ids: &'e [Id],
    pub environment: Environment<'e, 'w, P::Msg>,
    /// The tick of the last event.
    time: u64,
    delivered: u64,
    /// The number of alarms that have rung.
    alarms: u64,
    pub late: u64,
    pub woken: u64,
    /// The tick of the last wake-up.
    woken_at: u64,
    pub peak_in_flight: u64,
    pub monitor: ElectionMonitor,
    /// Whether it has had as many events as it may.
    spent: bool,
    /// The state to which a recording claims to return.
    remembered: Option<EarlierState<P>>,
    /// Whether the processes take more memory than a cache holds.
    far: bool,
    /// The crashes to come, the latest first.
    crashes: Vec<(u64, u32)>,
    /// The invariants against which every configuration is checked; mostly none.
    pub invariants: Vec<Invariant<P>>,
    /// The recorder of rounds or levels, if they are recorded.
    pub recorder: Option<CompetitionRecorder<P>>,
}

impl<'e, 'w, P: Process> World<'e, 'w, P> {
    pub(crate) fn new(
        experiment: &Experiment<'e>,
        medium: Box<dyn Medium<P::Msg> + 'e>,
        observer: Option<&'w mut dyn Observer>,
        invariants: Vec<Invariant<P>>,
        recorder: Option<CompetitionRecorder<P>>,
    ) -> Self {
        Self {
            nodes: SimulatedProcess::all(experiment),
            ids: experiment.ids,
            environment: Environment::new(experiment, medium, observer),
            time: 0,
            delivered: 0,
            alarms: 0,
            late: 0,
            woken: 0,
            woken_at: 0,
            peak_in_flight: 0,
            monitor: ElectionMonitor::default(),
            spent: false,
            remembered: None,
            far: size_of::<SimulatedProcess<P>>() * experiment.ids.len() > CACHE,
            crashes: experiment.crashes(),
            invariants,
            recorder,
        }
    }

    /// Runs until no event is left, or for `event_limit` deliveries and alarms. Returns whether the
    /// run came to its end.
    pub(crate) fn run(
        &mut self,
        event_limit: u64,
        pulse: Pulse<'_>,
    ) -> Result<bool, ReplayMismatch> {
        if self.environment.observer.is_some() {
            for number in 0..self.nodes.len() {
                self.environment.tell_state(number as u32, &self.nodes[number].process);
            }
        }
        let mut checkpoint = PULSE.min(event_limit);
        loop {
            self.arrivals(checkpoint.saturating_sub(self.alarms).max(self.delivered + 1));
            if self.delivered + self.alarms >= checkpoint {
                if checkpoint < event_limit {
                    if pulse(self.delivered).is_break() {
                        return Ok(false);
                    }
                    checkpoint = (checkpoint + PULSE).min(event_limit);
                    continue;
                }
                // It may have come to its end with the last event.
                if self.environment.in_flight > 0 {
                    return Ok(self.reach_event_limit(event_limit));
                }
            }
            if let Some(what) = self.environment.miscast.take() {
                return Err(self.environment.medium.misfit(&what));
            }
            if self.environment.medium.replays() {
                self.remember();
            }
            let Some(turn) = self.environment.medium.turn()? else {
                self.look_back();
                return Ok(true);
            };
            self.crash_who_must();
            match turn {
                Turn::Onward => {}
                Turn::Wake(node) if self.is_awake(node) && self.environment.medium.replays() => {
                    let what = format!("wakes process {node}, which is not asleep");
                    return Err(self.environment.medium.misfit(&what));
                }
                Turn::Wake(node) => self.wake(node),
                Turn::Crash(node) => self.crash(node),
                Turn::Lose | Turn::Duplicate => {
                    self.environment.strike(matches!(turn, Turn::Lose));
                    self.time = self.environment.medium.now();
                    self.peak_in_flight = self.peak_in_flight.max(self.environment.in_flight);
                }
                Turn::Alarm(_) if self.delivered + self.alarms >= event_limit => {
                    return Ok(self.reach_event_limit(event_limit));
                }
                Turn::Alarm(node) => self.alarm(node),
            }
            self.hold_to_invariants();
        }
    }

    /// Delivers messages until another event is due or `until` have been delivered in total.
    // A separate function: the rest of a run would push its variables out of registers.
    #[inline(never)]
    fn arrivals(&mut self, until: u64) {
        while self.delivered < until {
            let Some((messages, unread)) = self.environment.medium.lend() else {
                if self.environment.medium.advance() {
                    continue;
                }
                return;
            };
            let now = self.environment.medium.now();
            let allowed = usize::try_from(until - self.delivered).unwrap_or(usize::MAX);
            let read = unread.start..unread.end.min(unread.start.saturating_add(allowed));
            for soon in messages[read.clone()].chunks(AHEAD) {
                if self.far {
                    self.fetch(soon);
                }
                for &message in soon {
                    self.crash_who_must();
                    self.deliver(message, now);
                }
            }
            self.environment.medium.give_back(messages, read);
            self.hold_to_invariants();
        }
    }

    /// Ends an election that counts as endless.
    #[cold]
    fn reach_event_limit(&mut self, event_limit: u64) -> bool {
        self.spent = true;
        self.monitor.add(self.time, endless(event_limit));
        true
    }

    /// Prefetches the processes that are to act. In a large network each of them is a cache miss;
    /// reads that are issued together are waited for together.
    #[inline]
    fn fetch(&self, soon: &[InFlight<P::Msg>]) {
        let mut depths = 0;
        for message in soon {
            depths |= self.nodes[message.to.node as usize].depth;
        }
        black_box(depths);
        self.environment.medium.fetch(soon);
    }

    #[inline(always)]
    fn deliver(&mut self, message: InFlight<P::Msg>, now: u64) {
        let InFlight { to, depth, msg } = message;
        self.delivered += 1;
        self.environment.in_flight -= 1;
        if self.environment.counts_rounds {
            self.environment.rounds.receive(depth.mark());
        }
        let node = &mut self.nodes[to.node as usize];
        if matches!(node.stage, Stage::Halted | Stage::Crashed) {
            return self.discard(message);
        }
        node.meet(depth);
        if self.environment.disturbed {
            self.environment.tell_arrival(message, false);
        }
        node.receive(to.node, (to.port, msg), &mut self.environment);
        let turns = node.turns();
        self.settle(to.node, turns, now);
    }

    /// Drops a message that has reached a process that has halted or crashed.
    #[cold]
    fn discard(&mut self, message: InFlight<P::Msg>) {
        self.time = self.environment.medium.now();
        if self.nodes[message.to.node as usize].stage == Stage::Halted {
            self.late += 1;
        } else {
            self.delivered -= 1;
            self.environment.lost += 1;
        }
        self.environment.tell_arrival(message, true);
    }

    fn wake(&mut self, node: u32) {
        let state = &mut self.nodes[node as usize];
        if state.stage != Stage::Asleep {
            return;
        }
        self.woken += 1;
        self.woken_at = self.environment.medium.now();
        self.environment.rounds.wake();
        self.environment.tell(0, &ElectionEvent::Wake(node));
        state.wake(node, &mut self.environment);
        let turns = state.turns();
        self.settle(node, turns, self.woken_at);
    }

    pub(crate) fn close(self, ended: bool) -> (Vec<SimulatedProcess<P>>, Accounts) {
        let patient = !self.monitor.contains(Property::Termination);
        let possible = if ended { self.possible() } else { Vec::new() };
        let unfinished = patient && !possible.is_empty();
        let peak_in_flight = self.peak_in_flight();
        let environment = self.environment;
        // In rounds, where each message takes one unit, units are ticks.
        let units = environment.counts_rounds.then(|| match P::TIMING {
            Timing::Asynchronous => environment.rounds.since_last_wake(),
            Timing::Rounds | Timing::SimultaneousRounds => self.time.saturating_sub(self.woken_at),
        });
        let accounts = Accounts {
            ended,
            unfinished,
            possible,
            counts: environment.counts,
            time: self.time,
            units,
            causal_depth: 0,
            peak_in_flight,
            delivered: self.delivered,
            late: self.late,
            lost: environment.lost,
            blocked: environment.medium.blocked(),
            woken: self.woken,
            stages: self.recorder.map(CompetitionRecorder::into_stages),
            monitor: self.monitor,
        };
        (self.nodes, accounts)
    }

    fn alarm(&mut self, node: u32) {
        self.alarms += 1;
        let state = &mut self.nodes[node as usize];
        if state.stage != Stage::Running {
            return;
        }
        let depth = state.depth;
        self.environment.rounds.event();
        self.environment.tell(depth, &ElectionEvent::Alarm(node));
        state.alarm(node, &mut self.environment);
        let turns = state.turns();
        self.settle(node, turns, self.environment.medium.now());
    }

    /// Updates the accounts after a reaction, and handles a turning point of the process.
    #[inline(always)]
    fn settle(&mut self, node: u32, turns: bool, now: u64) {
        self.peak_in_flight = self.peak_in_flight.max(self.environment.in_flight);
        self.time = now;
        if self.environment.disturbed {
            self.environment.tell_state(node, &self.nodes[node as usize].process);
        }
        if turns || self.environment.misstep.is_some() || self.recorder.is_some() {
            self.turning_point(node);
        }
    }

    #[cold]
    #[inline(never)]
    fn turning_point(&mut self, node: u32) {
        let (now, state) = (self.environment.medium.now(), &mut self.nodes[node as usize]);
        if let Some(recorder) = &mut self.recorder {
            recorder.look(node, &state.process, now);
        }
        let (depth, TurningPoint { decides, halts }) = (state.depth, state.settle());
        if let Some((old, new)) = decides {
            self.monitor.decide(now, node, old, new);
            self.environment.tell(depth, &ElectionEvent::Status(node, new));
        }
        if halts {
            self.environment.tell(depth, &ElectionEvent::Halt(node));
        }
        if self.environment.misstep.is_some() {
            self.misstep(node);
        }
    }

    /// Records the forbidden action of a process, if any.
    fn misstep(&mut self, node: u32) {
        let Some(misstep) = self.environment.misstep.take() else { return };
        let degree = || self.environment.wiring.degree(node);
        self.monitor.add(self.environment.medium.now(), misstep.violation(node, degree));
        if let Misstep::Rejects(why) = misstep {
            let depth = self.nodes[node as usize].depth;
            self.environment.tell(depth, &ElectionEvent::Reject(node, why));
        }
    }

    /// Remembers the present state if a recording claims to return to it.
    #[cold]
    fn remember(&mut self) {
        let Some(steps) = self.environment.medium.steps_around() else { return };
        self.remembered = self.moment(steps);
    }

    /// Reports a livelock if the present state is the remembered one.
    fn look_back(&mut self) {
        let Some(then) = self.remembered.take() else { return };
        if let Some(now) = self.moment(then.steps)
            && let Some(violation) = then.livelock(&now)
        {
            self.monitor.add(self.time, violation);
        }
    }

    fn moment(&self, steps: u64) -> Option<EarlierState<P>> {
        Some(EarlierState::new(steps, &self.nodes, self.environment.medium.between()?))
    }

    #[inline]
    fn crash_who_must(&mut self) {
        if self.environment.disturbed {
            self.crash_now();
        }
    }

    #[cold]
    fn crash_now(&mut self) {
        let now = self.environment.medium.now();
        while self.crashes.last().is_some_and(|&(at, _)| at <= now) {
            let Some((_, node)) = self.crashes.pop() else { return };
            self.crash(node);
        }
    }

    #[cold]
    fn crash(&mut self, node: u32) {
        let state = &mut self.nodes[node as usize];
        if state.stage == Stage::Crashed {
            return;
        }
        state.stage = Stage::Crashed;
        self.time = self.environment.medium.now();
        self.monitor.crash(node);
        let depth = state.depth;
        let lost = self.environment.medium.crash(node);
        self.environment.lost += lost;
        self.environment.in_flight -= lost;
        self.environment.tell(depth, &ElectionEvent::Crash(node));
    }

    pub(crate) fn peak_in_flight(&self) -> u64 {
        self.environment.medium.peak_in_flight().unwrap_or(self.peak_in_flight)
    }

    fn possible(&self) -> Vec<Action> {
        let medium = &self.environment.medium;
        match medium.replays() && !self.spent {
            true => medium.possible(&|node| self.nodes[node as usize].stage),
            false => Vec::new(),
        }
    }

    fn is_awake(&self, node: u32) -> bool {
        self.nodes[node as usize].stage != Stage::Asleep
    }
}
