use super::*;
use crate::roster::RosterHost;
use proptest::prelude::*;

pub(crate) fn images() -> impl Strategy<Value = Image> {
    let cells = proptest::collection::btree_map(
        (any::<u32>(), any::<u64>()).prop_map(|(table, key)| Cell { table, key }),
        any::<u64>(),
        0..400,
    );
    let host = |(name, address): (String, String)| RosterHost::founder(&name, &address, false);
    let hosts = proptest::collection::vec(("[a-z]{1,9}", "[a-z:0-9]{1,30}").prop_map(host), 1..9);
    let roster = proptest::option::of(hosts.prop_map(Roster::founding));
    (any::<u128>(), any::<u64>(), any::<u64>(), cells, roster).prop_map(
        |(store, generation, boot, cells, roster)| {
            let record = MemberRecord { boot, cells, roster };
            Image { store, generation, record }
        },
    )
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(image in images()) {
        let bytes = image.encode();
        prop_assert_eq!(bytes.len() % BLOCK, 0);
        prop_assert_eq!(Image::decode(&bytes), Some(image));
    }

    #[test]
    fn any_bit_that_has_changed_is_seen(image in images(), place in any::<prop::sample::Index>(), bit in 0..8) {
        let mut bytes = image.encode();
        let place = place.index(bytes.len());
        bytes[place] ^= 1_u8 << bit;
        prop_assert_eq!(Image::decode(&bytes), None);
    }

    #[test]
    fn what_is_cut_off_is_no_image(image in images(), length in any::<prop::sample::Index>()) {
        let bytes = image.encode();
        prop_assert_eq!(Image::decode(&bytes[..length.index(bytes.len())]), None);
    }

    #[test]
    fn any_bytes_are_an_image_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..9000)) {
        let _ = Image::decode(&bytes);
        let mut bytes = bytes;
        bytes.splice(..0, MAGIC.iter().copied());
        let _ = Image::decode(&bytes);
    }
}
