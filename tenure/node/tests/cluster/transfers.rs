//! Operators have offices transferred, and are told who leads then.

use super::{NAMES, OFFICE, TIMING, three};
use std::time::Duration;
use tenure_node::{Leadership, Member, TransferError};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const LONG: Duration = Duration::from_secs(20);

fn stand(member: &Member) -> JoinHandle<Leadership> {
    let office = member.office(OFFICE);
    tokio::spawn(async move { office.stand().await.unwrap() })
}

/// Ends the work as soon as that is asked for.
fn obey(leadership: Leadership) -> JoinHandle<()> {
    tokio::spawn(async move {
        leadership.stopping().await;
        leadership.resign().await;
    })
}

async fn transfer(member: &Member, to: &str) -> Result<(), TransferError> {
    timeout(LONG, member.office(OFFICE).ask_to_transfer(to)).await.unwrap()
}

#[tokio::test]
async fn a_transfer_leads_where_it_was_meant_to_or_says_where() {
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let term = first.term();
    let (named, other) = (stand(&members[1]), stand(&members[2]));
    // The one that shall lead withdraws when the leader has begun to end its work.
    let leader = tokio::spawn(async move {
        first.stopping().await;
        named.abort();
        assert!(named.await.is_err());
        sleep(5 * TIMING.heartbeat).await;
        first.resign().await;
    });
    let missed = transfer(&members[2], NAMES[1]).await.unwrap_err();
    leader.await.unwrap();
    let second = timeout(LONG, other).await.unwrap().unwrap();
    assert!(second.term() > term);
    let why = format!("`{OFFICE}` is led by c in term {}, not by b", second.term());
    assert_eq!(missed, TransferError::NotTransferred(why));
    // This time it does not.
    let named = stand(&members[1]);
    let leader = obey(second);
    transfer(&members[0], NAMES[1]).await.unwrap();
    assert!(timeout(LONG, named).await.unwrap().unwrap().term() > term);
    leader.await.unwrap();
}

#[tokio::test]
async fn a_transfer_to_the_leader_or_to_one_that_does_not_stand_is_refused_and_the_leader_goes_on()
{
    let (_network, _, members) = three(TIMING);
    let first = members[0].office(OFFICE).stand().await.unwrap();
    for member in &members {
        let already = transfer(member, NAMES[0]).await.unwrap_err();
        let why = format!("a leads `{OFFICE}` already, in term {}", first.term());
        assert_eq!(already, TransferError::NotLeading(why));
        let idle = transfer(member, NAMES[1]).await.unwrap_err().to_string();
        assert!(idle.starts_with("b does not stand for `db-primary`"), "{idle}");
    }
    first.check().unwrap();
    assert!(!first.is_stopping());
}

#[tokio::test]
async fn a_transfer_needs_no_earlier_look_at_who_leads() {
    let (_network, cluster, members) = three(TIMING);
    members[2].kill();
    members[2].ended().await;
    let first = members[0].office(OFFICE).stand().await.unwrap();
    let named = stand(&members[1]);
    // It has lost its record, and knows of no vote.
    let asked = super::start(&cluster, NAMES[2], tenure_node::records::MemoryStore::lost());
    let leader = obey(first);
    transfer(&asked, NAMES[1]).await.unwrap();
    timeout(LONG, named).await.unwrap().unwrap();
    leader.await.unwrap();
}
