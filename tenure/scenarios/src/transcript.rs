//! Transcripts: scenarios with the events below their steps.

use crate::{
    InvalidScenario,
    scenario::ScenarioLine,
    walk::{StateInvariant, Walk},
};
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
/// The steps of a block, up to an empty line, are taken one after the other; the events stand below `----`, or `ok` if
/// there are none.
///
/// # Errors
/// If the text is no scenario.
pub fn transcript<P: Recoverable>(
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
