//! Runs experiments on a thread of their own, while Python's main thread looks after signals.

use crate::own::PythonProgram;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use suffrage::experiment::number::{grouped, rough_time};
use suffrage::experiment::{Error, ExperimentProgress, Monitor};
use suffrage::networks::Links;
use suffrage_cli::binding::{self, Answer, RunView};

/// The time between two looks at signals and progress.
const PAUSE: Duration = Duration::from_millis(50);

/// The time from which on a run shows progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// The size of the stack of a run's thread, as large as a main thread's, where commands usually run.
const STACK: usize = 8 << 20;

/// A graph from Python: its name, the number of nodes, their names, if they have some, the two ends
/// of each link, and whether links have a direction.
pub(crate) type Graph = (String, u32, Vec<String>, Vec<u32>, Vec<u32>, bool);

/// What a run has given: its report, its remarks, whether every property held and whether an interrupt ended
/// it.
pub(crate) type Said = (Option<String>, Vec<String>, bool, bool);

/// Runs the experiment of a specification. Both are objects in JSON; `beside` has files and settings by the
/// names of flags.
///
/// `show` is given the line of progress whenever that changes. The interpreter is free for other
/// threads meanwhile.
#[pyfunction]
#[pyo3(signature = (specification, beside, networks, show=None))]
pub(crate) fn run(
    py: Python<'_>,
    specification: &str,
    beside: &str,
    networks: Vec<Graph>,
    show: Option<Py<PyAny>>,
) -> PyResult<Said> {
    let (specification, beside, given) = (json(specification)?, json(beside)?, graphs(networks));
    said(py, show.as_ref(), None, move |watcher| {
        binding::run(specification, beside, &given, watcher)
    })
}

/// Simulates tenures under flags, an object in JSON.
#[pyfunction]
#[pyo3(signature = (flags, show=None))]
pub(crate) fn simulate_tenures(
    py: Python<'_>,
    flags: &str,
    show: Option<Py<PyAny>>,
) -> PyResult<Said> {
    let flags = json(flags)?;
    said(py, show.as_ref(), None, move |watcher| binding::simulate_tenures(flags, watcher))
}

/// Returns the page of a run that is made again, or with flags of `suffrage draw` a drawing; `None` if an
/// interrupt ended it.
#[pyfunction]
#[pyo3(signature = (specification, networks, drawn=None, show=None))]
pub(crate) fn watch(
    py: Python<'_>,
    specification: &str,
    networks: Vec<Graph>,
    drawn: Option<Vec<String>>,
    show: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let (specification, given) = (json(specification)?, graphs(networks));
    let run = move |watcher: &Watcher| binding::show(specification, &given, shown(drawn), watcher);
    let (text, ..) = watched(py, show.as_ref(), None, run)?;
    text.map_err(refused)
}

/// Returns the page of a file of a run, or with flags of `suffrage draw` a drawing.
#[pyfunction]
#[pyo3(signature = (file, drawn=None))]
pub(crate) fn page(file: PathBuf, drawn: Option<Vec<String>>) -> PyResult<String> {
    binding::show_file(&file, shown(drawn)).map_err(refused)
}

/// Returns what `suffrage algorithms` or `suffrage plot` prints under these words of a command line.
#[pyfunction]
pub(crate) fn text(command: &str, words: Vec<String>) -> PyResult<String> {
    binding::text(command, words).map_err(refused)
}

/// What shows a run: a page, or a drawing under these flags.
pub(crate) fn shown(drawn: Option<Vec<String>>) -> RunView {
    drawn.map_or(RunView::Page, RunView::Drawing)
}

/// Reads what the package has written.
pub(crate) fn json(text: &str) -> PyResult<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Networks as specifications name them.
pub(crate) fn graphs(networks: Vec<Graph>) -> Vec<(String, Links)> {
    let links = |(name, nodes, names, from, to, directed): Graph| {
        let links = std::iter::zip(from, to).collect();
        (name, Links { nodes, names, links, directed })
    };
    networks.into_iter().map(links).collect()
}

pub(crate) fn refused(error: Error) -> PyErr {
    PyValueError::new_err(of_arguments(&error.to_string()))
}

/// Names keyword arguments in place of flags, except in command lines, which stand in quotes.
fn of_arguments(text: &str) -> String {
    let is_command = |part: &str| part.starts_with("suffrage ") || part.starts_with("tenure ");
    let named = |part: &str| match is_command(part) {
        true => part.to_owned(),
        false => outside_of_commands(part),
    };
    text.split('`').map(named).collect::<Vec<_>>().join("`")
}

fn outside_of_commands(text: &str) -> String {
    let mut parts = text.split("--");
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
        let end = part.find(|c| !is_part(c)).unwrap_or(part.len());
        let (flag, rest) = part.split_at(end);
        let begins = named.chars().last().is_none_or(|before| !before.is_alphanumeric());
        match flag {
            // A word of Python's own.
            "class" if begins => named += "class_",
            _ if begins && flag.starts_with(|c: char| c.is_ascii_lowercase()) => {
                named += &flag.replace('-', "_");
            }
            _ => {
                named += "--";
                named += flag;
            }
        }
        named += rest;
    }
    named
}

