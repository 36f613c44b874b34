//! Members and guards that die or stand still.

use crate::world::{Member, Test, children, eventually, exists, families, script, signal};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tenure_guard::Workload;

pub(crate) const TESTS: &[Test] = &[
    ("when_the_member_is_killed_the_whole_family_dies", member_killed),
    ("when_the_member_is_killed_a_stop_time_still_counts", member_killed_with_stop),
    ("when_the_member_stands_still_the_family_dies_at_the_deadline", member_suspended),
    ("when_the_guard_is_killed_the_member_ends_the_family", guard_killed),
    ("when_the_guard_stands_still_the_member_ends_the_family_at_the_deadline", guard_suspended),
    (
        "a_guard_that_stands_still_while_the_office_is_held_is_noticed_at_the_deadline_that_it_knows",
        guard_silent,
    ),
    (
        "when_the_member_stands_still_and_the_guard_is_killed_its_keeper_ends_the_family",
        keeper_acts,
    ),
    ("when_the_member_stands_still_and_the_keeper_is_killed_the_guard_ends_the_family", guard_acts),
    ("when_the_member_is_killed_and_the_guard_stands_still_the_family_dies", guard_resumed),
    (
        "when_the_keeper_is_killed_the_family_dies_and_the_member_leads_on_with_another_one",
        keeper_killed,
    ),
    (
        "when_the_keeper_stands_still_and_the_guard_is_killed_the_member_ends_the_family",
        keeper_suspended,
    ),
    ("members_in_pid_namespaces_that_share_a_control_group_leave_each_other_alone", namespaces),
    ("a_member_that_sees_the_processes_of_another_namespace_starts_no_guard", other_proc),
    ("sigterm_to_the_guard_does_nothing", guard_terminated),
    ("a_descendant_gains_no_privileges_where_it_could_not_be_killed_then", set_uid),
    ("a_command_of_another_user_is_killed_where_that_is_allowed", other_user),
    ("when_both_are_killed_the_command_dies", both_killed),
    ("what_two_killed_left_dies_when_the_next_guard_starts", left_behind),
    ("what_waits_to_become_the_command_dies_with_its_guard", prepared),
    ("a_kept_descriptor_outlives_the_family", kept),
    ("a_guard_whose_lease_file_cannot_be_written_kills_in_time", lease_stands_still),
    ("at_a_thread_limit_member_and_guard_go_on_say_so_once_and_try_again", thread_limit),
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
        // The guard has done it, and is not lost: it reports that before it removes the lease.
        assert!(exists(member.guard));
        let lease = member.file("lease");
        eventually("the guard has reported", || !Path::new(lease.trim()).exists());
        signal("CONT", pid);
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

fn keeper_acts() {
    for workload in families("keeper-acts") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        member.suspend();
        signal("KILL", member.guard);
        member.until_gone();
    }
}

fn guard_acts() {
    for workload in families("guard-acts") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        let keeper = member.keeper();
        member.suspend();
        signal("KILL", keeper);
        member.until_gone();
    }
}

fn guard_resumed() {
    for workload in families("guard-resumed") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        signal("STOP", member.guard);
        member.kill();
        member.until_gone();
        eventually("the guard ends", || !exists(member.guard));
    }
}

fn keeper_killed() {
    for workload in families("keeper-killed") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        signal("KILL", member.keeper());
        // The guard may report it, or be gone before that.
        let mut line = member.line();
        if line.starts_with("killed") || line.starts_with("ended") {
            line = member.line();
        }
        assert_eq!(line, "lost");
        member.expect_nothing_left();
        member.meet_guard();
        member.lead(60_000);
    }
}

fn keeper_suspended() {
    for workload in families("keeper-suspended") {
        let mut member = Member::start(&workload);
        member.lead(60_000);
        member.until_file("family");
        signal("STOP", member.keeper());
        signal("KILL", member.guard);
        member.expect("lost");
        member.expect_nothing_left();
    }
}

/// The member goes on prolonging what the guard does not hear.
fn guard_silent() {
    for workload in families("guard-silent") {
        let mut member = Member::start(&workload);
        member.lead(3_000);
        member.until_file("family");
        signal("STOP", member.guard);
        member.expect("lost");
        member.expect_nothing_left();
    }
}

/// A user without privileges.
const OTHER_USER: [&str; 6] = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];

/// Makes a folder with a program that becomes root for any user; `None` if that cannot be.
fn folder_with_become() -> Option<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::TempDir::new().unwrap();
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    allow(folder.path(), 0o777);
    let path = folder.path().join("become");
    std::fs::copy("/usr/bin/setpriv", &path).ok()?;
    allow(&path, 0o4755);
    let arguments = ["./become", "--reuid", "0", "id", "-u"];
    let mut command = Command::new(OTHER_USER[0]);
    command.args(&OTHER_USER[1..]).args(arguments).current_dir(folder.path());
    let done = command.output().ok()?;
    (done.stdout == b"0\n").then_some(folder)
}

