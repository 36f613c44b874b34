//! How a file is read: as its signature, its extension or the user says. A table has no signature; it is read
//! without a question where every line fits exactly one reading.
//!
//! A reading is a format with a separator, a header and columns ([`FileSyntax`]). To find out whether one fits, the
//! beginning of the text is read so, by the same reader that reads all of it then.

use super::FileOptions;
use super::columns::{self, Columns, Row};
use super::edges::{self, Counts, Trust};
use super::foreign;
use super::header::Header;
use super::raw::{self, Flaw, Raw};
use super::{adjacency, dimacs, dot, gml, graph6, json, matrix, metis, pajek, xml};
use crate::format::{FileFormat, FileSyntax, Separator};
use crate::topology::Note;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::BufRead;
use suffrage_numbers::counted;

/// The number of bytes of a file that are examined.
pub(super) const HEAD: u64 = 1 << 20;

/// The way in which a file is to be read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) syntax: FileSyntax,
    pub(super) trust: Trust,
    /// Whether the name says another format, or none.
    by_content: bool,
    /// The numbers of a first row that may be counts.
    pub(super) counts: Option<Counts>,
    /// What was read, if that was the whole text.
    pub(super) raw: Option<Raw>,
}

impl Reading {
    pub(super) fn note(&self) -> Option<Note> {
        let syntax = self.syntax;
        match (syntax.format.is_table(), self.by_content) {
            (true, _) => Some(Note::ReadAs { format: syntax.format, separator: syntax.separator }),
            (false, true) => Some(Note::ReadAs { format: syntax.format, separator: None }),
            (false, false) => None,
        }
    }

    /// Reads the text of this reading.
    pub(super) fn read(&self, reader: impl BufRead) -> Result<Raw, Flaw> {
        let raw = read_as(reader, &self.syntax, self.trust, true)?;
        if let Some(counts) = self.counts {
            counts.refuse(raw.ids.names.len().into(), raw.links.len() as u64)?;
        }
        Ok(raw)
    }
}

/// Reads a text in this way. Of a text that is not `whole`, the end is missing.
fn read_as(
    reader: impl BufRead,
    syntax: &FileSyntax,
    trust: Trust,
    whole: bool,
) -> Result<Raw, Flaw> {
    let raw = divide(reader, syntax, trust, whole)?;
    if syntax.format.is_table() && trust < Trust::Told {
        raw::refuse_twins(raw.ids.twins())?;
    }
    Ok(raw)
}

fn divide(
    mut reader: impl BufRead,
    syntax: &FileSyntax,
    trust: Trust,
    whole: bool,
) -> Result<Raw, Flaw> {
    let columns = Columns::new(syntax, syntax.separator.unwrap_or(Separator::Blanks));
    match syntax.format {
        FileFormat::EdgeList => return edges::read(reader, &columns, syntax, trust),
        FileFormat::AdjacencyList => return adjacency::read(reader, &columns, trust, whole),
        FileFormat::MultilineAdjacencyList => {
            return adjacency::read_multiline(reader, &columns, trust, whole);
        }
        _ => {}
    }
    let text = super::encoding::whole(&mut reader)?;
    let rows = || {
        let mut rows = Vec::new();
        let comments = columns::rows(text.as_bytes(), &columns, |Row { line, columns }| {
            let columns =
                columns.into_iter().map(|column| Cow::Owned(column.into_owned())).collect();
            rows.push(Row { line, columns });
            Ok(())
        })?;
        Ok::<_, Flaw>((rows, comments))
    };
    match syntax.format {
        FileFormat::AdjacencyMatrix => {
            let (rows, comments) = rows()?;
            Ok(Raw { comments, ..matrix::read(&rows, trust, whole)? })
        }
        FileFormat::CountedEdgeList => {
            let (rows, comments) = rows()?;
            if trust < Trust::Told && matrix::is_below_its_size(&rows) {
                let what = "links with weights, or a matrix below its size: --topology-format counted-edge-list \
                            takes them as links; without this line the matrix is read";
                return Err(Flaw::line(rows[0].line, what));
            }
            Ok(Raw { comments, ..edges::read_counted(&rows, syntax, trust)? })
        }
        FileFormat::Tgf => edges::read_tgf(&text),
        FileFormat::Sif => edges::read_sif(&text),
        FileFormat::Lgl => edges::read_lgl(&text, trust),
        FileFormat::Konect => edges::read_konect(&text, &columns, syntax),
        FileFormat::Dot => dot::read(&text),
        FileFormat::Gml => gml::read(&text),
        FileFormat::Pajek => pajek::read(&text),
        FileFormat::Metis => metis::read(&text),
        FileFormat::Json => json::read(&text),
        FileFormat::Dimacs => dimacs::read(&text),
        FileFormat::MatrixMarket => matrix::read_market(&text),
        FileFormat::Graph6 => graph6::read(&text),
        _ => xml::read(&text),
    }
}

