//! Members on the loopback interface, each a process, with commands that compete for a lock of the
//! kernel, which is released when its holder dies.

use crate::{Test, tenure};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use suffrage_net::free;
use tempfile::TempDir;
use tenure_node::certificates::{Authority, CertificateSubject};

pub(crate) const TESTS: &[Test] = &[
    ("three_hosts_never_run_two_commands_whatever_befalls_them", befallen),
    ("a_member_serves_local_programs_and_operators", served),
    ("the_office_of_a_killed_leader_is_released_when_its_command_is_gone", killed),
    ("a_crash_notifier_that_is_killed_is_replaced", notifier_killed),
    ("the_command_of_a_killed_member_ends_and_its_office_is_released", member_killed),
    (
        "a_leader_whose_standard_error_is_not_read_keeps_no_office_whose_command_does_not_run",
        undrained,
    ),
    ("with_on_exit_stop_the_exit_code_is_the_command_s", on_exit),
];

/// The time limit for what must happen. No test measures a time.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A lease that outlasts the stalls of a busy machine. A crash notifier comes before it ends.
pub(crate) const CALM: &str =
    "profile = \"custom\"\ntiming = { heartbeat = \"50ms\", lease = \"3s\" }";

/// Waits until something holds.
pub(crate) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is() {
        assert!(begin.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// Asks a process to end.
pub(crate) fn terminate(process: &Child) {
    let pid = process.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
}

const JOB: &str = r#"#!/bin/sh
exec 9>>"$WORK/lock"
flock -n 9 || echo "OVERLAP $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log"
echo "start $TENURE_TERM $TENURE_MEMBER" >>"$WORK/log"
setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &
while :; do sleep 1; done
"#;

pub(crate) struct Hosts {
    folder: TempDir,
    authority: Authority,
    addresses: Vec<String>,
    processes: Vec<Option<Child>>,
}

impl Hosts {
    /// Writes the certificates and configurations of three members.
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// With these lines in each configuration.
    pub(crate) fn with(timing: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let addresses = free::addresses(3).unwrap();
        let mut members = String::new();
        for (name, address) in (1..).zip(&addresses) {
            write!(members, "[[members]]\nname = \"host-{name}\"\naddress = \"{address}\"\n")
                .unwrap();
        }
        for number in 1..=3 {
            let text = format!(
                "cluster = \"lab\"\ndata = \"record-{number}\"\n{timing}\n{members}[tls]\nauthority = \"ca.pem\"\n\
                 certificate = \"member-host-{number}.pem\"\nkey = \"member-host-{number}-key.pem\"\n"
            );
            fs::write(folder.path().join(format!("{number}.toml")), text).unwrap();
        }
        fs::write(folder.path().join("job"), JOB).unwrap();
        let addresses = addresses.iter().map(ToString::to_string).collect();
        let authority = Authority::new().unwrap();
        fs::write(folder.path().join("ca.pem"), authority.own().certificate).unwrap();
        let members = ["host-1", "host-2", "host-3"].map(CertificateSubject::Member);
        for subject in members
            .into_iter()
            .chain([CertificateSubject::Client("web"), CertificateSubject::Operator("alice")])
        {
            let own = authority.issue("lab", subject).unwrap();
            fs::write(folder.path().join(format!("{subject}.pem")), own.certificate).unwrap();
            fs::write(folder.path().join(format!("{subject}-key.pem")), own.key).unwrap();
        }
        let third = fs::read_to_string(folder.path().join("member-host-3.pem")).unwrap();
        let list = authority.revoke([third.as_str()]).unwrap();
        fs::write(folder.path().join("without-host-3.pem"), list).unwrap();
        Self { folder, authority, addresses, processes: vec![None, None, None] }
    }

    pub(crate) fn address(&self, host: usize) -> String {
        self.addresses[host - 1].clone()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Revokes the certificates in these files, and writes the list.
    pub(crate) fn revoke(&self, names: &[&str], list: &str) {
        let revoked = names.iter().map(|name| fs::read_to_string(self.path(name)).unwrap());
        let revoked: Vec<_> = revoked.collect();
        let revoked = self.authority.revoke(revoked.iter().map(String::as_str)).unwrap();
        fs::write(self.path(list), revoked).unwrap();
    }

    pub(crate) fn tenure(&self, arguments: &[&str], host: usize) -> Command {
        let mut process = tenure(arguments);
        // A terminal would mean that SIGHUP ends it.
        process.env("WORK", self.folder.path()).stdin(Stdio::null());
        process.env("TENURE_SOCKET", self.path(&format!("{host}.socket")));
        process
    }

    /// `tenure lead job`, as a member.
    pub(crate) fn lead(&mut self, host: usize) {
        let job = self.text("job");
        self.lead_with(host, &["/bin/sh", &job]);
    }

    /// `tenure lead job`, as a member, with another command.
    pub(crate) fn lead_with(&mut self, host: usize, command: &[&str]) {
        self.lead_by(host, &[], command);
    }

    /// `tenure lead job`, as a member, with more flags.
    pub(crate) fn lead_by(&mut self, host: usize, flags: &[&str], command: &[&str]) {
        let (config, socket) =
            (self.text(&format!("{host}.toml")), self.text(&format!("{host}.socket")));
        let own = ["lead", "job", "--config", &config, "--socket", &socket];
        let arguments = [&own, flags, &["--"], command].concat();
        self.processes[host - 1] = Some(self.tenure(&arguments, host).spawn().unwrap());
    }

    /// Starts `tenure serve` on all hosts, and waits until they are up.
    pub(crate) fn serve(&mut self) {
        for host in 1..=3 {
            self.serve_on(host);
        }
        let begin = Instant::now();
        for host in 1..=3 {
            while !self.path(&format!("{host}.socket")).exists() {
                assert!(begin.elapsed() < LIMIT, "host {host} does not come up");
                sleep(Duration::from_millis(20));
            }
        }
    }

    /// Starts `tenure serve` on a fourth host, which joins the cluster.
    pub(crate) fn join(&mut self) {
        let own = self.authority.issue("lab", CertificateSubject::Member("host-4")).unwrap();
        fs::write(self.path("member-host-4.pem"), own.certificate).unwrap();
        fs::write(self.path("member-host-4-key.pem"), own.key).unwrap();
        let address = free::addresses(1).unwrap()[0].to_string();
        let third = fs::read_to_string(self.path("3.toml")).unwrap();
        let (keys, _) = third.split_once("[[members]]").unwrap();
        let (_, tls) = third.split_once("[tls]").unwrap();
        let text = format!(
            "join = [\"{}\"]\n{keys}[[members]]\nname = \"host-3\"\naddress = \"{address}\"\n[tls]{tls}",
            self.address(1)
        );
        let text = text.replace("host-3", "host-4").replace("record-3", "record-4");
        fs::write(self.path("4.toml"), text).unwrap();
        self.addresses.push(address);
        self.processes.push(None);
        self.serve_on(4);
    }

    /// Starts `tenure serve` on a host.
    pub(crate) fn serve_on(&mut self, host: usize) {
        let config = self.text(&format!("{host}.toml"));
        let socket = self.text(&format!("{host}.socket"));
        let arguments = ["serve", "--config", &config, "--socket", &socket];
        self.processes[host - 1] = Some(self.tenure(&arguments, host).spawn().unwrap());
    }

    /// Kills a host's process.
    pub(crate) fn kill(&mut self, host: usize) {
        let mut process = self.processes[host - 1].take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// How often a crash notifier has released an office at this host.
    fn crash_releases(&self, host: usize) -> u64 {
        self.json(&["status"], host)["state"]["crash_releases"].as_u64().unwrap()
    }

    /// The process id of the crash notifier of a host's process, if it runs.
    fn crash_notifier(&self, host: usize) -> Option<String> {
        let parent = self.processes[host - 1].as_ref().unwrap().id();
        let tasks = fs::read_dir(format!("/proc/{parent}/task")).unwrap();
        let children =
            tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
        let children: Vec<_> = children.collect();
        let is_one = |pid: &&str| {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.contains("__crash-notifier")
        };
        children.iter().flat_map(|pids| pids.split_whitespace()).find(is_one).map(str::to_owned)
    }

    pub(crate) fn signal(&self, host: usize, name: &str) {
        let pid = self.processes[host - 1].as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    pub(crate) fn log(&self) -> Vec<(u64, usize)> {
        let text = fs::read_to_string(self.path("log")).unwrap_or_default();
        assert!(!text.contains("OVERLAP"), "two commands lived at once:\n{text}");
        let start = |line: &str| {
            let (term, host) = line.strip_prefix("start ")?.split_once(" host-").unwrap();
            Some((term.parse().unwrap(), host.parse().unwrap()))
        };
        let starts: Vec<_> = text.lines().filter_map(start).collect();
        assert!(starts.is_sorted_by(|one, other| one.0 < other.0), "terms do not grow:\n{text}");
        starts
    }

    /// Waits until `count` commands have started, and returns the leader.
    pub(crate) fn until_started(&self, count: usize) -> usize {
        let begin = Instant::now();
        while self.log().len() < count {
            assert!(begin.elapsed() < LIMIT, "no host leads");
            sleep(Duration::from_millis(20));
        }
        self.log().last().unwrap().1
    }

    pub(crate) fn json(&self, arguments: &[&str], host: usize) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        let output = self.tenure(&arguments, host).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {err}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(crate) fn end(&mut self, host: usize) {
        self.signal(host, "TERM");
        self.until_ended(host);
    }

    /// Waits until the process of a host has ended in order.
    pub(crate) fn until_ended(&mut self, host: usize) {
        let status = self.processes[host - 1].take().unwrap().wait().unwrap();
        assert_eq!(status.code(), Some(0));
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().flatten() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Programs, which are ended with the test.
pub(crate) struct Programs(pub(crate) Vec<Child>);

impl Programs {
    pub(crate) fn kill(&mut self, number: usize) {
        self.0[number].kill().unwrap();
        self.0[number].wait().unwrap();
    }

    /// Asks a program to end, and returns its exit code.
    pub(crate) fn end(&mut self, number: usize) -> Option<i32> {
        terminate(&self.0[number]);
        self.0[number].wait().unwrap().code()
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        for program in &mut self.0 {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

fn befallen() {
    let mut hosts = Hosts::new();
    for host in 1..=3 {
        hosts.lead(host);
    }
    let leader = hosts.until_started(1);

    hosts.signal(leader, "KILL");
    let next = hosts.until_started(2);
    assert_ne!(next, leader);
    hosts.processes[leader - 1].take().unwrap().wait().unwrap();
    hosts.lead(leader);

    let (leader, count) = (next, hosts.log().len());
    hosts.signal(leader, "STOP");
    let next = hosts.until_started(count + 1);
    assert_ne!(next, leader);
    sleep(Duration::from_secs(1));
    hosts.signal(leader, "CONT");

    let (leader, count) = (next, hosts.log().len());
    hosts.end(leader);
    assert_ne!(hosts.until_started(count + 1), leader);

    for host in 1..=3 {
        if host != leader {
            hosts.end(host);
        }
    }
    hosts.log();
    let free =
        Command::new("flock").arg("-n").arg(hosts.path("lock")).arg("true").status().unwrap();
    assert!(free.success(), "a command outlives its leadership");
}

fn served() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let job = hosts.text("job");
    let mut watch = hosts.tenure(&["office", "watch", "job"], 3);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let lead = ["lead", "job", "--", "/bin/sh", &job];
    let programs = (1..=2).map(|host| hosts.tenure(&lead, host).spawn().unwrap());
    let mut programs = Programs(programs.collect());
    let leader = hosts.until_started(1);
    // From a member that does not lead.
    let shown = loop {
        let shown = hosts.json(&["office", "show", "job"], 3);
        if shown["leader"].is_string() {
            break shown;
        }
        sleep(Duration::from_millis(20));
    };
    assert_eq!(shown["leader"], format!("host-{leader}"));
    assert_eq!(shown["term"], hosts.log()[0].0);
    let watched = lines.find(|line| line.as_ref().unwrap().contains("\"leader\":\"host-"));
    assert!(watched.unwrap().unwrap().contains(&format!("host-{leader}")));
    watch.kill().unwrap();
    watch.wait().unwrap();

    let status = hosts.json(&["status"], 3);
    assert_eq!(status["state"]["members"].as_array().unwrap().len(), 2);
    assert!(status["longest_vacancy_ms"].as_f64().unwrap() > 250.0);
    assert!(status["state"]["clock_drift_ppm"].is_u64());
    let status = hosts.tenure(&["status"], leader).output().unwrap();
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains(&format!("\njob    {}  ", hosts.log()[0].0)), "it leads: {status}");
    assert!(status.contains("lease held  lease owed"), "{status}");

    let other = 3 - leader;
    let to = format!("host-{other}");
    let moved = hosts.tenure(&["office", "transfer", "job", "--to", &to], 3).status().unwrap();
    assert!(moved.success());
    assert_eq!(hosts.until_started(2), other);
    let history = hosts.json(&["office", "history", "job"], 3);
    let leaders: Vec<_> =
        history.as_array().unwrap().iter().map(|change| &change["leader"]).collect();
    assert!(leaders.contains(&&Value::from(format!("host-{leader}"))), "{history}");

    // A killed program is gone at once, and its command before that.
    let count = hosts.log().len();
    programs.kill(other - 1);
    assert_eq!(hosts.until_started(count + 1), leader);
    assert_eq!(programs.end(leader - 1), Some(0));
    for host in 1..=3 {
        hosts.end(host);
    }
    hosts.log();
}

fn killed() {
    let mut hosts = Hosts::with(CALM);
    for host in 1..=3 {
        hosts.lead(host);
    }
    let leader = hosts.until_started(1);
    sleep(Duration::from_millis(500)); // The crash notifier connects.
    hosts.kill(leader);
    let next = hosts.until_started(2);
    assert_ne!(next, leader);
    assert_eq!(hosts.crash_releases(next), 1, "the office was vacant until the lease was over");
    for host in 1..=3 {
        if host != leader {
            hosts.end(host);
        }
    }
    hosts.log();
}

fn notifier_killed() {
    let mut hosts = Hosts::with(CALM);
    for host in 1..=3 {
        hosts.lead(host);
    }
    let leader = hosts.until_started(1);
    let mut first = None;
    until("a crash notifier starts", || {
        first = hosts.crash_notifier(leader);
        first.is_some()
    });
    let first = first.unwrap();
    assert!(Command::new("kill").args(["-9", &first]).status().unwrap().success());
    until("another one starts", || hosts.crash_notifier(leader).is_some_and(|pid| pid != first));
    until("no warning is left", || {
        hosts.json(&["status"], leader)["state"]["warnings"] == json!([])
    });
    sleep(Duration::from_millis(500)); // It connects.
    hosts.kill(leader);
    let next = hosts.until_started(2);
    assert_eq!(hosts.crash_releases(next), 1, "the office was vacant until the lease was over");
    for host in 1..=3 {
        if host != leader {
            hosts.end(host);
        }
    }
    hosts.log();
}

/// Shows that it runs.
const BEATS: &str = r#"while :; do date +%s.%N >"$WORK/beat"; sleep 0.05; done"#;

fn undrained() {
    let mut hosts = Hosts::new();
    let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
    let own = ["lead", "job", "--config", &config, "--socket", &socket, "--priority", "9"];
    let arguments = [&own[..], &["--log", "trace", "--", "/bin/sh", "-c", BEATS]].concat();
    let first = hosts.tenure(&arguments, 1).stderr(Stdio::piped()).spawn().unwrap();
    let programs = Programs(vec![first]);
    for host in 2..=3 {
        hosts.lead_with(host, &["/bin/sh", "-c", BEATS]);
    }
    let pipe = programs.0[0].stderr.as_ref().unwrap();
    until("the pipe is full", || rustix::io::ioctl_fionread(pipe).unwrap() > 60_000);
    let beat = || fs::read_to_string(hosts.path("beat")).unwrap_or_default();
    // Longer than the lease: by now it runs where its leader lets it, or is led by no one who does not.
    sleep(Duration::from_secs(2));
    let before = beat();
    until("a command runs", || beat() != before);
    until("and its leader says so", || {
        let shown = hosts.json(&["office", "show", "job"], 2);
        shown["command"]["running"] == true && shown["command"]["since"].is_string()
    });
}

fn member_killed() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let job = hosts.text("job");
    let lead = ["lead", "job", "--grace", "100ms", "--", "/bin/sh", &job];
    let programs = (1..=2).map(|host| hosts.tenure(&lead, host).spawn().unwrap());
    let mut programs = Programs(programs.collect());
    let leader = hosts.until_started(1);
    sleep(Duration::from_millis(500)); // The crash notifier connects.
    hosts.kill(leader);
    assert_eq!(hosts.until_started(2), 3 - leader);
    assert_eq!(hosts.crash_releases(3), 1, "the office was vacant until the lease was over");
    for number in 0..2 {
        assert_eq!(programs.end(number), Some(0));
    }
    hosts.log();
}

fn on_exit() {
    let mut hosts = Hosts::new();
    // A new cluster begins with all its members.
    hosts.lead(1);
    hosts.lead(3);
    let config = hosts.text("2.toml");
    let socket = hosts.text("2.socket");
    let own = ["lead", "other", "--config", &config, "--socket", &socket, "--on-exit", "stop"];
    for (script, code) in [("exit 7", 7), ("kill -s KILL $$", 128 + 9), ("exit 0", 0)] {
        let arguments = [&own[..], &["--", "/bin/sh", "-c", script]].concat();
        assert_eq!(hosts.tenure(&arguments, 2).status().unwrap().code(), Some(code), "{script}");
    }
    hosts.signal(1, "KILL");
    hosts.signal(3, "KILL");
}
