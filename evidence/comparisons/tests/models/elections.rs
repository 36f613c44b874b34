//! The elections that are exported.

use crate::part::ExaminedPart;
use std::{env, ops::ControlFlow, sync::Mutex};
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::{Family, FaultBudget, Instance, NotExported, TabulatedElection, Wake};
use suffrage_model::Timing;

/// An election that is exported.
pub(crate) struct ExportedElection {
    pub of: &'static Algorithm,
    pub title: String,
    pub instance: Instance,
}

/// Every algorithm in every setting, or the part of that which the variable `PART` names: without one, every twelfth.
pub(crate) fn part() -> impl Iterator<Item = ExportedElection> + Send {
    let text = env::var("PART").unwrap_or_else(|_| "1/12".to_owned());
    let is_algorithm = |name: &str| Algorithm::all().any(|of| of.name == name);
    let part = ExaminedPart::read(&text, is_algorithm).unwrap_or_else(|why| panic!("{why}"));
    let all = Algorithm::all().flat_map(settings).enumerate();
    all.filter(move |(place, election)| part.has(*place, election.of.name))
        .map(|(_, election)| election)
}

/// Has a checker judge these elections, two at a time.
pub(crate) fn judge(
    all: impl Iterator<Item = ExportedElection> + Send,
    judged: impl Fn(&ExportedElection, &TabulatedElection) + Sync,
) {
    let next = Mutex::new(all);
    let worker = || {
        while let Some(election) = { next.lock().expect("no panic").next() } {
            match election.tabulated() {
                Some(tabulated) => judged(&election, &tabulated),
                None => println!("left out: {} has too many configurations", election.title),
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        for worker in workers {
            worker.join().expect("the checkers agree");
        }
    });
}

/// The last instance with this number of nodes, in the order of networks and identities. All may start.
fn instance(of: &Algorithm, nodes: u32) -> Instance {
    let family = Family::everything(of.network, nodes).expect("few nodes");
    family.get(family.len() - 1)
}

/// Every setting of an algorithm: without faults and with unbounded links at three nodes, or four, and all others at
/// two or three.
fn settings(of: &'static Algorithm) -> Vec<ExportedElection> {
    let has = |nodes: u32| of.network.has_size(nodes);
    let mut plain = instance(of, if has(2) { 2 } else { 3 });
    if of.timing == Timing::SimultaneousRounds {
        plain.wake = Wake::AtStart;
    }
    let faults = |word: &str| {
        let list = word.split(' ').map(|one| one.parse().expect("a fault")).collect::<Vec<_>>();
        FaultBudget::of(&list).expect("faults that are counted")
    };
    let mut all = vec![
        ("at start", Instance { wake: Wake::AtStart, ..plain.clone() }),
        ("loss", Instance { faults: faults("loss:1"), ..plain.clone() }),
        ("duplicate", Instance { faults: faults("duplicate:1"), ..plain.clone() }),
        ("crash", Instance { faults: faults("crash:1"), ..plain.clone() }),
        ("all faults", Instance { faults: faults("loss:1 duplicate:1 crash:1"), ..plain.clone() }),
    ];
    if of.timing.in_rounds() {
        all.push(("rounds", plain));
    } else {
        // At three nodes the program that Spin writes of it takes two minutes to compile.
        let nodes = match of.name {
            "probabilistic-franklin" => 2,
            _ if has(3) => 3,
            _ => 4,
        };
        all.push(("without faults", instance(of, nodes)));
        let capacity = Some(1);
        all.push(("no FIFO", Instance { faults: faults("no-fifo"), ..plain.clone() }));
        all.push(("capacity", Instance { capacity, ..plain.clone() }));
        let both = faults("loss:1 duplicate:1 crash:1");
        all.push(("capacity and faults", Instance { capacity, faults: both, ..plain }));
    }
    let exported =
        |(name, instance)| ExportedElection { of, title: format!("{}, {name}", of.name), instance };
    all.into_iter().map(exported).collect()
}

impl ExportedElection {
    /// The model of an election; `None` if it has more than some hundred thousand configurations.
    fn tabulated(&self) -> Option<TabulatedElection> {
        let go_on = &mut |configurations| match configurations > 300_000 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        match TabulatedElection::of(self.title.clone(), self.of, &self.instance, go_on) {
            Err(NotExported::Stopped) => None,
            tabulated => Some(tabulated.expect("an election that can be tabulated")),
        }
    }
}

/// What a model does not say: no checker can find that it is violated.
pub(crate) fn is_said(property: Property) -> bool {
    !matches!(
        property,
        Property::Invariant(_)
            | Property::Termination
            | Property::MessageBound
            | Property::TimeBound
            | Property::ExistingPorts
    )
}
