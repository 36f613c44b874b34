//! Whether messages that are ignored are ignored whenever they may arrive.

use crate::{
    automaton::{Automaton, Cause},
    configuration::Configuration,
    model::{Event, Step},
    order::successors_first,
    reduction::Choice,
    space::Space,
};
use rustc_hash::FxHashMap;
use suffrage_process::Process;

/// The configurations from which a delivery was explored alone because it is ignored, although it
/// is not ignored at some later time at which it could have happened as well; `None` if the
/// question cannot be answered because some configuration leads back to itself.
///
/// For each configuration and each ignored message on a link: is it ignored there, and after each
/// step but the delivery of another message, one that is not ignored, through the same link?
/// A bit for each, from the last configurations to the first.
pub(crate) fn mistaken<P: Process>(
    space: &Space,
    choices: &[Choice],
    automaton: &mut Automaton<P>,
    here: &mut Configuration,
) -> Option<Vec<u32>> {
    let mut bits: FxHashMap<(u16, Cause), usize> = FxHashMap::default();
    let mut ignored: Vec<(u16, Cause)> = Vec::new();
    for choice in choices {
        if let Choice::Ignore(Event::React(node, cause)) = *choice {
            bits.entry((node, cause)).or_insert_with(|| {
                ignored.push((node, cause));
                ignored.len() - 1
            });
        }
    }
    if ignored.is_empty() {
        return Some(Vec::new());
    }
    let order = successors_first(space).ok()?;
    let words = ignored.len().div_ceil(64);
    let mut rows = Rows::new(&ignored, automaton.locals(), here.locals.len());
    let mut always = vec![0_u64; space.len() * words];
    let mut row = vec![0_u64; words];
    let mut mistaken = Vec::new();
    for number in order {
        here.read(space.get(number));
        row.fill(0);
        for node in 0..here.locals.len() {
            if let Some(of_node) = rows.of(node, here.locals[node], automaton) {
                row.iter_mut().zip(of_node).for_each(|(row, of_node)| *row |= of_node);
            }
        }
        let alone = matches!(choices[number as usize], Choice::Ignore(_));
        for edge in space.steps(number) {
            let after = &always[edge.to as usize * words..][..words];
            // Behind another message on the same link it is not.
            let behind = match edge.step {
                Step::React(node, outcome) if !alone => match automaton.outcome(outcome).cause {
                    Cause::Deliver(port, _) => rows.through.get(&(node, port)),
                    _ => None,
                },
                _ => None,
            };
            match behind {
                Some(behind) => {
                    let both = after.iter().zip(behind).map(|(after, behind)| after | behind);
                    row.iter_mut().zip(both).for_each(|(row, both)| *row &= both);
                }
                None => row.iter_mut().zip(after).for_each(|(row, after)| *row &= after),
            }
        }
        always[number as usize * words..][..words].copy_from_slice(&row);
        if let Choice::Ignore(Event::React(node, cause)) = choices[number as usize] {
            let bit = bits[&(node, cause)];
            if row[bit / 64] >> (bit % 64) & 1 == 0 {
                mistaken.push(number);
            }
        }
    }
    Some(mistaken)
}

/// Sets of ignored messages, a bit for each.
struct Rows {
    /// For each process those that it has ever ignored.
    by_node: Vec<Vec<(usize, Cause)>>,
    /// Those that come to a process through a port.
    through: FxHashMap<(u16, u16), Vec<u64>>,
    /// For each local state and process, where those that it ignores begin, once that is known.
    places: Vec<usize>,
    known: Vec<u64>,
    words: usize,
}

const UNKNOWN: usize = usize::MAX;

impl Rows {
    fn new(ignored: &[(u16, Cause)], locals: usize, nodes: usize) -> Self {
        let words = ignored.len().div_ceil(64);
        let mut by_node = vec![Vec::new(); nodes];
        let mut through: FxHashMap<_, Vec<u64>> = FxHashMap::default();
        for (bit, &(node, cause)) in ignored.iter().enumerate() {
            by_node[usize::from(node)].push((bit, cause));
            if let Cause::Deliver(port, _) = cause {
                let row = through.entry((node, port)).or_insert_with(|| vec![0; words]);
                row[bit / 64] |= 1 << (bit % 64);
            }
        }
        Self { by_node, through, places: vec![UNKNOWN; locals * nodes], known: Vec::new(), words }
    }

    /// Those that a process ignores in a local state; `None` if it has never ignored any.
    fn of<P: Process>(
        &mut self,
        node: usize,
        local: u32,
        automaton: &mut Automaton<P>,
    ) -> Option<&[u64]> {
        let Self { by_node, places, known, words, .. } = self;
        if by_node[node].is_empty() {
            return None;
        }
        let place = &mut places[local as usize * by_node.len() + node];
        if *place == UNKNOWN {
            *place = known.len();
            known.resize(*place + *words, 0);
            for &(bit, cause) in &by_node[node] {
                if automaton.ignores(local, cause) {
                    known[*place + bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        Some(&known[*place..][..*words])
    }
}
