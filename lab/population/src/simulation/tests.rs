use super::*;
use crate::engine::oracle;
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::ks_distance_from;

static GO: AtomicBool = AtomicBool::new(false);

fn infect(&a: &bool, &b: &bool) -> (bool, bool) {
    (a || b, a || b)
}

#[test]
fn an_epidemic_by_its_rule_has_the_exact_distribution() {
    let agents = 60;
    let cdf = oracle::completion_cdf(agents);
    let times: Vec<_> = (0..3000)
        .map(|seed| {
            let initial = [(true, 1), (false, u64::from(agents) - 1)];
            let mut simulation = PopulationSimulation::new(initial, infect, seed).unwrap();
            assert!(simulation.run_until(|now| now.count(&false) == 0, 1, &GO));
            simulation.time()
        })
        .collect();
    // A false alarm has a probability below 10^-4.
    assert!(ks_distance_from(&times, &cdf) < 2.23);
}

#[test]
fn a_trillion_agents_are_no_more_work_than_their_batches() {
    let initial = [('l', 1_000_000_000_000)];
    let rule = |&a: &char, &b: &char| if (a, b) == ('l', 'l') { ('l', 'f') } else { (a, b) };
    let mut simulation = PopulationSimulation::new(initial, rule, 1).unwrap();
    simulation.run(1_000_000, &GO);
    assert_eq!((simulation.time(), simulation.engine()), (1_000_000, EngineKind::Batched));
    let leaders = simulation.count(&'l');
    // Nearly every meeting is of two leaders: one resigns.
    assert!((999_999_000_000..=999_999_000_010).contains(&leaders), "{leaders}");
    assert_eq!(simulation.counts().iter().map(|&(_, count)| count).sum::<u64>(), 1_000_000_000_000);
}

fn counting(limit: u32) -> impl Fn(&u32, &u32) -> (u32, u32) {
    move |&a, &b| ((a + 1).min(limit), (b + 1).min(limit))
}

#[test]
fn a_protocol_with_many_states_is_run_agent_by_agent() {
    let mut simulation = PopulationSimulation::new([(0, 100)], counting(5000), 2).unwrap();
    assert_eq!(simulation.engine(), EngineKind::Direct);
    simulation.run(3000, &GO);
    let total: u64 =
        simulation.counts().iter().map(|&(count, agents)| u64::from(count) * agents).sum();
    assert_eq!(total, 2 * 3000, "each meeting is counted by two");
    simulation.record();
    let history = simulation.history();
    assert_eq!(history.rows[0].1[0], 100);
    assert!(history.rows.iter().all(|(_, counts)| counts.len() == history.columns.len()));
    assert!(history.rows.iter().all(|(_, counts)| counts.iter().sum::<u64>() == 100));
}

/// The same protocol with a limit that batches can hold, and one that they cannot, before the limit
/// matters: the number of meetings of an agent has the same mean and variance.
#[test]
fn both_ways_of_keeping_agents_agree() {
    // The number of an agent's meetings is binomial, with 50,000 trials of probability 2/10,000;
    // its variance is 9.998. The variance over 20,000 agents has a standard error of 0.1; the test
    // allows four of them.
    for (limit, engine) in [(40, EngineKind::Batched), (5000, EngineKind::Direct)] {
        let mut squares = 0;
        for seed in [1, 2] {
            let mut simulation =
                PopulationSimulation::new([(0, 10_000)], counting(limit), seed).unwrap();
            assert_eq!(simulation.engine(), engine);
            simulation.run(50_000, &GO);
            let counts = simulation.counts();
            squares += counts.iter().map(|&(c, n)| u64::from(c * c) * n).sum::<u64>();
        }
        let variance = squares as f64 / 20_000.0 - 100.0;
        assert!((variance - 9.998).abs() < 0.4, "{engine}: {variance}");
    }
}

#[test]
fn what_cannot_go_on_ends_and_what_is_stopped_too() {
    let mut healthy = PopulationSimulation::new([(false, 10)], infect, 1).unwrap();
    assert!(healthy.is_silent() && !healthy.run_until(|now| now.count(&true) > 0, 5, &GO));
    let mut counting = PopulationSimulation::new([(0, 10)], counting(3000), 1).unwrap();
    assert!(!counting.is_silent());
    let stopped = AtomicBool::new(true);
    assert!(!counting.run_until(|now| now.time() > 100, 5, &stopped));
    assert_eq!(counting.time(), 0);
}

#[test]
fn impossible_populations_are_refused() {
    let refuse =
        |count| PopulationSimulation::new([(false, count)], infect, 1).map(|_| ()).unwrap_err();
    assert_eq!(refuse(0), PopulationError::TooFewToMeet { agents: 0 });
    assert_eq!(refuse(1), PopulationError::TooFewToMeet { agents: 1 });
    assert!(refuse(1 << 45).to_string().contains("limit here is 17592186044416"));
    let many =
        PopulationSimulation::new([(0, 1 << 40)], counting(5000), 1).map(|_| ()).unwrap_err();
    assert!(matches!(many, PopulationError::TooManyAgents { engine: EngineKind::Direct, .. }));
}
