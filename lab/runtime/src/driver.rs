//! Drives one process: its reactions, alarms and counts, and the end of the election.

mod termination;

use crate::driver::termination::{HaltReport, Termination, Unexpected};
use crate::outcome::{NodeOutcome, ProcessStep, StepEvent};
use crate::process::{EncodedProcess, OutgoingMessage, ProcessNet};
use crate::setup::{NodeSetup, Timeouts};
use crate::transport::{LinkEvent, LinkTransport, Receipt};
use crate::view::{NodeStage, Viewed};
use crate::window::UnderWay;
use crate::wire::Payload;
use std::future::pending;
use std::sync::Arc;
use std::time::Instant;
use suffrage_algorithms::Violation;
use suffrage_model::{Id, Port, Status};
use suffrage_net::log_limit::LogLimit;
use suffrage_networks::random::Generator;
use tokio::sync::Barrier;
use tokio::time::{sleep, sleep_until, timeout};
use tracing::{debug, info, warn};

/// The maximal number of neighbours that a node probes when nothing happens.
const PROBES: u32 = 32;

/// The number of links that all nodes of a network together open for this, but at least one for each: on a busy
/// machine many wait at the same time, and if they run in one program, each link is two open files of it.
const PROBES_OF_ALL: u32 = 2048;
const VIOLATIONS: usize = 64;

/// Runs a process until it may leave.
pub(crate) async fn drive<T: LinkTransport>(
    setup: NodeSetup,
    process: Box<dyn EncodedProcess>,
    view: Arc<Viewed>,
    gate: Option<Arc<Barrier>>,
    transport: T,
) -> NodeOutcome {
    let NodeSetup { membership, node, .. } = &setup;
    let tree = membership.tree();
    let now = Instant::now();
    let driver = Driver {
        transport,
        degree: membership.wiring().degree(*node),
        outbox: Vec::new(),
        alarm: None,
        // Each node has its own: if all drew the same coins, anonymous processes would stay alike forever.
        coins: Generator::new(setup.seed ^ u64::from(*node) << 32, "coins"),
        outcome: NodeOutcome {
            node: *node,
            id: membership.ids()[*node as usize],
            role: Status::Undecided,
            leader: None,
            sent: process.kinds().iter().map(|kind| (kind, 0)).collect(),
            received: 0,
            late: 0,
            causal_depth: 0,
            links: 0,
            woke: false,
            steps: Vec::new(),
            violations: Vec::new(),
            began: now,
            decided: None,
            halted: now,
            released: now,
            all_halted: true,
        },
        stage: NodeStage::Asleep,
        termination: Termination::new(tree.parent(*node), tree.children(*node)),
        suspicions: LogLimit::default(),
        process,
        setup,
        view,
        gate,
    };
    driver.run().await
}

struct Driver<T> {
    setup: NodeSetup,
    view: Arc<Viewed>,
    /// A barrier at which the node waits for all others, with its links open, before it starts.
    gate: Option<Arc<Barrier>>,
    process: Box<dyn EncodedProcess>,
    transport: T,
    degree: u32,
    /// Messages that a reaction has sent and that are not on their links yet.
    outbox: Vec<OutgoingMessage>,
    alarm: Option<Instant>,
    coins: Generator,
    outcome: NodeOutcome,
    stage: NodeStage,
    termination: Termination,
    suspicions: LogLimit,
}

impl<T: LinkTransport> Driver<T> {
    async fn run(mut self) -> NodeOutcome {
        if let Some(gate) = self.gate.take() {
            self.connect().await;
            gate.wait().await;
            self.outcome.began = Instant::now();
        }
        if self.setup.initiator {
            self.outcome.woke = true;
            self.react(StepEvent::Wake).await;
        }
        let view = self.view.clone();
        let timeouts = self.setup.timeouts;
        while self.stage < NodeStage::Released {
            let under_way = self.transport.under_way().clone();
            let may_report = self.stage == NodeStage::Halted && self.termination.may_report();
            let waits_for = self.termination.waits_for();
            tokio::select! {
                event = self.transport.receive() => match event {
                    LinkEvent::Arrival { port, bytes, receipt } => {
                        // Makes room on the link at once, before the reaction waits for anything.
                        receipt.taken();
                        self.arrival(port, &bytes).await;
                    }
                    LinkEvent::Left { port, certain } => self.left(port, certain),
                },
                () = at(self.alarm) => {
                    self.alarm = None;
                    self.react(StepEvent::Alarm).await;
                }
                () = under_way.none(), if may_report => self.report().await,
                () = gone(&view, waits_for, &under_way, &timeouts) => {
                    self.termination.give_up();
                    self.released();
                }
                () = sleep(timeouts.stall) => self.probe(),
            }
        }
        self.release().await
    }

