//! The processes of a range of nodes, and their reactions.

use super::{
    Account, Arrival, BlockLayout, BlockMessage, Election, ElectionNetwork, RoundClock,
    clock::Incident,
    outbox::{BlockOutbox, Post},
    wakes::BlockWakes,
};
use crate::{
    chunks::Pool,
    delay::Delay,
    environment::{Coins, Misstep},
    medium::{InFlight, MarkedDepth},
    node::SimulatedProcess,
    reaction::{KINDS, Surroundings},
    rounds::{Ahead, Ranges, Sorter},
    timers::{DueTimer, Timers, Wakes},
};
use std::{collections::BTreeMap, mem};
use suffrage_model::{End, Message, Port, Process, Stage, Status};

/// The processes of a range of nodes, and the messages under way to them.
pub struct Block<P: Process> {
    pub(super) number: u32,
    /// The number of its first node: within the block nodes are numbered from 0.
    pub(super) first: u64,
    pub(super) nodes: Vec<SimulatedProcess<P>>,
    /// The wake-ups to come.
    pub(super) wakes: BlockWakes,
    /// The messages of the present tick.
    present: Ranges<InFlight<P::Msg>>,
    sorter: Sorter,
    /// The messages of a range that is being read, in order.
    reading: Vec<InFlight<P::Msg>>,
    pub(super) hands: Hands<P::Msg>,
    /// The last tick that was run.
    pub(super) now: u64,
    /// Of an election that is taken up again, the messages that arrive at each tick.
    pub(super) waiting: BTreeMap<u64, u64>,
    pub(super) late: u64,
    pub(super) woken: u64,
}

/// All that reactions act on.
pub(super) struct Hands<M> {
    pub(super) delay: Delay,
    pub(super) coins: Coins,
    /// The messages of ticks to come. What a block sends to itself comes here at once, into the room that the
    /// messages of the present tick have left.
    pub(super) ahead: Ahead<M>,
    pool: Pool<InFlight<M>>,
    outbox: BlockOutbox<M>,
    pub(super) counts: [u64; KINDS],
    /// The forbidden action of the present reaction, if any.
    misstep: Option<Misstep>,
    /// The alarms of its processes, where these run in rounds.
    pub(super) alarms: Option<Timers>,
    /// Whether a process has set an alarm where there are none.
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
    pub fn new(election: &Election<'_>, layout: BlockLayout, number: u32) -> Self {
        assert!(P::Msg::KINDS.len() <= KINDS, "an algorithm has at most {KINDS} kinds of messages");
        let range = layout.range(number);
        let count = (range.end - range.start) as u32;
        let wakes = BlockWakes::of(election, &range);
        let delay = election.delay(&range);
        Self {
            number,
            first: range.start,
            nodes: election.processes(range).map(SimulatedProcess::new).collect(),
            wakes,
            present: Ranges::new(count),
            sorter: Sorter::default(),
            reading: Vec::new(),
            hands: Hands {
                ahead: Ahead::new(&delay, count),
                pool: Pool::default(),
                delay,
                coins: Coins::of_seed(election.seed),
                outbox: BlockOutbox::new(layout, number),
                counts: [0; KINDS],
                misstep: None,
                alarms: P::TIMING.in_rounds().then(|| Timers::new(&Wakes::At(Vec::new()), 0, true)),
                alarmed: false,
                advanced: false,
                mark: false,
                latest: None,
                latest_of_round: None,
            },
            now: 0,
            waiting: BTreeMap::new(),
            late: 0,
            woken: 0,
        }
    }

    /// Takes messages of other blocks to its processes that arrive at `tick`, which is to come.
    ///
    /// Those of one link must be handed over in the order in which its sender's block handed them out.
    pub fn accept(&mut self, tick: u64, packets: impl IntoIterator<Item = BlockMessage<P::Msg>>) {
        for BlockMessage { node, port, depth, msg } in packets {
            let to = End { node, port: Port(port) };
            let message = InFlight { to, depth: MarkedDepth::from_bits(depth), msg };
            self.hands.ahead.push(tick, message, &mut self.hands.pool);
        }
    }

