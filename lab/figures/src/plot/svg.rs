//! A figure as SVG.

use super::ticks::{Ticks, ticks};
use super::{Plot, PlotPoint, PlotSeries, SeriesShape};
use crate::svg::{COLOURS, document, escaped, markup, px, rect, text, translated};
use std::fmt::Write;
use suffrage_numbers::grouped;

/// The box of the axes, in pixels.
const LEFT: f64 = 78.0;
const TOP: f64 = 38.0;
const WIDE: f64 = 430.0;
const HIGH: f64 = 300.0;

/// The room below the box, and the height of a line of the legend.
const BELOW: f64 = 58.0;
const LINE: f64 = 17.0;

/// Maps values to pixels.
struct PlotFrame<'a> {
    plot: &'a Plot,
    x: Ticks,
    y: Ticks,
}

fn share(value: f64, ticks: &Ticks, log: bool) -> f64 {
    if log {
        libm::log(value / ticks.low) / libm::log(ticks.high / ticks.low)
    } else {
        (value - ticks.low) / (ticks.high - ticks.low)
    }
}

impl PlotFrame<'_> {
    fn x(&self, value: f64) -> f64 {
        LEFT + WIDE * share(value, &self.x, self.plot.x.log)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + HIGH * (1.0 - share(value, &self.y, self.plot.y.log))
    }
}

/// A number as a label: powers of ten have exponents where they are long.
fn label(value: f64, log: bool) -> String {
    let exponent = libm::round(libm::log10(value.abs().max(1e-300))) as i32;
    let is_power = log && format!("1e{exponent}").parse() == Ok(value);
    if is_power && !(-1..=3).contains(&exponent) {
        let exponent = exponent.to_string().replace('-', "\u{2212}");
        return format!("10<tspan dy=\"-5\" font-size=\"9\">{exponent}</tspan>");
    }
    number(value)
}

/// A number in the shortest form, with thousands set apart.
fn number(value: f64) -> String {
    let text = format!("{:.6}", value.abs());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let grouped = if whole.len() > 4 { grouped(whole, '\u{2009}') } else { whole.to_owned() };
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{rest}")
}

impl Plot {
    /// Draws the figure as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        whole(&name(self), size(self), &panel(self))
    }

    /// Draws several figures as one, each as wide and as high as the largest: side by side, row by row.
    ///
    /// # Panics
    /// If there are no `columns`.
    #[must_use]
    pub fn svg_of_panels(panels: &[Self], columns: usize) -> String {
        let sizes = || panels.iter().map(size);
        let wide = sizes().map(|[width, _]| width).fold(0.0, f64::max);
        let high = sizes().map(|[_, height]| height).fold(0.0, f64::max);
        let mut content = String::new();
        for (number, plot) in panels.iter().enumerate() {
            let (row, column) = (number / columns, number % columns);
            let at = translated([wide * column as f64, high * row as f64]);
            let _ = writeln!(content, "<g {at}>\n{}</g>", panel(plot));
        }
        let (rows, columns) = (panels.len().div_ceil(columns), columns.min(panels.len()));
        let titles: Vec<String> = panels.iter().map(name).collect();
        whole(&titles.join(", "), [wide * columns as f64, high * rows as f64], &content)
    }
}

/// The title of a figure, or what it shows, for readers that cannot see it.
fn name(plot: &Plot) -> String {
    match plot.title.as_str() {
        "" => format!("{} by {}", plot.y.label, plot.x.label),
        title => title.to_owned(),
    }
}

fn whole(title: &str, size: [f64; 2], panels: &str) -> String {
    let within = rect([LEFT - 6.0, TOP - 6.0, WIDE + 12.0, HIGH + 12.0]);
    let content = format!("<clipPath id=\"box\">{within}</clipPath>\n{panels}");
    document(title, size, 12, "", &content)
}

/// The series that the legend names.
fn named(plot: &Plot) -> impl Iterator<Item = &PlotSeries> {
    plot.series.iter().filter(|series| !series.name.is_empty())
}

