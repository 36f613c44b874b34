//! GraphML (U. Brandes et al., "GraphML progress report", Graph Drawing 2001).

use super::raw::{Flaw, Raw};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::collections::BTreeMap;

/// An element that is open.
enum OpenElement {
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
    Coordinate(u32, CoordinateAxis, String),
    Other,
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
    /// The keys that have coordinates.
    keys: Vec<(String, CoordinateAxis)>,
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

/// An edge whose ends may be declared after it.
struct GraphMlEdge {
    source: String,
    target: String,
    line: u64,
}

#[derive(Default)]
struct GraphMlParser {
    raw: Raw,
    edges: Vec<GraphMlEdge>,
    /// The line in which each node is declared.
    declared: Vec<u64>,
    /// The key of node labels.
    label_key: Option<String>,
    /// The key of edge weights.
    weight_key: Option<String>,
    coordinates: Coordinates,
    /// The elements that are open, and the lines in which they begin. A list instead of recursion:
    /// depth costs memory, not stack.
    open: Vec<(OpenElement, String, u64)>,
    graphs: u32,
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut xml = Reader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let mut parser = GraphMlParser::default();
    let mut lines = LineCounter { text, counted: 0, line: 1 };
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
struct LineCounter<'a> {
    text: &'a str,
    counted: usize,
    line: u64,
}

impl LineCounter<'_> {
    fn of(&mut self, place: u64) -> u64 {
        let place = (place as usize).clamp(self.counted, self.text.len());
        let passed = &self.text.as_bytes()[self.counted..place];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.counted = place;
        self.line
    }
}

impl GraphMlParser {
    fn start(&mut self, element: &BytesStart<'_>, line: u64) -> Result<(), Flaw> {
        let name = element.local_name();
        let name = name.as_ref();
        for attribute in element.attributes() {
            attribute.map_err(|error| broken(&error.into(), line))?;
        }
        let attributes = Attributes { element, name, line };
        let attribute = |wanted: &str| attributes.get(wanted);
        let open = match (name, self.open.last().map(|(open, ..)| open)) {
            ("graphml", None) => OpenElement::GraphMl,
            (_, None) => {
                return Err(Flaw::line(line, format!("<{name}> found where <graphml> should be")));
            }
            ("graph", Some(parent)) => {
                if matches!(parent, OpenElement::GraphMl) {
                    self.graphs += 1;
                    if self.graphs > 1 {
                        let what = "a second <graph>: a file holds one network";
                        return Err(Flaw::line(line, what));
                    }
                }
                let directed = attribute("edgedefault")?.as_deref() == Some("directed");
                OpenElement::Graph { directed }
            }
            ("key", Some(OpenElement::GraphMl)) => self.key(&attributes)?,
            ("node", Some(OpenElement::Graph { .. })) => {
                OpenElement::Node(self.declare(&attributes.required("id")?, line)?)
            }
            ("edge", Some(&OpenElement::Graph { directed })) => self.edge(&attributes, directed)?,
            ("data", Some(OpenElement::Edge)) => match (attribute("key")?, &self.weight_key) {
                (Some(key), Some(weight)) if key == *weight => OpenElement::Weight(String::new()),
                _ => OpenElement::Other,
            },
            ("data", Some(&OpenElement::Node(node))) => self.data(&attributes, node)?,
            ("Geometry", Some(_)) => self.geometry(&attributes)?,
            ("hyperedge" | "port", Some(OpenElement::Graph { .. } | OpenElement::Node(_))) => {
                let what = format!("<{name}> is not supported: a link joins two nodes");
                return Err(Flaw::line(line, what));
            }
            ("node" | "edge", Some(OpenElement::GraphMl | OpenElement::Node(_))) => {
                return Err(Flaw::line(line, format!("<{name}> outside of a <graph>")));
            }
            _ => OpenElement::Other,
        };
        self.open.push((open, name.to_owned(), line));
        Ok(())
    }

    /// Takes up a key for labels, coordinates or weights.
    fn key(&mut self, key: &Attributes<'_>) -> Result<OpenElement, Flaw> {
        let (of, name) = (key.get("for")?, key.get("attr.name")?);
        let is_for = |what: &str| of.as_deref().is_none_or(|of| of == what || of == "all");
        let name = name.as_deref().unwrap_or_default();
        if is_for("node") && name == "label" {
            self.label_key = Some(key.required("id")?);
        }
        if is_for("node")
            && let Some(axis) = CoordinateAxis::named(name)
        {
            self.coordinates.keys.push((key.required("id")?, axis));
        }
        if is_for("edge") && name == "weight" {
            self.weight_key = Some(key.required("id")?);
        }
        Ok(OpenElement::Other)
    }

    fn edge(&mut self, edge: &Attributes<'_>, default: bool) -> Result<OpenElement, Flaw> {
        if edge.get("sourceport")?.is_some() || edge.get("targetport")?.is_some() {
            let what = "an edge between ports: ports are not supported";
            return Err(Flaw::line(edge.line, what));
        }
        let directed = edge.get("directed")?.map_or(default, |it| matches!(&*it, "true" | "1"));
        self.raw.directed += u64::from(directed);
        let (source, target) = (edge.required("source")?, edge.required("target")?);
        match (self.raw.ids.get(&source), self.raw.ids.get(&target)) {
            (Some(a), Some(b)) => self.raw.link(a, b)?,
            _ => self.edges.push(GraphMlEdge { source, target, line: edge.line }),
        }
        Ok(OpenElement::Edge)
    }

