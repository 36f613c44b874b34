//! Scenarios: a tiny network, the events in words, the omitted ones, and why both are equal.

use crate::{
    CheckVerdict, Exploration, FaultBudget, Instance, Options, Specification, Wake, explore,
    explorer::{ScheduleExplorer, SearchEnd},
    model::{EnabledEvent, TransitionSystem, processes::LocalInput},
    reduction::persistent_set::{ALL_PROCESSES, Expansion},
    search::Search,
    specification::Properties,
};
use std::{collections::BTreeSet, ops::ControlFlow};
use suffrage_algorithms::Property;
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::{Adjacency, Wiring};

/// A process whose role is its identity divided by ten; in role 2 it counts messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Actor {
    role: u64,
    degree: u32,
    /// The number of messages that it has counted.
    heard: u32,
    /// The port that it remembers.
    port: u32,
    status: Status,
}

/// Passes each message on through port 0.
pub(crate) const PASSES: u64 = 0;
/// Sends a message through every port as it wakes; counts messages.
pub(crate) const TELLS: u64 = 1;
/// Does nothing, whatever comes.
const IGNORES: u64 = 3;
/// Remembers the port of the last message.
const REMEMBERS: u64 = 4;
/// Counts messages, and sends one through port 0 when it has one for each of its ports.
const GATHERS: u64 = 5;
/// Sends a message through every port as it wakes, and each message back.
pub(crate) const ECHOES: u64 = 6;
/// Ignores messages through port 0 until one has come through port 1; then it counts them.
const TURNS: u64 = 7;
/// Halts as it wakes.
pub(crate) const HALTS: u64 = 8;
/// Sends two messages through every port as it wakes.
pub(crate) const TELLS_TWICE: u64 = 9;
/// Leads with a probability of one half, else follows.
const DRAWS: u64 = 10;
/// Leads.
const LEADS: u64 = 11;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word;

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Actor {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Word;

    fn new(id: Id, degree: u32) -> Self {
        Self { role: id.get() / 10, degree, heard: 0, port: 0, status: Status::Undecided }
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        let times = match self.role {
            TELLS | ECHOES => 1,
            TELLS_TWICE => 2,
            _ => 0,
        };
        for port in 0..self.degree {
            (0..times).for_each(|_| net.send(Port(port), Word));
        }
        match self.role {
            DRAWS if net.choose(1) == 0 => self.status = Status::Follower,
            DRAWS | LEADS => self.status = Status::Leader,
            _ => {}
        }
    }

    fn receive(&mut self, from: Port, _: Word, net: &mut impl Net<Word>) {
        match self.role {
            IGNORES => {}
            REMEMBERS => self.port = from.0,
            ECHOES => net.send(from, Word),
            PASSES => net.send(Port(0), Word),
            TURNS if from == Port(0) && self.port == 0 => {}
            TURNS => (self.port, self.heard) = (1, self.heard + 1),
            _ => self.heard += 1,
        }
        if self.role == GATHERS && self.heard == self.degree {
            net.send(Port(0), Word);
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.role >= HALTS && self.role != TELLS_TWICE
    }
}

/// A path of processes with these identities. Port 0 of each leads to the process before it, if there
/// is one.
pub(crate) fn path(ids: &[u64], initiators: &[u32]) -> Instance {
    let nodes = ids.len() as u32;
    let near = |node: u32| [node.checked_sub(1), (node + 1 < nodes).then_some(node + 1)];
    let lists: Vec<Vec<u32>> =
        (0..nodes).map(|node| near(node).into_iter().flatten().collect()).collect();
    let ids = ids.iter().copied().map(Id::new).collect();
    let wiring = Wiring::stored(Adjacency::new(&lists));
    Instance { initiators: initiators.to_vec(), ..Instance::new(wiring, ids) }
}

/// The same path, on which all wake at the start.
fn awake(ids: &[u64]) -> Instance {
    let all: Vec<u32> = (0..ids.len() as u32).collect();
    Instance { wake: Wake::AtStart, ..path(ids, &all) }
}

/// An exploration without properties.
struct Scene {
    explorer: ScheduleExplorer,
}

impl Scene {
    fn new(instance: &Instance) -> Self {
        let mut explorer = ScheduleExplorer::new(Specification::<Actor>::these(&[]).automaton());
        search(&mut explorer, instance, false);
        Self { explorer }
    }

    /// The choices with which the explored configurations were expanded.
    fn choices(&self) -> &[Expansion] {
        &self.explorer.choices
    }

    /// The processes to which deliveries were explored alone, for this reason.
    fn alone(&self, of: fn(Expansion) -> Option<EnabledEvent>) -> BTreeSet<u16> {
        let node = |event| match event {
            EnabledEvent::React(node, LocalInput::Deliver(..)) => node,
            other => panic!("{other:?}"),
        };
        self.choices().iter().filter_map(|&choice| of(choice)).map(node).collect()
    }

    fn configurations(&self) -> usize {
        self.explorer.graph.len()
    }

    fn ends(&self) -> BTreeSet<Vec<u8>> {
        let graph = &self.explorer.graph;
        let ends = (0..graph.len() as u32).filter(|&number| graph.is_end(number));
        ends.map(|number| graph.get(number).to_vec()).collect()
    }

    /// The same in full: the number of configurations is returned, and the terminal ones are equal.
    fn in_full(mut self, instance: &Instance) -> usize {
        let ends = self.ends();
        search(&mut self.explorer, instance, true);
        assert_eq!(self.ends(), ends);
        self.configurations()
    }
}

fn search(explorer: &mut ScheduleExplorer, instance: &Instance, full: bool) {
    let specification = Specification::<Actor>::these(&[]);
    let mut go_on = |_| ControlFlow::Continue(());
    let (model, specification, memory) =
        (&TransitionSystem::new(instance), &specification, 1 << 30);
    let mut search = Search {
        model,
        specification,
        full,
        costs: false,
        memory,
        judged: false,
        heartbeat: &mut go_on,
    };
    let end = explorer.explore(&mut search);
    assert!(matches!(end, SearchEnd::Complete), "{end:?}");
}

fn no_op(choice: Expansion) -> Option<EnabledEvent> {
    if let Expansion::NoOp(event) = choice { Some(event) } else { None }
}

fn commuting(choice: Expansion) -> Option<EnabledEvent> {
    if let Expansion::Commuting(event) = choice { Some(event) } else { None }
}

fn discard(choice: Expansion) -> Option<EnabledEvent> {
    if let Expansion::Discard(event) = choice { Some(event) } else { None }
}

/// Persistent sets: the steps of some processes are enough.
mod persistent_sets {
    use super::*;

    /// 0 tells 1, and 3 tells 2; 1 and 2 send nothing. At the start only 0 wakes. Left out is that 3
    /// wakes first, and all other ways to merge the two steps of the one side with those of the other:
    /// they share no process, so each order leads to the same.
    #[test]
    fn two_conversations_that_do_not_meet_take_one_order() {
        let instance = path(&[10, 20, 21, 11], &[0, 3]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.choices()[0], Expansion::Persistent(1 << 0));
        assert_eq!(scene.configurations(), 5);
        assert_eq!(scene.in_full(&instance), 9);
    }

    /// Both wake and tell each other. When the start is expanded, 1 has never been seen to send, so 0
    /// alone seems enough. Then 1 is seen to send to 0: the start is expanded again, with both, since the
    /// word of 1 may come before 0 wakes.
    #[test]
    fn a_set_that_observation_refutes_is_expanded_again() {
        let instance = path(&[10, 11], &[0, 1]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.choices()[0], Expansion::Persistent(ALL_PROCESSES));
        assert!(scene.explorer.graph.steps(0).len() > 1);
        scene.in_full(&instance);
    }

    /// 2 tells 1 twice, which passes both words on to 0. While the second is on its way to 1, the first is
    /// on its way to 0, and is delivered at once. Left out is that the second comes to 0 before: it comes
    /// behind the first.
    #[test]
    fn what_waits_on_a_link_is_delivered_whatever_comes_behind_it() {
        let instance = path(&[20, 1, 90], &[2]);
        let scene = Scene::new(&instance);
        assert!(scene.choices().contains(&Expansion::Persistent(1 << 0)));
        let explored = scene.configurations();
        assert!(explored < scene.in_full(&instance));
    }

    /// The same where messages overtake each other: the second word may arrive first, so the set of 0 has 1
    /// as well, which passes it on. Nothing is left out.
    #[test]
    fn without_fifo_a_link_that_is_not_empty_counts_as_well() {
        let faults = FaultBudget { no_fifo: true, ..FaultBudget::default() };
        let instance = Instance { faults, ..path(&[20, 1, 90], &[2]) };
        let scene = Scene::new(&instance);
        assert!(!scene.choices().contains(&Expansion::Persistent(1 << 0)));
        let explored = scene.configurations();
        assert_eq!(explored, scene.in_full(&instance));
    }

    /// 0 tells 1; 2 tells 1 twice and then 3 twice, over links that hold one message; and 3 tells something if it
    /// wakes before a word has come. While the second word to 1 waits, so do those to 3: the set of 3 has 2, which
    /// may send to it, and 1, which makes the room for that. So 3 does not wake alone, though that is a single
    /// step, and two words are on their way to 1.
    #[test]
    fn who_makes_room_belongs_to_the_set_of_who_waits() {
        let instance = Instance { capacity: Some(1), ..path(&[10, 20, 90, 11], &[0, 2, 3]) };
        let mut scene = Scene::new(&instance);
        let ScheduleExplorer { graph, choices, here, .. } = &mut scene.explorer;
        let mut waiting = 0;
        for (number, &choice) in (0..).zip(&*choices) {
            here.read(graph.get(number));
            let Expansion::Persistent(set) = choice else { panic!("{choice:?}") };
            if here.outboxes[2].len() == 3 {
                waiting += 1;
                assert!(set >> 3 & 1 == 0 || set >> 1 & 1 == 1, "{set:b}");
            }
        }
        assert!(waiting > 0);
        assert_eq!(scene.ends().len(), 3);
        scene.in_full(&instance);
    }

    /// Any one message may be lost: the loss of one is not independent of the other's, so
    /// everything is explored.
    #[test]
    fn faults_that_are_counted_leave_nothing_out() {
        let faults = FaultBudget { loss: 1, ..FaultBudget::default() };
        let instance = Instance { faults, ..path(&[10, 20, 21, 11], &[0, 3]) };
        let scene = Scene::new(&instance);
        assert!(
            scene.choices().iter().all(|&choice| choice == Expansion::Persistent(ALL_PROCESSES))
        );
    }
}

/// Singleton sets: one delivery is enough.
mod singleton_sets {
    use super::*;

    /// 1 ignores what 0 and 2 tell it, at any time. Each word is delivered as soon as it is there. Left
    /// out is that it comes later: it changes nothing then, either.
    #[test]
    fn what_changes_nothing_at_any_time_is_delivered_at_once() {
        let instance = path(&[10, 30, 11], &[0, 1, 2]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.alone(no_op), BTreeSet::from([1]));
        let explored = scene.configurations();
        assert!(explored < scene.in_full(&instance));
    }

    /// 1 ignores 0 until 2 has told it something; from then on it counts. So a word of 0 changes nothing
    /// now, and may change something later: that it is taken at once is not justified, and both orders
    /// are explored. In the end 1 has counted one word, or two.
    #[test]
    fn what_changes_something_later_is_not() {
        let instance = awake(&[10, 70, 11]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.ends().len(), 2);
        scene.in_full(&instance);
    }

    /// 1 has halted. What still comes is discarded in one order of the two.
    #[test]
    fn what_a_halted_process_discards_comes_in_one_order() {
        let instance = path(&[10, 80, 11], &[0, 1, 2]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.alone(discard), BTreeSet::from([1]));
        let explored = scene.configurations();
        assert!(explored < scene.in_full(&instance));
    }

    /// 1 gathers a word of 0 and one of 2, and answers 0 after the second, in either order. The first
    /// that is there is delivered alone. Left out is the other order: 1 sends nothing before both have
    /// come, and has the same state then.
    #[test]
    fn the_first_of_two_that_are_only_counted_is_delivered_alone() {
        let instance = awake(&[10, 50, 11]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.alone(commuting), BTreeSet::from([1]));
        assert_eq!(scene.ends().len(), 1);
        let explored = scene.configurations();
        assert!(explored < scene.in_full(&instance));
    }

    /// 1 remembers who came last. The two orders differ, so neither delivery is enough alone.
    #[test]
    fn deliveries_whose_order_is_remembered_come_in_both_orders() {
        let instance = path(&[10, 40, 11], &[0, 2]);
        let scene = Scene::new(&instance);
        assert_eq!(scene.alone(commuting), BTreeSet::new());
        assert_eq!(scene.ends().len(), 2);
        scene.in_full(&instance);
    }
}

/// The examination: what is looked for, in which order.
mod examination {
    use super::*;

    fn examined(instance: &Instance, specification: &Specification<'_, Actor>) -> Exploration {
        explore(instance, specification, &Options::default()).expect("an instance that fits")
    }

    fn violated(found: &Exploration) -> Property {
        match &found.verdict {
            CheckVerdict::Violated(found) => found.violation.property,
            other => panic!("{other:?}"),
        }
    }

    /// Two lead as soon as both are awake. The search ends there: there are no costs of what was not
    /// explored, and the execution is a shortest one.
    #[test]
    fn a_violation_ends_the_search() {
        let instance = path(&[110, 111], &[0, 1]);
        let found = examined(&instance, &Specification::election());
        assert_eq!(violated(&found), Property::AtMostOneLeader);
        assert!(found.costs.is_none());
        let CheckVerdict::Violated(found) = found.verdict else { unreachable!() };
        assert_eq!((found.execution.moves.len(), found.shortest), (2, true));
    }

    /// 0 and 1 echo a word without end. There is no end, so no cost has a greatest value: the livelock
    /// is what is wrong, not the bound.
    #[test]
    fn a_livelock_comes_before_any_bound() {
        let instance = path(&[60, 61], &[0]);
        let specification = Specification::these(&[Property::MessageBound, Property::Termination]);
        let found = examined(&instance, &specification);
        assert_eq!(violated(&found), Property::Termination);
        assert!(found.endless && found.costs.is_none());
    }

    /// 0 draws, while 1 and 2 talk beside it. The reduction would keep one schedule, and an expectation is
    /// over all: everything is explored.
    #[test]
    fn who_draws_is_explored_in_full() {
        let instance = path(&[100, 20, 10], &[0, 2]);
        let found = examined(&instance, &Specification::these(&[]));
        let full = Options { full: true, ..Options::default() };
        let full = explore(&instance, &Specification::<Actor>::these(&[]), &full);
        let full = full.expect("an instance that fits");
        assert_eq!(found.states, full.states);
        let half = found.chances.expect("it draws").elected;
        assert!((half.min, half.max) == (0.5, 0.5), "{half:?}");
    }

    /// All wake at the start, one after another, which is no choice: those steps are not counted.
    #[test]
    fn waking_at_the_start_is_not_counted() {
        let instance = path(&[10, 20], &[0, 1]);
        let any_time = examined(&instance, &Specification::these(&[]));
        let at_start = Instance { wake: Wake::AtStart, ..instance };
        let at_start = examined(&at_start, &Specification::these(&[]));
        assert_eq!((at_start.states, at_start.transitions), (2, 1));
        assert!(any_time.states > at_start.states);
    }

    /// Nothing is violated, so there are costs, and an execution that attains the greatest.
    #[test]
    fn costs_come_last_with_their_worst_case() {
        let instance = path(&[10, 20, 11], &[0, 2]);
        let found = examined(&instance, &Specification::these(&[]));
        let costs = found.costs.expect("it ends");
        assert_eq!((costs.messages.min, costs.messages.max), (2, 2));
        assert_eq!(found.worst.expect("it was kept").moves.len(), 4);
    }
}

/// Tables of components.
mod tables {
    use super::*;
    use crate::components::tests::Compared;
    use crate::family::Family;
    use suffrage_algorithms::{Claimed, Claims, Ending, ring::ChangRoberts};

    /// Three processes of any roles: two leaders, late messages, more messages or time than is claimed,
    /// livelocks and draws.
    #[test]
    fn no_violation_is_missed() {
        let silent = Claims { ending: Ending::Silent, ..ChangRoberts::CLAIMS };
        let specifications = [
            Specification::<Actor>::safety(),
            Specification::these(&[Property::SilentEnding]).about(&silent),
            Specification::these(&[Property::MessageBound]).about(&ChangRoberts::CLAIMS),
            Specification::these(&[Property::TimeBound]).about(&ChangRoberts::CLAIMS),
        ];
        let mut compared = Compared::default();
        for roles in 0..1728 {
            let ids = [roles % 12 * 10, roles / 12 % 12 * 10 + 1, roles / 144 * 10 + 2];
            let instance = Instance { wake: Wake::AnyTimeOrNever, ..path(&ids, &[0, 1, 2]) };
            for specification in &specifications {
                compared.specified(specification, &Family::one(&instance));
            }
        }
    }
}
