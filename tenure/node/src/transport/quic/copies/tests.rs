use super::*;

#[test]
fn datagrams_are_repeated_on_lossy_paths_only() {
    let mut repeats = DatagramCopies::new();
    repeats.sample(100, 0);
    assert_eq!(copies(repeats.loss), 0);
    repeats.sample(200, 5);
    assert_eq!(copies(repeats.loss), 1);
    repeats.sample(300, 25);
    assert_eq!(copies(repeats.loss), 2);
    // A sample without a loss may be luck.
    repeats.sample(400, 25);
    assert_eq!(copies(repeats.loss), 2);
    for more in 5..50 {
        repeats.sample(more * 100, 25);
    }
    assert_eq!(copies(repeats.loss), 0);
    // Too few packets say nothing.
    repeats.sample(4_903, 28);
    assert_eq!(copies(repeats.loss), 0);
}
