//! Whose turn it is: the instances of a family in the order of their numbers, and those that may be
//! like another when that one has been explored.

use crate::{
    alike::{Form, Original, form},
    family::Family,
    instance::Instance,
};
use rustc_hash::FxHashMap;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use suffrage_process::Process;

/// The instances of a family, for several threads to take.
pub(crate) struct Turns<'a, P: Process> {
    family: &'a Family,
    /// Whether instances are compared.
    compare: bool,
    state: Mutex<State<P>>,
}

struct State<P: Process> {
    next: u64,
    /// Instances that have waited for the exploration of another.
    ready: VecDeque<u64>,
    classes: FxHashMap<Box<[u8]>, Class<P>>,
}

/// Instances that may be alike: what is known of the first of them.
enum Class<P: Process> {
    /// It is being explored, and these wait for it.
    Open(Vec<u64>),
    /// It was, and the others may be like it.
    Known(Arc<Original<P>>),
    /// Nothing follows from it for the others.
    Alone,
}

/// An instance to deal with.
pub(crate) struct Turn<P: Process> {
    pub number: u64,
    pub instance: Instance,
    pub form: Option<Form>,
    pub role: Role<P>,
}

pub(crate) enum Role<P: Process> {
    /// Others may wait for it.
    First,
    /// It may be like this one.
    Like(Arc<Original<P>>),
    /// It is to be explored, and nobody waits for it.
    Single,
}

/// Of more classes than these nothing is kept, for want of memory.
const MOST_CLASSES: usize = 1 << 16;

impl<'a, P: Process> Turns<'a, P> {
    pub(crate) fn new(family: &'a Family, compare: bool) -> Self {
        let state = State { next: 0, ready: VecDeque::new(), classes: FxHashMap::default() };
        Self { family, compare, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next instance that does not have to wait. The first of a class is the one with the
    /// smallest number, whichever thread takes it.
    pub(crate) fn take(&self) -> Option<Turn<P>> {
        let mut state = self.state();
        loop {
            let number = match state.ready.pop_front() {
                Some(number) => number,
                None if state.next >= self.family.len() => return None,
                None => {
                    state.next += 1;
                    state.next - 1
                }
            };
            let instance = self.family.get(number);
            let form = if self.compare { form(&instance, P::NETWORK) } else { None };
            let full = state.classes.len() >= MOST_CLASSES;
            let known = form.as_ref().map(|form| state.classes.get_mut(&form.key));
            let role = match known {
                Some(Some(Class::Open(waiting))) => {
                    waiting.push(number);
                    continue;
                }
                Some(Some(Class::Known(original))) => Role::Like(Arc::clone(original)),
                None | Some(Some(Class::Alone)) => Role::Single,
                Some(None) if full => Role::Single,
                Some(None) => {
                    let key = form.as_ref().map(|form| form.key.clone());
                    state.classes.extend(key.map(|key| (key, Class::Open(Vec::new()))));
                    Role::First
                }
            };
            return Some(Turn { number, instance, form, role });
        }
    }

    /// The first of a class has been explored: those that wait for it may go on.
    pub(crate) fn learn(&self, form: &Form, original: Option<Original<P>>) {
        let mut state = self.state();
        let class = original.map_or(Class::Alone, |original| Class::Known(Arc::new(original)));
        if let Some(Class::Open(waiting)) = state.classes.insert(form.key.clone(), class) {
            state.ready.extend(waiting);
        }
    }
}
