//! `cargo xtask house`: compares the sources with the limits of `xtask/house.toml`, so that growth is a decision.
//!
//! Sources are the tracked files that end in `.rs`, apart from tests, benchmarks, examples, documents, fuzz targets and
//! build scripts. They are read as text that rustfmt has formatted, without a parser:
//!
//! - *circles*: a file imports the file to which a path leads, in `use` or elsewhere, that begins with `crate` or
//!   `super`, or `self` in `use`. A name that a parent module re-exports does not count as an import of the
//!   parent, which must define it. Inline modules of tests and re-exports import nothing.
//! - *names*: structs, enums, traits and unions outside of inline modules of tests. Algorithms and seeded faults
//!   repeat the names of papers, and are left out.
//! - *lengths*: the lines of a function, its closing brace left out, which is as far indented as its head.
//! - *lines*: all lines of a crate's sources, with comments, blank lines and inline modules of tests.

use crate::repository::repository;
use anyhow::{Context, ensure};
use regex::Regex;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::{fs, io};
use toml_edit::DocumentMut;

/// The file of limits.
const BUDGET: &str = "xtask/house.toml";

/// The lines that a function may have.
const LONGEST: usize = 75;

/// Limits of lines are multiples of this, so that not every change needs a decision.
const STEP: usize = 50;

/// The items that an excess names.
const NAMED: usize = 8;

/// Names that a type has by convention in every file of their kind.
const CONVENTIONAL: [&str; 2] = ["Args", "Msg"];

/// Hold the sources to the limits of xtask/house.toml
///
/// Measures tracked files: circles of files that import each other, type names that several files define,
/// functions of more than 75 lines, and the lines of each crate without its tests. Exit code 1 means that a
/// figure is above its limit. Growth is a decision: raise the limit in that file, and say why in the commit.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask house
  cargo xtask house --list      # what counts, one line each
  cargo xtask house --bless     # after something has become smaller")]
pub(crate) struct Args {
    /// Lower the limits to what is measured, lines to the next multiple of 50; none is raised
    #[arg(long)]
    bless: bool,

    /// Print every circle, name and function that counts, too
    #[arg(long)]
    list: bool,
}

/// Measures the repository, and compares the figures with their limits.
///
/// # Errors
/// If git does not list the files, one of them cannot be read, or the file of limits cannot be understood.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let repository = repository();
    let house = House::of(&Sources::tracked(&repository)?);
    let path = repository.join(BUDGET);
    let mut budget = fs::read_to_string(&path).context(BUDGET)?;
    if args.bless {
        budget = lowered(&budget, &house.figures()).context(BUDGET)?;
        fs::write(&path, &budget).context(BUDGET)?;
    }
    let limits = toml_edit::de::from_str(&budget).context(BUDGET)?;
    if args.list {
        house.list();
    }
    let excesses = house.excesses(&limits);
    if excesses.is_empty() {
        house.print(&limits);
        return Ok(ExitCode::SUCCESS);
    }
    for excess in excesses {
        println!("{excess}");
    }
    Ok(ExitCode::from(1))
}

/// What is measured, or what it may be at most.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HouseFigures {
    /// The files of the largest circle.
    circle: usize,
    /// The type names that several files define.
    names: usize,
    /// The functions of more than [`LONGEST`] lines.
    long: usize,
    /// The lines of each crate, by its folder.
    lines: BTreeMap<String, usize>,
}

/// Returns a file of limits with each limit lowered as far as its figure allows, and without those of crates
/// that are gone.
fn lowered(budget: &str, figures: &HouseFigures) -> anyhow::Result<String> {
    let limits: HouseFigures = toml_edit::de::from_str(budget)?;
    let mut document: DocumentMut = budget.parse()?;
    for (key, limit, figure) in [
        ("circle", limits.circle, figures.circle),
        ("names", limits.names, figures.names),
        ("long", limits.long, figures.long),
    ] {
        document[key] = toml_edit::value(limit.min(figure) as i64);
    }
    for (folder, limit) in &limits.lines {
        match figures.lines.get(folder) {
            Some(lines) => {
                let limit = limit.min(&lines.next_multiple_of(STEP)).to_owned();
                document["lines"][folder] = toml_edit::value(limit as i64);
            }
            None => _ = document["lines"].as_table_mut().map(|lines| lines.remove(folder)),
        }
    }
    Ok(document.to_string())
}

/// The sources of the repository.
struct Sources {
    /// Their texts, by their paths in the repository.
    texts: BTreeMap<String, String>,
    /// The folders of all crates.
    crates: BTreeSet<String>,
}

