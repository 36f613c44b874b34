//! `cargo xtask explore`: docs/reference/tenure-explored.md, the explorations of Tenure.

use crate::repository::{read, threads, write};
use anyhow::ensure;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::{
    fmt::{self, Write as _},
    io::{self, Write as _},
    num::NonZero,
    ops::ControlFlow,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};
use suffrage_mutants::tenure::{FOUNDED, SOON};
use tenure_exploration::{Budget, ExplorationReport, Explorer, UNLIMITED};
use tenure_model::{Peer, Ratio, Recoverable, Setting, Term};
use tenure_protocol::reconfiguration::{self, Reconfigurable, ReconfigurableAlarm};
use tenure_protocol::tenure::{Alarm, INVARIANTS, Msg, Tenure};

/// Explore Tenure within budgets, and print the rows of docs/reference/tenure-explored.md
///
/// Every configuration is held to the promises and to the protocol's invariants. The exit code is 1
/// if something is broken, and an execution that breaks it is shown, or if a row has more configurations than
/// are explored.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Explore what takes minutes each, too
    #[arg(long)]
    long: bool,

    /// Explore only the rows that contain this, as the table has them from the title to the faults; may be
    /// given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,

    /// Write the document to this file; rows that it has and that are not explored stay
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    out: Option<PathBuf>,

    /// Fail unless this document has the rows that are explored
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,

    /// Explore without reductions, to compare: there are more configurations, of the same terms and
    /// tenures
    #[arg(long, conflicts_with_all = ["out", "check"])]
    full: bool,

    /// Threads; the rows do not depend on them [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask explore --check docs/reference/tenure-explored.md
  cargo xtask explore --long --out docs/reference/tenure-explored.md
  cargo xtask explore --long --only 'two offices'
  cargo xtask explore --long --only '| two members | any, 2 under way | 3 |' --out docs/reference/tenure-explored.md
  cargo xtask explore --full --only 'new cluster'";

const INTRODUCTION: &str = "\
# What was explored of Tenure

Every configuration within the budget of its row, breadth-first, and in each of them: at most one
holder of an office, a term greater than all before at each beginning of a tenure, and the protocol's
invariants (*exclusive*, *backed*, *leased*, *own*). Written by `cargo xtask explore --long --out
docs/reference/tenure-explored.md`, or row by row with `--only`; continuous integration explores the short rows
again and compares them (`--check`). [The design](../why/design/recovery.md) says what the budgets mean, which
reductions are used, and why they are sound. Configurations are counted after reduction, so one stands for
many.

Two schedules of messages are explored. *Any*: a message is delivered at any time or never, in any
order, and no more than the row says are under way at once; of more, any are lost. *In order, k exceptions*: messages are delivered in the order of sending, all before the next alarm rings,
except for k overtakings and the losses of the row; so executions are long. Alarms ring in any order that
clocks of the ratio 5/4 allow, and in further ones (heartbeats at any time). If messages are in any order,
participants come up one after the other, at any time; if they are in order, all at once. All participants
except witnesses stand for every office.

*Rings* are alarms that ring: renewals and ends of leases. When it comes up, each participant
that stands renews its leases before any alarm rings. *Claims* is the greatest counter of a term: a
participant has one term of each counter. *Tenures* and *terms* were reached: the most tenures in one execution, and the
terms of all. Times (*took*) are of one or two threads on cores that did other work as well.
*Vacant* is the longest time, in ticks, until all offices were held if nothing else went wrong after a
configuration (*afterwards*), at most 19: a lease is 8 ticks and owed for 11, two
heartbeats are 4, and two round trips are 4; a new cluster needs two round trips more, and where members change, at most
27, since a proposal is made again after a lease. *Change of members*: an operator asks member 0, at any time, for the
members that the title tells; who takes part and is no member yet has a record that was never used. *A cut*: one participant never
hears another again; each configuration is continued with each such cut that leaves a participant that stands with a
majority of members which hear it, and which it hears.
";

/// What stands behind the title of a row that is as an earlier version of the explorer has found it.
const MARK: &str = " \u{2020}";
const LEGEND: &str = "
\u{2020} Explored before crashes within reactions were steps of the explorer: only with crashes between reactions. The
other rows with crashes have both.
";
const INCOMPLETE: &str = " (incomplete)";

/// What is explored.
struct ExploredRow {
    title: &'static str,
    long: bool,
    /// Whether offices are to be filled also while one participant does not hear another.
    cuts: bool,
    /// The ticks within which they are to be filled.
    within: u64,
    explored: Explored,
    budget: Budget,
}

