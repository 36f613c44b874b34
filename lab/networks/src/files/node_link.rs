//! Node-link JSON: a list of nodes and a list of links, in the form of networkx `node_link_data`
//! and D3.

use super::error::FilePosition;
use super::raw::{Flaw, Raw};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The object as a whole. Nodes and links are kept as text, so that their places are known.
#[derive(Deserialize)]
struct NodeLinkDocument<'a> {
    #[serde(default)]
    directed: bool,
    #[serde(borrow)]
    nodes: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    links: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    edges: Option<Vec<&'a RawValue>>,
    // The keys that identify other formats.
    #[serde(borrow)]
    adjacency: Option<&'a RawValue>,
    #[serde(borrow)]
    elements: Option<&'a RawValue>,
    #[serde(borrow)]
    children: Option<&'a RawValue>,
    #[serde(borrow)]
    graph: Option<&'a RawValue>,
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    if !text.trim_start().starts_with('{') {
        let what = "node-link JSON is an object: {\"nodes\": [..], \"links\": [..]}";
        return Err(Flaw::line(1, what));
    }
    let data: NodeLinkDocument<'_> =
        serde_json::from_str(text).map_err(|error| broken(&error, 1))?;
    let (Some(nodes), Some(links)) = (&data.nodes, data.links.as_ref().or(data.edges.as_ref()))
    else {
        return Err(Flaw::Unsupported { what: other(&data) });
    };
    let mut places = Places { text, passed: 0, line: 1 };
    let mut raw = Raw::default();
    // Without ids, nodes are known by their places in the list.
    let mut by_place = None;
    for node in nodes {
        let line = places.line_of(node);
        let object = object(node, "a node", line)?;
        let id = object.get("id");
        let first = *by_place.get_or_insert(id.is_none());
        let id = match id {
            Some(id) if !first => name(id, "an id", line)?,
            None if first => raw.ids.names.len().to_string(),
            _ => return Err(Flaw::line(line, "some nodes have an id and some have none")),
        };
        let before = raw.ids.names.len();
        let number = raw.ids.number(&id)?;
        if number < before {
            let id = id.escape_debug();
            return Err(Flaw::line(line, format!("a second node has the id {id}")));
        }
        let label = object.get("label").or_else(|| object.get("name")).and_then(Value::as_str);
        if let Some(label) = label {
            raw.labels.push((number, label.to_owned()));
        }
    }
    // Links may stand before the nodes.
    places = Places { text, passed: 0, line: 1 };
    for link in links {
        let line = places.line_of(link);
        let object = object(link, "a link", line)?;
        let end = |which: &str| {
            let Some(end) = object.get(which) else {
                return Err(Flaw::line(line, format!("this link has no `{which}`")));
            };
            let end = name(end, which, line)?;
            raw.ids.get(&end).ok_or_else(|| {
                let end = end.escape_debug();
                Flaw::line(line, format!("this link names a node {end} that is not there"))
            })
        };
        let (from, to) = (end("source")?, end("target")?);
        raw.link(from, to)?;
        raw.directed += u64::from(data.directed);
        if let Some(weight) = object.get("weight") {
            raw.weigh(&weight.to_string());
        }
    }
    Ok(raw)
}

fn other(data: &NodeLinkDocument<'_>) -> String {
    let what = if data.adjacency.is_some() {
        "JSON of networkx `adjacency_data`"
    } else if data.elements.is_some() {
        "JSON of Cytoscape"
    } else if data.children.is_some() {
        "JSON of a tree"
    } else if data.graph.is_some_and(|graph| graph.get().contains("\"nodes\"")) {
        "JSON Graph Format"
    } else {
        "JSON without `nodes` and `links`"
    };
    format!("this is {what}; of JSON, node-link is read (networkx `node_link_data`)")
}

fn object(value: &RawValue, what: &str, line: u64) -> Result<Map<String, Value>, Flaw> {
    let value: Value = serde_json::from_str(value.get()).map_err(|error| broken(&error, line))?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(Flaw::line(line, format!("{what} should be an object"))),
    }
}

fn name(id: &Value, what: &str, line: u64) -> Result<String, Flaw> {
    match id {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) | Value::Array(_) => Ok(id.to_string()),
        Value::Null | Value::Object(_) => {
            Err(Flaw::line(line, format!("{what} should be a number or a text")))
        }
    }
}

fn broken(error: &serde_json::Error, first: u64) -> Flaw {
    let (line, column) = (error.line() as u64, error.column() as u64);
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(&*what, |(what, _)| what);
    let at = FilePosition {
        line: first + line.saturating_sub(1),
        column: (first == 1).then_some(column),
    };
    Flaw::Syntax { at, what: what.to_owned() }
}

/// A counter of lines that advances with the parser.
struct Places<'a> {
    text: &'a str,
    passed: usize,
    line: u64,
}

impl Places<'_> {
    fn line_of(&mut self, part: &RawValue) -> u64 {
        let place = (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let place = place.clamp(self.passed, self.text.len());
        let passed = &self.text.as_bytes()[self.passed..place];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.passed = place;
        self.line
    }
}
