//! Plain values: the states of processes, and messages.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A value without identity: what engines compare, keep and copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlainValue {
    /// None.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer of more than 64 bits, in decimal.
    Big(String),
    /// The bits of a floating-point number.
    Float(u64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Self>),
    /// A list.
    List(Vec<Self>),
    /// Entries in the order in which they were added, in which a program sees them.
    Dict(Vec<(Self, Self)>),
    /// Elements in ascending order, since theirs depends on how they came there.
    Set(Vec<Self>),
    /// A set that does not change, in the same order.
    FrozenSet(Vec<Self>),
}

impl PlainValue {
    /// Returns what tells messages of different kinds apart: a text, or the text that comes first, or
    /// else the type.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Tuple(values) => match values.first() {
                Some(Self::Text(text)) => text,
                _ => "tuple",
            },
            Self::None => "None",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Big(_) => "int",
            Self::Float(_) => "float",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Dict(_) => "dict",
            Self::Set(_) => "set",
            Self::FrozenSet(_) => "frozenset",
        }
    }
}

/// As Python writes it, for diagrams.
impl fmt::Debug for PlainValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |values: &[Self]| {
            values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Big(text) | Self::Text(text) => f.write_str(text),
            Self::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Tuple(values) => write!(f, "({})", all(values)),
            Self::List(values) => write!(f, "[{}]", all(values)),
            Self::Set(values) | Self::FrozenSet(values) => write!(f, "{{{}}}", all(values)),
            Self::Dict(entries) => {
                let entry = |(key, value): &(Self, Self)| format!("{key:?}: {value:?}");
                write!(f, "{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
