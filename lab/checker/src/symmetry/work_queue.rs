//! The work queue of a family: instances in the order of their numbers, and candidates for
//! isomorphism once their representative has been explored.

use crate::{
    family::{Family, Listing},
    instance::Instance,
    symmetry::canonical_form::{CanonicalForm, Representative, canonical_form},
};
use rustc_hash::FxHashMap;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use suffrage_model::NetworkClass;

/// The instances of a family, shared by several threads.
pub(crate) struct WorkQueue<'a> {
    instances: Listing<'a>,
    network: NetworkClass,
    /// Whether instances are compared.
    compare: bool,
    state: Mutex<WorkState>,
}

struct WorkState {
    next: u64,
    /// Instances that have waited for their representative.
    ready: VecDeque<u64>,
    classes: FxHashMap<Box<[u8]>, FormClass>,
}

/// A class of instances with the same canonical form.
enum FormClass {
    /// Its representative is being explored, and these instances wait for it.
    Pending(Vec<u64>),
    /// Its representative has been explored.
    Explored(Arc<Representative>),
    /// Nothing follows from its representative for others.
    Unusable,
}

/// An instance to explore or to compare.
pub(crate) struct WorkItem {
    pub number: u64,
    pub instance: Instance,
    pub form: Option<CanonicalForm>,
    pub role: SymmetryRole,
}

pub(crate) enum SymmetryRole {
    /// It is the representative of its class.
    Representative,
    /// It may be isomorphic to this representative.
    Candidate(Arc<Representative>),
    /// It is explored, and no other instance waits for it.
    Solitary,
}

/// The maximum number of classes that are kept, to limit memory.
const MOST_CLASSES: usize = 1 << 16;

impl<'a> WorkQueue<'a> {
    pub(crate) fn new(family: &'a Family, network: NetworkClass, compare: bool) -> Self {
        let state = WorkState { next: 0, ready: VecDeque::new(), classes: FxHashMap::default() };
        Self { instances: family.listing(), network, compare, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next instance that does not have to wait. The representative of a class is its
    /// instance with the smallest number, no matter which thread takes it.
    pub(crate) fn take(&self) -> Option<WorkItem> {
        let mut state = self.state();
        loop {
            let number = match state.ready.pop_front() {
                Some(number) => number,
                None if state.next >= self.instances.len() => return None,
                None => {
                    state.next += 1;
                    state.next - 1
                }
            };
            let instance = self.instances.get(number);
            let form = if self.compare { canonical_form(&instance, self.network) } else { None };
            let full = state.classes.len() >= MOST_CLASSES;
            let known = form.as_ref().map(|form| state.classes.get_mut(&form.key));
            let role = match known {
                Some(Some(FormClass::Pending(waiting))) => {
                    waiting.push(number);
                    continue;
                }
                Some(Some(FormClass::Explored(original))) => {
                    SymmetryRole::Candidate(Arc::clone(original))
                }
                None | Some(Some(FormClass::Unusable)) => SymmetryRole::Solitary,
                Some(None) if full => SymmetryRole::Solitary,
                Some(None) => {
                    let key = form.as_ref().map(|form| form.key.clone());
                    state.classes.extend(key.map(|key| (key, FormClass::Pending(Vec::new()))));
                    SymmetryRole::Representative
                }
            };
            return Some(WorkItem { number, instance, form, role });
        }
    }

    /// Records the representative of a class, and releases the instances that wait for it.
    pub(crate) fn learn(&self, form: &CanonicalForm, original: Option<Representative>) {
        let mut state = self.state();
        let class = original
            .map_or(FormClass::Unusable, |original| FormClass::Explored(Arc::new(original)));
        if let Some(FormClass::Pending(waiting)) = state.classes.insert(form.key.clone(), class) {
            state.ready.extend(waiting);
        }
    }
}
