//! Explorations of processes that are not in the catalogue, as those that other programs define.

use super::{Args, CheckRun};
use crate::error::{CommandEnding, Error};
use crate::output::print;
use crate::report::{Checked, json};
use crate::session;
use crate::terminal;
use serde::Serialize;
use suffrage::algorithms::{Custom, Property};
use suffrage::checker::{Checker, Forecast};
use suffrage::diagram::Diagram;
use suffrage::experiment::Specification;
use suffrage::experiment::check::Families;
use suffrage::experiment::not_of_the_catalogue;
use suffrage::model::{NetworkClass, Process, Timing};
use suffrage::run::Run;

/// The number of nodes up to which every instance is explored by default. In larger networks it is
/// a single instance, since the number of configurations is unknown.
const EVERYTHING: u32 = 3;

/// The report with a diagram of the run that breaks a property.
#[derive(Serialize)]
struct Drawn {
    #[serde(flatten)]
    checked: Checked,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram: Option<String>,
}

impl Args {
    /// Explores the schedules of a process that is for networks of this class.
    pub(crate) fn own<P: Process>(
        &self,
        process: &Custom<P>,
        class: NetworkClass,
    ) -> Result<CommandEnding, Error> {
        let invariant = |property: &&Property| matches!(property, Property::Invariant(_));
        let given = [
            ("--sample".to_owned(), self.sample.is_some()),
            ("--seeds".to_owned(), self.seeds.is_some()),
            ("--save".to_owned(), self.save.is_some()),
        ];
        let named = self.properties.iter().find(invariant);
        let named = named.map(|property| (format!("--property {property}"), true));
        if let Some((flag, _)) = given.into_iter().chain(named).find(|(_, given)| *given) {
            return Err(not_of_the_catalogue(&flag));
        }
        let asked = self.specification(process.name().to_owned());
        let exploration =
            CheckRun { asked: &asked, threads: self.threads, save: None, format: self.format };
        let (faults, networks) = (asked.faults()?, session::networks());
        let timing = Timing::Asynchronous;
        let families = asked.families(process.name(), class, timing, faults, &networks)?;
        let (family, description) = match families {
            Families::Named(family, description) => (family, description),
            Families::Ladder(mut ladder) => {
                let all = ladder.first().is_some_and(|(all, _)| all.nodes() <= EVERYTHING);
                ladder.swap_remove(if all { 0 } else { ladder.len() - 1 })
            }
        };
        let (memory, unknown) = (exploration.allowed(), Forecast { largest: 0, total: 0 });
        let checker = Checker::new(process, &family).properties(&self.properties);
        let report = exploration.explore(checker, &family, unknown, memory)?;
        let checked = Checked::of(
            process.name(),
            None,
            &family,
            description,
            asked.full,
            Vec::new(),
            &report,
        );
        let run = report.counterexample.is_some().then(|| checked.run(&report)).flatten();
        let diagram = run.map(|run| drawn(process, &run)).transpose()?;
        print(&json(
            &Drawn { checked, diagram },
            Some(&Specification::Check(asked.clone().into())),
        )?)?;
        exploration.ending(&family, memory, &report)
    }
}

/// Formats a run of this process as a space-time diagram.
fn drawn<P: Process>(process: &Custom<P>, run: &Run) -> Result<String, Error> {
    let mut diagram = Diagram::new(&run.header.wiring, &run.header.ids);
    let replayed = run.replay_of(process, Some(&mut diagram));
    replayed.map_err(|error| Error::new(error.to_string()))?;
    Ok(diagram.text_within(terminal::diagram_width()))
}
