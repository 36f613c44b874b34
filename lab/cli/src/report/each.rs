//! The file of `--each`.

use crate::error::Error;
use crate::output::{Output, unwritten};
use std::path::Path;
use suffrage::experiment::Prepared;
use suffrage::experiment::report::{TrialFigures, TrialFormat, TrialWriter};

/// A file with a line for each trial: comma-separated values, or JSON lines.
pub(crate) struct Each(TrialWriter<Output>);

impl Each {
    /// Begins the file: comma-separated values, if its name ends in `.csv`.
    pub(crate) fn begin(path: &Path) -> Result<Self, Error> {
        let csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let format = if csv { TrialFormat::Csv } else { TrialFormat::JsonLines };
        TrialWriter::new(Output::begin("--each", path)?, format).map(Self).map_err(unwritten)
    }

    /// Writes trials, from the first on.
    pub(crate) fn write(&mut self, of: &Prepared, trials: &[TrialFigures]) -> Result<(), Error> {
        self.0.write(of, trials).map_err(unwritten)
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.0.to.finish()
    }
}
