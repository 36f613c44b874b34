//! The libraries in a program: a bill of materials in the form of `CycloneDX`, and the notices that their licenses
//! ask for.

use super::files::gzip;
use super::program::{rustc, sysroot, target};
use super::{Product, VERSION};
use crate::repository::{cargo, printed, read, repository};
use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

/// A library: its name and version.
type LibraryName = (String, String);

/// The file of the notices of the standard library.
pub(super) const STANDARD: &str = "copyright-std.html.gz";

/// The libraries in a program, and itself.
pub(super) struct Libraries {
    /// On which others each depends.
    depends: BTreeMap<LibraryName, BTreeSet<LibraryName>>,
    /// What is known of each.
    known: BTreeMap<LibraryName, Library>,
    program: LibraryName,
}

/// A library as `cargo metadata` shows it.
#[derive(Deserialize)]
struct Library {
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    /// Where it is from; none of this repository.
    source: Option<String>,
    manifest_path: PathBuf,
    #[serde(skip)]
    checksum: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Library>,
}

/// Cargo.lock.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

impl Libraries {
    /// Asks cargo for the libraries that are linked into the program of a product.
    pub(super) fn of(product: Product) -> anyhow::Result<Self> {
        let (package, target) = (product.package(), target());
        // Only this command knows the features without those that other packages of the repository ask for.
        let tree = said(&format!(
            "tree --locked -p {package} -e normal,no-proc-macro --target {target} --prefix depth --format |{{p}}"
        ))?;
        let metadata =
            said(&format!("metadata --locked --format-version 1 --filter-platform {target}"))?;
        let metadata: Metadata = serde_json::from_str(&metadata).context("cargo metadata")?;
        let lock: Lock = toml_edit::de::from_str(&read(&repository().join("Cargo.lock"))?)?;
        let mut sums: BTreeMap<LibraryName, Option<String>> = BTreeMap::new();
        sums.extend(lock.package.into_iter().map(|one| ((one.name, one.version), one.checksum)));
        let mut libraries = Self {
            depends: edges(&tree)?,
            known: BTreeMap::new(),
            program: (package, VERSION.to_owned()),
        };
        for mut library in metadata.packages {
            let name = (library.name.clone(), library.version.clone());
            if libraries.depends.contains_key(&name) {
                library.checksum = sums.remove(&name).flatten();
                libraries.known.insert(name, library);
            }
        }
        libraries.add_standard()?;
        Ok(libraries)
    }

    /// The notices of the standard library, packed: a page that comes with the compiler.
    pub(super) fn standard_notices() -> anyhow::Result<Vec<u8>> {
        let page = read(&sysroot()?.join("share/doc/rust/COPYRIGHT-library.html"))?;
        Ok(gzip(page.as_bytes())?)
    }

    /// Adds the standard library, in which musl is, too.
    fn add_standard(&mut self) -> anyhow::Result<()> {
        let said = rustc(&["--version"])?;
        let version = said.split(' ').nth(1).context("rustc --version")?.to_owned();
        let name = ("std".to_owned(), version.clone());
        self.depends.entry(self.program.clone()).or_default().insert(name.clone());
        self.depends.insert(name.clone(), BTreeSet::new());
        let standard = Library {
            name: name.0.clone(),
            version,
            license: Some("MIT OR Apache-2.0".to_owned()),
            repository: Some("https://github.com/rust-lang/rust".to_owned()),
            source: Some("rustc".to_owned()),
            manifest_path: PathBuf::new(),
            checksum: None,
        };
        self.known.insert(name, standard);
        Ok(())
    }

