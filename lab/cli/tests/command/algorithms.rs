//! `suffrage algorithms`, `completions` and `man`.

use crate::common::{line, says};
use serde_json::Value;
use suffrage::algorithms::{Algorithm, FORMS, FormKind};

/// Without identities there is nothing to compare.
#[test]
fn anonymous_algorithms_need_no_identities() {
    let all: Value =
        serde_json::from_str(&line("algorithms --anonymous --format json").out).unwrap();
    for row in all.as_array().unwrap() {
        let knows = row["knows"].as_array().unwrap();
        assert!(!knows.contains(&"its identity".into()), "{row}");
    }
}

/// The command beside a faulty form breaks the property that is named there; the one beside a variant breaks none.
#[test]
fn every_form_differs_as_its_command_shows() {
    for row in FORMS {
        let form = row.form.unwrap();
        let words = form.shown_by.strip_prefix("suffrage ").expect("a command of ours");
        let said = line(words);
        let broken = i32::from(form.kind == FormKind::Faulty);
        assert_eq!((said.code, said.err.as_str()), (broken, ""), "{}", form.shown_by);
        assert_eq!(broken == 1, form.breaks.is_some(), "{}", row.name);
        if let Some(property) = form.breaks {
            says(&said.out, &[&format!("BROKEN          {property}: ")]);
        }
        let text = line(&format!("algorithms {}", row.name)).out.replace('\n', " ");
        says(&text, &[form.kind.word(), "shown by"]);
    }
}

#[test]
fn one_is_told_in_full() {
    for row in Algorithm::correct() {
        let text = line(&format!("algorithms {}", row.name)).out;
        says(&text, &[row.title(), row.citation(), row.claims.rule.words(), "\nIdea\n"]);
        says(&text, &["\nAssumes\n", "\nCost\n", "\nDeviations\n", "\nInvariants\n"]);
        let source = line(&format!("algorithms {} --source", row.name)).out;
        assert_eq!(source, row.source);
    }
}

#[test]
fn shells_and_pagers_get_theirs() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        says(&line(&format!("completions {shell}")).out, &["suffrage", "largest-component"]);
    }
    says(&line("man").out, &[".TH suffrage 1", "elect"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man1");
    assert_eq!(line(&format!("man --out {}", path.display())).code, 0);
    says(&std::fs::read_to_string(path.join("suffrage-elect.1")).unwrap(), &["schedule"]);
}
