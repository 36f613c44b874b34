//! Specifications of experiments.

use crate::check::CheckSpecification;
use crate::cluster::ClusterSpecification;
use crate::conditions::{
    Capacity, Conditions, Initiators, NodeOrder, PortOrder, ScheduleChoice, WakeUps,
};
use crate::counts::NumberRange;
use crate::error::Error;
use crate::population::PopulationSpecification;
use crate::sweep::{FieldSweep, SweepError, SweptValues};
use crate::text::{self, Several};
use crate::trials::{Many, Precision};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::Display;
use suffrage_networks::{Fault, FileOptions, FileSyntax};
use suffrage_numbers::{DistinctKeys, in_words, short};
use toml_edit::{Document, DocumentMut, Item, Table, TableLike, Value};

/// An experiment: the algorithms, the networks, the conditions, and the number of trials.
///
/// It is a value that serde writes and reads. In a file, a table has the name of a command, and its keys are the flags
/// of that command, without the dashes in front:
///
/// ```
/// use suffrage_experiment::Specification;
///
/// let text = r#"
///     [compare]
///     algorithm = ["humblet", "afek-gafni"]
///     nodes = [10, 100]
///     schedule = ["synchronous", "uniform:10"]
///     trials = 5
/// "#;
/// let specification = Specification::read("experiment.toml", text)?;
/// assert_eq!(Specification::read("again", &specification.to_toml())?, specification);
/// let report = specification.run(&[], &())?;
/// assert_eq!(report.to_csv()?.lines().count(), 1 + 2 * 2 * 2);
///
/// let wrong = Specification::read("experiment.toml", "[elect]\nschedule = 'soon'").unwrap_err();
/// assert!(wrong.to_string().starts_with("experiment.toml: line 2: elect.schedule: "), "{wrong}");
/// # Ok::<(), suffrage_experiment::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Specification {
    /// One election, or many that differ in their seeds.
    Elect(ElectionSpecification),
    /// A sweep: every combination of algorithms, networks and conditions, each with several trials.
    Compare(ElectionSpecification),
    /// An exploration of every schedule of small elections, or a sample of larger ones.
    Check(Box<CheckSpecification>),
    /// Elections among agents that meet in random pairs.
    Population(Box<PopulationSpecification>),
    /// An election between nodes on this machine.
    Cluster(Box<ClusterSpecification>),
    /// One of these for every combination of the values of its fields.
    Sweep(FieldSweep),
}

/// A JSON report, as far as it contains a specification.
#[derive(Deserialize)]
struct Holder<'a> {
    #[serde(borrow)]
    specification: Option<&'a RawValue>,
}

impl Specification {
    /// Reads a specification: TOML, JSON, or a report in JSON that contains one. `name` is what the text
    /// is called in errors.
    ///
    /// # Errors
    /// If the text has no specification, a key that does not exist, or a value that cannot be used: with
    /// the name, the line and the key.
    pub fn read(name: &str, text: &str) -> Result<Self, Error> {
        if text.trim().is_empty() {
            return Err(Error::of(
                name,
                "it is empty, and not a specification or a report that contains one",
            ));
        }
        if !text.trim_start().starts_with(['{', '[']) || text.trim_start().starts_with("[[") {
            return of_toml(name, text);
        }
        // An array of reports and a table of TOML both begin with a bracket.
        let first = text.trim_start()[1..].trim_start().chars().next();
        if text.trim_start().starts_with('[') && first.is_none_or(char::is_alphanumeric) {
            return of_toml(name, text);
        }
        of_json(name, text)
    }

    /// Writes the specification as TOML.
    ///
    /// # Panics
    /// Never: every specification can be written.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut whole = document(self);
        to_tables(&mut whole);
        whole.to_string()
    }

    /// The command that runs the experiment. Its flags are the fields that differ from their defaults; an
    /// election names its seed, too.
    #[must_use]
    pub fn command_line(&self) -> String {
        let (command, plain) = match self {
            // It has no flags.
            Self::Sweep(_) => return "suffrage run FILE".to_owned(),
            Self::Elect(_) => ("elect", Self::Elect(ElectionSpecification::default())),
            Self::Compare(_) => ("compare", Self::Compare(ElectionSpecification::default())),
            Self::Check(_) => ("check", Self::Check(CheckSpecification::of("").into())),
            Self::Population(_) => ("population", Self::Population(Box::default())),
            Self::Cluster(_) => ("cluster", Self::Cluster(Box::default())),
        };
        let seed = matches!(self, Self::Elect(elections) if elections.seeds.is_none());
        command_of(command, self, &plain, if seed { "seed" } else { "" })
    }

    /// Reads a specification from a value.
    ///
    /// # Errors
    /// If a key does not exist, or a value cannot be used: with the key.
    pub fn of_value(value: serde_json::Value) -> Result<Self, Error> {
        serde_path_to_error::deserialize(value)
            .map_err(|error| Error::of(error.path(), in_words(error.inner())))
    }

    /// The same experiment for these seeds.
    #[must_use]
    pub fn of_seeds(mut self, seeds: NumberRange<u64>) -> Self {
        match &mut self {
            Self::Elect(elections) | Self::Compare(elections) => elections.seeds = Some(seeds),
            Self::Check(check) => check.seeds = Some(seeds),
            Self::Population(population) => population.seeds = Some(seeds),
            Self::Cluster(_) | Self::Sweep(_) => {}
        }
        self
    }
}

