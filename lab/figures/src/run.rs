//! Runs: the events of an election in their order, and everything that is needed to repeat them.
//!
//! A [`Run`] has a [`RunHeader`] (the network with its ports, identities, initiators, faults) and the
//! [actions](Action) of the election in the order in which they happened. Three engines make runs:
//! a [`RunRecorder`] observes the simulator, [`Run::of_execution`] takes what the checker found, and
//! the command writes what happened in a real election. Each can be written, read, replayed in the
//! simulator, and drawn:
//!
//! ```
//! use suffrage_algorithms::Algorithm;
//! use suffrage_figures::run::{RunHeader, RunRecorder, Run};
//! use suffrage_simulator::Simulator;
//! use suffrage_networks::{Ids, wiring::Wiring};
//!
//! let (wiring, ids) = (Wiring::ring(3), Ids::Random.assign(3, 7));
//! let header = RunHeader::new("lelann", wiring.clone(), ids.clone());
//! let mut recorder = RunRecorder::new(Vec::new(), &header)?;
//! let lelann = Algorithm::named("lelann").ok_or("no such algorithm")?;
//! let outcome = Simulator::new(lelann, &wiring, &ids).observer(&mut recorder).run()?;
//! let file = recorder.finish()?;
//!
//! let run = Run::read("a file", file.as_slice())?;
//! assert_eq!(run.replay(None)?.outcome, outcome);
//! println!("{}", run.diagram()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Format
//!
//! A run is written as JSON lines, in UTF-8. The first line is the header, an object:
//!
//! | key | value |
//! |---|---|
//! | `suffrage-run` | the version of the format: 1 |
//! | `version` | the version of the program that wrote it |
//! | `command` | the command that holds the election again, or `null` |
//! | `algorithm` | its name |
//! | `network` | what the network is called |
//! | `nodes`, `links` | their numbers |
//! | `ports` | the network with its ports: `{"complete":{"nodes":N}}` or `{"ring":{"nodes":N}}`, either with a `seed` if ports are shuffled by it, or `{"ends":[[[NODE,PORT],..],..]}`: for each node and each of its ports, the node and the port at the other end of the link |
//! | `ids` | the identity of each node |
//! | `initiators` | the nodes that may wake spontaneously, or `null` for all |
//! | `schedule` | which schedule it was, in words |
//! | `capacity` | the number of messages that a link holds, or `null` |
//! | `faults` | what may go wrong, as flags write it: `no-fifo`, `loss:0.1` (a probability), `loss:1` (at most once), `crash:3@10` |
//! | `seed` | the seed |
//! | `coins` | the first numbers that processes drew; further ones are drawn from the seed |
//! | `breaks` | the property that the run breaks, with a `detail`, or `null` |
//! | `loop_start` | how many actions come before those that lead back to where they began, and can be repeated without end; or `null` |
//!
//! Each further line is an event, an object with the keys `at` (the tick; runs without a clock count
//! their actions) and `event`, and, as the event has them, `node`, `from` and `to` (pairs of a node
//! and its port), `kind`, `message`, `overtakes`, `on_link` (a message is lost or duplicated on its
//! link, and not as it is sent), `status`, `why`, `clock` (the causal depth). A replay needs the
//! events `wake`, `alarm`, `crash`, `deliver`, `discard`, and `lose` and `duplicate` if they are
//! `on_link`. The others (`send`, `status`, `halt`, `reject`) follow from these and may be absent.

mod format;
mod read;
mod replay;

pub use format::Breaks;
pub(crate) use read::FaultsLeft;
pub use read::RunError;
pub use replay::{Replay, ReplayError};

use std::io::{self, Write};
use suffrage_checker::Execution;
use suffrage_model::{Action, Id};
use suffrage_networks::{Fault, wiring::Wiring};
use suffrage_simulator::{ElectionEvent, Observer, Recording, Tracer};

/// The events of an election in their order, and everything that is needed to repeat them.
#[derive(Clone, Debug)]
pub struct Run {
    /// The election.
    pub header: RunHeader,
    /// The actions in their order, each with its tick.
    pub actions: Vec<(u64, Action)>,
}

