use super::*;

#[test]
fn numbers_belong_to_the_same_worker_however_they_are_written() {
    for workers in 1..9 {
        assert_eq!(owner("7", workers), owner("+007", workers));
        assert!((0..100).all(|label| owner(&format!("v{label}"), workers) < workers));
    }
    let owners: HashSet<u32> = (0..100).map(|label| owner(&format!("v{label}"), 4)).collect();
    assert_eq!(owners.len(), 4);
}

#[test]
fn the_first_word_of_a_header_comes_where_it_is_mentioned_again() {
    assert!(order(4, None).eq([0, 1, 2, 3]));
    assert!(order(5, Some(2)).eq([1, 0, 2, 3, 4]));
    assert!(order(5, Some(4)).eq([1, 2, 3, 0, 4]));
}