/// Returns the format that a text has a signature of.
fn signature(text: &str) -> Option<FileFormat> {
    let start = text.trim_start();
    let begins = |what: &str| start.get(..what.len()).is_some_and(|s| s.eq_ignore_ascii_case(what));
    let mut words = start.split_whitespace();
    let words = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if start.starts_with('<') {
        Some(match ["<gexf", "<network"].into_iter().find(|root| text.contains(root)) {
            Some("<gexf") => FileFormat::Gexf,
            Some(_) if text.contains("sndlib") => FileFormat::SndLib,
            _ => FileFormat::GraphMl,
        })
    } else if start.starts_with(['{', '[']) {
        Some(FileFormat::Json)
    } else if begins("%%MatrixMarket") || begins("%MatrixMarket") {
        Some(FileFormat::MatrixMarket)
    } else if foreign::is_graph6(text) {
        Some(FileFormat::Graph6)
    } else if matches!(words, ("%", "sym" | "asym" | "bip")) {
        Some(FileFormat::Konect)
    } else if dot::looks_like(text) {
        Some(FileFormat::Dot)
    } else if gml::looks_like(text) {
        Some(FileFormat::Gml)
    } else if pajek::looks_like(text) {
        Some(FileFormat::Pajek)
    } else if dimacs::looks_like(text) {
        Some(FileFormat::Dimacs)
    } else {
        None
    }
}

/// The formats that a table can have without being named.
const GUESSES: [FileFormat; 9] = [
    FileFormat::EdgeList,
    FileFormat::AdjacencyMatrix,
    FileFormat::AdjacencyList,
    FileFormat::MultilineAdjacencyList,
    FileFormat::CountedEdgeList,
    FileFormat::Metis,
    FileFormat::Tgf,
    FileFormat::Lgl,
    FileFormat::Graph6,
];

/// Determines how to read a text, given its beginning, or all of it if it is `whole`.
pub(super) fn reading(
    text: &str,
    whole: bool,
    name: &str,
    options: FileOptions,
) -> Result<Reading, Flaw> {
    let FileOptions { format: told, largest_component: parted } = options;
    let packed = [".gz", ".bz2", ".xz", ".zst"].iter().find_map(|packer| name.strip_suffix(packer));
    let named = FileFormat::of_name(packed.unwrap_or(name));
    let known = |syntax: FileSyntax, trust, by_content| {
        let separator = syntax.format.is_table().then_some(Separator::Blanks);
        let separator = syntax.separator.or(separator);
        Ok(Reading {
            syntax: FileSyntax { separator, ..syntax },
            trust,
            by_content,
            counts: None,
            raw: None,
        })
    };
    if told.is_none() {
        foreign::refuse(text, name)?;
        if let Some(format) = signature(text) {
            return known(format.into(), Trust::Named, named != Some(format));
        }
    }
    let (formats, trust): (&[FileFormat], _) = match (&told, &named) {
        (Some(told), _) => (&[told.format], Trust::Told),
        (None, Some(named)) => (&[*named], Trust::Named),
        (None, None) => (&GUESSES, Trust::Guessed),
    };
    let syntax = told.unwrap_or(formats[0].into());
    let divided = matches!(
        syntax.format,
        FileFormat::EdgeList
            | FileFormat::AdjacencyList
            | FileFormat::MultilineAdjacencyList
            | FileFormat::AdjacencyMatrix
            | FileFormat::CountedEdgeList
    );
    if !divided {
        return known(syntax, trust, false);
    }
    // A line that is cut off has no meaning.
    let text = if whole { text } else { text.rsplit_once('\n').map_or(text, |(lines, _)| lines) };
    let mut search =
        Search { text, whole, trust, parted, fits: Vec::new(), apart: None, flaw: None };
    for &format in formats {
        let syntax = FileSyntax { format, ..syntax };
        for separator in search.separators(&syntax) {
            search.try_all(FileSyntax { separator: Some(separator), ..syntax });
        }
    }
    search.try_lists();
    search.try_square();
    let by_content = named.is_none_or(|named| named != search.format());
    search.decide().map(|reading| Reading { by_content, ..reading })
}

