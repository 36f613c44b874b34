//! `suffrage grade`: solutions have all points, and what is wrong has the points and the reasons of a golden table.

use crate::common::{Said, line, refusal, refused, suffrage};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

const COURSE: &str = "../../docs/learn/course";
const ASSIGNMENTS: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];

/// Whether there is a Python; a message if not.
fn python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no python3, and no submission can be graded");
    }
    there
}

fn graded(path: &Path, assignment: &str, further: &[&str]) -> Said {
    let path = path.display().to_string();
    let words = ["grade", &path, "--assignment", assignment];
    suffrage(words.into_iter().chain(further.iter().copied()))
}

/// A table of grades, without the folder before the names. What a reaction drew at random is left out, what a compiler says,
/// and which limit was reached first: on a busy machine, a program waits too long before it has used its processor time.
fn rows(said: &Said) -> String {
    let head = said.out.lines().next().unwrap_or_default();
    let mut rows = format!("{head}\n");
    for row in said.out.lines().skip(1) {
        let (path, rest) = row.split_once(',').unwrap();
        let name = path.rsplit('/').next().unwrap().trim_end_matches(".py");
        let (points, fault) = match (rest.find("had two results"), rest.find("it does not compile"))
        {
            (Some(at), _) => (rest.split('"').next().unwrap(), &rest[at..]),
            (_, Some(at)) => (&rest[..rest.find(",100,").unwrap() + 5], &rest[at..at + 19]),
            _ => (rest, ""),
        };
        let limits = ["limit of processor time", "did not answer", "it was asked for"];
        let is_limit = limits.iter().any(|limit| points.contains(limit));
        let points = if is_limit {
            points[..points.find(",100,").unwrap() + 5].to_owned() + "a limit"
        } else {
            points.to_owned()
        };
        rows += &format!("{name},{points}{fault}\n");
    }
    rows
}

fn golden(file: &Path, now: &str) {
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, now).unwrap();
    }
    let before = fs::read_to_string(file).unwrap_or_default();
    assert_eq!(now, before, "UPDATE_GOLDEN=1 writes {}", file.display());
}

#[test]
fn a_solution_has_all_points() {
    if !python() {
        return;
    }
    for number in ASSIGNMENTS {
        let graded = ["py", "rs"].map(|language| {
            let file = folder(COURSE).join(format!("solutions/assignment-{number}.{language}"));
            let said = graded(&file, number, &[]);
            assert!(said.out.contains("points          100 of 100"), "{}", said.out);
            assert_eq!((said.code, &*said.err), (0, ""));
            said.out.split_once('\n').unwrap().1.to_owned()
        });
        // They are one algorithm. Members keep their votes in another form.
        if number != "8" {
            assert_eq!(graded[0], graded[1]);
        }
    }
}

#[test]
fn a_folder_has_submissions_in_both_languages() {
    if !python() {
        return;
    }
    let class = tempfile::tempdir().unwrap();
    let solution = folder(COURSE).join("solutions/assignment-4");
    for (name, language) in [
        ("ada/election.py", "py"),
        ("bo/election.rs", "rs"),
        ("cy/election.py", "py"),
        ("cy/election.rs", "rs"),
        ("dan.rs", "rs"),
        ("eve.py", "py"),
        ("read.me", "py"),
    ] {
        let file = class.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(solution.with_extension(language), file).unwrap();
    }
    let said = graded(class.path(), "4", &["--format", "csv", "--criterion", "safety"]);
    let table = said.out.replace(&format!("{}/", class.path().display()), "");
    assert_eq!((said.code, &*said.err), (0, ""));
    let names = ["ada", "bo", "cy/election.py", "cy/election.rs", "dan.rs", "eve.py"];
    let rows: String = names.iter().map(|name| format!("{name},40,40,40,\n")).collect();
    assert_eq!(table, format!("submission,safety,points,of,fault\n{rows}"));
    assert_eq!(graded(&class.path().join("cy"), "4", &["--format", "csv"]).out.lines().count(), 3);
}

#[test]
fn a_process_is_told_what_its_assignment_says() {
    if !python() {
        return;
    }
    let said = graded(&folder(COURSE).join("solutions/assignment-1.py"), "2", &[]);
    let why = "__init__ asks for `id`: a process of this assignment is told size";
    assert!(said.code == 1 && said.out.contains(why), "{}", said.out);
    let said = graded(&folder(COURSE).join("solutions/assignment-1.rs"), "2", &[]);
    let why = "new asks for `id`: a process of this assignment is told size";
    assert!(said.code == 1 && said.out.contains(why), "{}", said.out);
}

