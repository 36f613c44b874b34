//! `cargo xtask prove`: what holds for every number of processes, and docs/reference/proved.md.

use crate::repository::{read, repository, threads, write};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Instant, SystemTime};
use std::{fs, thread};
use suffrage_algorithms::digest;
use suffrage_proofs::export::ConditionLanguage;
use suffrage_proofs::proof::Report;
use suffrage_proofs::smt::Script;
use suffrage_proofs::systems::{ProvedSystem, TENURE, table_of_faults};
use suffrage_proofs::{SUBJECTS, document, subjects::ProvedAlgorithm};
use tenure_protocol::tenure::{PROOF, RELATION};

/// Prove algorithms for every number of processes, from their files
///
/// The exit code is 1 if a condition does not hold, if a seeded fault is not refused that must be, or if another solver
/// does not agree.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What is to be proved: an algorithm, or `tenure` [default: everything]
    #[arg(value_name = "NAME", value_parser = named)]
    names: Vec<ProofSubject>,
    /// Print the reactions, and which of them can happen
    #[arg(long)]
    table: bool,
    /// Try the seeded faults, too
    #[arg(long)]
    faults: bool,
    /// Print docs/reference/proved.md
    #[arg(long, conflicts_with_all = ["names", "table", "faults", "solver", "export"])]
    document: bool,
    /// Update lab/algorithms/src/proved.rs: the number of conditions, the date, and the digest of each file
    #[arg(long, conflicts_with_all = ["names", "document"])]
    record: bool,
    /// Have each condition judged by this program as well, from formulas that it is given with their quantifiers
    #[arg(long, value_name = "PROGRAM")]
    solver: Option<Solver>,
    /// Write the conditions into this folder, for other tools to judge
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
    /// The language of what is written: smt (SMT-LIB, for z3, cvc5 and others), ivy (for `ivy_check complete=fo FILE`) or
    /// tla (TLA+, for TLAPS)
    #[arg(long, value_name = "LANGUAGE", default_value = "smt", requires = "export", value_parser = language)]
    language: ConditionLanguage,
    /// The seconds that the other solver has for each condition
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "solver")]
    limit: u32,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask prove                          What is proved, with the number of conditions of each
  cargo xtask prove lelann --table           The reactions of one, and which of them can happen
  cargo xtask prove franklin --solver z3     The same by another solver
  cargo xtask prove --export conditions      The conditions as SMT-LIB, for any other
  cargo xtask prove lelann --export conditions --language ivy
  cargo xtask prove --document > docs/reference/proved.md";

/// A solver for first-order logic.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Solver {
    Z3,
    Cvc5,
}

impl Solver {
    const fn program(self) -> &'static str {
        match self {
            Self::Z3 => "z3",
            Self::Cvc5 => "cvc5",
        }
    }

    fn arguments(self, limit: u32, by_structures: bool) -> Vec<String> {
        let milliseconds = limit.saturating_mul(1000);
        let (mut arguments, further) = match self {
            Self::Z3 => (vec![format!("-t:{milliseconds}")], "smt.ematching=false"),
            Self::Cvc5 => (
                vec!["--incremental".into(), format!("--tlimit-per={milliseconds}")],
                "--finite-model-find",
            ),
        };
        arguments.extend(by_structures.then(|| further.to_owned()));
        arguments
    }
}

