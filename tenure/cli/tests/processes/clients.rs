//! Hosts without a vote, which lead.

use crate::Test;
use crate::hosts::{CALM, Hosts, LIMIT, until};
use crate::operators::{elsewhere, with};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("a_host_without_a_vote_gives_its_command_the_stop_time_of_the_cluster", stopped),
    ("members_say_whether_the_command_of_a_host_without_a_vote_runs", told),
];

/// A command that ends until a file is there.
const FICKLE: &str = "[ -e \"$WORK/go\" ] || exit 3; exec sleep 1000";

fn told() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let flags = ["lead", "job", "--on-exit", "restart"];
    let mut words = with(&hosts, &[1, 2, 3], "client-web", &flags);
    words.extend(["--", "/bin/sh", "-c", FICKLE].map(str::to_owned));
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut leads = elsewhere(&hosts, &words).env("WORK", hosts.path("")).spawn().unwrap();
    let command = |host| hosts.json(&["office", "show", "job"], host)["command"].clone();
    for host in 1..=3 {
        until("it does not run", || {
            let command = command(host);
            let why = command["why"].as_str().unwrap_or_default();
            command["running"] == false && why.starts_with("it has ended with exit code 3")
        });
    }
    std::fs::write(hosts.path("go"), "").unwrap();
    for host in 1..=3 {
        until("it runs", || command(host)["running"] == true);
    }
    let all = hosts.json(&["office", "list"], 2);
    assert_eq!(all[0]["command"]["running"], true, "{all}");
    leads.kill().unwrap();
    leads.wait().unwrap();
}

/// Says that it runs, and that it was asked to end.
const COMMAND: &str = "trap 'echo >\"$WORK/asked\"; exit' TERM; echo >\"$WORK/runs\"; \
                       while :; do sleep 0.05; done";

fn stopped() {
    let mut hosts = Hosts::with("[[offices]]\nname = \"job\"\nstop = \"2s\"");
    hosts.serve();
    let until = |name: &str| {
        let begin = Instant::now();
        while !hosts.path(name).exists() {
            assert!(begin.elapsed() < LIMIT, "it never says that it {name}");
            sleep(Duration::from_millis(20));
        }
    };
    let mut words = with(&hosts, &[1, 2, 3], "client-web", &["lead", "job"]);
    words.extend(["--", "/bin/sh", "-c", COMMAND].map(str::to_owned));
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let folder = hosts.path("");
    let mut leads = elsewhere(&hosts, &words).env("WORK", folder).spawn().unwrap();
    until("runs");
    for host in [1, 2] {
        hosts.signal(host, "KILL");
    }
    // Without that time it would be killed at once, and asked nothing.
    until("asked");
    leads.kill().unwrap();
    leads.wait().unwrap();
}
