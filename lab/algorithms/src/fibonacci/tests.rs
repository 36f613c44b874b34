use super::*;

#[test]
fn they_are_the_numbers_of_fibonacci() {
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(fibonacci), [0, 1, 1, 2, 3, 5, 8, 13]);
    assert_eq!(fibonacci(93), 12_200_160_415_121_876_738);
    assert_eq!(fibonacci(94), u64::MAX);
}

#[test]
fn phases_grow_where_fibonacci_numbers_are_reached() {
    assert_eq!([0, 1, 2, 3, 4, 5, 7, 8, 12, 13].map(phases), [0, 1, 2, 3, 3, 4, 4, 5, 5, 6]);
    // As logarithms to the base of the golden ratio do: 1.44 log2 k.
    for k in 1..10_000_u64 {
        assert!(phases(k) as f64 <= 1.4405 * (k as f64).log2() + 1.0, "{k}");
    }
    assert_eq!(phases(u64::MAX), 92);
}
