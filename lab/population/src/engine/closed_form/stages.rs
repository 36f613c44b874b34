//! The sum of many geometric times, drawn in blocks.
//!
//! A stage that ends with probability `r` per interaction takes a geometric time. In a block of
//! stages all are sped up to the block's greatest rate `p`: a stage then ends at an event of rate
//! `p` with probability `r/p`, and otherwise waits for the next one. The number of events of the
//! block is drawn by thinning; the time for that many events is negative binomial. This is exact.

use crate::{
    engine::Supervisor,
    random::RandomStream,
    sampling::{geometric, negative_binomial},
};
use std::ops::Range;

/// The approximate number of waiting events of a block: more makes blocks longer, and thinning
/// slower.
const WAITS: f64 = 6.0;

/// A sequence of stages and their rates.
pub(in crate::engine) trait StageSequence {
    fn rate(&self, k: u64) -> f64;
    fn peak(&self) -> u64;
    /// Returns a bound on how far the blocks may reach from stage `k`: about where [`WAITS`] waits
    /// are to be expected. Only speed depends on it.
    fn reach(&self, k: u64, waits: f64) -> f64;
}

pub(in crate::engine) fn elapse(
    stages: &impl StageSequence,
    range: Range<u64>,
    mut time: u64,
    stream: &mut RandomStream,
    supervisor: &dyn Supervisor,
) -> Option<u64> {
    let mut k = range.start;
    while k < range.end {
        let length = (stages.reach(k, WAITS) as u64).min(range.end - k);
        if length < 8 {
            time += geometric(stream, stages.rate(k));
            k += 1;
        } else {
            supervisor.go_on(time)?;
            time += block(stages, k..k + length, stream);
            k += length;
        }
    }
    Some(time)
}

fn block(stages: &impl StageSequence, range: Range<u64>, stream: &mut RandomStream) -> u64 {
    let ends = [stages.rate(range.start), stages.rate(range.end - 1)];
    let top = stages.rate(stages.peak().clamp(range.start, range.end - 1));
    let most = 1.0 - ends[0].min(ends[1]) / top;
    let mut events = range.end - range.start;
    if most > 0.0 {
        // Every stage waits with probability 1 - r/top, at most `most`, again and again.
        let mut k = range.start;
        loop {
            let passed = geometric(stream, most) - 1;
            if passed >= range.end - k {
                break;
            }
            k += passed;
            if stream.unit() * most < 1.0 - stages.rate(k) / top {
                events += 1;
            } else {
                k += 1;
                if k == range.end {
                    break;
                }
            }
        }
    }
    negative_binomial(stream, events, top)
}

/// The stages of an epidemic among `agents` agents, where stage k has k infected ones, counted
/// from the first infected agent: with `leader`, its meetings with others infected end a stage too
/// (and begin it again).
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Epidemic {
    pub(in crate::engine) agents: u64,
    pub(in crate::engine) leader: bool,
    /// Whether an agent may meet itself, which a leader notices.
    pub(in crate::engine) self_meetings: bool,
}

impl StageSequence for Epidemic {
    #[inline]
    fn rate(&self, k: u64) -> f64 {
        let (n, k) = (self.agents as f64, k as f64);
        // Of the ordered pairs, the leader's meeting with itself is one, others are two each.
        let meetings = match (self.leader, self.self_meetings) {
            (false, _) => 0.0,
            (true, false) => k - 1.0,
            (true, true) => k - 0.5,
        };
        let pairs = if self.self_meetings { n * n } else { n * (n - 1.0) };
        2.0 * (k * (n - k) + meetings) / pairs
    }

    fn peak(&self) -> u64 {
        // The parabola k (n - k) + k - 1 has its vertex at (n + 1) / 2.
        if self.leader { self.agents.div_ceil(2) } else { self.agents / 2 }
    }

    fn reach(&self, k: u64, waits: f64) -> f64 {
        let (n, k) = (self.agents as f64, k as f64);
        // Waits are the sum of relative distances from the top rate: slope · b², and near the
        // vertex 4 b³ / n².
        let slope = ((n - 2.0 * k).abs() + 1.0) / (k * (n - k));
        let flat = libm::cbrt(waits * n * n / 4.0);
        (waits / slope).sqrt().min(flat).min(0.25 * k).min(0.25 * (n - k))
    }
}

/// The stages of anonymous election: k leaders are left.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Resignations {
    pub(in crate::engine) agents: u64,
}

impl StageSequence for Resignations {
    fn rate(&self, k: u64) -> f64 {
        let (n, k) = (self.agents as f64, k as f64);
        k * (k - 1.0) / (n * (n - 1.0))
    }

    fn peak(&self) -> u64 {
        self.agents
    }

    fn reach(&self, k: u64, waits: f64) -> f64 {
        (waits * k as f64 / 2.0).sqrt().min(0.25 * k as f64)
    }
}
