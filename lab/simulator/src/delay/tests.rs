use super::*;

fn epochs(most: u64) -> Epochs {
    Epochs { key: Key::new(3, "delays"), most }
}

#[test]
fn what_is_sent_later_on_a_link_never_arrives_earlier() {
    for most in 1..=12 {
        for link in 0..50 {
            let arrivals: Vec<u64> = (0..200).map(|now| epochs(most).arrival(link, now)).collect();
            assert!(arrivals.is_sorted(), "uniform:{most}, link {link}");
        }
    }
}

#[test]
fn the_delays_of_epochs_are_all_from_1_to_d() {
    for most in 1..=12 {
        let mut seen = vec![false; most as usize + 1];
        for link in 0..2000 {
            for now in 0..40 {
                seen[(epochs(most).arrival(link, now) - now) as usize] = true;
            }
        }
        assert!(!seen[0] && seen[1..].iter().all(|&s| s), "uniform:{most}: {seen:?}");
    }
}

#[test]
fn exponential_and_pareto_delays_have_the_mean_that_they_should() {
    let mean = |law: Law| {
        let key = Key::new(1, "test");
        (0..100_000).map(|i| law.delay(key.at(i))).sum::<u64>() as f64 / 1e5
    };
    // Rounded up: half a tick more. Standard errors are 0.03 and 0.006.
    assert!((mean(Law::Exponential(10.0)) - 10.5).abs() < 0.2);
    // The ceiling of a variable above 1 has the mean 1 + P(X > 1) + P(X > 2) + ...
    let ceiling: f64 = 1.0 + (1..2000).map(|k| f64::from(k).powi(-3)).sum::<f64>();
    assert!((mean(Law::Pareto(3.0)) - ceiling).abs() < 0.1);
}

#[test]
fn a_map_of_links_in_flight_is_empty_when_all_has_arrived() {
    let mut links = FxHashMap::default();
    assert_eq!(enter(&mut links, 7, 10), 10);
    assert_eq!(enter(&mut links, 7, 4), 10);
    assert_eq!(enter(&mut links, 8, 4), 4);
    leave(&mut links, 7);
    leave(&mut links, 8);
    leave(&mut links, 7);
    assert!(links.is_empty());
}
