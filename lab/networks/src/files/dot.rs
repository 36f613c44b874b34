//! DOT, the language of Graphviz (<https://graphviz.org/doc/info/lang.html>), as far as it describes
//! a network.
//!
//! The parsers on crates.io were no help: `dot-parser` (which `petgraph` uses) is under the GPL,
//! `graphviz-rust` brings forty crates and reports errors as text, `layout-rs` and
//! `graphviz-dot-parser` do not read all of the language.

mod lexer;

use super::raw::{Fault, Raw};
use lexer::{Lexer, Token, Word};

/// The greatest depth to which subgraphs may be nested: each level is one of recursion.
const DEPTH: u32 = 200;

pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = Lexer::new(text);
    let first = lexer.next().map(|(token, _)| token);
    matches!(first, Ok(Token::Word(word)) if ["strict", "graph", "digraph"].iter().any(|k| word.is(k)))
        && text.contains('{')
}

pub(super) fn read(text: &str) -> Result<Raw, Fault> {
    let mut lexer = Lexer::new(text);
    let peeked = lexer.next()?;
    let mut parser = Parser { lexer, peeked, raw: Raw::default(), directed: false };
    parser.graph()?;
    Ok(parser.raw)
}

/// One end of an edge, or the first part of a statement.
enum End {
    /// The nodes of a subgraph.
    Subgraph(Vec<u32>),
    /// A word: a node, if no `=` follows.
    Node(Word),
}

/// The attributes that matter to a network.
#[derive(Default)]
struct Attributes {
    label: Option<Word>,
    weight: Option<Word>,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token, and the place where it begins.
    peeked: (Token, lexer::Place),
    raw: Raw,
    directed: bool,
}

impl Parser<'_> {
    /// Parses `[strict] (graph | digraph) [ID] { statements }`.
    fn graph(&mut self) -> Result<(), Fault> {
        self.keyword("strict")?;
        self.directed = self.keyword("digraph")?;
        if !self.directed && !self.keyword("graph")? {
            return Err(self.expected("`graph` or `digraph`"));
        }
        if let Token::Word(_) = self.peeked.0 {
            self.advance()?;
        }
        self.block(0)?;
        match self.peeked.0 {
            Token::End => Ok(()),
            _ => Err(self.expected("the end of the file: it holds one network")),
        }
    }

    /// Parses `{ statements }`, and returns the nodes in it.
    fn block(&mut self, depth: u32) -> Result<Vec<u32>, Fault> {
        if depth > DEPTH {
            return Err(self.fault(format!("subgraphs are nested more than {DEPTH} deep")));
        }
        if !self.symbol('{')? {
            return Err(self.expected("`{`"));
        }
        let mut members = Vec::new();
        while !self.symbol('}')? {
            if !self.symbol(';')? {
                members.extend(self.statement(depth)?);
            }
        }
        members.sort_unstable();
        members.dedup();
        Ok(members)
    }

    /// Parses one statement, and returns the nodes in it.
    fn statement(&mut self, depth: u32) -> Result<Vec<u32>, Fault> {
        if self.keyword("graph")? || self.keyword("node")? || self.keyword("edge")? {
            // Defaults: a name that several nodes share names none of them.
            self.attributes()?;
            return Ok(Vec::new());
        }
        let first = self.end(depth)?;
        if let End::Node(_) = first
            && self.symbol('=')?
        {
            // An attribute of the graph.
            self.word()?;
            return Ok(Vec::new());
        }
        let begun = self.raw.links.len();
        let mut left = self.nodes(&first)?;
        let mut members = left.clone();
        let mut edges = false;
        while let Token::Edge { directed } = self.peeked.0 {
            if directed != self.directed {
                let (right, of) = if self.directed { ("->", "digraph") } else { ("--", "graph") };
                return Err(self.fault(format!("edges of a {of} are written `{right}`")));
            }
            self.advance()?;
            let end = self.end(depth)?;
            let right = self.nodes(&end)?;
            // The only place where a short text can have many links: check the limit before making
            // them.
            self.raw.room_for(left.len().saturating_mul(right.len()))?;
            for &a in &left {
                for &b in &right {
                    self.raw.link(a, b)?;
                    self.raw.directed += u64::from(self.directed);
                }
            }
            members.extend_from_slice(&right);
            left = right;
            edges = true;
        }
        let attributes = self.attributes()?;
        if let (Some(label), End::Node(id), false) = (attributes.label, first, edges) {
            self.raw.labels.push((members[0], label.as_label(&id.text)));
        }
        if let (Some(weight), true) = (attributes.weight, edges) {
            (begun..self.raw.links.len()).for_each(|_| self.raw.weigh(&weight.text));
        }
        Ok(members)
    }

    fn end(&mut self, depth: u32) -> Result<End, Fault> {
        if self.keyword("subgraph")? {
            if let Token::Word(_) = self.peeked.0 {
                self.advance()?;
            }
            return Ok(End::Subgraph(self.block(depth + 1)?));
        }
        match self.peeked.0 {
            Token::Symbol('{') => Ok(End::Subgraph(self.block(depth + 1)?)),
            Token::Word(_) => Ok(End::Node(self.word()?)),
            _ => Err(self.expected("a node, a subgraph or `}`")),
        }
    }

    /// Returns the nodes at one end of an edge. Ports (`: port : compass`) only give the place on a
    /// node's drawing where an edge ends.
    fn nodes(&mut self, end: &End) -> Result<Vec<u32>, Fault> {
        match end {
            End::Subgraph(nodes) => Ok(nodes.clone()),
            End::Node(id) => {
                while self.symbol(':')? {
                    self.word()?;
                }
                Ok(vec![self.raw.ids.number(&id.text)?])
            }
        }
    }

    /// Parses `[ name = value, .. ] ..`.
    fn attributes(&mut self) -> Result<Attributes, Fault> {
        let mut attributes = Attributes::default();
        while self.symbol('[')? {
            while !self.symbol(']')? {
                let name = self.word()?;
                // A name alone stands for `name = true`.
                if self.symbol('=')? {
                    let value = self.word()?;
                    match name.text.as_str() {
                        "label" => attributes.label = Some(value),
                        "weight" => attributes.weight = Some(value),
                        _ => {}
                    }
                }
                if !self.symbol(',')? {
                    self.symbol(';')?;
                }
            }
        }
        Ok(attributes)
    }

    fn word(&mut self) -> Result<Word, Fault> {
        match self.advance()? {
            (Token::Word(word), _) => Ok(word),
            (found, place) => Err(expected("a name", &found, place)),
        }
    }

    /// Consumes the next token if it is this keyword, and returns whether it was.
    fn keyword(&mut self, keyword: &str) -> Result<bool, Fault> {
        let found = matches!(&self.peeked.0, Token::Word(word) if word.is(keyword));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes the next token if it is this symbol, and returns whether it was.
    fn symbol(&mut self, symbol: char) -> Result<bool, Fault> {
        let found = self.peeked.0 == Token::Symbol(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn advance(&mut self) -> Result<(Token, lexer::Place), Fault> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.peeked, next))
    }

    fn fault(&self, what: String) -> Fault {
        self.peeked.1.fault(what)
    }

    fn expected(&self, what: &str) -> Fault {
        expected(what, &self.peeked.0, self.peeked.1)
    }
}

fn expected(what: &str, found: &Token, place: lexer::Place) -> Fault {
    place.fault(format!("{found} found, expected {what}"))
}