#[test]
fn a_starter_has_no_points_for_safety() {
    if !python() {
        return;
    }
    for number in ASSIGNMENTS {
        let (criteria, of): (&[_], _) = match number {
            // With its two leaders it makes progress.
            "8" => (&["--criterion", "exclusive", "--criterion", "fencing"], 80),
            _ => (&[], 100),
        };
        for language in ["py", "rs"] {
            let starter = folder(COURSE).join(format!("starters/assignment-{number}.{language}"));
            let said = graded(&starter, number, criteria);
            assert!(said.out.contains(&format!("points          0 of {of}")), "{}", said.out);
            assert_eq!(said.code, 1);
        }
    }
}

#[test]
fn questions_lose_the_points_that_the_answers_say() {
    if !python() {
        return;
    }
    let (mut all, mut head) = (String::new(), String::new());
    for number in ASSIGNMENTS {
        for letter in ["a", "b", "c"] {
            let file = folder(COURSE).join(format!("questions/{number}{letter}.py"));
            let table = rows(&graded(&file, number, &["--format", "csv"]));
            let (columns, row) = table.split_once('\n').unwrap();
            if head != columns {
                head = columns.to_owned();
                all += &format!("{head}\n");
            }
            all += row;
        }
    }
    golden(&folder(COURSE).join("solutions/questions.csv"), &all);
}

#[test]
fn what_misbehaves_has_a_verdict_and_harms_nothing() {
    if !python() {
        return;
    }
    let limits = ["--format", "csv", "--seconds", "2", "--megabytes", "256"];
    let said = graded(&folder("tests/submissions"), "1", &limits);
    assert_eq!((said.code, &*said.err), (1, ""));
    golden(&folder("tests/submissions.csv"), &rows(&said));
    assert!(fs::metadata("/tmp/suffrage-grade-writes").map_or(0, |file| file.len()) == 0);
}

/// Lines of the solution of assignment 7, and what stands there in a submission that is wrong.
const WRONG_ROUNDS: [(&str, &str, &str); 7] = [
    (
        "counts-early-messages-again",
        "self.missing, self.early = self.degree - self.early, 0",
        "self.missing = self.degree - self.early",
    ),
    (
        "halts-with-its-last-messages",
        "while self.missing == 0 and not self.halted:",
        "while (self.missing == 0 or self.round == self.rounds) and not self.halted:",
    ),
    ("runs-two-rounds", "self.rounds = size - 1", "self.rounds = 2"),
    ("runs-two-rounds-at-most", "self.rounds = size - 1", "self.rounds = min(size - 1, 2)"),
    ("sends-a-round-more", "self.rounds = size - 1", "self.rounds = size"),
    (
        "takes-the-smallest",
        "self.largest = max(self.largest, id)",
        "self.largest = min(self.largest, id)",
    ),
    (
        "waits-for-one-neighbour",
        "self.missing, self.early = self.degree - self.early, 0",
        "self.missing, self.early = min(self.degree, 1) - min(self.early, 1), 0",
    ),
];

/// The same of assignment 8.
const WRONG_LEASES: [(&str, &str, &str); 11] = [
    (
        "answers-votes-by-votes",
        "kind, term = message",
        "kind, term = message\n        if kind == \"vote\":\n            return net.send(sender, (kind, term + 1))",
    ),
    (
        "counts-votes-for-an-older-term",
        "            if term == self.asks:\n",
        "            if self.asks:\n",
    ),
    ("does-not-ask-again", "            net.set_alarm(\"campaign\", 1 + OWED * self.id)\n", ""),
    ("does-not-vote-for-itself", "        self.count(self.id)\n", ""),
    ("has-half-of-the-votes", "> self.size // 2", ">= self.size // 2"),
    ("ignores-the-rates-of-clocks", "OWED = 11", "OWED = 9"),
    (
        "leads-on-with-its-next-lease",
        "self.asks = self.term = self.until = None",
        "self.asks = None",
    ),
    ("raises", "elif term > self.voted", "elif term > self.votes"),
    (
        "sends-its-vote-before-it-is-written",
        "            self.vote(net, term)\n            net.send(sender, (\"vote\", term))",
        "            net.send(sender, (\"vote\", term))\n            self.vote(net, term)",
    ),
    ("waits-as-long-as-all", "1 + OWED * self.id", "1"),
    ("writes-nothing", "        net.write(term)\n", ""),
];

