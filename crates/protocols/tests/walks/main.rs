//! Random walks through a world that fails: tenure keeps its promises.

mod world;

use suffrage_protocols::tenure::{INVARIANTS, Tenure};
use world::{CLIMATES, walk};

#[test]
fn tenure_keeps_its_promises() {
    hold_tenure(200);
}

#[test]
#[ignore = "takes minutes"]
fn tenure_keeps_its_promises_for_a_hundred_million_steps() {
    hold_tenure(12_000);
}

/// Walks in each climate: every configuration is held to one holder an office, to growing terms and
/// to the invariants, and calm at the end fills every office.
fn hold_tenure(walks: u64) {
    for (name, climate) in CLIMATES {
        let mut tenures = 0;
        for seed in 0..walks {
            let invariants = |up: &[&Tenure]| {
                let broken =
                    INVARIANTS.iter().find_map(|(name, holds)| Some((name, holds(up).err()?)));
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
