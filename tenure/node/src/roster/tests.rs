use super::*;

pub(crate) fn host(name: &str) -> RosterHost {
    let (name, address) = (name.to_owned(), format!("{name}:7400"));
    RosterHost { name, address, witness: false, record: 0 }
}

pub(crate) fn of_three() -> Roster {
    Roster::founding(["a", "b", "c"].map(host).to_vec())
}

#[test]
fn a_number_is_given_once() {
    let roster = of_three();
    let (with_d, number) = roster.with(host("d")).unwrap();
    assert_eq!(number, Peer(3));
    // A host of a name that was there before has another number, and its own record tells which it is.
    let (again, number) = with_d.with(RosterHost { record: 7, ..host("b") }).unwrap();
    assert_eq!((number, again.number("b")), (Peer(4), Some(Peer(4))));
    assert_eq!(again.number_with("b", 0), Some(Peer(1)));
    assert_eq!(again.number_with("b", 7), Some(Peer(4)));
    assert_eq!(again.number_with("b", 8), Some(Peer(4)));
    let full =
        (0..MOST_HOSTS - 3).fold(roster, |all, at| all.with(host(&format!("h{at}"))).unwrap().0);
    assert!(full.with(host("one-too-many")).is_none());
}

#[test]
fn the_digest_says_which_roster_it_is() {
    let (one, other) =
        (of_three().with(host("d")).unwrap().0, of_three().with(host("e")).unwrap().0);
    assert_eq!(of_three().digest(), 0);
    assert!(one.digest() != 0 && one.digest() != other.digest());
    let there =
        Roster { hosts: vec![RosterHost { address: "x:1".to_owned(), ..host("a") }], founders: 1 };
    assert_eq!(there.digest(), 0, "addresses of the beginning may differ from host to host");
}

#[test]
fn rosters_of_one_cluster_begin_alike() {
    let (roster, longer) = (of_three(), of_three().with(host("d")).unwrap().0);
    assert_eq!(roster.difference(&longer), None);
    assert_eq!(longer.difference(&roster), None);
    let other = Roster::founding(["a", "b", "d"].map(host).to_vec());
    let why = longer.difference(&other).unwrap();
    assert_eq!(why, "members: a, b, c, d here, a, b, d there");
    let four = Roster::founding(["a", "b", "c", "d"].map(host).to_vec());
    assert!(
        longer.difference(&four).is_some(),
        "one began with three members, the other with four"
    );
}

#[test]
fn bytes_that_are_no_roster_are_refused() {
    let roster = of_three().with(host("d")).unwrap().0;
    let bytes = roster.encode();
    assert_eq!(Roster::decode(&bytes), Some(roster));
    for cut in 0..bytes.len() {
        assert_eq!(Roster::decode(&bytes[..cut]), None);
    }
    let founders = Roster { founders: 5, ..of_three() };
    assert_eq!(Roster::decode(&founders.encode()), None);
    assert_eq!(Roster::decode(&Roster { founders: 0, ..of_three() }.encode()), None);
}
