//! Makes the mutants: a copy of each algorithm's own file has all faults in it, and a run chooses one.
//!
//! A copy follows the text of its algorithm. A fault whose text is gone, or occurs twice, stops the
//! build.

#[allow(unreachable_pub)]
#[path = "src/choices.rs"]
mod choices;

#[allow(unreachable_pub, dead_code)]
#[path = "src/list.rs"]
mod list;

#[allow(unreachable_pub)]
#[path = "src/part.rs"]
mod part;

use choices::{Replacement, with_choices, with_faults};
use list::{Edit, JUDGE, SUITES, TENURE};
use part::ExaminedPart;
use std::{env, fmt::Write as _, fs, path::Path, process::exit};

/// Files that algorithms take from their crate: mutants have one copy of them in common.
const SHARED: [&str; 8] = [
    "announced.rs",
    "around.rs",
    "divisors.rs",
    "extinction.rs",
    "fibonacci.rs",
    "harmonic.rs",
    "ports.rs",
    "queue.rs",
];

/// What they take from their crate that is the same for all.
const CLAIMS: &str = "use suffrage_algorithms::{prelude, wave, wave::Wave};\n";

/// The number of the fault that a run has chosen.
const CHOSEN: &str = "crate::chosen()";

/// How an algorithm's file names its tests, which mutants do not have.
const TESTS: &str = "#[cfg(test)]\nmod tests;\n";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\"))"); // As Tenure has it.
    println!("cargo::rerun-if-changed=../../lab/algorithms/src");
    println!("cargo::rerun-if-changed=src/choices.rs");
    println!("cargo::rerun-if-changed=src/list.rs");
    println!("cargo::rerun-if-changed=src/part.rs");
    println!("cargo::rerun-if-changed=../../tenure/protocol/src");
    println!("cargo::rerun-if-changed=faults");
    println!("cargo::rerun-if-changed=src/judge");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PART");
    let out = env::var("OUT_DIR").expect("cargo says where to write");
    let (algorithms, out) = (Path::new("../../lab/algorithms/src"), Path::new(&out));
    let written = write(algorithms, out);
    let written = written.and_then(|()| write_judge(algorithms, out));
    match written.and_then(|()| write_protocols(Path::new("../../tenure/protocol/src"), out)) {
        Ok(()) => {}
        Err(why) => {
            println!("cargo::error={why}");
            exit(1);
        }
    }
}

/// The suites that are built: all, or those that the variable `PART` names.
fn part() -> Result<ExaminedPart, String> {
    let text = env::var("PART").unwrap_or_else(|_| "1/1".to_owned());
    ExaminedPart::read(&text, |name| SUITES.iter().any(|suite| suite.algorithm == name))
}

/// Writes the algorithms of the part that is built, with all their mutants.
fn write(source: &Path, out: &Path) -> Result<(), String> {
    let common = SHARED.map(|file| copy(source, &out.join("common"), file, file));
    let common = common.into_iter().collect::<Result<String, _>>()?;
    let mut modules = module("common", &format!("{common}{CLAIMS}"));
    let mut table = String::new();
    let part = part()?;
    for (s, suite) in SUITES.iter().enumerate() {
        if !part.has(s, &suite.algorithm) {
            continue;
        }
        let name = format!("suite_{s}");
        let algorithm = copy(source, &out.join(&name), &suite.file, "algorithm.rs")?;
        let process = &suite.process;
        let content = format!(
            "{algorithm}use super::common::*;\n{CLAIMS}\
             use {{algorithm::*, announced::{{Announced, Anonymous}}, extinction::Extinction}};\n\
             pub(crate) type Subject = {process};\n"
        );
        modules += &module(&name, &content);
        write!(table, "({:?}, hold::<{name}::Subject>), ", suite.algorithm)
            .expect("a string takes everything");
    }
    let table = format!("{modules}\nstatic SUBJECTS: &[(&str, Hold)] = &[{table}];\n");
    fs::write(out.join("subjects.rs"), table).map_err(|error| error.to_string())
}

/// Formats a module of copies, with all warnings about them off: those about the originals suffice.
fn module(name: &str, content: &str) -> String {
    format!("#[allow(warnings, clippy::all, clippy::pedantic)]\nmod {name} {{\n{content}}}\n")
}

