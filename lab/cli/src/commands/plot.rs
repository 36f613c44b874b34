//! `suffrage plot`: figures from the results of trials.

mod cells;

use crate::error::{CommandEnding, Error};
use crate::output::{print, refuse_ending, write_text};
use cells::PlotCell;
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::path::PathBuf;
use suffrage::experiment::number::count;
use suffrage::plot::{Axis, MOST_STYLES, Plot, PlotPoint, PlotSeries, SeriesShape};
use suffrage::statistics::Distribution;

/// Draw figures from the results of trials: curves against n with bounds, or distributions
///
/// FILES come from `suffrage compare` as CSV or JSON, `suffrage elect --trials T --format json`,
/// `suffrage merge`, or --each. Every algorithm under every combination of conditions is a curve:
/// the mean with its 95 % confidence interval. The bounds of the algorithms are dashed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The results, as CSV, JSON or JSON lines
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// What is drawn
    #[arg(long, value_enum, default_value_t)]
    figure: Figure,

    /// A curve against the number of nodes, or the distribution over the trials [default: a curve,
    /// if there are several sizes]
    #[arg(long, value_enum)]
    kind: Option<PlotKind>,

    /// Which axes are logarithmic [default: both for curves that span a factor of 8, else none]
    #[arg(long, value_enum)]
    log: Option<LogarithmicAxes>,

    /// Divide by the number of nodes
    #[arg(long)]
    per_node: bool,

    /// Leave out the bounds
    #[arg(long)]
    no_bounds: bool,

    /// The title above the figure, with formulas between `$`
    #[arg(long, value_name = "TEXT", default_value = "")]
    title: String,

    /// SVG, PDF, or source for the package pgfplots of LaTeX [default: pdf or tikz, if the file of --out ends in
    /// .pdf or .tex, else svg]
    #[arg(long, value_enum)]
    format: Option<PlotFormat>,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A figure of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Figure {
    /// All messages
    #[default]
    Messages,
    /// The messages that find the leader
    ElectionMessages,
    /// The messages that announce it
    AnnouncementMessages,
    /// The bits of all messages
    Bits,
    /// The time in ticks
    Time,
    /// The messages in the longest causal chain
    CausalDepth,
    /// The messages of the busiest node
    Busiest,
}

impl Figure {
    /// Its key in results.
    fn key(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().replace('-', "_"))
    }

    fn words(self) -> String {
        match self {
            Self::Time => "time (ticks)".to_owned(),
            Self::Busiest => "messages of the busiest node".to_owned(),
            figure => figure.key().replace('_', " "),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlotKind {
    /// The mean against the number of nodes
    Curve,
    /// The share of trials that do not exceed a value
    Distribution,
    /// The share of trials in each of some twenty intervals
    Histogram,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogarithmicAxes {
    /// Neither axis
    None,
    /// The horizontal axis
    X,
    /// The vertical axis
    Y,
    /// Both axes
    Xy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlotFormat {
    /// A drawing for browsers
    Svg,
    /// A page in the size of the figure; its fonts are not embedded
    Pdf,
    /// A `tikzpicture` with pgfplots
    Tikz,
}

const EXAMPLES: &str = "\
Examples:
  suffrage compare --topology ring --nodes 10,20,50,100,200,500 --trials 50 --format csv >ring.csv
  suffrage plot ring.csv --out ring.svg
  suffrage plot ring.csv --out ring.pdf
  suffrage plot ring.csv --figure time --format tikz --out ring.tex
  suffrage elect chang-roberts --nodes 100 --trials 1000 --format json >one.json
  suffrage plot one.json --kind histogram --out one.svg";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    if let Some(path) = &args.out {
        let format = args.format().to_possible_value();
        let format = format.as_ref().map_or("svg", |format| format.get_name());
        refuse_ending("--out", path, format)?;
    }
    let text = text(args)?;
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

/// The most panels of a figure, and how many are beside each other.
const MOST_PANELS: usize = 6;
const COLUMNS: usize = 2;

/// The figure in its format.
pub(crate) fn text(args: &Args) -> Result<String, Error> {
    let mut all = Vec::new();
    for path in &args.files {
        all.extend(cells::read(path, &args.figure.key())?);
    }
    let panels = args.plot(&all)?.split();
    if panels.len() > MOST_PANELS {
        let (curves, most) = (panels.len(), MOST_PANELS * MOST_STYLES);
        return Err(Error::new(format!(
            "there are more than {} curves, and a figure has up to {most}, {MOST_STYLES} in each panel: plot files \
             with fewer algorithms or conditions, such as those of `suffrage compare --algorithms A,B`",
            (curves - 1) * MOST_STYLES
        )));
    }
    Ok(match args.format() {
        PlotFormat::Svg => Plot::svg_of_panels(&panels, COLUMNS),
        PlotFormat::Pdf => Plot::pdf_of_panels(&panels, COLUMNS),
        PlotFormat::Tikz => Plot::tikz_of_panels(&panels),
    })
}

/// The cells of one curve: an algorithm, and the conditions that the cells do not share.
struct CellGroup<'a> {
    name: String,
    cells: Vec<&'a PlotCell>,
}

/// Gathers cells into curves, in the order in which they come. Conditions that are the same for all
/// are not named.
fn groups(cells: &[PlotCell], by_network: bool) -> Vec<CellGroup<'_>> {
    let parts = |cell: &PlotCell| -> Vec<String> {
        let network = if by_network { cell.network.clone() } else { cell.family() };
        let mut parts = vec![cell.algorithm.clone(), network];
        parts.extend(cell.conditions.iter().cloned());
        parts
    };
    let all: Vec<Vec<String>> = cells.iter().map(parts).collect();
    let differs = |part: usize| all.iter().any(|one| one.get(part) != all[0].get(part));
    let varied: Vec<bool> = (0..all[0].len()).map(|part| part == 0 || differs(part)).collect();
    let mut groups: Vec<CellGroup<'_>> = Vec::new();
    for (cell, parts) in cells.iter().zip(&all) {
        let named = parts.iter().zip(&varied).filter(|(_, varied)| **varied);
        let name = named.map(|(part, _)| part.as_str()).collect::<Vec<_>>().join(", ");
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.cells.push(cell),
            None => groups.push(CellGroup { name, cells: vec![cell] }),
        }
    }
    groups
}

