//! A process, and an engine's data about it.

use crate::{Experiment, medium::MarkedDepth};
use serde::{Deserialize, Serialize};
use suffrage_algorithms::FinalState;
use suffrage_model::{
    Diameter, Facts, Id, Knowledge, Multiplicity, Place, Process, Size, Stage, Status,
};

/// A process, and the engine's data about it.
// In this order, since a process often ends with a few bytes that mean nothing: what would lie behind them is
// written with them and read without, which stalls.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)]
pub(crate) struct SimulatedProcess<P, D = u32> {
    /// The number of messages that it has sent and received.
    pub load: u32,
    /// The length of the longest chain of messages that has reached it, if it is kept.
    pub depth: D,
    pub status: Status,
    pub stage: Stage,
    /// Whether it woke spontaneously.
    pub woke: bool,
    pub process: P,
}

/// The causal depth of a process, or nothing where it need not be kept.
pub(crate) trait Depths: Copy + Default {
    fn get(self) -> u32;
}

impl Depths for u32 {
    fn get(self) -> u32 {
        self
    }
}

impl Depths for () {
    fn get(self) -> u32 {
        0
    }
}

impl<P: Process, D: Depths> SimulatedProcess<P, D> {
    /// Creates the nodes of an experiment, before the first event.
    pub(crate) fn all(experiment: &Experiment<'_>) -> Vec<Self> {
        let wiring = experiment.wiring;
        let size = Size(wiring.nodes());
        let diameter = Diameter(if P::Knows::DIAMETER { wiring.diameter() } else { 0 });
        let multiplicity = match P::Knows::MULTIPLICITY {
            true => Multiplicity::of(&mut experiment.ids.to_vec()),
            false => Multiplicity::ONE,
        };
        // A loop, which is a fifth of what a chain of iterators is to compile, for each process and engine.
        let mut all = Vec::with_capacity(experiment.ids.len());
        for node in 0..experiment.ids.len() as u32 {
            let id = experiment.ids[node as usize];
            let facts = Facts { id, size, place: Place(node), diameter, multiplicity };
            all.push(Self::new(P::new(P::Knows::of(&facts), wiring.degree(node))));
        }
        all
    }

    pub(crate) fn new(process: P) -> Self {
        Self {
            process,
            depth: D::default(),
            load: 0,
            status: Status::Undecided,
            stage: Stage::Asleep,
            woke: false,
        }
    }

    pub(crate) fn final_state(&self, id: Id) -> FinalState {
        let Self { woke, stage, status, .. } = *self;
        FinalState { id, woke, stage, status, leader: self.process.leader() }
    }
}

impl<P> SimulatedProcess<P> {
    /// Counts a message that reaches the process.
    #[inline(always)]
    pub(crate) fn meet(&mut self, depth: MarkedDepth) {
        self.stage = Stage::Running;
        self.load += 1;
        self.depth = self.depth.max(depth.get());
    }
}
