//! XML: GraphML (U. Brandes et al., "GraphML progress report", Graph Drawing 2001), GEXF and SNDlib.

use super::raw::{Flaw, Raw};
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::collections::BTreeMap;

/// Reads a document, whose root says what it is.
pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    // Entities that a document defines are expanded up to a limit.
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let what = error.to_string();
        let place = |text: &str| text.chars().all(|c| c == ':' || c.is_ascii_digit());
        let what =
            what.rsplit_once(" at ").filter(|(_, at)| place(at)).map_or(&*what, |(what, _)| what);
        let line = match error {
            // These have no place.
            Error::NoRootNode | Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
                text.lines().count() as u32
            }
            error => error.pos().row,
        };
        Flaw::line(line.into(), format!("not well-formed XML: {what}"))
    })?;
    let root = document.root_element();
    let mut xml = Xml { raw: Raw::default(), coordinates: Coordinates::default() };
    match root.tag_name().name() {
        "graphml" => xml.graphml(root)?,
        "gexf" => xml.gexf(root)?,
        "network" => xml.sndlib(root)?,
        name => {
            let what =
                format!("<{name}> found where <graphml>, <gexf> or <network> of SNDlib should be");
            return Err(fault(root, what));
        }
    }
    xml.raw.positions = xml.coordinates.positions();
    Ok(xml.raw)
}

type Element<'a> = Node<'a, 'a>;

fn fault(element: Node<'_, '_>, what: impl Into<String>) -> Flaw {
    let line = element.document().text_pos_at(element.range().start).row;
    Flaw::line(line.into(), what)
}

fn required<'a>(element: Element<'a>, name: &str) -> Result<&'a str, Flaw> {
    let missing = || {
        let what = format!("<{}> has no attribute `{name}`", element.tag_name().name());
        fault(element, what)
    };
    element.attribute(name).ok_or_else(missing)
}

/// Returns the children of this name.
fn children<'a>(of: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    of.children().filter(move |child| child.tag_name().name() == name)
}

/// Returns the elements of a graph, without what other programs put into its data.
fn parts<'a>(graph: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    let within_data =
        |part: &Element<'a>| part.ancestors().any(|of| of.tag_name().name() == "data");
    graph.descendants().filter(move |part| part.is_element() && !within_data(part))
}

fn text(element: Element<'_>) -> String {
    element.descendants().filter(Node::is_text).filter_map(|part| part.text()).collect()
}

struct Xml {
    raw: Raw,
    coordinates: Coordinates,
}

/// The keys of data in GraphML that matter to a network.
#[derive(Default)]
struct Keys<'a> {
    label: Option<&'a str>,
    weight: Option<&'a str>,
    coordinates: BTreeMap<&'a str, CoordinateAxis>,
}

