//! What the flags of `tenure lead` promise, between real processes.

use crate::Test;
use crate::hosts::{CALM, Hosts, LIMIT, Programs, until};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("successors_wait_for_the_stop_time_of_a_command", stop),
    ("successors_wait_for_a_stop_time_of_the_flag_that_the_configuration_allows_for", stop_flag),
    ("a_stop_time_that_no_successor_waits_for_is_refused", long_stop),
    ("a_command_may_stop_in_order_before_its_office_is_transferred", transfer),
    ("a_host_leads_only_while_it_is_ready_and_its_command_is_healthy", probes),
    ("failures_of_a_command_that_was_never_healthy_do_not_count_while_it_warms_up", warm_up),
    ("a_leader_whose_health_is_asked_over_http_leaves_when_it_fails", health_over_http),
    ("a_host_takes_its_office_back_when_it_has_been_up_for_a_while", take_back),
    ("a_command_that_ends_is_restarted_or_its_office_is_released", on_exit),
    ("clients_find_all_members_from_one_and_survive_its_loss", clients),
    ("clients_need_no_flag_beside_members_in_a_folder_with_their_certificate", by_folder),
    ("a_client_says_that_no_member_answers_and_ends_when_it_is_asked_to", alone),
];

/// Takes its time to stop.
const SLOW: &str = r#"
echo "start $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log"
trap 'echo "asked $(date +%s.%N)" >>"$WORK/asked"; sleep 0.5; echo "stop $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log"; exit 0' TERM
while :; do sleep 0.05; done
"#;

/// A command that runs until it is ended.
const STEADY: &str = r#"
echo "start $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log"
exec sleep 1000
"#;

/// Ends at once.
const SHORT: &str = r#"echo "start $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log""#;

/// Starts `tenure lead job` by the member of a host.
fn lead(hosts: &Hosts, host: usize, flags: &[&str], script: &str) -> Child {
    let arguments = [&["lead", "job"], flags, &["--", "/bin/sh", "-c", script]].concat();
    hosts.tenure(&arguments, host).spawn().unwrap()
}

/// Waits until the lines of the log are as expected.
fn until_logged(hosts: &Hosts, what: &str, expected: impl Fn(&[&str]) -> bool) {
    let begin = Instant::now();
    loop {
        let text = fs::read_to_string(hosts.path("log")).unwrap_or_default();
        if expected(&text.lines().collect::<Vec<_>>()) {
            return;
        }
        assert!(begin.elapsed() < LIMIT, "{what}:\n{text}");
        sleep(Duration::from_millis(20));
    }
}

fn stop() {
    let mut hosts = Hosts::with("[[offices]]\nname = \"job\"\nstop = \"3s\"\n");
    for host in 1..=3 {
        hosts.lead_with(host, &["/bin/sh", "-c", SLOW]);
    }
    stops(hosts);
}

fn stop_flag() {
    // Without the flag, this office has no stop time.
    let mut hosts = Hosts::with("[[offices]]\nname = \"other\"\nstop = \"3s\"\n");
    for host in 1..=3 {
        hosts.lead_by(host, &["--stop", "3s"], &["/bin/sh", "-c", SLOW]);
    }
    stops(hosts);
}

fn long_stop() {
    let refused = |timing: &str, expected: &str| {
        let hosts = Hosts::with(timing);
        let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
        let arguments = ["lead", "job", "--config", &config, "--socket", &socket, "--stop", "5s"];
        let arguments = [&arguments[..], &["--", "/bin/true"]].concat();
        let output = hosts.tenure(&arguments, 1).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(expected), "{err}");
    };
    refused("", "--stop 5s: successors wait for 0s only");
    refused("[[offices]]\nname = \"job\"\nstop = \"3s\"\n", "successors wait for 3s only");
}

/// The command of a suspended leader shuts down properly before the next one starts, and so does the command
/// of a killed leader.
fn stops(mut hosts: Hosts) {
    let leader = hosts.until_started(1);
    // It cannot renew its leases any more; its guard asks the command to stop.
    hosts.signal(leader, "STOP");
    let next = hosts.until_started(2);
    hosts.signal(leader, "CONT");
    assert_ne!(next, leader);
    hosts.kill(next);
    hosts.until_started(3);
    // Each has stopped before the next one started.
    let text = fs::read_to_string(hosts.path("log")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.len() >= 5, "{text}");
    for pair in lines[..4].chunks(2) {
        let asked = fs::read_to_string(hosts.path("asked"));
        assert_eq!(pair[0].replace("start", "stop"), pair[1], "{text}{asked:?}");
    }
}

