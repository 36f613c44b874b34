//! What goes wrong in published descriptions that are taken at their word: `docs/why/errata.md` says
//! which, and why.

use crate::driver::Event::{self, Deliver, Wake};
use crate::driver::Run;
use crate::every_schedule::some_schedule_fails;
use crate::networks::{self, Rng};
use crate::printed::Villadangos;
use suffrage_algorithms::printed::{self, DeadGivesUp, PseudoCode, SleepersDefend};
use suffrage_algorithms::{Algorithm, Announced, Parameters, complete, graph, ring};
use suffrage_model::{Phase, Process, Status};

const UNBOUNDED: usize = usize::MAX;

/// One initiator after another captures `m` of `4m` nodes. A candidate of level `m` or more kills
/// each before the next one wakes. Returns the number of election messages.
fn one_after_another<P: Process>(m: usize) -> u64 {
    let n = 4 * m;
    let killer = n - 1;
    let mut links: Vec<(usize, usize)> = Vec::new();
    for initiator in 2 * m..killer {
        links.extend((0..m).map(|prize| (initiator, prize)));
        links.push((initiator, killer)); // Here it gets stuck.
    }
    // The killer's ports: first `m` sleeping nodes, then the initiators, which are in place.
    links.splice(0..0, (m..2 * m).map(|sleeping| (killer, sleeping)));
    let mut linked = vec![false; n * n];
    links.iter().for_each(|&(a, b)| linked[a.max(b) * n + a.min(b)] = true);
    let all = (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
    links.extend(all.filter(|&(a, b)| !linked[a * n + b]));
    let wiring = networks::graph(n, &links);

    let ids: Vec<u64> = (0..n as u64).collect();
    let initiators: Vec<usize> = (2 * m..n).collect();
    let mut run = Run::<P>::new(&wiring, &ids, &initiators, UNBOUNDED);
    // Everything happens but wake-ups, and what the killer sends to those after `reached`.
    let settle = |run: &mut Run<P>, reached: usize| {
        let held = |event: &Event| match *event {
            Wake(_) => true,
            Deliver(node, port) => wiring[node][port].0 == killer && node > reached,
        };
        while let Some(&event) = run.possible().iter().find(|event| !held(event)) {
            run.happen(event);
        }
    };
    run.happen(Wake(killer));
    for initiator in 2 * m..killer {
        settle(&mut run, initiator - 1);
        run.happen(Wake(initiator));
        settle(&mut run, initiator - 1);
    }
    settle(&mut run, n);
    assert!(run.nodes.iter().all(Process::halted));
    assert_eq!(run.leaders(), [killer as u64]);
    run.messages(Phase::Election)
}

#[test]
fn afek_gafni_loses_its_bound_where_the_dead_do_not_defend_what_they_own() {
    let bound = |n| {
        let parameters = Parameters::new(n, n * (n - 1) / 2, n / 2);
        Algorithm::named("afek-gafni").unwrap().claims.election.at(&parameters)
    };
    assert_eq!([32, 64].map(bound), [410, 990]);
    assert_eq!([8, 16].map(one_after_another::<complete::AfekGafni>), [137, 281]);
    assert_eq!([8, 16].map(one_after_another::<DeadGivesUp>), [557, 2141]);
}

#[test]
#[should_panic(expected = "two leaders")]
fn afek_gafni_elects_both_of_two_where_a_node_does_not_defend_itself() {
    let wiring = networks::oriented_complete(2);
    let mut run = Run::<PseudoCode>::new(&wiring, &[1, 2], &[0, 1], UNBOUNDED);
    run.script(&[Wake(0), Wake(1)]);
    run.finish(1, &mut Rng(0)); // It ends at the second leader.
}

#[test]
fn afek_gafni_with_owner_0_at_first_does_not_let_identity_0_win() {
    let wiring = networks::oriented_complete(2);
    for ids in [[0, 2], [1, 2]] {
        let mut run = Run::<PseudoCode>::new(&wiring, &ids, &[0], UNBOUNDED);
        run.finish(1, &mut Rng(0));
        assert_eq!(run.nodes[0].elected, ids[0] == 1);
    }
}

#[test]
fn afek_gafni_counts_captures_that_were_none_where_one_level_serves_both_parts() {
    // Node 0 captures node 1, node 2 captures node 3 and then node 0, to which it brings level 1.
    let wiring = networks::graph(4, &[(0, 1), (2, 3), (2, 0), (0, 3), (1, 2), (1, 3)]);
    let mut run = Run::<PseudoCode>::new(&wiring, &[1, 2, 3, 4], &[0, 2], UNBOUNDED);
    run.script(&[Wake(0), Wake(2), Deliver(1, 0)]);
    run.script(&[Deliver(3, 0), Deliver(2, 0), Deliver(0, 1), Deliver(0, 0)]);
    assert_eq!((run.nodes[0].level, run.nodes[0].traversed), (2, 1));
}

#[test]
fn afek_gafni_kills_a_candidate_whose_own_node_was_never_captured() {
    // 0 captures 1, 2 captures 3 and then arrives at 1, whose owner it kills: 0 itself is free.
    let wiring = networks::graph(4, &[(0, 1), (2, 3), (2, 1), (0, 2), (0, 3), (1, 3)]);
    let mut run = Run::<complete::AfekGafni>::new(&wiring, &[0, 1, 2, 3], &[0, 2], UNBOUNDED);
    run.script(&[Wake(0), Deliver(1, 0), Deliver(0, 0)]);
    run.script(&[Wake(2), Deliver(3, 0), Deliver(2, 0), Deliver(1, 1), Deliver(0, 0)]);
    let state = format!("{:?}", run.nodes[0]);
    assert!(state.contains("Killed") && state.contains("owned: None"), "{state}");
    run.finish(1, &mut Rng(0));
    assert_eq!(run.leaders(), [2]);
}

#[test]
fn humblet_elects_no_leader_where_sleepers_defend_themselves() {
    let wiring = networks::oriented_complete(2);
    let mut run = Run::<SleepersDefend>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert!(run.leaders().is_empty() && run.possible().is_empty());
    let mut run = Run::<complete::Humblet>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!(run.leaders(), [1]);
}

#[test]
fn dolev_klawe_rodeh_as_printed_does_not_end() {
    let wiring = networks::ring(2);
    let mut run = Run::<printed::DolevKlaweRodeh>::new(&wiring, &[1, 2], &[0, 1], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    // The process that found the winner starts another round, at one that has halted.
    let waits = run.nodes.iter().filter(|node| !node.halted()).count();
    assert_eq!((waits, run.late, run.sent_to_halted), (1, 1, 1), "{:?}", run.nodes);
    // Alone it announces itself without end.
    let wiring = networks::ring(1);
    let mut alone = Run::<printed::DolevKlaweRodeh>::new(&wiring, &[1], &[0], UNBOUNDED);
    alone.script(&[Wake(0)]);
    alone.script(&[Deliver(0, 1); 1000]);
    assert_eq!((alone.leaders(), alone.by_kind), (vec![], vec![501, 0, 500]));
    let mut repaired = Run::<ring::DolevKlaweRodeh>::new(&wiring, &[1, 2], &[0, 1], UNBOUNDED);
    repaired.finish(1, &mut Rng(0));
    assert!(repaired.nodes.iter().all(Process::halted));
    assert_eq!(repaired.late, 0);
}

#[test]
fn echo_extinction_as_printed_tells_the_leaders_neighbours_twice() {
    let wiring = networks::graph(2, &[(0, 1)]);
    let mut run = Run::<printed::EchoExtinction>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!((run.messages(Phase::Announcement), run.late), (3, 1));
    // Alone, a process expects no `ldr`, learns of no winner and has lost.
    let wiring_of_1 = vec![vec![]];
    let mut alone = Run::<printed::EchoExtinction>::new(&wiring_of_1, &[1], &[0], UNBOUNDED);
    alone.finish(1, &mut Rng(0));
    assert_eq!((alone.leaders(), alone.nodes[0].status()), (vec![], Status::Follower));
    let mut run = Run::<graph::EchoExtinction>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!((run.messages(Phase::Announcement), run.late), (2, 0));
}

#[test]
fn tokens_on_a_ring_leave_the_others_without_an_end() {
    let wiring = networks::ring(2);
    // As printed, and as here without the announcement.
    let mut run = Run::<printed::ChangRoberts>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!((run.leaders(), run.nodes[1].halted()), (vec![1], false));
    let mut run = Run::<printed::LeLann>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!((run.leaders(), run.nodes[1].halted()), (vec![1], false));
    let mut run = Run::<ring::ChangRoberts>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!(run.leaders(), [1]);
    let lost = &run.nodes[1];
    assert_eq!((lost.status(), lost.leader(), lost.halted()), (Status::Follower, None, false));
    let mut run = Run::<ring::LeLann>::new(&wiring, &[1, 2], &[0], UNBOUNDED);
    run.finish(1, &mut Rng(0));
    let lost = &run.nodes[1];
    assert_eq!((lost.status(), lost.leader(), lost.halted()), (Status::Follower, None, false));
}

/// How many sets of initiators, of how many, have a schedule that fails on this ring.
fn failing_sets<P: Process>(ids: &[u64]) -> (usize, usize) {
    let n = ids.len();
    let wiring = networks::oriented_complete(n);
    let fails = |set: &u32| {
        let initiators = (0..n).filter(|node| set >> node & 1 == 1);
        some_schedule_fails::<P>(&wiring, ids, initiators)
    };
    ((1..1 << n).filter(fails).count(), (1 << n) - 1)
}

/// How many pairs of a ring's order and a set of initiators, of how many, have such a schedule.
/// Rings that differ by a rotation count as one, with the largest identity at node 0.
fn failing_pairs<P: Process>(n: usize) -> (usize, usize) {
    let (mut failing, mut pairs) = (0, 0);
    each_order(&mut (1..=n as u64).rev().collect(), 1, &mut |ids| {
        let (some, of) = failing_sets::<P>(ids);
        failing += some;
        pairs += of;
    });
    (failing, pairs)
}

/// Calls `each` with every order of the identities from `fixed` on.
fn each_order(ids: &mut Vec<u64>, fixed: usize, each: &mut impl FnMut(&[u64])) {
    if fixed == ids.len() {
        return each(ids);
    }
    for i in fixed..ids.len() {
        ids.swap(fixed, i);
        each_order(ids, fixed + 1, each);
        ids.swap(fixed, i);
    }
}

#[test]
fn villadangos_needs_both_repairs() {
    // Of 3, 14, 90 and 744 pairs. Alone, (b) helps none; (a) leaves the ring 3, 1, 2.
    let sizes = [2, 3, 4, 5];
    let published = [(0, 3), (5, 14), (54, 90), (564, 744)];
    assert_eq!(sizes.map(failing_pairs::<complete::Villadangos<false>>), published);
    assert_eq!(sizes.map(failing_pairs::<Villadangos<false, false>>), published);
    assert_eq!(sizes.map(failing_pairs::<Villadangos<false, true>>), published);
    let only_a = [(0, 3), (1, 14), (17, 90), (243, 744)];
    assert_eq!(sizes.map(failing_pairs::<Villadangos<true, false>>), only_a);
    let none = [(0, 3), (0, 14), (0, 90), (0, 744)];
    assert_eq!(sizes.map(failing_pairs::<complete::Villadangos>), none);
    assert_eq!(sizes.map(failing_pairs::<Villadangos<true, true>>), none);
}

#[test]
fn villadangos_deadlocks_on_sorted_rings_too_where_repair_a_alone_is_enough() {
    for (n, published) in [(2, (0, 3)), (3, (2, 7)), (4, (8, 15)), (5, (22, 31))] {
        let descending: Vec<u64> = (1..=n).rev().collect();
        assert_eq!(failing_sets::<complete::Villadangos<false>>(&descending), published);
        assert_eq!(failing_sets::<Villadangos<false, true>>(&descending), published);
        assert_eq!(failing_sets::<Villadangos<true, false>>(&descending), (0, published.1));
    }
}

/// The other reading of the source's example, in which A's neighbour is B: a node's neighbour has the
/// next larger identity.
#[test]
fn villadangos_deadlocks_more_often_on_rings_that_ascend_where_repair_a_is_not_enough() {
    for (n, published, only_a) in [(2, 0, 0), (3, 3, 1), (4, 10, 5), (5, 25, 16)] {
        let ascending: Vec<u64> = (1..=n).collect();
        let of = (1 << n) - 1;
        assert_eq!(failing_sets::<complete::Villadangos<false>>(&ascending), (published, of));
        assert_eq!(failing_sets::<Villadangos<false, true>>(&ascending), (published, of));
        assert_eq!(failing_sets::<Villadangos<true, false>>(&ascending), (only_a, of));
        assert_eq!(failing_sets::<Villadangos<true, true>>(&ascending), (0, of));
    }
}

/// On the path 1, 4, 3, 5, 2 the sources are 1, 3 and 2; 1 and 2 survive. If fewer than half of them
/// survived, there would be two iterations, each with a value on every link; there are three.
#[test]
fn yo_yo_leaves_two_of_three_sources() {
    let wiring = networks::graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    let all = [0, 1, 2, 3, 4];
    let mut run = Run::<Announced<graph::YoYo>>::new(&wiring, &[1, 4, 3, 5, 2], &all, UNBOUNDED);
    run.finish(1, &mut Rng(0));
    let [identities, values] = [run.by_kind[0], run.by_kind[1]];
    assert_eq!((identities, values), (8, 3 * 4));
    assert_eq!(run.leaders(), [1]);
}

/// On a star whose centre is the largest, all leaves are sources, and one survives.
#[test]
fn yo_yo_leaves_one_of_many_sources() {
    let wiring = networks::graph(6, &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]);
    let all = [0, 1, 2, 3, 4, 5];
    let mut run = Run::<Announced<graph::YoYo>>::new(&wiring, &[9, 1, 2, 3, 4, 5], &all, UNBOUNDED);
    run.finish(1, &mut Rng(0));
    assert_eq!(run.by_kind[1], 2 * 5, "two iterations, of which the first leaves one source");
}
