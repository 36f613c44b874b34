//! Configurations: errors with their lines, and settings on which members must agree.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, TIMING, trouble};
use std::path::Path;
use tenure_node::certificates::CertificateSubject;
use tenure_node::config::EXAMPLE;
use tenure_node::{ClusterConfig, Member};
use tokio::time::timeout;

fn read(text: &str) -> Result<ClusterConfig, String> {
    ClusterConfig::from_toml(text, Path::new("/etc/tenure")).map_err(|error| error.to_string())
}

#[test]
fn the_example_is_a_configuration_and_is_explained() {
    let config = read(EXAMPLE).unwrap();
    assert_eq!(config.members.len(), 3);
    assert_eq!(config.tls.key, Path::new("/etc/tenure/member.key"));
    let text = config.explain();
    for part in [
        "majority: 2 of 3",
        "c                10.0.0.3:7400, a witness",
        "longest vacancy after a silent crash: 252.501ms + 2 round trips + 1 disk sync",
        "clock bound 10000 millionths",
        "office db-primary: stop 0ns, a has priority 10, b has priority 5",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_key() {
    let wrong = |from: &str, to: &str| {
        assert!(EXAMPLE.contains(from), "{from}");
        read(&EXAMPLE.replacen(from, to, 1)).unwrap_err()
    };
    for (from, to, says) in [
        ("cluster = \"lab\"", "cluster = \"\"", "line 4, cluster: write a name"),
        ("cluster = \"lab\"", "clutser = \"lab\"", "line 4, clutser: unknown field"),
        ("profile = \"lan\"", "profile = \"van\"", "profile: write \"lan\", \"wan\" or \"custom\""),
        ("profile = \"lan\"", "profile = \"custom\"", "profile: a custom profile needs [timing]"),
        ("clock_bound = 10000", "clock_bound = 0", "clock_bound: it is in millionths"),
        ("\"10.0.0.2:7400\"", "\"10.0.0.2\"", "members, `b`, address: write host:port"),
        ("\"10.0.0.2:7400\"", "\"10.0.0.1:7400\"", "another member has this address"),
        ("\"10.0.0.2:7400\"", "\"[fe80::1%eth0]:7400\"", "has a zone that is no number"),
        ("\"10.0.0.2:7400\"", "\"[::ffff:10.0.0.2]:7400\"", "IPv4: write 10.0.0.2:7400"),
        ("data = \"/var/lib/tenure\"", "data = \"\"", "name the folder of the record"),
        ("\"10.0.0.2:7400\"", "\"fe80::1:7400\"", "write [ADDRESS]:PORT for IPv6"),
        ("\"10.0.0.2:7400\"", "\"0.0.0.0:7400\"", "stands for all addresses of its host"),
        ("\"10.0.0.2:7400\"", "\"[::]:7400\"", "stands for all addresses of its host"),
        (
            "\"10.0.0.2:7400\"",
            "\"127.0.0.1:7400\"",
            "`b`, address: 127.0.0.1:7400 is on the loopback",
        ),
        (
            "\"10.0.0.2:7400\"",
            "\"localhost:7400\"",
            "is on the loopback interface, where the other",
        ),
        (
            "# listen = \"0.0.0.0:7400\"",
            "listen = \"127.0.0.1:7400\"",
            "listen: 127.0.0.1:7400 is on the",
        ),
        ("# listen = \"0.0.0.0:7400\"", "listen = \"7400\"", "listen: write host:port"),
        ("# join = [", "join = [", "members: with `join`, name this host alone"),
        ("name = \"b\"", "name = \"a\"", "there are two members of this name"),
        ("name = \"b\"", "name = \"B_1\"", "write lower case letters"),
        ("stop = \"0s\"", "stop = \"soon\"", "offices, `db-primary`, stop:"),
        (
            "stop = \"0s\"",
            "stop = \"2h\"",
            "offices, `db-primary`, stop: lease and stop time are at most",
        ),
        ("name = \"db-primary\"\n", "", "name: missing field `name`"),
        ("address = \"10.0.0.2:7400\"\n", "", "address: missing field `address`"),
        ("key = \"member.key\"\n", "", "key: missing field `key`"),
        ("{ a = 10, b = 5 }", "{ d = 10 }", "there is no member `d`"),
        ("{ a = 10, b = 5 }", "{ c = 10 }", "`c` is a witness"),
        (
            "# [http]\n# listen = \"127.0.0.1:7480\"",
            "[http]\nlisten = \"0.0.0.0:80\"",
            "can be reached from elsewhere",
        ),
        (
            "# [http]\n# listen = \"127.0.0.1:7480\"\n# certificate",
            "[http]\nlisten = \"0.0.0.0:80\"\ncertificate",
            "write both `certificate` and `key`",
        ),
    ] {
        let why = wrong(from, to);
        assert!(why.contains(says), "{why:?} does not say {says:?}");
        assert!(why.starts_with("line "), "{why:?} names no line");
    }
    assert_eq!(read("cluster = \"lab\"").unwrap_err(), "line 1, data: missing field `data`");
}

#[test]
fn what_is_wrong_with_a_program_of_http_is_named_with_its_line_and_key() {
    let http = "[http]\nlisten = \"127.0.0.1:7480\"\n[[http.programs]]\n";
    let web = "name = \"web\"\ntoken = \"web.token\"\noffices = [\"db\", \"jobs-*\"]\n";
    let read = |program: &str| read(&format!("{EXAMPLE}{http}{program}"));
    let programs = read(web).unwrap().http.unwrap().programs;
    assert_eq!(programs[0].token, Path::new("/etc/tenure/web.token"));
    for (program, says) in [
        ("name = \"web\"\noffices = [\"db\"]\n", "missing field `token`"),
        (
            "name = \"web\"\ntoken = \"t\"\noffices = []\n",
            "http.programs, `web`, offices: name the offices",
        ),
        (
            "name = \"web\"\ntoken = \"t\"\noffices = [\"\"]\n",
            "http.programs, `web`, offices: `` cannot name an office",
        ),
        (
            "name = \"\"\ntoken = \"t\"\noffices = [\"db\"]\n",
            "http.programs, ``, name: write a name",
        ),
        (
            &format!("{web}[[http.programs]]\n{web}"),
            "http.programs, `web`, name: there are two programs of this name",
        ),
    ] {
        let why = read(program).unwrap_err();
        assert!(why.contains(says), "{why:?} does not say {says:?}");
        assert!(why.starts_with("line "), "{why:?} names no line");
    }
}

#[tokio::test]
async fn members_that_disagree_refuse_each_other_and_say_about_what() {
    let hosts = Hosts::three();
    let first = hosts.start("a").await;
    let text = hosts.text("b", &TIMING.replace("500ms", "600ms"));
    let second = Member::start(hosts.config_of("b", &text)).await.unwrap();
    let why = trouble(&first, "b", "lease").await;
    assert!(why.contains("lease: 600ms here, 500ms there"), "{why}");
    assert!(!second.status().await.unwrap().members[0].connected);
}

#[tokio::test]
async fn priorities_are_reloaded_and_what_needs_a_restart_is_refused() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let text = hosts.text("c", TIMING);
    let office = "[[offices]]\nname = \"db-primary\"\npriorities = { c = 7 }\n";
    members[2].reload(&hosts.config_of("c", &format!("{text}{office}"))).unwrap();
    let status = members[2].status().await.unwrap();
    assert_eq!(status.offices[0].name, OFFICE);
    let leader = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let stand = |member: usize| {
        let office = members[member].office(OFFICE);
        tokio::spawn(async move { office.stand().await.unwrap() })
    };
    let (lesser, greater) = (stand(1), stand(2));
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    leader.resign().await;
    timeout(LONG, greater).await.unwrap().unwrap();
    lesser.abort();
    let slower = hosts.config_of("c", &hosts.text("c", &TIMING.replace("500ms", "600ms")));
    let why = members[2].reload(&slower).unwrap_err().to_string();
    assert!(why.contains("lease: 500ms here, 600ms there") && why.contains("restart"), "{why}");
}

#[tokio::test]
async fn a_file_of_which_a_part_takes_a_restart_is_not_applied_at_all_and_the_keys_are_named() {
    let hosts = Hosts::three();
    let member = hosts.start("c").await;
    let text = hosts.text("c", TIMING);
    let office = "[[offices]]\nname = \"db-primary\"\n";
    let address = &hosts.addresses[0];
    for (from, to, keys) in [
        ("data = \"record\"", "data = \"other\"", "change of data needs"),
        ("cluster = \"lab\"", "cluster = \"bal\"", "change of cluster needs"),
        ("data = \"record\"", "data = \"other\"\nlisten = \"127.0.0.1:1\"", "data and listen"),
        (address, "127.0.0.9:7400", "change of members, `a`, address needs"),
        (
            "[tls]",
            "[http]\nlisten = \"127.0.0.1:7480\"\n[tls]",
            "change of http.listen needs a restart of this member",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let changed = hosts.config_of("c", &format!("{}{office}", text.replacen(from, to, 1)));
        let why = member.reload(&changed).unwrap_err().to_string();
        assert!(why.contains(keys) && why.starts_with("line "), "{why}");
    }
    // The certificate of another member is valid, and is not used, nor is anything else.
    let own = hosts.authority.issue(CLUSTER, CertificateSubject::Member("b")).unwrap();
    hosts.install("other", &hosts.authority.with(own));
    let text = text.replace("\"certificate.pem\"", "\"../other/certificate.pem\"");
    let text = text.replace("\"key.pem\"", "\"../other/key.pem\"");
    let changed = hosts.config_of("c", &format!("{text}{office}"));
    let why = member.reload(&changed).unwrap_err().to_string();
    assert!(why.contains("`c`") && why.contains("`b`"), "{why}");
    assert!(member.status().await.unwrap().offices.is_empty());
}

#[tokio::test]
async fn a_witness_votes_and_never_stands() {
    let hosts = Hosts::three();
    let text =
        |name| hosts.text(name, TIMING).replace("name = \"c\"", "name = \"c\"\nwitness = true");
    let mut members = Vec::new();
    for name in ["a", "c"] {
        members.push(Member::start(hosts.config_of(name, &text(name))).await.unwrap());
    }
    let third = Member::start(hosts.config_of("b", &text("b"))).await.unwrap();
    timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    third.kill();
    timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(members[1].office(OFFICE).stand().await.is_err());
}

/// The check refuses with the same words. A member that runs does not keep its configuration from being checked.
#[tokio::test]
async fn what_a_start_refuses_the_check_refuses() {
    let hosts = Hosts::three();
    let member = hosts.start("a").await;
    hosts.config("a").check().unwrap();
    member.shut_down().await;
    let text = hosts.text("a", TIMING);
    let address = &hosts.addresses[0];
    for (from, to, says) in [
        // No host has this address (RFC 5737).
        (address.as_str(), "192.0.2.7:7400", "cannot listen on 192.0.2.7:7400"),
        ("data = \"record\"", "data = \"/proc/record\"", "data: /proc: no file can be made in it"),
        ("data = \"record\"", "data = \"key.pem\"", "it is no folder"),
        (
            "[tls]",
            "[http]\nlisten = \"192.0.2.7:80\"\ncertificate = \"certificate.pem\"\nkey = \"key.pem\"\n[tls]",
            "http.listen: cannot listen on",
        ),
        ("[tls]", "[http]\nlisten = \"127.0.0.1:0\"\ntoken = \"none\"\n[tls]", "http.token: "),
    ] {
        assert!(text.contains(from), "{from}");
        let mut text = text.replacen(from, to, 1);
        if from == address {
            // All members are elsewhere then.
            text = text.replace("127.0.0.1:", "192.0.2.8:");
        }
        let config = hosts.config_of("a", &text);
        let checked = config.check().unwrap_err().to_string();
        let started = Member::start(config).await.unwrap_err().to_string();
        assert_eq!(checked, started);
        assert!(checked.starts_with("line ") && checked.contains(says), "{checked}");
    }
}

/// Where all have lost their records, the file says what terms there may have been.
#[tokio::test]
async fn terms_begin_above_the_first_one() {
    let hosts = Hosts::three();
    let first = 7_000_000_000_000_u64;
    let mut term = 0;
    for key in [String::new(), format!("first_term = {first}\n")] {
        let mut members = Vec::new();
        for name in &hosts.names {
            let folder = hosts.folder.path().join(name).join("record");
            _ = std::fs::remove_dir_all(folder);
            let config = hosts.config_of(name, &format!("{key}{}", hosts.text(name, TIMING)));
            members.push(Member::start(config).await.unwrap());
        }
        let leader = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
        assert!(leader.term() > term);
        term = first;
        leader.resign().await;
        for member in &members {
            member.shut_down().await;
        }
    }
    // It need not stay in the file: the records have it.
    let members = hosts.start_all().await;
    let leader = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(leader.term() > first);
}
