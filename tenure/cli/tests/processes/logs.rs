//! What members say, in their logs and in their status.

use crate::Test;
use crate::hosts::{CALM, Hosts, terminate, until};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;

pub(crate) const TESTS: &[Test] = &[
    ("a_member_whose_log_is_not_read_goes_on_and_counts_the_lost_lines", unread),
    ("a_member_says_what_keeps_it_from_others_and_that_its_record_is_gone", said),
];

/// Whether this is a socket to which those may connect.
fn socket_has(path: &Path, permissions: u32) -> bool {
    fs::metadata(path).is_ok_and(|file| {
        file.file_type().is_socket() && file.permissions().mode() & 0o777 == permissions
    })
}

/// At the most talkative level the pipe is full within a second.
fn unread() {
    let hosts = Hosts::with(CALM);
    let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
    let serve = ["serve", "--config", &config, "--socket", &socket, "--log", "trace"];
    let mut member = hosts.tenure(&serve, 1).stderr(Stdio::piped()).spawn().unwrap();
    until("its user alone may lead", || socket_has(&hosts.path("1.socket"), 0o600));
    until("lines are lost, and the member says so", || {
        let status = hosts.json(&["status"], 1);
        let warnings = status["state"]["warnings"].as_array().unwrap();
        warnings.iter().any(|it| it.as_str().unwrap().contains("lines of the log were lost"))
    });
    terminate(&member);
    assert!(member.wait().unwrap().success(), "it ends in order, too");
}

fn said() {
    let hosts = Hosts::with(CALM);
    let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
    let serve = ["serve", "--config", &config, "--socket", &socket, "--socket-mode", "660"];
    let mut member = hosts.tenure(&serve, 1).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(member.stderr.take().unwrap()).lines();
    let mut log = |says: &str| {
        let said = lines.find(|line| line.as_ref().unwrap().contains(says));
        assert!(said.is_some(), "{says:?} is not said");
    };
    log("there is no record: this member grants nothing until");
    until("its group may lead, too", || socket_has(&hosts.path("1.socket"), 0o660));
    log("no other member can be reached");
    let warned = |says: &str| {
        let status = hosts.json(&["status"], 1);
        let warnings = status["state"]["warnings"].as_array().unwrap();
        warnings.iter().any(|it| it.as_str().unwrap().contains(says))
    };
    until("the status says so, too", || warned("no other member can be reached: host-2: "));
    // The socket comes back with its folder.
    let socket = hosts.path("1.socket");
    fs::remove_file(&socket).unwrap();
    until("the socket is made again", || socket_has(&socket, 0o660));
    log("was gone, and is made again");
    assert!(hosts.json(&["status"], 1)["state"]["certificate_end"].as_u64().is_some());
    terminate(&member);
    assert!(member.wait().unwrap().success());
}
