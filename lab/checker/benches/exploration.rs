//! How long it takes to explore all schedules, with the reduction and without it.
//!
//! `cargo bench -p suffrage-checker` measures; `evidence/comparisons` compares with other checkers.

use criterion::{BenchmarkId, Criterion, Throughput};
use suffrage_algorithms::{Algorithm, CATALOGUE};
use suffrage_checker::{CheckReport, Checker, Family, InitiatorSets, Instance, Wake};
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

fn explore(algorithm: &Algorithm, family: &Family, full: bool) -> CheckReport {
    let checker = Checker::new(algorithm, family).full(full).costs(false).symmetry(false);
    checker.keep_going(true).threads(1).run().expect("the family fits the algorithm")
}

fn measure(criterion: &mut Criterion, name: &str, algorithm: &Algorithm, family: &Family) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    for (way, full) in [("full", true), ("reduced", false)] {
        group.throughput(Throughput::Elements(explore(algorithm, family, full).states));
        group.bench_function(BenchmarkId::new(algorithm.name, way), |bencher| {
            bencher.iter(|| explore(algorithm, family, full));
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for algorithm in CATALOGUE {
        let family = Family {
            initiators: InitiatorSets::These((0..4).collect()),
            ..Family::everything(algorithm.network, 4).expect("four nodes are not too many")
        };
        measure(&mut criterion, "all of four nodes may wake", algorithm, &family);
    }
    let algorithm = Algorithm::named("chang-roberts").expect("it is in the catalogue");
    let ids = (1..=12).map(Id::new).collect();
    let twelve = Instance { wake: Wake::AtStart, ..Instance::new(Wiring::ring(12), ids) };
    measure(&mut criterion, "a ring of twelve", algorithm, &Family::one(&twelve));
    criterion.final_summary();
}
