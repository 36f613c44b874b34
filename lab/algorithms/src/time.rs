//! Time: the duration of an election if every message takes at most one unit.

use crate::{Bound, Formula, Parameters};

/// A claim about time: the greatest number of units that an election takes, if a message takes at
/// most one unit and a process reacts at once.
///
/// Time is counted from the moment at which the last initiator wakes, so initiators that wake `w`
/// units apart take at most `w` units more. It is the model in which the literature states such
/// bounds (G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., 2000, section 6.1); links hold
/// any number of messages. [`Rounds`] measures it.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// The time until there is a leader.
    pub election: Bound,
    /// The time from then on, until no message is under way.
    pub announcement: Bound,
}

impl Time {
    /// Creates the claim that there is a leader within this time, and that nothing follows.
    #[must_use]
    pub const fn unannounced(election: Bound) -> Self {
        Self { election, announcement: Bound::at_most("0", |_| 0) }
    }

    /// Returns the greatest time, election and announcement together, in units; saturating.
    #[must_use]
    pub fn at(&self, parameters: &Parameters) -> u64 {
        self.election.at(parameters).saturating_add(self.announcement.at(parameters))
    }

    /// Returns whether the claim applies to every single election: whether it is no statement about
    /// probabilities.
    #[must_use]
    pub const fn is_sure(&self) -> bool {
        self.election.is_sure() && self.announcement.is_sure()
    }

    /// Returns both bounds as one.
    #[must_use]
    pub fn stated(&self) -> Formula {
        self.election.stated().plus(&self.announcement.stated())
    }

    /// Returns whether the diameter of the network affects the bound. If not, the diameter need not
    /// be computed.
    #[must_use]
    pub fn depends_on_diameter(&self, parameters: &Parameters) -> bool {
        self.at(&parameters.with_diameter(0))
            != self.at(&parameters.with_diameter(parameters.nodes))
    }

    /// Returns whether the bound depends on the winner: whether processes wait for a time that an
    /// identity determines.
    #[must_use]
    pub fn depends_on_winner(&self, parameters: &Parameters) -> bool {
        let with = |winner| self.at(&Parameters { winner, ..*parameters });
        with(0) != with(u64::MAX)
    }

    /// Returns the greatest time. `diameter` is called only if it affects the result.
    #[must_use]
    pub fn within(&self, parameters: &Parameters, diameter: &dyn Fn() -> u64) -> u64 {
        match self.depends_on_diameter(parameters) {
            true => self.at(&parameters.with_diameter(diameter())),
            false => self.at(parameters),
        }
    }
}

/// A clock that counts asynchronous rounds.
///
/// A round ends when the last of the messages has arrived that were under way when it began; then
/// the next begins. The number of rounds is the longest time that an execution can take, in the
/// order in which its events happened, if no message takes more than one unit: if all messages of a
/// round arrive together when it ends, none takes more, and no event can be later, because a message
/// of the round before would have to take more than a unit. So a bound on time is a bound on rounds,
/// in every order of events, and no clock is needed to hold an execution to it.
///
/// Time during which nothing is under way is not counted.
///
/// ```
/// use suffrage_algorithms::Rounds;
///
/// let mut rounds = Rounds::default();
/// rounds.wake();
/// let (first, second) = (rounds.send(), rounds.send());
/// rounds.receive(first); // It is passed on:
/// let third = rounds.send();
/// rounds.receive(second);
/// assert_eq!(rounds.since_last_wake(), 1);
/// rounds.receive(third);
/// assert_eq!(rounds.since_last_wake(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// The current round.
    round: u64,
    /// The round of the last wake-up.
    woken: u64,
    /// The numbers of messages under way that were sent in even rounds and in odd ones: of the current
    /// round, and of the one before.
    under_way: [u64; 2],
}

impl Rounds {
    /// Records that a process wakes spontaneously. That ends no round: it may be as early as what
    /// happened before it.
    pub const fn wake(&mut self) {
        self.woken = self.round;
    }

    /// Records an event other than the arrival of a message.
    #[inline]
    pub fn event(&mut self) {
        let [new, old] = [self.round % 2, (self.round + 1) % 2].map(|parity| parity as usize);
        if self.under_way[old] == 0 && self.under_way[new] > 0 {
            self.round += 1;
        }
    }

    /// Records that a message is sent. Returns its mark, which [`receive`](Self::receive) takes.
    #[inline]
    #[must_use = "whether the round is over depends on the marks of the messages that arrive"]
    pub fn send(&mut self) -> bool {
        let parity = self.round % 2;
        self.under_way[parity as usize] += 1;
        parity == 1
    }

    /// Records that the message of this mark arrives.
    #[inline]
    pub fn receive(&mut self, mark: bool) {
        self.event();
        let sent = &mut self.under_way[usize::from(mark)];
        *sent = sent.saturating_sub(1);
    }

    /// Returns the number of messages under way.
    #[must_use]
    pub const fn under_way(&self) -> u64 {
        self.under_way[0] + self.under_way[1]
    }

    /// Returns the number of rounds since the last spontaneous wake-up.
    #[must_use]
    pub const fn since_last_wake(&self) -> u64 {
        self.round - self.woken
    }
}
