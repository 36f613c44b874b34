//! What the headers claim of single algorithms, each on the run that shows it.

use crate::driver::Event::{self, Deliver, Wake};
use crate::driver::Run;
use crate::networks::{self, Rng};
use suffrage_algorithms::{Algorithm, Announced, Parameters, complete, graph, ring, tree};
use suffrage_model::{Phase, Process, Status};

const UNBOUNDED: usize = usize::MAX;

fn row(name: &str) -> &'static Algorithm {
    Algorithm::named(name).expect("a name of the catalogue")
}

/// Wakes all initiators before any message arrives.
fn wake_all<P: Process>(run: &mut Run<P>) {
    for event in run.possible() {
        run.happen(event);
    }
}

type Villadangos = Announced<complete::Villadangos>;
type VilladangosPublished = Announced<complete::Villadangos<false>>;

/// The names of the free functions of a file that occur in a part of it, and of those that they call.
fn called<'a>(functions: &[(&'a str, &'a str)], part: &str) -> Vec<&'a str> {
    let calls = |text: &str, name: &str| {
        let before = |at: usize| text[..at].chars().next_back().unwrap_or(' ');
        let mut places = text.match_indices(name).map(|(at, _)| at);
        places.any(|at| {
            let after = &text[at + name.len()..];
            let call = after.starts_with('(') || after.starts_with("::<");
            call && !(before(at).is_alphanumeric() || ['_', '.'].contains(&before(at)))
        })
    };
    let mut all = Vec::new();
    let mut parts = vec![part];
    while let Some(part) = parts.pop() {
        for &(name, body) in functions {
            if calls(part, name) && !all.contains(&name) {
                all.push(name);
                parts.push(body);
            }
        }
    }
    all
}

/// A bound that calls what the process calls would move with a fault in it.
#[test]
fn claims_stand_on_their_own() {
    for row in Algorithm::all() {
        let source = row.source;
        // Items that begin at the margin, up to a line that ends one.
        let mut items = Vec::new();
        let mut item = String::new();
        for line in source.lines() {
            item += line;
            item.push('\n');
            if line == "}" || line == "};" || line.is_empty() {
                let whole = std::mem::take(&mut item);
                if !whole.contains("AlgorithmHeader") {
                    items.push(whole);
                }
            }
        }
        let name = |item: &'_ str| -> Option<String> {
            let line =
                item.lines().find(|line| !line.starts_with("//") && !line.starts_with('#'))?;
            let rest = line.strip_prefix("const fn ").or_else(|| line.strip_prefix("fn "))?;
            Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        };
        let named: Vec<(String, &String)> =
            items.iter().filter_map(|item| Some((name(item)?, item))).collect();
        let functions: Vec<(&str, &str)> =
            named.iter().map(|(name, body)| (name.as_str(), body.as_str())).collect();
        let claims_begin =
            |item: &&String| item.contains("Claimed for") || item.contains(": Bound =");
        let free = |item: &&String| name(item).is_some();
        let claims: String = items.iter().filter(claims_begin).map(String::as_str).collect();
        let process: String = items
            .iter()
            .filter(|item| !claims_begin(item) && !free(item))
            .map(String::as_str)
            .collect();
        let of_claims = claims.split("fn invariants").next().expect("a part before it");
        let (bounds, reactions) = (called(&functions, of_claims), called(&functions, &process));
        let both: Vec<_> = bounds.iter().filter(|name| reactions.contains(name)).collect();
        assert!(both.is_empty(), "{}: the claims and the process call {both:?}", row.name);
    }
}

