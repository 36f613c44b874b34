//! `cargo xtask soak`: random faults among five hosts, for hours.

use crate::repository::{cargo, repository};
use anyhow::{Context, bail, ensure};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::{
    fs,
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::{Duration, Instant},
};
use suffrage_histories::{LONGEST, Promises, RunHistory};

/// Five hosts in network namespaces, with random faults one after the other, for hours
///
/// Each run is .ci/namespaces-lead with a seed of its own: links are cut, one way or in part, packets
/// lost, processes killed, suspended and started again, disks full, slow and stuck, records lost, and
/// clocks run at rates of their own. The crate `suffrage-histories` says what is checked. A run that breaks a
/// promise ends the soak with exit code 1, and leaves its logs; an interruption ends it with what was seen
/// until then. Needs root, iproute2 and nftables. The seed draws the faults; what they meet depends on the
/// machine.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// For how long runs are started
    #[arg(long, value_name = "H", default_value = "0.05", value_parser = hours)]
    hours: Duration,

    /// The seed of the first run; each has the next one
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u32,

    /// Faults per run
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    faults: u32,

    /// Let the rates of clocks differ by more than their bound: two may lead at once then, and the
    /// register must notice
    #[arg(long)]
    clocks_beyond: bool,

    /// The command `tenure`, with the feature `test-clock` [default: it is built]
    #[arg(long, value_name = "FILE")]
    tenure: Option<PathBuf>,

    /// What makes a run, as .ci/namespaces-lead does: for tests
    #[arg(long, value_name = "FILE", hide = true)]
    driver: Option<PathBuf>,

    /// The folder of the logs
    #[arg(long, value_name = "FOLDER", default_value = "target/soak")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask soak
  cargo xtask soak --hours 8 --seed 1000
  cargo xtask soak --faults 12 --seed 7      # a run again
  cargo xtask soak --clocks-beyond";

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The process ID of the driver; 0 while there is none.
static DRIVER: AtomicU32 = AtomicU32::new(0);

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse().ok().filter(|hours| (0.0..=10_000.0).contains(hours));
    let hours: f64 = hours.ok_or("write a number of hours from 0 to 10000")?;
    Ok(Duration::from_secs_f64(hours * 3600.0))
}

/// All runs until now.
#[derive(Default)]
struct Total {
    runs: u32,
    history: RunHistory,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ctrlc::set_handler(|| {
        INTERRUPTED.store(true, Ordering::SeqCst);
        stop_driver();
    })?;
    fs::create_dir_all(&args.out).with_context(|| format!("--out {}", args.out.display()))?;
    let tenure = program(args)?;
    let (began, mut total) = (Instant::now(), Total::default());
    for seed in args.seed.. {
        if total.runs > 0 && began.elapsed() > args.hours {
            break;
        }
        let folder = args.out.join(format!("seed-{seed}"));
        let ending = one(args, &tenure, seed, &folder);
        if !matches!(ending, Ok(SoakEnding::Whole(_))) && total.runs > 0 {
            total.tell(args.faults, began.elapsed());
        }
        match ending? {
            SoakEnding::Whole(history) => {
                total.runs += 1;
                total.history.add(history);
                fs::remove_dir_all(&folder)?;
            }
            SoakEnding::Interrupted => {
                fs::remove_dir_all(&folder)?;
                return Ok(ExitCode::from(130));
            }
            SoakEnding::Broken => {
                eprintln!("seed {seed} broke a promise; its logs are in {}", folder.display());
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    total.tell(args.faults, began.elapsed());
    Ok(ExitCode::SUCCESS)
}

impl Total {
    fn tell(&self, faults: u32, took: Duration) {
        let (runs, took) = (self.runs, HumanDuration(took));
        println!("{runs} runs of {faults} faults in {took}: {}", self.history);
    }
}

/// Ends the driver, which removes its namespaces.
fn stop_driver() {
    if let driver @ 1.. = DRIVER.load(Ordering::SeqCst) {
        let _ = Command::new("kill").arg(driver.to_string()).status();
    }
}

fn program(args: &Args) -> anyhow::Result<PathBuf> {
    let copy = args.out.join("tenure");
    let built = match &args.tenure {
        Some(path) => path.clone(),
        None => {
            let words = "build --quiet --locked --package tenure-cli --features test-clock";
            let built = cargo(words).status()?;
            ensure!(built.success(), "cargo {words}: {built}");
            repository().join("target/debug/tenure")
        }
    };
    fs::copy(&built, &copy).with_context(|| format!("{}", built.display()))?;
    Ok(copy)
}

enum SoakEnding {
    Whole(RunHistory),
    Interrupted,
    Broken,
}

/// Makes one run, and prints a line about it.
fn one(args: &Args, tenure: &Path, seed: u32, folder: &Path) -> anyhow::Result<SoakEnding> {
    let began = Instant::now();
    if folder.exists() {
        let there = folder.display();
        bail!(
            "{there} has the logs of an earlier run: remove it, or choose another --seed or --out"
        );
    }
    fs::create_dir_all(folder)?;
    let bar = ProgressBar::new_spinner()
        .with_style(ProgressStyle::with_template("[{elapsed}] seed {prefix}: {wide_msg}")?)
        .with_prefix(seed.to_string());
    bar.enable_steady_tick(Duration::from_millis(500));
    let test = if args.clocks_beyond { "clocks" } else { "faults" };
    let ours = || repository().join(".ci/namespaces-lead");
    let program = args.driver.clone().unwrap_or_else(ours);
    let mut driver = Command::new(&program)
        .arg(tenure)
        .args([test, &args.faults.to_string(), &seed.to_string()])
        .env("LOGS", folder)
        .stdout(Stdio::piped())
        .stderr(fs::File::create(folder.with_extension("err"))?)
        .spawn()
        .with_context(|| program.display().to_string())?;
    DRIVER.store(driver.id(), Ordering::SeqCst);
    if INTERRUPTED.load(Ordering::SeqCst) {
        // Just before it was there.
        stop_driver();
    }
    let mut said = Vec::new();
    for line in driver.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line?;
        bar.set_message(line.clone());
        said.push(line);
    }
    let ended = driver.wait()?;
    DRIVER.store(0, Ordering::SeqCst);
    bar.finish_and_clear();
    let errors = fs::read_to_string(folder.with_extension("err"))?;
    fs::remove_file(folder.with_extension("err"))?;
    if INTERRUPTED.load(Ordering::SeqCst) {
        return Ok(SoakEnding::Interrupted);
    }
    if !ended.success() {
        fs::write(folder.join("said"), said.join("\n") + "\n" + &errors)?;
        eprint!("{errors}");
        println!("seed {seed}: broken after {}", HumanDuration(began.elapsed()));
        return Ok(SoakEnding::Broken);
    }
    let left_out = said.iter().filter(|line| line.starts_with("skipped"));
    if !folder.join("log").exists() {
        let why: Vec<_> = left_out.map(String::as_str).collect();
        bail!("the namespaces cannot be made: {}", why.join("; "));
    }
    if seed == args.seed {
        left_out.for_each(|line| eprintln!("{line}"));
    }
    // It has been checked.
    let clocks_beyond = args.clocks_beyond;
    let promises = Promises { clocks_beyond, longest: LONGEST, restarts: false, takes_back: false };
    let history = RunHistory::read(folder, promises)?;
    println!("seed {seed}: {history}; {}", HumanDuration(began.elapsed()));
    io::stdout().flush()?;
    Ok(SoakEnding::Whole(history))
}
