//! Elections as models for other checkers.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-checker --test exploration models
//! ```
//!
//! Spin, TLC and Storm judge models of the whole catalogue in `evidence/comparisons/tests/models`.

use crate::common::{is_golden, row};
use std::ops::ControlFlow;
use suffrage_checker::{
    FaultBudget, Instance, ModelLanguage, NotExported, TabulatedElection, Wake,
};
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

fn tabulated(name: &str, instance: &Instance) -> Result<TabulatedElection, NotExported> {
    let go_on = &mut |_| ControlFlow::Continue(());
    TabulatedElection::of(name.to_owned(), row(name), instance, go_on)
}

fn ring(nodes: u32) -> Instance {
    Instance::new(Wiring::ring(nodes), (1..=nodes.into()).map(Id::new).collect())
}

#[test]
fn models_say_what_the_algorithm_does_and_what_is_to_be_found() {
    let (all, one) = (ring(2), Instance { initiators: vec![0], ..ring(2) });
    let bounded = Instance {
        capacity: Some(1),
        faults: FaultBudget { loss: 1, duplicate: 1, crash: 1, no_fifo: false },
        ..ring(2)
    };
    let faults = Instance { capacity: None, ..bounded.clone() };
    for (algorithm, instance, file, language) in [
        ("chang-roberts", &all, "ring.pml", ModelLanguage::Promela),
        ("chang-roberts", &all, "ring.tla", ModelLanguage::Tla),
        ("itai-rodeh", &one, "coins.prism", ModelLanguage::Prism),
        ("lelann", &bounded, "bounded.pml", ModelLanguage::Promela),
        ("lelann", &bounded, "bounded.tla", ModelLanguage::Tla),
        ("lelann", &faults, "faults.prism", ModelLanguage::Prism),
        ("variable-speeds", &all, "rounds.pml", ModelLanguage::Promela),
        ("variable-speeds", &all, "rounds.tla", ModelLanguage::Tla),
        ("variable-speeds", &all, "rounds.prism", ModelLanguage::Prism),
    ] {
        let text = tabulated(algorithm, instance).unwrap().text(language, "ring").unwrap();
        is_golden(&format!("models/{file}"), &text);
    }
}

#[test]
fn what_a_language_does_not_say_is_refused() {
    let bounded = Instance { capacity: Some(1), ..ring(3) };
    let refused = tabulated("lelann", &bounded).unwrap().text(ModelLanguage::Prism, "ring");
    let why = refused.unwrap_err().to_string();
    assert!(why.starts_with("PRISM has no queues"), "{why}");
    let never = Instance { wake: Wake::AnyTimeOrNever, ..ring(3) };
    let why = tabulated("lelann", &never).err().unwrap().to_string();
    assert_eq!(why, "a model has initiators that all wake: choose them");
}

#[test]
fn an_interrupt_ends_it() {
    let stopped = &mut |_| ControlFlow::Break(());
    let ended = TabulatedElection::of("lelann".to_owned(), row("lelann"), &ring(3), stopped);
    assert_eq!(ended.err(), Some(NotExported::Stopped));
}
