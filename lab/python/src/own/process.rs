//! A process whose reactions are methods of a Python class.

use super::net::PythonNet;
use super::program::{Msg, NetCall, PythonProgram};
use super::value::Value;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use suffrage::model::{
    Id, Multiplicity, Net as Engine, NetworkClass, Place, Port, Process, Size, Status,
};

/// A process: the attributes of an object between two reactions. Each reaction runs on a new object with
/// these attributes, so that nothing else can be remembered. Processes for rings of homonyms have a type of
/// their own, since engines refuse equal identities to all others.
#[derive(Clone)]
pub(crate) struct PythonProcess<const HOMONYMS: bool> {
    program: Arc<PythonProgram>,
    state: Arc<Value>,
    seen: Seen,
}

/// What others see of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Seen {
    status: Status,
    leader: Option<Id>,
    halted: bool,
}

impl<const HOMONYMS: bool> PartialEq for PythonProcess<HOMONYMS> {
    fn eq(&self, other: &Self) -> bool {
        (&self.state, self.seen) == (&other.state, other.seen)
    }
}

impl<const HOMONYMS: bool> Eq for PythonProcess<HOMONYMS> {}

impl<const HOMONYMS: bool> Hash for PythonProcess<HOMONYMS> {
    fn hash<H: Hasher>(&self, to: &mut H) {
        (&self.state, self.seen).hash(to);
    }
}

impl<const HOMONYMS: bool> std::fmt::Debug for PythonProcess<HOMONYMS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.state)
    }
}

/// What a process reacts to.
enum Stimulus {
    Wake,
    Alarm,
    Receive(Port, Msg),
}

/// The end of an attempt at a reaction.
enum Attempt {
    Done(Value, Seen, Vec<NetCall>),
    /// It wants a number up to this one.
    Draws(u32),
}

impl<const HOMONYMS: bool> Process for PythonProcess<HOMONYMS> {
    // Which networks it is for is looked at before.
    const NETWORK: NetworkClass = match HOMONYMS {
        true => NetworkClass::HomonymRing,
        false => NetworkClass::Connected,
    };
    type Knows = (Id, (Size, (Place, Multiplicity)));
    type Msg = Msg;

    fn new(knows: Self::Knows, degree: u32) -> Self {
        let (id, (Size(size), (Place(place), Multiplicity(multiplicity)))) = knows;
        let program = PythonProgram::current();
        let made = program.unless_failed(|py| {
            let told = PyDict::new(py);
            for name in &program.told {
                match name.as_str() {
                    "id" => told.set_item(name, id.get())?,
                    "degree" => told.set_item(name, degree)?,
                    "size" => told.set_item(name, size)?,
                    "multiplicity" => told.set_item(name, multiplicity)?,
                    _ => told.set_item(name, place)?,
                }
            }
            let object = program.class.bind(py).call((), Some(&told))?;
            Ok((state(&object)?, seen(&object)?))
        });
        let (state, seen) = made.unwrap_or((Value::None, Seen::default()));
        Self { program, state: state.into(), seen }
    }

    fn wake(&mut self, net: &mut impl Engine<Msg>) {
        self.react(&Stimulus::Wake, net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Engine<Msg>) {
        self.react(&Stimulus::Receive(from, msg), net);
    }

    fn alarm(&mut self, net: &mut impl Engine<Msg>) {
        self.react(&Stimulus::Alarm, net);
    }

    fn status(&self) -> Status {
        self.seen.status
    }

    fn leader(&self) -> Option<Id> {
        self.seen.leader
    }

    fn halted(&self) -> bool {
        self.seen.halted
    }
}

impl<const HOMONYMS: bool> PythonProcess<HOMONYMS> {
    fn react(&mut self, event: &Stimulus, net: &mut impl Engine<Msg>) {
        let program = self.program.clone();
        let mut drawn = Vec::new();
        // A reaction that draws a number is tried again with that number.
        loop {
            let tried = program.unless_failed(|py| self.attempt(py, event, net.degree(), &drawn));
            match tried {
                None => return,
                Some(Attempt::Draws(max)) => drawn.push(net.choose(max)),
                Some(Attempt::Done(state, seen, sent)) => {
                    (self.state, self.seen) = (state.into(), seen);
                    for effect in sent {
                        match effect {
                            NetCall::Message(port, msg) => net.send(port, msg),
                            NetCall::Alarm(ticks) => net.set_alarm(ticks),
                            NetCall::Reject(why) => net.reject(why),
                        }
                    }
                    return;
                }
            }
        }
    }

    fn attempt(
        &self,
        py: Python<'_>,
        event: &Stimulus,
        degree: u32,
        drawn: &[u32],
    ) -> PyResult<Attempt> {
        let class = self.program.class.bind(py);
        let object = class.call_method1("__new__", (class,))?;
        let Value::Dict(attributes) = &*self.state else { return Err(no_state()) };
        for (name, value) in attributes {
            let Value::Text(name) = name else { return Err(no_state()) };
            object.setattr(name.as_str(), value.put(py)?)?;
        }
        let net = Bound::new(py, PythonNet::new(self.program.clone(), degree, drawn.to_vec()))?;
        let called = match event {
            Stimulus::Wake => object.call_method1("wake", (&net,)),
            Stimulus::Alarm => object.call_method1("alarm", (&net,)),
            Stimulus::Receive(port, msg) => {
                let message = self.program.message(*msg).put(py)?;
                object.call_method1("receive", (port.0, message, &net))
            }
        };
        let mut net = net.borrow_mut();
        if let Some(max) = net.wants() {
            return Ok(Attempt::Draws(max));
        }
        called?;
        Ok(Attempt::Done(state(&object)?, seen(&object)?, net.take()))
    }
}

fn no_state() -> PyErr {
    PyTypeError::new_err("the state of a process is the attributes of its object")
}

/// The attributes of an object.
fn state(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let attributes = object.getattr("__dict__").map_err(|_| no_state())?;
    // In the order of their names: when they were first set means nothing.
    match Value::of(&attributes)? {
        Value::Dict(mut attributes) => {
            attributes.sort_unstable();
            Ok(Value::Dict(attributes))
        }
        _ => Err(no_state()),
    }
}

/// The visible state of an object: its attributes, or the results of its methods of these names.
fn seen(object: &Bound<'_, PyAny>) -> PyResult<Seen> {
    let get = |name: &str| {
        let value = object.getattr(name)?;
        if value.is_callable() { value.call(PyTuple::empty(object.py()), None) } else { Ok(value) }
    };
    let status = get("status")?;
    let status = match status.extract::<String>().as_deref() {
        Ok("undecided") => Status::Undecided,
        Ok("leader") => Status::Leader,
        Ok("follower") => Status::Follower,
        _ => {
            return Err(PyValueError::new_err(format!(
                "status: a process is 'undecided', a 'leader' or a 'follower', and not {}",
                status.repr()?
            )));
        }
    };
    let leader = get("leader")?.extract::<Option<u64>>()?.map(Id::new);
    Ok(Seen { status, leader, halted: get("halted")?.is_truthy()? })
}
