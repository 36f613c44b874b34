//! The table of algorithms that may err, with parameters that can be explored.

use anyhow::{Context, ensure};
use indicatif::HumanCount;
use std::io::Write;
use suffrage_algorithms::{Claimed, Property, complete::RandomReferees};
use suffrage_checker::{Instance, Options, Specification, Verdict, Wake, explore};
use suffrage_process::Id;
use suffrage_topology::wiring::Wiring;

const INTRODUCTION: &str = "
## How often one errs

`random-referees` with fewer ranks, candidates and referees than it claims its bound with, so that all that
is drawn can be explored: in every row every order in which messages of a tick arrive. Everything that is
promised of a single election holds, and its invariants do. Port p of node i leads to node i + p + 1.

| ranks | candidates, on average | referees | nodes | configurations | ends | messages, expected | one leads with probability |
|---|---|---|---|---|---|---|---|
";

/// Writes the table.
pub(super) fn write(out: &mut dyn Write) -> anyhow::Result<()> {
    out.write_all(INTRODUCTION.as_bytes())?;
    line::<2, 2, 1>(out, 3)?;
    line::<2, 2, 1>(out, 4)?;
    line::<2, 2, 1>(out, 5)?;
    line::<2, 2, 2>(out, 3)?;
    line::<2, 2, 2>(out, 4)?;
    line::<4, 2, 2>(out, 4)?;
    line::<8, 3, 2>(out, 3)?;
    line::<4, 4, 3>(out, 4)
}

fn line<const R: u32, const C: u32, const F: u32>(
    out: &mut dyn Write,
    nodes: u32,
) -> anyhow::Result<()> {
    type Process<const R: u32, const C: u32, const F: u32> = RandomReferees<R, C, F>;
    let claims = Process::<R, C, F>::CLAIMS;
    let promised: Vec<_> = Property::ALL.into_iter().filter(|&of| claims.promise(of)).collect();
    let specification = Specification::<Process<R, C, F>>::these(&promised).about(&claims);
    let specification = specification.invariants(Process::<R, C, F>::invariants());
    let ids = (1..=nodes.into()).map(Id::new).collect();
    let wiring = Wiring::complete(nodes);
    let instance = Instance { wake: Wake::AtStart, ..Instance::new(wiring, ids) };
    let found = explore(&instance, &specification, &Options::default())?;
    ensure!(matches!(found.verdict, Verdict::Holds), "{:?}", found.verdict);
    let chances = found.chances.context("processes draw")?;
    writeln!(
        out,
        "| {R} | {C} | {F} | {nodes} | {} | {} | {} | {} |",
        HumanCount(found.states),
        HumanCount(found.terminal),
        super::rows::expected(chances.messages),
        super::rows::expected(chances.elected),
    )?;
    Ok(())
}
