//! The exploration of a family on several threads.

use super::{
    Incomplete, Progress, Report, Settings,
    report::{Found, Tally},
};
use crate::{
    exploration::explorer::Explorer,
    family::Family,
    model::{
        Model,
        instance::{Instance, InvalidInstance},
    },
    property::properties::Properties,
    symmetry::{
        canonical_form::is_applicable,
        work_queue::{Role, WorkQueue},
    },
};
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};
use suffrage_model::Place;
use suffrage_parallel::{JobEvent, ordered};

/// Returns the family in which nodes differ, if properties may name them or processes know their
/// places.
pub(super) fn tell_apart(
    specification: &dyn Properties,
    family: &Family,
) -> Result<Family, InvalidInstance> {
    if family.is_empty() {
        return Ok(family.clone());
    }
    let first = family.get(0);
    first.check(specification.network(), specification.timing())?;
    Ok(family.told_apart(specification.has_own() || knows_places(specification, &first)))
}

fn knows_places(specification: &dyn Properties, instance: &Instance) -> bool {
    let mut automaton = specification.automaton();
    let model = Model::new(instance);
    let facts = model.facts(&automaton);
    (0..model.nodes()).any(|node| {
        let mut starts =
            |place: usize| model.start(node, Place(place as u32), &facts, &mut automaton);
        let here = starts(node);
        (0..model.nodes()).any(|place| starts(place) != here)
    })
}

pub(super) fn run(
    specification: &dyn Properties,
    family: &Family,
    settings: Settings<'_>,
) -> Result<Report, InvalidInstance> {
    let family = &tell_apart(specification, family)?;
    let of = family.len();
    let threads = settings.threads(of);
    let Settings { mut options, keep_going, symmetry, mut on_progress, .. } = settings;
    options.memory /= threads;
    let worst = Worst::default();
    let (states, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let compare = symmetry && of > 1 && is_applicable(specification, &family.get(0));
    let queue = WorkQueue::new(family, specification.network(), compare);
    let worker = || {
        let mut explorer = Explorer::new(specification.automaton());
        let (states, stop, queue, worst, options) = (&states, &stop, &queue, &worst, &options);
        move |_: &AtomicBool| {
            if stop.load(Relaxed) {
                return None;
            }
            let item = queue.take()?;
            let (number, instance) = (item.number, &item.instance);
            if instance.faults.no_fifo {
                // Messages are delivered in the order of their numbers, which must not depend on
                // the instances that this thread has explored before.
                explorer.automaton = specification.automaton();
            }
            if let (Role::Candidate(representative), Some(form)) = (&item.role, &item.form)
                && let Some(found) = explorer.infer(representative, instance, form, specification)
            {
                return Some((number, Found { itself: false, found }));
            }
            let mut before = 0;
            let mut heartbeat = |now: u64| {
                states.fetch_add(now.saturating_sub(before), Relaxed);
                // An instance may be explored a second time, for a shorter execution.
                before = before.max(now);
                if stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let found = explorer.examine(
                instance,
                specification,
                options,
                &|most| worst.may_be(number, most),
                &mut heartbeat,
            );
            states.fetch_add(found.states.saturating_sub(before), Relaxed);
            if let (Role::Representative, Some(form)) = (&item.role, &item.form) {
                queue.learn(form, explorer.representative(instance, form, &found, specification));
            }
            Some((number, Found { itself: true, found }))
        }
    };
    let mut tally = Tally::new(family, specification.claims());
    ordered(usize::try_from(threads).unwrap_or(usize::MAX), worker, |event| {
        if let JobEvent::Next(found) = event
            && tally.report.incomplete.is_none()
        {
            tally.add(found, keep_going);
        }
        let progress =
            Progress { instances: tally.report.instances, of, states: states.load(Relaxed) };
        let asked = on_progress.as_mut().is_some_and(|call| call(progress).is_break());
        if tally.report.incomplete.is_some() || asked {
            // Instances that are under way are ended early, and still counted.
            stop.store(true, Relaxed);
        }
        ControlFlow::Continue(())
    });
    if tally.report.incomplete.is_none() && tally.next < of {
        tally.report.incomplete = Some(Incomplete::Stopped);
    }
    Ok(tally.report)
}

/// The instances with more messages than every instance before them, among the results known so
/// far: only these can be the worst case of a report, wherever it ends.
#[derive(Default)]
struct Worst(Mutex<Vec<(u64, u64)>>);

impl Worst {
    /// Returns whether an instance, given by its number and its greatest number of messages, may be
    /// the worst case, and records it if so.
    fn may_be(&self, number: u64, most: u64) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.iter().any(|&(other, messages)| other < number && messages >= most) {
            return false;
        }
        known.retain(|&(other, messages)| other < number || messages > most);
        known.push((number, most));
        true
    }
}
