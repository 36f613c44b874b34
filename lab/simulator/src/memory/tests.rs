use super::*;

fn of(name: &str, nodes: u32, degree: u32) -> Footprint {
    Footprint::of(Algorithm::named(name).unwrap(), nodes, degree, false)
}

#[test]
fn the_first_messages_are_those_of_a_wake_up() {
    let first = |name, nodes, degree| of(name, nodes, degree).first_messages;
    assert_eq!(first("all-to-all", 100_000, 99_999), 99_999);
    assert_eq!(first("humblet", 100_000, 99_999), 1);
    assert_eq!(first("chang-roberts", 1_000_000, 2), 1);
    assert_eq!(first("echo-extinction", 50, 4), 4);
    assert_eq!(first("all-to-all", 1, 0), 0);
}

#[test]
fn a_process_that_lists_its_ports_takes_more_where_it_has_more() {
    let process = |name, degree| of(name, 1000, degree).process;
    assert_eq!(process("yo-yo", 10) - process("yo-yo", 4), 6 * 12);
    assert_eq!(process("echo-extinction", 10), process("echo-extinction", 4));
}

/// The goals of docs/use/scale.md: at most 64 bytes a process, without its identity, and 28 a message under
/// way.
#[test]
fn processes_and_messages_take_what_docs_say() {
    let bytes = |name, degree| {
        let Footprint { process, message, .. } = of(name, 1000, degree);
        (process - 8, message)
    };
    assert_eq!(bytes("chang-roberts", 2), (36, 24));
    assert_eq!(bytes("echo-extinction", 4), (40, 24));
    assert_eq!(bytes("yo-yo", 4), (64 + 4 * 12, 24));
    assert_eq!(bytes("gallager-humblet-spira", 4), (96 + 4 * 16, 32));
}

/// As docs/use/scale.md says.
#[test]
fn some_algorithms_exceed_these_goals() {
    let exceeds = |row: &&Algorithm| {
        let Footprint { process, message, .. } = Footprint::of(row, 1000, 2, false);
        process - 8 > 64 || message > 28
    };
    let all = Algorithm::all().filter(|row| !row.name.contains('@'));
    let names: Vec<_> = all.filter(exceeds).map(|row| row.name).collect();
    let known = [
        "afek-gafni",
        "villadangos",
        "korach-moran-zaks",
        "stages-with-feedback",
        "lyndon-word",
        "hyper-elect",
        "tree-wave",
        "tree-extinction",
        "depth-first-extinction",
        "gallager-humblet-spira",
        "korach-kutten-moran",
        "yo-yo",
        "probabilistic-franklin",
        "afek-gafni-a",
        "variable-speeds",
        "random-referees",
    ];
    assert_eq!(names, known);
}

#[test]
fn bytes_are_those_of_processes_and_of_messages() {
    let footprint = of("all-to-all", 1000, 999);
    let messages = footprint.message * 1000 * 999;
    assert_eq!(footprint.bytes(1000, 1000), footprint.process * 1000 + messages);
    assert_eq!(of("all-to-all", u32::MAX, u32::MAX).bytes(u64::MAX, u64::MAX), u64::MAX);
}
