//! Reactions that are methods of a Python class. Each runs on a new object, with the attributes that the state is.

use super::net::PythonNet;
use super::program::PythonProgram;
use super::value::{put, taken};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use suffrage::experiment::own::{
    OwnKnowledge, OwnProgram, PlainValue, ReactionAttempt, Stimulus, VisibleState,
};
use suffrage::model::Id;

impl OwnProgram for PythonProgram {
    fn begin(&self, knows: &OwnKnowledge) -> Option<(PlainValue, VisibleState)> {
        self.unless_failed(|py| {
            let told = PyDict::new(py);
            for name in &self.told {
                told.set_item(name, knows.get(name))?;
            }
            let object = self.class.bind(py).call((), Some(&told))?;
            Ok((state(&object)?, seen(&object)?))
        })
    }

    fn react(
        &self,
        state: &PlainValue,
        stimulus: &Stimulus,
        degree: u32,
        drawn: &[u32],
    ) -> Option<ReactionAttempt> {
        self.unless_failed(|py| self.attempt(py, state, stimulus, (degree, drawn)))
    }

    fn fail(&self, why: String) {
        self.failed_by(PyValueError::new_err(why));
    }
}

impl PythonProgram {
    fn attempt(
        &self,
        py: Python<'_>,
        before: &PlainValue,
        stimulus: &Stimulus,
        (degree, drawn): (u32, &[u32]),
    ) -> PyResult<ReactionAttempt> {
        let class = self.class.bind(py);
        let object = class.call_method1("__new__", (class,))?;
        let PlainValue::Dict(attributes) = before else { return Err(no_state()) };
        for (name, value) in attributes {
            let PlainValue::Text(name) = name else { return Err(no_state()) };
            object.setattr(name.as_str(), put(value, py)?)?;
        }
        let net = Bound::new(py, PythonNet::new(degree, drawn.to_vec()))?;
        let called = match stimulus {
            Stimulus::Wake => object.call_method1("wake", (&net,)),
            Stimulus::Alarm => object.call_method1("alarm", (&net,)),
            Stimulus::Receive(port, message) => {
                object.call_method1("receive", (port.0, put(message, py)?, &net))
            }
        };
        let mut net = net.borrow_mut();
        if let Some(max) = net.wants() {
            return Ok(ReactionAttempt::Draws(max));
        }
        called?;
        Ok(ReactionAttempt::Done(state(&object)?, seen(&object)?, net.take()))
    }
}

fn no_state() -> PyErr {
    PyTypeError::new_err("the state of a process is the attributes of its object")
}

/// The attributes of an object.
fn state(object: &Bound<'_, PyAny>) -> PyResult<PlainValue> {
    let attributes = object.getattr("__dict__").map_err(|_| no_state())?;
    // In the order of their names: when they were first set means nothing.
    match taken(&attributes)? {
        PlainValue::Dict(mut attributes) => {
            attributes.sort_unstable();
            Ok(PlainValue::Dict(attributes))
        }
        _ => Err(no_state()),
    }
}

/// The visible state of an object: its attributes, or the results of its methods of these names.
fn seen(object: &Bound<'_, PyAny>) -> PyResult<VisibleState> {
    let get = |name: &str| {
        let value = object.getattr(name)?;
        if value.is_callable() { value.call(PyTuple::empty(object.py()), None) } else { Ok(value) }
    };
    let status = get("status")?;
    let named = status.extract::<String>().ok().and_then(|name| VisibleState::status_named(&name));
    let Some(status) = named else {
        return Err(PyValueError::new_err(format!(
            "status: a process is 'undecided', a 'leader' or a 'follower', and not {}",
            status.repr()?
        )));
    };
    let leader = get("leader")?.extract::<Option<u64>>()?.map(Id::new);
    Ok(VisibleState { status, leader, halted: get("halted")?.is_truthy()? })
}
