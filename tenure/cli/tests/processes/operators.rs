//! Operators on hosts without a member: `tenure office` and `status` over the network.

use crate::hosts::{CALM, Hosts, LIMIT, Programs, until};
use crate::releases::PATIENT;
use crate::{Test, tenure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("operators_ask_any_member_from_any_host", asked),
    ("a_transfer_that_cannot_end_where_it_is_meant_to_leaves_the_leader_alone", in_vain),
    (
        "a_member_that_has_no_part_in_an_office_shows_who_leads_at_the_first_question",
        first_question,
    ),
    ("operators_who_cannot_be_answered_are_told_why", refused),
    ("operators_change_the_members_while_one_leads", members_change),
    ("where_the_leader_is_is_shown_by_every_member_and_to_scripts", value),
    ("a_command_runs_against_the_leader_and_again_when_another_one_leads", connected),
];

pub(crate) fn elsewhere(hosts: &Hosts, arguments: &[&str]) -> Command {
    let mut process = tenure(arguments);
    process.env_remove("TENURE_SOCKET").env("TENURE_SOCKETS", hosts.path("none"));
    process
}

/// Appends the flags by which the members of these hosts are asked, with a certificate.
pub(crate) fn with(hosts: &Hosts, asked: &[usize], name: &str, words: &[&str]) -> Vec<String> {
    let addresses: Vec<_> = asked.iter().map(|&host| hosts.address(host)).collect();
    let file = |name: String| hosts.text(&format!("{name}.pem"));
    let (certificate, key) = (file(name.to_owned()), file(format!("{name}-key")));
    let (addresses, authority) = (addresses.join(","), hosts.text("ca.pem"));
    let flags = ["--members", &addresses, "--authority", &authority];
    let own = ["--certificate", &certificate, "--key", &key];
    let all = words.iter().copied().chain(flags).chain(own);
    all.map(str::to_owned).collect()
}