impl Xml {
    fn declare(&mut self, element: Element<'_>) -> Result<u32, Flaw> {
        let id = required(element, "id")?;
        if self.raw.ids.get(id).is_some() {
            let name = element.tag_name().name();
            let is_first = |other: &Element<'_>| {
                other.attribute("id") == Some(id) && other.tag_name().name() == name
            };
            let first = element.document().descendants().find(is_first).unwrap_or(element);
            let line = element.document().text_pos_at(first.range().start).row;
            return Err(fault(element, format!("node `{id}` is already declared in line {line}")));
        }
        self.raw.ids.number(id)
    }

    fn link(&mut self, element: Element<'_>, ends: [&str; 2], directed: bool) -> Result<(), Flaw> {
        // The line is only counted where it is needed.
        let ends = self.raw.ends(ends, 0).map_err(|flaw| match flaw {
            Flaw::Syntax { what, .. } => fault(element, what),
            flaw => flaw,
        })?;
        self.raw.directed += u64::from(directed);
        self.raw.link(ends.0, ends.1)
    }

    fn graphml(&mut self, root: Element<'_>) -> Result<(), Flaw> {
        let mut keys = Keys::default();
        for key in children(root, "key") {
            let of = key.attribute("for").unwrap_or("all");
            let name = key.attribute("attr.name").unwrap_or_default();
            let id = required(key, "id")?;
            let is_for = |what: &str| of == what || of == "all";
            if is_for("node") && name == "label" {
                keys.label = Some(id);
            }
            if is_for("edge") && name == "weight" {
                keys.weight = Some(id);
            }
            if let Some(axis) = CoordinateAxis::named(name).filter(|_| is_for("node")) {
                keys.coordinates.insert(id, axis);
            }
        }
        let stray =
            root.children().find(|child| matches!(child.tag_name().name(), "node" | "edge"));
        if let Some(stray) = stray {
            return Err(fault(
                stray,
                format!("<{}> outside of a <graph>", stray.tag_name().name()),
            ));
        }
        let mut graphs = children(root, "graph");
        let Some(graph) = graphs.next() else { return Ok(()) };
        self.raw.further_graphs = graphs.count() as u64;
        // Edges may stand before the nodes that they join, and graphs within nodes.
        for node in parts(graph).filter(|element| element.tag_name().name() == "node") {
            self.node(node, &keys)?;
        }
        for link in parts(graph) {
            let directed =
                link.parent().and_then(|graph| graph.attribute("edgedefault")) == Some("directed");
            match link.tag_name().name() {
                "edge" => {
                    let ends = [required(link, "source")?, required(link, "target")?];
                    let directed = link
                        .attribute("directed")
                        .map_or(directed, |it| matches!(it, "true" | "1"));
                    self.link(link, ends, directed)?;
                    let is_weight = |data: &Element<'_>| {
                        data.attribute("key") == keys.weight && keys.weight.is_some()
                    };
                    let weight = children(link, "data").find(is_weight).map(text);
                    self.raw.weigh(&weight.unwrap_or_default());
                }
                "hyperedge" => {
                    let ends = children(link, "endpoint")
                        .map(|end| required(end, "node"))
                        .collect::<Result<Vec<_>, _>>()?;
                    let &[a, b] = &ends[..] else {
                        let what = format!(
                            "a <hyperedge> with {} ends: a link joins two nodes",
                            ends.len()
                        );
                        return Err(fault(link, what));
                    };
                    self.link(link, [a, b], false)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, element: Element<'_>, keys: &Keys<'_>) -> Result<(), Flaw> {
        let node = self.declare(element)?;
        if children(element, "graph").next().is_some() {
            self.raw.frames.push(node);
        }
        for data in children(element, "data") {
            let key = data.attribute("key").unwrap_or_default();
            if keys.label == Some(key) {
                self.raw.labels.push((node, text(data)));
            } else if let Some(&axis) = keys.coordinates.get(key) {
                self.coordinates.set(node, axis, &text(data));
            }
            // The geometry of yEd, whose ordinates go downwards.
            let geometry = data.descendants().find(|part| part.tag_name().name() == "Geometry");
            if let Some((x, y)) = geometry.and_then(|at| at.attribute("x").zip(at.attribute("y"))) {
                let y = y.trim().parse::<f64>().map(|y| (-y).to_string()).unwrap_or_default();
                self.coordinates.set(node, CoordinateAxis::X, x);
                self.coordinates.set(node, CoordinateAxis::Y, &y);
            }
        }
        Ok(())
    }

    fn gexf(&mut self, root: Element<'_>) -> Result<(), Flaw> {
        let mut graphs = children(root, "graph");
        let Some(graph) = graphs.next() else { return Ok(()) };
        self.raw.further_graphs = graphs.count() as u64;
        let default = graph.attribute("defaultedgetype");
        for element in graph.descendants().filter(|element| element.tag_name().name() == "node") {
            let node = self.declare(element)?;
            if children(element, "nodes").next().is_some() {
                self.raw.frames.push(node);
            }
            let label = element.attribute("label").map(|label| (node, label.to_owned()));
            self.raw.labels.extend(label);
            if let Some(at) = children(element, "position").next() {
                self.coordinates.set(
                    node,
                    CoordinateAxis::X,
                    at.attribute("x").unwrap_or_default(),
                );
                self.coordinates.set(
                    node,
                    CoordinateAxis::Y,
                    at.attribute("y").unwrap_or_default(),
                );
            }
        }
        for edge in graph.descendants().filter(|element| element.tag_name().name() == "edge") {
            let ends = [required(edge, "source")?, required(edge, "target")?];
            self.link(edge, ends, edge.attribute("type").or(default) == Some("directed"))?;
            self.raw.weigh(edge.attribute("weight").unwrap_or_default());
        }
        Ok(())
    }

    fn sndlib(&mut self, root: Element<'_>) -> Result<(), Flaw> {
        let within = |names: [&'static str; 3]| {
            let sections = children(root, names[0]).flat_map(move |part| children(part, names[1]));
            sections.flat_map(move |part| children(part, names[2])).collect::<Vec<_>>()
        };
        for element in within(["networkStructure", "nodes", "node"]) {
            let node = self.declare(element)?;
            let kind = element.parent().and_then(|nodes| nodes.attribute("coordinatesType"));
            let axes = match kind {
                Some("geographical") => [CoordinateAxis::Longitude, CoordinateAxis::Latitude],
                _ => [CoordinateAxis::X, CoordinateAxis::Y],
            };
            for (name, axis) in ["x", "y"].into_iter().zip(axes) {
                if let Some(value) =
                    children(element, "coordinates").flat_map(|at| children(at, name)).next()
                {
                    self.coordinates.set(node, axis, &text(value));
                }
            }
        }
        for link in within(["networkStructure", "links", "link"]) {
            let end = |name: &'static str| {
                let missing = || fault(link, format!("this <link> has no <{name}>"));
                children(link, name)
                    .next()
                    .map(|end| text(end).trim().to_owned())
                    .ok_or_else(missing)
            };
            self.link(link, [&end("source")?, &end("target")?], false)?;
        }
        Ok(())
    }
}

