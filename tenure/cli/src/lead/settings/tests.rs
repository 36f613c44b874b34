use super::*;

#[test]
fn commands_are_found_as_a_shell_finds_them() {
    for (name, is) in [("sh", true), ("/bin/sh", true), ("no-such-program", false), ("", false)] {
        assert_eq!(is_program(OsStr::new(name)), is, "{name}");
    }
    assert!(!is_program(OsStr::new("/etc/passwd")) && !is_program(OsStr::new("/bin")));
}
