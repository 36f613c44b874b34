//! Reachability: the participants that can exchange messages with a majority, and since when.

/// The condition of a participant under the present faults.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ParticipantHealth {
    /// Whether it is up and not suspended, and its disk and its clock are as they should be.
    pub(crate) sound: bool,
    /// Whether it has lost its record, and has to learn from others.
    pub(crate) forgetful: bool,
    /// Whether its application stands.
    pub(crate) stands: bool,
}

/// For each participant and member, the instant since which they can exchange messages.
///
/// It is updated when a fault begins or ends, or members change, and is valid until the next time.
pub(crate) struct Reachability {
    /// How many of the participants may be members: the first ones.
    members: usize,
    /// The members, in sets: a majority of each is needed.
    sets: Vec<Vec<usize>>,
    /// Since when they have been the members.
    regrouped: u64,
    /// For each participant, since when it had been able to exchange messages with a majority of the members before
    /// these, when they changed; that instant if it had not.
    before: Vec<u64>,
    /// The instants, participant by member; `u64::MAX` if they cannot.
    since: Vec<u64>,
    /// For each participant that has lost its record, the instant at which it must have learnt what
    /// it forgot.
    learnt: Vec<u64>,
    forgetful: Vec<bool>,
    scratch: Vec<u64>,
    soonest: u64,
}

impl Reachability {
    /// The first participants are the members; if these may `change`, each participant may become one.
    pub(crate) fn new(peers: usize, members: usize, change: bool) -> Self {
        let sets = vec![(0..members).collect()];
        let members = if change { peers } else { members };
        Self {
            members,
            sets,
            regrouped: 0,
            before: vec![0; peers],
            since: vec![u64::MAX; peers * members],
            learnt: vec![0; peers],
            forgetful: vec![false; peers],
            scratch: Vec::with_capacity(members),
            soonest: u64::MAX,
        }
    }

    /// Returns how many participants may be members: the first ones.
    pub(crate) const fn voters(&self) -> usize {
        self.members
    }

    /// Returns whether this participant may be a member.
    pub(crate) const fn may_vote(&self, peer: usize) -> bool {
        peer < self.members
    }

    /// Returns the members, in sets: a majority of each is needed.
    pub(crate) fn sets(&self) -> &[Vec<usize>] {
        &self.sets
    }

    /// Returns the instant since which they have been the members.
    pub(crate) const fn regrouped(&self) -> u64 {
        self.regrouped
    }

    /// Replaces the members, at `now`. An [update](Self::update) has to follow.
    pub(crate) fn regroup(&mut self, now: u64, sets: Vec<Vec<usize>>) {
        for peer in 0..self.before.len() {
            let since = self.majority_since(peer);
            self.before[peer] = if since == u64::MAX { now } else { since };
        }
        (self.sets, self.regrouped) = (sets, now);
    }

    /// Updates the state after faults have changed at `now`. Messages are late until `settled`;
    /// `joined` returns whether two participants reach each other, both ways; a member that has
    /// lost its record needs `learning` to ask a majority of the others. Returns the members that
    /// have learnt what they had forgotten.
    pub(crate) fn update(
        &mut self,
        now: u64,
        settled: u64,
        learning: u64,
        health: &[ParticipantHealth],
        mut joined: impl FnMut(usize, usize) -> bool,
    ) -> Vec<usize> {
        let mut remembers = Vec::new();
        for (member, health) in health.iter().enumerate().take(self.members) {
            let already = std::mem::replace(&mut self.forgetful[member], health.forgetful);
            if health.forgetful && already && self.learnt[member] <= now {
                self.forgetful[member] = false;
                remembers.push(member);
            }
        }
        for (peer, own) in health.iter().enumerate() {
            for (member, other) in health.iter().enumerate().take(self.members) {
                let both = own.sound && other.sound;
                let since = &mut self.since[peer * self.members + member];
                if !(both && (peer == member || joined(peer, member))) {
                    *since = u64::MAX;
                } else if *since == u64::MAX {
                    *since = settled.max(now);
                }
            }
        }
        let forgetful = |member: usize| health[member].forgetful && !remembers.contains(&member);
        for member in (0..self.members).filter(|&member| forgetful(member)) {
            let row = &self.since[member * self.members..];
            // Who is no member learns when it becomes one.
            let mut asked = None;
            for set in self.sets.iter().filter(|set| set.contains(&member)) {
                self.scratch.clear();
                let others = set.iter().filter(|&&other| other != member && !forgetful(other));
                self.scratch.extend(others.map(|&other| row[other]));
                asked = asked.max(Some(nth(&mut self.scratch, set.len() / 2)));
            }
            let asked = asked.map_or(u64::MAX, |asked| asked.max(self.regrouped));
            self.learnt[member] = asked.saturating_add(learning);
        }
        self.soonest = u64::MAX;
        // The process that is chosen may be struck next: the time counts from the last of the
        // faults.
        let now = settled.max(now);
        for (peer, own) in health.iter().enumerate() {
            if own.stands {
                self.soonest = self.soonest.min(self.majority_since(peer).max(now));
            }
        }
        remembers
    }

