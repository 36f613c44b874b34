//! `cargo xtask schedules`: docs/reference/schedules.md, how much of the exact extremes schedules reach.

use anyhow::Context;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use suffrage_algorithms::{Algorithm, CATALOGUE};
use suffrage_checker::{
    Arrangements, Checkable, Checker, Family, FaultBudget, InitiatorSets, Instance, Objective,
    Wake, search_worst,
};
use suffrage_simulator::{Experiment, Pace, Schedule, Simulator};

/// Compare what schedules cost with the exact extremes, and print docs/reference/schedules.md
///
/// Every order of identities on networks of four nodes. All nodes wake at the start.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask schedules > docs/reference/schedules.md")]
pub(crate) struct Args {}

/// The number of nodes.
const NODES: u32 = 4;

/// The runs of `random` on each instance; the costliest counts.
const SEEDS: u64 = 100;

/// The searches of `worst` on each instance.
const RESTARTS: u64 = 4;

const INTRODUCTION: &str = "\
# Schedules and the worst case

How near does a schedule come to the greatest number of messages and the greatest causal depth of an election?
For each algorithm, the tables cover every network of four nodes with every order of identities, ports in
rotation, and all nodes awake at the start. *Least* and *most* are exact, by the checker: the least and the
greatest cost of an instance. A cell has the part of the exact maximum, summed over the instances, that a
schedule reaches, and the number of instances in which it reaches the maximum. `random` is the costliest of
100 runs with different seeds; `worst` is the search of `elect --schedule worst`, or of `worst:depth`.

`newest` and `oldest` are extreme schedules, not worst ones: `newest` lets one process run as far as
it can before another one moves, which is cheap for algorithms that capture, `humblet` and `afek-gafni`.

This file is written by `cargo xtask schedules`.
";

/// What a schedule reached on instances.
#[derive(Clone, Copy, Default)]
struct Reached {
    cost: u64,
    most: u64,
    instances: u64,
    all: u64,
}

impl Reached {
    fn add(&mut self, cost: u64, most: u64) {
        self.cost += cost;
        self.most += most;
        self.instances += 1;
        self.all += u64::from(cost == most);
    }

    fn cell(self) -> String {
        let percent = (1000 * self.cost / self.most.max(1)) as f64 / 10.0;
        format!("{percent:.1} %, {} of {}", self.all, self.instances)
    }
}

/// The columns, after the exact extremes.
const COLUMNS: [&str; 6] = ["synchronous", "rounds", "newest", "oldest", "random", "worst"];

pub(crate) fn run(_: &Args) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    out.write_all(INTRODUCTION.as_bytes())?;
    for objective in [Objective::Messages, Objective::Depth] {
        let what = match objective {
            Objective::Messages => "Messages",
            Objective::Depth => "Causal depth",
        };
        writeln!(out, "\n## {what}\n\n| algorithm | least | most | {} |", COLUMNS.join(" | "))?;
        writeln!(out, "|---|---:|---:|{}", "---|".repeat(COLUMNS.len()))?;
        for row in CATALOGUE {
            out.write_all(line(row, objective)?.as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(row: &Algorithm, objective: Objective) -> anyhow::Result<String> {
    let family = Family {
        arrangements: Arrangements::all(row.network, NODES)?,
        initiators: InitiatorSets::These((0..NODES).collect()),
        wake: Wake::AtStart,
        capacity: None,
        faults: FaultBudget::default(),
        nodes_differ: false,
    };
    let family = row.tell_apart(&family)?;
    let mut reached = [Reached::default(); COLUMNS.len()];
    let (mut least, mut greatest) = (u64::MAX, 0);
    for number in 0..family.len() {
        let instance = family.get(number);
        let report = Checker::new(row, &Family::one(&instance)).threads(1).run()?;
        let costs = report.costs.with_context(|| format!("{}: not explored", row.name))?;
        let (min, most) = match objective {
            Objective::Messages => (costs.messages.min, costs.messages.max),
            Objective::Depth => (costs.least_depth.unwrap_or(0), costs.greatest_depth),
        };
        (least, greatest) = (least.min(min), greatest.max(most));
        let one = |schedule: Schedule, seed| held(row, &instance, schedule, seed, objective);
        let costs = [
            one(Schedule::Synchronous, 1)?,
            one(Schedule::Rounds(Pace::Unit), 1)?,
            one(Schedule::Newest, 1)?,
            one(Schedule::Oldest, 1)?,
            (0..SEEDS)
                .map(|seed| one(Schedule::Random, seed))
                .try_fold(0, |all, cost| cost.map(|cost| cost.max(all)))?,
            search_worst(row, &instance, objective, RESTARTS, 1, &mut |_| {
                ControlFlow::Continue(())
            })?
            .cost,
        ];
        for (reached, cost) in reached.iter_mut().zip(costs) {
            reached.add(cost, most);
        }
    }
    let cells = reached.map(Reached::cell).join(" | ");
    Ok(format!("| `{}` | {least} | {greatest} | {cells} |\n", row.name))
}

/// What an election costs.
fn held(
    row: &Algorithm,
    instance: &Instance,
    schedule: Schedule,
    seed: u64,
    objective: Objective,
) -> anyhow::Result<u64> {
    let Instance { wiring, ids, .. } = instance;
    let experiment = Experiment { schedule, seed, ..Experiment::new(wiring, ids) };
    let outcome = Simulator::of(row, experiment).run()?;
    Ok(match objective {
        Objective::Messages => outcome.messages.total(),
        Objective::Depth => outcome.causal_depth.into(),
    })
}
