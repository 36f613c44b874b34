//! What `tenure lead` does where an office is won with little of its lease left, told by a member that
//! the test plays itself. Nothing here depends on how fast the machine is.

use crate::{Test, tenure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tenure_guard::Boottime;

pub(crate) const TESTS: &[Test] = &[
    ("an_office_won_with_less_of_its_lease_left_than_the_margin_is_kept_until_renewed", kept),
    ("an_office_won_with_less_of_its_lease_left_than_the_margin_is_released_once_lost", lost),
    ("a_program_says_whether_its_command_runs_and_why_not", told),
    ("a_program_confirms_its_leadership_only_while_its_guard_is_well", guarded),
    ("a_command_asks_whether_its_leadership_is_certain", valid),
];

const LIMIT: Duration = Duration::from_secs(60);
/// The margin of the command, in seconds.
const MARGIN: u64 = 3600;

/// One connection of the program to the member.
struct Line(BufReader<UnixStream>);

impl Line {
    fn accept(listener: &UnixListener) -> Self {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut line = Self(BufReader::new(stream));
        assert_eq!(line.hear(), json!({ "hello": { "versions": [1] } }));
        line.say(&json!({ "hello": { "version": 1, "member": "host-1", "tenure": "0" } }));
        line
    }

    /// The next line that says nothing of the command.
    fn hear(&mut self) -> Value {
        loop {
            let line = self.hear_any();
            if line["alive"]["command"].is_null() {
                return line;
            }
        }
    }

    /// Waits until the program says of its command what is so, and answers what it says.
    fn hear_command(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.hear_any();
            if is(&line["alive"]["command"]) {
                return line["alive"]["command"].clone();
            }
        }
    }

    fn hear_any(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn say(&mut self, what: &Value) {
        writeln!(self.0.get_mut(), "{what}").unwrap();
    }

    /// Extends the leadership to this many seconds from now.
    fn prolong(&mut self, seconds: u64) {
        let ping = Boottime::now().as_nanos();
        self.say(&json!({ "valid": { "ping": ping, "for_ms": 1000 * seconds } }));
    }

    /// Extends the leadership to this many seconds from now, and waits until the program has confirmed
    /// it, and nothing else.
    fn extend(&mut self, seconds: u64) {
        self.prolong(seconds);
        assert!(answers(&self.hear()));
    }
}

/// Ends the program with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers the first question of the program: what the member is, and its timing.
pub(crate) fn introduce(listener: &UnixListener) {
    let mut asked = Line::accept(listener);
    assert_eq!(asked.hear(), json!({ "status": {} }));
    asked.say(&json!({ "status": {
        "version": "0", "heartbeat_ms": 50.0, "lease_ms": 1e8, "stop_ms": 1e7, "stops_ms": {},
        "clock_bound_ppm": 0, "longest_vacancy_ms": 0.0, "state": { "name": "host-1" },
    }}));
}

/// Returns whether a program says that it is well, and that its guard has heard of the last extension.
fn answers(line: &Value) -> bool {
    line["alive"]["ping"].is_u64() && line["alive"]["unheard"].is_null()
}

/// Starts `tenure lead`, which wins the office with half of the margin left.
fn win(folder: &TempDir) -> (Program, Line) {
    win_with(folder, "echo up >up; exec sleep 1000", &[])
}

fn win_with(folder: &TempDir, script: &str, flags: &[&str]) -> (Program, Line) {
    win_for(folder, script, &[&["--margin", "1h"], flags].concat(), MARGIN / 2)
}

fn win_for(folder: &TempDir, script: &str, flags: &[&str], seconds: u64) -> (Program, Line) {
    let socket = folder.path().join("member.socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let mut program: Command = tenure(&["lead", "job"]);
    program.arg("--socket").arg(socket).current_dir(folder.path());
    program.args(flags).args(["--", "/bin/sh", "-c", script]);
    let program = Program(program.spawn().unwrap());
    introduce(&listener);
    let mut line = Line::accept(&listener);
    assert_eq!(line.hear()["stand"]["office"], "job");
    line.say(&json!({ "leading": { "term": 7, "release_ticket": null } }));
    assert!(answers(&line.hear()));
    line.prolong(seconds);
    (program, line)
}

fn kept() {
    let folder = TempDir::new().unwrap();
    let (_program, mut line) = win(&folder);
    let up = || fs::exists(folder.path().join("up")).unwrap();
    // Renewed, and still too short: the command does not run, and the office is not given up.
    for minutes in 31..=50 {
        line.extend(60 * minutes);
        assert!(!up());
    }
    line.extend(2 * MARGIN);
    let begin = Instant::now();
    while !up() {
        assert!(begin.elapsed() < LIMIT, "the command does not start");
        sleep(Duration::from_millis(5));
    }
}

fn lost() {
    let folder = TempDir::new().unwrap();
    let (_program, mut line) = win(&folder);
    line.extend(MARGIN / 2 + 1);
    line.say(&json!({ "over": {} }));
    assert_eq!(line.hear(), json!({ "release": {} }));
    assert!(!fs::exists(folder.path().join("up")).unwrap());
}

fn told() {
    let folder = TempDir::new().unwrap();
    let script = "test -e twice && exec sleep 1000; touch twice; exit 3";
    let (_program, mut line) = win_with(&folder, script, &["--on-exit", "restart"]);
    let idle = |part: &'static str| {
        move |it: &Value| it["why"].as_str().is_some_and(|why| why.contains(part))
    };
    line.hear_command(idle("less of the lease is left than --margin"));
    line.prolong(3 * MARGIN);
    line.hear_command(idle("it is being started"));
    line.hear_command(|it| it["running"] == true);
    let why = line.hear_command(idle("it has ended with exit code 3; it starts again "));
    assert!(why["why"].as_str().unwrap().ends_with(" after that"), "{why}");
    line.hear_command(|it| it["running"] == true);
}

fn guarded() {
    let folder = TempDir::new().unwrap();
    let script = "echo $PPID >guard.new; mv guard.new guard; exec sleep 1000";
    let (_program, mut line) = win_with(&folder, script, &[]);
    line.extend(2 * MARGIN);
    line.hear_command(|it| it["running"] == true);
    let begin = Instant::now();
    let guard = loop {
        if let Ok(guard) = fs::read_to_string(folder.path().join("guard")) {
            break guard;
        }
        assert!(begin.elapsed() < LIMIT, "the command does not start");
        sleep(Duration::from_millis(5));
    };
    let signal = |name| {
        let done = Command::new("kill").args(["-s", name, guard.trim()]).status().unwrap();
        assert!(done.success());
    };
    line.extend(3 * MARGIN);
    signal("STOP");
    // The program is well, and its guard is not: it says nothing.
    line.prolong(4 * MARGIN);
    line.0.get_mut().set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let silent = line.0.read_line(&mut String::new()).unwrap_err();
    assert_eq!(silent.kind(), std::io::ErrorKind::WouldBlock);
    line.0.get_mut().set_read_timeout(Some(LIMIT)).unwrap();
    signal("CONT");
    assert!(answers(&line.hear()));
}

fn valid() {
    let folder = TempDir::new().unwrap();
    let own = std::env::current_exe().unwrap();
    let valid = format!("{} {} valid", own.display(), crate::TENURE);
    let script = format!(
        "trap '' TERM; {valid}; echo $? >code; code=0; while [ $code = 0 ]; do sleep 0.1; {valid}; code=$?; done; \
         echo $code >end"
    );
    let (_program, mut line) = win_for(&folder, &script, &["--stop", "1h"], 5);
    line.hear_command(|it| it["running"] == true);
    let until = |name: &str| {
        let begin = Instant::now();
        loop {
            match fs::read_to_string(folder.path().join(name)) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => assert!(begin.elapsed() < LIMIT, "it tells nothing"),
            }
            sleep(Duration::from_millis(5));
        }
    };
    assert_eq!(until("code"), "0\n");
    // Nothing prolongs it any more.
    assert_eq!(until("end"), "1\n");
    let lost = tenure(&["valid"]).env_remove("TENURE_LEASE").output().unwrap();
    assert_eq!(lost.status.code(), Some(2));
    let empty = tenure(&["valid"]).env("TENURE_LEASE", "").output().unwrap();
    assert_eq!(empty.status.code(), Some(2));
    fs::write(folder.path().join("foreign"), "5.0 7 job\n9999999999 another-kernel time:[1]\n")
        .unwrap();
    let foreign = folder.path().join("foreign");
    let foreign = tenure(&["valid", "--lease", foreign.to_str().unwrap()]).output().unwrap();
    assert_eq!(foreign.status.code(), Some(2));
}
