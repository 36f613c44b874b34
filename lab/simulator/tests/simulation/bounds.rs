//! The exact counts and the bounds of the papers, each in the words in which it is stated.

use crate::common::{at_once, elect, ids, network, random_ids, row, schedules, some_of, wired};
use suffrage_algorithms::{Algorithm, Parameters};
use suffrage_model::{Id, Phase};
use suffrage_networks::wiring::Wiring;
use suffrage_networks::{Ids, Ports};
use suffrage_simulator::{Experiment, FifoMethod, Outcome, Wakes};

/// Election and announcement messages of a run in which nothing went wrong.
pub(crate) fn cost(outcome: &Outcome) -> (u64, u64) {
    assert!(outcome.violations.is_empty(), "{:?}", outcome.violations);
    (outcome.messages.of(Phase::Election), outcome.messages.of(Phase::Announcement))
}

/// Runs an algorithm with `k` random initiators on every schedule, and gives each run's cost.
fn on_every_schedule(name: &str, wiring: &Wiring, k: u32, seed: u64) -> Vec<(u64, u64)> {
    let ids = random_ids(wiring.nodes(), seed);
    schedules()
        .into_iter()
        .map(|schedule| {
            let wakes = at_once(some_of(wiring.nodes(), k, seed));
            cost(&elect(
                name,
                &Experiment { schedule, wakes, seed, ..Experiment::new(wiring, &ids) },
            ))
        })
        .collect()
}

/// `n H_n` times `n!`, exactly: for each `i` up to `n`, the product of all others, and so on.
fn n_factorial_harmonic(n: u64) -> u64 {
    let factorial: u64 = (1..=n).product();
    (1..=n).map(|i| factorial / i).sum()
}

/// Calls `each` with every order of the identities `1..=n`.
pub(crate) fn permutations(n: u64, each: &mut impl FnMut(&[u64])) {
    fn go(order: &mut Vec<u64>, fixed: usize, each: &mut impl FnMut(&[u64])) {
        if fixed == order.len() {
            return each(order);
        }
        for i in fixed..order.len() {
            order.swap(fixed, i);
            go(order, fixed + 1, each);
            order.swap(fixed, i);
        }
    }
    go(&mut (1..=n).collect(), 0, each);
}

#[test]
fn all_to_all_sends_exactly_n_times_n_minus_1() {
    for n in 1..=24_u32 {
        for k in [1, n.div_ceil(2), n] {
            for (election, announcement) in
                on_every_schedule("all-to-all", &Wiring::complete_shuffled(n, 5), k, k.into())
            {
                assert_eq!((election, announcement), (u64::from(n) * u64::from(n - 1), 0));
            }
        }
    }
}

#[test]
fn villadangos_sends_exactly_n_plus_2_k_minus_1_on_every_schedule() {
    for n in 2..=24 {
        for k in 1..=n {
            for costs in on_every_schedule("villadangos", &Wiring::complete(n), k, k.into()) {
                assert_eq!(costs, (u64::from(n + 2 * (k - 1)), u64::from(n - 1)), "n {n}, k {k}");
            }
        }
    }
}

#[test]
fn lelann_sends_exactly_k_n_tokens() {
    for n in 1..=24 {
        for k in 1..=n {
            for costs in on_every_schedule("lelann", &Wiring::ring(n), k, k.into()) {
                assert_eq!(costs, (u64::from(k) * u64::from(n), u64::from(n)), "n {n}, k {k}");
            }
        }
    }
}

/// The cost of Chang and Roberts with all initiators, for identities in this order.
fn chang_roberts(ring: &Wiring, order: &[Id]) -> (u64, u64) {
    cost(&elect("chang-roberts", &Experiment::new(ring, order)))
}

#[test]
fn chang_roberts_sends_n_times_n_plus_1_over_2_at_worst_and_2n_minus_1_at_best() {
    for n in 1..=64 {
        let ring = Wiring::ring(n);
        let wide = u64::from(n);
        let worst = chang_roberts(&ring, &Ids::Ascending.assign(n, 0));
        assert_eq!(worst, (wide * (wide + 1) / 2, wide));
        assert_eq!(chang_roberts(&ring, &Ids::Descending.assign(n, 0)), (2 * wide - 1, wide));
        for seed in 0..20 {
            let (election, announcement) = chang_roberts(&ring, &random_ids(n, seed));
            assert!((2 * wide - 1..=wide * (wide + 1) / 2).contains(&election), "n {n}");
            assert_eq!(announcement, wide);
        }
    }
}

