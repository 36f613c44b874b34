//! Courses as files of JSON.

use super::{Course, Faults};
use crate::error::Error;
use crate::output::Output;
use crate::plan::by_name;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use suffrage::algorithms::Property;
use suffrage::process::Action;
use suffrage::process::{Id, Port};
use suffrage::topology::wiring::{Adjacency, End};

/// The version of the format.
const VERSION: u32 = 1;

/// What a file may hold at most: courses are of networks that a person can look at.
const BYTES: u64 = 16 << 20;
const NODES: usize = 64;
const STEPS: usize = 100_000;

/// The file as it is.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(rename = "suffrage-course")]
    version: u32,
    algorithm: String,
    property: Option<String>,
    #[serde(default)]
    detail: String,
    network: Vec<Vec<(u32, u32)>>,
    ids: Vec<u64>,
    capacity: Option<u32>,
    #[serde(default)]
    faults: Faults,
    #[serde(default)]
    coins: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    around: Option<usize>,
    steps: Vec<RawStep>,
}

/// A step: one of its keys, and what belongs to it.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawStep {
    #[serde(skip_serializing_if = "Option::is_none")]
    wake: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deliver: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overtakes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alarm: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crash: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lose: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate: Option<(u32, u32)>,
}

const fn end((node, port): (u32, u32)) -> End {
    End { node, port: Port(port) }
}

const fn pair(End { node, port }: End) -> (u32, u32) {
    (node, port.0)
}

impl RawStep {
    fn of(step: Action) -> Self {
        let none = Self::default();
        match step {
            Action::Wake(node) => Self { wake: Some(node), ..none },
            Action::Alarm(node) => Self { alarm: Some(node), ..none },
            Action::Crash(node) => Self { crash: Some(node), ..none },
            Action::Lose { to } => Self { lose: Some(pair(to)), ..none },
            Action::Duplicate { to } => Self { duplicate: Some(pair(to)), ..none },
            Action::Deliver { to, overtakes } => Self {
                deliver: Some(pair(to)),
                overtakes: (overtakes > 0).then_some(overtakes),
                ..none
            },
        }
    }

    /// What happens; `None` where that is not exactly one thing.
    fn recorded(&self) -> Option<Action> {
        let overtakes = self.overtakes.unwrap_or(0);
        let deliver = |to| Action::Deliver { to: end(to), overtakes };
        let mut all = [
            self.wake.map(Action::Wake),
            self.deliver.map(deliver),
            self.alarm.map(Action::Alarm),
            self.crash.map(Action::Crash),
            self.lose.map(|to| Action::Lose { to: end(to) }),
            self.duplicate.map(|to| Action::Duplicate { to: end(to) }),
        ]
        .into_iter()
        .flatten();
        let step = all.next().filter(|_| all.next().is_none())?;
        (self.overtakes.is_none() || self.deliver.is_some()).then_some(step)
    }
}

impl Course {
    /// Reads a course.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display();
        let failed = |error| Error::of(format!("cannot read {name}"), error);
        let mut text = String::new();
        let file = File::open(path).map_err(failed)?;
        file.take(BYTES + 1).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > BYTES {
            let most = BYTES >> 20;
            return Err(Error::of(name, format!("a course has at most {most} MiB; this has more")));
        }
        Self::parse(&text).map_err(|what| Error::of(name, what))
    }

    /// Reads the text of a course, or says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let kind: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        if is_trace(text) {
            return Err(
                "this is a trace, and says nothing of its network; hold its election again \
                        by `suffrage elect ALGORITHM ... --schedule replay:FILE`, with the other \
                        flags as in the `command` of its first line"
                    .into(),
            );
        }
        match kind.get("suffrage-course") {
            Some(version) if *version == VERSION => {}
            Some(version) => {
                return Err(format!(
                    "a course in version {version} of the format; this program reads version \
                     {VERSION}"
                ));
            }
            None if kind.is_null() => {}
            None => {
                return Err("not a course: a course begins with {\"suffrage-course\":1, as \
                            `suffrage check` writes it"
                    .into());
            }
        }
        let raw: Raw = serde_json::from_str(text)
            .map_err(|error| format!("not a course, as `suffrage check` writes it: {error}"))?;
        raw.checked()
    }

    /// Writes the course into the file that a flag names.
    pub(crate) fn write(&self, flag: &'static str, path: &Path) -> Result<(), Error> {
        let mut file = Output::begin(flag, path)?;
        let text = self.json()?;
        file.write_all(text.as_bytes()).map_err(|error| Output::failed(flag, path, error))?;
        file.finish()
    }

    /// The course as JSON: a line for each step, and one for all before them.
    pub(crate) fn json(&self) -> Result<String, Error> {
        let raw = Raw {
            version: VERSION,
            algorithm: self.algorithm.name.to_owned(),
            property: self.property.map(|property| property.name().to_owned()),
            detail: self.detail.clone(),
            network: self
                .network
                .iter()
                .map(|ends| ends.iter().copied().map(pair).collect())
                .collect(),
            ids: self.ids.iter().map(|id| id.get()).collect(),
            capacity: self.capacity,
            faults: self.faults,
            coins: self.coins.clone(),
            around: self.around,
            steps: Vec::new(),
        };
        let failed = |error| Error::of("cannot write the course as JSON", error);
        let head = serde_json::to_string(&raw).map_err(failed)?;
        let steps = self.steps.iter().map(|&step| serde_json::to_string(&RawStep::of(step)));
        let steps = steps.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let head = head.strip_suffix("[]}").unwrap_or(&head);
        Ok(format!("{head}[\n{}\n]}}\n", steps.join(",\n")))
    }
}