/// The first line of a run: the election in which it happened.
#[derive(Clone, Debug)]
pub struct RunHeader {
    /// The command that holds the election again.
    pub command: Option<String>,
    /// The name of the algorithm: one of the catalogue, or one of your own.
    pub algorithm: String,
    /// The name of the network.
    pub network: String,
    /// The network with its ports.
    pub wiring: Wiring,
    /// The identity of each node.
    pub ids: Vec<Id>,
    /// The nodes that may wake spontaneously; `None` for all.
    pub initiators: Option<Vec<u32>>,
    /// The schedule, in words.
    pub schedule: String,
    /// How many messages a link holds; `None` for any number.
    pub capacity: Option<u32>,
    /// The faults: by a probability, at a tick, or up to a count that the actions keep.
    pub faults: Vec<Fault>,
    /// The seed of all randomness.
    pub seed: u64,
    /// The first numbers that [`Net::choose`](suffrage_model::Net::choose) gave.
    pub coins: Vec<u32>,
    /// The property that the run violates, if it violates one.
    pub breaks: Option<Breaks>,
    /// How many actions come before those that lead back to where they began; `None` if the last
    /// ones do not.
    pub loop_start: Option<usize>,
}

impl RunHeader {
    /// Creates the header of an election on this network in which all nodes may wake and nothing
    /// goes wrong.
    #[must_use]
    pub fn new(algorithm: &str, wiring: Wiring, ids: Vec<Id>) -> Self {
        Self {
            command: None,
            algorithm: algorithm.to_owned(),
            network: format!("{} nodes", wiring.nodes()),
            wiring,
            ids,
            initiators: None,
            schedule: "recorded".to_owned(),
            capacity: None,
            faults: Vec::new(),
            seed: 1,
            coins: Vec::new(),
            breaks: None,
            loop_start: None,
        }
    }
}

impl Run {
    /// Creates the run that the checker found, with the property that it breaks and how, if it
    /// breaks one.
    #[must_use]
    pub fn of_execution(algorithm: &str, execution: &Execution, breaks: Option<Breaks>) -> Self {
        let instance = &execution.instance;
        let all = instance.initiators.len() == instance.ids.len();
        Self {
            header: RunHeader {
                initiators: (!all).then(|| instance.initiators.clone()),
                schedule: "explored".to_owned(),
                capacity: instance.capacity,
                faults: instance.faults.list(),
                coins: execution.coins.clone(),
                breaks,
                loop_start: execution.loop_start,
                ..RunHeader::new(algorithm, instance.wiring.clone(), instance.ids.clone())
            },
            actions: (1..).zip(execution.moves.iter().copied()).collect(),
        }
    }

    /// Returns the actions as a schedule, for
    /// [`Schedule::Replay`](suffrage_simulator::Schedule::Replay).
    #[must_use]
    pub fn recording(&self) -> Recording {
        let recording = Recording::new(self.header.network.clone(), self.actions.clone())
            .with_coins(self.header.coins.clone());
        match self.header.loop_start {
            Some(before) => recording.that_goes_around(before),
            None => recording,
        }
    }

    /// Returns whether links are reliable and FIFO in it, and no process fails: the claims of an algorithm apply to
    /// such runs.
    #[must_use]
    pub fn is_faultless(&self) -> bool {
        let again = self.experiment(self.recording()).faults;
        again.is_empty() && !self.recording().has_faults()
    }

    /// Returns whether the ticks are no more than the numbers of the actions.
    #[must_use]
    pub fn is_untimed(&self) -> bool {
        (1..).zip(&self.actions).all(|(number, &(at, _))| at == number)
    }

    /// Writes the run in the [format](self#format), without the events that follow from others.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        format::write_header(out, &self.header)?;
        self.actions.iter().try_for_each(|&(at, action)| format::write_action(out, at, action))
    }
}

/// An [`Observer`] that writes a run in the [format](self#format), with every event.
///
/// Nothing is held back except by the writer. A failure to write stops the writing, and
/// [`finish`](Self::finish) returns it.
pub struct RunRecorder<W: Write> {
    tracer: Tracer<W>,
}

impl<W: Write> RunRecorder<W> {
    /// Writes the header of the run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, header: &RunHeader) -> io::Result<Self> {
        format::write_header(&mut out, header)?;
        Ok(Self { tracer: Tracer::after_header(out) })
    }

    /// Ends the run and returns the writer.
    ///
    /// # Errors
    /// If any of it could not be written.
    pub fn finish(self) -> io::Result<W> {
        self.tracer.finish()
    }
}

impl<W: Write> Observer for RunRecorder<W> {
    fn event(&mut self, at: u64, clock: u32, event: &ElectionEvent<'_>) {
        self.tracer.event(at, clock, event);
    }
}
