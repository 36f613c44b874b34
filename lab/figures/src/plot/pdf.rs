//! A figure as PDF, of one page in its size.
//!
//! Lines, circles and texts in the fonts that every reader of PDF has are a small part of the format, and written here:
//! a library that turns any SVG into PDF reads and shapes fonts, and takes longer to compile than this laboratory.

use super::Plot;
use super::label::{character_width, pieces, width};
use super::layout::{Anchor, PathStep, Pen, PlotPage, PlotShape, figure};
use std::fmt::Write;

/// How far the handles of a curve are from the ends of a quarter of a circle.
const HANDLE: f64 = 0.5523;

/// The opacities that there are, in hundredths.
const OPACITIES: [u32; 3] = [40, 75, 100];

impl Plot {
    /// Draws the figure as PDF. Its fonts are Helvetica and Symbol, and are not embedded.
    #[must_use]
    pub fn pdf(&self) -> String {
        Self::pdf_of_panels(std::slice::from_ref(self), 1)
    }

    /// Draws several figures as one, as [`svg_of_panels`](Self::svg_of_panels) does.
    ///
    /// # Panics
    /// If there are no `columns`.
    #[must_use]
    pub fn pdf_of_panels(panels: &[Self], columns: usize) -> String {
        document(&figure(panels, columns))
    }
}

fn document(figure: &PlotPage) -> String {
    let [wide, high] = figure.size.map(short);
    // From the lower left corner, upwards.
    let mut content = format!("1 0 0 -1 0 {high} cm\n");
    for shape in &figure.shapes {
        match shape {
            PlotShape::Path(steps, pen) => path(&mut content, steps, pen, &figure.boxes),
            PlotShape::Text { at, anchor, turned, size, colour, label } => {
                let share = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => 0.5,
                    Anchor::End => 1.0,
                };
                let [x, y] = at.map(short);
                let turn = if *turned { "0 -1 -1 0" } else { "1 0 0 -1" };
                let _ = writeln!(content, "q {turn} {x} {y} cm {} rg", colour_of(colour));
                text(&mut content, label, *size, -share * width(label, *size));
                content += "Q\n";
            }
        }
    }
    let states: String = OPACITIES
        .iter()
        .map(|share| format!("/G{share} << /CA {0} /ca {0} >> ", f64::from(*share) / 100.0))
        .collect();
    let font = |name: &str, encoding: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name}{encoding} >>")
    };
    let latin = " /Encoding /WinAnsiEncoding";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide} {high}] /Contents 4 0 R /Resources << /Font << \
             /F1 5 0 R /F2 6 0 R /F3 7 0 R >> /ExtGState << {states}>> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
        font("Helvetica", latin),
        font("Helvetica-Oblique", latin),
        font("Symbol", ""),
        format!("<< /Title ({}) >>", string(&figure.name)),
    ];
    let mut out = String::from("%PDF-1.4\n");
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        let _ = writeln!(table, "{:010} 00000 n ", out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let (start, size) = (out.len(), objects.len() + 1);
    let info = objects.len();
    out + &table
        + &format!(
            "trailer\n<< /Size {size} /Root 1 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n"
        )
}

/// A number with at most two digits after the point.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// `#rgb` or `#rrggbb` as three shares.
fn colour_of(colour: &str) -> String {
    let digits = colour.trim_start_matches('#');
    let each = digits.len() / 3;
    let share = |number: usize| {
        let part = digits.get(number * each..(number + 1) * each).unwrap_or("0");
        let most = if each == 1 { 15.0 } else { 255.0 };
        short(f64::from(u32::from_str_radix(part, 16).unwrap_or(0)) / most)
    };
    [0, 1, 2].map(share).join(" ")
}

fn path(out: &mut String, steps: &[PathStep], pen: &Pen, boxes: &[[f64; 4]]) {
    if steps.is_empty() {
        return;
    }
    out.push_str("q ");
    if let Some([x, y, wide, high]) = pen.within.and_then(|number| boxes.get(number)) {
        let [x, y, wide, high] = [x - 6.0, y - 6.0, wide + 12.0, high + 12.0].map(short);
        let _ = write!(out, "{x} {y} {wide} {high} re W n ");
    }
    let _ = write!(
        out,
        "/G{} gs [{}] 0 d {} w ",
        (pen.opacity * 100.0) as u32,
        pen.dashes,
        short(pen.width)
    );
    if let Some(stroke) = pen.stroke {
        let _ = write!(out, "{} RG ", colour_of(stroke));
    }
    if let Some(fill) = pen.fill {
        let _ = write!(out, "{} rg ", colour_of(fill));
    }
    for step in steps {
        let _ = match *step {
            PathStep::Move([x, y]) => write!(out, "{} {} m ", short(x), short(y)),
            PathStep::Line([x, y]) => write!(out, "{} {} l ", short(x), short(y)),
            PathStep::Close => write!(out, "h "),
            PathStep::Circle([x, y], r) => {
                let at = |across: f64, down: f64| {
                    format!("{} {}", short(x + r * across), short(y + r * down))
                };
                let _ = write!(out, "{} m ", at(1.0, 0.0));
                for [[ax, ay], [bx, by]] in [
                    [[1.0, 0.0], [0.0, 1.0]],
                    [[0.0, 1.0], [-1.0, 0.0]],
                    [[-1.0, 0.0], [0.0, -1.0]],
                    [[0.0, -1.0], [1.0, 0.0]],
                ] {
                    let one = at(ax + HANDLE * bx, ay + HANDLE * by);
                    let two = at(bx + HANDLE * ax, by + HANDLE * ay);
                    let _ = write!(out, "{one} {two} {} c ", at(bx, by));
                }
                write!(out, "h ")
            }
        };
    }
    *out += match (pen.stroke, pen.fill) {
        (Some(_), Some(_)) => "B Q\n",
        (None, Some(_)) => "f Q\n",
        _ => "S Q\n",
    };
}

