//! Makes the mutants: copies of the algorithms' own files, each with one edit.
//!
//! A copy follows the text of its algorithm. An edit whose text is gone, or is there twice, stops
//! the build.

#[allow(unreachable_pub, dead_code)]
#[path = "src"]
mod source {
    pub mod list;
}

#[allow(unreachable_pub, dead_code)]
#[path = "tests/protocols/faults.rs"]
mod faults;

use faults::FAULTS;
use source::list::{JUDGE, SUITES, SeededFault};
use std::{env, fmt::Write as _, fs, path::Path, process::exit};

/// Files that algorithms take from their crate: a mutant has its own copy of each.
const SHARED: [&str; 5] = ["announced.rs", "divisors.rs", "harmonic.rs", "ports.rs", "queue.rs"];

/// What they take from their crate that is the same for all.
const CLAIMS: &str = "use suffrage_algorithms::{Bound, Claimed, Claims, Configuration, Ending, Guarantee, Invariant, Node, Problem, Race, Rule, Standing, Time};\n";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\"))"); // As the algorithms have it.
    println!("cargo::rerun-if-changed=../algorithms/src");
    println!("cargo::rerun-if-changed=src/list.rs");
    println!("cargo::rerun-if-changed=../protocols/src");
    println!("cargo::rerun-if-changed=src/list");
    println!("cargo::rerun-if-changed=src/judge");
    println!("cargo::rerun-if-changed=tests/protocols/faults.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR").expect("cargo says where to write");
    let (algorithms, out) = (Path::new("../algorithms/src"), Path::new(&out));
    let written = write(algorithms, out);
    let written = written.and_then(|()| write_judges(algorithms, out));
    match written.and_then(|()| write_protocols(Path::new("../protocols/src"), out)) {
        Ok(()) => {}
        Err(why) => {
            println!("cargo::error={why}");
            exit(1);
        }
    }
}

/// Writes every mutant, and for each suite the algorithm as it is.
fn write(source: &Path, out: &Path) -> Result<(), String> {
    let (mut modules, mut table) = (String::new(), String::new());
    for (s, suite) in SUITES.iter().enumerate() {
        let mut subjects = Vec::new();
        for (f, fault) in std::iter::once(None).chain(suite.faults.iter().map(Some)).enumerate() {
            let module = format!("subject_{s}_{f}");
            let folder = out.join(&module);
            fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            write!(modules, "#[allow(warnings, clippy::all, clippy::pedantic)]\nmod {module} {{")
                .expect("a string takes everything");
            for file in SHARED.iter().chain([&suite.file]) {
                let text = fs::read_to_string(source.join(file))
                    .map_err(|error| format!("{file}: {error}"))?;
                let text = match fault {
                    Some(fault) if fault.file(suite) == *file => {
                        edited(&text, suite.algorithm, file, fault)?
                    }
                    _ => text,
                };
                let name =
                    if *file == suite.file { "algorithm" } else { file.trim_end_matches(".rs") };
                let path = folder.join(name).with_extension("rs");
                let text = text.replace("use crate::", "use super::");
                fs::write(&path, text).map_err(|error| error.to_string())?;
                writeln!(modules, "#[path = {path:?}] mod {name};").expect("as above");
            }
            let process = suite.process;
            writeln!(
                modules,
                "{CLAIMS}use {{algorithm::*, announced::Announced}};\n\
                 pub(crate) type Subject = {process};\n}}"
            )
            .expect("as above");
            subjects.push(format!("M{f} = {module}"));
        }
        writeln!(modules, "subjects!(suite_{s}, subject_{s}_0: {});", subjects.join(", "))
            .expect("as above");
        write!(table, "hold::<suite_{s}::Subject>, ").expect("as above");
    }
    let table = format!("{modules}\nstatic SUBJECTS: &[Hold] = &[{table}];\n");
    fs::write(out.join("subjects.rs"), table).map_err(|error| error.to_string())
}

/// The text of a file with the fault in it.
fn edited(text: &str, of: &str, file: &str, fault: &SeededFault) -> Result<String, String> {
    match text.matches(fault.was).count() {
        1 => Ok(text.replacen(fault.was, fault.is, 1)),
        count => Err(format!(
            "mutant {} of {of}: the text to change occurs {count} times in {file}, and must occur \
             once: {:?}",
            fault.name, fault.was
        )),
    }
}

/// Writes the judge as it is and every mutant of it, each with the elections that it judges.
fn write_judges(source: &Path, out: &Path) -> Result<(), String> {
    let text = fs::read_to_string(source.join("judge.rs")).map_err(|error| error.to_string())?;
    let cases = fs::read_to_string("src/judge/cases.rs").map_err(|error| error.to_string())?;
    let (mut modules, mut table) = (String::new(), String::new());
    for (f, fault) in std::iter::once(None).chain(JUDGE.iter().map(Some)).enumerate() {
        let text = match fault {
            Some(fault) => edited(&text, "the judge", "judge.rs", fault)?,
            None => text.clone(),
        };
        let text = text.replace("use crate::", "use suffrage_algorithms::");
        let path = out.join(format!("judge_{f}.rs"));
        fs::write(&path, format!("{text}\n{cases}")).map_err(|error| error.to_string())?;
        writeln!(
            modules,
            "#[allow(warnings, clippy::all, clippy::pedantic)]\n#[path = {path:?}]\nmod judge_{f};"
        )
        .expect("a string takes everything");
        write!(table, "judge_{f}::cases, ").expect("as above");
    }
    let table = format!("{modules}\nstatic JUDGES: &[fn() -> Vec<Said>] = &[{table}];\n");
    fs::write(out.join("judges.rs"), table).map_err(|error| error.to_string())
}

/// Writes every mutant of tenure: all its files, one of them edited.
fn write_protocols(source: &Path, out: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", source.display());
    let (mut modules, mut table) = (String::new(), String::new());
    for (f, fault) in FAULTS.iter().enumerate() {
        let module = format!("tenure_{f}");
        let folder = out.join(&module);
        fs::create_dir_all(&folder).map_err(failed)?;
        let parts = fs::read_dir(source.join("tenure")).map_err(failed)?;
        let parts = parts.map(|entry| entry.map(|entry| entry.path()));
        for path in parts.chain([Ok(source.join("tenure.rs"))]) {
            let path = path.map_err(failed)?;
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let mut text = fs::read_to_string(&path).map_err(failed)?;
            if name == fault.file {
                let count = text.matches(fault.was).count();
                if count != 1 {
                    return Err(format!(
                        "mutant {} of tenure: the text to change occurs {count} times in {name}, \
                         and must occur once: {:?}",
                        fault.name, fault.was
                    ));
                }
                text = text.replacen(fault.was, fault.is, 1);
            }
            // Beside each other: a module with a path has its modules there.
            fs::write(folder.join(name), text).map_err(failed)?;
        }
        writeln!(
            modules,
            "#[allow(warnings, clippy::all, clippy::pedantic)]\n#[path = {:?}]\nmod {module};",
            folder.join("tenure.rs")
        )
        .expect("a string takes everything");
        write!(table, "fate::<{module}::Tenure>, ").expect("as above");
    }
    let table = format!("{modules}\nstatic MUTANTS: &[Fate] = &[{table}];\n");
    fs::write(out.join("protocols.rs"), table).map_err(failed)
}