impl FieldSweep {
    /// The experiments, each with the values of the varied fields. They are in the order of the names of the
    /// fields; the last one changes first.
    ///
    /// # Errors
    /// If a value cannot be used: with its key.
    pub fn combinations(&self) -> Result<Vec<(SweptValues, Specification)>, Error> {
        self.all().map_err(|error| Error::new(error.to_string()))
    }
}

/// The command of this name with a flag for each field that differs from the plain value, and for the one
/// that is always named.
///
/// # Panics
/// If the value is not a table of texts, numbers and lists.
#[must_use]
pub fn command_of<T: Serialize>(name: &str, own: &T, plain: &T, always: &str) -> String {
    let (own, plain) = (document(own), document(plain));
    let (own, plain) = (fields_of(own.as_table()), fields_of(plain.as_table()));
    let mut words = vec!["suffrage".to_owned(), name.to_owned()];
    for (key, value) in own {
        let same =
            |field: &(&str, &Value)| field.0 == key && field.1.to_string() == value.to_string();
        if key == always || !plain.iter().any(same) {
            words.extend(flags(name, key, value));
        }
    }
    words.join(" ")
}

fn document<T: Serialize>(value: &T) -> DocumentMut {
    toml_edit::ser::to_document(value).expect("a table of texts, numbers and lists")
}

/// Gives the tables in a table lines of their own.
fn to_tables(table: &mut Table) {
    for (_, item) in table.iter_mut() {
        *item = match std::mem::take(item).into_table() {
            Ok(mut inner) => {
                to_tables(&mut inner);
                Item::Table(inner)
            }
            Err(value) => value,
        };
    }
}

/// The fields of a table and of the tables in it.
fn fields_of<'a>(table: &'a dyn TableLike) -> Vec<(&'a str, &'a Value)> {
    let fields = |(key, item): (&'a str, &'a Item)| match item {
        Item::Value(Value::InlineTable(inner)) => fields_of(inner),
        Item::Value(value) => vec![(key, value)],
        _ => Vec::new(),
    };
    table.iter().flat_map(fields).collect()
}

/// A field as words of a command line.
fn flags(command: &str, key: &str, value: &Value) -> Vec<String> {
    let plain = |value: &Value| match value {
        Value::String(text) => text.value().clone(),
        // As flags write whole numbers.
        Value::Float(number) => short(*number.value()),
        other => other.to_string().trim().to_owned(),
    };
    match (command, key, value) {
        ("compare", "algorithm", value) => flags("", "algorithms", value),
        ("elect" | "check" | "cluster", "algorithm", value) | ("population", "protocol", value) => {
            vec![quoted(&plain(value))]
        }
        (_, _, Value::Boolean(_)) => vec![format!("--{key}")],
        (_, "fault" | "property" | "scheduler", Value::Array(values)) => {
            values.iter().map(|one| format!("--{key} {}", quoted(&plain(one)))).collect()
        }
        (_, _, Value::Array(values)) => {
            let list = values.iter().map(plain).collect::<Vec<_>>().join(",");
            vec![format!("--{key} {}", quoted(&list))]
        }
        (_, _, value) => vec![format!("--{key} {}", quoted(&plain(value)))],
    }
}

const ONE_TABLE: &str = "write one table, which has the name of a command";

fn of_toml(name: &str, text: &str) -> Result<Specification, Error> {
    let reader = match toml_edit::de::Deserializer::parse(text) {
        Ok(reader) => reader,
        Err(error) => return Err(misread(name, text, error.span(), "", error.message())),
    };
    let read = serde_path_to_error::deserialize(reader).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner());
        misread(name, text, inner.span(), &path, inner.message())
    })?;
    if let Specification::Sweep(sweep) = &read {
        sweep
            .all::<Specification>()
            .map_err(|error| misread(name, text, place_in_toml(text, &error), "", &error))?;
    }
    Ok(read)
}

