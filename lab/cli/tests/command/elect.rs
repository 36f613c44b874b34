//! `suffrage elect`: its reports, and that they are reproducible.

use crate::common::{json, keys, line, refused, says};
use serde_json::Value;

#[test]
fn the_report_has_these_keys_in_this_order() {
    let said = line("elect humblet --nodes 20 --format json");
    assert_eq!(said.code, 0);
    let order = [
        "command",
        "version",
        "specification",
        "algorithm",
        "choice",
        "faulty",
        "network",
        "seed",
        "schedule",
        "ports",
        "ids",
        "capacity",
        "faults",
        "initiators",
        "leader",
        "agreed",
        "halted",
        "messages",
        "bits",
        "time",
        "causal_depth",
        "busiest",
        "peak_in_flight",
        "late",
        "lost",
        "bound",
        "time_bound",
        "violations",
    ];
    let top: Vec<&str> =
        said.out.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    assert_eq!(top, order);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let sorted = |part: &str| {
        let mut all = keys(&report[part]);
        all.sort_unstable();
        all
    };
    assert_eq!(sorted("network"), ["kind", "links", "nodes", "notes", "source"]);
    assert_eq!(sorted("initiators"), ["chosen", "count", "wake", "woken"]);
    assert_eq!(sorted("leader"), ["id", "label", "node"]);
    assert_eq!(sorted("messages"), ["announcement", "by_kind", "election", "total"]);
    assert_eq!(sorted("busiest"), ["label", "messages", "node"]);
    assert_eq!(sorted("bound"), ["exact", "formula", "messages", "ratio"]);
    assert_eq!(sorted("time_bound"), ["formula", "most", "ratio", "units"]);
}

#[test]
fn timing_is_said_on_request_alone() {
    let report = json("elect lelann --nodes 30 --timing");
    assert!(report["timing"]["wall_seconds"].is_number());
    assert!(report["timing"]["messages_per_second"].is_u64());
    assert!(report["timing"].as_object().unwrap().contains_key("peak_bytes"));
    assert!(json("elect lelann --nodes 30").get("timing").is_none());
}

#[test]
fn exact_counts_are_those_of_the_papers() {
    let total = |words: &str| json(words)["messages"]["total"].as_u64().unwrap();
    assert_eq!(total("elect all-to-all --nodes 12"), 12 * 11);
    assert_eq!(total("elect tree-wave --nodes 50 --schedule uniform:9"), 4 * 50 - 4);
    assert_eq!(total("elect lelann --nodes 20 --initiators 7"), 7 * 20 + 20);
    assert_eq!(total("elect villadangos --nodes 20 --initiators 7"), 20 + 12 + 19);
    // Descending identities against the direction of the ring are the worst case.
    assert_eq!(total("elect chang-roberts --nodes 10 --ids ascending"), 10 * 11 / 2 + 10);
    assert_eq!(total("elect echo-extinction --topology grid:3x4 --initiators 1"), 4 * 17);
}

#[test]
fn an_election_whose_processes_wait_too_long_is_refused_with_its_length() {
    // A single token is not slow, whatever its identity.
    let alone = "elect variable-speeds --nodes 3 --ids list:70,71,72 --initiators nodes:0 \
        --schedule rounds";
    assert_eq!(json(alone)["leader"]["id"], 70);
    // It waits for 2^48 ticks with each process, and for 2^32 a time.
    let long = json("elect variable-speeds --nodes 3 --ids list:48,49,50 --schedule rounds");
    assert_eq!((&long["leader"]["id"], &long["violations"]), (&48.into(), &serde_json::json!([])));
    assert!(long["time"].as_u64().unwrap() > 1 << 48);

    // The smallest of those that start counts, who have the identities 57 and 58.
    let words =
        "elect variable-speeds --nodes 100 --ids ascending --schedule rounds --initiators nodes:";
    let why = refused(&format!("{words}56,57")).replace('\n', " ");
    says(
        &why,
        &["variable-speeds on ring:100 may take 14,267,403,619,509,731,", "about 9 hours: n + min"],
    );
    says(&why, &["where the identity of the winner, v, is 57", "--event-limit"]);
    assert_eq!(line(&format!("{words}56,57 --event-limit 1000")).code, 1, "on request");
    let why = refused(&format!("{words}70,71 --event-limit 1000")).replace('\n', " ");
    says(&why, &["may take 2^64 ticks or more, which no clock counts", "smaller identities start"]);

    let why = refused(
        "elect time-slice --nodes 4 --schedule rounds --ids list:9000000000000000000,9000000000000000001,\
        9000000000000000002,9000000000000000003",
    );
    says(&why, &["time-slice on ring:4 may take 2^64 ticks or more", "n v + 2 n - 1"]);
}

