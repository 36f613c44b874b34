//! Elections of processes that are not in the catalogue, as those that other programs define.

use super::{Args, too_wide};
use crate::error::{CommandEnding, Error, complain};
use crate::output::print;
use crate::progress::Terminal;
use crate::report::json;
use crate::session;
use suffrage::algorithms::Custom;
use suffrage::diagram::{Diagram, ROOM};
use suffrage::experiment::{CustomReport, Specification, not_of_the_catalogue};
use suffrage::model::{NetworkClass, Process};
use suffrage::simulator::Observer;

impl Args {
    /// Runs one election of a process that is for networks of this class.
    pub(crate) fn own<P: Process>(
        &self,
        process: &Custom<P>,
        class: NetworkClass,
    ) -> Result<CommandEnding, Error> {
        let given = [
            ("--each", self.trials.each.is_some()),
            ("--trace", self.output.trace.is_some()),
            ("--draw-network", self.output.draw_network.is_some()),
            ("--timing", self.output.timing),
        ];
        if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(not_of_the_catalogue(flag));
        }
        let specification = self.specification();
        let networks = session::networks();
        let instance = specification.prepare_custom(process.name(), class, &networks)?;
        let site = &instance.site;
        if self.output.draw && site.ids.len() > ROOM.0 {
            return Err(too_wide(site.ids.len()));
        }
        let mut diagram = self.output.draw.then(|| Diagram::new(&site.wiring, &site.ids));
        let observer = diagram.as_mut().map(|diagram| diagram as &mut dyn Observer);
        let (report, interrupted) = instance.run(process, observer, &Terminal::default())?;
        let report = CustomReport { diagram: diagram.map(|diagram| diagram.text()), ..report };
        print(&json(&report, Some(&Specification::Elect(specification)))?)?;
        if interrupted {
            complain("interrupted: the figures are for the run so far");
        }
        Ok(CommandEnding::of(interrupted, !report.violations.is_empty()))
    }
}
