//! The lessons of docs/learn/book say what commands print, and embed what commands make.

use super::common::suffrage;
use super::documents::{Shell, check_blocks, is_kept};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tenure_protocol::tenure;

/// The lessons on algorithms of the catalogue; each has its algorithm's name.
const LESSONS: [&str; 14] = [
    "all-to-all",
    "humblet",
    "afek-gafni",
    "villadangos",
    "lelann",
    "chang-roberts",
    "dolev-klawe-rodeh",
    "franklin",
    "hirschberg-sinclair",
    "itai-rodeh",
    "tree-wave",
    "echo-extinction",
    "gallager-humblet-spira",
    "flood-max",
];

/// The lessons on what is no algorithm of the catalogue.
const OTHERS: [&str; 2] = ["tenure", "numbered-agents"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/learn/book/src")
}

fn lesson(name: &str) -> String {
    fs::read_to_string(source().join(name).with_extension("md")).unwrap()
}

fn between<'a>(text: &'a str, from: &'a str, to: &'a str) -> BTreeSet<&'a str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

/// The files that a lesson shows, with their names: the first line of such a block is `# NAME`.
fn files_shown(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("```").skip(1).step_by(2).filter_map(|block| {
        let (_language, content) = block.split_once('\n')?;
        Some((content.strip_prefix("# ")?.lines().next()?, content))
    })
}

/// The numbers of a list's items.
fn numbers(list: &str) -> Vec<u8> {
    let number =
        |line: &str| line.split_once(". ").and_then(|(number, _)| number.parse::<u8>().ok());
    list.lines().filter_map(number).collect()
}

#[test]
fn lessons_say_what_commands_print_and_embed_what_they_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Shell::new(folder.path());
    for name in LESSONS.into_iter().chain(OTHERS) {
        let text = lesson(name);
        for (file, content) in files_shown(&text) {
            fs::write(folder.path().join(file), content).unwrap();
        }
        let commands = check_blocks(&mut shell, name, &text);
        assert!(commands >= 5, "{name}: {commands} commands");
        let pages = between(&text, "src=\"runs/", "\"");
        assert_eq!(pages, between(&text, "--html ", "\n"), "{name}: pages embedded, and written");
        for made in pages {
            let size = fs::metadata(folder.path().join(made)).map_or(0, |file| file.len());
            assert!(size > 10_000, "{name}: no command writes {made}");
        }
        let example = text.split("```console\n$ suffrage elect ").nth(1);
        if let Some((words, _)) = example.and_then(|rest| rest.split_once('\n')) {
            shell.run(&format!("suffrage elect {words} --trace run.jsonl")).unwrap();
            shell.run(&format!("suffrage draw run.jsonl --format svg --out {name}.svg")).unwrap();
        }
        let pictures = between(&text, "](pictures/", ")");
        assert!(!pictures.is_empty(), "{name} has no picture, for where no page can be embedded");
        for picture in pictures {
            let made = fs::read_to_string(folder.path().join(picture)).unwrap();
            is_kept(&source().join("pictures").join(picture), &made);
        }
    }
}

#[test]
fn a_lesson_explains_every_invariant_of_its_algorithm_and_no_other() {
    for name in LESSONS {
        let said = suffrage(
            format!("elect {name} --nodes 3 --schedule rounds --invariants --format json")
                .split(' '),
        );
        assert_eq!(said.code, 0, "{}", said.err);
        let run: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let checked = run["invariants"].as_array().unwrap().iter();
        let checked: BTreeSet<_> = checked.map(|invariant| invariant.as_str().unwrap()).collect();
        let text = lesson(name);
        let explained = between(&text, "- ***", "***:");
        assert_eq!(explained, checked, "{name}");
    }
    let text = lesson("tenure");
    let checked: BTreeSet<_> = tenure::INVARIANTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(between(&text, "- ***", "***:"), checked);
}

#[test]
fn every_lesson_has_all_parts_and_stands_in_the_summary() {
    let summary = lesson("SUMMARY");
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(source()).unwrap() {
        files.insert(entry.unwrap().file_name().into_string().unwrap());
    }
    assert!(files.remove("SUMMARY.md") && files.remove("pictures"));
    let listed: BTreeSet<_> = between(&summary, "](", ")").into_iter().map(str::to_owned).collect();
    assert_eq!(listed, files);
    files.remove("introduction.md");
    assert_eq!(files.len(), LESSONS.len() + OTHERS.len());
    let parts = [
        "The idea",
        "A small example",
        "Watch it",
        "What it costs",
        "Why is it right?",
        "What breaks it",
        "Exercises",
    ];
    for file in files {
        let text = lesson(file.trim_end_matches(".md"));
        let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(found, parts, "{file}");
        let (_, exercises) = text.split_once("## Exercises\n").unwrap();
        let parts = exercises.split_once("<details><summary>Answers</summary>");
        let (asked, answered) = parts.unwrap_or_else(|| panic!("{file} has no answers"));
        assert_eq!(numbers(asked), numbers(answered), "{file}: answers");
    }
}
