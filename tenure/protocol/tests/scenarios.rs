//! Every file of `scenarios/` happens as it is written there.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-protocol --test scenarios
//! ```
//!
//! writes what happens now below the steps, after a change that is meant; an expectation that is not met is
//! an error all the same.

use std::{fs, path::Path};
use tenure_model::Recoverable;
use tenure_protocol::reconfiguration::Reconfigurable;
use tenure_protocol::{Protocol, ProtocolVisitor, tenure};
use tenure_scenarios::{Scenario, Transcript, check_folder, transcript};

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
        Some(protocol) if protocol.name == "tenure" && scenario.changes_members() => {
            Run(text).visit::<Reconfigurable>()
        }
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
    let wrong = check_folder(folder, run).expect("they can be read");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    let count = fs::read_dir(folder).expect("the folder is there").count();
    assert!(count >= 20, "there are {count} scenarios");
}
