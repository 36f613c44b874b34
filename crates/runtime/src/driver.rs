//! One process and its links: reactions, alarms, accounts, and the end.

use crate::cluster::Cluster;
use crate::limits::Patience;
use crate::outcome::Outcome;
use crate::transport::{Event, Transport};
use crate::view::{Stage, Viewed};
use crate::wire::Cargo;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suffrage_algorithms::Violation;
use suffrage_process::{Facts, Knowledge, Message, Net, Place, Port, Process, Size, Status, Wire};
use suffrage_topology::random::Generator;
use tokio::sync::Barrier;
use tokio::time::{sleep, sleep_until, timeout};
use tracing::{debug, info, warn};

/// What a driver is told.
pub(crate) struct Part {
    pub cluster: Arc<Cluster>,
    pub node: u32,
    pub initiator: bool,
    pub seed: u64,
    pub tick: Duration,
    pub patience: Patience,
    pub view: Arc<Viewed>,
    pub gate: Option<Arc<Barrier>>,
}

/// Neighbours that a node looks after when nothing happens.
const PROBES: u32 = 32;

/// Runs a process until all have halted.
pub(crate) async fn drive<P: Process<Msg: Wire>, T: Transport>(
    part: Part,
    transport: T,
) -> Outcome {
    let Part { cluster, node, .. } = &part;
    let (wiring, tree) = (cluster.wiring(), cluster.tree());
    let facts = Facts {
        id: cluster.ids()[*node as usize],
        size: Size(wiring.nodes()),
        place: Place(*node),
    };
    let degree = wiring.degree(*node);
    let now = Instant::now();
    let driver = Driver::<P, T> {
        process: P::new(P::Knows::of(&facts), degree),
        transport,
        degree,
        outbox: Vec::new(),
        alarm: None,
        coins: Generator::new(part.seed, "coins"),
        outcome: Outcome {
            node: *node,
            id: facts.id,
            role: Status::Undecided,
            leader: None,
            sent: P::Msg::KINDS.iter().map(|kind| (kind, 0)).collect(),
            received: 0,
            late: 0,
            causal_depth: 0,
            links: 0,
            woke: false,
            violations: Vec::new(),
            began: now,
            decided: None,
            halted: now,
            released: now,
            all_halted: true,
        },
        stage: Stage::Asleep,
        parent: tree.parent(*node),
        children: tree.children(*node).to_vec(),
        halted_below: 0,
        reported: false,
        part,
    };
    driver.run().await
}

struct Driver<P: Process, T> {
    part: Part,
    process: P,
    transport: T,
    degree: u32,
    /// What a reaction has sent and is not on its link yet.
    outbox: Vec<(Port, P::Msg)>,
    alarm: Option<Instant>,
    coins: Generator,
    outcome: Outcome,
    stage: Stage,
    parent: Option<Port>,
    children: Vec<Port>,
    /// Children that have halted, and all below them.
    halted_below: usize,
    /// The parent has been told that all from here on down have halted.
    reported: bool,
}

impl<P: Process<Msg: Wire>, T: Transport> Driver<P, T> {
    async fn run(mut self) -> Outcome {
        if let Some(gate) = self.part.gate.take() {
            self.connect().await;
            gate.wait().await;
            self.outcome.began = Instant::now();
        }
        if self.part.initiator {
            self.outcome.woke = true;
            self.react(|process, net| process.wake(net)).await;
        }
        while self.stage < Stage::Released {
            let under_way = self.transport.under_way().clone();
            let done = self.stage == Stage::Halted
                && !self.reported
                && self.halted_below == self.children.len();
            tokio::select! {
                event = self.transport.receive() => match event {
                    Event::Arrival { port, bytes, receipt } => {
                        // Taken: there is room on the link again, whatever the reaction waits for.
                        drop(receipt);
                        self.arrival(port, &bytes).await;
                    }
                    Event::Left(port) => self.left(port, true),
                    Event::Gone(port) => self.left(port, false),
                },
                () = at(self.alarm) => {
                    self.alarm = None;
                    self.react(|process, net| process.alarm(net)).await;
                }
                () = under_way.none(), if done => self.report().await,
                () = sleep(self.part.patience.stall) => self.probe(),
            }
        }
        self.release().await
    }

    /// Opens all links, and waits until they are up.
    async fn connect(&self) {
        (0..self.degree).for_each(|port| self.transport.open(Port(port)));
        if self.transport.connects() {
            let mut view = self.part.view.watch();
            let _ = view.wait_for(|view| view.connected >= self.degree as usize).await;
        }
    }

    async fn arrival(&mut self, port: Port, bytes: &[u8]) {
        match Cargo::<P::Msg>::from_bytes(bytes) {
            Some(Cargo::Message { .. }) if self.stage == Stage::Halted => self.outcome.late += 1,
            Some(Cargo::Message { depth, msg }) => {
                self.outcome.received += 1;
                self.outcome.causal_depth = self.outcome.causal_depth.max(depth);
                self.react(|process, net| process.receive(port, msg, net)).await;
            }
            Some(Cargo::Halted) => self.halted_below += 1,
            Some(Cargo::Released) => self.enter(Stage::Released),
            // Transports have looked at it before.
            None => warn!(port = port.0, "bytes that are no message"),
        }
    }

