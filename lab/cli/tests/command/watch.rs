//! `suffrage watch`.

use crate::common::{Said, says, suffrage_in};
use std::fs;
use std::path::Path;

fn run(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, words.split_whitespace())
}

/// The page that a command writes, which must end with this code.
fn page(folder: &Path, words: &str, code: i32) -> String {
    let said = run(folder, &format!("{words} --html page.html"));
    assert_eq!((said.code, said.err.as_str()), (code, ""), "{words}");
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"), "{words}");
    page
}

#[test]
fn a_page_is_that_of_the_run_whether_a_file_or_a_command_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    for (words, flag, code) in [
        ("elect humblet --nodes 7 --schedule uniform:4", "--trace", 0),
        ("check villadangos@published --nodes 3", "--save", 1),
        ("tenure simulate --members 3 --duration 2s", "--trace", 0),
    ] {
        let made = run(folder.path(), &format!("{words} {flag} run.jsonl"));
        assert_eq!(made.code, code, "{words}: {}", made.err);
        let of_file = page(folder.path(), "watch run.jsonl", 0);
        let of_command = page(folder.path(), &format!("watch {words}"), code);
        // The command that made the run is in it, and that a flag names a file does not matter to it.
        let without = |page: &str| page.replace(&format!(" {flag} run.jsonl"), "");
        assert_eq!(without(&of_file), without(&of_command), "{words}");
    }
}

#[test]
fn the_report_of_the_command_is_printed_as_always() {
    let folder = tempfile::tempdir().unwrap();
    let alone = run(folder.path(), "elect lelann --nodes 5");
    let watched = run(folder.path(), "watch elect lelann --nodes 5 --html page.html");
    assert_eq!(alone.out, watched.out);
    let kept =
        run(folder.path(), "watch --html page.html elect lelann --nodes 5 --trace run.jsonl");
    assert_eq!((kept.code, alone.out), (0, kept.out));
    assert!(folder.path().join("run.jsonl").exists(), "a run that was asked for is kept");
}

#[test]
fn a_page_has_the_names_and_places_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = "<graphml><key id=\"x\" for=\"node\" attr.name=\"Longitude\" attr.type=\"double\"/>\
                <key id=\"y\" for=\"node\" attr.name=\"Latitude\" attr.type=\"double\"/>\
                <graph edgedefault=\"undirected\"><node id=\"Ulm\"><data key=\"x\">10</data>\
                <data key=\"y\">48</data></node><node id=\"Bonn\"><data key=\"x\">7</data>\
                <data key=\"y\">50</data></node><edge source=\"Ulm\" target=\"Bonn\"/></graph></graphml>";
    fs::write(folder.path().join("net.graphml"), file).unwrap();
    let page = page(folder.path(), "watch elect echo-extinction --topology net.graphml", 0);
    says(&page, &["\"names\":[\"Ulm\",\"Bonn\"]"]);
}

#[cfg(unix)]
#[test]
fn without_a_file_it_is_served_on_this_machine_until_ctrl_c() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::{Command, Stdio};

    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(["watch", "elect", "lelann", "--nodes", "3", "--no-browser"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://")).unwrap();
    let address = address.trim_end_matches('/');
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let get = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    // A browser that connects and sends nothing delays no other.
    let _silent = TcpStream::connect(address).unwrap();
    says(&get("/"), &["HTTP/1.1 200 OK\r\n", "<!DOCTYPE html>", "lelann on ring:3"]);
    says(&get("/../etc/passwd"), &["HTTP/1.1 404 "]);
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Where no program opens a browser, the address is there for its reader to open.
#[cfg(target_os = "linux")]
#[test]
fn the_address_is_said_where_no_browser_can_be_opened() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(["watch", "elect", "lelann", "--nodes", "3"])
        .env("PATH", "/nonexistent")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    says(&next(), &["the run is at http://127.0.0.1:"]);
    says(&next(), &["no browser was opened", "open the address yourself"]);
    child.kill().unwrap();
    child.wait().unwrap();
}