/// The width and the height of a figure with its legend.
fn size(plot: &Plot) -> [f64; 2] {
    let longest = named(plot).map(|series| series.name.chars().count()).max();
    let legend = longest.map_or(0.0, |longest| 50.0 + 6.6 * longest as f64);
    let lines = TOP + LINE * named(plot).count() as f64 + 10.0;
    [LEFT + WIDE + 14.0 + legend, (TOP + HIGH + BELOW).max(lines)]
}

/// A figure, without the document around it.
fn panel(plot: &Plot) -> String {
    let [x, y] = plot.bounds();
    let frame = PlotFrame { plot, x: ticks(&plot.x, x, false), y: ticks(&plot.y, y, true) };
    let mut out = String::new();
    let style = "text-anchor=\"middle\" font-size=\"13\"";
    text(&mut out, [LEFT + WIDE / 2.0, 22.0], style, &plot.title);
    axes(&frame, &mut out);
    out += "<g clip-path=\"url(#box)\" fill=\"none\" stroke-width=\"1.4\">\n";
    for series in &plot.series {
        draw(&frame, series, &mut out);
    }
    out += "</g>\n";
    if plot.is_labelled_directly() {
        label_ends(&frame, &mut out);
        return out;
    }
    for (number, series) in named(plot).enumerate() {
        let (x, y) = (LEFT + WIDE + 14.0, TOP + LINE * number as f64 + 8.0);
        let colour = COLOURS[series.style % COLOURS.len()];
        let line = match series.shape {
            SeriesShape::Dots => String::new(),
            _ => format!("<path d=\"M{} {}h26\"{}/>", px(x), px(y), dashes(series)),
        };
        let marker = match series.shape {
            SeriesShape::Curve => marker(x + 13.0, y, series.style),
            SeriesShape::Dots => dot(x + 13.0, y, colour, 1.0),
            _ => String::new(),
        };
        let _ = write!(
            out,
            "<g fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\">{line}{marker}</g>"
        );
        text(&mut out, [x + 32.0, y + 4.0], "", &series.name);
    }
    out
}

/// Writes the name of each series beside its last point, or as near to it as there is room, and joins the two.
fn label_ends(frame: &PlotFrame<'_>, out: &mut String) {
    let mut ends: Vec<(f64, f64, &PlotSeries)> = named(frame.plot)
        .filter_map(|series| {
            let last = frame.plot.shown(series).last()?;
            Some((frame.y(last.y), frame.x(last.x), series))
        })
        .collect();
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    // From below each label goes up as far as those below it need, and then none above the box.
    let mut places: Vec<f64> = Vec::new();
    let mut below = f64::INFINITY;
    for &(y, ..) in ends.iter().rev() {
        below = y.clamp(TOP, TOP + HIGH).min(below - LINE);
        places.push(below);
    }
    let mut above = f64::NEG_INFINITY;
    for ((y, x, series), place) in ends.into_iter().zip(places.into_iter().rev()) {
        above = place.max(TOP).max(above + LINE);
        let colour = COLOURS[series.style % COLOURS.len()];
        let (right, beside) = (LEFT + WIDE, LEFT + WIDE + 26.0);
        let _ = writeln!(
            out,
            "<path d=\"M{} {}L{} {}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"0.7\"{}/>",
            px(x.min(right)),
            px(y),
            px(beside),
            px(above),
            dashes(series)
        );
        if series.shape == SeriesShape::Curve {
            let marker = marker(beside + 6.0, above, series.style);
            let _ = writeln!(out, "<g fill=\"none\" stroke=\"{colour}\">{marker}</g>");
        }
        let style = format!("fill=\"{colour}\"");
        text(out, [beside + 14.0, above + 4.0], &style, &series.name);
    }
}

