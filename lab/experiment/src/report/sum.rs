//! Adds up reports of disjoint seeds.

use super::chance::JudgedClaim;
use super::comparison::ComparisonRow;
use super::figures::nearer;
use super::summary::TrialsReport;
use super::{Stamp, Stamped};
use crate::counts::NumberRange;
use crate::error::Error;
use suffrage_population::report::PopulationReport;
use suffrage_population::rules::RulesReport;

/// A report that adds up with those of other seeds.
pub trait Sum: Sized {
    /// The subject of the report, which is the same for all parts.
    fn subject(&self) -> String;

    /// The seeds of the trials, in their order.
    fn seeds(&self) -> TrialSeeds<'_>;

    /// Adds the report of the seeds that follow.
    fn add(&mut self, further: Self);

    /// Takes the command of the whole where the report has the command besides.
    fn set_command(&mut self, _command: &str) {}
}

impl Sum for TrialsReport {
    fn subject(&self) -> String {
        format!("{} on {}", self.algorithm, self.network.source)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        TrialSeeds::Listed(&self.seeds.0)
    }

    fn add(&mut self, further: Self) {
        let before = self.trials.wanted;
        self.seeds.0.extend(further.seeds.0);
        self.trials.wanted += further.trials.wanted;
        self.trials.finished += further.trials.finished;
        self.figures.merge(&further.figures);
        self.bound.messages = self.bound.messages.max(further.bound.messages);
        self.bound.ratio = self.bound.ratio.max(further.bound.ratio);
        self.time_bound = either(self.time_bound.take(), further.time_bound, nearer);
        JudgedClaim::add(&mut self.chances, further.chances);
        self.leaders.add(further.leaders);
        self.failures.extend(further.failures.into_iter().map(|mut failure| {
            failure.trial += before;
            failure
        }));
    }
}

impl Sum for ComparisonRow {
    fn subject(&self) -> String {
        self.name()
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        TrialSeeds::Listed(&self.seeds.0)
    }

    fn add(&mut self, further: Self) {
        self.seeds.0.extend(further.seeds.0);
        self.trials += further.trials;
        self.figures.merge(&further.figures);
        self.bound.messages = self.bound.messages.max(further.bound.messages);
        self.bound.ratio = self.bound.ratio.max(further.bound.ratio);
        self.time_bound = either(self.time_bound.take(), further.time_bound, nearer);
        JudgedClaim::add(&mut self.chances, further.chances);
        self.failures += further.failures;
        self.failure = self.failure.take().or(further.failure);
    }
}

impl Sum for PopulationReport {
    fn subject(&self) -> String {
        format!("{} among {}", self.protocol, self.agents)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        TrialSeeds::of_trials(self.trials.seed, self.results.as_deref())
    }

    fn add(&mut self, further: Self) {
        self.add(further);
    }
}

impl Sum for RulesReport {
    fn subject(&self) -> String {
        format!("{} among {}", self.rules, self.agents)
    }

    fn seeds(&self) -> TrialSeeds<'_> {
        TrialSeeds::of_trials(self.trials.seed, self.results.as_deref())
    }

    fn add(&mut self, further: Self) {
        self.add(further);
    }
}

/// The seeds of trials, in their order.
pub enum TrialSeeds<'a> {
    /// These.
    Listed(&'a [u64]),
    /// From this one on, this many: a report that does not list them may be of more than fit in memory.
    From(u64, u64),
}

impl TrialSeeds<'_> {
    /// The seeds of trials that are listed.
    fn of_trials<T>(first: u64, trials: Option<&[T]>) -> Self {
        Self::From(first, trials.map_or(0, <[T]>::len) as u64)
    }

    fn first(&self) -> Option<u64> {
        match *self {
            Self::Listed(seeds) => seeds.first().copied(),
            Self::From(first, count) => (count > 0).then_some(first),
        }
    }

    fn count(&self) -> u64 {
        match *self {
            Self::Listed(seeds) => seeds.len() as u64,
            Self::From(_, count) => count,
        }
    }

    fn are(&self, range: NumberRange<u64>) -> bool {
        match *self {
            Self::Listed(seeds) => seeds.iter().copied().eq(range.first..=range.last),
            Self::From(first, count) => first == range.first && count == wanted(range),
        }
    }
}

