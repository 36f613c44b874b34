//! Random walks through a world that fails: tenure keeps its promises.

mod heartbeats;
mod ignored;
mod serials;
mod world;

use std::cell::{Cell, RefCell};
use tenure_model::{Office, Recoverable};
use tenure_protocol::reconfiguration::{self, Reconfigurable};
use tenure_protocol::tenure::{INVARIANTS, Tenure};
use world::{CHANGES, CLIMATES, Weather, World, walk};

#[test]
fn tenure_keeps_its_promises() {
    hold_tenure(50);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn tenure_keeps_its_promises_for_a_hundred_million_steps() {
    hold_tenure(12_000);
}

/// Walks in each climate: every configuration is held to one holder an office, to growing terms and
/// to the invariants, and calm at the end fills every office.
fn hold_tenure(walks: u64) {
    for (name, climate) in CLIMATES {
        let mut tenures = 0;
        for seed in 0..walks {
            let invariants = |world: &mut World<Tenure>| {
                let up = world.up();
                let broken =
                    INVARIANTS.iter().find_map(|(name, holds)| Some((name, holds(&up).err()?)));
                broken.map_or(Ok(()), |(name, why)| Err(format!("{name}: {why}")))
            };
            match walk(*climate, seed, 1000, invariants) {
                Ok(seen) => tenures += seen,
                Err(why) => panic!("{name}, walk {seed}: {why}"),
            }
        }
        println!("{name}: {walks} walks of 1000 steps, {tenures} tenures");
        assert!(tenures > walks, "the walks must see leaders come and go");
    }
}

/// Members change at any time: the promises are kept, and each change comes to its end.
#[test]
fn tenure_keeps_its_promises_while_members_change() {
    hold_changes(30);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn tenure_keeps_its_promises_while_members_change_for_many_steps() {
    hold_changes(200);
}

fn hold_changes(walks: u64) {
    for (name, climate) in CHANGES {
        let (mut tenures, mut changes) = (0, 0);
        for seed in 0..walks {
            let newest = Cell::new(0);
            let walked = walk::<Reconfigurable>(*climate, seed, 3000, |world| {
                let up = world.up();
                let number = up.iter().map(|it| it.configuration().tag.number).max();
                newest.set(newest.get().max(number.unwrap_or(0)));
                reconfiguration::agreed(&up)?;
                let tenures: Vec<_> = up.iter().map(|it| it.as_tenure()).collect();
                let broken = INVARIANTS
                    .iter()
                    .find_map(|(name, holds)| Some((name, holds(&tenures).err()?)));
                broken.map_or(Ok(()), |(name, why)| Err(format!("{name}: {why}")))
            });
            match walked {
                Ok(seen) => (tenures, changes) = (tenures + seen, changes + newest.get() / 2),
                Err(why) => panic!("{name}, walk {seed}: {why}"),
            }
        }
        println!("{name}: {walks} walks of 3000 steps, {tenures} tenures, {changes} changes");
        assert!(tenures > walks && changes > walks / 4, "members must change");
    }
}

#[test]
fn all_tenures_are_those_of_each_office() {
    let seen = Cell::new(0);
    for (name, climate) in CLIMATES {
        let walked = walk::<Tenure>(*climate, 0, 1000, |world| {
            for process in world.up() {
                let of = |office| Some((office, process.tenure(office)?));
                let each: Vec<_> = (0..climate.offices).map(Office).filter_map(of).collect();
                assert_eq!(process.tenures().collect::<Vec<_>>(), each, "{name}");
                seen.set(seen.get() + each.len());
            }
            Ok(())
        });
        assert!(walked.is_ok(), "{name}: {walked:?}");
    }
    assert!(seen.get() > 1000, "{seen:?}");
}

/// What Tenure relies on to cost nothing in offices where nothing changes.
#[test]
fn a_process_that_looks_only_where_something_has_changed_misses_nothing() {
    let counts = RefCell::new([0; 2]);
    for (name, climate) in CLIMATES {
        for seed in 0..3 {
            let walked = walk::<Tenure>(*climate, seed, 1000, |world| {
                heartbeats::check(world, &mut counts.borrow_mut())
            });
            assert!(walked.is_ok(), "{name}, walk {seed}: {walked:?}");
        }
    }
    assert!(counts.borrow().iter().all(|&beats| beats > 10_000), "{counts:?}");
}

/// What a checker relies on to forget messages.
#[test]
fn what_is_ignored_is_ignored_for_ever() {
    hold_ignored::<Tenure>(CLIMATES, 1);
    hold_ignored::<Reconfigurable>(CHANGES, 1);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn what_is_ignored_is_ignored_for_ever_on_many_walks() {
    hold_ignored::<Tenure>(CLIMATES, 50);
    hold_ignored::<Reconfigurable>(CHANGES, 20);
}

fn hold_ignored<P: Recoverable>(climates: &[(&str, Weather)], walks: u64) {
    let mut found = 0;
    for (name, climate) in climates {
        for seed in 0..walks {
            let ignored = ignored::Ignored::<P>::default();
            let walked = walk::<P>(*climate, seed, 1000, |world| {
                ignored::check(world, &ignored);
                Ok(())
            });
            assert!(walked.is_ok(), "{name}, walk {seed}: {walked:?}");
            found += ignored.borrow().len();
        }
    }
    assert!(found > 500, "messages must be ignored: {found}");
}

/// What a checker relies on to find few configurations: a walk in which all serial numbers are
/// renamed again and again goes as it would without.
#[test]
fn serial_numbers_can_be_renamed() {
    hold_renamed::<Tenure>(CLIMATES, 4);
    hold_renamed::<Reconfigurable>(CHANGES, 1);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn serial_numbers_can_be_renamed_on_many_walks() {
    hold_renamed::<Tenure>(CLIMATES, 300);
    hold_renamed::<Reconfigurable>(CHANGES, 50);
}

fn hold_renamed<P: Recoverable>(climates: &[(&str, Weather)], walks: u64) {
    for (name, climate) in climates {
        for seed in 0..walks {
            let plain = walk::<P>(*climate, seed, 1000, |_| Ok(()));
            let renamed = walk::<P>(*climate, seed, 1000, |world| {
                serials::rename(world);
                Ok(())
            });
            assert_eq!(plain, renamed, "{name}, walk {seed}");
        }
    }
}
