//! A job that runs on at most one member at a time: here one of three members in one program.

use std::{error::Error, sync::Arc, time::Duration};
use tenure_node::{LeaseTiming, LocalCluster, Member, StandError, clock::BootClock};
use tenure_node::{records::MemoryStore, transport::LocalNetwork};
use tokio::{sync::Mutex, task::JoinSet, time::sleep};

/// Works for a moment, and alone.
async fn work(name: &str, round: u32) {
    static ALONE: Mutex<()> = Mutex::const_new(());
    let _alone = ALONE.try_lock().expect("one works at a time");
    println!("{name} works: {round}");
    sleep(Duration::from_millis(5)).await;
}

/// Leads, works and hands over, `rounds` times. Every member does this, and votes until all have done it.
async fn serve(member: Member, rounds: u32) -> Result<Member, StandError> {
    for round in 0..rounds {
        let leadership = member.office("worker").stand().await?;
        tokio::select! {
            () = leadership.stopping() => {} // Asked to stop, or lost: stop at once.
            () = work(member.name(), round) => {}
        }
    } // Dropping the leadership says that the work has ended.
    Ok(member)
}

#[cfg_attr(test, tokio::test)]
#[cfg_attr(not(test), tokio::main)]
async fn main() -> Result<(), Box<dyn Error>> {
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a", "b", "c"], LeaseTiming::LAN);
    let mut tasks = JoinSet::new();
    for name in ["a", "b", "c"] {
        // On a real host: `Member::start(ClusterConfig::read("members.toml")?).await?`.
        let member = cluster.member(name, MemoryStore::founding(), Arc::new(BootClock))?;
        tasks.spawn(serve(member, 3));
    }
    tasks.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(())
}
