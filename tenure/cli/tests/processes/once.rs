//! Commands that run one time: `tenure try`, and `tenure lead --once`.

use crate::hosts::{CALM, Hosts, terminate, until};
use crate::{Test, ended};
use std::fs;
use std::process::{Child, Command, Output, Stdio};

pub(crate) const TESTS: &[Test] = &[
    ("a_command_runs_one_time_where_no_other_host_leads_and_gives_its_exit_code", tried),
    ("who_has_time_to_wait_runs_its_command_when_the_leader_has_ended", waits),
    ("a_command_that_is_to_run_one_time_is_killed_when_the_leadership_is_lost", lost),
    ("where_no_host_can_lead_a_command_that_is_tried_does_not_run", vacant),
    ("who_is_asked_to_end_before_it_leads_says_that_nothing_was_run", asked),
    ("flags_that_contradict_running_one_time_are_refused", refused),
];

/// Notes that it has started, and runs until there is a file.
const UNTIL_DONE: &str = r#"echo "start $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log"
until test -e "$WORK/done"; do sleep 0.02; done"#;

/// A host that runs a shell's command line one time.
fn once(hosts: &Hosts, host: usize, flags: &[&str], script: &str) -> Command {
    let mut process = hosts.tenure(&[flags, &["--", "/bin/sh", "-c", script]].concat(), host);
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    process
}

/// The exit code, the output and the complaint of a process that ends.
fn end(process: Child) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = process.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn run(mut process: Command) -> (Option<i32>, String, String) {
    end(process.spawn().unwrap())
}

/// A client of the members, with the time to wait.
fn client(hosts: &Hosts, wait: &str, script: &str) -> Command {
    let (authority, certificate, key) =
        (hosts.text("ca.pem"), hosts.text("client-web.pem"), hosts.text("client-web-key.pem"));
    let members = [1, 2, 3].map(|host| hosts.address(host)).join(",");
    let flags = ["try", "job", "--wait", wait, "--members", &members, "--authority", &authority];
    let own = ["--certificate", &certificate, "--key", &key];
    once(hosts, 1, &[&flags[..], &own[..]].concat(), script)
}

fn tried() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    // The first election of a cluster may take its time.
    let value = ["try", "job", "--wait", "60s", "--value", "run by {member}"];
    let told = run(once(&hosts, 1, &value, "echo \"$TENURE_VALUE\"; exit 7"));
    assert_eq!(told, (Some(7), "run by host-1\n".to_owned(), String::new()));
    // By a host without a vote, as soon as the office is free.
    let told = run(client(&hosts, "60s", "echo $TENURE_OFFICE; kill -9 $$"));
    assert_eq!(told, (Some(128 + 9), "job\n".to_owned(), String::new()));

    let first = once(&hosts, 1, &["lead", "job", "--once"], UNTIL_DONE).spawn().unwrap();
    assert_eq!(hosts.until_started(1), 1);
    let not_led = (Some(3), String::new(), "error: host-1 leads job\n".to_owned());
    // On another host, on the same one, and without a vote.
    assert_eq!(run(once(&hosts, 2, &["try", "job"], "echo ran")), not_led);
    assert_eq!(run(once(&hosts, 1, &["try", "job"], "echo ran")), not_led);
    assert_eq!(run(client(&hosts, "0s", "echo ran")), not_led);
    let (code, out, err) = run(once(&hosts, 3, &["try", "job", "--wait", "100ms"], "echo ran"));
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.starts_with("error: job was not won within 100ms: another host leads"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");

    fs::write(hosts.path("done"), "").unwrap();
    let (code, _, err) = end(first);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(hosts.log().len(), 1, "it runs one time");
}