/// The place of a value of a sweep.
fn place_in_toml(text: &str, of: &SweepError) -> Option<std::ops::Range<usize>> {
    let whole = Document::parse(text).ok()?;
    let mut value = whole.get("sweep")?;
    for key in &of.keys {
        value = value.get(key)?;
    }
    match of.index {
        Some(index) => value.get(index)?.span(),
        None => value.span(),
    }
}

/// Describes an error with its line and key.
fn misread(
    name: &str,
    text: &str,
    span: Option<std::ops::Range<usize>>,
    path: &str,
    why: impl Display,
) -> Error {
    let line = span.map_or(String::new(), |span| {
        format!("line {}: ", text[..span.start.min(text.len())].matches('\n').count() + 1)
    });
    let key = if path.is_empty() || path == "." { String::new() } else { format!("{path}: ") };
    let why = match in_words(why) {
        why if why.starts_with("wanted exactly 1 element") => ONE_TABLE.to_owned(),
        why => why,
    };
    Error::new(format!("{name}: {line}{key}{why}"))
}

fn of_json(name: &str, text: &str) -> Result<Specification, Error> {
    let wrong = |why: &dyn Display| Error::of(name, why);
    let not_json = |error: serde_json::Error| {
        let what = if error.is_data() { "" } else { "not JSON: " };
        wrong(&format!("{what}{}", in_words(error)))
    };
    let whole: &RawValue = match serde_json::Deserializer::from_str(text).into_iter().next() {
        Some(first) => first.map_err(not_json)?,
        None => return Err(wrong(&"it is empty")),
    };
    serde_json::from_str::<DistinctKeys>(text).map_err(not_json)?;
    let first: &RawValue = match whole.get().starts_with('[') {
        true => {
            let rows: Vec<&RawValue> = serde_json::from_str(whole.get()).map_err(not_json)?;
            rows.first().copied().unwrap_or(whole)
        }
        false => whole,
    };
    let holder: Holder<'_> = serde_json::from_str(first.get())
        .map_err(|_| wrong(&"it is neither a specification nor a report that contains one"))?;
    let part = holder.specification.unwrap_or(first).get();
    // All of these are parts of one text.
    let lines_before =
        |part: &str| text[..part.as_ptr() as usize - text.as_ptr() as usize].matches('\n').count();
    let before = lines_before(part);
    let mut reader = serde_json::Deserializer::from_str(part);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner());
        let line = before + inner.line();
        let why = in_words(inner);
        let why = match why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why) {
            // It is JSON, but has something else where the table of a command is to end or begin.
            "expected value" => ONE_TABLE,
            why => why,
        };
        let hint = if holder.specification.is_none() && first.get().contains("\"command\"") {
            "; it is a report without the key `specification`"
        } else {
            ""
        };
        let key = if path == "." { String::new() } else { format!("{path}: ") };
        Error::new(format!("{name}: line {line}: {key}{why}{hint}"))
    })?;
    if let Specification::Sweep(sweep) = &read {
        sweep.all::<Specification>().map_err(|error| {
            let line = 1 + lines_before(place_in_json(part, &error).unwrap_or(part));
            Error::new(format!("{name}: line {line}: {error}"))
        })?;
    }
    Ok(read)
}

/// The text of a value of a sweep.
fn place_in_json<'a>(text: &'a str, of: &SweepError) -> Option<&'a str> {
    let mut value = text;
    for key in ["sweep"].into_iter().chain(of.keys.iter().map(String::as_str)) {
        let table: BTreeMap<String, &RawValue> = serde_json::from_str(value).ok()?;
        value = table.get(key)?.get();
    }
    match of.index {
        Some(index) => Some(serde_json::from_str::<Vec<&RawValue>>(value).ok()?.get(index)?.get()),
        None => Some(value),
    }
}

