//! The README shows the algorithm that its other examples include.

#[test]
fn the_readme_shows_the_algorithm_that_it_runs() {
    let readme = include_str!("../../README.md");
    assert!(readme.contains(include_str!("../../doc/loudest.rs")));
}
