//! `tenure dev`: what it serves, says and leaves behind.

use crate::hosts::{LIMIT, Programs, terminate, until};
use crate::once::signalled;
use crate::{Test, ended, tenure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub(crate) const TESTS: &[Test] = &[
    ("a_cluster_for_tests_serves_programs_operators_and_http", served),
    ("a_program_leads_over_http_until_it_releases_or_is_gone", led_over_http),
    ("a_cluster_for_tests_says_everywhere_that_it_is_one", told),
    ("a_cluster_for_tests_leaves_nothing_behind", left),
    ("a_cluster_for_tests_is_reached_from_no_other_host", refused),
    ("a_cluster_for_tests_ends_with_its_command", commanded),
];

/// A cluster for tests, whose files are in a folder of this test.
struct Dev {
    process: Child,
    report: Value,
    temporary: TempDir,
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn dev(temporary: &TempDir, flags: &[&str]) -> Command {
    let mut process = tenure(&[&["dev"], flags].concat());
    process.env("TMPDIR", temporary.path()).stdin(Stdio::null());
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    process
}

impl Dev {
    /// Starts it, and waits until it is ready.
    fn start(flags: &[&str]) -> Self {
        let temporary = TempDir::new().unwrap();
        let mut process = dev(&temporary, flags).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, report: serde_json::from_str(&line).expect(&line), temporary }
    }

    fn text(&self, place: &str) -> &str {
        self.report.pointer(place).and_then(Value::as_str).expect(place)
    }

    /// A command that finds the first member.
    fn tenure(&self, arguments: &[&str]) -> Command {
        let mut process = tenure(arguments);
        process.env("TENURE_SOCKET", self.text("/members/0/socket")).stdin(Stdio::null());
        process
    }

    fn out(&self, arguments: &[&str]) -> String {
        let output = self.tenure(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Asks a member by HTTP, and returns the whole answer.
    fn http(&self, member: usize, request: &str) -> String {
        let url = self.text(&format!("/members/{member}/http"));
        let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        write!(stream, "{request}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Ends it by a signal. Returns its standard error; nothing else is left of it.
    fn end(mut self) -> String {
        terminate(&self.process);
        let mut err = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0), "{err}");
        assert_eq!(files(&self.temporary), Vec::<PathBuf>::new(), "{err}");
        err
    }
}

/// What is in a folder, and in the folders there.
fn files(folder: &TempDir) -> Vec<PathBuf> {
    let (mut all, mut next) = (Vec::new(), 0);
    let list = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|it| it.path());
    all.extend(list(folder.path()));
    while let Some(path) = all.get(next) {
        let inner: Vec<_> = list(path).collect();
        all.extend(inner);
        next += 1;
    }
    all
}

fn served() {
    let dev = Dev::start(&[]);
    for member in 0..3 {
        assert!(dev.http(member, "GET /readyz HTTP/1.0").starts_with("HTTP/1.0 200"));
    }
    let lead = ["lead", "job", "--value", "at {member}", "--", "sleep", "1000"];
    let mut programs = Programs(vec![dev.tenure(&lead).spawn().unwrap()]);
    let shown = |member| dev.http(member, "GET /v1/offices/job HTTP/1.0");
    until("HTTP of another member tells of the leader", || shown(2).contains("\"at dev-1\""));
    until("operators are told, too", || dev.out(&["office", "list"]).contains("dev-1"));
    // Leaders leave by the token, and by no other.
    let resign = |token: &str| {
        dev.http(
            0,
            &format!("POST /v1/offices/job/resign HTTP/1.0\r\nAuthorization: Bearer {token}"),
        )
    };
    assert!(resign("another").starts_with("HTTP/1.0 401"), "{}", resign("another"));
    let term = |text: &str| -> u64 {
        let body = text.split("\r\n\r\n").nth(1).unwrap();
        serde_json::from_str::<Value>(body).unwrap()["term"].as_u64().unwrap()
    };
    let before = term(&shown(2));
    assert!(resign(dev.text("/token")).starts_with("HTTP/1.0 2"));
    until("it leads again", || term(&shown(2)) > before);
    assert_eq!(programs.end(0), Some(0));
    // The folder has a certificate for a client, and those of the members for an operator.
    let members = dev.text("/members/1/address");
    let mut client = tenure(&["try", "job", "--wait", "60s", "--members", members, "--", "true"]);
    assert!(client.current_dir(dev.text("/folder")).status().unwrap().success());
    let config = format!("{}/dev-2.toml", dev.text("/folder"));
    assert!(tenure(&["office", "list", "--config", &config]).status().unwrap().success());
    dev.end();
}

/// A program that stands over HTTP.
struct RemoteProgram<'a> {
    dev: &'a Dev,
    events: BufReader<TcpStream>,
    key: String,
}

impl<'a> RemoteProgram<'a> {
    fn stand(dev: &'a Dev, value: &str) -> Self {
        let at = dev.text("/members/1/http").strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let body = format!("{{\"value\":\"{value}\"}}");
        let head = format!("Host: x\r\nAuthorization: Bearer {}\r\n", dev.text("/token"));
        let path = "/v1/offices/job/stand";
        write!(
            stream,
            "POST {path} HTTP/1.1\r\n{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut standing = Self { dev, events: BufReader::new(stream), key: String::new() };
        standing.key = standing.hears("hello")["candidacy"].as_str().unwrap().to_owned();
        standing
    }

    /// Returns what the next event of this name says.
    fn hears(&mut self, wanted: &str) -> Value {
        let (mut name, mut line) = (String::new(), String::new());
        loop {
            line.clear();
            assert_ne!(self.events.read_line(&mut line).unwrap(), 0, "no {wanted}");
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ").filter(|_| name == wanted) {
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    fn says(&self, message: &str) {
        let token = self.dev.text("/token");
        let head = format!("Authorization: Bearer {token}\r\nContent-Length: {}", message.len());
        let request =
            format!("POST /v1/candidacies/{} HTTP/1.0\r\n{head}\r\n\r\n{message}", self.key);
        let answer = self.dev.http(1, &request);
        assert!(answer.starts_with("HTTP/1.0 204"), "{answer}");
    }
}

fn led_over_http() {
    let dev = Dev::start(&[]);
    let mut program = RemoteProgram::stand(&dev, "over there");
    let term = program.hears("leading")["term"].as_u64().unwrap();
    program.says("{\"alive\":{\"ping\":7}}");
    let valid = program.hears("valid");
    // Of a lease of 250 ms, less what clocks may differ by.
    let sure = valid["for_ms"].as_u64().unwrap();
    assert!(valid["ping"] == 7 && (1..=248).contains(&sure), "{valid}");
    let shown = || dev.out(&["office", "show", "job"]);
    until("operators are told of the program", || shown().contains("over there"));
    program.says("{\"release\":{}}");
    program.hears("released");
    until("the office is free", || !shown().contains("over there"));

    let mut gone = RemoteProgram::stand(&dev, "gone");
    assert!(gone.hears("leading")["term"].as_u64().unwrap() > term);
    gone.says("{\"alive\":{\"ping\":1}}");
    gone.hears("valid");
    drop(gone);
    let mut next = RemoteProgram::stand(&dev, "next");
    next.hears("leading");
    dev.end();
}

fn told() {
    let free = suffrage_net::free::addresses(1).unwrap()[0].to_string();
    let dev = Dev::start(&["--http", &free]);
    assert_eq!(dev.text("/members/0/http"), format!("http://{free}"));
    assert_eq!(dev.text("/cluster"), "tenure-dev");
    let warning = "this is `tenure dev`, for tests alone";
    for member in 0..3 {
        let status = dev.http(member, "GET /v1/status HTTP/1.0");
        assert!(status.contains(warning), "{status}");
    }
    let status = dev.out(&["status"]);
    assert!(status.contains(warning), "{status}");
    let config = fs::read_to_string(format!("{}/dev-1.toml", dev.text("/folder"))).unwrap();
    assert!(config.contains(warning), "{config}");
    let (url, socket) =
        (dev.text("/members/0/http").to_owned(), dev.text("/members/0/socket").to_owned());
    let err = dev.end();
    assert!(err.starts_with(warning) && err.contains(&url) && err.contains(&socket), "{err}");
}

fn left() {
    // While an office is held.
    let dev = Dev::start(&[]);
    let mut program =
        dev.tenure(&["lead", "job", "--on-exit", "stop", "--", "sh", "-c", "echo it; sleep 1000"]);
    let mut program = Programs(vec![program.stdout(Stdio::piped()).spawn().unwrap()]);
    let out = program.0[0].stdout.take().unwrap();
    BufReader::new(out).read_line(&mut String::new()).unwrap();
    dev.end();
    program.kill(0);
    // While it starts.
    let temporary = TempDir::new().unwrap();
    let mut process = self::dev(&temporary, &[]).spawn().unwrap();
    signalled(&process);
    assert_eq!(process.wait().unwrap().code(), Some(0));
    assert_eq!(files(&temporary), Vec::<PathBuf>::new());
    // When it cannot start.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = self::dev(&temporary, &["--http", &address]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{err}");
    assert!(err.contains(&format!("cannot listen on {address}")), "{err}");
    assert_eq!(files(&temporary), Vec::<PathBuf>::new());
    let long = tempfile::Builder::new().prefix(&"long-".repeat(20)).tempdir().unwrap();
    let output = self::dev(&long, &[]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("choose a shorter TMPDIR"), "{err}");
    assert_eq!(files(&long), Vec::<PathBuf>::new());
    assert_eq!(files(&temporary), Vec::<PathBuf>::new());
}

fn refused() {
    for (address, why) in [
        ("10.0.0.1:8500", "10.0.0.1 is no loopback address"),
        ("0.0.0.0:8500", "0.0.0.0 is no loopback address"),
        ("[::]:8500", ":: is no loopback address"),
        ("127.0.0.1:0", "name a port"),
        ("localhost:8500", "write an IP address and a port"),
    ] {
        let (code, out, err) = ended(&["dev", "--http", address]);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(why), "{err}");
    }
}

fn commanded() {
    let temporary = TempDir::new().unwrap();
    let run = |script: &str| dev(&temporary, &["--", "sh", "-c", script]).spawn().unwrap();
    // The command finds the cluster, and `tenure dev` ends with its exit code.
    let script = "test -S $TENURE_SOCKET && echo $TENURE_DEV && exit 7";
    let output = run(script).wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["cluster"]), (Some(7), &"tenure-dev".into()));
    assert_eq!(files(&temporary), Vec::<PathBuf>::new());
    // A signal ends it first, while it still has the cluster.
    let mut process =
        run("trap 'test -S $TENURE_SOCKET && exit 5' TERM; echo up; while :; do sleep 0.05; done");
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    terminate(&process);
    assert_eq!((line.as_str(), process.wait().unwrap().code()), ("up\n", Some(5)));
    assert_eq!(files(&temporary), Vec::<PathBuf>::new());
    let (code, out, err) = ended(&["dev", "--", "/no/such/program"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("there is no program `/no/such/program`"), "{err}");
}
