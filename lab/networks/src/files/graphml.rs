//! GraphML (U. Brandes et al., "GraphML progress report", Graph Drawing 2001).

use super::raw::{Fault, Raw};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::collections::BTreeMap;

/// An element that is open.
enum Open {
    /// The root element.
    GraphMl,
    /// A graph, and whether its edges are directed unless they have an attribute of their own.
    Graph {
        directed: bool,
    },
    Node(u32),
    /// The label of a node.
    Label(u32, String),
    Edge,
    /// The weight of an edge.
    Weight(String),
    /// A coordinate of a node.
    Coordinate(u32, Axis, String),
    Other,
}

/// The axis of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    X,
    Y,
    Longitude,
    Latitude,
}

impl Axis {
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
    /// The keys that have coordinates.
    keys: Vec<(String, Axis)>,
    plane: BTreeMap<u32, [Option<f64>; 2]>,
    globe: BTreeMap<u32, [Option<f64>; 2]>,
}

impl Coordinates {
    fn set(&mut self, node: u32, axis: Axis, value: &str) {
        // What is no number is no coordinate, and no reason to refuse the network.
        let value = value.trim().parse().ok().filter(|value: &f64| value.is_finite());
        match axis {
            Axis::X => self.plane.entry(node).or_default()[0] = value,
            Axis::Y => self.plane.entry(node).or_default()[1] = value,
            Axis::Longitude => self.globe.entry(node).or_default()[0] = value,
            Axis::Latitude => self.globe.entry(node).or_default()[1] = value,
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

/// An edge whose ends may be declared after it.
struct Edge {
    source: String,
    target: String,
    line: u64,
}

#[derive(Default)]
struct Parser {
    raw: Raw,
    edges: Vec<Edge>,
    /// The line in which each node is declared.
    declared: Vec<u64>,
    /// The key of node labels.
    label_key: Option<String>,
    /// The key of edge weights.
    weight_key: Option<String>,
    coordinates: Coordinates,
    /// The elements that are open, and the lines in which they begin. A list instead of recursion:
    /// depth costs memory, not stack.
    open: Vec<(Open, String, u64)>,
    graphs: u32,
}

pub(super) fn read(text: &str) -> Result<Raw, Fault> {
    let mut xml = Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let mut parser = Parser::default();
    let mut lines = Lines { text, counted: 0, line: 1 };
    loop {
        let line = lines.of(xml.buffer_position());
        match xml.read_event() {
            Err(error) => return Err(broken(&error, lines.of(xml.error_position()))),
            Ok(Event::Start(element)) => parser.start(&element, line)?,
            Ok(Event::End(_)) => parser.end(),
            Ok(Event::Text(text)) => parser.text(&text.xml10_content(), line)?,
            Ok(Event::CData(text)) => parser.text(&text.xml10_content(), line)?,
            Ok(Event::GeneralRef(entity)) => parser.text(&character(&entity, line)?, line)?,
            Ok(Event::Eof) => return parser.finish(line),
            Ok(_) => {}
        }
    }
}

/// A counter of lines that advances with the parser.
struct Lines<'a> {
    text: &'a str,
    counted: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, place: u64) -> u64 {
        let place = (place as usize).clamp(self.counted, self.text.len());
        let passed = &self.text.as_bytes()[self.counted..place];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.counted = place;
        self.line
    }
}

impl Parser {
    fn start(&mut self, element: &BytesStart<'_>, line: u64) -> Result<(), Fault> {
        let name = element.local_name();
        let name = name.as_ref();
        for attribute in element.attributes() {
            attribute.map_err(|error| broken(&error.into(), line))?;
        }
        let attribute = |wanted: &str| attribute(element, wanted, line);
        let required = |wanted: &str| {
            attribute(wanted)?
                .ok_or_else(|| Fault::line(line, format!("<{name}> has no attribute `{wanted}`")))
        };
        let open = match (name, self.open.last().map(|(open, ..)| open)) {
            ("graphml", None) => Open::GraphMl,
            (_, None) => {
                return Err(Fault::line(line, format!("<{name}> found where <graphml> should be")));
            }
            ("graph", Some(parent)) => {
                if matches!(parent, Open::GraphMl) {
                    self.graphs += 1;
                    if self.graphs > 1 {
                        return Err(Fault::line(
                            line,
                            "a second <graph>: a file holds one network",
                        ));
                    }
                }
                Open::Graph { directed: attribute("edgedefault")?.as_deref() == Some("directed") }
            }
            ("key", Some(Open::GraphMl)) => {
                let of_nodes = matches!(attribute("for")?.as_deref(), None | Some("node" | "all"));
                if of_nodes && attribute("attr.name")?.as_deref() == Some("label") {
                    self.label_key = Some(required("id")?);
                }
                if of_nodes
                    && let Some(axis) = attribute("attr.name")?.and_then(|name| Axis::named(&name))
                {
                    self.coordinates.keys.push((required("id")?, axis));
                }
                let of_edges = matches!(attribute("for")?.as_deref(), None | Some("edge" | "all"));
                if of_edges && attribute("attr.name")?.as_deref() == Some("weight") {
                    self.weight_key = Some(required("id")?);
                }
                Open::Other
            }
            ("node", Some(Open::Graph { .. })) => Open::Node(self.declare(&required("id")?, line)?),
            ("edge", Some(&Open::Graph { directed })) => {
                if attribute("sourceport")?.is_some() || attribute("targetport")?.is_some() {
                    return Err(Fault::line(
                        line,
                        "an edge between ports: ports are not supported",
                    ));
                }
                let directed = match attribute("directed")?.as_deref() {
                    None => directed,
                    Some(value) => matches!(value, "true" | "1"),
                };
                self.raw.directed += u64::from(directed);
                let (source, target) = (required("source")?, required("target")?);
                match (self.raw.ids.get(&source), self.raw.ids.get(&target)) {
                    (Some(a), Some(b)) => self.raw.link(a, b)?,
                    _ => self.edges.push(Edge { source, target, line }),
                }
                Open::Edge
            }
            ("data", Some(Open::Edge)) => match (attribute("key")?, &self.weight_key) {
                (Some(key), Some(weight)) if key == *weight => Open::Weight(String::new()),
                _ => Open::Other,
            },
            ("data", Some(&Open::Node(node))) => match (attribute("key")?, &self.label_key) {
                (Some(key), Some(label)) if key == *label => Open::Label(node, String::new()),
                (Some(key), _) => {
                    let axis = self.coordinates.keys.iter().find(|(known, _)| *known == key);
                    axis.map_or(Open::Other, |&(_, axis)| {
                        Open::Coordinate(node, axis, String::new())
                    })
                }
                _ => Open::Other,
            },
            // The geometry of yEd, whose ordinates go downwards.
            ("Geometry", Some(_)) => {
                let node = self.open.iter().rev().find_map(|(open, ..)| match open {
                    Open::Node(node) => Some(*node),
                    _ => None,
                });
                if let (Some(node), Some(x), Some(y)) = (node, attribute("x")?, attribute("y")?) {
                    let y = y.trim().parse::<f64>().map(|y| (-y).to_string()).unwrap_or_default();
                    self.coordinates.set(node, Axis::X, &x);
                    self.coordinates.set(node, Axis::Y, &y);
                }
                Open::Other
            }
            ("hyperedge" | "port", Some(Open::Graph { .. } | Open::Node(_))) => {
                let what = format!("<{name}> is not supported: a link joins two nodes");
                return Err(Fault::line(line, what));
            }
            ("node" | "edge", Some(Open::GraphMl | Open::Node(_))) => {
                return Err(Fault::line(line, format!("<{name}> outside of a <graph>")));
            }
            _ => Open::Other,
        };
        self.open.push((open, name.to_owned(), line));
        Ok(())
    }

