//! Elections per second: the simulator against hand-written loops that do the same.
//!
//! `cargo bench -p suffrage-comparisons` measures; `cargo xtask bench` prints the ratios of one run.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use suffrage_algorithms::Algorithm;
use suffrage_comparisons::{self as reference, Delays, Run};
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Schedule, Simulator};

type Subject = (&'static str, fn(u32) -> Wiring, fn(&[u32], Delays) -> Run);

const SUBJECTS: [Subject; 2] = [
    ("chang-roberts", Wiring::ring, reference::chang_roberts),
    ("humblet", Wiring::complete, reference::humblet),
];

fn elections(criterion: &mut Criterion) {
    for (name, wiring, reference) in SUBJECTS {
        let algorithm = Algorithm::named(name).expect("it is in the catalogue");
        for (schedule, delays) in
            [(Schedule::Synchronous, Delays::Unit), (Schedule::Uniform(10), Delays::UpToTen)]
        {
            let mut group = criterion.benchmark_group(format!("{name} {schedule}"));
            group.sample_size(10);
            for nodes in [1_000, 100_000, 1_000_000] {
                let wiring = wiring(nodes);
                let ids = Ids::Random.assign(nodes, 1);
                let small: Vec<u32> = ids.iter().map(|id| id.get() as u32).collect();
                let experiment =
                    Experiment { schedule: schedule.clone(), ..Experiment::new(&wiring, &ids) };
                let messages = Simulator::of(algorithm, experiment.clone())
                    .run()
                    .expect("the experiment is consistent")
                    .messages
                    .total();
                group.throughput(Throughput::Elements(messages));
                group.bench_function(BenchmarkId::new("simulator", nodes), |bencher| {
                    bencher.iter(|| Simulator::of(algorithm, experiment.clone()).run());
                });
                group.bench_function(BenchmarkId::new("reference", nodes), |bencher| {
                    bencher.iter(|| black_box(reference(&small, delays)));
                });
            }
            group.finish();
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    elections(&mut criterion);
    criterion.final_summary();
}
