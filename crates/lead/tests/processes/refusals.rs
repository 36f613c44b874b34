//! Invalid input gets one message: what is wrong, where, and what to do.

use crate::{Test, ended, suffrage};

pub(crate) const TESTS: &[Test] = &[
    ("wrong_command_lines_are_refused", wrong),
    ("without_a_member_there_is_something_to_do", no_member),
    ("a_script_that_cannot_be_read_is_refused_with_its_line", script),
];

fn wrong() {
    for (arguments, expected) in [
        (&["lead", "x"][..], "<COMMAND>"),
        (&["lead", "x", "--", "no-such-program"], "there is no program `no-such-program`"),
        (&["lead", "x", "--health", "https://x/", "--", "sh"], "curl --fail"),
        (&["lead", "x", "--interval", "0s", "--", "sh"], "it must be more than 0"),
        (&["lead", "x", "--stop", "soon", "--", "sh"], "--stop"),
        (&["lead", "x", "--on-exit", "explode", "--", "sh"], "release, restart, stop"),
    ] {
        let (code, out, err) = ended(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

fn no_member() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["status"][..], &["office", "list"], &["lead", "x", "--", "sh"]] {
        let mut process = suffrage(arguments);
        process.env_remove("SUFFRAGE_SOCKET").env("SUFFRAGE_SOCKETS", folder.path());
        let output = process.output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(
            err.contains("no member runs on this host") && err.contains("suffrage serve"),
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
