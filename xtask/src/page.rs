//! `cargo xtask page`: a page on which its reader is the scheduler.

use crate::repository::{cargo, repository, write};
use anyhow::{Context, ensure};
use std::fs;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;
use suffrage::model::Id;
use suffrage::networks::{Spec, wiring::Wiring};
use suffrage::page::RunPage;
use suffrage::play::Play;
use suffrage::run::{Run, RunHeader};

/// What the program is compiled for.
const TARGET: &str = "wasm32-wasip1";

/// The program, below the folder of the repository.
const PROGRAM: &str = "target/wasm32-wasip1/page/suffrage-playground.wasm";

/// Make a page with the simulator in it, on which its reader chooses what happens next
///
/// Compiles the simulator and the checker to WebAssembly first, which takes minutes; it needs the target
/// wasm32-wasip1, which `rustup target add wasm32-wasip1` installs. The page is one file, and needs no network.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask page
  cargo xtask page deadlock.jsonl --out deadlock.html")]
pub(crate) struct Args {
    /// A run to begin with, such as a counterexample of `suffrage check --save` [default: an election on a
    /// ring, before its first event]
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,

    /// Where to write the page
    #[arg(long, value_name = "FILE", default_value = "target/suffrage.html")]
    out: PathBuf,
}

/// Makes the page.
///
/// # Errors
/// If the program cannot be compiled, the run cannot be read, or the page cannot be written.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let begun = match &args.run {
        Some(path) => {
            let name = path.display().to_string();
            let file = fs::File::open(path).with_context(|| name.clone())?;
            Play::of(Run::read(&name, BufReader::new(file))?)?
        }
        None => Play::new(offered()?)?,
    };
    let page = RunPage::of_play(&begun, None)?.program(program()?);
    write(&args.out, page.html())?;
    println!("{}", args.out.display());
    Ok(ExitCode::SUCCESS)
}

/// Returns the election of a page that is given none: small, and with a worst case that is not to be found
/// at once.
pub(crate) fn offered() -> anyhow::Result<RunHeader> {
    let network = "complete:5";
    let spec: Spec = network.parse()?;
    let ids = [2, 5, 1, 4, 3].map(Id::new).to_vec();
    let header = RunHeader::new("humblet", Wiring::complete(spec.size().0 as u32), ids);
    Ok(RunHeader { network: network.to_owned(), schedule: "chosen".to_owned(), ..header })
}

/// Compiles the program, and returns it.
pub(crate) fn program() -> anyhow::Result<Vec<u8>> {
    let built = cargo("build --quiet --locked --profile page --package suffrage-playground")
        .args(["--target", TARGET, "--target-dir", "target"])
        .status()?;
    ensure!(
        built.success(),
        "the program does not compile; is the target there? `rustup target add {TARGET}` installs it"
    );
    let file = repository().join(PROGRAM);
    fs::read(&file).with_context(|| file.display().to_string())
}
