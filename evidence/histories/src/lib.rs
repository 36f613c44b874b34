//! The judge of runs of Tenure's service: on real hosts (`.ci/namespaces-lead`), and on simulated ones
//! (`suffrage-world`).
//!
//! All times are of one clock. It checks that no two commands live at once, and none is certain to lead after a newer
//! one has started; that terms grow, each has one leader, and what starts has won; that a register which compares terms
//! takes none of an older term after a newer one; that followers are told values of leaders that are not older than the
//! one they knew; how long the office is vacant, including the end of the run; that leaders keep the office through the
//! faults that they have to survive, and while there is none; and what members say when all should be well.
//!
//! Real hosts share a machine. So a run of them records how long members waited for processors and disks: a vacancy may
//! last that much longer, and a leader may be deposed if such a wait explains it.

mod events;
mod office;
#[cfg(test)]
mod tests;

use anyhow::Context;
use events::ToldValue;
pub use events::{RunEvents, TenureEvent, disagrees};
pub use office::apart;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    time::Duration,
};
use suffrage_numbers::statistics::quantile;

/// The longest vacancy, in milliseconds, of five hosts of one machine: 1.01 leases of 250 ms, and the rest
/// for two round trips, a disk sync, and the start of the command.
pub const LONGEST: u64 = 400;

const MILLI: u64 = 1_000_000;

/// For how long a command may outlive its leadership at most, and its successor be forgiven that it started
/// meanwhile.
const LATEST: Duration = Duration::from_secs(1);

/// What a history is held to.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Promises {
    /// The rates of clocks broke their bound: two may lead at once, and the register must notice
    #[arg(long)]
    pub clocks_beyond: bool,

    /// The longest vacancy, in milliseconds, beside what faults and waits explain: 1.01 leases of 250 ms,
    /// and the rest for two round trips, a disk sync, and the start of the command
    #[arg(long, value_name = "MS", default_value_t = LONGEST)]
    pub longest: u64,

    /// Commands that have ended are started again in their terms
    #[arg(long)]
    pub restarts: bool,

    /// The first host takes the office back, also where there is no fault
    #[arg(long)]
    pub takes_back: bool,
}

/// What happened in a run, and which promises it breaks.
#[derive(Debug, Default)]
pub struct RunHistory {
    /// The starts of commands.
    pub tenures: usize,
    /// Writes that the register accepted.
    pub writes: usize,
    /// Writes that the register refused.
    pub refused: usize,
    /// Commands that started while another one lived.
    pub overlaps: usize,
    /// Those of them which are explained by a predecessor that was logged to have outlived its leadership.
    pub logged: usize,
    /// What members told about the office.
    pub told: usize,
    /// How long after each fault a follower on another host knew the value of the next leader, in milliseconds, by the
    /// kind of the fault.
    pub knew: BTreeMap<String, Vec<u64>>,
    /// How long nothing led before each tenure, in nanoseconds; before the first one, if the beginning is known.
    pub vacancies: Vec<u64>,
    /// How long each of them, and the end of the run, may have lasted, in milliseconds.
    pub bounds: Vec<u64>,
    /// How many of them lasted longer than promised, as members were kept from processors and disks.
    pub prolonged: usize,
    /// Faults that a leader had to survive, and did.
    pub survived: usize,
    /// Leaders that did not, and members that did not say who leads, as members waited for processors.
    pub starved: usize,
    /// The promises that it breaks, if any.
    pub broken: Vec<String>,
}

impl RunHistory {
    /// Reads and checks the logs in a folder.
    ///
    /// # Errors
    /// If a file cannot be read, or a line of the commands' trace is none.
    pub fn read(folder: &Path, promises: Promises) -> anyhow::Result<Self> {
        let events = RunEvents::read(folder).with_context(|| folder.display().to_string())?;
        Ok(Self::of(&events, promises))
    }

    fn of(events: &RunEvents, promises: Promises) -> Self {
        let mut history = Self::so_far(events, promises);
        if events.starts.is_empty() {
            history.broken.push("no command has started".to_owned());
        }
        if events.end.is_none() {
            history.broken.push("the driver has not come to the end of the run".to_owned());
        }
        history
    }