    async fn connect(&self) {
        (0..self.degree).for_each(|port| self.transport.open(Port(port)));
        if self.transport.connects() {
            let mut view = self.view.watch();
            let _ = view.wait_for(|view| view.connected >= self.degree as usize).await;
        }
    }

    async fn arrival(&mut self, port: Port, bytes: &[u8]) {
        match self.process.decode(bytes) {
            Some(Payload::Message { depth, .. }) if self.stage == NodeStage::Halted => {
                self.outcome.late += 1;
                let last = self.outcome.steps.last().map_or(0, |step| step.clock);
                self.note(last.max(depth), StepEvent::Receive(port.0), Vec::new());
            }
            Some(Payload::Message { depth, .. }) => {
                self.outcome.received += 1;
                self.outcome.causal_depth = self.outcome.causal_depth.max(depth);
                self.react(StepEvent::Receive(port.0)).await;
            }
            Some(Payload::Halted) => {
                let believed = self.termination.halted(port);
                self.believe(port, "that it has halted", believed);
            }
            Some(Payload::Released { certain }) => {
                let believed = self.termination.released(port, certain);
                self.believe(port, "that all have halted", believed);
                self.released();
            }
            // Transports have already checked it.
            None => warn!(id = %self.neighbour(port), "a neighbour has sent an invalid message"),
        }
    }

    /// Handles a neighbour that has left. If it is the parent, and has been told that this subtree
    /// has halted, no other node needs this one any more.
    fn left(&mut self, port: Port, certain: bool) {
        match self.termination.released(port, certain) {
            // Neither node depends on the other.
            Err(Unexpected::NotTheParent) => {}
            believed => self.believe(port, "goodbye", believed),
        }
        self.released();
    }

    /// Logs a message about the end that is ignored as unexpected.
    fn believe(&self, port: Port, word: &str, believed: Result<(), Unexpected>) {
        let Err(why) = believed else { return };
        if let Some(held_back) = self.suspicions.permit(word) {
            let id = self.neighbour(port);
            warn!(%id, held_back, "a neighbour says {word}, and is not believed: {why}");
        }
    }

    fn neighbour(&self, port: Port) -> Id {
        let membership = &self.setup.membership;
        membership.ids()[membership.wiring().across(self.setup.node, port).node as usize]
    }

    async fn react(&mut self, event: StepEvent) {
        if self.stage == NodeStage::Asleep {
            self.enter(NodeStage::Running);
        }
        let before = self.process.status();
        let mut net = ProcessNet {
            degree: self.degree,
            depth: self.outcome.causal_depth.saturating_add(1),
            outbox: &mut self.outbox,
            coins: &mut self.coins,
            drawn: Vec::new(),
            alarm: None,
            rejected: None,
            no_such_port: None,
        };
        self.process.react(event, &mut net);
        let ProcessNet { alarm, rejected, no_such_port, drawn, .. } = net;
        self.note(self.outcome.causal_depth, event, drawn);
        if let Some(ticks) = alarm {
            self.alarm = Some(Instant::now() + self.setup.tick.saturating_mul(ticks.max(1)));
        }
        if let Some(why) = rejected {
            if let Some(held_back) = self.suspicions.permit(why) {
                warn!(why, held_back, "a message that cannot be");
            }
            self.violated(Violation::rejected(self.setup.node, why));
        }
        if let Some(Port(port)) = no_such_port {
            self.violated(Violation::no_such_port(self.setup.node, port, self.degree));
        }
        self.look(before);
        let mut outbox = std::mem::take(&mut self.outbox);
        for OutgoingMessage { port, kind, bytes } in outbox.drain(..) {
            self.outcome.sent[kind].1 += 1;
            self.transport.send(port, bytes).await;
        }
        self.outbox = outbox;
    }

    /// Records a step of the process, if steps are recorded.
    fn note(&mut self, clock: u32, event: StepEvent, coins: Vec<u32>) {
        if self.setup.steps {
            self.outcome.steps.push(ProcessStep { clock, event, coins });
        }
    }

