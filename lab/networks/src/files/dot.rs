//! DOT, the language of Graphviz (<https://graphviz.org/doc/info/lang.html>), the part that
//! describes a network.
//!
//! The parsers on crates.io were no help: `dot-parser` (which `petgraph` uses) is under the GPL,
//! `graphviz-rust` brings forty crates and reports errors as text, `layout-rs` and
//! `graphviz-dot-parser` do not read all of the language.

use super::error::FilePosition;
use super::raw::{Flaw, Raw};
use std::fmt;

/// The greatest depth to which subgraphs may be nested: each level is one of recursion.
const DEPTH: u32 = 200;

pub(super) fn looks_like(text: &str) -> bool {
    let mut lexer = DotLexer::new(text);
    let first = lexer.next().map(|(token, _)| token);
    matches!(first, Ok(DotToken::Word(word)) if ["strict", "graph", "digraph"].iter().any(|k| word.is(k)))
        && text.contains('{')
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut lexer = DotLexer::new(text);
    let peeked = lexer.next()?;
    let mut parser = DotParser { lexer, peeked, raw: Raw::default(), directed: false };
    parser.graph()?;
    Ok(parser.raw)
}

/// One end of an edge, or the first part of a statement.
enum EdgeEnd {
    /// The nodes of a subgraph.
    Subgraph(Vec<u32>),
    /// A word: a node, if no `=` follows.
    Node(DotWord),
}

/// The attributes that matter to a network.
#[derive(Default)]
struct DotAttributes {
    label: Option<DotWord>,
    weight: Option<DotWord>,
}

struct DotParser<'a> {
    lexer: DotLexer<'a>,
    /// The next token, and the place where it begins.
    peeked: (DotToken, DotPlace),
    raw: Raw,
    directed: bool,
}

