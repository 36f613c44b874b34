//! Scenarios: what two blocks of a ring of four tell of a tick, and what the clock makes of it.

use super::*;
use crate::blocks::{ElectionIds, ElectionNetwork};
use suffrage_algorithms::Property;
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

/// The clock of an election among four processes in two blocks, with this limit of events.
fn clock(event_limit: u64) -> RoundClock {
    let (ring, ids) = (Wiring::ring(4), [1, 2, 3, 4].map(Id::new));
    let election = Election::new(ElectionNetwork::Wired(&ring), ElectionIds::Listed(&ids));
    let election = Election { event_limit, ..election };
    RoundClock::new(&election, BlockLayout::new(&election, 2).expect("few processes"))
}

/// A block that has sent messages to the blocks of these numbers, which arrive at `tick`.
fn sends(tick: u64, to: &[u32]) -> Account {
    Account { sent: to.iter().map(|&block| (tick, block, 1)).collect(), ..Account::default() }
}

/// A block at which this many messages have arrived.
fn receives(delivered: u64) -> Account {
    Account { delivered, ..Account::default() }
}

fn rings(rung: u64) -> Account {
    Account { rung, ..Account::default() }
}

fn rejects(node: u64) -> Vec<Incident> {
    vec![Incident::Violates(Violation::rejected(node, "it cannot be"))]
}

fn advance<const N: usize>(mut clock: RoundClock, ticks: [[Account; 2]; N]) -> RoundClock {
    for accounts in ticks {
        clock.advance(accounts.into()).expect("few alarms");
    }
    clock
}

/// One event is allowed, and in each block an alarm has rung: an error, and nothing has changed but what the next
/// clock is told. With that, the first block may let one ring, and the second none.
#[test]
fn too_many_alarms_are_an_error_before_anything_changes() {
    let mut clock = clock(1);
    let before = format!("{:?}", clock.state);
    let accounts = vec![Account { woken: 1, ..rings(1) }, rings(1)];
    let overrun = clock.advance(accounts).expect_err("two alarms");
    assert_eq!(overrun.rung, Some((0, vec![1, 1])));
    assert_eq!(format!("{:?}", clock.state), before);
    assert_eq!([0, 1].map(|block| clock.rings(block)), [1, 1]);
    let knowing = clock.knowing(overrun);
    assert_eq!([0, 1].map(|block| knowing.rings(block)), [1, 0]);
}

/// Three messages are sent; as they arrive, one more is. At no time are four under way.
#[test]
fn what_has_arrived_is_gone_before_what_was_sent_is_counted() {
    let clock = advance(clock(100), [[sends(1, &[1, 1]), sends(1, &[0])]]);
    assert_eq!((clock.tick(), clock.state.in_flight), (Some(1), 3));
    assert_eq!([0, 1].map(|block| clock.allowance(block)), [1, 2]);
    let replies = Account { delivered: 2, ..sends(2, &[0]) };
    let clock = advance(clock, [[receives(1), replies]]);
    assert_eq!((clock.tick(), clock.state.in_flight), (Some(2), 1));
    assert_eq!([0, 1].map(|block| clock.allowance(block)), [1, 0]);
    assert_eq!(clock.state.peak_in_flight, 3);
}

/// The last message that was sent before the round arrives at node 3 through port 0 at tick 2. What arrives
/// before it does not end the round; what comes over the same link and was sent in the round does.
#[test]
fn a_round_ends_after_the_last_message_that_was_sent_before_it() {
    let last = Some((2, 3, 0));
    let woken = Account { latest: last, latest_of_round: last, ..sends(2, &[1]) };
    let first = Account { advanced: true, ..receives(1) };
    let clock = advance(clock(100), [[sends(1, &[0]), woken], [first, Account::default()]]);
    assert_eq!((clock.tick(), clock.mark()), (Some(2), true));
    assert!(!clock.ends_round(2, Port(1), false));
    assert!(!clock.ends_round(3, Port(0), false));
    assert!(clock.ends_round(3, Port(0), true));
    assert!(clock.ends_round(3, Port(1), false));
}

/// Node 0 rejects an alarm, node 1 a message, and node 3, of the other block, something as it wakes: that was first.
#[test]
fn wake_ups_of_all_blocks_come_before_messages_and_these_before_alarms() {
    let one = Account { on_arrival: rejects(1), on_alarm: rejects(0), ..Account::default() };
    let reported = |other: Account| {
        let clock = advance(clock(100), [[one.clone(), other]]);
        let found = clock.state.monitor.promised(None);
        assert_eq!(found.len(), 1, "the first of each property");
        found[0].violation.detail.clone()
    };
    let detail = |node: u64| Violation::rejected(node, "it cannot be").detail;
    assert_eq!(reported(Account { on_wake_up: rejects(3), ..Account::default() }), detail(3));
    assert_eq!(reported(Account { on_alarm: rejects(3), ..Account::default() }), detail(1));
}

/// Two events are allowed, and two messages arrive. If that was all, the election is over; if one more was sent, it
/// is endless.
#[test]
fn a_limit_that_is_used_up_by_the_last_message_is_none() {
    let ended = |last: Account| {
        let clock =
            advance(clock(2), [[sends(1, &[0, 0]), Account::default()], [receives(2), last]]);
        assert_eq!(clock.tick(), None);
        clock.state.monitor.contains(Property::Termination)
    };
    assert!(!ended(Account::default()));
    assert!(ended(sends(2, &[0])));
}

/// A process has set an alarm, which its algorithm may not: the election is over, though a message is under way.
#[test]
fn an_alarm_that_may_not_be_set_ends_the_election() {
    let alarmed = Account { alarmed: true, ..sends(1, &[1]) };
    let clock = advance(clock(100), [[alarmed, Account::default()]]);
    assert!(clock.alarmed() && clock.is_interrupted());
    assert_eq!((clock.tick(), clock.state.in_flight), (None, 1));
    // There is an end, even if nothing is left that could be interrupted.
    let alarmed = Account { alarmed: true, ..Account::default() };
    let clock = advance(self::clock(100), [[alarmed, Account::default()]]);
    assert!(clock.alarmed() && clock.tick().is_none());
}
