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
    let mut always = vec![0_u64; space.len() * words];
    let mut row = vec![0_u64; words];
    let mut mistaken = Vec::new();
    for number in order {
        here.read(space.get(number));
        row.fill(0);
        for (bit, &(node, cause)) in ignored.iter().enumerate() {
            if automaton.ignores(here.locals[usize::from(node)], cause) {
                row[bit / 64] |= 1 << (bit % 64);
            }
        }
        let alone = matches!(choices[number as usize], Choice::Ignore(_));
        for edge in space.steps(number) {
            let after = &always[edge.to as usize * words..][..words];
            // Behind another message on the same link it is not.
            let through = match edge.step {
                Step::React(node, outcome) if !alone => match automaton.outcome(outcome).cause {
                    Cause::Deliver(port, _) => Some((node, port)),
                    _ => None,
                },
                _ => None,
            };
            for (word, (row, after)) in row.iter_mut().zip(after).enumerate() {
                let mut behind = 0;
                if through.is_some() {
                    for (bit, &(node, cause)) in ignored[word * 64..].iter().take(64).enumerate() {
                        if let Cause::Deliver(port, _) = cause
                            && through == Some((node, port))
                        {
                            behind |= 1 << bit;
                        }
                    }
                }
                *row &= after | behind;
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
