//! Runs commands on a thread of their own, while Python's main thread looks after signals.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use suffrage::networks::Links;
use suffrage_cli::call::{Answer, Board, Call, interrupt};

/// The time between two looks at signals and progress.
const PAUSE: Duration = Duration::from_millis(50);

/// The size of the stack of a command's thread, as large as a main thread's, where commands usually run.
const STACK: usize = 8 << 20;

/// A graph from Python: its name, the number of nodes, their names, if they have some, the two ends
/// of each link, and whether links have a direction.
pub(crate) type Graph = (String, u32, Vec<String>, Vec<u32>, Vec<u32>, bool);

/// What a command has said: what it printed, its remarks, its exit code and whether an interrupt ended
/// it.
pub(crate) type Said = (String, Vec<String>, u8, bool);

/// Runs the command of these words, and returns what it printed, its remarks, its exit code and
/// whether an interrupt ended it.
///
/// `show` is given the line of progress whenever that changes. The interpreter is free for other
/// threads meanwhile.
#[pyfunction]
#[pyo3(signature = (words, networks, show=None))]
pub(crate) fn call(
    py: Python<'_>,
    words: Vec<String>,
    networks: Vec<Graph>,
    show: Option<Py<PyAny>>,
) -> PyResult<Said> {
    called(py, words, networks, show.as_ref(), Call::answer)
}

/// Makes a call of these words, and lets `answer` answer it.
pub(crate) fn called(
    py: Python<'_>,
    words: Vec<String>,
    networks: Vec<Graph>,
    show: Option<&Py<PyAny>>,
    answer: impl FnOnce(Call) -> Result<Answer, String> + Send + 'static,
) -> PyResult<Said> {
    let networks = networks.into_iter().map(|(name, nodes, names, from, to, directed)| {
        let links = from.into_iter().zip(to).collect();
        (name, Links { nodes, names, links, directed })
    });
    let board = Board::default();
    let call = Call { words, networks: networks.collect(), board: board.clone() };
    let (answer, interrupted) = watched(py, &board, show, move || answer(call))?;
    let Answer { text, notes, code } = answer.map_err(PyValueError::new_err)?;
    Ok((text, notes, code, interrupted))
}

/// Runs this on a thread of its own. Returns its result, and whether an interrupt ended it.
fn watched<T: Send + 'static>(
    py: Python<'_>,
    board: &Board,
    show: Option<&Py<PyAny>>,
    run: impl FnOnce() -> T + Send + 'static,
) -> PyResult<(T, bool)> {
    let (done, result) = channel();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        // If that fails, the caller waits no more.
        let _ = done.send(run());
    })?;
    let (answer, stopped) = py.detach(move || wait(&result, board, show));
    // An error of `show` or of a signal's handler, if it is not the interrupt that was asked for.
    let interrupted = match stopped {
        Some(error) => match Python::attach(|py| {
            error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py)
        }) {
            true => true,
            false => return Err(error),
        },
        None => false,
    };
    match answer {
        Some(answer) => Ok((answer, interrupted)),
        None => {
            let what = match worker.join() {
                Err(panic) => panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                    .unwrap_or_default(),
                Ok(()) => String::new(),
            };
            Err(PyRuntimeError::new_err(format!(
                "an error of Suffrage itself, please report it: {what}"
            )))
        }
    }
}

/// Waits for the end of a command, without the interpreter. Returns its result, unless it has
/// panicked, and the error that has made it stop, if there is one.
fn wait<T>(
    result: &Receiver<T>,
    board: &Board,
    show: Option<&Py<PyAny>>,
) -> (Option<T>, Option<PyErr>) {
    let mut shown = String::new();
    let mut stopped = None;
    loop {
        match result.recv_timeout(PAUSE) {
            Ok(answer) => break (Some(answer), stopped),
            Err(RecvTimeoutError::Disconnected) => break (None, stopped),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let looked = Python::attach(|py| {
            // Once it has been asked for an end, it comes.
            py.check_signals()?;
            let line = board.line();
            if let Some(show) = show.filter(|_| line != shown) {
                show.call1(py, (PyString::new(py, &line),))?;
                shown = line;
            }
            Ok(())
        });
        if let Err(error) = looked {
            interrupt();
            stopped.get_or_insert(error);
        }
    }
}
