//! Each explored step of the code consists of actions of the relation.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex};
use suffrage_proofs::relation::{FiniteStructure, Relation, steps::Steps};
use suffrage_proofs::systems::TENURE;
use tenure_exploration::{Budget, Explorer, Snapshot};
use tenure_model::{Office, Peer, Ratio, Setting, Term};
use tenure_protocol::tenure::{Alarm, FLOOR, INVARIANTS, Tenure, promise, record_of};

/// The state of the relation that a configuration is, as regards an office.
fn state(
    relation: &Relation,
    snapshot: &Snapshot<'_, Tenure>,
    members: u32,
    office: Office,
) -> FiniteStructure {
    let mut state = FiniteStructure::new(relation);
    for of in snapshot.participants() {
        let me = u64::from(of.me.0);
        let is_member = of.me.0 < members;
        let mut say = |name: &'static str, said: &[u64]| state.set(relation, name, said);
        match of.up {
            Some(process) => {
                process.facts(office, &mut say);
                say("boot", &[me, of.boots]);
            }
            None => {
                say("down", &[me]);
                say("boot", &[me, of.boots + 1]);
                // The next process begins with epochs beyond all that this one may have given out.
                say("epochs", &[me, ((of.boots + 1) << 22) - 1]);
                if of.boots == 0 {
                    say("new", &[me]);
                }
                if is_member {
                    say("quarantined", &[me]);
                }
                if is_member && !of.cells.contains_key(&FLOOR) {
                    say("learning", &[me]);
                }
            }
        }
        if is_member {
            say("votes", &[me]);
            let promised = [promise(office), FLOOR].map(|cell| of.cells.get(&cell).copied());
            say("promised", &[me, promised.into_iter().flatten().max().unwrap_or(0)]);
            // Who has no number for an empty record takes one when it comes up.
            say("record", &[me, me, of.boots + 1]);
            for r in 0..members {
                if let Some(&number) = of.cells.get(&record_of(Peer(r))) {
                    say("record", &[me, r.into(), number]);
                }
            }
        }
        state.domains[0].push(me);
    }
    for (from, to, msg) in snapshot.messages() {
        msg.facts((from, to), office, &mut |name, said| state.set(relation, name, said));
    }
    for ((g, alarm), earlier) in snapshot.alarms() {
        for (h, earlier) in earlier {
            let Alarm::Renewal(number) = earlier else { continue };
            let said = [g.0.into(), h.0.into(), number];
            match alarm {
                Alarm::Owed(of) if of == h => state.set(relation, "waits", &said),
                Alarm::Quarantine => state.set(relation, "awaits", &said),
                _ => {}
            }
        }
    }
    quorums(relation, &mut state, members);
    state.close(relation);
    let terms = state.domains[relation.sort("term").expect("there are terms")].clone();
    for peer in state.domains[0].clone() {
        for term in terms.iter().filter(|&&term| term as u32 == peer as u32 && term > 0) {
            state.set(relation, "own", &[peer, *term]);
        }
    }
    state
}

/// All majorities; and, for all sets of as many others as a member without a record asks, how to choose one of each.
fn quorums(relation: &Relation, state: &mut FiniteStructure, members: u32) {
    let all = u64::from(members);
    let sets = |of: u32| (1..1_u64 << members).filter(move |set| set.count_ones() == of);
    let (majority, asked) = (members / 2 + 1, members - members / 2);
    state.domains[relation.sort("answers").expect("there are answers")] = sets(asked).collect();
    for set in sets(majority) {
        for member in (0..all).filter(|member| set >> member & 1 == 1) {
            state.set(relation, "member", &[member, set]);
        }
        for answered in sets(asked) {
            let mut both = (0..all).filter(|member| (set & answered) >> member & 1 == 1);
            let chosen = both.next().expect("they have a member in common");
            state.set(relation, "chosen", &[answered, set, chosen]);
        }
    }
}

/// Returns whether some member has a record.
fn is_kept(relation: &Relation, state: &FiniteStructure) -> bool {
    let of = |name| &state.facts[relation.symbol(name).expect("it is a symbol")];
    !of("votes").is_subset(of("learning"))
}

/// Where steps are looked at.
struct Cluster {
    members: u32,
    explorer: Explorer<Tenure>,
    /// The number of walks, and of steps in each; `None` where every step is looked at.
    walks: Option<(u64, u32)>,
}

