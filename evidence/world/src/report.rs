//! What was seen in a world.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Why two commands may live at once: what the documentation of the guard excepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exception {
    /// Neither the guard nor the program nor the keeper could act.
    StoodStill,
    /// The host was suspended, and processes may act for an instant when it is resumed.
    Suspended,
    /// Processes waited for processors for longer than the margin.
    Starved,
    /// The command was in a system call that no signal interrupts.
    Uninterruptible,
}

impl Exception {
    /// All of them, each at the place of its number.
    pub(crate) const ALL: [Self; 4] =
        [Self::StoodStill, Self::Suspended, Self::Starved, Self::Uninterruptible];
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StoodStill => "a guard and a program that stood still",
            Self::Suspended => "a host that was suspended",
            Self::Starved => "a wait for processors",
            Self::Uninterruptible => "a system call that no signal interrupts",
        })
    }
}

/// What was seen in a world, or in several.
#[derive(Clone, Debug, Default)]
pub struct WorldReport {
    /// How long it was, in nanoseconds.
    pub length: u64,
    /// The number of events.
    pub events: u64,
    /// The number of commands that have started.
    pub starts: u64,
    /// How often programs were told by their members that their leaderships last longer.
    pub counted: u64,
    /// How often all should have been well, and was.
    pub judgements: u64,
    /// The number of faults of each kind.
    pub faults: BTreeMap<String, u64>,
    /// How long nothing of a command acted before a leadership, in nanoseconds, by the kind of the only fault since all
    /// was well: `start` before the first one, `several`.
    pub vacancies: BTreeMap<String, Vec<u64>>,
    /// How often two commands acted at once, and each time was excepted.
    pub exceptions: BTreeMap<Exception, u64>,
    /// How often a program ended by itself before COMMAND of the one before it, which had been killed.
    pub outlived: u64,
    /// The most lines that a program has logged between two judgements.
    pub most_logged: u64,
    /// The most guards that lived on a host at a judgement.
    pub most_guards: usize,
    /// The promises that were broken, and when.
    pub broken: Vec<(u64, String)>,
}

impl WorldReport {
    /// Adds what was seen in another world.
    pub fn add(&mut self, other: Self) {
        self.length += other.length;
        self.events += other.events;
        self.starts += other.starts;
        self.counted += other.counted;
        self.judgements += other.judgements;
        for (kind, number) in other.faults {
            *self.faults.entry(kind).or_default() += number;
        }
        for (kind, vacancies) in other.vacancies {
            self.vacancies.entry(kind).or_default().extend(vacancies);
        }
        for (exception, number) in other.exceptions {
            *self.exceptions.entry(exception).or_default() += number;
        }
        self.outlived += other.outlived;
        self.most_logged = self.most_logged.max(other.most_logged);
        self.most_guards = self.most_guards.max(other.most_guards);
        self.broken.extend(other.broken);
    }
}

impl fmt::Display for WorldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hours = self.length as f64 / 3.6e12;
        let Self { events, starts, counted, .. } = self;
        writeln!(
            f,
            "{hours:.2} hours, {events} events, {starts} commands started, {counted} extensions told to programs"
        )?;
        writeln!(
            f,
            "well when judged: {} times; at most {} lines logged in between, and {} guards alive on a host",
            self.judgements, self.most_logged, self.most_guards
        )?;
        for (exception, number) in &self.exceptions {
            writeln!(f, "two commands at once, as {exception} excepts: {number}")?;
        }
        let outlived = self.outlived;
        writeln!(f, "programs that ended before COMMAND of one that had been killed: {outlived}")?;
        writeln!(
            f,
            "{:<24}{:>9}{:>22}{:>12}{:>12}",
            "fault", "times", "vacancies after it", "median", "longest"
        )?;
        let mut kinds: BTreeSet<&String> = self.faults.keys().collect();
        kinds.extend(self.vacancies.keys());
        for kind in kinds {
            let times = self.faults.get(kind).map_or(String::new(), u64::to_string);
            let mut vacancies = self.vacancies.get(kind).cloned().unwrap_or_default();
            vacancies.sort_unstable();
            let of = |place: Option<&u64>| {
                place.map_or(String::new(), |nanos| format!("{:.1} ms", *nanos as f64 / 1e6))
            };
            let (median, longest) = (vacancies.get(vacancies.len() / 2), vacancies.last());
            let number = vacancies.len();
            let (median, longest) = (of(median), of(longest));
            writeln!(f, "{kind:<24}{times:>9}{number:>22}{median:>12}{longest:>12}")?;
        }
        writeln!(f, "{} promises broken", self.broken.len())
    }
}
