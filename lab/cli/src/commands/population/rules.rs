//! `suffrage population --rules FILE`: runs a user's protocol.

use super::{PopulationRun, Watched, model};
use crate::error::{CommandEnding, Error, complain};
use crate::interrupt;
use crate::output::{Output, print};
use crate::progress::Shared;
use crate::report::{ReportFormat, json};
use crate::terminal::fitted;
use std::num::NonZero;
use std::path::Path;
use suffrage::population::rules::{Rules, RulesExperiment, RulesReport};
use suffrage_parallel::cores;

/// The maximal length of a file of rules, in bytes: all pairs of 1024 states with long names.
const BYTES: u64 = 64 << 20;

pub(super) fn run(args: &PopulationRun<'_>, path: &Path) -> Result<CommandEnding, Error> {
    let flags = args.asked;
    let place = || format!("--rules {}", path.display());
    let failed = |error: &dyn std::fmt::Display| Error::of(place(), error);
    let size = std::fs::metadata(path).map_err(|error| failed(&error))?.len();
    if size > BYTES {
        return Err(Error::of(place(), format!("a file of rules has at most {BYTES} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let rules: Rules = text.parse().map_err(|error| failed(&error))?;
    let network = args.network()?;
    let nodes = network.as_ref().map(|network| u64::from(network.nodes()));
    let experiment = RulesExperiment {
        initial: rules.population(flags.agents.or(nodes)).map_err(|error| failed(&error))?,
        rules: &rules,
        model: model(flags, network.as_deref(), None),
        most: flags.interactions.unwrap_or(u64::MAX),
        trials: flags.trials(),
        seed: flags.first_seed(),
        consecutive: flags.seeds.is_some(),
        threads: args.threads.map_or_else(cores, NonZero::get),
    };
    experiment.check().map_err(|error| failed(&error))?;
    // The time of a user's protocol is unknown; an epidemic takes this long.
    let usual = experiment.agents() as f64 * (experiment.agents() as f64).ln();
    if let Some(path) = args.history {
        const FLAG: &str = "--history";
        let mut file = Output::begin(FLAG, path)?;
        let interval = args.history_interval(experiment.agents());
        let progress = Shared::of_long(1, usual);
        let history = experiment.history(interval, &Watched(&progress));
        drop(progress);
        let history = history.map_err(|error| Error::of(FLAG, error))?;
        history.write_csv(&mut file).map_err(|error| Output::failed(FLAG, path, error))?;
        file.finish()?;
    }
    let progress = Shared::of_long(experiment.trials, usual);
    let endings = experiment.run(&progress, interrupt::flag()).map_err(|error| failed(&error))?;
    drop(progress);
    let interrupted = (endings.len() as u64) < experiment.trials;
    if endings.is_empty() {
        complain("interrupted before the first trial was finished; --interactions N ends each");
        return Ok(CommandEnding::Interrupted);
    }
    let mut report =
        RulesReport::new(&path.display().to_string(), &experiment, &endings, args.lists());
    report.network.clone_from(&flags.topology);
    print(&match args.format {
        ReportFormat::Text => fitted(&report.to_string()),
        ReportFormat::Json => json(&report, Some(&args.specification()))?,
    })?;
    if interrupted {
        complain(format_args!(
            "interrupted: the figures are for the first {} trials",
            endings.len()
        ));
    }
    Ok(CommandEnding::of(interrupted, false))
}
