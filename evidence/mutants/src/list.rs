//! The seeded faults: the change and its file, why it is wrong, and the property that it breaks.
//!
//! They are read from the folder `faults`: for each algorithm a file with the faults in it, and one each for the
//! faults in what algorithms have in common, in the judge and in Tenure. Each fault names the property that it must
//! break: if another one kills the mutant, that is an accident, and the test fails.

use serde::{Deserialize, de::DeserializeOwned};
use std::{fs, ops::Range, path::Path, sync::LazyLock};

/// The faults of one algorithm.
#[derive(Debug)]
pub struct Suite {
    /// Its name in the catalogue, and the name of the file with its faults.
    pub algorithm: String,
    /// Its file, in the sources of the algorithms.
    pub file: String,
    /// The type that runs.
    pub process: String,
    /// The faults.
    pub faults: Vec<SeededFault>,
}

impl Suite {
    /// The faults that are in this file.
    pub fn faults_in<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a SeededFault> {
        let is_in = move |fault: &&SeededFault| fault.file.as_ref().unwrap_or(&self.file) == file;
        self.faults.iter().filter(is_in)
    }
}

/// A seeded fault in an algorithm or the judge.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeededFault {
    /// Its number among those in algorithms or in the judge, from 1.
    #[serde(skip)]
    pub number: usize,
    /// What is wrong, in a few words; no other fault has this name.
    pub name: String,
    /// The file that is changed, if it is not the algorithm's own.
    pub file: Option<String>,
    /// The text that is replaced. It occurs once.
    pub was: String,
    /// What stands in its place.
    pub is: String,
    /// What must become of it.
    pub expected: Expected,
    /// Why.
    pub because: String,
}

impl SeededFault {
    /// Where the text that it replaces is in its file.
    ///
    /// # Errors
    /// If the text does not occur once.
    pub fn place(&self, file: &str) -> Result<Range<usize>, String> {
        match (file.find(&self.was), file.matches(&self.was).count()) {
            (Some(at), 1) => Ok(at..at + self.was.len()),
            (_, count) => Err(format!(
                "the text to change occurs {count} times, and must occur once for {:?}: {:?}",
                self.name, self.was
            )),
        }
    }
}

/// What must become of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// Exploration of small elections finds that this property breaks, and no other before it.
    Explored(String),
    /// Exploration of small elections finds nothing. Among samples of larger ones this property is
    /// the first to break.
    Sampled(String),
    /// No property breaks, but this invariant does.
    Invariant(String),
    /// Nothing breaks: it behaves as the algorithm does.
    Equivalent,
    /// As a judge it misjudges some election; [`examine`](crate::judge::examine) finds out which.
    Misjudges,
}

/// A seeded fault of Tenure. It names the evidence that must find it, and what that must see.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenureFault {
    /// What is wrong, in a few words; no other fault has this name.
    pub name: String,
    /// Why it is wrong or, if it is equivalent, why not.
    pub because: String,
    /// All that must find it; nothing finds what is equivalent.
    pub found: Vec<Found>,
    /// What is changed.
    pub edits: Vec<Edit>,
}

/// A text that is replaced.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file, in the sources of Tenure.
    pub file: String,
    /// How the function begins in which the text is; empty for the whole file.
    pub within: String,
    /// The text: an expression, or statements. It occurs once in the function.
    pub was: String,
    /// What stands in its place.
    pub is: String,
}

/// By what a mutant is found, and a part of the words in which it is told what is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Exhaustive exploration of the row of this name.
    Explored(String, String),
    /// Random walks in the climate of this name, or the calm at the end of one.
    Walked(String, String),
    /// Simulated runs of the cluster of this name, with faults of every kind: this promise is broken.
    Simulated(String, String),
    /// The scenario of this name: this expectation is not met.
    Scenario(String, String),
}

/// The text of a file: what faults are in, and the faults.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultFile<F> {
    #[serde(default)]
    file: String,
    #[serde(default)]
    process: String,
    faults: Vec<F>,
}

/// A fault of a suite.
#[derive(Deserialize)]
#[serde(untagged)]
enum SuiteFault {
    Own(SeededFault),
    /// The one of this name in what algorithms have in common.
    Common {
        common: String,
    },
}

/// Every seeded fault in an algorithm, by algorithm, in the order of their names.
pub static SUITES: LazyLock<Vec<Suite>> = LazyLock::new(|| {
    let common = read::<SeededFault>("common.toml").faults;
    let suite = |algorithm: String| {
        let read = read(&format!("algorithms/{algorithm}.toml"));
        let fault = |fault| match fault {
            SuiteFault::Own(fault) => fault,
            SuiteFault::Common { common: name } => {
                let fault = common.iter().find(|fault| fault.name == name).cloned();
                fault.unwrap_or_else(|| panic!("{algorithm}: common.toml has no fault {name:?}"))
            }
        };
        let faults = read.faults.into_iter().map(fault).collect();
        Suite { algorithm, file: read.file, process: read.process, faults }
    };
    let files = fs::read_dir(Path::new(FAULTS).join("algorithms")).expect("a folder of faults");
    let name = |file: std::io::Result<fs::DirEntry>| {
        file.ok()?.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned)
    };
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    let mut suites: Vec<Suite> = names.into_iter().map(suite).collect();
    number(suites.iter_mut().flat_map(|suite| &mut suite.faults));
    suites
});

fn number<'a>(faults: impl Iterator<Item = &'a mut SeededFault>) {
    for (number, fault) in (1..).zip(faults) {
        fault.number = number;
    }
}

/// The faults in the judge.
pub static JUDGE: LazyLock<Vec<SeededFault>> = LazyLock::new(|| {
    let mut faults = read("judge.toml").faults;
    number(faults.iter_mut());
    faults
});

/// The faults in Tenure, by the files of their first edits.
pub static TENURE: LazyLock<Vec<TenureFault>> = LazyLock::new(|| read("tenure.toml").faults);

const FAULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../mutants/faults");

/// # Panics
/// If a file of faults cannot be understood: no mutant can be built then.
fn read<F: DeserializeOwned>(file: &str) -> FaultFile<F> {
    let text = fs::read_to_string(Path::new(FAULTS).join(file)).expect(file);
    toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}