impl DotParser<'_> {
    /// Parses `[strict] (graph | digraph) [ID] { statements }`.
    fn graph(&mut self) -> Result<(), Flaw> {
        self.keyword("strict")?;
        self.directed = self.keyword("digraph")?;
        if !self.directed && !self.keyword("graph")? {
            return Err(self.expected("`graph` or `digraph`"));
        }
        if let DotToken::Word(_) = self.peeked.0 {
            self.advance()?;
        }
        self.block(0)?;
        match self.peeked.0 {
            DotToken::End => Ok(()),
            _ => Err(self.expected("the end of the file: it holds one network")),
        }
    }

    /// Parses `{ statements }`, and returns the nodes in it.
    fn block(&mut self, depth: u32) -> Result<Vec<u32>, Flaw> {
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
    fn statement(&mut self, depth: u32) -> Result<Vec<u32>, Flaw> {
        if self.keyword("graph")? || self.keyword("node")? || self.keyword("edge")? {
            // Defaults: a name that several nodes share names none of them.
            self.attributes()?;
            return Ok(Vec::new());
        }
        let first = self.end(depth)?;
        if let EdgeEnd::Node(_) = first
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
        while let DotToken::Edge { directed } = self.peeked.0 {
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
        if let (Some(label), EdgeEnd::Node(id), false) = (attributes.label, first, edges) {
            self.raw.labels.push((members[0], label.as_label(&id.text)));
        }
        if let (Some(weight), true) = (attributes.weight, edges) {
            (begun..self.raw.links.len()).for_each(|_| self.raw.weigh(&weight.text));
        }
        Ok(members)
    }

    fn end(&mut self, depth: u32) -> Result<EdgeEnd, Flaw> {
        if self.keyword("subgraph")? {
            if let DotToken::Word(_) = self.peeked.0 {
                self.advance()?;
            }
            return Ok(EdgeEnd::Subgraph(self.block(depth + 1)?));
        }
        match self.peeked.0 {
            DotToken::Symbol('{') => Ok(EdgeEnd::Subgraph(self.block(depth + 1)?)),
            DotToken::Word(_) => Ok(EdgeEnd::Node(self.word()?)),
            _ => Err(self.expected("a node, a subgraph or `}`")),
        }
    }

    /// Returns the nodes at one end of an edge. Ports (`: port : compass`) only give the place on a
    /// node's drawing where an edge ends.
    fn nodes(&mut self, end: &EdgeEnd) -> Result<Vec<u32>, Flaw> {
        match end {
            EdgeEnd::Subgraph(nodes) => Ok(nodes.clone()),
            EdgeEnd::Node(id) => {
                while self.symbol(':')? {
                    self.word()?;
                }
                Ok(vec![self.raw.ids.number(&id.text)?])
            }
        }
    }

    /// Parses `[ name = value, .. ] ..`.
    fn attributes(&mut self) -> Result<DotAttributes, Flaw> {
        let mut attributes = DotAttributes::default();
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

    fn word(&mut self) -> Result<DotWord, Flaw> {
        match self.advance()? {
            (DotToken::Word(word), _) => Ok(word),
            (found, place) => Err(expected("a name", &found, place)),
        }
    }

    /// Consumes the next token if it is this keyword, and returns whether it was.
    fn keyword(&mut self, keyword: &str) -> Result<bool, Flaw> {
        let found = matches!(&self.peeked.0, DotToken::Word(word) if word.is(keyword));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes the next token if it is this symbol, and returns whether it was.
    fn symbol(&mut self, symbol: char) -> Result<bool, Flaw> {
        let found = self.peeked.0 == DotToken::Symbol(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn advance(&mut self) -> Result<(DotToken, DotPlace), Flaw> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.peeked, next))
    }

    fn fault(&self, what: String) -> Flaw {
        self.peeked.1.fault(what)
    }

    fn expected(&self, what: &str) -> Flaw {
        expected(what, &self.peeked.0, self.peeked.1)
    }
}

fn expected(what: &str, found: &DotToken, place: DotPlace) -> Flaw {
    place.fault(format!("{found} found, expected {what}"))
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum DotToken {
    Word(DotWord),
    /// One of `{ } [ ] ; , = : +`.
    Symbol(char),
    /// `->` or `--`.
    Edge {
        directed: bool,
    },
    End,
}

/// A name, number or text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DotWord {
    text: String,
    form: WordForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordForm {
    Plain,
    Quoted,
    Html,
}

impl DotWord {
    fn is(&self, keyword: &str) -> bool {
        self.form == WordForm::Plain && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Returns the word as the label of the node `id`: escapes are resolved, and HTML is replaced
    /// by the id.
    fn as_label(&self, id: &str) -> String {
        if self.form == WordForm::Html {
            return id.to_owned();
        }
        let mut label = String::new();
        let mut characters = self.text.chars();
        while let Some(character) = characters.next() {
            match (character, characters.clone().next()) {
                // Line breaks, centred and to the left and right.
                ('\\', Some('n' | 'l' | 'r')) => label.push(' '),
                ('\\', Some('N')) => label.push_str(id),
                ('\\', Some(escaped)) => label.push(escaped),
                _ => {
                    label.push(character);
                    continue;
                }
            }
            characters.next();
        }
        label
    }
}

impl fmt::Display for DotToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => {
                let mut shown: String = word.text.chars().take(30).collect();
                if shown.len() < word.text.len() {
                    shown.push_str("..");
                }
                write!(f, "`{}`", shown.escape_debug())
            }
            Self::Symbol(symbol) => write!(f, "`{symbol}`"),
            Self::Edge { directed: true } => f.write_str("`->`"),
            Self::Edge { directed: false } => f.write_str("`--`"),
            Self::End => f.write_str("end of file"),
        }
    }
}

/// The place where a token begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DotPlace {
    line: u64,
    column: u64,
}

impl DotPlace {
    fn fault(self, what: String) -> Flaw {
        let at = FilePosition { line: self.line, column: Some(self.column) };
        Flaw::Syntax { at, what }
    }
}

struct DotLexer<'a> {
    rest: std::str::Chars<'a>,
    place: DotPlace,
}