#[test]
fn chang_roberts_sends_n_h_n_on_average_over_all_orders() {
    for n in 1..=7 {
        let ring = Wiring::ring(n);
        let (mut sum, mut count) = (0, 0);
        permutations(n.into(), &mut |order| {
            sum += chang_roberts(&ring, &ids(order.iter().copied())).0;
            count += 1;
        });
        assert_eq!(count, (1..=u64::from(n)).product::<u64>());
        // The sum over all n! orders is n! n H_n, a whole number.
        assert_eq!(sum, u64::from(n) * n_factorial_harmonic(n.into()), "n {n}");
    }
}

#[test]
fn chang_roberts_sends_k_n_minus_k_times_k_minus_1_over_2_at_worst_for_k_initiators() {
    for n in 1..=32 {
        let ring = Wiring::ring(n);
        for k in 1..=n {
            // The smallest initiator behind the k - 1 others, which follow one another.
            let order = Ids::Ascending.assign(n, 0);
            let wakes = at_once(0..k);
            let worst =
                elect("chang-roberts", &Experiment { wakes, ..Experiment::new(&ring, &order) });
            let (n, k) = (u64::from(n), u64::from(k));
            assert_eq!(cost(&worst), (k * n - k * (k - 1) / 2, n));
        }
    }
}

/// The cost of Dolev, Klawe and Rodeh with all initiators, for identities in this order.
fn dolev_klawe_rodeh(order: &[Id]) -> (u64, u64) {
    let ring = Wiring::ring(order.len() as u32);
    cost(&elect("dolev-klawe-rodeh", &Experiment::new(&ring, order)))
}

#[test]
fn dolev_klawe_rodeh_sends_at_most_2_n_floor_log2_k_plus_2n() {
    for n in 1..=40 {
        let ring = Wiring::ring(n);
        for k in [1, 2, 3, n / 2, n].into_iter().filter(|k| (1..=n).contains(k)) {
            for (election, announcement) in on_every_schedule("dolev-klawe-rodeh", &ring, k, 9) {
                let n = u64::from(n);
                assert!(election + announcement <= 2 * n * u64::from(k.ilog2()) + 2 * n);
                assert_eq!(announcement, n);
            }
        }
    }
}

/// An order of `1..=n`, for `n` a power of two, in which half of the active processes survive each
/// round: every second one is smaller than its neighbours, and the survivors are such an order.
fn halving(n: u64) -> Vec<u64> {
    if n == 1 {
        return vec![1];
    }
    halving(n / 2).into_iter().zip(n / 2 + 1..).flat_map(|(small, large)| [small, large]).collect()
}

#[test]
fn dolev_klawe_rodeh_attains_its_bound_for_powers_of_two() {
    for log in 0..=10 {
        let n = 1 << log;
        assert_eq!(dolev_klawe_rodeh(&ids(halving(n))), (2 * n * log + n, n), "n {n}");
    }
    for n in 1..=6_u64 {
        let mut most = 0;
        permutations(n, &mut |order| {
            most = most.max(dolev_klawe_rodeh(&ids(order.iter().copied())).0);
        });
        assert_eq!(most, 2 * n * u64::from(n.ilog2()) + n, "n {n}: the bound is attained");
    }
}

#[test]
fn dolev_klawe_rodeh_exceeds_the_2_n_log_n_plus_n_of_lecture_notes_at_n_2() {
    let (election, announcement) = dolev_klawe_rodeh(&ids([1, 2]));
    let (n, log_n) = (2, 1);
    assert_eq!(election + announcement, 8);
    assert!(election + announcement > 2 * n * log_n + n);
}

#[test]
fn tree_wave_sends_exactly_4n_minus_4() {
    for n in 2..=40_u32 {
        for spec in ["path:", "star:", "tree:2:", "tree:random:"] {
            let tree = wired(&format!("{spec}{n}"), Ports::Random, n.into());
            for k in [1, n.div_ceil(3), n] {
                for (election, announcement) in on_every_schedule("tree-wave", &tree, k, k.into()) {
                    assert_eq!(election + announcement, 4 * u64::from(n) - 4, "{spec}{n}, k {k}");
                }
            }
        }
    }
}

const GRAPHS: [&str; 9] = [
    "grid:4x5",
    "torus:3x4",
    "hypercube:4",
    "chordal:20:6",
    "regular:20:3",
    "erdos-renyi:20:0.3",
    "barabasi-albert:20:2",
    "ring:2",
    "complete:12",
];

