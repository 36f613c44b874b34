//! Elections that may err: with which probability they do, exactly.

use suffrage_algorithms::{Algorithm, Claimed, Claims, Property, Rule, complete::RandomReferees};
use suffrage_checker::{
    CheckVerdict, Checker, Exploration, Family, Instance, InvalidInstance, Options, Specification,
    Wake, explore,
};
use suffrage_model::{Id, Timing};
use suffrage_networks::wiring::Wiring;

fn together(nodes: u32) -> Instance {
    let ids = (1..=nodes.into()).map(Id::new).collect();
    Instance { wake: Wake::AtStart, ..Instance::new(Wiring::complete(nodes), ids) }
}

/// Explores an election with all claims about it, except how often it errs.
fn explored<P: Claimed>(nodes: u32) -> Exploration {
    let promised: Vec<_> = Property::ALL.into_iter().filter(|&of| P::CLAIMS.promise(of)).collect();
    let specification = Specification::<P>::these(&promised).about(&P::CLAIMS);
    let specification = specification.invariants(P::invariants());
    let found = explore(&together(nodes), &specification, &Options::default()).expect("it fits");
    assert!(matches!(found.verdict, CheckVerdict::Holds), "{:?}", found.verdict);
    found
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9
}

/// What a process draws: its rank and its referees, if it is a candidate.
type Draw = Option<(u32, Vec<usize>)>;

/// Every draw of a process, each with its probability.
fn draws(nodes: usize, own: usize, ranks: u32, candidates: u32, referees: u32) -> Vec<(f64, Draw)> {
    let of_all = |bits: &u32| bits.count_ones() == referees.min(nodes as u32 - 1);
    let sets: Vec<u32> =
        (0..1 << nodes).filter(|bits| bits >> own & 1 == 0).filter(of_all).collect();
    let chance = (f64::from(candidates) / nodes as f64).min(1.0);
    let each = chance / f64::from(ranks) / sets.len() as f64;
    let mut all = vec![(1.0 - chance, None)];
    for rank in 0..ranks {
        for set in &sets {
            let set = (0..nodes).filter(|node| set >> node & 1 == 1).collect();
            all.push((each, Some((rank, set))));
        }
    }
    all
}

/// Returns whether exactly one process leads after these draws. A process leads if its rank is
/// larger than the ranks of its referees and of all other processes that have asked them.
fn one_leads(draws: &[&Draw]) -> bool {
    let ranks_at = |referee: usize| {
        draws.iter().enumerate().filter_map(move |(node, draw)| match draw {
            Some((rank, of)) if node == referee || of.contains(&referee) => Some((node, *rank)),
            _ => None,
        })
    };
    let wins = |own: usize, rank: u32, referee: usize| {
        ranks_at(referee).all(|(node, other)| node == own || other < rank)
    };
    let leaders = draws.iter().enumerate().filter(|(own, draw)| match draw {
        Some((rank, of)) => of.iter().all(|&referee| wins(*own, *rank, referee)),
        None => false,
    });
    leaders.count() == 1
}

/// The probability that one leads, summed over everything that can be drawn.
fn by_hand(nodes: usize, ranks: u32, candidates: u32, referees: u32) -> f64 {
    let all: Vec<_> =
        (0..nodes).map(|own| draws(nodes, own, ranks, candidates, referees)).collect();
    let mut sum = 0.0;
    let mut at = vec![0; nodes];
    loop {
        let drawn: Vec<_> = all.iter().zip(&at).map(|(draws, &at)| &draws[at]).collect();
        if one_leads(&drawn.iter().map(|(_, draw)| draw).collect::<Vec<_>>()) {
            sum += drawn.iter().map(|(chance, _)| chance).product::<f64>();
        }
        let Some(next) = (0..nodes).find(|&own| at[own] + 1 < all[own].len()) else { return sum };
        at[next] += 1;
        at[..next].fill(0);
    }
}

#[test]
fn the_probability_of_an_error_is_the_sum_over_all_that_can_be_drawn() {
    fn holds<const R: u32, const C: u32, const F: u32>(nodes: u32) -> f64 {
        let found = explored::<RandomReferees<R, C, F>>(nodes);
        let elected = found.chances.expect("processes draw").elected;
        let expected = by_hand(nodes as usize, R, C, F);
        assert!(near(elected.min, expected), "{nodes}: {elected:?}, and not {expected}");
        // The order in which messages of a tick arrive has no influence.
        assert!(near(elected.max, expected));
        elected.min
    }
    for nodes in 2..=4 {
        holds::<2, 2, 1>(nodes);
        holds::<2, 2, 2>(nodes);
        holds::<3, 1, 2>(nodes);
    }
    holds::<2, 2, 1>(5);
    // More ranks, candidates and referees make errors rarer.
    assert!(holds::<4, 2, 2>(3) > holds::<2, 2, 2>(3));
    assert!(holds::<4, 3, 2>(3) > holds::<4, 1, 2>(3));
    assert!(holds::<4, 4, 2>(4) > holds::<4, 4, 1>(4));
}

/// Both of two are candidates, and have the same of 16 ranks once in 16 elections.
#[test]
fn of_two_processes_one_leads_in_15_of_16_elections() {
    let row = Algorithm::named("random-referees").expect("a row");
    for (nodes, elected, messages) in [(1, 1.0, 0.0), (2, 15.0 / 16.0, 2.0 + 15.0 / 16.0)] {
        let family = Family::everything(row.network, nodes).expect("few nodes").timed(row.timing);
        let report = Checker::new(row, &family).run().expect("it fits");
        assert_eq!((report.failing, report.incomplete), (0, None));
        let costs = report.costs.expect("it always ends");
        assert_eq!(costs.greatest_time, Some(2));
        match report.chances {
            Some(of) => {
                assert!(near(of.elected.min, elected) && near(of.messages.max, messages), "{of:?}");
            }
            None => assert_eq!((nodes, costs.messages.max), (1, 0)),
        }
    }
}

#[test]
fn one_that_errs_more_often_than_once_in_n_is_refuted() {
    type Rash = RandomReferees<1, 2, 1>;
    let broken = |claims: &Claims| {
        let specification = Specification::<Rash>::of(claims);
        let found = explore(&together(3), &specification, &Options::default()).expect("it fits");
        let CheckVerdict::Violated(found) = found.verdict else { panic!("it errs") };
        (found.violation.property, found.violation.detail)
    };
    let (property, detail) = broken(&Rash::CLAIMS);
    assert_eq!(property, Property::ExactlyOneLeader);
    assert!(detail.contains("at least 1 - 1/n = 0.666667 is claimed"), "{detail}");
    // Where chance decides and never errs, a single election in which it does is enough.
    let (property, detail) = broken(&Claims { rule: Rule::Chance, ..Rash::CLAIMS });
    assert!(property == Property::ExactlyOneLeader || property == Property::AtMostOneLeader);
    assert!(!detail.contains("probability"), "{detail}");
}

#[test]
fn elections_in_which_not_all_start_together_are_refused() {
    let row = Algorithm::named("random-referees").expect("a row");
    assert_eq!(row.timing, Timing::SimultaneousRounds);
    let every = Family::everything(row.network, 2).expect("few nodes");
    let refused = Checker::new(row, &every).run().err();
    assert_eq!(refused, Some(InvalidInstance::NotSimultaneous));
}
