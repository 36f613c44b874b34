//! Calls that are given up: their futures are dropped, wherever they are.

use super::{NAMES, OFFICE, TIMING, three, watching::until};
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tenure_node::{Leadership, LeaseTiming, Member};
use tokio::time::{sleep, timeout};

/// Much longer than any test takes: an office is led again only if it was released.
const LEASES: LeaseTiming = LeaseTiming { lease: Duration::from_secs(300), ..TIMING };
const LONG: Duration = Duration::from_secs(20);

/// Polls a future once. Mostly it waits for the loop then; where the loop was faster, it is over, and not given up, and
/// what follows holds all the same.
async fn begin<T>(mut future: std::pin::Pin<&mut impl Future<Output = T>>) {
    let _ = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
}

async fn leads(member: &Member) -> Leadership {
    timeout(LONG, member.office(OFFICE).stand()).await.expect("the office is free").unwrap()
}

#[tokio::test]
async fn a_candidacy_that_was_never_polled_is_none() {
    let (_network, _, members) = three(LEASES);
    let office = members[0].office(OFFICE);
    drop(office.stand());
    leads(&members[1]).await;
}

#[tokio::test]
async fn an_office_that_was_won_and_not_yet_taken_is_released() {
    let (_network, _, members) = three(LEASES);
    let office = members[0].office(OFFICE);
    let mut stands = Box::pin(office.stand());
    begin(stands.as_mut()).await;
    let term = until(&mut members[1].watch(OFFICE).await.unwrap(), Some(NAMES[0])).await;
    drop(stands);
    assert!(Some(leads(&members[1]).await.term()) > term);
}

#[tokio::test]
async fn a_resignation_that_is_given_up_is_one_all_the_same() {
    let (_network, _, members) = three(LEASES);
    let first = leads(&members[0]).await;
    let term = first.term();
    drop(first.resign());
    let second = leads(&members[1]).await;
    assert!(second.term() > term);
    let term = second.term();
    {
        let mut resigns = pin!(second.resign());
        begin(resigns.as_mut()).await;
    }
    assert!(leads(&members[2]).await.term() > term);
}

#[tokio::test]
async fn a_transfer_that_is_given_up_has_released_the_office_or_transfers_it() {
    let (_network, _, members) = three(LEASES);
    let first = leads(&members[0]).await;
    drop(first.transfer(NAMES[1]));
    let second = leads(&members[2]).await;
    // The named member leads, though another one is preferred.
    let stand = |member: usize, priority| {
        let office = members[member].office(OFFICE).priority(priority);
        tokio::spawn(async move { office.stand().await.unwrap() })
    };
    let (named, preferred) = (stand(0, 0), stand(1, 9));
    sleep(5 * LEASES.heartbeat).await;
    {
        let mut transfers = pin!(second.transfer(NAMES[0]));
        begin(transfers.as_mut()).await;
    }
    let _third = timeout(LONG, named).await.unwrap().unwrap();
    assert!(!preferred.is_finished());
}

#[tokio::test]
async fn what_waits_for_the_end_of_a_leadership_can_be_given_up_and_begun_again() {
    let (_network, _, members) = three(TIMING);
    let first = leads(&members[0]).await;
    for _ in 0..3 {
        assert!(timeout(Duration::ZERO, first.lost()).await.is_err());
        assert!(timeout(Duration::ZERO, first.stopping()).await.is_err());
    }
    first.check().unwrap();
    members[0].kill();
    timeout(LONG, async { tokio::join!(first.lost(), first.stopping()) }).await.unwrap();
}
