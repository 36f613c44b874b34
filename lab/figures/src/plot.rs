//! Figures for papers: curves with confidence intervals, bounds, and distributions; as SVG, as PDF, and as
//! source for the package pgfplots of LaTeX.
//!
//! In labels and names, formulas stand between `$`, as reports write them: `$2 n floor(log2 k)$`.
//!
//! ```
//! use suffrage_figures::plot::{Axis, Plot, PlotPoint, PlotSeries, SeriesShape};
//!
//! let squares = (1..=5).map(|x| PlotPoint::at(x.into(), f64::from(x * x)).within(0.5)).collect();
//! let plot = Plot {
//!     title: String::new(),
//!     note: "mean of 20 trials".into(),
//!     x: Axis { label: "n".into(), log: false },
//!     y: Axis { label: "messages".into(), log: true },
//!     series: vec![PlotSeries { name: "$n^2$".into(), points: squares, shape: SeriesShape::Curve, style: 0 }],
//! };
//! assert!(plot.svg().starts_with("<svg"));
//! assert!(plot.pdf().starts_with("%PDF"));
//! assert!(plot.tikz().contains(r"\begin{axis}"));
//! ```

mod label;
mod layout;
mod pdf;
mod svg;
mod ticks;
mod tikz;

use crate::svg::COLOURS;

/// The most [styles](PlotSeries::style) of a figure: each has a colour, a marker and dashes of its own, so that they are
/// told apart without colour.
pub const MOST_STYLES: usize = COLOURS.len();

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The title above it, if there is one.
    pub title: String,
    /// What readers must know of its data, such as the number of trials, if there is something.
    pub note: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, dots and lines.
    pub series: Vec<PlotSeries>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The label of its quantity.
    pub label: String,
    /// Whether it is logarithmic. Values that are not positive are then left out.
    pub log: bool,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSeries {
    /// Their name at the end of the curve or in the legend; not named if empty.
    pub name: String,
    /// The points, in order.
    pub points: Vec<PlotPoint>,
    /// How they are drawn.
    pub shape: SeriesShape,
    /// The number of the colour and the marker; series with the same number belong together.
    pub style: usize,
}

/// The shape of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesShape {
    /// Markers with a line through them, and intervals.
    Curve,
    /// A line without markers: what was computed.
    Line,
    /// A dashed line without markers: a bound, or a fit.
    Bound,
    /// Dots with intervals, and no line through them: what was measured.
    Dots,
    /// A line that goes on at the same height up to the next point, and then up or down.
    Steps,
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotPoint {
    /// Its place on the horizontal axis.
    pub x: f64,
    /// Its place on the vertical axis.
    pub y: f64,
    /// Half the height of its interval; 0 for none.
    pub half: f64,
}

impl PlotPoint {
    /// Creates a point without an interval.
    #[must_use]
    pub const fn at(x: f64, y: f64) -> Self {
        Self { x, y, half: 0.0 }
    }

    /// Returns the point with an interval of this half height.
    #[must_use]
    pub const fn within(self, half: f64) -> Self {
        Self { half, ..self }
    }
}

impl Plot {
    /// Divides a figure with more than [`MOST_STYLES`] styles into panels which have as many at most, and say so. Their
    /// axes show the same when they are drawn together.
    #[must_use]
    pub fn split(self) -> Vec<Self> {
        let most = self.series.iter().map(|series| series.style).max().unwrap_or_default();
        let parts = most / MOST_STYLES + 1;
        if parts == 1 {
            return vec![self];
        }
        let part = |number: usize| {
            let own = self.series.iter().filter(|series| series.style / MOST_STYLES == number);
            let series = own
                .map(|series| PlotSeries { style: series.style % MOST_STYLES, ..series.clone() });
            let note = match self.note.as_str() {
                "" => String::new(),
                note => format!("{note}; "),
            };
            Self {
                note: format!("{note}part {} of {parts}", number + 1),
                series: series.collect(),
                ..self.clone()
            }
        };
        (0..parts).map(part).collect()
    }

    /// Whether names stand at the ends of curves. Where dots or steps end says nothing, and they have a legend.
    fn is_labelled_directly(&self) -> bool {
        self.series.iter().any(|series| series.shape == SeriesShape::Curve)
    }

    /// The points of a series that the axes can show.
    fn shown<'a>(&'a self, series: &'a PlotSeries) -> impl Iterator<Item = PlotPoint> + 'a {
        let can = |log: bool, value: f64| value.is_finite() && (!log || value > 0.0);
        let points = series.points.iter().copied();
        points.filter(move |point| can(self.x.log, point.x) && can(self.y.log, point.y))
    }

    /// The least and the greatest place on each axis, of this figure and of those with the same axes.
    fn bounds_among(&self, panels: &[Self]) -> [(f64, f64); 2] {
        let alike = |other: &&Self| (&other.x, &other.y) == (&self.x, &self.y);
        let all = panels.iter().filter(alike).map(Self::bounds);
        let wider = |one: (f64, f64), other: (f64, f64)| (one.0.min(other.0), one.1.max(other.1));
        all.fold(self.bounds(), |[x, y], [other_x, other_y]| [wider(x, other_x), wider(y, other_y)])
    }

    /// The least and the greatest place on each axis.
    fn bounds(&self) -> [(f64, f64); 2] {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let mut bounds = [none; 2];
        let mut include = |axis: usize, value: f64| {
            bounds[axis] = (bounds[axis].0.min(value), bounds[axis].1.max(value));
        };
        for point in self.series.iter().flat_map(|series| self.shown(series)) {
            include(0, point.x);
            include(1, point.y + point.half);
            let low = point.y - point.half;
            include(1, if self.y.log && low <= 0.0 { point.y } else { low });
        }
        bounds.map(|bounds| if bounds.0 > bounds.1 { (1.0, 10.0) } else { bounds })
    }
}
