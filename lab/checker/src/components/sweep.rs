//! The extremes of messages and depths over a graph of components, as
//! [`extremes`](crate::cost::extremes) finds them: forward, with a record for each configuration whose
//! steps have not been swept.

use crate::{
    components::{
        graph::{ComponentGraph, ComponentStep},
        scene::Scene,
        tables::{ComponentTables, Counts, LATEST, WAKES},
        ways::KeptWay,
    },
    cost::{SUMS, extremes::RunExtremes},
    outcome::Extremes,
};
use std::{collections::BTreeMap, ops::ControlFlow};

/// Of each process its depth, and those of the messages under way to it, in the order of their places.
type Depths<const N: usize> = [[u8; 16]; N];

/// The greatest and the least of each number over all paths to a configuration.
#[derive(Clone, Copy)]
struct Record<const N: usize> {
    greatest: Depths<N>,
    most: Counts,
    least: Depths<N>,
    fewest: Counts,
}

const NOWHERE: u32 = u32::MAX;

/// No number may be as great as this: it stands for all that have no room.
const NO_ROOM: u8 = u8::MAX;

#[inline]
fn insert(bytes: &mut [u8; 16], place: u32, byte: u8) {
    let (word, low) = (u128::from_le_bytes(*bytes), (1_u128 << (8 * place)) - 1);
    let word = word & low | u128::from(byte) << (8 * place) | (word & !low) << 8;
    *bytes = word.to_le_bytes();
}

#[inline]
fn remove(bytes: &mut [u8; 16], place: u32) -> u8 {
    let (word, low) = (u128::from_le_bytes(*bytes), (1_u128 << (8 * place)) - 1);
    *bytes = (word & low | word >> 8 & !low).to_le_bytes();
    (word >> (8 * place)) as u8
}

/// Returns the depths after a step.
#[inline]
fn after<const N: usize>(
    mut depths: Depths<N>,
    edge: ComponentStep,
    scene: &Scene,
    tables: &ComponentTables,
) -> Depths<N> {
    let (node, event) = (edge.node(), tables.event(edge.event()));
    if event.received != WAKES {
        let received = remove(&mut depths[node], 1 + u32::from(event.received));
        if !event.late {
            depths[node][0] = depths[node][0].max(received);
        }
    }
    let deeper = depths[node][0].saturating_add(1);
    for (to, place) in edge.arrivals(scene, tables) {
        insert(&mut depths[to], 1 + place, deeper);
    }
    depths
}

fn raise(known: &mut [u8], new: &[u8]) {
    known.iter_mut().zip(new).for_each(|(known, &new)| *known = new.max(*known));
}

fn lower(known: &mut [u8], new: &[u8]) {
    known.iter_mut().zip(new).for_each(|(known, &new)| *known = new.min(*known));
}

fn deepest<const N: usize>(depths: &Depths<N>, nodes: usize) -> u64 {
    depths[..nodes].iter().map(|bytes| bytes[0]).max().unwrap_or(0).into()
}

impl<const N: usize> Record<N> {
    const NONE: Self = Self {
        greatest: [[0; 16]; N],
        most: [0; 16],
        least: [[NO_ROOM; 16]; N],
        fewest: [NO_ROOM; 16],
    };

    #[inline]
    fn pass(&self, edge: ComponentStep, scene: &Scene, tables: &ComponentTables, to: &mut Self) {
        let sent = &tables.sent[edge.event() as usize];
        raise(
            to.greatest.as_flattened_mut(),
            after(self.greatest, edge, scene, tables).as_flattened(),
        );
        lower(to.least.as_flattened_mut(), after(self.least, edge, scene, tables).as_flattened());
        for (number, &sent) in sent.iter().enumerate() {
            to.most[number] = to.most[number].max(self.most[number].saturating_add(sent));
            to.fewest[number] = to.fewest[number].min(self.fewest[number].saturating_add(sent));
        }
        let event = tables.event(edge.event());
        if event.late {
            let received = self.greatest[edge.node()][1 + usize::from(event.received)];
            to.most[LATEST] = to.most[LATEST].max(received);
        }
    }

    /// Returns the extremes of an end; `None` if a number had no room.
    fn extremes(&self, nodes: usize, kinds: usize) -> Option<RunExtremes> {
        let both = self.most.iter().zip(&self.fewest).take(SUMS + kinds);
        let both = both.map(|(&max, &min)| Extremes { min: min.into(), max: max.into() });
        let greatest = deepest(&self.greatest, nodes);
        let full = self.most.contains(&NO_ROOM) || greatest == u64::from(NO_ROOM);
        (!full).then(|| RunExtremes {
            messages: both.collect(),
            greatest_depth: greatest,
            latest: self.most[LATEST].into(),
            least_depth: deepest(&self.least, nodes),
        })
    }
}

