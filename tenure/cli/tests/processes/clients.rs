//! Hosts without a vote, which lead.

use crate::Test;
use crate::hosts::{Hosts, LIMIT};
use crate::operators::{elsewhere, with};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] =
    &[("a_host_without_a_vote_gives_its_command_the_stop_time_of_the_cluster", stopped)];

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
