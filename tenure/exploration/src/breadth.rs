//! Breadth-first search, on several threads.

use super::{
    ExplorationReport, ExplorationViolation, Explorer,
    configuration::{Broken, ClusterConfiguration, first},
    continuation::{self, Continuation},
    history::RemainingBudget,
    shown::ShownExecution,
    space::{ConfigurationSpace, Fingerprint, SearchLevel},
    step::{ExplorationStep, Successors, reacted, words},
    tables::Tables,
};
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use std::{io, num::NonZero, ops::ControlFlow, ops::Range, thread};
use tenure_model::Recoverable;
use tenure_simulation::{SimulationWatch, promises::Promise};

/// The number of configurations that a thread takes at a time.
const BATCH: usize = 4096;

/// Continuations, each by the fingerprint of all that it depends on.
type Subjects = HashSet<Fingerprint, FxBuildHasher>;

/// The successors and statistics that a thread has found from some configurations.
#[derive(Default)]
struct LevelFindings {
    level: SearchLevel,
    /// The fingerprint, remaining budget and predecessor of each row of the level.
    marks: Vec<(Fingerprint, RemainingBudget, u32)>,
    transitions: u64,
    held: u64,
    greatest_term: u64,
    most_tenures: u8,
    vacancy: Option<u64>,
    /// What has been continued without faults until the offices were held.
    filled: Subjects,
    broken: Option<(u32, Option<ExplorationStep>, Broken)>,
}

/// What the threads know when they begin: all that was found before, and the level to expand, whose
/// first configuration has the number `base`.
#[derive(Clone, Copy)]
struct SearchState<'a> {
    space: &'a ConfigurationSpace,
    level: &'a SearchLevel,
    base: usize,
    filled: &'a Subjects,
}

pub(super) fn explore<P: Recoverable>(
    explorer: &Explorer<P>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    shown: &mut dyn SimulationWatch<P>,
) -> ExplorationReport {
    if explorer.threads.get() > 1 {
        let report = search(explorer, explorer.threads, watch, &mut ());
        if report.violation.is_none() {
            return report;
        }
        // Which of several shortest executions is found depends on the threads; with one it does
        // not.
    }
    search(explorer, NonZero::<usize>::MIN, watch, shown)
}

fn search<P: Recoverable>(
    explorer: &Explorer<P>,
    threads: NonZero<usize>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    shown: &mut dyn SimulationWatch<P>,
) -> ExplorationReport {
    let tables = Tables::new(explorer);
    let mut space = ConfigurationSpace::new(explorer.reduced);
    let (mut level, mut next) = (SearchLevel::default(), SearchLevel::default());
    let (start, mut row) = (first(&tables), Vec::new());
    start.pack(&mut row);
    space.add(Fingerprint::of(&row), start.left, 0);
    level.push(&row);
    let mut filled = Subjects::default();
    let mut report = ExplorationReport { complete: true, ..ExplorationReport::default() };
    // The number of the first configuration of this level.
    let mut base = 0;
    'levels: while level.len() > 0 && report.violation.is_none() {
        let next_base = space.len();
        let mut done = 0;
        while done < level.len() {
            let until = level.len().min(done + BATCH * threads.get());
            let known = SearchState { space: &space, level: &level, base, filled: &filled };
            for found in expand(&tables, known, done..until, threads) {
                report.transitions += found.transitions;
                report.held += found.held;
                report.greatest_term = report.greatest_term.max(found.greatest_term);
                report.tenures = report.tenures.max(found.most_tenures);
                report.longest_vacancy = report.longest_vacancy.max(found.vacancy);
                filled.extend(found.filled);
                for (row, &(fingerprint, left, parent)) in found.level.rows().zip(&found.marks) {
                    if space.add(fingerprint, left, parent) {
                        next.push(row);
                    }
                }
                if report.violation.is_none()
                    && let Some((at, last, broken)) = found.broken
                {
                    report.violation = Some(violation(&tables, &space, (at, last), broken, shown));
                }
            }
            done = until;
            if report.violation.is_some() {
                break;
            }
            // A level is left as a whole, so that the report does not depend on the threads.
            if watch(space.live() as u64).is_break() {
                report.complete = false;
                break 'levels;
            }
        }
        space.end_level();
        std::mem::swap(&mut level, &mut next);
        next.clear();
        base = next_base;
        if level.len() > 0 {
            report.depth += 1;
            if space.live() >= explorer.limit {
                report.complete = false;
                break;
            }
        }
    }
    report.complete &= report.violation.is_none();
    report.configurations = space.live() as u64;
    report.terms = tables.tenures().len() as u64;
    report
}

