//! Makes the mutants: copies of the algorithms' own files, each with one edit.
//!
//! A copy follows the text of its algorithm. An edit whose text is gone, or occurs twice, stops the
//! build.

#[allow(unreachable_pub, dead_code)]
#[path = "src/list.rs"]
mod list;

#[allow(unreachable_pub)]
#[path = "src/part.rs"]
mod part;

use list::{Edit, JUDGE, SUITES, SeededFault, TENURE};
use part::ExaminedPart;
use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path, process::exit};

/// Files that algorithms take from their crate. Mutants have one copy of them in common, and copies of
/// their own if the fault is in one of these: so most of their lines are compiled once.
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

/// What they derive beside the traits of a process, and mutants do not, unless they are part of an algorithm with
/// formulas: nothing else needs it.
const SERDE: &str = ", Serialize, Deserialize";

/// How a file says that it has invariants with formulas, or may be part of an algorithm that has.
const FORMULAS: [&str; 2] = ["Invariant::of_statements", "impl Wave for"];

/// How an algorithm's file names its tests, which mutants do not have.
const TESTS: &str = "#[cfg(test)]\nmod tests;\n";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\"))"); // As Tenure has it.
    println!("cargo::rerun-if-changed=../../lab/algorithms/src");
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
    let written = written.and_then(|()| write_judges(algorithms, out));
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

/// Writes every mutant of the part that is built, and for each suite the algorithm as it is.
fn write(source: &Path, out: &Path) -> Result<(), String> {
    let common = SHARED.map(|file| (file, file));
    let common = copies(source, &out.join("common"), &common, |_, text| Ok(text))?;
    let mut modules = module("common", &format!("{common}{CLAIMS}"));
    let mut table = String::new();
    let part = part()?;
    for (s, suite) in SUITES.iter().enumerate() {
        if !part.has(s, &suite.algorithm) {
            continue;
        }
        let mut subjects = Vec::new();
        for (f, fault) in std::iter::once(None).chain(suite.faults.iter().map(Some)).enumerate() {
            let name = format!("subject_{s}_{f}");
            let (own, common) = match fault {
                Some(SeededFault { file: Some(_), .. }) => (&SHARED[..], ""),
                _ => (&[][..], "use super::common::*;"),
            };
            let mut files: Vec<_> = own.iter().map(|&file| (file, file)).collect();
            files.push((&suite.file, "algorithm.rs"));
            let copies = copies(source, &out.join(&name), &files, |file, text| match fault {
                Some(fault) if fault.file.as_ref().unwrap_or(&suite.file) == file => {
                    edited(&text, &suite.algorithm, file, fault)
                }
                _ => Ok(text),
            })?;
            let process = &suite.process;
            let content = format!(
                "{copies}{common}\n{CLAIMS}\
                 use {{algorithm::*, announced::{{Announced, Anonymous}}, extinction::Extinction}};\n\
                 pub(crate) type Subject = {process};\n"
            );
            modules += &module(&name, &content);
            subjects.push(format!("M{f} = {name}"));
        }
        writeln!(modules, "subjects!(suite_{s}, subject_{s}_0: {});", subjects.join(", "))
            .expect("a string takes everything");
        write!(table, "({:?}, hold::<suite_{s}::Subject>), ", suite.algorithm).expect("as above");
    }
    let table = format!("{modules}\nstatic SUBJECTS: &[(&str, Hold)] = &[{table}];\n");
    fs::write(out.join("subjects.rs"), table).map_err(|error| error.to_string())
}

/// Formats a module of copies, with all warnings about them off: those about the originals suffice.
fn module(name: &str, content: &str) -> String {
    format!("#[allow(warnings, clippy::all, clippy::pedantic)]\nmod {name} {{\n{content}}}\n")
}

/// Copies files, each under another name, into a folder. Returns the declarations of their modules.
fn copies(
    source: &Path,
    folder: &Path,
    files: &[(&str, &str)],
    edit: impl Fn(&str, String) -> Result<String, String>,
) -> Result<String, String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut declarations = String::new();
    for (file, name) in files {
        let text =
            fs::read_to_string(source.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let text = edit(file, text)?.replace("use crate::", "use super::");
        let text = text.replace(TESTS, "");
        let is_part = SHARED.contains(file) || FORMULAS.iter().any(|of| text.contains(of));
        let text = if is_part { text } else { text.replace(SERDE, "") };
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| error.to_string())?;
        let name = name.trim_end_matches(".rs");
        writeln!(declarations, "#[path = {path:?}] pub(crate) mod {name};").expect("as above");
    }
    Ok(declarations)
}

/// The text of a file with the fault in it.
fn edited(text: &str, of: &str, file: &str, fault: &SeededFault) -> Result<String, String> {
    match text.matches(&fault.was).count() {
        1 => Ok(text.replacen(&fault.was, &fault.is, 1)),
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

/// The files of the protocols beside the folder of Tenure, and their modules here.
const FILES: [(&str, &str); 4] = [
    ("electorate.rs", "electorate"),
    ("tenure.rs", "subject"),
    ("reconfiguration.rs", "reconfiguration"),
    ("value.rs", "machine"),
];

/// Writes Tenure, its members that change, and the values of its leaderships, once, with the edits of all mutants: in the place of a text
/// that some of them replace stands a choice among its replacements. (What walks, explores and simulates it is
/// compiled for each type, and would be compiled for each copy.)
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
        let text = fs::read_to_string(&path).map_err(failed)?;
        let text =
            text.replace("use crate::tenure::{self,", "use super::subject::{self as tenure,");
        let text = text.replace("use crate::electorate::", "use crate::tenure::electorate::");
        // By the place of the text: its length, and each mutant's number with its replacement.
        let mut choices: BTreeMap<usize, (usize, String)> = BTreeMap::new();
        for (number, fault) in (1..).zip(TENURE.iter()) {
            for edit in fault.edits.iter().filter(|edit| edit.file == name) {
                edited += 1;
                let at = place(&text, edit).map_err(|why| format!("{}: {why}", fault.name))?;
                let (length, arms) = choices.entry(at).or_insert((edit.was.len(), String::new()));
                if *length != edit.was.len() {
                    return Err(format!("{}: another edit has a part of its text", fault.name));
                }
                write!(arms, "{number} => {{ {} }} ", edit.is).expect("a string takes everything");
            }
        }
        let (mut whole, mut done) = (String::new(), 0);
        for (at, (length, arms)) in choices {
            let before = text.get(done..at);
            let before = before.ok_or_else(|| format!("{name}: edits overlap at byte {at}"))?;
            let was = &text[at..at + length];
            let choice = format!("match crate::tenure::chosen() {{ {arms}_ => {{ {was} }} }}");
            let statement = was.ends_with([';', '}']);
            let choice = if statement { choice } else { format!("({choice})") };
            whole = whole + before + &choice;
            done = at + length;
        }
        whole += &text[done..];
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
