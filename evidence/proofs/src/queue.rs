//! What the file of an algorithm finds in place of queues, and of the loop over one.
//!
//! Nothing is known of the contents of a queue: a process may take anything from it, or nothing. Each turn of a loop is a reaction of
//! its own, which may take place at any time in any state. So a table has every reaction that the process has, as the
//! loop's beginning and some turns after it, and others.

use crate::prelude::Process;
use crate::shapes::any;
use crate::symbols::{begin_turn, choose, refuse, skip, takes_turn, with_turns};
use crate::table::facts;
use serde::{Deserialize, Serialize};
use std::{
    hash::{Hash, Hasher},
    marker::PhantomData,
    panic::Location,
    slice::Iter,
};

pub(crate) use SymbolicQueue as LazyQueue;

/// A queue. Nothing is known of its contents.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename = "LazyQueue")]
pub(crate) struct SymbolicQueue<T>(PhantomData<T>);

impl<T: for<'de> Deserialize<'de>> SymbolicQueue<T> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }

    pub(crate) fn push(&mut self, _: T) {}

    pub(crate) fn pop(&mut self) -> Option<T> {
        (choose(2) == 1).then(any)
    }

    pub(crate) fn iter(&self) -> Iter<'_, T> {
        refuse("it looks through a queue")
    }
}

impl<T> PartialEq for SymbolicQueue<T> {
    fn eq(&self, _: &Self) -> bool {
        refuse("it compares queues")
    }
}

impl<T> Eq for SymbolicQueue<T> {}

impl<T> Hash for SymbolicQueue<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {
        refuse("it hashes a queue")
    }
}

/// Begins a loop, or takes one turn of it in any state. The reaction ends with it.
#[track_caller]
pub(crate) fn serve<P: Process, N, T>(
    process: &mut P,
    net: &mut N,
    next: impl Fn(&mut P) -> Option<T>,
    turn: impl Fn(&mut P, T, &mut N),
) {
    if takes_turn(Location::caller()) {
        begin_turn();
        *process = any();
        if process.halted() {
            skip();
        }
        let before = facts(process);
        with_turns(|turns| turns.before = Some(before));
        match next(process) {
            Some(item) => turn(process, item, net),
            None => skip(),
        }
    }
    let after = facts(process);
    with_turns(|turns| turns.after = Some(after));
}