    /// Judges what has happened so far.
    #[must_use]
    pub fn so_far(events: &RunEvents, promises: Promises) -> Self {
        let mut history = Self {
            tenures: events.starts.len(),
            writes: events.writes.len(),
            refused: events.refused.len(),
            overlaps: events.overlaps.len(),
            told: events.told.len(),
            ..Self::default()
        };
        if !promises.clocks_beyond {
            history.check_alone(events);
            history.check_holds(events);
            history.check_kept(events, promises);
        }
        history.check_terms(events, promises);
        history.check_leaders(events);
        history.check_register(events);
        history.check_values(events);
        history.check_vacancies(events, promises);
        history.check_views(events);
        history
    }

    /// Adds what happened in another run.
    pub fn add(&mut self, other: Self) {
        self.tenures += other.tenures;
        self.writes += other.writes;
        self.refused += other.refused;
        self.overlaps += other.overlaps;
        self.logged += other.logged;
        self.told += other.told;
        for (kind, times) in other.knew {
            self.knew.entry(kind).or_default().extend(times);
        }
        self.vacancies.extend(other.vacancies);
        self.bounds.extend(other.bounds);
        self.prolonged += other.prolonged;
        self.survived += other.survived;
        self.starved += other.starved;
        self.broken.extend(other.broken);
    }

    /// No commands of two members live at once, unless the older one was killed too late, as its guard was
    /// kept from the processors for longer than its margin, and this was logged and explains it.
    fn check_alone(&mut self, events: &RunEvents) {
        for start in &events.overlaps {
            match unexplained(start, events) {
                None => self.logged += 1,
                Some(why) => {
                    let why = format!("two commands lived at once: {start} started beside {why}");
                    self.broken.push(why);
                }
            }
        }
    }

    /// Checks that no command was certain of its leadership after a newer leadership had begun.
    fn check_holds(&mut self, events: &RunEvents) {
        for held in &events.certain {
            // Starts are in the order of time.
            let begun = events.starts.partition_point(|start| start.at <= held.at);
            let newer = events.starts[..begun].iter().find(|start| start.term > held.term);
            if let Some(newer) = newer {
                self.broken.push(format!("two led at once: {held} was certain, {newer} had begun"));
            }
        }
    }

    /// Each tenure has a greater term than all before it.
    fn check_terms(&mut self, events: &RunEvents, promises: Promises) {
        for pair in events.starts.windows(2) {
            let again = promises.restarts && pair[1].term == pair[0].term;
            if pair[1].term <= pair[0].term && !again {
                self.broken.push(format!("terms do not grow: {} after {}", pair[1], pair[0]));
            }
        }
        for log in &events.logs {
            for pair in log.windows(2) {
                if pair[1].term <= pair[0].term {
                    let why = format!("a member's log goes back: {} after {}", pair[1], pair[0]);
                    self.broken.push(why);
                }
            }
        }
    }

    /// Checks that no two sources name different leaders of one term, and that every command was
    /// started by a member whose log says that it has won the term.
    fn check_leaders(&mut self, events: &RunEvents) {
        let mut leaders: BTreeMap<u64, &str> = BTreeMap::new();
        let won = events.logs.iter().flatten();
        for event in won.clone().chain(&events.starts).chain(&events.told) {
            let known = leaders.entry(event.term).or_insert(&event.member);
            if *known != event.member {
                self.broken.push(format!("term {} has two leaders: {known}, {event}", event.term));
            }
        }
        let won: BTreeMap<u64, &str> =
            won.map(|event| (event.term, event.member.as_str())).collect();
        for start in &events.starts {
            if won.get(&start.term) != Some(&start.member.as_str()) {
                self.broken.push(format!("{start} started, and no log says that it won"));
            }
        }
    }

    /// The register has accepted no older term after a newer one.
    fn check_register(&mut self, events: &RunEvents) {
        for pair in events.writes.windows(2) {
            if pair[1] < pair[0] {
                self.broken.push(format!("the register took term {} after {}", pair[1], pair[0]));
            }
        }
        if self.refused > 0 && events.overlaps.is_empty() {
            self.broken.push("the register refused a writer, and none lived beside it".to_owned());
        }
    }