fn say(hosts: &Hosts, words: &[String]) -> (i32, String, String) {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let output = elsewhere(hosts, &words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(hosts: &Hosts, asked: &[usize], words: &[&str]) -> Value {
    let words = [words, &["--format", "json"]].concat();
    let (code, out, err) = say(hosts, &with(hosts, asked, "operator-alice", &words));
    assert_eq!(code, 0, "{words:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

fn members_change() {
    let mut hosts = Hosts::with(CALM);
    fs::create_dir(hosts.path("none")).unwrap();
    for host in 1..=3 {
        hosts.lead(host);
    }
    let leader = hosts.until_started(1);
    hosts.join();
    let names = |hosts: &Hosts, key: &str| -> Vec<String> {
        let report = json(hosts, &[1, 2], &["members"]);
        let name = |it: &Value| it["name"].as_str().or(it.as_str()).unwrap().to_owned();
        report[key].as_array().unwrap().iter().map(name).collect()
    };
    until("host-4 waits", || names(&hosts, "waiting") == ["host-4"]);
    // A client may ask, and no more.
    let by = |name: &str, words: &[&str]| say(&hosts, &with(&hosts, &[1, 2], name, words));
    let (code, _, err) = by("client-web", &["members", "add", "host-4"]);
    assert!(code == 1 && err.contains("a client's certificate does not allow this"), "{err}");
    let (code, out, err) = by("operator-alice", &["members", "add", "host-4"]);
    assert!(code == 0 && out.contains("host-4"), "{out}{err}");
    let (code, _, err) = by("operator-alice", &["members", "add", "host-4"]);
    assert!(code == 1 && err.contains("`host-4` is a member already"), "{err}");
    let (code, _, err) = by("operator-alice", &["members", "force", "--i-have-lost", "host-3"]);
    assert!(code == 1 && err.contains("`host-3` is not lost"), "{err}");
    let (code, _, err) = by("operator-alice", &["members", "remove", "host-3"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(names(&hosts, "members"), ["host-1", "host-2", "host-4"]);
    assert_eq!(hosts.log(), [(hosts.log()[0].0, leader)], "the office never moved");

    hosts.kill(3);
    let config = |host: &str| tenure(&["config", "check", &hosts.text(host)]).output().unwrap();
    let refused = |host: &str, why: &str| {
        let output = config(host);
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && err.contains(why), "{err}");
    };
    refused(
        "3.toml",
        "`host-3` is a member no longer; the members are `host-1`, `host-2`, `host-4`",
    );
    refused("1.toml", "this file names `host-1`, `host-2`, `host-3`, and by the record");
    assert_eq!(config("4.toml").status.code(), Some(0));
}

fn asked() {
    let mut hosts = Hosts::with(CALM);
    fs::create_dir(hosts.path("none")).unwrap();
    hosts.serve();
    let job = hosts.text("job");
    let watch = with(&hosts, &[3, 2], "client-web", &["office", "watch", "job"]);
    let words: Vec<_> = watch.iter().map(String::as_str).collect();
    let mut watch = elsewhere(&hosts, &words).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let lead = ["lead", "job", "--grace", "100ms", "--", "/bin/sh", &job];
    let programs = (1..=2).map(|host| hosts.tenure(&lead, host).spawn().unwrap());
    let mut programs = Programs(programs.collect());
    let leader = format!("host-{}", hosts.until_started(1));
    let watched = lines.find(|line| line.as_ref().unwrap().contains("\"leader\":\"host-"));
    assert!(watched.unwrap().unwrap().contains(&leader));
    watch.kill().unwrap();
    watch.wait().unwrap();

    // Each member answers, and says whose state it is.
    let config = hosts.text("1.toml");
    for host in 1..=3 {
        let status = json(&hosts, &[host], &["status"]);
        assert_eq!(status["state"]["name"], format!("host-{host}"));
        let name = format!("host-{host}");
        let words = ["status", "--config", &config, "--member", &name].map(str::to_owned);
        let (code, out, err) = say(&hosts, &words);
        assert!(code == 0 && out.contains(&format!("{name} of lab")), "{out}{err}");
    }
    let begin = Instant::now();
    while json(&hosts, &[3], &["office", "show", "job"])["leader"] != leader.as_str() {
        assert!(begin.elapsed() < LIMIT, "host 3 does not learn who leads");
        sleep(Duration::from_millis(20));
    }
    let list = json(&hosts, &[1, 2, 3], &["office", "list"]);
    assert_eq!(list[0]["office"], "job");

    // A client's certificate shows who leads, and changes nothing.
    let other = 3 - leader.strip_prefix("host-").unwrap().parse::<usize>().unwrap();
    let to = format!("host-{other}");
    let transfer = ["office", "transfer", "job", "--to", &to];
    let (code, out, err) = say(&hosts, &with(&hosts, &[3], "client-web", &transfer));
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("a client's certificate does not allow this"), "{err}");
    let (code, _, err) = say(&hosts, &with(&hosts, &[3], "operator-alice", &transfer));
    assert_eq!(code, 0, "{err}");
    assert_eq!(hosts.until_started(2), other);
    let history = json(&hosts, &[3], &["office", "history", "job"]);
    let leaders: Vec<_> =
        history.as_array().unwrap().iter().map(|change| &change["leader"]).collect();
    assert!(leaders.contains(&&Value::from(leader.as_str())), "{history}");

    // A member whose certificate is on the list is not believed, wherever the members have no list.
    let list = hosts.text("without-host-3.pem");
    let status = ["status", "--revoked", &list];
    let (code, _, err) = say(&hosts, &with(&hosts, &[3], "operator-alice", &status));
    assert!(code == 1 && err.to_lowercase().contains("revoked"), "{code}: {err}");
    let (code, out, err) = say(&hosts, &with(&hosts, &[3, 2], "operator-alice", &status));
    assert!(code == 0 && out.contains("host-2 of lab"), "{out}{err}");

    // By the configuration of a host, with the certificate of its member, and without host 3.
    hosts.kill(3);
    let words = ["office", "resign", "job", "--config", &config].map(str::to_owned);
    let (code, _, err) = say(&hosts, &words);
    assert_eq!(code, 0, "{err}");
    hosts.until_started(3);
    for number in 0..2 {
        assert_eq!(programs.end(number), Some(0));
    }
    hosts.end(1);
    hosts.end(2);
    hosts.log();
}

fn in_vain() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    let steady = ["lead", "job", "--", "/bin/sh", &hosts.text("job")];
    let _program = Programs(vec![hosts.tenure(&steady, 1).spawn().unwrap()]);
    assert_eq!(hosts.until_started(1), 1);
    for (to, expected) in [
        ("host-1", "host-1 leads `job` already, in term "),
        ("host-2", "host-2 does not stand for `job`"),
        ("host-9", "no participant is named `host-9`"),
    ] {
        for asked in 1..=3 {
            let words = ["office", "transfer", "job", "--to", to];
            let output = hosts.tenure(&words, asked).output().unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{err}");
            assert!(err.contains(expected), "{err}");
        }
    }
    assert_eq!(hosts.log().len(), 1, "the leader was not told to leave");
}

fn first_question() {
    let mut hosts = Hosts::with(PATIENT);
    hosts.serve();
    let steady = ["lead", "job", "--", "/bin/sh", &hosts.text("job")];
    let _program = Programs(vec![hosts.tenure(&steady, 1).spawn().unwrap()]);
    hosts.until_started(1);
    // A member that has just come up grants nothing for a lease, so it has not voted for the leader.
    hosts.kill(3);
    fs::remove_file(hosts.path("3.socket")).unwrap();
    hosts.serve_on(3);
    until("host 3 is up", || hosts.path("3.socket").exists());
    let list = hosts.json(&["office", "list"], 3);
    let listed = list.as_array().unwrap().iter().find(|office| office["office"] == "job").unwrap();
    let shown = hosts.json(&["office", "show", "job"], 3);
    for office in [listed, &shown] {
        assert_eq!((&office["leader"], &office["here"]), (&"host-1".into(), &false.into()));
        assert_eq!(office["term"], hosts.log()[0].0);
        // It is the leader that says so.
        assert!(office["valid_for_ms"].as_u64().unwrap() > 0, "{office}");
        assert!(office["since"].is_string(), "{office}");
    }
}

fn refused() {
    let hosts = Hosts::new();
    fs::create_dir(hosts.path("none")).unwrap();
    // No member runs: each is named, with the reason.
    let (code, out, err) = say(&hosts, &with(&hosts, &[1, 2], "operator-alice", &["status"]));
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with("error: no member answers: "), "{err}");
    assert!(err.contains(&hosts.address(1)) && err.contains(&hosts.address(2)), "{err}");
}

fn value() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve_on(2);
    hosts.serve_on(3);
    let command = ["/bin/sh", "-c", "echo \"$TENURE_VALUE\" >\"$WORK/told\"; exec sleep 1000"];
    hosts.lead_by(1, &["--value", "http://{address}/{office}/{member}"], &command);
    let address = hosts.address(1);
    let (host, _) = address.rsplit_once(':').unwrap();
    let expected = format!("http://{host}/job/host-1");
    let show = |office: &str, asked: usize| {
        let output = hosts.tenure(&["office", "show", office, "--value"], asked).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for asked in [3, 1, 2] {
        until("the value is shown", || show("job", asked) == (Some(0), format!("{expected}\n")));
    }
    let told = || fs::read_to_string(hosts.path("told")).unwrap_or_default();
    until("the command is told its value", || told() == format!("{expected}\n"));
    assert_eq!(show("other", 3), (Some(1), String::new()), "there is no leader");
    let list = hosts.json(&["office", "list"], 3);
    assert_eq!((&list[0]["value"], &list[0]["change"]), (&Value::from(expected), &1.into()));

    // What can be no value is refused at once.
    for (value, why) in [
        (
            "{address}",
            "--value: {address} is the address of a member in its configuration (--config)",
        ),
        ("{port}", "--value: there is no {port}; there are {address}, {member} and {office}"),
        ("two\nlines", "--value: a value cannot have the control character \\n"),
        (
            &"x".repeat(4097),
            "--value: a value of 4097 bytes is too long: at most 4096 are possible",
        ),
    ] {
        let lead = ["lead", "other", "--value", value, "--", "true"];
        let output = hosts.tenure(&lead, 2).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err), (Some(2), format!("error: {why}\n")));
    }
    // By the member of its host, which has no address of its own to tell.
    let json = r#"{"at":"{member}"}"#;
    let through = ["lead", "other", "--value", json, "--", "sleep", "1000"];
    let _program = Programs(vec![hosts.tenure(&through, 2).spawn().unwrap()]);
    until("the value is shown", || {
        show("other", 3) == (Some(0), "{\"at\":\"host-2\"}\n".to_owned())
    });
}

