use super::*;
use crate::packet::PeerMessage;
use tenure_model::Office;

fn envelope(office: u64, bytes: &[u8]) -> Envelope {
    Envelope { topic: PeerMessage::Ask(Office(office)).topic(), bytes: bytes.to_vec() }
}

#[test]
fn the_newest_envelope_of_each_topic_is_kept_in_the_order_of_the_topics() {
    let mut mailbox = Mailbox::default();
    mailbox.put(envelope(1, &[1]));
    mailbox.put(envelope(2, &[2, 2]));
    mailbox.put(envelope(1, &[3]));
    assert_eq!(mailbox.take(10), Some(vec![3]));
    assert_eq!(mailbox.take(1), None, "too long for the room");
    assert_eq!(mailbox.take(2), Some(vec![2, 2]));
    assert_eq!(mailbox.take(10), None);
}

#[test]
fn a_full_mailbox_drops_new_topics_and_takes_new_envelopes_of_old_ones() {
    let mut mailbox = Mailbox::default();
    for office in 1..=MOST as u64 {
        assert!(mailbox.put(envelope(office, &[1])));
    }
    assert!(!mailbox.put(envelope(MOST as u64 + 1, &[1])));
    assert!(mailbox.put(envelope(1, &[2])));
    assert_eq!(mailbox.take(10), Some(vec![2]));
}
