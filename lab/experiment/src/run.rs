//! Runs specifications: one function for every kind of experiment.

use crate::compare;
use crate::elect;
use crate::error::Error;
use crate::monitor::Monitor;
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::ExperimentReport;
use crate::source::GivenNetworks;
use crate::specification::Specification;

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
            Self::Sweep(sweep) => crate::sweep::run(sweep, options),
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
