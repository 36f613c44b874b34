//! Invalid input gets one message: what is wrong, where, and what to do.

use crate::hosts::{Hosts, Programs};
use crate::{Test, ended, tenure};
use std::fs;
use std::io::Read;
use std::process::Stdio;

pub(crate) const TESTS: &[Test] = &[
    ("the_name_of_an_office_has_no_control_characters", wrong),
    ("a_configuration_that_cannot_be_used_is_refused_as_one", unusable),
    ("what_a_member_refuses_for_good_is_not_tried_again", for_good),
    ("without_a_member_there_is_something_to_do", no_member),
    ("a_script_that_cannot_be_read_is_refused_with_its_line", script),
];

fn wrong() {
    let (code, out, err) = ended(&["lead", "a\nb", "--", "sh"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("`a\\nb` cannot name an office"), "{err}");
}

fn unusable() {
    let hosts = Hosts::new();
    let refused = |arguments: &[&str], expected: &str| {
        let output = hosts.tenure(arguments, 1).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains("1.toml: line "), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    };
    let file = hosts.text("1.toml");
    let each = |expected: &str| {
        refused(&["serve", "--config", &file], expected);
        refused(&["lead", "job", "--config", &file, "--", "/bin/true"], expected);
    };
    let right = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{right}[http]\nlisten = \"127.0.0.1:0\"\ntoken = \"ca.pem.not\"\n"))
        .unwrap();
    each("http.token");
    fs::write(&file, right.replace("member-host-1.pem", "client-web.pem")).unwrap();
    each("tls: ");
    fs::write(&file, &right).unwrap();
    fs::write(hosts.path("member-host-1-key.pem"), "no key").unwrap();
    each("tls: ");
    fs::remove_file(hosts.path("member-host-1.pem")).unwrap();
    each("member-host-1.pem");
}

fn for_good() {
    let mut hosts = Hosts::new();
    for host in 1..=3 {
        let file = hosts.path(&format!("{host}.toml"));
        let text = fs::read_to_string(&file).unwrap();
        let name = "name = \"host-1\"\n";
        fs::write(&file, text.replace(name, &format!("{name}witness = true\n"))).unwrap();
    }
    hosts.serve();
    let lead = |hosts: &Hosts, flags: &[&str]| {
        let arguments = [&["lead", "job"], flags, &["--", "/bin/true"]].concat();
        let mut command = hosts.tenure(&arguments, 1);
        command.stderr(Stdio::piped());
        let mut program = Programs(vec![command.spawn().unwrap()]);
        let mut err = String::new();
        program.0[0].stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(err.contains("witness"), "{err}");
        assert_eq!(program.0[0].wait().unwrap().code(), Some(2), "{err}");
    };
    lead(&hosts, &[]);
    hosts.kill(1);
    lead(&hosts, &["--config", &hosts.text("1.toml"), "--socket", &hosts.text("1.socket")]);
}

fn no_member() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["status"][..], &["office", "list"], &["lead", "x", "--", "sh"]] {
        let mut process = tenure(arguments);
        process.env_remove("TENURE_SOCKET").env("TENURE_SOCKETS", folder.path());
        let output = process.output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(
            err.contains("no member runs on this host") && err.contains("tenure serve"),
            "{err}"
        );
    }
    let (code, _, err) = ended(&["status", "--socket", "/no/such/socket"]);
    assert_eq!(
        (code, err.as_str()),
        (1, "error: the socket /no/such/socket: no member listens there\n")
    );
}

fn script() {
    let (code, _, err) = ended(&["demo", "--steps", "heal\nexplode"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("error: line 2: `explode` is no step"), "{err}");
}
