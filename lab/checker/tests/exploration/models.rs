//! Elections as models for other checkers.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-checker --test exploration models
//! ```
//!
//! Spin judges models of the whole catalogue in `evidence/comparisons/tests/spin.rs`.

use std::{env, fs, ops::ControlFlow, path::Path};
use suffrage_algorithms::Algorithm;
use suffrage_checker::{Instance, ModelLanguage, NotExported, TabulatedElection, Wake};
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

fn by_name(name: &str) -> &'static Algorithm {
    Algorithm::all().find(|of| of.name == name).expect("an algorithm of the catalogue")
}

fn tabulated(name: &str, instance: &Instance) -> Result<TabulatedElection, NotExported> {
    let algorithm = by_name(name);
    let go_on = &mut |_| ControlFlow::Continue(());
    TabulatedElection::of(name.to_owned(), algorithm, instance, go_on)
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
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exploration/models").join(file);
        if env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
            fs::write(&path, &text).unwrap();
        }
        let known = fs::read_to_string(&path).unwrap();
        assert_eq!(known, text, "UPDATE_GOLDEN=1 rewrites {}", path.display());
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
    let lelann = by_name("lelann");
    let ended = TabulatedElection::of("lelann".to_owned(), lelann, &ring(3), stopped);
    assert_eq!(ended.err(), Some(NotExported::Stopped));
}
