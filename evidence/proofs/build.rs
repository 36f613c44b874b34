//! Lays the files of the algorithms, and their seeded faults, beside the model in which identities are
//! symbols.

#[allow(unreachable_pub, dead_code)]
#[path = "../mutants/src/list.rs"]
mod list;

use list::{Expected, SUITES, SeededFault, Suite};
use std::{env, fmt::Write as _, fs, path::Path, process::exit};

/// The algorithms that are proved, by name, and what is shown of them beside the invariants with a formula.
const PROVED: [(&str, &[&str]); 6] = [
    (
        "chang-roberts",
        &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "sent-once",
            "announced",
        ],
    ),
    (
        "lelann",
        &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
        ],
    ),
    (
        "franklin",
        &["at-most-one-leader", "winner-by-rule", "agreement", "irrevocable-status", "announced"],
    ),
    (
        "alternating-steps",
        &["at-most-one-leader", "winner-by-rule", "agreement", "irrevocable-status", "announced"],
    ),
    (
        "stages-with-feedback",
        &["at-most-one-leader", "agreement", "irrevocable-status", "announced"],
    ),
    ("dolev-klawe-rodeh", &["at-most-one-leader", "agreement", "irrevocable-status"]),
];

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
    for (name, properties) in PROVED {
        let suite = SUITES.iter().find(|suite| suite.algorithm == name);
        let suite = suite.ok_or_else(|| format!("{name} has no file of faults"))?;
        let path = source.join(&suite.file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", suite.file))?;
        let process = process(suite)?;
        let module = name.replace('-', "_");
        declare(&mut modules, &module, &path);
        let own = suite.faults.iter().filter(|fault| fault.file.is_none()).enumerate();
        let mut faults = String::new();
        for (number, fault) in own {
            if text.matches(&fault.was).count() != 1 {
                return Err(format!("{name}, {}: its text occurs not once", fault.name));
            }
            let module = format!("{module}_{number}");
            let path = out.join(format!("{module}.rs"));
            let edited = text.replacen(&fault.was, &fault.is, 1);
            fs::write(&path, edited).map_err(|error| error.to_string())?;
            declare(&mut modules, &module, &path);
            let table = format!("Table::of::<{module}::{process}>");
            write!(faults, "{}", entry(fault, &table)).expect("a string takes everything");
        }
        let table = format!("Table::of::<{module}::{process}>");
        writeln!(
            list,
            "ProvedAlgorithm {{ name: {name:?}, properties: &{properties:?}, table: {table}, faults: &[{faults}] }},"
        )
            .expect("as above");
    }
    let text = format!(
        "{modules}\n/// What is proved.\npub static SUBJECTS: &[ProvedAlgorithm] = &[\n{list}];\n"
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
fn process(suite: &Suite) -> Result<&str, String> {
    let inside = suite.process.strip_prefix("Announced<").and_then(|of| of.strip_suffix('>'));
    let process = inside.unwrap_or(&suite.process);
    match process.chars().all(char::is_alphanumeric) {
        true => Ok(process),
        false => Err(format!("{}: the type {} has parameters", suite.algorithm, suite.process)),
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
