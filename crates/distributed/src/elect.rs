//! The election itself: workers that run blocks of processes, a tick at a time.

use crate::{link::Leaving, team::Team};
use serde::{Deserialize, Serialize};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    io,
    ops::ControlFlow,
    panic::resume_unwind,
    rc::Rc,
    thread,
    time::{Duration, Instant},
};
use suffrage_algorithms::{Algorithm, Claimed, Claims, WireVisitor};
use suffrage_process::{Id, Process, Timing, Wire};
use suffrage_simulator::{
    Experiment, Impossible, Outcome,
    blocks::{Account, Block, Clock, Indivisible, Layout, Share, conclude},
};
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

/// Holds an election with a team. Returns the outcome, which is that of a
/// [`Simulator`](suffrage_simulator::Simulator), in the program of the first worker, and `None` in the
/// others.
///
/// Calls `on_progress` after every tick with the number of delivered messages. The election stops when
/// it returns [`ControlFlow::Break`] in one of the programs.
///
/// If another program of the team comes to its end before, the team's `OnLoss` ends this one.
///
/// # Errors
/// If the election is not possible, cannot be divided, or its processes set alarms.
///
/// # Panics
/// If the algorithm has more than 16 kinds of messages.
pub fn elect(
    algorithm: &Algorithm,
    experiment: &Experiment<'_>,
    team: Team,
    on_progress: &mut OnProgress<'_>,
) -> Result<Option<Outcome>, ElectError> {
    let layout = Layout::new(experiment, team.workers())?;
    Layout::check(experiment, algorithm.network, algorithm.timing)?;
    // What relies on rounds counts them by alarms.
    if algorithm.timing == Timing::Rounds {
        return Err(ElectError::Alarms);
    }
    hold(algorithm, experiment, layout, team, on_progress)
}

