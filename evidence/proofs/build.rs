//! Lays the files of the algorithms, and their seeded faults, beside the model in which identities are
//! symbols.

#[allow(unreachable_pub, dead_code)]
#[path = "../mutants/src/list.rs"]
mod list;

use list::{Expected, SUITES, SeededFault, Suite};
use std::{env, fmt::Write as _, fs, path::Path, process::exit};

#[allow(unreachable_pub, dead_code)]
#[path = "../../lab/algorithms/src/proved.rs"]
mod proved;

use proved::PROVED;

fn main() {
    for read in
        ["../../lab/algorithms/src", "../mutants/faults", "../mutants/src/list.rs", "build.rs"]
    {
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
    for name in PROVED.iter().map(|record| record.algorithm) {
        let suite = SUITES.iter().find(|suite| suite.algorithm == name);
        let suite = suite.ok_or_else(|| format!("{name} has no file of faults"))?;
        let process = Subject::of(suite)?;
        let module = name.replace('-', "_");
        declare(&mut modules, &module, &source.join(&suite.file));
        let mut faults = String::new();
        for (number, fault) in suite.faults.iter().enumerate() {
            let file = fault.file.as_ref().unwrap_or(&suite.file);
            let edited = format!("{module}_{number}");
            let Some(table) = process.table(&module, &edited, fault.file.as_deref()) else {
                continue; // It is in what is proved of no algorithm alone.
            };
            let text = fs::read_to_string(source.join(file));
            let text = text.map_err(|error| format!("{file}: {error}"))?;
            if text.matches(&fault.was).count() != 1 {
                return Err(format!("{name}, {}: its text occurs not once", fault.name));
            }
            let path = out.join(format!("{edited}.rs"));
            fs::write(&path, text.replacen(&fault.was, &fault.is, 1))
                .map_err(|error| error.to_string())?;
            declare(&mut modules, &edited, &path);
            write!(faults, "{}", entry(fault, &table)).expect("a string takes everything");
        }
        let table = process.table(&module, &module, None).expect("it is its own file");
        writeln!(
            list,
            "ProvedAlgorithm {{ name: {name:?}, table: {table}, faults: &[{faults}] }},"
        )
        .expect("as above");
    }
    let text = format!(
        "use subjects::{{ProvedAlgorithm, TabulatedFault}};\nuse table::Table;\n\n{modules}\n\
         /// What is proved.\npub static SUBJECTS: &[ProvedAlgorithm] = &[\n{list}];\n"
    );
    fs::write(out.join("subjects.rs"), text).map_err(|error| error.to_string())
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

    /// What tabulates the algorithm of a module, with another module in place of this file, if that is a part of it;
    /// `None` means its own.
    fn table(&self, own: &str, other: &str, file: Option<&str>) -> Option<String> {
        let process = match (self.wave, file) {
            (None, None) => format!("{other}::{}", self.process),
            (Some(wave), None) => format!("extinction::Extinction<{other}::{wave}>"),
            (Some(wave), Some("extinction.rs")) => format!("{other}::Extinction<{own}::{wave}>"),
            (_, Some(_)) => return None,
        };
        Some(format!("Table::of::<{process}>"))
    }
}

fn entry(fault: &SeededFault, table: &str) -> String {
    let expected = match &fault.expected {
        Expected::Explored(property)
        | Expected::Sampled(property)
        | Expected::Invariant(property) => {
            format!("Some({property:?})")
        }
        Expected::Equivalent | Expected::Misjudges => "None".to_owned(),
    };
    format!("TabulatedFault {{ name: {:?}, breaks: {expected}, table: {table} }},\n", fault.name)
}
