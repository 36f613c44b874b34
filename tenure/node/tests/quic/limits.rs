//! What comes from outside is bounded: connections that say nothing, introductions, datagrams, and how many
//! are served.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, until};
use crate::{clients, operators};
use std::time::Duration;
use tenure_node::certificates::CertificateSubject;
use tenure_node::config::TlsFiles;
use tenure_node::testing::{Stranger, start_small_member};
use tenure_node::{Client, Conversation, CrashNotifier, Member};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

/// The greatest length of an introduction, in bytes.
const INTRODUCTION: usize = 1 << 15;

fn web(hosts: &Hosts) -> TlsFiles {
    operators::files(hosts, &hosts.authority, CLUSTER, CertificateSubject::Client("web"))
}

async fn connect(hosts: &Hosts, files: &TlsFiles, member: usize) -> Stranger {
    let connecting = Stranger::connect(CLUSTER, files.clone(), &hosts.addresses[member]);
    timeout(LONG, connecting).await.unwrap().unwrap()
}

#[tokio::test]
async fn connections_that_say_nothing_do_not_keep_a_member_out() {
    let hosts = Hosts::three();
    let second = start_small_member(hosts.config("b")).await.unwrap();
    let mut strangers = Vec::new();
    for _ in 0..4 {
        strangers.push(connect(&hosts, &web(&hosts), 1).await);
    }
    // The first member dials the second one, which has no room before these have had their ten minutes.
    let _first = hosts.start("a").await;
    until(&second, |status| status.members.iter().any(|peer| peer.connected)).await;
    timeout(LONG, strangers[0].closed()).await.expect("the oldest has made room");
    assert!(!strangers[3].is_closed(), "and the newest still has time");
}

#[tokio::test]
async fn an_introduction_that_is_too_long_is_refused() {
    let hosts = Hosts::three();
    let member = hosts.start("a").await;
    let files = web(&hosts);
    // A newer version may append something.
    assert!(connect(&hosts, &files, 0).await.visit(INTRODUCTION / 2).await.unwrap());
    assert_eq!(member.status().await.unwrap().refused, 0);
    assert!(connect(&hosts, &files, 0).await.visit(INTRODUCTION + 1).await.is_err());
    until(&member, |status| status.refused == 1).await;
}

#[tokio::test]
async fn an_introduction_that_cannot_be_read_is_refused() {
    let hosts = Hosts::three();
    let member = hosts.start("a").await;
    let stranger = connect(&hosts, &web(&hosts), 0).await;
    let _ = stranger.introduce(&[255; 99]).await;
    timeout(LONG, stranger.closed()).await.unwrap();
    until(&member, |status| status.refused == 1).await;
}

/// Two members are correct, and a process has the certificate of the third.
#[tokio::test]
async fn a_member_that_sends_what_cannot_be_read_is_cut_off_and_counted() {
    let hosts = Hosts::three();
    let members = [hosts.start("b").await, hosts.start("c").await];
    let files =
        operators::files(&hosts, &hosts.authority, CLUSTER, CertificateSubject::Member("a"));
    let settings = connect(&hosts, &files, 1).await;
    let member = connect(&hosts, &files, 1).await;
    member.enter(&settings, "a").await.unwrap();
    // Well-formed as a datagram: a message of three bytes, which mean nothing.
    member.send(vec![3, 255, 255, 255]).unwrap();
    until(&members[0], |status| status.undecodable == 1).await;
    assert!(!member.is_closed(), "newer versions may say what is not understood");
    // A message that is longer than its datagram.
    member.send(vec![100, 1, 2]).unwrap();
    let why = timeout(LONG, member.closed()).await.unwrap();
    assert!(why.contains("a datagram cannot be read"), "{why}");
}

#[tokio::test]
async fn no_more_clients_are_served_than_there_may_be() {
    let (hosts, _member) = small().await;
    let config = clients::config(&hosts, &hosts.addresses, "web");
    let _first = entered(&config).await;
    let second = Client::start(config).await.unwrap();
    let refused = async {
        loop {
            let status = second.status().await.unwrap();
            if let Some(why) = &status.members[0].trouble
                && why.contains("1 clients are connected already")
            {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, refused).await.unwrap();
}

#[tokio::test]
async fn no_more_crash_notifiers_are_served_than_there_may_be() {
    let (hosts, member) = small().await;
    let client = entered(&clients::config(&hosts, &hosts.addresses, "web")).await;
    let release_ticket = client.release_ticket().unwrap();
    let first = CrashNotifier::start(release_ticket.clone(), OFFICE, 7).unwrap();
    sleep(Duration::from_millis(500)).await;
    let second = CrashNotifier::start(release_ticket, OFFICE, 7).unwrap();
    let releasing = tokio::spawn(second.release());
    sleep(Duration::from_millis(500)).await;
    assert_eq!(member.status().await.unwrap().crash_releases, 0, "only the first one is heard");
    timeout(LONG, first.release()).await.unwrap();
    until(&member, |status| status.crash_releases > 0).await;
    timeout(LONG, releasing).await.unwrap().unwrap();
}

#[tokio::test]
async fn no_more_operators_are_served_than_there_may_be() {
    let (hosts, member) = small().await;
    operators::echo(&member);
    let files =
        operators::files(&hosts, &hosts.authority, CLUSTER, CertificateSubject::Operator("alice"));
    let door = [operators::at(&hosts.addresses[0], None)];
    let mut first = Conversation::begin(CLUSTER, files.clone(), &door).await.unwrap();
    first.write_all(b"who").await.unwrap();
    let busy = async {
        while operators::ask(files.clone(), &door).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, busy).await.unwrap();
    first.write_all(b" leads?").await.unwrap();
    first.shutdown().await.unwrap();
    let mut answer = String::new();
    timeout(LONG, first.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert_eq!(answer, "may order: who leads?");
    drop(first);
    let free = async {
        while operators::ask(files.clone(), &door).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, free).await.expect("there is room again");
}

/// A member that serves one of each, and is a cluster by itself.
async fn small() -> (Hosts, Member) {
    let hosts = Hosts::new(&["a"]);
    let member = start_small_member(hosts.config("a")).await.unwrap();
    (hosts, member)
}

/// Starts a client, and waits until it is connected.
async fn entered(config: &tenure_node::ClientConfig) -> Client {
    let client = Client::start(config.clone()).await.unwrap();
    until(&client, |status| status.members.iter().all(|peer| peer.connected)).await;
    client
}
