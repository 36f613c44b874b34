use super::*;
use crate::roster::tests::{host, of_three};
use tenure_model::Term;
use tenure_protocol::reconfiguration::ConfigurationTag;

const RECORD: u128 = 7;

/// What was read of a record, or that there is none, in a store with the number [`RECORD`].
fn loaded(memory: Memory, record: MemberRecord) -> Loaded {
    Loaded { record, store: RECORD, ..Loaded::nothing(memory) }
}

/// The record of a host with this number, among members who are these bits.
fn kept(own: u64, roster: &Roster, members: u64) -> Loaded {
    let now = among(roster, members);
    let mut cells: std::collections::BTreeMap<_, _> =
        now.configuration.cells().into_iter().flatten().collect();
    cells.extend([(OWN_NUMBER, own), (FLOOR, 0)]);
    loaded(Memory::Kept, MemberRecord { boot: 1, cells, roster: Some(roster.clone()) })
}

fn among(roster: &Roster, members: u64) -> ClusterMembers {
    let electorate = Electorate::all(Members::from_bits(members));
    let tag = ConfigurationTag { number: 4, ballot: Term(9) };
    let founding = VotingConfiguration::founding(electorate);
    let configuration = VotingConfiguration { tag, roster: roster.digest(), ..founding };
    ClusterMembers { configuration, roster: roster.clone() }
}

fn start(
    name: &str,
    loaded: &mut Loaded,
    joins: Option<Option<&ClusterMembers>>,
) -> (HostStart, Memory) {
    let start = ClusterMembers::start_of(name, loaded, &of_three(), joins);
    (start, loaded.memory)
}

#[test]
fn a_host_without_a_record_starts_as_a_founder_or_not_at_all() {
    for memory in [Memory::New, Memory::Lost] {
        let mut nothing = loaded(memory, MemberRecord::default());
        let founding = ClusterMembers::founding(of_three());
        assert_eq!(start("b", &mut nothing, None), (HostStart::As(Peer(1), founding), memory));
        assert_eq!(start("d", &mut nothing, None), (HostStart::Unknown, memory));
        assert_eq!(nothing.record, MemberRecord::default());
    }
}

#[test]
fn a_host_with_a_record_starts_as_the_one_of_its_number_whatever_others_say() {
    let with_d = of_three().with(host("d")).unwrap().0;
    let (again, other) = (with_d.with(host("b")).unwrap().0, among(&of_three(), 0b111));
    for joins in [None, Some(None), Some(Some(&other))] {
        let found = start("d", &mut kept(3, &with_d, 0b1111), joins);
        assert_eq!(found, (HostStart::As(Peer(3), among(&with_d, 0b1111)), Memory::Kept));
        // Another host has its name now, with another number: that host's votes are not its own.
        let found = start("b", &mut kept(1, &again, 0b1_1101), joins);
        assert_eq!(found, (HostStart::Removed(among(&again, 0b1_1101)), Memory::Kept));
        // A record that says nothing of promises is one of a host that was entered, and has never voted.
        let mut entered = kept(3, &with_d, 0b111);
        entered.record.cells.remove(&FLOOR);
        let found = start("d", &mut entered, joins);
        assert_eq!(found, (HostStart::As(Peer(3), among(&with_d, 0b111)), Memory::Kept));
        let found = start("e", &mut kept(3, &with_d, 0b1111), joins);
        assert_eq!(found, (HostStart::Unknown, Memory::Kept));
    }
}

/// The members are these bits, and a change is under way that leaves them as they are: it is to enter the last host.
fn entering(roster: &Roster, members: u64) -> ClusterMembers {
    let mut now = among(roster, members);
    now.configuration.tag.number = 5;
    now
}

#[test]
fn a_host_waits_until_others_have_agreed_on_its_number() {
    let entered = of_three().with(RosterHost { record: RECORD, ..host("d") }).unwrap().0;
    let mut nothing = loaded(Memory::Lost, MemberRecord::default());
    let told = entering(&entered, 0b111);
    assert_eq!(start("d", &mut nothing, Some(Some(&told))).0, HostStart::Waits);
    let agreed = among(&entered, 0b111);
    let found = start("d", &mut nothing, Some(Some(&agreed))).0;
    assert_eq!(found, HostStart::As(Peer(3), agreed));
}

#[test]
fn members_that_disagree_on_a_host_that_is_not_entered_yet_are_of_one_cluster() {
    let [d, e] = ["d", "e"].map(|name| of_three().with(host(name)).unwrap().0);
    let proposed = [entering(&d, 0b111), entering(&e, 0b111)];
    assert_eq!(proposed[0].difference(&proposed[1]), None);
    assert_eq!(proposed[0].difference(&among(&e, 0b1111)), None);
    assert_ne!(among(&d, 0b111).difference(&among(&e, 0b111)), None);
}

#[test]
fn a_host_that_joins_waits_until_it_has_a_number_or_a_vote() {
    let entered = of_three().with(RosterHost { record: 8, ..host("d") }).unwrap().0;
    for told in [None, Some(&among(&of_three(), 0b111)), Some(&among(&entered, 0b111))] {
        let mut nothing = loaded(Memory::Lost, MemberRecord::default());
        assert_eq!(start("d", &mut nothing, Some(told)), (HostStart::Waits, Memory::Lost));
        assert_eq!(nothing.record, MemberRecord::default());
    }
}

#[test]
fn a_host_that_joins_has_never_voted_with_its_record_or_has_lost_that_of_its_number() {
    for (record, members, memory) in [
        (RECORD, 0b111, Memory::New),
        (RECORD, 0b1111, Memory::New),
        (RECORD + 1, 0b1111, Memory::Lost),
    ] {
        let roster = of_three().with(RosterHost { record, ..host("d") }).unwrap().0;
        let told = among(&roster, members);
        // Memory is what its store says: also one that has waited before.
        for before in [Memory::Lost, Memory::Kept] {
            let mut nothing = loaded(before, MemberRecord::default());
            let found = start("d", &mut nothing, Some(Some(&told)));
            assert_eq!(found, (HostStart::As(Peer(3), told.clone()), memory));
            let read = |cell| nothing.record.cells.get(&cell).copied();
            assert_eq!(VotingConfiguration::recorded(read), Some(told.configuration));
        }
    }
}
