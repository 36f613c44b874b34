//! Where the lines, the markers and the texts of figures are.

use super::label::width;
use super::ticks::{Ticks, ticks};
use super::{Plot, PlotPoint, PlotSeries, SeriesShape};
use crate::svg::COLOURS;
use suffrage_numbers::grouped;

/// The box of the axes, in pixels.
const LEFT: f64 = 78.0;
const TOP: f64 = 38.0;
const WIDE: f64 = 430.0;
const HIGH: f64 = 300.0;

/// The room below the box, that for a note, and the height of a line of the legend.
const BELOW: f64 = 58.0;
const NOTE: f64 = 16.0;
const LINE: f64 = 17.0;

/// The size of names, ticks and axes.
const SIZE: f64 = 12.0;

/// The dashes of bounds, by style.
const BOUND_DASHES: [&str; 7] = ["6 4", "2 3", "9 3 2 3", "12 4", "4 2", "9 3 2 3 2 3", "12 3 4 3"];

/// A figure as shapes on a page, from what is behind.
pub(super) struct PlotPage {
    /// For readers that cannot see it.
    pub(super) name: String,
    /// Its width and its height.
    pub(super) size: [f64; 2],
    /// The boxes of axes: corner, width and height.
    pub(super) boxes: Vec<[f64; 4]>,
    pub(super) shapes: Vec<PlotShape>,
}

/// A shape. Places are in pixels, to the right and down.
pub(super) enum PlotShape {
    Path(Vec<PathStep>, Pen),
    Text {
        at: [f64; 2],
        anchor: Anchor,
        /// Whether it is written upwards.
        turned: bool,
        size: f64,
        colour: &'static str,
        label: String,
    },
}

/// A step of a path.
#[derive(Clone, Copy)]
pub(super) enum PathStep {
    Move([f64; 2]),
    Line([f64; 2]),
    /// A circle by its middle and its radius, which is the only step of its path.
    Circle([f64; 2], f64),
    Close,
}

/// How a path is drawn.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) stroke: Option<&'static str>,
    pub(super) fill: Option<&'static str>,
    pub(super) width: f64,
    /// Lengths of dashes and gaps.
    pub(super) dashes: &'static str,
    pub(super) opacity: f64,
    /// The number of the box that cuts off what is outside.
    pub(super) within: Option<usize>,
}

/// Which part of a text is at its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Pen {
    const fn line(colour: &'static str, width: f64) -> Self {
        Self { stroke: Some(colour), fill: None, width, dashes: "", opacity: 1.0, within: None }
    }

    const fn dashed(self, series: &PlotSeries) -> Self {
        match series.shape {
            SeriesShape::Bound => Self {
                dashes: BOUND_DASHES[series.style % BOUND_DASHES.len()],
                opacity: 0.75,
                ..self
            },
            _ => self,
        }
    }
}

/// Lays figures out side by side, row by row, each as wide and as high as the largest.
///
/// # Panics
/// If there are no `columns`.
pub(super) fn figure(panels: &[Plot], columns: usize) -> PlotPage {
    let sizes = || panels.iter().map(size);
    let wide = sizes().map(|[width, _]| width).fold(0.0, f64::max);
    let high = sizes().map(|[_, height]| height).fold(0.0, f64::max);
    let (rows, across) = (panels.len().div_ceil(columns), columns.min(panels.len()));
    let mut names: Vec<String> = panels.iter().map(Plot::name).collect();
    names.dedup();
    let mut figure = PlotPage {
        name: names.join(", "),
        size: [wide * across as f64, high * rows as f64],
        boxes: Vec::new(),
        shapes: Vec::new(),
    };
    for (number, plot) in panels.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let [x, y] = plot.bounds_among(panels);
        let mut frame = PlotFrame {
            plot,
            x: ticks(&plot.x, x, false),
            y: ticks(&plot.y, y, true),
            corner: [LEFT + wide * column as f64, TOP + high * row as f64],
            number,
            shapes: Vec::new(),
        };
        frame.panel();
        figure.boxes.push([frame.corner[0], frame.corner[1], WIDE, HIGH]);
        figure.shapes.append(&mut frame.shapes);
    }
    figure
}