impl Args {
    /// The format of `--format`, or of the file's ending.
    fn format(&self) -> PlotFormat {
        let ending = self.out.as_ref().and_then(|path| path.extension()?.to_str());
        let of_ending = match ending {
            Some("tex") => PlotFormat::Tikz,
            Some("pdf") => PlotFormat::Pdf,
            _ => PlotFormat::Svg,
        };
        self.format.unwrap_or(of_ending)
    }

    fn plot(&self, cells: &[PlotCell]) -> Result<Plot, Error> {
        if cells.is_empty() {
            return Err(Error::new("the files have no results: there is nothing to draw"));
        }
        let sizes: BTreeSet<u64> = cells.iter().map(|cell| cell.nodes).collect();
        let kind = self.kind.unwrap_or(if sizes.len() > 1 {
            PlotKind::Curve
        } else {
            PlotKind::Distribution
        });
        match kind {
            PlotKind::Curve => self.curves(cells, &sizes),
            PlotKind::Distribution | PlotKind::Histogram => self.distributions(cells, kind),
        }
    }

    fn curves(&self, cells: &[PlotCell], sizes: &BTreeSet<u64>) -> Result<Plot, Error> {
        let wide = sizes.first().zip(sizes.last()).is_some_and(|(least, most)| *most >= 8 * *least);
        let log =
            self.log.unwrap_or(if wide { LogarithmicAxes::Xy } else { LogarithmicAxes::None });
        let share = |cell: &PlotCell, value: f64| {
            if self.per_node { value / cell.nodes as f64 } else { value }
        };
        let mut series = Vec::new();
        for (style, group) in groups(cells, false).into_iter().enumerate() {
            let mut cells = group.cells;
            cells.sort_by_key(|cell| cell.nodes);
            let point = |cell: &&PlotCell| {
                let (mean, half) = (share(cell, cell.mean), share(cell, cell.half));
                PlotPoint::at(cell.nodes as f64, mean).within(half)
            };
            let points = cells.iter().map(point).collect();
            series.push(PlotSeries { name: group.name, points, shape: SeriesShape::Curve, style });
            let bound = |cell: &&PlotCell| {
                let bound = share(cell, cell.bound.as_ref()?.0);
                Some(PlotPoint::at(cell.nodes as f64, bound))
            };
            let points: Vec<PlotPoint> = cells.iter().filter_map(bound).collect();
            if !self.no_bounds && !points.is_empty() {
                let formula = cells.iter().find_map(|cell| Some(cell.bound.as_ref()?.1.clone()));
                let name = formula
                    .map_or_else(String::new, |formula| format!("bound {}", typeset(&formula)));
                series.push(PlotSeries { name, points, shape: SeriesShape::Bound, style });
            }
        }
        let note = format!("means of {}, with 95 % confidence intervals", trials_in_words(cells));
        self.with_axes(["nodes $n$", &self.words()], log, note, series)
    }

