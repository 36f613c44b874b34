//! Transcripts: scenarios with what happened below their steps.

use crate::{
    InvalidScenario, Scenario, Step,
    scenario::ScenarioLine,
    walk::{StateInvariant, Walk},
};
use tenure_model::Recoverable;
use tenure_protocol::{Protocol, Visitor, tenure};

/// A scenario that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The text of the scenario, with what happened now in place of what happened before.
    pub text: String,
    /// The steps that could not be taken, and the expectations that were not met.
    pub failures: Vec<String>,
}

/// Runs a scenario, with the protocol that it names: each step in turn, until the last.
///
/// The steps of a block, up to an empty line, are taken one after the other; what happened stands below
/// `----`, and `ok` if it is nothing.
///
/// # Errors
/// If the text is no scenario, or names no protocol.
pub fn transcript(text: &str) -> Result<Transcript, InvalidScenario> {
    struct Run<'a>(&'a str);
    impl Visitor for Run<'_> {
        type Output = Result<Transcript, InvalidScenario>;
        fn visit<P: Recoverable>(self) -> Self::Output {
            transcript_of::<P>(self.0, &[])
        }
    }
    let scenario: Scenario = text.parse()?;
    let named = scenario.0.iter().find_map(|line| match &line.step {
        Step::Protocol(name) => Some((line, name)),
        _ => None,
    });
    let Some((line, name)) = named else {
        return Err(InvalidScenario(
            "no line names the protocol, as in `protocol tenure`".to_owned(),
        ));
    };
    match Protocol::named(name) {
        Some(protocol) if protocol.name == "tenure" => {
            transcript_of::<tenure::Tenure>(text, tenure::INVARIANTS)
        }
        Some(protocol) => protocol.visit(Run(text)),
        None => Err(line.wrong(format!("there is no protocol `{name}`"))),
    }
}

/// Runs a scenario with this protocol, whatever it names, and holds all states to these invariants.
///
/// # Errors
/// If the text is no scenario.
pub fn transcript_of<P: Recoverable>(
    text: &str,
    invariants: &[StateInvariant<P>],
) -> Result<Transcript, InvalidScenario> {
    let mut walk = Walk::<P>::new(invariants);
    let mut transcript = Transcript { text: String::new(), failures: Vec::new() };
    let mut steps = false;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((i, line)) = lines.next() {
        let ends = line.trim() == "----";
        if !ends {
            transcript.text += line;
            transcript.text.push('\n');
        }
        for line in if ends { Vec::new() } else { ScenarioLine::read(i + 1, line)? } {
            steps = true;
            if let Err(why) = walk.take(&line.step) {
                walk.said.push(format!("FAILED: {why}"));
                transcript.failures.push(line.wrong(why).to_string());
            }
        }
        if ends {
            while lines.next_if(|(_, line)| !line.trim().is_empty()).is_some() {}
        }
        if steps && lines.peek().is_none_or(|(_, line)| line.trim().is_empty()) {
            steps = false;
            let said = std::mem::take(&mut walk.said).join("\n");
            transcript.text += "----\n";
            transcript.text += if said.is_empty() { "ok" } else { &said };
            transcript.text.push('\n');
        }
    }
    Ok(transcript)
}
