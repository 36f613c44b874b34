//! Spin judges what the checker exports: the same configurations, the same steps, the same verdict.
//!
//! Every algorithm that is not in rounds, with its published forms, is exported in Promela at small sizes, and
//! Spin explores each model in full. Without `spin` and `gcc` the test is skipped, with a message.

use std::{
    ops::ControlFlow,
    path::Path,
    process::{Command, Output},
    sync::Mutex,
};
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::{CheckVerdict, Family, Instance, ModelLanguage, TabulatedElection};

/// Returns an election of an algorithm: the last one of all networks and identity orders of three nodes, or four.
/// All may start.
fn instance(of: &Algorithm) -> Instance {
    // At three nodes the program that Spin writes of it takes two minutes to compile.
    let nodes = match of.name {
        "probabilistic-franklin" => 2,
        _ if of.network.has_size(3) => 3,
        _ => 4,
    };
    let family = Family::everything(of.network, nodes).expect("few nodes");
    family.get(family.len() - 1)
}

fn tabulated(of: &Algorithm) -> TabulatedElection {
    let go_on = &mut |_| ControlFlow::Continue(());
    TabulatedElection::of(of.name.to_owned(), of, &instance(of), go_on).expect("a small election")
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let ran = Command::new(program).args(arguments).current_dir(folder).output();
    ran.unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// What Spin finds in a model: the numbers of errors, of states and of transitions.
fn spin(model: &str) -> [u64; 3] {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("election.pml"), model).expect("a file");
    let wrote = run(folder.path(), "spin", &["-a", "election.pml"]);
    assert!(wrote.status.success(), "{}", String::from_utf8_lossy(&wrote.stdout));
    let compiled =
        run(folder.path(), "gcc", &["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"]);
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let pan = folder.path().join("pan");
    let found = run(folder.path(), &pan.to_string_lossy(), &["-m1000000"]);
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    let number = |before: &str, after: &str| {
        let line = found.lines().find(|line| line.contains(before) && line.contains(after));
        let line = line.unwrap_or_else(|| panic!("no `{before}{after}` in {found}"));
        let mut words = line.split([' ', ',']).filter_map(|word| word.parse::<u64>().ok());
        if before.is_empty() { words.next() } else { words.next_back() }
    };
    [number("errors: ", ""), number("", "states, stored"), number("", "transitions (=")]
        .map(|number| number.expect("a number"))
}

/// What a model does not say: Spin cannot find that it is violated.
fn is_said(property: Property) -> bool {
    !matches!(
        property,
        Property::Invariant(_)
            | Property::Termination
            | Property::MessageBound
            | Property::TimeBound
            | Property::ExistingPorts
    )
}

fn compare(of: &Algorithm) {
    let tabulated = tabulated(of);
    let [errors, states, transitions] = spin(&tabulated.text(ModelLanguage::Promela, "election"));
    match &tabulated.exploration.verdict {
        CheckVerdict::Violated(found) if is_said(found.violation.property) => {
            assert!(errors > 0, "{}: Spin does not find {}", of.name, found.violation.property);
        }
        CheckVerdict::Violated(_) => {}
        _ => {
            let expected = (0, tabulated.configurations, tabulated.steps + 1);
            assert_eq!((errors, states, transitions), expected, "{}", of.name);
            let ours = (tabulated.exploration.states, tabulated.exploration.transitions);
            assert_eq!((states, transitions - 1), ours, "{}", of.name);
        }
    }
}

#[test]
fn spin_finds_the_same() {
    for tool in ["spin", "gcc"] {
        if Command::new(tool).arg("-V").output().is_err() {
            println!("skipped: {tool} is not installed, and Spin judges no model");
            return;
        }
    }
    let next = Mutex::new(Algorithm::all().filter(|of| !of.timing.in_rounds()));
    let worker = || {
        while let Some(of) = { next.lock().expect("no panic").next() } {
            compare(of);
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        for worker in workers {
            worker.join().expect("Spin agrees");
        }
    });
}
