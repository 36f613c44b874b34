//! Elections that several workers and hosts hold together: the report of one core, byte for byte.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod memory;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};
use suffrage_net::free;
use tempfile::TempDir;

const ROUNDS: [&str; 3] = ["rounds", "rounds:uniform:7", "rounds:per-link:7"];

fn command(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_suffrage-distributed"));
    command.args(words.split_whitespace());
    command
}

/// The command of one core, which is in the folder of this one, and is built as this one was.
fn suffrage() -> &'static Path {
    static SUFFRAGE: LazyLock<PathBuf> = LazyLock::new(|| {
        let build = ["build", "--quiet", "--locked", "--package", "suffrage-cli"];
        assert!(Command::new(env!("CARGO")).args(build).status().unwrap().success());
        Path::new(env!("CARGO_BIN_EXE_suffrage-distributed")).with_file_name("suffrage")
    });
    &SUFFRAGE
}

/// What `suffrage elect` says.
fn one_core(words: &str) -> (i32, String, String) {
    said(Command::new(suffrage()).arg("elect").args(words.split_whitespace()).output().unwrap())
}

/// The exit code, standard output and standard error.
fn said(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn line(words: &str) -> (i32, String, String) {
    said(command(words).output().unwrap())
}

fn refused(words: &str) -> String {
    let (code, out, err) = line(words);
    assert_eq!((code, out.as_str()), (2, ""), "{words}: {err}");
    err
}

/// Hosts on this machine: a list of addresses, and a secret.
struct Hosts {
    folder: TempDir,
    count: usize,
}

impl Hosts {
    fn new(count: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let free = free::addresses(count).unwrap();
        let list: String = free.iter().map(|address| format!("{address}\n")).collect();
        std::fs::write(folder.path().join("hosts"), list).unwrap();
        std::fs::write(folder.path().join("secret"), "only for these tests\n").unwrap();
        Self { folder, count }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn start(&self, words: &str, host: usize) -> Child {
        let mut command = command(words);
        command.arg("--hosts").arg(self.path("hosts")).arg("--secret").arg(self.path("secret"));
        command.args(["--process", &host.to_string(), "--force"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a line on all hosts.
    fn run(&self, words: &str) -> Vec<(i32, String, String)> {
        let all: Vec<_> = (0..self.count).map(|host| self.start(words, host)).collect();
        all.into_iter().map(|child| said(child.wait_with_output().unwrap())).collect()
    }
}

#[test]
fn workers_report_what_one_core_reports() {
    for (election, format) in [
        ("chang-roberts --nodes 300", "text"),
        ("humblet --nodes 200 --ports random --initiators 40 --wake spread:9", "json"),
        ("echo-extinction --topology barabasi-albert:500:3 --ids descending", "text"),
        ("fokkink-pang-a --nodes 40", "json"),
    ] {
        for schedule in ROUNDS {
            let words = format!("{election} --schedule {schedule} --format {format}");
            let one = one_core(&words);
            assert_eq!((one.0, one.2.as_str()), (0, ""), "{words}");
            for workers in [1, 2, 3] {
                assert_eq!(line(&format!("{words} --workers {workers} --force")), one, "{words}");
            }
        }
    }
}

/// Alarms ring in the order of one core, too.
#[test]
fn algorithms_in_rounds_are_divided_as_any_other() {
    for election in [
        "flood-max --topology torus:6x7",
        "least-element-lists --topology barabasi-albert:90:2",
        "afek-gafni-a --nodes 60",
        "random-referees --nodes 60",
        "time-slice --nodes 40",
        "variable-speeds --nodes 12",
    ] {
        let words = format!("{election} --schedule rounds --format json");
        let one = one_core(&words);
        assert_eq!((one.0, one.2.as_str()), (0, ""), "{words}");
        for workers in [1, 3] {
            assert_eq!(line(&format!("{words} --workers {workers} --force")), one, "{words}");
        }
    }
    let stored = TempDir::new().unwrap();
    let words = "time-slice --nodes 40 --schedule rounds";
    let keep = format!("--checkpoint {} --every 5 --force", stored.path().display());
    let one = one_core(words);
    assert_eq!(line(&format!("{words} {keep} --workers 2")), one);
    let resume = format!("--resume {} --workers 3 --force", stored.path().display());
    assert_eq!(line(&format!("{words} {resume}")), one);
}

#[test]
fn a_faulty_form_is_found_faulty_with_the_same_words() {
    for form in ["villadangos@published", "afek-gafni@published", "dolev-klawe-rodeh@published"] {
        let words = format!("{form} --nodes 8 --schedule rounds --seed 3");
        let one = line(&words);
        assert_eq!(one.0, 1, "{words}");
        assert_eq!(line(&format!("{words} --workers 3 --force")), one);
    }
}

#[test]
fn hosts_report_what_one_core_reports() {
    let words = "echo-extinction --topology barabasi-albert:500:3 --schedule rounds:uniform:5";
    let one = one_core(words);
    for (count, workers) in [(2, 1), (3, 1), (2, 2)] {
        let hosts = Hosts::new(count);
        let mut all = hosts.run(&format!("{words} --workers {workers}")).into_iter();
        assert_eq!(all.next(), Some(one.clone()));
        assert!(all.all(|said| said == (0, String::new(), String::new())), "only host 0 reports");
    }
}

#[test]
fn a_host_that_is_killed_ends_the_election_on_all() {
    let hosts = Hosts::new(3);
    let words = "lelann --nodes 30000 --schedule rounds";
    let [here, mut killed, there] = [0, 1, 2].map(|host| hosts.start(words, host));
    sleep(Duration::from_secs(3));
    killed.kill().unwrap();
    killed.wait().unwrap();
    for host in [here, there] {
        without_host_1(host);
    }
}

/// Waits for the end of a host that has lost host 1. Returns what it says of that.
fn without_host_1(host: Child) -> String {
    let (code, out, err) = said(host.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with("error: host 1 (127.0.0.1:"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    err
}

#[test]
fn networks_and_identities_without_a_table_give_the_report_of_one_core() {
    for election in [
        "echo-extinction --topology torus:20x30 --ids scattered",
        "gallager-humblet-spira --topology hypercube:7 --ids scattered --ports random",
        "tree-wave --topology tree:3:500 --ids descending --initiators 9 --wake spread:20",
        "tree-wave --topology star:80 --initiators nodes:0,7,31",
    ] {
        for schedule in ROUNDS {
            let words = format!("{election} --schedule {schedule} --format json");
            let one = one_core(&words);
            assert_eq!((one.0, one.2.as_str()), (0, ""), "{words}");
            assert_eq!(line(&format!("{words} --workers 3 --force")), one, "{words}");
        }
    }
    let hosts = Hosts::new(2);
    let words = "echo-extinction --topology grid:20x20 --ids scattered --schedule rounds";
    assert_eq!(hosts.run(words)[0], one_core(words));
}

/// Returns the text of an edge list of this many nodes, in which the names of neighbours are not near to each
/// other, with weights, loops, parallel links and comments.
fn grown(nodes: u32) -> String {
    let mut text = String::from("Source Target\n# a network that grew\n");
    let name = |node: u32| format!("v{}", u64::from(node) * 7919 % 100_003);
    for node in 1..nodes {
        let (one, other) = (node / 2, node * node % 65_521 % node);
        text += &format!(
            "{} {}\r\n{} {} {}\n",
            name(node),
            name(one),
            name(other),
            name(node),
            node % 3
        );
        if node % 50 == 0 {
            text += &format!("# so far\n\n{} {}\n", name(one), name(one));
        }
    }
    text.trim_end().to_owned()
}

/// What lets a list have links from a node to itself, and further columns.
const TOLD: &str = "--topology-format edge-list";

#[test]
fn edge_lists_that_are_read_in_parts_give_the_report_of_one_core() {
    let hosts = Hosts::new(2);
    let file = |name: &str, text: &str| {
        std::fs::write(hosts.path(name), text).unwrap();
        hosts.path(name).display().to_string()
    };
    let cities = file("cities", "Praha Brno 3\nBrno Praha\nBrno Brno\nPraha Plzeň\nBrno Olomouc");
    let tree = file("tree.csv", "from,to\n\"New York, NY\",Boston\nBoston,Wien\r\nBoston,9\n");
    let grown = file("grown", &grown(900));
    for election in [
        &*format!("echo-extinction --topology {cities} {TOLD} --initiators nodes:Plzeň,Brno"),
        &*format!("yo-yo --topology {grown} {TOLD} --ports random --ids scattered"),
        &*format!(
            "gallager-humblet-spira --topology {grown} {TOLD} --initiators 9 --wake spread:20"
        ),
        &*format!("tree-wave --topology {tree} --ids descending"),
        &*format!("echo-extinction --topology {grown} {TOLD} --initiators nodes:v0"),
    ] {
        for schedule in ROUNDS {
            let words = format!("{election} --schedule {schedule} --format json");
            let one = one_core(&words);
            assert_eq!((one.0, one.2.as_str()), (0, ""), "{words}");
            for workers in [1, 2, 3] {
                assert_eq!(line(&format!("{words} --workers {workers} --force")), one, "{words}");
            }
        }
        let words = format!("{election} --schedule rounds");
        assert_eq!(hosts.run(&words)[0], one_core(&words));
    }
    let words = format!("yo-yo --topology {grown} {TOLD} --schedule rounds --seed 4");
    let stored = hosts.path("stored").display().to_string();
    let plain = one_core(&words);
    let save = format!("{words} --checkpoint {stored} --every 4 --force --workers 2");
    assert_eq!(line(&save), plain);
    assert_eq!(line(&format!("{words} --resume {stored} --force --workers 3")), plain);
}

#[test]
fn edge_lists_that_are_read_in_parts_are_refused_as_one_core_refuses_them() {
    let hosts = Hosts::new(2);
    for (name, text) in [
        ("apart", "a b\nb c\nd e\nf g\ng h\n"),
        ("wide", "a b\nb c\n# x\nc d e f g h\nd e\n"),
        ("quote.csv", "a,b\nb,c\nc,d\nd,\"e\ne,f\n"),
        ("doubt", "3 2\n2 1\n1 3\n"),
        ("nothing.txt", "# nothing\n"),
    ] {
        std::fs::write(hosts.path(name), text).unwrap();
        let file = hosts.path(name).display().to_string();
        let words = format!("echo-extinction --topology {file} --schedule rounds");
        let one = one_core(&words);
        assert_eq!((one.0, one.1.as_str()), (2, ""), "{words}: {}", one.2);
        let one = one.2;
        for workers in [1, 2, 3] {
            assert_eq!(refused(&format!("{words} --workers {workers} --force")), one);
        }
        for (code, out, err) in hosts.run(&words) {
            assert_eq!((code, out.as_str(), err.as_str()), (2, "", one.as_str()));
        }
    }
    let file = hosts.path("ring").display().to_string();
    std::fs::write(&file, "a b\nb c\nc a\n").unwrap();
    let error = refused(&format!("tree-wave --topology {file} --schedule rounds --workers 2"));
    assert!(error.contains("the algorithm wants a tree: it has 3 links"), "{error}");
    let list = "nodes:a,x";
    let words = format!("echo-extinction --topology {file} --schedule rounds --initiators {list}");
    assert_eq!(refused(&format!("{words} --workers 2 --force")), one_core(&words).2);
}

#[test]
fn a_host_that_is_killed_after_it_has_read_its_part_ends_the_election_on_all() {
    let hosts = Hosts::new(3);
    let file = hosts.path("grown");
    std::fs::write(&file, grown(900)).unwrap();
    // What it would go on from never comes: it waits after it has read, and before it meets the others again.
    let (ready, never) = (hosts.path("ready"), hosts.path("never"));
    std::fs::create_dir(&never).unwrap();
    let pipe = Command::new("mkfifo").arg(never.join("checkpoint.json")).status().unwrap();
    assert!(pipe.success());
    let words = format!("yo-yo --topology {} {TOLD} --schedule rounds --wait 10", file.display());
    let waits = format!("--checkpoint {} --every 9 --resume {}", ready.display(), never.display());
    let here = hosts.start(&words, 0);
    let mut killed = hosts.start(&format!("{words} {waits}"), 1);
    let there = hosts.start(&words, 2);
    comes(&ready);
    killed.kill().unwrap();
    killed.wait().unwrap();
    for err in [here, there].map(without_host_1) {
        assert!(err.contains("has not come back") && err.contains("void on all hosts"), "{err}");
    }
}

/// Waits for a file.
fn comes(file: &Path) {
    let since = Instant::now();
    while !file.exists() {
        assert!(since.elapsed() < Duration::from_secs(60), "{}", file.display());
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_election_whose_host_was_killed_goes_on_from_its_checkpoint() {
    for election in [
        "lelann --nodes 700 --schedule rounds",
        "lelann --nodes 500 --schedule rounds:uniform:9 --wake spread:40 --format json",
        "fokkink-pang-a --nodes 2000 --schedule rounds:per-link:9 --format json",
    ] {
        let words = election.to_string();
        let one = one_core(&words);
        let hosts = Hosts::new(2);
        let stored = hosts.path("stored");
        let every = format!("{words} --checkpoint {} --every 60", stored.display());
        let [here, mut killed] = [0, 1].map(|host| hosts.start(&every, host));
        comes(&stored.join("checkpoint.json"));
        killed.kill().unwrap();
        killed.wait().unwrap();
        let (code, out, err) = said(here.wait_with_output().unwrap());
        assert_eq!((code, out.as_str()), (1, ""), "{election}: it was in the middle; {err}");
        let resume = format!("{words} --force --resume {}", stored.display());
        for workers in [1, 3, 4] {
            assert_eq!(line(&format!("{resume} --workers {workers}")), one, "{election} {workers}");
        }
        // And again, storing and killing on the way.
        assert_eq!(Hosts::new(2).run(&format!("{every} --resume {}", stored.display()))[0], one);
    }
}

#[test]
fn what_is_no_checkpoint_of_the_election_is_refused() {
    let hosts = Hosts::new(2);
    let stored = hosts.path("stored");
    let words = "lelann --nodes 90 --schedule rounds --force --workers 2";
    let resume = |words: &str| refused(&format!("{words} --resume {}", stored.display()));
    assert!(resume(words).contains("has no checkpoint"));
    let plain = one_core("lelann --nodes 90 --schedule rounds");
    let save = format!("{words} --checkpoint {} --every 20", stored.display());
    assert_eq!(line(&save), plain, "an election that is stored is as any other");
    assert_eq!(line(&format!("{words} --resume {}", stored.display())), plain);
    assert!(resume(&format!("{words} --seed 2")).contains("--seed differs: `1` there, `2` here"));
    let part = std::fs::read_dir(&stored).unwrap().map(|file| file.unwrap().path());
    let part = part.into_iter().find(|path| path.extension().is_some_and(|end| end == "part"));
    let part = part.expect("a part");
    let whole = std::fs::read(&part).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    std::fs::write(&part, flipped).unwrap();
    assert!(resume(words).contains("is damaged"));
    std::fs::write(&part, &whole).unwrap();
    let list = stored.join("checkpoint.json");
    let written = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, written.replace("delivered", "deliverec")).unwrap();
    assert!(resume(words).contains("checkpoint.json is damaged"));
    std::fs::write(&list, written).unwrap();
    std::fs::write(&part, &whole[1..]).unwrap();
    assert!(resume(words).contains("is damaged"));
    std::fs::remove_file(&part).unwrap();
    assert!(resume(words).contains("copy the files of all hosts into one directory"));
    let error = refused(&format!("{words} --checkpoint {}", stored.display()));
    assert!(error.contains("--every"), "{error}");
}

#[test]
fn hosts_with_other_arguments_or_another_input_are_refused_by_name() {
    let hosts = Hosts::new(2);
    let network = |name: &str, text: &str| {
        std::fs::write(hosts.path(name), text).unwrap();
        hosts.path(name).display().to_string()
    };
    let (one, other) = (network("one", "a b\nb c\nc d\n"), network("other", "a b\nb c\na d\n"));
    for (here, there, what) in [
        ("--nodes 20 --seed 1", "--nodes 20 --seed 2", "--seed differs"),
        ("--nodes 20", "--nodes 30", "the number of nodes differs"),
        (&*format!("--topology {one}"), &*format!("--topology {other}"), "the file differs"),
    ] {
        let words = |rest| format!("echo-extinction --schedule rounds {rest}");
        let children = [hosts.start(&words(here), 0), hosts.start(&words(there), 1)];
        for (host, child) in children.into_iter().enumerate() {
            let (code, out, err) = said(child.wait_with_output().unwrap());
            assert_eq!((code, out.as_str()), (2, ""), "{err}");
            assert!(err.contains(&format!("host {}", 1 - host)) && err.contains(what), "{err}");
        }
    }
}

#[test]
fn a_host_that_does_not_come_is_named() {
    let hosts = Hosts::new(2);
    let child = hosts.start("lelann --nodes 20 --schedule rounds --wait 1", 0);
    let (code, out, err) = said(child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("host 1 (127.0.0.1:") && err.contains("within 1 second"), "{err}");
}

#[test]
fn what_one_worker_alone_can_do_is_refused() {
    let hosts = Hosts::new(1);
    let file = hosts.path("grown").display().to_string();
    std::fs::write(&file, grown(900)).unwrap();
    for (few, tried) in [
        ("chang-roberts --nodes 1000000", "ring:2000"),
        ("chang-roberts --nodes 1000000 --initiators 5000", "ring:2000"),
        ("chang-roberts --nodes 1000000 --initiators nodes:500000", "ring:2000"),
        // Some node of the file has a name of its own, and the network that is tried as many links.
        (
            &*format!("yo-yo --topology {file} {TOLD} --initiators nodes:v0"),
            "barabasi-albert:900:2",
        ),
    ] {
        let error = refused(&format!("{few} --schedule rounds --workers 2"));
        assert!(error.contains("use `suffrage elect`, or --force"), "{error}");
        assert!(error.contains(&format!("elections on networks up to {tried})")), "{error}");
    }
    let error = refused("lelann --nodes 20 --workers 2");
    assert!(error.contains("schedule `synchronous`") && error.contains("choose rounds"), "{error}");
    let rounds = "lelann --nodes 20 --schedule rounds --workers 2";
    for flag in ["--draw", "--rounds", "--trials 3", "--trace x", "--draw-network x"] {
        let error = refused(&format!("{rounds} {flag}"));
        assert!(error.contains("unexpected argument '--"), "{error}");
    }
    assert!(refused(&format!("{rounds} --invariants")).contains("only `suffrage elect` checks"));
    assert!(refused(&format!("{rounds} --capacity 1")).contains("bounded"));
    assert!(refused(&format!("{rounds} --fault crash:3@2")).contains("crash:3@2"));
    assert!(!Path::new("x").exists());
}

/// It need not be insisted on where it pays.
#[test]
fn an_election_with_much_to_do_in_a_tick_is_held_without_force() {
    let words = "echo-extinction --topology barabasi-albert:3000:3 --schedule rounds";
    let one = one_core(words);
    assert_eq!((one.0, one.2.as_str()), (0, ""));
    assert_eq!(line(&format!("{words} --workers 2")), one);
}

#[test]
fn lists_and_secrets_are_read_before_anything_begins() {
    let hosts = Hosts::new(2);
    let with = |list: &str, secret: &str, process: &str| {
        std::fs::write(hosts.path("list"), list).unwrap();
        std::fs::write(hosts.path("word"), secret).unwrap();
        let (list, word) = (hosts.path("list"), hosts.path("word"));
        let (list, word) = (list.display(), word.display());
        refused(&format!(
            "lelann --nodes 20 --schedule rounds --force --hosts {list} --secret {word} \
             --process {process}"
        ))
    };
    let good = "0123456789abcdef";
    assert!(with("a:1\nb\n", good, "0").contains("line 2: `b`: write the address"));
    assert!(with("a:1\n", good, "1").contains("there is no host 1"));
    assert!(with("a:1\n", "short", "0").contains("can be guessed"));
}
