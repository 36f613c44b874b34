//! Invalid input gets one message: what is wrong, where, and what to do.

use crate::hosts::{CALM, Hosts, Programs, until};
use crate::{Test, ended, tenure};
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

pub(crate) const TESTS: &[Test] = &[
    ("the_name_of_an_office_has_no_control_characters", wrong),
    ("a_configuration_that_cannot_be_used_is_refused_as_one", unusable),
    ("what_a_member_refuses_for_good_is_not_tried_again", for_good),
    ("without_a_member_there_is_something_to_do", no_member),
    ("who_may_not_connect_to_the_member_is_told_who_may", closed),
    ("a_margin_with_which_the_command_would_never_run_is_refused", margin),
    ("a_command_that_could_not_be_killed_is_refused", unkillable),
    ("where_no_thread_can_be_had_there_is_an_error", no_thread),
    ("a_member_at_a_thread_limit_votes_serves_http_and_says_what_it_cannot_do", thread_limit),
    ("a_script_that_cannot_be_read_is_refused_with_its_line", script),
];

fn wrong() {
    let (code, out, err) = ended(&["lead", "a\nb", "--", "sh"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("`a\\nb` cannot name an office"), "{err}");
}

fn unusable() {
    let hosts = Hosts::new();
    let refused = |arguments: &[&str], expected: &str| {
        let output = hosts.tenure(arguments, 1).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains("1.toml: line "), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    };
    let file = hosts.text("1.toml");
    let each = |expected: &str| {
        refused(&["serve", "--config", &file], expected);
        refused(&["lead", "job", "--config", &file, "--", "/bin/true"], expected);
    };
    let right = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{right}[http]\nlisten = \"127.0.0.1:0\"\ntoken = \"ca.pem.not\"\n"))
        .unwrap();
    each("http.token");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap();
    fs::write(&file, format!("{right}[http]\nlisten = \"{listen}\"\n")).unwrap();
    each("http.listen: cannot listen on");
    assert!(!hosts.path("record-1").exists(), "a member that does not start writes no record");
    fs::write(&file, right.replace("member-host-1.pem", "client-web.pem")).unwrap();
    each("tls: ");
    fs::write(&file, &right).unwrap();
    fs::write(hosts.path("member-host-1-key.pem"), "no key").unwrap();
    each("tls: ");
    fs::remove_file(hosts.path("member-host-1.pem")).unwrap();
    each("member-host-1.pem");
}

fn for_good() {
    let mut hosts = Hosts::new();
    for host in 1..=3 {
        let file = hosts.path(&format!("{host}.toml"));
        let text = fs::read_to_string(&file).unwrap();
        let name = "name = \"host-1\"\n";
        fs::write(&file, text.replace(name, &format!("{name}witness = true\n"))).unwrap();
    }
    hosts.serve();
    let lead = |hosts: &Hosts, flags: &[&str]| {
        let arguments = [&["lead", "job"], flags, &["--", "/bin/true"]].concat();
        let mut command = hosts.tenure(&arguments, 1);
        command.stderr(Stdio::piped());
        let mut program = Programs(vec![command.spawn().unwrap()]);
        let mut err = String::new();
        program.0[0].stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(err.contains("witness"), "{err}");
        assert_eq!(program.0[0].wait().unwrap().code(), Some(2), "{err}");
    };
    lead(&hosts, &[]);
    hosts.kill(1);
    lead(&hosts, &["--config", &hosts.text("1.toml"), "--socket", &hosts.text("1.socket")]);
}

fn no_member() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["status"][..],
        &["office", "list"],
        &["lead", "x", "--", "sh"],
        &["try", "x", "--", "sh"],
    ] {
        let mut process = tenure(arguments);
        process.env_remove("TENURE_SOCKET").env("TENURE_SOCKETS", folder.path());
        let output = process.output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(
            err.contains("no member runs on this host") && err.contains("tenure serve"),
            "{err}"
        );
    }
    let (code, _, err) = ended(&["status", "--socket", "/no/such/socket"]);
    assert_eq!(
        (code, err.as_str()),
        (1, "error: the socket /no/such/socket: no member listens there\n")
    );
}

fn closed() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become a user that may not connect");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let allow = |path: &std::path::Path, mode| {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    allow(folder.path(), 0o755);
    let socket = folder.path().join("tenure.host-1.socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    allow(&socket, 0o660);
    let mut process = as_other_user(&[], &["status"]);
    process.env_remove("TENURE_SOCKET").env("TENURE_SOCKETS", folder.path());
    let output = process.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains(&*socket.to_string_lossy()) && err.contains("group"), "{err}");
}

