//! Output that cannot be written is an error with a message, and never a panic.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a command whose standard output or standard error is a full disk.
fn on_a_full_disk(words: &str, out: bool) -> (Option<i32>, String, String) {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let output = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(words.split(' '))
        .stdout(if out { full() } else { Stdio::piped() })
        .stderr(if out { Stdio::piped() } else { full() })
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Commands that print, each in a way of its own.
const PRINTING: [&str; 11] = [
    "elect",
    "elect lelann --trials 3 --format json",
    "algorithms",
    "compare --nodes 5 --trials 1 --format json",
    "check lelann --nodes 3",
    "population epidemic --agents 9",
    "completions bash",
    "man",
    "--help",
    "elect --help",
    "--version",
];

fn is_unwritable(words: &str, code: Option<i32>, err: &str) {
    assert_eq!(code, Some(2), "{words}: {err}");
    assert!(err.starts_with("error: cannot write to standard output: "), "{words}: {err}");
    assert_eq!(err.lines().count(), 1, "{words}: {err}");
}

#[test]
fn a_full_disk_is_an_error_that_is_said() {
    for words in PRINTING {
        let (code, _, err) = on_a_full_disk(words, true);
        is_unwritable(words, code, &err);
    }
}

#[test]
fn a_closed_standard_output_is_an_error_and_a_null_device_is_not() {
    let under = |words: &str, redirection: &str| {
        let output = Command::new("sh")
            .args(["-c", &format!("\"$@\" {redirection}"), "sh"])
            .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args(words.split(' '))
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for words in PRINTING {
        let (code, err) = under(words, ">&-");
        is_unwritable(words, code, &err);
        // As it is opened by shells, and by the standard library and Python.
        for null in [">/dev/null", "1<>/dev/null"] {
            assert_eq!(under(words, null), (Some(0), String::new()), "{words} {null}");
        }
    }
}

#[test]
fn standard_error_that_cannot_be_written_changes_nothing() {
    let (code, out, _) = on_a_full_disk("elect lelann --nodes 5", false);
    assert!(code == Some(0) && out.contains("leader"), "{code:?} {out}");
    assert_eq!(on_a_full_disk("elect nothing", false).0, Some(2));
    assert_eq!(on_a_full_disk("elect --nodes x", false).0, Some(2));
    // It names the algorithms that it leaves out.
    let (code, out, _) = on_a_full_disk("compare --nodes 40000 --trials 1 --format csv", false);
    assert!(code == Some(0) && out.lines().count() == 6, "{code:?} {out}");
}

#[test]
fn a_file_beyond_the_limit_of_the_system_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 8; exec \"$@\"", "sh"])
        .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args("elect lelann --nodes 100 --trace t.jsonl".split(' '))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("error: --trace: cannot write t.jsonl: "), "{err}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Runs a script of a shell, in which `$0` is the command.
fn script(folder: &Path, script: &str) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
        .current_dir(folder)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_file_takes_the_place_of_no_stream_and_of_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let begins = "{\"suffrage-run\"";
    // The run, and behind it the report.
    let all = "\"$0\" elect lelann --nodes 3 --trace /proc/self/fd/1 >all";
    assert_eq!(script(folder.path(), all), (Some(0), String::new()));
    assert!(
        read("all").starts_with(begins) && read("all").contains("  leader "),
        "{}",
        read("all")
    );
    let run = "\"$0\" elect lelann --nodes 3 --trace /proc/self/fd/2 >report 2>run";
    assert_eq!(script(folder.path(), run).0, Some(0));
    assert!(read("run").starts_with(begins) && read("report").contains("  leader "));
    let link =
        "touch there && ln -s there link && \"$0\" elect lelann --nodes 3 --trace link >report";
    assert_eq!(script(folder.path(), link), (Some(0), String::new()));
    assert!(read("there").starts_with(begins) && folder.path().join("link").is_symlink());
    let input = "echo a b >net && \"$0\" elect --topology - --trace net <net";
    let (code, err) = script(folder.path(), input);
    assert!(code == Some(2) && err.contains("standard input is read from this file"), "{err}");
    assert_eq!(read("net"), "a b\n");
}

