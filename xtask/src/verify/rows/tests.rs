use super::*;

#[test]
fn every_correct_algorithm_is_explored() {
    for algorithm in Algorithm::correct() {
        let mut rows = ROWS.iter().chain(RANDOMIZED);
        let name = algorithm.name;
        assert!(
            rows.any(|row| row.algorithm == name),
            "{name} has no row in xtask/src/verify/rows.rs"
        );
    }
}
