//! `suffrage grade`: points for elections that students have written, by exploring every schedule.

mod assignment;
mod member;
mod rust;
mod submission;
mod verdict;

use crate::error::{CommandEnding, Error};
use crate::interrupt;
use crate::output::{print, write_text};
use crate::progress::Terminal;
use crate::terminal::fitted;
use assignment::{ASSIGNMENTS, Assignment, CRITERIA, Criterion, LEADERSHIP_CRITERIA};
use clap::ValueEnum;
use rust::RustCompiler;
use std::fs;
use std::path::{Path, PathBuf};
use submission::Limits;
use suffrage::experiment::report::to_json;
use verdict::{Grade, Grader, csv, gradescope};

/// Grade elections that students have written in Python or Rust, by exploring every schedule of small networks
///
/// A submission in Python is a file with one class that is derived from `suffrage.Process`, or where processes crash
/// from `suffrage.Member`; the package need not be installed. One in Rust has the type `Election`, which is a `Process`
/// or an `ElectionMember`; rustc 1.88 or later compiles it. Points are for safety, termination, the winner and the
/// number of messages, or for what a lease promises, each with the smallest network and the shortest execution that
/// lose them. A folder is a class: each of its files `*.py` and `*.rs`, and each folder with a file `election.py` or
/// `election.rs`, is a submission.
///
/// A submission runs as a process of its own, with limits on processor time, memory and files that it writes. It is
/// asked for single reactions, and for each a second time. It can read the files that you can read; where you are root,
/// or on macOS, it can start processes, which are ended with it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The submissions, and folders with submissions
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The number of the assignment
    #[arg(long, value_name = "N", value_parser = numbered)]
    assignment: &'static Assignment,

    /// Give points for this alone: safety, termination, winner or messages, and in assignment 8 exclusive, fencing or
    /// progress; may be repeated [default: all]
    #[arg(long = "criterion", value_name = "NAME", value_parser = criterion, hide_possible_values = true)]
    criteria: Vec<Criterion>,

    /// The processor time of a submission, and of its compilation, in seconds
    #[arg(long, value_name = "N", default_value = "20")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,

    /// The memory of a submission, in MiB
    #[arg(long, value_name = "N", default_value = "1024")]
    #[arg(value_parser = clap::value_parser!(u64).range(64..=1_048_576))]
    megabytes: u64,

    /// The command that runs Python 3.8 or later
    #[arg(long, value_name = "COMMAND", default_value = "python3")]
    python: PathBuf,

    /// Write a page that plays the first execution which loses points, of one submission
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// How to write the grades
    #[arg(long, value_enum, default_value_t)]
    format: GradeFormat,
}

const EXAMPLES: &str = "\
Examples:
  suffrage grade election.py --assignment 1
  suffrage grade election.rs --assignment 1
  suffrage grade election.py --assignment 1 --page lost.html
  suffrage grade election.py --assignment 1 --criterion safety
  suffrage grade submissions --assignment 1 --format csv >grades.csv
  suffrage grade election.py --assignment 1 --format gradescope >/autograder/results/results.json

The exit code is 0 if every submission has all points.";

/// The format of grades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GradeFormat {
    /// For people
    #[default]
    Text,
    /// A table of a class
    Csv,
    /// For programs
    Json,
    /// The results.json of an autograder of Gradescope, of one submission
    Gradescope,
}

fn numbered(text: &str) -> Result<&'static Assignment, String> {
    text.parse().ok().and_then(Assignment::of).ok_or_else(|| {
        let all: Vec<String> = (ASSIGNMENTS.iter())
            .map(|assignment| format!("{}, {}", assignment.number, assignment.title))
            .collect();
        format!("there are the assignments {}", all.join("; "))
    })
}

fn criterion(name: &str) -> Result<Criterion, String> {
    let mut all = CRITERIA.into_iter().chain(LEADERSHIP_CRITERIA);
    all.find(|criterion| criterion.name == name).ok_or_else(|| {
        let elections = names(&CRITERIA);
        format!(
            "there are the criteria {elections}, and in assignment 8 {}",
            names(&LEADERSHIP_CRITERIA)
        )
    })
}

