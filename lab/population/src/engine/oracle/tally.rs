//! The joint distribution of the leader's conversions and followers met, stage by stage: the
//! dynamic programme behind the leader's declaration.
//!
//! It is written once for any kind of weight that a path of the election may carry. With a
//! probability and an expected time it gives the mean of the declaration's time; with a complex
//! number, the characteristic function of that time.

use super::{conversion_rate, follower_share};
use crate::protocol::NumberedElection;

/// The maximal number of followers met before completion: more have a probability near 2^-256,
/// since even before the last conversion every other event is that conversion.
const MOST_FOLLOWERS: usize = 256;

/// The total weight of the paths to one tally.
pub(super) trait Weight: Copy {
    /// The weight of no paths.
    const NONE: Self;
    /// The weight of all paths, at the beginning.
    const ALL: Self;
    /// The effect of the time until an event on a weight.
    type Wait: Copy;

    fn plus(self, other: Self) -> Self;
    fn scaled(self, by: f64) -> Self;
    fn after(self, wait: Self::Wait, times: u64) -> Self;
    fn is_negligible(self) -> bool;
}

/// Returns the paths on which the leader declares too early, and those on which it declares after
/// completion; both up to the declaration.
///
/// `wait` returns the effect of a geometric time of some rate on a weight. Takes time proportional
/// to `agents` times the number of tallies of more than negligible weight, a few hundred.
pub(super) fn declarations<W: Weight>(
    election: &impl NumberedElection,
    agents: u32,
    wait: impl Fn(f64) -> W::Wait,
) -> (W, W) {
    let n = u64::from(agents);
    let enough = |c: u32| election.followers_to_declare(c).unwrap_or(u64::MAX);
    // Entry f of row c has the paths to c conversions and f followers met.
    let mut rows: Vec<Vec<W>> = vec![vec![W::ALL]];
    let mut early = W::NONE;
    for k in 1..n {
        let share = follower_share(n, k);
        // The time of an event does not depend on which of the two kinds it is.
        let wait = wait(conversion_rate(n, k) / (1.0 - share));
        for (row, c) in rows.iter_mut().zip(0..) {
            early = early.plus(meet_followers(row, share, wait, enough(c)));
        }
        convert(&mut rows, 1.0 / k as f64);
    }
    // From then on the leader meets only followers.
    let meeting = wait(2.0 / n as f64);
    let mut late = W::NONE;
    for (row, c) in rows.iter().zip(0..) {
        for (&weight, met) in row.iter().zip(0_u64..) {
            let missing = enough(c).saturating_sub(met).max(1);
            late = late.plus(weight.after(meeting, missing));
        }
    }
    (early, late)
}

/// Computes one stage: the leader repeatedly meets a follower with probability `share`, and
/// declares when it has met `enough`. Returns the weight of the paths on which it declares.
fn meet_followers<W: Weight>(row: &mut Vec<W>, share: f64, wait: W::Wait, enough: u64) -> W {
    let (mut carried, mut declares) = (W::NONE, W::NONE);
    let mut met = 0;
    while met < row.len() || !carried.is_negligible() && met < MOST_FOLLOWERS {
        if met == row.len() {
            row.push(W::NONE);
        }
        let weight = row[met].plus(carried);
        carried = W::NONE;
        if weight.is_negligible() {
            row[met] = weight;
        } else {
            let weight = weight.after(wait, 1);
            row[met] = weight.scaled(1.0 - share);
            carried = weight.scaled(share);
        }
        met += 1;
        if met as u64 >= enough {
            declares = declares.plus(carried);
            carried = W::NONE;
        }
    }
    declares
}

/// Applies the conversion that ends a stage, which is the leader's with the given probability. The
/// last row is not changed if only a negligible weight would leave it.
fn convert<W: Weight>(rows: &mut Vec<Vec<W>>, leaders: f64) {
    if rows.last().into_iter().flatten().any(|weight| !weight.scaled(leaders).is_negligible()) {
        rows.push(Vec::new());
    }
    for c in (1..rows.len()).rev() {
        let Ok([from, to]) = rows.get_disjoint_mut([c - 1, c]) else { unreachable!() };
        to.resize(to.len().max(from.len()), W::NONE);
        for (from, to) in from.iter_mut().zip(to) {
            *to = to.plus(from.scaled(leaders));
            *from = from.scaled(1.0 - leaders);
        }
    }
}

/// A probability, and the same times the expected time until then.
#[derive(Clone, Copy)]
struct TimedProbability {
    probability: f64,
    time: f64,
}

impl Weight for TimedProbability {
    const NONE: Self = Self { probability: 0.0, time: 0.0 };
    const ALL: Self = Self { probability: 1.0, time: 0.0 };
    /// The mean of the time.
    type Wait = f64;

    fn plus(self, other: Self) -> Self {
        Self { probability: self.probability + other.probability, time: self.time + other.time }
    }

    fn scaled(self, by: f64) -> Self {
        Self { probability: self.probability * by, time: self.time * by }
    }

    fn after(self, wait: f64, times: u64) -> Self {
        Self { time: self.time + self.probability * wait * times as f64, ..self }
    }

    fn is_negligible(self) -> bool {
        self.probability < 1e-30
    }
}

/// Returns the probability that the leader declares after completion, and the expected time of its
/// declaration.
pub(super) fn expected_declaration(election: &impl NumberedElection, agents: u32) -> (f64, f64) {
    let (early, late): (TimedProbability, _) = declarations(election, agents, |rate| 1.0 / rate);
    (late.probability, early.time + late.time)
}