/// What a sweep finds.
pub(crate) struct Swept {
    /// The configurations, each before those to which its steps lead.
    pub order: Vec<u32>,
    /// The extremes by the set of the processes that have woken by themselves.
    pub by_woken: BTreeMap<u128, RunExtremes>,
}

impl<const L: usize> ComponentGraph<L> {
    /// Sweeps over the steps; `None` if there is a cycle, a number has no room, or the records take more
    /// memory than there is.
    pub(crate) fn sweep<const N: usize>(
        &self,
        scene: &Scene,
        tables: &ComponentTables,
        kinds: usize,
        memory: u64,
    ) -> Option<Swept> {
        let room = self.room::<Record<N>>(tables, memory);
        let mut before = vec![0_u32; self.len()];
        let numbers = 0..self.len() as u32;
        numbers.clone().for_each(|number| {
            self.steps(number).iter().for_each(|edge| before[edge.to as usize] += 1);
        });
        let (mut records, mut free) = (vec![Record::<N>::NONE], Vec::new());
        records[0].least = [[0; 16]; N];
        records[0].fewest = [0; 16];
        let mut places = vec![NOWHERE; self.len()];
        places[0] = 0;
        let mut found = Swept { order: Vec::new(), by_woken: BTreeMap::new() };
        found.order.reserve(self.len());
        let mut open: Vec<u32> = numbers.filter(|&number| before[number as usize] == 0).collect();
        while let Some(number) = open.pop() {
            found.order.push(number);
            let place = places[number as usize];
            let here = records[place as usize];
            free.push(place);
            if records.len() > room {
                return None;
            }
            if self.is_end(number) {
                let end = here.extremes(scene.nodes, kinds)?;
                let known = found.by_woken.entry(self.woken(number, scene.nodes, tables));
                known.and_modify(|known| known.join(&end)).or_insert(end);
            }
            for &edge in self.steps(number) {
                let place = &mut places[edge.to as usize];
                if *place == NOWHERE {
                    *place = free.pop().unwrap_or(records.len() as u32);
                    match records.get_mut(*place as usize) {
                        Some(record) => *record = Record::NONE,
                        None => records.push(Record::NONE),
                    }
                }
                here.pass(edge, scene, tables, &mut records[*place as usize]);
                before[edge.to as usize] -= 1;
                if before[edge.to as usize] == 0 {
                    open.push(edge.to);
                }
            }
        }
        (found.order.len() == self.len()).then_some(found)
    }

    /// Returns how many values fit into the memory beside the graph.
    pub(crate) fn room<T>(&self, tables: &ComponentTables, memory: u64) -> usize {
        let left = memory.saturating_sub(self.memory() + tables.memory());
        left as usize / size_of::<T>()
    }

    /// Returns the least depth, between the bounds that are known, or a number that is at most as great if
    /// it is not less than `known`; `None` if that takes too much memory.
    pub(crate) fn least_depth<const N: usize>(
        &self,
        scene: &Scene,
        tables: &ComponentTables,
        swept: &Swept,
        bounds: (u64, u64),
        known: Option<u64>,
        memory: u64,
    ) -> Option<u64> {
        let (least, mut greatest) = bounds;
        let room = self.room::<Depths<N>>(tables, memory);
        let reaches = |limit| self.reaches::<N>(scene, tables, &swept.order, limit, room);
        if let Some(known) = known.filter(|&known| known <= greatest) {
            greatest = known;
            if known <= least || !reaches(known - 1)? {
                return Some(known);
            }
        }
        for limit in least..greatest {
            if reaches(limit)? {
                return Some(limit);
            }
        }
        Some(greatest)
    }

    /// Returns whether some run ends with no depth above the limit. Of the ways to a configuration that are within it,
    /// all are kept but those that are no better than another.
    fn reaches<const N: usize>(
        &self,
        scene: &Scene,
        tables: &ComponentTables,
        order: &[u32],
        limit: u64,
        room: usize,
    ) -> Option<bool> {
        let above = u8::try_from(limit).ok()?.checked_add(1)?;
        let first: Depths<N> = [[0; 16]; N];
        let after = |_: &(), way: &Depths<N>, edge: ComponentStep| {
            let event = tables.event(edge.event());
            let received = 1 + usize::from(event.received);
            if event.received != WAKES && !event.late && way[edge.node()][received] >= above {
                return None;
            }
            let mut then = after(*way, edge, scene, tables);
            then.as_flattened_mut().iter_mut().for_each(|depth| *depth = above.min(*depth));
            Some(then)
        };
        let end = |_, _: &[Depths<N>]| ControlFlow::Break(());
        self.follow(order, (first, room), |_| (), after, end).map(|found| found.is_break())
    }
}

impl<const N: usize> KeptWay for Depths<N> {
    fn is_as_good(&self, other: &Self) -> bool {
        self.as_flattened().iter().zip(other.as_flattened()).all(|(a, b)| a <= b)
    }
}
