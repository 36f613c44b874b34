//! Transcripts: scenarios with the events below their steps.

use crate::{
    InvalidScenario,
    scenario::ScenarioLine,
    walk::{StateInvariant, Walk},
};
use std::convert::Infallible;
use std::path::Path;
use std::{env, fs, io};
use tenure_model::Recoverable;

/// A scenario that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The text of the scenario, with what happened now in place of what happened before.
    pub text: String,
    /// The steps that could not be taken, and the expectations that were not met.
    pub failures: Vec<String>,
}

/// Runs a scenario with this protocol, even if it names another one: each step in turn. The invariants are checked in
/// all states.
///
/// # Errors
/// If the text is no scenario.
pub fn transcript<P: Recoverable>(
    text: &str,
    invariants: &[StateInvariant<P>],
) -> Result<Transcript, InvalidScenario> {
    let mut walk = Walk::<P>::new(invariants);
    let mut failures = Vec::new();
    let text = with_events(text, |number, line| {
        let lines = ScenarioLine::read(number, line)?;
        for line in &lines {
            if let Err(why) = walk.take(&line.step) {
                walk.said.push(format!("FAILED: {why}"));
                failures.push(line.wrong(why).to_string());
            }
        }
        Ok((!lines.is_empty()).then(|| std::mem::take(&mut walk.said)))
    })?;
    Ok(Transcript { text, failures })
}

/// Runs a scenario of a state machine. The first step says what `make` makes: the machine in its surroundings. The
/// others are what `take` does to it; its error says why a step cannot be taken, or which promise was broken. What the
/// machine did meanwhile is in the list that `said` names. Empty lines and comments are no steps.
pub fn machine_transcript<M>(
    text: &str,
    make: impl Fn(&str) -> Result<M, String>,
    take: impl Fn(&mut M, &str) -> Result<(), String>,
    said: impl Fn(&mut M) -> &mut Vec<String>,
) -> Transcript {
    let (mut machine, mut failures) = (None, Vec::new());
    let text = with_events(text, |number, line| -> Result<_, Infallible> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let took = match &mut machine {
            None => make(line).map(|made| machine = Some(made)),
            Some(machine) => take(machine, line),
        };
        let mut events =
            machine.as_mut().map_or_else(Vec::new, |machine| std::mem::take(said(machine)));
        if let Err(why) = took {
            events.push(format!("FAILED: {why}"));
            failures.push(format!("line {number}: {why}"));
        }
        Ok(Some(events))
    });
    match text {
        Ok(text) => Transcript { text, failures },
        Err(never) => match never {},
    }
}

/// Runs a scenario line by line, and returns its text with what happened. The function `take` gets the number of a line
/// and the line, and returns what its steps did, or `None` if it has no step.
///
/// The steps of a block, up to an empty line, are taken one after the other; the events stand below `----`, or `ok` if
/// there are none.
///
/// # Errors
/// The first one of `take`.
fn with_events<E>(
    text: &str,
    mut take: impl FnMut(usize, &str) -> Result<Option<Vec<String>>, E>,
) -> Result<String, E> {
    let mut transcript = String::new();
    let mut events: Option<Vec<String>> = None;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((i, line)) = lines.next() {
        if line.trim() == "----" {
            while lines.next_if(|(_, line)| !line.trim().is_empty()).is_some() {}
        } else {
            transcript += line;
            transcript.push('\n');
            if let Some(more) = take(i + 1, line)? {
                events.get_or_insert_default().extend(more);
            }
        }
        if lines.peek().is_none_or(|(_, line)| line.trim().is_empty())
            && let Some(events) = events.take()
        {
            transcript += "----\n";
            transcript += &if events.is_empty() { "ok".to_owned() } else { events.join("\n") };
            transcript.push('\n');
        }
    }
    Ok(transcript)
}

/// Holds every scenario (`.txt`) of a folder to what is written below its steps, and returns what is wrong. With
/// `UPDATE_GOLDEN=1` in the environment, writes what happens now. An expectation that is not met is wrong all the same.
///
/// # Errors
/// If a file cannot be read or written.
pub fn check_folder(
    folder: &Path,
    run: impl Fn(&str) -> Result<Transcript, String>,
) -> io::Result<Vec<String>> {
    let update = env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let mut files = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().display();
        let text = fs::read_to_string(&path)?;
        if !text.starts_with("# ") {
            wrong.push(format!("{name}: its first line says in a comment what it shows"));
        }
        match run(&text) {
            Err(why) => wrong.push(format!("{name}: {why}")),
            Ok(run) => {
                wrong.extend(run.failures.iter().map(|why| format!("{name}: {why}")));
                if update {
                    fs::write(&path, &run.text)?;
                } else if let Some((line, is)) = difference(&text, &run.text) {
                    wrong.push(format!("{name}: line {line}: it is now {is:?}"));
                }
            }
        }
    }
    Ok(wrong)
}

/// The first line in which the second text is another one, and what it is there.
fn difference<'a>(was: &str, is: &'a str) -> Option<(usize, &'a str)> {
    let (mut was, mut is) = (was.lines(), is.lines());
    (1..).find_map(|line| match (was.next(), is.next()) {
        (None, None) => Some(None),
        (a, b) if a == b => None,
        (_, b) => Some(Some((line, b.unwrap_or("its end")))),
    })?
}
