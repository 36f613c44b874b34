//! The smallest network and the shortest execution that breaks a promise.

use crate::replay::replay;
use std::{fs, path::PathBuf};
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::{
    CheckReport, CheckVerdict, Checkable, Checker, Counterexample, Family, Options, Specification,
    explore,
};
use suffrage_model::Process;

/// All identity orders and all initiators of `nodes` nodes, on all networks of the process.
pub(crate) fn everything<P: Process>(nodes: u32) -> Family {
    Family::everything(P::NETWORK, nodes).expect("so few nodes can be listed")
}

/// Of a family the execution with the fewest steps that breaks a promise, the first of those.
pub(crate) fn shortest<P: Process>(
    specification: &Specification<'_, P>,
    family: &Family,
) -> Option<Box<Counterexample>> {
    let options = Options { full: true, costs: false, ..Options::default() };
    let broken = (0..family.len()).filter_map(|number| {
        let found =
            explore(&family.get(number), specification, &options).expect("a fitting instance");
        match found.verdict {
            CheckVerdict::Holds => None,
            CheckVerdict::Violated(counterexample) => Some(counterexample),
            CheckVerdict::OutOfMemory | CheckVerdict::Stopped => panic!("not explored to the end"),
        }
    });
    broken.min_by_key(|counterexample| counterexample.execution.moves.len())
}

/// The same, in the smallest networks of at least `nodes` nodes in which there is one.
pub(crate) fn smallest<P: Process>(
    specification: &Specification<'_, P>,
    least: u32,
    family: impl Fn(u32) -> Family,
) -> Box<Counterexample> {
    let mut families = (least..=4).map(family);
    families
        .find_map(|family| shortest(specification, &family))
        .expect("a counterexample up to n = 4")
}

/// Plays a counterexample again, and compares the text with the golden one of this name. Gives
/// the number of nodes, the property and the number of steps.
pub(crate) fn golden<P: Process>(name: &str, found: &Counterexample) -> (u32, String, usize) {
    let text = replay::<P>(found);
    let file = format!("tests/errata/golden/{name}.txt");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        fs::write(&path, &text).expect("a golden text can be written");
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(known, text, "UPDATE_GOLDEN=1 rewrites {}", path.display());
    let nodes = found.execution.instance.wiring.nodes();
    (nodes, found.violation.property.to_string(), found.execution.moves.len())
}

/// Explores a family to its end, also after broken promises.
pub(crate) fn count<P: Process>(
    specification: &Specification<'_, P>,
    family: &Family,
) -> CheckReport {
    complete(Checker::new(specification, family).costs(false))
}

/// The same for an algorithm of the catalogue and these properties, or all that its row says.
pub(crate) fn catalogued(name: &str, properties: &[Property], family: &Family) -> CheckReport {
    let row = Algorithm::named(name).expect("a name of the catalogue");
    complete(Checker::new(row, family).properties(properties))
}

fn complete<S: Checkable>(checker: Checker<'_, S>) -> CheckReport {
    let report = checker.keep_going(true).run().expect("a fitting family");
    assert_eq!((report.incomplete, report.instances), (None, report.of));
    report
}
