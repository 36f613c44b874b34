//! `suffrage rerun`.

use crate::common::{Said, refusal, says, suffrage_in};
use std::path::Path;

fn run(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, words.split_whitespace())
}

#[test]
fn a_result_is_enough_to_make_it_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.txt"), "a b\nb c\nc d\n").unwrap();
    for words in [
        "elect humblet --nodes 20 --schedule uniform:5 --format json",
        "elect --topology net.txt --ids list:3,1,2,4 --trials 4 --format json",
        "elect villadangos@published --nodes 6 --seeds 1..20 --schedule random --format json",
        "compare --nodes 4,8 --trials 3 --format json",
        "check lelann --nodes 3 --format json",
        "population self-terminating --agents 30 --trials 3 --format json",
    ] {
        let first = run(folder.path(), words);
        std::fs::write(folder.path().join("result.json"), &first.out).unwrap();
        let again = run(folder.path(), "rerun result.json");
        assert_eq!((again.code, &again.out), (first.code, &first.out), "{words}: {}", again.err);
        says(&again.err, &[&format!("suffrage {words}")]);
        let compared = run(folder.path(), "rerun result.json --compare");
        assert_eq!((compared.code, compared.out.as_str()), (0, ""), "{words}");
        std::fs::write(folder.path().join("result.json"), first.out.replacen('7', "8", 1)).unwrap();
        let changed = run(folder.path(), "rerun result.json --compare");
        if first.out.contains('7') {
            assert_eq!(changed.code, 1, "{words}: {}", changed.err);
            says(&changed.err, &[" differs"]);
        }
    }
    let traced = run(folder.path(), "elect lelann --nodes 4 --trace run.jsonl");
    assert_eq!(run(folder.path(), "rerun run.jsonl").out, traced.out);
}

#[test]
fn only_experiments_are_run_again() {
    let folder = tempfile::tempdir().unwrap();
    for (text, why) in [
        ("", "it is empty"),
        ("{", "not JSON"),
        ("{}", "it names no command"),
        ("{\"command\":\"rm -r /\"}", "is no command of suffrage"),
        ("{\"command\":\"suffrage lead -- rm\"}", "is not run again"),
        ("{\"command\":\"suffrage rerun file\"}", "is not run again"),
    ] {
        std::fs::write(folder.path().join("file"), text).unwrap();
        says(&refusal(run(folder.path(), "rerun file"), text), &["file", why]);
    }
}
