//! The picture of a network as SVG.

use super::{Map, MapNode};
use crate::svg::{COLOURS, document, escaped, px, straight, text, translated};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use suffrage_numbers::counted;

/// The longer side of the network, its margin, and the room above it, in pixels.
const SIDE: f64 = 760.0;
const EDGE: f64 = 60.0;
const TOP: f64 = 66.0;

/// With more nodes than these, names are left to the reader that points at them.
const NAMED: usize = 150;

/// The largest and the smallest disc of a node.
const LARGEST: f64 = 22.0;
const SMALLEST: f64 = 4.5;

/// The head of an arrow.
const ARROW: &str = "<defs><marker id=\"to\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" markerWidth=\"9\" \
    markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0 10 4 0 8z\" \
    fill=\"#333\"/></marker></defs>\n";

/// The style of a node's name, which can be read on top of links.
const NAME: &str = "font-size=\"10\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"";

/// The positions of nodes on the page, and its width and height.
fn scaled(positions: &[[f64; 2]]) -> (Vec<[f64; 2]>, f64, f64) {
    let bounds = |axis: usize| {
        let all = positions.iter().map(|place| place[axis]);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (bounds(0), bounds(1));
    let longest = (right - left).max(bottom - top).max(1e-9);
    let scale = SIDE / longest;
    let place = |[x, y]: &[f64; 2]| [EDGE + (x - left) * scale, TOP + EDGE + (y - top) * scale];
    let width = ((right - left) * scale + 2.0 * EDGE).max(420.0);
    let places = positions.iter().map(place).collect();
    (places, width, (bottom - top) * scale + 2.0 * EDGE + TOP)
}

/// The links, thicker where more messages went; of complete networks those that were used.
fn links(map: &Map, place: &[[f64; 2]], out: &mut String) {
    let nodes = map.nodes.len() as u64;
    let complete = nodes > 8 && map.links.len() as u64 == nodes * (nodes - 1) / 2;
    let most = map.links.values().copied().max().unwrap_or(0).max(1);
    let _ = writeln!(out, "<g stroke=\"#aaa\">");
    for (&(a, b), &messages) in map.links.iter().filter(|(_, used)| !complete || **used > 0) {
        let path = straight(place[a as usize], place[b as usize]);
        let width = 0.5 + 3.0 * messages as f64 / most as f64;
        let sent = counted(messages, "message");
        let about = format!("{} to {}: {sent}", map.name(a), map.name(b));
        let _ = writeln!(
            out,
            "<path d=\"{path}\" stroke-width=\"{width:.1}\"><title>{}</title></path>",
            escaped(&about)
        );
    }
    let _ = writeln!(out, "</g>");
}

/// A colour for each territory: the leaders' first, then the largest.
fn colours(map: &Map) -> BTreeMap<u32, &'static str> {
    let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
    for node in &map.nodes {
        *sizes.entry(node.territory).or_default() += 1;
    }
    let mut owners: Vec<(bool, usize, u32)> = sizes
        .into_iter()
        .map(|(owner, size)| (!map.nodes[owner as usize].leads, usize::MAX - size, owner))
        .collect();
    owners.sort_unstable();
    owners.into_iter().map(|(.., owner)| owner).zip(COLOURS).collect()
}

