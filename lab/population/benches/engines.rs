//! Benchmarks of every engine at a suitable size. Names have the bytes per agent; throughput is in
//! simulated interactions until all hold the maximum.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::{hint::black_box, sync::atomic::AtomicBool, time::Duration};
use suffrage_population::engine::oracle::harmonic;
use suffrage_population::{
    engine::{
        TrialEngine,
        batched::{Goal, MeetingTable, Ranks, StateCounts},
        closed_form::{EpidemicSpread, EventualLeader, OneLeaderLeft},
        direct::{BYTES_PER_AGENT, Packed, TrialTail},
        oracle::{DeclarationTime, Oracle, completion_cdf},
    },
    meetings::{Meetings, Pairs},
    protocols::{Infection, SelfTerminating},
    random::RandomStream,
    sampling::{RunLength, hypergeometric},
    simulation::PopulationSimulation,
};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Runs trials one after the other, each with a stream of its own.
fn trials(criterion: &mut Criterion, name: &str, agents: u64, mut engine: impl TrialEngine) {
    let mut group = criterion.benchmark_group(name);
    let interactions = (agents - 1) as f64 * harmonic(agents - 1);
    group.throughput(Throughput::Elements(interactions as u64));
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    let mut number = 0;
    group.bench_function(BenchmarkId::from_parameter(agents), |bencher| {
        bencher.iter(|| {
            number += 1;
            black_box(engine.trial(&mut RandomStream::of_trial(1, number), &NEVER))
        });
    });
    group.finish();
}

fn engines(criterion: &mut Criterion) {
    let election = SelfTerminating::default();
    let direct = format!("direct, {BYTES_PER_AGENT} bytes per agent");
    for agents in [1_000, 100_000, 1_000_000, 10_000_000] {
        let engine = Packed::new(election, Meetings::among(agents), TrialTail::Skipped);
        trials(criterion, &direct, agents.into(), engine);
    }
    for agents in [1_000_000, 100_000_000, 10_000_000_000] {
        let Ok(table) = MeetingTable::reachable(&Infection, &[true, false]) else { return };
        let goal = Goal::Count { state: 0, count: agents };
        let engine = StateCounts::new(table, &[1, agents - 1], goal);
        trials(criterion, "batched two-way epidemic, no bytes per agent", agents, engine);
    }
    for agents in [1_000_000, 100_000_000] {
        let engine = Ranks::new(election, agents, 16);
        trials(criterion, "batched election, 16 highest, no bytes per agent", agents, engine);
    }
    for agents in [1_000, 1_000_000, 1_000_000_000_000] {
        trials(criterion, "closed form, leader", agents, EventualLeader::new(election, agents));
        trials(
            criterion,
            "closed form, two-way epidemic",
            agents,
            EpidemicSpread { agents, self_meetings: false },
        );
    }
    trials(criterion, "closed form, anonymous", 1 << 24, OneLeaderLeft(1 << 24));
    criterion.bench_function("oracle, 1000 agents", |bencher| {
        bencher.iter(|| Oracle::of(&election, black_box(1000)));
    });
}

fn distributions(criterion: &mut Criterion) {
    let election = SelfTerminating::default();
    let mut group = criterion.benchmark_group("oracle");
    group.sample_size(10);
    for agents in [1000, 10_000] {
        let name = BenchmarkId::new("completion, 16 bytes per agent", agents);
        group.bench_function(name, |bencher| bencher.iter(|| completion_cdf(black_box(agents))));
    }
    let name = BenchmarkId::new("declaration, no bytes per agent", 1000);
    group.bench_function(name, |bencher| {
        bencher.iter(|| DeclarationTime::of(&election, black_box(1000), &NEVER));
    });
    group.finish();
}

/// A user's rule in which each state is beaten by the next one around: with three states in
/// batches, with thousands agent by agent.
fn simulations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulation");
    for (name, states, agents) in [
        ("3 states, no bytes per agent", 3, 300_000_000),
        ("2000, 4 bytes per agent", 2000, 100_000),
    ] {
        let rule = move |&a: &u64, &b: &u64| if b == (a + 1) % states { (b, b) } else { (a, b) };
        let initial = (0..states).map(|state| (state, agents / states));
        let Ok(mut simulation) = PopulationSimulation::new(initial, rule, 1) else { return };
        group.throughput(Throughput::Elements(100_000));
        group.bench_function(BenchmarkId::new(name, agents), |bencher| {
            bencher.iter(|| simulation.run(100_000, &NEVER));
        });
    }
    group.finish();
}

fn samples(criterion: &mut Criterion) {
    let mut stream = RandomStream::of_trial(1, 0);
    let meetings = Meetings::among(10_000);
    criterion.bench_function("one meeting", |bencher| bencher.iter(|| meetings.next(&mut stream)));
    for (good, bad, draws) in [(1_000, 1_000_000_000, 10_000), (1 << 39, 1 << 39, 600_000)] {
        let name = format!("hypergeometric {good} {bad} {draws}");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| hypergeometric(&mut stream, black_box(good), bad, draws));
        });
    }
    let runs = RunLength::new(1_000_000_000_000, 16);
    criterion.bench_function("run length", |bencher| bencher.iter(|| runs.draw(&mut stream)));
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for measure in [engines, distributions, simulations, samples] {
        measure(&mut criterion);
    }
    criterion.final_summary();
}