#[test]
fn echo_with_one_initiator_sends_2_e_tokens_and_2_e_leader_messages() {
    for spec in GRAPHS {
        let graph = network(spec);
        for costs in on_every_schedule("echo-extinction", &graph, 1, 4) {
            assert_eq!(costs, (2 * graph.links(), 2 * graph.links()), "{spec}");
        }
    }
}

#[test]
fn echo_extinction_sends_at_most_n_times_that() {
    for spec in GRAPHS {
        let graph = network(spec);
        for seed in 0..20 {
            for (election, announcement) in
                on_every_schedule("echo-extinction", &graph, graph.nodes(), seed)
            {
                assert!(election <= u64::from(graph.nodes()) * 2 * graph.links(), "{spec}");
                assert_eq!(announcement, 2 * graph.links());
            }
        }
    }
}

/// The most election messages of an algorithm over many seeds, schedules, port numberings and
/// orders of identities, all processes being initiators; the bound is checked for each.
fn most(name: &str, n: u32, seeds: u64, bound: impl Fn(f64) -> f64) -> u64 {
    let mut most = 0;
    for seed in 0..seeds {
        for wiring in [Wiring::complete(n), Wiring::complete_shuffled(n, seed)] {
            for schedule in schedules() {
                let order = Ids::ALL[seed as usize % 4].assign(n, seed);
                let wakes = match seed % 3 {
                    0 => Wakes::At((0..n).map(|node| (u64::from(node) * seed, node)).collect()),
                    _ => Wakes::All,
                };
                let experiment = Experiment {
                    schedule,
                    wakes,
                    seed,
                    fifo: FifoMethod::InFlight,
                    ..Experiment::new(&wiring, &order)
                };
                let (election, _) = cost(&elect(name, &experiment));
                assert!(election as f64 <= bound(f64::from(n)) + 1e-9, "{name}, n {n}: {election}");
                most = most.max(election);
            }
        }
    }
    most
}

fn harmonic(n: f64) -> f64 {
    (1..=n as u32).map(|i| f64::from(i).recip()).sum()
}

#[test]
fn humblet_sends_at_most_4_n_h_of_half_n_plus_n_minus_1() {
    for n in [1, 2, 3, 4, 5, 8, 13, 32, 50] {
        let most = most("humblet", n, 24, |n| 4.0 * n * harmonic((n / 2.0).floor()));
        println!("humblet, n {n}: {most}");
    }
}

#[test]
fn afek_gafni_makes_at_most_n_over_l_plus_1_attempts_at_level_l() {
    // The n - 1 first captures take two messages each, all other attempts at most four.
    let bound = |n: f64| {
        let attempts: f64 = (1..n as u32).map(|level| (n / f64::from(level)).floor()).sum();
        4.0 * attempts - 2.0 * (n - 1.0)
    };
    for n in [1, 2, 3, 4, 5, 8, 13, 32, 50] {
        let most = most("afek-gafni", n, 24, bound);
        println!("afek-gafni, n {n}: {most}");
    }
}

#[test]
fn afek_gafni_sends_exactly_2_n_minus_2_for_one_initiator() {
    for n in 1..=24_u32 {
        for costs in on_every_schedule("afek-gafni", &Wiring::complete_shuffled(n, 5), 1, n.into())
        {
            assert_eq!(costs, (u64::from(2 * (n - 1)), u64::from(3 * (n - 1))), "n {n}");
        }
    }
}

/// With everyone's first port leading to the next process, captures rarely meet and the levels grow
/// together; random ports spread them.
#[test]
fn humblet_sends_several_times_as_much_with_ports_in_rotation_as_at_random() {
    let n = 1000;
    let ids = random_ids(n, 1);
    let per_process = |wiring: &Wiring| {
        let outcome = elect("humblet", &Experiment::new(wiring, &ids));
        cost(&outcome).0 as f64 / f64::from(n)
    };
    let rotation = per_process(&Wiring::complete(n));
    let random = per_process(&Wiring::complete_shuffled(n, 1));
    assert!(rotation > 2.0 * random, "{rotation} and {random} messages for each process");
}

