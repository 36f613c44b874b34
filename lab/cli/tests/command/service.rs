//! Without the leadership service, its commands say how to get it.

#![cfg(not(feature = "service"))]

use crate::common::line;

#[test]
fn what_is_not_built_in_says_how_to_get_it() {
    for words in [
        "lead db --config members.toml -- ./my-service --flag",
        "office list --format json",
        "status",
        "tenure demo --steps heal",
        "lead --help",
    ] {
        let said = line(words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words}: {}", said.err);
        assert!(said.err.contains("--features service"), "{words}: {}", said.err);
    }
}

#[test]
fn the_help_names_the_commands_all_the_same() {
    let said = line("--help");
    for command in ["lead", "office", "status"] {
        assert!(
            said.out.lines().any(|line| line.trim_start().starts_with(command)),
            "{}",
            said.out
        );
    }
}