/// The series that have a name in the figure.
fn named(plot: &Plot) -> impl Iterator<Item = &PlotSeries> {
    plot.series.iter().filter(|series| !series.name.is_empty())
}

/// The width and the height of a figure with its names.
fn size(plot: &Plot) -> [f64; 2] {
    let widths = named(plot).map(|series| width(&series.name, SIZE));
    let names = widths.reduce(f64::max).map_or(0.0, |longest| 54.0 + longest);
    let lines = TOP + LINE * named(plot).count() as f64 + 10.0;
    let below = if plot.note.is_empty() { BELOW } else { BELOW + NOTE };
    [LEFT + WIDE + 14.0 + names, (TOP + HIGH + below).max(lines)]
}

/// The end of a series, and where its name stands.
pub(super) struct LabelledEnd<'a> {
    pub(super) series: &'a PlotSeries,
    pub(super) last: PlotPoint,
    /// How far below the upper edge of the box, as a share of its height.
    pub(super) place: f64,
}

/// Places names beside the ends of series, from above, so that none covers another.
pub(super) fn labelled_ends<'a>(plot: &'a Plot, y: &Ticks) -> Vec<LabelledEnd<'a>> {
    let line = LINE / HIGH;
    let mut ends: Vec<LabelledEnd<'_>> = named(plot)
        .filter_map(|series| {
            let last = plot.shown(series).last()?;
            Some(LabelledEnd { series, last, place: 1.0 - share(last.y, y, plot.y.log) })
        })
        .collect();
    ends.sort_by(|one, other| one.place.total_cmp(&other.place));
    // From below each goes up as far as those below it need, and then none above the box.
    let mut below = f64::INFINITY;
    for end in ends.iter_mut().rev() {
        end.place = end.place.clamp(0.0, 1.0).min(below - line);
        below = end.place;
    }
    let mut above = f64::NEG_INFINITY;
    for end in &mut ends {
        end.place = end.place.max(0.0).max(above + line);
        above = end.place;
    }
    ends
}

/// A figure that is laid out: it maps values to pixels.
struct PlotFrame<'a> {
    plot: &'a Plot,
    x: Ticks,
    y: Ticks,
    /// The upper left corner of its box.
    corner: [f64; 2],
    /// The number of its box.
    number: usize,
    shapes: Vec<PlotShape>,
}

fn share(value: f64, ticks: &Ticks, log: bool) -> f64 {
    if log {
        libm::log(value / ticks.low) / libm::log(ticks.high / ticks.low)
    } else {
        (value - ticks.low) / (ticks.high - ticks.low)
    }
}

