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
        Self(BufReader::new(stream))
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn say(&mut self, what: &Value) {
        writeln!(self.0.get_mut(), "{what}").unwrap();
    }

    /// Extends the leadership to this many seconds from now, and waits until the program has confirmed
    /// it, and nothing else.
    fn extend(&mut self, seconds: u64) {
        let until = from_now(seconds);
        self.say(&json!({ "valid": { "until": until } }));
        assert_eq!(self.hear(), json!({ "alive": { "until": until } }));
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

fn from_now(seconds: u64) -> u64 {
    Boottime::now().after(Duration::from_secs(seconds)).as_nanos()
}

/// Starts `tenure lead`, which wins the office with half of the margin left.
fn win(folder: &TempDir) -> (Program, Line) {
    let socket = folder.path().join("member.socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let margin = format!("{MARGIN}s");
    let mut program: Command = tenure(&["lead", "job", "--margin", &margin]);
    program.arg("--socket").arg(socket).current_dir(folder.path());
    program.args(["--", "/bin/sh", "-c", "echo up >up; exec sleep 1000"]);
    let program = Program(program.spawn().unwrap());
    let mut asked = Line::accept(&listener);
    assert_eq!(asked.hear(), json!("status"));
    asked.say(&json!({ "status": {
        "version": "0", "heartbeat_ms": 50.0, "lease_ms": 250.0, "stop_ms": 0.0, "stops_ms": {},
        "clock_bound_ppm": 0, "longest_vacancy_ms": 0.0, "state": { "name": "host-1" },
    }}));
    let mut line = Line::accept(&listener);
    assert_eq!(line.hear()["stand"]["office"], "job");
    line.say(
        &json!({ "leading": { "term": 7, "until": from_now(MARGIN / 2), "release_ticket": null } }),
    );
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
    line.say(&json!("over"));
    assert_eq!(line.hear(), json!("done"));
    assert!(!fs::exists(folder.path().join("up")).unwrap());
}