    /// Returns the instant since which these two can exchange messages; `u64::MAX` if they cannot, or neither is a member.
    pub(crate) fn joined_since(&self, one: usize, other: usize) -> u64 {
        let (peer, member) = if other < self.members { (one, other) } else { (other, one) };
        if member < self.members { self.since[peer * self.members + member] } else { u64::MAX }
    }

    /// Returns the instant since which this participant can exchange messages with some majority of
    /// each set of members, itself counted; `u64::MAX` if it cannot.
    pub(crate) fn majority_since(&mut self, peer: usize) -> u64 {
        let row = &self.since[peer * self.members..(peer + 1) * self.members];
        let mut latest = self.before[peer];
        for set in &self.sets {
            self.scratch.clear();
            self.scratch.extend(set.iter().map(|&member| row[member].max(self.learnt[member])));
            latest = latest.max(nth(&mut self.scratch, set.len() / 2));
            if set.contains(&peer) {
                latest = latest.max(self.learnt[peer]);
            }
        }
        latest
    }

    /// Returns the instant since which a process that stands can exchange messages with a majority,
    /// and no fault has begun or ended.
    pub(crate) const fn soonest(&self) -> u64 {
        self.soonest
    }
}

fn nth(instants: &mut [u64], n: usize) -> u64 {
    if n < instants.len() { *instants.select_nth_unstable(n).1 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: ParticipantHealth =
        ParticipantHealth { sound: true, forgetful: false, stands: true };

    #[test]
    fn who_is_cut_off_has_no_majority() {
        let mut reach = Reachability::new(3, 3, false);
        reach.update(10, 0, 5, &[FINE; 3], |_, _| true);
        assert_eq!([0, 1, 2].map(|peer| reach.majority_since(peer)), [10; 3]);
        reach.update(20, 0, 5, &[FINE; 3], |a, b| a + b == 1);
        assert_eq!([0, 1, 2].map(|peer| reach.majority_since(peer)), [10, 10, u64::MAX]);
        reach.update(30, 35, 5, &[FINE; 3], |_, _| true);
        assert_eq!([0, 1, 2].map(|peer| reach.majority_since(peer)), [10, 10, 35]);
    }

    #[test]
    fn a_client_needs_a_majority_of_the_members() {
        let mut reach = Reachability::new(4, 3, false);
        let down = ParticipantHealth { sound: false, ..FINE };
        reach.update(1, 0, 5, &[FINE, down, down, FINE], |_, _| true);
        assert_eq!([reach.majority_since(3), reach.soonest()], [u64::MAX; 2]);
        reach.update(2, 0, 5, &[FINE, FINE, down, FINE], |_, _| true);
        assert_eq!([reach.majority_since(3), reach.soonest()], [2; 2]);
        reach.update(9, 0, 5, &[FINE, FINE, down, FINE], |_, _| true);
        assert_eq!([reach.majority_since(3), reach.soonest()], [2, 9]);
    }

    #[test]
    fn a_member_that_forgot_counts_when_it_has_asked_a_majority() {
        let mut reach = Reachability::new(3, 3, false);
        reach.update(1, 0, 5, &[FINE; 3], |_, _| true);
        let down = ParticipantHealth { sound: false, ..FINE };
        reach.update(2, 0, 5, &[down, FINE, FINE], |_, _| true);
        let forgot = ParticipantHealth { forgetful: true, ..FINE };
        assert!(reach.update(10, 0, 5, &[forgot, FINE, FINE], |_, _| true).is_empty());
        assert_eq!(reach.majority_since(0), 15);
        assert_eq!(reach.update(20, 0, 5, &[forgot, FINE, down], |_, _| true), [0]);
        assert_eq!(reach.majority_since(1), 15);
    }
}
