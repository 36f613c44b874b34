//! The time in which a command runs.

use crate::world::{Member, Test, script};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("a_command_knows_what_it_leads", environment),
    ("a_file_and_a_socket_say_how_long_the_leadership_is_valid", lease),
    ("a_shell_script_can_tell_how_long_it_leads", shell),
    (
        "where_uptime_is_virtualized_a_shell_that_reads_it_never_leads_and_another_one_does",
        container,
    ),
    ("a_shell_in_another_time_namespace_never_leads", time_namespace),
    ("a_command_is_the_leader_of_its_process_group_and_reads_nothing", group),
    ("a_guard_has_a_higher_priority_than_its_command_where_it_may", priority),
    ("a_command_that_ends_leaves_nothing_behind_and_can_run_again", again),
    ("a_command_that_is_not_there_is_refused", absent),
    ("a_member_can_lead_many_times", many),
    ("a_guard_sleeps_while_a_probe_or_a_hook_runs", sleeps),
    ("probes_tell_whether_they_succeed", probes),
];

fn environment() {
    let mut workload = script("environment", "env >env.new; mv env.new env; exec sleep 1000");
    workload.member = "host-a".to_owned();
    // As long as a value can be, and twice as long in the packets to the guard's processes.
    workload.value = "\"".repeat(4096);
    let mut member = Member::start(&workload);
    member.lead(10_000);
    member.until_file("env");
    let environment = member.file("env");
    let office = format!("TENURE_OFFICE={}", workload.office);
    let value = format!("TENURE_VALUE={}", workload.value);
    for line in [office.as_str(), "TENURE_TERM=7", "TENURE_MEMBER=host-a", value.as_str()] {
        assert!(environment.lines().any(|found| found == line), "{line} in {environment}");
    }
}

fn lease() {
    let text = "echo $TENURE_LEASE $TENURE_LEASE_SOCKET >paths.new; mv paths.new paths; sleep 1000";
    let mut member = Member::start(&script("lease", text));
    member.lead(3_600_000);
    member.until_file("paths");
    let paths = member.file("paths");
    let (file, socket) = paths.trim().split_once(' ').unwrap();
    let until = |text: &str| text.split(' ').next().unwrap().parse::<f64>().unwrap();
    let first = std::fs::read_to_string(file).unwrap();
    let line = format!(" 7 {}", member.office);
    assert!(first.lines().next().unwrap().ends_with(&line), "{first}");
    assert!(tenure_guard::certain_for(file.as_ref()).unwrap() > Duration::from_secs(3000));
    crate::world::eventually("the leadership is prolonged", || {
        until(&std::fs::read_to_string(file).unwrap()) > until(&first)
    });
    let mut answer = String::new();
    UnixStream::connect(socket).unwrap().read_to_string(&mut answer).unwrap();
    assert!(until(&answer) > 3_000.0 && until(&answer) <= 3_600.0, "{answer}");
    assert!(answer.ends_with(&format!(" 7 {}\n", member.office)), "{answer}");
    member.order("end 0");
    assert!(member.line().starts_with("killed"));
    crate::world::eventually("the file is removed", || !std::path::Path::new(file).exists());
}

/// Tells by `/proc/uptime`, as scripts of earlier versions do.
const BY_UPTIME: &str = r#"
by_uptime() {
    read -r until term office <"$TENURE_LEASE" && read -r now _ </proc/uptime &&
        awk -v until="$until" -v now="$now" 'BEGIN { exit !(until > now) }'
}
"#;

/// Returns the function `leads` of the guide, which needs no `tenure`.
fn leads() -> &'static str {
    let guide = include_str!("../../../../docs/use/lead.md");
    let mut blocks = guide.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.find(|block| block.contains("leads() {") && block.contains("TENURE_LEASE")).unwrap()
}

/// A command that tells how long it leads, in both ways.
fn telling() -> String {
    let told = "by_uptime && echo uptime >>told; leads && echo leads >>told; echo end >>told";
    format!("{BY_UPTIME}{}{told}; sleep 1000", leads())
}

fn until_told(member: &Member) -> String {
    crate::world::eventually("it tells", || member.file("told").ends_with("end\n"));
    member.file("told")
}

fn shell() {
    let over = "until ! leads && ! by_uptime; do sleep 0.1; done; echo over >over";
    let text = format!("trap '' TERM; {}", telling().replace("sleep 1000", over));
    let mut workload = script("shell", &text);
    // Long enough to see that the leadership is over.
    workload.stop = Duration::from_secs(60);
    let mut member = Member::start(&workload);
    member.order("begin 7 3000");
    member.expect("started");
    assert_eq!(until_told(&member), "uptime\nleads\nend\n");
    let line = member.line();
    assert!(line.starts_with("ended"), "{line}");
    assert_eq!(member.file("over"), "over\n");
}