    fn words(&self) -> String {
        let of = if self.per_node { " / $n$" } else { "" };
        format!("{}{of}", self.figure.words())
    }

    fn distributions(&self, cells: &[PlotCell], kind: PlotKind) -> Result<Plot, Error> {
        let mut series = Vec::new();
        for (style, group) in groups(cells, true).into_iter().enumerate() {
            let mut all = Distribution::default();
            for cell in &group.cells {
                all.merge(cell.values.as_ref().ok_or_else(|| {
                    Error::new(
                        "the table has no distributions, only their statistics: use --format json, \
                         or --each",
                    )
                })?);
            }
            let nodes = group.cells[0].nodes as f64;
            let unit = if self.per_node { 1.0 / nodes } else { 1.0 };
            let points = match kind {
                PlotKind::Histogram => histogram(&all, unit),
                _ => cumulative(&all, unit),
            };
            series.push(PlotSeries { name: group.name, points, shape: SeriesShape::Steps, style });
        }
        let share = match kind {
            PlotKind::Histogram => "share of trials",
            _ => "share of trials up to it",
        };
        let log = self.log.unwrap_or(LogarithmicAxes::None);
        let note = trials_in_words(cells);
        self.with_axes([&self.words(), share], log, note, series)
    }

    fn with_axes(
        &self,
        [x, y]: [&str; 2],
        log: LogarithmicAxes,
        note: String,
        series: Vec<PlotSeries>,
    ) -> Result<Plot, Error> {
        Ok(Plot {
            title: self.title.clone(),
            note,
            x: Axis {
                label: x.to_owned(),
                log: matches!(log, LogarithmicAxes::X | LogarithmicAxes::Xy),
            },
            y: Axis {
                label: y.to_owned(),
                log: matches!(log, LogarithmicAxes::Y | LogarithmicAxes::Xy),
            },
            series,
        })
    }
}

/// How many trials there are at each place: one number, or from which to which.
fn trials_in_words(cells: &[PlotCell]) -> String {
    let numbers = || cells.iter().map(|cell| cell.trials);
    match (numbers().min().unwrap_or_default(), numbers().max().unwrap_or_default()) {
        (least, most) if least == most => count(most, "trial").to_string(),
        (least, most) => format!("{least} to {}", count(most, "trial")),
    }
}

/// A formula of a report as a label has it: its standing is no part of the formula.
fn typeset(formula: &str) -> String {
    let is_standing =
        |words: &str| words.len() > 2 && words.chars().all(|c| c.is_lowercase() || c == ' ');
    match formula.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((formula, standing)) if is_standing(standing) => format!("${formula}$ ({standing})"),
        _ => format!("${formula}$"),
    }
}

/// The share of values up to each value.
fn cumulative(all: &Distribution, unit: f64) -> Vec<PlotPoint> {
    let count = all.count() as f64;
    let first = all.min().map(|least| PlotPoint::at(least as f64 * unit, 0.0));
    let mut below = 0;
    let steps = all.counts().map(|(value, times)| {
        below += times;
        PlotPoint::at(value as f64 * unit, below as f64 / count)
    });
    first.into_iter().chain(steps).collect()
}

/// The share of values in each of at most twenty intervals of equal length.
fn histogram(all: &Distribution, unit: f64) -> Vec<PlotPoint> {
    let (bins, length) = all.histogram(20);
    let (Some(&(first, _)), Some(&(last, _))) = (bins.first(), bins.last()) else {
        return Vec::new();
    };
    let at = |value: u64, times: u64| {
        PlotPoint::at(value as f64 * unit, times as f64 / all.count().max(1) as f64)
    };
    let shares = bins.iter().map(|&(value, times)| at(value, times));
    [at(first, 0)].into_iter().chain(shares).chain([at(last + length, 0)]).collect()
}
