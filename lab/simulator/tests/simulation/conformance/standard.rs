//! What every election is held to.

use super::networks::Named;
use crate::common::{broken, room};
use suffrage_algorithms::{Algorithm, Ending, Rule};
use suffrage_model::Phase;
use suffrage_networks::Ids;
use suffrage_simulator::{Experiment, Outcome, Pace, Property, Schedule, Simulator, Wakes};

/// An election that is to be held.
pub(crate) struct Held<'a> {
    pub(crate) row: &'static Algorithm,
    pub(crate) network: &'a Named,
    pub(crate) order: Ids,
    pub(crate) experiment: &'a Experiment<'a>,
}

impl Held<'_> {
    /// Holds the election, and panics if it is not as it must be.
    pub(crate) fn check(&self) {
        let outcome = match Simulator::of(self.row, self.experiment.clone()).run() {
            Ok(outcome) => outcome,
            Err(error) => panic!("{self}: {error}"),
        };
        if self.may_block() && !outcome.violations.is_empty() {
            return self.is_blocked(&outcome);
        }
        assert!(outcome.violations.is_empty(), "{self}: {:?}", outcome.violations);
        self.is_won(&outcome);
        self.adds_up(&outcome);
        self.takes_its_time(&outcome);
    }

    /// Its header: with less room on links, several initiators may all wait for room, or several
    /// processes where all take part.
    fn may_block(&self) -> bool {
        let initiators = !matches!(self.row.claims.rule, Rule::LargestId | Rule::SmallestId);
        let one = matches!(&self.experiment.wakes, Wakes::At(wakes) if wakes.len() == 1);
        let one = one && initiators;
        let room = room(self.row, self.experiment.ids.len() as u32);
        self.experiment.capacity.is_some_and(|capacity| capacity < room) && !one
    }

    fn is_blocked(&self, outcome: &Outcome) {
        assert_eq!(broken(outcome), ["exactly-one-leader", "everyone-halted"], "{self}");
        let waiting = &outcome.violations[0];
        assert_eq!(waiting.violation.property, Property::ExactlyOneLeader);
        assert!(!waiting.violation.detail.ends_with(" and 0 wait to send"), "{self}: {waiting}");
        assert!(outcome.leader.is_none() && outcome.delivered < outcome.messages.total());
    }

    /// One leader, whom all name.
    fn is_won(&self, outcome: &Outcome) {
        let leader = outcome.leader.unwrap_or_else(|| panic!("{self}: no leader"));
        assert_eq!(self.experiment.ids[leader.node as usize], leader.id, "{self}");
        assert!(outcome.agreed && outcome.halted && !outcome.interrupted, "{self}: {outcome:?}");
        let woken = match &self.experiment.wakes {
            Wakes::All => self.experiment.ids.len(),
            Wakes::At(wakes) => wakes.len(),
        };
        assert!((1..=woken as u64).contains(&outcome.woken), "{self}: {outcome:?}");
    }

    /// Everything sent has arrived, and the parts of a sum add up to it.
    fn adds_up(&self, outcome: &Outcome) {
        let Outcome { messages, delivered, late, lost, busiest, peak_in_flight, .. } = outcome;
        let total = messages.total();
        let by_phase = [Phase::Election, Phase::Announcement].map(|phase| messages.of(phase));
        assert_eq!(total, by_phase.iter().sum::<u64>(), "{self}");
        assert_eq!(total, messages.by_kind().map(|(_, count)| count).sum::<u64>(), "{self}");
        assert_eq!((total, 0), (*delivered, *lost), "{self}");
        assert!(*late == 0 || self.row.claims.ending == Ending::LateMessages, "{self}");
        assert!(late <= delivered && *peak_in_flight <= total, "{self}: {outcome:?}");
        // Each message is sent by one and received by one: the busiest has its share of both.
        let nodes = self.experiment.ids.len() as u64;
        assert!(busiest.messages <= 2 * total, "{self}: {outcome:?}");
        assert!(busiest.messages * nodes >= 2 * total - late, "{self}: {outcome:?}");
        let kinds = messages.by_kind().count();
        let (id_bits, counter_bits) = (digits(nodes), digits(nodes));
        let bits = messages.by_kind().map(|(kind, count)| {
            u128::from(count * u64::from(kind.bits(kinds, id_bits, counter_bits)))
        });
        assert_eq!(messages.bits(), bits.sum::<u128>(), "{self}");
    }

    /// A chain of messages takes at least a tick for each.
    fn takes_its_time(&self, outcome: &Outcome) {
        let depth = u64::from(outcome.causal_depth);
        assert!(depth <= outcome.time && depth <= outcome.messages.total(), "{self}: {outcome:?}");
        let Experiment { schedule, wakes, capacity, .. } = self.experiment;
        let at_once = match wakes {
            Wakes::All => true,
            Wakes::At(wakes) => wakes.iter().all(|&(tick, _)| tick == 0),
        };
        if at_once && !schedule.is_timed() {
            assert_eq!(outcome.time, outcome.delivered, "{self}: a tick is a delivery");
        }
        // Each message of a tick is caused by one of the tick before.
        let unit = matches!(schedule, Schedule::Synchronous | Schedule::Rounds(Pace::Unit));
        if at_once && unit && capacity.is_none() && outcome.late == 0 {
            assert_eq!(outcome.time, depth, "{self}");
        }
    }
}

/// The binary digits of a number.
fn digits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

impl std::fmt::Display for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Experiment { schedule, wakes, capacity, seed, .. } = self.experiment;
        write!(
            f,
            "{} on {}, ids {}, schedule {schedule}, capacity {capacity:?}, seed {seed}, {wakes:?}",
            self.row.name, self.network.name, self.order
        )
    }
}
