//! GML: lists of keys and values in brackets. Lists that are nested deeper than a node or an edge
//! are of no importance to a network.

mod lexer;

use super::raw::{Fault, Raw};
use lexer::{Lexer, Token};

pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = Lexer::new(text);
    let mut word = String::new();
    while let Ok(token) = lexer.next() {
        match token {
            Token::Word(next) => word = next,
            Token::Text(_) => {}
            Token::Open => return word.eq_ignore_ascii_case("graph"),
            Token::Close | Token::End => return false,
        }
    }
    false
}

/// A node or an edge under construction.
#[derive(Default)]
struct Element {
    line: u64,
    id: Option<String>,
    label: Option<String>,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
}

/// An edge whose ends may be declared after it.
struct Edge {
    ends: [String; 2],
    line: u64,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    raw: Raw,
    edges: Vec<Edge>,
    /// The line in which each node is declared.
    declared: Vec<u64>,
    directed: bool,
    graphs: u32,
}

/// The list that is open; deeper lists are skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    File,
    Graph,
    Node,
    Edge,
}

pub(super) fn read(text: &str) -> Result<Raw, Fault> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        raw: Raw::default(),
        edges: Vec::new(),
        declared: Vec::new(),
        directed: false,
        graphs: 0,
    };
    parser.file()?;
    parser.finish()
}

impl Parser<'_> {
    fn file(&mut self) -> Result<(), Fault> {
        let mut level = Level::File;
        let mut element = Element::default();
        let mut begun = 0;
        loop {
            let key = match self.lexer.next()? {
                Token::Word(key) => key.to_ascii_lowercase(),
                Token::Close if level == Level::Graph => {
                    level = Level::File;
                    continue;
                }
                Token::Close if level != Level::File => {
                    let done = std::mem::take(&mut element);
                    if level == Level::Node {
                        self.node(done)?;
                    } else {
                        self.edge(done)?;
                    }
                    level = Level::Graph;
                    continue;
                }
                Token::End if level == Level::File => return Ok(()),
                Token::End => {
                    return Err(self.cut(if level == Level::Graph { begun } else { element.line }));
                }
                found => return Err(self.expected("a key", &found)),
            };
            let value = match self.lexer.next()? {
                Token::Open => {
                    let line = self.lexer.line;
                    level = match (level, key.as_str()) {
                        (Level::File, "graph") => {
                            self.graphs += 1;
                            if self.graphs > 1 {
                                let what = "a second graph: a file holds one network";
                                return Err(Fault::line(line, what));
                            }
                            Level::Graph
                        }
                        (Level::Graph, "node") => Level::Node,
                        (Level::Graph, "edge") => Level::Edge,
                        _ => {
                            self.skip()?;
                            continue;
                        }
                    };
                    if level == Level::Graph {
                        begun = line;
                    }
                    element.line = line;
                    continue;
                }
                Token::Word(value) | Token::Text(value) => value,
                found => return Err(self.expected(&format!("a value of `{key}`"), &found)),
            };
            match (level, key.as_str()) {
                (Level::Graph, "directed") => self.directed = value.parse() == Ok(1),
                (Level::Node, "id") => element.id = Some(value),
                (Level::Node, "label") => element.label = Some(value),
                (Level::Edge, "source") => element.source = Some(value),
                (Level::Edge, "target") => element.target = Some(value),
                (Level::Edge, "weight" | "value") => element.weight = Some(value),
                _ => {}
            }
        }
    }

    /// Skips a list that is open, and all lists inside it.
    fn skip(&mut self) -> Result<(), Fault> {
        let begun = self.lexer.line;
        let mut open = 1_u64;
        while open > 0 {
            match self.lexer.next()? {
                Token::Open => open += 1,
                Token::Close => open -= 1,
                Token::End => return Err(self.cut(begun)),
                Token::Word(_) | Token::Text(_) => {}
            }
        }
        Ok(())
    }

    fn node(&mut self, node: Element) -> Result<(), Fault> {
        let Some(id) = node.id else { return Err(Fault::line(node.line, "this node has no id")) };
        if let Some(known) = self.raw.ids.get(&id) {
            let first = self.declared[known as usize];
            let id = id.escape_debug();
            let what = format!("node {id} is already declared in line {first}");
            return Err(Fault::line(node.line, what));
        }
        let number = self.raw.ids.number(&id)?;
        self.declared.push(node.line);
        if let Some(label) = node.label {
            self.raw.labels.push((number, label));
        }
        Ok(())
    }

    fn edge(&mut self, edge: Element) -> Result<(), Fault> {
        let (Some(source), Some(target)) = (edge.source, edge.target) else {
            return Err(Fault::line(edge.line, "this edge has no source or no target"));
        };
        self.raw.weigh(&edge.weight.unwrap_or_default());
        match (self.raw.ids.get(&source), self.raw.ids.get(&target)) {
            (Some(a), Some(b)) => self.raw.link(a, b),
            _ => {
                self.edges.push(Edge { ends: [source, target], line: edge.line });
                self.raw.room_for(self.edges.len())
            }
        }
    }

    fn finish(mut self) -> Result<Raw, Fault> {
        for Edge { ends, line } in std::mem::take(&mut self.edges) {
            let node = |id: &String| {
                self.raw.ids.get(id).ok_or_else(|| {
                    let id = id.escape_debug();
                    Fault::line(line, format!("this edge names a node {id} that is not declared"))
                })
            };
            let (a, b) = (node(&ends[0])?, node(&ends[1])?);
            self.raw.link(a, b)?;
        }
        if self.directed {
            self.raw.directed = self.raw.links.len() as u64;
        }
        Ok(self.raw)
    }

    fn cut(&self, begun: u64) -> Fault {
        let what = format!("the file ends inside of the list that begins in line {begun}");
        Fault::line(self.lexer.line, what)
    }

    fn expected(&self, what: &str, found: &Token) -> Fault {
        Fault::line(self.lexer.line, format!("{found} found, expected {what}"))
    }
}
