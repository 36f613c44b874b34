//! Tenure while members change, within small budgets. `cargo xtask explore` has larger ones.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use tenure_exploration::{Budget, ExplorationReport, Explorer};
use tenure_model::{Peer, Ratio, Setting, Term};
use tenure_protocol::reconfiguration::{INVARIANTS, Reconfigurable, ReconfigurableAlarm};

/// Members are those below the first number; an operator asks for others of all that take part, each a bit. Those from
/// the last number on never stand.
fn change([members, others, standing]: [u32; 3], asked: u64, budget: Budget) -> ExplorationReport {
    let clocks = Ratio { fastest: 5, slowest: 4 };
    let setting = Setting { me: Peer(0), members, heartbeat: 2, lease: 8, stop: 0, clocks };
    let budget = Budget { terms: Term(4 << 32), changes: 1, ..budget };
    let newest = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&newest);
    let explorer = Explorer::new(members).setting(setting).clients(others);
    let explorer = (standing..members + others).fold(explorer, Explorer::witness);
    let report = explorer
        .ordering(ReconfigurableAlarm::is_ordered)
        .invariants(INVARIANTS)
        .budget(budget)
        .asks_for(0, asked, None)
        .filled_within(11 + 2 * 2 + 2 * 2)
        .judged(move |_, _, after| {
            let up = after.participants().filter_map(|it| it.up);
            let number = up.map(|it: &Reconfigurable| it.configuration().tag.number).max();
            seen.fetch_max(number.unwrap_or(0), Relaxed);
            Ok(())
        })
        .run();
    assert_eq!(newest.load(Relaxed), 2, "the new members decide alone, in some execution");
    report
}

fn order(rings: u8) -> Budget {
    Budget { rings, losses: 0, overtakings: 0, duplicates: 0, ..Budget::default() }
}

#[test]
fn members_change_while_an_office_is_led() {
    for (members, asked, rings) in [
        ([1, 1, 2], 0b11, 6),
        ([1, 1, 2], 0b10, 6),
        ([1, 2, 1], 0b111, 4),
        ([2, 1, 1], 0b111, 3),
        ([3, 0, 3], 0b1, 3),
        ([3, 1, 1], 0b1110, 2),
    ] {
        let report = change(members, asked, order(rings));
        assert!(report.complete && report.violation.is_none(), "{members:?}: {report:#?}");
        assert!(report.held > 0);
    }
}

#[test]
fn members_change_although_one_crashes_or_a_message_is_lost() {
    for budget in [Budget { crashes: 1, ..order(2) }, Budget { losses: 1, ..order(3) }] {
        let report = change([1, 1, 2], 0b10, budget);
        assert!(report.complete && report.violation.is_none(), "{report:#?}");
    }
}

/// Two operators ask two members for two rosters, each with another host of the next number. At most one is in force, and
/// either may be.
#[test]
fn of_two_rosters_that_are_proposed_at_once_one_is_agreed_on() {
    let clocks = Ratio { fastest: 5, slowest: 4 };
    let setting = Setting { me: Peer(0), members: 3, heartbeat: 2, lease: 8, stop: 0, clocks };
    let none = Budget { terms: Term(4 << 32), changes: 2, ..order(3) };
    let with = [
        (None, Budget { losses: 1, ..none }),
        (Some((0, 1)), none),
        (Some((0, 1)), Budget { crashes: 1, ..none }),
    ];
    for (cut, budget) in with {
        let in_force = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let seen = Arc::clone(&in_force);
        let explorer = (0..3).fold(Explorer::new(3).setting(setting), Explorer::witness);
        let explorer = explorer.asks_for(0, 0b111, Some(1)).asks_for(1, 0b111, Some(2));
        let explorer = cut.into_iter().fold(explorer, |all, (one, other)| all.cut(one, other));
        let report = explorer
            .ordering(ReconfigurableAlarm::is_ordered)
            .invariants(INVARIANTS)
            .budget(budget)
            .judged(move |_, _, after| {
                for it in after.participants().filter_map(|it| it.up) {
                    let now: &Reconfigurable = it;
                    let now = now.configuration();
                    if !now.changes() && now.roster != 0 {
                        seen[now.roster as usize - 1].fetch_add(1, Relaxed);
                    }
                }
                Ok(())
            })
            .run();
        assert!(report.complete && report.violation.is_none(), "{budget:?}: {report:#?}");
        assert!(in_force.iter().all(|count| count.load(Relaxed) > 0), "{budget:?}");
    }
}
