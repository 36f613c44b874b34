//! Help.

use crate::common::line;

#[test]
fn help_is_no_error() {
    for words in [
        "--help",
        "elect --help",
        "compare -h",
        "help algorithms",
        "population --help",
        "replay --help",
        "--version",
    ] {
        let said = line(words);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
        assert!(said.out.lines().all(|line| line.chars().count() <= 100), "{words}");
    }
    // Without arguments the help goes to standard error, since no command ran.
    let said = line("");
    assert_eq!((said.code, said.out.as_str()), (2, ""));
}