impl Sources {
    /// Reads the tracked files of a repository. One that has been removed, but not committed, counts as gone.
    fn tracked(repository: &Path) -> anyhow::Result<Self> {
        let output = Command::new("git").args(["ls-files", "-z"]).current_dir(repository).output();
        let output = output.context("cannot run git, which lists the tracked files")?;
        let err = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git ls-files: {}\n{err}", output.status);
        let paths = String::from_utf8(output.stdout).context("a path is not in UTF-8")?;
        let mut files = Vec::new();
        for path in paths
            .split_terminator('\0')
            .filter(|path| is_source(path) || path.ends_with("/Cargo.toml"))
        {
            match fs::read(repository.join(path)) {
                Ok(bytes) => {
                    files.push((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| path.to_owned()),
            }
        }
        Ok(Self::new(files))
    }

    /// Tells sources, by their paths, from the manifests that say where crates are.
    fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut sources = Self { texts: BTreeMap::new(), crates: BTreeSet::new() };
        for (path, text) in files {
            if let Some(folder) = path.strip_suffix("/Cargo.toml") {
                sources.crates.insert(folder.to_owned());
            } else if is_source(&path) {
                sources.texts.insert(path, text);
            }
        }
        sources
    }

    fn crate_of(&self, path: &str) -> &str {
        let folders = path.rmatch_indices('/').map(|(at, _)| &path[..at]);
        folders.filter_map(|folder| self.crates.get(folder)).next().map_or(".", String::as_str)
    }

    fn lines(&self) -> BTreeMap<String, usize> {
        let mut lines = BTreeMap::new();
        for (path, text) in &self.texts {
            *lines.entry(self.crate_of(path).to_owned()).or_default() += text.matches('\n').count();
        }
        lines
    }

    fn names(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut names: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (path, text) in self.texts.iter().filter(|(path, _)| !repeats_papers(path)) {
            for name in TYPE_NAME.captures_iter(without_tests(text)) {
                if !CONVENTIONAL.contains(&&name[1]) {
                    names.entry(name[1].to_owned()).or_default().insert(path.clone());
                }
            }
        }
        names.retain(|_, files| files.len() > 1);
        names
    }

    fn long(&self) -> Vec<String> {
        let all = self.texts.iter().flat_map(|(path, text)| functions(path, text));
        let mut long: Vec<_> = all.filter(|&(lines, _)| lines > LONGEST).collect();
        long.sort();
        long.into_iter().map(|(_, function)| function).collect()
    }

    fn circles(&self) -> Vec<Vec<String>> {
        let imports = self.imports();
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            imports.keys().map(|&file| (file, reached(file, &imports))).collect();
        let mut circles: Vec<Vec<String>> = Vec::new();
        let mut seen = BTreeSet::<&str>::new();
        for (&file, others) in &reached {
            // A file that imports itself through others is in a circle with those that come back to it.
            if !others.contains(file) || seen.contains(file) {
                continue;
            }
            let comes_back =
                |other: &&str| reached.get(other).is_some_and(|set| set.contains(file));
            let circle: Vec<&str> = others.iter().copied().filter(comes_back).collect();
            seen.extend(&circle);
            circles.push(circle.into_iter().map(str::to_owned).collect());
        }
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut modules = BTreeMap::new();
        for path in self.texts.keys() {
            let home = self.crate_of(path);
            if let Some(module) = module(home, path) {
                // Where a crate is a library and a program, the program is the root.
                modules.insert((home, module), path.as_str());
            }
        }
        let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for ((home, here), &file) in &modules {
            let files = imports.entry(file).or_default();
            for path in paths(&self.texts[file]) {
                let Some((target, name)) = resolved(&modules, home, here, &path) else { continue };
                let defines = |name| {
                    DEFINED.captures_iter(&self.texts[target]).any(|defined| &defined[1] == name)
                };
                let own = name.is_none_or(|name| name == "*" || defines(name));
                if target != file && own {
                    files.insert(target);
                }
            }
        }
        imports
    }
}

/// Whether a file is a source, and no test, benchmark, example, document, fuzz target or build script.
fn is_source(path: &str) -> bool {
    let apart = |folder: &str| matches!(folder, "tests" | "benches" | "examples" | "docs" | "fuzz");
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    path.ends_with(".rs")
        && !path.ends_with("tests.rs")
        && !path.ends_with("build.rs")
        && !folders.split('/').any(apart)
}

/// Whether a file uses the names of a paper: an algorithm, or one with a seeded fault.
fn repeats_papers(path: &str) -> bool {
    let kinds = ["ring", "complete", "graph", "tree", "hypercube", "printed", "wave"];
    let algorithm = path.contains("/algorithms/src/")
        && kinds.iter().any(|kind| path.contains(&format!("/{kind}/")));
    algorithm || path.contains("/mutants/")
}

static TEST_MODULE: LazyLock<Regex> = LazyLock::new(|| regex(r"#\[cfg\(test\)\]\s*mod \w+ \{"));
static TYPE_NAME: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) (\w+)"));
static FUNCTION: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)"));
static DEFINED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:struct|enum|trait|fn|const|static|type|macro_rules!|mod) (\w+)"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"//.*"));
static USE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(pub(?:\((?:crate|super)\))? )?\buse ([^;]+);"));
static MENTIONED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:^|[^\w:])((?:crate|super)(?:::\w+)+)"));

