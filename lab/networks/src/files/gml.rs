//! GML: lists of keys and values in brackets. Lists that are nested deeper than a node or an edge
//! are of no importance to a network.

use super::raw::{Flaw, Raw};
use crate::input::newlines;
use std::fmt;

pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = GmlLexer::new(text);
    let mut word = String::new();
    while let Ok(token) = lexer.next() {
        match token {
            GmlToken::Word(next) => word = next,
            GmlToken::Text(_) => {}
            GmlToken::Open => return word.eq_ignore_ascii_case("graph"),
            GmlToken::Close | GmlToken::End => return false,
        }
    }
    false
}

/// A node or an edge under construction.
#[derive(Default)]
struct GmlElement {
    line: u64,
    id: Option<String>,
    label: Option<String>,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
}

impl GmlElement {
    /// Sets a value that matters to a network, and returns the one before.
    fn set(&mut self, level: GmlLevel, key: &str, value: String) -> Option<String> {
        match (level, key) {
            (GmlLevel::Node, "id") => self.id.replace(value),
            (GmlLevel::Edge, "source") => self.source.replace(value),
            (GmlLevel::Edge, "target") => self.target.replace(value),
            (GmlLevel::Node, "label") => {
                self.label = Some(value);
                None
            }
            (GmlLevel::Edge, "weight" | "value") => {
                self.weight = Some(value);
                None
            }
            _ => None,
        }
    }
}

/// An edge whose ends may be declared after it.
struct GmlEdge {
    ends: [String; 2],
    line: u64,
}

struct GmlParser<'a> {
    lexer: GmlLexer<'a>,
    raw: Raw,
    edges: Vec<GmlEdge>,
    /// The line in which each node is declared.
    declared: Vec<u64>,
    directed: bool,
    /// Whether a graph has begun: the first one is read.
    begun: bool,
}

/// The list that is open; deeper lists are skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GmlLevel {
    File,
    Graph,
    Node,
    Edge,
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut parser = GmlParser {
        lexer: GmlLexer::new(text),
        raw: Raw::default(),
        edges: Vec::new(),
        declared: Vec::new(),
        directed: false,
        begun: false,
    };
    parser.file()?;
    parser.finish()
}