/// The box, its ticks, and what they measure.
fn axes(frame: &PlotFrame<'_>, out: &mut String) {
    let (right, bottom) = (LEFT + WIDE, TOP + HIGH);
    let _ = writeln!(out, "<g stroke=\"#000\" fill=\"none\">\n{}", rect([LEFT, TOP, WIDE, HIGH]));
    for (ticks, long) in [(&frame.x.minor, 3), (&frame.x.major, 6)] {
        for &tick in ticks {
            let x = px(frame.x(tick));
            let _ = write!(out, "<path d=\"M{x} {}v-{long}M{x} {}v{long}\"/>", px(bottom), px(TOP));
        }
    }
    for (ticks, long) in [(&frame.y.minor, 3), (&frame.y.major, 6)] {
        for &tick in ticks {
            let y = px(frame.y(tick));
            let _ = write!(out, "<path d=\"M{} {y}h{long}M{} {y}h-{long}\"/>", px(LEFT), px(right));
        }
    }
    let _ = writeln!(out, "</g>\n<g>");
    for &tick in &frame.x.major {
        let at = [frame.x(tick), bottom + 17.0];
        markup(out, at, "text-anchor=\"middle\"", &label(tick, frame.plot.x.log));
    }
    for &tick in &frame.y.major {
        let at = [LEFT - 7.0, frame.y(tick) + 4.0];
        markup(out, at, "text-anchor=\"end\"", &label(tick, frame.plot.y.log));
    }
    let at = [LEFT + WIDE / 2.0, bottom + 42.0];
    text(out, at, "text-anchor=\"middle\"", &frame.plot.x.label);
    let _ = writeln!(
        out,
        "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</g>",
        px(TOP + HIGH / 2.0),
        escaped(&frame.plot.y.label)
    );
}

fn dashes(series: &PlotSeries) -> &'static str {
    if series.shape == SeriesShape::Bound {
        " stroke-dasharray=\"6 4\" stroke-opacity=\"0.75\""
    } else {
        ""
    }
}

fn draw(frame: &PlotFrame<'_>, series: &PlotSeries, out: &mut String) {
    let points: Vec<PlotPoint> = frame.plot.shown(series).collect();
    if points.is_empty() {
        return;
    }
    let colour = COLOURS[series.style % COLOURS.len()];
    if series.shape != SeriesShape::Dots {
        let mut path = String::new();
        for (number, point) in points.iter().enumerate() {
            let (x, y) = (px(frame.x(point.x)), px(frame.y(point.y)));
            let _ = match (number, series.shape) {
                (0, _) => write!(path, "M{x} {y}"),
                (_, SeriesShape::Steps) => write!(path, "H{x}V{y}"),
                _ => write!(path, "L{x} {y}"),
            };
        }
        let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\"{}/>", dashes(series));
    }
    if !matches!(series.shape, SeriesShape::Curve | SeriesShape::Dots) {
        return;
    }
    let _ = writeln!(out, "<g stroke=\"{colour}\">");
    for point in &points {
        let x = frame.x(point.x);
        if point.half > 0.0 {
            let low = point.y - point.half;
            let low = if frame.plot.y.log && low <= 0.0 { frame.y.low } else { low };
            let (high, low) = (px(frame.y(point.y + point.half)), px(frame.y(low)));
            let (left, middle) = (px(x - 3.0), px(x));
            let _ = writeln!(
                out,
                "<path d=\"M{middle} {high}V{low}M{left} {high}h6M{left} {low}h6\" stroke-width=\"1\"/>"
            );
        }
        let y = frame.y(point.y);
        let _ = match series.shape {
            SeriesShape::Dots => writeln!(out, "{}", dot(x, y, colour, 0.4)),
            _ => writeln!(out, "{}", marker(x, y, series.style)),
        };
    }
    let _ = writeln!(out, "</g>");
}

/// A dot of this opacity, so that others behind it can be seen.
fn dot(x: f64, y: f64, colour: &str, opacity: f64) -> String {
    let (x, y) = (px(x), px(y));
    format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"2\" fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"none\"/>"
    )
}

/// The marker of a style, which can be distinguished without its colour.
fn marker(x: f64, y: f64, style: usize) -> String {
    let path = match style % 6 {
        0 => "M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
        1 => "M-3-3H3V3H-3z",
        2 => "M0-4 3.6 2.6H-3.6z",
        3 => "M0-4.2 4.2 0 0 4.2-4.2 0z",
        4 => "M-3.2-3.2 3.2 3.2M3.2-3.2-3.2 3.2",
        _ => "M0 4 3.6-2.6H-3.6z",
    };
    format!("<path {} d=\"{path}\" fill=\"#fff\"/>", translated([x, y]))
}