impl Map {
    /// Draws the picture as SVG, under this title.
    #[must_use]
    pub fn svg(&self, title: &str) -> String {
        let (place, width, height) = scaled(&self.positions);
        let colours = colours(self);
        let load = |node: &MapNode| node.sent + node.received;
        let busiest = self.nodes.iter().map(load).max().unwrap_or(0).max(1);
        // The discs of many nodes would cover each other.
        let largest = (LARGEST * (60.0 / self.nodes.len() as f64).sqrt()).clamp(SMALLEST, LARGEST);
        let radius = |node: &MapNode| {
            let share = (load(node) as f64 / busiest as f64).sqrt();
            SMALLEST.min(largest) + (largest - SMALLEST.min(largest)) * share
        };
        let mut out = String::new();
        text(&mut out, [24.0, 28.0], "font-size=\"14\" font-weight=\"bold\"", title);
        links(self, &place, &mut out);
        let _ = writeln!(out, "<g stroke=\"#333\" stroke-width=\"1.6\" fill=\"none\">");
        for (node, at) in self.nodes.iter().zip(&place) {
            let Some((to, _)) = node.lost else { continue };
            let there = place[to as usize];
            let (dx, dy) = (there[0] - at[0], there[1] - at[1]);
            let apart = dx.hypot(dy).max(1e-9);
            let short = |from: [f64; 2], by: f64| [from[0] + dx * by, from[1] + dy * by];
            let from = short(*at, (radius(node) / apart).min(0.4));
            let to = short(there, -((radius(&self.nodes[to as usize]) + 1.0) / apart).min(0.4));
            let _ = writeln!(out, "<path d=\"{}\" marker-end=\"url(#to)\"/>", straight(from, to));
        }
        let _ = writeln!(out, "</g>\n<g text-anchor=\"middle\">");
        for (number, (node, [x, y])) in self.nodes.iter().zip(&place).enumerate() {
            let colour = colours.get(&node.territory).copied().unwrap_or("#ccc");
            let (x, y, r) = (px(*x), px(*y), px(radius(node)));
            let ring = match (node.leads, node.crashed) {
                (_, true) => "stroke=\"#c00\" stroke-width=\"2\" stroke-dasharray=\"2 2\"",
                (true, _) => "stroke=\"#000\" stroke-width=\"3.5\"",
                _ => "stroke=\"#fff\"",
            };
            let _ = writeln!(
                out,
                "<g><title>{}</title><circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{colour}\" {ring}/>",
                escaped(&self.about(number as u32))
            );
            if node.leads {
                let at = translated(place[number]);
                let _ = writeln!(out, "<path {at} d=\"{STAR}\" fill=\"#f0c000\" stroke=\"#000\"/>");
            }
            if self.nodes.len() <= NAMED {
                let [x, y] = place[number];
                let at = [x, y + radius(node) + 11.0];
                text(&mut out, at, NAME, &self.name(number as u32));
            }
            out += "</g>\n";
        }
        out += "</g>\n";
        legend(self, &colours, busiest, height, &mut out);
        document(title, [width, height + 78.0], 11, ARROW, &out)
    }

    fn name(&self, node: u32) -> String {
        self.nodes[node as usize].name.clone().unwrap_or_else(|| node.to_string())
    }

    /// The tooltip of a node.
    fn about(&self, node: u32) -> String {
        let MapNode { id, sent, received, territory, lost, leads, crashed, .. } =
            &self.nodes[node as usize];
        let mut about = format!("{}, id {id}: sent {sent}, received {received}", self.name(node));
        let _ = match (leads, lost) {
            (true, _) => write!(about, "; leads"),
            (false, Some((to, at))) => {
                let (to, of) = (self.name(*to), self.name(*territory));
                write!(about, "; lost at tick {at} to {to}, in the territory of {of}")
            }
            (false, None) => write!(about, "; has not lost"),
        };
        if *crashed {
            about += "; crashed";
        }
        about
    }
}

fn legend(
    map: &Map,
    colours: &BTreeMap<u32, &'static str>,
    busiest: u64,
    top: f64,
    out: &mut String,
) {
    let territories: BTreeSet<u32> = map.nodes.iter().map(|node| node.territory).collect();
    let mut x = 24.0;
    let mut entry = |out: &mut String, colour: &str, words: &str| {
        let (left, middle) = (px(x), px(top + 6.0));
        let _ = write!(out, "<circle cx=\"{left}\" cy=\"{middle}\" r=\"6\" fill=\"{colour}\"/>");
        text(out, [x + 10.0, top + 10.0], "", words);
        x += 22.0 + 6.4 * words.chars().count() as f64;
    };
    // The leader's first, then the largest.
    let ordered =
        COLOURS.iter().filter_map(|one| colours.iter().find(|(_, colour)| *colour == one));
    for (owner, colour) in ordered.take(4) {
        let size = map.nodes.iter().filter(|node| node.territory == *owner).count();
        entry(out, colour, &format!("territory of {}: {size}", map.name(*owner)));
    }
    if territories.len() > 4 {
        entry(out, "#ccc", &format!("{} territories in all", territories.len()));
    }
    let lines = [
        "An arrow goes from a process to the neighbour by whose message it lost; a star leads."
            .to_owned(),
        format!(
            "The area of a disc is the load of its node, at most {busiest} messages sent and received; the \
             width of a link the messages on it."
        ),
        map.source.to_owned(),
    ];
    for (number, line) in lines.iter().enumerate() {
        text(out, [24.0, top + 30.0 + 15.0 * number as f64], "fill=\"#444\"", line);
    }
}

const STAR: &str = "M0-7 1.8-2.3 6.7-2.2 2.7.8 4.1 5.7 0 2.8-4.1 5.7-2.7.8-6.7-2.2-1.8-2.3z";
