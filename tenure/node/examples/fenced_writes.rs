//! A database that refuses writes of former leaders: it keeps the greatest term it has seen.

use redb::{Database, ReadableTable as _, TableDefinition};
use tenure_node::{LeaseTiming, LocalCluster, clock::BootClock};
use tenure_node::{records::MemoryStore, transport::LocalNetwork};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
const VALUES: TableDefinition<&str, u64> = TableDefinition::new("values");
const FENCE: TableDefinition<(), u64> = TableDefinition::new("fence");

/// Writes, unless a leader of a greater term has written. Comparison and write are one transaction.
fn write(database: &Database, term: u64, key: &str, value: u64) -> Outcome<bool> {
    let transaction = database.begin_write()?;
    let mut fence = transaction.open_table(FENCE)?;
    let greatest = fence.get(())?.map_or(0, |it| it.value());
    if term >= greatest {
        fence.insert((), term)?;
        transaction.open_table(VALUES)?.insert(key, value)?;
    }
    drop(fence);
    transaction.commit()?;
    Ok(term >= greatest)
}

#[cfg_attr(test, tokio::test)]
#[cfg_attr(not(test), tokio::main)]
async fn main() -> Outcome<()> {
    let database = Database::create(tempfile::NamedTempFile::new()?.path())?;
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a"], LeaseTiming::LAN);
    let member = cluster.member("a", MemoryStore::founding(), std::sync::Arc::new(BootClock))?;
    let first = member.office("writer").stand().await?;
    assert!(write(&database, first.term(), "x", 1)?);
    let slow = first.term(); // Suspended here, between the check and the write ..
    first.resign().await;
    let second = member.office("writer").stand().await?;
    assert!(write(&database, second.term(), "x", 2)?);
    assert!(!write(&database, slow, "x", 3)?, ".. and its write comes too late");
    Ok(())
}