#[test]
fn the_bounds_that_once_called_the_process_are_what_their_formulas_say() {
    for n in 1..=300_u64 {
        let parameters = Parameters { winner: n % 70, ..Parameters::new(n, n, n) };
        let log = (0..).find(|&log| 1 << log >= n).expect("a power of two");
        let root = (0..).find(|&root| root * root >= n * log).expect("a square");
        let candidates = (4 * log).saturating_sub(1).min(n);
        let asked = (2 * root).min(n - 1);
        let bound = |name| row(name).claims.election.at(&parameters);
        assert_eq!(bound("random-referees"), 2 * candidates * asked, "{n}");
        let later = 3 * n * log.saturating_sub(1);
        assert_eq!(bound("afek-gafni-a"), if n > 1 { 2 * n + later } else { 0 }, "{n}");
        let time = row("variable-speeds").claims.time.expect("a claim").election.at(&parameters);
        let wait = (0..(n % 70).min(63)).fold(0_u64, |wait, _| 2 * wait + 1);
        assert_eq!(time, n.saturating_add((n - 1).saturating_mul(wait)), "{n}");
    }
}

#[test]
fn villadangos_sends_exactly_n_plus_2k_minus_2() {
    let n = 9;
    let wiring = networks::oriented_complete(n);
    for seed in 0..200 {
        let mut rng = Rng(seed);
        let mut ids: Vec<u64> = (0..n as u64).collect();
        let mut nodes: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut ids);
        rng.shuffle(&mut nodes);
        let initiators = &nodes[..1 + rng.below(n)];
        let mut run = Run::<Villadangos>::new(&wiring, &ids, initiators, UNBOUNDED);
        wake_all(&mut run);
        run.finish(1, &mut rng);
        assert_eq!(run.messages(Phase::Election), (n + 2 * (initiators.len() - 1)) as u64);
        assert_eq!(run.leaders(), [initiators.iter().map(|&i| ids[i]).max().unwrap()]);
    }
}

/// The ring 3, 2, 1: port 0 of a node comes from the node after it, port 1 from the one before.
fn on_the_ring_3_2_1<P: Process>(initiators: &[usize], events: &[Event], check: impl Fn(&Run<P>)) {
    let wiring = networks::oriented_complete(3);
    let mut run = Run::<P>::new(&wiring, &[3, 2, 1], initiators, UNBOUNDED);
    run.script(events);
    run.finish(1, &mut Rng(0));
    check(&run);
}

#[test]
fn villadangos_deadlocks_as_published_and_not_as_repaired() {
    // Nodes 0, 1, 2 are 3, 2, 1. All wake; `message1` of 1 reaches 3, which sends `message2` to
    // 1; that arrives before `message1` of 2 does.
    let three = [Wake(0), Wake(1), Wake(2), Deliver(0, 1), Deliver(2, 0)];
    // With 2 asleep the same happens when `message1` of 3, passed on by 2, comes last.
    let two = [Wake(0), Wake(2), Deliver(0, 1), Deliver(2, 0)];
    for (initiators, events) in [(&[0, 1, 2][..], &three[..]), (&[0, 2], &two)] {
        on_the_ring_3_2_1::<VilladangosPublished>(initiators, events, |run| {
            assert!(run.possible().is_empty() && run.leaders().is_empty(), "{:?}", run.nodes);
        });
        on_the_ring_3_2_1::<Villadangos>(initiators, events, |run| {
            run.assert_elected(row("villadangos"));
            assert_eq!(run.leaders(), [3]);
        });
    }
}

#[test]
fn humblet_elects_the_only_initiator_however_small_its_identity() {
    for n in 1..=9 {
        let wiring = networks::oriented_complete(n);
        let ids: Vec<u64> = (0..n as u64).collect();
        let mut run = Run::<complete::Humblet>::new(&wiring, &ids, &[0], UNBOUNDED);
        run.finish(1, &mut Rng(n as u64));
        run.assert_elected(row("humblet"));
        assert_eq!(run.leaders(), [0]);
        // A capture and an accept for each of a bare majority but itself.
        assert_eq!(run.messages(Phase::Election), 2 * (n as u64 / 2));
    }
}

