//! Elections among numbered agents that distinguish the highest identities.
//!
//! The believers in one of the K highest identities are a class; all others are one more class. The
//! namesake of an identity is kept apart from its followers for as long as it believes in itself,
//! since its meetings are counted: such an agent never takes part in a batch. What the K highest
//! believe, count and declare is exact, whatever the others do. Neighbouring classes whose namesakes
//! have given up are one class. Once only the eventual leader believes in itself, the closed form goes
//! on.
//!
//! # Why in this order
//! 1. A run is cut at `until` before its pairs are drawn: what comes later is independent of it, and drawn anew.
//! 2. `pair_up` goes from the highest class down. Whom a class converts lies below it, so `converted` agents and
//!    `pairs` are drawn among classes that have not been looked at.
//! 3. `untouched` is noted after the pairs have left `followers`, and before `met` joins them: the meeting that
//!    ends a run is with an agent that has met, or with one that has not, and these have other weights.
//! 4. Time advances before that meeting, which may be the one at which an agent declares.
//! 5. `meet` changes the classes before it counts, because a declaration is right if all hold the maximum after
//!    the meeting.
//! 6. Classes are joined when nothing refers to their numbers any more, at the end of `advance`.
//! 7. Whether only one namesake is left is asked before anything is drawn: from then on the closed form draws.

use super::pick;
use crate::{
    engine::{
        Supervisor, TrialEngine,
        closed_form::{EventualLeader, SoFar},
    },
    protocol::{MeetingTally, NumberedElection},
    random::RandomStream,
    sampling::{RunLength, geometric, hypergeometric},
    trial::Trial,
};

/// The memory of a distinguished identity: its class, and its places in the two counts that a batch needs.
pub const BYTES_PER_CLASS: u64 = (size_of::<Believers>() + 2 * size_of::<u64>()) as u64;

/// A run is drawn as a whole if it has at least this many meetings that matter: a constant, plus a
/// number for each class. Only speed depends on it.
const WORTHWHILE: (f64, f64) = (8.0, 4.0);

/// The batched engine for numbered agents.
///
/// Exact for all that concerns the highest identities in an election that does not freeze. The
/// first declaration is the first one by an agent among them: no later than the first of all.
#[derive(Clone, Debug)]
pub struct Ranks<E> {
    election: E,
    agents: u64,
    highest: u32,
    worthwhile: (f64, f64),
    /// The usual length of a run.
    typical: f64,
    /// The classes, from the highest identity down.
    classes: Vec<Believers>,
    /// The agents that have met in a batch, by class.
    met: Vec<u64>,
    untouched: Vec<u64>,
    time: u64,
    trial: Trial,
}

/// The exactly known part of the state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanksState {
    /// The number of agents that believe in the highest identity of all.
    pub hold_maximum: u64,
    /// The number of distinguished identities whose agents still believe in themselves.
    pub candidates: u64,
    /// The tally of the eventual leader.
    pub leader: MeetingTally,
    /// Whether it has declared.
    pub leader_declared: bool,
}

/// The believers in one identity.
#[derive(Clone, Copy, Debug)]
struct Believers {
    /// Whether the identity is the highest of all.
    eventual: bool,
    /// The number of believers other than the namesake.
    followers: u64,
    /// The namesake's tally, while it believes in itself.
    namesake: Option<MeetingTally>,
}

impl Believers {
    fn size(&self) -> u64 {
        self.followers + u64::from(self.namesake.is_some())
    }
}

/// An agent, as far as the engine distinguishes agents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedAgent {
    class: usize,
    namesake: bool,
}

impl<E: NumberedElection> Ranks<E> {
    /// Creates an engine for `agents` agents that tells the `highest` identities apart, at least
    /// one.
    ///
    /// # Panics
    /// If the election freezes beliefs: the lower identities' declarations would reach the highest.
    #[must_use]
    pub fn new(election: E, agents: u64, highest: u32) -> Self {
        assert!(!election.freezes(), "identities that others can freeze cannot be followed alone");
        let mut engine = Self {
            election,
            agents,
            highest: highest.max(1),
            worthwhile: WORTHWHILE,
            typical: RunLength::new(agents, 0).typical(),
            classes: Vec::new(),
            met: Vec::new(),
            untouched: Vec::new(),
            time: 0,
            trial: Trial::default(),
        };
        engine.restart();
        engine
    }

    /// Draws every run as a whole, regardless of speed.
    #[cfg(test)]
    pub(super) fn always_in_batches(mut self) -> Self {
        self.worthwhile = (0.0, 0.0);
        self
    }

    /// Restarts from the beginning.
    pub fn restart(&mut self) {
        let apart = u64::from(self.highest).min(self.agents);
        let class = |rank| Believers {
            eventual: rank == 0,
            followers: 0,
            namesake: Some(MeetingTally::default()),
        };
        self.classes.clear();
        self.classes.extend((0..apart).map(class));
        if apart < self.agents {
            let others =
                Believers { eventual: false, followers: self.agents - apart, namesake: None };
            self.classes.push(others);
        }
        self.time = 0;
        self.trial = Trial::default();
    }