    /// Opens the data of a node.
    fn data(&self, data: &Attributes<'_>, node: u32) -> Result<OpenElement, Flaw> {
        let Some(key) = data.get("key")? else { return Ok(OpenElement::Other) };
        if self.label_key.as_ref() == Some(&key) {
            return Ok(OpenElement::Label(node, String::new()));
        }
        let axis = self.coordinates.keys.iter().find(|(known, _)| *known == key);
        Ok(axis.map_or(OpenElement::Other, |&(_, axis)| {
            OpenElement::Coordinate(node, axis, String::new())
        }))
    }

    /// Takes up the geometry of yEd, whose ordinates go downwards.
    fn geometry(&mut self, geometry: &Attributes<'_>) -> Result<OpenElement, Flaw> {
        let node = self.open.iter().rev().find_map(|(open, ..)| match open {
            OpenElement::Node(node) => Some(*node),
            _ => None,
        });
        if let (Some(node), Some(x), Some(y)) = (node, geometry.get("x")?, geometry.get("y")?) {
            let y = y.trim().parse::<f64>().map(|y| (-y).to_string()).unwrap_or_default();
            self.coordinates.set(node, CoordinateAxis::X, &x);
            self.coordinates.set(node, CoordinateAxis::Y, &y);
        }
        Ok(OpenElement::Other)
    }

    fn declare(&mut self, id: &str, line: u64) -> Result<u32, Flaw> {
        if let Some(node) = self.raw.ids.get(id) {
            let first = self.declared[node as usize];
            return Err(Flaw::line(
                line,
                format!("node `{id}` is already declared in line {first}"),
            ));
        }
        self.declared.push(line);
        self.raw.ids.number(id)
    }

    fn text(&mut self, text: &str, line: u64) -> Result<(), Flaw> {
        match self.open.last_mut() {
            Some((
                OpenElement::Label(_, value)
                | OpenElement::Weight(value)
                | OpenElement::Coordinate(_, _, value),
                ..,
            )) => value.push_str(text),
            Some(_) => {}
            None if text.trim().is_empty() => {}
            None => {
                return Err(Flaw::line(line, "text outside of any element: this is no GraphML"));
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some((OpenElement::Label(node, label), ..)) => self.raw.labels.push((node, label)),
            Some((OpenElement::Weight(weight), ..)) => self.raw.weigh(&weight),
            Some((OpenElement::Coordinate(node, axis, value), ..)) => {
                self.coordinates.set(node, axis, &value);
            }
            _ => {}
        }
    }

    fn finish(mut self, line: u64) -> Result<Raw, Flaw> {
        if let Some((_, name, begun)) = self.open.last() {
            let what = format!("the file ends inside of <{name}>, which begins in line {begun}");
            return Err(Flaw::line(line, what));
        }
        for GraphMlEdge { source, target, line } in self.edges {
            let node = |id: &str| {
                self.raw.ids.get(id).ok_or_else(|| {
                    Flaw::line(line, format!("this edge names a node `{id}` that is not declared"))
                })
            };
            let (a, b) = (node(&source)?, node(&target)?);
            self.raw.link(a, b)?;
        }
        self.raw.positions = self.coordinates.positions();
        Ok(self.raw)
    }
}

/// The attributes of an element that begins.
struct Attributes<'a> {
    element: &'a BytesStart<'a>,
    /// The name of the element.
    name: &'a str,
    line: u64,
}

impl Attributes<'_> {
    fn get(&self, wanted: &str) -> Result<Option<String>, Flaw> {
        for attribute in self.element.attributes() {
            let attribute = attribute.map_err(|error| broken(&error.into(), self.line))?;
            if attribute.key.local_name().as_ref() == wanted {
                let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
                return Ok(Some(value.map_err(|error| broken(&error, self.line))?.into_owned()));
            }
        }
        Ok(None)
    }

    fn required(&self, wanted: &str) -> Result<String, Flaw> {
        let missing = || format!("<{}> has no attribute `{wanted}`", self.name);
        self.get(wanted)?.ok_or_else(|| Flaw::line(self.line, missing()))
    }
}

/// Returns the character that a reference such as `&amp;` or `&#233;` stands for. Entities that a
/// document defines itself are not expanded: they could grow without bound.
fn character(entity: &BytesRef<'_>, line: u64) -> Result<String, Flaw> {
    if let Some(character) = entity.resolve_char_ref().map_err(|error| broken(&error, line))? {
        return Ok(character.to_string());
    }
    let name = entity.xml10_content();
    quick_xml::escape::resolve_xml_entity(&name)
        .map(str::to_owned)
        .ok_or_else(|| Flaw::line(line, format!("unknown entity `&{name};`")))
}

/// Returns the fault for an error of the XML parser, without the parser's own name for the class of
/// the error.
fn broken(error: &quick_xml::Error, line: u64) -> Flaw {
    use quick_xml::Error;
    let what = match error {
        Error::Syntax(error) => error.to_string(),
        Error::IllFormed(error) => error.to_string(),
        Error::InvalidAttr(error) => error.to_string(),
        Error::Escape(error) => error.to_string(),
        error => error.to_string(),
    };
    Flaw::line(line, format!("not well-formed XML: {what}"))
}
