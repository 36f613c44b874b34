use super::*;

#[test]
fn every_correct_algorithm_is_explored() {
    for algorithm in Algorithm::correct() {
        let mut rows = ROWS.iter().chain(RANDOMIZED);
        assert!(rows.any(|row| row.algorithm == algorithm.name), "{}", algorithm.name);
    }
}
