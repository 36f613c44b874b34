//! The program that runs: a Python class, and its first error.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time from which on an interrupt ends a reaction.
const PATIENCE: Duration = Duration::from_secs(1);

/// A Python class whose objects are processes.
pub(crate) struct PythonProgram {
    pub(super) class: Py<PyAny>,
    /// What the class wants to be told: some of `id`, `degree`, `size`, `place` and
    /// `multiplicity`.
    pub(super) told: Vec<String>,
    failed: Mutex<Option<PyErr>>,
    /// The reactions that run now: the number that Python gives the thread, and the beginning.
    reacting: Mutex<Vec<(u64, Instant)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PythonProgram {
    pub(super) fn new(class: Py<PyAny>, told: Vec<String>) -> Self {
        Self { class, told, failed: Mutex::default(), reacting: Mutex::default() }
    }

    /// Does this in Python, unless an error was raised before; keeps the error if one is raised.
    pub(super) fn unless_failed<T>(
        &self,
        what: impl FnOnce(Python<'_>) -> PyResult<T>,
    ) -> Option<T> {
        if locked(&self.failed).is_some() {
            return None;
        }
        match Python::attach(|py| self.interruptible(py, what)) {
            Ok(done) => Some(done),
            Err(error) => {
                self.failed_by(error);
                None
            }
        }
    }

    /// Keeps an error, if it is the first.
    pub(super) fn failed_by(&self, error: PyErr) {
        locked(&self.failed).get_or_insert(error);
    }

    /// Forgets an error that a reaction has raised by itself. Returns whether there was one.
    pub(super) fn forget_error(&self) -> bool {
        let mut failed = locked(&self.failed);
        let own = |error: &mut PyErr| {
            Python::attach(|py| !error.is_instance_of::<PyKeyboardInterrupt>(py))
        };
        failed.take_if(own).is_some()
    }

    /// Does this while [`interrupt`](Self::interrupt) knows of it. Both are attached to Python.
    fn interruptible<T>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(Python<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        let thread: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
        locked(&self.reacting).push((thread, Instant::now()));
        let done = what(py);
        let mut reacting = locked(&self.reacting);
        if let Some(at) = reacting.iter().position(|&(one, _)| one == thread) {
            reacting.swap_remove(at);
        }
        done
    }

    /// Raises `KeyboardInterrupt` in every reaction that has run for [`PATIENCE`]: others end by themselves, and
    /// the report has them. One in a function that is not of Python ends once that returns.
    pub(crate) fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        let reacting = locked(&self.reacting).clone();
        if reacting.is_empty() {
            return Ok(());
        }
        let ctypes = py.import("ctypes")?;
        let raise = ctypes.getattr("pythonapi")?.getattr("PyThreadState_SetAsyncExc")?;
        let interrupt =
            ctypes.getattr("py_object")?.call1((py.get_type::<PyKeyboardInterrupt>(),))?;
        let endless = reacting.into_iter().filter(|(_, since)| since.elapsed() >= PATIENCE);
        for (thread, _) in endless {
            raise.call1((ctypes.getattr("c_ulong")?.call1((thread,))?, &interrupt))?;
        }
        Ok(())
    }

    /// Returns what a run gave, unless a reaction raised an error. An interrupt raises none of the reaction's own: the
    /// handler of the signal has raised one, if there is one.
    pub(super) fn unless_raised<T>(&self, py: Python<'_>, gave: PyResult<T>) -> PyResult<T> {
        match (locked(&self.failed).take(), gave) {
            (Some(raised), Err(error)) if raised.is_instance_of::<PyKeyboardInterrupt>(py) => {
                Err(error)
            }
            (Some(raised), _) => Err(raised),
            (None, gave) => gave,
        }
    }
}