#[test]
fn an_election_that_nobody_waits_for_is_refused_with_its_length() {
    let words = "elect content-oblivious --nodes 3 --ids list:4000000000000,1,2";
    let why = refused(words).replace('\n', " ");
    says(&why, &["content-oblivious on ring:3 sends 24,000,000,000,009 messages", "666 hours"]);
    says(
        &why,
        &["n (2 max + 3), where the largest identity is 4,000,000,000,000", "--event-limit"],
    );
    // Held on request, it comes as far as it is allowed to.
    assert_eq!(line(&format!("{words} --event-limit 1000")).code, 1);
}

/// The leader has no name, so no process can know it.
#[test]
fn where_the_leader_is_anonymous_all_know_whether_they_lead() {
    for words in ["elect fokkink-pang-a --nodes 5", "cluster fokkink-pang-a --nodes 5"] {
        let said = line(words);
        assert_eq!(said.code, 0, "{}", said.err);
        says(&said.out, &["all know whether they lead, all have halted"]);
    }
    says(&line("elect lelann --nodes 5").out, &["all know the leader, all have halted"]);
}

#[test]
fn the_same_command_says_the_same() {
    for words in [
        "elect humblet --nodes 200 --ports random --schedule uniform:10 --initiators 9",
        "elect --topology erdos-renyi:60:0.1 --schedule random --wake spread:40 --format json",
        "elect afek-gafni --nodes 40 --schedule pareto:1.5 --trials 9 --format json",
    ] {
        let (first, second) = (line(words), line(words));
        assert_eq!((first.code, &first.out), (0, &second.out), "{words}");
        let other = line(&format!("{words} --seed 2"));
        assert_ne!(first.out, other.out, "{words}");
    }
}

#[test]
fn threads_change_nothing() {
    let with = |threads: u32| {
        let said = line(&format!(
            "elect echo-extinction --topology regular:20:3 --schedule uniform:5 --trials 40 \
             --threads {threads} --format json"
        ));
        assert_eq!(said.code, 0);
        said.out
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(7));
}

#[test]
fn trials_are_summarized() {
    let summary = json("elect lelann --nodes 20 --trials 10");
    assert_eq!(summary["trials"], serde_json::json!({"wanted": 10, "finished": 10}));
    assert_eq!(summary["messages"]["min"], 420);
    assert_eq!(summary["messages"]["max"], 420);
    assert_eq!(summary["messages"]["mean"], 420.0);
    assert_eq!(summary["bound"]["ratio"], 1.0);
    assert_eq!(
        (&summary["time_bound"]["units"], &summary["time_bound"]["most"]),
        (&40.into(), &40.into())
    );
    assert_eq!(summary["leaders"]["elected"], 10);
    assert_eq!(summary["failures"], serde_json::json!([]));
    // One trial is the election itself.
    assert_eq!(line("elect lelann --trials 1").out, line("elect lelann").out);
    says(&line("elect lelann --trials 4").out, &["4 trials", "all held in every trial"]);
    let text = line("elect lelann --nodes 20 --trials 4").out;
    says(&text, &["  time bound      at most n + n; nearest: 40 of 40 (1.000)"]);
    assert!(json("elect lelann --trials 4 --capacity 1").get("time_bound").is_none());
}

#[test]
fn a_broken_property_is_named_and_can_be_seen_again() {
    for words in [
        "elect villadangos@published --nodes 6 --schedule random --trials 20",
        "elect humblet --nodes 60 --ports random --fault loss:0.2 --trials 5",
    ] {
        let said = line(&format!("{words} --format json"));
        assert_eq!(said.code, 1, "{words}");
        let summary: Value = serde_json::from_str(&said.out).unwrap();
        for failure in summary["failures"].as_array().unwrap().iter().take(4) {
            let command = failure["replay"].as_str().unwrap();
            let again = command.strip_prefix("suffrage ").unwrap();
            let said = line(&format!("{again} --format json"));
            assert_eq!(said.code, 1, "{again}");
            let report: Value = serde_json::from_str(&said.out).unwrap();
            assert_eq!(report["violations"], failure["violations"], "{again}");
            assert_eq!(report["replay"], failure["replay"]);
        }
    }
}

