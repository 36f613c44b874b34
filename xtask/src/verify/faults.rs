//! The table of elections under faults.

use super::Verifier;
use std::io::Write;
use suffrage_algorithms::{Algorithm, Property, Rule};
use suffrage_checker::{Arrangements, Family, FaultBudget, InitiatorSets, Wake};
use suffrage_model::NetworkClass;

const INTRODUCTION: &str = "
## When something goes wrong

The algorithms assume reliable links that keep the order, and processes that do not fail. This table shows
what happens otherwise: messages on one link may overtake each other, one message is lost, one arrives twice,
or one process crashes, each at the worst time. *Safe* means that there are never two leaders that have not
crashed, and that no decision is revoked; if an election is not safe, the table has the number of steps of the
shortest execution that shows it. *Stuck* means that an election may end without a leader, or with processes
that wait forever; *rejects* means that all elect, but that a message may arrive which the algorithm excludes.
The exploration covers every network of that many nodes, every port numbering of complete networks without a
sense of direction, every identity order, set of initiators and schedule. With more nodes an algorithm may be
less safe. If there is no network of that many nodes, the next larger number is taken and given with the name.
Algorithms in rounds have a dash if rounds exclude the fault: a message takes exactly one tick, and overtakes
none. The algorithm that may err has two nodes, and is not safe without faults either.

";

/// The number of nodes of the networks.
const NODES: u32 = 3;

/// The number of nodes where processes draw from more than can be explored with that many.
const NODES_OF_MONTE_CARLO: u32 = 2;

/// The faults, each with its name in the flag.
const FAULTS: [(&str, FaultBudget); 4] = {
    let none = FaultBudget { no_fifo: false, loss: 0, duplicate: 0, crash: 0 };
    [
        ("no-fifo", FaultBudget { no_fifo: true, ..none }),
        ("loss:1", FaultBudget { loss: 1, ..none }),
        ("duplicate:1", FaultBudget { duplicate: 1, ..none }),
        ("crash:1", FaultBudget { crash: 1, ..none }),
    ]
};

/// Writes the table of faults.
pub(super) fn write(out: &mut dyn Write, explorer: &Verifier) -> anyhow::Result<()> {
    write!(out, "{INTRODUCTION}| algorithm, n = {NODES} |")?;
    for (name, _) in FAULTS {
        write!(out, " {name} |")?;
    }
    writeln!(out, "\n|---|---|---|---|---|")?;
    for algorithm in Algorithm::correct() {
        write_of(out, explorer, algorithm)?;
    }
    Ok(())
}

/// Writes the row of one algorithm.
pub(super) fn write_of(
    out: &mut dyn Write,
    explorer: &Verifier,
    algorithm: &Algorithm,
) -> anyhow::Result<()> {
    match size(algorithm) {
        nodes if nodes > NODES => write!(out, "| `{}`, n = {nodes} |", algorithm.name)?,
        _ => write!(out, "| `{}` |", algorithm.name)?,
    }
    for (_, faults) in FAULTS {
        write!(out, " {} |", cell(algorithm, faults, explorer)?)?;
    }
    writeln!(out)?;
    Ok(())
}

fn size(algorithm: &Algorithm) -> u32 {
    let errs = algorithm.claims.rule == Rule::MonteCarlo;
    let least = if errs { NODES_OF_MONTE_CARLO } else { NODES };
    (least..).find(|&nodes| algorithm.network.has_size(nodes)).unwrap_or(least)
}

fn cell(algorithm: &Algorithm, faults: FaultBudget, explorer: &Verifier) -> anyhow::Result<String> {
    if algorithm.timing.in_rounds() && faults.no_fifo {
        return Ok("—".to_owned());
    }
    let errs = algorithm.claims.rule == Rule::MonteCarlo;
    let arrangements = match algorithm.network {
        NetworkClass::Complete => Arrangements::every_ports_of_complete(size(algorithm)),
        network => Arrangements::all(network, size(algorithm))?,
    };
    let family = Family {
        arrangements,
        initiators: InitiatorSets::EverySet,
        wake: Wake::AnyTime,
        capacity: None,
        faults,
        nodes_differ: false,
    }
    .timed(algorithm.timing);
    let ask = |properties: &[Property]| explorer.explore(algorithm, &family, properties, false);
    let safety = [Property::AtMostOneLeader, Property::IrrevocableStatus];
    let safe = ask(&safety)?;
    // Where there may be two leaders, that there is not exactly one does not say that there is none.
    let all = [Property::ExactlyOneLeader, Property::EveryoneHalted, Property::Termination];
    let ends = ask(if safe.counterexample.is_none() { &all } else { &all[1..] })?;
    let safe = match &safe.counterexample {
        None if errs => "may err".to_owned(),
        None => "safe".to_owned(),
        Some((_, found)) => {
            format!("**{}** ({} steps)", found.violation.property, found.execution.moves.len())
        }
    };
    let possible = ask(&[Property::PossibleMessages])?;
    let ends = match &ends.counterexample {
        None if possible.counterexample.is_some() => "rejects",
        None => "elects",
        Some((_, found)) if found.violation.property == Property::Termination => "endless",
        Some(_) => "stuck",
    };
    Ok(format!("{safe}, {ends}"))
}
