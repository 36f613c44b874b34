//! Elections as models for other checkers.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-checker --test exploration models
//! ```
//!
//! Spin judges models of the whole catalogue in `evidence/comparisons/tests/spin.rs`.

use crate::common::{is_golden, row};
use std::ops::ControlFlow;
use suffrage_checker::{Instance, ModelLanguage, NotExported, TabulatedElection, Wake};
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
    for (algorithm, instance, file, language) in [
        ("chang-roberts", &all, "ring.pml", ModelLanguage::Promela),
        ("chang-roberts", &all, "ring.tla", ModelLanguage::Tla),
        ("itai-rodeh", &one, "coins.prism", ModelLanguage::Prism),
    ] {
        let text = tabulated(algorithm, instance).unwrap().text(language, "ring");
        is_golden(&format!("models/{file}"), &text);
    }
}

#[test]
fn what_tables_do_not_say_is_refused() {
    let refused = |name, instance: &Instance| tabulated(name, instance).err().unwrap().to_string();
    let what = "models have processes that wake at any time, unbounded FIFO links and no faults: ";
    let at_start = Instance { wake: Wake::AtStart, ..ring(3) };
    assert_eq!(refused("lelann", &at_start), format!("{what}leave out --wake start"));
    let bounded = Instance { capacity: Some(1), ..ring(3) };
    assert_eq!(refused("lelann", &bounded), format!("{what}leave out --capacity"));
    let rounds = format!("{what}this algorithm runs in rounds");
    assert_eq!(refused("variable-speeds", &ring(3)), rounds);
}

#[test]
fn an_interrupt_ends_it() {
    let stopped = &mut |_| ControlFlow::Break(());
    let ended = TabulatedElection::of("lelann".to_owned(), row("lelann"), &ring(3), stopped);
    assert_eq!(ended.err(), Some(NotExported::Stopped));
}
