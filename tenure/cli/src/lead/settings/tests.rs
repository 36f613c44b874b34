use super::*;

#[test]
fn commands_are_found_as_a_shell_finds_them() {
    for (name, is) in [("sh", true), ("/bin/sh", true), ("no-such-program", false), ("", false)] {
        assert_eq!(program_file(OsStr::new(name)).is_some(), is, "{name}");
    }
    assert!(program_file(OsStr::new("/etc/passwd")).or(program_file(OsStr::new("/bin"))).is_none());
}

#[test]
fn a_margin_with_which_a_command_would_never_run_is_refused() {
    let ms = Duration::from_millis;
    let fits = |margin, heartbeat, lease| {
        margin_fits(
            margin,
            &LeaseTiming { heartbeat: ms(heartbeat), lease: ms(lease), ..LeaseTiming::LAN },
        )
        .map(|left| left.as_millis())
    };
    for (margin, heartbeat, lease, left) in
        [(20, 50, 250, 154), (1, 2, 6, 1), (173, 50, 250, 1), (20, 400, 2000, 1379)]
    {
        assert_eq!(fits(ms(margin), heartbeat, lease), Ok(left), "{margin} {heartbeat} {lease}");
    }
    for (margin, heartbeat, lease) in [
        (250, 50, 250),
        (300, 50, 250),
        (198, 50, 250),
        (174, 50, 250),
        (20, 5, 20),
        (2, 1, 2),
        (20, 1, 2),
    ] {
        let why = fits(ms(margin), heartbeat, lease).unwrap_err();
        assert!(why.starts_with("--margin ") && why.contains("Take less than "), "{why}");
    }
    // Shorter than a timer is precise.
    assert!(fits(Duration::from_micros(999), 50, 250).unwrap_err().contains("1ms or more"));
}