/// Computes the successors of some configurations, in an order that is independent of the number of
/// threads.
fn expand<P: Recoverable>(
    tables: &Tables<'_, P>,
    known: SearchState<'_>,
    of: Range<usize>,
    threads: NonZero<usize>,
) -> Vec<LevelFindings> {
    let share = of.len().div_ceil(threads.get()).max(1);
    let parts: Vec<_> =
        of.clone().step_by(share).map(|start| start..(start + share).min(of.end)).collect();
    if let [part] = &*parts {
        return vec![expand_part(tables, known, part.clone())];
    }
    thread::scope(|scope| {
        let start = |part: Range<usize>| {
            let work = {
                let part = part.clone();
                || expand_part(tables, known, part)
            };
            // Where the system starts no thread, the part is expanded by this one.
            (thread::Builder::new().spawn_scoped(scope, work), part)
        };
        let threads: Vec<_> = parts.into_iter().map(start).collect();
        let join =
            |(thread, part): (io::Result<thread::ScopedJoinHandle<'_, LevelFindings>>, _)| {
                match thread.map(thread::ScopedJoinHandle::join) {
                    Ok(Ok(found)) => found,
                    Ok(Err(panic)) => std::panic::resume_unwind(panic),
                    Err(_) => expand_part(tables, known, part),
                }
            };
        threads.into_iter().map(join).collect()
    })
}

fn expand_part<P: Recoverable>(
    tables: &Tables<'_, P>,
    SearchState { space, level, base, filled }: SearchState<'_>,
    part: Range<usize>,
) -> LevelFindings {
    let mut found = LevelFindings::default();
    let mut successors = Successors::new(tables);
    let mut here = first(tables);
    let mut row = Vec::new();
    for at in part {
        let number = (base + at) as u32;
        let Some(left) = space.left(number) else { continue };
        here.unpack(level.row(at), left);
        survey(tables, &here, &mut found);
        if let Some(ticks) = tables.explorer.filled_within
            && let subject = Continuation::subject(tables, &here)
            && !filled.contains(&subject)
            && found.filled.insert(subject)
        {
            match continuation::longest(tables, &here, ticks) {
                Ok(ticks) => found.vacancy = found.vacancy.max(Some(ticks)),
                Err(detail) => {
                    found.broken = Some((number, None, (Some(Promise::Soon), detail)));
                    return found;
                }
            }
        }
        let mut broken = None;
        successors.visit(&here, &mut |step, next| {
            found.transitions += 1;
            match next {
                Ok(next) => {
                    row.clear();
                    next.pack(&mut row);
                    let fingerprint = Fingerprint::of(&row);
                    if !space.covers(fingerprint, next.left) {
                        found.level.push(&row);
                        found.marks.push((fingerprint, next.left, number));
                    }
                }
                Err(what) => {
                    broken.get_or_insert((number, Some(step), what));
                }
            }
        });
        if broken.is_some() {
            found.broken = broken;
            return found;
        }
    }
    found
}

/// Records the statistics of a configuration.
fn survey<P: Recoverable>(
    tables: &Tables<'_, P>,
    here: &ClusterConfiguration,
    found: &mut LevelFindings,
) {
    let explorer = tables.explorer;
    let holds = |office, peer| here.holds(tables, peer, office).is_some();
    let is_held = |office| explorer.participants().any(|peer| holds(office, peer));
    found.held += u64::from(explorer.all_offices().any(is_held));
    let greatest = tables.histories.get(here.history).greatest.iter().max();
    found.greatest_term = found.greatest_term.max(greatest.map_or(0, |term| term.0));
    found.most_tenures = found.most_tenures.max(explorer.budget.tenures - here.left.tenures);
}

/// Reconstructs and shows step by step the execution that leads to a configuration, and to its last step.
fn violation<P: Recoverable>(
    tables: &Tables<'_, P>,
    space: &ConfigurationSpace,
    (at, last): (u32, Option<ExplorationStep>),
    (promise, detail): Broken,
    shown: &mut dyn SimulationWatch<P>,
) -> ExplorationViolation {
    let mut execution = Vec::new();
    let mut successors = Successors::new(tables);
    let (mut here, mut row) = (first(tables), Vec::new());
    let mut shown = ShownExecution::begin(tables, shown, &here);
    for number in space.path(at) {
        let mut way: Option<(ExplorationStep, ClusterConfiguration)> = None;
        successors.visit(&here, &mut |step, next| {
            if let (None, Ok(next)) = (&way, next) {
                row.clear();
                next.pack(&mut row);
                if space.is(number, Fingerprint::of(&row), next.left) {
                    way = Some((step, next.clone()));
                }
            }
        });
        let Some((step, next)) = way else { break };
        execution.push(words(step, tables));
        shown.step(&here, step, &next);
        here = next;
    }
    if let Some(step) = last {
        execution.push(words(step, tables));
        shown.step(&here, step, &reacted(tables, &here, step));
    }
    ExplorationViolation { promise, detail, execution }
}
