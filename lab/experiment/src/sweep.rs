//! Sweeps: an experiment for every combination of the values of its fields.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use suffrage_numbers::in_words;

/// The most combinations.
const MOST: usize = 100_000;

/// An experiment with several values for some of its fields. Every combination is run.
///
/// In a file, `[sweep.population]` is a sweep of the experiment `[population]`. A field is varied if it has a
/// list where it takes one value, or a list of lists where it takes a list:
///
/// ```
/// use suffrage_experiment::Specification;
///
/// let text = r#"
///     [sweep.elect]
///     algorithm = "chang-roberts"
///     nodes = [8, 16]
///     fault = [[], ["loss:0.1"]]
///     trials = 5
/// "#;
/// let report = Specification::read("sweep.toml", text)?.run(&[], &())?;
/// assert_eq!(report.to_csv()?.lines().count(), 1 + 2 * 2);
///
/// let wrong = Specification::read("sweep.toml", "[sweep.check]\nnodes = [\n3,\n'many']").unwrap_err();
/// assert!(wrong.to_string().starts_with("sweep.toml: line 4: sweep.check.nodes[1]: "), "{wrong}");
/// # Ok::<(), suffrage_experiment::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldSweep(BTreeMap<String, BTreeMap<String, Value>>);

/// The values of the varied fields.
pub type SweptValues = BTreeMap<String, Value>;

/// A value that cannot be used: where it is in the sweep, and why.
#[derive(Debug)]
pub(crate) struct SweepError {
    /// The keys that lead to it.
    pub(crate) keys: Vec<String>,
    /// Its place in the list of values.
    pub(crate) index: Option<usize>,
    why: String,
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sweep")?;
        self.keys.iter().try_for_each(|key| write!(f, ".{key}"))?;
        self.index.map_or(Ok(()), |index| write!(f, "[{index}]"))?;
        write!(f, ": {}", self.why)
    }
}

impl FieldSweep {
    /// The experiments, each with the values of the varied fields.
    pub(crate) fn all<T: DeserializeOwned>(&self) -> Result<Vec<(SweptValues, T)>, SweepError> {
        let wrong = |keys: Vec<String>, why: String| SweepError { keys, index: None, why };
        let mut experiments = self.0.iter().filter(|(name, _)| *name != "sweep");
        let (Some((name, fields)), None) = (experiments.next(), experiments.next()) else {
            let why = "name one kind of experiment, as in [sweep.population]";
            return Err(wrong(Vec::new(), why.to_owned()));
        };
        read::<T>(name, fields.iter().filter(|(_, value)| !value.is_array()))
            .map_err(|(key, why)| wrong([name.clone()].into_iter().chain(key).collect(), why))?;
        let mut all = vec![(SweptValues::new(), SweptValues::new())];
        for (key, value) in fields {
            let (values, varied) = match varied::<T>(name, key, value)? {
                Some(values) => (values.as_slice(), true),
                None => (std::slice::from_ref(value), false),
            };
            if all.len().saturating_mul(values.len()) > MOST {
                let why = format!("more than {MOST} combinations");
                return Err(wrong(vec![name.clone(), key.clone()], why));
            }
            let with = |(swept, whole): &(SweptValues, SweptValues), value: &Value| {
                let (mut swept, mut whole) = (swept.clone(), whole.clone());
                whole.insert(key.clone(), value.clone());
                if varied {
                    swept.insert(key.clone(), value.clone());
                }
                (swept, whole)
            };
            all = all.iter().flat_map(|one| values.iter().map(|value| with(one, value))).collect();
        }
        let whole = |(swept, whole): (SweptValues, SweptValues)| {
            let asked = read(name, whole.iter());
            asked.map(|asked| (swept, asked)).map_err(|(_, why)| wrong(vec![name.clone()], why))
        };
        all.into_iter().map(whole).collect()
    }
}

/// The experiment of this kind with these fields, or why there is none, with the field.
fn read<'a, T: DeserializeOwned>(
    name: &str,
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
) -> Result<T, (Option<String>, String)> {
    let fields: serde_json::Map<_, _> =
        fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    serde_path_to_error::deserialize(json!({ name: fields })).map_err(|error| {
        let key = error.path().iter().nth(1).map(ToString::to_string);
        (key, in_words(error.inner()))
    })
}

