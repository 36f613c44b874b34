//! `suffrage verify`: everything that docs/verified.md says, explored again.

use crate::error::{Ending, Error, print};
use crate::output::Output;
use crate::verified::{Extent, document};
use crate::{interrupt, trials};
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;

/// Explore everything that docs/verified.md says, and write it
///
/// For each algorithm every schedule of small elections, and what becomes of them when messages
/// overtake each other, are lost or doubled, or a process crashes. Some minutes on two cores, with
/// --long some hours.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Explore what takes hours, too
    #[arg(long)]
    long: bool,

    /// Write the document to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Threads; the document does not depend on them [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

const EXAMPLES: &str = "\
Examples:
  suffrage verify --out docs/verified.md
  suffrage verify | diff docs/verified.md -";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    // A file that cannot be written is found out before the work and not after it.
    let out = args.out.as_deref().map(|path| Output::begin("--out", path)).transpose()?;
    let extent = if args.long { Extent::Long } else { Extent::Short };
    let threads = NonZero::new(trials::threads(args.threads)).unwrap_or(NonZero::<usize>::MIN);
    let document = document(extent, threads)?;
    if interrupt::asked() {
        eprintln!("interrupted: half a document is none; these rows were finished");
        print(&document.text)?;
        return Ok(Ending::Interrupted);
    }
    match (out, &args.out) {
        (Some(mut out), Some(path)) => {
            out.write_all(document.text.as_bytes())
                .map_err(|error| Output::failed("--out", path, error))?;
            out.finish()?;
        }
        _ => drop(print(&document.text)?),
    }
    Ok(if document.broken { Ending::Broken } else { Ending::Fine })
}
