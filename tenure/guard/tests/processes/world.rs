//! Helpers of the tests: members, and the processes of their commands.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tenure_guard::Workload;

/// A name, and a test.
pub(crate) type Test = (&'static str, fn());

/// The time limit for what must happen. No test measures a time.
const LIMIT: Duration = Duration::from_secs(30);

/// A member of its own process, with a folder for the files of its command.
pub(crate) struct Member {
    pub(crate) child: Child,
    orders: Option<ChildStdin>,
    lines: Receiver<String>,
    pub(crate) office: String,
    folder: TempDir,
    pub(crate) guard: i32,
    /// Why its command is in no control group of its own, if it is in none.
    pub(crate) no_cgroup: Option<String>,
    /// Whether its command must not be started without one.
    pub(crate) unkillable: bool,
}

pub(crate) fn script(name: &str, text: &str) -> Workload {
    let office = format!("{name}-{}", std::process::id());
    Workload::new(office, "m1", vec!["/bin/sh".into(), "-c".into(), text.into()])
}

/// A shell script with descendants that are hard to kill: a child that ignores SIGTERM, one in a
/// session of its own, and a daemon whose parents have died. It prints `family` when all run, and
/// waits.
pub(crate) const FAMILY: &str = r#"
    sh -c 'trap "" TERM; echo a >>up; while :; do sleep 1000; done' &
    setsid sh -c 'trap "" TERM; echo b >>up; while :; do sleep 1000; done' &
    (setsid sh -c '(trap "" TERM; echo c >>up; while :; do sleep 1000; done) & exit' &)
    until [ "$(wc -l <up)" = 3 ]; do sleep 0.01; done
    echo up >family
"#;

/// Returns workloads with that script: without a control group, and with one. Where none can be made, the
/// second is skipped, and this says so.
pub(crate) fn families(name: &str) -> Vec<Workload> {
    let family = |name: &str, cgroup| {
        let text =
            format!("touch up; echo $TENURE_LEASE >lease; {FAMILY} while :; do sleep 1000; done");
        Workload { cgroup, ..script(name, &text) }
    };
    let mut families = vec![family(name, false)];
    let grouped = format!("{name}-group");
    match without_group() {
        None => families.push(family(&grouped, true)),
        Some(why) => eprintln!("{grouped}: skipped: no control group can be made here: {why}"),
    }
    families
}

fn without_group() -> Option<&'static str> {
    static WHY: OnceLock<Option<String>> = OnceLock::new();
    WHY.get_or_init(|| Member::start(&script("group", "true")).no_cgroup.clone()).as_deref()
}

impl Member {
    /// Starts a member and waits until its guard is ready.
    pub(crate) fn start(workload: &Workload) -> Self {
        Self::start_by(&["env"], TempDir::new().unwrap(), workload)
    }

    /// The same, by a command that executes the member, in a folder.
    pub(crate) fn start_by(by: &[&str], folder: TempDir, workload: &Workload) -> Self {
        let mut child = Command::new(by[0])
            .args(&by[1..])
            .arg(std::env::current_exe().unwrap())
            .args(["__member", &serde_json::to_string(workload).unwrap()])
            .args(&workload.command)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // Lines that are not of the member are the command's own output.
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let orders = child.stdin.take();
        let office = workload.office.clone();
        let (guard, no_cgroup, unkillable) = (0, None, false);
        let mut member =
            Self { child, orders, lines, office, folder, guard, no_cgroup, unkillable };
        member.meet_guard();
        member
    }

    /// Takes note of a new guard.
    pub(crate) fn meet_guard(&mut self) {
        let line = self.line();
        self.guard = line.strip_prefix("guard ").expect(&line).parse().unwrap();
        let ready = self.line();
        let without = ready.strip_prefix("ready without");
        self.no_cgroup = without.and_then(|why| Some(why.split_once(": ")?.1.to_owned()));
        self.unkillable = without.is_some_and(|why| why.starts_with(" unkillable"));
        assert!(self.no_cgroup.is_some() || ready == "ready with a control group", "{ready}");
    }

    pub(crate) fn order(&mut self, order: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{order}").unwrap();
    }

    /// Begins a tenure that the member keeps extending by `milliseconds`.
    pub(crate) fn lead(&mut self, milliseconds: u32) {
        self.order(&format!("begin 7 {milliseconds}"));
        self.order(&format!("hold {milliseconds}"));
        self.expect("started");
    }

    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(LIMIT).unwrap()
    }

    pub(crate) fn expect(&self, line: &str) {
        assert_eq!(self.line(), line);
    }

    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Waits until the command has written a file.
    pub(crate) fn until_file(&self, name: &str) {
        eventually(&format!("{name} is written"), || !self.file(name).is_empty());
    }

    /// Kills the member.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Kills the member, its guard and the keeper so that none notices the end of another one. A guard that was
    /// suspended would be resumed by the kernel when its keeper dies, so it is killed first.
    pub(crate) fn kill_with_guard(&mut self) {
        let keeper = self.keeper();
        self.suspend();
        signal("STOP", keeper);
        signal("KILL", self.guard);
        eventually("the guard is gone", || !exists(self.guard));
        signal("KILL", keeper);
        eventually("the keeper is gone", || !exists(keeper));
        self.kill();
    }

    /// Suspends the member.
    pub(crate) fn suspend(&self) {
        signal("STOP", i32::try_from(self.child.id()).unwrap());
    }

    /// The keeper of the guard.
    pub(crate) fn keeper(&self) -> i32 {
        let keepers = children(i32::try_from(self.child.id()).unwrap());
        assert_eq!(keepers.len(), 1, "{keepers:?}");
        keepers[0]
    }

    pub(crate) fn processes(&self) -> Vec<i32> {
        processes(&self.office)
    }

    pub(crate) fn expect_nothing_left(&self) {
        let left = self.processes();
        assert!(left.is_empty(), "{left:?}");
    }

    pub(crate) fn until_gone(&self) {
        eventually("the whole family is gone", || self.processes().is_empty());
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Its guard may have been suspended.
        signal("CONT", self.guard);
    }
}

pub(crate) fn processes(office: &str) -> Vec<i32> {
    let entry = format!("TENURE_OFFICE={office}");
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            // A zombie has no environment any more.
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
                environment.split(|&byte| byte == 0).any(|found| found == entry.as_bytes())
            })
        })
        .collect()
}

pub(crate) fn children(parent: i32) -> Vec<i32> {
    let of = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, fields)| fields.split(' ').nth(1));
        parent.and_then(|parent| parent.parse().ok())
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(|pid| of(pid) == Some(parent)).collect()
}

pub(crate) fn exists(pid: i32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

pub(crate) fn signal(name: &str, pid: i32) {
    let _ =
        Command::new("kill").args(["-s", name, &pid.to_string()]).stderr(Stdio::null()).status();
}

/// Waits until `is` holds.
pub(crate) fn eventually(what: &str, mut is: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is() {
        assert!(begin.elapsed() < LIMIT, "it never happens: {what}");
        sleep(Duration::from_millis(5));
    }
}
