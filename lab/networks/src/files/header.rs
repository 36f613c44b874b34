//! Names of columns.

use std::borrow::Cow;

/// The pairs of words by which headers name the ends of links, as lower-case letters and digits alone.
const ENDS: [[&str; 2]; 18] = [
    ["source", "target"],
    ["from", "to"],
    ["src", "dst"],
    ["src", "dest"],
    ["source", "destination"],
    ["src", "target"],
    ["sourceid", "targetid"],
    ["fromnodeid", "tonodeid"],
    ["fromnode", "tonode"],
    ["node1", "node2"],
    ["nodea", "nodeb"],
    ["vertex1", "vertex2"],
    ["id1", "id2"],
    ["start", "end"],
    ["tail", "head"],
    ["u", "v"],
    ["i", "j"],
    ["v1", "v2"],
];

const WEIGHTS: [&str; 6] = ["weight", "value", "distance", "cost", "length", "capacity"];

/// The columns that a header names, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) ends: (usize, usize),
    pub(super) weight: Option<usize>,
}

impl Header {
    /// Returns what a row says if it names the ends of links, and only one pair of them.
    pub(super) fn of(row: &[Cow<'_, str>]) -> Option<Self> {
        let plain = |word: &Cow<'_, str>| -> String {
            word.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_ascii_lowercase()
        };
        let words: Vec<String> = row.iter().map(plain).collect();
        // Of two columns of one name it is not known which is meant.
        let place = |name: &str| {
            let mut places = words.iter().enumerate().filter(|(_, word)| *word == name);
            places.next().filter(|_| places.next().is_none()).map(|(place, _)| place)
        };
        let mut named = ENDS.iter().filter_map(|[from, to]| place(from).zip(place(to)));
        let ends = named.next().filter(|ends| named.all(|others| others == *ends))?;
        Some(Self { ends, weight: WEIGHTS.into_iter().find_map(place) })
    }
}
