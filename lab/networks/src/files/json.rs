//! JSON: lists of nodes and links as networkx, D3, cytoscape.js, vis.js, graphology and the JSON Graph Format have
//! them, links alone, and lists of neighbours by node.

use super::error::FilePosition;
use super::raw::{Flaw, Raw};
use crate::input::newlines;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use suffrage_numbers::DistinctKeys;

/// An object whose parts are kept as text, so that their places are known.
type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let text = without_nan(text);
    serde_json::from_str::<DistinctKeys>(&text).map_err(|error| broken(&error))?;
    let whole: &RawValue = serde_json::from_str(&text).map_err(|error| broken(&error))?;
    let mut json = Json { text: &text, raw: Raw::default(), by_place: None };
    if text.trim_start().starts_with('[') {
        json.links_alone(whole)?;
    } else if let Some(fields) = fields(whole) {
        json.document(&fields)?;
    } else {
        return Err(
            json.fault(whole, "a network in JSON is an object: {\"nodes\": [..], \"links\": [..]}")
        );
    }
    Ok(json.raw)
}

/// Replaces the numbers that Python writes and JSON does not have.
fn without_nan(text: &str) -> Cow<'_, str> {
    if !["NaN", "Infinity"].iter().any(|word| text.contains(word)) {
        return text.into();
    }
    let parts = text.split('"');
    let (mut out, mut within, mut escaped) = (String::with_capacity(text.len()), false, false);
    for (at, part) in parts.enumerate() {
        if at > 0 {
            out.push('"');
            within ^= !escaped;
        }
        if within {
            let backslashes = part.len() - part.trim_end_matches('\\').len();
            escaped = backslashes % 2 == 1;
            out.push_str(part);
        } else {
            escaped = false;
            out.push_str(
                &part
                    .replace("-Infinity", "null")
                    .replace("Infinity", "null")
                    .replace("NaN", "null"),
            );
        }
    }
    out.into()
}

fn fields(part: &RawValue) -> Option<Fields<'_>> {
    serde_json::from_str(part.get()).ok()
}

fn list(part: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(part.get()).ok()
}

/// Returns a text without its quotes, or another value as it is written.
fn words(part: &RawValue) -> String {
    serde_json::from_str(part.get()).unwrap_or_else(|_| part.get().to_owned())
}

/// Returns the attributes of a node or a link, and whether it is one of cytoscape.js, which has them one level deeper.
fn attributes(part: &RawValue) -> Option<(Fields<'_>, bool)> {
    let fields = fields(part)?;
    Some(match fields.get("data").and_then(|data| self::fields(data)) {
        Some(data) if !fields.contains_key("id") => (data, true),
        _ => (fields, false),
    })
}

const ENDS: [[&str; 2]; 2] = [["source", "target"], ["from", "to"]];

fn has_ends(part: &&RawValue) -> bool {
    let (fields, _) = attributes(part).unwrap_or_default();
    ENDS.iter().any(|ends| ends.iter().all(|end| fields.contains_key(*end)))
}

struct Json<'a> {
    text: &'a str,
    raw: Raw,
    /// Whether nodes have no ids, and are known by their places in the list.
    by_place: Option<bool>,
}