    /// Runs the tick of the clock. All messages that arrive in it must have been accepted. Passes to
    /// `post` the messages to other blocks: the receiving block, the tick of arrival, the messages.
    ///
    /// # Panics
    /// If the election is over.
    pub fn run(
        &mut self,
        election: &Election<'_>,
        clock: &RoundClock,
        post: &mut dyn FnMut(u32, u64, Vec<BlockMessage<P::Msg>>),
    ) -> Account {
        let now = clock.tick().expect("the election is not over");
        self.now = now;
        let network = election.network;
        let mut account = Account::default();
        self.hands.begin(clock);
        let mut left = clock.allowance(self.number);
        if left > 0 {
            // Before the wake-ups, whose messages are those of ticks to come.
            self.hands.ahead.take(now, &mut self.present, &mut self.hands.pool);
        }
        while let Some(node) = self.wakes.pop(now) {
            self.wake(network, node, now, &mut account, post);
        }
        while left > 0 {
            let mut messages = mem::take(&mut self.reading);
            let count = self.sorter.next(&mut self.present, &mut self.hands.pool, &mut messages);
            assert!(count > 0, "all messages of the tick have been accepted");
            let read = count.min(usize::try_from(left).unwrap_or(usize::MAX));
            for &message in &messages[..read] {
                self.deliver(network, message, clock, &mut account, post);
            }
            left -= read as u64;
            account.delivered += read as u64;
            self.reading = messages;
        }
        self.ring(clock, &mut account, network, post);
        account.sent = self.hands.outbox.close(now, post);
        account.advanced = self.hands.advanced;
        account.latest = self.hands.latest;
        account.latest_of_round = self.hands.latest_of_round;
        account.alarmed = self.hands.alarmed;
        account
    }

    /// Lets the alarms of the tick ring, as many as may.
    fn ring(
        &mut self,
        clock: &RoundClock,
        account: &mut Account,
        network: ElectionNetwork<'_>,
        post: Post<'_, P::Msg>,
    ) {
        let now = clock.now();
        let due = |hands: &mut Hands<P::Msg>| match hands.alarms.as_mut()?.pop(now)? {
            DueTimer::Alarm(node) | DueTimer::Wake(node) => Some(node),
        };
        let left = clock.rings(self.number);
        while account.rung < left
            && let Some(node) = due(&mut self.hands)
        {
            account.rung += 1;
            self.alarm(network, node, now, account, post);
        }
        let Some(alarms) = &self.hands.alarms else { return };
        let next = alarms.next_alarm();
        account.more = next <= now;
        account.next_alarm = (next != clock.assumed(self.number)).then_some(next);
    }

    fn alarm(
        &mut self,
        network: ElectionNetwork<'_>,
        inside: u32,
        now: u64,
        account: &mut Account,
        post: Post<'_, P::Msg>,
    ) {
        let node = &mut self.nodes[inside as usize];
        if node.stage != Stage::Running {
            return;
        }
        account.alerted = true;
        let number = self.first + u64::from(inside);
        node.alarm(number, &mut Reach { network, now, hands: &mut self.hands, post });
        self.settle(network, number, &mut account.on_alarm);
    }

    fn wake(
        &mut self,
        network: ElectionNetwork<'_>,
        number: u64,
        now: u64,
        account: &mut Account,
        post: Post<'_, P::Msg>,
    ) {
        let node = &mut self.nodes[(number - self.first) as usize];
        let mut reach = Reach { network, now, hands: &mut self.hands, post };
        if node.wake(number, &mut reach).is_none() {
            return;
        }
        self.woken += 1;
        account.woken += 1;
        self.settle(network, number, &mut account.on_wake_up);
    }

