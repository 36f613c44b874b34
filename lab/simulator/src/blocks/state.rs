//! The state of an election between two ticks, in pieces that any number of blocks can take up again.

use super::{Block, BlockLayout, BlockMessage, ClockState, Election, RoundClock};
use crate::{medium::InFlight, node::SimulatedProcess, reaction::KINDS, timers::Timers};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use suffrage_model::Process;

/// A piece of the state of an election between two ticks: of some processes, or of some messages under
/// way.
///
/// It names its nodes independently of their blocks, so that another number of blocks can resume the
/// election.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "P: Serialize + serde::de::DeserializeOwned,
    P::Msg: Serialize + serde::de::DeserializeOwned")]
pub struct Piece<P: Process>(PieceContent<P, P::Msg>);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum PieceContent<P, M> {
    /// Processes of neighbouring nodes, from this one on.
    Nodes(u64, Vec<SimulatedProcess<P>>),
    /// Messages that arrive at a tick, by receiver.
    Messages(u64, Vec<(u64, BlockMessage<M>)>),
    /// The last arrival of the links on which it is yet to come.
    Links(Vec<(u64, u64)>),
    /// The alarms that are set: their ticks and nodes.
    Alarms(Vec<(u64, u64)>),
    /// How many coins each process has drawn that has drawn some.
    Coins(Vec<(u64, u64)>),
    /// The sums of a block: messages sent by kind, late ones, processes that woke.
    Sums([u64; KINDS], u64, u64),
}

/// The next events of a block that resumes an election.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ToCome {
    /// How many messages arrive, by tick.
    arrivals: Vec<(u64, u64)>,
    /// The tick of the next alarm.
    alarm: Option<u64>,
}

const PIECE: usize = 4096;

impl<P: Process> Block<P> {
    /// Passes the state to `each`, between two ticks: all messages have been accepted. Each piece comes
    /// with the nodes that it is about: a block that has none of them has no use for it.
    ///
    /// # Errors
    /// The first of `each`.
    pub fn pieces<E>(
        &self,
        each: &mut dyn FnMut(Range<u64>, Piece<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        let all = self.first..self.first + self.nodes.len() as u64;
        for (chunk, nodes) in (0..).zip(self.nodes.chunks(PIECE)) {
            let first = self.first + chunk * PIECE as u64;
            let piece = Piece(PieceContent::Nodes(first, nodes.to_vec()));
            each(first..first + nodes.len() as u64, piece)?;
        }
        let mut some: Vec<(u64, BlockMessage<P::Msg>)> = Vec::new();
        let mut at = 0;
        let mut give = |tick, some: &mut Vec<_>| match std::mem::take(some) {
            none if none.is_empty() => Ok(()),
            some => each(all.clone(), Piece(PieceContent::Messages(tick, some))),
        };
        for (tick, &InFlight { to, depth, msg }) in self.hands.ahead.iter(self.now + 1) {
            if tick != at || some.len() == PIECE {
                give(at, &mut some)?;
                at = tick;
            }
            let packet = BlockMessage { node: 0, port: to.port.0, depth: depth.to_bits(), msg };
            some.push((self.first + u64::from(to.node), packet));
        }
        give(at, &mut some)?;
        let links = self.hands.delay.last_arrivals(self.now);
        each(all.clone(), Piece(PieceContent::Links(links)))?;
        if let Some(alarms) = &self.hands.alarms {
            let set = alarms.alarms().map(|(tick, node)| (tick, self.first + u64::from(node)));
            each(all.clone(), Piece(PieceContent::Alarms(set.collect())))?;
        }
        each(all, Piece(PieceContent::Coins(self.hands.coins.drawn())))?;
        // The first block adds them.
        each(0..1, Piece(PieceContent::Sums(self.hands.counts, self.late, self.woken)))
    }

    /// Takes up what a piece has of its processes; the block has not run. The pieces of one block must
    /// come in their order.
    pub fn take_up(&mut self, layout: BlockLayout, Piece(piece): Piece<P>) {
        let own = layout.range(self.number);
        match piece {
            PieceContent::Nodes(first, nodes) => {
                for (number, kept) in (first..).zip(nodes) {
                    if own.contains(&number) {
                        self.nodes[(number - own.start) as usize] = kept;
                    }
                }
            }
            PieceContent::Messages(tick, packets) => {
                let here = packets.into_iter().filter(|(node, _)| own.contains(node));
                for (node, BlockMessage { port, depth, msg, .. }) in here {
                    let node = (node - own.start) as u32;
                    self.accept(tick, [BlockMessage { node, port, depth, msg }]);
                    *self.waiting.entry(tick).or_default() += 1;
                }
            }
            PieceContent::Links(links) => self.hands.delay.take_up(links),
            PieceContent::Alarms(set) => {
                let here = set.into_iter().filter(|(_, node)| own.contains(node));
                if let Some(alarms) = &mut self.hands.alarms {
                    here.for_each(|(tick, node)| alarms.set_alarm((node - own.start) as u32, tick));
                }
            }
            PieceContent::Coins(drawn) => {
                let here = drawn.into_iter().filter(|(node, _)| own.contains(node));
                self.hands.coins.take_up(here);
            }
            PieceContent::Sums(counts, late, woken) if own.contains(&0) => {
                for (sum, count) in self.hands.counts.iter_mut().zip(counts) {
                    *sum += count;
                }
                self.late += late;
                self.woken += woken;
            }
            PieceContent::Sums(..) => {}
        }
    }

    /// Resumes from a moment, after all pieces have been read. Returns the next events.
    pub fn go_on(&mut self, moment: &ClockState) -> ToCome {
        self.wakes.go_on(moment.now);
        let arrivals = std::mem::take(&mut self.waiting).into_iter().collect();
        let alarm = self.hands.alarms.as_ref().map(Timers::next_alarm);
        ToCome { arrivals, alarm }
    }
}

impl RoundClock {
    /// Returns its state, between two ticks.
    ///
    /// # Panics
    /// If the election is over.
    #[must_use]
    pub fn moment(&self) -> ClockState {
        assert!(self.tick().is_some(), "the election is not over");
        self.state.clone()
    }

    /// Creates the clock of an election that resumes from a moment; `to_come` has the result of [`Block::go_on`] for
    /// each block.
    #[must_use]
    pub fn going_on(
        election: &Election<'_>,
        layout: BlockLayout,
        moment: ClockState,
        to_come: &[ToCome],
    ) -> Self {
        let mut clock = Self::new(election, layout);
        clock.wakes.retain(|&tick| tick > moment.now);
        for (block, ToCome { arrivals, alarm }) in to_come.iter().enumerate() {
            clock.alarms[block] = alarm.unwrap_or(u64::MAX);
            for &(tick, count) in arrivals {
                clock.arriving(tick)[block] += count;
            }
        }
        clock.state = moment;
        clock
    }
}
