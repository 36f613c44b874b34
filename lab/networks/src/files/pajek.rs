//! Pajek: sections that begin with `*`. The first is `*Vertices`.

use super::matrix::{Entries, value};
use super::raw::{Flaw, Raw, number};

/// The kind of the lines of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PajekSection {
    /// Lines of the form `NUMBER [LABEL [..]]`.
    Vertices,
    /// Lines of the form `FROM TO [WEIGHT [..]]`.
    Links { directed: bool },
    /// Lines of the form `FROM TO TO ..`.
    Lists { directed: bool },
    /// A row of as many numbers as there are vertices, or several such rows.
    Matrix,
    /// Lines of no importance to a network.
    Other,
}

struct PajekParser {
    raw: Raw,
    section: PajekSection,
    /// The line in which the vertices are declared.
    vertices: Option<u64>,
    /// The line of each vertex that has one.
    named: Vec<u64>,
    /// Whether the vertices are as many as have lines.
    uncounted: bool,
    /// Whether the following lines belong to a partition or vector, and not to a network.
    aside: bool,
    matrix: Entries,
    /// The number of entries of the matrix so far, and the line in which it begins.
    entries: Option<(u64, u64)>,
}

pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['%', '#']));
    let word = first
        .and_then(|line| line.strip_prefix('*'))
        .and_then(|line| line.split_whitespace().next())
        .unwrap_or_default();
    ["network", "vertices"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

pub(super) fn read(text: &str) -> Result<Raw, Flaw> {
    let mut parser = PajekParser {
        raw: Raw::default(),
        section: PajekSection::Other,
        vertices: None,
        named: Vec::new(),
        uncounted: false,
        aside: false,
        matrix: Entries::default(),
        entries: None,
    };
    let mut last = 1;
    for (line, at) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        last = at;
        match line.strip_prefix('*') {
            Some(head) => parser.begin(head, text.len(), at)?,
            // What precedes the vertices describes them.
            None if parser.vertices.is_none() => {}
            None => parser.line(line, at)?,
        }
    }
    parser.end_matrix()?;
    if parser.vertices.is_none() && !text.trim().is_empty() {
        return Err(Flaw::line(last, "the file ends without a line `*Vertices NUMBER`"));
    }
    Ok(parser.raw)
}

impl PajekParser {
    /// Begins the section of a line, given after its `*`.
    fn begin(&mut self, head: &str, bytes: usize, at: u64) -> Result<(), Flaw> {
        self.end_matrix()?;
        let mut words = head.split_whitespace();
        let name = words.next().unwrap_or_default().to_ascii_lowercase();
        // The number of a relation may follow a colon.
        let name = name.split(':').next().unwrap_or_default();
        self.section = match name {
            "network" => {
                self.aside = false;
                PajekSection::Other
            }
            "vertices" if self.aside => PajekSection::Other,
            "vertices" => {
                if let Some(first) = self.vertices {
                    let what = format!("a second network; the first is in line {first}");
                    return Err(Flaw::line(at, what));
                }
                self.vertices = Some(at);
                let nodes = words.next().map_or(Ok(0), |word| number(word, "vertices", at))?;
                self.uncounted = nodes == 0;
                self.raw.declare(nodes, bytes, at)?;
                self.named = vec![0; nodes as usize];
                PajekSection::Vertices
            }
            "arcs" => PajekSection::Links { directed: true },
            "edges" => PajekSection::Links { directed: false },
            "arcslist" => PajekSection::Lists { directed: true },
            "edgeslist" => PajekSection::Lists { directed: false },
            "matrix" => {
                if !self.aside {
                    self.entries = Some((0, at));
                }
                PajekSection::Matrix
            }
            "partition" | "vector" | "permutation" | "cluster" | "hierarchy" => {
                self.aside = true;
                PajekSection::Other
            }
            _ if self.aside || self.vertices.is_none() => PajekSection::Other,
            _ => {
                let what = format!(
                    "`*{}` is no section of a network that is read: *Vertices, *Edges, *Arcs, *Edgeslist, *Arcslist, \
                     *Matrix",
                    name.escape_debug()
                );
                return Err(Flaw::line(at, what));
            }
        };
        if self.vertices.is_none() && !matches!(self.section, PajekSection::Other) {
            return Err(Flaw::line(at, "`*Vertices NUMBER` should come first"));
        }
        if self.aside {
            self.section = PajekSection::Other;
        }
        Ok(())
    }

