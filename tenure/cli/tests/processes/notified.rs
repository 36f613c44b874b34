//! What a service manager is told: that `tenure lead` and `tenure serve` are up, who leads, that they
//! are alive, and that they end.

use crate::Test;
use crate::hosts::{CALM, Hosts, LIMIT, Programs, terminate};
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Instant;

pub(crate) const TESTS: &[Test] = &[
    ("a_leader_tells_the_service_manager_that_it_is_alive_for_as_long_as_it_leads", leads),
    ("a_host_that_is_not_ready_tells_the_service_manager_that_it_is_alive", stands),
    ("a_member_tells_the_service_manager_that_it_is_up_alive_and_about_to_end", serves),
];

/// A service manager, which wants a notification each second.
struct Manager {
    socket: UnixDatagram,
    service: Programs,
    heard: Vec<String>,
}

impl Manager {
    /// Starts a command line as a service.
    fn start(hosts: &Hosts, command: &mut Command) -> Self {
        let path = hosts.path("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        command.env("NOTIFY_SOCKET", path).env("WATCHDOG_USEC", "1000000");
        Self { socket, service: Programs(vec![command.spawn().unwrap()]), heard: Vec::new() }
    }

    /// Waits until it has been told what begins so, for so many times from now on.
    fn until_told(&mut self, expected: &str, times: usize) {
        let (mut told, begin) = (0, Instant::now());
        while told < times {
            assert!(begin.elapsed() < LIMIT, "{expected} is missing: {:?}", self.heard);
            let mut text = [0; 1000];
            let Ok(length) = self.socket.recv(&mut text) else { continue };
            let text = String::from_utf8(text[..length].to_vec()).unwrap();
            told += usize::from(text.starts_with(expected));
            self.heard.push(text);
        }
    }

    /// Ends the service, which tells so before.
    fn end(mut self) {
        terminate(&self.service.0[0]);
        self.until_told("STOPPING=1", 1);
        assert_eq!(self.service.0[0].wait().unwrap().code(), Some(0));
    }
}

fn leads() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve_on(2);
    hosts.serve_on(3);
    let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
    let arguments = ["lead", "job", "--config", &config, "--socket", &socket, "--"];
    let arguments = [&arguments[..], &["/bin/sh", "-c", "exec sleep 1000"]].concat();
    let mut manager = Manager::start(&hosts, &mut hosts.tenure(&arguments, 1));
    manager.until_told("READY=1", 1);
    manager.until_told("STATUS=leads job in term ", 1);
    // Heartbeats come much more often than these.
    manager.until_told("WATCHDOG=1", 4);
    manager.end();
}

fn stands() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let arguments = ["lead", "job", "--ready", "false", "--interval", "100ms", "--", "/bin/true"];
    let mut manager = Manager::start(&hosts, &mut hosts.tenure(&arguments, 1));
    manager.until_told("STATUS=stands for job", 1);
    manager.until_told("READY=1", 1);
    manager.until_told("WATCHDOG=1", 4);
    manager.end();
}

fn serves() {
    let hosts = Hosts::with(CALM);
    let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
    let arguments = ["serve", "--config", &config, "--socket", &socket];
    let mut manager = Manager::start(&hosts, &mut hosts.tenure(&arguments, 1));
    manager.until_told("READY=1", 1);
    manager.until_told("STATUS=host-1 votes", 1);
    manager.until_told("WATCHDOG=1", 4);
    manager.end();
}