/// Ticks within which an office is filled while members change: a proposal is made again after a lease.
const CHANGED: u64 = SOON + 8;

enum Explored {
    Tenure(Explorer<Tenure>),
    Reconfigurable(Explorer<Reconfigurable>),
}

/// The counters of terms up to this one: each member has a term of each counter.
const fn claims(counter: u64) -> Term {
    Term(counter << 32 | u32::MAX as u64)
}

/// At most `under_way` messages, delivered in any order or lost.
const fn any(under_way: u8, rings: u8) -> Budget {
    Budget {
        terms: claims(1),
        tenures: 3,
        rings,
        under_way,
        losses: UNLIMITED,
        overtakings: UNLIMITED,
        duplicates: 0,
        crashes: 0,
        lost_records: 0,
        departures: 0,
        changes: 0,
    }
}

/// Messages in order, except for these numbers of losses, overtakings and duplicates.
const fn order(rings: u8, losses: u8, overtakings: u8, duplicates: u8) -> Budget {
    let budget = any(UNLIMITED, rings);
    Budget { terms: claims(4), tenures: 4, losses, overtakings, duplicates, ..budget }
}

/// With one crash.
const fn crash(budget: Budget) -> Budget {
    Budget { crashes: 1, ..budget }
}

/// A crash after which the record may be lost.
const fn forgets(budget: Budget) -> Budget {
    Budget { lost_records: 1, ..crash(budget) }
}

const fn setting(members: u32) -> Setting {
    let clocks = Ratio { fastest: 5, slowest: 4 };
    Setting { me: Peer(0), members, heartbeat: 2, lease: 8, stop: 0, clocks }
}

fn members(members: u32) -> Explorer<Tenure> {
    let explorer = Explorer::new(members).setting(setting(members)).invariants(INVARIANTS);
    explorer.ordering(Alarm::is_ordered).limit(60_000_000)
}

/// Leases are what they should be, and take no time: what is explored is the office layer.
fn offices_alone(count: u32) -> Explorer<Tenure> {
    members(count).at_once(|msg| matches!(msg, Msg::Renew { .. } | Msg::Ack { .. }))
}

const fn short(title: &'static str, explorer: Explorer<Tenure>, budget: Budget) -> ExploredRow {
    let explored = Explored::Tenure(explorer);
    ExploredRow { title, long: false, cuts: true, within: SOON, explored, budget }
}

const fn long(title: &'static str, explorer: Explorer<Tenure>, budget: Budget) -> ExploredRow {
    let explored = Explored::Tenure(explorer);
    ExploredRow { title, long: true, cuts: false, within: SOON, explored, budget }
}

/// Members that change once: those below `members` by those whose bits an operator asks for, of any that take part. Those
/// from `standing` on never stand.
fn change(
    title: &'static str,
    [members, others, standing]: [u32; 3],
    asked: u64,
    budget: Budget,
) -> ExploredRow {
    let explorer = Explorer::new(members).setting(setting(members)).clients(others);
    let explorer = (standing..members + others).fold(explorer, Explorer::witness);
    let explorer = explorer.asks_for(0, asked, None).ordering(ReconfigurableAlarm::is_ordered);
    let explorer = explorer.invariants(reconfiguration::INVARIANTS);
    ExploredRow {
        title,
        long: false,
        cuts: false,
        within: CHANGED,
        explored: Explored::Reconfigurable(explorer.limit(60_000_000)),
        budget: Budget { changes: 1, ..budget },
    }
}

/// A row that takes long.
fn longer(row: ExploredRow) -> ExploredRow {
    ExploredRow { long: true, ..row }
}

/// Of what is long, the rows in which offices are to be filled also with each cut.
fn cut(row: ExploredRow) -> ExploredRow {
    ExploredRow { cuts: true, ..row }
}

/// All rows: those of members that change are the last of the short ones, and of the long ones.
fn rows() -> Vec<ExploredRow> {
    let mut rows = rows_of_members();
    rows.extend(rows_of_changes());
    rows.sort_by_key(|row| row.long); // Those of one kind stay in their order.
    rows
}