    /// The bill of materials.
    pub(super) fn list(&self, time: u64) -> anyhow::Result<String> {
        let time = UNIX_EPOCH + Duration::from_secs(time);
        let program = self.known.get(&self.program).context("the program is not in its tree")?;
        let others = self.known.iter().filter(|(name, _)| **name != self.program);
        let depends = self.depends.iter().map(|(name, on)| {
            json!({ "ref": url(name), "dependsOn": on.iter().map(url).collect::<Vec<_>>() })
        });
        let list = json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "timestamp": humantime::format_rfc3339_seconds(time).to_string(),
                "component": program.component("application"),
            },
            "components": others.map(|(_, one)| one.component("library")).collect::<Vec<_>>(),
            "dependencies": depends.collect::<Vec<_>>(),
        });
        Ok(serde_json::to_string_pretty(&list)? + "\n")
    }

    /// The notices of all licenses, each text once.
    pub(super) fn notices(&self, name: &str) -> anyhow::Result<String> {
        let mut notices = format!(
            "{name} is licensed under MIT or Apache-2.0, at your choice: LICENSE-MIT and LICENSE-APACHE are beside\n\
             this file. Notices of std are in {STANDARD}. The program contains these libraries of others:\n\n"
        );
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for library in self.known.values().filter(|library| library.source.is_some()) {
            let Library { name, version, .. } = library;
            let _ = writeln!(notices, "{name} {version}: {}", library.expression());
            for text in library.texts()? {
                texts.entry(text).or_default().push(format!("{name} {version}"));
            }
        }
        let mut texts: Vec<_> = texts.into_iter().map(|(text, whose)| (whose, text)).collect();
        texts.sort();
        for (whose, text) in texts {
            let _ = write!(notices, "\n{}\n{}\n\n{text}\n", "-".repeat(80), whose.join(", "));
        }
        Ok(notices)
    }
}

impl Library {
    /// The license as an expression of SPDX. A slash is how crates of old write `OR`.
    fn expression(&self) -> String {
        self.license.as_deref().unwrap_or("NOASSERTION").replace('/', " OR ")
    }

    fn component(&self, kind: &str) -> Value {
        let name = (self.name.clone(), self.version.clone());
        let mut component = json!({
            "type": kind,
            "bom-ref": url(&name),
            "name": self.name,
            "version": self.version,
            "purl": url(&name),
            "licenses": [{ "expression": self.expression() }],
        });
        if let Some(sum) = &self.checksum {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        if let Some(place) = &self.repository {
            component["externalReferences"] = json!([{ "type": "vcs", "url": place }]);
        }
        component
    }

    /// The texts of its license, and its notices.
    fn texts(&self) -> anyhow::Result<BTreeSet<String>> {
        let mut texts = BTreeSet::new();
        let Some(folder) = self.manifest_path.parent() else { return Ok(texts) };
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            let begins = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
            if path.is_file() && begins.iter().any(|beginning| name.starts_with(beginning)) {
                texts.insert(read(&path)?.replace('\r', "").trim().to_owned());
            }
        }
        Ok(texts)
    }
}

/// The name of a library anywhere.
fn url((name, version): &LibraryName) -> String {
    format!("pkg:cargo/{name}@{version}")
}

/// Reads what `cargo tree --prefix depth` prints: the lines at depth 3 that follow `2|clap_builder v4.6.7` are what it
/// depends on. A library that comes again is shown without them.
fn edges(tree: &str) -> anyhow::Result<BTreeMap<LibraryName, BTreeSet<LibraryName>>> {
    let mut edges: BTreeMap<LibraryName, BTreeSet<LibraryName>> = BTreeMap::new();
    let mut above: Vec<LibraryName> = Vec::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let read = || {
            let (depth, library) = line.split_once('|')?;
            let mut words = library.split(' ');
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            Some((depth.parse::<usize>().ok()?, (name.to_owned(), version.to_owned())))
        };
        let (depth, name) = read().with_context(|| format!("cargo tree: {line}"))?;
        above.truncate(depth);
        if let Some(above) = above.last() {
            edges.entry(above.clone()).or_default().insert(name.clone());
        }
        edges.entry(name.clone()).or_default();
        above.push(name);
    }
    Ok(edges)
}

/// Returns what cargo prints.
fn said(words: &str) -> anyhow::Result<String> {
    Ok(String::from_utf8(printed(&mut cargo(words))?)?)
}
