//! Members and guards that die or stand still.

use crate::world::{Member, Test, children, eventually, exists, families, script, signal};
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("when_the_member_is_killed_the_whole_family_dies", member_killed),
    ("when_the_member_is_killed_a_stop_time_still_counts", member_killed_with_stop),
    ("when_the_member_stands_still_the_family_dies_at_the_deadline", member_suspended),
    ("when_the_guard_is_killed_the_member_ends_the_family", guard_killed),
    ("when_the_guard_stands_still_the_member_ends_the_family_at_the_deadline", guard_suspended),
    ("sigterm_to_the_guard_does_nothing", guard_terminated),
    ("when_both_are_killed_the_command_dies", both_killed),
    ("what_two_killed_left_dies_when_the_next_guard_starts", left_behind),
    ("what_waits_to_become_the_command_dies_with_its_guard", prepared),
    ("a_kept_descriptor_outlives_the_family", kept),
    ("a_guard_whose_lease_file_cannot_be_written_kills_in_time", lease_stands_still),
];

fn member_killed() {
    for workload in families("member-killed") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        member.kill();
        member.until_gone();
        eventually("the guard ends", || !exists(member.guard));
    }
}

/// Acts like a disk that stands still: to open a pipe without a reader blocks.
fn lease_stands_still() {
    let text = "echo $TENURE_LEASE >path.new; mv path.new path; sleep 1000";
    let mut member = Member::start(&script("lease-stands-still", text));
    member.lead(3_000);
    member.until_file("path");
    let new = format!("{}.new", member.file("path").trim());
    // Now and then the guard writes to a file of this name.
    eventually("the pipe is there", || {
        Command::new("mkfifo").arg(&new).stderr(Stdio::null()).status().unwrap().success()
    });
    sleep(Duration::from_millis(100));
    member.kill();
    member.until_gone();
    eventually("the guard ends", || !exists(member.guard));
}

fn member_killed_with_stop() {
    let text = "trap 'sleep 0.3; echo stopped >end; exit 0' TERM; echo up >up; while :; do sleep 0.01; done";
    let mut workload = script("member-killed-with-stop", text);
    workload.stop = Duration::from_secs(20);
    let mut member = Member::start(&workload);
    member.lead(60_000);
    member.until_file("up");
    member.kill();
    member.until_gone();
    assert_eq!(member.file("end"), "stopped\n");
}

fn member_suspended() {
    for workload in families("member-suspended") {
        let mut member = Member::start(&workload);
        member.lead(3_000);
        member.until_file("family");
        let pid = i32::try_from(member.child.id()).unwrap();
        signal("STOP", pid);
        member.until_gone();
        assert!(exists(member.guard));
        signal("CONT", pid);
        // The guard has done it, and is not lost.
        let line = member.line();
        assert!(line.starts_with("killed"), "{line}");
    }
}

fn guard_killed() {
    for workload in families("guard-killed") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        signal("KILL", member.guard);
        member.expect("lost");
        member.expect_nothing_left();
        member.meet_guard();
        // It leads again, with another guard.
        member.lead(60_000);
    }
}

fn guard_suspended() {
    for workload in families("guard-suspended") {
        let mut member = Member::start(&workload);
        member.order("begin 7 5000");
        member.expect("started");
        member.until_file("family");
        signal("STOP", member.guard);
        member.expect("lost");
        member.expect_nothing_left();
    }
}

fn guard_terminated() {
    let mut member = Member::start(&script("guard-terminated", "echo up >up; exec sleep 1000"));
    member.lead(60_000);
    member.until_file("up");
    for name in ["TERM", "INT", "HUP", "QUIT"] {
        signal(name, member.guard);
    }
    member.order("end 10000");
    member.expect("ended");
    assert!(exists(member.guard));
}

fn both_killed() {
    let mut member =
        Member::start(&script("both-killed", "echo $$ >pid; while :; do sleep 0.1; done"));
    member.lead(60_000);
    member.until_file("pid");
    member.kill_with_guard();
    member.until_gone();
}

fn prepared() {
    let text = "echo ran >ran; sleep 1000";
    // The guard ends in order, is killed, and is killed together with the member.
    let ends =
        [Member::kill, |member: &mut Member| signal("KILL", member.guard), Member::kill_with_guard];
    for end in ends {
        let mut member = Member::start(&script("prepared", text));
        let waiting = children(member.guard);
        assert_eq!(waiting.len(), 1, "{waiting:?}");
        end(&mut member);
        eventually("it dies", || !exists(waiting[0]));
        assert_eq!(member.file("ran"), "");
    }
}

fn left_behind() {
    for workload in families("left-behind") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        member.kill_with_guard();
        let left = member.processes();
        let next = Member::start(&workload);
        // Not guaranteed without a control group: then the processes cannot be attributed.
        assert_eq!(next.processes().is_empty(), next.no_cgroup.is_none(), "{left:?}");
        for pid in next.processes() {
            signal("KILL", pid);
        }
    }
}

fn kept() {
    for workload in families("kept") {
        let mut member = Member::start(&workload);
        let pipe = member.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        member.order(&format!("keep {}", pipe.display()));
        // `open` returns once the member has opened it, too.
        let mut end = std::fs::File::open(&pipe).unwrap();
        member.lead(60_000);
        member.until_file("family");
        member.kill();
        let mut word = String::new();
        end.read_to_string(&mut word).unwrap();
        assert_eq!(word, "reaped");
        member.expect_nothing_left();
    }
}
