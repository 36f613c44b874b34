//! A figure as source for pgfplots.

use super::{Plot, SeriesShape};
use crate::svg::COLOURS;
use std::fmt::Write;

/// The markers of pgfplots that look like the markers of the SVG.
const MARKS: [&str; 6] = [
    "mark=o",
    "mark=square",
    "mark=triangle",
    "mark=diamond",
    "mark=x",
    "mark=triangle, every mark/.append style={rotate=180}",
];

impl Plot {
    /// Writes the figure as a `tikzpicture`, for documents with `\usepackage{pgfplots}`.
    #[must_use]
    pub fn tikz(&self) -> String {
        let mut out = String::from(
            "% \\usepackage{pgfplots} \\pgfplotsset{compat=1.16}\n\\begin{tikzpicture}\n",
        );
        for (number, colour) in COLOURS.iter().enumerate() {
            let _ = writeln!(
                out,
                "  \\definecolor{{suffrage{number}}}{{HTML}}{{{}}}",
                colour[1..].to_uppercase()
            );
        }
        let mode = |log: bool| if log { "log" } else { "linear" };
        let _ = writeln!(out, "  \\begin{{axis}}[");
        if !self.title.is_empty() {
            let _ = writeln!(out, "    title={{{}}},", escaped(&self.title));
        }
        let _ = writeln!(
            out,
            "    xlabel={{{}}}, ylabel={{{}}}, xmode={}, ymode={}, clip mode=individual,\n    legend pos=outer north east, \
             legend cell align=left, legend style={{draw=none}},\n    tick align=inside, mark \
             options={{solid, fill=white}},\n  ]",
            escaped(&self.x.label),
            escaped(&self.y.label),
            mode(self.x.log),
            mode(self.y.log)
        );
        let directly = self.is_labelled_directly();
        for series in &self.series {
            let colour = format!("suffrage{}", series.style % COLOURS.len());
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
                SeriesShape::Bound => format!("{colour}, dashed, no marks, forget plot"),
                SeriesShape::Steps => format!("{colour}, const plot, no marks"),
            };
            let named = !series.name.is_empty();
            let options =
                if named && !directly { options.replace(", forget plot", "") } else { options };
            let _ = writeln!(out, "  \\addplot[{options}] coordinates {{");
            for point in self.shown(series) {
                let half = if point.half > 0.0 {
                    format!(" +- (0,{})", point.half)
                } else {
                    String::new()
                };
                let _ = writeln!(out, "    ({},{}){half}", point.x, point.y);
            }
            if named && directly {
                let name = escaped(&series.name);
                let _ = writeln!(out, "  }} node[right, {colour}, font=\\tiny] {{{name}}};");
                continue;
            }
            let _ = writeln!(out, "  }};");
            if named {
                let _ = writeln!(out, "  \\addlegendentry{{{}}}", escaped(&series.name));
            }
        }
        out + "  \\end{axis}\n\\end{tikzpicture}\n"
    }
}

/// Text in which no character is a command.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '⌊' => escaped.push_str("$\\lfloor$"),
            '⌋' => escaped.push_str("$\\rfloor$"),
            '≤' => escaped.push_str("$\\le$"),
            c => escaped.push(c),
        }
    }
    escaped
}