fn rows_of_changes() -> Vec<ExploredRow> {
    vec![
        change("one member becomes two", [1, 1, 2], 0b11, order(6, 0, 0, 0)),
        change("one member takes another's place", [1, 1, 2], 0b10, order(4, 1, 0, 0)),
        change("one member becomes three", [1, 2, 1], 0b111, order(4, 0, 0, 0)),
        change("three members become one", [3, 0, 3], 0b1, order(3, 0, 0, 0)),
        change("three members become four", [3, 1, 1], 0b1111, order(3, 0, 0, 0)),
        change("one of three members is replaced", [3, 1, 1], 0b1110, order(3, 0, 0, 0)),
        change("one of three is replaced, two stand", [3, 1, 2], 0b1110, order(2, 0, 0, 0)),
        change("three members become five", [3, 2, 1], 0b1_1111, order(2, 0, 0, 0)),
        change("two of three members are replaced", [3, 2, 1], 0b1_1001, order(2, 0, 0, 0)),
        change("four members become three", [4, 0, 1], 0b0111, order(3, 0, 0, 0)),
        change("the leader of four is removed", [4, 0, 1], 0b1110, order(3, 0, 0, 0)),
        longer(change("one member becomes two", [1, 1, 1], 0b11, any(3, 2))),
        longer(change("one member takes another's place", [1, 1, 2], 0b10, any(2, 2))),
        longer(change("one member takes another's place", [1, 1, 2], 0b10, order(6, 1, 0, 0))),
        longer(change(
            "one member takes another's place",
            [1, 1, 2],
            0b10,
            crash(order(5, 0, 0, 0)),
        )),
        longer(change("one member becomes three", [1, 2, 1], 0b111, crash(order(3, 0, 0, 0)))),
        longer(change("three members become four", [3, 1, 1], 0b1111, order(4, 0, 0, 0))),
        longer(change("three members become four", [3, 1, 1], 0b1111, crash(order(2, 0, 0, 0)))),
        longer(change("three members become four", [3, 1, 1], 0b1111, forgets(order(2, 0, 0, 0)))),
    ]
}

fn rows_of_members() -> Vec<ExploredRow> {
    let crashes = |budget| Budget { crashes: 2, ..budget };
    let fewer = |budget| Budget { terms: claims(2), ..budget };
    let leaves = |budget| Budget { departures: 1, ..budget };
    vec![
        short("two members", members(2), any(2, 1)),
        short("two members", members(2), order(3, 1, 0, 1)),
        short("three members", members(3), any(2, 0)),
        short("three members", members(3), order(5, 0, 0, 0)),
        short("three members", members(3), crash(order(2, 0, 0, 0))),
        short("three members, the leader leaves", members(3), leaves(order(3, 0, 0, 0))),
        short("two members and a witness", members(3).witness(2), any(2, 1)),
        short("two members and a witness", members(3).witness(2), order(3, 1, 0, 0)),
        short("one of three members stands", members(3).witness(1).witness(2), any(3, 2)),
        short("two members, a client", members(2).clients(1), order(3, 1, 1, 0)),
        ExploredRow {
            within: FOUNDED,
            ..short("three members of a new cluster", members(3).founding(), order(4, 0, 0, 0))
        },
        short("three members, two offices", members(3).offices(2), order(4, 0, 0, 0)),
        short("three members, two clients", members(3).clients(2), order(3, 0, 0, 0)),
        short("the office layer, five members", offices_alone(5), order(3, 0, 0, 0)),
        cut(long("three members", members(3), any(3, 0))),
        long("three members", members(3), any(4, 0)),
        long("three members", members(3), any(2, 1)),
        cut(long("three members", members(3), crash(any(2, 0)))),
        long("three members", members(3), crash(any(3, 0))),
        long("three members, two crashes", members(3), crashes(any(2, 0))),
        long("two members", members(2), any(2, 4)),
        cut(long("two members", members(2), crash(any(2, 2)))),
        long("two members", members(2), crash(any(2, 3))),
        long("two members and a witness", members(3).witness(2), any(3, 1)),
        long("two members and a witness", members(3).witness(2), any(4, 1)),
        long("two members and a witness", members(3).witness(2), crash(any(2, 1))),
        long("two members and a witness", members(3).witness(2), any(2, 2)),
        long("one of three members stands", members(3).witness(1).witness(2), any(3, 3)),
        cut(long("three members", members(3), order(9, 0, 0, 0))),
        cut(long("three members, the leader leaves", members(3), leaves(order(4, 0, 0, 1)))),
        cut(long("three members, the leader leaves", members(3), crash(leaves(order(1, 0, 0, 0))))),
        long("three members", members(3), crash(order(3, 1, 0, 0))),
        long("three members", members(3), crash(order(2, 0, 1, 1))),
        cut(long("three members", members(3), crash(order(1, 1, 0, 1)))),
        cut(long(
            "three members, every kind of fault",
            members(3),
            fewer(crash(order(0, 1, 1, 1))),
        )),
        long("three members, two crashes", members(3), crashes(order(2, 0, 0, 0))),
        long("three members, a record is lost", members(3), forgets(order(4, 0, 0, 0))),
        long("three members, one link is cut", members(3).cut(0, 1), crash(order(4, 1, 0, 0))),
        cut(long("three members, two offices", members(3).offices(2), crash(order(3, 0, 0, 0)))),
        cut(long("three members, two clients", members(3).clients(2), crash(order(1, 0, 0, 0)))),
        long("the office layer, five members", offices_alone(5), crash(order(2, 0, 0, 0))),
        cut(long("two members and a witness", members(3).witness(2), order(4, 1, 1, 0))),
        cut(long("two members, a client", members(2).clients(1), crash(order(2, 1, 1, 1)))),
        long("two members and a witness", members(3).witness(2), fewer(crash(order(2, 1, 1, 1)))),
        long("two members and a witness", members(3).witness(2), crash(any(3, 1))),
    ]
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let threads = threads(args.threads);
    let known = args.check.as_deref().map(read).transpose()?;
    let mut document = ExploredDocument::new(&rows());
    if let Some(path) = args.out.as_deref().filter(|path| path.exists()) {
        document.keep(&read(path)?);
    }
    for text in &args.only {
        let of_a_row = rows().iter().any(|row| start(&describe(row)).contains(text));
        ensure!(of_a_row, "--only {text:?}: no row contains this");
    }
    let wanted = |row: &ExploredRow| {
        let only = |text: &String| start(&describe(row)).contains(text);
        (args.long || !row.long) && (args.only.is_empty() || args.only.iter().any(only))
    };
    let (mut section, mut broken) = (None, false);
    for (number, row) in rows().into_iter().enumerate().filter(|(_, row)| wanted(row)) {
        let long = row.long;
        if section.replace(long) != Some(long) {
            let (title, columns) = heading(long);
            print!("{title}{columns}");
        }
        let begin = Instant::now();
        let (what, cuts) = (describe(&row), row.cuts);
        let report = explore(row, threads, args.full)?;
        broken |= tell(&what, &report);
        let line = line(&what, cuts, &report, long.then(|| begin.elapsed()));
        if let Some(known) = &known {
            // What follows the last bar is the time.
            let row = if long {
                line.rsplit_once(" | ").map_or("", |(row, _)| row)
            } else {
                line.trim_end()
            };
            ensure!(known.contains(row), "the document does not have this row:\n{line}");
        }
        print!("{line}");
        io::stdout().flush()?;
        document.rows[number].line = Some(line);
        // An interruption loses no row that is whole.
        if let Some(path) = args.out.as_ref().filter(|_| !broken) {
            write(path, document.to_string())?;
        }
    }
    if broken {
        return Ok(ExitCode::FAILURE);
    }
    print!("{}", document.sum());
    Ok(ExitCode::from(u8::from(document.incomplete() > 0)))
}

