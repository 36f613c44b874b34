//! Lemmas of the sources that are about whole runs, on random runs of up to 64 processes. Those that
//! are about configurations are invariants of the algorithms.

use crate::driver::{Event, Run};
use crate::networks::{Rng, complete, ring};
use std::collections::BTreeMap;
use suffrage_algorithms::{
    complete::{Humblet, HumbletMsg},
    ring::{DolevKlaweRodeh, DolevKlaweRodehMsg},
};

/// Sizes, and how many runs of each.
const RUNS: [(usize, u64); 7] = [(1, 1), (2, 10), (3, 40), (5, 40), (8, 40), (24, 20), (64, 4)];

/// Random identities and initiators.
fn drawn(n: usize, rng: &mut Rng) -> (Vec<u64>, Vec<usize>) {
    let mut ids: Vec<u64> = (0..n as u64).collect();
    rng.shuffle(&mut ids);
    let mut initiators: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut initiators);
    initiators.truncate(1 + rng.below(n));
    (ids, initiators)
}

/// Humblet's lemma 9: a capture that an active node sends causes at most three more messages. It is
/// forwarded once, answered once and accepted once at most.
#[test]
fn a_capture_causes_at_most_three_more_messages() {
    #[derive(Default)]
    struct Caused {
        captures: u32,
        accepts: u32,
    }
    let mut rng = Rng(9);
    for (n, runs) in RUNS {
        for _ in 0..runs {
            let wiring = complete(n, &mut rng);
            let (ids, initiators) = drawn(n, &mut rng);
            let mut run = Run::<Humblet>::new(&wiring, &ids, &initiators, usize::MAX);
            // Captures by their pair: a node sends one at each level.
            let mut caused: BTreeMap<(u32, u64), Caused> = BTreeMap::new();
            // The last capture that each node has sent; an accept answers it.
            let mut last = vec![None; n];
            let (mut forwarded, mut verdicts) = (0, 0);
            while let Some(event) = run.draw(n, &mut rng) {
                let (Event::Wake(node) | Event::Deliver(node, _)) = event;
                let received = run.delivers(event);
                run.happen(event);
                if received == Some(HumbletMsg::Accept) {
                    let pair = last[node].take().expect("an accept answers a capture");
                    caused.entry(pair).or_default().accepts += 1;
                }
                for sent in &run.last_sent {
                    match *sent {
                        HumbletMsg::Capture { level, id } => {
                            let pair = (level.get(), id.get());
                            let known = caused.entry(pair).or_default();
                            known.captures += 1;
                            forwarded += u32::from(known.captures > 1);
                            if ids[node] == id.get() {
                                last[node] = Some(pair);
                            }
                        }
                        HumbletMsg::Yes | HumbletMsg::No => verdicts += 1,
                        HumbletMsg::Accept | HumbletMsg::Leader(_) => {}
                    }
                }
                assert!(verdicts <= forwarded, "each forwarded capture is answered once");
            }
            for (pair, caused) in caused {
                assert!(caused.captures <= 2 && caused.accepts <= 1, "{pair:?} on {n} nodes");
            }
        }
    }
}

/// Dolev, Klawe and Rodeh: of the active processes of a round at most half are active in the next.
#[test]
fn at_most_half_of_the_active_survive_a_round() {
    let mut rng = Rng(12);
    for (n, runs) in RUNS {
        for _ in 0..runs {
            let wiring = ring(n);
            let (ids, initiators) = drawn(n, &mut rng);
            let mut run = Run::<DolevKlaweRodeh>::new(&wiring, &ids, &initiators, usize::MAX);
            // The rounds in which each process was active, and the active processes of each round.
            let (mut round, mut active) = (vec![0; n], Vec::<u32>::new());
            while let Some(event) = run.draw(n, &mut rng) {
                let (Event::Wake(node) | Event::Deliver(node, _)) = event;
                let passed_on = matches!(run.delivers(event), Some(DolevKlaweRodehMsg::One(_)));
                run.happen(event);
                let one = |msg: &DolevKlaweRodehMsg| matches!(msg, DolevKlaweRodehMsg::One(_));
                if !passed_on && run.last_sent.iter().any(one) {
                    if round[node] == active.len() {
                        active.push(0);
                    }
                    active[round[node]] += 1;
                    round[node] += 1;
                }
            }
            assert!(active.windows(2).all(|two| two[1] <= (two[0] / 2).max(1)), "{active:?}");
            // In the last round one is active, and finds itself alone.
            assert_eq!(active.last(), Some(&1));
            assert!(active.windows(2).all(|two| two[1] < two[0] || two[0] == 1), "{active:?}");
        }
    }
}
