//! Processes that do whatever a number says: the reduced exploration finds of them, too, what the
//! full one finds. No algorithm of the catalogue counts, ignores, changes its mind and stops in as many ways.

use crate::oracle::deeply;
use std::env;
use suffrage_algorithms::Property;
use suffrage_checker::{CheckVerdict, ExactCosts, Instance, Options, Specification, explore};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::{Adjacency, Wiring};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word(u8);

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("a"), Kind::election("b"), Kind::election("c")];
    fn kind(&self) -> usize {
        self.0.into()
    }
}

/// A process whose identity is the number that says what it does, beside its own place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Chance {
    rule: u64,
    degree: u32,
    phase: u8,
    counted: u8,
    /// How many more times it may send, so that every election ends.
    breath: u8,
    status: Status,
    stopped: bool,
}

/// A number that looks like chance, and is the same for the same questions.
fn drawn(from: &[u64]) -> u64 {
    from.iter().fold(0x9e37_79b9_7f4a_7c15, |mixed, &number| {
        let mixed = (mixed ^ number).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    })
}

impl Chance {
    fn react(&mut self, port: u64, word: u64, net: &mut impl Net<Word>) {
        let style = drawn(&[self.rule]);
        // Ports matter to one process in four, and counting to every second.
        let port = if style & 3 == 0 { port } else { 0 };
        let roll = drawn(&[self.rule, self.phase.into(), port, word]);
        match roll % 8 {
            0 | 1 => {}
            2..=4 if style & 4 == 0 => {
                self.counted += 1;
                if u32::from(self.counted) >= self.degree {
                    self.counted = 0;
                    self.move_on(roll, net);
                }
            }
            2 => self.phase = (roll >> 8) as u8 % 3,
            _ => self.move_on(roll, net),
        }
    }

    fn move_on(&mut self, roll: u64, net: &mut impl Net<Word>) {
        self.phase = (roll >> 8) as u8 % 3;
        match roll >> 16 & 15 {
            0 => self.status = Status::Leader,
            1 => self.status = Status::Follower,
            2 => self.status = Status::Undecided,
            3 => self.stopped = true,
            _ => {}
        }
        if self.breath > 0 {
            self.breath -= 1;
            let word = Word((roll >> 24) as u8 % 3);
            match roll >> 32 & 3 {
                0 => net.send_all(word),
                1 => net.send(Port((roll >> 40) as u32 % self.degree), word),
                2 if roll >> 34 & 7 == 0 => net.reject("it is not in the mood"),
                _ => {}
            }
        }
    }
}

impl Process for Chance {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Word;

    fn new(id: Id, degree: u32) -> Self {
        let (rule, status) = (id.get(), Status::Undecided);
        Self { rule, degree, phase: 0, counted: 0, breath: 3, status, stopped: false }
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        self.phase = 1;
        net.send_all(Word(drawn(&[self.rule, 77]) as u8 % 3));
    }

    fn receive(&mut self, from: Port, Word(word): Word, net: &mut impl Net<Word>) {
        self.react(from.0.into(), word.into(), net);
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.stopped
    }
}

fn networks() -> [Wiring; 5] {
    let stored = |lists: &[Vec<u32>]| Wiring::stored(Adjacency::new(lists));
    [
        stored(&[vec![1], vec![0]]),
        stored(&[vec![1], vec![0, 2], vec![1]]),
        stored(&[vec![1, 2], vec![0, 2], vec![0, 1]]),
        stored(&[vec![1, 2, 3], vec![0], vec![0], vec![0]]),
        stored(&[vec![1, 2], vec![0, 2], vec![0, 1, 3], vec![2]]),
    ]
}

/// What must not depend on how much is explored.
fn essence(
    instance: &Instance,
    specification: &Specification<'_, Chance>,
    full: bool,
) -> Option<String> {
    let options = Options { full, memory: 1 << 25, costs: true };
    let found = explore(instance, specification, &options).expect("an instance that fits");
    let verdict = match found.verdict {
        CheckVerdict::OutOfMemory | CheckVerdict::Stopped => return None,
        CheckVerdict::Holds => String::new(),
        CheckVerdict::Violated(found) => return Some(found.violation.property.name().to_owned()),
    };
    // Only the full exploration finds the greatest time.
    let costs = found.costs.map(|costs| ExactCosts { greatest_time: None, ..costs });
    Some(format!("{verdict} {} {:?} {costs:?}", found.terminal, found.winners))
}

/// Explores elections by chance, both ways; gives in how many configurations.
fn agree(seeds: std::ops::Range<u64>) -> usize {
    let mut compared = 0;
    for seed in seeds {
        for wiring in networks() {
            let nodes = wiring.nodes();
            let same = drawn(&[seed, 5]) & 1;
            // All follow one rule, or each its own; the last digit keeps identities apart.
            let rule = |node: u32| drawn(&[seed, u64::from(node) * same]) & !15 | u64::from(node);
            let ids = (0..nodes).map(|node| Id::new(rule(node))).collect();
            let starters = 1 + drawn(&[seed, 9]) as u32 % ((1 << nodes) - 1);
            let initiators = (0..nodes).filter(|node| starters >> node & 1 == 1).collect();
            let instance = Instance { initiators, ..Instance::new(wiring, ids) };
            deeply::<Chance>(&instance);
            for kept in [
                vec![],
                vec![Property::AtMostOneLeader],
                vec![Property::IrrevocableStatus],
                vec![Property::ExactlyOneLeader],
                vec![Property::EveryoneHalted],
                vec![Property::PossibleMessages],
            ] {
                let specification = Specification::these(&kept);
                let Some(full) = essence(&instance, &specification, true) else { continue };
                let reduced = essence(&instance, &specification, false);
                assert_eq!(reduced, Some(full), "seed {seed}, {kept:?}: {instance:?}");
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn whatever_processes_do() {
    assert!(agree(0..20) > 250);
}

/// `SEEDS=100000 cargo test --release -p suffrage-checker --test exploration chance -- --ignored`
#[test]
#[ignore = "takes as long as it is told to"]
fn whatever_processes_do_for_long() {
    let seeds = env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2_000);
    agree(0..seeds);
}