/// Returns which columns of three may have the ends of links, besides the first two: the last two of rows that are
/// numbered.
fn behind_numbers(rows: &[Vec<String>]) -> Option<(u8, u8)> {
    let counts =
        |from: usize| rows.iter().zip(from..).all(|(row, number)| row[0].parse() == Ok(number));
    let integers = rows.iter().flatten().all(|word| raw::is_integer(word));
    (integers && (counts(0) || counts(1))).then_some((2, 3))
}

/// Returns the columns beside a word that every row has, as in `a to b`, if the last column has labels of the other
/// one.
fn beside_a_word(rows: &[Vec<String>]) -> Option<(u8, u8)> {
    let beside = |word: usize, other: usize| {
        let labels: BTreeSet<&str> = rows.iter().map(|row| &*row[other]).collect();
        rows.iter().all(|row| row[word] == rows[0][word])
            && rows.iter().any(|row| labels.contains(&*row[2]))
    };
    match (beside(1, 0), beside(0, 1)) {
        (true, _) => Some((1, 3)),
        (_, true) => Some((2, 3)),
        _ => None,
    }
}

/// A reading, and what it gives.
struct FittingReading {
    syntax: FileSyntax,
    trust: Trust,
    raw: Raw,
}

/// The search for the readings that fit a table.
struct Search<'a> {
    text: &'a str,
    whole: bool,
    trust: Trust,
    /// Whether the largest component of a network in parts is wanted.
    parted: bool,
    fits: Vec<FittingReading>,
    /// A reading whose network is in parts.
    apart: Option<FittingReading>,
    /// The fault of the reading that got furthest, and its line.
    flaw: Option<(u64, Flaw)>,
}

