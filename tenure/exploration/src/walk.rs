//! Walks through the possible executions: at random, or along a script.

use super::{
    ExplorationReport, ExplorationViolation, Explorer,
    configuration::{Broken, ClusterConfiguration, first},
    step::{ExplorationStep, Successors, words},
    tables::Tables,
};
use suffrage_numbers::random::Generator;
use tenure_model::Recoverable;

fn all<P: Recoverable>(
    successors: &mut Successors<'_, P>,
    here: &ClusterConfiguration,
) -> Vec<(ExplorationStep, Result<ClusterConfiguration, Broken>)> {
    let mut found = Vec::new();
    successors.visit(here, &mut |step, next| found.push((step, next.cloned())));
    found
}

pub(super) fn walk<P: Recoverable>(
    explorer: &Explorer<P>,
    walks: u64,
    steps: u32,
    seed: u64,
) -> ExplorationReport {
    let tables = Tables::new(explorer);
    let mut successors = Successors::new(&tables);
    let mut rng = Generator::new(seed, "walk");
    let mut report = ExplorationReport::default();
    let first = first(&tables);
    for _ in 0..walks {
        let mut here = first.clone();
        let mut taken: Vec<ExplorationStep> = Vec::new();
        for _ in 0..steps {
            report.configurations += 1;
            let mut next = all(&mut successors, &here);
            if next.is_empty() {
                break;
            }
            let (step, then) = next.swap_remove(rng.below(next.len() as u64) as usize);
            taken.push(step);
            report.transitions += 1;
            match then {
                Ok(then) => here = then,
                Err(broken) => {
                    report.violation = Some(violation(&tables, &taken, broken));
                    return report;
                }
            }
        }
        report.depth = report.depth.max(taken.len() as u32);
        let greatest = tables.histories.get(here.history).greatest.iter().max();
        report.greatest_term = report.greatest_term.max(greatest.map_or(0, |term| term.0));
    }
    report
}

/// Follows a script; `Err` with the number of the first line that is not possible, and the steps
/// that are.
pub(super) fn follow<P: Recoverable>(
    explorer: &Explorer<P>,
    script: &[&str],
) -> Result<ExplorationReport, (usize, Vec<String>)> {
    let tables = Tables::new(explorer);
    let mut successors = Successors::new(&tables);
    let mut report = ExplorationReport::default();
    let mut here = first(&tables);
    let mut taken = Vec::new();
    for (number, &line) in script.iter().enumerate() {
        let mut next = all(&mut successors, &here);
        let Some(at) = next.iter().position(|&(step, _)| words(step, &tables) == line) else {
            return Err((number, next.iter().map(|&(step, _)| words(step, &tables)).collect()));
        };
        let (step, then) = next.swap_remove(at);
        taken.push(step);
        report.transitions += 1;
        match then {
            Ok(then) => here = then,
            Err(broken) => {
                report.violation = Some(violation(&tables, &taken, broken));
                break;
            }
        }
    }
    report.depth = taken.len() as u32;
    Ok(report)
}

fn violation<P: Recoverable>(
    tables: &Tables<'_, P>,
    taken: &[ExplorationStep],
    (promise, detail): Broken,
) -> ExplorationViolation {
    ExplorationViolation {
        promise,
        detail,
        execution: taken.iter().map(|&step| words(step, tables)).collect(),
    }
}
