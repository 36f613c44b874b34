//! The processes of a range of nodes, and their reactions.

use super::{
    Account, Arrival, Clock, Layout, Packet,
    clock::Incident,
    outbox::{Outbox, Post},
};
use crate::{
    Experiment, Wakes,
    delay::Delay,
    environment::{Coins, KINDS, Misstep},
    medium::{Depth, Parcel},
    node::Node,
    rounds::{Ahead, Ranges, Sorter},
};
use std::collections::VecDeque;
use suffrage_algorithms::FinalState;
use suffrage_process::{End, Id, Message, Net, Port, Process, Stage, Status};
use suffrage_topology::wiring::Wiring;

/// The processes of a range of nodes, and the messages under way to them.
pub struct Block<P: Process> {
    number: u32,
    pub(super) first: u32,
    pub(super) nodes: Vec<Node<P>>,
    /// The wake-ups to come.
    wakes: VecDeque<(u64, u32)>,
    /// The messages of the present tick and of those to come.
    present: Ranges<P::Msg>,
    ahead: Ahead<P::Msg>,
    pool: Vec<Vec<Parcel<P::Msg>>>,
    sorter: Sorter<P::Msg>,
    hands: Hands<P::Msg>,
    pub(super) late: u64,
    pub(super) woken: u64,
}

/// All that reactions act on.
pub(super) struct Hands<M> {
    delay: Delay,
    coins: Coins,
    outbox: Outbox<M>,
    pub(super) counts: [u64; KINDS],
    /// The forbidden action of the present reaction, if any.
    misstep: Option<Misstep>,
    /// Whether a process has set an alarm.
    alarmed: bool,
    /// Whether the round of the clock has ended within the present tick.
    advanced: bool,
    /// The mark of messages that are sent now.
    mark: bool,
    /// The last arrival of what was sent in the present tick, and of what was sent in the round of the
    /// clock.
    latest: Option<Arrival>,
    latest_of_round: Option<Arrival>,
}

impl<P: Process> Block<P> {
    /// Creates the processes of a block, before the first tick. Takes time linear in their number.
    ///
    /// # Panics
    /// If the algorithm has more than 16 kinds of messages.
    #[must_use]
    pub fn new(experiment: &Experiment<'_>, layout: Layout, number: u32) -> Self {
        assert!(P::Msg::KINDS.len() <= KINDS, "an algorithm has at most {KINDS} kinds of messages");
        let Experiment { wiring, schedule, fifo, seed, .. } = experiment;
        let range = layout.range(number);
        let mut wakes: Vec<(u64, u32)> = match &experiment.wakes {
            Wakes::All => range.clone().map(|node| (0, node)).collect(),
            Wakes::At(wakes) => {
                wakes.iter().copied().filter(|(_, node)| range.contains(node)).collect()
            }
        };
        wakes.sort_unstable();
        let delay = Delay::new(schedule, *fifo, true, wiring.dense_links(), *seed);
        Self {
            number,
            first: range.start,
            nodes: Node::of_range(experiment, range),
            wakes: wakes.into(),
            present: Ranges::new(wiring.nodes()),
            ahead: Ahead::new(&delay, wiring.nodes()),
            pool: Vec::new(),
            sorter: Sorter::default(),
            hands: Hands {
                delay,
                coins: Coins::of(experiment),
                outbox: Outbox::new(layout),
                counts: [0; KINDS],
                misstep: None,
                alarmed: false,
                advanced: false,
                mark: false,
                latest: None,
                latest_of_round: None,
            },
            late: 0,
            woken: 0,
        }
    }

    /// Takes messages to its processes that arrive at `tick`, which is to come.
    ///
    /// Those of one link must be handed over in the order in which its sender's block handed them out.
    pub fn accept(&mut self, tick: u64, packets: impl IntoIterator<Item = Packet<P::Msg>>) {
        for Packet { node, port, depth, msg } in packets {
            let to = End { node, port: Port(port) };
            let parcel = Parcel { to, depth: Depth::from_bits(depth), msg };
            self.ahead.push(tick, parcel, &mut self.pool);
        }
    }

    /// Runs the tick of the clock. All messages that arrive in it must have been accepted. Passes to
    /// `post` what is sent: the receiving block, the tick of arrival, the messages.
    ///
    /// # Panics
    /// If the election is over.
    pub fn run(
        &mut self,
        experiment: &Experiment<'_>,
        clock: &Clock,
        post: &mut dyn FnMut(u32, u64, Vec<Packet<P::Msg>>),
    ) -> Account {
        let now = clock.tick().expect("the election is not over");
        let wiring = experiment.wiring;
        let mut account = Account::default();
        self.hands.begin(clock);
        while let Some(&(_, node)) = self.wakes.front().filter(|(tick, _)| *tick <= now) {
            self.wakes.pop_front();
            self.wake(wiring, node, now, &mut account, post);
        }
        let mut left = clock.allowance(self.number);
        if left > 0 {
            self.ahead.take(now, &mut self.present, &mut self.pool);
        }
        while left > 0 {
            let parcels = self.sorter.next(&mut self.present, &mut self.pool);
            let parcels = parcels.expect("all messages of the tick have been accepted");
            let read = parcels.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            for &parcel in &parcels[..read] {
                self.deliver(wiring, parcel, clock, &mut account, post);
            }
            left -= read as u64;
            account.delivered += read as u64;
            self.sorter.take_back(parcels, &mut self.pool);
        }
        account.sent = self.hands.outbox.close(now, post);
        account.advanced = self.hands.advanced;
        account.latest = self.hands.latest;
        account.latest_of_round = self.hands.latest_of_round;
        account.alarmed = self.hands.alarmed;
        account
    }

