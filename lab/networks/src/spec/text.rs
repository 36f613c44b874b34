//! Specifications as text.

use super::{KINDS, NODES, Spec, SpecError};
use crate::limits;
use crate::{CountError, parse_count};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind())?;
        match *self {
            Self::Complete { nodes }
            | Self::Ring { nodes }
            | Self::Path { nodes }
            | Self::Star { nodes } => write!(f, "{nodes}"),
            Self::Chordal { nodes, chord } => write!(f, "{nodes}:{chord}"),
            Self::Tree { children, nodes } => write!(f, "{children}:{nodes}"),
            Self::RandomTree { nodes } => write!(f, "random:{nodes}"),
            Self::Grid { rows, columns } | Self::Torus { rows, columns } => {
                write!(f, "{rows}x{columns}")
            }
            Self::Hypercube { dimension } => write!(f, "{dimension}"),
            Self::Regular { nodes, degree } => write!(f, "{nodes}:{degree}"),
            Self::ErdosRenyi { nodes, probability } => write!(f, "{nodes}:{probability}"),
            Self::BarabasiAlbert { nodes, links } => write!(f, "{nodes}:{links}"),
        }
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec = Self::unlimited(text)?;
        spec.check()?;
        Ok(spec)
    }
}

impl Spec {
    /// Reads a specification as [`FromStr`] does, but also of a network that is too large to be built:
    /// it may be [implicit](Self::implicit).
    ///
    /// # Errors
    /// If it has another form, or a parameter is out of its range.
    pub fn unlimited(text: &str) -> Result<Self, SpecError> {
        let (kind, parameters) = text.split_once(':').unwrap_or((text, ""));
        let random = parameters.starts_with("random");
        let row = KINDS.iter().find(|(name, form, _)| {
            *name == kind && form.contains("random") == (random && kind == "tree")
        });
        let Some(&(_, form, example)) = row else {
            return Err(SpecError::Kind { kind: kind.to_owned(), suggestion: similar(kind) });
        };
        let read = Reader { text, example };
        let separator = if form.contains("RxC") { 'x' } else { ':' };
        let parameters: Vec<&str> = parameters.split(separator).collect();
        let spec = match (kind, parameters.as_slice()) {
            ("complete", [n]) => Self::Complete { nodes: read.number(NODES, n)? },
            ("ring", [n]) => Self::Ring { nodes: read.number(NODES, n)? },
            ("chordal", [n, d]) => Self::Chordal {
                nodes: read.number(NODES, n)?,
                chord: read.number("the length of a chord", d)?,
            },
            ("path", [n]) => Self::Path { nodes: read.number(NODES, n)? },
            ("star", [n]) => Self::Star { nodes: read.number(NODES, n)? },
            ("tree", ["random", n]) => Self::RandomTree { nodes: read.number(NODES, n)? },
            ("tree", [k, n]) => Self::Tree {
                children: read.number("the number of children", k)?,
                nodes: read.number(NODES, n)?,
            },
            ("grid", [rows, columns]) => Self::Grid {
                rows: read.number("the number of rows", rows)?,
                columns: read.number("the number of columns", columns)?,
            },
            ("torus", [rows, columns]) => Self::Torus {
                rows: read.number("the number of rows", rows)?,
                columns: read.number("the number of columns", columns)?,
            },
            ("hypercube", [d]) => Self::Hypercube { dimension: read.number("the dimension", d)? },
            ("regular", [n, d]) => Self::Regular {
                nodes: read.number(NODES, n)?,
                degree: read.number("the degree", d)?,
            },
            ("erdos-renyi", [n, p]) => Self::ErdosRenyi {
                nodes: read.number(NODES, n)?,
                probability: read.probability(p)?,
            },
            ("barabasi-albert", [n, m]) => Self::BarabasiAlbert {
                nodes: read.number(NODES, n)?,
                links: read.number("the number of links that a new node makes", m)?,
            },
            _ => return Err(SpecError::Form { spec: text.to_owned(), form, example }),
        };
        spec.check_ranges()?;
        Ok(spec)
    }
}

fn similar(kind: &str) -> Option<&'static str> {
    let kind = kind.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&kind, name);
    let near = KINDS.iter().map(|row| row.0).min_by_key(|name| distance(name))?;
    (distance(near) <= 1 + near.len() / 5).then_some(near)
}

/// A reader of the parameters of one specification.
struct Reader<'a> {
    text: &'a str,
    example: &'static str,
}

impl Reader<'_> {
    fn number(&self, parameter: &'static str, given: &str) -> Result<u32, SpecError> {
        let range = match parse_count(given) {
            Ok(number) if number <= u64::from(u32::MAX) => return Ok(number as u32),
            Ok(_) | Err(CountError::TooLarge) => format!("at most {}", limits::NODES),
            Err(CountError::Form) => "a whole number".to_owned(),
        };
        Err(self.refuse(parameter, given, range))
    }

    fn probability(&self, given: &str) -> Result<f64, SpecError> {
        let refused = || self.refuse("the probability", given, "more than 0 and at most 1".into());
        given.parse().map_err(|_| refused())
    }

    fn refuse(&self, parameter: &'static str, given: &str, range: String) -> SpecError {
        let spec = self.text.to_owned();
        let given = if given.is_empty() { "missing".to_owned() } else { format!("`{given}`") };
        SpecError::Parameter { spec, parameter, given, range, example: self.example }
    }
}