/// What is proved.
#[derive(Clone, Copy)]
enum ProofSubject {
    Algorithm(&'static ProvedAlgorithm),
    System(&'static ProvedSystem),
}

impl ProofSubject {
    fn all() -> impl Iterator<Item = Self> {
        SUBJECTS.iter().map(Self::Algorithm).chain([Self::System(&TENURE)])
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Algorithm(subject) => subject.name,
            Self::System(system) => system.name,
        }
    }
}

fn language(name: &str) -> Result<ConditionLanguage, String> {
    match name {
        "smt" => Ok(ConditionLanguage::Smt),
        "ivy" => Ok(ConditionLanguage::Ivy),
        "tla" => Ok(ConditionLanguage::Tla),
        _ => Err("write smt, ivy or tla".to_owned()),
    }
}

fn named(name: &str) -> Result<ProofSubject, String> {
    ProofSubject::all().find(|subject| subject.name() == name).ok_or_else(|| {
        let all: Vec<_> = ProofSubject::all().map(ProofSubject::name).collect();
        format!(
            "nothing is proved of it; only of {}. A record in lab/algorithms/src/proved.rs adds it",
            all.join(", ")
        )
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.document {
        print!("{}", document::INTRODUCTION);
    }
    let mut is_right = true;
    let all = ProofSubject::all().filter(|_| args.names.is_empty());
    for subject in args.names.iter().copied().chain(all) {
        is_right &= match (subject, args.document) {
            (ProofSubject::Algorithm(subject), true) => written(subject)?,
            (ProofSubject::Algorithm(subject), false) => proved(subject, args)?,
            (ProofSubject::System(system), true) => written_of_system(system)?,
            (ProofSubject::System(system), false) => proved_of_system(system, args)?,
        };
    }
    Ok(ExitCode::from(u8::from(!is_right)))
}

/// Proves an algorithm, and prints what came of it; returns whether all is as it should be.
fn proved(subject: &ProvedAlgorithm, args: &Args) -> anyhow::Result<bool> {
    let start = Instant::now();
    let report = subject.prove().context(subject.name)?;
    print(subject.name, &report, start, args);
    let mut is_right = report.is_proved();
    if args.record && is_right {
        let (known, begins) =
            (subject.record(), format!("        algorithm: {:?},\n", subject.name));
        let known = (known.conditions, known.source);
        let path = "lab/algorithms/src/proved.rs";
        record(path, &begins, known, report.conditions.len(), &subject.row().digest())?;
    }
    is_right &= judged(subject.name, &report, args)?;
    for (number, fault) in subject.faults.iter().enumerate().filter(|_| args.faults) {
        let (fate, report) = subject.examine(fault);
        let came = fate.refused.as_ref();
        let came = came.map_or("let through".to_owned(), |why| format!("refused: {why}"));
        let right = if fate.is_right { "" } else { ", which is wrong" };
        println!("  fault, {}: {came}{right}", fate.name);
        is_right &= fate.is_right;
        is_right &= judged(&format!("{}/fault-{number}", subject.name), &report, args)?;
    }
    Ok(is_right)
}

/// Prints what came of a proof.
fn print(name: &str, report: &Report, start: Instant, args: &Args) {
    let seconds = start.elapsed().as_secs_f64();
    let verdict = if report.is_proved() { "proved" } else { "NOT PROVED" };
    println!("{name}: {verdict}, {} conditions, {seconds:.1} s", report.conditions.len());
    for (name, count) in report.shown() {
        println!("  {name}: {count}");
    }
    if args.table {
        report.possible.iter().for_each(|row| println!("  can happen: {row}"));
        report.unreachable.iter().for_each(|row| println!("  cannot happen: {row}"));
    }
    for failure in report.failures() {
        let shown = failure.result.as_ref().err().map_or("", String::as_str);
        println!("  not proved: {}, {}\n{shown}", failure.shows, failure.moment);
    }
}

/// Proves a system, and prints what came of it; returns whether all is as it should be.
fn proved_of_system(system: &ProvedSystem, args: &Args) -> anyhow::Result<bool> {
    let start = Instant::now();
    let report = system.prove().context(system.name)?;
    print(system.name, &report, start, args);
    let mut is_right = report.is_proved() && report.unreachable.is_empty();
    if args.record && is_right {
        let known = (PROOF.conditions, PROOF.source);
        let path = "tenure/protocol/src/tenure/facts.rs";
        record(path, "RelationProof {\n", known, report.conditions.len(), &digest(RELATION))?;
    }
    is_right &= judged(system.name, &report, args)?;
    for (number, fault) in system.faults.iter().enumerate().filter(|_| args.faults) {
        let (fate, report) = system.examine(fault).context(system.name)?;
        let came = fate.refused.as_ref();
        let came =
            came.map_or("let through, which is wrong".to_owned(), |why| format!("refused: {why}"));
        println!("  fault, {}: {came}", fate.name);
        is_right &= fate.is_right;
        is_right &= judged(&format!("{}/fault-{number}", system.name), &report, args)?;
    }
    Ok(is_right)
}

/// Prints the section of the document about a system.
fn written_of_system(system: &ProvedSystem) -> anyhow::Result<bool> {
    let report = system.prove().context(system.name)?;
    let fates = system.faults.iter().map(|fault| Ok(system.examine(fault)?.0));
    let fates = fates.collect::<anyhow::Result<Vec<_>>>().context(system.name)?;
    let section = system.section(&report).context(system.name)?;
    print!("\n{section}{}", table_of_faults(&fates));
    Ok(report.is_proved() && fates.iter().all(|fate| fate.is_right))
}

/// Prints the section of the document about an algorithm.
fn written(subject: &ProvedAlgorithm) -> anyhow::Result<bool> {
    let report = subject.prove().context(subject.name)?;
    let fates: Vec<_> = subject.faults.iter().map(|fault| subject.examine(fault).0).collect();
    print!("\n{}{}", document::section(subject, &report), document::faults(&fates));
    Ok(report.is_proved() && fates.iter().all(|fate| fate.is_right))
}

/// Writes to the record that begins so that conditions of a source have been proved, if that is not its last word.
fn record(
    path: &str,
    begins: &str,
    known: (usize, &str),
    conditions: usize,
    source: &str,
) -> anyhow::Result<()> {
    if known == (conditions, source) {
        return Ok(());
    }
    let today = humantime::format_rfc3339(SystemTime::now()).to_string();
    let values = [conditions.to_string(), format!("{:?}", &today[..10]), format!("{source:?}")];
    let file = repository().join(path);
    let text = read(&file)?;
    let at = text.find(begins).with_context(|| format!("{path} has no record of it"))?;
    let (before, mut rest) = text.split_at(at);
    let mut text = before.to_owned();
    for (field, value) in ["conditions: ", "date: ", "source: "].iter().zip(values) {
        let (to, after) = rest.split_once(field).with_context(|| format!("{path}: no {field}"))?;
        let (_, after) =
            after.split_once(',').with_context(|| format!("{path}: no end of {field}"))?;
        text += &[to, field, &value, ","].concat();
        rest = after;
    }
    write(&file, text + rest)
}

/// Writes conditions into a folder, and returns the paths of the files.
fn conditions_in(
    folder: &Path,
    report: &Report,
    language: ConditionLanguage,
) -> anyhow::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut paths = Vec::new();
    for (number, script) in report.scripts.iter().enumerate() {
        // Modules of TLA+ have the names of their files, and these begin with a letter.
        let name = format!("Conditions{number:04}");
        let path = folder.join(&name).with_extension(language.extension());
        write(&path, language.write(script, &name))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Writes the conditions, and has them judged, where this is asked for; returns whether the solver agrees.
fn judged(name: &str, report: &Report, args: &Args) -> anyhow::Result<bool> {
    if let Some(folder) = &args.export {
        conditions_in(&folder.join(name), report, args.language)?;
    }
    let Some(solver) = args.solver else { return Ok(true) };
    let paths = conditions_in(
        &repository().join("target/prove").join(name),
        report,
        ConditionLanguage::Smt,
    )?;
    let files: Vec<_> = paths.into_iter().zip(&report.scripts).collect();
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<Vec<SolverAnswer>> {
        let mut answers = Vec::new();
        while let Some((path, script)) = files.get(next.fetch_add(1, Relaxed)) {
            answers.extend(answers_of(solver, args.limit, path, script)?);
        }
        Ok(answers)
    };
    let answers: Vec<anyhow::Result<Vec<SolverAnswer>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads(None).get()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("it does not panic")).collect()
    });
    let mut answers: Vec<SolverAnswer> =
        answers.into_iter().collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect();
    answers.sort_by(|one, other| one.what.cmp(&other.what));
    let count = |is| answers.iter().filter(|answer| answer.agrees == is).count();
    println!(
        "  {}: agrees on {}, contradicts {}, does not know {}; {:.1} s",
        solver.program(),
        count(SolverAgreement::Agrees),
        count(SolverAgreement::Contradicts),
        count(SolverAgreement::Unknown),
        start.elapsed().as_secs_f64()
    );
    for answer in answers.iter().filter(|answer| answer.agrees != SolverAgreement::Agrees) {
        println!("    {}: {}", answer.what, answer.said);
    }
    Ok(count(SolverAgreement::Agrees) == answers.len())
}

/// What another solver says of a condition.
struct SolverAnswer {
    what: String,
    said: String,
    agrees: SolverAgreement,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SolverAgreement {
    Agrees,
    Contradicts,
    Unknown,
}

fn answers_of(
    solver: Solver,
    limit: u32,
    path: &Path,
    script: &Script,
) -> anyhow::Result<Vec<SolverAnswer>> {
    let all = script.checks.len();
    // What it does not soon know beside others, it is asked alone.
    let mut said = said_of(solver, limit.div_ceil(6), script.by_structures, path, all)?;
    let is_open = |said: &str| ANSWERS[2..].contains(&said);
    let open = said.iter_mut().enumerate();
    for (number, said) in open.filter(|(number, said)| script.checks[*number].1 && is_open(said)) {
        let alone = path.with_extension(format!("{number}.smt2"));
        write(&alone, script.alone(number))?;
        *said = said_of(solver, limit, script.by_structures, &alone, 1)?.remove(0);
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let answers = said.iter().zip(&script.checks).map(|(said, (shows, refuted))| SolverAnswer {
        what: format!("{name}, {shows}, {}", script.about),
        said: said.clone(),
        agrees: match (&**said, refuted) {
            ("unsat", false) | ("sat", true) => SolverAgreement::Contradicts,
            // That it finds no refutation is all that can be expected of a condition that does not hold.
            ("unsat", _) | (_, false) => SolverAgreement::Agrees,
            _ => SolverAgreement::Unknown,
        },
    });
    Ok(answers.collect())
}

/// Returns what a solver says of each check in a file.
fn said_of(
    solver: Solver,
    limit: u32,
    by_structures: bool,
    path: &Path,
    checks: usize,
) -> anyhow::Result<Vec<String>> {
    let program = solver.program();
    let output =
        Command::new(program).args(solver.arguments(limit, by_structures)).arg(path).output();
    let output = output.with_context(|| format!("{program} does not start: install it"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let said: Vec<String> = said.lines().map(str::to_owned).collect();
    ensure!(
        said.len() == checks && said.iter().all(|said| ANSWERS.contains(&&**said)),
        "{}: {program} says {said:?} {}",
        path.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(said)
}

const ANSWERS: [&str; 4] = ["unsat", "sat", "unknown", "timeout"];
