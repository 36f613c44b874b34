//! Ticks that blocks run without hearing of each other: until a message can leave a block.
//!
//! What a block sends in a tick can only be known to the others in the next one, so blocks that know nothing
//! more exchange after every tick. On a ring they know more: a message has to pass all nodes between its
//! receiver and the edge of the block before anything that it causes can arrive elsewhere. Where few messages
//! are under way, as late in an election, that is mostly far.
//!
//! # Why in this order
//! 1. A block runs the first tick of a stretch by the common clock, with all that has come from others. Further
//!    ticks it runs by a copy of the clock, which knows no account but its own: until [`RoundClock::until`]
//!    nothing can come, so the others do not matter.
//! 2. The horizon of the next stretch is computed after the last tick of this one, by the messages and alarms
//!    that are then under way. A message that has left in the last tick arrives in the one after it, so then
//!    there is no horizon beyond it.
//! 3. A message `h` hops from the nearer edge, at `tick`, arrives elsewhere at `tick + h` at the earliest.
//!    Alarms are treated alike: what they send has as far to go.
//! 4. The common clock takes the accounts tick by tick. Before each but the first it asks whether there were
//!    too many events: then blocks have run too far, and everything is run again without stretches.

use super::{Account, Block, Election, Overrun, RoundClock, outbox::Post};
use crate::timers::Timers;
use serde::{Deserialize, Serialize};
use std::iter;
use suffrage_model::Process;

/// The most ticks of a stretch. A request to stop the election is heard once per stretch.
const LONGEST: u64 = 1024;

/// The greatest number of messages under way to a block up to which it looks where they are. With more,
/// each tick is worth an exchange.
const FEW: usize = 1024;

/// A block's report on a stretch: the ticks from the clock's present tick until [`RoundClock::until`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The ticks in which something happened, in order.
    accounts: Vec<(u64, Account)>,
    /// A tick before which nothing arrives at another block because of what is under way here.
    leaves: u64,
    /// Whether the run is to be stopped: what a person asks for.
    pub interrupted: bool,
}

/// The report of a block where nothing happens, with nothing under way to it.
impl Default for Stretch {
    fn default() -> Self {
        Self { accounts: Vec::new(), leaves: u64::MAX, interrupted: false }
    }
}

impl<P: Process> Block<P> {
    /// Runs all ticks of a stretch: what [`run`](Self::run) does, tick by tick, as long as nothing can come
    /// from other blocks. All messages that arrive in its first tick must have been accepted.
    ///
    /// # Panics
    /// If the election is over.
    pub fn run_stretch(
        &mut self,
        election: &Election<'_>,
        clock: &RoundClock,
        post: Post<'_, P::Msg>,
    ) -> Stretch {
        let (until, mut tick) = (clock.until(), clock.now());
        let mut account = self.run(election, clock, post);
        let mut accounts = Vec::new();
        let mut crossed = self.has_crossed(&account);
        if until > tick + 1 {
            // Until something comes from another block, what it does is of no consequence here.
            let mut own = clock.clone();
            loop {
                let ended = own.advance(self.alone(&account, clock.blocks()));
                if account != Account::default() {
                    accounts.push((tick, account));
                }
                // What is too much here is too much for all.
                let next = own.tick().filter(|&next| ended.is_ok() && next < until);
                let Some(next) = next else { break };
                debug_assert!(!crossed, "a message left a block before it could");
                tick = next;
                account = self.run(election, &own, post);
                crossed = self.has_crossed(&account);
            }
        } else if account != Account::default() {
            accounts.push((tick, account));
        }
        self.now = until - 1;
        let leaves = if crossed { until + 1 } else { self.leaves(election) };
        Stretch { accounts, leaves, interrupted: false }
    }

    fn alone(&self, account: &Account, blocks: u32) -> Vec<Account> {
        let none = |count: u32| iter::repeat_with(Account::default).take(count as usize);
        let own = iter::once(account.clone());
        none(self.number).chain(own).chain(none(blocks - 1 - self.number)).collect()
    }

    fn has_crossed(&self, account: &Account) -> bool {
        account.sent.iter().any(|&(_, block, _)| block != self.number)
    }

    /// Returns a tick before which nothing arrives at another block because of messages under way to this one, after
    /// the last tick that it has run.
    fn leaves(&self, election: &Election<'_>) -> u64 {
        let next = self.now + 1;
        let own = self.first..self.first + self.nodes.len() as u64;
        if !election.goes_ahead() {
            return u64::MAX; // It is not used.
        }
        let arrivals = self.hands.ahead.iter(next).map(|(tick, message)| (tick, message.to.node));
        let mut under_way = arrivals.chain(self.hands.alarms.iter().flat_map(Timers::alarms));
        let alone = own.end - own.start == election.network.nodes();
        let leaves = under_way.by_ref().take(FEW).map(|(tick, node)| {
            let inside = u64::from(node);
            let hops = (inside + 1).min(own.end - own.start - inside);
            if alone { u64::MAX } else { tick + hops }
        });
        let leaves = leaves.min().unwrap_or(u64::MAX);
        if under_way.next().is_some() { next + 1 } else { leaves }
    }
}

impl RoundClock {
    /// Returns the tick before which a stretch ends. All blocks can run the ticks from the clock's present
    /// tick until then without hearing of each other.
    #[must_use]
    pub const fn until(&self) -> u64 {
        if self.until > self.now() { self.until } else { self.now() + 1 }
    }

    /// Ends the next stretch at this tick, if it would end later, but not before it has one.
    pub fn stop_before(&mut self, tick: u64) {
        self.until = self.until.min(tick);
    }

    /// Ends a stretch, given the reports of the blocks in the order of their numbers.
    ///
    /// # Errors
    /// If there were too many events before its last tick, or too many alarms in the first one. Blocks have
    /// run past that: the election must be run again by a clock that [knows](Self::knowing) it.
    pub fn advance_stretch(&mut self, stretches: Vec<Stretch>) -> Result<(), Overrun> {
        let (first, until) = (self.now(), self.until());
        let interrupted = stretches.iter().any(|stretch| stretch.interrupted);
        let leaves = stretches.iter().map(|stretch| stretch.leaves).min();
        let mut accounts: Vec<_> =
            stretches.into_iter().map(|stretch| stretch.accounts.into_iter().peekable()).collect();
        while let Some(tick) = self.tick().filter(|&tick| tick < until) {
            let of_tick = accounts.iter_mut().map(|all| {
                let account = all.next_if(|(at, _)| *at == tick);
                account.map_or_else(Account::default, |(_, account)| account)
            });
            let of_tick: Vec<_> = of_tick.collect();
            if tick > first && self.is_too_much(&of_tick) {
                return Err(Overrun::default());
            }
            self.advance(of_tick)?;
        }
        self.until = self.horizon(leaves.unwrap_or_default());
        if interrupted {
            self.interrupt();
        }
        Ok(())
    }

    fn horizon(&self, leaves: u64) -> u64 {
        let next = self.now().saturating_add(1);
        if self.tick_by_tick || !self.is_regular() {
            return next;
        }
        leaves.clamp(next, self.now().saturating_add(LONGEST))
    }
}

#[cfg(test)]
mod tests;
