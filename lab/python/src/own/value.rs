//! Plain values, taken out of Python and put into it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
};
use suffrage::experiment::own::PlainValue;

/// How deep values may contain each other: a value that contains itself has no end.
const DEEP: u32 = 100;

/// Takes a value out of Python.
pub(super) fn taken(value: &Bound<'_, PyAny>) -> PyResult<PlainValue> {
    within(value, DEEP)
}

fn within(value: &Bound<'_, PyAny>, deep: u32) -> PyResult<PlainValue> {
    let Some(deep) = deep.checked_sub(1) else {
        return Err(PyTypeError::new_err("a value contains too many others, or itself"));
    };
    let all = |values: &Bound<'_, PyAny>| {
        values.try_iter()?.map(|value| within(&value?, deep)).collect::<PyResult<Vec<_>>>()
    };
    let sorted = |values| {
        all(values).map(|mut values| {
            values.sort_unstable();
            values
        })
    };
    if value.is_none() {
        Ok(PlainValue::None)
    } else if value.is_exact_instance_of::<PyBool>() {
        value.extract().map(PlainValue::Bool)
    } else if value.is_exact_instance_of::<PyInt>() {
        match value.extract() {
            Ok(small) => Ok(PlainValue::Int(small)),
            Err(_) => value.str().map(|digits| PlainValue::Big(digits.to_string())),
        }
    } else if value.is_exact_instance_of::<PyFloat>() {
        value.extract().map(f64::to_bits).map(PlainValue::Float)
    } else if value.is_exact_instance_of::<PyString>() {
        value.extract().map(PlainValue::Text)
    } else if value.is_exact_instance_of::<PyBytes>() {
        value.extract().map(PlainValue::Bytes)
    } else if value.is_exact_instance_of::<PyTuple>() {
        all(value).map(PlainValue::Tuple)
    } else if value.is_exact_instance_of::<PyList>() {
        all(value).map(PlainValue::List)
    } else if let Ok(dict) = value.cast_exact::<PyDict>() {
        let entry = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((within(&key, deep)?, within(&value, deep)?))
        };
        dict.iter().map(entry).collect::<PyResult<_>>().map(PlainValue::Dict)
    } else if value.is_exact_instance_of::<PySet>() {
        sorted(value).map(PlainValue::Set)
    } else if value.is_exact_instance_of::<PyFrozenSet>() {
        sorted(value).map(PlainValue::FrozenSet)
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
pub(super) fn put<'py>(value: &PlainValue, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let all = |values: &[PlainValue]| {
        values.iter().map(|value| put(value, py)).collect::<PyResult<Vec<_>>>()
    };
    Ok(match value {
        PlainValue::None => py.None().into_bound(py),
        PlainValue::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        PlainValue::Int(value) => value.into_pyobject(py)?.into_any(),
        PlainValue::Big(digits) => py.get_type::<PyInt>().call1((digits,))?,
        PlainValue::Float(bits) => PyFloat::new(py, f64::from_bits(*bits)).into_any(),
        PlainValue::Text(text) => PyString::new(py, text).into_any(),
        PlainValue::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        PlainValue::Tuple(values) => PyTuple::new(py, all(values)?)?.into_any(),
        PlainValue::List(values) => PyList::new(py, all(values)?)?.into_any(),
        PlainValue::Dict(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(put(key, py)?, put(value, py)?)?;
            }
            dict.into_any()
        }
        PlainValue::Set(values) => PySet::new(py, all(values)?)?.into_any(),
        PlainValue::FrozenSet(values) => PyFrozenSet::new(py, all(values)?)?.into_any(),
    })
}
