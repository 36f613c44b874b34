use super::*;
use proptest::prelude::*;

fn agreement() -> Agreement {
    Agreement::new(&LeaseTiming::LAN)
}

#[test]
fn what_is_not_agreed_about_is_named_with_both_sides() {
    let ours = agreement();
    assert_eq!(ours.difference(&ours), None);
    assert_eq!(ours.timing(), LeaseTiming::LAN);
    let theirs = Agreement { lease: 300_000, ..ours.clone() };
    assert_eq!(ours.difference(&theirs).unwrap(), "lease: 250ms here, 300ms there");
}

#[test]
fn the_newest_common_version_is_spoken() {
    let common = |ours: (u16, u16), theirs: (u16, u16)| {
        let [ours, theirs] = [ours, theirs].map(|(oldest, newest)| Versions { oldest, newest });
        let version = ours.common(theirs);
        assert_eq!(version, theirs.common(ours));
        assert!(version.is_none_or(|version| ours.has(version) && theirs.has(version)));
        version
    };
    assert_eq!(common((1, 1), (1, 2)), Some(1));
    assert_eq!(common((1, 3), (2, 5)), Some(3));
    assert_eq!(common((1, 3), (3, 9)), Some(3));
    assert_eq!(common((1, 2), (3, 9)), None);
}

proptest! {
    #[test]
    fn any_bytes_are_an_introduction_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = decode::<DiallerIntroduction>(&bytes);
        let _ = decode::<IntroductionReply>(&bytes);
    }
}

#[test]
fn what_a_newer_version_appends_is_passed_over() {
    let introduction = DiallerIntroduction {
        versions: VERSIONS,
        cluster: "lab".to_owned(),
        agreement: Some(agreement()),
        membership: None,
        instance: 7,
        who: DiallerIdentity::Visitor,
    };
    let mut bytes = encode(&introduction);
    bytes.extend([1, 2, 3]);
    assert_eq!(decode::<DiallerIntroduction>(&bytes), Some(introduction));
    assert_eq!(decode::<Versions>(&bytes), Some(VERSIONS), "the versions come first");
}