    /// Records what the process has decided, and whether it has halted.
    fn look(&mut self, before: Status) {
        let (status, leader) = (self.process.status(), self.process.leader());
        if before != Status::Undecided && status != before {
            self.violated(Violation::revoked(self.setup.node, before, status));
        }
        if (status, leader) != (self.outcome.role, self.outcome.leader) {
            (self.outcome.role, self.outcome.leader) = (status, leader);
            if leader.is_some() {
                self.outcome.decided.get_or_insert_with(Instant::now);
                info!(?status, leader = leader.map(Id::get), "decided");
            }
            self.view.change(|view| {
                (view.status, view.leader) = (status, leader);
                true
            });
        }
        if self.process.halted() && self.stage < NodeStage::Halted {
            self.outcome.halted = Instant::now();
            if status != Status::Undecided {
                self.outcome.decided.get_or_insert(self.outcome.halted);
            }
            self.alarm = None;
            self.enter(NodeStage::Halted);
        }
    }

    fn violated(&mut self, violation: Violation) {
        // Limited, since a neighbour could cause any number of them.
        if self.outcome.violations.len() < VIOLATIONS {
            self.outcome.violations.push(violation);
        }
    }

    fn enter(&mut self, stage: NodeStage) {
        debug!(?stage, "stage");
        self.stage = stage;
        self.view.enter(stage);
    }

    /// Reports that this subtree has halted, when no message of this node is in transit any more.
    async fn report(&mut self) {
        match self.termination.report() {
            HaltReport::Tell(parent) => {
                self.transport.send(parent, Payload::<()>::Halted.to_bytes()).await;
            }
            HaltReport::AllHalted => self.released(),
        }
    }

    /// Enters the last stage, once this node may leave.
    fn released(&mut self) {
        if let Some(certain) = self.termination.verdict() {
            self.outcome.all_halted = certain;
            self.enter(NodeStage::Released);
        }
    }

    /// Tells the children that they may leave, and leaves.
    async fn release(mut self) -> NodeOutcome {
        self.outcome.released = Instant::now();
        let certain = self.outcome.all_halted;
        for child in self.termination.children() {
            let released = Payload::<()>::Released { certain };
            self.transport.send(child, released.to_bytes()).await;
        }
        let under_way = self.transport.under_way().clone();
        let told = async {
            let told = under_way.none();
            tokio::pin!(told);
            loop {
                tokio::select! {
                    () = &mut told => return,
                    // Events are still taken, and ignored.
                    event = self.transport.receive() => {
                        if let LinkEvent::Arrival { receipt, .. } = event {
                            receipt.taken();
                        }
                    }
                }
            }
        };
        if timeout(self.setup.timeouts.linger, told).await.is_err() {
            info!("some neighbours have not confirmed that they know of the end");
        }
        self.outcome.links = self.transport.opened();
        self.transport.leave(certain).await;
        self.outcome
    }

    /// Opens links to neighbours, to find out whether one is missing.
    fn probe(&self) {
        let probes = probes(self.setup.membership.nodes(), self.degree);
        (0..probes).for_each(|port| self.transport.open(Port(port)));
    }
}

fn probes(nodes: u32, degree: u32) -> u32 {
    degree.min(PROBES_OF_ALL.checked_div(nodes).unwrap_or(0).clamp(1, PROBES))
}

/// Waits until `instant`. Without one, never returns.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant.into()).await,
        None => pending().await,
    }
}

/// Waits until the neighbour at this port, which was reached before, has been unreachable for too
/// long, for any reason. Until it has confirmed that it knows that this node has halted, other
/// nodes may depend on its learning that, and the timeout is longer.
async fn gone(view: &Viewed, port: Option<Port>, under_way: &Arc<UnderWay>, timeouts: &Timeouts) {
    let Some(port) = port else { return pending().await };
    let mut view = view.watch();
    loop {
        let told = under_way.is_empty();
        let absence = view.borrow_and_update().missing.get(&port).cloned();
        let after = if told { timeouts.gone } else { timeouts.abandon };
        let due = absence.filter(|absence| absence.met).and_then(|it| it.since.checked_add(after));
        if due.is_some_and(|due| due <= Instant::now()) {
            return;
        }
        tokio::select! {
            changed = view.changed() => if changed.is_err() {
                return pending().await;
            },
            () = under_way.none(), if !told => {}
            () = at(due) => {}
        }
    }
}

#[cfg(test)]
mod tests;
