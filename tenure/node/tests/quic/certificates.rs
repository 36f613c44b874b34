//! Only certificates of the cluster's own members are admitted.

use crate::clients;
use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, trouble, until};
use std::time::Duration;
use tenure_node::Client;
use tenure_node::certificates::{Authority, CertificateSubject};
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let hosts = Hosts::three();
    let other = Authority::new().unwrap();
    let mut foreign = other.with(other.issue(CLUSTER, CertificateSubject::Member("b")).unwrap());
    foreign.authority = hosts.authority.own().certificate.into_bytes();
    hosts.install("b", &foreign);
    let members = [hosts.start("a").await, hosts.start("b").await];
    let why = trouble(&members[0], "b", "certificate").await;
    assert!(why.to_lowercase().contains("issuer"), "{why}");
    assert!(!members[1].status().await.unwrap().members[0].connected);
}

#[tokio::test]
async fn a_certificate_for_another_cluster_is_refused_at_the_start() {
    let hosts = Hosts::three();
    let own = hosts.authority.issue("elsewhere", CertificateSubject::Member("b")).unwrap();
    hosts.install("b", &hosts.authority.with(own));
    let why = hosts.try_start("b").await.unwrap_err().to_string();
    assert!(why.contains("none of the members `a`, `b`, `c` of cluster `lab`"), "{why}");
}

/// Runs a process at the address of a member, with another certificate of the same authority.
#[tokio::test]
async fn a_member_of_another_cluster_does_not_pass_for_one_of_this() {
    let hosts = Hosts::three();
    let mut other = Hosts::three();
    let own = hosts.authority.issue("elsewhere", CertificateSubject::Member("b")).unwrap();
    other.install("b", &hosts.authority.with(own));
    other.addresses.clone_from(&hosts.addresses);
    let text = other.text("b", crate::hosts::TIMING).replace(CLUSTER, "elsewhere");
    let config = other.config_of("b", &text);
    let _impostor = tenure_node::Member::start(config).await.unwrap();
    let first = hosts.start("a").await;
    let why = trouble(&first, "b", "certificate").await;
    assert!(why.contains("b.members.lab") && why.contains("b.members.elsewhere"), "{why}");
}

#[tokio::test]
async fn a_revoked_certificate_is_refused_and_shut_out_when_the_list_is_reloaded() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let leadership = timeout(LONG, members[1].office(OFFICE).stand()).await.unwrap().unwrap();
    until(&members[0], |status| status.members.iter().all(|peer| peer.connected)).await;
    let revoked = std::fs::read_to_string(hosts.folder.path().join("b/certificate.pem")).unwrap();
    let list = hosts.authority.revoke([revoked.as_str()]).unwrap();
    for (name, member) in [("a", &members[0]), ("c", &members[2])] {
        let path = hosts.folder.path().join(name).join("revoked.pem");
        std::fs::write(path, &list).unwrap();
        member.reload(&hosts.config(name)).unwrap();
    }
    timeout(LONG, leadership.lost()).await.unwrap();
    until(&members[0], |status| status.members.iter().any(|peer| !peer.connected)).await;
    sleep(Duration::from_millis(300)).await;
    let status = members[0].status().await.unwrap();
    let connected = |name| status.members.iter().any(|peer| peer.name == name && peer.connected);
    assert!(!connected("b") && connected("c"));
    timeout(LONG, members[2].office(OFFICE).stand()).await.unwrap().unwrap();
}

/// The members have no list, so that it is the client who refuses.
#[tokio::test]
async fn a_client_with_the_list_does_not_trust_a_member_that_is_revoked() {
    let hosts = Hosts::three();
    let _members = hosts.start_all().await;
    let revoked = std::fs::read_to_string(hosts.folder.path().join("b/certificate.pem")).unwrap();
    let mut config = clients::config(&hosts, &hosts.addresses, "web");
    let list = hosts.folder.path().join("web/revoked.pem");
    std::fs::write(&list, hosts.authority.revoke([revoked.as_str()]).unwrap()).unwrap();
    config.tls.revoked = Some(list);
    let client = timeout(LONG, Client::start(config)).await.unwrap().unwrap();
    let status = until(&client, |status| {
        status.members.iter().filter(|peer| peer.connected).count() == 2
            && status.members.iter().any(|peer| peer.trouble.is_some())
    });
    let second = status.await.members.into_iter().find(|peer| peer.name == "b").unwrap();
    let why = second.trouble.unwrap_or_default();
    assert!(!second.connected && why.to_lowercase().contains("revoked"), "{why}");
    timeout(LONG, client.office(OFFICE).stand()).await.unwrap().unwrap();
}
