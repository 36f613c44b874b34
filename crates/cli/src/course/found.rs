//! What the checker found, as a course.

use super::{Course, Faults};
use crate::error::Error;
use suffrage::algorithms::{Algorithm, Violation};
use suffrage::checker;
use suffrage::process::Port;

impl Course {
    /// A course that the checker found, and what it breaks.
    pub(crate) fn of(
        algorithm: &'static Algorithm,
        found: &checker::Execution,
        broken: Option<&Violation>,
    ) -> Self {
        let wiring = &found.instance.wiring;
        let ends = |node| {
            let ports = (0..wiring.degree(node)).map(Port);
            ports.map(|port| wiring.across(node, port)).collect()
        };
        let checker::Faults { no_fifo, loss, duplicate, crash } = found.instance.faults;
        Self {
            algorithm,
            property: broken.map(|broken| broken.property),
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
            steps: found.moves.clone(),
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
