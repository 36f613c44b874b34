//! Runs specifications: one function for every kind of experiment.

use crate::compare;
use crate::elect;
use crate::error::Error;
use crate::monitor::Monitor;
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::{ExperimentReport, SweepRow};
use crate::source::GivenNetworks;
use crate::specification::Specification;
use crate::sweep::{FieldSweep, words};

impl Specification {
    /// Runs the experiment. `given` are further networks that the specification may name; `monitor` receives the
    /// progress, and may stop it.
    ///
    /// # Errors
    /// If the experiment is not possible, or it was stopped before there was anything to report.
    pub fn run(
        &self,
        given: &GivenNetworks,
        monitor: &dyn Monitor,
    ) -> Result<ExperimentReport, Error> {
        let ran = self.run_with(&mut RunOptions { given, ..RunOptions::new(monitor) })?;
        match (ran.report, ran.early) {
            (_, Some(EarlyEnd::Failed(error))) => Err(error),
            (Some(report), _) => Ok(report),
            (None, early) => Err(Error::new(early.map_or_else(String::new, |end| end.to_string()))),
        }
    }

    /// Runs the experiment with everything that a caller may want besides its report.
    ///
    /// # Errors
    /// If the experiment is not possible, or something cannot be written.
    pub fn run_with(&self, options: &mut RunOptions<'_>) -> Result<ExperimentRun, Error> {
        options.command.get_or_insert_with(|| self.command_line());
        match self {
            Self::Elect(asked) => elect::run(asked, options),
            Self::Compare(asked) => compare::run(asked, options),
            Self::Check(asked) => crate::check::run(asked, options),
            Self::Population(asked) => crate::population::run(asked, options),
            Self::Sweep(fields) => sweep(fields, options),
            #[cfg(feature = "runtime")]
            Self::Cluster(asked) => crate::real::run(asked, options),
            #[cfg(not(feature = "runtime"))]
            Self::Cluster(_) => Err(Error::new(
                "cluster: this program was built without elections between real nodes; `suffrage \
                 run` has them",
            )),
        }
    }
}

/// Runs every combination, up to the one at which it is stopped or that is not possible.
fn sweep(sweep: &FieldSweep, options: &mut RunOptions<'_>) -> Result<ExperimentRun, Error> {
    let given = [
        ("--history", options.history.is_some()),
        ("--distribution", options.distribution.is_some()),
        ("--trace", options.trace.is_some()),
    ];
    if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Error::new(format!("{flag} is for one experiment, and a sweep is many")));
    }
    options.sink = None;
    let all = sweep.combinations()?;
    let (mut rows, mut early) = (Vec::new(), None);
    for (done, (values, asked)) in all.iter().enumerate() {
        options.command = Some(asked.command_line());
        let ran = match asked.run_with(options) {
            Ok(ran) => ran,
            Err(error) => ExperimentRun::without_report(EarlyEnd::Failed(error)),
        };
        early = ran.early.map(|end| match end {
            EarlyEnd::Failed(error) => EarlyEnd::Failed(Error::of(words(values), error)),
            EarlyEnd::GaveUp(why) => EarlyEnd::GaveUp(format!("{}: {why}", words(values))),
            EarlyEnd::Interrupted(_) => {
                let all = all.len();
                EarlyEnd::Interrupted(format!(
                    "interrupted: {done} of {all} experiments were finished"
                ))
            }
        });
        match (ran.report, &early) {
            (_, Some(_)) => break,
            // Each row of a comparison is one of the whole.
            (Some(ExperimentReport::Comparison(compared)), None) => {
                rows.extend(compared.into_iter().map(|row| SweepRow {
                    sweep: values.clone(),
                    report: ExperimentReport::Comparison(vec![row]),
                }));
            }
            (Some(report), None) => rows.push(SweepRow { sweep: values.clone(), report }),
            (None, None) => {}
        }
    }
    Ok(ExperimentRun { report: Some(ExperimentReport::Sweep(rows)), early })
}