/// Grades a solution with one change at a time.
fn changed(number: &str, changes: &[(&str, &str, &str)]) {
    if !python() {
        return;
    }
    let solution = folder(COURSE).join(format!("solutions/assignment-{number}.py"));
    let solution = fs::read_to_string(solution).unwrap();
    let submissions = tempfile::tempdir().unwrap();
    for (name, right, wrong) in changes {
        assert_eq!(solution.matches(right).count(), 1, "{name}");
        let file = submissions.path().join(format!("{name}.py"));
        fs::write(file, solution.replace(right, wrong)).unwrap();
    }
    let said = graded(submissions.path(), number, &["--format", "csv"]);
    assert_eq!((said.code, &*said.err), (1, ""));
    golden(&folder(&format!("tests/submissions-{number}.csv")), &rows(&said));
}

#[test]
fn a_wrong_round_loses_the_points_that_it_breaks() {
    changed("7", &WRONG_ROUNDS);
}

#[test]
#[ignore = "takes a minute; part of `.ci/evidence`"]
fn a_wrong_lease_loses_the_points_that_it_breaks() {
    changed("8", &WRONG_LEASES);
}

#[test]
fn two_leaders_come_with_the_steps_that_make_them() {
    if !python() {
        return;
    }
    let starter = folder(COURSE).join("starters/assignment-8.py");
    let said = graded(&starter, "8", &["--criterion", "exclusive"]);
    let steps = "exclusive       0 of 40   1 holds the office at term 1 while 0 holds it at term 1
    with          2 members; 2 steps:

    participant 0's alarm silence rings
    participant 1's alarm silence rings
";
    assert!(said.out.contains(steps), "{}", said.out);
    assert!(said.out.contains("points          0 of 40"), "{}", said.out);
}

