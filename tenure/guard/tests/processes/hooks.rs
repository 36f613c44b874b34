//! Hooks: one after the other, and each to its end.

use crate::world::{Member, Test, eventually, script};
use std::time::Duration;
use tenure_guard::Workload;

pub(crate) const TESTS: &[Test] = &[
    ("hooks_run_before_and_after_the_command", order),
    ("the_last_hook_runs_also_when_the_member_was_killed", member_killed),
    ("a_first_hook_that_fails_keeps_the_command_from_starting", fails),
    ("a_hook_that_hangs_is_killed_at_its_limit", hangs),
    ("a_first_hook_is_killed_with_the_tenure", killed_in_hook),
];

fn hooked(name: &str, command: &str) -> Workload {
    let mut workload = script(name, command);
    workload.on_win = Some("sleep 0.1; echo win $TENURE_TERM >>log".to_owned());
    workload.on_lose = Some("echo lose $TENURE_TERM >>log; sleep 0.1; echo lost >>log".to_owned());
    workload
}

const COMMAND: &str =
    "trap 'echo stop >>log; exit' TERM; echo run >>log; while :; do sleep 0.01; done";

fn order() {
    let mut member = Member::start(&hooked("order", COMMAND));
    member.lead(10_000);
    eventually("it runs", || member.file("log").contains("run"));
    member.order("end 10000");
    member.expect("ended");
    assert_eq!(member.file("log"), "win 7\nrun\nstop\nlose 7\nlost\n");
}

fn member_killed() {
    let mut member = Member::start(&hooked("hook-member-killed", COMMAND));
    member.lead(10_000);
    eventually("it runs", || member.file("log").contains("run"));
    member.kill();
    eventually("the hook runs", || member.file("log").contains("lost"));
    // Killed: there was no `stop`.
    assert_eq!(member.file("log"), "win 7\nrun\nlose 7\nlost\n");
    member.until_gone();
}

fn fails() {
    let mut workload = hooked("fails", COMMAND);
    workload.on_win = Some("echo win >>log; exit 4".to_owned());
    let mut member = Member::start(&workload);
    member.order("begin 7 10000");
    member.expect("hook on-win: it ended with exit code 4");
    member.expect("refused the hook on-win: it ended with exit code 4");
    member.order("end 10000");
    member.expect("ended");
    assert_eq!(member.file("log"), "win\nlose 7\nlost\n");
}

fn hangs() {
    let mut workload = hooked("hangs", "exit 0");
    workload.hook_limit = Duration::from_millis(300);
    workload.on_lose = Some("(setsid sleep 1000 &) ; sleep 1000".to_owned());
    let mut member = Member::start(&workload);
    member.lead(10_000);
    member.expect("exited exit code 0");
    member.order("end 10000");
    member.expect("hook on-lose: it took more than 300ms");
    member.expect("ended");
    member.expect_nothing_left();
}

fn killed_in_hook() {
    let mut workload = hooked("killed-in-hook", COMMAND);
    workload.on_win = Some("echo win >>log; trap '' TERM; sleep 1000".to_owned());
    let mut member = Member::start(&workload);
    member.order("begin 7 100000");
    eventually("the hook runs", || !member.file("log").is_empty());
    member.order("end 300");
    member.expect("killed");
    assert_eq!(member.file("log"), "win\nlose 7\nlost\n");
    member.expect_nothing_left();
}
