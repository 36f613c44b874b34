//! `suffrage reproduce`: the paper's figure as files, its theorems as text.

use crate::common::{json, line, says, suffrage_in};
use std::fs;

#[test]
fn the_figure_is_drawn_and_its_data_written() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |threads: u32| {
        let words = format!("reproduce figure-1 --trials 1 --out figures --threads {threads}");
        let said = suffrage_in(folder.path(), words.split(' '));
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        said.out
    };
    let said = draw(1);
    says(&said, &["over 99.2 %", "99.8 %", "text, at least 25", "figure-1.svg"]);
    let figures = folder.path().join("figures");
    let read = |name: &str| fs::read(figures.join(name)).unwrap();
    let names = ["figure-1.svg", "figure-1.csv", "figure-1.txt", "figure-1.tex"];
    let files = names.map(read);
    assert!(files[0].starts_with(b"<svg"));
    let csv = String::from_utf8_lossy(&files[1]);
    assert!(csv.starts_with("agents,completed_at,declared_at,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 91);
    assert_eq!(fs::read_dir(&figures).unwrap().count(), 4, "nothing is left beside");
    let svg = String::from_utf8_lossy(&files[0]);
    says(
        &svg,
        &[
            "agents <tspan",
            "up to 20 trials",
            "interactions (millions)",
            "the eventual leader declares",
            "fit ",
        ],
    );
    assert_eq!(svg.matches("<circle").count(), 3 * 91 + 3, "dots and legend");
    says(
        &String::from_utf8_lossy(&files[3]),
        &[r"\begin{axis}", "only marks", "interactions (millions)"],
    );
    assert_eq!(draw(2), said);
    let words = "reproduce figure-1 --trials 1 --out figures --format json";
    let numbers = suffrage_in(folder.path(), words.split(' '));
    let numbers: serde_json::Value = serde_json::from_str(&numbers.out).unwrap();
    assert_eq!(numbers["rates"].as_array().map(Vec::len), Some(18));
    assert_eq!(numbers["rates"][0]["rule"], "printed");
    let again = names.map(read);
    assert!(again == files, "the same seed draws the same figure");
}

#[test]
fn theorems_are_held_against_trials() {
    let said = line("reproduce theorems --trials 100");
    assert_eq!(line("reproduce theorems --trials 100 --threads 1").out, said.out);
    let theorems = json("reproduce theorems --trials 100");
    let second = &theorems[1]["comparisons"][0];
    assert_eq!(
        (&theorems[1]["agents"], &second["formula"]),
        (&10_000.into(), &"(n-1) H(n-1)".into())
    );
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!((number(&second["expected"]) - 97_865.27).abs() < 0.01);
    let measured = number(&second["measured"]["mean"]);
    let [low, high] = [0, 1].map(|end| number(&second["confidence"][end]));
    assert!(low < measured && measured < high);
}

#[test]
fn success_is_shown_against_the_minimum_of_interactions() {
    let folder = tempfile::tempdir().unwrap();
    let words = "reproduce minimum --trials 3 --out figures";
    let said = suffrage_in(folder.path(), words.split(' '));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    says(&said.out, &["K is the minimum of interactions", "n = 1000", "99.991 %", "minimum.csv"]);
    let csv = fs::read_to_string(folder.path().join("figures/minimum.csv")).unwrap();
    assert!(csv.starts_with("rule,agents,margin,min_interactions,exact,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 5 * 7 * 21);
    let numbers = suffrage_in(folder.path(), format!("{words} --format json").split(' '));
    let numbers: serde_json::Value = serde_json::from_str(&numbers.out).unwrap();
    assert_eq!(numbers["successes"].as_array().map(Vec::len), Some(5 * 7 * 21));
    assert_eq!(fs::read_dir(folder.path().join("figures")).unwrap().count(), 4);
    let svg = fs::read_to_string(folder.path().join("figures/minimum.svg")).unwrap();
    says(&svg, &["minimum of interactions", "at-least", "equal", " = 1000"]);
    assert_eq!(svg.matches("<clipPath").count(), 5, "a panel for each rule");
}
