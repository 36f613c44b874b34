//! The package of Python, as a wheel.

use super::program::{anywhere, target_folder};
use crate::repository::repository;
use anyhow::{Context, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the wheel and its name: the one in this folder, or else it builds one.
///
/// # Errors
/// If maturin is missing or fails, or a folder does not have one wheel.
pub(super) fn package(built: Option<&Path>, time: u64) -> anyhow::Result<(String, Vec<u8>)> {
    match built {
        Some(folder) => only(folder),
        None => {
            let folder = tempfile::tempdir()?;
            build(folder.path(), time)?;
            only(folder.path())
        }
    }
}

/// Builds a wheel into a folder, which is the same whenever and wherever that is done.
fn build(folder: &Path, time: u64) -> anyhow::Result<()> {
    let mut maturin = Command::new("maturin");
    maturin.args(["build", "--quiet", "--profile", "dist", "--locked", "--manifest-path"]);
    maturin.arg(repository().join("lab/python/Cargo.toml")).arg("--out").arg(folder);
    maturin.env("SOURCE_DATE_EPOCH", time.to_string());
    let status = anywhere(&mut maturin, &target_folder()?)?.status();
    let status = status.context("to make a wheel, install maturin (`pip install maturin`)")?;
    ensure!(status.success(), "cannot build the wheel");
    Ok(())
}

fn only(folder: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let wheels: Vec<_> =
        names.filter(|name| name.starts_with("suffrage-") && name.ends_with(".whl")).collect();
    let [name] = &wheels[..] else {
        anyhow::bail!(
            "{}: there are {} wheels of suffrage, not one",
            folder.display(),
            wheels.len()
        );
    };
    let wheel = fs::read(folder.join(name)).with_context(|| name.clone())?;
    Ok((name.clone(), wheel))
}