    /// Returns the number of interactions so far.
    #[must_use]
    pub const fn time(&self) -> u64 {
        self.time
    }

    /// Returns the state of the run.
    #[must_use]
    pub fn standing(&self) -> RanksState {
        RanksState {
            hold_maximum: self.classes[0].size(),
            candidates: self.namesakes(),
            leader: self.leader(),
            leader_declared: self.trial.leader_declared_at.is_some(),
        }
    }

    /// Runs until the election is over, but at most until interaction number `until`. It is over
    /// when all hold the maximum and the eventual leader has declared, if it ever does. Returns
    /// whether it is over; `None` if stopped.
    pub fn run(
        &mut self,
        until: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<bool> {
        while !self.over() {
            supervisor.go_on(self.time)?;
            if self.time >= until {
                return Some(false);
            }
            self.advance(until, stream);
        }
        Some(true)
    }

    fn over(&self) -> bool {
        let declares = || self.election.followers_to_declare(self.leader().conversions).is_some();
        self.complete() && (self.trial.leader_declared_at.is_some() || !declares())
    }

    fn complete(&self) -> bool {
        self.classes[0].size() == self.agents
    }

    fn leader(&self) -> MeetingTally {
        self.classes[0].namesake.unwrap_or_default()
    }

    fn namesakes(&self) -> u64 {
        self.classes.iter().filter(|class| class.namesake.is_some()).count() as u64
    }

    /// Draws the next meetings, up to `until`: a run, or the next meeting that matters.
    fn advance(&mut self, until: u64, stream: &mut RandomStream) {
        let pairs = u128::from(self.agents) * u128::from(self.agents - 1) / 2;
        let weight = self.weight();
        let share = weight as f64 / pairs as f64;
        let (fixed, each) = self.worthwhile;
        if share * self.typical < fixed + each * self.classes.len() as f64 {
            self.event(share, weight, until, stream);
        } else {
            self.batch(until, self.namesakes(), stream);
        }
        self.tidy();
    }

    /// Returns the number of unordered pairs whose meeting matters: of two classes, or of a
    /// namesake and a follower.
    fn weight(&self) -> u128 {
        let mut lower = u128::from(self.agents);
        let mut weight = 0;
        for class in &self.classes {
            lower -= u128::from(class.size());
            weight += u128::from(class.size()) * lower;
            if class.namesake.is_some() {
                weight += u128::from(class.followers);
            }
        }
        weight
    }

    /// Applies a meeting: the agent of the higher class converts the other, or a namesake meets a
    /// follower.
    fn meet(&mut self, a: RankedAgent, b: RankedAgent) {
        let (high, low) = if a.class <= b.class { (a, b) } else { (b, a) };
        let converts = high.class < low.class;
        if converts {
            let loser = &mut self.classes[low.class];
            if low.namesake {
                loser.namesake = None;
            } else {
                loser.followers -= 1;
            }
            self.classes[high.class].followers += 1;
        }
        if high.namesake || (low.namesake && !converts) {
            self.count(high.class, converts);
        }
    }

    /// Counts a conversion or a follower of the namesake of a class, which may declare.
    fn count(&mut self, class: usize, converts: bool) {
        let complete = self.complete();
        let Believers { eventual, namesake: Some(tally), .. } = &mut self.classes[class] else {
            return;
        };
        let declares = if converts {
            tally.conversions += 1;
            self.election.declares_on_conversion(*tally)
        } else {
            tally.met_followers += 1;
            self.election.declares_on_follower(*tally)
        };
        if declares {
            self.trial.declare(self.time, complete, *eventual);
        }
    }

    /// Draws the next meeting that matters, and its time.
    fn event(&mut self, share: f64, weight: u128, until: u64, stream: &mut RandomStream) {
        let wait = geometric(stream, share);
        if wait > until - self.time {
            // No state changes until then, and later meetings are independent of that.
            self.time = until;
            return;
        }
        self.time += wait;
        let mut place = stream.below_wide(weight);
        let mut lower = self.agents;
        for (class, &Believers { followers, namesake, .. }) in self.classes.iter().enumerate() {
            let size = followers + u64::from(namesake.is_some());
            lower -= size;
            if namesake.is_some() {
                if place < u128::from(followers) {
                    let leader = RankedAgent { class, namesake: true };
                    self.meet(leader, RankedAgent { class, namesake: false });
                    return;
                }
                place -= u128::from(followers);
            }
            let conversions = u128::from(size) * u128::from(lower);
            if place < conversions {
                let (high, low) = (place / u128::from(lower), place % u128::from(lower));
                let high = RankedAgent { class, namesake: namesake.is_some() && high == 0 };
                let low = self.member(class + 1, low as u64);
                self.meet(high, low);
                return;
            }
            place -= conversions;
        }
    }

    fn member(&self, mut class: usize, mut place: u64) -> RankedAgent {
        loop {
            let size = self.classes[class].size();
            if place < size {
                let namesake = self.classes[class].namesake.is_some() && place == 0;
                return RankedAgent { class, namesake };
            }
            place -= size;
            class += 1;
        }
    }

    /// Draws a whole run of meetings among different followers, and the meeting that ends it: one with a namesake, or
    /// with an agent that has met before. A run that `until` cuts short is a run, too: later meetings are drawn again.
    fn batch(&mut self, until: u64, namesakes: u64, stream: &mut RandomStream) {
        let drawn = RunLength::new(self.agents, namesakes).draw(stream);
        let length = drawn.min(until - self.time);
        self.pair_up(length, namesakes, stream);
        self.time += length;
        self.untouched.clear();
        self.untouched.extend(self.classes.iter().map(|class| class.followers));
        for (class, met) in self.classes.iter_mut().zip(&self.met) {
            class.followers += met;
        }
        if length == drawn && self.time < until {
            self.time += 1;
            self.collide(2 * length, namesakes, stream);
        }
    }

    /// Draws the pairs of a run. Takes the agents that meet out of `followers`, and puts their new
    /// classes into `met`.
    ///
    /// From the highest class down: of the agents not yet considered, `converted` are converted by
    /// a higher class, and `2 * pairs` meet among themselves.
    fn pair_up(&mut self, length: u64, namesakes: u64, stream: &mut RandomStream) {
        let mut pool = self.agents - namesakes;
        let (mut pairs, mut converted) = (length, 0);
        self.met.clear();
        self.met.resize(self.classes.len(), 0);
        for (class, met) in self.classes.iter_mut().zip(&mut self.met) {
            let lower = pool - class.followers;
            let lost = hypergeometric(stream, class.followers, lower, converted);
            converted -= lost;
            let stay = class.followers - lost;
            let meet = hypergeometric(stream, stay, lower - converted, 2 * pairs);
            let initiators = hypergeometric(stream, meet, 2 * pairs - meet, pairs);
            let responders = meet - initiators;
            let inside = hypergeometric(stream, responders, pairs - responders, initiators);
            let theirs = meet - inside;
            class.followers = stay - meet;
            *met = 2 * theirs;
            converted += theirs - inside;
            pairs -= theirs;
            pool = lower;
            if pairs == 0 && converted == 0 {
                break;
            }
        }
    }

    /// Draws the meeting that ends a run, uniformly among the pairs in which at least one agent has
    /// met in the run or is a namesake.
    fn collide(&mut self, met: u64, namesakes: u64, stream: &mut RandomStream) {
        let special = met + namesakes;
        let untouched = self.agents - special;
        let both = u128::from(special) * u128::from(special - 1) / 2;
        let one = u128::from(special) * u128::from(untouched);
        let first = self.special(stream.below(special), met, None);
        let second = if stream.below_wide(both + one) < both {
            if first.namesake {
                self.special(stream.below(special - 1), met, Some(first.class))
            } else {
                self.met[first.class] -= 1;
                self.special(stream.below(special - 1), met - 1, None)
            }
        } else {
            RankedAgent { class: pick(&self.untouched, stream.below(untouched)), namesake: false }
        };
        self.meet(first, second);
    }

    /// Returns agent number `place` of the `met` agents that have met in the run and of the
    /// namesakes, without the one of the class `except`.
    fn special(&self, place: u64, met: u64, except: Option<usize>) -> RankedAgent {
        if place < met {
            return RankedAgent { class: pick(&self.met, place), namesake: false };
        }
        let mut namesakes = self
            .classes
            .iter()
            .enumerate()
            .filter(|(class, kept)| kept.namesake.is_some() && Some(*class) != except);
        match namesakes.nth((place - met) as usize) {
            Some((class, _)) => RankedAgent { class, namesake: true },
            None => unreachable!("a place is below the number of namesakes"),
        }
    }

    /// Drops empty classes and joins neighbours whose namesakes have given up.
    fn tidy(&mut self) {
        self.classes.retain(|class| class.size() > 0);
        self.classes.dedup_by(|low, high| {
            let join = high.namesake.is_none() && low.namesake.is_none();
            if join {
                high.followers += low.followers;
            }
            join
        });
    }

    /// Draws the rest of the election once only the eventual leader believes in itself.
    fn follow_leader(
        &mut self,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Option<Trial> {
        let so_far = SoFar {
            time: self.time,
            stage: self.classes[0].size(),
            tally: self.leader(),
            declared_at: self.trial.leader_declared_at,
        };
        let leader = EventualLeader::new(self.election, self.agents);
        let rest = leader.follow(so_far, stream, supervisor)?;
        Some(Trial {
            declared_at: self.trial.declared_at.or(rest.leader_declared_at),
            first_ok: self.trial.first_ok.or(rest.leader_ok),
            ..rest
        })
    }
}

impl<E: NumberedElection> TrialEngine for Ranks<E> {
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        self.restart();
        loop {
            supervisor.go_on(self.time)?;
            if self.namesakes() == 1 {
                return self.follow_leader(stream, supervisor);
            }
            self.advance(u64::MAX, stream);
        }
    }
}

#[cfg(test)]
mod tests;
