//! The greatest time over all schedules.
//!
//! Time is the number of asynchronous rounds since the last wake-up ([`suffrage_algorithms::Rounds`]),
//! so it depends on the order of independent steps: the greatest is exact where every configuration
//! is explored.

use crate::{
    cost::token_move::TokenMove,
    explorer::ScheduleExplorer,
    model::{Transition, automaton::Automaton, configuration::NEW, processes::LocalInput},
    search::Search,
    state_graph::{Successor, steps_to},
};
use std::collections::BTreeMap;

/// The greatest time, and an execution that takes more than is claimed, if there is one.
pub(crate) struct GreatestTime {
    /// The greatest time by the set of the processes that have woken by themselves.
    pub by_woken: BTreeMap<u128, u64>,
    /// The steps of the execution, its time, and the time that is claimed.
    pub beyond: Option<(Vec<Transition>, u64, u64)>,
}

struct TimedPath {
    units: u32,
    /// The messages under way that were sent before the present round, by their positions.
    old: u128,
    /// The previous place, and the step from it.
    from: u32,
    step: Option<Transition>,
}

/// The number of configurations between two heartbeats.
const HEARTBEAT: usize = 1 << 10;

impl ScheduleExplorer {
    /// Returns whether alarms ring.
    pub(crate) fn rings(&self) -> bool {
        let mut seen = self.may_send.effects(&self.automaton);
        seen.any(|effect| effect.input == LocalInput::Alarm)
    }

    /// Finds the greatest time, in one sweep over pairs of a configuration and the messages that
    /// were sent before the present round. Returns `None` if that takes too much memory, is
    /// stopped, or 128 messages or more are under way at once. Takes time exponential in the
    /// number of messages under way in the worst case.
    pub(crate) fn greatest_time(
        &mut self,
        order: &[u32],
        search: &mut Search<'_>,
    ) -> Option<GreatestTime> {
        let (model, claims) = (search.model, search.specification.claims());
        let Self { automaton, graph, here, .. } = self;
        let moves = TokenMove::all(graph);
        let mut places = vec![TimedPath { units: 0, old: 0, from: 0, step: None }];
        let mut fronts: BTreeMap<u32, Vec<u32>> = BTreeMap::from([(0, vec![0])]);
        let mut by_woken = BTreeMap::new();
        // The shortest path that exceeds the claim: its length, its place, and the claimed time.
        let mut beyond: Option<(usize, u32, u64)> = None;
        for (done, &number) in order.iter().rev().enumerate() {
            if done % HEARTBEAT == 0 {
                let memory = (places.capacity() * size_of::<TimedPath>()) as u64;
                if graph.memory() + memory > search.memory
                    || (search.heartbeat)(graph.len() as u64).is_break()
                {
                    return None;
                }
            }
            let Some(front) = fronts.remove(&number) else { continue };
            here.read(graph.get(number));
            let under_way = here.tokens().count();
            let all = 1_u128.checked_shl(under_way as u32)?.wrapping_sub(1);
            let wakes = (0..model.nodes()).any(|node| model.may_wake(node, here, automaton));
            if graph.is_end(number) {
                let longest = front.iter().max_by_key(|&&place| places[place as usize].units);
                let Some(&longest) = longest else { continue };
                let took = places[longest as usize].units;
                let woken = model.woken(here, automaton);
                raise(&mut by_woken, woken, took.into());
                let most = model.claimed_time(claims, woken);
                if let Some(most) = most.filter(|&most| u64::from(took) > most) {
                    let steps = way(longest, &places).len();
                    if beyond.is_none_or(|(known, ..)| steps < known) {
                        beyond = Some((steps, longest, most));
                    }
                }
            }
            for edge in graph.steps(number) {
                let step = RoundMove::new(edge, &moves, automaton);
                let known = fronts.entry(edge.to).or_default();
                for &from in &front {
                    let (units, old) = step.from(&places[from as usize], all);
                    // A greater time makes up for messages of an earlier round, as these end one
                    // round later at most; but not where a wake-up may reset the time.
                    let as_good = |of: &TimedPath, units: u32, old: u128| {
                        of.units >= units && of.old & !old == 0 || of.units > units && !wakes
                    };
                    if known.iter().any(|&other| as_good(&places[other as usize], units, old)) {
                        continue;
                    }
                    let new = TimedPath { units, old, from, step: Some(edge.step) };
                    known.retain(|&other| {
                        let TimedPath { units, old, .. } = places[other as usize];
                        !as_good(&new, units, old)
                    });
                    known.push(places.len() as u32);
                    places.push(new);
                }
            }
        }
        let beyond = beyond.map(|(_, place, most)| {
            let units = places[place as usize].units.into();
            (way(place, &places), units, most)
        });
        Some(GreatestTime { by_woken, beyond })
    }
}