/// Copies a file into a folder, under another name, with all faults of the list that are in it. Returns the
/// declaration of its module.
fn copy(source: &Path, folder: &Path, file: &str, name: &str) -> Result<String, String> {
    let text = read(&source.join(file))?;
    let faults = SUITES.iter().flat_map(|suite| suite.faults_in(file));
    let text = with_faults(&text, CHOSEN, faults).map_err(|why| format!("{file}: {why}"))?;
    let text = text.replace("use crate::", "use super::").replace(TESTS, "");
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join(name);
    fs::write(&path, text).map_err(|error| error.to_string())?;
    Ok(format!("#[path = {path:?}] pub(crate) mod {};\n", name.trim_end_matches(".rs")))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes the judge with all its mutants, and the elections that it judges.
fn write_judge(source: &Path, out: &Path) -> Result<(), String> {
    let text = with_faults(&read(&source.join("judge.rs"))?, CHOSEN, JUDGE.iter());
    let text = text.map_err(|why| format!("judge.rs: {why}"))?;
    let text = text.replace("use crate::", "use suffrage_algorithms::");
    let path = out.join("judge.rs");
    let cases = read(Path::new("src/judge/cases.rs"))?;
    fs::write(&path, format!("{text}\n{cases}")).map_err(|error| error.to_string())?;
    let module = format!(
        "#[allow(warnings, clippy::all, clippy::pedantic)]\n#[path = {path:?}]\nmod subject;\n"
    );
    fs::write(out.join("judges.rs"), module).map_err(|error| error.to_string())
}

/// The files of the protocols beside the folder of Tenure, and their modules here.
const FILES: [(&str, &str); 4] = [
    ("electorate.rs", "electorate"),
    ("tenure.rs", "subject"),
    ("reconfiguration.rs", "reconfiguration"),
    ("value.rs", "machine"),
];

/// Writes Tenure, its members that change, and the values of its leaderships, with all mutants.
fn write_protocols(source: &Path, out: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", source.display());
    let folder = out.join("tenure");
    fs::create_dir_all(&folder).map_err(failed)?;
    let parts = fs::read_dir(source.join("tenure")).map_err(failed)?;
    let parts = parts.map(|entry| entry.map(|entry| entry.path()));
    let mut edited = 0;
    for path in parts.chain(FILES.map(|(name, _)| Ok(source.join(name)))) {
        let path = path.map_err(failed)?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let text = read(&path)?;
        let mut replacements = Vec::new();
        for (number, fault) in (1..).zip(TENURE.iter()) {
            for edit in fault.edits.iter().filter(|edit| edit.file == name) {
                edited += 1;
                let at = place(&text, edit).map_err(|why| format!("{}: {why}", fault.name))?;
                let at = at..at + edit.was.len();
                replacements.push(Replacement { fault: number, at, is: &edit.is });
            }
        }
        let whole = with_choices(&text, "crate::tenure::chosen()", &replacements);
        let whole = whole.map_err(|why| format!("{name}: {why}"))?;
        let whole =
            whole.replace("use crate::tenure::{self,", "use super::subject::{self as tenure,");
        let mut whole = whole.replace("use crate::electorate::", "use crate::tenure::electorate::");
        if name == "tenure.rs" {
            // What a process sends to itself arrives within a reaction, which may so have no end.
            let step = "next += 1;";
            if whole.matches(step).count() != 1 {
                return Err(format!(
                    "{name}: a reaction takes its steps elsewhere than at {step:?}"
                ));
            }
            whole = whole.replace(step, "next += 1; crate::tenure::go_on(next);");
        }
        // Beside each other: a module with a path has its modules there.
        fs::write(folder.join(name), whole).map_err(failed)?;
    }
    if edited != TENURE.iter().map(|fault| fault.edits.len()).sum::<usize>() {
        return Err("a mutant of tenure changes a file that tenure does not have".to_owned());
    }
    let modules = FILES.map(|(file, name)| {
        let path = folder.join(file);
        format!(
            "#[allow(warnings, clippy::all, clippy::pedantic)]\n#[path = {path:?}]\nmod {name};\n"
        )
    });
    fs::write(out.join("tenure.rs"), modules.concat()).map_err(failed)
}

/// Where the text of an edit is: once in its function.
fn place(text: &str, edit: &Edit) -> Result<usize, String> {
    let Edit { file, within, was, .. } = edit;
    let begin = text.find(within).ok_or_else(|| format!("{file} has no {within:?}"))?;
    let rest = &text[begin..];
    // The function's end: a brace that is indented like its beginning.
    let line = text[..begin].rfind('\n').map_or(0, |line| line + 1);
    let indent = text[line..].len() - text[line..].trim_start_matches(' ').len();
    let end = if within.is_empty() { None } else { rest.find(&format!("\n{:indent$}}}\n", "")) };
    let function = &rest[..end.unwrap_or(rest.len())];
    match (function.find(was), function.matches(was).count()) {
        (Some(at), 1) => Ok(begin + at),
        (_, count) => Err(format!(
            "the text to change occurs {count} times in {within:?} of {file}, and must occur once: \
             {was:?}"
        )),
    }
}
