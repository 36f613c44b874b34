use super::*;
use crate::office::LONGEST_NAME;
use crate::testing::among_the_same_members;
use proptest::prelude::*;
use tenure_protocol::electorate::{Electorate, Members};
use tenure_protocol::reconfiguration::{ConfigurationTag, VotingConfiguration};
use tenure_protocol::tenure::{Case, Rank, With};
use tenure_protocol::value::PART;

fn protocol() -> impl Strategy<Value = Msg> {
    let case = (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(office, term, epoch)| Case {
        office: Office(office),
        term: Term(term),
        epoch,
    });
    let term = || any::<u64>().prop_map(Term);
    let peer = proptest::option::of(any::<u32>().prop_map(Peer));
    let rank = prop_oneof![
        Just(Rank::Follower),
        any::<u32>().prop_map(Rank::Candidate),
        Just(Rank::Named),
        Just(Rank::Leader),
    ];
    let with = prop_oneof![Just(With::Unknown), Just(With::Nobody), term().prop_map(With::Leader)];
    let of = |case: &BoxedStrategy<Case>| case.clone();
    let case = case.boxed();
    let leases =
        prop_oneof![
            (any::<u64>(), any::<u64>(), any::<u64>())
                .prop_map(|(boot, number, over)| Msg::Renew { boot, number, over }),
            (any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>())
                .prop_map(|(boot, number, epoch, able)| Msg::Ack { boot, number, epoch, able }),
        ];
    let claims = prop_oneof![
        (of(&case), rank, any::<u32>(), with.clone())
            .prop_map(|(case, rank, attempt, with)| Msg::Request(case, rank, attempt, with)),
        of(&case).prop_map(Msg::Lead),
        (of(&case), peer.clone()).prop_map(|(case, to)| Msg::Release(case, to)),
    ];
    let votes = prop_oneof![
        (of(&case), any::<u32>(), any::<bool>())
            .prop_map(|(case, attempt, named)| Msg::Grant(case, attempt, named)),
        (of(&case), any::<u32>(), with)
            .prop_map(|(case, attempt, with)| Msg::Busy(case, attempt, with)),
        (of(&case), term()).prop_map(|(case, term)| Msg::Refuse(case, term)),
        (of(&case), any::<u32>()).prop_map(|(case, attempt)| Msg::Contest(case, attempt)),
        case.prop_map(Msg::Released),
    ];
    let records = prop_oneof![
        (any::<u64>(), any::<u64>(), any::<u32>()).prop_map(|(boot, store, look)| Msg::Learn {
            boot,
            store,
            look
        }),
        (any::<u64>(), term(), peer, any::<u64>()).prop_map(|(boot, highest, member, store)| {
            Msg::Promised { boot, highest, founded: member.map(|it| (it, store)) }
        }),
        (any::<u64>(), any::<u64>(), any::<u32>()).prop_map(|(boot, store, look)| Msg::Blank {
            boot,
            store,
            look
        }),
    ];
    prop_oneof![leases, claims, votes, records]
}

fn messages_of_members() -> impl Strategy<Value = ReconfigurableMsg> {
    let term = || any::<u64>().prop_map(Term);
    let tag =
        || (any::<u64>(), term()).prop_map(|(number, ballot)| ConfigurationTag { number, ballot });
    let members = || (1..u64::MAX).prop_map(Members::from_bits);
    let electorate = (members(), members()).prop_map(|(old, new)| Electorate { old, new });
    let configuration =
        (tag(), electorate, term(), any::<u64>()).prop_map(|(tag, electorate, floor, roster)| {
            VotingConfiguration { tag, electorate, floor, roster }
        });
    let configuration = configuration.boxed();
    let settled = proptest::option::of((tag(), term()));
    prop_oneof![
        4 => (protocol(), tag(), tag(), settled, term()).prop_map(|(msg, known, counting, settled, ballot)| {
            match among_the_same_members(msg) {
                ReconfigurableMsg::Renewal(..) => ReconfigurableMsg::Renewal(known, counting, msg),
                ReconfigurableMsg::Acknowledgement(..) => ReconfigurableMsg::Acknowledgement(settled, counting, msg),
                ReconfigurableMsg::Record(..) => ReconfigurableMsg::Record(known, ballot, msg),
                other => other,
            }
        }),
        1 => configuration.clone().prop_map(ReconfigurableMsg::Members),
        1 => (any::<u64>(), term()).prop_map(|(number, ballot)| ReconfigurableMsg::Prepare(number, ballot)),
        1 => (term(), proptest::option::of(configuration))
            .prop_map(|(ballot, accepted)| ReconfigurableMsg::Prepared(ballot, accepted)),
        1 => term().prop_map(ReconfigurableMsg::Outbid),
    ]
}

fn values() -> impl Strategy<Value = ValueMessage> {
    let numbers = (any::<u64>().prop_map(Office), any::<u64>().prop_map(Term), any::<u64>());
    let bytes = proptest::collection::vec(any::<u8>(), 0..=PART);
    let of = (any::<u64>(), any::<u64>(), any::<u16>(), any::<u8>(), proptest::option::of(bytes));
    (numbers, of).prop_map(|((office, term, asking), (change, missing, length, part, bytes))| {
        match bytes {
            Some(bytes) => ValueMessage::Part { office, term, asking, change, length, part, bytes },
            None => ValueMessage::Want { office, term, asking, change, missing },
        }
    })
}

