//! Proves what is claimed of algorithms for every number of processes.

use std::{env, process::ExitCode, time::Instant};
use suffrage_proofs::{SUBJECTS, document, proof::NoProof, subjects::ProvedAlgorithm};

const HELP: &str = "\
Prove algorithms for every number of processes, from their files

Usage: cargo run --package suffrage-proofs -- [OPTIONS] [ALGORITHM]...

Options:
  --table     Print the reactions, and which of them can happen
  --faults    Try the seeded faults, too
  --document  Print docs/reference/proved.md
  --help      Print this

The exit code is 1 if a condition does not hold, or a seeded fault is not refused that must be.";

fn main() -> ExitCode {
    let (flags, names): (Vec<String>, Vec<String>) =
        env::args().skip(1).partition(|argument| argument.starts_with('-'));
    let known = ["--table", "--faults", "--document"];
    if flags.iter().any(|flag| flag == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if let Some(flag) = flags.iter().find(|flag| !known.contains(&flag.as_str())) {
        eprintln!("error: there is no option {flag}; --help lists all");
        return ExitCode::from(2);
    }
    let has = |flag| flags.iter().any(|one| one == flag);
    let mut subjects = Vec::new();
    for name in &names {
        let Some(subject) = ProvedAlgorithm::named(name) else {
            let all: Vec<_> = SUBJECTS.iter().map(|subject| subject.name).collect();
            eprintln!("error: nothing is proved of {name}; only of {}", all.join(", "));
            return ExitCode::from(2);
        };
        subjects.push(subject);
    }
    if subjects.is_empty() {
        subjects.extend(SUBJECTS);
    }
    if has("--document") {
        print!("{}", document::INTRODUCTION);
    }
    let mut proved = true;
    for subject in subjects {
        let tried = match has("--document") {
            true => write(subject),
            false => prove(subject, has("--table"), has("--faults")),
        };
        match tried {
            Ok(is_right) => proved &= is_right,
            Err(error) => {
                eprintln!("error: {}: {error}", subject.name);
                proved = false;
            }
        }
    }
    if proved { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Proves an algorithm, and prints what came of it; returns whether all is as it should be.
fn prove(subject: &ProvedAlgorithm, table: bool, faults: bool) -> Result<bool, NoProof> {
    let start = Instant::now();
    let report = subject.prove()?;
    let seconds = start.elapsed().as_secs_f64();
    let verdict = if report.is_proved() { "proved" } else { "NOT PROVED" };
    println!("{}: {verdict}, {} conditions, {seconds:.1} s", subject.name, report.conditions.len());
    for (name, count) in report.shown() {
        println!("  {name}: {count}");
    }
    if table {
        report.possible.iter().for_each(|row| println!("  can happen: {row}"));
        report.unreachable.iter().for_each(|row| println!("  cannot happen: {row}"));
    }
    for failure in report.failures() {
        let shown = failure.result.as_ref().err().map_or("", String::as_str);
        println!("  not proved: {}, {}\n{shown}", failure.shows, failure.moment);
    }
    let mut is_right = report.is_proved();
    for fault in subject.faults.iter().filter(|_| faults) {
        let fate = subject.examine(fault)?;
        let came = fate.refused.as_deref().unwrap_or("nothing");
        let right = if fate.is_right { "" } else { ", which is wrong" };
        println!("  fault, {}: {came} refuses it{right}", fate.name);
        is_right &= fate.is_right;
    }
    Ok(is_right)
}

/// Prints the section of the document about an algorithm.
fn write(subject: &ProvedAlgorithm) -> Result<bool, NoProof> {
    let report = subject.prove()?;
    let fates = subject.faults.iter().map(|fault| subject.examine(fault));
    let fates = fates.collect::<Result<Vec<_>, _>>()?;
    print!("\n{}{}", document::section(subject, &report), document::faults(&fates));
    Ok(report.is_proved() && fates.iter().all(|fate| fate.is_right))
}
