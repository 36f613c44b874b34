//! A user's own processes, written in Python.

mod net;
mod process;
mod program;
mod value;

use crate::run::{Graph, Said, called};
use process::PythonProcess;
use program::{PythonProgram, lasting};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use suffrage::algorithms::Custom;
use suffrage::model::{NetworkClass, Process};
use suffrage_cli::call::{Answer, Call};

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

/// Holds an election of the objects of a class, or explores all schedules of small ones, under the
/// flags of `elect` or `check`. Returns what `call` returns, and the names of the kinds of messages.
///
/// `told` says which of `id`, `degree`, `size`, `place` and `multiplicity` the class wants to be told.
#[pyfunction]
#[pyo3(signature = (check, class_, name, network, told, words, networks, show=None))]
#[expect(clippy::too_many_arguments, reason = "called by the package alone, with all of them")]
pub(crate) fn own(
    py: Python<'_>,
    check: bool,
    class_: Py<PyAny>,
    name: &str,
    network: &str,
    told: Vec<String>,
    words: Vec<String>,
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
    let program = Arc::new(PythonProgram::new(class_, told));
    let running = program.clone();
    let said = called(py, words, networks, show.as_ref(), move |call| {
        running.run(|| match network {
            NetworkClass::HomonymRing => answer::<PythonProcess<true>>(call, check, name, network),
            _ => answer::<PythonProcess<false>>(call, check, name, network),
        })
    });
    match program.error() {
        Some(error) => Err(error),
        None => Ok((said?, program.kinds())),
    }
}

/// Holds an election of a process, or explores its schedules.
fn answer<P: Process>(
    call: Call,
    check: bool,
    name: &'static str,
    network: NetworkClass,
) -> Result<Answer, String> {
    let process = Custom::<P>::new(name);
    match check {
        true => call.check_own(&process, network),
        false => call.elect_own(&process, network),
    }
}
