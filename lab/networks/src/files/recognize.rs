//! Recognition of a file's format, by its content where that is unambiguous, otherwise by its
//! extension.

use super::columns::Separator;
use super::raw::Flaw;
use super::tables::{self, FormatVerdict};
use super::{dimacs, dot, gml, pajek};
use crate::format::{FileFormat, extension};
use crate::topology::Note;

/// The number of bytes of a file that are examined.
pub(super) const HEAD: u64 = 1 << 20;

/// The way in which a file is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) format: FileFormat,
    pub(super) separator: Separator,
    /// The greatest number of columns seen.
    pub(super) columns: usize,
    /// Whether the content decided, because the extension indicates another format, or none.
    pub(super) by_content: bool,
}

impl Reading {
    pub(super) fn note(self) -> Option<Note> {
        self.by_content.then_some(Note::ReadAs(self.format))
    }
}

/// Refuses compressed files and documents of other programs, which are recognized by their first
/// bytes.
pub(super) fn refuse_binary(head: &[u8]) -> Result<(), Flaw> {
    const KNOWN: [(&[u8], &str); 6] = [
        (b"\x1F\x8B", "packed by gzip; unpack it with `gunzip`"),
        (b"BZh", "packed by bzip2; unpack it with `bunzip2`"),
        (b"\xFD7zXZ", "packed by xz; unpack it with `unxz`"),
        (b"\x28\xB5\x2F\xFD", "packed by zstd; unpack it with `unzstd`"),
        (b"PK\x03\x04", "a zip archive or a spreadsheet; unpack it, or save it as CSV"),
        (b"%PDF", "a PDF document, and no network"),
    ];
    match KNOWN.iter().find(|(signature, _)| head.starts_with(signature)) {
        Some((_, what)) => Err(unsupported(what)),
        None => Ok(()),
    }
}

fn unsupported(what: &str) -> Flaw {
    Flaw::Unsupported { what: format!("this is {what}") }
}

/// Refuses formats of text that are recognized but not supported.
fn refuse_foreign(text: &str, name: &str) -> Result<(), Flaw> {
    const ADVICE: &str = "export it as GraphML or as an edge list";
    let start = text.trim_start();
    let begins = |what: &str| start.get(..what.len()).is_some_and(|s| s.eq_ignore_ascii_case(what));
    let graph6 =
        matches!(extension(name).as_deref(), Some("g6" | "s6" | "d6" | "graph6" | "sparse6"))
            || [">>graph6<<", ">>sparse6<<", ">>digraph6<<"].into_iter().any(begins);
    let what = if graph6 {
        "graph6 or sparse6"
    } else if text.contains("<gexf") && start.starts_with('<') {
        "GEXF, the format of Gephi"
    } else if begins("dl ") && start.to_ascii_lowercase().contains("data:") {
        "DL, the format of UCINET"
    } else if begins("LEDA.GRAPH") {
        "a graph of LEDA"
    } else if begins("nodedef>") {
        "GDF, the format of GUESS"
    } else if begins("[[") {
        "a matrix or a list in brackets; write it without them, a row a line"
    } else {
        return Ok(());
    };
    let advice =
        if what.contains(';') { String::new() } else { format!(", which is not read; {ADVICE}") };
    Err(Flaw::Unsupported { what: format!("this is {what}{advice}") })
}

fn signature(text: &str) -> Option<FileFormat> {
    let start = text.trim_start();
    if start.starts_with('<') {
        Some(FileFormat::GraphMl)
    } else if start.starts_with('{') {
        Some(FileFormat::NodeLink)
    } else if text.get(..14).is_some_and(|s| s.eq_ignore_ascii_case("%%MatrixMarket")) {
        Some(FileFormat::MatrixMarket)
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

fn separator(text: &str, name: &str) -> Separator {
    match extension(name).as_deref() {
        Some("tsv") => Separator::Tab,
        Some("csv") => {
            let line = text.lines().find(|line| !super::columns::is_comment(line));
            let semicolons = line.is_some_and(|line| line.contains(';') && !line.contains(','));
            Separator::Quoted(if semicolons { ';' } else { ',' })
        }
        _ => Separator::Any,
    }
}

/// Determines how to read a text, given its beginning, or all of it if it is `whole`.
pub(super) fn reading(
    text: &str,
    whole: bool,
    name: &str,
    told: Option<FileFormat>,
) -> Result<Reading, Flaw> {
    let separator = separator(text, name);
    let reading = |format, columns, by_content| Reading { format, separator, columns, by_content };
    if let Some(format) = told {
        return Ok(reading(format, usize::MAX, false));
    }
    refuse_foreign(text, name)?;
    let named = FileFormat::of_name(name);
    if let Some(format) = signature(text) {
        return Ok(reading(format, 0, named != Some(format)));
    }
    let table = matches!(
        named,
        None | Some(FileFormat::EdgeList | FileFormat::AdjacencyList | FileFormat::Metis)
    );
    if let (Some(format), false) = (named, table) {
        return Ok(reading(format, 0, false));
    }
    // A line that is cut off has no meaning.
    let lines = if whole { text } else { text.rsplit_once('\n').map_or(text, |(lines, _)| lines) };
    match (tables::recognize(lines, whole, separator)?, named) {
        (_, Some(format @ FileFormat::Metis)) => Ok(reading(format, 0, false)),
        (FormatVerdict::Either(..), Some(format)) => Ok(reading(format, usize::MAX, false)),
        // Of two columns, or one, an adjacency list is an edge list.
        (FormatVerdict::Is(FileFormat::EdgeList, 0..=2), Some(format)) => {
            Ok(reading(format, 2, false))
        }
        (FormatVerdict::Is(format, columns), named) => {
            let plain = named.unwrap_or(FileFormat::EdgeList) == format;
            Ok(reading(format, columns, !plain))
        }
        (FormatVerdict::Either(one, other, line), None) => {
            let what = format!(
                "this can be {} or {}: choose with --topology-format {one} or \
                 --topology-format {other}",
                one.title(),
                other.title()
            );
            Err(Flaw::line(line, what))
        }
    }
}