/// Runs this, and returns what it gave.
pub(crate) fn said(
    py: Python<'_>,
    show: Option<&Py<PyAny>>,
    program: Option<&PythonProgram>,
    run: impl FnOnce(&Watcher) -> Result<Answer, Error> + Send + 'static,
) -> PyResult<Said> {
    let (answer, remarks, interrupted) = watched(py, show, program, run)?;
    let Answer { report, held } = answer.map_err(refused)?;
    let remarks = remarks.iter().map(|remark| of_arguments(remark)).collect();
    Ok((report, remarks, held, interrupted))
}

/// What a run tells of itself.
#[derive(Default)]
pub(crate) struct Watcher {
    stop: AtomicBool,
    remarks: Mutex<Vec<String>>,
    line: Mutex<Line>,
}

/// A line of progress.
#[derive(Default)]
struct Line {
    /// When the step began that it is about.
    since: Option<Instant>,
    text: String,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitor for Watcher {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn progress(&self, progress: ExperimentProgress<'_>) {
        // A thread that finds the line locked skips its message, but does not leave the line there.
        if let ExperimentProgress::Ended = progress {
            *locked(&self.line) = Line::default();
        } else if let Ok(mut line) = self.line.try_lock() {
            let since = line.since.get_or_insert_with(Instant::now).elapsed();
            if since >= PATIENCE {
                line.text = words(progress, since.as_secs_f64());
            }
        }
    }

    fn remark(&self, remark: &str) {
        locked(&self.remarks).push(remark.to_owned());
    }
}

/// How far a run is after this many seconds.
fn words(progress: ExperimentProgress<'_>, seconds: f64) -> String {
    let done = match progress {
        ExperimentProgress::Done { what, done, of: Some(of) } if done > 0 => {
            let left = rough_time(seconds * (of - done.min(of)) as f64 / done as f64);
            format!("{}/{} {what}, about {left} left", grouped(done), grouped(of))
        }
        ExperimentProgress::Done { what, done, of: Some(of) } => {
            format!("{}/{} {what}", grouped(done), grouped(of))
        }
        ExperimentProgress::Done { what, done, of: None } => format!("{} {what}", grouped(done)),
        ExperimentProgress::Within { trial, interactions, usual, .. } => {
            let share = 100.0 * interactions as f64 / usual;
            format!("trial {trial}: {interactions:.2e} interactions, {share:.0} % of the usual")
        }
        ExperimentProgress::Explored { now, .. } => format!(
            "{}/{} instances, {} configurations",
            grouped(now.instances),
            grouped(now.of),
            grouped(now.states)
        ),
        ExperimentProgress::Ended => String::new(),
    };
    format!("[{seconds:.0} s] {done}")
}

/// Runs this on a thread of its own. Returns what it gives, its remarks, and whether an interrupt ended it.
/// Reactions of the program are ended by an interrupt, too.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    show: Option<&Py<PyAny>>,
    program: Option<&PythonProgram>,
    run: impl FnOnce(&Watcher) -> T + Send + 'static,
) -> PyResult<(T, Vec<String>, bool)> {
    let watcher = Arc::new(Watcher::default());
    let (done, result) = channel();
    let watching = watcher.clone();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        // If that fails, the caller waits no more.
        let _ = done.send(run(&watching));
    })?;
    let (answer, stopped) = py.detach(|| wait(result, &watcher, show, program));
    // An error of `show` or of a signal's handler, if it is not the interrupt that was asked for.
    let interrupted = stopped.is_some();
    if let Some(error) = stopped
        && !error.is_instance_of::<PyKeyboardInterrupt>(py)
    {
        return Err(error);
    }
    match answer {
        Some(answer) => Ok((answer, std::mem::take(&mut locked(&watcher.remarks)), interrupted)),
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

/// Waits for the end of a run, without the interpreter. Returns what it gives, unless it has
/// panicked, and the error that has asked it for an end, if one has.
fn wait<T>(
    result: Receiver<T>,
    watcher: &Watcher,
    show: Option<&Py<PyAny>>,
    program: Option<&PythonProgram>,
) -> (Option<T>, Option<PyErr>) {
    let mut shown = String::new();
    let mut stopped = None;
    loop {
        let ended = match result.recv_timeout(PAUSE) {
            Ok(answer) => Some(Some(answer)),
            Err(RecvTimeoutError::Disconnected) => Some(None),
            Err(RecvTimeoutError::Timeout) => None,
        };
        let line = match ended {
            Some(_) => String::new(),
            None => locked(&watcher.line).text.clone(),
        };
        let looked = Python::attach(|py| {
            // Once it has been asked for an end, it comes.
            if ended.is_none() {
                py.check_signals()?;
                if let Some(program) = program.filter(|_| stopped.is_some()) {
                    program.interrupt(py)?;
                }
            }
            if let Some(show) = show.filter(|_| line != shown) {
                show.call1(py, (PyString::new(py, &line),))?;
                shown = line;
            }
            Ok(())
        });
        if let Some(answer) = ended {
            break (answer, stopped);
        }
        if let Err(error) = looked {
            watcher.stop.store(true, Relaxed);
            stopped.get_or_insert(error);
        }
    }
}
