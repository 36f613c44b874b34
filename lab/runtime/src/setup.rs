//! The settings of a node, and its limits on time and memory.

use crate::membership::Membership;
use std::sync::Arc;
use std::time::Duration;

/// The length of a tick of an alarm, unless another one is set.
pub const TICK: Duration = Duration::from_millis(10);

/// The settings of one node.
#[derive(Clone, Debug)]
pub struct NodeSetup {
    /// The membership that all nodes share.
    pub membership: Arc<Membership>,
    /// The number of this node in the network.
    pub node: u32,
    /// Whether it wakes by itself, as soon as [`Node::elect`](crate::Node::elect) is called; others wait for a message.
    pub initiator: bool,
    /// The seed for algorithms that draw coins; nodes with the same seed draw different ones.
    pub seed: u64,
    /// The length of a tick of an alarm.
    pub tick: Duration,
    /// Its timeouts.
    pub timeouts: Timeouts,
    /// Its limits on memory.
    pub limits: NodeLimits,
    /// Whether the [`NodeOutcome`](crate::NodeOutcome) records each step of the process. Takes memory for every message.
    pub steps: bool,
}

impl NodeSetup {
    /// Creates the settings of an initiator with the default timeouts and limits.
    #[must_use]
    pub fn new(membership: Arc<Membership>, node: u32) -> Self {
        Self {
            membership,
            node,
            initiator: true,
            seed: 1,
            tick: TICK,
            timeouts: Timeouts::default(),
            limits: NodeLimits::default(),
            steps: false,
        }
    }
}

/// The timeouts of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time for a connection, its TLS handshake and its greetings together, on either side: 5
    /// s.
    pub greeting: Duration,
    /// The time between two heartbeats on an idle connection: 2 s.
    pub heartbeat: Duration,
    /// The silence after which a connection is closed and dialled again: 8 s.
    pub silence: Duration,
    /// The pause before the second attempt to connect: 10 ms. Later ones are twice as long each
    /// time.
    pub first_pause: Duration,
    /// The longest pause between two attempts to connect: 1 s.
    pub longest_pause: Duration,
    /// The time without an event after which idle neighbours are probed: 3 s.
    pub stall: Duration,
    /// The time at the end for neighbours to confirm that they know of it: 5 s.
    pub linger: Duration,
    /// How long the parent in the spanning tree, which knows that this node has halted, can be
    /// unreachable before this node leaves without knowing whether all have halted: 40 s.
    pub gone: Duration,
    /// The same for a parent that may not know it: 120 s. A node that leaves then may be missed by
    /// others, if the parent was alive and could not be reached.
    pub abandon: Duration,
    /// The interval at which the certificate files are checked for changes: 5 s.
    pub refresh: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(5),
            heartbeat: Duration::from_secs(2),
            silence: Duration::from_secs(8),
            first_pause: Duration::from_millis(10),
            longest_pause: Duration::from_secs(1),
            stall: Duration::from_secs(3),
            linger: Duration::from_secs(5),
            gone: Duration::from_secs(40),
            abandon: Duration::from_secs(120),
            refresh: Duration::from_secs(5),
        }
    }
}

/// An error: timeouts cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeoutsError {
    /// A timeout is zero.
    #[error("it must be more than 0")]
    Zero(&'static str),
    /// It is longer than [`Timeouts::LONGEST`].
    #[error("it must be at most {} seconds", Timeouts::LONGEST.as_secs())]
    TooLong(&'static str),
    /// A timeout must be shorter than another one.
    #[error("it must be shorter than `{than}`")]
    Order {
        /// The timeout that is too long.
        name: &'static str,
        /// The other one.
        than: &'static str,
    },
}

impl TimeoutsError {
    /// Returns the name of the timeout that must be changed.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Zero(name) | Self::TooLong(name) | Self::Order { name, .. } => name,
        }
    }
}

/// A timeout's name and place.
type NamedTimeout = (&'static str, fn(&mut Timeouts) -> &mut Duration);

impl Timeouts {
    const ALL: [NamedTimeout; 10] = [
        ("greeting", |timeouts| &mut timeouts.greeting),
        ("heartbeat", |timeouts| &mut timeouts.heartbeat),
        ("silence", |timeouts| &mut timeouts.silence),
        ("first_pause", |timeouts| &mut timeouts.first_pause),
        ("longest_pause", |timeouts| &mut timeouts.longest_pause),
        ("stall", |timeouts| &mut timeouts.stall),
        ("linger", |timeouts| &mut timeouts.linger),
        ("gone", |timeouts| &mut timeouts.gone),
        ("abandon", |timeouts| &mut timeouts.abandon),
        ("refresh", |timeouts| &mut timeouts.refresh),
    ];

    /// The longest timeout, some 32 years: an instant that much later can still be represented.
    pub const LONGEST: Duration = Duration::from_secs(1_000_000_000);

    /// Returns the names of all timeouts.
    #[must_use]
    pub fn names() -> [&'static str; 10] {
        Self::ALL.map(|(name, _)| name)
    }

    /// Returns the timeout of this name, to be changed.
    pub fn named(&mut self, name: &str) -> Option<&mut Duration> {
        let (_, of) = Self::ALL.into_iter().find(|&(known, _)| known == name)?;
        Some(of(self))
    }

    /// Checks the timeouts.
    ///
    /// # Errors
    /// If one of them is zero or longer than [`LONGEST`](Self::LONGEST), or two of them contradict
    /// each other.
    pub fn check(mut self) -> Result<(), TimeoutsError> {
        for (name, of) in Self::ALL {
            match *of(&mut self) {
                Duration::ZERO => return Err(TimeoutsError::Zero(name)),
                time if time > Self::LONGEST => return Err(TimeoutsError::TooLong(name)),
                _ => {}
            }
        }
        let order = |fits, name, than| {
            if fits { Ok(()) } else { Err(TimeoutsError::Order { name, than }) }
        };
        order(self.heartbeat < self.silence, "heartbeat", "silence")?;
        order(self.first_pause <= self.longest_pause, "first_pause", "longest_pause")?;
        order(self.gone <= self.abandon, "gone", "abandon")
    }
}

/// Limits on what a node holds in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeLimits {
    /// The number of messages on a link, in one direction, that the receiving process has not
    /// taken. A process that sends one more waits for room, in order, before it receives anything.
    ///
    /// `None` for `n + 2`, but at least 1024. No algorithm of the catalogue ever has more than `k +
    /// 2` messages on a link for `k` initiators, so with this window none ever waits, and none can
    /// deadlock by waiting.
    pub window: Option<u32>,
    /// The number of unauthenticated connections. When there are more, an old one makes room.
    /// `None` for 64 plus twice the number of neighbours.
    pub unauthenticated: Option<usize>,
}

impl NodeLimits {
    pub(crate) fn window_for(&self, nodes: u32) -> u32 {
        self.window.unwrap_or_else(|| nodes.saturating_add(2).max(1024)).max(1)
    }

    pub(crate) fn unauthenticated_for(&self, degree: u32) -> usize {
        self.unauthenticated.unwrap_or(64 + 2 * degree as usize).max(1)
    }
}

#[cfg(test)]
mod tests;
