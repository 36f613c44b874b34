//! The speed limit of the direct engine: its memory accesses without the election.

use crate::pages::Array;
use std::{hint::black_box, mem::swap};
use suffrage_population::{
    meetings::{Meetings, Pairs},
    random::RandomStream,
};

const BLOCK: usize = 64;

/// Draws pairs of agents as the direct engine does, and reads and writes a number of four bytes for
/// both, with no decision that depends on the values. For arrays larger than the caches this is the
/// speed of the memory.
#[derive(Debug)]
pub(super) struct MemoryLimit {
    meetings: Meetings,
    numbers: Array<u32>,
}

impl MemoryLimit {
    /// Creates an array for `agents` agents, at least two.
    #[must_use]
    pub(super) fn new(agents: u32) -> Self {
        let mut numbers = Array::zeroed(agents as usize);
        // So that the kernel provides the pages before the measurement.
        numbers.as_mut_slice().fill(1);
        Self { meetings: Meetings::among(agents), numbers }
    }

    /// Touches the agents of `count` meetings, rounded up to whole blocks. With `ahead`, reads each
    /// place once before, while the next block is drawn. Returns the number of meetings.
    pub(super) fn run(&mut self, count: u64, ahead: bool, stream: &mut RandomStream) -> u64 {
        let (mut block, mut next) = ([(0, 0); BLOCK], [(0, 0); BLOCK]);
        next.fill_with(|| self.meetings.next(stream));
        let numbers = self.numbers.as_mut_slice();
        let blocks = count.div_ceil(BLOCK as u64);
        for _ in 0..blocks {
            swap(&mut block, &mut next);
            let mut touched = 0;
            for meeting in &mut next {
                let (i, j) = self.meetings.next(stream);
                if ahead {
                    touched ^= numbers[i as usize] ^ numbers[j as usize];
                }
                *meeting = (i, j);
            }
            black_box(touched);
            for &(i, j) in &block {
                let (x, y) = (numbers[i as usize], numbers[j as usize]);
                numbers[i as usize] = x.wrapping_add(1);
                numbers[j as usize] = y.wrapping_add(3);
            }
        }
        black_box(self.numbers.as_slice()[0]);
        blocks * BLOCK as u64
    }

    /// Only draws the pairs. Returns their number.
    pub(super) fn draw(&self, count: u64, stream: &mut RandomStream) -> u64 {
        let mut all = 0;
        for _ in 0..count {
            let (i, j) = self.meetings.next(stream);
            all ^= i ^ j;
        }
        black_box(all);
        count
    }
}