impl Json<'_> {
    fn fault(&self, part: &RawValue, what: impl Into<String>) -> Flaw {
        let place = (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = &self.text.as_bytes()[..place.min(self.text.len())];
        Flaw::line(newlines(before) + 1, what)
    }

    fn document(&mut self, top: &Fields<'_>) -> Result<(), Flaw> {
        let within = |key: &str| top.get(key).and_then(|part| fields(part));
        if let Some(all) = top.get("graphs").and_then(|graphs| list(graphs)) {
            self.raw.further_graphs = (all.len() as u64).saturating_sub(1);
            let first = all.first().and_then(|first| fields(first)).unwrap_or_default();
            return self.graph(&first);
        }
        if let Some(elements) = top.get("elements").and_then(|elements| list(elements)) {
            let (links, nodes): (Vec<_>, Vec<_>) = elements.into_iter().partition(has_ends);
            return self.nodes_and_links(nodes, links, false);
        }
        let inner = [within("graph"), within("elements")].into_iter().flatten();
        match inner.into_iter().find(|inner| inner.contains_key("nodes")) {
            Some(inner) if !top.contains_key("nodes") => self.graph(&inner),
            _ => match within("topology") {
                Some(_) if top.contains_key("nodes") => Err(self.fault(
                    top["topology"],
                    "`topology` and `nodes`, of which one has the network: leave the other out",
                )),
                Some(lists) => self.neighbours(&lists),
                None => self.graph(top),
            },
        }
    }

    fn graph(&mut self, graph: &Fields<'_>) -> Result<(), Flaw> {
        let options = graph.get("options").and_then(|options| fields(options)).unwrap_or_default();
        let directed = graph.get("directed").is_some_and(|directed| directed.get() == "true")
            || options.get("type").is_some_and(|kind| kind.get() == "\"directed\"");
        let listed = ["links", "edges", "hyperedges", "adjacency"];
        let mut listed = listed.iter().filter(|key| graph.contains_key(**key));
        if let (Some(one), Some(other)) = (listed.next(), listed.next())
            && graph.contains_key("nodes")
        {
            let what =
                format!("`{one}` and `{other}`, of which one has the links: leave the other out");
            return Err(self.fault(graph[*other], what));
        }
        let links = ["links", "edges"].iter().find_map(|key| list(graph.get(*key)?));
        let Some(&nodes) = graph.get("nodes") else { return self.neighbours(graph) };
        if let Some(lists) = graph.get("adjacency").and_then(|lists| list(lists)) {
            let nodes = list(nodes).unwrap_or_default();
            if nodes.len() != lists.len() {
                let what = "as many lists of neighbours as nodes should stand here";
                return Err(self.fault(graph["adjacency"], what));
            }
            return self.adjacency(&nodes, &lists, directed);
        }
        match (list(nodes), fields(nodes), links) {
            (Some(nodes), _, Some(links)) => self.nodes_and_links(nodes, links, directed),
            (_, Some(nodes), Some(links)) => {
                for (id, &node) in &nodes {
                    let number = self.raw.ids.number(&Value::from(&**id).to_string())?;
                    let label =
                        fields(node).and_then(|node| node.get("label").map(|label| words(label)));
                    self.raw.labels.push((number, label.unwrap_or_else(|| id.to_string())));
                }
                links.iter().try_for_each(|link| self.link(link, true, directed))
            }
            _ => Err(unknown("JSON without `nodes` and `links`")),
        }
    }

    fn nodes_and_links(
        &mut self,
        nodes: Vec<&RawValue>,
        links: Vec<&RawValue>,
        directed: bool,
    ) -> Result<(), Flaw> {
        nodes.iter().try_for_each(|node| self.node(node))?;
        links.iter().try_for_each(|link| self.link(link, true, directed))
    }

    fn node(&mut self, part: &RawValue) -> Result<(), Flaw> {
        let Some((node, cytoscape)) = attributes(part) else {
            return Err(self.fault(part, "a node should be an object"));
        };
        let id = node.get("id").or_else(|| node.get("key"));
        let by_place = *self.by_place.get_or_insert(id.is_none());
        let key = match id {
            Some(id) if !by_place => self.key(id, cytoscape)?,
            None if by_place => self.raw.ids.names.len().to_string(),
            _ => return Err(self.fault(part, "some nodes have an id and some have none")),
        };
        let before = self.raw.ids.names.len();
        let number = self.raw.ids.number(&key)?;
        if number < before {
            return Err(self.fault(part, format!("a second node has the id {key}")));
        }
        let label = ["label", "name"]
            .iter()
            .find_map(|key| node.get(*key))
            .filter(|label| label.get().starts_with('"'));
        let label = label.or(id).map_or(key, |label| words(label));
        self.raw.labels.push((number, label));
        Ok(())
    }

    /// Returns the text that stands for an id: the number 1 and the text "1" are different ones, but not in
    /// cytoscape.js, to which all ids are texts.
    fn key(&self, id: &RawValue, cytoscape: bool) -> Result<String, Flaw> {
        match serde_json::from_str(id.get()) {
            Ok(Value::Null | Value::Object(_)) | Err(_) => {
                Err(self.fault(id, "the id of a node should be a number or a text"))
            }
            Ok(Value::Number(id)) if cytoscape => Ok(Value::from(id.to_string()).to_string()),
            // Of many digits a number keeps the first ones alone.
            Ok(Value::Number(number)) if number.is_f64() => Ok(id.get().to_owned()),
            Ok(id) => Ok(id.to_string()),
        }
    }

    fn link(&mut self, part: &RawValue, declared: bool, directed: bool) -> Result<(), Flaw> {
        let Some((link, cytoscape)) = attributes(part) else {
            return Err(self.fault(part, "a link should be an object"));
        };
        let ends = ENDS
            .iter()
            .find(|ends| ends.iter().any(|end| link.contains_key(*end)))
            .unwrap_or(&ENDS[0]);
        let mut numbers = [0; 2];
        for (number, end) in numbers.iter_mut().zip(ends) {
            let Some(&id) = link.get(*end) else {
                return Err(self.fault(part, format!("this link has no `{end}`")));
            };
            // D3 replaces the id by the node itself.
            let node = fields(id).unwrap_or_default();
            let named = node.get("id").or_else(|| node.get("index")).copied().unwrap_or(id);
            let key = self.key(named, cytoscape)?;
            *number = match self.raw.ids.get(&key) {
                Some(number) => number,
                None if declared => {
                    return Err(
                        self.fault(part, format!("this link names a node {key} that is not there"))
                    );
                }
                None => {
                    let number = self.raw.ids.number(&key)?;
                    self.raw.labels.push((number, words(id)));
                    number
                }
            };
        }
        self.raw.link(numbers[0], numbers[1])?;
        self.raw.directed += u64::from(directed);
        self.raw.weigh(link.get("weight").map_or("", |weight| weight.get()));
        Ok(())
    }

    fn adjacency(
        &mut self,
        nodes: &[&RawValue],
        lists: &[&RawValue],
        directed: bool,
    ) -> Result<(), Flaw> {
        nodes.iter().try_for_each(|node| self.node(node))?;
        let mut entries = Vec::new();
        for (node, &neighbours) in (0..self.raw.ids.names.len()).zip(lists) {
            let Some(others) = list(neighbours) else {
                return Err(self.fault(neighbours, "a list of neighbours should stand here"));
            };
            for neighbour in others {
                let id = fields(neighbour).and_then(|fields| fields.get("id").copied());
                let key = self.key(id.unwrap_or(neighbour), false)?;
                let Some(other) = self.raw.ids.get(&key) else {
                    return Err(self
                        .fault(neighbour, format!("a list names a node {key} that is not there")));
                };
                entries.push((node, other));
            }
        }
        self.raw.directed = if directed { entries.len() as u64 } else { 0 };
        self.raw.link_listed(entries)
    }

    /// Reads objects that are links, and nothing besides.
    fn links_alone(&mut self, whole: &RawValue) -> Result<(), Flaw> {
        let links = list(whole).unwrap_or_default();
        let aspect = |part: &&RawValue| {
            let fields = fields(part).unwrap_or_default();
            ["numberVerification", "nodes", "edges", "metaData", "CXVersion"]
                .iter()
                .any(|key| fields.contains_key(*key))
        };
        if links.iter().any(aspect) {
            return Err(unknown("CX, a format of Cytoscape"));
        }
        if links.is_empty() || !links.iter().all(has_ends) {
            return Err(unknown(
                "a list in JSON whose entries are no objects with `source` and `target`",
            ));
        }
        links.iter().try_for_each(|link| self.link(link, false, false))
    }

    /// Reads an object that has, for each node, its neighbours.
    fn neighbours(&mut self, lists: &Fields<'_>) -> Result<(), Flaw> {
        for id in lists.keys() {
            self.raw.ids.number(id)?;
        }
        let mut entries = Vec::new();
        for (node, part) in (0..).zip(lists.values()) {
            let listed = list(part).map(|all| all.into_iter().map(words).collect::<Vec<_>>());
            let keys = || fields(part).map(|all| all.keys().map(ToString::to_string).collect());
            let neighbours = listed.or_else(keys);
            let others = neighbours
                .map(|all| all.iter().map(|id| self.raw.ids.get(id)).collect::<Option<Vec<_>>>());
            let Some(Some(others)) = others else {
                let kind = if lists.contains_key("children") {
                    "a tree in JSON"
                } else {
                    "JSON without `nodes` and `links`"
                };
                return Err(unknown(kind));
            };
            entries.extend(others.into_iter().map(|other| (node, other)));
        }
        self.raw.link_listed(entries)
    }
}

fn unknown(what: &str) -> Flaw {
    let what = format!(
        "this is {what}, which is not read; write {{\"nodes\": [{{\"id\": ..}}], \"links\": [{{\"source\": .., \
         \"target\": ..}}]}}, as networkx `node_link_data` does"
    );
    Flaw::Unsupported { what }
}

fn broken(error: &serde_json::Error) -> Flaw {
    let what = error.to_string();
    let what = what.rsplit_once(" at line ").map_or(&*what, |(what, _)| what);
    let at = FilePosition { line: error.line() as u64, column: Some(error.column() as u64) };
    Flaw::Syntax { at, what: what.to_owned() }
}