    /// Each value belongs to a leader of the term for which the follower asked, or of a newer one. Finds how long after
    /// each fault the followers on other hosts had the value of the next leader.
    fn check_values(&mut self, events: &RunEvents) {
        for told in &events.values {
            let mut newer = events.starts.iter().filter(|start| start.term >= told.asked.term);
            if !newer.any(|start| start.member == told.value) {
                let ToldValue { asked, value, follower } = told;
                let why = format!(
                    "{follower} asked for the value of {asked}, and was told that of {value}"
                );
                self.broken.push(why);
            }
        }
        let followers: BTreeSet<&str> =
            events.values.iter().map(|told| told.follower.as_str()).collect();
        for fault in &events.faults {
            let Some((kind, host)) = fault.what.split_once(" on ") else { continue };
            let begun = events.starts.partition_point(|start| start.at < fault.from);
            let before = begun.checked_sub(1).map_or(0, |last| events.starts[last].term);
            for follower in followers.iter().filter(|follower| **follower != host) {
                let first = events.values.iter().find(|told| {
                    told.follower == **follower
                        && told.asked.at > fault.from
                        && told.asked.term > before
                });
                let Some(first) = first else { continue };
                let times = self.knew.entry(kind.to_owned()).or_default();
                times.push((first.asked.at - fault.from) / MILLI);
            }
        }
    }
}

fn unexplained(start: &TenureEvent, events: &RunEvents) -> Option<String> {
    let before = events.starts.iter().rev().find(|earlier| earlier.term < start.term);
    let Some(before) = before else { return Some("another".to_owned()) };
    let Some(late) = events.late.get(&before.term) else {
        return Some(format!("another, and nothing excepts {before}"));
    };
    // A guard that stands still beside its program kills when it goes on.
    let stood = events.faults.iter().filter(|fault| {
        let counts = fault.from..fault.to + LATEST.as_nanos() as u64;
        fault.what.starts_with("stop ") && counts.contains(&start.at)
    });
    let stood: u64 = stood.map(|fault| fault.to - fault.from).sum();
    if late.by > LATEST + Duration::from_nanos(stood) {
        return Some(format!("{before}, which outlived its leadership by {:?}", late.by));
    }
    // It was dead when that was logged.
    if late.at.is_some_and(|logged| logged < start.at) {
        return Some(format!("another, after {before} had been logged as late, and dead"));
    }
    // Its leadership had ended when its successor's leadership began.
    let dead = start.at + late.by.as_nanos() as u64;
    let signs = events.holds.iter().chain(&events.refused);
    let last = signs.filter(|sign| sign.term == before.term).map(|sign| sign.at).max();
    let alive = last.filter(|&last| last > dead)?;
    Some(format!(
        "{before}, which outlived its leadership by {:?}, and did something {} us after that start",
        late.by,
        (alive - start.at) / 1000
    ))
}

impl fmt::Display for RunHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |values: &[u64], share| {
            let mut values = values.to_vec();
            values.sort_unstable();
            quantile(&values, share, 100).unwrap_or(0)
        };
        let vacant: Vec<u64> = self.vacancies.iter().map(|nanos| nanos / MILLI).collect();
        write!(
            f,
            "{} tenures, {} writes, {} refused, {} commands beside another ({} of them logged as late), \
             {} views; vacant for {} ms (median), {} ms (p99), {} ms (longest), where {} ms (median) to {} ms \
             were allowed, {} times beyond the promise, as members waited; leaders survived {} faults that \
             they have to, and {} offices were lost or not known as members waited",
            self.tenures,
            self.writes,
            self.refused,
            self.overlaps,
            self.logged,
            self.told,
            percent(&vacant, 50),
            percent(&vacant, 99),
            percent(&vacant, 100),
            percent(&self.bounds, 50),
            percent(&self.bounds, 100),
            self.prolonged,
            self.survived,
            self.starved,
        )?;
        for (kind, times) in &self.knew {
            write!(
                f,
                "\nok: {kind}, {} times: a follower knew the value of the next leader after {} ms (median), {} ms \
                 (p99), {} ms (longest)",
                times.len(),
                percent(times, 50),
                percent(times, 99),
                percent(times, 100),
            )?;
        }
        Ok(())
    }
}