fn regex(words: &str) -> Regex {
    Regex::new(words).expect("a regular expression")
}

fn without_tests(text: &str) -> &str {
    TEST_MODULE.find(text).map_or(text, |tests| &text[..tests.start()])
}

/// The functions of a file: their lines, and what to call them.
fn functions(path: &str, text: &str) -> Vec<(usize, String)> {
    let mut functions = Vec::new();
    // The indentation, the line and the name of the last head.
    let mut head: Option<(usize, usize, String)> = None;
    for (number, line) in text.split('\n').enumerate() {
        if let Some(found) = FUNCTION.captures(line) {
            head = Some((found[1].len(), number, found[2].to_owned()));
        } else if let Some((_, start, name)) = head.take_if(|(indentation, ..)| {
            let split = line.split_at_checked(*indentation);
            split.is_some_and(|(space, rest)| space.trim().is_empty() && rest.starts_with('}'))
        }) {
            let lines = number - start;
            functions.push((lines, format!("`{name}` ({path}, {lines} lines)")));
        }
    }
    functions
}

fn module<'a>(home: &str, path: &'a str) -> Option<Vec<&'a str>> {
    let inside = path.strip_prefix(home)?.strip_prefix("/src/")?.strip_suffix(".rs")?;
    let mut names: Vec<&str> = inside.split('/').collect();
    if names.last() == Some(&"mod") {
        names.pop();
    }
    if names == ["lib"] || names == ["main"] {
        names.clear();
    }
    Some(names)
}

fn paths(text: &str) -> Vec<String> {
    let code = COMMENT.replace_all(without_tests(text), "");
    let roots = ["crate::", "super::", "self::"];
    let mut found = Vec::new();
    for import in USE.captures_iter(&code) {
        let inside = roots.iter().any(|root| import[2].starts_with(root));
        if inside && import.get(1).is_none() {
            found.extend(expanded(&import[2]));
        }
    }
    let elsewhere = USE.replace_all(&code, "");
    found.extend(MENTIONED.captures_iter(&elsewhere).map(|path| path[1].to_owned()));
    found
}

fn expanded(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let group = tree.strip_suffix('}').and_then(|tree| tree.split_once('{'));
    let Some((prefix, inner)) = group else {
        // Without `as` and the other name.
        return tree.split_whitespace().next().map(str::to_owned).into_iter().collect();
    };
    let mut depth = 0;
    let outer_comma = |character| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    };
    let branches = inner.split(outer_comma).flat_map(expanded);
    branches.map(|path| format!("{prefix}{path}")).collect()
}

/// The files of modules, by crate and path.
type Modules<'a> = BTreeMap<(&'a str, Vec<&'a str>), &'a str>;

fn resolved<'m, 'p>(
    modules: &Modules<'m>,
    home: &str,
    here: &[&str],
    path: &'p str,
) -> Option<(&'m str, Option<&'p str>)> {
    let names: Vec<&'p str> = path.split("::").collect();
    let mut names = names.as_slice();
    let mut base = here.to_vec();
    if let ["crate", rest @ ..] = names {
        base.clear();
        names = rest;
    } else if let ["self", rest @ ..] = names {
        names = rest;
    }
    while let ["super", rest @ ..] = names {
        base.pop();
        names = rest;
    }
    (0..=names.len()).rev().find_map(|length| {
        let module = [base.as_slice(), &names[..length]].concat();
        Some((*modules.get(&(home, module))?, names.get(length).copied()))
    })
}

