//! Schedulers, which choose the next step of a run among the possible ones.

use std::{fmt, str::FromStr};
use suffrage_networks::random::Generator;

/// A way to choose the next step at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleScheduler {
    /// Each possible step with the same probability.
    Uniform,
    /// The message that was sent last.
    Newest,
    /// The message that was sent first.
    Oldest,
    /// Nothing is delivered on one link as long as anything else can happen.
    StarvedLink,
    /// Nothing happens to one process as long as anything else can happen.
    StarvedProcess,
    /// Probabilistic concurrency testing, for faults of this depth: S. Burckhardt, P. Kothari,
    /// M. Musuvathi, S. Nagarakatte, *A Randomized Scheduler with Probabilistic Guarantees of
    /// Finding Bugs*, ASPLOS 2010.
    ///
    /// Each link, and each process for its wake-up and its alarm, is a thread with a random
    /// priority. The thread with the highest priority that has a possible step takes it. At
    /// `depth - 1` random steps the priority of the running thread becomes the lowest. With *m*
    /// threads and at most *k* steps, a fault of that depth is found with probability at least
    /// `1 / (m k^(depth - 1))`.
    Pct(u32),
}

impl SampleScheduler {
    /// Every scheduler, with the depths 1 to 3 of [`Pct`](Self::Pct).
    pub const ALL: [Self; 8] = [
        Self::Uniform,
        Self::Newest,
        Self::Oldest,
        Self::StarvedLink,
        Self::StarvedProcess,
        Self::Pct(1),
        Self::Pct(2),
        Self::Pct(3),
    ];

    /// Returns whether every step that stays possible is taken sooner or later, with probability 1.
    pub(super) const fn is_fair(self) -> bool {
        matches!(self, Self::Uniform | Self::Oldest)
    }
}

impl FromStr for SampleScheduler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let depth = text.strip_prefix("pct:").and_then(|depth| depth.parse().ok());
        let known = Self::ALL.into_iter().find(|known| known.to_string() == text);
        known.or(depth.filter(|depth| (1..=16).contains(depth)).map(Self::Pct)).ok_or_else(|| {
            format!(
                "unknown scheduler `{text}`; choose uniform, newest, oldest, starved-link, \
                 starved-process or pct:D, with a depth D from 1 to 16"
            )
        })
    }
}

impl fmt::Display for SampleScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Newest => f.write_str("newest"),
            Self::Oldest => f.write_str("oldest"),
            Self::StarvedLink => f.write_str("starved-link"),
            Self::StarvedProcess => f.write_str("starved-process"),
            Self::Pct(depth) => write!(f, "pct:{depth}"),
        }
    }
}

/// A source of steps: a link that delivers its messages, a process that wakes, or an alarm.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepSource {
    /// Its number.
    pub number: u32,
    /// The step at which its oldest message was sent, or its alarm set; 0 for a wake-up.
    pub since: u32,
    /// The process at which its steps occur.
    pub node: u16,
}

pub(super) struct RandomSchedule {
    scheduler: SampleScheduler,
    random: Generator,
    /// For PCT the priority of each source, and the steps at which one changes.
    priorities: Vec<u64>,
    changes: Vec<u32>,
    /// The source, or the process, that is starved.
    starved: u32,
}

impl RandomSchedule {
    /// Creates a schedule for a network of this size and a run of at most this number of steps.
    pub(super) fn new(
        scheduler: SampleScheduler,
        mut random: Generator,
        links: usize,
        nodes: usize,
        steps: u32,
    ) -> Self {
        let (mut priorities, mut changes) = (Vec::new(), Vec::new());
        let mut starved = 0;
        match scheduler {
            SampleScheduler::Pct(depth) => {
                let mut order: Vec<u64> = (0..(links + 2 * nodes) as u64).collect();
                random.shuffle(&mut order);
                priorities = order.into_iter().map(|place| place + u64::from(depth)).collect();
                changes = (1..depth).map(|_| random.below(steps.into()) as u32).collect();
            }
            SampleScheduler::StarvedLink => starved = random.below(links.max(1) as u64) as u32,
            SampleScheduler::StarvedProcess => starved = random.below(nodes as u64) as u32,
            SampleScheduler::Uniform | SampleScheduler::Newest | SampleScheduler::Oldest => {}
        }
        Self { scheduler, random, priorities, changes, starved }
    }

    /// Returns the number of the source that takes this step.
    ///
    /// # Panics
    /// If there are no sources.
    pub(super) fn choose(&mut self, step: u32, sources: &[StepSource]) -> u32 {
        match self.scheduler {
            SampleScheduler::Uniform => self.any(sources.len(), |place| Some(sources[place])),
            SampleScheduler::Newest => {
                sources.iter().max_by_key(|source| (source.since, source.number)).map(number)
            }
            SampleScheduler::Oldest => {
                sources.iter().min_by_key(|source| (source.since, source.number)).map(number)
            }
            SampleScheduler::StarvedLink => self.all_but(sources, |source| source.number),
            SampleScheduler::StarvedProcess => self.all_but(sources, |source| source.node.into()),
            SampleScheduler::Pct(_) => {
                let highest = |priorities: &[u64]| {
                    let priority = |source: &&StepSource| priorities[source.number as usize];
                    sources.iter().max_by_key(priority).map(number)
                };
                let mut chosen = highest(&self.priorities);
                for (place, &change) in self.changes.iter().enumerate() {
                    if change == step
                        && let Some(running) = chosen
                    {
                        self.priorities[running as usize] = place as u64;
                        chosen = highest(&self.priorities);
                    }
                }
                chosen
            }
        }
        .expect("something can happen")
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn any(&mut self, count: usize, at: impl Fn(usize) -> Option<StepSource>) -> Option<u32> {
        at(self.random.below(count as u64) as usize).map(|source| source.number)
    }

    fn all_but(&mut self, sources: &[StepSource], of: impl Fn(&StepSource) -> u32) -> Option<u32> {
        let fed: Vec<&StepSource> =
            sources.iter().filter(|source| of(source) != self.starved).collect();
        match fed.is_empty() {
            true => self.any(sources.len(), |place| Some(sources[place])),
            false => self.any(fed.len(), |place| Some(*fed[place])),
        }
    }
}

fn number(source: &StepSource) -> u32 {
    source.number
}