    /// A neighbour has left. If it is the parent, and has been told that all from here on down have
    /// halted, nobody needs this node any more. A parent that said goodbye knew that all had
    /// halted; of one that is gone without a word nobody can tell.
    fn left(&mut self, port: Port, knew: bool) {
        if self.parent == Some(port) && self.reported {
            self.outcome.all_halted = knew;
            self.enter(Stage::Released);
        }
    }

    /// One reaction, and what follows from it.
    async fn react(&mut self, reaction: impl FnOnce(&mut P, &mut Reaction<'_, P::Msg>)) {
        if self.stage == Stage::Asleep {
            self.enter(Stage::Running);
        }
        let before = self.process.status();
        let mut net = Reaction {
            degree: self.degree,
            outbox: &mut self.outbox,
            coins: &mut self.coins,
            alarm: None,
            rejected: None,
        };
        reaction(&mut self.process, &mut net);
        let Reaction { alarm, rejected, .. } = net;
        if let Some(ticks) = alarm {
            self.alarm = Some(Instant::now() + self.part.tick.saturating_mul(ticks.max(1)));
        }
        if let Some(why) = rejected {
            warn!(why, "a message that cannot be");
            self.outcome.violations.push(Violation::rejected(self.part.node, why));
        }
        self.look(before);
        let depth = self.outcome.causal_depth + 1;
        let mut outbox = std::mem::take(&mut self.outbox);
        for (port, msg) in outbox.drain(..) {
            self.outcome.sent[msg.kind()].1 += 1;
            self.transport.send(port, Cargo::Message { depth, msg }.to_bytes()).await;
        }
        self.outbox = outbox;
    }

    /// Has the process decided, has it halted?
    fn look(&mut self, before: Status) {
        let (status, leader) = (self.process.status(), self.process.leader());
        if before != Status::Undecided && status != before {
            let revoked = Violation::revoked(self.part.node, before, status);
            self.outcome.violations.push(revoked);
        }
        if (status, leader) != (self.outcome.role, self.outcome.leader) {
            (self.outcome.role, self.outcome.leader) = (status, leader);
            if leader.is_some() {
                self.outcome.decided.get_or_insert_with(Instant::now);
                info!(?status, leader = leader.map(suffrage_process::Id::get), "decided");
            }
            self.part.view.change(|view| {
                (view.status, view.leader) = (status, leader);
                true
            });
        }
        if self.process.halted() && self.stage < Stage::Halted {
            self.outcome.halted = Instant::now();
            if status != Status::Undecided {
                self.outcome.decided.get_or_insert(self.outcome.halted);
            }
            self.alarm = None;
            self.enter(Stage::Halted);
        }
    }

    fn enter(&mut self, stage: Stage) {
        debug!(?stage, "stage");
        self.stage = stage;
        self.part.view.enter(stage);
    }

    /// All from here on down have halted, and nothing that this node has sent is under way.
    async fn report(&mut self) {
        self.reported = true;
        match self.parent {
            Some(parent) => {
                self.transport.send(parent, Cargo::<P::Msg>::Halted.to_bytes()).await;
            }
            None => self.enter(Stage::Released),
        }
    }

    /// All have halted: tells those below, and leaves.
    async fn release(mut self) -> Outcome {
        self.outcome.released = Instant::now();
        for child in std::mem::take(&mut self.children) {
            self.transport.send(child, Cargo::<P::Msg>::Released.to_bytes()).await;
        }
        let under_way = self.transport.under_way().clone();
        let told = async {
            let told = under_way.none();
            tokio::pin!(told);
            loop {
                tokio::select! {
                    () = &mut told => return,
                    // What comes now is of no interest, but it is taken.
                    event = self.transport.receive() => drop(event),
                }
            }
        };
        if timeout(self.part.patience.linger, told).await.is_err() {
            info!("some neighbours have not confirmed that they know of the end");
        }
        self.outcome.links = self.transport.opened();
        self.transport.leave().await;
        self.outcome
    }

    /// Nothing happens: is anybody missing?
    fn probe(&self) {
        (0..self.degree.min(PROBES)).for_each(|port| self.transport.open(Port(port)));
    }
}

/// Waits until then, or for ever.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant.into()).await,
        None => pending().await,
    }
}

/// The net of a process, for one reaction.
struct Reaction<'a, M> {
    degree: u32,
    outbox: &'a mut Vec<(Port, M)>,
    coins: &'a mut Generator,
    alarm: Option<u32>,
    rejected: Option<&'static str>,
}

impl<M: Message> Net<M> for Reaction<'_, M> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: M) {
        assert!(to.0 < self.degree, "there are {} ports, and none is port {}", self.degree, to.0);
        self.outbox.push((to, msg));
    }

    fn choose(&mut self, max: u32) -> u32 {
        self.coins.below(u64::from(max) + 1) as u32
    }

    fn set_alarm(&mut self, ticks: u32) {
        self.alarm = Some(ticks);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