/// The values of a field that is varied: a list, if the field takes any of its values for itself.
fn varied<'a, T: DeserializeOwned>(
    name: &str,
    key: &'a String,
    value: &'a Value,
) -> Result<Option<&'a Vec<Value>>, SweepError> {
    let with = |value: &Value| read::<T>(name, [(key, value)].into_iter());
    let wrong = |index, (_, why): (Option<String>, String)| SweepError {
        keys: vec![name.to_owned(), key.clone()],
        index,
        why,
    };
    let Value::Array(values) = value else { return Ok(None) };
    if !values.iter().any(|value| with(value).is_ok()) {
        return with(value).map(|_| None).map_err(|error| wrong(None, error));
    }
    for (index, value) in values.iter().enumerate() {
        with(value).map_err(|error| wrong(Some(index), error))?;
    }
    Ok(Some(values))
}

/// The values of the varied fields for people.
#[must_use]
pub fn words(values: &SweptValues) -> String {
    let all: Vec<_> = values.iter().map(|(key, value)| format!("{key} {}", plain(value))).collect();
    all.join(", ")
}

/// A value without quotes; of a list its values.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specification::Specification;

    fn combinations(text: &str) -> Result<Vec<(String, Specification)>, String> {
        let Specification::Sweep(sweep) =
            Specification::read("file", text).map_err(|error| error.to_string())?
        else {
            panic!("not a sweep: {text}")
        };
        let all = sweep.combinations().map_err(|error| error.to_string())?;
        Ok(all.into_iter().map(|(values, asked)| (words(&values), asked)).collect())
    }

    #[test]
    fn every_field_of_every_experiment_is_varied_by_its_name() {
        let text = "[sweep.population]\nprotocol = 'self-terminating'\nagents = [100, '1e3']\n\
                    rule = ['text', 'equal']\nfailures = '20%'";
        let all = combinations(text).unwrap();
        let names: Vec<_> = all.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "agents 100, rule text",
            "agents 100, rule equal",
            "agents 1e3, rule text",
            "agents 1e3, rule equal",
        ];
        assert_eq!(names, expected);
        let Specification::Population(last) = &all[3].1 else { panic!("{:?}", all[3]) };
        assert_eq!((last.agents, last.failures.is_some()), (Some(1000), true));
        // Lists of fields that take lists are lists of lists.
        let text = "[sweep.check]\nalgorithm = 'lelann'\nproperty = ['agreement']\n\
                    fault = [[], ['loss:1'], ['loss:1', 'crash:1']]\ncapacity = [1, 'unbounded']";
        let all = combinations(text).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[5].0, "capacity unbounded, fault loss:1 crash:1");
        let Specification::Check(last) = &all[5].1 else { panic!("{:?}", all[5]) };
        assert_eq!((last.fault.len(), last.property.len()), (2, 1));
        let text = "{\"sweep\": {\"cluster\": {\"capacity\": [1, 2], \"timeouts\": [\"gone=9\"]}}}";
        assert_eq!(combinations(text).unwrap().len(), 2);
        assert_eq!(combinations("[sweep.elect]\nseed = 3").unwrap().len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_key() {
        for (text, says) in [
            ("[sweep.check]\n\nnodes = [3,\n'x']", "file: line 4: sweep.check.nodes[1]: "),
            ("[sweep.population]\nagent = [3]", "line 2: sweep.population.agent: unknown field"),
            ("[sweep.population]\nagents = [3]\nrule = 'x'", "line 3: sweep.population.rule: `x`"),
            ("[sweep.elect]\nfault = [['loss:x']]", "line 2: sweep.elect.fault: "),
            ("[sweep.elect]\nfault = [[],\n\n['loss:x']]", "line 4: sweep.elect.fault[1]: "),
            ("[sweep.elects]\nseed = 1", "line 1: sweep.elects: unknown name `elects`"),
            ("[sweep]", "sweep: name one kind of experiment"),
            ("[sweep.sweep.elect]\nseed = 1", "sweep: "),
            (
                "{\n\"sweep\": {\n\"check\": {\n\"nodes\": [3,\n\"x\"]}}}",
                "file: line 5: sweep.check.nodes[1]: ",
            ),
            (
                "{\"command\": 1,\n\"specification\": {\"sweep\": {\n\"check\": {\"node\": 3}}}}",
                "file: line 3: sweep.check.node: unknown field",
            ),
        ] {
            let error = combinations(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
