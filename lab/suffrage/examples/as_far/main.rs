//! As far as it can: how to write an algorithm of one's own.
//!
//! `process.rs` has its messages, its state, its reactions and what is claimed of it, `tests.rs` what it is held to,
//! and this file a table of what it costs. Run this with `cargo run --example as_far`, the tests with
//! `cargo test --example as_far`, and what is proved of it for every number of processes with
//! `cargo test -p suffrage-proofs --test as_far`.

use process::AsFar;
use std::error::Error;
use suffrage::prelude::*;

mod process;
#[cfg(test)]
mod tests;

/// The algorithm with its announcement, as engines take it. `Announced` adds the announcement's
/// messages to the claims.
const AS_FAR: Custom<Announced<AsFar>> = Custom::claimed("as-far");

/// Elects on rings of growing size, with random identities and port numbers, and checks every
/// schedule of small ones.
fn main() -> Result<(), Box<dyn Error>> {
    let claims = Announced::<AsFar>::CLAIMS;
    println!("{:>7} {:>9} {:>9} {:>7}", "n", "messages", "bound", "leader");
    for n in [1, 2, 10, 100, 1000, 10_000, 100_000] {
        let (wiring, ids) = (Wiring::ring_shuffled(n, 7), Ids::Random.assign(n, 7));
        let schedule = Schedule::Uniform(10);
        let outcome = Simulator::new(&AS_FAR, &wiring, &ids).schedule(schedule).seed(7).run()?;
        for breach in &outcome.violations {
            println!("BROKEN: {breach}");
        }
        let nodes = u64::from(n);
        let bound = claims.bound(&Parameters::new(nodes, wiring.links(), nodes));
        let leader = outcome.leader.map_or("none".to_owned(), |leader| leader.id.to_string());
        println!("{n:>7} {:>9} {bound:>9} {leader:>7}", outcome.messages.total());
    }
    println!("bound: {}\n", claims.stated().signed());

    let family = Family::everything(NetworkClass::Ring, 3)?;
    let report = Checker::new(&AS_FAR, &family).run()?;
    println!(
        "every schedule of rings of 3: {} instances, {} configurations, {} that violate a property",
        report.instances, report.states, report.failing
    );
    if let Some((sent, bound)) = report.nearest {
        println!("nearest to the bound: {sent} of {bound} messages");
    }
    Ok(())
}