fn set_uid() {
    let Some(folder) = folder_with_become() else {
        eprintln!("skipped: no program can become root here");
        return;
    };
    let text = "(setsid ./become --reuid 0 sleep 1000 || echo refused >>refused) & \
                ./become --reuid 0 sleep 1000 || echo refused >>refused; sleep 1000";
    let workload = Workload { cgroup: false, ..script("set-uid", text) };
    let mut member = Member::start_by(&OTHER_USER, folder, &workload);
    assert!(!member.unkillable);
    member.lead(60_000);
    eventually("both are refused", || member.file("refused").lines().count() == 2);
    member.order("end 0");
    member.expect("killed");
    member.expect_nothing_left();

    // The command itself is one: said before it is started.
    let folder = folder_with_become().unwrap();
    let mut workload = script("set-uid-itself", "");
    workload.command = ["./become", "--reuid", "0", "sleep", "1000"].map(Into::into).to_vec();
    workload.cgroup = false;
    assert!(Member::start_by(&OTHER_USER, folder, &workload).unkillable);
}

fn other_user() {
    let mut workload = script("other-user", "");
    let sleep = ["sh", "-c", "echo up >up; sleep 1000 & sleep 1000"];
    workload.command = OTHER_USER.iter().chain(&sleep).map(Into::into).collect();
    workload.cgroup = false;
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become another user");
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .unwrap();
    let mut member = Member::start_by(&["env"], folder, &workload);
    assert!(!member.unkillable);
    member.lead(60_000);
    member.until_file("up");
    member.order("end 0");
    member.expect("killed");
    member.expect_nothing_left();
}

/// A user that has no other processes, so that a limit is reached at once; root has none.
const LONELY_USER: [&str; 6] =
    ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"];

/// Sets how many processes and threads this user may have, to these processes of it.
fn allow(count: u32, processes: &[i32]) -> bool {
    processes.iter().all(|pid| {
        // As that user, which may set the soft limit, where root may not.
        let limit = ["prlimit".to_owned(), format!("--pid={pid}"), format!("--nproc={count}:")];
        let mut command = Command::new(LONELY_USER[0]);
        command.args(&LONELY_USER[1..]).args(limit);
        command.status().is_ok_and(|status| status.success())
    })
}

fn thread_limit() {
    if !rustix::process::geteuid().is_root()
        || !Command::new("prlimit").arg("--version").output().is_ok_and(|it| it.status.success())
    {
        eprintln!("skipped: only root can become another user and limit its threads");
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), mode).unwrap();
    let workload = script("thread-limit", "echo up >up; sleep 1000");
    let mut member = Member::start_by(&LONELY_USER, folder, &workload);
    let own = i32::try_from(member.child.id()).unwrap();
    member.order("begin 7 60000");
    member.expect("started");
    member.until_file("up");
    assert!(allow(1, &[own, member.keeper(), member.guard]));
    // The lease's file is written by a thread, from the first renewal on.
    member.order("hold 60000");
    let line = member.line();
    assert!(line.starts_with("failed TENURE_LEASE says less than is certain: no thread"), "{line}");
    sleep(Duration::from_millis(200));
    // So is what a lost guard left behind killed by one, mostly.
    signal("KILL", member.guard);
    member.expect("lost");
    member.expect_nothing_left();
    sleep(Duration::from_millis(200));
    assert!(member.child.try_wait().unwrap().is_none(), "the member lives");
    assert!(allow(10_000, &[own]));
    member.meet_guard();
    member.lead(60_000);
    member.order("end 0");
    member.expect("killed");
}

const NAMESPACE: [&str; 5] = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];

fn namespaces() {
    let works = Command::new(NAMESPACE[0]).args(&NAMESPACE[1..]).arg("true").output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no PID namespace can be made here");
        return;
    }
    let Some(workload) = families("namespaces").into_iter().find(|workload| workload.cgroup) else {
        return;
    };
    let start = || Member::start_by(&NAMESPACE, tempfile::TempDir::new().unwrap(), &workload);
    // Each numbers its own processes, among which are some that end soon.
    let same = |members: &[Member; 2]| members[0].guard == members[1].guard;
    let mut members =
        (0..20).map(|_| [start(), start()]).find(same).expect("two guards of the same number");
    for member in &mut members {
        member.lead(60_000);
        member.until_file("family");
    }
    let both = members[0].processes().len();
    members[0].order("end 0");
    members[0].expect("killed");
    let left = members[1].processes().len();
    assert!(left >= 6 && left < both, "{left} of {both}");
    members[1].order("end 0");
    members[1].expect("killed");
    members[1].expect_nothing_left();
}

fn other_proc() {
    let by = &NAMESPACE[..NAMESPACE.len() - 1];
    let mut member = Command::new(by[0]);
    member.args(&by[1..]).arg(std::env::current_exe().unwrap()).arg("__member");
    member.arg(serde_json::to_string(&script("other-proc", "")).unwrap()).arg("true");
    let output = member.stdin(Stdio::null()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    if !err.contains("panicked") {
        eprintln!("skipped: no PID namespace can be made here");
        return;
    }
    assert!(err.contains("/proc shows the processes of another PID namespace"), "{err}");
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