/// The document, with the rows that are known.
struct ExploredDocument {
    rows: Vec<DocumentRow>,
}

struct DocumentRow {
    long: bool,
    /// How its line starts.
    start: String,
    line: Option<String>,
}

/// How the line of a row starts that is described like this.
fn start(what: &str) -> String {
    format!("| {what} |")
}

impl ExploredDocument {
    fn new(rows: &[ExploredRow]) -> Self {
        let known = |row: &ExploredRow| DocumentRow {
            long: row.long,
            start: start(&describe(row)),
            line: None,
        };
        Self { rows: rows.iter().map(known).collect() }
    }

    /// Takes the rows that a document has.
    fn keep(&mut self, document: &str) {
        for row in &mut self.rows {
            let line = document.lines().find(|line| line.replace(MARK, "").starts_with(&row.start));
            row.line = line.map(|line| format!("{line}\n"));
        }
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.line.as_deref())
    }

    fn incomplete(&self) -> usize {
        self.lines().filter(|line| line.contains(INCOMPLETE)).count()
    }

    fn sum(&self) -> String {
        let configurations = |line: &str| -> Option<u64> {
            line.split('|')
                .nth(6)?
                .trim()
                .trim_end_matches(INCOMPLETE)
                .replace(',', "")
                .parse()
                .ok()
        };
        let total = HumanCount(self.lines().filter_map(configurations).sum());
        let partly = match self.incomplete() {
            0 => String::new(),
            1 => ", of one row not all".to_owned(),
            rows => format!(", of {rows} rows not all"),
        };
        format!("\n{total} configurations in all{partly}; nothing was broken.\n")
    }
}

