//! Scenarios: a word or an alarm in one of two blocks of a ring, and how far both may run without each other.

use super::*;
use crate::blocks::{BlockLayout, BlockMessage, ElectionIds, ElectionNetwork};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Status, Timing};
use suffrage_networks::wiring::Wiring;

/// A process that sends a word as it wakes and passes on what comes; or, if `SLEEPS`, as its alarm rings, which it
/// sets to the third tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Walker<const SLEEPS: bool>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word;

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word")];
    fn kind(&self) -> usize {
        0
    }
}

/// The port to the next process of the ring.
const NEXT: Port = Port(0);

impl<const SLEEPS: bool> Process for Walker<SLEEPS> {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    const TIMING: Timing = Timing::Rounds;
    type Knows = ();
    type Msg = Word;

    fn new((): (), _: u32) -> Self {
        Self
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        if SLEEPS { net.set_alarm(3) } else { net.send(NEXT, Word) }
    }

    fn receive(&mut self, _: Port, word: Word, net: &mut impl Net<Word>) {
        net.send(NEXT, word);
    }

    fn alarm(&mut self, net: &mut impl Net<Word>) {
        net.send(NEXT, Word);
    }

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}

/// The messages from one block to another: its number, their tick, and they.
type Sent = (u32, u64, Vec<BlockMessage<Word>>);

/// The tick before which each stretch ended, with what blocks sent to each other in it, and how the last one ended.
type Stretches = (Vec<(u64, Vec<Sent>)>, Result<(), Overrun>);

/// Runs stretches of an election whose processes in `wakes` wake at the start.
fn stretches<const SLEEPS: bool>(
    (nodes, blocks): (u32, u32),
    wakes: &[u64],
    event_limit: u64,
    count: usize,
) -> Stretches {
    let ring = Wiring::ring(nodes);
    let ids: Vec<Id> = (1..=nodes.into()).map(Id::new).collect();
    let election = Election::new(ElectionNetwork::Wired(&ring), ElectionIds::Listed(&ids));
    let wakes = Some(wakes.iter().map(|&node| (0, node)).collect());
    let election = Election { wakes, event_limit, ..election };
    let layout = BlockLayout::new(&election, blocks).expect("few processes");
    let mut all: Vec<Block<Walker<SLEEPS>>> =
        (0..blocks).map(|number| Block::new(&election, layout, number)).collect();
    let mut clock = RoundClock::new(&election, layout);
    let mut done = Vec::new();
    for _ in 0..count {
        let mut sent: Vec<Sent> = Vec::new();
        let mut post = |to, at, packets| sent.push((to, at, packets));
        let reports = all.iter_mut().map(|block| block.run_stretch(&election, &clock, &mut post));
        let reports = reports.collect();
        for (to, at, packets) in &sent {
            all[*to as usize].accept(*at, packets.iter().copied());
        }
        done.push((clock.until(), sent));
        if let Err(overrun) = clock.advance_stretch(reports) {
            return (done, Err(overrun));
        }
    }
    (done, Ok(()))
}

fn ends(done: &[(u64, Vec<Sent>)]) -> Vec<u64> {
    done.iter().map(|&(until, _)| until).collect()
}

/// 5 of 20 sends a word to 6, of the first block of ten. At tick 1 it is there, with three hops to 9: at tick 4 it
/// leaves for 10, where it arrives at tick 5. So both blocks run the ticks 1 to 4 alone.
#[test]
fn a_stretch_ends_as_the_first_word_can_arrive_elsewhere() {
    let (done, ended) = stretches::<false>((20, 2), &[5], u64::MAX, 2);
    assert_eq!((ends(&done), ended), (vec![1, 5], Ok(())));
    assert!(done[0].1.is_empty());
    let [(1, 5, words)] = &done[1].1[..] else { panic!("{:?}", done[1].1) };
    assert_eq!(words.len(), 1);
}

/// As the word has left in the last tick, it is not known where it will go: the next stretch is one tick. Then the
/// word is on its way to 11, and has two hops back to the first block, from which it could have come.
#[test]
fn what_has_left_in_the_last_tick_leaves_no_horizon() {
    let (done, _) = stretches::<false>((20, 2), &[5], u64::MAX, 4);
    assert_eq!(ends(&done), [1, 5, 6, 8]);
}

/// The alarm of 5 rings at tick 3, and what it sends has five hops to the edge.
#[test]
fn an_alarm_is_as_far_from_the_edge_as_a_word() {
    let (done, _) = stretches::<true>((20, 2), &[5], u64::MAX, 2);
    assert_eq!(ends(&done), [1, 8]);
    assert!(matches!(&done[1].1[..], [(1, 8, words)] if words.len() == 1), "{:?}", done[1].1);
}

/// A block that is alone runs as long as a stretch may be.
#[test]
fn a_block_alone_runs_as_far_as_a_request_to_stop_allows() {
    let (done, _) = stretches::<false>((20, 1), &[5], u64::MAX, 2);
    assert_eq!(ends(&done), [1, 1 + LONGEST]);
}

/// All of 4096 processes send a word: too many to look at the place of each.
#[test]
fn with_many_words_each_tick_is_exchanged() {
    let all: Vec<u64> = (0..4096).collect();
    let (done, _) = stretches::<false>((4096, 2), &all, u64::MAX, 3);
    assert_eq!(ends(&done), [1, 2, 3]);
}

/// Three events are allowed, and the stretch has four: the blocks have run too far.
#[test]
fn too_many_events_within_a_stretch_are_an_overrun() {
    let (done, ended) = stretches::<false>((20, 2), &[5], 3, 4);
    assert_eq!((ends(&done), ended), (vec![1, 5], Err(Overrun::default())));
    assert_eq!(stretches::<false>((20, 2), &[5], 5, 2).1, Ok(()));
}