fn reached<'a>(file: &str, imports: &BTreeMap<&str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = vec![file];
    while let Some(file) = next.pop() {
        for &import in imports.get(file).into_iter().flatten() {
            if reached.insert(import) {
                next.push(import);
            }
        }
    }
    reached
}

/// The state of the sources.
struct House {
    /// Circles of files that import each other, the largest first.
    circles: Vec<Vec<String>>,
    /// Type names that several files define, and these files.
    names: BTreeMap<String, BTreeSet<String>>,
    /// Functions of more than [`LONGEST`] lines, the shortest first.
    long: Vec<String>,
    /// The lines of each crate.
    lines: BTreeMap<String, usize>,
}

impl House {
    fn of(sources: &Sources) -> Self {
        Self {
            circles: sources.circles(),
            names: sources.names(),
            long: sources.long(),
            lines: sources.lines(),
        }
    }

    fn figures(&self) -> HouseFigures {
        HouseFigures {
            circle: self.circles.first().map_or(0, Vec::len),
            names: self.names.len(),
            long: self.long.len(),
            lines: self.lines.clone(),
        }
    }

    fn excesses(&self, limits: &HouseFigures) -> Vec<String> {
        let raise = format!("or decide on more in {BUDGET}");
        let large = self.circles.iter().filter(|circle| circle.len() > limits.circle);
        let mut excesses: Vec<String> = large
            .map(|circle| {
                format!(
                    "circle: {} files import each other, the limit is {}; move what two of them need to \
                     a file that imports neither, {raise}: {}",
                    circle.len(),
                    limits.circle,
                    some(circle)
                )
            })
            .collect();
        if self.names.len() > limits.names {
            excesses.push(format!(
                "names: {} type names are defined in several files, the limit is {}; rename a type, \
                 {raise}: {}",
                self.names.len(),
                limits.names,
                some(self.repeated())
            ));
        }
        if self.long.len() > limits.long {
            excesses.push(format!(
                "long: {} functions have more than {LONGEST} lines, the limit is {}; split one, \
                 {raise}: {}",
                self.long.len(),
                limits.long,
                some(&self.long)
            ));
        }
        for (folder, &lines) in &self.lines {
            match limits.lines.get(folder) {
                Some(&limit) if lines > limit => excesses.push(format!(
                    "lines.\"{folder}\": {lines} lines, the limit is {limit}; remove some, {raise}"
                )),
                Some(_) => {}
                None => excesses.push(format!(
                    "lines.\"{folder}\": {lines}, and {BUDGET} states no limit; state one there, such as {}",
                    lines.next_multiple_of(STEP)
                )),
            }
        }
        let gone = limits.lines.keys().filter(|folder| !self.lines.contains_key(*folder));
        excesses.extend(gone.map(|folder| {
            format!("lines.\"{folder}\": no such crate; remove its limit from {BUDGET}")
        }));
        excesses
    }

    /// Returns the type names that several files define, with these files: first those that one change of a
    /// name takes from the list.
    fn repeated(&self) -> impl Iterator<Item = String> {
        let mut names: Vec<_> = self.names.iter().collect();
        names.sort_by_key(|(_, files)| files.len());
        names.into_iter().map(|(name, files)| {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            format!("`{name}` ({})", files.join(", "))
        })
    }

    /// Prints all that counts.
    fn list(&self) {
        for circle in &self.circles {
            println!("circle of {}: {}", circle.len(), circle.join(", "));
        }
        for name in self.repeated() {
            println!("name {name}");
        }
        for function in &self.long {
            println!("function {function}");
        }
        for (folder, lines) in &self.lines {
            println!("crate {folder}: {lines} lines");
        }
    }

    /// Prints a table of the figures and their limits.
    fn print(&self, limits: &HouseFigures) {
        let figures = self.figures();
        let circles = format!("files in the largest of {} circles", self.circles.len());
        let long = format!("functions of more than {LONGEST} lines");
        let lines = format!("lines of {} crates, each within its limit", self.lines.len());
        println!("{:>7} {:>7}", "figure", "limit");
        for (figure, limit, what) in [
            (figures.circle, limits.circle, circles.as_str()),
            (figures.names, limits.names, "type names in several files"),
            (figures.long, limits.long, long.as_str()),
            (figures.lines.values().sum(), limits.lines.values().sum(), lines.as_str()),
        ] {
            println!("{figure:>7} {limit:>7}  {what}");
        }
    }
}

fn some<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let text = items[..items.len().min(NAMED)].join(", ");
    match items.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!("{text} and {more} more (`cargo xtask house --list` has all)"),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
