//! The net of a process, as Python sees it.

use super::value::taken;
use pyo3::exceptions::{PyBaseException, PyValueError};
use pyo3::prelude::*;
use suffrage::experiment::own::NetCall;
use suffrage::model::Port;

/// The ports of a process, and what it can do during one reaction.
#[pyclass(name = "Net", module = "suffrage")]
pub(crate) struct PythonNet {
    degree: u32,
    /// The numbers that were drawn, and how many of them have been asked for again.
    drawn: Vec<u32>,
    asked: usize,
    /// The greatest number that it wants to draw.
    wants: Option<u32>,
    sent: Vec<NetCall>,
}

impl PythonNet {
    pub(super) const fn new(degree: u32, drawn: Vec<u32>) -> Self {
        Self { degree, drawn, asked: 0, wants: None, sent: Vec::new() }
    }

    pub(super) const fn wants(&self) -> Option<u32> {
        self.wants
    }

    pub(super) fn take(&mut self) -> Vec<NetCall> {
        std::mem::take(&mut self.sent)
    }
}

#[pymethods]
impl PythonNet {
    /// The number of ports of this process.
    #[getter]
    const fn degree(&self) -> u32 {
        self.degree
    }

    /// Send a message through a port; messages through one port arrive in the order of sending.
    fn send(&mut self, port: u32, message: &Bound<'_, PyAny>) -> PyResult<()> {
        if port >= self.degree {
            return Err(PyValueError::new_err(format!(
                "there is no port {port}: this process has {}, from 0 on",
                self.degree
            )));
        }
        self.sent.push(NetCall::Message(Port(port), taken(message)?));
        Ok(())
    }

    /// Send a message through every port, in ascending order.
    fn send_all(&mut self, message: &Bound<'_, PyAny>) -> PyResult<()> {
        (0..self.degree).try_for_each(|port| self.send(port, message))
    }

    /// Send a message through every port but one, in ascending order.
    fn send_others(&mut self, than: u32, message: &Bound<'_, PyAny>) -> PyResult<()> {
        (0..self.degree).filter(|port| *port != than).try_for_each(|port| self.send(port, message))
    }

    /// Return a number from 0 to max: a seeded coin in a simulation, a branch when all schedules are checked.
    /// The reaction then starts again, and must do the same apart from the number.
    fn choose(&mut self, max: u32) -> PyResult<u32> {
        match self.drawn.get(self.asked) {
            Some(number) => {
                self.asked += 1;
                Ok(*number)
            }
            None => {
                self.wants.get_or_insert(max);
                Err(PyErr::new::<PyBaseException, _>("a number is drawn"))
            }
        }
    }

    /// Call `alarm` after so many ticks, in place of any alarm already set.
    fn set_alarm(&mut self, ticks: u32) {
        self.sent.push(NetCall::Alarm(ticks));
    }

    /// Report a message that cannot arrive where links are reliable and in order.
    fn reject(&mut self, why: &str) {
        self.sent.push(NetCall::Reject(why.to_owned()));
    }
}
