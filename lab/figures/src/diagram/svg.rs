//! A drawing as SVG: a line for each process, time downwards, each message from where it is sent to
//! where it arrives.

use super::canvas::{Life, Mark};
use super::drawing::{DrawnEvent, DrawnMessage, Fate, TimeUnit};
use super::view::DrawingView;
use crate::svg::{COLOURS, DASHES, document, escaped, px, straight, text, translated};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Pixels between two lines, between two rows, and at most between two ticks.
const LANE: f64 = 104.0;
const ROW: f64 = 28.0;
const LONGEST_GAP: u64 = 4;

const LEFT: f64 = 64.0;
const RIGHT: f64 = 52.0;
/// The vertical position at which the lines begin.
const TOP: f64 = 84.0;

/// With more messages than these, their texts are left to the reader that points at them.
const LABELLED: usize = 250;

/// The rows of a drawing: where each event is.
struct EventRows {
    /// The height of each event that is drawn.
    y: BTreeMap<usize, f64>,
    /// The labels of instants, with their heights.
    labels: Vec<(f64, String)>,
    /// Where the lines end.
    bottom: f64,
}

/// Gives each event its row. Events of different processes at one instant share a row; events of one
/// process are below each other.
fn rows(view: &DrawingView<'_>) -> EventRows {
    let mut y = BTreeMap::new();
    let mut labels = Vec::new();
    let (mut height, mut deepest) = (TOP, 0);
    let mut instant = None;
    let mut layers: BTreeMap<u32, u32> = BTreeMap::new();
    for (number, event) in view.events() {
        if instant != Some(event.at) {
            let gap = match (instant, view.drawing.style.clock) {
                (Some(before), TimeUnit::Ticks) => (event.at - before).clamp(1, LONGEST_GAP) - 1,
                _ => 0,
            };
            height += ROW * (f64::from(deepest) + 1.0) + gap as f64 * ROW / 3.0;
            (instant, deepest) = (Some(event.at), 0);
            layers.clear();
            labels.push((height, view.drawing.style.clock.label(event.at)));
        }
        let layer = match event.node {
            Some(node) => {
                let next = layers.entry(node).or_default();
                *next += 1;
                *next - 1
            }
            // What befalls a link has a row of its own.
            None if layers.is_empty() => 0,
            None => deepest + 1,
        };
        if event.node.is_none() {
            layers.entry(u32::MAX).or_default();
        }
        deepest = deepest.max(layer);
        y.insert(number, height + ROW * f64::from(layer));
    }
    EventRows { y, labels, bottom: height + ROW * (f64::from(deepest) + 1.5) }
}

struct Svg<'a> {
    view: &'a DrawingView<'a>,
    rows: EventRows,
    /// The messages of the longest causal chain.
    chain: Vec<usize>,
    out: String,
}

pub(super) fn svg(view: &DrawingView<'_>) -> String {
    let chain = view.drawing.longest_chain();
    let mut svg = Svg { view, rows: rows(view), chain, out: String::new() };
    svg.lines();
    svg.chain();
    svg.messages();
    svg.events();
    svg.heads();
    let (legend, below) = svg.legend();
    let width = LEFT + LANE * view.lanes.len().max(3) as f64 + RIGHT;
    let mut head = String::from(
        "<desc>A space-time diagram: a line for each process, time downwards, an arrow for each \
         message.</desc>\n<defs>\n",
    );
    for (number, _) in view.drawing.kinds.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            head,
            "<marker id=\"head{number}\" viewBox=\"0 0 10 8\" refX=\"9.5\" refY=\"4\" \
             markerWidth=\"9\" markerHeight=\"7.2\" markerUnits=\"userSpaceOnUse\" \
             orient=\"auto\"><path d=\"M0 0 10 4 0 8 2 4z\" fill=\"{colour}\"/></marker>"
        );
    }
    head += "</defs>\n";
    let (title, mut content) = (&view.drawing.title, String::new());
    text(&mut content, [LEFT - 40.0, 24.0], "font-size=\"14\" font-weight=\"bold\"", title);
    content += &svg.out;
    content += &legend;
    document(title, [width, below], 11, &head, &content)
}

