//! A bound of what one reaction does: one that sends itself messages for ever ends with an error, and
//! not when memory does.

use std::cell::Cell;

/// How many effects a reaction may have, reading included.
const MOST: u32 = 1_000_000;

/// The effects of one reaction, counted.
#[derive(Debug, Default)]
pub(crate) struct Effort(Cell<u32>);

impl Effort {
    /// Counts an effect.
    ///
    /// # Panics
    /// If there were too many.
    #[inline]
    pub(crate) fn add(&self) {
        let effects = self.0.get() + 1;
        assert!(effects <= MOST, "a reaction does not end: it has had {MOST} effects");
        self.0.set(effects);
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, MOST};

    #[test]
    #[should_panic(expected = "a reaction does not end")]
    fn a_reaction_without_end_ends() {
        let effort = Effort::default();
        for _ in 0..=MOST {
            effort.add();
        }
    }
}