    fn wake(
        &mut self,
        wiring: &Wiring,
        number: u32,
        now: u64,
        account: &mut Account,
        post: Post<'_, P::Msg>,
    ) {
        let node = &mut self.nodes[(number - self.first) as usize];
        if node.stage != Stage::Asleep {
            return; // A message came first: it is no initiator any more.
        }
        node.stage = Stage::Running;
        node.woke = true;
        self.woken += 1;
        account.woken += 1;
        let (hands, load) = (&mut self.hands, &mut node.load);
        node.process.wake(&mut Reaction { wiring, node: number, depth: 0, load, now, hands, post });
        self.settle(wiring, number, &mut account.on_wake_up);
    }

    #[inline(always)]
    fn deliver(
        &mut self,
        wiring: &Wiring,
        Parcel { to, depth, msg }: Parcel<P::Msg>,
        clock: &Clock,
        account: &mut Account,
        post: Post<'_, P::Msg>,
    ) {
        let now = clock.now();
        if !self.hands.advanced && clock.ends_round(to, depth.mark()) {
            self.hands.advance();
        }
        let node = &mut self.nodes[(to.node - self.first) as usize];
        if node.stage == Stage::Halted {
            self.late += 1;
            return;
        }
        node.stage = Stage::Running;
        node.load += 1;
        node.depth = node.depth.max(depth.get());
        let (hands, load, depth) = (&mut self.hands, &mut node.load, node.depth);
        let mut net = Reaction { wiring, node: to.node, depth, load, now, hands, post };
        node.process.receive(to.port, msg, &mut net);
        let turns = node.turns();
        if turns || self.hands.misstep.is_some() {
            self.settle(wiring, to.node, &mut account.on_arrival);
        }
    }

    /// Updates what is known of a process after a reaction.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, wiring: &Wiring, number: u32, incidents: &mut Vec<Incident>) {
        let node = &mut self.nodes[(number - self.first) as usize];
        let (old, new) = (node.status, node.process.status());
        if old != new {
            node.status = new;
            if old != Status::Undecided || new == Status::Leader {
                incidents.push(Incident::Decides { node: number, old, new });
            }
        }
        if node.process.halted() {
            node.stage = Stage::Halted;
        }
        if let Some(misstep) = self.hands.misstep.take() {
            let violation = misstep.violation(number, || wiring.degree(number));
            incidents.push(Incident::Violates(violation));
        }
    }

    /// Returns the last states of its processes, in order.
    pub(super) fn states<'a>(&'a self, ids: &'a [Id]) -> impl Iterator<Item = FinalState> {
        let ids = &ids[self.first as usize..];
        self.nodes.iter().zip(ids).map(|(node, &id)| node.final_state(id))
    }

    /// Returns the number of messages sent, by kind.
    pub(super) const fn counts(&self) -> [u64; KINDS] {
        self.hands.counts
    }
}

impl<M> Hands<M> {
    fn begin(&mut self, clock: &Clock) {
        self.advanced = false;
        self.mark = clock.mark();
        self.latest = None;
        self.latest_of_round = None;
    }

    /// Ends the round of the clock.
    #[cold]
    fn advance(&mut self) {
        self.advanced = true;
        self.mark = !self.mark;
    }
}

/// The net of a process, for one reaction.
struct Reaction<'r, 'p, M> {
    wiring: &'r Wiring,
    node: u32,
    depth: u32,
    load: &'r mut u32,
    now: u64,
    hands: &'r mut Hands<M>,
    post: Post<'p, M>,
}

impl<M: Message> Net<M> for Reaction<'_, '_, M> {
    #[inline]
    fn degree(&self) -> u32 {
        self.wiring.degree(self.node)
    }

    #[inline(always)]
    fn send(&mut self, to: Port, msg: M) {
        let Self { wiring, node, now, .. } = *self;
        let Some(end) = wiring.try_across(node, to) else {
            self.hands.misstep = Some(Misstep::NoSuchPort(to));
            return;
        };
        let serial = *self.load;
        *self.load += 1;
        let hands = &mut *self.hands;
        hands.counts[msg.kind()] += 1;
        let tick = match &mut hands.delay {
            Delay::Unit => now + 1,
            drawn => drawn.arrival(wiring.link(node, to), node, serial, now),
        };
        let arrival = Some((tick, end.node, end.port.0));
        hands.latest = hands.latest.max(arrival);
        if !hands.advanced {
            hands.latest_of_round = hands.latest;
        }
        let depth = Depth::new(self.depth + 1, hands.mark).to_bits();
        let packet = Packet { node: end.node, port: end.port.0, depth, msg };
        hands.outbox.push(now, tick, packet, self.post);
    }

    fn choose(&mut self, max: u32) -> u32 {
        self.hands.coins.draw(self.node, max).unwrap_or(0)
    }

    fn set_alarm(&mut self, _: u32) {
        self.hands.alarmed = true;
    }

    fn reject(&mut self, why: &'static str) {
        self.hands.misstep.get_or_insert(Misstep::Rejects(why));
    }
}