/// An error: an election could not be held by a team.
#[derive(Debug, thiserror::Error)]
pub enum ElectError {
    /// The experiment is not possible.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The election is one for a single worker.
    #[error(transparent)]
    Indivisible(#[from] Indivisible),
    /// The processes set alarms.
    #[error("its processes set alarms, which are for one worker")]
    Alarms,
    /// The connections to the other programs cannot be used.
    #[error("the connections between the hosts cannot be used: {0}")]
    Connections(#[from] io::Error),
}

/// What is told how many messages have been delivered, and may stop the election.
pub type OnProgress<'a> = dyn FnMut(u64) -> ControlFlow<()> + Send + 'a;

/// The end of an election, as the first worker knows it.
type End = (Clock, Vec<Share>);

/// Holds the election of an algorithm.
fn hold(
    algorithm: &Algorithm,
    experiment: &Experiment<'_>,
    layout: Layout,
    team: Team,
    on_progress: &mut OnProgress<'_>,
) -> Result<Option<Outcome>, ElectError> {
    let engine = algorithm.visit_wire(Compiled);
    let (builders, guard, leaving) = team.builders()?;
    let mut on_progress = Some(on_progress);
    let ends: Vec<Result<Option<End>, ElectError>> = thread::scope(|scope| {
        let mut threads = Vec::new();
        for builder in builders {
            let (leaving, on_progress) = (leaving.clone(), on_progress.take());
            threads.push(scope.spawn(move || {
                let _end = EndWithPanic;
                let job = Job::new(builder.build(), experiment, layout, leaving);
                let part = (engine.part)(experiment, layout, job.number);
                job.run(part, on_progress)
            }));
        }
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    // Waits until everything has been sent.
    drop(guard);
    let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
    let end = ends.into_iter().flatten().next();
    Ok(end.map(|(clock, shares)| {
        (engine.conclude)(experiment, Some(&algorithm.claims), clock, shares)
    }))
}

/// All that is compiled for an algorithm. The exchange of messages is not: it sees bytes.
#[derive(Clone, Copy)]
struct Engine {
    part: fn(&Experiment<'_>, Layout, u32) -> Box<dyn Part>,
    conclude: fn(&Experiment<'_>, Option<&Claims>, Clock, Vec<Share>) -> Outcome,
}

struct Compiled;

impl WireVisitor for Compiled {
    type Output = Engine;

    fn visit<P: Claimed<Msg: Wire>>(self) -> Engine {
        Engine {
            part: |experiment, layout, number| {
                Box::new(Block::<P>::new(experiment, layout, number))
            },
            conclude: conclude::<P>,
        }
    }
}

/// A block of processes whose messages are in their wire form.
trait Part {
    /// Runs a tick, as [`Block::run`] does.
    fn run(&mut self, experiment: &Experiment<'_>, clock: &Clock, post: &mut Post<'_>) -> Account;

    /// Takes messages to the processes, as [`Block::accept`] does.
    fn accept(&mut self, tick: u64, bytes: &[u8]);

    /// Returns the share in the outcome.
    fn share(&self, ids: &[Id]) -> Share;
}

/// What takes messages: the receiving block, the tick of their arrival, their wire form.
type Post<'p> = dyn FnMut(u32, u64, Vec<u8>) + 'p;

impl<P: Process<Msg: Wire>> Part for Block<P> {
    fn run(&mut self, experiment: &Experiment<'_>, clock: &Clock, post: &mut Post<'_>) -> Account {
        Self::run(self, experiment, clock, &mut |to, tick, packets| {
            let bytes = packets.iter().fold(Vec::new(), |bytes, packet| {
                postcard::to_extend(packet, bytes).expect("a message of plain data has a wire form")
            });
            post(to, tick, bytes);
        })
    }

    fn accept(&mut self, tick: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let taken = postcard::take_from_bytes(bytes);
            let (packet, rest) = taken.expect("workers send what they can read");
            Self::accept(self, tick, [packet]);
            bytes = rest;
        }
    }

    fn share(&self, ids: &[Id]) -> Share {
        Self::share(self, ids)
    }
}

/// What workers send each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Letter {
    /// The worker to which it goes.
    to: u32,
    body: Body,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Body {
    /// Messages that arrive at a tick.
    Messages(u64, #[serde(with = "serde_bytes")] Vec<u8>),
    /// What happened at a worker in the tick.
    Account(u32, Account),
    /// The share of a worker in the outcome.
    Share(Share),
}

/// Ends the program when a worker panics: the others would wait for it for ever.
struct EndWithPanic;

impl Drop for EndWithPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::exit(101);
        }
    }
}

/// The work of one thread.
struct Job<'a, 'e> {
    worker: Worker,
    number: u32,
    experiment: &'a Experiment<'e>,
    layout: Layout,
    leaving: Leaving,
}

impl<'a, 'e> Job<'a, 'e> {
    fn new(
        allocator: Allocator,
        experiment: &'a Experiment<'e>,
        layout: Layout,
        leaving: Leaving,
    ) -> Self {
        // A worker that waits sleeps: others may need its core.
        let config = WorkerConfig::default().idle_spin(Duration::ZERO);
        let worker = Worker::new(config, allocator, Some(Instant::now()));
        let number = worker.index() as u32;
        Self { worker, number, experiment, layout, leaving }
    }

    /// Runs the part of this worker until the election is over. Returns the end of the election, if
    /// this is the first worker.
    fn run(
        mut self,
        mut part: Box<dyn Part>,
        mut on_progress: Option<&mut OnProgress<'_>>,
    ) -> Result<Option<End>, ElectError> {
        let Self { experiment, layout, number, .. } = self;
        let mut clock = Clock::new(experiment, layout);
        let mut post = PostOffice::new(&mut self.worker);
        let mut interrupted = false;
        while clock.tick().is_some() {
            let mut account = part.run(experiment, &clock, &mut |to, tick, bytes| {
                post.send(to, Body::Messages(tick, bytes));
            });
            account.interrupted = interrupted;
            // Who has nothing to tell is silent.
            if account != Account::default() {
                for to in 0..layout.blocks() {
                    post.send(to, Body::Account(number, account.clone()));
                }
            }
            let mut accounts = vec![Account::default(); layout.blocks() as usize];
            for letter in post.exchange(&mut self.worker) {
                match letter.body {
                    Body::Messages(tick, bytes) => part.accept(tick, &bytes),
                    Body::Account(from, account) => accounts[from as usize] = account,
                    Body::Share(_) => unreachable!("the election is not over"),
                }
            }
            clock.advance(accounts);
            if let Some(on_progress) = &mut on_progress {
                interrupted |= on_progress(clock.delivered()).is_break();
            }
        }
        post.send(0, Body::Share(part.share(experiment.ids)));
        drop(part);
        let letters = post.exchange(&mut self.worker);
        let share = |letter: Letter| match letter.body {
            Body::Share(share) => Some(share),
            Body::Messages(..) | Body::Account(..) => None,
        };
        let shares = letters.into_iter().filter_map(share).collect();
        // When all have come here, no connection is needed any more.
        self.leaving.announce();
        let _ = post.exchange(&mut self.worker);
        drop(post);
        while self.worker.has_dataflows() {
            self.worker.step_or_park(None);
        }
        if clock.alarmed() {
            return Err(ElectError::Alarms);
        }
        Ok((number == 0).then_some((clock, shares)))
    }
}

/// The exchange of letters between all workers, in steps.
struct PostOffice {
    step: u64,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Letter>>>,
    /// Says when all letters of a step have arrived everywhere.
    probe: ProbeHandle<u64>,
    /// The letters that have arrived, by step: others may be a step ahead.
    inbox: Rc<RefCell<BTreeMap<u64, Vec<Letter>>>>,
}

impl PostOffice {
    fn new(worker: &mut Worker) -> Self {
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let inbox = Rc::new(RefCell::new(BTreeMap::<u64, Vec<Letter>>::new()));
        let arrived = Rc::clone(&inbox);
        worker.dataflow::<u64, _, _>(|scope| {
            let to = Exchange::new(|letter: &Letter| u64::from(letter.to));
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
        Self { step: 0, input, probe, inbox }
    }

    fn send(&mut self, to: u32, body: Body) {
        self.input.send(Letter { to, body });
    }

    /// Ends the step. Returns the letters of it to this worker, those of one worker in the order in
    /// which they were sent, when all letters to all workers have arrived.
    fn exchange(&mut self, worker: &mut Worker) -> Vec<Letter> {
        let step = self.step;
        self.step += 1;
        self.input.advance_to(self.step);
        while self.probe.less_than(&self.step) {
            worker.step_or_park(None);
        }
        self.inbox.borrow_mut().remove(&step).unwrap_or_default()
    }
}
