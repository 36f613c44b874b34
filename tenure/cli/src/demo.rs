//! `tenure demo`: injects faults into five members on this machine.

mod cluster;
pub(crate) mod monitor;
mod page;
mod script;

use crate::error::CommandError;
use crate::office::{OutputFormat, pretty};
use crate::print;
use crate::signals::Signals;
use cluster::{DemoCluster, StepEffect, TIMING};
use script::{DemoScript, DemoStep, Whom};
use serde::Serialize;
use std::io::{IsTerminal, Read, stdin, stdout};
use std::path::PathBuf;
use suffrage_numbers::statistics::quantile;
use suffrage_stdio::TextColumns;
use tracing_subscriber::filter::LevelFilter;

/// Kill, suspend, cut off and heal five members on this machine, and watch the office move
///
/// Five members run in this process, connected by links that can be cut without root. Each has a
/// process of its own, `tenure lead`, whose command runs while it leads. The signals are real:
/// SIGKILL, SIGSTOP, SIGTERM. If two commands ever run at once, or a term is not greater than the
/// previous one, the exit code is 1.
///
/// On a terminal one page shows the members, and each step is a key. Elsewhere, and with
/// `--script`, `--steps` or `--format json`, a script gives the steps. For each step the report
/// says when the old command was gone and when the next one had started.
///
/// A script has one step per line (or between semicolons):
///
///   kill WHOM            kill -9 its program; its member goes on
///   crash WHOM           end the program and its member at the same instant, silently
///   stop WHOM            send SIGTERM to its program
///   suspend WHOM (TIME)  send SIGSTOP to its program, for this time or until `resume`
///   resume WHOM          send SIGCONT to its program
///   cut WHOM (in|out)    cut all links of its member, or one direction only: with `in` it hears no
///                        other member, with `out` no other member hears it
///   heal                 restore all links
///   start WHOM           start its program and its member if they do not run; also `start all`
///   resign               ask the leader, as an operator, to leave
///   transfer WHOM        ask the leader, as an operator, to leave the office to this member
///   wait TIME            do nothing
///   repeat N             take all steps before this one, N times in all
///
/// WHOM is a number from 1 to 5, `leader`, or `follower-1`: the first member that runs and does not
/// lead. All scenarios have this form (docs/use/scenarios.md).
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Take the steps of this file, - for standard input; without FILE one step of each kind
    #[arg(long, value_name = "FILE")]
    script: Option<Option<PathBuf>>,

    /// The steps themselves, as in 'crash leader; start all; repeat 10'
    #[arg(long, value_name = "STEPS", conflicts_with = "script")]
    steps: Option<String>,

    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,

    /// What to log on standard error, unless the page is shown there: off, error, warn, info, debug
    /// or trace
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    log: LevelFilter,
}

const TOUR: &str = "\
kill leader
start all
stop leader
start all
crash leader
start all
suspend leader 2s
cut leader
heal
transfer follower-1
resign
kill follower-1
start all
";

#[derive(Clone, Debug, Serialize)]
struct StepRow {
    step: String,
    #[serde(flatten)]
    effect: StepEffect,
}

#[derive(Clone, Debug, Serialize)]
struct StepFigures {
    step: String,
    runs: usize,
    median_ms: f64,
    p99_ms: f64,
    most_ms: f64,
}

#[derive(Debug, Serialize)]
struct DemoReport {
    lease_ms: f64,
    steps: Vec<StepRow>,
    figures: Vec<StepFigures>,
    tenures: u64,
    violations: Vec<String>,
}

pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    let text = match (&args.steps, &args.script) {
        (Some(steps), _) => steps.clone(),
        (None, Some(Some(path))) if path.as_os_str() == "-" => {
            let mut text = String::new();
            let read = stdin().read_to_string(&mut text);
            read.map_err(|error| CommandError::usage(format!("--script -: {error}")))?;
            text
        }
        (None, Some(Some(path))) => suffrage_net::small_file::text(path).map_err(|error| {
            CommandError::usage(format!("--script {}: {error}", path.display()))
        })?,
        (None, None) if args.format == OutputFormat::Text && has_page() => {
            return page::run(args.log).await;
        }
        (None, Some(None) | None) => TOUR.to_owned(),
    };
    let script = DemoScript::parse(&text).map_err(CommandError::usage)?;
    let _log = crate::log::start(args.log)?;
    follow(&script, args.format).await
}

fn has_page() -> bool {
    let moves = std::env::var_os("TERM").is_some_and(|kind| kind != "dumb");
    stdin().is_terminal() && stdout().is_terminal() && moves
}