fn transfer() {
    let mut hosts = Hosts::new();
    hosts.serve();
    let _programs = Programs((1..=2).map(|host| lead(&hosts, host, &[], SLOW)).collect());
    let leader = hosts.until_started(1);
    let to = format!("host-{}", 3 - leader);
    let moved = hosts.tenure(&["office", "transfer", "job", "--to", &to], 3).output().unwrap();
    assert!(moved.status.success(), "{}", String::from_utf8_lossy(&moved.stderr));
    assert_eq!(String::from_utf8(moved.stdout).unwrap(), format!("{to} leads job\n"));
    assert_eq!(hosts.until_started(2), 3 - leader);
    let text = fs::read_to_string(hosts.path("log")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0].replace("start", "stop"), lines[1], "{text}");
}

fn probes() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let touch = |name: &str| fs::write(hosts.path(name), "").unwrap();
    touch("ready2");
    let _programs = Programs(
        (1..=2)
            .map(|host| {
                // It still runs when the command is to be probed for the first time.
                let ready = format!("sleep 0.3; test -e \"$WORK/ready{host}\"");
                let health = format!("test ! -e \"$WORK/sick{host}\"");
                let flags = [
                    "--ready",
                    &ready,
                    "--health",
                    &health,
                    "--interval",
                    "50ms",
                    "--failures",
                    "2",
                    "--warm-up",
                    "0s",
                    "--priority",
                    if host == 1 { "9" } else { "1" },
                ];
                lead(&hosts, host, &flags, STEADY)
            })
            .collect(),
    );
    // Host 1 has the greater priority, and is not ready.
    assert_eq!(hosts.until_started(1), 2);
    touch("ready1");
    sleep(Duration::from_secs(1));
    assert_eq!(hosts.log().len(), 1, "a leader that is healthy keeps its office");
    touch("sick2");
    assert_eq!(hosts.until_started(2), 1);
}

/// The number of lines of a file.
fn lines(hosts: &Hosts, name: &str) -> usize {
    fs::read_to_string(hosts.path(name)).unwrap_or_default().lines().count()
}

fn warm_up() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let health = "echo asked >>\"$WORK/asked\"; test -e \"$WORK/well\"";
    let flags = ["--health", health, "--warm-up", "1h", "--interval", "20ms", "--failures", "1"];
    let _programs = Programs(vec![lead(&hosts, 1, &flags, STEADY)]);
    until("its health is asked", || lines(&hosts, "asked") >= 10);
    assert_eq!(hosts.log().len(), 1, "each of these has failed");
    // From the first success on they count.
    fs::write(hosts.path("well"), "").unwrap();
    let asked = lines(&hosts, "asked");
    until("its health is asked", || lines(&hosts, "asked") >= asked + 3);
    assert_eq!(hosts.log().len(), 1);
    fs::remove_file(hosts.path("well")).unwrap();
    hosts.until_started(2);
}

fn health_over_http() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/health", server.local_addr().unwrap());
    let (asked, sick) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (count, fails) = (asked.clone(), sick.clone());
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let status = if fails.load(Ordering::SeqCst) { "503 Sick" } else { "200 OK" };
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let flags = ["--health", &url, "--interval", "20ms", "--failures", "2"];
    let _programs = Programs(vec![lead(&hosts, 1, &flags, STEADY)]);
    until("its health is asked", || asked.load(Ordering::SeqCst) >= 5);
    assert_eq!(hosts.log().len(), 1);
    sick.store(true, Ordering::SeqCst);
    hosts.until_started(2);
}

fn take_back() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let mut programs = Programs(vec![lead(&hosts, 1, &[], STEADY)]);
    assert_eq!(hosts.until_started(1), 1);
    let begin = Instant::now();
    let preferred = |hosts: &Hosts| lead(hosts, 2, &["--take-back", "1s"], STEADY);
    programs.0.push(preferred(&hosts));
    assert_eq!(hosts.until_started(2), 2);
    assert!(begin.elapsed() >= Duration::from_secs(1), "not as soon as it is up");
    programs.kill(1);
    assert_eq!(hosts.until_started(3), 1);
    programs.0.push(preferred(&hosts));
    assert_eq!(hosts.until_started(4), 2);
}

fn on_exit() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let mut programs = Programs(vec![lead(&hosts, 1, &["--on-exit", "restart"], SHORT)]);
    until_logged(&hosts, "it is restarted in its term", |lines| {
        lines.len() >= 3 && lines.iter().all(|line| line == &lines[0])
    });
    programs.kill(0);
    programs.0.push(lead(&hosts, 2, &["--on-exit", "release"], SHORT));
    until_logged(&hosts, "the office is released, and won again in a greater term", |lines| {
        let of_host_2 = lines.iter().filter(|line| line.ends_with("host-2"));
        let terms: Vec<u64> =
            of_host_2.map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        assert!(terms.is_sorted_by(|one, other| one < other), "{terms:?}");
        terms.len() >= 3
    });
}

