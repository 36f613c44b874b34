//! Fields of files that people write: each key once, and errors in the words of the file.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt::{self, Display};

/// A document whose objects have each key once. Readers of JSON take the last value of a key or the first one, and say
/// nothing: reading a document as this first refuses it.
///
/// ```
/// use suffrage_numbers::DistinctKeys;
///
/// let read = |text| serde_json::from_str::<DistinctKeys>(text).map_err(|error| error.to_string());
/// assert!(read("[{\"a\": 1}, {\"a\": {\"b\": 2}}]").is_ok());
/// let error = read("{\"a\": 1,\n\"a\": 2}").unwrap_err();
/// assert!(error.starts_with("the key `a` is there twice at line 2"), "{error}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DistinctKeys;

impl<'de> Deserialize<'de> for DistinctKeys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for DistinctKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(Error::custom(format!(
                    "the key `{}` is there twice",
                    key.escape_debug()
                )));
            }
            keys.insert(key);
            map.next_value::<Self>()?;
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self, A::Error> {
        while values.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

/// Says an error of serde in the words of the file: numbers, texts, lists and tables, and not the types of a program.
///
/// ```
/// use suffrage_numbers::in_words;
///
/// assert_eq!(
///     in_words("invalid value: integer `-3`, expected u32"),
///     "write a whole number from 0 to 4294967295, and not -3"
/// );
/// ```
#[must_use]
pub fn in_words(error: impl Display) -> String {
    let error = error.to_string();
    // JSON has the place behind the error, which may contain anything.
    let (what, place) = match error.rfind(" at line ") {
        Some(at) => error.split_at(at),
        None => (&*error, ""),
    };
    let invalid = ["invalid type: ", "invalid value: ", "invalid length "];
    let found = invalid.iter().find_map(|begin| what.strip_prefix(begin));
    let said = match found.and_then(|found| found.rsplit_once(", expected ")) {
        Some((found, wanted)) => format!("write {}, and not {}", kind(wanted), shown(found)),
        None if what.starts_with("data did not match any variant") => {
            "it has none of the forms that are read".to_owned()
        }
        None => what.replace("unknown variant", "unknown name"),
    };
    format!("{said}{place}")
}

/// The values of a type.
fn kind(wanted: &str) -> String {
    let (wanted, least) = match wanted.strip_prefix("a nonzero ") {
        Some(wanted) => (wanted, 1),
        None => (wanted, 0),
    };
    let whole = |most: u64| format!("a whole number from {least} to {most}");
    match wanted {
        "u8" => whole(u8::MAX.into()),
        "u16" => whole(u16::MAX.into()),
        "u32" => whole(u32::MAX.into()),
        "u64" | "usize" => whole(u64::MAX),
        "u128" => format!("a whole number from {least} on"),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" | "string" | "a borrowed string" | "borrowed string" | "path string"
        | "a character" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" | "any valid map" => "a table".to_owned(),
        "unit" => "nothing".to_owned(),
        "any value" | "any valid JSON value" => "a value".to_owned(),
        _ => of_structure(wanted),
    }
}

/// The values of a type that others are part of.
fn of_structure(wanted: &str) -> String {
    let begins = |all: &[&str]| all.iter().any(|begin| wanted.starts_with(begin));
    let count = wanted.split(' ').find_map(|word| word.parse::<u64>().ok());
    match count {
        Some(count) if begins(&["a tuple", "tuple", "an array", "a sequence of"]) => {
            format!("a list of {}", crate::counted(count, "value"))
        }
        _ if begins(&["tuple struct"]) => "a list".to_owned(),
        _ if begins(&["struct", "internally tagged", "adjacently tagged"]) => "a table".to_owned(),
        _ if begins(&["enum", "unit variant", "newtype variant", "variant identifier"]) => {
            "one of the names that are read here".to_owned()
        }
        // What a reader of this program wants is in words.
        _ => wanted.to_owned(),
    }
}

/// What was found instead.
fn shown(found: &str) -> String {
    let value = |kind: &str| found.strip_prefix(kind)?.strip_prefix('`')?.strip_suffix('`');
    let number = ["boolean ", "integer ", "floating point ", "character "];
    if let Some(value) = number.iter().find_map(|kind| value(kind)) {
        return value.to_owned();
    }
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        "unit value" | "Option value" | "null" => "null".to_owned(),
        _ => match (found.strip_prefix("string "), found.parse()) {
            (Some(text), _) => format!("the text {text}"),
            (None, Ok(length)) => crate::counted(length, "value"),
            _ => found.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests;