impl<'a> DotLexer<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.chars(), place: DotPlace { line: 1, column: 1 } }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn sees(&self, text: &str) -> bool {
        self.rest.as_str().starts_with(text)
    }

    fn bump(&mut self) -> Option<char> {
        let character = self.rest.next()?;
        if character == '\n' {
            self.place = DotPlace { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(character)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(character) = self.peek().filter(|&c| wanted(c)) {
            taken.push(character);
            self.bump();
        }
        taken
    }

    fn next(&mut self) -> Result<(DotToken, DotPlace), Flaw> {
        self.skip()?;
        let place = self.place;
        let token = match self.peek() {
            None => DotToken::End,
            Some('-') if self.sees("->") => self.edge(true),
            Some('-') if self.sees("--") => self.edge(false),
            Some('"') => DotToken::Word(self.quoted()?),
            Some('<') => DotToken::Word(self.html()?),
            Some(c) if c == '-' || c == '.' || c.is_ascii_digit() => DotToken::Word(self.number()?),
            Some(c) if is_name(c) => {
                DotToken::Word(DotWord { text: self.take_while(is_name), form: WordForm::Plain })
            }
            Some(c) if "{}[];,=:".contains(c) => {
                self.bump();
                DotToken::Symbol(c)
            }
            Some(c) => {
                let c = c.escape_debug();
                return Err(place.fault(format!(
                    "`{c}` has no meaning here; names with special \
                                                characters are written in double quotes"
                )));
            }
        };
        Ok((token, place))
    }

    fn edge(&mut self, directed: bool) -> DotToken {
        self.bump();
        self.bump();
        DotToken::Edge { directed }
    }

    /// Skips white space and comments: `// ..`, `/* .. */` and `# ..`.
    fn skip(&mut self) -> Result<(), Flaw> {
        loop {
            let place = self.place;
            if self.sees("//") || self.sees("#") {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.bump();
                }
            } else if self.sees("/*") {
                self.bump();
                self.bump();
                while !self.sees("*/") {
                    if self.bump().is_none() {
                        return Err(place.fault("this comment is not closed".to_owned()));
                    }
                }
                self.bump();
                self.bump();
            } else if self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{FEFF}') {
                self.bump();
            } else {
                return Ok(());
            }
        }
    }

    /// Parses `[-] (. digits | digits [. digits])`.
    fn number(&mut self) -> Result<DotWord, Flaw> {
        let place = self.place;
        let mut text = String::new();
        if self.sees("-") {
            text.extend(self.bump());
        }
        let digits = self.take_while(|c| c == '.' || is_name(c));
        text.push_str(&digits);
        let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        let proper = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if proper(whole) && proper(fraction) && whole.len() + fraction.len() > 0 {
            return Ok(DotWord { text, form: WordForm::Plain });
        }
        let text = text.escape_debug();
        Err(place.fault(format!("`{text}` is neither a number nor a name; write \"{text}\"")))
    }

    /// Parses `".." [+ ".."]`: the only escape is `\"`; a backslash at the end of a line continues
    /// it.
    fn quoted(&mut self) -> Result<DotWord, Flaw> {
        let mut text = String::new();
        loop {
            let place = self.place;
            self.bump();
            loop {
                if self.sees("\\\"") || self.sees("\\\\") {
                    let backslash = self.bump();
                    // `\\` keeps both backslashes: the label resolves it, and it hides no quote.
                    text.extend(backslash.filter(|_| self.sees("\\")));
                    text.extend(self.bump());
                } else if self.sees("\\\n") || self.sees("\\\r\n") {
                    while self.bump() != Some('\n') {}
                } else {
                    match self.bump() {
                        None => return Err(place.fault("this quote is not closed".to_owned())),
                        Some('"') => break,
                        Some(character) => text.push(character),
                    }
                }
            }
            self.skip()?;
            if !self.sees("+") {
                return Ok(DotWord { text, form: WordForm::Quoted });
            }
            self.bump();
            self.skip()?;
            if !self.sees("\"") {
                return Err(self.place.fault("a quoted text should follow `+`".to_owned()));
            }
        }
    }

    /// Parses `<..>`, with the same number of opening and closing brackets inside.
    fn html(&mut self) -> Result<DotWord, Flaw> {
        let place = self.place;
        let mut text = String::new();
        let mut open = 0_u32;
        loop {
            let Some(character) = self.bump() else {
                return Err(place.fault("this `<` is not closed".to_owned()));
            };
            text.push(character);
            match character {
                '<' => open += 1,
                '>' => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Ok(DotWord { text, form: WordForm::Html });
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || (!c.is_ascii() && !c.is_whitespace() && !c.is_control())
}
