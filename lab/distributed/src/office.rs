//! The exchange of letters between workers.

use crate::{CheckpointError, checkpoint::StoredPart as Written, link::Leaving};
use serde::{Deserialize, Serialize};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    mem,
    rc::Rc,
    time::{Duration, Instant},
};
use suffrage_simulator::blocks::{Share, Stretch, ToCome};
use timely::{
    WorkerConfig,
    communication::Allocator,
    container::CapacityContainerBuilder,
    dataflow::{
        InputHandle, ProbeHandle,
        channels::pact::Exchange,
        operators::{Operator, Probe},
    },
    worker::Worker,
};

/// How long a worker that leaves sleeps before it looks whether another program is lost.
const FAREWELL: Duration = Duration::from_millis(100);

/// What workers send each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WorkerLetter {
    /// The worker to which it goes.
    pub(crate) to: u32,
    pub(crate) body: Body,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Body {
    /// Messages that arrive at a tick.
    Messages(u64, #[serde(with = "serde_bytes")] Vec<u8>),
    /// The events at a worker in the ticks of a stretch.
    Stretch(u32, Stretch),
    /// The next events at a worker that has resumed its part of a checkpoint.
    TakenUp(u32, Result<ToCome, CheckpointError>),
    /// The part of a checkpoint that a worker has written.
    Written(u32, Result<Written, CheckpointError>),
    /// Whether the list of the written parts was stored.
    Listed(Result<(), CheckpointError>),
    /// The share of a worker in the outcome.
    Share(Share),
    /// The nodes whose names the report may have.
    Ask(Vec<u64>),
    /// The names of nodes.
    Names(Vec<(u64, String)>),
    /// A message of a worker that reads a file.
    Read(u32, #[serde(with = "serde_bytes")] Vec<u8>),
}

/// The exchange of letters between all workers, in steps.
pub(crate) struct PostOffice {
    worker: Worker,
    step: u64,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<WorkerLetter>>>,
    /// Says when all letters of a step have arrived everywhere.
    probe: ProbeHandle<u64>,
    /// The letters that have arrived, by step: others may be a step ahead.
    inbox: Rc<RefCell<BTreeMap<u64, Vec<WorkerLetter>>>>,
}

impl PostOffice {
    pub(crate) fn new(allocator: Allocator) -> Self {
        // A worker that waits sleeps: others may need its core.
        let config = WorkerConfig::default().idle_spin(Duration::ZERO);
        let mut worker = Worker::new(config, allocator, Some(Instant::now()));
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let inbox = Rc::new(RefCell::new(BTreeMap::<u64, Vec<WorkerLetter>>::new()));
        let arrived = Rc::clone(&inbox);
        worker.dataflow::<u64, _, _>(|scope| {
            let to = Exchange::new(|letter: &WorkerLetter| u64::from(letter.to));
            input
                .to_stream(scope)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(to, "letters", |_, _| {
                    move |input, _| {
                        // Not by stamps: that would sort the letters of a step.
                        input.for_each(|stamp, letters| {
                            let step = *stamp.least().expect("every letter has its step");
                            arrived.borrow_mut().entry(step).or_default().append(letters);
                        });
                    }
                })
                .probe_with(&probe);
        });
        Self { worker, step: 0, input, probe, inbox }
    }

    pub(crate) fn number(&self) -> (u32, u32) {
        (self.worker.index() as u32, self.worker.peers() as u32)
    }

    pub(crate) fn send(&mut self, to: u32, body: Body) {
        self.input.send(WorkerLetter { to, body });
    }

    /// Sends the same to all workers.
    pub(crate) fn broadcast(&mut self, body: &Body) {
        for to in 0..self.number().1 {
            self.send(to, body.clone());
        }
    }

    /// Ends the step for good: waits until all letters have arrived everywhere, or until another program is
    /// lost, which nothing depends on any more.
    pub(crate) fn close(self, leaving: &Leaving) {
        let Self { mut worker, step, mut input, probe, inbox } = self;
        input.advance_to(step + 1);
        while probe.less_than(&(step + 1)) && !leaving.is_cut_short() {
            worker.step_or_park(Some(FAREWELL));
        }
        drop((input, probe, inbox));
        while worker.has_dataflows() && !leaving.is_cut_short() {
            worker.step_or_park(Some(FAREWELL));
        }
        if leaving.is_cut_short() {
            // Its connections cannot be closed in order.
            mem::forget(worker);
        }
    }

    /// Ends the step. Returns the letters of it to this worker, those of one worker in the order in
    /// which they were sent, when all letters to all workers have arrived.
    pub(crate) fn exchange(&mut self) -> Vec<WorkerLetter> {
        let step = self.step;
        self.step += 1;
        self.input.advance_to(self.step);
        while self.probe.less_than(&self.step) {
            self.worker.step_or_park(None);
        }
        self.inbox.borrow_mut().remove(&step).unwrap_or_default()
    }
}
