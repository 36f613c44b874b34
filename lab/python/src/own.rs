//! A user's own processes, written in Python.

mod net;
mod process;
mod program;
mod value;

use crate::run::{Graph, Said, graphs, json, refused, said, shown, watched};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use suffrage::algorithms::Custom;
use suffrage::experiment::own::{NETWORKS, OwnProcess, OwnRun, lasting};
use suffrage::model::NetworkClass;
use suffrage_cli::binding;

pub(crate) use net::PythonNet;
pub(crate) use program::PythonProgram;

/// The class of networks of this name.
fn class_of(network: &str) -> PyResult<NetworkClass> {
    let found = NETWORKS.iter().find(|(known, _)| *known == network);
    found.map(|&(_, class)| class).ok_or_else(|| {
        let names: Vec<_> = NETWORKS.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!(
            "network: {network:?} is no kind of networks; choose {}",
            names.join(", ")
        ))
    })
}

/// Does this with the process of a class; processes for rings of homonyms have a type of their own.
macro_rules! with_process {
    ($class:expr, $name:expr, |$process:ident| $run:expr) => {
        match $class {
            NetworkClass::HomonymRing => {
                let $process = &Custom::<OwnProcess<true>>::new($name);
                $run
            }
            _ => {
                let $process = &Custom::<OwnProcess<false>>::new($name);
                $run
            }
        }
    };
}

/// Runs a specification; an exploration in which a reaction raises an error once more, without reductions. Those also
/// compute reactions that no schedule has, in which an error means nothing.
fn reduced_or_full<T>(program: &PythonProgram, mut asked: Value, run: impl Fn(Value) -> T) -> T {
    let ran = run(asked.clone());
    let Some(check) = asked.get_mut("check").and_then(Value::as_object_mut) else { return ran };
    let real = ["full", "sample", "seeds"].iter().any(|field| {
        check.get(*field).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    });
    if real || !program.forget_error() {
        return ran;
    }
    check.insert("full".to_owned(), true.into());
    run(asked)
}

/// Holds an election of the objects of a class, or explores all schedules of small ones, as a specification
/// says. Returns what `run` returns, and the names of the kinds of messages.
///
/// `told` says which of `id`, `degree`, `size`, `place` and `multiplicity` the class wants to be told.
#[pyfunction]
#[pyo3(signature = (class_, name, network, told, specification, beside, networks, show=None))]
#[expect(clippy::too_many_arguments, reason = "called by the package alone, with all of them")]
pub(crate) fn own(
    py: Python<'_>,
    class_: Py<PyAny>,
    name: &str,
    network: &str,
    told: Vec<String>,
    specification: &str,
    beside: &str,
    networks: Vec<Graph>,
    show: Option<Py<PyAny>>,
) -> PyResult<(Said, Vec<String>)> {
    let (network, name) = (class_of(network)?, lasting(name));
    let (asked, beside, given) = (json(specification)?, json(beside)?, graphs(networks));
    let program = Arc::new(PythonProgram::new(class_, told));
    let own = OwnRun::new(program.clone());
    let (running, raising) = (own.clone(), program.clone());
    let said = said(py, show.as_ref(), Some(&program), move |watcher| {
        running.run(|| {
            reduced_or_full(&raising, asked, |asked| {
                let beside = beside.clone();
                with_process!(network, name, |process| {
                    binding::run_custom(process, network, asked, beside, &given, watcher)
                })
            })
        })
    });
    Ok((program.unless_raised(py, said)?, own.kinds()))
}

/// Returns the page of a run of the objects of a class, which is made again, or with flags of `suffrage draw`
/// a drawing; `None` if an interrupt ended it. The other arguments are those of `own`.
#[pyfunction]
#[pyo3(signature = (class_, name, network, told, specification, networks, drawn=None, show=None))]
#[expect(clippy::too_many_arguments, reason = "called by the package alone, with all of them")]
pub(crate) fn own_shown(
    py: Python<'_>,
    class_: Py<PyAny>,
    name: &str,
    network: &str,
    told: Vec<String>,
    specification: &str,
    networks: Vec<Graph>,
    drawn: Option<Vec<String>>,
    show: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let (network, name) = (class_of(network)?, lasting(name));
    let (asked, given) = (json(specification)?, graphs(networks));
    let program = Arc::new(PythonProgram::new(class_, told));
    let (running, raising) = (OwnRun::new(program.clone()), program.clone());
    let shown = watched(py, show.as_ref(), Some(&program), move |watcher| {
        running.run(|| {
            reduced_or_full(&raising, asked, |asked| {
                let drawn = shown(drawn.clone());
                with_process!(network, name, |process| {
                    binding::show_custom(process, network, asked, &given, drawn, watcher)
                })
            })
        })
    });
    let (text, ..) = program.unless_raised(py, shown)?;
    text.map_err(refused)
}
