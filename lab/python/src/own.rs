//! A user's own processes, written in Python.

mod net;
mod process;
mod program;
mod value;

use crate::run::{Graph, Said, graphs, json, said};
use process::PythonProcess;
use program::{PythonProgram, lasting};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use suffrage::algorithms::Custom;
use suffrage::model::NetworkClass;
use suffrage_cli::binding;

pub(crate) use net::PythonNet;

/// The networks that a process can be for, by name.
const NETWORKS: [(&str, NetworkClass); 12] = [
    ("connected", NetworkClass::Connected),
    ("tree", NetworkClass::Tree),
    ("ring", NetworkClass::Ring),
    ("oriented-ring", NetworkClass::OrientedRing),
    ("homonym-ring", NetworkClass::HomonymRing),
    ("complete", NetworkClass::Complete),
    ("oriented-complete", NetworkClass::OrientedComplete),
    ("hypercube", NetworkClass::Hypercube),
    ("oriented-hypercube", NetworkClass::OrientedHypercube),
    ("mesh", NetworkClass::Mesh),
    ("torus", NetworkClass::Torus),
    ("oriented-torus", NetworkClass::OrientedTorus),
];

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
    let found = NETWORKS.iter().find(|(known, _)| *known == network);
    let Some(&(_, network)) = found else {
        let names: Vec<_> = NETWORKS.iter().map(|(name, _)| *name).collect();
        return Err(PyValueError::new_err(format!(
            "network: {network:?} is no kind of networks; choose {}",
            names.join(", ")
        )));
    };
    let name = lasting(name);
    let (asked, beside, given) = (json(specification)?, json(beside)?, graphs(networks));
    let program = Arc::new(PythonProgram::new(class_, told));
    let running = program.clone();
    let said = said(py, show.as_ref(), move |watcher| {
        running.run(|| match network {
            NetworkClass::HomonymRing => {
                let process = Custom::<PythonProcess<true>>::new(name);
                binding::run_custom(&process, network, asked, beside, &given, watcher)
            }
            _ => {
                let process = Custom::<PythonProcess<false>>::new(name);
                binding::run_custom(&process, network, asked, beside, &given, watcher)
            }
        })
    });
    match program.error() {
        Some(error) => Err(error),
        None => Ok((said?, program.kinds())),
    }
}