impl fmt::Display for ExploredDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(INTRODUCTION)?;
        for long in [false, true] {
            let rows = self.rows.iter().filter(|row| row.long == long);
            let lines: String = rows.filter_map(|row| row.line.as_deref()).collect();
            if !lines.is_empty() {
                let legend = if lines.contains(MARK) { LEGEND } else { "" };
                let (title, columns) = heading(long);
                write!(f, "{title}{legend}{columns}{lines}")?;
            }
        }
        f.write_str(&self.sum())
    }
}

fn explore(
    row: ExploredRow,
    threads: NonZero<usize>,
    full: bool,
) -> anyhow::Result<ExplorationReport> {
    let bar = ProgressBar::new_spinner()
        .with_style(ProgressStyle::with_template(
            "[{elapsed}] {human_pos} configurations of {msg}",
        )?)
        .with_message(describe(&row));
    let mut watch = |found| {
        bar.set_position(found);
        ControlFlow::Continue(())
    };
    let ExploredRow { cuts, within, explored, budget, .. } = row;
    let how = (budget, cuts, within, threads, full);
    let report = match explored {
        Explored::Tenure(explorer) => run_explorer(explorer, how, &mut watch),
        Explored::Reconfigurable(explorer) => run_explorer(explorer, how, &mut watch),
    };
    bar.finish_and_clear();
    Ok(report)
}

fn run_explorer<P: Recoverable>(
    explorer: Explorer<P>,
    (budget, cuts, within, threads, full): (Budget, bool, u64, NonZero<usize>, bool),
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> ExplorationReport {
    let explorer = explorer.budget(budget).threads(threads).filled_within(within);
    let explorer = if cuts { explorer.one_way_cuts() } else { explorer };
    let explorer = if full { explorer.full() } else { explorer };
    explorer.run_watched(watch)
}

/// Shows what is broken; whether anything is.
fn tell(what: &str, report: &ExplorationReport) -> bool {
    let Some(violation) = &report.violation else { return false };
    eprintln!("{what}: {}", violation.detail);
    for step in &violation.execution {
        eprintln!("  {step}");
    }
    true
}

/// The title of a section, and the heads of its columns.
fn heading(long: bool) -> (String, String) {
    let (title, time, bar) = if long { ("Long", " | took", "|---") } else { ("Short", "", "") };
    let columns = format!(
        "\n| what | messages | rings | claims | faults | configurations | steps | longest shortest \
         execution | tenures, terms | afterwards | vacant{time} |\n\
         |---|---|--:|--:|---|--:|--:|--:|---|---|--:{bar}|\n"
    );
    (format!("\n## {title}\n"), columns)
}

/// What is explored, as far as the first columns.
fn describe(row: &ExploredRow) -> String {
    let budget = &row.budget;
    let messages = match budget.overtakings {
        UNLIMITED => format!("any, {} under way", budget.under_way),
        0 => "in order".to_owned(),
        1 => "in order, 1 exception".to_owned(),
        k => format!("in order, {k} exceptions"),
    };
    let mut faults = String::new();
    for (count, one, more) in [
        (budget.losses, "message lost", "messages lost"),
        (budget.duplicates, "message doubled", "messages doubled"),
        (budget.crashes, "crash", "crashes"),
        (budget.lost_records, "record lost", "records lost"),
        (budget.departures, "departure", "departures"),
        (budget.changes, "change of members", "changes of members"),
    ] {
        let comma = if faults.is_empty() { "" } else { ", " };
        match count {
            0 => {}
            UNLIMITED => _ = write!(faults, "{comma}any {more}"),
            1 => _ = write!(faults, "{comma}1 {one}"),
            count => _ = write!(faults, "{comma}{count} {more}"),
        }
    }
    let claims = budget.terms.0 >> 32;
    format!("{} | {messages} | {} | {claims} | {faults}", row.title, budget.rings)
}

fn line(what: &str, cuts: bool, report: &ExplorationReport, took: Option<Duration>) -> String {
    let after = if cuts { "no fault, or a cut" } else { "no fault" };
    let vacant = report.longest_vacancy.map_or(String::new(), |ticks| ticks.to_string());
    let partly = if report.complete { "" } else { INCOMPLETE };
    let took = took.map_or(String::new(), |took| format!(" | {} s", took.as_secs()));
    format!(
        "| {what} | {}{partly} | {} | {} | {}, {} | {after} | {vacant}{took} |\n",
        HumanCount(report.configurations),
        HumanCount(report.transitions),
        report.depth,
        report.tenures,
        report.terms,
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests;
