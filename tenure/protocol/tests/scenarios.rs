//! Every file of `scenarios/` happens as it is written there.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-protocol --test scenarios
//! ```
//!
//! writes what happens now below the steps, after a change that is meant; an expectation that is not met is
//! an error all the same.

use std::{env, fs, path::Path};
use tenure_model::Recoverable;
use tenure_protocol::{Protocol, ProtocolVisitor, tenure};
use tenure_scenarios::{Scenario, Transcript, transcript};

/// Runs a scenario with the protocol that it names.
fn run(text: &str) -> Result<Transcript, String> {
    struct Run<'a>(&'a str);
    impl ProtocolVisitor for Run<'_> {
        type Output = Result<Transcript, String>;
        fn visit<P: Recoverable>(self) -> Self::Output {
            transcript::<P>(self.0, &[]).map_err(|error| error.to_string())
        }
    }
    let scenario: Scenario = text.parse().map_err(|error| format!("{error}"))?;
    let name =
        scenario.cluster().protocol.ok_or("no line names the protocol, as in `protocol tenure`")?;
    match Protocol::named(&name) {
        Some(protocol) if protocol.name == "tenure" => {
            let run = transcript::<tenure::Tenure>(text, tenure::INVARIANTS);
            run.map_err(|error| error.to_string())
        }
        Some(protocol) => protocol.visit(Run(text)),
        None => Err(format!("there is no protocol `{name}`")),
    }
}

#[test]
fn every_scenario_happens_as_it_is_written() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios"));
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    let count = files.len();
    let update = env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("it can be read");
        if !text.starts_with("# ") {
            wrong.push(format!("{name}: its first line says in a comment what it shows"));
        }
        match run(&text) {
            Err(why) => wrong.push(format!("{name}: {why}")),
            Ok(run) => {
                wrong.extend(run.failures.iter().map(|why| format!("{name}: {why}")));
                if update {
                    fs::write(&path, &run.text).expect("it can be written");
                } else if let Some((line, is)) = difference(&text, &run.text) {
                    wrong.push(format!("{name}: line {line}: it is now {is:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(count >= 20, "there are {count} scenarios");
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
