//! A program that needs no library of the system.

use super::Product;
use crate::repository::{cargo, printed, repository};
use anyhow::{Context, ensure};
use std::env::consts::ARCH;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, path};

/// The C compiler for the cryptography, in Debian's package musl-tools.
const COMPILER: &str = "musl-gcc";

/// What programs are built for.
pub(super) fn target() -> String {
    format!("{ARCH}-unknown-linux-musl")
}

/// Builds the program of a product, and returns its path.
///
/// # Errors
/// If something to build with is missing, or cargo fails.
pub(super) fn build(product: Product) -> anyhow::Result<PathBuf> {
    let target = target();
    have_tools(&target)?;
    let out = target_folder()?;
    let package = product.package();
    let mut cargo = cargo(&format!("build --locked --profile dist --target {target} -p {package}"));
    let status = anywhere(&mut cargo, &out)?.status().context("cargo")?;
    ensure!(status.success(), "cannot build {}", product.name());
    Ok(out.join(&target).join("dist").join(product.name()))
}

/// Has a command build in this folder, as if all folders were those of any other machine.
pub(super) fn anywhere<'a>(
    command: &'a mut Command,
    out: &Path,
) -> anyhow::Result<&'a mut Command> {
    let folders = [
        (cargo_home()?, "/cargo"),
        (repository().canonicalize()?, "/source"),
        (out.to_owned(), "/target"),
    ];
    let renamed = |flag: &str| {
        let flags = folders.iter().map(|(from, to)| format!("{flag}={}={to}", from.display()));
        flags.collect::<Vec<_>>()
    };
    // Cargo keeps the symbols of a package that the profile names, in spite of `strip = true`.
    let mut flags = renamed("--remap-path-prefix");
    flags.push("-Cstrip=symbols".to_owned());
    Ok(command
        .env("CARGO_TARGET_DIR", out)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env("CFLAGS", renamed("-ffile-prefix-map").join(" ")))
}

/// The folder in which cargo builds.
pub(super) fn target_folder() -> anyhow::Result<PathBuf> {
    Ok(match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => path::absolute(folder)?,
        None => repository().canonicalize()?.join("target"),
    })
}

/// Checks that there is what a static program is built with; Rust's part is installed.
fn have_tools(target: &str) -> anyhow::Result<()> {
    let mut missing = Vec::new();
    if !sysroot()?.join("lib/rustlib").join(target).is_dir() && !installed(target) {
        missing.push(format!("Rust for {target} (`rustup target add {target}`)"));
    }
    let named = ["CC", "TARGET_CC"].iter().any(|name| env::var_os(name).is_some());
    let paths = env::var_os("PATH").unwrap_or_default();
    if !named && !env::split_paths(&paths).any(|folder| folder.join(COMPILER).is_file()) {
        missing.push(format!("the C compiler {COMPILER} (`apt-get install musl-tools`)"));
    }
    let missing = missing.join(", and ");
    ensure!(missing.is_empty(), "to build a program that needs no library, install {missing}");
    Ok(())
}

fn installed(target: &str) -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target]).stdout(Stdio::null()).stderr(Stdio::null());
    rustup.status().is_ok_and(|status| status.success())
}

/// The folder of the compiler.
pub(super) fn sysroot() -> anyhow::Result<PathBuf> {
    Ok(Path::new(&rustc(&["--print", "sysroot"])?).to_owned())
}

/// Returns the line that the compiler prints.
pub(super) fn rustc(words: &[&str]) -> anyhow::Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Ok(String::from_utf8(printed(Command::new(rustc).args(words))?)?.trim().to_owned())
}

fn cargo_home() -> anyhow::Result<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".cargo"));
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(home).context("there is no home folder: set CARGO_HOME")
}
