//! `suffrage population`: its reports, that they are reproducible, and its errors.

use crate::common::{line, refused, says, suffrage_in};
use serde_json::Value;

#[test]
fn the_same_command_says_the_same_for_any_number_of_threads() {
    for words in [
        "self-terminating --agents 300 --trials 50 --each",
        "self-terminating --agents 1e5 --trials 10 --engine batched --each",
        "self-terminating --agents 1e9 --trials 10 --question leader --each",
        "anonymous --agents 1000 --trials 10 --each",
        "self-terminating --topology ring:40 --trials 20",
        "self-terminating --agents 200 --failures 25% --trials 30",
    ] {
        for format in ["text", "json"] {
            let words = format!("population {words} --format {format}");
            let said = line(&words);
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
            assert_eq!(line(&words).out, said.out, "{words}");
            for threads in [1, 2] {
                assert_eq!(line(&format!("{words} --threads {threads}")).out, said.out, "{words}");
            }
        }
    }
    let seeded = |seed| line(&format!("population epidemic --agents 50 --seed {seed}")).out;
    assert_ne!(seeded(1), seeded(2));
}

#[test]
fn the_oracle_knows_whole_distributions() {
    let folder = tempfile::tempdir().unwrap();
    let words = "population self-terminating --agents 100 --engine oracle --distribution d.csv";
    let said = suffrage_in(folder.path(), format!("{words} --format json").split(' '));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let quantiles = &report["quantiles"];
    let median = &quantiles["leader_declared_at"][3];
    assert_eq!(median["share"], 0.5);
    let table = std::fs::read_to_string(folder.path().join("d.csv")).unwrap();
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert!(table.starts_with("interactions,completed_at,leader_declared_at\n0,0.0"));
    assert!(rows.is_sorted_by(|a, b| a[0] < b[0] && a[1] <= b[1] + 1e-9 && a[2] <= b[2] + 1e-7));
    assert!(rows.iter().all(|row| row[2] <= row[1] + 0.01), "few declare before completion");
    let by = rows.iter().find(|row| row[2] >= 0.5).unwrap()[0];
    let median = median["time"].as_f64().unwrap();
    assert!(median <= by && by <= 1.01 * median, "{median} {by}");
}

#[test]
fn what_no_memory_holds_is_refused_with_the_engine_that_would_do() {
    says(
        &refused("population self-terminating --agents 1e12 --engine direct"),
        &["1000000000000 agents", "the closed-form and the batched engine"],
    );
    let everything = "population self-terminating --agents 1e12 --question everything";
    says(&refused(everything), &["direct engine", "the closed-form and the batched engine"]);
}

#[test]
fn identities_that_no_memory_holds_are_not_told_apart() {
    let all = "population self-terminating --agents 1e13 --engine batched --highest 4294967295";
    says(&refused(all), &["to distinguish 4294967295 identities", "are free", "16 are enough"]);
}