impl GmlParser<'_> {
    fn file(&mut self) -> Result<(), Flaw> {
        let mut level = GmlLevel::File;
        let mut element = GmlElement::default();
        let mut begun = 0;
        loop {
            let key = match self.lexer.next()? {
                GmlToken::Word(key) => key.to_ascii_lowercase(),
                GmlToken::Close if level == GmlLevel::Graph => {
                    level = GmlLevel::File;
                    continue;
                }
                GmlToken::Close if level != GmlLevel::File => {
                    let done = std::mem::take(&mut element);
                    if level == GmlLevel::Node {
                        self.node(done)?;
                    } else {
                        self.edge(done)?;
                    }
                    level = GmlLevel::Graph;
                    continue;
                }
                GmlToken::End if level == GmlLevel::File => return Ok(()),
                GmlToken::End => {
                    return Err(self.cut(if level == GmlLevel::Graph {
                        begun
                    } else {
                        element.line
                    }));
                }
                found => return Err(self.expected("a key", &found)),
            };
            let value = match self.lexer.next()? {
                GmlToken::Open => {
                    let line = self.lexer.line;
                    level = match (level, key.as_str()) {
                        (GmlLevel::File, "graph") if !std::mem::replace(&mut self.begun, true) => {
                            GmlLevel::Graph
                        }
                        (GmlLevel::File, "graph") => {
                            self.raw.further_graphs += 1;
                            self.skip()?;
                            continue;
                        }
                        (GmlLevel::Graph, "node") => GmlLevel::Node,
                        (GmlLevel::Graph, "edge") => GmlLevel::Edge,
                        (GmlLevel::File, "node" | "edge")
                        | (GmlLevel::Node | GmlLevel::Edge, "graph" | "node" | "edge")
                        | (GmlLevel::Graph, "graph") => {
                            let what = format!(
                                "`{key}` has no place in this list: nodes and edges are in one graph"
                            );
                            return Err(Flaw::line(line, what));
                        }
                        _ => {
                            self.skip()?;
                            continue;
                        }
                    };
                    if level == GmlLevel::Graph {
                        begun = line;
                    }
                    element.line = line;
                    continue;
                }
                GmlToken::Word(value) | GmlToken::Text(value) => value,
                found => return Err(self.expected(&format!("a value of `{key}`"), &found)),
            };
            if (level, key.as_str()) == (GmlLevel::Graph, "directed") {
                self.directed = value.parse() == Ok(1);
            }
            let before = element.set(level, &key, value);
            if before.is_some() {
                return Err(Flaw::line(self.lexer.line, format!("a second `{key}` in one list")));
            }
        }
    }

    /// Skips a list that is open, and all lists inside it.
    fn skip(&mut self) -> Result<(), Flaw> {
        let begun = self.lexer.line;
        let mut open = 1_u64;
        while open > 0 {
            match self.lexer.next()? {
                GmlToken::Open => open += 1,
                GmlToken::Close => open -= 1,
                GmlToken::End => return Err(self.cut(begun)),
                GmlToken::Word(_) | GmlToken::Text(_) => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, node: GmlElement) -> Result<(), Flaw> {
        let Some(id) = node.id else {
            return Err(Flaw::line(node.line, "this node has no id"));
        };
        if let Some(known) = self.raw.ids.get(&id) {
            let first = self.declared[known as usize];
            let id = id.escape_debug();
            let what = format!("node {id} is already declared in line {first}");
            return Err(Flaw::line(node.line, what));
        }
        let number = self.raw.ids.number(&id)?;
        self.declared.push(node.line);
        if let Some(label) = node.label {
            self.raw.labels.push((number, label));
        }
        Ok(())
    }

    fn edge(&mut self, edge: GmlElement) -> Result<(), Flaw> {
        let (Some(source), Some(target)) = (edge.source, edge.target) else {
            return Err(Flaw::line(edge.line, "this edge has no source or no target"));
        };
        self.raw.weigh(&edge.weight.unwrap_or_default());
        self.edges.push(GmlEdge { ends: [source, target], line: edge.line });
        self.raw.room_for(self.edges.len())
    }

    fn finish(mut self) -> Result<Raw, Flaw> {
        for GmlEdge { ends: [from, to], line } in std::mem::take(&mut self.edges) {
            let (a, b) = self.raw.ends([&from, &to], line)?;
            self.raw.link(a, b)?;
        }
        if self.directed {
            self.raw.directed = self.raw.links.len() as u64;
        }
        Ok(self.raw)
    }

    fn cut(&self, begun: u64) -> Flaw {
        let what = format!("the file ends inside of the list that begins in line {begun}");
        Flaw::line(self.lexer.line, what)
    }

    fn expected(&self, what: &str, found: &GmlToken) -> Flaw {
        Flaw::line(self.lexer.line, format!("{found} found, expected {what}"))
    }
}

/// A word, text or bracket.
enum GmlToken {
    /// A key or a number.
    Word(String),
    /// A text in quotes, with its entities resolved.
    Text(String),
    Open,
    Close,
    End,
}

impl fmt::Display for GmlToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) | Self::Text(word) => {
                let shown: String = word.chars().take(30).collect();
                write!(f, "`{}`", shown.escape_debug())
            }
            Self::Open => f.write_str("`[`"),
            Self::Close => f.write_str("`]`"),
            Self::End => f.write_str("end of file"),
        }
    }
}

struct GmlLexer<'a> {
    rest: &'a str,
    /// The line in which the last token begins.
    line: u64,
    /// The line in which the next token may begin.
    next: u64,
}

impl<'a> GmlLexer<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, next: 1 }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.next += newlines(taken.as_bytes());
        self.rest = rest;
        taken
    }

    fn next(&mut self) -> Result<GmlToken, Flaw> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            if !self.rest.starts_with('#') {
                break;
            }
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
        self.line = self.next;
        let Some(first) = self.rest.chars().next() else { return Ok(GmlToken::End) };
        Ok(match first {
            '[' => {
                self.take(1);
                GmlToken::Open
            }
            ']' => {
                self.take(1);
                GmlToken::Close
            }
            '"' => {
                let Some(length) = self.rest[1..].find('"') else {
                    return Err(Flaw::line(self.line, "this quote is not closed"));
                };
                let text = &self.take(length + 2)[1..=length];
                GmlToken::Text(resolved(text).unwrap_or_else(|| text.to_owned()))
            }
            c if c.is_alphanumeric() || "_+-.".contains(c) => {
                let ends = |c: char| c.is_whitespace() || "[]\"".contains(c);
                GmlToken::Word(
                    self.take(self.rest.find(ends).unwrap_or(self.rest.len())).to_owned(),
                )
            }
            c => {
                let what = format!("`{}` has no meaning here", c.escape_debug());
                return Err(Flaw::line(self.line, what));
            }
        })
    }
}

/// Returns a text with its entities, which are those of XML.
fn resolved(text: &str) -> Option<String> {
    let document = text.contains('&').then(|| format!("<x>{}</x>", text.replace('<', "&lt;")))?;
    let document = roxmltree::Document::parse(&document).ok()?;
    document.root_element().text().map(str::to_owned)
}