#[test]
fn humblet_lets_a_defeated_node_reach_a_level_that_is_taken() {
    // Node 0 captures node 1 while node 2, with the largest identity, captures node 0.
    let wiring = networks::oriented_complete(3);
    let mut run = Run::<complete::Humblet>::new(&wiring, &[1, 0, 2], &[0, 2], UNBOUNDED);
    run.script(&[Wake(0), Wake(2), Deliver(1, 1), Deliver(0, 1), Deliver(0, 0)]);
    assert_eq!(run.leaders(), []);
    run.script(&[Deliver(2, 0)]);
    let at_level_1 = run.nodes.iter().filter(|node| format!("{node:?}").contains("level: 1"));
    assert_eq!(at_level_1.count(), 2, "of 3 nodes, where 3 / (1 + 1) is the bound for active ones");
    run.finish(1, &mut Rng(0));
    run.assert_elected(row("humblet"));
}

#[test]
fn humblet_sees_whether_a_capture_is_forwarded_when_it_arrives() {
    // Node 0 captures node 1 (its port 0) after that has sent it a capture of its own, and is
    // itself captured by node 2 (port 1), on whose verdict on node 3 (port 2) it waits.
    let wiring = networks::graph(4, &[(0, 1), (2, 0), (3, 0), (1, 2), (3, 1), (3, 2)]);
    let everyone = [0, 1, 2, 3];
    let mut run = Run::<complete::Humblet>::new(&wiring, &[2, 1, 3, 0], &everyone, UNBOUNDED);
    wake_all(&mut run);
    run.script(&[Deliver(0, 1), Deliver(0, 2), Deliver(1, 0)]);
    // The capture of node 1 arrives and queues; then its accept makes port 0 one below the level.
    run.script(&[Deliver(0, 0), Deliver(0, 0)]);
    // The verdict. Taken for a forwarded one, the capture would be answered with a verdict, too,
    // which node 1 rejects.
    run.script(&[Deliver(2, 0), Deliver(2, 0), Deliver(0, 1)]);
    run.finish(1, &mut Rng(0));
    run.assert_elected(row("humblet"));
}

#[test]
fn afek_gafni_sends_nothing_to_a_node_that_has_ended() {
    for seed in 0..300 {
        let mut rng = Rng(seed);
        let n = 2 + rng.below(8);
        let wiring = networks::complete(n, &mut rng);
        let ids: Vec<u64> = (0..n as u64).collect();
        let initiators: Vec<usize> = (0..n).collect();
        let mut run = Run::<complete::AfekGafni>::new(&wiring, &ids, &initiators, UNBOUNDED);
        run.finish(2, &mut rng);
        run.assert_elected(row("afek-gafni"));
        assert_eq!(run.sent_to_halted, 0);
    }
}

#[test]
fn afek_gafni_lets_a_message_between_two_losers_arrive_at_a_node_that_has_ended() {
    // Node 0 sends `arrive` to node 1; all the rest happens while that is under way.
    let wiring = networks::oriented_complete(3);
    let mut run = Run::<complete::AfekGafni>::new(&wiring, &[0, 1, 2], &[0, 2], UNBOUNDED);
    let slow = Deliver(1, 1);
    run.script(&[Wake(0), Wake(2)]);
    while let Some(&event) = run.possible().iter().find(|&&event| event != slow) {
        run.happen(event);
    }
    assert!(run.nodes.iter().all(Process::halted));
    run.happen(slow);
    run.assert_elected(row("afek-gafni"));
    assert_eq!((run.late, run.sent_to_halted), (1, 0));
}

#[test]
fn afek_gafni_elects_one_of_two() {
    // Both arrive at each other before either has been captured: only the larger may be accepted.
    let wiring = networks::oriented_complete(2);
    let mut run = Run::<complete::AfekGafni>::new(&wiring, &[0, 1], &[0, 1], UNBOUNDED);
    run.script(&[Wake(0), Wake(1), Deliver(0, 0), Deliver(1, 0)]);
    run.finish(1, &mut Rng(0));
    run.assert_elected(row("afek-gafni"));
    assert_eq!((run.leaders(), run.messages(Phase::Election)), (vec![1], 3));
}

