//! `cargo xtask site`: the book, the gallery, the playground, the course, the commands and all documents, as a folder
//! that any web server can serve, and that a browser can open without one.

mod commands;
mod documents;
mod frame;
mod gallery;
mod markdown;
mod runs;

use crate::page;
use crate::repository::{begin, repository, write};
use anyhow::{Context, ensure};
use documents::Documents;
use frame::Frame;
pub(crate) use runs::SUFFRAGE;
use runs::Suffrage;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::ExitCode;

/// Make the site: the book, the gallery of algorithms, the playground, the course, the commands, all documents
///
/// Runs the commands of the lessons, and an election of each algorithm. The program of the playground is compiled to
/// WebAssembly first, which takes minutes; it needs the target wasm32-wasip1, which `rustup target add wasm32-wasip1`
/// installs. A browser opens the site from its folder, and any web server serves it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask site
  cargo xtask site --out public --program target/wasm32-wasip1/page/suffrage-playground.wasm")]
pub(crate) struct Args {
    /// The folder of the site; it is replaced, if it is there
    #[arg(long, value_name = "FOLDER", default_value = "target/site")]
    out: PathBuf,

    /// The program of the playground [default: it is compiled]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// A file by which a folder is known to be a site, and may be replaced.
const MARK: &str = frame::STYLE;

/// Makes the site.
///
/// # Errors
/// If a command of a lesson fails, a document links to what is not there, or something cannot be read or written.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let program = match &args.program {
        Some(file) => {
            let program = fs::read(file).with_context(|| file.display().to_string())?;
            ensure!(
                program.starts_with(b"\0asm"),
                "{} is no WebAssembly; without --program it is compiled",
                file.display()
            );
            program
        }
        None => page::program()?,
    };
    let site = SiteFolder::begin(&args.out)?;
    let suffrage = Suffrage::new()?;
    let documents = Documents::read(repository())?;
    documents.write(&site, &suffrage)?;
    gallery::write(&site, &suffrage, &documents)?;
    commands::write(&site)?;
    runs::write_playground(&site, program)?;
    runs::write_shared(&site)?;
    site.write("index.html", first_page(&documents)?)?;
    println!("{}", args.out.join("index.html").display());
    Ok(ExitCode::SUCCESS)
}

/// The first page.
fn first_page(documents: &Documents) -> anyhow::Result<String> {
    let entries = gallery::count();
    // The first page of the book says how to read them.
    let lessons = documents.lessons().len() - 1;
    let mutants = documents.text("docs/reference/mutants.md")?;
    let faults = mutants.split_once("? ").and_then(|(_, rest)| rest.split_once(" faults"));
    let (faults, _) = faults.context("docs/reference/mutants.md does not say how many faults")?;
    let run = runs::embedded("gallery/runs/humblet.html", "A run of Humblet's algorithm");
    let body = include_str!("site/first.html")
        .replace("{{algorithms}}", &entries.to_string())
        .replace("{{lessons}}", &lessons.to_string())
        .replace("{{faults}}", faults)
        .replace("{{run}}", &run);
    Ok(Frame::new("index.html", "Leader election, to watch and to check").page(&body))
}

/// The site that is being written.
struct SiteFolder {
    folder: PathBuf,
}

impl SiteFolder {
    /// Begins it: what an earlier call has written goes.
    fn begin(folder: &Path) -> anyhow::Result<Self> {
        let folder = path::absolute(folder)?;
        begin(&folder, MARK, "site")?;
        let site = Self { folder };
        site.write(MARK, frame::style())?;
        Ok(site)
    }

    /// Writes a file of the site, at an address.
    fn write(&self, address: &str, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
        let file = self.folder.join(address);
        let folder = file.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write(&file, text)
    }
}
