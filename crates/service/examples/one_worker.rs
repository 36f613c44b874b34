//! A job that runs on at most one member at a time: here one of three members in one program.

use std::error::Error;
use std::sync::Arc;
use suffrage_service::{LocalCluster, Member, StandError, Timing, clock::BootClock};
use suffrage_service::{records::MemoryStore, transport::LocalNetwork};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// Starts three members. On real hosts: `Member::start(Config::read("members.toml")?).await?`.
fn members() -> Result<Vec<Member>, Box<dyn Error>> {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &NAMES, Timing::LAN);
    let start = |name| cluster.member(name, MemoryStore::founding(), Arc::new(BootClock));
    Ok(NAMES.into_iter().map(start).collect::<Result<_, _>>()?)
}

/// Leads, works and hands over, `rounds` times. Every member does this.
async fn serve(member: Member, rounds: u32) -> Result<(), StandError> {
    for round in 0..rounds {
        let leadership = member.office("worker").stand().await?;
        tokio::select! {
            () = leadership.stopping() => {} // Asked to stop, or lost: stop at once.
            () = async { println!("{} works: {round}", member.name()) } => {}
        }
    } // Dropping the leadership says that the work has ended.
    Ok(())
}

#[cfg_attr(test, tokio::test)]
#[cfg_attr(not(test), tokio::main)]
async fn main() -> Result<(), Box<dyn Error>> {
    let tasks: Vec<_> = members()?.into_iter().map(|it| tokio::spawn(serve(it, 3))).collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}