#[test]
fn without_fifo_humblet_elects_no_leader() {
    let said = line("elect humblet --nodes 1000 --schedule uniform:10 --fault no-fifo");
    assert_eq!(said.code, 1);
    says(
        &said.out,
        &[
            "leader          none",
            "BROKEN: 2 properties",
            "exactly-one-leader at tick",
            "everyone-halted at tick",
            "suffrage elect humblet --topology complete:1000 --schedule uniform:10 --fault no-fifo --seed 1",
        ],
    );
}

#[test]
fn a_faulty_algorithm_runs_with_a_warning() {
    // Under the synchronous schedule with one initiator even the published form is right.
    let said = line("elect villadangos@published --nodes 5 --initiators 1");
    assert_eq!(said.code, 0);
    says(&said.out, &["warning", "kept as a warning: it deadlocks where a candidate"]);
}

#[test]
fn the_choice_is_explained() {
    let report = json("elect --nodes 100");
    assert_eq!(report["algorithm"], "villadangos");
    says(
        report["choice"].as_str().unwrap(),
        &["smallest bound", "exactly 397", "loui-matsushita-west"],
    );
    assert_eq!(json("elect --nodes 100 --ports random")["algorithm"], "humblet");
    assert_eq!(json("elect --topology star:9")["algorithm"], "tree-wave");
    let grid = json("elect --topology grid:4x5");
    assert_eq!(grid["algorithm"], "korach-kutten-moran");
    let choice = "of the 5 that fit it has the smallest bound, at most 452 messages; next is \
                  yo-yo with at most 496";
    assert_eq!(grid["choice"], choice);
    // Of several with the same bound it is the first.
    let alone = json("elect --topology grid:4x5 --initiators 1");
    assert_eq!(alone["algorithm"], "echo-extinction");
    let choice = "of the 5 that fit it has the smallest bound, at most 124 messages; next is \
                  depth-first-extinction with at most 124";
    assert_eq!(alone["choice"], choice);
    // Few initiators on a ring: 2 n + n for two of them, but lelann sends as much and comes first.
    assert_eq!(json("elect --topology ring:64 --initiators 1")["algorithm"], "lelann");
    assert_eq!(json("elect --topology ring:64")["algorithm"], "higham-przytycka");
    assert_eq!(json("elect humblet")["choice"], Value::Null);
}

#[test]
fn every_algorithm_has_a_network_of_every_size() {
    let catalogue: Value = serde_json::from_str(&line("algorithms --format json").out).unwrap();
    for row in catalogue.as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let conditions = match row["timing"].as_str().unwrap() {
            "rounds" => "--schedule rounds --initiators 1",
            // All processes start in the same round.
            "simultaneous rounds" => "--schedule rounds",
            _ => "--schedule synchronous --initiators 1",
        };
        let words = format!("elect {name} {conditions}");
        // A hypercube has a power of two of nodes.
        let third = if row["network"].as_str().unwrap().contains("hypercube") { 4 } else { 3 };
        for nodes in [1, 2, third, 16] {
            let report = json(&format!("{words} --nodes {nodes}"));
            assert_eq!(report["network"]["nodes"], nodes, "{name}");
            assert_eq!(report["agreed"], true, "{name} on {nodes}");
        }
        assert_eq!(json(&words)["network"]["nodes"], 16);
    }
    says(&line("elect").out, &["none was named: --nodes or --topology"]);
}

#[test]
fn initiators_are_who_was_asked_for() {
    let of = |words: &str| json(&format!("elect lelann --nodes 9 --ids ascending {words}"));
    let listed = of("--initiators nodes:8,4,6");
    assert_eq!(listed["leader"]["node"], 4);
    assert_eq!(listed["initiators"]["chosen"], "nodes:8,4,6");
    assert_eq!(listed["initiators"]["count"], 3);
    let drawn = of("--initiators 3 --seed 5");
    assert_eq!(drawn["initiators"]["woken"], 3);
    let late = of("--wake spread:1000 --seed 3");
    assert_eq!(late["initiators"]["count"], 9);
    assert!(late["initiators"]["woken"].as_u64().unwrap() < 9, "most are reached before");
}

