use super::*;
use std::future::pending;

const LONG: Duration = Duration::from_secs(3600);

fn waiting(grace: Duration) -> PendingConnections<&'static str> {
    PendingConnections { grace, ..PendingConnections::new(4) }
}

fn from(address: &str) -> SocketAddr {
    SocketAddr::new(address.parse().unwrap(), 7400)
}

/// Admits connections that say nothing.
fn silent(waiting: &mut PendingConnections<&'static str>, address: &str, count: usize) -> usize {
    (0..count).filter(|_| waiting.admit(from(address), pending())).count()
}

#[tokio::test]
async fn an_address_that_has_filled_the_window_makes_room_for_others() {
    let mut waiting = waiting(LONG);
    assert_eq!(silent(&mut waiting, "10.0.0.1", 9), 4, "and no more than there is room for");
    assert!(waiting.admit(from("10.0.0.2"), async { "in" }));
    assert_eq!(waiting.next().await.unwrap(), "in");
    assert_eq!(waiting.count(), 3, "one has made room");
}

#[tokio::test]
async fn whoever_has_waited_longer_than_the_grace_makes_room() {
    let mut waiting = waiting(Duration::ZERO);
    assert_eq!(silent(&mut waiting, "10.0.0.1", 9), 9);
    assert_eq!(waiting.count(), 4);
    assert!(waiting.admit(from("10.0.0.1"), async { "in" }));
    assert_eq!(waiting.next().await.unwrap(), "in");
}

#[tokio::test]
async fn hosts_that_come_all_at_once_do_not_push_each_other_out() {
    let mut waiting = waiting(LONG);
    for host in 1..=4 {
        assert!(waiting.admit(from(&format!("10.0.0.{host}")), async { "in" }));
    }
    assert!(!waiting.admit(from("10.0.0.5"), async { "in" }));
    for _ in 1..=4 {
        assert_eq!(waiting.next().await.unwrap(), "in");
    }
    assert!(waiting.admit(from("10.0.0.5"), async { "in" }), "there is room again");
}

#[tokio::test]
async fn the_addresses_that_one_host_can_choose_are_one() {
    let mut waiting = waiting(LONG);
    for host in 1..=4 {
        assert!(waiting.admit(from(&format!("2001:db8::{host}")), pending()));
    }
    assert!(!waiting.admit(from("2001:db8::5"), async { "in" }), "the same network");
    assert!(waiting.admit(from("2001:db8:0:1::1"), async { "in" }));
    assert_eq!(source(from("::ffff:10.0.0.1")), source(from("10.0.0.1")));
    assert_ne!(source(from("10.0.0.2")), source(from("10.0.0.1")));
}

#[tokio::test]
async fn a_panic_reaches_the_owner() {
    let mut waiting = waiting(LONG);
    waiting.admit(from("10.0.0.1"), async { panic!("a defect") });
    assert!(waiting.next().await.unwrap_err().is_panic());
}