pub(crate) fn packets() -> impl Strategy<Value = PeerMessage> {
    let office = || any::<u64>().prop_map(Office);
    let term = || any::<u64>().prop_map(Term);
    let peer = || any::<u32>().prop_map(Peer);
    let leader = proptest::option::of((peer(), term()));
    let age = || (any::<u64>(), term()).prop_map(|(boot, highest)| RecordAge { boot, highest });
    prop_oneof![
        4 => messages_of_members().prop_map(PeerMessage::Protocol),
        1 => (any::<u64>(), any::<u16>())
            .prop_map(|(digest, begin)| PeerMessage::WantRoster { digest, begin }),
        1 => (any::<u64>(), any::<u16>(), any::<u16>(), proptest::collection::vec(any::<u8>(), 0..113))
            .prop_map(|(digest, length, begin, bytes)| {
                PeerMessage::RosterPart { digest, length, begin, bytes }
            }),
        1 => office().prop_map(PeerMessage::Ask),
        1 => (office(), leader, any::<u64>())
            .prop_map(|(office, leader, age)| PeerMessage::Tell { office, leader, age }),
        1 => (office(), term(), proptest::option::of(peer()))
            .prop_map(|(office, term, to)| PeerMessage::Leave { office, term, to }),
        1 => (office(), term()).prop_map(|(office, term)| PeerMessage::Ended { office, term }),
        1 => office().prop_map(PeerMessage::Name),
        1 => (age(), proptest::option::of(age()))
            .prop_map(|(now, found)| PeerMessage::Recorded { now, found }),
        1 => age().prop_map(PeerMessage::Remembered),
        1 => (office(), term(), any::<u64>(), proptest::option::of("[a-zß€ ]{0,26}"))
            .prop_map(|(office, term, since, why)| PeerMessage::Work { office, term, since, why }),
        1 => values().prop_map(PeerMessage::Value),
        1 => "[a-zß€ ]{1,42}".prop_map(|name| PeerMessage::Named(OfficeName::new(&name).unwrap())),
    ]
}

#[test]
fn a_datagram_is_read_up_to_what_cannot_be_read() {
    let mut datagram = Vec::new();
    for message in [&[1, 2][..], &[], &[0; LONGEST]] {
        append(&mut datagram, message);
    }
    append(&mut datagram, &[0; 300]);
    let read = |datagram: &[u8]| -> Vec<Result<usize, Unreadable>> {
        messages(datagram).map(|message| message.map(<[u8]>::len)).collect()
    };
    let whole = [Ok(2), Ok(0), Ok(LONGEST)];
    assert_eq!(read(&datagram), whole);
    append(&mut datagram, &[7; LONGEST + 1]);
    assert_eq!(read(&datagram), [&whole[..], &[Err(Unreadable)]].concat(), "too long");
    assert_eq!(read(&[2, 1]), [Err(Unreadable)], "cut off");
}

#[test]
fn what_a_member_tells_of_one_record_does_not_replace_what_it_tells_of_another() {
    let topic = |boot, of: Option<u32>| {
        let founded = of.map(|member| (Peer(member), boot));
        let msg = Msg::Promised { boot, highest: Term(0), founded };
        PeerMessage::Protocol(among_the_same_members(msg)).topic()
    };
    let about = [None, Some(0), Some(1)];
    for (one, other) in about.iter().flat_map(|one| about.iter().map(move |other| (one, other))) {
        assert_eq!(topic(1, *one) == topic(2, *other), one == other, "{one:?} and {other:?}");
    }
}

#[test]
fn the_longest_name_of_an_office_fits_and_what_cannot_be_one_is_not_read() {
    let named = |name: &str| {
        let [tag, ..] = PeerMessage::Named(OfficeName::new("a").unwrap()).encode()[..] else {
            return None;
        };
        let bytes = [&[tag][..], &postcard::to_stdvec(name).unwrap()].concat();
        PeerMessage::decode(&bytes)
    };
    let longest = "a".repeat(LONGEST_NAME);
    assert_eq!(named(&longest), Some(PeerMessage::Named(OfficeName::new(&longest).unwrap())));
    for wrong in ["", "a\nb", &"a".repeat(LONGEST_NAME + 1)] {
        assert_eq!(named(wrong), None, "{wrong:?}");
    }
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(packet in packets()) {
        let bytes = packet.encode();
        prop_assert!(bytes.len() <= LONGEST);
        prop_assert_eq!(PeerMessage::decode(&bytes), Some(packet));
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Some(packet) = PeerMessage::decode(&bytes) {
            let again = PeerMessage::decode(&packet.encode());
            prop_assert_eq!(again, Some(packet));
        }
    }

    #[test]
    fn a_message_with_a_tail_is_refused(packet in packets(), tail in 0_u8..) {
        let mut bytes = packet.encode();
        bytes.push(tail);
        prop_assert_eq!(PeerMessage::decode(&bytes), None);
    }
}