/// Whether a text begins as traces do.
fn is_trace(text: &str) -> bool {
    let first: serde_json::Value =
        serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap_or_default();
    first.get("suffrage-trace").is_some()
}

impl Raw {
    fn checked(self) -> Result<Course, String> {
        let algorithm = by_name(&self.algorithm).map_err(|error| error.to_string())?;
        let property = self.property.as_deref().map(property).transpose()?;
        let nodes = self.network.len();
        if nodes > NODES {
            return Err(format!("a course is of at most {NODES} nodes; this has {nodes}"));
        }
        if self.steps.len() > STEPS {
            return Err(format!(
                "a course has at most {STEPS} steps; this has {}",
                self.steps.len()
            ));
        }
        let network: Vec<Vec<End>> =
            self.network.iter().map(|ends| ends.iter().copied().map(end).collect()).collect();
        Adjacency::from_ends(&network).map_err(|error| format!("`network`: {error}"))?;
        if self.ids.len() != nodes {
            return Err(format!("`ids`: {nodes} nodes have {nodes} ids, not {}", self.ids.len()));
        }
        let mut sorted = self.ids.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
            return Err(format!("`ids`: {} is there twice; every node has its own", twice[0]));
        }
        if self.capacity == Some(0) {
            return Err(
                "`capacity`: a link that holds no message carries none; the least is 1, and \
                        null is any number"
                    .into(),
            );
        }
        if let Some(before) = self.around
            && before >= self.steps.len()
        {
            return Err(format!(
                "`around`: {before} steps before those that go around, and {} steps in all",
                self.steps.len()
            ));
        }
        let mut steps = Vec::with_capacity(self.steps.len());
        for (number, raw) in (1..).zip(&self.steps) {
            steps.push(raw.recorded().ok_or_else(|| {
                format!(
                    "step {number}: a step has one of the keys wake, deliver, alarm, crash, lose \
                     and duplicate; `overtakes` goes with deliver alone"
                )
            })?);
        }
        let course = Course {
            algorithm,
            property,
            detail: self.detail,
            network,
            ids: self.ids.into_iter().map(Id::new).collect(),
            capacity: self.capacity,
            faults: self.faults,
            coins: self.coins,
            steps,
            around: self.around,
        };
        course.within_faults()?;
        Ok(course)
    }
}

impl Course {
    /// Whether the steps have no more faults than are allowed.
    fn within_faults(&self) -> Result<(), String> {
        let mut left = self.faults;
        for (number, step) in (1..).zip(&self.steps) {
            let (budget, name, does) = match step {
                Action::Deliver { overtakes, .. } if *overtakes > 0 && !left.no_fifo => {
                    return Err(format!(
                        "step {number}: a message overtakes another, and `faults` does not say \
                         \"no_fifo\":true"
                    ));
                }
                Action::Wake(_) | Action::Alarm(_) | Action::Deliver { .. } => continue,
                Action::Crash(_) => (&mut left.crash, "crash", "crashes"),
                Action::Lose { .. } => (&mut left.loss, "loss", "losses"),
                Action::Duplicate { .. } => (&mut left.duplicate, "duplicate", "duplicates"),
            };
            *budget = budget.checked_sub(1).ok_or_else(|| {
                format!("step {number}: more {does} than `{name}` in `faults` allows")
            })?;
            if self.around.is_some_and(|before| number > before) {
                return Err(format!(
                    "step {number}: steps that go around for ever, as `around` says of it, have no \
                     {does}: faults are counted"
                ));
            }
        }
        Ok(())
    }
}

fn property(name: &str) -> Result<Property, String> {
    Property::named(name).ok_or_else(|| {
        let all: Vec<_> = Property::ALL.iter().map(|property| property.name()).collect();
        format!("there is no property `{name}`; the properties are {}, or null", all.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COURSE: &str = concat!(
        "{\"suffrage-course\":1,\"algorithm\":\"lelann\",\"property\":null,\"detail\":\"\",",
        "\"network\":[[[0,1],[0,0]]],\"ids\":[7],\"capacity\":2,",
        "\"faults\":{\"no_fifo\":true,\"loss\":1,\"duplicate\":1,\"crash\":1},\"coins\":[3],",
        "\"around\":6,\"steps\":[\n",
        "{\"wake\":0},\n{\"deliver\":[0,1]},\n{\"deliver\":[0,1],\"overtakes\":2},\n",
        "{\"crash\":0},\n{\"lose\":[0,1]},\n{\"duplicate\":[0,1]},\n{\"alarm\":0}\n]}\n"
    );

    #[test]
    fn a_course_writes_what_it_reads() {
        let course = Course::parse(COURSE).unwrap();
        assert_eq!((course.steps.len(), course.around), (7, Some(6)));
        assert_eq!(course.json().unwrap(), COURSE);
    }

    #[test]
    fn nothing_that_breaks_off_is_read() {
        for cut in 0..COURSE.len() - 2 {
            assert!(Course::parse(&COURSE[..cut]).is_err(), "{}", &COURSE[..cut]);
        }
    }
}