/// Bounds on time that are attained: by any schedule, by identities that descend, by a path, or by
/// initiators whose rounds end at the other end of the ring.
#[test]
fn bounds_on_time_are_attained() {
    let time = |name, experiment: &Experiment<'_>| {
        let outcome = elect(name, experiment);
        assert!(outcome.violations.is_empty(), "{:?}", outcome.violations);
        outcome.units.expect("no faults, and links without bounds")
    };
    for n in [2, 3, 8, 50] {
        let (ring, clique) = (Wiring::ring(n), Wiring::complete(n));
        let descending = ids((1..=n.into()).rev());
        assert_eq!(time("lelann", &Experiment::new(&ring, &descending)), u64::from(2 * n));
        assert_eq!(time("chang-roberts", &Experiment::new(&ring, &descending)), u64::from(2 * n));
        assert_eq!(time("villadangos", &Experiment::new(&clique, &descending)), u64::from(2 * n));
        let one = Experiment { wakes: at_once([0]), ..Experiment::new(&ring, &descending) };
        assert_eq!(time("dolev-klawe-rodeh", &one), u64::from(2 * n));
        let one = Experiment { wakes: at_once([0]), ..Experiment::new(&clique, &descending) };
        assert_eq!(time("all-to-all", &one), 2);
        // All captures take two units, where the bound has four, and the ending takes three.
        assert_eq!(time("afek-gafni", &one), u64::from(2 * (n - 1) + 3));
    }
}

#[test]
fn korach_moran_zaks_sends_at_most_5_n_log2_n_plus_n_minus_2() {
    for n in [2, 3, 4, 5, 8, 13, 32, 50, 200] {
        let seeds = if n > 50 { 3 } else { 24 };
        let most = most("korach-moran-zaks", n, seeds, |n| 5.0 * n * n.log2().floor() + n - 2.0);
        println!("korach-moran-zaks, n {n}: {most}");
    }
}

/// All but the one in the largest place ask, and all of them answer.
#[test]
fn bully_sends_n_minus_1_squared_if_all_but_the_largest_start() {
    for n in [2, 3, 10, 200] {
        let (clique, ids) = (Wiring::complete(n), random_ids(n, 1));
        let wakes = at_once(0..n - 1);
        let most = elect("bully", &Experiment { wakes, ..Experiment::new(&clique, &ids) });
        let others = u64::from(n - 1);
        assert_eq!(cost(&most), (others * others, others), "n {n}");
        for costs in on_every_schedule("bully", &clique, n, 1) {
            assert!(costs.0 <= others * others, "n {n}");
        }
    }
}

#[test]
fn loui_matsushita_west_sends_at_most_4n_minus_4() {
    for n in [1_u32, 2, 3, 8, 50, 1000] {
        for seed in 0..4 {
            for k in [1, n.div_ceil(2), n] {
                let name = "loui-matsushita-west";
                for costs in on_every_schedule(name, &Wiring::complete(n), k, seed) {
                    let others = u64::from(n - 1);
                    assert!(costs.0 <= 4 * others && costs.1 == others, "n {n}, k {k}: {costs:?}");
                }
            }
        }
    }
}

const LARGE_GRAPHS: [&str; 5] =
    ["grid:20x20", "hypercube:8", "erdos-renyi:300:0.05", "complete:64", "barabasi-albert:400:2"];

#[test]
fn algorithms_for_graphs_keep_their_bounds_on_large_ones() {
    for spec in LARGE_GRAPHS {
        let graph = network(spec);
        let (n, links) = (u64::from(graph.nodes()), graph.links());
        for seed in 0..3 {
            let levels = u64::from(n.ilog2());
            for costs in on_every_schedule("gallager-humblet-spira", &graph, graph.nodes(), seed) {
                assert!(costs.0 <= 5 * n * levels - 2 * n + 4 * links, "{spec}: {costs:?}");
                assert_eq!(costs.1, n - 2, "{spec}");
            }
            for k in [1, 7, graph.nodes()] {
                let levels = u64::from(k.ilog2());
                for costs in on_every_schedule("korach-kutten-moran", &graph, k, seed) {
                    assert!(costs.0 <= (2 * links + n) * levels + 2 * links, "{spec}: {costs:?}");
                    assert_eq!(costs.1, 2 * links, "{spec}");
                    assert!(k > 1 || costs.0 == 2 * links, "{spec}: one token goes everywhere");
                }
            }
            for costs in on_every_schedule("yo-yo", &graph, graph.nodes(), seed) {
                assert!(costs.0 <= 2 * links * (2 + u64::from(n.ilog2())), "{spec}: {costs:?}");
                assert_eq!(costs.1, 2 * links, "{spec}");
            }
        }
    }
}

