//! Elections over the loopback interface, from all-connected to all-agreed:
//! `cargo bench -p suffrage-runtime`. The example `measure` has more sizes, and ratios.

use criterion::{BenchmarkId, Criterion};
use std::time::Duration;
use suffrage_algorithms::Algorithm;
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_runtime::{Cluster, LinkMedium};

fn elections(criterion: &mut Criterion) {
    let Ok(runtime) = tokio::runtime::Runtime::new() else { return };
    let mut group = criterion.benchmark_group("elections");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for (name, ring) in [("humblet", false), ("afek-gafni", false), ("chang-roberts", true)] {
        let Some(algorithm) = Algorithm::named(name) else { continue };
        for medium in [LinkMedium::Tcp, LinkMedium::Tls, LinkMedium::Channels] {
            for nodes in [3, 16] {
                let wiring = if ring { Wiring::ring(nodes) } else { Wiring::complete(nodes) };
                let ids = Ids::Random.assign(nodes, 1);
                let Ok(cluster) = Cluster::new(wiring, ids) else { continue };
                let cluster = cluster.medium(medium).connect_first(true);
                let id = BenchmarkId::new(format!("{name}/{medium:?}"), nodes);
                group.bench_function(id, |bencher| {
                    bencher.iter_custom(|times| {
                        (0..times)
                            .filter_map(|_| {
                                let summary = runtime.block_on(cluster.elect(algorithm));
                                summary.ok()?.time()
                            })
                            .sum()
                    });
                });
            }
        }
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    elections(&mut criterion);
    criterion.final_summary();
}