/// The number of seeds in a range.
const fn wanted(range: NumberRange<u64>) -> u64 {
    (range.last - range.first).saturating_add(1)
}

/// Combines two values; returns the one that exists if there is only one.
pub fn either<T>(one: Option<T>, other: Option<T>, both: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

/// Adds up parts of one whole, each with the name of its file: their seeds follow each other, in any
/// order of the parts.
///
/// # Errors
/// If they are not parts of one whole, or seeds are missing or in two parts: with the name of the file.
pub fn sum<T: Sum>(mut parts: Vec<(String, Stamped<T>)>) -> Result<Stamped<T>, Error> {
    parts.sort_by_key(|(_, part)| part.report.seeds().first());
    let mut parts = parts.into_iter();
    let (mut last, mut whole) =
        parts.next().ok_or_else(|| Error::new("there is nothing to add up"))?;
    let (shape, range) = whole.stamp.taken_apart().map_err(|why| Error::of(&last, why))?;
    let mut range = range;
    check(&whole.report, range).map_err(|why| Error::of(&last, why))?;
    for (name, part) in parts {
        let wrong = |why: String| Error::of(&name, why);
        let (other, further) = part.stamp.taken_apart().map_err(wrong)?;
        if part.stamp.version != whole.stamp.version {
            let (one, two) = (&whole.stamp.version, &part.stamp.version);
            return Err(wrong(format!("it is of version {two}, and {last} of version {one}")));
        }
        if other != shape || part.report.subject() != whole.report.subject() {
            return Err(wrong(format!(
                "it is of another experiment than {last}: `{}` and `{}`",
                part.stamp.command, whole.stamp.command
            )));
        }
        check(&part.report, further).map_err(wrong)?;
        if further.first <= range.last {
            return Err(wrong(format!("seed {} is in {last}, too", further.first)));
        }
        if further.first != range.last + 1 {
            let (from, to) = (range.last + 1, further.first - 1);
            return Err(wrong(format!("between it and {last} the seeds {from}..{to} are missing")));
        }
        range.last = further.last;
        whole.report.add(part.report);
        last = name;
    }
    whole.stamp.command = shape.replace(HOLE, &format!("{}..{}", range.first, range.last));
    whole.report.set_command(&whole.stamp.command);
    whole.stamp.specification = whole.stamp.specification.map(|asked| asked.of_seeds(range));
    Ok(whole)
}

/// Checks that a report is of all its seeds.
fn check<T: Sum>(report: &T, range: NumberRange<u64>) -> Result<(), String> {
    let seeds = report.seeds();
    if seeds.are(range) {
        return Ok(());
    }
    let (found, wanted) = (seeds.count(), wanted(range));
    Err(format!("it has {found} of {wanted} seeds: it was interrupted, or changed"))
}

/// The placeholder for the seeds in a command.
const HOLE: &str = "\u{0}";

impl Stamp {
    fn taken_apart(&self) -> Result<(String, NumberRange<u64>), String> {
        const FLAG: &str = "--seeds";
        let none =
            || format!("`{}` has no {FLAG} A..B, which distinguishes the parts", self.command);
        let at = self.command.find(FLAG).ok_or_else(none)? + FLAG.len();
        let (before, after) = self.command.split_at(at);
        let after = after.strip_prefix([' ', '=']).ok_or_else(none)?;
        let end = after.find(' ').unwrap_or(after.len());
        let range = crate::counts::range(&after[..end]).map_err(|_| none())?;
        Ok((format!("{before} {HOLE}{}", &after[end..]), range))
    }
}
