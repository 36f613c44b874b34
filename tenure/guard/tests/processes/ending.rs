//! The end of a tenure.

use crate::world::{Member, Test, families, script};
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("a_command_may_stop_in_order", in_order),
    ("a_command_that_ignores_sigterm_is_killed_with_its_family", ignored),
    ("a_shell_that_dies_at_once_does_not_end_the_stop_of_its_child", child_of_shell),
    ("a_command_is_gone_before_the_leadership_ends", expiry),
    ("a_command_that_outlives_the_leadership_is_told", outlived),
    ("a_stop_time_lets_a_command_stop_after_the_leadership_has_ended", stop_time),
    ("and_no_longer", stop_time_over),
    ("a_leadership_that_is_over_starts_nothing", too_late),
    ("while_it_stops_the_leadership_can_be_prolonged", prolonged),
];

const TRAP: &str = "trap 'sleep 0.2; echo stopped >end; exit 0' TERM; echo up >up; \
    while :; do sleep 0.01; done";

fn in_order() {
    let mut member = Member::start(&script("in-order", TRAP));
    member.lead(10_000);
    member.until_file("up");
    member.order("end 20000");
    member.expect("ended");
    assert_eq!(member.file("end"), "stopped\n");
    member.expect_nothing_left();
}

fn ignored() {
    for workload in families("ignored") {
        let mut member = Member::start(&workload);
        member.lead(10_000);
        member.until_file("family");
        assert!(member.processes().len() >= 6);
        member.order("end 300");
        member.expect("killed");
        member.expect_nothing_left();
    }
}

fn child_of_shell() {
    // As in consul 2022: the shell goes, its child is still writing.
    let text = format!(
        "sh -c '{}' & echo $! >pid; wait",
        TRAP.replace('\'', "\"'\"").replace("\"'\"", "\"")
    );
    let mut member = Member::start(&script("child-of-shell", &text));
    member.lead(10_000);
    member.until_file("up");
    member.order("end 20000");
    member.expect("ended");
    assert_eq!(member.file("end"), "stopped\n");
}

fn expiry() {
    for mut workload in families("expiry") {
        // Leaves time for a slow machine.
        workload.margin = Duration::from_secs(8);
        let mut member = Member::start(&workload);
        member.order("begin 7 10000");
        member.expect("started");
        // Not `late`: all is reaped, and the leadership is still valid.
        let line = member.line();
        assert!(line == "killed" || line == "lost", "{line}");
        member.expect_nothing_left();
    }
}

fn outlived() {
    let mut workload = script("outlived", "sleep 1000");
    workload.margin = Duration::ZERO;
    let mut member = Member::start(&workload);
    member.order("begin 7 500");
    member.expect("started");
    let line = member.line();
    assert!(line == "killed late outlived" || line == "lost", "{line}");
}

fn stop_time() {
    let mut workload = script("stop-time", TRAP);
    workload.stop = Duration::from_secs(20);
    let mut member = Member::start(&workload);
    member.order("begin 7 1000");
    member.expect("started");
    let line = member.line();
    assert!(line.starts_with("ended"), "{line}");
    assert_eq!(member.file("end"), "stopped\n");
}

fn stop_time_over() {
    for mut workload in families("stop-time-over") {
        workload.stop = Duration::from_millis(300);
        let mut member = Member::start(&workload);
        member.order("begin 7 2000");
        member.expect("started");
        let line = member.line();
        assert!(line.starts_with("killed") || line == "lost", "{line}");
        member.expect_nothing_left();
    }
}

fn too_late() {
    let mut member = Member::start(&script("too-late", "echo ran >ran; sleep 1000"));
    member.order("begin 7 0");
    let line = member.line();
    assert!(line.starts_with("ended"), "{line}");
    // The guard goes on.
    member.lead(10_000);
    member.until_file("ran");
    assert_eq!(member.file("ran"), "ran\n");
}

fn prolonged() {
    let text =
        "trap 'sleep 3; echo stopped >end; exit 0' TERM; echo up >up; while :; do sleep 0.01; done";
    let mut member = Member::start(&script("prolonged", text));
    member.lead(2_000);
    member.until_file("up");
    member.order("end 20000");
    member.expect("ended");
    assert_eq!(member.file("end"), "stopped\n");
}