#[test]
fn an_exception_comes_with_the_schedule_that_raises_it() {
    if !python() {
        return;
    }
    let said = graded(&folder("tests/submissions/raises.py"), "1", &[]);
    for part in [
        "safety          0 of 40   possible-messages:",
        "line 17: KeyError: 2",
        "with          2 processes, ids",
        "gets token(2) of step",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
}

#[test]
fn what_does_not_compile_comes_with_the_first_error() {
    let said = graded(&folder("tests/submissions/does-not-compile.rs"), "1", &[]);
    let why =
        "line 31: it does not compile: mismatched types: expected `Token`, found `Id` (E0308)";
    assert!(said.code == 1 && said.out.contains(why), "{}", said.out);
    let said = graded(&folder("tests/submissions/shares-unsafely.rs"), "1", &[]);
    assert!(said.out.contains("(unsafe_code)"), "{}", said.out);
}

#[test]
fn a_panic_comes_with_the_line_that_panics() {
    let said = graded(&folder("tests/submissions/overflows.rs"), "1", &[]);
    let why = "its reaction fails: line 32: it panicked: attempt to subtract with overflow";
    assert!(said.out.contains(why), "{}", said.out);
}

#[test]
fn without_a_compiler_nothing_in_rust_is_graded() {
    let file = folder(COURSE).join("solutions/assignment-1.rs").display().to_string();
    let output = assert_cmd::Command::cargo_bin("suffrage")
        .unwrap()
        .args(["grade", &file, "--assignment", "1"])
        .env("PATH", tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    assert_eq!(
        refusal(output.into(), "grade"),
        "error: there is no rustc on the PATH, which compiles submissions in Rust: rustup.rs has it\n"
    );
}

#[test]
fn a_page_plays_what_loses_points() {
    if !python() {
        return;
    }
    let folder_of_page = tempfile::tempdir().unwrap();
    let page = folder_of_page.path().join("lost.html");
    let file = folder(COURSE).join("questions/1c.py");
    let said = graded(&file, "1", &["--page", page.to_str().unwrap()]);
    assert_eq!(said.code, 1);
    assert!(fs::read_to_string(page).unwrap().contains("exactly-one-leader"));
}

#[test]
fn a_page_plays_members_that_crash() {
    if !python() {
        return;
    }
    let folder_of_page = tempfile::tempdir().unwrap();
    let page = folder_of_page.path().join("lost.html");
    let file = folder(COURSE).join("questions/8b.py");
    let said = graded(&file, "8", &["--page", page.to_str().unwrap()]);
    assert_eq!(said.code, 1);
    let html = fs::read_to_string(page).unwrap();
    let (_, content) = html.split_once("id=\"run\">").unwrap();
    let content = content.split_once("</script>").unwrap().0;
    let content: serde_json::Value = serde_json::from_str(content).unwrap();
    let (run, about) = (&content["run"], &content["about"]);
    let breach = ["one", "2 holds the office at term 5 while 0 holds it at term 3"];
    assert_eq!(about["broken"], serde_json::json!([breach]));
    assert_eq!((&run["clock"], &run["heads"]), (&"step".into(), &vec!["member"; 3].into()));
    assert_eq!(run["kinds"], serde_json::json!(["ask", "vote"]));
    let words: Vec<_> = (run["events"].as_array().unwrap().iter())
        .map(|event| format!("{} {}", event[0], event[4].as_str().unwrap()))
        .collect();
    assert_eq!(words.join("\n"), PLAYED);
    // What a member that has crashed keeps is its record.
    let crashed = run["events"][6][6].as_u64().unwrap() as usize;
    assert_eq!(run["states"][crashed], "Member { record: 3 }");
}

const PLAYED: &str = "\
1.0 p0 starts for the first time
1.0 p1 starts for the first time
1.0 p2 starts for the first time
2.0 campaign of p0 rings · sends ask(3) to all
3.0 p1 gets ask(3) of step 2 · sends vote(3) to p0
4.0 p0 gets vote(3) of step 3 · holds office 0 at term 3
5.0 p1 crashes
6.0 campaign of p2 rings · sends ask(5) to all
7.0 p1 starts with its record
8.0 p1 gets ask(5) of step 6 · sends vote(5) to p2
9.0 p2 gets vote(5) of step 8 · holds office 0 at term 5";

#[test]
fn an_autograder_gets_its_json() {
    if !python() {
        return;
    }
    let file = folder(COURSE).join("questions/1b.py");
    let said = graded(&file, "1", &["--format", "gradescope"]);
    let results: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(results["score"], 70);
    assert_eq!(results["tests"][1]["name"], "termination");
    assert_eq!(results["tests"][1]["max_score"], 30);
    assert!(results["tests"][1]["output"].as_str().unwrap().contains("silent-ending"));
}

#[test]
fn a_criterion_has_points_of_its_own() {
    if !python() {
        return;
    }
    let file = folder(COURSE).join("questions/1b.py");
    let said = graded(&file, "1", &["--criterion", "safety", "--criterion", "messages"]);
    assert!(said.code == 0 && said.out.contains("points          55 of 55"), "{}", said.out);
    let said = graded(&file, "1", &["--criterion", "termination", "--format", "csv"]);
    assert!(said.out.starts_with("submission,termination,points,of,fault\n"), "{}", said.out);
    assert_eq!(said.code, 1);
}

#[test]
fn what_cannot_be_graded_is_refused() {
    let file = folder(COURSE).join("questions/1b.py").display().to_string();
    assert!(refused("grade nowhere.py --assignment 1").contains("nowhere.py: No such file"));
    let number = refused(&format!("grade {file} --assignment 9"));
    assert!(number.contains("there are the assignments 1, one way around a ring"), "{number}");
    let criterion = refused(&format!("grade {file} --assignment 1 --criterion speed"));
    assert!(criterion.contains("there are the criteria safety, termination, winner, messages"));
    let chance = refused(&format!("grade {file} --assignment 2 --criterion winner"));
    let gives = "--criterion winner: assignment 2 gives points for safety, termination, messages";
    assert!(chance.contains(gives), "{chance}");
    let python = refused(&format!("grade {file} --assignment 1 --python no-such-python"));
    assert!(
        python.contains("cannot run no-such-python") && python.contains("--python"),
        "{python}"
    );
    let several = refused(&format!("grade {file} {file} --assignment 1 --format gradescope"));
    assert!(several.contains("--format gradescope: it is for one submission, and here are 2"));
    let empty = tempfile::tempdir().unwrap();
    let empty = line(&format!("grade {} --assignment 1", empty.path().display()));
    assert!(
        empty.code == 2 && empty.err.contains("this folder has no submission"),
        "{}",
        empty.err
    );
}