fn thread_limit() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become another user and limit its threads");
        return;
    }
    let mut hosts = Hosts::with(CALM);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(hosts.path(""), mode).unwrap();
    let free = suffrage_net::free::addresses(1).unwrap()[0];
    let (config, socket) = (hosts.text("1.toml"), hosts.text("1.socket"));
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}[http]\nlisten = \"{free}\"\n")).unwrap();
    let mut member = as_other_user(&[], &["serve", "--config", &config, "--socket", &socket]);
    let mut member = Programs(vec![member.spawn().unwrap()]);
    hosts.serve_on(2);
    hosts.serve_on(3);
    until("all are up", || (1..=3).all(|host| hosts.path(&format!("{host}.socket")).exists()));
    let pid = member.0[0].id().to_string();
    let allow = |count: u32| {
        // As that user, which may set the soft limit, where root may not.
        let mut prlimit = std::process::Command::new(OTHER_USER[0]);
        prlimit.args(&OTHER_USER[1..]).args(["prlimit", "--pid", &pid]);
        assert!(prlimit.arg(format!("--nproc={count}:")).status().unwrap().success());
    };
    let warnings = |hosts: &Hosts| hosts.json(&["status"], 1)["state"]["warnings"].to_string();
    until("it is well", || warnings(&hosts) == "[]");
    allow(1);
    until("it says that no certificate is read", || {
        warnings(&hosts).contains("no thread reads them")
    });
    let answer = || {
        let mut stream = std::net::TcpStream::connect(free).unwrap();
        stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(answer().starts_with("HTTP/1.0 200"), "{}", answer());
    // The configuration is read on a thread, too.
    assert!(std::process::Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    // Without its vote there is no majority.
    hosts.kill(3);
    let job = hosts.text("job");
    let lead = ["lead", "job", "--", "/bin/sh", &job];
    let _leads = Programs(vec![hosts.tenure(&lead, 2).spawn().unwrap()]);
    hosts.until_started(1);
    assert!(answer().starts_with("HTTP/1.0 200"), "{}", answer());
    allow(10_000);
    until("it reads them again", || !warnings(&hosts).contains("no thread"));
    assert_eq!(member.end(0), Some(0));
}

fn script() {
    let (code, _, err) = ended(&["demo", "--steps", "heal\nexplode"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("error: line 2: `explode` is no step"), "{err}");
}

fn margin() {
    let mut hosts =
        Hosts::with("profile = \"custom\"\ntiming = { heartbeat = \"5ms\", lease = \"20ms\" }");
    hosts.serve();
    let config = hosts.text("1.toml");
    let refused = |hosts: &Hosts, host: usize, flags: &[&str]| {
        let arguments = [&["lead", "job"], flags, &["--", "/bin/true"]].concat();
        let output = hosts.tenure(&arguments, host).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains("COMMAND would never run"), "{arguments:?}: {err}");
        assert!(err.contains("Take less than 11ms 500us"), "{arguments:?}: {err}");
    };
    // By a member of this host: the usual margin, and a longer one.
    refused(&hosts, 2, &[]);
    refused(&hosts, 2, &["--margin", "15ms"]);
    // By a configuration.
    hosts.kill(1);
    let socket = hosts.text("1.socket");
    refused(&hosts, 1, &["--config", &config, "--socket", &socket, "--margin", "14ms"]);
    // The configuration can be used with a shorter one, and its check says so.
    let (code, out, err) = ended(&["config", "check", &config]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("for `tenure lead`: --margin 20ms: COMMAND would never run"), "{out}");
}

/// What makes a process another user's, without privileges.
const OTHER_USER: [&str; 6] = ["setpriv", "--reuid", "61234", "--regid", "61234", "--clear-groups"];

fn as_other_user(by: &[&str], arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(OTHER_USER[0]);
    command.args(&OTHER_USER[1..]).args(by);
    command.arg(std::env::current_exe().unwrap()).arg(crate::TENURE).args(arguments);
    command
}

fn unkillable() {
    use std::os::unix::fs::PermissionsExt;
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can make a program that becomes another user");
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let allow = |path: &std::path::Path, mode| {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    allow(folder.path(), 0o777);
    let program = folder.path().join("become");
    fs::copy("/bin/sleep", &program).unwrap();
    allow(&program, 0o4755);
    let socket = folder.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    allow(&socket, 0o777);
    let (socket, program) = (socket.to_str().unwrap(), program.to_str().unwrap());
    let arguments = ["lead", "job", "--no-cgroup", "--socket", socket, "--", program, "1000"];
    let mut command = as_other_user(&[], &arguments);
    let child = command.current_dir(folder.path()).stderr(Stdio::piped()).spawn().unwrap();
    crate::margin::introduce(&listener);
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("COMMAND: ") && err.contains("runs as another user (set-uid)"), "{err}");
}

fn no_thread() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become a user without other processes");
        return;
    }
    let by = ["prlimit", "--nproc=1"];
    for arguments in [&["office", "list"][..], &["status"], &["lead", "job", "--", "/bin/true"]] {
        let output = as_other_user(&by, arguments).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with("error: no thread can be started: "), "{err}");
        assert!(!err.contains("panicked"), "{err}");
    }
    // These need none.
    let output = as_other_user(&by, &["config", "example"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
