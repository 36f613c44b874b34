//! Mutants of Tenure and of the values of its leaderships, and the evidence that finds them: exhaustive
//! exploration, random walks, simulated runs with faults of every kind, and scenarios.
//!
//! All mutants are one type: at the place of each edit it chooses by the mutant that the thread
//! examines.

use crate::{
    list::{Found, TENURE, TenureFault},
    report::code,
};
use std::{
    cell::Cell,
    fmt::Write,
    fs,
    panic::{self, AssertUnwindSafe},
    path::Path,
    time::Duration,
};
use tenure_exploration::{Budget, ExplorationReport, Explorer};
use tenure_model::{Peer, Ratio, Recoverable, Setting, Term};
use tenure_scenarios::{Scenario, Transcript, transcript};
use tenure_simulation::promises::Breach;
use tenure_simulation::{FaultKind, Faults, Nanos, Simulation};
use world::{CHANGES, CLIMATES, walk};

#[allow(dead_code)] // The walks of the protocols ask it for more.
#[path = "../../../tenure/protocol/tests/walks/world.rs"]
mod world;

#[allow(dead_code)] // Tests ask it for more.
#[path = "../../../tenure/protocol/tests/values/world.rs"]
mod values;

#[allow(unreachable_pub)] // It is public where it is at home.
#[path = "../../../tenure/protocol/src/valued.rs"]
mod valued;

include!(concat!(env!("OUT_DIR"), "/tenure.rs"));

use machine as value;

use reconfiguration::{Reconfigurable, ReconfigurableAlarm};
use subject::{Alarm, INVARIANTS, Tenure};
use valued::Valued;

thread_local! {
    /// The number of the mutant, from 1; 0 is Tenure as it is. A process is made from what it knows
    /// of the others, and should know nothing of this.
    static CHOSEN: Cell<usize> = const { Cell::new(0) };
}

/// The mutant that this thread examines.
pub(crate) fn chosen() -> usize {
    CHOSEN.get()
}

/// Goes on with a reaction, unless it has no end.
///
/// # Panics
/// If it has had too many steps: [`caught`] makes a finding of it.
pub(crate) fn go_on(steps: usize) {
    assert!(steps < 10_000, "{ENDLESS}");
}

const ENDLESS: &str = "a reaction does not end";

/// What was found, also by a panic. A mutant may have any.
fn caught(find: impl FnOnce() -> Option<Finding>) -> Option<Finding> {
    panic::catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|why| {
        let words = why.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| why.downcast_ref::<&str>().copied());
        let detail = words.unwrap_or("it panics").to_owned();
        Some(Finding { effort: 0, steps: 0, detail })
    })
}

/// The most walks that look for a mutant, in its climate.
const WALKS: u64 = 2500;

/// The steps of a walk, before its calm.
const STEPS: u64 = 600;

/// The most walks in which members change, and their steps.
const CHANGING: [u64; 2] = [400, 3000];

/// The most simulated runs that look for a mutant, in its cluster.
const RUNS: u64 = 50;

/// What has found a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// After how much: configurations, walks or runs.
    pub effort: u64,
    /// The steps of the shortest execution that breaks something; 0 where it is not known.
    pub steps: usize,
    /// What is broken, in words.
    pub detail: String,
}

/// The row and the climate in which the values of leaderships are tried, a machine of their own.
const VALUES: &str = "values";

/// Ticks within which an office is filled where nothing goes wrong any more: a lease as long as it is owed, two
/// heartbeats until that is known and lost messages are repeated, and two round trips.
pub const SOON: u64 = 11 + 2 * 2 + 2 * 2;

/// Ticks within which an office of a new cluster is: two looks, which take two round trips, come after the lease.
pub const FOUNDED: u64 = SOON + 2 * 2;

const fn setting(members: u32, stop: u32) -> Setting {
    let clocks = Ratio { fastest: 5, slowest: 4 };
    Setting { me: Peer(0), members, heartbeat: 2, lease: 8, stop, clocks }
}