fn names(criteria: &[Criterion]) -> String {
    criteria.iter().map(|criterion| criterion.name).collect::<Vec<_>>().join(", ")
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    if !cfg!(unix) {
        return Err(Error::new(
            "grade: submissions are run with the limits of Unix, which this system has not",
        ));
    }
    let files = submissions(&args.paths)?;
    let alone = [
        ("--page", args.page.is_some()),
        ("--format gradescope", args.format == GradeFormat::Gradescope),
    ];
    if let Some((flag, _)) = alone.into_iter().find(|(_, given)| *given && files.len() > 1) {
        return Err(Error::new(format!(
            "{flag}: it is for one submission, and here are {}",
            files.len()
        )));
    }
    let mut criteria = args.assignment.criteria();
    let gives = |name: &str| criteria.iter().any(|criterion| criterion.name == name);
    if let Some(asked) = args.criteria.iter().find(|asked| !gives(asked.name)) {
        return Err(Error::new(format!(
            "--criterion {}: assignment {} gives points for {}",
            asked.name,
            args.assignment.number,
            names(&criteria)
        )));
    }
    let asked = |name: &str| args.criteria.iter().any(|asked| asked.name == name);
    if !args.criteria.is_empty() {
        criteria.retain(|criterion| asked(criterion.name));
    }
    let grader = Grader {
        assignment: args.assignment,
        criteria: &criteria,
        limits: Limits { seconds: args.seconds, memory: args.megabytes << 20 },
        python: &args.python,
        compiler: RustCompiler::default(),
        monitor: &Terminal::default(),
    };
    let mut grades = Vec::new();
    for (name, file) in files {
        let grade = grader.grade(&name, &file);
        if interrupt::is_set() {
            break;
        }
        let grade = grade?;
        if let (Some(path), Some(page)) = (&args.page, &grade.page) {
            write_text("--page", path, page)?;
        }
        if args.format == GradeFormat::Text {
            print(&fitted(&grade.text(args.assignment)))?;
        }
        grades.push(grade);
    }
    match args.format {
        GradeFormat::Text => {}
        GradeFormat::Csv => _ = print(&csv(grader.criteria, &grades)?)?,
        GradeFormat::Json => _ = print(&to_json(&grades)?)?,
        GradeFormat::Gradescope => {
            _ = print(&to_json(&grades.first().map(|grade| gradescope(grade, args.assignment)))?)?;
        }
    }
    Ok(CommandEnding::of(interrupt::is_set(), !grades.iter().all(Grade::is_full)))
}

/// The names of the file of a submission in a folder of its own.
const FILES: [&str; 2] = ["election.py", "election.rs"];

/// Finds the submissions, each with its name.
fn submissions(paths: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, Error> {
    let name = |path: &Path| path.display().to_string();
    let own = |folder: &Path| {
        let files = FILES.map(|file| folder.join(file));
        let there: Vec<PathBuf> = files.into_iter().filter(|file| file.is_file()).collect();
        match there.as_slice() {
            [one] => vec![(name(folder), one.clone())],
            both => both.iter().map(|file| (name(file), file.clone())).collect(),
        }
    };
    let mut all = Vec::new();
    for path in paths {
        let about = fs::metadata(path).map_err(|error| Error::of(name(path), error))?;
        let before = all.len();
        if !about.is_dir() {
            all.push((name(path), path.clone()));
            continue;
        }
        all.extend(own(path));
        if all.len() > before {
            continue;
        }
        let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|error| Error::of(name(path), error))?;
        let mut entries: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            let ending = entry.extension().and_then(|ending| ending.to_str());
            if matches!(ending, Some("py" | "rs")) && entry.is_file() {
                all.push((name(&entry), entry));
            } else {
                all.extend(own(&entry));
            }
        }
        if all.len() == before {
            return Err(Error::new(format!(
                "{}: this folder has no submission, which is a file *.py or *.rs, or a folder with {}",
                name(path),
                FILES.join(" or ")
            )));
        }
    }
    Ok(all)
}
