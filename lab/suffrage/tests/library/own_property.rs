//! A counterexample to a property of one's own is written, read back and replayed.

use suffrage::algorithms::{Announced, Property, ring::ChangRoberts};
use suffrage::checker::{CheckVerdict, Instance, Options, Specification, explore};
use suffrage::model::Id;
use suffrage::networks::wiring::Wiring;
use suffrage::run::{Breaks, Run};

#[test]
fn a_counterexample_to_a_property_of_ones_own_is_read_back_and_replayed() {
    let instance = Instance::new(Wiring::ring(3), [3, 1, 2].map(Id::new).to_vec());
    let specification = Specification::<Announced<ChangRoberts>>::these(&[])
        .always("the third sleeps", |here| here.is_asleep(2));
    let found = explore(&instance, &specification, &Options::default()).unwrap();
    let CheckVerdict::Violated(found) = found.verdict else { panic!("{:?}", found.verdict) };
    assert_eq!(found.violation.property, Property::Own("the third sleeps"));

    let breaks = Breaks::from(&found.violation);
    let run = Run::of_execution("chang-roberts", &found.execution, Some(breaks.clone()));
    let mut file = Vec::new();
    run.write(&mut file).unwrap();
    let again = Run::read("a file", file.as_slice()).unwrap();
    assert_eq!(again.header.breaks, Some(breaks));
    assert_eq!(again.actions, run.actions);
    // The run is possible, and the simulator has no such property to judge.
    let replay = again.replay(None).unwrap();
    assert!(replay.outcome.violations.is_empty(), "{:?}", replay.outcome.violations);
    assert_eq!(replay.reproduced, None);
}
