//! `suffrage watch`: shows a run as a page in the browser.

mod serve;

use super::{check, elect, replay, tenure};
use crate::error::{CommandEnding, Error};
use crate::output::{refuse_ending, write_text};
use crate::trace;
use clap::Subcommand;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suffrage::experiment::choice::by_name;
use suffrage::experiment::{GivenNetworks, NetworkSource};
use suffrage::networks::{FileOptions, Topology};
use suffrage::page::RunPage;
use suffrage::run::RunHeader;

/// Watch a run in the browser: a page that plays it, step by step
///
/// RUN is a file that `suffrage elect --trace`, `suffrage check --save`, `suffrage cluster --trace`
/// or `suffrage tenure simulate --trace` wrote. Or a command makes a run: `suffrage watch elect
/// humblet --nodes 20` runs this election, reports it and shows it.
///
/// The page is one complete file, and needs no network. Without --html the command serves it on
/// this machine and opens it, until Ctrl-C.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run
    run: Option<PathBuf>,

    /// Write the page to this file, and do not open it
    #[arg(long, value_name = "FILE", global = true, help_heading = "Page")]
    html: Option<PathBuf>,

    /// Serve the page and print its address, but open no browser
    #[arg(long, global = true, conflicts_with = "html", help_heading = "Page")]
    no_browser: bool,

    #[command(subcommand)]
    command: Option<Made>,
}

/// A command that makes the run.
#[derive(Subcommand)]
enum Made {
    Elect(Box<elect::Args>),
    Check(check::Args),
    /// Leadership that survives crashes, simulated under faults
    #[command(subcommand)]
    Tenure(WatchedTenure),
}

#[derive(Subcommand)]
enum WatchedTenure {
    Simulate(tenure::simulate::Args),
}

const EXAMPLES: &str = "\
Examples:
  suffrage watch elect chang-roberts --nodes 12
  suffrage watch elect --topology NETWORK.graphml --html election.html
  suffrage watch check villadangos@published --nodes 3
  suffrage watch tenure simulate --faults all --duration 10s
  suffrage watch run.jsonl --html run.html

Exit codes:
  0  the run was shown, even if a run in a file broke a property
  1  the run of a command broke a property
  2  the file or the command cannot be used, or the page cannot be written";

pub(crate) fn run(args: Args) -> Result<CommandEnding, Error> {
    let Args { run, html, no_browser, command } = args;
    if let Some(path) = &html {
        refuse_ending("--html", path, "html")?;
    }
    let show = |page: &RunPage| match &html {
        Some(path) => write_text("--html", path, &page.html()),
        None => serve::serve(page.html(), !no_browser),
    };
    match (run, command) {
        (Some(run), None) => {
            show(&page(&run, &run, &[])?)?;
            Ok(CommandEnding::Fine)
        }
        (None, Some(command)) => {
            // A run that no flag names a file for is needed only until the page is made.
            let folder = tempfile::tempdir()
                .map_err(|error| Error::of("cannot record the run in a temporary folder", error))?;
            let temporary = folder.path().join("run.jsonl");
            let (ending, file) = command.record(&temporary)?;
            if ending == CommandEnding::Interrupted {
                return Ok(ending);
            }
            if !file.exists() {
                return Err(Error::new("the command has made no run that could be shown"));
            }
            // The name of a temporary file would say nothing to the reader.
            let name = if file == temporary { Path::new("the run") } else { &file };
            let page = page(&file, name, &[])?;
            drop(folder);
            show(&page)?;
            Ok(ending)
        }
        (Some(_), Some(_)) => {
            Err(Error::new("a run and a command that makes one: leave one of them out"))
        }
        (None, None) => Err(Error::new(
            "name a run, or a command that makes one, as in `suffrage watch elect chang-roberts \
             --nodes 12`",
        )),
    }
}

impl Made {
    /// Holds it, and writes its run to the file of its own flag, if it has one, or else to this one.
    fn record(self, file: &Path) -> Result<(CommandEnding, PathBuf), Error> {
        let given = |flag: &mut Option<PathBuf>| flag.get_or_insert(file.to_owned()).clone();
        Ok(match self {
            Self::Elect(mut args) => {
                let file = given(&mut args.output.trace);
                (elect::run(&args)?, file)
            }
            Self::Check(mut args) => {
                let file = given(&mut args.save);
                (check::run(&args)?, file)
            }
            Self::Tenure(WatchedTenure::Simulate(mut args)) => {
                let file = given(&mut args.trace);
                (tenure::simulate::run(&args)?, file)
            }
        })
    }
}

/// Makes the page of a file of a run, which errors call `name`.
pub(crate) fn page(path: &Path, name: &Path, given: &GivenNetworks) -> Result<RunPage, Error> {
    let (first, rest) = trace::open(path)?;
    if replay::tenures::is_trace(&first) {
        return replay::tenures::page(name, &first, rest);
    }
    let run = trace::read(&name.display().to_string(), first.chain(rest))?;
    by_name(&run.header.algorithm).map_err(|error| Error::of(name.display(), error))?;
    let topology = topology(&run.header, given);
    RunPage::of_run(&run, topology.as_deref()).map_err(|error| Error::of(name.display(), error))
}

/// The file of the network, if it is still there: it may have positions and names.
fn topology(header: &RunHeader, given: &GivenNetworks) -> Option<Arc<Topology>> {
    match NetworkSource::named(&header.network, FileOptions::default(), given) {
        Ok(NetworkSource::Read { topology, .. }) => {
            let wiring = &header.wiring;
            let fits = topology.nodes() == wiring.nodes() && topology.links() == wiring.links();
            fits.then_some(topology)
        }
        _ => None,
    }
}