/// The beginning of a command line that can start no thread.
fn without_threads() -> String {
    // Of root there is no such limit.
    let other = "setpriv --reuid 61235 --regid 61235 --clear-groups";
    let other = if rustix::process::geteuid().is_root() { other } else { "" };
    format!("{other} prlimit --nproc=1 \"$0\"")
}

#[test]
fn the_first_signal_ends_a_command_that_can_start_no_thread() {
    let folder = tempfile::tempdir().unwrap();
    // A pipe that this process holds open has no end.
    let pipe = folder.path().join("pipe").display().to_string();
    for signal in ["INT", "TERM"] {
        let waits =
            format!("timeout --signal {signal} --kill-after 20 2 {} replay -", without_threads());
        let line = format!("rm -f {pipe} && mkfifo {pipe} && {waits} <>{pipe} >/dev/null");
        let (code, err) = script(Path::new("/"), &line);
        if err.contains("setpriv") || err.contains("prlimit") {
            println!("skipped: no other user can run the command here: {err}");
            return;
        }
        assert_eq!(code, Some(124), "{signal}: {err}");
    }
}

/// The work is done by fewer threads; a cluster needs some.
#[test]
fn no_command_panics_where_no_thread_can_be_started() {
    let limited = |words: &str| {
        let line = format!("exec {} {words} >/dev/null", without_threads());
        script(Path::new("/"), &line)
    };
    let (code, err) = limited("--version");
    if code != Some(0) {
        println!("skipped: no other user can run the command here: {err}");
        return;
    }
    for words in [
        "elect humblet --nodes 9 --trials 5",
        "check lelann --nodes 3",
        "check lelann --nodes 5..9 --sample 9",
        "compare --nodes 5 --trials 2",
        "population epidemic --agents 99 --trials 3",
    ] {
        assert_eq!(limited(words), (Some(0), String::new()), "{words}");
    }
    let (code, err) = limited("cluster lelann --nodes 3");
    assert!(code == Some(2) && err.contains("no thread can be started"), "{code:?}: {err}");
}

#[test]
fn an_exploration_ends_within_the_address_space_that_it_has() {
    for kibibytes in [130_000, 160_000, 190_000, 220_000, 250_000, 300_000] {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -v {kibibytes}; exec \"$@\""), "sh"])
            .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args("check echo-extinction --nodes 5 --ids ascending --full --force".split(' '))
            .args(["--threads", "1"])
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{kibibytes}: {err}");
        assert!(err.contains("more than the memory allowed or free"), "{kibibytes}: {err}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    for flag in ["--trace", "--draw-network"] {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args(["elect", "--nodes", "3", flag, "/dev/full"])
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag}: {err}");
        let begins = format!("error: {flag}: cannot write /dev/full: ");
        assert!(err.starts_with(&begins), "{err}");
    }
}

/// Not after the work whose result it was to hold, and no file that its owner protects is replaced.
#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    std::fs::write(&kept, "kept").unwrap();
    let mut rights = kept.metadata().unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&kept, rights).unwrap();
    let missing = folder.path().join("missing/file");
    for (words, flag) in [
        ("elect lelann --nodes 3", "--trace"),
        ("elect lelann --nodes 3 --trials 2", "--each"),
        ("check lelann --nodes 3", "--save"),
        ("watch elect lelann --nodes 3", "--html"),
        ("population epidemic --agents 9", "--history"),
        ("cluster lelann --nodes 3", "--trace"),
        ("tenure simulate --duration 1s", "--save"),
        ("tenure simulate --duration 1s", "--trace"),
    ] {
        for (file, why) in
            [(&kept, "the file that is there is read-only"), (&missing, "No such file")]
        {
            let output = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
                .args(words.split(' '))
                .args([flag.as_ref(), file.as_os_str()])
                .output()
                .unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(
                (output.status.code(), &*output.stdout),
                (Some(2), &b""[..]),
                "{words}: {err}"
            );
            let begins = format!("error: {flag}: cannot write {}: {why}", file.display());
            assert!(err.contains(&begins), "{words}: {err}");
        }
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
}