impl Search<'_> {
    fn format(&self) -> FileFormat {
        self.fits
            .first()
            .or(self.apart.as_ref())
            .map_or(FileFormat::EdgeList, |fit| fit.syntax.format)
    }

    /// Returns the separators that divide any line, or else any of them.
    fn separators(&self, syntax: &FileSyntax) -> Vec<Separator> {
        if let Some(told) = syntax
            .separator
            .or(columns::separator_line(self.text.lines().next().unwrap_or_default()))
        {
            return vec![told];
        }
        let blanks_alone = matches!(
            syntax.format,
            FileFormat::Metis | FileFormat::Tgf | FileFormat::Lgl | FileFormat::Graph6
        );
        let divides = |separator: &Separator| match separator.character() {
            Some(character) => self.text.contains(character) && !blanks_alone,
            None => self.text.lines().any(|line| line.split_whitespace().nth(1).is_some()),
        };
        let dividing: Vec<Separator> = Separator::ALL.into_iter().filter(divides).collect();
        if dividing.is_empty() { vec![Separator::Blanks] } else { dividing }
    }

    /// Tries the headers and columns that a text can have in a format with a separator.
    fn try_all(&mut self, syntax: FileSyntax) {
        if syntax.format != FileFormat::EdgeList {
            return self.attempt(syntax, self.trust);
        }
        let columns = Columns::new(&syntax, syntax.separator.unwrap_or(Separator::Blanks));
        let (mut rows, mut begun) = (Vec::new(), 0);
        let found = columns::rows(self.text.as_bytes(), &columns, |row| {
            let row = row.trimmed();
            begun = if rows.is_empty() { row.line } else { begun };
            rows.push(row.columns.iter().map(ToString::to_string).collect::<Vec<_>>());
            Ok(())
        });
        if let Err(flaw) = found {
            return self.fail(syntax.format, flaw);
        }
        let mut headers = vec![false, true];
        match (syntax.header, rows.split_first()) {
            (None, Some((first, []))) if self.names_ends(first) => {
                let what = "a header and no link: --topology-format edge-list,no-header takes it as a link";
                return self.fail(syntax.format, Flaw::line(1, what));
            }
            (Some(told), _) => headers = vec![told],
            (None, Some((first, rest))) if !rest.is_empty() => {
                let first: Vec<Cow<'_, str>> = first.iter().map(Cow::from).collect();
                let again = rest
                    .iter()
                    .flatten()
                    .any(|word| first[..first.len().min(2)].contains(&Cow::from(word)));
                let named = Header::of(&first).is_some();
                let numbers = || {
                    rest.iter().flat_map(|row| row.iter().take(2)).all(|word| raw::is_integer(word))
                };
                let number = |word: &Cow<'_, str>| word.parse::<f64>().is_ok();
                let words = first.len() > 1 && !first.iter().take(2).any(number);
                if !named && words && !again && numbers() {
                    let what = format!(
                        "`{}` names columns, and not the ends of links: --topology-format edge-list,header takes the \
                         first two columns below it, edge-list,no-header takes it as a link",
                        first[..2].join(" ").escape_debug()
                    );
                    return self.fail(syntax.format, Flaw::line(begun, what));
                }
                headers = match (named, again) {
                    (false, _) => vec![false],
                    // The words of no other line: they are no link of a connected network.
                    (true, false) => vec![true],
                    (true, true) => headers,
                };
            }
            _ => headers = vec![false],
        }
        for header in headers {
            self.attempt(FileSyntax { header: Some(header), ..syntax }, self.trust);
        }
        let three = rows.len() > 1 && rows.iter().all(|row| row.len() == 3);
        if syntax.ends.is_some() || self.trust > Trust::Guessed || !three {
            return;
        }
        let fits = !self.fits.is_empty();
        let others = [behind_numbers(&rows), beside_a_word(&rows).filter(|_| fits)];
        for ends in others.into_iter().filter(Option::is_some) {
            self.attempt(FileSyntax { header: Some(false), ends, ..syntax }, self.trust);
        }
    }

    /// Returns how the text is read if nothing says what it is, and only an edge list without a header fits.
    fn guessed_edges(&self) -> Option<FileSyntax> {
        let [FittingReading { syntax, .. }] = self.fits.as_slice() else { return None };
        let edges = syntax.format == FileFormat::EdgeList && syntax.header == Some(false);
        (self.trust <= Trust::Guessed && edges).then_some(*syntax)
    }

    /// Tries lists of neighbours, where some rows of an edge list have two columns and others three.
    fn try_lists(&mut self) {
        let Some(syntax) = self.guessed_edges() else { return };
        let columns = Columns::new(&syntax, syntax.separator.unwrap_or(Separator::Blanks));
        let mut widths = BTreeSet::new();
        let divided = columns::rows(self.text.as_bytes(), &columns, |row| {
            widths.insert(row.trimmed().columns.len());
            Ok(())
        });
        if divided.is_ok() && widths == BTreeSet::from([2, 3]) {
            // It need not have a line for each node.
            let format = FileFormat::AdjacencyList;
            self.attempt(FileSyntax { format, header: None, ..syntax }, Trust::Named);
        }
    }

    /// Tries a matrix of three nodes that has what a matrix is refused for, where it would be an edge list with weights.
    fn try_square(&mut self) {
        let Some(syntax) = self.guessed_edges() else { return };
        let columns = Columns::new(&syntax, syntax.separator.unwrap_or(Separator::Blanks));
        let mut rows = Vec::new();
        let divided = columns::rows(self.text.as_bytes(), &columns, |row| {
            let columns = row.columns.iter().map(|word| Cow::Owned(word.to_string())).collect();
            rows.push(Row { line: row.line, columns });
            if rows.len() > 3 { Err(Flaw::line(row.line, "no square of three")) } else { Ok(()) }
        });
        if divided.is_ok() && matrix::is_square_of_three(&rows) {
            let format = FileFormat::AdjacencyMatrix;
            self.attempt(FileSyntax { format, header: None, ..syntax }, Trust::Told);
        }
    }

    /// Returns whether an only row is rather a header.
    fn names_ends(&self, row: &[String]) -> bool {
        let row: Vec<Cow<'_, str>> = row.iter().map(Cow::from).collect();
        self.whole && self.trust == Trust::Guessed && Header::of(&row).is_some()
    }

    /// Reads the text in one way.
    fn attempt(&mut self, syntax: FileSyntax, trust: Trust) {
        match read_as(self.text.as_bytes(), &syntax, trust, self.whole) {
            Err(flaw) => self.fail(syntax.format, flaw),
            // Words alone are of a format that was not tried.
            Ok(raw)
                if matches!(syntax.format, FileFormat::EdgeList | FileFormat::AdjacencyList)
                    && trust == Trust::Guessed
                    && raw.links.is_empty()
                    && raw.ids.names.len() > 0 => {}
            Ok(raw) if !self.whole || self.parted || raw.is_connected() => {
                // Two of the same network are one reading.
                if !self.fits.iter().any(|other| other.raw.same_network(&raw)) {
                    self.fits.push(FittingReading { syntax, trust, raw });
                }
            }
            Ok(raw) => {
                self.apart.get_or_insert(FittingReading { syntax, trust, raw });
            }
        }
    }

    fn fail(&mut self, format: FileFormat, flaw: Flaw) {
        // Other formats have flaws that say little of a file that is no such thing: except a square of numbers
        // that has one on its diagonal or below zero, and names of columns. Two rows are rather links.
        let square = self.text.lines().nth(2).is_some();
        let telling = |what: &str| {
            let all = ["a negative weight", "a matrix below", "names columns"];
            all.iter().any(|it| what.contains(it)) || square && what.starts_with("as a matrix")
        };
        let (line, telling) = match &flaw {
            Flaw::Syntax { at, what } => (at.line, telling(what)),
            _ => (u64::MAX, false),
        };
        let line = if telling { u64::MAX } else { line };
        if self.trust == Trust::Guessed && format != FileFormat::EdgeList && !telling {
            return;
        }
        if self.flaw.as_ref().is_none_or(|(furthest, _)| line > *furthest) {
            self.flaw = Some((line, flaw));
        }
    }

    fn decide(mut self) -> Result<Reading, Flaw> {
        // A symmetric matrix of three nodes and more would be a list that has a link twice.
        let is_matrix = |fit: &FittingReading| {
            let format = fit.syntax.format;
            format == FileFormat::AdjacencyMatrix
                && fit.trust < Trust::Told
                && fit.raw.ids.names.len() > 2
        };
        if self.whole && self.fits.iter().any(is_matrix) {
            self.fits.retain(|fit| fit.syntax.format != FileFormat::EdgeList || !fit.raw.repeats());
        }
        if self.fits.len() > 1 {
            return Err(self.doubt());
        }
        // Some faults say more than that the network of another reading is in parts, and all more than that it is empty.
        let telling = matches!(self.flaw, Some((u64::MAX, Flaw::Syntax { .. })));
        self.apart.take_if(|it| telling || self.flaw.is_some() && it.raw.ids.names.len() == 0);
        let Some(FittingReading { mut syntax, trust, raw }) = self.fits.pop().or(self.apart) else {
            let empty = Flaw::Unsupported { what: "holds no line".to_owned() };
            return Err(self.flaw.map_or(empty, |(_, flaw)| flaw));
        };
        let mut counts = None;
        if syntax.format == FileFormat::EdgeList
            && trust < Trust::Told
            && syntax.header == Some(false)
        {
            let columns = Columns::new(&syntax, syntax.separator.unwrap_or(Separator::Blanks));
            columns::rows(self.text.as_bytes(), &columns, |row| {
                counts = counts.or(Some(Counts::of(&row)));
                Ok(())
            })?;
        }
        syntax.header = syntax.header.filter(|header| *header);
        let counts = counts.flatten();
        if let (true, Some(counts)) = (self.whole, counts) {
            counts.refuse(raw.ids.names.len().into(), raw.links.len() as u64)?;
        }
        let raw = self.whole.then_some(raw);
        Ok(Reading { syntax, trust, by_content: false, counts, raw })
    }

    /// Returns the question which of several readings is meant.
    fn doubt(&self) -> Flaw {
        let one = |FittingReading { syntax, raw, .. }: &FittingReading| {
            let first = raw.links.first().map(|&(a, b)| {
                [a, b].map(|node| raw.ids.names.get(node).escape_debug().to_string())
            });
            let first =
                first.map_or(String::new(), |[a, b]| format!(", the first from {a} to {b}"));
            let nodes = counted(raw.ids.names.len().into(), "node");
            let links = counted(raw.links.len() as u64, "link");
            format!("{syntax} gives {nodes} and {links}{first}")
        };
        let all: Vec<String> = self.fits.iter().map(one).collect();
        let begin = if self.whole { "" } else { ", of which the beginning was read" };
        let what = format!(
            "this can be read in {} ways{begin}, and --topology-format says which: {}",
            all.len(),
            all.join("; ")
        );
        Flaw::Unsupported { what }
    }
}