impl Svg<'_> {
    fn x(&self, node: u32) -> Option<f64> {
        Some(LEFT + LANE * (self.view.lane(node)? as f64 + 0.5))
    }

    /// The height of an event: its row, or an edge of the window.
    fn y(&self, event: Option<usize>, otherwise: f64) -> f64 {
        event.and_then(|event| self.rows.y.get(&event).copied()).unwrap_or(otherwise)
    }

    /// The instants, and the processes with their stages of life.
    fn lines(&mut self) {
        let right = LEFT + LANE * self.view.lanes.len() as f64;
        let _ = writeln!(self.out, "<g stroke=\"#eee\" fill=\"#666\" font-size=\"10\">");
        for (y, label) in &self.rows.labels {
            let _ = write!(self.out, "<path d=\"M{} {}H{}\"/>", px(LEFT), px(*y), px(right));
            let style = "stroke=\"none\" text-anchor=\"end\"";
            text(&mut self.out, [LEFT - 8.0, *y + 3.5], style, label);
        }
        let style = "stroke=\"none\" text-anchor=\"end\" font-style=\"italic\"";
        let unit = self.view.drawing.style.clock.name();
        text(&mut self.out, [LEFT - 8.0, TOP - 10.0], style, unit);
        self.out += "</g>\n";
        let start = TOP - 12.0;
        let mut since: Vec<(f64, Life)> =
            vec![(start, self.view.drawing.first); self.view.drawing.heads.len()];
        let mut pieces: Vec<(u32, f64, f64, Life)> = Vec::new();
        let mut now = start;
        for (number, event) in self.view.drawing.events.iter().enumerate() {
            now = self.rows.y.get(&number).copied().unwrap_or(now);
            for &(node, life) in &event.becomes {
                let (from, before) = since[node as usize];
                pieces.push((node, from, now, before));
                since[node as usize] = (now, life);
            }
        }
        for (node, &(from, life)) in (0..).zip(&since) {
            pieces.push((node, from, self.rows.bottom, life));
        }
        for (node, from, to, life) in pieces {
            let Some(x) = self.x(node) else { continue };
            self.piece(x, from, to, life);
        }
    }

    /// A process in one stage of its life.
    fn piece(&mut self, x: f64, from: f64, to: f64, life: Life) {
        let style = match life {
            Life::Asleep | Life::Suspended => "stroke=\"#999\" stroke-dasharray=\"2 4\"",
            Life::Awake | Life::Up => "stroke=\"#000\" stroke-width=\"1.4\"",
            Life::Follower => "stroke=\"#999\" stroke-width=\"1.4\"",
            Life::Leader => "stroke=\"#000\" stroke-width=\"5\"",
            // The line has ended, with a bar; a crash has a sign of its own.
            Life::HaltedUndecided | Life::HaltedFollower | Life::HaltedLeader => {
                let (left, right, y) = (px(x - 6.0), px(x + 6.0), px(from + 7.0));
                let wide = if life == Life::HaltedLeader { 5 } else { 1 };
                let _ = writeln!(
                    self.out,
                    "<path d=\"M{} {}V{y}\" stroke=\"#000\" stroke-width=\"{wide}\"/>\
                     <path d=\"M{left} {y}H{right}\" stroke=\"#000\" stroke-width=\"2\"/>",
                    px(x),
                    px(from)
                );
                return;
            }
            Life::Crashed | Life::Unstarted => return,
        };
        if to > from {
            let (x, from, to) = (px(x), px(from), px(to));
            let _ = writeln!(self.out, "<path d=\"M{x} {from}V{to}\" fill=\"none\" {style}/>");
        }
    }

    /// The ends of an arrow, if both are drawn.
    fn ends(&self, message: &DrawnMessage) -> Option<[f64; 4]> {
        let (x1, x2) = (self.x(message.from)?, self.x(message.to)?);
        let end = self.y(message.ends(), self.rows.bottom);
        let start = match message.sent {
            Some(sent) => self.y(Some(sent), TOP - 12.0),
            // Where it is not known when it was sent, it came a little earlier.
            None => end - ROW * 0.8,
        };
        Some(match message.fate {
            Fate::Lost(None) => [x1, start, x1 + (x2 - x1) * 0.35, start + ROW * 0.5],
            Fate::Lost(Some(_)) => [x1, start, x1 + (x2 - x1) * 0.75, end],
            _ => [x1, start, x2, end],
        })
    }

    /// The longest causal chain, below everything else.
    fn chain(&mut self) {
        let _ = writeln!(
            self.out,
            "<g id=\"chain\" stroke=\"#f0c000\" stroke-opacity=\"0.55\" stroke-width=\"8\" \
             stroke-linecap=\"round\" fill=\"none\">"
        );
        let mut before: Option<f64> = None;
        let shown: BTreeSet<usize> = self.view.messages().map(|(number, _)| number).collect();
        for &number in &self.chain {
            let message = &self.view.drawing.messages[number];
            let Some([x1, y1, x2, y2]) = self.ends(message).filter(|_| shown.contains(&number))
            else {
                before = None;
                continue;
            };
            let wait =
                before.filter(|&y| y < y1).map(|y| format!("M{} {}V{}", px(x1), px(y), px(y1)));
            let wait = wait.unwrap_or_default();
            let path = arrow([x1, y1, x2, y2]);
            let _ = writeln!(self.out, "<path d=\"{wait}{path}\"/>");
            before = Some(y2);
        }
        let _ = writeln!(self.out, "</g>");
    }

    fn messages(&mut self) {
        let labelled = self.view.messages().count() <= LABELLED;
        let mut texts = String::new();
        for (number, message) in self.view.messages() {
            let Some(ends @ [x1, y1, x2, y2]) = self.ends(message) else { continue };
            let (colour, dash) = kind_style(message.kind);
            let lost = matches!(message.fate, Fate::Lost(_));
            let head = match message.fate {
                Fate::Arrives(event) if self.rows.y.contains_key(&event) => {
                    format!(" marker-end=\"url(#head{})\"", message.kind)
                }
                _ => String::new(),
            };
            let chain = if self.chain.contains(&number) { " class=\"chain\"" } else { "" };
            let label = escaped(&message.text);
            let _ = writeln!(
                self.out,
                "<path{chain} d=\"{}\" stroke=\"{colour}\" stroke-width=\"1.3\" fill=\"none\"\
                 {dash}{head}><title>{label}, p{} to p{}</title></path>",
                arrow(ends),
                message.from,
                message.to
            );
            if lost {
                sign(&mut self.out, x2, y2, Mark::Lose);
            }
            if labelled {
                // Beside the receiver's end, where arrows of one sender have parted.
                let part = if lost { 0.5 } else { 0.58 };
                let (x, y) = (x1 + (x2 - x1) * part, y1 + (y2 - y1) * part);
                let slope = (y2 - y1).atan2((x2 - x1).abs()).to_degrees();
                let slope = if x2 < x1 { -slope } else { slope };
                let x = if message.from == message.to { x + 34.0 } else { x };
                let turn = if message.from == message.to { 0.0 } else { slope };
                let (x, y, turn) = (px(x), px(y), px(turn));
                let _ = writeln!(
                    texts,
                    "<text transform=\"translate({x} {y}) rotate({turn})\" y=\"-3\" fill=\"{colour}\">\
                     {label}</text>"
                );
            }
        }
        let _ = writeln!(
            self.out,
            "<g text-anchor=\"middle\" font-size=\"9\" stroke=\"#fff\" stroke-width=\"3\" \
             paint-order=\"stroke\">\n{texts}</g>"
        );
    }

    /// The signs at processes, each with the phrases about its event.
    fn events(&mut self) {
        for (number, event) in self.view.events() {
            let y = self.rows.y[&number];
            let said = self.view.phrases(event).join(" · ");
            let _ = writeln!(self.out, "<g><title>{}</title>", escaped(&said));
            if let Some((x, mark)) = self.head(event) {
                sign(&mut self.out, x, y, mark);
            }
            for &(node, mark) in &event.dots {
                if let Some(x) = self.x(node) {
                    sign(&mut self.out, x, y, mark);
                }
            }
            if event.node.is_none() && event.arrow.is_none() {
                let style = "font-style=\"italic\" fill=\"#444\"";
                text(&mut self.out, [LEFT + 4.0, y + 3.5], style, &said);
            }
            self.out += "</g>\n";
        }
    }

    /// The sign of an arrow, where it is not drawn with the message.
    fn head(&self, event: &DrawnEvent) -> Option<(f64, Mark)> {
        let (message, mark) = event.arrow?;
        let message = &self.view.drawing.messages[message];
        match mark {
            Mark::Lose => None,
            Mark::Duplicate => Some(((self.x(message.from)? + self.x(message.to)?) / 2.0, mark)),
            _ => Some((self.x(message.to)?, mark)),
        }
    }

    /// The names of the processes, and how they end.
    fn heads(&mut self) {
        let last = &self.view.drawing.lives;
        let _ = writeln!(self.out, "<g text-anchor=\"middle\">");
        for &node in &self.view.lanes {
            let Some(x) = self.x(node) else { continue };
            let head = escaped(&self.view.drawing.heads[node as usize]);
            let (middle, name, below) = (px(x), px(TOP - 36.0), px(TOP - 21.0));
            let _ = writeln!(
                self.out,
                "<text x=\"{middle}\" y=\"{name}\" font-size=\"12\" font-weight=\"bold\">p{node}</text>\
                 <text x=\"{middle}\" y=\"{below}\" fill=\"#444\">{head}</text>"
            );
            if self.view.is_to_the_end {
                let word = last[node as usize].word();
                let at = [x, self.rows.bottom + 16.0];
                text(&mut self.out, at, "font-weight=\"bold\"", word);
            }
        }
        let _ = writeln!(self.out, "</g>");
    }

    /// The legend of colours, lines and signs, and its height.
    fn legend(&self) -> (String, f64) {
        let mut entries: Vec<(String, String)> = Vec::new();
        let kinds: BTreeSet<usize> =
            self.view.messages().map(|(_, message)| message.kind).collect();
        for kind in kinds {
            let (colour, dash) = kind_style(kind);
            let sample = format!(
                "<path d=\"M0 0H24\" stroke=\"{colour}\" stroke-width=\"1.3\"{dash} \
                 marker-end=\"url(#head{kind})\"/>"
            );
            entries.push((sample, escaped(&self.view.drawing.kinds[kind])));
        }
        let arrows = self.view.events().filter_map(|(_, event)| event.arrow);
        let dots = self.view.events().flat_map(|(_, event)| event.dots.iter());
        let mut marks: BTreeSet<Mark> = arrows.map(|(_, mark)| mark).collect();
        marks.extend(dots.map(|&(_, mark)| mark));
        if self.view.messages().any(|(_, message)| message.fate == Fate::Lost(None)) {
            marks.insert(Mark::Lose);
        }
        for mark in marks {
            let mut sample = String::new();
            sign(&mut sample, 12.0, 0.0, mark);
            entries.push((sample, mark.meaning().to_owned()));
        }
        if !self.chain.is_empty() {
            let sample = "<path d=\"M0 0H24\" stroke=\"#f0c000\" stroke-opacity=\"0.55\" \
                          stroke-width=\"8\"/>";
            let count = self.chain.len();
            entries.push((sample.to_owned(), format!("the longest causal chain: {count}")));
        }
        let style = &self.view.drawing.style;
        let quiet = "<path d=\"M0 0H24\" stroke=\"#999\" stroke-dasharray=\"2 4\"/>";
        entries.push((quiet.to_owned(), style.quiet.word().to_owned()));
        if style.clock == TimeUnit::Ticks {
            let follows = "<path d=\"M0 0H24\" stroke=\"#999\" stroke-width=\"1.4\"/>";
            entries.push((follows.to_owned(), "follows".to_owned()));
        }
        let leads = "<path d=\"M0 0H24\" stroke=\"#000\" stroke-width=\"5\"/>";
        entries.push((leads.to_owned(), "leads".to_owned()));
        let columns = ((LANE * self.view.lanes.len().max(3) as f64 / 190.0) as usize).max(1);
        let (top, mut text) = (self.rows.bottom + 44.0, String::new());
        for (number, (sample, words)) in entries.iter().enumerate() {
            let (row, column) = (number / columns, number % columns);
            let (x, y) = (LEFT - 20.0 + 190.0 * column as f64, top + 19.0 * row as f64);
            let (at, sample) = (translated([x, y]), sample.trim_end());
            let _ = writeln!(text, "<g {at}>{sample}<text x=\"32\" y=\"3.5\">{words}</text></g>");
        }
        (text, top + 19.0 * entries.len().div_ceil(columns) as f64 + 8.0)
    }
}