fn container() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("uptime"), "5.00 1.00\n").unwrap();
    // Shows the start of the container, as lxcfs does.
    let by = ["unshare", "-m", "sh", "-c", "mount --bind uptime /proc/uptime && exec \"$@\"", "sh"];
    if !can(&by, folder.path()) {
        eprintln!("skipped: no mount over /proc/uptime can be made here");
        return;
    }
    let mut member = Member::start_by(&by, folder, &script("container", &telling()));
    member.order("begin 7 3600000");
    let line = member.line();
    assert!(line.starts_with("failed /proc/uptime shows another clock"), "{line}");
    member.expect("started");
    assert_eq!(until_told(&member), "leads\nend\n");
}

fn time_namespace() {
    // There it is an hour earlier.
    let by = ["unshare", "--time", "--fork", "--boottime", "-3600", "sh", "-c"];
    let folder = tempfile::TempDir::new().unwrap();
    if !can(&[&by[..], &["exec \"$@\"", "sh"]].concat(), folder.path()) {
        eprintln!("skipped: no time namespace can be made here");
        return;
    }
    let mut workload = script("time-namespace", "");
    workload.command = by.iter().map(Into::into).collect();
    workload.command.push(telling().into());
    let mut member = Member::start_by(&["env"], folder, &workload);
    member.lead(3_600_000);
    // Nothing tells a script that reads /proc/uptime there.
    assert!(!until_told(&member).contains("leads"));
}

/// Whether a command can be executed by this one.
fn can(by: &[&str], folder: &std::path::Path) -> bool {
    let mut command = std::process::Command::new(by[0]);
    command.args(&by[1..]).arg("true").current_dir(folder);
    command.output().is_ok_and(|output| output.status.success())
}

fn group() {
    let text = r#"cat >read; read -r stat <"/proc/$$/stat"; echo "$$ $stat" >stat.new; mv stat.new stat
        sleep 1000"#;
    let mut member = Member::start(&script("group", text));
    member.lead(10_000);
    member.until_file("stat");
    let stat = member.file("stat");
    let fields: Vec<_> = stat.split(' ').collect();
    // pid, then pid (comm) state ppid pgrp.
    assert_eq!(fields[0], fields[5], "{stat}");
    assert_eq!(member.file("read"), "");
}

fn priority() {
    let nice = |pid: i32| -> i32 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(16).unwrap().parse().unwrap()
    };
    let usual = nice(i32::try_from(std::process::id()).unwrap());
    let mut member =
        Member::start(&script("priority", "echo $$ >pid.new; mv pid.new pid; sleep 9"));
    member.lead(10_000);
    member.until_file("pid");
    assert_eq!(nice(member.file("pid").trim().parse().unwrap()), usual);
    let guard = nice(member.guard);
    if rustix::process::geteuid().is_root() {
        assert_eq!(guard, -20);
    } else {
        assert!(guard <= usual);
    }
}

fn again() {
    let text = "echo run >>runs; setsid sleep 1000 & exit 3";
    let mut member = Member::start(&script("again", text));
    for _ in 0..3 {
        member.lead(10_000);
        member.expect("exited exit code 3 and left 1");
        member.expect_nothing_left();
    }
    member.order("end 1000");
    member.expect("ended");
    assert_eq!(member.file("runs"), "run\nrun\nrun\n");
}

fn absent() {
    let mut workload = script("absent", "");
    workload.command = vec!["/no/such/program".into()];
    let mut member = Member::start(&workload);
    member.order("begin 7 10000");
    let line = member.line();
    assert!(line.starts_with("refused /no/such/program: No such file"), "{line}");
    member.order("end 1000");
    member.expect("ended");
}

fn many() {
    let mut member = Member::start(&script("many", "echo $TENURE_TERM >>terms; exec sleep 1000"));
    for term in 1..=5 {
        member.order(&format!("begin {term} 10000"));
        member.expect("started");
        crate::world::eventually("the command writes", || {
            member.file("terms").lines().count() == term
        });
        member.order("end 10000");
        member.expect("ended");
    }
    assert_eq!(member.file("terms"), "1\n2\n3\n4\n5\n");
}

fn sleeps() {
    let ticks = |pid: i32| -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let mut workload = script("sleeps", "exec sleep 1000");
    workload.health = Some("sleep 1".to_owned());
    workload.on_win = Some("sleep 1".to_owned());
    let mut member = Member::start(&workload);
    let before = ticks(member.guard);
    member.lead(100_000);
    member.order("probe health");
    member.expect("probed well");
    // Of the 200 in these two seconds.
    let used = ticks(member.guard) - before;
    assert!(used < 60, "{used} ticks");
}

fn probes() {
    let mut workload = script("probes", "exec sleep 1000");
    workload.ready = Some("test -e fit".to_owned());
    workload.health = Some("sleep 1000 & sleep 1000".to_owned());
    workload.probe_limit = Duration::from_millis(300);
    let mut member = Member::start(&workload);
    member.order("probe ready");
    member.expect("probed: it ended with exit code 1");
    std::fs::write(member.path("fit"), "").unwrap();
    member.order("probe ready");
    member.expect("probed well");
    member.order("begin 7 100000");
    member.expect("started");
    member.order("probe health");
    member.expect("probed: it took more than 300ms");
    member.order("end 10000");
    member.expect("ended");
    member.expect_nothing_left();
}
