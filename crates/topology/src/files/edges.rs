//! Edge lists, as the Stanford Network Analysis Project (SNAP) has them: a link a line.

use super::encoding;
use super::raw::{Fault, Raw};
use std::borrow::Cow;
use std::io::BufRead;

/// What stands between two labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// White space or commas, any number of them.
    Any,
    /// One comma. Labels may contain white space, or stand in double quotes.
    Comma,
    /// One tab. Labels may contain white space.
    Tab,
}

pub(super) fn read(mut reader: impl BufRead, separator: Separator) -> Result<Raw, Fault> {
    let mut raw = Raw::default();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let line = encoding::line(&bytes, number)?.trim_matches(['\n', '\r', ' ']);
        if line.trim().is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        if line.contains('\0') {
            return Err(Fault::line(number, "a NUL byte: this is no text"));
        }
        let [first, second] = match separator {
            Separator::Any => words(line),
            Separator::Comma => quoted(line, number)?,
            Separator::Tab => {
                let mut fields = line.split('\t').map(|field| Cow::from(field.trim()));
                [fields.next(), fields.next()]
            }
        };
        let Some(first) = first.filter(|label| !label.is_empty()) else {
            return Err(Fault::line(number, "the first label of this line is empty"));
        };
        let from = raw.ids.number(&first)?;
        if let Some(second) = second.filter(|label| !label.is_empty()) {
            let to = raw.ids.number(&second)?;
            raw.link(from, to)?;
        }
    }
    Ok(raw)
}

/// The first two words of a line, before a word that begins with `#`.
fn words(line: &str) -> [Option<Cow<'_, str>>; 2] {
    let mut words = line
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .take_while(|word| !word.starts_with('#'))
        .map(Cow::from);
    [words.next(), words.next()]
}

/// The first two fields of a line of comma-separated values (RFC 4180, on one line).
fn quoted(line: &str, number: u64) -> Result<[Option<Cow<'_, str>>; 2], Fault> {
    let mut rest = Some(line);
    let mut field = || -> Result<Option<Cow<'_, str>>, Fault> {
        let Some(text) = rest else { return Ok(None) };
        let Some(mut quote) = text.trim_start().strip_prefix('"') else {
            let (field, after) = match text.split_once(',') {
                Some((field, after)) => (field, Some(after)),
                None => (text, None),
            };
            rest = after;
            return Ok(Some(field.trim().into()));
        };
        let mut field = String::new();
        loop {
            let Some((part, after)) = quote.split_once('"') else {
                return Err(Fault::line(number, "a quote is not closed"));
            };
            field.push_str(part);
            // A doubled quote stands for one.
            match after.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    quote = after;
                }
                None => {
                    rest = after.split_once(',').map(|(_, after)| after);
                    return Ok(Some(field.trim().to_owned().into()));
                }
            }
        }
    };
    Ok([field()?, field()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str, separator: Separator) -> Result<Vec<(String, String)>, Fault> {
        let raw = read(text.as_bytes(), separator)?;
        let name = |node| raw.ids.names.get(node).to_owned();
        Ok(raw.links.iter().map(|&(a, b)| (name(a), name(b))).collect())
    }

    fn pair(a: &str, b: &str) -> (String, String) {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn labels_are_separated_by_white_space_or_commas() {
        let text =
            "# nodes\n% more\n1 2\n2\t3 0.5\r\n  3,1\n\n 4 , 1 {'weight': 2}\n5 # alone\n6 1";
        assert_eq!(
            pairs(text, Separator::Any).unwrap(),
            [pair("1", "2"), pair("2", "3"), pair("3", "1"), pair("4", "1"), pair("6", "1")]
        );
    }

    #[test]
    fn separated_values_may_contain_white_space_and_quotes() {
        assert_eq!(
            pairs(
                "New York, Los Angeles,5\n\"Washington, D.C.\",\"a \"\"b\"\"\"",
                Separator::Comma
            )
            .unwrap(),
            [pair("New York", "Los Angeles"), pair("Washington, D.C.", "a \"b\"")]
        );
        assert_eq!(
            pairs("New York\tLos Angeles\t5\n", Separator::Tab).unwrap(),
            [pair("New York", "Los Angeles")]
        );
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text, separator| match pairs(text, separator).unwrap_err() {
            Fault::Syntax { at, .. } => at.line,
            fault => panic!("{fault:?}"),
        };
        assert_eq!(error("a,b\n\"c,d\n", Separator::Comma), 2);
        assert_eq!(error("a\tb\n\n\tb", Separator::Tab), 3);
        assert_eq!(error("1 2\n,,\n", Separator::Any), 2);
    }
}
