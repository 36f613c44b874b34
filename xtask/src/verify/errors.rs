//! The tables of the algorithm that may err, with parameters that can be explored.

use anyhow::{Context, ensure};
use indicatif::HumanCount;
use std::io::Write;
use suffrage_algorithms::{Claimed, Property, complete::RandomReferees};
use suffrage_checker::{CheckVerdict, Instance, Options, Specification, Wake, explore};
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

const INTRODUCTION: &str = "
## How often one errs

`random-referees` has fewer ranks, candidates and referees here than its bound assumes, so that every draw can
be explored, and in every row every order in which the messages of a tick arrive. All promises about a single
election hold, and so do its invariants. Port p of node i leads to node i + p + 1.

| ranks | candidates, on average | referees | nodes | configurations | ends | messages, expected | one leads with probability |
|---|---|---|---|---|---|---|---|
";

const INTRODUCTION_OF_ALL: &str = "
Up to 6 processes are all candidates, each has all others as referees, and ranks are only compared. So as many
ranks as processes show all behaviour of the algorithm's n^4 ranks, although with other probabilities: two
processes have the largest rank far more often. With n^4 ranks a process leads with the probability that only
one draws the largest, `n` times the sum of `(r/n^4)^(n-1) / n^4` for `r` from 1 to
`n^4 - 1`. Six processes draw from six ranks in 46,656 ways, fifteen times as many as five do, and are left out.

| nodes and ranks | configurations | ends | messages, expected | one leads with probability | with n^4 ranks |
|---|---|---|---|---|---|
";

/// Writes both tables.
pub(super) fn write(out: &mut dyn Write) -> anyhow::Result<()> {
    out.write_all(INTRODUCTION.as_bytes())?;
    line::<2, 2, 1>(out, 3)?;
    line::<2, 2, 1>(out, 4)?;
    line::<2, 2, 1>(out, 5)?;
    line::<2, 2, 2>(out, 3)?;
    line::<2, 2, 2>(out, 4)?;
    line::<4, 2, 2>(out, 4)?;
    line::<8, 3, 2>(out, 3)?;
    out.write_all(INTRODUCTION_OF_ALL.as_bytes())?;
    line_of_all::<3, 2>(out)?;
    line_of_all::<4, 3>(out)?;
    line_of_all::<5, 4>(out)
}

/// Writes a row of the first table.
fn line<const R: u32, const C: u32, const F: u32>(
    out: &mut dyn Write,
    nodes: u32,
) -> anyhow::Result<()> {
    let cells = explored::<R, C, F>(nodes)?;
    Ok(writeln!(out, "| {R} | {C} | {F} | {nodes} | {cells} |")?)
}

/// Writes a row of the second table: `N` processes that draw from `N` ranks, and have `F = N - 1`
/// referees.
fn line_of_all<const N: u32, const F: u32>(out: &mut dyn Write) -> anyhow::Result<()> {
    let cells = explored::<N, N, F>(N)?;
    let ranks = f64::from(N.pow(4));
    let below = |rank: u32| (f64::from(rank) / ranks).powi(N as i32 - 1);
    let one_leads = f64::from(N) / ranks * (1..N.pow(4)).map(below).sum::<f64>();
    Ok(writeln!(out, "| {N} | {cells} | {one_leads:.6} |")?)
}

/// Explores an election in which all processes wake together. Returns the cells from the number of
/// configurations on.
fn explored<const R: u32, const C: u32, const F: u32>(nodes: u32) -> anyhow::Result<String> {
    type Process<const R: u32, const C: u32, const F: u32> = RandomReferees<R, C, F>;
    let claims = Process::<R, C, F>::CLAIMS;
    let promised: Vec<_> = Property::ALL.into_iter().filter(|&of| claims.promise(of)).collect();
    let specification = Specification::<Process<R, C, F>>::these(&promised).about(&claims);
    let specification = specification.invariants(Process::<R, C, F>::invariants());
    let ids = (1..=nodes.into()).map(Id::new).collect();
    let wiring = Wiring::complete(nodes);
    let instance = Instance { wake: Wake::AtStart, ..Instance::new(wiring, ids) };
    let found = explore(&instance, &specification, &Options::default())?;
    ensure!(matches!(found.verdict, CheckVerdict::Holds), "{:?}", found.verdict);
    let chances = found.chances.context("processes draw")?;
    Ok(format!(
        "{} | {} | {} | {}",
        HumanCount(found.states),
        HumanCount(found.terminal),
        super::rows::expected(chances.messages),
        super::rows::expected(chances.elected),
    ))
}