/// The path of an arrow, which leaves a process and may come back to it.
fn arrow([x1, y1, x2, y2]: [f64; 4]) -> String {
    if x1 == x2 {
        let (out, [x1, y1, x2, y2]) = (px(x1 + 34.0), [x1, y1, x2, y2].map(px));
        return format!("M{x1} {y1}C{out} {y1} {out} {y2} {x2} {y2}");
    }
    // The head ends at the edge of the sign.
    let (dx, dy) = (x2 - x1, y2 - y1);
    let back = 4.5 / dx.hypot(dy);
    straight([x1, y1], [x2 - dx * back, y2 - dy * back])
}

/// The colour of a kind, and the dashes that tell it from others without colours.
fn kind_style(kind: usize) -> (&'static str, String) {
    let dash = match DASHES[kind % DASHES.len()] {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    };
    (COLOURS[kind % COLOURS.len()], dash)
}

fn sign(out: &mut String, x: f64, y: f64, mark: Mark) {
    let at = translated([x, y]);
    let (path, style) = match mark {
        Mark::Wake | Mark::Start => ("M0-5 5 0 0 5-5 0z", "fill=\"#000\""),
        Mark::Receive => ("M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", "fill=\"#000\""),
        Mark::Discard => {
            ("M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", "fill=\"#fff\" stroke=\"#000\"")
        }
        Mark::Alarm => ("M0-5 5 0 0 5-5 0z", "fill=\"#fff\" stroke=\"#000\""),
        Mark::Lead => (STAR, "fill=\"#f0c000\" stroke=\"#000\""),
        Mark::Leave => (STAR, "fill=\"#fff\" stroke=\"#000\""),
        Mark::Lose => ("M-4-4 4 4M4-4-4 4", "stroke=\"#c00\" stroke-width=\"2\" fill=\"none\""),
        Mark::Duplicate => ("M-5 0H5M0-5V5", "stroke=\"#c00\" stroke-width=\"2\" fill=\"none\""),
        Mark::Crash => ("M0-7V7M-4-3H4", "stroke=\"#c00\" stroke-width=\"2\" fill=\"none\""),
        Mark::Suspend => ("M-3-5V5M3-5V5", "stroke=\"#000\" stroke-width=\"2\" fill=\"none\""),
        Mark::Resume => ("M-3-5 5 0-3 5z", "fill=\"#000\""),
    };
    let _ = writeln!(out, "<path {at} d=\"{path}\" {style}/>");
}

const STAR: &str = "M0-8 2-2.6 7.6-2.5 3.1 1 4.7 6.5 0 3.2-4.7 6.5-3.1 1-7.6-2.5-2-2.6z";
