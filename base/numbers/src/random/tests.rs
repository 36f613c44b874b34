use super::*;

/// Checks the values that a published seed stands for: they may never change.
#[test]
fn a_seed_gives_the_same_numbers_for_ever() {
    let key = Key::new(1, "delays");
    assert_eq!(
        [key.bits(), key.at(0).bits(), key.at(1).at(2).below(1000)],
        [8_860_680_226_013_188_717, 14_329_494_339_247_792_022, 353]
    );
    let mut generator = Generator::new(1, "ids");
    assert_eq!(
        [generator.bits(), generator.below(1000), generator.below(6)],
        [11_359_222_717_701_500_312, 957, 2]
    );
    let mut items = [0, 1, 2, 3, 4, 5, 6, 7];
    generator.shuffle(&mut items);
    assert_eq!(items, [1, 6, 5, 7, 0, 2, 3, 4]);
}

#[test]
fn an_empty_range_gives_zero() {
    assert_eq!(uniform(0, || u64::MAX), 0);
}

/// Checks that, with bound 2^63 + 1, a product whose low word is below 2^63 - 1 is drawn again.
#[test]
fn what_would_be_unfair_is_drawn_again() {
    let mut words = [0, 1, u64::MAX].into_iter();
    assert_eq!(uniform((1 << 63) + 1, || words.next().unwrap()), 0);
    assert_eq!(words.next(), Some(u64::MAX), "the first word was rejected, the second taken");
}

#[test]
fn purposes_are_independent() {
    assert_ne!(Key::new(1, "delays").bits(), Key::new(1, "coins").bits());
    assert_ne!(Generator::new(1, "ids").bits(), Generator::new(1, "ports").bits());
}

#[test]
fn shuffles_of_three_items_are_equally_likely() {
    let mut generator = Generator::new(7, "test");
    let mut count = [0_u32; 6];
    for _ in 0..6000 {
        let mut items = [0_usize, 1, 2];
        generator.shuffle(&mut items);
        count[items[0] * 2 + usize::from(items[1] > items[2])] += 1;
    }
    // 1000 expected, standard deviation 29: six of them.
    assert!(count.iter().all(|&c| (827..1174).contains(&c)), "{count:?}");
}
