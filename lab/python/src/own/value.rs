//! Plain values of Python, outside of Python: the states of processes, and messages.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
};
use std::fmt;

/// A value without identity: what engines compare, keep and copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An integer of more than 64 bits, in decimal.
    Big(String),
    /// The bits of a floating-point number.
    Float(u64),
    Text(String),
    Bytes(Vec<u8>),
    Tuple(Vec<Self>),
    List(Vec<Self>),
    /// Entries in the order in which they were added, in which a program sees them.
    Dict(Vec<(Self, Self)>),
    /// Elements in ascending order, since theirs depends on how they came there.
    Set(Vec<Self>),
    FrozenSet(Vec<Self>),
}

/// How deep values may contain each other: a value that contains itself has no end.
const DEEP: u32 = 100;

impl Value {
    /// Takes a value out of Python.
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::within(value, DEEP)
    }

    fn within(value: &Bound<'_, PyAny>, deep: u32) -> PyResult<Self> {
        let Some(deep) = deep.checked_sub(1) else {
            return Err(PyTypeError::new_err("a value contains too many others, or itself"));
        };
        let all = |values: &Bound<'_, PyAny>| {
            values
                .try_iter()?
                .map(|value| Self::within(&value?, deep))
                .collect::<PyResult<Vec<_>>>()
        };
        let sorted = |values| {
            all(values).map(|mut values| {
                values.sort_unstable();
                values
            })
        };
        if value.is_none() {
            Ok(Self::None)
        } else if value.is_exact_instance_of::<PyBool>() {
            value.extract().map(Self::Bool)
        } else if value.is_exact_instance_of::<PyInt>() {
            match value.extract() {
                Ok(small) => Ok(Self::Int(small)),
                Err(_) => value.str().map(|digits| Self::Big(digits.to_string())),
            }
        } else if value.is_exact_instance_of::<PyFloat>() {
            value.extract().map(f64::to_bits).map(Self::Float)
        } else if value.is_exact_instance_of::<PyString>() {
            value.extract().map(Self::Text)
        } else if value.is_exact_instance_of::<PyBytes>() {
            value.extract().map(Self::Bytes)
        } else if value.is_exact_instance_of::<PyTuple>() {
            all(value).map(Self::Tuple)
        } else if value.is_exact_instance_of::<PyList>() {
            all(value).map(Self::List)
        } else if let Ok(dict) = value.cast_exact::<PyDict>() {
            let entry = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                Ok((Self::within(&key, deep)?, Self::within(&value, deep)?))
            };
            dict.iter().map(entry).collect::<PyResult<_>>().map(Self::Dict)
        } else if value.is_exact_instance_of::<PySet>() {
            sorted(value).map(Self::Set)
        } else if value.is_exact_instance_of::<PyFrozenSet>() {
            sorted(value).map(Self::FrozenSet)
        } else {
            Err(PyTypeError::new_err(format!(
                "{} is a {}: states and messages are plain values, which are None, bool, int, float, \
                 str, bytes, and tuples, lists, dicts and sets of them",
                value.repr()?,
                value.get_type().name()?
            )))
        }
    }

    /// Puts the value into Python: a new one each time.
    pub(crate) fn put<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = |values: &[Self]| {
            values.iter().map(|value| value.put(py)).collect::<PyResult<Vec<_>>>()
        };
        Ok(match self {
            Self::None => py.None().into_bound(py),
            Self::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
            Self::Int(value) => value.into_pyobject(py)?.into_any(),
            Self::Big(digits) => py.get_type::<PyInt>().call1((digits,))?,
            Self::Float(bits) => PyFloat::new(py, f64::from_bits(*bits)).into_any(),
            Self::Text(text) => PyString::new(py, text).into_any(),
            Self::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
            Self::Tuple(values) => PyTuple::new(py, all(values)?)?.into_any(),
            Self::List(values) => PyList::new(py, all(values)?)?.into_any(),
            Self::Dict(entries) => {
                let dict = PyDict::new(py);
                for (key, value) in entries {
                    dict.set_item(key.put(py)?, value.put(py)?)?;
                }
                dict.into_any()
            }
            Self::Set(values) => PySet::new(py, all(values)?)?.into_any(),
            Self::FrozenSet(values) => PyFrozenSet::new(py, all(values)?)?.into_any(),
        })
    }

    /// Returns what tells messages of different kinds apart: a text, or the text that comes first, or
    /// else the type.
    pub(crate) fn kind(&self) -> &str {
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
impl fmt::Debug for Value {
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
