//! `cargo xtask catalogue`: docs/reference/catalogue.md, the costs of every algorithm.

use crate::repository::{read, threads};
use anyhow::{Context, ensure};
use indicatif::HumanCount;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suffrage_algorithms::{Algorithm, Group, Parameters};
use suffrage_model::{NetworkClass, Timing};
use suffrage_networks::{Ids, Ports, Spec};
use suffrage_simulator::{Experiment, Pace, Schedule, Simulator, Trials};

/// Measure what every algorithm of the catalogue costs, and print docs/reference/catalogue.md
///
/// For each algorithm its bound, the mean number of messages on networks of five sizes, the exact
/// worst case as docs/reference/verified.md has it, and causal depth and bits. Takes some minutes where it is
/// compiled with optimization.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Measure the small networks only, and fail unless this document has what is found
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,

    /// Print the rows of these algorithms only
    #[arg(long, value_name = "ALGORITHM", num_args = 1.., conflicts_with = "check")]
    only: Vec<String>,

    /// The document with the exact worst cases
    #[arg(long, value_name = "FILE", default_value = "docs/reference/verified.md")]
    verified: PathBuf,

    /// Threads; the document does not depend on them [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

const EXAMPLES: &str = "\
Examples:
  cargo run --release -p xtask -- catalogue > docs/reference/catalogue.md
  cargo xtask catalogue --only time-slice flood-max
  cargo xtask catalogue --check docs/reference/catalogue.md";

const INTRODUCTION: &str = "\
# What the algorithms cost

Messages include the announcement. *Mean* is over elections with random identities, random port numberings if
the algorithm needs no sense of direction, and delays of 1 to 10 ticks (`--schedule uniform:10`; for
algorithms in rounds, `--schedule rounds`), which all processes initiate at the same tick: 1,000 elections of
10 processes, 200 of 100, 50 of 1,000, 3 of 100,000 and one of a million. A hypercube has the greatest power
of two of processes up to this number. Trees are random, graphs are Barabási and Albert's with two links for
each new node. Every election was checked against its bounds on messages and time. A dash means that an
election of this size sends more than 100 million messages. *Worst* has the most messages on any schedule of
any network with this number of processes, every set of initiators and every order of identities, and the
greatest causal depth, both exact, from [verified.md](verified.md). For randomized algorithms, it is the
greatest expectation over schedules, which may depend on the draws. *Depth* and *bits* are the means of the
longest causal chain and of all bits sent, in the elections of 1,000.

