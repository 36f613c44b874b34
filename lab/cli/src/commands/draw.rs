//! `suffrage draw`: draws a file of a run.

use super::replay;
use crate::error::{CommandEnding, Error};
use crate::output::{print, refuse_ending, write_text};
use crate::{terminal, trace};
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::PathBuf;
use suffrage::diagram::{DiagramFormat, Drawing, Selection};
use suffrage::experiment::choice::by_name;
use suffrage::experiment::counts::{self, NumberRange};

/// Draw a recorded run as a space-time diagram, for the terminal, for print or for another tool
///
/// RUN is a file that `suffrage elect --trace`, `suffrage check --save`, `suffrage cluster --trace`
/// or `suffrage tenure simulate --trace` wrote. It is run again and drawn: a line for each process,
/// messages as arrows, status changes, and the longest causal chain.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run
    pub(crate) run: PathBuf,

    /// What to write
    #[arg(long, value_enum, default_value_t)]
    format: DrawingFormat,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The processes to draw, as in 0,3,8..11 [default: all]
    ///
    /// Messages from other processes have no arrow.
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Selection")]
    #[arg(value_parser = counts::range32)]
    processes: Vec<NumberRange<u32>>,

    /// The kinds of messages to draw, as `suffrage algorithms NAME` lists them [default: all]
    ///
    /// Status changes are drawn whatever causes them.
    #[arg(long, value_name = "KIND,..", value_delimiter = ',', help_heading = "Selection")]
    kinds: Vec<String>,

    /// The first and the last tick to draw, as in 100..200 [default: all]
    ///
    /// Runs without a clock count their steps, and runs under faults have milliseconds.
    #[arg(long, value_name = "A..B", help_heading = "Selection", value_parser = counts::range)]
    window: Option<NumberRange<u64>>,
}

/// [`DiagramFormat`] as a value of a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DrawingFormat {
    /// A space-time diagram for the terminal
    #[default]
    Text,
    /// A space-time diagram to look at and to print
    Svg,
    /// A sequence diagram of Mermaid
    Mermaid,
    /// The causal order as a graph, for Graphviz
    Dot,
    /// A log with vector clocks, for the visualizer of that name
    Shiviz,
    /// A trace in JSON, for Perfetto and Chrome
    Perfetto,
}

impl DrawingFormat {
    const fn format(self) -> DiagramFormat {
        match self {
            Self::Text => DiagramFormat::Text,
            Self::Svg => DiagramFormat::Svg,
            Self::Mermaid => DiagramFormat::Mermaid,
            Self::Dot => DiagramFormat::Dot,
            Self::Shiviz => DiagramFormat::ShiViz,
            Self::Perfetto => DiagramFormat::Perfetto,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  suffrage draw run.jsonl
  suffrage draw run.jsonl --format svg --out run.svg
  suffrage draw run.jsonl --processes 0..5 --kinds token --window 0..40
  suffrage draw run.jsonl --format perfetto --out run.json

Exit codes:
  0  the run was drawn, even if it broke a property
  2  the file cannot be used, or the selection does not fit it";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    if let Some(path) = &args.out {
        let format = args.format.to_possible_value();
        let format = format.as_ref().map_or("text", |format| format.get_name());
        refuse_ending("--out", path, format)?;
    }
    let width = args.out.is_none().then(terminal::diagram_width);
    let text = args.rendered(&args.drawing()?, width)?;
    match &args.out {
        None => {
            print(&text)?;
        }
        Some(path) => {
            write_text("--out", path, &text)?;
        }
    }
    Ok(CommandEnding::Fine)
}

impl Args {
    /// The selected part of a drawing in the format that is asked for; text in lines of this width.
    pub(crate) fn rendered(
        &self,
        drawing: &Drawing,
        width: Option<usize>,
    ) -> Result<String, Error> {
        let selection = self.selection();
        let text = match (self.format.format(), width) {
            (DiagramFormat::Text, Some(width)) => drawing.text_within(width, &selection),
            (format, _) => drawing.render(format, &selection),
        };
        text.map_err(|error| Error::of(self.run.display(), error))
    }

    /// Runs the file again, and returns its drawing.
    pub(crate) fn drawing(&self) -> Result<Drawing, Error> {
        let (first, rest) = trace::open(&self.run)?;
        if replay::tenures::is_trace(&first) {
            return replay::tenures::drawing(&self.run, &first, rest);
        }
        let run = trace::read(&self.run.display().to_string(), first.chain(rest))?;
        let place = |error| Error::of(self.run.display(), error);
        by_name(&run.header.algorithm).map_err(place)?;
        run.drawing().map_err(|error| Error::of(self.run.display(), error))
    }

    fn selection(&self) -> Selection {
        let processes: BTreeSet<u32> = self.processes.iter().flat_map(|&range| range).collect();
        let kinds: BTreeSet<String> = self.kinds.iter().cloned().collect();
        Selection {
            processes: (!processes.is_empty()).then_some(processes),
            kinds: (!kinds.is_empty()).then_some(kinds),
            window: self.window.map(|range| range.first..=range.last),
        }
    }
}
