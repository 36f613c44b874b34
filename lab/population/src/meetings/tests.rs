use super::*;

fn counts(pairs: &impl Pairs, seed: u64) -> [[u32; 3]; 3] {
    let mut stream = RandomStream::of_trial(seed, 0);
    let mut count = [[0; 3]; 3];
    for _ in 0..90_000 {
        let (i, j) = pairs.next(&mut stream);
        count[i as usize][j as usize] += 1;
    }
    count
}

#[test]
fn every_ordered_pair_of_different_agents_is_equally_likely() {
    // 15,000 expected, standard deviation 112: six of them.
    for (i, row) in counts(&Meetings::among(3), 2).iter().enumerate() {
        assert_eq!(row[i], 0);
        assert!(row.iter().enumerate().all(|(j, c)| i == j || c.abs_diff(15_000) < 672));
    }
}

#[test]
fn self_meetings_are_as_likely_as_any_other() {
    // 10,000 expected, standard deviation 94: six of them.
    for row in counts(&SelfMeetings::among(3), 3) {
        assert!(row.iter().all(|c| c.abs_diff(10_000) < 566), "{row:?}");
    }
}

#[test]
fn meetings_on_a_graph_are_along_its_links() {
    let path = "path:3".parse::<suffrage_networks::Spec>().unwrap().build(1).unwrap();
    // The identities 5, 9, 7 have ranks 0, 2, 1: the middle node is agent 2.
    let links = LinkMeetings::of(&path).with_ids(&[5, 9, 7]);
    let count = counts(&links, 4);
    for (i, j) in [(0, 2), (2, 0), (1, 2), (2, 1)] {
        assert!(count[i][j].abs_diff(22_500) < 780, "{count:?}");
    }
    assert_eq!(count[0][1] + count[1][0], 0);
}

#[test]
fn random_places_depend_on_the_trial_alone() {
    let ring = "ring:50".parse::<suffrage_networks::Spec>().unwrap().build(1).unwrap();
    let mut links = LinkMeetings::of(&ring);
    let mut places = |trial| {
        links.start(&mut RandomStream::of_trial(1, trial));
        links.ranks.clone()
    };
    let first = places(0);
    assert_ne!(places(1), first);
    assert_eq!(places(0), first);
}

/// The time to meet followers has the same mean as single events, counted one by one.
#[test]
fn the_time_to_meet_followers_has_the_mean_of_its_events() {
    let mut stream = RandomStream::of_trial(5, 0);
    let pairs = SelfMeetings::among(5);
    let (draws, followers) = (20_000, 3);
    let drawn: u64 = (0..draws).map(|_| time_to_meet(5, true, followers, &mut stream)).sum();
    let mut simulated = 0;
    for _ in 0..draws {
        let mut met = 0;
        while met < followers {
            let (i, j) = pairs.next(&mut stream);
            met += u64::from(i == 0) + u64::from(j == 0);
            simulated += 1;
        }
    }
    // About 7.5 each, of deviation 4.5: four standard errors of the difference.
    let difference = drawn.abs_diff(simulated) as f64 / f64::from(draws);
    assert!(difference < 4.0 * 4.5 * (2.0 / f64::from(draws)).sqrt(), "{difference}");
}