/// Writes a label from this place on its line, upwards from (0, 0).
fn text(out: &mut String, label: &str, size: f64, from: f64) {
    let mut x = from;
    for piece in pieces(label) {
        let (above, own) = piece.level.placed(size);
        let mut rest = piece.text.as_str();
        while let Some(first) = rest.chars().next() {
            // What stands in one font.
            let end =
                rest.find(|c| symbol(c).is_some() != symbol(first).is_some()).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            rest = after;
            let is_symbol = symbol(first).is_some();
            let (font, written) = match (is_symbol, piece.italic) {
                (true, _) => (
                    "F3",
                    run.chars().filter_map(symbol).map(|code| format!("\\{code:03o}")).collect(),
                ),
                (_, true) => ("F2", string(run)),
                _ => ("F1", string(run)),
            };
            let [at, own_text, above] = [x, own, above].map(short);
            let _ = writeln!(out, "BT /{font} {own_text} Tf {at} {above} Td ({written}) Tj ET");
            x += own * run.chars().map(character_width).sum::<f64>();
        }
    }
}

/// The code of a character in the font Symbol, if it stands there alone. Brackets without an end are the lower and the
/// upper part of a long one.
fn symbol(c: char) -> Option<u8> {
    Some(match c {
        '⌊' => 0xeb,
        '⌋' => 0xfb,
        '⌈' => 0xe9,
        '⌉' => 0xf9,
        '∑' => 0xe5,
        '≤' => 0xa3,
        '\u{2212}' => 0x2d,
        _ => return None,
    })
}

/// A text of PDF in the characters of Windows, where others are question marks.
fn string(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            '\u{2009}' => out.push(' '),
            '\u{2212}' => out.push('-'),
            '\u{a0}'..='\u{ff}' => _ = write!(out, "\\{:03o}", c as u32),
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::plot::{Axis, Plot, PlotPoint, PlotSeries, SeriesShape};

    fn figure() -> String {
        let points = vec![PlotPoint::at(1.0, 10.0).within(2.0), PlotPoint::at(1e5, 1e6)];
        let curve =
            PlotSeries { name: "é (\\ → )".into(), points, shape: SeriesShape::Curve, style: 6 };
        let bound = PlotSeries {
            name: "$n floor(log2 n)$".into(),
            shape: SeriesShape::Bound,
            ..curve.clone()
        };
        let axis = |label: &str| Axis { label: label.into(), log: true };
        let series = vec![curve, bound];
        Plot {
            title: "$n^2$".into(),
            note: "20 trials".into(),
            x: axis("n"),
            y: axis("messages"),
            series,
        }
        .pdf()
    }

    #[test]
    fn the_table_of_objects_says_where_each_begins() {
        let pdf = figure();
        let start: usize = pdf.lines().rev().nth(1).unwrap().parse().unwrap();
        let mut table = pdf[start..].lines();
        assert_eq!([table.next(), table.next()], [Some("xref"), Some("0 9")]);
        for (number, line) in table.skip(1).take(8).enumerate() {
            // 20 bytes with the end of the line.
            assert_eq!(line.len(), 19);
            let at: usize = line[..10].parse().unwrap();
            assert!(pdf[at..].starts_with(&format!("{} 0 obj\n", number + 1)));
        }
        let length = pdf.split("/Length ").nth(1).unwrap().split(' ').next().unwrap();
        let content = pdf.split("stream\n").nth(1).unwrap().strip_suffix("end").unwrap();
        assert_eq!(length.parse(), Ok(content.len()));
    }

    #[test]
    fn texts_are_in_the_characters_and_fonts_that_readers_have() {
        let pdf = figure();
        assert!(pdf.is_ascii());
        for part in [
            "(\\351 \\(\\\\ ? \\)) Tj",
            "/F3 12 Tf",
            "(\\353) Tj",
            "(\\373) Tj",
            "/F2 12 Tf",
            "(20 trials) Tj",
        ] {
            assert!(pdf.contains(part), "{part}");
        }
        let words = |word: &str| pdf.split_whitespace().filter(|other| *other == word).count();
        assert_eq!(words("q"), words("Q"));
        assert_eq!(words("BT"), words("ET"));
    }
}
