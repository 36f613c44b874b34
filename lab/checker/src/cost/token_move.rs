//! What a step does to the messages under way.

use crate::model::configuration::{GlobalState, LinkMessage, NEW, next, number};
use crate::{encoding_set::EncodingSet, state_graph::StateGraph};

/// What a step does to the messages under way. Whatever is known of each of them before the step (how deep
/// it is, whether it was sent before the present round) is known of it afterwards without another look at
/// the configurations. Many steps do the same: an exploration of millions has some hundreds of these.
pub(crate) struct TokenMove {
    /// The position, before the step, of the message that is received, if any is.
    pub received: Option<u32>,
    /// The positions, before the step, of the messages that are under way after it, in the order of the
    /// encoding; [`NEW`] for those that it sends.
    pub tags: Vec<u32>,
}

impl TokenMove {
    /// Records the move of a step that was applied to a configuration as it was decoded, and returns its
    /// number. The encoding is injective.
    pub(crate) fn record(
        received: Option<LinkMessage>,
        after: &GlobalState,
        moves: &mut EncodingSet,
    ) -> u32 {
        moves.insert_written(|out| {
            number(out, received.map_or(0, |token| token.tag + 1));
            after.tokens().for_each(|token| number(out, token.tag.wrapping_add(1)));
        })
    }

    fn read(mut bytes: &[u8]) -> Self {
        let received = next(&mut bytes).checked_sub(1);
        let mut tags = Vec::new();
        while !bytes.is_empty() {
            tags.push(next(&mut bytes).checked_sub(1).unwrap_or(NEW));
        }
        Self { received, tags }
    }

    /// Decodes the moves that were recorded, by number.
    pub(crate) fn all(graph: &StateGraph) -> Vec<Self> {
        (0..graph.moves.len() as u32).map(|number| Self::read(graph.moves.get(number))).collect()
    }
}
