//! A figure as SVG.

use super::Plot;
use super::label::{LabelLevel, pieces};
use super::layout::{Anchor, PathStep, Pen, PlotPage, PlotShape, figure};
use crate::svg::{document, escaped, markup, px, rect};
use std::fmt::Write;

impl Plot {
    /// Draws the figure as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        written(&figure(std::slice::from_ref(self), 1))
    }

    /// Draws several figures as one, each as wide and as high as the largest, side by side, row by row. Those with the
    /// same axes show the same range.
    ///
    /// # Panics
    /// If there are no `columns`.
    #[must_use]
    pub fn svg_of_panels(panels: &[Self], columns: usize) -> String {
        written(&figure(panels, columns))
    }
}

fn written(figure: &PlotPage) -> String {
    let mut out = String::new();
    for (number, [x, y, width, height]) in figure.boxes.iter().enumerate() {
        let within = rect([x - 6.0, y - 6.0, width + 12.0, height + 12.0]);
        let _ = writeln!(out, "<clipPath id=\"box{number}\">{within}</clipPath>");
    }
    for shape in &figure.shapes {
        match shape {
            PlotShape::Path(steps, pen) => path(&mut out, steps, pen),
            PlotShape::Text { at, anchor, turned, size, colour, label } => {
                let mut style = match anchor {
                    Anchor::Start => String::new(),
                    Anchor::Middle => "text-anchor=\"middle\"".to_owned(),
                    Anchor::End => "text-anchor=\"end\"".to_owned(),
                };
                if *size != 12.0 {
                    let _ = write!(style, " font-size=\"{}\"", px(*size));
                }
                if *colour != "#000" {
                    let _ = write!(style, " fill=\"{colour}\"");
                }
                let text = spans(label, *size);
                match turned {
                    false => markup(&mut out, *at, style.trim(), &text),
                    true => {
                        let [x, y] = at.map(px);
                        let turn = format!("transform=\"translate({x} {y}) rotate(-90)\"");
                        let _ = writeln!(out, "<text {turn} {}>{text}</text>", style.trim());
                    }
                }
            }
        }
    }
    document(&figure.name, figure.size, 12, "", &out)
}

/// A label, with its indices, exponents and variables.
fn spans(label: &str, size: f64) -> String {
    let mut out = String::new();
    let mut height = 0.0;
    for piece in pieces(label) {
        let text = escaped(&piece.text);
        let (above, own) = piece.level.placed(size);
        let mut style = String::new();
        if above != height {
            let _ = write!(style, " dy=\"{}\"", px(height - above));
        }
        if piece.level != LabelLevel::Line {
            let _ = write!(style, " font-size=\"{}\"", px(own));
        }
        if piece.italic {
            style += " font-style=\"italic\"";
        }
        height = above;
        match style.as_str() {
            "" => out += &text,
            style => _ = write!(out, "<tspan{style}>{text}</tspan>"),
        }
    }
    out
}

fn path(out: &mut String, steps: &[PathStep], pen: &Pen) {
    let mut path = String::new();
    for step in steps {
        let _ = match *step {
            PathStep::Move([x, y]) => write!(path, "M{} {}", px(x), px(y)),
            PathStep::Line([x, y]) => write!(path, "L{} {}", px(x), px(y)),
            PathStep::Close => write!(path, "Z"),
            // Alone in its path, and below.
            PathStep::Circle(..) => Ok(()),
        };
    }
    let mut style = format!("fill=\"{}\"", pen.fill.unwrap_or("none"));
    if let Some(stroke) = pen.stroke {
        let _ = write!(style, " stroke=\"{stroke}\"");
        if pen.width != 1.0 {
            let _ = write!(style, " stroke-width=\"{}\"", px(pen.width));
        }
    }
    if !pen.dashes.is_empty() {
        let _ = write!(style, " stroke-dasharray=\"{}\"", pen.dashes);
    }
    if pen.opacity != 1.0 {
        let _ = write!(style, " opacity=\"{}\"", pen.opacity);
    }
    if let Some(number) = pen.within {
        let _ = write!(style, " clip-path=\"url(#box{number})\"");
    }
    let _ = match steps {
        [PathStep::Circle([x, y], r)] => {
            writeln!(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {style}/>", px(*x), px(*y), px(*r))
        }
        _ => writeln!(out, "<path d=\"{path}\" {style}/>"),
    };
}
