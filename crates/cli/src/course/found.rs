//! What the checker found, as a course.

use super::{Course, Faults};
use crate::error::Error;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{self, Broken, Move};
use suffrage::process::Port;
use suffrage::simulator::Recorded;

impl Course {
    /// A course that the checker found, and what it breaks.
    pub(crate) fn of(
        algorithm: &'static Algorithm,
        found: &checker::Execution,
        broken: Option<&Broken>,
    ) -> Self {
        let wiring = &found.instance.wiring;
        let ends = |node| {
            let ports = (0..wiring.degree(node)).map(Port);
            ports.map(|port| wiring.across(node, port)).collect()
        };
        let step = |step: &Move| match *step {
            Move::Wake(node) => Recorded::Wake(node),
            Move::Alarm(node) => Recorded::Alarm(node),
            Move::Crash(node) => Recorded::Crash(node),
            Move::Deliver { to, overtakes } => Recorded::Deliver { to, overtakes },
            Move::Lose { to } => Recorded::Lose { to },
            Move::Double { to } => Recorded::Duplicate { to },
        };
        let checker::Faults { no_fifo, loss, duplicate, crash } = found.instance.faults;
        Self {
            algorithm,
            property: broken.and_then(|broken| Property::named(&broken.property)),
            detail: broken.map_or_else(String::new, |broken| broken.detail.clone()),
            network: (0..wiring.nodes()).map(ends).collect(),
            ids: found.instance.ids.clone(),
            capacity: found.instance.capacity,
            faults: Faults {
                no_fifo,
                loss: loss.into(),
                duplicate: duplicate.into(),
                crash: crash.into(),
            },
            coins: found.coins.clone(),
            steps: found.moves.iter().map(step).collect(),
            around: found.loop_start,
        }
    }

    /// The course as a space-time diagram, drawn by the simulator.
    pub(crate) fn picture(&self) -> Result<String, Error> {
        Ok(self.replay(None)?.diagram)
    }
}

impl serde::Serialize for Course {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = self.json().map_err(serde::ser::Error::custom)?;
        let value: Box<serde_json::value::RawValue> =
            serde_json::from_str(&text).map_err(serde::ser::Error::custom)?;
        value.serialize(to)
    }
}