/// `tenure lead job` as a client, which knows of host 3.
fn client(hosts: &Hosts, host: usize) -> Command {
    let address = hosts.address(3);
    let (authority, certificate, key) =
        (hosts.text("ca.pem"), hosts.text("client-web.pem"), hosts.text("client-web-key.pem"));
    let script = STEADY.replace("$TENURE_MEMBER", "host-$HOST");
    let mut arguments = vec!["lead", "job", "--members", &address, "--authority", &authority];
    arguments.extend(["--certificate", &certificate, "--key", &key]);
    arguments.extend(["--", "/bin/sh", "-c", &script]);
    let mut command = hosts.tenure(&arguments, host);
    command.env("HOST", host.to_string());
    command
}

fn by_folder() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let own = |name: &str| {
        fs::copy(hosts.path(&format!("{name}.pem")), hosts.path("certificate.pem")).unwrap();
        fs::copy(hosts.path(&format!("{name}-key.pem")), hosts.path("key.pem")).unwrap();
    };
    let members = [1, 2, 3].map(|host| hosts.address(host)).join(",");
    let here = |words: &[&str]| {
        let mut command = hosts.tenure(words, 1);
        command.env_remove("TENURE_SOCKET").current_dir(hosts.path(""));
        command
    };
    own("client-web");
    let script = STEADY.replace("$TENURE_MEMBER", "host-1");
    let lead = ["lead", "job", "--members", &members, "--", "/bin/sh", "-c", &script];
    let mut programs = Programs(vec![here(&lead).spawn().unwrap()]);
    hosts.until_started(1);
    own("operator-alice");
    let shown = here(&["office", "show", "job", "--members", &members]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("web-"), "{shown}");
    assert!(here(&["status", "--members", &members]).status().unwrap().success());
    assert_eq!(programs.end(0), Some(0));
    // An operator's certificate does not stand, and says what does.
    let refused = here(&lead).output().unwrap();
    let err = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{err}");
    assert!(err.contains("operator alice") && err.contains("--clients NAME"), "{err}");
    fs::remove_file(hosts.path("key.pem")).unwrap();
    let refused = here(&lead).output().unwrap();
    let err = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{err}");
    assert!(err.contains("key.pem") && err.contains("--authority"), "{err}");
}

fn alone() {
    let hosts = Hosts::new();
    let mut client = client(&hosts, 1).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(client.stderr.take().unwrap()).lines();
    let said = lines.next().unwrap().unwrap();
    assert!(said.contains("no member answers") && said.contains(&hosts.address(3)), "{said}");
    assert!(Command::new("kill").arg(client.id().to_string()).status().unwrap().success());
    assert_eq!(client.wait().unwrap().code(), Some(0));
}

fn clients() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let mut programs =
        Programs((1..=2).map(|host| client(&hosts, host).spawn().unwrap()).collect());
    let leader = hosts.until_started(1);
    let begin = Instant::now();
    while hosts.json(&["status"], 1)["state"]["clients"].as_array().unwrap().len() < 2 {
        assert!(begin.elapsed() < LIMIT, "a client does not find host 1");
        sleep(Duration::from_millis(20));
    }
    // The member from which they have learnt of the others.
    hosts.kill(3);
    sleep(Duration::from_millis(2000));
    assert_eq!(hosts.log().len(), 1, "a majority is there");
    let shown = hosts.json(&["office", "show", "job"], 1);
    assert!(shown["leader"].as_str().unwrap().starts_with("web-"), "{shown}");
    let other = loop {
        let status = hosts.json(&["status"], 2);
        let clients = status["state"]["clients"].as_array().unwrap().iter();
        let mut names = clients.map(|client| client["name"].as_str().unwrap());
        if let Some(name) = names.find(|name| shown["leader"] != *name) {
            break name.to_owned();
        }
        assert!(begin.elapsed() < LIMIT, "a client does not find host 2");
        sleep(Duration::from_millis(20));
    };
    let moved = hosts.tenure(&["office", "transfer", "job", "--to", &other], 1).status().unwrap();
    assert!(moved.success());
    assert_eq!(hosts.until_started(2), 3 - leader);
    programs.kill(2 - leader);
    assert_eq!(hosts.until_started(3), leader);
    // All ends in order.
    let pid = programs.0[leader - 1].id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    assert_eq!(programs.0[leader - 1].wait().unwrap().code(), Some(0));
}