#[test]
fn chang_roberts_is_worst_on_ascending_and_best_on_descending_identities() {
    for n in 1..=20u64 {
        let wiring = networks::ring(n as usize);
        let nodes: Vec<usize> = (0..n as usize).collect();
        let tokens = |ids: Vec<u64>| {
            let mut run =
                Run::<Announced<ring::ChangRoberts>>::new(&wiring, &ids, &nodes, UNBOUNDED);
            wake_all(&mut run);
            run.finish(1, &mut Rng(n));
            run.messages(Phase::Election)
        };
        assert_eq!(tokens((0..n).collect()), n * (n + 1) / 2);
        assert_eq!(tokens((0..n).rev().collect()), 2 * n - 1);
    }
}

#[test]
fn dolev_klawe_rodeh_sends_8_messages_on_a_ring_of_two() {
    let wiring = networks::ring(2);
    let mut run = Run::<ring::DolevKlaweRodeh>::new(&wiring, &[1, 2], &[0, 1], UNBOUNDED);
    wake_all(&mut run);
    run.finish(1, &mut Rng(0));
    run.assert_elected(row("dolev-klawe-rodeh"));
    assert_eq!(run.by_kind, [4, 2, 2]); // one, two, small.
}

#[test]
fn dolev_klawe_rodeh_elects_a_process_that_is_passive() {
    // The smallest identity moves forward by one active process in every round.
    let wiring = networks::ring(4);
    let mut run =
        Run::<ring::DolevKlaweRodeh>::new(&wiring, &[1, 3, 2, 4], &[0, 1, 2, 3], UNBOUNDED);
    wake_all(&mut run);
    while run.leaders().is_empty() {
        let events = run.possible();
        run.happen(events[0]);
    }
    let announcer = run.nodes.iter().position(|node| node.status() == Status::Follower);
    assert!(announcer.is_some(), "another process announced it: {:?}", run.nodes);
    run.finish(1, &mut Rng(0));
    run.assert_elected(row("dolev-klawe-rodeh"));
    assert_eq!(run.leaders(), [1]);
}

#[test]
fn tree_wave_keeps_a_token_while_a_wake_up_is_missing() {
    // Node 1 is the middle of a path; the token of node 0 overtakes the wake-up of node 2.
    let wiring = networks::graph(3, &[(0, 1), (1, 2)]);
    let mut run = Run::<tree::TreeWave>::new(&wiring, &[5, 7, 6], &[0], UNBOUNDED);
    run.script(&[Wake(0), Deliver(1, 0), Deliver(0, 0), Deliver(1, 0)]);
    assert_eq!(run.by_kind, [3, 1, 0]); // Wake-ups, tokens, decisions.
    run.finish(1, &mut Rng(0));
    run.assert_elected(row("tree-wave"));
    assert_eq!((run.leaders(), run.by_kind.iter().sum::<u64>()), (vec![5], 4 * 3 - 4));
}

#[test]
fn echo_extinction_with_one_initiator_crosses_every_link_twice_and_twice_again() {
    for n in 1..=12 {
        let wiring = networks::connected(n, &mut Rng(n as u64));
        let twice_links = wiring.iter().map(Vec::len).sum::<usize>() as u64;
        let ids: Vec<u64> = (0..n as u64).collect();
        let mut run = Run::<graph::EchoExtinction>::new(&wiring, &ids, &[n - 1], UNBOUNDED);
        run.finish(1, &mut Rng(0));
        run.assert_elected(row("echo-extinction"));
        assert_eq!(run.by_kind, [twice_links; 2]);
        assert_eq!(run.leaders(), [n as u64 - 1]);
    }
}

#[test]
fn echo_extinction_blocks_where_links_hold_one_message() {
    let wiring = networks::oriented_complete(3);
    let mut run = Run::<graph::EchoExtinction>::new(&wiring, &[0, 1, 2], &[0, 1, 2], 1);
    run.script(&[Wake(2), Wake(1), Wake(0), Deliver(2, 0), Deliver(1, 1)]);
    run.script(&[Deliver(0, 1), Deliver(0, 0)]);
    assert!(run.possible().is_empty() && run.leaders().is_empty());
}
