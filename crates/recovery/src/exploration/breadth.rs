//! Breadth-first search, on several threads.

use super::{
    Explorer, Report, Violation,
    configuration::{Broken, Configuration},
    continuation::Continuation,
    step::{Next, Step, successors, words},
    tables::Tables,
};
use crate::promises::Promise;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::{hash::BuildHasher, num::NonZero, ops::ControlFlow, thread};
use suffrage_process::recovery::{Office, Peer, Recoverable};

/// How many configurations a thread takes at a time.
const BATCH: usize = 2048;

/// The configurations found so far, in the order of finding them.
struct Space {
    width: usize,
    rows: Vec<u32>,
    parents: Vec<u32>,
    index: HashTable<u32>,
}

impl Space {
    fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), parents: Vec::new(), index: HashTable::new() }
    }

    fn len(&self) -> usize {
        self.parents.len()
    }

    fn row(&self, number: u32) -> &[u32] {
        &self.rows[number as usize * self.width..][..self.width]
    }

    /// Adds a configuration, unless it is there.
    fn add(&mut self, row: &[u32], parent: u32) {
        let hash = |row: &[u32]| FxBuildHasher.hash_one(row);
        let (rows, width) = (&self.rows, self.width);
        let at = |number: u32| &rows[number as usize * width..][..width];
        if self.index.find(hash(row), |&number| at(number) == row).is_none() {
            let number = self.parents.len() as u32;
            self.index.insert_unique(hash(row), number, |&number| hash(at(number)));
            self.rows.extend_from_slice(row);
            self.parents.push(parent);
        }
    }
}

/// What a thread has found from some configurations: rows, each with its parent.
#[derive(Default)]
struct Found {
    rows: Vec<u32>,
    parents: Vec<u32>,
    transitions: u64,
    held: u64,
    greatest_term: u64,
    vacancy: Option<u64>,
    broken: Option<(u32, Option<Step>, Broken)>,
}

pub(super) fn explore<P: Recoverable>(
    explorer: &Explorer<P>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Report {
    let report = search(explorer, explorer.threads, watch);
    if report.violation.is_some() && explorer.threads.get() > 1 {
        // Which of several shortest executions is found depends on the threads; alone it does not.
        return search(explorer, NonZero::<usize>::MIN, watch);
    }
    report
}

fn search<P: Recoverable>(
    explorer: &Explorer<P>,
    threads: NonZero<usize>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Report {
    let tables = Tables::new();
    let mut space = Space::new(explorer.peers as usize + 3);
    let mut row = Vec::new();
    explorer.first(&tables).pack(&tables, &mut row);
    space.add(&row, 0);
    let mut report = Report { complete: true, ..Report::default() };
    let (mut from, mut level_ends) = (0, 1);
    while from < space.len() && report.violation.is_none() {
        if from == level_ends {
            report.depth += 1;
            level_ends = space.len();
        }
        let until = level_ends.min(from + BATCH * threads.get());
        for found in expand(explorer, &tables, &space, from..until, threads) {
            report.transitions += found.transitions;
            report.held += found.held;
            report.greatest_term = report.greatest_term.max(found.greatest_term);
            report.longest_vacancy = report.longest_vacancy.max(found.vacancy);
            for (row, &parent) in found.rows.chunks(space.width).zip(&found.parents) {
                space.add(row, parent);
            }
            if report.violation.is_none()
                && let Some((at, last, broken)) = found.broken
            {
                report.violation = Some(violation(explorer, &tables, &space, at, last, broken));
            }
        }
        from = until;
        if from < space.len()
            && (space.len() >= explorer.limit || watch(space.len() as u64).is_break())
        {
            report.complete = false;
            break;
        }
    }
    report.complete &= report.violation.is_none();
    report.configurations = space.len() as u64;
    report
}

/// The successors of some configurations, in their order, whatever the number of threads.
fn expand<P: Recoverable>(
    explorer: &Explorer<P>,
    tables: &Tables<P>,
    space: &Space,
    of: std::ops::Range<usize>,
    threads: NonZero<usize>,
) -> Vec<Found> {
    let share = of.len().div_ceil(threads.get()).max(1);
    let parts: Vec<_> =
        of.clone().step_by(share).map(|start| start..(start + share).min(of.end)).collect();
    if let [part] = &*parts {
        return vec![expand_part(explorer, tables, space, part.clone())];
    }
    thread::scope(|scope| {
        let threads: Vec<_> = parts
            .into_iter()
            .map(|part| scope.spawn(|| expand_part(explorer, tables, space, part)))
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Found>| match thread.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    })
}

fn expand_part<P: Recoverable>(
    explorer: &Explorer<P>,
    tables: &Tables<P>,
    space: &Space,
    part: std::ops::Range<usize>,
) -> Found {
    let mut found = Found::default();
    let mut next: Vec<Next> = Vec::new();
    for number in part.start as u32..part.end as u32 {
        let here = Configuration::unpack(tables, space.row(number));
        let offices = || (0..explorer.offices).map(|office| Office(office.into()));
        let holds = |office| {
            (0..explorer.peers).any(|peer| here.holds(tables, Peer(peer), office).is_some())
        };
        found.held += u64::from(offices().any(holds));
        let greatest = here.rest.greatest.iter().map(|term| term.0).max();
        found.greatest_term = found.greatest_term.max(greatest.unwrap_or(0));
        if explorer.continuations {
            match Continuation::of(explorer, tables, &here).fill() {
                Ok(ticks) => found.vacancy = found.vacancy.max(Some(ticks)),
                Err(detail) => {
                    found.broken = Some((number, None, (Some(Promise::Soon), detail)));
                    return found;
                }
            }
        }
        successors(explorer, tables, &here, &mut next);
        for (step, next) in next.drain(..) {
            found.transitions += 1;
            match next {
                Ok(next) => {
                    next.pack(tables, &mut found.rows);
                    found.parents.push(number);
                }
                Err(broken) => {
                    found.broken = Some((number, Some(step), broken));
                    return found;
                }
            }
        }
    }
    found
}

/// The execution that leads to a configuration, found again step by step.
fn violation<P: Recoverable>(
    explorer: &Explorer<P>,
    tables: &Tables<P>,
    space: &Space,
    mut at: u32,
    last: Option<Step>,
    (promise, detail): Broken,
) -> Violation {
    let mut execution: Vec<String> = last.map(|step| words(step, tables)).into_iter().collect();
    let (mut next, mut row) = (Vec::new(), Vec::new());
    while at != 0 {
        let parent = space.parents[at as usize];
        let here = Configuration::unpack(tables, space.row(parent));
        successors(explorer, tables, &here, &mut next);
        for (step, to) in next.drain(..) {
            let Ok(to) = to else { continue };
            row.clear();
            to.pack(tables, &mut row);
            if row == space.row(at) {
                execution.push(words(step, tables));
                break;
            }
        }
        at = parent;
    }
    execution.reverse();
    Violation { promise, detail, execution }
}
