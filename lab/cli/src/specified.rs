//! What the commands share that run specifications.

use crate::error::{CommandEnding, Error};
use crate::output::print;
use crate::report::{ReportFormat, text_of};
use std::num::NonZero;
use std::path::Path;
use suffrage::experiment::{
    ExperimentReport, ExperimentRun, Monitor, RunOptions, Specification, Stamp,
};

/// The flags of every command that runs a specification.
pub(crate) struct RunFlags<'a> {
    /// The file for the figures of each trial.
    pub(crate) each: Option<&'a Path>,
    pub(crate) threads: Option<NonZero<usize>>,
    /// The command that the report names.
    pub(crate) command: String,
}

/// What every experiment of the command gets.
pub(crate) fn options(monitor: &dyn Monitor) -> RunOptions<'_> {
    RunOptions { program: std::env::current_exe().ok(), ..RunOptions::new(monitor) }
}

/// Prints a specification, and runs nothing.
pub(crate) fn print_spec(specification: &Specification) -> Result<CommandEnding, Error> {
    print(&specification.to_toml())?;
    Ok(CommandEnding::Fine)
}

/// Runs a specification, and prints its report.
pub(crate) fn run_and_print(
    specification: Specification,
    mut options: RunOptions<'_>,
    format: ReportFormat,
    command: String,
) -> Result<ExperimentRun, Error> {
    options.command = Some(command.clone());
    let mut ran = specification.run_with(&mut options)?;
    if let Some(report) = &mut ran.report {
        let text = match format {
            ReportFormat::Text => {
                summarized(report, &specification);
                text_of(report)?
            }
            ReportFormat::Json => report.to_json(&Stamp::new(command, Some(specification)))?,
        };
        print(&text)?;
    }
    Ok(ran)
}

/// Leaves out the trials that are listed only to be added up.
pub(crate) fn summarized(report: &mut ExperimentReport, asked: &Specification) {
    if matches!(asked, Specification::Population(asked) if asked.each) {
        return;
    }
    match report {
        ExperimentReport::Population(report) => report.results = None,
        ExperimentReport::Rules(report) => report.results = None,
        ExperimentReport::Sweep(rows) => {
            rows.iter_mut().for_each(|row| summarized(&mut row.report, asked));
        }
        _ => {}
    }
}