/// A number as a label: powers of ten have exponents where they are long.
fn tick_label(value: f64, log: bool) -> String {
    let exponent = libm::round(libm::log10(value.abs().max(1e-300))) as i32;
    let is_power = log && format!("1e{exponent}").parse() == Ok(value);
    if is_power && !(-1..=3).contains(&exponent) {
        return format!("$10^({exponent})$");
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

impl PlotFrame<'_> {
    fn across(&self, value: f64) -> f64 {
        self.corner[0] + WIDE * share(value, &self.x, self.plot.x.log)
    }

    fn down(&self, value: f64) -> f64 {
        self.corner[1] + HIGH * (1.0 - share(value, &self.y, self.plot.y.log))
    }

    fn path(&mut self, steps: Vec<PathStep>, pen: Pen) {
        self.shapes.push(PlotShape::Path(steps, pen));
    }

    fn text(&mut self, at: [f64; 2], anchor: Anchor, size: f64, label: &str) {
        let label = label.to_owned();
        self.shapes.push(PlotShape::Text {
            at,
            anchor,
            turned: false,
            size,
            colour: "#000",
            label,
        });
    }

    fn panel(&mut self) {
        let plot = self.plot;
        let middle = self.corner[0] + WIDE / 2.0;
        self.text([middle, self.corner[1] - 16.0], Anchor::Middle, 13.0, &plot.title);
        self.axes();
        for series in &plot.series {
            self.draw(series);
        }
        match plot.is_labelled_directly() {
            true => self.label_ends(),
            false => self.legend(),
        }
    }

    fn legend(&mut self) {
        let plot = self.plot;
        for (number, series) in named(plot).enumerate() {
            let x = self.corner[0] + WIDE + 14.0;
            let y = self.corner[1] + LINE * number as f64 + 8.0;
            let colour = COLOURS[series.style % COLOURS.len()];
            if series.shape != SeriesShape::Dots {
                let line = vec![PathStep::Move([x, y]), PathStep::Line([x + 26.0, y])];
                self.path(line, Pen::line(colour, 1.4).dashed(series));
            }
            match series.shape {
                SeriesShape::Curve => self.marker([x + 13.0, y], series.style, None),
                SeriesShape::Dots => self.dot([x + 13.0, y], colour, 1.0, None),
                _ => {}
            }
            self.text([x + 32.0, y + 4.0], Anchor::Start, SIZE, &series.name);
        }
    }

    /// Writes the name of each series beside its last point, or as near to it as there is room, and joins the two.
    fn label_ends(&mut self) {
        let [left, top] = self.corner;
        for end in labelled_ends(self.plot, &self.y) {
            let (x, y) = (self.across(end.last.x), self.down(end.last.y));
            let (beside, place) = (left + WIDE + 26.0, top + HIGH * end.place);
            let colour = COLOURS[end.series.style % COLOURS.len()];
            let line = vec![PathStep::Move([x, y]), PathStep::Line([beside, place])];
            self.path(line, Pen::line(colour, 0.7).dashed(end.series));
            if end.series.shape == SeriesShape::Curve {
                self.marker([beside + 6.0, place], end.series.style, None);
            }
            let label = end.series.name.clone();
            let (at, anchor) = ([beside + 14.0, place + 4.0], Anchor::Start);
            self.shapes.push(PlotShape::Text {
                at,
                anchor,
                turned: false,
                size: SIZE,
                colour,
                label,
            });
        }
    }

    /// The box, its ticks, and what they measure.
    fn axes(&mut self) {
        use PathStep::{Close, Line, Move};
        let [left, top] = self.corner;
        let (right, bottom) = (left + WIDE, top + HIGH);
        let mut steps = vec![
            Move([left, top]),
            Line([right, top]),
            Line([right, bottom]),
            Line([left, bottom]),
        ];
        steps.push(Close);
        for (ticks, long) in [(&self.x.minor, 3.0), (&self.x.major, 6.0)] {
            for x in ticks.iter().map(|tick| self.across(*tick)) {
                steps.extend([Move([x, bottom]), Line([x, bottom - long])]);
                steps.extend([Move([x, top]), Line([x, top + long])]);
            }
        }
        for (ticks, long) in [(&self.y.minor, 3.0), (&self.y.major, 6.0)] {
            for y in ticks.iter().map(|tick| self.down(*tick)) {
                steps.extend([Move([left, y]), Line([left + long, y])]);
                steps.extend([Move([right, y]), Line([right - long, y])]);
            }
        }
        self.path(steps, Pen::line("#000", 1.0));
        let plot = self.plot;
        for tick in self.x.major.clone() {
            let at = [self.across(tick), bottom + 17.0];
            self.text(at, Anchor::Middle, SIZE, &tick_label(tick, plot.x.log));
        }
        for tick in self.y.major.clone() {
            let at = [left - 7.0, self.down(tick) + 4.0];
            self.text(at, Anchor::End, SIZE, &tick_label(tick, plot.y.log));
        }
        let middle = left + WIDE / 2.0;
        self.text([middle, bottom + 42.0], Anchor::Middle, SIZE, &plot.x.label);
        if !plot.note.is_empty() {
            self.text([middle, bottom + 42.0 + NOTE], Anchor::Middle, 10.0, &plot.note);
        }
        self.shapes.push(PlotShape::Text {
            at: [left - 60.0, top + HIGH / 2.0],
            anchor: Anchor::Middle,
            turned: true,
            size: SIZE,
            colour: "#000",
            label: plot.y.label.clone(),
        });
    }

    fn draw(&mut self, series: &PlotSeries) {
        use PathStep::{Line, Move};
        let points: Vec<PlotPoint> = self.plot.shown(series).collect();
        let colour = COLOURS[series.style % COLOURS.len()];
        let within = Some(self.number);
        if series.shape != SeriesShape::Dots {
            let mut steps = Vec::new();
            let mut before = None;
            for point in &points {
                let at = [self.across(point.x), self.down(point.y)];
                match before {
                    None => steps.push(Move(at)),
                    Some(y) if series.shape == SeriesShape::Steps => {
                        steps.extend([Line([at[0], y]), Line(at)]);
                    }
                    Some(_) => steps.push(Line(at)),
                }
                before = Some(at[1]);
            }
            let pen = Pen { within, ..Pen::line(colour, 1.4).dashed(series) };
            self.path(steps, pen);
        }
        if !matches!(series.shape, SeriesShape::Curve | SeriesShape::Dots) {
            return;
        }
        for point in &points {
            let (x, y) = (self.across(point.x), self.down(point.y));
            if point.half > 0.0 {
                let low = point.y - point.half;
                let low = if self.plot.y.log && low <= 0.0 { self.y.low } else { low };
                let (high, low) = (self.down(point.y + point.half), self.down(low));
                let ends = [high, low].map(|y| [Move([x - 3.0, y]), Line([x + 3.0, y])]);
                let steps = [vec![Move([x, high]), Line([x, low])], ends.concat()].concat();
                self.path(steps, Pen { within, ..Pen::line(colour, 1.0) });
            }
            match series.shape {
                SeriesShape::Dots => self.dot([x, y], colour, 0.4, within),
                _ => self.marker([x, y], series.style, within),
            }
        }
    }

    /// A dot of this opacity, so that others behind it can be seen.
    fn dot(&mut self, at: [f64; 2], colour: &'static str, opacity: f64, within: Option<usize>) {
        let pen =
            Pen { stroke: None, fill: Some(colour), opacity, within, ..Pen::line(colour, 1.0) };
        self.path(vec![PathStep::Circle(at, 2.0)], pen);
    }

    /// The marker of a style, which can be distinguished without its colour.
    fn marker(&mut self, [x, y]: [f64; 2], style: usize, within: Option<usize>) {
        let lines: &[&[[f64; 2]]] = match style % 7 {
            0 => &[],
            1 => &[&[[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]]],
            2 => &[&[[0.0, -4.0], [3.6, 2.6], [-3.6, 2.6]]],
            3 => &[&[[0.0, -4.2], [4.2, 0.0], [0.0, 4.2], [-4.2, 0.0]]],
            4 => &[&[[-3.2, -3.2], [3.2, 3.2]], &[[3.2, -3.2], [-3.2, 3.2]]],
            5 => &[&[[0.0, 4.0], [3.6, -2.6], [-3.6, -2.6]]],
            _ => &[&[[-4.0, 0.0], [4.0, 0.0]], &[[0.0, -4.0], [0.0, 4.0]]],
        };
        let mut steps = Vec::new();
        if lines.is_empty() {
            steps.push(PathStep::Circle([x, y], 3.2));
        }
        for line in lines {
            for (number, [across, down]) in line.iter().enumerate() {
                let at = [x + across, y + down];
                steps.push(if number == 0 { PathStep::Move(at) } else { PathStep::Line(at) });
            }
            if line.len() > 2 {
                steps.push(PathStep::Close);
            }
        }
        let colour = COLOURS[style % COLOURS.len()];
        self.path(steps, Pen { fill: Some("#fff"), within, ..Pen::line(colour, 1.4) });
    }
}
