//! A bound on the effects of one reaction: a process that sends itself messages without end fails
//! with an error before it exhausts memory.

use core::cell::Cell;

/// The greatest number of effects that a reaction may have, reads included.
const MOST: u32 = 1_000_000;

/// A counter of the effects of one reaction, for engines.
#[derive(Debug, Default)]
pub struct Effort(Cell<u32>);

impl Effort {
    /// Counts an effect.
    ///
    /// # Panics
    /// If the reaction has had too many effects.
    #[inline]
    pub fn add(&self) {
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
