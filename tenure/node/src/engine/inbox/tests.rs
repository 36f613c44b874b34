use super::*;
use crate::testing::among_the_same_members;
use tenure_protocol::tenure::Msg;

fn question(office: u64) -> Vec<u8> {
    PeerMessage::Ask(Office(office)).encode()
}

fn renewal(number: u64) -> Vec<u8> {
    let renews = Msg::Renew { boot: 1, number, over: 0 };
    PeerMessage::Protocol(among_the_same_members(renews)).encode()
}

#[test]
fn a_peer_that_floods_does_not_crowd_out_another() {
    let inbox = EngineInbox::default();
    for office in 1..=100_000 {
        inbox.deliver(Peer(1), &question(office));
    }
    inbox.deliver(Peer(2), &question(1));
    assert!(inbox.dropped() > 50_000);
    let mut batch = Batch::default();
    inbox.take(None, &mut batch);
    assert_eq!(batch.mail.len(), AT_A_TIME);
    assert!(batch.behind);
    assert!(batch.mail[..2].iter().any(|(peer, _)| *peer == Peer(2)));
}

#[test]
fn what_is_repeated_while_the_loop_is_behind_is_taken_once() {
    let inbox = EngineInbox::default();
    for _ in 0..1000 {
        inbox.deliver(Peer(1), &question(1));
        inbox.deliver(Peer(1), &question(2));
    }
    let mut batch = Batch::default();
    inbox.take(None, &mut batch);
    assert_eq!(batch.mail, [question(1), question(2)].map(|bytes| (Peer(1), bytes)));
    assert!(!batch.behind);
}

#[test]
fn what_is_about_a_lease_does_not_wait_behind_what_is_about_offices() {
    let inbox = EngineInbox::default();
    for office in 1..=2 * AT_A_TIME as u64 {
        inbox.deliver(Peer(1), &question(office));
    }
    inbox.deliver(Peer(1), &renewal(1));
    inbox.deliver(Peer(1), &renewal(2));
    let mut batch = Batch::default();
    inbox.take(None, &mut batch);
    assert_eq!(batch.mail[0], (Peer(1), renewal(2)), "the newest, and first");
    assert_eq!(batch.mail.len(), AT_A_TIME);
}

#[test]
fn what_cannot_be_decoded_is_counted_and_takes_no_room() {
    let inbox = EngineInbox::default();
    inbox.deliver(Peer(1), &[255; 9]);
    assert_eq!(inbox.undecodable(), 1);
    let mut batch = Batch::default();
    inbox.take(Some(Duration::ZERO), &mut batch);
    assert!(batch.mail.is_empty());
}

#[test]
fn nothing_is_taken_by_a_loop_that_has_ended() {
    let inbox = EngineInbox::default();
    inbox.close();
    assert!(!inbox.act(EngineRequest::Kill));
    inbox.deliver(Peer(1), &question(1));
    let mut batch = Batch::default();
    inbox.take(Some(Duration::ZERO), &mut batch);
    assert!(batch.actions.is_empty() && batch.mail.is_empty());
}
