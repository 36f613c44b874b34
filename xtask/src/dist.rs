//! `cargo xtask dist`: what is given away of `tenure` and `suffrage`: static programs in archives, a Debian package, a
//! wheel, lists of the libraries in them, checksums.

mod debian;
mod files;
mod libraries;
mod program;
mod wheel;

use crate::repository::{begin, printed, read, repository, write};
use anyhow::Context;
use clap::ValueEnum;
use files::FileTree;
use libraries::Libraries;
use sha2::{Digest, Sha256};
use std::env::consts::ARCH;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Make the packages: archives with static programs, a Debian package of `tenure`, a wheel for Python, lists of
/// libraries, checksums
///
/// Builds the programs for this kind of processor, with the profile `dist`, so that they need no library of the
/// system; this takes minutes. It needs the Rust target of musl, and musl's C compiler for the cryptography; the wheel
/// needs maturin, and runs where the C library is as new as here. The manual pages and completions are what the programs
/// print. Every file in the packages has the time of the last
/// commit, or `SOURCE_DATE_EPOCH`: the same commit gives the same bytes, in any folder, with the same compilers.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask dist
  cargo xtask dist tenure --out packages
  cargo xtask dist tenure --built target/x86_64-unknown-linux-musl/dist")]
pub(crate) struct Args {
    /// What to package [default: all]
    #[arg(value_name = "PROGRAM")]
    programs: Vec<Product>,

    /// The folder of the packages; it is replaced, if it is there
    #[arg(long, value_name = "FOLDER", default_value = "target/packages")]
    out: PathBuf,

    /// A folder with the programs, which are static, and the wheel [default: they are built]
    #[arg(long, value_name = "FOLDER")]
    built: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Product {
    Tenure,
    Suffrage,
    /// The package `suffrage` of Python
    Python,
}

impl Product {
    fn name(self) -> &'static str {
        match self {
            Self::Tenure => "tenure",
            Self::Suffrage | Self::Python => "suffrage",
        }
    }

    /// The crate of the command.
    fn package(self) -> String {
        format!("{}-cli", self.name())
    }

    /// The folder of that crate.
    fn folder(self) -> PathBuf {
        repository().join(if self == Self::Tenure { "tenure/cli" } else { "lab/cli" })
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The file by which a folder is known to have packages.
const SUMS: &str = "SHA256SUMS";

/// Makes the packages.
///
/// # Errors
/// If something to build with is missing, a program cannot be built or fails, or a file cannot be read or written.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let architecture = debian::architecture(ARCH)?;
    let time = time_of_commit()?;
    let chosen = Product::value_variants().iter().copied();
    let chosen: Vec<_> =
        chosen.filter(|one| args.programs.is_empty() || args.programs.contains(one)).collect();
    let mut packages: Vec<(String, Vec<u8>)> = Vec::new();
    for product in chosen {
        if product == Product::Python {
            packages.push(wheel::package(args.built.as_deref(), time)?);
            continue;
        }
        let built = match &args.built {
            Some(folder) => folder.join(product.name()),
            None => program::build(product)?,
        };
        let libraries = Libraries::of(product)?;
        let list = libraries.list(time)?;
        let tree = tree(product, &built, &libraries, &list)?;
        let name = format!("{}-{VERSION}-{ARCH}-linux", product.name());
        let mut archive = tree.below(&name);
        if product == Product::Tenure {
            // The unpacked archive is all that the image is made of.
            archive.add_copy(&name, &repository().join("examples/container/Containerfile"))?;
            let package = debian::package(&tree, architecture, time)?;
            packages.push((format!("tenure_{VERSION}_{architecture}.deb"), package));
        }
        packages.push((format!("{name}.tar.gz"), archive.tar_gz(time)?));
        packages.push((format!("{}-{VERSION}.cdx.json", product.name()), list.into_bytes()));
    }
    packages.sort();
    let sums = packages.iter().fold(String::new(), |mut sums, (name, contents)| {
        let _ = writeln!(sums, "{:x}  {name}", Sha256::digest(contents));
        sums
    });
    begin(&args.out, SUMS, "packages")?;
    for (name, contents) in packages.iter().map(|(name, contents)| (name.as_str(), &contents[..])) {
        write(&args.out.join(name), contents)?;
        println!("{} ({} bytes)", args.out.join(name).display(), contents.len());
    }
    write(&args.out.join(SUMS), sums)?;
    Ok(ExitCode::SUCCESS)
}

/// The files of a product, by their paths below `/usr` or another prefix.
fn tree(
    product: Product,
    built: &Path,
    libraries: &Libraries,
    list: &str,
) -> anyhow::Result<FileTree> {
    let name = product.name();
    let mut tree = FileTree::default();
    let program = fs::read(built).with_context(|| built.display().to_string())?;
    tree.add_program(format!("bin/{name}"), program);
    let pages = tempfile::tempdir()?;
    says(built, &["man", "--out", &pages.path().to_string_lossy()])?;
    for page in fs::read_dir(pages.path())? {
        let page = page?;
        let packed = files::gzip(&fs::read(page.path())?)?;
        tree.add(format!("share/man/man1/{}.gz", page.file_name().to_string_lossy()), packed);
    }
    for (shell, path) in [
        ("bash", format!("share/bash-completion/completions/{name}")),
        ("fish", format!("share/fish/vendor_completions.d/{name}.fish")),
        ("zsh", format!("share/zsh/vendor-completions/_{name}")),
    ] {
        tree.add(path, says(built, &["completions", shell])?);
    }
    let documents = format!("share/doc/{name}");
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree.add_copy(&documents, &repository().join(file))?;
    }
    tree.add_copy(&documents, &product.folder().join("README.md"))?;
    let changes = read(&repository().join("CHANGELOG.md"))?;
    tree.add(format!("{documents}/changelog.gz"), files::gzip(changes.as_bytes())?);
    tree.add(format!("{documents}/copyright"), libraries.notices(name)?);
    tree.add(format!("{documents}/{}", libraries::STANDARD), Libraries::standard_notices()?);
    tree.add(format!("{documents}/{name}.cdx.json"), list);
    if product == Product::Tenure {
        let units = repository().join("examples/systemd");
        tree.add_copy("lib/systemd/system", &units.join("tenure.service"))?;
        let examples = format!("{documents}/examples");
        tree.add_copy(&examples, &units.join("my-service.service"))?;
        tree.add(format!("{examples}/members.toml"), says(built, &["config", "example"])?);
    }
    Ok(tree)
}

/// Returns what a program prints.
fn says(program: &Path, words: &[&str]) -> anyhow::Result<Vec<u8>> {
    printed(Command::new(program).args(words))
}

/// Returns when the last commit was made, or the time that is to be taken for it, in seconds since 1970.
fn time_of_commit() -> anyhow::Result<u64> {
    let name = "SOURCE_DATE_EPOCH";
    if let Ok(time) = env::var(name) {
        return time.parse().with_context(|| format!("{name}={time}: write seconds since 1970"));
    }
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(repository());
    let output = git.output().ok().filter(|output| output.status.success());
    let time = output.and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse().ok());
    time.with_context(|| {
        format!("git does not say when the last commit was made: set {name} to seconds since 1970")
    })
}