/// The axis of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoordinateAxis {
    X,
    Y,
    Longitude,
    Latitude,
}

impl CoordinateAxis {
    fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "x" => Some(Self::X),
            "y" => Some(Self::Y),
            "longitude" | "lon" | "lng" => Some(Self::Longitude),
            "latitude" | "lat" => Some(Self::Latitude),
            _ => None,
        }
    }
}

/// The coordinates of nodes, by the sort of coordinates.
#[derive(Default)]
struct Coordinates {
    plane: BTreeMap<u32, [Option<f64>; 2]>,
    globe: BTreeMap<u32, [Option<f64>; 2]>,
}

impl Coordinates {
    fn set(&mut self, node: u32, axis: CoordinateAxis, value: &str) {
        // What is no number is no coordinate, and no reason to refuse the network.
        let value = value.trim().parse().ok().filter(|value: &f64| value.is_finite());
        match axis {
            CoordinateAxis::X => self.plane.entry(node).or_default()[0] = value,
            CoordinateAxis::Y => self.plane.entry(node).or_default()[1] = value,
            CoordinateAxis::Longitude => self.globe.entry(node).or_default()[0] = value,
            CoordinateAxis::Latitude => self.globe.entry(node).or_default()[1] = value,
        }
    }

    /// The positions, of that sort which more nodes have.
    fn positions(self) -> Vec<(u32, [f64; 2])> {
        let whole = |all: BTreeMap<u32, [Option<f64>; 2]>| -> Vec<(u32, [f64; 2])> {
            let both = |(node, [x, y]): (u32, [Option<f64>; 2])| Some((node, [x?, y?]));
            all.into_iter().filter_map(both).collect()
        };
        let (plane, mut globe) = (whole(self.plane), whole(self.globe));
        if plane.len() >= globe.len() {
            return plane;
        }
        let middle = globe.iter().map(|(_, [_, latitude])| latitude).sum::<f64>();
        let middle = (middle / globe.len() as f64).to_radians();
        // The cosine to the eighth power, by operations that are exact everywhere.
        let square = middle * middle;
        let cosine = 1.0
            - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
        for (_, [longitude, _]) in &mut globe {
            *longitude *= cosine.max(0.05);
        }
        globe
    }
}
