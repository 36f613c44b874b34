//! SIGHUP has `tenure lead` and `tenure serve` read their configuration again: certificates,
//! priorities and offices.

use crate::Test;
use crate::hosts::{CALM, Hosts, until};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("a_member_reads_its_configuration_again_on_sighup", serves),
    ("a_leader_reads_its_configuration_again_on_sighup_and_leads_on", leads),
];

/// Whether the member of host 1 knows an office.
fn knows(hosts: &Hosts, office: &str) -> bool {
    let list = hosts.json(&["office", "list"], 1);
    list.as_array().unwrap().iter().any(|known| known["office"] == office)
}

/// Whether host 1 is connected to host 3.
fn meets(hosts: &Hosts) -> bool {
    let status = hosts.json(&["status"], 1);
    let members = status["state"]["members"].as_array().unwrap();
    members.iter().any(|member| member["name"] == "host-3" && member["connected"] == true)
}

/// Changes the configuration of host 1, and has its process read it again.
fn reload(hosts: &Hosts) {
    until("the hosts meet", || meets(hosts));
    let file = hosts.path("1.toml");
    let old = fs::read_to_string(&file).unwrap();
    hosts.revoke(&["member-host-3.pem"], "revoked.pem");
    let office = "[[offices]]\nname = \"second\"\npriorities = { host-1 = 7 }\n";
    let new = old.replace("[tls]\n", &format!("{office}[tls]\nrevoked = \"revoked.pem\"\n"));
    fs::write(&file, &new).unwrap();
    assert!(!knows(hosts, "second") && meets(hosts));
    hosts.signal(1, "HUP");
    until("the new office is known", || knows(hosts, "second"));
    until("the revoked certificate is refused", || !meets(hosts));
    // What cannot be used changes nothing.
    fs::write(&file, new.replace("\"second\"", "\"third\"").replace("lease = ", "laese = "))
        .unwrap();
    hosts.signal(1, "HUP");
    sleep(Duration::from_millis(500));
    assert!(!knows(hosts, "third") && knows(hosts, "second"));
    fs::write(&file, new.replace("\"second\"", "\"third\"")).unwrap();
    hosts.signal(1, "HUP");
    until("the next one is known", || knows(hosts, "third"));
}

fn serves() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve();
    reload(&hosts);
    hosts.end(1);
}

fn leads() {
    let mut hosts = Hosts::with(CALM);
    hosts.serve_on(2);
    hosts.serve_on(3);
    hosts.lead(1);
    hosts.until_started(1);
    reload(&hosts);
    assert_eq!(hosts.log().len(), 1, "it leads on");
    hosts.end(1);
}
