use super::*;

const OWED: u64 = 60_000_000_000;

#[test]
fn a_number_is_kept_for_its_process_as_long_as_anything_is_owed_to_it() {
    let mut departed = Departed::new(OWED);
    let now = 1_000;
    departed.remember(Peer(7), 1, now, now);
    assert!(departed.may_have(Peer(7), 1, now), "it has come back");
    assert!(!departed.may_have(Peer(7), 2, now));
    assert!(!departed.may_have(Peer(7), 2, now + OWED));
    assert!(departed.may_have(Peer(7), 2, now + OWED + 1));
    assert!(departed.may_have(Peer(8), 2, now));
    departed.forget(Peer(7));
    assert!(departed.may_have(Peer(7), 2, now));
}

#[test]
fn of_too_many_the_first_is_forgotten() {
    let mut departed = Departed::new(OWED);
    let now = 1_000;
    for number in 0..=MOST as u32 {
        departed.remember(Peer(number), 1, now + u64::from(number), now);
    }
    assert_eq!(departed.clients.len(), MOST);
    assert!(departed.may_have(Peer(0), 2, now) && !departed.may_have(Peer(1), 2, now));
}

#[test]
fn numbers_of_clients_are_not_those_of_members() {
    assert!((0..1000).all(|_| draw().0 >= FIRST_CLIENT));
}
