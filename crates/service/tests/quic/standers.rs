//! Participants without a vote.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, until};
use suffrage_service::{Stander, StanderConfig};
use tokio::time::timeout;

fn config(hosts: &Hosts, addresses: &[String], credential: &str) -> StanderConfig {
    let own = hosts.authority.issue_stander(CLUSTER, credential).unwrap();
    StanderConfig {
        cluster: CLUSTER.to_owned(),
        credential: credential.to_owned(),
        suffix: String::new(),
        members: addresses.to_vec(),
        tls: hosts.install(credential, &hosts.authority.with(own)),
    }
}

#[tokio::test]
async fn standers_find_all_members_from_one_and_survive_the_loss_of_a_minority() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let one = config(&hosts, &hosts.addresses[2..], "web");
    let standers = [Stander::start(one.clone()).await.unwrap(), Stander::start(one).await.unwrap()];
    assert!(standers[0].name().starts_with("web-") && standers[0].name() != standers[1].name());
    let first = timeout(LONG, standers[0].office(OFFICE).stand()).await.unwrap().unwrap();
    until(&members[0], |status| status.standers.len() == 2).await;
    let waits = standers[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    members[2].kill(); // The one from which the standers learnt the others.
    members[2].ended().await;
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    first.check().unwrap();
    let mut watch = members[1].watch(OFFICE).await.unwrap();
    let name = standers[0].name();
    let known = async {
        while watch.next().await.unwrap().leader().is_none_or(|leader| leader.name != name) {}
    };
    timeout(LONG, known).await.unwrap();
    standers[0].kill();
    timeout(LONG, second).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_stander_with_a_member_s_certificate_or_none_of_its_own_is_refused() {
    let hosts = Hosts::three();
    let member = hosts.start("a").await;
    let mut borrowed = config(&hosts, &hosts.addresses[..1], "web");
    borrowed.credential = "db".to_owned();
    let stander = Stander::start(borrowed).await.unwrap();
    let refused = async {
        loop {
            let status = stander.status().await.unwrap();
            let trouble = status.members[0].trouble.clone().unwrap_or_default();
            if trouble.contains("the certificate is not that of standers `db`") {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, refused).await.unwrap();
    assert!(member.status().await.unwrap().standers.is_empty());
}
