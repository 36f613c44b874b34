//! Draws the paper's figure, and the sweeps.

use suffrage::plot::{Axis, Plot, PlotPoint, PlotSeries, SeriesShape};
use suffrage::population::protocols::{DeclarationRule, Margin};
use suffrage::population::reproduce::{FigureOne, Fit, Parameter, Success, Sweep};
use suffrage::population::trial::Trial;

/// The number of trials of each population that are drawn: more dots hide each other.
const DOTS: usize = 20;

/// A time of a trial.
type Time = fn(&Trial) -> Option<u64>;

pub(super) fn figure_one(figure: &FigureOne) -> Plot {
    let times: [(&str, Time, Fit); 3] = [
        ("all hold the highest identity", |trial| trial.completed_at, figure.completion),
        ("the eventual leader declares", |trial| trial.leader_declared_at, figure.declaration),
        ("all have been told", |trial| trial.told_at, figure.told),
    ];
    let mut series = Vec::new();
    for (style, (name, time, fit)) in times.into_iter().enumerate() {
        let runs = figure.points.chunk_by(|a, b| a.agents == b.agents);
        let few = runs.flat_map(|run| run.iter().take(DOTS));
        let dot = |(agents, time): (u32, u64)| PlotPoint::at(agents.into(), time as f64 / 1e6);
        let dots = few.filter_map(|point| Some((point.agents, time(&point.trial)?))).map(dot);
        let points = dots.collect();
        series.push(PlotSeries { name: name.to_owned(), points, shape: SeriesShape::Dots, style });
        // In pieces that are short enough to be straight lines.
        let steps = (0..=30).map(|step| 1000.0 + 300.0 * f64::from(step));
        let points = steps.map(|n| PlotPoint::at(n, fit.at(n) / 1e6)).collect();
        series.push(PlotSeries { name: formula(fit), points, shape: SeriesShape::Bound, style });
    }
    Plot {
        note: format!("up to {DOTS} trials of each number of agents"),
        title: "Election among $n$ numbered agents, margin 4, rule text".to_owned(),
        x: Axis { label: "agents $n$".to_owned(), log: false },
        y: Axis { label: "interactions (millions)".to_owned(), log: false },
        series,
    }
}

fn formula(fit: Fit) -> String {
    let sign = if fit.linear < 0.0 { '\u{2212}' } else { '+' };
    format!("fit ${:.2} n ln n {sign} {:.2} n$", fit.log_linear, fit.linear.abs())
}

/// Returns a figure for each rule for which the parameter has several values: a colour for each number
/// of agents, lines of exact probabilities, dots of rates in trials.
pub(super) fn sweep(sweep: &Sweep) -> Vec<Plot> {
    let rules = sweep.successes.chunk_by(|a, b| a.rule == b.rule);
    let varied = |of: &&[Success]| {
        sweep.parameter == Parameter::Minimum
            || of.first().is_some_and(|one| one.rule != DeclarationRule::Equal)
    };
    rules.filter(varied).map(|of_rule| panel(sweep.parameter, of_rule)).collect()
}

fn panel(parameter: Parameter, of_rule: &[Success]) -> Plot {
    let x = |success: &Success| match parameter {
        Parameter::Margin => success.margin.map_or(0.0, Margin::value),
        Parameter::Minimum => success.min_interactions.into(),
    };
    let mut series = Vec::new();
    let sizes = of_rule.chunk_by(|a, b| a.agents == b.agents);
    for (style, of_size) in sizes.enumerate() {
        let exact = |success: &Success| Some(PlotPoint::at(x(success), 100.0 * success.exact?));
        let points: Vec<PlotPoint> = of_size.iter().filter_map(exact).collect();
        let mut name = format!("$n$ = {}", of_size[0].agents);
        if !points.is_empty() {
            let name = std::mem::take(&mut name);
            series.push(PlotSeries { name, points, shape: SeriesShape::Line, style });
        }
        let rate = |success: &Success| PlotPoint::at(x(success), 100.0 * success.measured.rate);
        let points = of_size.iter().map(rate).collect();
        series.push(PlotSeries { name, points, shape: SeriesShape::Dots, style });
    }
    let (label, log) = match parameter {
        Parameter::Margin => ("margin $m$", true),
        Parameter::Minimum => ("minimum of interactions", false),
    };
    Plot {
        note: String::new(),
        title: of_rule[0].rule.name().to_owned(),
        x: Axis { label: label.to_owned(), log },
        y: Axis { label: "declarations that are right (%)".to_owned(), log: false },
        series,
    }
}