fn waits() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let first = once(&hosts, 1, &["try", "job", "--wait", "60s"], UNTIL_DONE).spawn().unwrap();
    assert_eq!(hosts.until_started(1), 1);
    let second = once(&hosts, 2, &["try", "job", "--wait", "60s"], UNTIL_DONE).spawn().unwrap();
    let third = once(&hosts, 3, &["lead", "job", "--once"], UNTIL_DONE).spawn().unwrap();
    until("both stand", || [2, 3].iter().all(|&host| stands(&hosts, host)));
    assert_eq!(hosts.log().len(), 1, "one at a time");
    fs::write(hosts.path("done"), "").unwrap();
    for process in [first, second, third] {
        let (code, _, err) = end(process);
        assert_eq!(code, Some(0), "{err}");
    }
    let mut log = hosts.log();
    assert!(log.is_sorted_by(|one, other| one.0 < other.0), "each in a greater term: {log:?}");
    log.sort_by_key(|run| run.1);
    assert_eq!(log.iter().map(|run| run.1).collect::<Vec<_>>(), [1, 2, 3], "each one time");
}

/// Whether a program of a host stands for the office.
fn stands(hosts: &Hosts, host: usize) -> bool {
    let offices = hosts.json(&["status"], host)["state"]["offices"].clone();
    offices.as_array().unwrap().iter().any(|office| office["stands"] == true)
}

fn lost() {
    let mut hosts = Hosts::new();
    hosts.serve();
    let job = fs::read_to_string(hosts.path("job")).unwrap();
    // On a busy machine, too, the guard comes in time.
    let flags = ["try", "job", "--wait", "60s", "--margin", "100ms"];
    let program = once(&hosts, 1, &flags, &job).spawn().unwrap();
    assert_eq!(hosts.until_started(1), 1);
    hosts.kill(2);
    hosts.kill(3);
    let (code, out, err) = end(program);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(
        err.starts_with("error: COMMAND did not run to its end: this host has lost job"),
        "{err}"
    );
    // Its descendants have the lock, too.
    let lock = hosts.text("lock");
    assert!(Command::new("flock").args(["-n", &lock, "true"]).status().unwrap().success());
    assert_eq!(hosts.log().len(), 1);
}

fn vacant() {
    let mut hosts = Hosts::new();
    let nobody = run(client(&hosts, "300ms", "echo ran"));
    let why = "error: this host does not lead job: no member has answered in time\n";
    assert_eq!(nobody, (Some(3), String::new(), why.to_owned()));
    // One of three is no majority.
    hosts.serve_on(1);
    until("the member is up", || hosts.path("1.socket").exists());
    for wait in ["300ms", "0s"] {
        let (code, out, err) = run(once(&hosts, 1, &["try", "job", "--wait", wait], "echo ran"));
        assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
        assert!(err.contains("no majority can vote"), "{err}");
    }
}

fn asked() {
    let mut hosts = Hosts::new();
    let unstarted = "error: COMMAND was not started: this program was asked to end\n";
    // While it looks for the members, and while it stands.
    let program = client(&hosts, "1h", "echo ran").spawn().unwrap();
    signalled(&program);
    assert_eq!(end(program), (Some(1), String::new(), unstarted.to_owned()));
    hosts.serve_on(1);
    until("the member is up", || hosts.path("1.socket").exists());
    let program = once(&hosts, 1, &["try", "job", "--wait", "1h"], "echo ran").spawn().unwrap();
    until("it stands", || stands(&hosts, 1));
    terminate(&program);
    assert_eq!(end(program), (Some(1), String::new(), unstarted.to_owned()));
}

/// Asks a process to end as soon as it handles that.
pub(crate) fn signalled(process: &Child) {
    let caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap();
        caught >> (15 - 1) & 1 == 1
    };
    until("it handles SIGTERM", caught);
    terminate(process);
}

fn refused() {
    for (arguments, why) in [
        (
            &["try", "job", "--on-exit", "restart", "--", "sh"][..],
            "--on-exit: COMMAND runs one time",
        ),
        (
            &["lead", "job", "--once", "--on-exit", "stop", "--", "sh"],
            "--on-exit: COMMAND runs one",
        ),
        (&["lead", "job", "--wait", "5s", "--", "sh"], "--wait: without --once"),
        (&["try", "job", "--", "no-such-program"], "COMMAND: there is no program"),
    ] {
        let (code, out, err) = ended(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.starts_with(&format!("error: {why}")), "{err}");
    }
}
