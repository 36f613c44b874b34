//! `suffrage algorithms`, `completions` and `man`.

use crate::common::{line, refused, says};
use serde_json::Value;
use suffrage::algorithms::{Algorithm, FORMS, FormKind};
use suffrage::model::NetworkClass;

#[test]
fn the_table_has_all() {
    let table = line("algorithms").out;
    for row in Algorithm::correct() {
        says(&table, &[row.name, row.paper, row.claims.election.formula]);
    }
    assert!(!table.contains('@'), "{table}");
    says(&table, &["--all lists the forms that sources print, too"]);
}

/// Those for the same networks stand together, the one with the smallest bound first.
#[test]
fn the_table_is_grouped_by_network_and_sorted_by_bound() {
    let table = line("algorithms").out;
    let place = |word: &str| table.find(&format!("\n{word} ")).unwrap_or_else(|| panic!("{word}"));
    let order = ["villadangos", "humblet", "all-to-all", "chang-roberts", "lelann", "tree-wave"];
    assert!(order.map(place).is_sorted(), "{table}");
    says(&table, &["\nRings\n", "\nTrees\n", "n = 1,024", "1,047,552"]);
    let rings = line("algorithms --network ring --all").out;
    for row in Algorithm::all() {
        let is_ring = row.network.unoriented() == NetworkClass::Ring;
        assert_eq!(rings.contains(&format!("\n{} ", row.name)), is_ring, "{}", row.name);
    }
    says(&refused("algorithms --network moon"), &["complete, ring, hypercube, tree, graph"]);
    says(&refused("algorithms humblet --network ring"), &["cannot be used with"]);
}

/// Without identities there is nothing to compare.
#[test]
fn anonymous_algorithms_need_no_identities() {
    let all: Value =
        serde_json::from_str(&line("algorithms --anonymous --format json").out).unwrap();
    for row in all.as_array().unwrap() {
        let knows = row["knows"].as_array().unwrap();
        assert!(!knows.contains(&"its identity".into()), "{row}");
    }
}

#[test]
fn the_forms_that_sources_print_are_listed_on_request() {
    let table = line("algorithms --all").out;
    for row in Algorithm::all() {
        says(&table, &[row.name]);
    }
    says(&table, &["villadangos@published (faulty): it deadlocks", "lelann@published (variant)"]);
    let all: Value = serde_json::from_str(&line("algorithms --all --format json").out).unwrap();
    assert_eq!(all.as_array().unwrap().len(), Algorithm::all().count());
    let one: Value =
        serde_json::from_str(&line("algorithms humblet@sleepers --format json").out).unwrap();
    assert_eq!((&one["form"]["of"], &one["form"]["kind"]), (&"humblet".into(), &"faulty".into()));
    says(&refused("algorithms humblet --all"), &["cannot be used with"]);
}

/// A faulty form breaks a property by the command that is given, and a variant none.
#[test]
fn every_form_differs_as_its_command_shows() {
    for row in FORMS {
        let form = row.form.unwrap();
        let words = form.shown_by.strip_prefix("suffrage ").expect("a command of ours");
        let said = line(words);
        let broken = i32::from(form.kind == FormKind::Faulty);
        assert_eq!((said.code, said.err.as_str()), (broken, ""), "{}", form.shown_by);
        let text = line(&format!("algorithms {}", row.name)).out.replace('\n', " ");
        says(&text, &[form.kind.word(), "shown by"]);
    }
}

#[test]
fn one_is_told_in_full() {
    for row in Algorithm::correct() {
        let text = line(&format!("algorithms {}", row.name)).out;
        says(&text, &[row.title(), row.citation(), row.claims.rule.words(), "\nIdea\n"]);
        says(&text, &["\nAssumes\n", "\nCost\n", "\nDeviations\n", "\nInvariants\n"]);
        let source = line(&format!("algorithms {} --source", row.name)).out;
        assert_eq!(source, row.source);
    }
}

