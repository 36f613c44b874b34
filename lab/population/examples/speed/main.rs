//! Measures an engine: `speed ENGINE AGENTS [TRIALS] [HIGHEST]`, with one of the engines `direct`,
//! `direct-epidemic`, `counts` (two-way epidemic), `spread` (the same in closed form), `ranks` and
//! `leader` (self-terminating election). Prints seconds for a trial, on the average and the
//! fastest, and simulated interactions for each second. `pairs` and `memory` draw pairs of agents,
//! and read and write two numbers for each pair: the limits of the direct engine.

mod limit;
#[path = "../../src/engine/direct/pages.rs"]
mod pages;

use limit::MemoryLimit;
use std::{env, hint::black_box, sync::atomic::AtomicBool, time::Instant};
use suffrage_population::engine::oracle::harmonic;
use suffrage_population::{
    engine::{
        TrialEngine,
        batched::{Goal, MeetingTable, Ranks, StateCounts},
        closed_form::{EpidemicSpread, EventualLeader},
        direct::{Packed, TrialTail},
    },
    meetings::Meetings,
    protocols::{Infection, NumberedEpidemic, SelfTerminating},
    random::RandomStream,
};

/// Draws as many pairs as an election takes, for each trial.
fn limit(name: &str, agents: u32, trials: u64) -> Result<(), Box<dyn std::error::Error>> {
    let mut limit = MemoryLimit::new(agents);
    let stream = &mut RandomStream::of_trial(1, 0);
    let count = trials * (f64::from(agents) * harmonic(agents.into())) as u64;
    let mut fastest = 0.0_f64;
    // With and without reading ahead: the better one is the limit.
    for ahead in [false, true] {
        let start = Instant::now();
        let done = if name == "pairs" {
            limit.draw(count, stream)
        } else {
            limit.run(count, ahead, stream)
        };
        fastest = fastest.max(done as f64 / start.elapsed().as_secs_f64());
    }
    println!("{name} n = {agents}: {fastest:.3e} pairs a second");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, agents, rest @ ..] = arguments.as_slice() else {
        return Err("usage: speed ENGINE AGENTS [TRIALS] [HIGHEST]".into());
    };
    let agents = agents.parse::<f64>()? as u64;
    let trials: u64 = rest.first().map_or(Ok(1), |trials| trials.parse())?;
    let highest: u32 = rest.get(1).map_or(Ok(16), |highest| highest.parse())?;
    let election = SelfTerminating::default();
    if name == "pairs" || name == "memory" {
        return limit(name, u32::try_from(agents)?, trials);
    }
    let mut engine: Box<dyn TrialEngine> = match name.as_str() {
        "direct" => Box::new(Packed::new(
            election,
            Meetings::among(u32::try_from(agents)?),
            TrialTail::Skipped,
        )),
        "direct-epidemic" => {
            let epidemic = NumberedEpidemic::default();
            Box::new(Packed::new(
                epidemic,
                Meetings::among(u32::try_from(agents)?),
                TrialTail::Skipped,
            ))
        }
        "counts" => {
            let table = MeetingTable::reachable(&Infection, &[true, false])?;
            Box::new(StateCounts::new(
                table,
                &[1, agents - 1],
                Goal::Count { state: 0, count: agents },
            ))
        }
        "spread" => Box::new(EpidemicSpread { agents, self_meetings: false }),
        "ranks" => Box::new(Ranks::new(election, agents, highest)),
        "leader" => Box::new(EventualLeader::new(election, agents)),
        _ => return Err(format!("no engine is called {name}").into()),
    };
    let go = AtomicBool::new(false);
    let mut interactions = 0;
    let mut fastest = f64::INFINITY;
    let start = Instant::now();
    for trial in 0..trials {
        let begun = Instant::now();
        let trial = black_box(engine.trial(&mut RandomStream::of_trial(1, trial), &go));
        interactions += trial.and_then(|trial| trial.completed_at).unwrap_or(0);
        fastest = fastest.min(begun.elapsed().as_secs_f64());
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name} n = {agents}: {:.3e} s for a trial, {fastest:.3e} s the fastest, {:.3e} interactions \
         a second",
        seconds / trials as f64,
        interactions as f64 / seconds
    );
    Ok(())
}