/// Elections: by which algorithms, on which networks, under which conditions, how often.
///
/// Fields of the type [`Several`] have one value in an election, and any number in a comparison, which takes every
/// combination. Each field has the meaning of the flag of its name in the command `suffrage elect` or `suffrage
/// compare`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ElectionSpecification {
    /// Names of algorithms. Without any, an election takes the one with the smallest bound, and a
    /// comparison those that fit the networks.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub algorithm: Several<String>,
    /// The class of networks whose algorithms are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Numbers of nodes.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub nodes: Several<u32>,
    /// Networks: kinds with a size such as `grid:4x5`, files, or, in a comparison with `nodes`, kinds
    /// without a size such as `ring`.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub topology: Several<String>,
    /// The format of a file with a network, where it is not recognized.
    #[serde(with = "text::optional", skip_serializing_if = "Option::is_none")]
    pub topology_format: Option<FileSyntax>,
    /// Identities: names of layouts, lists, or files.
    pub ids: Several<String>,
    /// The order of the nodes of a complete network.
    pub order: NodeOrder,
    /// Numberings of ports.
    pub ports: Several<PortOrder>,
    /// Who starts; all by default.
    #[serde(skip_serializing_if = "Several::is_empty")]
    pub initiators: Several<Initiators>,
    /// When they start; at once by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake: Option<WakeUps>,
    /// When messages arrive.
    pub schedule: Several<ScheduleChoice>,
    /// How many messages a link holds.
    pub capacity: Several<Capacity>,
    /// The faults of the network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fault: Vec<Fault>,
    /// The number of deliveries after which a run counts as endless.
    #[serde(with = "text::wide::optional", skip_serializing_if = "Option::is_none")]
    pub event_limit: Option<u64>,
    /// The seed of everything random. Not used with `seeds`.
    #[serde(with = "text::wide")]
    pub seed: u64,
    /// Whether invariants are checked in every configuration.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub invariants: bool,
    /// Whether the largest component is taken of a network in a file that is not connected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub largest_component: bool,
    /// A trial for each of these seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<NumberRange<u64>>,
    /// The number of trials, or the most with a precision.
    #[serde(with = "text::wide::optional", skip_serializing_if = "Option::is_none")]
    pub trials: Option<u64>,
    /// How well the mean number of messages is to be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Whether the rounds or levels of one election are reported.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rounds: bool,
}

impl Default for ElectionSpecification {
    fn default() -> Self {
        Self {
            algorithm: Several::default(),
            class: None,
            nodes: Several::default(),
            topology: Several::default(),
            topology_format: None,
            largest_component: false,
            ids: Several::one("random".to_owned()),
            order: NodeOrder::Given,
            ports: Several::one(PortOrder::Rotation),
            initiators: Several::default(),
            wake: None,
            schedule: Several::one(ScheduleChoice::default()),
            capacity: Several::one(Capacity::default()),
            fault: Vec::new(),
            event_limit: None,
            invariants: false,
            seed: 1,
            seeds: None,
            trials: None,
            precision: None,
            rounds: false,
        }
    }
}

impl ElectionSpecification {
    /// Whether it is of one election, and not of many trials.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.seeds.is_none() && self.many(1).most == 1
    }

    /// How many trials are run, if there are this many by default.
    #[must_use]
    pub fn many(&self, default: u64) -> Many {
        let most = match (self.seeds, self.trials, self.precision) {
            (Some(NumberRange { first, last }), ..) => (last - first).saturating_add(1),
            (None, Some(trials), _) => trials,
            (None, None, Some(_)) => 100_000,
            (None, None, None) => default,
        };
        Many { most, precision: self.precision }
    }

    /// How files with networks are read.
    #[must_use]
    pub const fn file_options(&self) -> FileOptions {
        FileOptions { largest_component: self.largest_component, format: self.topology_format }
    }

    /// The conditions of one election.
    ///
    /// # Errors
    /// If a field has several values.
    pub fn conditions(&self) -> Result<Conditions, Error> {
        let counts = [
            ("--topology", self.topology.0.len()),
            ("--nodes", self.nodes.0.len()),
            ("--ids", self.ids.0.len()),
            ("--ports", self.ports.0.len()),
            ("--initiators", self.initiators.0.len()),
            ("--schedule", self.schedule.0.len()),
            ("--capacity", self.capacity.0.len()),
        ];
        if let Some((flag, count)) = counts.into_iter().find(|(_, count)| *count > 1) {
            return Err(Error::new(format!(
                "{flag}: {count} values are for `suffrage compare`; one election has one"
            )));
        }
        self.combinations().pop().ok_or_else(|| Error::new("a field has an empty list of values"))
    }

    /// Every combination of the conditions.
    #[must_use]
    pub fn combinations(&self) -> Vec<Conditions> {
        let initiators: Vec<Option<&Initiators>> = match self.initiators.0.as_slice() {
            [] => vec![None],
            several => several.iter().map(Some).collect(),
        };
        let mut all = Vec::new();
        for schedule in &self.schedule.0 {
            for ids in &self.ids.0 {
                for initiators in &initiators {
                    for &ports in &self.ports.0 {
                        for &capacity in &self.capacity.0 {
                            all.push(Conditions {
                                ids: ids.clone(),
                                order: self.order,
                                ports,
                                initiators: initiators.cloned(),
                                wake: self.wake,
                                schedule: schedule.clone(),
                                capacity,
                                faults: self.fault.clone(),
                                seed: self.seeds.map_or(self.seed, |seeds| seeds.first),
                                consecutive: self.seeds.is_some(),
                                event_limit: self.event_limit,
                                invariants: self.invariants,
                            });
                        }
                    }
                }
            }
        }
        all
    }
}

/// A word as a shell reads it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,@+=%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