fn connected() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve_on(2);
    hosts.serve_on(3);
    let file = hosts.text("connected");
    let lines = || fs::read_to_string(&file).unwrap_or_default();
    let script = "echo \"$TENURE_LEADER $1 $TENURE_TERM $2\" >>\"$0\"; trap 'echo ended >>\"$0\"; exit' TERM; \
                  while :; do sleep 0.05; done";
    let words = ["connect", "job", "--", "/bin/sh", "-c", script, &file, "at {value}", "{term}{x}"];
    let mut connects = Programs(vec![hosts.tenure(&words, 3).spawn().unwrap()]);
    hosts.lead_by(1, &["--value", "one"], &["sleep", "1000"]);
    until("it runs", || lines().lines().count() == 1);
    let first = lines();
    let term = first.split(' ').nth(3).unwrap().parse::<u64>().unwrap();
    assert_eq!(first, format!("host-1 at one {term} {term}{{x}}\n"));

    let lead = ["lead", "job", "--value", "{member} has it", "--", "sleep", "1000"];
    let _next = Programs(vec![hosts.tenure(&lead, 2).spawn().unwrap()]);
    hosts.end(1);
    until("it runs again", || lines().lines().count() == 3);
    let second = lines().lines().nth(2).unwrap().to_owned();
    assert_eq!(lines().lines().nth(1), Some("ended"));
    assert!(second.starts_with("host-2 at host-2 has it "), "{second}");
    assert_eq!(connects.end(0), Some(0));
    assert_eq!(lines().lines().last(), Some("ended"), "it leaves nothing behind");

    // Once, and with its exit code; again where it fails; or not at all.
    let code = |words: &[&str]| {
        let output = hosts.tenure(&[&["connect", "job"], words].concat(), 3).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(code(&["--once", "--", "/bin/sh", "-c", "exit 7"]).0, Some(7));
    assert_eq!(code(&["--once", "--", "/bin/sh", "-c", "kill -9 $$"]).0, Some(137));
    let (ended, why) = code(&["--", "no-such-program"]);
    assert_eq!(ended, Some(2));
    assert!(why.contains("COMMAND: there is no program `no-such-program`"), "{why}");
    let failing = "echo tried >>\"$0\"; exit 1";
    let words = ["connect", "job", "--", "/bin/sh", "-c", failing, &file];
    let mut connects = Programs(vec![hosts.tenure(&words, 3).spawn().unwrap()]);
    until("it is tried again", || lines().matches("tried").count() >= 2);
    assert_eq!(connects.end(0), Some(0));
}
