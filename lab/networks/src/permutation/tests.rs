use super::*;

#[test]
fn a_permutation_reaches_every_number_once_and_goes_back() {
    for count in 1..200 {
        let (permutation, key) = (Permutation::new(count), Key::new(count, "test"));
        let mut all: Vec<u64> = (0..count).map(|value| permutation.apply(key, value)).collect();
        for (value, &place) in (0..).zip(&all) {
            assert_eq!(permutation.invert(key, place), value);
        }
        all.sort_unstable();
        assert!(all.into_iter().eq(0..count));
    }
}

#[test]
fn large_ranges_are_permuted_too() {
    let count = 10_u64.pow(18) + 7;
    let (permutation, key) = (Permutation::new(count), Key::new(3, "test"));
    for value in (0..1000).chain(count - 1000..count) {
        let place = permutation.apply(key, value);
        assert!(place < count);
        assert_eq!(permutation.invert(key, place), value);
    }
}
