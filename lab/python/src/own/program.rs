//! The program that runs: a Python class, the messages that it has sent, and its first error.

use super::value::Value;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use suffrage::model::{Kind, Message, Port};

/// The most kinds of messages, which engines allow.
const KINDS: usize = 16;

/// The time from which on an interrupt ends a reaction.
const PATIENCE: Duration = Duration::from_secs(1);

/// A message: the number of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Msg {
    number: u32,
    kind: u8,
}

/// What it carries beside its kind.
impl std::fmt::Debug for Msg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match PythonProgram::current().message(*self) {
            Value::Text(_) => Ok(()),
            Value::Tuple(values) => match values.as_slice() {
                [Value::Text(_)] => Ok(()),
                [Value::Text(_), rest @ ..] => write!(f, "{:?}", Value::Tuple(rest.to_vec())),
                all => write!(f, "({:?})", Value::Tuple(all.to_vec())),
            },
            other => write!(f, "({other:?})"),
        }
    }
}

/// Kinds stand for those that a program has, in the order in which they were first sent.
impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("0"),
        Kind::election("1"),
        Kind::election("2"),
        Kind::election("3"),
        Kind::election("4"),
        Kind::election("5"),
        Kind::election("6"),
        Kind::election("7"),
        Kind::election("8"),
        Kind::election("9"),
        Kind::election("10"),
        Kind::election("11"),
        Kind::election("12"),
        Kind::election("13"),
        Kind::election("14"),
        Kind::election("15"),
    ];

    fn kind(&self) -> usize {
        self.kind.into()
    }

    fn kind_name(&self) -> &'static str {
        let program = PythonProgram::current();
        let name = locked(&program.messages).kinds.get(usize::from(self.kind)).cloned();
        lasting(&name.unwrap_or_default())
    }
}

/// What a process has done in a reaction.
pub(super) enum NetCall {
    Message(Port, Msg),
    Alarm(u32),
    Reject(&'static str),
}

/// A Python class whose objects are processes.
pub(crate) struct PythonProgram {
    pub(super) class: Py<PyAny>,
    /// What the class wants to be told: some of `id`, `degree`, `size`, `place` and
    /// `multiplicity`.
    pub(super) told: Vec<String>,
    messages: Mutex<MessageTable>,
    failed: Mutex<Option<PyErr>>,
    /// The reactions that run now: the number that Python gives the thread, and the beginning.
    reacting: Mutex<Vec<(u64, Instant)>>,
}

#[derive(Default)]
struct MessageTable {
    all: Vec<Value>,
    // Looked up, never iterated over: the hash decides nothing.
    numbers: HashMap<Value, Msg>,
    kinds: Vec<String>,
}

/// The program that runs. Engines make processes from their type alone.
static CURRENT: RwLock<Option<Arc<PythonProgram>>> = RwLock::new(None);
/// Held while one runs.
static RUNS: Mutex<()> = Mutex::new(());
/// The reasons of rejections, which engines keep as long as they like.
static REASONS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn lasting(text: &str) -> &'static str {
    let mut all = locked(&REASONS);
    match all.iter().find(|known| **known == text) {
        Some(known) => known,
        None => {
            let new = String::leak(text.to_owned());
            all.push(new);
            new
        }
    }
}

impl PythonProgram {
    pub(super) fn new(class: Py<PyAny>, told: Vec<String>) -> Self {
        Self {
            class,
            told,
            messages: Mutex::default(),
            failed: Mutex::default(),
            reacting: Mutex::default(),
        }
    }

    /// Runs this with the program as the current one, after any other that runs.
    pub(super) fn run<T>(self: &Arc<Self>, run: impl FnOnce() -> T) -> T {
        let _alone = locked(&RUNS);
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(self.clone());
        run()
    }

    /// Returns the program that runs.
    ///
    /// # Panics
    /// If none has ever run.
    pub(super) fn current() -> Arc<Self> {
        let current = CURRENT.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().expect("processes are made while a program runs")
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
                locked(&self.failed).get_or_insert(error);
                None
            }
        }
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

    pub(super) fn kinds(&self) -> Vec<String> {
        locked(&self.messages).kinds.clone()
    }

    pub(super) fn number(&self, message: &Bound<'_, PyAny>) -> PyResult<Msg> {
        let value = Value::of(message)?;
        let mut messages = locked(&self.messages);
        if let Some(known) = messages.numbers.get(&value) {
            return Ok(*known);
        }
        let kind = match messages.kinds.iter().position(|kind| kind == value.kind()) {
            Some(kind) => kind,
            None if messages.kinds.len() == KINDS => {
                return Err(PyValueError::new_err(format!(
                    "{value:?} is of one kind of messages more than {KINDS}; a message's kind is the \
                     text with which it begins"
                )));
            }
            None => {
                messages.kinds.push(value.kind().to_owned());
                messages.kinds.len() - 1
            }
        };
        let number = u32::try_from(messages.all.len())
            .map_err(|_| PyValueError::new_err("there are too many different messages"))?;
        let msg = Msg { number, kind: kind as u8 };
        messages.all.push(value.clone());
        messages.numbers.insert(value, msg);
        Ok(msg)
    }

    pub(super) fn message(&self, msg: Msg) -> Value {
        locked(&self.messages).all.get(msg.number as usize).cloned().unwrap_or(Value::None)
    }

    pub(super) fn reason(&self, why: &str) -> &'static str {
        lasting(why)
    }
}