/// Takes the steps of a script one after the other, and reports their effects.
async fn follow(script: &DemoScript, format: OutputFormat) -> Result<u8, CommandError> {
    let mut cluster = DemoCluster::found(true).map_err(failed)?;
    take(&mut cluster, &DemoStep::Start(Whom::All)).await?;
    cluster.led().await.map_err(failed)?;
    let mut report = DemoReport {
        lease_ms: TIMING.lease.as_secs_f64() * 1e3,
        steps: Vec::new(),
        figures: Vec::new(),
        tenures: 0,
        violations: Vec::new(),
    };
    let told = format == OutputFormat::Text;
    if told {
        let (host, term) = cluster.leader().unwrap_or_default();
        print(&format!(
            "five members, lease {} ms; {host} leads in term {term}\n\n{:24}{:24}{:>10}{:>12}\n",
            report.lease_ms, "step", "leader", "gone", "next leads"
        ))?;
    }
    let mut signals = Signals::listen()?;
    let mut interrupted = false;
    for step in script.steps() {
        let row = tokio::select! {
            row = take(&mut cluster, step) => row?,
            () = signals.quit() => {
                interrupted = true;
                break;
            }
        };
        if let Some(row) = row {
            if told {
                print(&line(&row))?;
            }
            report.steps.push(row);
        }
    }
    cluster.close().await;
    (report.tenures, report.violations) = cluster.verdict();
    report.figures = figures(&report.steps);
    print(&if told { summary(&report) } else { pretty(&report) })?;
    Ok(match interrupted {
        true => 130,
        false => u8::from(!report.violations.is_empty()),
    })
}

fn failed(why: String) -> CommandError {
    CommandError::failed(format!("the demonstration: {why}"))
}

async fn take(cluster: &mut DemoCluster, step: &DemoStep) -> Result<Option<StepRow>, CommandError> {
    let done = match cluster.begin(step) {
        Ok(begun) => cluster.finish(step, begun).await,
        Err(why) => Err(why),
    };
    let effect = done.map_err(|why| failed(format!("{step}: {why}")))?;
    Ok(effect.map(|effect| StepRow { step: step.to_string(), effect }))
}

fn line(row: &StepRow) -> String {
    let name = |leader: &Option<(String, u64)>| {
        leader.as_ref().map_or_else(|| "none".to_owned(), |(host, term)| format!("{host} {term}"))
    };
    let ms = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1} ms"));
    let change = if row.effect.before == row.effect.after {
        format!("{}, as before", name(&row.effect.before))
    } else {
        format!("{} -> {}", name(&row.effect.before), name(&row.effect.after))
    };
    format!(
        "{:24}{change:24}{:>10}{:>12}\n",
        row.step,
        ms(row.effect.gone_ms),
        ms(row.effect.next_ms)
    )
}

/// Summarizes the steps after which the leader changed, by kind.
fn figures(rows: &[StepRow]) -> Vec<StepFigures> {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if row.effect.next_ms.is_some() && !kinds.contains(&row.step.as_str()) {
            kinds.push(&row.step);
        }
    }
    let figure = |kind: &str| {
        let all = rows.iter().filter(|row| row.step == kind);
        let mut times: Vec<f64> = all.filter_map(|row| row.effect.next_ms).collect();
        times.sort_by(f64::total_cmp);
        Some(StepFigures {
            step: kind.to_owned(),
            runs: times.len(),
            median_ms: quantile(&times, 50, 100)?,
            p99_ms: quantile(&times, 99, 100)?,
            most_ms: quantile(&times, 100, 100)?,
        })
    };
    kinds.into_iter().filter_map(figure).collect()
}

fn summary(report: &DemoReport) -> String {
    let mut text = String::new();
    if report.figures.iter().any(|figure| figure.runs > 1) {
        let head = ["next leads after", "runs", "median", "p99", "most"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for figure in &report.figures {
            let ms = |time: f64| format!("{time:.1} ms");
            rows.push(vec![
                figure.step.clone(),
                figure.runs.to_string(),
                ms(figure.median_ms),
                ms(figure.p99_ms),
                ms(figure.most_ms),
            ]);
        }
        text += "\n";
        text += &TextColumns::of(&rows).text(&rows);
    }
    text + "\n" + &verdict(report.tenures, &report.violations)
}

/// Says whether everything was as it must be.
fn verdict(tenures: u64, violations: &[String]) -> String {
    let mut text = format!("{tenures} tenure{}", if tenures == 1 { "" } else { "s" });
    if violations.is_empty() {
        text += ": no two commands ever lived at once, and terms grew\n";
    } else {
        text += ":\n";
        for violation in violations {
            text += &format!("  VIOLATION: {violation}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests;
