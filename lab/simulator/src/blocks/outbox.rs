//! The messages that a block has sent in a tick to others and not handed out yet.

use super::{BlockLayout, BlockMessage};
use std::{collections::BTreeMap, ops::Range};

const BATCH: usize = 4096;

/// Messages by arrival and receiving block.
pub(super) struct BlockOutbox<M> {
    layout: BlockLayout,
    /// The number of the block, and its nodes.
    number: u32,
    nodes: Range<u64>,
    /// How many messages of the next tick the block keeps: those to itself.
    kept: u64,
    /// Those of the next tick, by block.
    next: Vec<Vec<BlockMessage<M>>>,
    /// Those of later ticks.
    later: BTreeMap<(u64, u32), Vec<BlockMessage<M>>>,
    /// How many messages were handed out or kept, by arrival and block, except those that `kept` counts.
    counts: BTreeMap<(u64, u32), u64>,
}

/// What takes messages: the receiving block, the tick of their arrival, and the messages.
pub(super) type Post<'p, M> = &'p mut dyn FnMut(u32, u64, Vec<BlockMessage<M>>);

impl<M: Copy> BlockOutbox<M> {
    pub(super) fn new(layout: BlockLayout, number: u32) -> Self {
        let next = (0..layout.blocks).map(|_| Vec::new()).collect();
        let (later, counts) = (BTreeMap::new(), BTreeMap::new());
        Self { layout, number, nodes: layout.range(number), kept: 0, next, later, counts }
    }

    #[inline(always)]
    pub(super) fn own(&self, node: u64) -> Option<u32> {
        self.nodes.contains(&node).then(|| (node - self.nodes.start) as u32)
    }

    /// Counts a message to this block, which keeps it, that is sent at `now` and arrives at `tick`.
    #[inline(always)]
    pub(super) fn keep(&mut self, now: u64, tick: u64) {
        if tick == now + 1 {
            self.kept += 1;
        } else {
            *self.counts.entry((tick, self.number)).or_default() += 1;
        }
    }

    /// Adds a message to a node of another block that is sent at `now` and arrives at `tick`; its
    /// packet has no receiver yet.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        now: u64,
        (tick, node): (u64, u64),
        mut packet: BlockMessage<M>,
        post: Post<'_, M>,
    ) {
        let (block, number) = self.layout.place(node);
        packet.node = number;
        let batch = if tick == now + 1 {
            &mut self.next[block as usize]
        } else {
            self.later.entry((tick, block)).or_default()
        };
        batch.push(packet);
        if batch.len() == BATCH {
            let batch = std::mem::take(batch);
            self.hand_out(block, tick, batch, post);
        }
    }

    #[cold]
    fn hand_out(&mut self, block: u32, tick: u64, batch: Vec<BlockMessage<M>>, post: Post<'_, M>) {
        *self.counts.entry((tick, block)).or_default() += batch.len() as u64;
        post(block, tick, batch);
    }

    /// Hands out the remaining messages of the tick `now`. Returns how many messages there were for each
    /// tick of arrival and each block, this block included.
    pub(super) fn close(&mut self, now: u64, post: Post<'_, M>) -> Vec<(u64, u32, u64)> {
        for block in 0..self.layout.blocks {
            let batch = std::mem::take(&mut self.next[block as usize]);
            if !batch.is_empty() {
                self.hand_out(block, now + 1, batch, post);
            }
        }
        for ((tick, block), batch) in std::mem::take(&mut self.later) {
            self.hand_out(block, tick, batch, post);
        }
        let kept = std::mem::take(&mut self.kept);
        if kept > 0 {
            *self.counts.entry((now + 1, self.number)).or_default() += kept;
        }
        let counts = std::mem::take(&mut self.counts);
        counts.into_iter().map(|((tick, block), count)| (tick, block, count)).collect()
    }
}