    #[inline(always)]
    fn deliver(
        &mut self,
        network: ElectionNetwork<'_>,
        InFlight { to, depth, msg }: InFlight<P::Msg>,
        clock: &RoundClock,
        account: &mut Account,
        post: Post<'_, P::Msg>,
    ) {
        let (now, number) = (clock.now(), self.first + u64::from(to.node));
        if !self.hands.advanced && clock.ends_round(number, to.port, depth.mark()) {
            self.hands.advance();
        }
        let node = &mut self.nodes[to.node as usize];
        if node.stage == Stage::Halted {
            self.late += 1;
            return;
        }
        node.meet(depth);
        let mut reach = Reach { network, now, hands: &mut self.hands, post };
        node.receive(number, (to.port, msg), &mut reach);
        let turns = node.turns();
        if turns || self.hands.misstep.is_some() {
            self.settle(network, number, &mut account.on_arrival);
        }
    }

    /// Updates the records about a process after a reaction.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, network: ElectionNetwork<'_>, number: u64, incidents: &mut Vec<Incident>) {
        let node = &mut self.nodes[(number - self.first) as usize];
        if let Some((old, new)) = node.settle().decides
            && (old != Status::Undecided || new == Status::Leader)
        {
            incidents.push(Incident::Decides { node: number, old, new });
        }
        if let Some(misstep) = self.hands.misstep.take() {
            let violation = misstep.violation(number, || network.degree(number));
            incidents.push(Incident::Violates(violation));
        }
    }

    pub(super) const fn counts(&self) -> [u64; KINDS] {
        self.hands.counts
    }
}

impl<M> Hands<M> {
    fn begin(&mut self, clock: &RoundClock) {
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

/// What a process of a block reaches in a tick.
struct Reach<'r, 'p, M> {
    network: ElectionNetwork<'r>,
    now: u64,
    hands: &'r mut Hands<M>,
    post: Post<'p, M>,
}

impl<M: Message> Surroundings<M> for Reach<'_, '_, M> {
    type Number = u64;
    type Depth = u32;
    type Way = (u64, Port);

    #[inline]
    fn degree(&self, of: u64) -> u32 {
        self.network.degree(of)
    }

    #[inline(always)]
    fn across(&self, from: u64, port: Port) -> Option<(u64, Port)> {
        self.network.across(from, port)
    }

    #[inline(always)]
    fn counts(&mut self) -> &mut [u64; KINDS] {
        &mut self.hands.counts
    }

    #[inline(always)]
    fn send(
        &mut self,
        (from, by): (u64, Port),
        serial: u32,
        depth: &mut u32,
        (receiver, port): (u64, Port),
        msg: M,
    ) {
        let (now, hands) = (self.now, &mut *self.hands);
        let tick = match &mut hands.delay {
            Delay::Unit => now + 1,
            drawn => drawn.arrival(self.network.link(from, by), from, serial, now),
        };
        let arrival = Some((tick, receiver, port.0));
        hands.latest = hands.latest.max(arrival);
        if !hands.advanced {
            hands.latest_of_round = hands.latest;
        }
        let depth = MarkedDepth::new(*depth + 1, hands.mark);
        if let Some(node) = hands.outbox.own(receiver) {
            hands.outbox.keep(now, tick);
            let message = InFlight { to: End { node, port }, depth, msg };
            return hands.ahead.push(tick, message, &mut hands.pool);
        }
        let packet = BlockMessage { node: 0, port: port.0, depth: depth.to_bits(), msg };
        hands.outbox.push(now, (tick, receiver), packet, self.post);
    }

    fn no_such_port(&mut self, _: u64, _: u32, port: Port) {
        self.hands.misstep = Some(Misstep::NoSuchPort(port));
    }

    fn reject(&mut self, _: u64, _: u32, why: &'static str) {
        self.hands.misstep.get_or_insert(Misstep::Rejects(why));
    }

    fn choose(&mut self, node: u64, max: u32) -> u32 {
        self.hands.coins.draw(node, max).unwrap_or(0)
    }

    fn set_alarm(&mut self, node: u64, ticks: u32) {
        let inside = self.hands.outbox.own(node);
        match (&mut self.hands.alarms, inside) {
            (Some(alarms), Some(node)) => alarms.set_alarm(node, self.now + u64::from(ticks)),
            _ => self.hands.alarmed = true,
        }
    }
}