fn members(members: u32, stop: u32, budget: Budget) -> Explorer<Tenure> {
    let terms = budget.terms.min(Term(4 << 32));
    let budget = Budget { terms, tenures: 4, ..budget };
    let explorer =
        Explorer::new(members).setting(setting(members, stop)).ordering(Alarm::is_ordered);
    explorer.budget(budget).invariants(INVARIANTS).limit(400_000)
}

/// At most two messages under way, in any order, of claims with the counter 1.
fn any(rings: u8) -> Budget {
    let terms = Term(1 << 32 | u64::from(u32::MAX));
    Budget { rings, under_way: 2, duplicates: 0, terms, ..Budget::default() }
}

/// Messages in the order of sending.
fn order(rings: u8) -> Budget {
    Budget { rings, losses: 0, overtakings: 0, duplicates: 0, ..Budget::default() }
}

/// The row of this name: an exhaustive exploration.
fn row(name: &str) -> Option<Explorer<Tenure>> {
    ROWS.iter().find(|(row, _)| *row == name).map(|(_, explorer)| explorer())
}

/// What is explored: a name, and how.
type Row<P> = (&'static str, fn() -> Explorer<P>);

const ROWS: &[Row<Tenure>] = &[
    ("one member", || members(1, 0, order(2)).filled_within(SOON)),
    ("two members", || members(2, 0, order(3)).filled_within(SOON)),
    ("two members, any order", || members(2, 0, any(1)).filled_within(SOON)),
    ("two members, a loss", || members(2, 0, Budget { losses: 1, ..order(3) }).filled_within(SOON)),
    ("two members, a crash and a loss", || {
        members(2, 0, Budget { crashes: 1, losses: 1, ..order(2) }).filled_within(SOON)
    }),
    ("two members, a crash, a loss, one doubled and one overtaken", || {
        let budget = Budget { crashes: 1, losses: 1, overtakings: 1, duplicates: 1, ..order(1) };
        members(2, 0, budget).filled_within(SOON)
    }),
    ("two members, time for stopping", || {
        members(2, 4, Budget { crashes: 1, departures: 1, ..order(3) })
    }),
    ("two members and a client, a crash", || {
        members(2, 0, Budget { crashes: 1, ..order(1) }).clients(1).filled_within(SOON)
    }),
    ("one of two members stands, any order", || {
        let terms = Term(2 << 32 | u64::from(u32::MAX));
        members(2, 0, Budget { terms, ..any(3) }).witness(1)
    }),
    ("two members and a client, cut one way", || {
        members(2, 0, order(2)).clients(1).filled_within(SOON).one_way_cuts()
    }),
    ("three members, two offices, cut one way", || {
        members(3, 0, order(4)).offices(2).filled_within(SOON).one_way_cuts()
    }),
    ("three members, cut one way", || members(3, 0, any(0)).filled_within(SOON).one_way_cuts()),
    ("three members", || members(3, 0, order(4)).filled_within(SOON)),
    ("three members, any order", || members(3, 0, any(0)).filled_within(SOON)),
    ("three members, a crash", || {
        members(3, 0, Budget { crashes: 1, ..order(1) }).filled_within(SOON)
    }),
    ("three members, a loss", || {
        members(3, 0, Budget { losses: 1, ..order(2) }).filled_within(SOON)
    }),
    ("three members, a departure", || {
        members(3, 0, Budget { departures: 1, ..order(2) }).filled_within(SOON)
    }),
    ("three members, a record lost", || {
        members(3, 0, Budget { crashes: 1, lost_records: 1, ..order(2) })
    }),
    ("two members and a witness, any order", || members(3, 0, any(1)).witness(2)),
    ("two members, a loss, one doubled and one overtaken", || {
        let budget = Budget { losses: 1, overtakings: 1, duplicates: 1, ..order(2) };
        members(2, 0, budget).filled_within(SOON)
    }),
    ("a client beside two witnesses, a crash", || {
        members(2, 0, Budget { crashes: 1, ..order(2) }).clients(1).witness(0).witness(1)
    }),
    ("three members, a crash and three alarms", || {
        members(3, 0, Budget { crashes: 1, ..order(3) })
    }),
    ("a new cluster", || members(3, 0, order(3)).founding().filled_within(FOUNDED)),
];

/// Members that change: the first participants are members, the last ones never stand.
fn changing(
    [members, others, standing]: [u32; 3],
    asked: &[u64],
    budget: Budget,
) -> Explorer<Reconfigurable> {
    let explorer = Explorer::new(members).setting(setting(members, 0)).clients(others);
    let explorer = (standing..members + others).fold(explorer, Explorer::witness);
    let explorer =
        asked.iter().fold(explorer, |explorer, &asked| explorer.asks_for(0, asked, None));
    let budget = Budget { terms: Term(4 << 32), changes: 1, ..budget };
    let explorer = explorer.ordering(ReconfigurableAlarm::is_ordered).budget(budget);
    explorer.invariants(reconfiguration::INVARIANTS).limit(400_000)
}

/// Two operators ask members that stand for nothing for different members.
fn operators([members, others]: [u32; 2], budget: Budget) -> Explorer<Reconfigurable> {
    let explorer = changing([members, others, 0], &[0b01], budget).asks_for(1, 0b10, None);
    explorer.budget(Budget { changes: 2, ..budget })
}

/// What is explored of members that change.
const CHANGES_OF_MEMBERS: &[Row<Reconfigurable>] = &[
    ("one member becomes two", || changing([1, 1, 2], &[0b11], order(6)).filled_within(SOON)),
    ("one member takes another's place", || {
        changing([1, 1, 2], &[0b10], order(7)).filled_within(SOON)
    }),
    ("one member takes another's place, a crash", || {
        changing([1, 1, 2], &[0b10], Budget { crashes: 1, ..order(4) }).filled_within(SOON)
    }),
    ("three members become one", || changing([3, 0, 3], &[0b1], order(3)).filled_within(SOON)),
    ("one member becomes three", || changing([1, 2, 1], &[0b111], order(4)).filled_within(SOON)),
    ("two members become three", || changing([2, 1, 1], &[0b111], order(4)).filled_within(SOON)),
    ("three members become four", || changing([3, 1, 1], &[0b1111], order(3)).filled_within(SOON)),
    ("two operators", || operators([3, 0], Budget { losses: 1, ..order(3) })),
    ("two operators, a cut", || operators([3, 0], order(4)).cut(0, 1)),
    ("two operators, a cut and a crash", || {
        operators([3, 0], Budget { crashes: 1, ..order(2) }).cut(0, 1)
    }),
    ("two operators, a cut and a record lost", || {
        operators([3, 0], Budget { crashes: 1, lost_records: 1, ..order(2) }).cut(0, 1)
    }),
];

/// The clusters that are simulated: members, witnesses of them, clients, offices, and milliseconds
/// for stopping.
const CLUSTERS: &[(&str, [u32; 5])] = &[
    ("three members", [3, 0, 0, 1, 0]),
    ("five members, time for stopping", [5, 0, 0, 1, 100]),
    ("three members, two clients, two offices", [3, 0, 2, 2, 50]),
    ("two members, a client", [2, 0, 1, 1, 0]),
    ("four members, three offices", [4, 0, 0, 3, 20]),
    ("two members, a witness", [3, 1, 0, 1, 0]),
    ("three witnesses, two clients", [3, 3, 2, 1, 0]),
    (VALUES, [3, 0, 1, 1, 0]),
];

/// Explores the row, with this mutant: what is broken.
fn explored(mutant: usize, name: &str) -> Result<Option<Finding>, String> {
    CHOSEN.set(mutant);
    if name == VALUES {
        return Ok(caught(|| {
            let (effort, detail) = values::explore(values::FEW_STEPS).err()?;
            Some(Finding { effort, steps: 0, detail })
        }));
    }
    let changing = CHANGES_OF_MEMBERS.iter().find(|(row, _)| *row == name);
    let explorer = row(name);
    let run: Box<dyn Fn() -> ExplorationReport> = match (changing, explorer) {
        (Some((_, explorer)), _) => Box::new(move || explorer().run()),
        (None, Some(explorer)) => Box::new(move || explorer.run()),
        (None, None) => return Err(format!("there is no row {name:?}")),
    };
    let mut complete = true;
    let found = caught(|| {
        let report = run();
        complete = report.complete;
        report.violation.map(|broken| Finding {
            effort: report.configurations,
            steps: broken.execution.len(),
            detail: broken.detail,
        })
    });
    match found {
        None if !complete => Err(format!("{name}: mutant {mutant} has too many configurations")),
        found => Ok(found),
    }
}

/// Walks with this mutant until something is broken.
fn walked(mutant: usize, name: &str) -> Result<Option<Finding>, String> {
    CHOSEN.set(mutant);
    let climate = CLIMATES.iter().chain(CHANGES).find(|(climate, _)| *climate == name);
    if climate.is_none() && name != VALUES {
        return Err(format!("there is no climate {name:?}"));
    }
    let broken = |seed| {
        let broken = match climate {
            Some((_, climate)) if climate.changes.0 > 0 => {
                walk::<Reconfigurable>(*climate, seed, CHANGING[1], |_| Ok(())).err()
            }
            Some((_, climate)) => walk::<Tenure>(*climate, seed, STEPS, |_| Ok(())).err(),
            None => values::walk(seed).err(),
        };
        Some(Finding { effort: seed + 1, steps: 0, detail: broken? })
    };
    let number = |seed| move |found| Finding { effort: seed + 1, ..found };
    let changes = climate.is_some_and(|(_, climate)| climate.changes.0 > 0);
    let walks = if changes { CHANGING[0] } else { WALKS };
    Ok((0..walks).find_map(|seed| caught(|| broken(seed)).map(number(seed))))
}

/// Simulates runs of 40 seconds with this mutant until a promise is broken.
fn simulated(mutant: usize, name: &str) -> Result<Option<Finding>, String> {
    CHOSEN.set(mutant);
    let cluster = CLUSTERS.iter().find(|(cluster, _)| *cluster == name);
    let &(_, cluster) = cluster.ok_or_else(|| format!("there is no cluster {name:?}"))?;
    match name {
        // What is wrong with a value is always of one promise.
        VALUES => runs::<Valued<Tenure>>(cluster, ToString::to_string),
        _ => runs::<Tenure>(cluster, |breach| breach.promise().to_string()),
    }
}

/// Simulates runs of a cluster until a promise is broken, and says in words which one, or how.
fn runs<P: Recoverable>(
    [members, witnesses, clients, offices, stop]: [u32; 5],
    in_words: impl Fn(&Breach) -> String,
) -> Result<Option<Finding>, String> {
    for seed in 0..RUNS {
        let faults = Faults::Random {
            kinds: FaultKind::ALL.to_vec(),
            every: Nanos::seconds(1),
            longest: Nanos::seconds(2),
        };
        let simulation = Simulation::<P>::new()
            .members(members)
            .witnesses(witnesses)
            .clients(clients)
            .offices(offices)
            .stop(Duration::from_millis(stop.into()))
            .duration(Duration::from_secs(40))
            .faults(faults)
            .seed(seed);
        simulation.script().map_err(|error| error.to_string())?;
        let broken = || {
            let report = simulation.run().ok()?;
            let detail = match (report.violations.first(), report.first_rejection) {
                (Some(violation), _) => in_words(&violation.breach),
                (None, Some((_, why))) => why.to_owned(),
                (None, None) => return None,
            };
            Some(Finding { effort: 0, steps: 0, detail })
        };
        if let Some(found) = caught(broken) {
            return Ok(Some(Finding { effort: seed + 1, ..found }));
        }
    }
    Ok(None)
}

/// Where the scenarios are.
const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tenure/protocol/scenarios");

/// Runs a scenario with this mutant: the first expectation that is not met.
fn staged(mutant: usize, name: &str) -> Result<Option<Finding>, String> {
    CHOSEN.set(mutant);
    let path = Path::new(SCENARIOS).join(format!("{name}.txt"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(caught(|| {
        let run = played(&text, name.starts_with(VALUES))?;
        let otherwise = (run.text != text).then(|| "something else happens".to_owned());
        let detail = run.failures.into_iter().next().or(otherwise)?;
        Some(Finding { effort: 0, steps: 0, detail })
    }))
}

/// Plays a scenario for the process that it is about.
fn played(text: &str, of_values: bool) -> Option<Transcript> {
    let changes = text.parse::<Scenario>().is_ok_and(|scenario| scenario.changes_members());
    match (of_values, changes) {
        (true, _) => Some(values::transcript(text)),
        (false, true) => transcript::<Reconfigurable>(text, &[]).ok(),
        (false, false) => transcript::<Tenure>(text, INVARIANTS).ok(),
    }
}

/// Runs the scenarios of `tenure/protocol/scenarios` for Tenure, and for the values of its leaderships, with this mutant:
/// those in which something else happens than what is written, by name.
///
/// # Errors
/// If they cannot be read.
pub fn scenarios(mutant: usize) -> Result<Vec<String>, String> {
    CHOSEN.set(mutant);
    let folder = Path::new(SCENARIOS);
    let files = |folder: &Path| -> Result<Vec<_>, String> {
        let files = fs::read_dir(folder).map_err(|error| error.to_string())?;
        files.map(|file| file.map(|it| it.path()).map_err(|error| error.to_string())).collect()
    };
    let mut found = Vec::new();
    for path in files(folder)?.into_iter().chain(files(&folder.join(VALUES))?) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let of_values = path.parent().is_some_and(|parent| parent.ends_with(VALUES));
        if of_values || name.starts_with("tenure-") || name.starts_with("members-") {
            let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let run = || played(&text, of_values);
            let same = panic::catch_unwind(run).is_ok_and(|run| {
                run.is_some_and(|run| run.failures.is_empty() && run.text == text)
            });
            if !same {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Looks for a mutant in this row, climate or cluster.
///
/// # Errors
/// If there is no such place, or a row was not explored to its end.
pub fn looked_for(mutant: usize, found: &Found) -> Result<Option<Finding>, String> {
    match found {
        Found::Explored(row, _) => explored(mutant, row),
        Found::Walked(climate, _) => walked(mutant, climate),
        Found::Simulated(cluster, _) => simulated(mutant, cluster),
        Found::Scenario(name, _) => staged(mutant, name),
    }
}

/// Looks for a mutant as its list says, and tells what has found it.
///
/// # Errors
/// If something does not find it, or sees something else: the words say what.
pub fn examine(mutant: usize, fault: &TenureFault) -> Result<Vec<Finding>, String> {
    let find = |found: &Found| {
        let (Found::Explored(_, expected)
        | Found::Walked(_, expected)
        | Found::Simulated(_, expected)
        | Found::Scenario(_, expected)) = found;
        match looked_for(mutant, found)? {
            None => Err(format!("{}: {found:?} finds nothing", fault.name)),
            Some(broken) if !broken.detail.contains(expected) => {
                Err(format!("{}: {found:?} finds {broken:?}", fault.name))
            }
            Some(broken) => Ok(broken),
        }
    };
    fault.found.iter().map(find).collect()
}

/// The document: a table for each file of Tenure, with what has found each mutant.
///
/// # Errors
/// As [`examine`], of the mutants that were not found as expected.
pub fn report() -> Result<String, String> {
    let mut report = INTRODUCTION.to_owned();
    let mut missed = Vec::new();
    let (mut file, mut equivalent, mut all) = ("", 0, 0);
    for (number, fault) in (1..).zip(TENURE.iter()) {
        let findings = match examine(number, fault) {
            Ok(findings) => findings,
            Err(why) => {
                missed.push(why);
                continue;
            }
        };
        if file != fault.edits[0].file {
            file = &fault.edits[0].file;
            let _ = write!(report, "\n## {file}\n{HEAD}");
        }
        all += 1;
        equivalent += usize::from(findings.is_empty());
        let join = |texts: Vec<String>| texts.join("<br>");
        let was = join(fault.edits.iter().map(|edit| code(&edit.was)).collect());
        let is = join(fault.edits.iter().map(|edit| code(&edit.is)).collect());
        let told = fault.found.iter().zip(&findings).map(|(found, finding)| tell(found, finding));
        let found = if findings.is_empty() { "equivalent".into() } else { join(told.collect()) };
        let _ = writeln!(report, "| {} | {was} | {is} | {found} | {} |", fault.name, fault.because);
    }
    let killed = all - equivalent;
    let _ = writeln!(report, "\n{all} mutants: {killed} are found, {equivalent} are equivalent.");
    if missed.is_empty() { Ok(report) } else { Err(missed.join("\n")) }
}

/// What has found a mutant, in a cell.
fn tell(found: &Found, Finding { effort, steps, detail }: &Finding) -> String {
    // A walk tells first where it was.
    let detail = detail.rsplit("}: ").next().unwrap_or_default();
    let detail = detail.replace('|', "\\|").replace("BROKEN: ", "");
    match found {
        Found::Explored(row, _) => {
            let steps = if *steps > 0 { format!(", {steps} steps") } else { String::new() };
            format!("explored, *{row}*: {detail} ({effort} configurations{steps})")
        }
        Found::Walked(climate, _) => format!("walk {effort}, *{climate}*: {detail}"),
        Found::Simulated(cluster, _) => format!("simulated run {effort}, *{cluster}*: *{detail}*"),
        Found::Scenario(name, _) => format!("scenario *{name}*: {detail}"),
    }
}

const INTRODUCTION: &str = "\
# Mutants of Tenure

Can the evidence for [Tenure](../why/tenure.md) find faults? Each row is one fault, seeded into Tenure or into the
values of its leaderships (`value.rs`, which is tried by itself, as *values*), and everything that was expected to find
it and did:

- *explored*: every execution within a small budget, checked for the promises, the invariants and, in most rows, the bound
on vacancies, as in [tenure-explored.md](tenure-explored.md). The row gives the
  number of configurations explored until something breaks, and the number of steps of a shortest
  execution that breaks something.
- *walk*: random walks through all that the model allows, in climates that `tenure/protocol/tests/walks`
  names, which look at Tenure from outside: two that hold an office, a term that goes back, an office
  that is vacant after a calm. The number is the walk's, from 1.
- *simulated run*: 40 seconds of a hostile world with faults of every kind; the promise that is broken
  first; of *values*, which run beside Tenure in one cluster, what is shown wrongly.
- *scenario*: [the one](../../tenure/protocol/scenarios) of this name, and what it expected.

Tenure as it is passes in the same harness, in every row, climate, cluster and scenario that is named here. A mutant
that is *equivalent* keeps the promises, for the reason that is given.

```text
cargo xtask mutants --tenure > docs/reference/tenure-mutants.md
cargo test -p suffrage-mutants --test tenure       # compares
```
";

const HEAD: &str = "
| Fault | Was | Is | Found by | Because |
|---|---|---|---|---|
";
