//! A figure as source for pgfplots.

use super::label::latex;
use super::layout::labelled_ends;
use super::ticks::{Ticks, ticks};
use super::{Axis, Plot, PlotSeries, SeriesShape};
use crate::svg::COLOURS;
use std::fmt::Write;

/// The markers of pgfplots that look like the markers of the SVG.
const MARKS: [&str; 7] = [
    "mark=o",
    "mark=square",
    "mark=triangle",
    "mark=diamond",
    "mark=x",
    "mark=triangle, every mark/.append style={rotate=180}",
    "mark=+",
];

/// The dashes of bounds, which look like those of the SVG.
const DASHES: [&str; 7] = [
    "dashed",
    "densely dotted",
    "dash dot",
    "loosely dashed",
    "densely dashed",
    "dash dot dot",
    "loosely dash dot",
];

impl Plot {
    /// Writes the figure as a `tikzpicture`, for documents with `\usepackage{amsmath,pgfplots}`.
    #[must_use]
    pub fn tikz(&self) -> String {
        self.tikz_among(std::slice::from_ref(self))
    }

    /// Writes several figures, one after the other. Those with the same axes show the same range.
    #[must_use]
    pub fn tikz_of_panels(panels: &[Self]) -> String {
        panels.iter().map(|plot| plot.tikz_among(panels)).collect()
    }

    fn tikz_among(&self, panels: &[Self]) -> String {
        let mut out = String::from(
            "% \\usepackage{amsmath,pgfplots} \\pgfplotsset{compat=1.16}\n\\begin{tikzpicture}\n",
        );
        for (number, colour) in COLOURS.iter().enumerate() {
            let _ = writeln!(
                out,
                "  \\definecolor{{suffrage{number}}}{{HTML}}{{{}}}",
                colour[1..].to_uppercase()
            );
        }
        let [x, y] = self.bounds_among(panels);
        let (x, y) = (ticks(&self.x, x, false), ticks(&self.y, y, true));
        self.begin_axis(&mut out, &x, &y);
        let directly = self.is_labelled_directly();
        for series in &self.series {
            self.add_plot(&mut out, series, directly);
        }
        for end in if directly { labelled_ends(self, &y) } else { Vec::new() } {
            let line = match end.series.shape {
                SeriesShape::Bound => DASHES[end.series.style % DASHES.len()],
                _ => "solid",
            };
            let _ = writeln!(
                out,
                "  \\draw[{}, very thin, {line}] (axis cs:{},{}) -- (rel axis cs:1.06,{:.4})\n    \
                 node[right, font=\\footnotesize] {{{}}};",
                colour(end.series),
                end.last.x,
                end.last.y,
                1.0 - end.place,
                latex(&end.series.name)
            );
        }
        out + "  \\end{axis}\n\\end{tikzpicture}\n"
    }

    fn begin_axis(&self, out: &mut String, x: &Ticks, y: &Ticks) {
        let mode = |log: bool| if log { "log" } else { "linear" };
        out.push_str("  \\begin{axis}[\n");
        if !self.title.is_empty() {
            let _ = writeln!(out, "    title={{{}}},", latex(&self.title));
        }
        let mut label = latex(&self.x.label);
        if !self.note.is_empty() {
            let _ = write!(label, "\\\\{{\\footnotesize {}}}", latex(&self.note));
        }
        let _ = writeln!(
            out,
            "    xlabel={{{label}}}, xlabel style={{align=center}}, ylabel={{{}}}, xmode={}, ymode={},\n    xmin={}, \
             xmax={}, ymin={}, ymax={}, clip mode=individual,\n{}{}    legend pos=outer north east, legend cell \
             align=left, legend style={{draw=none}},\n    tick align=inside, mark options={{solid, fill=white}},\n  ]",
            latex(&self.y.label),
            mode(self.x.log),
            mode(self.y.log),
            x.low,
            x.high,
            y.low,
            y.high,
            logarithmic("x", &self.x, x),
            logarithmic("y", &self.y, y)
        );
    }

    fn add_plot(&self, out: &mut String, series: &PlotSeries, directly: bool) {
        let colour = colour(series);
        let mark = MARKS[series.style % MARKS.len()];
        let options = match series.shape {
            SeriesShape::Curve => {
                format!("{colour}, {mark}, error bars/.cd, y dir=both, y explicit")
            }
            SeriesShape::Line => format!("{colour}, no marks"),
            SeriesShape::Dots => format!(
                "{colour}, only marks, mark=*, mark size=1pt, mark options={{fill={colour}, opacity=0.4}}, \
                 error bars/.cd, y dir=both, y explicit"
            ),
            SeriesShape::Bound => {
                let dashes = DASHES[series.style % DASHES.len()];
                let legend = if series.name.is_empty() { ", forget plot" } else { "" };
                format!("{colour}, {dashes}, no marks{legend}")
            }
            SeriesShape::Steps => format!("{colour}, const plot, no marks"),
        };
        let _ = writeln!(out, "  \\addplot[{options}] coordinates {{");
        for point in self.shown(series) {
            let half =
                if point.half > 0.0 { format!(" +- (0,{})", point.half) } else { String::new() };
            let _ = writeln!(out, "    ({},{}){half}", point.x, point.y);
        }
        out.push_str("  };\n");
        if !series.name.is_empty() && !directly {
            let _ = writeln!(out, "  \\addlegendentry{{{}}}", latex(&series.name));
        }
    }
}

fn colour(series: &PlotSeries) -> String {
    format!("suffrage{}", series.style % COLOURS.len())
}

/// The ticks of a logarithmic axis, where not all are powers of ten: pgfplots would write powers such as 10^1.2.
fn logarithmic(name: &str, axis: &Axis, ticks: &Ticks) -> String {
    let is_power = |tick: &f64| format!("{tick:e}").starts_with("1e");
    if !axis.log || ticks.major.iter().all(is_power) {
        return String::new();
    }
    let all = ticks.major.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    format!("    {name}tick={{{all}}}, {name}ticklabels={{{all}}},\n")
}
