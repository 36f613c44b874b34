//! Descriptions of simulations, so that a run can be written down and run again.

use super::{FaultScript, Faults, Invalid, Nanos, Profile, Regions, Simulation};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use tenure_model::{Ratio, Recoverable};

/// Everything that determines a run, except for the protocol: the content of the header of a trace.
///
/// Random faults are written as those that were drawn. Durations are written as in `"50ms"`, profiles
/// as [`Profile`] reads them, regions as the text of their file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SimulationDescription {
    /// The number of members.
    pub members: u32,
    /// The number of participants that stand and have no vote.
    pub clients: u32,
    /// The number of members that do not stand: the last ones.
    pub witnesses: u32,
    /// The number of offices.
    pub offices: u32,
    /// The time between two heartbeats.
    pub heartbeat: Nanos,
    /// The length of a lease.
    pub lease: Nanos,
    /// The longest time for which work may continue after a tenure.
    pub stop: Nanos,
    /// The bound on the ratio of the rates of two clocks.
    pub clocks: Ratio,
    /// The delays of messages.
    pub profile: Profile,
    /// The durations of a disk's syncs.
    pub sync: Profile,
    /// The length of the run.
    pub length: Nanos,
    /// The seed.
    pub seed: u64,
    /// The faults.
    pub faults: FaultScript,
}

impl SimulationDescription {
    /// Describes a simulation.
    ///
    /// # Errors
    /// The same as for [`Simulation::run`].
    pub fn of<P: Recoverable>(simulation: &Simulation<P>) -> Result<Self, Invalid> {
        Ok(Self { faults: simulation.script()?, ..simulation.run.clone() })
    }

    /// Returns the simulation of a protocol.
    #[must_use]
    pub fn simulation<P: Recoverable>(&self) -> Simulation<P> {
        let faults = Faults::Script(self.faults.clone());
        Simulation { run: self.clone(), faults, ..Simulation::new() }
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Regions(regions) => to.collect_str(regions),
            profile => to.collect_str(profile),
        }
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match text.contains('\n') {
            true => text.parse::<Regions>().map(Self::Regions),
            false => text.parse::<Self>(),
        }
        .map_err(de::Error::custom)
    }
}

/// Writes the text of the file from which regions are read.
impl fmt::Display for Regions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.names.join(" "))?;
        for (name, row) in self.names.iter().zip(self.round_trips.chunks(self.names.len().max(1))) {
            f.write_str(name)?;
            for nanos in row {
                write!(f, " {}.{:06}", nanos / 1_000_000, nanos % 1_000_000)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
