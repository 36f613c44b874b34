//! Lays the files of the algorithms, and their seeded faults, beside the model in which identities are
//! symbols.

#[allow(unreachable_pub)]
#[path = "../mutants/src/choices.rs"]
mod choices;

#[allow(unreachable_pub, dead_code)]
#[path = "../mutants/src/list.rs"]
mod list;

use list::{Expected, SUITES, SeededFault, Suite};
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::exit,
};

#[allow(unreachable_pub, dead_code)]
#[path = "../../lab/algorithms/src/proved.rs"]
mod proved;

use proved::PROVED;

fn main() {
    let mutants = ["../mutants/faults", "../mutants/src/choices.rs", "../mutants/src/list.rs"];
    for read in ["../../lab/algorithms/src", "build.rs"].into_iter().chain(mutants) {
        println!("cargo::rerun-if-changed={read}");
    }
    let out = env::var("OUT_DIR").expect("cargo says where to write");
    if let Err(why) = write(Path::new("../../lab/algorithms/src"), Path::new(&out)) {
        println!("cargo::error={why}");
        exit(1);
    }
}

/// Writes the modules, and the list of them.
fn write(source: &Path, out: &Path) -> Result<(), String> {
    let (mut modules, mut list) = (String::new(), String::new());
    let source = source.canonicalize().map_err(|error| error.to_string())?;
    let is_proved = |suite: &Suite| PROVED.iter().any(|record| record.algorithm == suite.algorithm);
    let extinction = with_faults(&source, out, "extinction.rs", "extinction_faults", &is_proved)?;
    declare(&mut modules, "extinction_faults", &extinction);
    for name in PROVED.iter().map(|record| record.algorithm) {
        let suite = SUITES.iter().find(|suite| suite.algorithm == name);
        let suite = suite.ok_or_else(|| format!("{name} has no file of faults"))?;
        let process = Subject::of(suite)?;
        let (own, edited) = (name.replace('-', "_"), format!("{}_faults", name.replace('-', "_")));
        declare(&mut modules, &own, &source.join(&suite.file));
        let is_its = |of: &Suite| of.algorithm == name;
        declare(&mut modules, &edited, &with_faults(&source, out, &suite.file, &edited, &is_its)?);
        // Those in an announcement are in what is proved of no algorithm.
        let is_tabulated = |fault: &&SeededFault| match fault.file.as_deref() {
            None => true,
            Some(file) => process.wave.is_some() && file == "extinction.rs",
        };
        let faults: String = suite.faults.iter().filter(is_tabulated).map(entry).collect();
        let (table, edited) = (process.table(&own, ""), process.table(&edited, "_faults"));
        writeln!(
            list,
            "ProvedAlgorithm {{ name: {name:?}, table: {table}, with_faults: {edited}, faults: &[{faults}] }},"
        )
        .expect("a string takes everything");
    }
    let text = format!(
        "use subjects::{{ProvedAlgorithm, TabulatedFault}};\nuse table::Table;\n\n{modules}\n\
         /// What is proved.\npub static SUBJECTS: &[ProvedAlgorithm] = &[\n{list}];\n"
    );
    fs::write(out.join("subjects.rs"), text).map_err(|error| error.to_string())
}

/// Writes a file with the faults that such suites have in it, under another name. Returns its path.
fn with_faults(
    source: &Path,
    out: &Path,
    file: &str,
    name: &str,
    is_such: &dyn Fn(&Suite) -> bool,
) -> Result<PathBuf, String> {
    let text = fs::read_to_string(source.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let suites = SUITES.iter().filter(|suite| is_such(suite));
    let faults = suites.flat_map(|suite| suite.faults_in(file));
    let text = choices::with_faults(&text, "crate::subjects::chosen()", faults)
        .map_err(|why| format!("{file}: {why}"))?;
    let path = out.join(format!("{name}.rs"));
    fs::write(&path, text).map_err(|error| error.to_string())?;
    Ok(path)
}

/// Declares a module, with all warnings about it off: those about the originals suffice.
fn declare(modules: &mut String, name: &str, path: &Path) {
    writeln!(
        modules,
        "#[allow(warnings, clippy::all, clippy::pedantic)]\n#[path = {path:?}]\nmod {name};"
    )
    .expect("a string takes everything");
}

/// The type that elects, without the announcement around it.
struct Subject<'a> {
    process: &'a str,
    /// The process is an election by extinction over a wave, which is this.
    wave: Option<&'a str>,
}

impl<'a> Subject<'a> {
    fn of(suite: &'a Suite) -> Result<Self, String> {
        let inside = |of: &'a str, name: &str| of.strip_prefix(name)?.strip_suffix('>');
        let process = inside(&suite.process, "Announced<").unwrap_or(&suite.process);
        let wave = inside(process, "Extinction<");
        match wave.unwrap_or(process).chars().all(char::is_alphanumeric) {
            true => Ok(Self { process, wave }),
            false => Err(format!("{}: the type {} has parameters", suite.algorithm, suite.process)),
        }
    }

    /// What tabulates the algorithm of a module, with a module of extinction whose name ends like this.
    fn table(&self, module: &str, end: &str) -> String {
        let process = match self.wave {
            None => format!("{module}::{}", self.process),
            Some(wave) => format!("extinction{end}::Extinction<{module}::{wave}>"),
        };
        format!("Table::of::<{process}>")
    }
}

fn entry(fault: &SeededFault) -> String {
    let expected = match &fault.expected {
        Expected::Explored(property)
        | Expected::Sampled(property)
        | Expected::Invariant(property) => {
            format!("Some({property:?})")
        }
        Expected::Equivalent | Expected::Misjudges => "None".to_owned(),
    };
    let SeededFault { number, name, .. } = fault;
    format!("TabulatedFault {{ number: {number}, name: {name:?}, breaks: {expected} }},\n")
}