#[test]
fn an_algorithm_in_rounds_runs_under_the_schedule_rounds_alone() {
    let held = line("elect flood-max --topology grid:3x3 --schedule rounds --invariants");
    assert_eq!((held.code, held.err.as_str()), (0, ""), "{}", held.out);
    let why = refused("elect flood-max --topology grid:3x3").replace('\n', " ");
    says(&why, &["runs in rounds", "`synchronous`"]);
    let checked = line("check time-slice --nodes 3");
    assert_eq!((checked.code, checked.err.as_str()), (0, ""), "{}", checked.out);
    says(&line("algorithms flood-max").out, &["in rounds", "the diameter of the network"]);
    let table = line("algorithms --rounds").out;
    for row in Algorithm::correct() {
        let in_rounds = row.timing.in_rounds();
        assert_eq!(table.contains(&format!("{} ", row.name)), in_rounds, "{}: {table}", row.name);
    }
    let refused = refused("elect random-referees --nodes 5 --initiators 2 --schedule rounds");
    says(&refused.replace('\n', " "), &["all processes start in the same round"]);
    let checked = line("check random-referees --nodes 2").out;
    says(&checked, &["one leads", "with probability 0.9375"]);
    says(&line("algorithms --network graph --rounds").out, &["flood-max", "any connected, rounds"]);
    says(
        &line("algorithms --network ring --rounds --anonymous").out,
        &["no algorithm is like that"],
    );
}

/// Flood max is judged with the diameter, which it knows.
#[test]
fn a_bound_that_depends_on_the_diameter_is_that_of_the_network() {
    // There are 48 ends of links, and 2 D + 1 = 13 is less than the 16 identities.
    let held = line("elect flood-max --topology grid:4x4 --schedule rounds").out;
    says(&held, &["2 |E| min(n, 2 D + 1) = at most 624"]);
}

#[test]
fn an_algorithm_for_hypercubes_gets_one() {
    let held = line("elect hyper-elect --nodes 64 --invariants");
    assert_eq!((held.code, held.err.as_str()), (0, ""), "{}", held.out);
    says(&held.out, &["hyper-elect on hypercube:6", "6 n - d^2 - 3 d - 6 + n-1 = at most 387"]);
    says(&line("elect --topology hypercube:6").out, &["hyper-elect on hypercube:6"]);
    let power = "hypercubes, which have a power of two of nodes";
    says(&refused("elect hyper-elect --nodes 1000"), &["--nodes 1000", power]);
    says(&refused("check hyper-elect --nodes 5..7 --sample 10"), &["--nodes 5..7", power]);
    says(&refused("check hyper-elect --nodes 3"), &["--nodes 3", power]);
    says(&refused("elect hyper-elect --topology grid:4x4"), &["the algorithm wants a hypercube"]);
    says(&refused("check hyper-elect --all-ports"), &["sense of direction"]);
    let ports = refused("elect hyper-elect --topology hypercube:3 --ports random");
    says(&ports, &["needs a sense of direction"]);
    let sampled = line("check hyper-elect --nodes 5..16 --sample 200");
    assert_eq!((sampled.code, sampled.err.as_str()), (0, ""), "{}", sampled.out);
}

#[test]
fn programs_read_the_same() {
    let all: Value = serde_json::from_str(&line("algorithms --format json").out).unwrap();
    assert_eq!(all.as_array().unwrap().len(), Algorithm::correct().count());
    let one: Value = serde_json::from_str(&line("algorithms humblet --format json").out).unwrap();
    assert_eq!(one["election"], serde_json::json!({"formula": "4 n H_(n/2)", "exact": false}));
    assert_eq!(one["sections"][0]["heading"], "Assumes");
    assert!(one.get("source").is_none());
}

#[test]
fn an_unknown_name_is_refused_with_the_near_ones() {
    says(&refused("algorithms flood-ma"), &["did you mean `flood-max`"]);
    says(&refused("algorithms chang-robert"), &["`chang-robert`", "did you mean `chang-roberts`"]);
    says(&refused("algorithms Villadango"), &["did you mean `villadangos`?"]);
    says(&refused("algorithms villadangos@printed"), &["`villadangos@published`"]);
    says(&refused("elect villadangos-published"), &["is called `villadangos@published`"]);
    says(&refused("algorithms zzz"), &["`suffrage algorithms` lists them all"]);
    says(&refused("algorithms --source"), &["<NAME>"]);
}

#[test]
fn shells_and_pagers_get_theirs() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        says(&line(&format!("completions {shell}")).out, &["suffrage", "largest-component"]);
    }
    says(&line("man").out, &[".TH suffrage 1", "elect"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man1");
    assert_eq!(line(&format!("man --out {}", path.display())).code, 0);
    says(&std::fs::read_to_string(path.join("suffrage-elect.1")).unwrap(), &["schedule"]);
}
