//! Wrong command lines are refused with what is wrong and what to do.

use crate::common::{line, refused, says};

#[test]
fn unknown_words_are_refused() {
    says(&refused("elect --node 5"), &["unexpected argument '--node'", "--nodes"]);
    says(&refused("elekt"), &["elekt", "elect"]);
    says(
        &refused("elect humblett"),
        &["there is no algorithm `humblett`", "did you mean `humblet`"],
    );
    says(&refused("elect humblet extra"), &["extra"]);
    says(&refused("elect cities.graphml"), &["networks are named by --topology"]);
    says(&refused("elect --format yaml"), &["yaml", "text", "json"]);
    says(&refused("completions tcsh"), &["tcsh", "bash"]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    says(&refused("elect --nodes 0"), &["'--nodes <N>'", "write a whole number from 1 on"]);
    says(&refused("elect --nodes abc"), &["'abc'", "--nodes"]);
    says(&refused("elect --nodes -3"), &["-3"]);
    says(&refused("elect --nodes 99999999999"), &["99999999999"]);
    says(&refused("elect --nodes 4294967295"), &["complete:4294967295"]);
    says(&refused("elect --topology ring:0"), &["ring:0", "from 1 to"]);
    says(&refused("elect --trials 0"), &["--trials"]);
    says(&refused("elect --threads 0"), &["--threads"]);
    says(&refused("elect --event-limit 0"), &["--event-limit"]);
    says(&refused("elect --seed -1"), &["-1"]);
    says(&refused("elect --nodes 5 --topology ring:5"), &["cannot be used with"]);
}

#[test]
fn networks_that_do_not_fit_are_refused_with_what_does() {
    says(
        &refused("elect tree-wave --topology ring:5"),
        &[
            "tree-wave: ring:5 is a ring of 5 nodes and 5 links; the algorithm wants a tree",
            "algorithms that fit: lelann, chang-roberts, hirschberg-sinclair, dolev-klawe-rodeh",
        ],
    );
    says(
        &refused("elect humblet --topology star:9"),
        &[
            "wants a complete network: it has 8 of the 36 links between 9 nodes",
            "algorithms that fit: tree-wave, tree-extinction, echo-extinction",
        ],
    );
    says(&refused("elect lelann --topology grid:2x3"), &["node 1 has 3 links", "echo-extinction"]);
}

#[test]
fn a_sense_of_direction_does_not_survive_random_ports() {
    says(
        &refused("elect villadangos --nodes 9 --ports random"),
        &[
            "villadangos needs a sense of direction, which --ports random hides; use --ports rotation",
            "algorithms that fit: all-to-all, humblet, afek-gafni, korach-moran-zaks, echo-extinction",
        ],
    );
    says(
        &refused("elect lelann --ports random"),
        &["--ports rotation", "fit: hirschberg-sinclair, franklin"],
    );
    says(&refused("elect --ports shuffled"), &["shuffled", "rotation", "random"]);
}

#[test]
fn initiators_that_cannot_start_are_refused() {
    says(&refused("elect --initiators 0"), &["at least one initiator"]);
    says(
        &refused("elect --nodes 5 --initiators 6"),
        &["--initiators 6: the network has 5 nodes only"],
    );
    says(&refused("elect --initiators some"), &["all", "nodes:0,4,9"]);
    says(&refused("elect --nodes 5 --initiators nodes:1,5"), &["no node 5", "from 0 to 4"]);
    says(&refused("elect --nodes 5 --initiators nodes:"), &["no node is called ``"]);
    says(&refused("elect --nodes 5 --initiators nodes:1,1"), &["`1` is there twice"]);
    says(&refused("elect --nodes 5 --initiators nodes:Praha"), &["`Praha`", "have no labels"]);
    says(&refused("elect --wake later"), &["once", "spread:100"]);
    says(&refused("elect --wake spread:-1"), &["spread:100"]);
    says(&refused("elect --wake spread:99999999999999"), &["at most 1099511627776"]);
}

#[test]
fn schedules_that_do_not_exist_are_refused() {
    says(&refused("elect --schedule fastest"), &["unknown schedule `fastest`", "per-link:D"]);
    says(&refused("elect --schedule uniform:0"), &["from 1 to 1048576"]);
    says(&refused("elect --schedule exponential:nan"), &["above 0"]);
    says(&refused("elect --schedule replay:"), &["replay:FILE"]);
    says(&refused("elect humblet --schedule replay:nowhere"), &["cannot read nowhere"]);
    says(&refused("elect --schedule replay:nowhere"), &["name it"]);
    says(&refused("elect humblet --schedule replay:/"), &["replay"]);
    says(
        &refused("elect humblet --schedule replay:Cargo.toml"),
        &["Cargo.toml, line 1: a run begins with"],
    );
    says(&refused("elect humblet --schedule replay:x --initiators 3"), &["leave out --initiators"]);
    says(&refused("elect humblet --schedule replay:x --trials 3"), &["are many"]);
}

#[test]
fn links_and_faults_that_cannot_be_are_refused() {
    says(&refused("elect --capacity 0"), &["the least is 1"]);
    says(&refused("elect --capacity none"), &["unbounded"]);
    says(&refused("elect --fault no-fifo"), &["`synchronous`", "choose uniform:D"]);
    says(&refused("elect --fault loss:1.5"), &["from 0 to 1"]);
    says(&refused("elect --fault duplicate:x"), &["a probability"]);
    says(&refused("elect --fault fire"), &["unknown fault `fire`"]);
    says(&refused("elect --nodes 5 --fault crash:5@1"), &["no process 5", "from 0 to 4"]);
    says(&refused("elect --fault crash:5"), &["crash:3@10"]);
    says(&refused("elect --fault loss:1"), &["`loss:1`", "loss:20% or loss:0.2", "checker"]);
    says(&refused("elect --fault loss"), &["loss:5%", "a count, as in loss:1"]);
    says(&refused("elect --fault loss:0.1 --fault loss:0.2"), &["loss:0.1", "contradict"]);
    says(&refused("elect --fault crash:3@1 --fault crash:3@9"), &["contradict"]);
}

#[test]
fn traces_that_cannot_be_written_are_refused() {
    says(
        &refused("elect --trace /nowhere/t.jsonl"),
        &["cannot write /nowhere/t.jsonl", "No such file"],
    );
    says(&refused("elect --trace /"), &["it is a directory"]);
    says(&refused("elect --trace -"), &["standard output"]);
    says(&refused("elect --trace t.jsonl --trials 2"), &["--trace is for one election"]);
    says(&refused("elect --timing --trials 2"), &["--timing is for one election"]);
}

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
