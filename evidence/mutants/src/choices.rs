//! A file with all faults in it: a function that some of them change has its body once as it is and once for each, and
//! chooses. So what is generic in an algorithm is compiled once, and not for each of its mutants.

use crate::list::SeededFault;
use std::{collections::BTreeMap, fmt::Write as _, ops::Range};

/// A text that a fault replaces.
pub struct Replacement<'a> {
    /// The number of the fault, from 1.
    pub fault: usize,
    /// Where the text is, in its file.
    pub at: Range<usize>,
    /// What stands in its place.
    pub is: &'a str,
}

/// The text of a file in which each replacement is one choice, as the expression `chosen` says: it is the number of a
/// fault, or 0 for the file as it is.
///
/// # Errors
/// If a replacement is outside of the bodies of functions.
pub fn with_choices(
    text: &str,
    chosen: &str,
    replacements: &[Replacement<'_>],
) -> Result<String, String> {
    let mut bodies: BTreeMap<(usize, usize), Vec<&Replacement<'_>>> = BTreeMap::new();
    for replacement in replacements {
        let body = body_around(text, &replacement.at)
            .ok_or_else(|| format!("no function has {:?}", &text[replacement.at.clone()]))?;
        bodies.entry((body.start, body.end)).or_default().push(replacement);
    }
    let (mut whole, mut done) = (String::new(), 0);
    for ((start, end), replacements) in bodies {
        let before = text.get(done..start).ok_or("one function that is changed is in another")?;
        whole.push_str(before);
        write!(whole, "match {chosen} {{ ").expect("a string takes everything");
        for (body, faults) in changed_bodies(text, start..end, &replacements) {
            let faults: Vec<_> = faults.iter().map(usize::to_string).collect();
            write!(whole, "{} => {{{body}}} ", faults.join(" | ")).expect("as above");
        }
        write!(whole, "_ => {{{}}} }}", &text[start..end]).expect("as above");
        done = end;
    }
    whole.push_str(&text[done..]);
    Ok(whole)
}

/// The body of a function with the replacements of each fault, and the faults with which it is this.
fn changed_bodies(
    text: &str,
    body: Range<usize>,
    replacements: &[&Replacement<'_>],
) -> BTreeMap<String, Vec<usize>> {
    let mut by_fault: BTreeMap<usize, Vec<&Replacement<'_>>> = BTreeMap::new();
    for replacement in replacements {
        by_fault.entry(replacement.fault).or_default().push(replacement);
    }
    let mut bodies: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (fault, mut replacements) in by_fault {
        replacements.sort_by_key(|replacement| replacement.at.start);
        let (mut changed, mut done) = (String::new(), body.start);
        for Replacement { at, is, .. } in replacements {
            changed = changed + &text[done..at.start] + is;
            done = at.end;
        }
        changed.push_str(&text[done..body.end]);
        bodies.entry(changed).or_default().push(fault);
    }
    bodies
}

/// Returns the text of a file with all of these faults in it. At run time `chosen` selects one of them.
///
/// # Errors
/// If the text that a fault replaces does not occur once, or not in a function.
pub fn with_faults<'a>(
    text: &str,
    chosen: &str,
    faults: impl Iterator<Item = &'a SeededFault>,
) -> Result<String, String> {
    let replacement = |fault: &'a SeededFault| {
        Ok(Replacement { fault: fault.number, at: fault.place(text)?, is: &fault.is })
    };
    let replacements = faults.map(replacement).collect::<Result<Vec<_>, String>>()?;
    with_choices(text, chosen, &replacements)
}

/// What is between the braces of the innermost function around a text, in a file that rustfmt has formatted.
fn body_around(text: &str, at: &Range<usize>) -> Option<Range<usize>> {
    let mut innermost = None;
    let mut start = 0;
    for line in text[..at.start].split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let of_function = |word: &str| word.starts_with("pub") || word == "const";
        let is_function = line
            .split_once("fn ")
            .is_some_and(|(before, _)| before.split_whitespace().all(of_function));
        if is_function {
            let body = start + text[start..].find("{\n")? + 1;
            // The brace at its end is indented like its beginning.
            let end = body + text[body..].find(&format!("\n{:indent$}}}\n", ""))? + 1;
            if (body..=end).contains(&at.start) && at.end <= end {
                innermost = Some(body..end);
            }
        }
        start += line.len();
    }
    innermost
}