`suffrage compare --topology ring --nodes 10,100,1000` measures on networks of your choice, and
`suffrage algorithms NAME` has the source of each bound. A figure of ring algorithms with their bounds is in
[statistics.md](../use/statistics.md#figures). This file is written by `cargo run --release -p xtask -- catalogue`.
";

/// Sizes of networks, each with the number of elections.
const SIZES: [(u32, u64); 5] = [(10, 1000), (100, 200), (1000, 50), (100_000, 3), (1_000_000, 1)];

/// The sizes that are measured to check a document.
const CHECKED: usize = 2;

/// The size whose depth and bits are shown.
const SHOWN: u32 = 1000;

/// The number of messages from which on an election is not held.
const MOST: u64 = 100_000_000;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let threads = threads(args.threads).get();
    match &args.check {
        Some(document) => check(document, threads)?,
        None if args.only.is_empty() => write(&args.verified, threads)?,
        None => only(&args.only, &args.verified, threads)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write(verified: &Path, threads: usize) -> anyhow::Result<()> {
    let verified = read(verified)?;
    let mut out = io::stdout().lock();
    out.write_all(INTRODUCTION.as_bytes())?;
    for group in &Group::ALL {
        writeln!(out, "\n## {}\n", group.heading)?;
        let sizes = SIZES.map(|(nodes, _)| format!(" n = {} |", HumanCount(nodes.into())));
        writeln!(out, "| algorithm | bound |{} worst | depth | bits |", sizes.concat())?;
        writeln!(out, "|---|---|{}", "---:|".repeat(SIZES.len() + 3))?;
        for row in Algorithm::correct().filter(|row| group.has(row)) {
            writeln!(out, "{}", line(row, &verified, threads)?)?;
            out.flush()?;
        }
    }
    Ok(())
}

fn only(names: &[String], verified: &Path, threads: usize) -> anyhow::Result<()> {
    let verified = read(verified)?;
    for name in names {
        let row = Algorithm::correct().find(|row| row.name == name);
        let row = row.with_context(|| format!("there is no algorithm {name}"))?;
        writeln!(io::stdout(), "{}", line(row, &verified, threads)?)?;
    }
    Ok(())
}

/// The line of an algorithm.
fn line(row: &Algorithm, verified: &str, threads: usize) -> anyhow::Result<String> {
    let (cells, tail) = measured(row, &SIZES, threads)?;
    Ok(format!("{cells} {} | {tail} |", worst(verified, row)))
}

/// Fails unless the document has the bounds, and the means of small networks.
fn check(document: &Path, threads: usize) -> anyhow::Result<()> {
    let known = read(document)?;
    for row in Algorithm::correct() {
        let (cells, _) = measured(row, &SIZES[..CHECKED], threads)?;
        let found = known.lines().any(|line| line.starts_with(&cells));
        ensure!(found, "{} has no line that begins like this:\n{cells}", document.display());
    }
    Ok(())
}

/// The cells of an algorithm up to the means of these sizes, and those of depth and bits.
fn measured(
    row: &Algorithm,
    sizes: &[(u32, u64)],
    threads: usize,
) -> anyhow::Result<(String, String)> {
    let mut cells = format!("| `{}` | {} |", row.name, bound(row));
    let mut tail = "— | —".to_owned();
    for &(nodes, trials) in sizes {
        let Some(mean) = mean(row, nodes, trials, threads)? else {
            cells.push_str(" — |");
            continue;
        };
        write!(cells, " {} |", HumanCount(mean.messages))?;
        if nodes == SHOWN {
            tail = format!("{} | {}", HumanCount(mean.depth), HumanCount(mean.bits));
        }
    }
    Ok((cells, tail))
}

/// The bound of an algorithm for a table, in which bars end cells.
fn bound(row: &Algorithm) -> String {
    let claims = &row.claims;
    claims.stated().signed().replace('|', "\\|")
}

/// Means, rounded to the nearest whole number.
struct Mean {
    messages: u64,
    depth: u64,
    bits: u64,
}

/// Holds elections; `None` if they send too many messages.
fn mean(row: &Algorithm, nodes: u32, trials: u64, threads: usize) -> anyhow::Result<Option<Mean>> {
    let ports = if row.network.is_oriented() { Ports::Rotation } else { Ports::Random };
    let spec = Spec::natural(row.network, nodes);
    let election = |_, seed| {
        let network = spec.build(seed)?.fit(row.network)?;
        let wiring = network.wire(ports, seed);
        let ids = Ids::Random.assign(network.nodes(), seed);
        let schedule = match row.timing {
            Timing::Asynchronous => Schedule::Uniform(10),
            Timing::Rounds | Timing::SimultaneousRounds => Schedule::Rounds(Pace::Unit),
        };
        let experiment = Experiment { schedule, seed, ..Experiment::new(&wiring, &ids) };
        let within = |delivered| match delivered <= MOST {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let outcome = Simulator::of(row, experiment).on_progress(within).run()?;
        let broken = outcome.violations.first();
        ensure!(broken.is_none(), "{} on {spec}, seed {seed}: {broken:?}", row.name);
        Ok(Some((!outcome.interrupted).then(|| Mean {
            messages: outcome.messages.total(),
            depth: outcome.causal_depth.into(),
            bits: u64::try_from(outcome.messages.bits()).unwrap_or(u64::MAX),
        })))
    };
    let network = spec.build(1)?;
    let (nodes, links) = (u64::from(network.nodes()), network.links());
    let parameters = Parameters::new(nodes, links, nodes);
    // On complete networks what may be sent is often sent at once, and would not fit in memory.
    let at_once = row.network.unoriented() == NetworkClass::Complete
        && row.claims.bound(&parameters) > 50 * MOST;
    if at_once || row.claims.least(&parameters) > MOST {
        return Ok(None);
    }
    let all =
        Trials::new(trials).threads(threads).run(election, |_| ControlFlow::<()>::Continue(()))?;
    let Some(all) = all.results.into_iter().collect::<Option<Vec<Mean>>>() else {
        return Ok(None);
    };
    let rounded = |part: fn(&Mean) -> u64| {
        let sum: u64 = all.iter().map(part).sum();
        (sum + trials / 2) / trials
    };
    Ok(Some(Mean {
        messages: rounded(|one| one.messages),
        depth: rounded(|one| one.depth),
        bits: rounded(|one| one.bits),
    }))
}

/// The exact worst case of the largest networks that the document has of an algorithm: where chance decides,
/// what is expected on the worst schedule. A dash where it has none.
fn worst(verified: &str, row: &Algorithm) -> String {
    let begins = format!("| `{}` |", row.name);
    let sure = row.claims.guarantee().is_sure();
    let ends: &[&str] = match sure {
        true => &[" identity order |", " labelling |"],
        // Processes that draw are alike in every order.
        false => &[" identity order |", " up to isomorphism |"],
    };
    let is_row =
        |line: &&str| line.starts_with(&begins) && ends.iter().any(|end| line.contains(end));
    let cells: Vec<&str> = verified
        .lines()
        .rfind(is_row)
        .map(|line| line.split('|').map(str::trim).collect())
        .unwrap_or_default();
    let [_, _, networks, _, _, _, messages, _, depth, ..] = cells[..] else {
        return "—".to_owned();
    };
    let most = |range: &str| range.rsplit('–').next().unwrap_or(range).to_owned();
    let nodes = networks.split(' ').find(|word| word.parse::<u32>().is_ok()).unwrap_or("?");
    match (sure, most(messages).parse::<f64>()) {
        (false, Ok(expected)) => format!("{expected:.2} (n = {nodes}), on average"),
        _ => format!("{} (n = {nodes}), depth {}", most(messages), most(depth)),
    }
}