/// Checks that each step consists of actions of the participant that reacts; returns the names of those that were taken.
fn taken(cluster: Cluster) -> BTreeSet<String> {
    static STEPS: LazyLock<(&Relation, Steps<'_>)> = LazyLock::new(|| {
        let relation: &Relation = Box::leak(Box::new(TENURE.relation().expect("it is a relation")));
        (relation, Steps::new(relation))
    });
    let Cluster { members, explorer, walks } = cluster;
    let numbers = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&numbers);
    let explorer = explorer.judged(move |before, by, after| {
        let (relation, steps) = &*STEPS;
        let state = |of| state(relation, of, members, Office(0));
        let (before, after) = (state(before), state(after));
        if is_kept(relation, &before) && !is_kept(relation, &after) {
            return Ok(()); // The last record is lost: the relation has no such action.
        }
        let differs =
            || format!("no actions of {} do that: {}", by.0, steps.differences(&before, &after));
        let path = steps.between(&before, by.0.into(), &after).ok_or_else(differs)?;
        seen.lock().expect("nobody panics").extend(path);
        Ok(())
    });
    let report = match walks {
        None => explorer.run(),
        Some((walks, steps)) => explorer.walk(walks, steps, 1),
    };
    assert!(report.violation.is_none() && (report.complete || walks.is_some()), "{report:#?}");
    let numbers = numbers.lock().expect("nobody panics");
    numbers.iter().map(|&number| STEPS.0.actions[number].name.clone()).collect()
}

fn cluster(members: u32, stop: u32, budget: Budget) -> Cluster {
    let clocks = Ratio { fastest: 5, slowest: 4 };
    let setting = Setting { me: Peer(0), members, heartbeat: 2, lease: 8, stop, clocks };
    let explorer = Explorer::new(members).setting(setting).invariants(INVARIANTS);
    let explorer = explorer.ordering(Alarm::is_ordered).budget(budget);
    Cluster { members, explorer, walks: None }
}

/// At most two messages under way, delivered in any order or lost.
fn any(rings: u8) -> Budget {
    let terms = Term(2 << 32);
    Budget { terms, tenures: 3, rings, under_way: 2, duplicates: 0, ..Budget::default() }
}

/// Messages in the order of sending. One may overtake, one may be lost, and one may be duplicated.
fn order(rings: u8) -> Budget {
    let terms = Term(2 << 32);
    let (losses, overtakings, duplicates) = (1, 1, 1);
    Budget { terms, tenures: 3, rings, losses, overtakings, duplicates, ..Budget::default() }
}

/// Messages in the order of sending, and a member may crash and lose its record.
fn forgets(rings: u8) -> Budget {
    let (losses, overtakings, duplicates) = (0, 0, 0);
    Budget { crashes: 1, lost_records: 1, losses, overtakings, duplicates, ..order(rings) }
}

/// Nobody says of a member that it has never run before.
fn founders(of: Cluster) -> Cluster {
    Cluster { explorer: of.explorer.founding(), ..of }
}

/// A member does not stand.
fn witness(of: Cluster) -> Cluster {
    Cluster { explorer: of.explorer.witness(1), ..of }
}

/// Walks of these members and a client, with everything that may happen.
fn walks(members: u32, stop: u32, walks: (u64, u32)) -> Cluster {
    let budget = Budget { rings: 60, crashes: 3, departures: 2, under_way: 5, ..Budget::default() };
    let budget = Budget { lost_records: 2, ..budget };
    let Cluster { members, explorer, .. } = cluster(members, stop, budget);
    Cluster { members, explorer: explorer.clients(1), walks: Some(walks) }
}

/// What is never taken here, since it takes more members, or another office: a leader gets the vote of a member again
/// that has promised a greater term meanwhile; and a term grows with those of other offices.
const NEVER: [&str; 2] = ["rest", "settle-firm"];

#[test]
fn every_step_consists_of_actions_and_these_are_taken() {
    let relation = TENURE.relation().expect("it is a relation");
    let mut left: BTreeSet<String> =
        relation.actions.iter().map(|action| action.name.clone()).collect();
    let crash = Budget { crashes: 1, losses: 0, overtakings: 0, duplicates: 0, ..order(4) };
    for cluster in [
        cluster(2, 0, any(1)),
        cluster(2, 0, Budget { crashes: 1, ..any(0) }),
        witness(cluster(2, 1, crash)),
        witness(founders(cluster(2, 0, forgets(3)))),
    ] {
        left = &left - &taken(cluster);
    }
    assert_eq!(left.iter().map(String::as_str).collect::<Vec<_>>(), NEVER);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn every_step_of_larger_explorations_consists_of_actions() {
    let offices = cluster(2, 0, Budget { departures: 1, ..order(1) }).explorer.offices(2);
    for cluster in [
        cluster(2, 0, order(1)),
        cluster(2, 0, order(2)),
        cluster(2, 0, Budget { crashes: 1, ..order(1) }),
        Cluster { members: 2, explorer: offices, walks: None },
        cluster(3, 0, any(0)),
        cluster(3, 0, Budget { losses: 0, overtakings: 0, duplicates: 0, ..order(3) }),
        cluster(2, 0, forgets(4)),
        founders(cluster(2, 0, any(3))),
        founders(cluster(2, 0, forgets(4))),
        founders(cluster(3, 0, Budget { crashes: 0, lost_records: 0, ..forgets(6) })),
        walks(3, 0, (20, 60)),
        walks(3, 1, (20, 60)),
    ] {
        let _ = taken(cluster);
    }
}
