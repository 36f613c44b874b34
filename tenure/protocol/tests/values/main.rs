//! Values of leaderships among participants that restart, over links that lose, double and reorder messages: as scenarios
//! (`scenarios/values`) are written, in every order of few steps, and in long random walks.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-protocol --test values
//! ```
//!
//! writes what happens now below the steps of the scenarios. In every state:
//! - a member never shows an older value than it has shown, also after a restart, and a client not while it runs;
//! - what is shown is what the leader of that term has proclaimed as that change;
//! - if nothing fails from then on, everyone that knows the leader shows the newest value after one heartbeat, or a client
//!   after a heartbeat for each member; and then the members send nothing more.

mod world;

use std::path::Path;
use tenure_model::{Peer, Term};
use tenure_protocol::value as machine;
use tenure_protocol::value::{LeaderValue, ValueInput, ValueMessage};
use tenure_scenarios::check_folder;
use world::{Budget, Draws, FEW_STEPS, OFFICE, World, explore, transcript, walk};

#[test]
fn every_scenario_happens_as_it_is_written() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/values"));
    let wrong = check_folder(folder, |text| Ok(transcript(text))).expect("they can be read");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_order_of_few_steps_breaks_anything() {
    hold(FEW_STEPS);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn no_order_of_more_steps_breaks_anything() {
    hold(Budget { vacancies: 1, copies: 1, ..FEW_STEPS });
}

fn hold(budget: Budget) {
    let configurations = explore(budget).unwrap_or_else(|broken| panic!("{broken:?}"));
    println!("{configurations} configurations");
    assert!(configurations > 10_000, "{configurations}");
}

#[test]
fn no_random_walk_breaks_anything() {
    let seen = |seed| walk(seed).unwrap_or_else(|broken| panic!("walk {seed}: {broken}"));
    let shown: usize = (0..600).map(seen).sum();
    assert!(shown > 10_000, "values must be seen to change: {shown}");
}

#[test]
fn a_value_is_one_line_of_limited_length() {
    for (text, why) in [
        ("a\nb".to_owned(), "a value cannot have the control character \\n"),
        ("é".repeat(2049), "a value of 4098 bytes is too long: at most 4096 are possible"),
    ] {
        assert_eq!(LeaderValue::new(&text).map_err(|it| it.to_string()), Err(why.to_owned()));
    }
    let longest = "é".repeat(2048);
    assert_eq!(LeaderValue::new(&longest).map(|it| it.text().to_owned()), Ok(longest));
}

#[test]
fn a_member_believes_no_one_but_the_leader() {
    let mut world = World::new(3, 0);
    world.win(Peer(0));
    world.learn_newest(Peer(1));
    world.deliver_all();
    world.proclaim(Peer(0), "true").expect("it leads");
    let (_, to, message) = world.flying.remove(0);
    world.deliver((Peer(2), to, message.clone()));
    assert_eq!(world.hosts[1].shows, Some((Term(1), 0)));
    world.deliver((Peer(0), to, message));
    assert_eq!(world.hosts[1].shows, Some((Term(1), 1)));
}

/// Of the leader itself, and of another member: nothing panics, and no value is made of it that could not be set.
#[test]
fn what_no_correct_leader_sends_does_no_harm() {
    let mut draws = Draws(7);
    let mut world = World::new(3, 0);
    world.win(Peer(0));
    world.learn_newest(Peer(1));
    let ValueMessage::Want { office, term, asking, .. } = world.flying[0].2 else { panic!() };
    for _ in 0..50_000 {
        let length = [0, 1, 112, 113, 4096, 4097, u16::MAX][draws.below(7)];
        let part = [0, 1, 36, 37, 63, 64, u8::MAX][draws.below(7)];
        let change = [0, 1, 2, u64::MAX][draws.below(4)];
        let bytes = vec![[b'x', b'\n', 0xff][draws.below(3)]; [0, 1, 112, 113][draws.below(4)]];
        let missing = [0, 1, u64::MAX][draws.below(3)];
        let message = match draws.below(4) {
            0 => ValueMessage::Want { office, term, asking, change, missing },
            _ => ValueMessage::Part { office, term, asking, change, length, part, bytes },
        };
        let from = Peer([0, 0, 0, 2][draws.below(4)]);
        for at in [Peer(0), Peer(1)] {
            let input = ValueInput::Received(from, message.clone());
            world.hosts[at.0 as usize].values.step(input, &mut Vec::new());
        }
        if let Some((_, value)) = world.hosts[1].values.value(OFFICE, Term(1)) {
            assert_eq!(LeaderValue::new(value.text()), Ok(value.clone()));
        }
    }
}
