//! Completions, and the manual.

use crate::common::{line, says};
use std::process::Command;

fn offered(words: &[&str]) -> Option<Vec<String>> {
    let script = line("completions bash").out;
    let last = words.len() - 1;
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let program = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={last}\n_suffrage suffrage '{}' '{}'\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words[last],
        words[last - 1]
    );
    let Ok(output) = Command::new("bash").args(["--norc", "-c", &program]).output() else {
        eprintln!("skipped: there is no bash");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn bash_offers_algorithms_networks_schedules_and_faults() {
    let offers = |words: &[&str], wanted: &[&str]| {
        let Some(all) = offered(words) else { return };
        for one in wanted {
            assert!(all.iter().any(|offer| offer == one), "{words:?}: {one} is not in {all:?}");
        }
    };
    offers(&["suffrage", "elect", "hum"], &["humblet"]);
    offers(&["suffrage", "check", "da"], &[]);
    offers(&["suffrage", "check", "dolev"], &["dolev-klawe-rodeh"]);
    offers(&["suffrage", "algorithms", "tree"], &["tree-wave"]);
    offers(&["suffrage", "cluster", "lel"], &["lelann"]);
    offers(&["suffrage", "elect", "--topology", "gr"], &["grid:4x5"]);
    offers(&["suffrage", "compare", "--topology", "tor"], &["torus"]);
    offers(&["suffrage", "compare", "--algorithms", "chang"], &["chang-roberts"]);
    offers(&["suffrage", "elect", "--schedule", "uni"], &["uniform:10"]);
    offers(&["suffrage", "elect", "--fault", "no"], &["no-fifo"]);
    offers(&["suffrage", "check", "lelann", "--fault", "lo"], &["loss:1"]);
    offers(&["suffrage", "check", "lelann", "--property", "at"], &["at-most-one-leader"]);
    offers(&["suffrage", "elect", "--ids", "asc"], &["ascending"]);
}

#[test]
fn the_shells_that_can_offer_values_get_them() {
    // The generators for other shells do not support values.
    for shell in ["bash", "zsh", "fish"] {
        let said = line(&format!("completions {shell}"));
        assert_eq!(said.code, 0, "{shell}");
        says(&said.out, &["humblet", "chang-roberts", "synchronous", "bit-reversed"]);
    }
}

/// The help describes the values and does not list them again.
#[test]
fn help_does_not_list_what_is_offered() {
    assert!(!line("elect --help").out.contains("possible values: all-to-all"));
}

#[test]
fn the_synopsis_of_a_manual_page_has_values() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    assert_eq!(line(&format!("man --out {out}")).code, 0);
    let page = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap().replace("\\-", "-");
        let (_, rest) = text.split_once(".SH SYNOPSIS").unwrap();
        rest.split(".SH").next().unwrap().to_owned()
    };
    says(
        &page("suffrage-elect.1"),
        &[
            "suffrage elect",
            "[--nodes <N>]",
            "[--topology <SPEC|FILE>]",
            "[--schedule <SCHEDULE>]",
            "[--timing]",
            "[<ALGORITHM>]",
        ],
    );
    says(&page("suffrage-check.1"), &["suffrage check", "<ALGORITHM>", "[--fault <FAULT>]"]);
    says(&page("suffrage-tenure-simulate.1"), &["suffrage tenure simulate", "<"]);
    says(&page("suffrage.1"), &["suffrage", "<COMMAND>"]);
    let whole = line("man").out.replace("\\-", "-");
    says(&whole, &[".SH SYNOPSIS", "<COMMAND>"]);
}
