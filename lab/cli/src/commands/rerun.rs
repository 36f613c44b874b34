//! `suffrage rerun`: makes a result again.

use crate::error::{Ending, Error, complain};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Make a result again, by the command that its file names
///
/// FILE is a JSON report, an array of such reports, or a run: anything with the key `command`. The command is
/// shown and run. If the version is the same, the output equals FILE byte for byte.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The report or the run
    file: PathBuf,

    /// Print nothing, and compare the output with the file: exit code 1 if they differ
    #[arg(long)]
    compare: bool,
}

const EXAMPLES: &str = "\
Examples:
  suffrage elect humblet --nodes 1000 --trials 50 --format json >result.json
  suffrage rerun result.json
  suffrage rerun result.json --compare";

/// The commands that are run again: experiments, whose results follow from their flags.
const AGAIN: [&str; 8] =
    ["elect", "compare", "check", "cluster", "population", "replay", "reproduce", "tenure"];

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let name = args.file.display();
    let text = fs::read_to_string(&args.file)
        .map_err(|error| Error::of(format!("cannot read {name}"), error))?;
    let wrong = |why: String| Error::of(&name, why);
    let (command, version) = stamp(&text).map_err(wrong)?;
    let words = words(&command).map_err(wrong)?;
    if let Some(version) = version.filter(|version| version != env!("CARGO_PKG_VERSION")) {
        complain(format_args!(
            "the file is of version {version}, and this is version {}: figures may differ",
            env!("CARGO_PKG_VERSION")
        ));
    }
    complain(format_args!("{command}"));
    let program =
        std::env::current_exe().map_err(|error| Error::of("cannot run suffrage", error))?;
    let mut again = Command::new(program);
    again.args(&words).stdin(Stdio::null());
    let failed = |error| Error::of("cannot run suffrage", error);
    if !args.compare {
        let status = again.status().map_err(failed)?;
        // A signal that ended it has reached this program, too.
        return Ok(status.code().map_or(Ending::Interrupted, |code| Ending::Again(code as u8)));
    }
    let output = again.stderr(Stdio::inherit()).output().map_err(failed)?;
    if output.stdout == text.as_bytes() {
        complain("the output is that of the file, byte for byte");
        return Ok(Ending::Fine);
    }
    let here = String::from_utf8_lossy(&output.stdout);
    let differs = here.lines().zip(text.lines()).position(|(one, other)| one != other);
    let line = differs.unwrap_or_else(|| here.lines().count().min(text.lines().count()));
    complain(format_args!("{name}: line {} differs", line + 1));
    Ok(Ending::Broken)
}

/// The command and the version of a file: of an object, of the first of an array, or of the first
/// line.
fn stamp(text: &str) -> Result<(String, Option<String>), String> {
    let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next();
    let value = match first {
        Some(Ok(Value::Array(rows))) => rows.into_iter().next().unwrap_or_default(),
        Some(Ok(value)) => value,
        Some(Err(error)) => return Err(format!("not JSON: {error}")),
        None => return Err("it is empty".to_owned()),
    };
    let of = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let none = "it names no command: reports in JSON and runs have the key `command`";
    Ok((of("command").ok_or(none)?, of("version")))
}

/// The words of a command as a shell reads them, without the program.
fn words(command: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            '\\' if !quoted => {
                word.extend(characters.next());
                begun = true;
            }
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if quoted {
        return Err(format!("a quotation in `{command}` does not end"));
    }
    if begun {
        words.push(word);
    }
    if words.is_empty() || words.remove(0) != "suffrage" {
        return Err(format!("`{command}` is no command of suffrage"));
    }
    match words.first() {
        Some(name) if AGAIN.contains(&name.as_str()) => Ok(words),
        _ => Err(format!("`{command}` is not run again: {} are", AGAIN.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_were_quoted() {
        let of = |line: &str| words(line).map(|words| words.join("|"));
        assert_eq!(
            of("suffrage elect --topology 'my net.txt'"),
            Ok("elect|--topology|my net.txt".into())
        );
        assert_eq!(of(r"suffrage elect --ids 'it'\''s' ''"), Ok("elect|--ids|it's|".into()));
        assert!(of("suffrage elect 'open").unwrap_err().contains("does not end"));
        for wrong in ["", "rm -r x", "suffrage", "suffrage lead -- rm", "elect"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