/// The identities, and in one iteration a value down each link and a vote up.
#[test]
fn yo_yo_sends_4_e_where_there_is_one_source() {
    for n in 2..=40 {
        let path = wired(&format!("path:{n}"), Ports::Random, 3);
        let ids = Ids::Ascending.assign(n, 0);
        let (election, _) = cost(&elect("yo-yo", &Experiment::new(&path, &ids)));
        assert_eq!(election, 4 * path.links());
    }
}

/// What the catalogue says is what the papers say: the formulas, evaluated.
#[test]
fn the_catalogue_states_these_bounds() {
    let bound = |name, n, links, k| {
        let row: &Algorithm = row(name);
        let parameters = Parameters::new(n, links, k);
        (row.claims.election.at(&parameters), row.claims.announcement.at(&parameters))
    };
    assert_eq!(bound("all-to-all", 10, 45, 10), (90, 0));
    assert_eq!(bound("villadangos", 10, 45, 4), (16, 9));
    assert_eq!(bound("lelann", 10, 10, 4), (40, 10));
    assert_eq!(bound("chang-roberts", 10, 10, 10), (55, 10));
    assert_eq!(bound("dolev-klawe-rodeh", 8, 8, 8), (56, 8));
    assert_eq!(bound("tree-wave", 10, 9, 3), (28, 8));
    assert_eq!(bound("echo-extinction", 10, 20, 3), (120, 40));
    assert_eq!(bound("ring-extinction", 10, 10, 10), (55, 10));
    // 27 for one wave, 20 - r for that of the r-th smallest.
    assert_eq!([1, 2, 3].map(|k| bound("tree-extinction", 10, 9, k).0), [27, 45, 62]);
    assert_eq!(bound("depth-first-extinction", 10, 20, 3), (120, 40));
    assert_eq!(bound("korach-moran-zaks", 10, 45, 3), (86, 9));
    assert_eq!(bound("bully", 10, 45, 10), (81, 9));
    assert_eq!(bound("loui-matsushita-west", 10, 45, 10), (36, 9));
    assert_eq!(bound("gallager-humblet-spira", 10, 20, 3), (210, 8));
    assert_eq!(bound("korach-kutten-moran", 10, 20, 3), (90, 40));
    // F(6) = 8 is the largest that is at most 9.
    assert_eq!(bound("yo-yo", 10, 20, 3), (240, 40));
    // 4 * 10 * (1 + 1/2 + 1/3 + 1/4 + 1/5) = 91.3; 4 * (10 + 5 + 3 + 2 + 2 + 1 + 1 + 1 + 1 + 1) - 22.
    assert_eq!(bound("humblet", 10, 45, 10), (91, 9));
    assert_eq!(bound("afek-gafni", 10, 45, 10), (86, 27));
}

#[test]
fn the_catalogue_states_these_bounds_on_time() {
    let bound =
        |name, parameters: Parameters| row(name).claims.time.map(|time| time.at(&parameters));
    let ten = |k| Parameters::new(10, 45, k);
    assert_eq!(bound("all-to-all", ten(10)), Some(2));
    assert_eq!(bound("villadangos", ten(4)), Some(14));
    assert_eq!(bound("lelann", ten(4)), Some(20));
    assert_eq!(bound("chang-roberts", ten(10)), Some(20));
    let dolev_klawe_rodeh = [1, 2, 3, 4, 10].map(|k| bound("dolev-klawe-rodeh", ten(k)));
    assert_eq!(dolev_klawe_rodeh, [20, 30, 30, 40, 40].map(Some));
    assert_eq!(bound("tree-wave", ten(3).with_diameter(5)), Some(16));
    assert_eq!(bound("echo-extinction", ten(3)), Some(29));
    assert_eq!(bound("ring-extinction", ten(10)), Some(20));
    assert_eq!(bound("tree-extinction", ten(3).with_diameter(5)), Some(16));
    assert_eq!(bound("depth-first-extinction", ten(3).with_diameter(5)), Some(96));
    assert_eq!(bound("korach-moran-zaks", ten(3)), Some(87));
    assert_eq!(bound("bully", ten(10)), Some(3));
    assert_eq!(bound("loui-matsushita-west", ten(10)), Some(37));
    assert_eq!(bound("gallager-humblet-spira", ten(10)), Some(146));
    assert_eq!(bound("korach-kutten-moran", ten(3).with_diameter(5)), Some(196));
    assert_eq!(bound("yo-yo", ten(3).with_diameter(5)), Some(106));
    assert_eq!(bound("humblet", ten(10)), Some(93));
    assert_eq!(bound("afek-gafni", ten(10)), Some(57));
}
