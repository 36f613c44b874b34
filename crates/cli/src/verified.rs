//! docs/verified.md: what has been explored completely, and what came of it.

mod faults;
mod rows;

use crate::error::Error;
use crate::interrupt;
use crate::progress::Progress;
use crate::report::grouped;
use std::num::NonZero;
use std::ops::ControlFlow;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{self, Conditions, CutShort, Family, Options, Report, check_catalogued};

/// How much is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// What takes minutes.
    Short,
    /// What takes hours.
    Long,
}

/// The document.
pub(crate) struct Document {
    pub(crate) text: String,
    /// Something that was to hold does not.
    pub(crate) broken: bool,
}

const INTRODUCTION: &str = "\
# Verified

What has been explored completely: for each row every instance of the family and of each instance
every schedule. This file is written by `suffrage verify`, and continuous integration compares it
with what the code gives today; `suffrage verify --long` adds larger ones, which take hours and are
not recorded here. Words and method are those of the [checker](../DESIGN.md#the-checker): a
configuration of an instance that was proved to be like an explored one counts as explored.
Identities are the numbers from 1 on.
";

/// Explores what the document says.
pub(crate) fn document(extent: Extent, threads: NonZero<usize>) -> Result<Document, Error> {
    let explorer = Explorer { threads };
    let mut document = Document { text: INTRODUCTION.to_owned(), broken: false };
    rows::write(&mut document, &explorer, extent)?;
    if !interrupt::asked() {
        faults::write(&mut document, &explorer)?;
    }
    Ok(document)
}

/// Explores families, and says on the terminal how far it is.
struct Explorer {
    threads: NonZero<usize>,
}

/// The memory for all that is explored at once.
const MEMORY: u64 = 12 << 30;

impl Explorer {
    /// Explores a family, and holds it to these properties; to all that the catalogue says, if
    /// there are none. `None` if somebody asked for an end.
    fn explore(
        &self,
        algorithm: &Algorithm,
        family: &Family,
        properties: &[Property],
        costs: bool,
    ) -> Result<Option<Report>, Error> {
        let what = format!("instances of {} with {} nodes", algorithm.name, family.nodes());
        let mut progress = Progress::towards(family.len(), &what);
        let mut watch = |now: checker::Progress| {
            progress.say(format!("{} configurations", grouped(now.states)));
            progress.at(now.instances);
            if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = Options { full: false, memory: MEMORY, costs };
        let mut conditions = Conditions {
            options,
            keep_going: false,
            each: false,
            threads: self.threads,
            watch: &mut watch,
        };
        let report = check_catalogued(algorithm, properties, family, &mut conditions);
        progress.clear();
        let report = report.map_err(|impossible| Error::new(impossible.to_string()))?;
        match report.cut_short {
            Some(CutShort::Stopped) => Ok(None),
            Some(CutShort::OutOfMemory(_)) => Err(Error::new(format!(
                "{} with {} nodes does not fit into {} MiB",
                algorithm.name,
                family.nodes(),
                MEMORY >> 20
            ))),
            Some(CutShort::Broken) | None => Ok(Some(report)),
        }
    }
}
