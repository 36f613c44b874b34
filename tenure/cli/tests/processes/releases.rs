//! A leader that leaves its office has a successor at once. Leases last so long here that a test fails if the
//! successor waits for one to end. When an office is released, or its leader's connection is gone, the
//! successor waits for no part of the lease.

use crate::Test;
use crate::hosts::{Hosts, Programs, until};
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("sigterm_to_a_leader_hands_its_office_over_long_before_the_lease_is_over", told_to_end),
    ("a_killed_program_of_a_member_leaves_its_office_long_before_the_lease_is_over", killed),
    ("a_candidate_that_is_killed_while_it_waits_stands_no_longer", waits),
    ("of_those_that_wait_the_one_of_the_greatest_priority_leads", priority),
];

pub(crate) const PATIENT: &str =
    "profile = \"custom\"\ntiming = { heartbeat = \"50ms\", lease = \"8s\" }";

/// Half of the lease.
const LONG_BEFORE: Duration = Duration::from_secs(4);

/// `tenure lead job` by the member of a host.
fn lead(hosts: &Hosts, host: usize, flags: &[&str]) -> Child {
    let job = hosts.text("job");
    let arguments =
        [&["lead", "job", "--grace", "100ms"], flags, &["--", "/bin/sh", &job]].concat();
    hosts.tenure(&arguments, host).spawn().unwrap()
}

fn waits_at(hosts: &Hosts, host: usize) -> bool {
    let status = hosts.json(&["status"], host);
    let offices = status["state"]["offices"].as_array().unwrap();
    let job = offices.iter().find(|office| office["name"] == "job");
    job.is_some_and(|job| job["stands"] == true && job["leader"].is_string())
}

/// Waits until `count` commands have started, and returns where the last one did.
fn next(hosts: &Hosts, count: usize, begin: Instant) -> usize {
    let next = hosts.until_started(count);
    let took = begin.elapsed();
    assert!(took < LONG_BEFORE, "the office was vacant for {took:?}");
    next
}

fn told_to_end() {
    let mut hosts = Hosts::with(PATIENT);
    let job = hosts.text("job");
    for host in 1..=3 {
        hosts.lead_by(host, &["--grace", "100ms"], &["/bin/sh", &job]);
    }
    let leader = hosts.until_started(1);
    for host in (1..=3).filter(|&host| host != leader) {
        until("the others wait", || waits_at(&hosts, host));
    }
    let begin = Instant::now();
    hosts.signal(leader, "TERM");
    assert_ne!(next(&hosts, 2, begin), leader);
    hosts.until_ended(leader);
}

fn killed() {
    let mut hosts = Hosts::with(PATIENT);
    hosts.serve();
    let mut programs = Programs(vec![lead(&hosts, 1, &[])]);
    hosts.until_started(1);
    programs.0.push(lead(&hosts, 2, &[]));
    until("the other one waits", || waits_at(&hosts, 2));
    let begin = Instant::now();
    programs.kill(0);
    assert_eq!(next(&hosts, 2, begin), 2);
}

fn waits() {
    let mut hosts = Hosts::with(PATIENT);
    hosts.serve();
    let mut programs = Programs(vec![lead(&hosts, 1, &[])]);
    hosts.until_started(1);
    programs.0.push(lead(&hosts, 2, &["--priority", "9"]));
    programs.0.push(lead(&hosts, 3, &[]));
    for host in [2, 3] {
        until("the others wait", || waits_at(&hosts, host));
    }
    let begin = Instant::now();
    programs.kill(1);
    while waits_at(&hosts, 2) {
        assert!(begin.elapsed() < LONG_BEFORE, "its member stands without it");
        sleep(Duration::from_millis(20));
    }
    let begin = Instant::now();
    assert_eq!(programs.end(0), Some(0));
    assert_eq!(next(&hosts, 2, begin), 3);
}

fn priority() {
    let mut hosts = Hosts::with(PATIENT);
    hosts.serve();
    let mut programs = Programs(vec![lead(&hosts, 1, &[])]);
    hosts.until_started(1);
    programs.0.push(lead(&hosts, 2, &["--priority", "9"]));
    programs.0.push(lead(&hosts, 3, &["--priority", "1"]));
    for host in [2, 3] {
        until("the others wait", || waits_at(&hosts, host));
    }
    assert_eq!(programs.end(0), Some(0));
    assert_eq!(hosts.until_started(2), 2);
    // And whatever their names are.
    programs.0.push(lead(&hosts, 1, &["--priority", "1"]));
    programs.0.push(lead(&hosts, 1, &["--priority", "7"]));
    programs.0.push(lead(&hosts, 3, &["--priority", "5"]));
    until("the others wait", || waits_at(&hosts, 1));
    sleep(Duration::from_millis(500));
    assert_eq!(programs.end(1), Some(0));
    assert_eq!(hosts.until_started(3), 1);
}