    fn declare(&mut self, id: &str, line: u64) -> Result<u32, Fault> {
        if let Some(node) = self.raw.ids.get(id) {
            let first = self.declared[node as usize];
            return Err(Fault::line(
                line,
                format!("node `{id}` is already declared in line {first}"),
            ));
        }
        self.declared.push(line);
        self.raw.ids.number(id)
    }

    fn text(&mut self, text: &str, line: u64) -> Result<(), Fault> {
        match self.open.last_mut() {
            Some((
                Open::Label(_, value) | Open::Weight(value) | Open::Coordinate(_, _, value),
                ..,
            )) => value.push_str(text),
            Some(_) => {}
            None if text.trim().is_empty() => {}
            None => {
                return Err(Fault::line(line, "text outside of any element: this is no GraphML"));
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some((Open::Label(node, label), ..)) => self.raw.labels.push((node, label)),
            Some((Open::Weight(weight), ..)) => self.raw.weigh(&weight),
            Some((Open::Coordinate(node, axis, value), ..)) => {
                self.coordinates.set(node, axis, &value);
            }
            _ => {}
        }
    }

    fn finish(mut self, line: u64) -> Result<Raw, Fault> {
        if let Some((_, name, begun)) = self.open.last() {
            let what = format!("the file ends inside of <{name}>, which begins in line {begun}");
            return Err(Fault::line(line, what));
        }
        for Edge { source, target, line } in self.edges {
            let node = |id: &str| {
                self.raw.ids.get(id).ok_or_else(|| {
                    Fault::line(line, format!("this edge names a node `{id}` that is not declared"))
                })
            };
            let (a, b) = (node(&source)?, node(&target)?);
            self.raw.link(a, b)?;
        }
        self.raw.positions = self.coordinates.positions();
        Ok(self.raw)
    }
}

fn attribute(element: &BytesStart<'_>, wanted: &str, line: u64) -> Result<Option<String>, Fault> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| broken(&error.into(), line))?;
        if attribute.key.local_name().as_ref() == wanted {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            return Ok(Some(value.map_err(|error| broken(&error, line))?.into_owned()));
        }
    }
    Ok(None)
}

/// Returns the character that a reference such as `&amp;` or `&#233;` stands for. Entities that a
/// document defines itself are not expanded: they could grow without bound.
fn character(entity: &BytesRef<'_>, line: u64) -> Result<String, Fault> {
    if let Some(character) = entity.resolve_char_ref().map_err(|error| broken(&error, line))? {
        return Ok(character.to_string());
    }
    let name = entity.xml10_content();
    quick_xml::escape::resolve_xml_entity(&name)
        .map(str::to_owned)
        .ok_or_else(|| Fault::line(line, format!("unknown entity `&{name};`")))
}

/// Returns the fault for an error of the XML parser, without the parser's own name for the class of
/// the error.
fn broken(error: &quick_xml::Error, line: u64) -> Fault {
    use quick_xml::Error;
    let what = match error {
        Error::Syntax(error) => error.to_string(),
        Error::IllFormed(error) => error.to_string(),
        Error::InvalidAttr(error) => error.to_string(),
        Error::Escape(error) => error.to_string(),
        error => error.to_string(),
    };
    Fault::line(line, format!("not well-formed XML: {what}"))
}
