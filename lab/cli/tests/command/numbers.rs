//! Numbers on command lines: valid ones, and the messages for others.

use crate::common::{line, refused};

/// Flags that take a number, each with a command that it belongs to.
const FLAGS: [&str; 27] = [
    "elect --nodes",
    "elect --seed",
    "elect --trials",
    "elect --threads",
    "elect --event-limit",
    "elect --capacity",
    "elect --initiators",
    "compare --nodes 8 --trials",
    "compare --nodes",
    "compare --nodes 8 --threads",
    "check lelann --nodes",
    "check lelann --sample",
    "check lelann --seed",
    "check lelann --threads",
    "check lelann --capacity",
    "cluster --nodes",
    "cluster --capacity",
    "cluster --seed",
    "cert --cluster lab --nodes",
    "cert --cluster lab --ids",
    "node --config x --id",
    "population epidemic --agents",
    "population epidemic --agents 9 --seed",
    "population epidemic --agents 9 --threads",
    "reproduce figure-1 --trials",
    "reproduce theorems --seed",
    "reproduce theorems --threads",
];

#[test]
fn what_to_write_is_said_wherever_a_number_is() {
    for flag in FLAGS {
        for wrong in ["-5", "ten", "1.5", "", "+3"] {
            let words: Vec<&str> = flag.split(' ').chain([wrong]).collect();
            let said = crate::common::suffrage(&words);
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}");
            let err = &said.err;
            assert!(err.contains("number"), "{words:?}: {err}");
            for poor in ["-- -", "invalid digit", "panicked", "unexpected argument"] {
                assert!(!err.contains(poor), "{words:?}: {err}");
            }
        }
        let large = refused(&format!("{flag} 1e30"));
        assert!(large.contains("largest") || large.contains("at most"), "{flag}: {large}");
    }
}

#[test]
fn one_of_a_thing_has_no_plural() {
    for words in [
        "elect --nodes 1",
        "elect --nodes 2",
        "elect lelann --nodes 1 --trials 2",
        "check lelann --nodes 1",
        "cluster lelann --nodes 1 --transport channels",
        "elect --topology path:2",
        "population epidemic --agents 1",
        "population self-terminating --agents 9 --min-interactions 1",
        "population self-terminating --agents 9 --failures 0.1",
        "population two-way-epidemic --agents 1",
        "tenure simulate --members 1 --trials 1",
        "compare --topology ring --nodes 1 --trials 1",
        "reproduce theorems --trials 2",
    ] {
        let said = line(words);
        let text = said.out.replace("= 1 ", "");
        for (one, what) in text.match_indices(" 1 ").map(|(at, one)| (one, &text[at + 3..])) {
            let thing = what.split([' ', ',', ';', ')', '\n']).next().unwrap_or_default();
            let plural = thing.ends_with('s') && !["has", "is", "was", "ends"].contains(&thing);
            assert!(!plural, "{words}:{one}{thing} in {text}");
        }
    }
}