fn raise(known: &mut BTreeMap<u128, u64>, woken: u128, units: u64) {
    let greatest = known.entry(woken).or_default();
    *greatest = units.max(*greatest);
}

fn way(place: u32, places: &[TimedPath]) -> Vec<Transition> {
    let before = |place: u32| {
        let TimedPath { from, step, .. } = places[place as usize];
        Some((step?, from))
    };
    steps_to(place, before)
}

struct RoundMove<'a> {
    wakes: bool,
    received: Option<u32>,
    /// The messages that are under way afterwards.
    tags: &'a [u32],
}

impl<'a> RoundMove<'a> {
    fn new(edge: &Successor, moves: &'a [TokenMove], automaton: &Automaton) -> Self {
        let TokenMove { received, tags } = &moves[edge.moved as usize];
        let wakes = match edge.step {
            Transition::React(_, effect) => automaton.effect(effect).input == LocalInput::Wake,
            Transition::Lose(_) | Transition::Double(_) | Transition::Tick => false,
        };
        Self { wakes, received: *received, tags }
    }

    /// Returns the time and the old messages after the step, where `all` are those under way before
    /// it.
    fn from(&self, place: &TimedPath, all: u128) -> (u32, u128) {
        let (mut units, mut old) = (place.units, place.old);
        if self.wakes {
            units = 0;
        } else if old == 0 && all != 0 {
            (units, old) = (units + 1, all);
        }
        if let Some(tag) = self.received {
            old &= !(1 << tag);
        }
        let after =
            self.tags.iter().enumerate().filter(|&(_, &tag)| tag != NEW && old >> tag & 1 == 1);
        (units, after.fold(0, |old, (place, _)| old | 1 << place))
    }
}

impl ScheduleExplorer {
    /// Finds the greatest time, in one sweep over the steps.
    pub(crate) fn greatest_ticks(&mut self, order: &[u32], search: &Search<'_>) -> GreatestTime {
        let (model, claims) = (search.model, search.specification.claims());
        let Self { automaton, graph, here, .. } = self;
        // For each configuration the greatest time at which it is reached, and the last step there.
        let mut reached: Vec<Option<(u64, u32, Option<Transition>)>> = vec![None; graph.len()];
        reached[0] = Some((0, 0, None));
        let mut by_woken = BTreeMap::new();
        // The end that exceeds the claim by most, with its time and what is claimed.
        let mut worst: Option<(u32, u64, u64)> = None;
        for &number in order.iter().rev() {
            let Some((now, ..)) = reached[number as usize] else { continue };
            here.read(graph.get(number));
            let edges = graph.steps(number);
            if graph.is_end(number) {
                let woken = model.woken(here, automaton);
                raise(&mut by_woken, woken, now);
                let most = model.claimed_time(claims, woken);
                let excess = |(_, units, most): (u32, u64, u64)| units - most;
                if let Some(most) = most.filter(|&most| now > most) {
                    let here = (number, now, most);
                    worst = worst.filter(|&worst| excess(worst) >= excess(here)).or(Some(here));
                }
            }
            for edge in edges {
                let then = match edge.step {
                    Transition::Tick => now + u64::from(model.ticks(here, automaton)),
                    Transition::React(_, effect)
                        if automaton.effect(effect).input == LocalInput::Wake =>
                    {
                        0
                    }
                    Transition::React(..) | Transition::Lose(_) | Transition::Double(_) => now,
                };
                let known = &mut reached[edge.to as usize];
                if known.is_none_or(|(most, ..)| then > most) {
                    *known = Some((then, number, Some(edge.step)));
                }
            }
        }
        let beyond = worst.map(|(last, units, most)| {
            let before = |number: u32| {
                let (_, from, step) = reached[number as usize]?;
                Some((step?, from))
            };
            (steps_to(last, before), units, most)
        });
        GreatestTime { by_woken, beyond }
    }
}
