//! Formats that are known and not read, with a way to convert each.

use super::graph6;
use super::raw::Flaw;

/// Refuses documents of other programs, which are recognized by their first bytes.
pub(super) fn refuse_binary(head: &[u8]) -> Result<(), Flaw> {
    const KNOWN: [(&[u8], &str); 12] = [
        (b"PK\x03\x04", "a zip archive or a spreadsheet; unpack it, or save it as CSV"),
        (b"7z\xBC\xAF", "an archive of 7-Zip; unpack it"),
        (b"%PDF", "a PDF document, and no network"),
        (b"\x89PNG", "a picture, and no network"),
        (b"GIF8", "a picture, and no network"),
        (b"\xFF\xD8\xFF", "a picture, and no network"),
        (b"PAR1", "a table of Parquet; save it as CSV"),
        (b"SQLite format 3", "a database of SQLite; save the table of links as CSV"),
        (b"\x89HDF", "HDF5; save the links as CSV"),
        (b"\x93NUMPY", "an array of NumPy; `numpy.savetxt` writes it as text"),
        (b"\x80\x04\x95", "a pickle of Python; networkx has `write_graphml`"),
        (b"\x80\x05\x95", "a pickle of Python; networkx has `write_graphml`"),
    ];
    match KNOWN.iter().find(|(signature, _)| head.starts_with(signature)) {
        Some((_, what)) => Err(Flaw::Unsupported { what: format!("this is {what}") }),
        None => Ok(()),
    }
}

const EXPORT: &str = "export it as GraphML or as an edge list";

/// What a text begins with, the format that does, and how to convert it.
const BEGINNINGS: [(&str, &str, &str); 12] = [
    ("LEDA.GRAPH", "a graph of LEDA", EXPORT),
    ("nodedef>", "GDF, the format of GUESS", EXPORT),
    ("[[", "a matrix or a list in brackets", "write it without them, a row a line"),
    ("@startuml", "PlantUML", "write it in DOT"),
    (
        "Topology: (",
        "a topology of BRITE",
        "`sed '1,/^Edges/d' FILE | awk '{print $2, $3}'` makes an edge list",
    ),
    (
        "GRAPH (#nodes",
        "a graph of GT-ITM",
        "`sed '1,/^EDGES/d' FILE | awk '{print $1, $2}'` makes an edge list",
    ),
    ("?SNDlib native", "the native format of SNDlib", "fetch the network as XML, which is read"),
    ("@nodes", "LGF, the format of LEMON", EXPORT),
    (
        "SECTION Comment",
        "STP, the format of SteinLib",
        "`awk '$1==\"E\" {print $2, $3}' FILE` makes an edge list",
    ),
    (
        "33D32945",
        "STP, the format of SteinLib",
        "`awk '$1==\"E\" {print $2, $3}' FILE` makes an edge list",
    ),
    ("{{", "a list of Mathematica", EXPORT),
    ("@relation", "ARFF, the format of Weka", EXPORT),
];

/// How the name of a file ends, and the format of its text.
const ENDINGS: [(&str, &str); 3] = [(".yaml", "YAML"), (".yml", "YAML"), (".toml", "TOML")];

/// Refuses formats of text that are known and not supported.
pub(super) fn refuse(text: &str, name: &str) -> Result<(), Flaw> {
    let start = text.trim_start();
    let begins = |what: &str| start.get(..what.len()).is_some_and(|s| s.eq_ignore_ascii_case(what));
    let mut lines =
        start.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("%%"));
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let mermaid = ["graph", "flowchart"].iter().any(|word| {
        let direction = first.strip_prefix(word).map(|rest| rest.trim().trim_end_matches(';'));
        direction.is_some_and(|it| ["TB", "TD", "BT", "RL", "LR"].contains(&it))
            && !second.starts_with('{')
    });
    let rocketfuel = || {
        let is_router = |line: &str| {
            line.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
                && line.contains(" @")
                && line.contains("->")
        };
        is_router(first)
    };
    let is_object = |line: &str| line.starts_with('{') && line.ends_with('}');
    let found = if let Some((_, what)) =
        ENDINGS.iter().find(|(ending, _)| name.to_ascii_lowercase().ends_with(ending))
    {
        Some((*what, "write it as JSON"))
    } else if let Some((_, what, how)) = BEGINNINGS.iter().find(|(beginning, ..)| begins(beginning))
    {
        Some((*what, *how))
    } else if mermaid || name.to_ascii_lowercase().ends_with(".mmd") {
        Some(("a diagram of Mermaid", "write its links in DOT: `graph { A -- B }`"))
    } else if start.starts_with('(') && start.trim_end().ends_with(';') {
        Some(("a tree in Newick's format", "write its links as an edge list"))
    } else if begins("dl ") && start.to_ascii_lowercase().contains("data:") {
        Some(("DL, the format of UCINET", EXPORT))
    } else if rocketfuel() {
        Some((
            "a map of routers by Rocketfuel (.cch)",
            "take its links as an edge list, as in the files .intra",
        ))
    } else if is_object(first) && is_object(second) {
        Some(("JSON Lines, a value a line", "`jq -s . FILE` makes one list of them"))
    } else if is_weighted_list(start) {
        Some((
            "an adjacency list whose neighbours have weights, `NODE NEIGHBOUR,WEIGHT ..`",
            "leave the weights out: `sed -E 's/,[^ \\t]*//g' FILE` makes an adjacency list",
        ))
    } else {
        None
    };
    match found {
        Some((what, how)) => {
            Err(Flaw::Unsupported { what: format!("this is {what}, which is not read; {how}") })
        }
        None => Ok(()),
    }
}

/// Returns whether all neighbours of all nodes have weights behind commas.
fn is_weighted_list(text: &str) -> bool {
    let weighted = |word: &str| {
        let (label, weight) = word.split_once(',').unwrap_or_default();
        !label.is_empty() && weight.parse::<f64>().is_ok()
    };
    let mut rows = text.lines().filter(|line| !line.trim().is_empty()).take(100).peekable();
    rows.peek().is_some()
        && rows.all(|row| {
            let mut words = row.split_whitespace();
            words.next().is_some_and(|label| !label.contains(','))
                && words.clone().count() > 0
                && words.all(weighted)
        })
}

pub(super) fn is_graph6(text: &str) -> bool {
    graph6::HEADERS.iter().any(|header| text.trim_start().starts_with(header))
}