#[test]
fn a_broken_assumption_is_said() {
    let words = "elect echo-extinction --topology complete:3 --capacity 1 --schedule random --seed 7073881554183187";
    let said = line(words);
    assert_eq!(said.code, 1);
    says(&said.out, &["everyone-halted", "bounded links: `suffrage algorithms echo-extinction`"]);
    let said = line("elect tree-wave --nodes 9 --fault crash:3@0");
    assert_eq!(said.code, 1);
    says(&said.out, &["fault crash:3@0", "assumes a network without faults"]);
}

#[test]
fn invariants_are_looked_at_on_request() {
    let words = "elect afek-gafni --nodes 12 --ports random --schedule random";
    let said = line(&format!("{words} --invariants"));
    assert_eq!(said.code, 0);
    says(&said.out, &["held in every configuration: disjoint, growing,"]);
    let report = json(&format!("{words} --invariants"));
    assert_eq!(report["invariants"][0], "disjoint");
    assert!(json(words).get("invariants").is_none());
    let trials = json("elect lelann --nodes 6 --schedule newest --trials 5 --invariants");
    assert!(trials["failures"].as_array().is_none_or(Vec::is_empty));
}

#[test]
fn invariants_are_not_claimed_where_something_goes_wrong() {
    let said = refused("elect lelann --nodes 5 --fault loss:0.1 --invariants");
    says(&said, &["--invariants", "leave out --fault loss:0.1"]);
}

#[test]
fn time_is_reported_beside_its_bound_where_the_bound_applies() {
    let ring = line("elect lelann --nodes 100 --schedule uniform:10");
    says(&ring.out, &["  time bound      n + n = at most 200 units; taken: "]);
    let report = json("elect tree-wave --topology path:10 --initiators nodes:0");
    assert_eq!(report["time_bound"]["most"], 28);
    assert_eq!(report["time_bound"]["units"], 18);
    let crashed = line("elect lelann --nodes 10 --fault crash:3@5 --format json");
    assert!(crashed.out.contains("\"bound\"") && !crashed.out.contains("time_bound"));
    assert!(json("elect lelann --nodes 10 --capacity 1").get("time_bound").is_none());
    let explored = line("check lelann --nodes 3 --full");
    says(
        &explored.out,
        &["  time            at most 6 units", "at most n + n; nearest: 6 of 6 (1.000)"],
    );
    let reduced = line("check afek-gafni --nodes 3");
    says(&reduced.out, &["  time            no unit more than the causal depth"]);
}

#[test]
fn rounds_and_levels_are_a_table_and_json() {
    let table = line("elect dolev-klawe-rodeh --nodes 64 --ids bit-reversed --rounds");
    says(&table.out, &["  round  reached  at most  first tick", "half of those that reached"]);
    let report = json("elect humblet --nodes 64 --rounds");
    let stages = report["rounds"]["stages"].as_array().expect("levels");
    assert_eq!(report["rounds"]["stage"], "level");
    for (level, stage) in (1..).zip(stages) {
        assert!(stage["reached"].as_u64() <= Some(64 / level), "{stage}");
        assert!(stage["territory"].as_u64() <= Some(64), "{stage}");
    }
    let many = line("elect afek-gafni --nodes 1000 --rounds");
    says(&many.out, &["in territories", "left out; --format json has all", "at most: n/(l+1)"]);
    let none = refused("elect lelann --nodes 4 --rounds");
    says(&none, &["--rounds: lelann has neither rounds nor levels; these have: humblet"]);
}

#[test]
fn a_worst_schedule_is_searched_for() {
    let cost = |schedule: &str| {
        let report = json(&format!("elect humblet --nodes 7 --schedule {schedule}"));
        assert!(report["violations"].as_array().unwrap().is_empty());
        assert_eq!(report["initiators"]["woken"], 7);
        (report["messages"]["total"].as_u64().unwrap(), report["causal_depth"].as_u64().unwrap())
    };
    let (worst, newest) = (cost("worst"), cost("newest"));
    assert!(worst.0 > newest.0, "{worst:?} {newest:?}");
    assert!(cost("worst:depth").1 >= worst.1);
    let said = line("elect humblet --nodes 5 --schedule worst");
    says(&said.out, &["all start at once", "schedule worst"]);
    let said = refused("elect humblet --nodes 5 --schedule worst --fault loss:0.1");
    says(&said, &["searched without faults", "leave out --fault loss:0.1"]);
    let said = refused("elect humblet --nodes 65 --schedule worst");
    says(&said, &["65 nodes are too many; at most 64 are searched"]);
    says(&refused("elect humblet --nodes 5 --schedule worst:length"), &["worst:depth"]);
}
