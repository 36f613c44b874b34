//! Numbers on command lines: valid ones, and the messages for others.

use crate::common::{json, line, refused, says};

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
fn exponents_are_accepted_wherever_a_count_is() {
    assert_eq!(json("elect lelann --nodes 1e2")["network"]["nodes"], 100);
    assert_eq!(json("elect lelann --topology ring:1e2")["network"]["source"], "ring:100");
    assert_eq!(json("elect lelann --nodes 9 --seed 1e3")["seed"], 1000);
    assert_eq!(json("elect humblet --nodes 30 --schedule uniform:1e1")["schedule"], "uniform:10");
    assert_eq!(json("elect lelann --nodes 90 --initiators 1e1")["initiators"]["count"], 10);
    assert_eq!(
        json("elect lelann --nodes 9 --wake spread:1e2")["initiators"]["wake"],
        "spread:100"
    );
    assert_eq!(json("elect lelann --nodes 9 --capacity 1e1")["capacity"], 10);
    assert_eq!(json("elect lelann --nodes 9 --trials 1e1 --threads 1e0")["trials"]["finished"], 10);
    assert_eq!(json("population epidemic --agents 1e2 --trials 2e0")["trials"], 2);
    let said = line("compare --algorithms lelann --topology ring --nodes 5,1e1 --format csv");
    says(&said.out, &["lelann,ring:10,"]);
}

#[test]
fn limits_are_named() {
    says(&refused("population epidemic --agents 1e30"), &["18446744073709551615"]);
    says(&refused("cluster --timeout 1e30"), &["the largest number here is 1000000000"]);
    says(&refused("cluster --timeout soon"), &["60 or 0.5"]);
    says(
        &refused("elect --schedule uniform:18446744073709551615"),
        &["D must be from 1 to 1048576 ticks"],
    );
    says(&refused("elect --nodes 5e9"), &["4294967295"]);
    says(&refused("elect --topology complete:1e30"), &["at most 4294967294"]);
    says(&refused("cluster --nodes 10001"), &["the largest number here is 10000"]);
    says(&refused("elect --initiators 1e30"), &["4294967295"]);
    says(&refused("elect --wake spread:1e30"), &["1099511627776"]);
}

#[test]
fn negative_numbers_are_values_of_every_command() {
    says(&refused("elect --nodes -5"), &["'-5'", "--nodes", "write a whole number"]);
    says(&refused("elect --initiators -5"), &["write all"]);
    says(&refused("tenure simulate --members -5"), &["'-5'", "write a whole number"]);
    says(&refused("elect -5"), &["there is no algorithm `-5`"]);
    says(&refused("check lelann --memory -1GiB"), &["'-1GiB'", "--memory", "as in 8GiB"]);
    let share = "population self-terminating --agents 9 --failures";
    says(&refused(&format!("{share} -10%")), &["'-10%'", "--failures", "such as 0.1 or 10%"]);
    let said = refused("elect -5x");
    assert!(!said.contains("-- -"), "{said}");
}

#[test]
fn what_has_no_meaning_is_refused() {
    says(
        &refused("population epidemic --agents 9 --history x --interval 0"),
        &["--interval", "from 1 on"],
    );
    says(
        &refused("population known-bounds --agents 9 --rule text"),
        &["--rule means nothing for known-bounds", "self-terminating"],
    );
    says(
        &refused("population anonymous --agents 9 --rule equal"),
        &["--rule means nothing for anonymous"],
    );
    says(
        &refused("population epidemic --agents 9 --rule difference"),
        &["--rule means nothing for epidemic", "text and printed"],
    );
    says(
        &refused("population epidemic --agents 9 --min-interactions 3"),
        &["--min-interactions means nothing for epidemic"],
    );
    assert_eq!(line("population epidemic --agents 9 --rule printed").code, 0);
    says(&refused("check lelann --nodes 4 --fault crash:99"), &["crash:99", "4 nodes only"]);
}

#[test]
fn a_fault_that_is_named_twice_is_one() {
    let words = "elect lelann --nodes 9 --schedule uniform:5 --fault no-fifo";
    let once = line(words);
    let twice = line(&format!("{words} --fault no-fifo"));
    assert_eq!((once.code, once.out), (twice.code, twice.out));
    assert_eq!(twice.err, "");
    let loss = line("elect lelann --nodes 9 --fault loss:0.5 --fault loss:0.5 --format json");
    says(&loss.out, &["\"faults\": [\n    \"loss:0.5\"\n  ]"]);
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