    fn line(&mut self, line: &str, at: u64) -> Result<(), Flaw> {
        match self.section {
            PajekSection::Other => Ok(()),
            PajekSection::Vertices => self.vertex(line, at),
            PajekSection::Links { directed } => {
                let words: Vec<&str> = line.split_whitespace().collect();
                let [from, to, rest @ ..] = &words[..] else {
                    return Err(Flaw::line(at, "a link has two ends"));
                };
                let (from, to) = (self.raw.numbered(from, at)?, self.raw.numbered(to, at)?);
                self.link(from, to, directed)?;
                if let Some(weight) = rest.first() {
                    self.raw.weigh(weight);
                }
                Ok(())
            }
            PajekSection::Lists { directed } => {
                let mut words = line.split_whitespace();
                let from = self.raw.numbered(words.next().unwrap_or_default(), at)?;
                for to in words {
                    // A negative number marks a negative link.
                    let to = self.raw.numbered(to.trim_start_matches('-'), at)?;
                    self.link(from, to, directed)?;
                }
                Ok(())
            }
            PajekSection::Matrix => self.row(line, at),
        }
    }

    fn link(&mut self, from: u32, to: u32, directed: bool) -> Result<(), Flaw> {
        self.raw.directed += u64::from(directed);
        self.raw.link(from, to)
    }

    fn vertex(&mut self, line: &str, at: u64) -> Result<(), Flaw> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if self.uncounted {
            self.raw.ids.number(&(self.named.len() + 1).to_string())?;
            self.named.push(0);
        }
        let node = self.raw.numbered(word, at)?;
        let first = std::mem::replace(&mut self.named[node as usize], at);
        if first > 0 {
            let what = format!("vertex {word} is already in line {first}");
            return Err(Flaw::line(at, what));
        }
        let rest = rest.trim_start();
        let label = match rest.strip_prefix('"') {
            Some(quoted) => match quoted.split_once('"') {
                Some((label, _)) => label,
                None => return Err(Flaw::line(at, "a quote is not closed")),
            },
            None => rest.split_whitespace().next().unwrap_or_default(),
        };
        self.raw.labels.push((node, label.to_owned()));
        Ok(())
    }

    fn row(&mut self, line: &str, at: u64) -> Result<(), Flaw> {
        let nodes = self.named.len() as u64;
        for word in line.split_whitespace() {
            let Some((count, _)) = &mut self.entries else { break };
            let Some(entry) = value(word) else {
                return Err(Flaw::line(at, format!("`{}` is no number", word.escape_debug())));
            };
            if *count / nodes.max(1) >= nodes {
                let what = format!("the matrix has more than {nodes} rows of {nodes} numbers");
                return Err(Flaw::line(at, what));
            }
            let (row, column) = ((*count / nodes) as u32, (*count % nodes) as u32);
            *count += 1;
            self.matrix.add(&self.raw, row, column, entry)?;
        }
        Ok(())
    }

    /// Adds the links of a matrix that has been read.
    fn end_matrix(&mut self) -> Result<(), Flaw> {
        let Some((count, at)) = self.entries.take() else { return Ok(()) };
        let nodes = self.named.len() as u64;
        if count != nodes * nodes {
            let what = format!("the matrix of {nodes} vertices has {count} numbers: it is cut off");
            return Err(Flaw::line(at, what));
        }
        std::mem::take(&mut self.matrix).link(&mut self.raw)
    }
}
