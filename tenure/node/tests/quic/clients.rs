//! Participants without a vote.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, TIMING, until};
use std::collections::BTreeSet;
use std::time::Duration;
use tenure_node::certificates::CertificateSubject;
use tenure_node::testing::{start_client, versions};
use tenure_node::{Client, ClientConfig, Member, ParticipantStatus};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A number of a client.
const NUMBER: u32 = 3_000_000_000;

/// Starts a client that has drawn this number.
async fn drawn(config: ClientConfig) -> Client {
    start_client(config, versions(), Some(NUMBER)).await.unwrap()
}

pub(crate) fn config(hosts: &Hosts, addresses: &[String], credential: &str) -> ClientConfig {
    let own = hosts.authority.issue(CLUSTER, CertificateSubject::Client(credential)).unwrap();
    ClientConfig {
        cluster: CLUSTER.to_owned(),
        credential: credential.to_owned(),
        suffix: String::new(),
        members: addresses.to_vec(),
        tls: hosts.install(credential, &hosts.authority.with(own)),
    }
}

#[tokio::test]
async fn clients_find_all_members_from_one_and_survive_the_loss_of_a_minority() {
    let hosts = Hosts::three();
    let members = hosts.start_with(&TIMING.replace("500ms", "1500ms")).await;
    let one = config(&hosts, &hosts.addresses[2..], "web");
    let clients = [Client::start(one.clone()).await.unwrap(), Client::start(one).await.unwrap()];
    assert!(clients[0].name().starts_with("web-") && clients[0].name() != clients[1].name());
    let first = timeout(LONG, clients[0].office(OFFICE).stand()).await.unwrap().unwrap();
    until(&members[0], |status| status.clients.len() == 2).await;
    let waits = clients[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    members[2].kill(); // The one from which the clients learnt the others.
    members[2].ended().await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    first.check().unwrap();
    let mut watch = members[1].watch(OFFICE).await.unwrap();
    let name = clients[0].name();
    let known = async {
        while watch.next().await.unwrap().leader().is_none_or(|leader| leader.name != name) {}
    };
    timeout(LONG, known).await.unwrap();
    clients[0].kill();
    timeout(LONG, second).await.unwrap().unwrap();
}

#[tokio::test]
async fn members_know_by_name_the_offices_for_which_clients_alone_stand() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let client = Client::start(config(&hosts, &hosts.addresses, "web")).await.unwrap();
    let leads = timeout(LONG, client.office("reports").stand()).await.unwrap().unwrap();
    let office =
        |status: &ParticipantStatus| status.offices.iter().find(|it| it.name == "reports").cloned();
    let (name, term) = (client.name(), leads.term());
    for member in &members {
        let led = |status: &ParticipantStatus| {
            office(status)
                .is_some_and(|it| it.leader.as_deref() == Some(name) && it.term == Some(term))
        };
        until(member, led).await;
    }
    leads.resign().await;
    for member in &members {
        until(member, |status| office(status).is_some_and(|it| it.leader.is_none())).await;
    }
}

#[tokio::test]
async fn a_client_that_starts_before_its_members_waits_for_them() {
    let hosts = Hosts::three();
    let starting = tokio::spawn(Client::start(config(&hosts, &hosts.addresses, "web")));
    // Longer than a member has for its answer, so that all have failed to answer.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(!starting.is_finished());
    let _members = hosts.start_all().await;
    let client = timeout(LONG, starting).await.unwrap().unwrap().unwrap();
    timeout(LONG, client.office(OFFICE).stand()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_without_an_address_that_can_be_one_is_refused_at_once() {
    let hosts = Hosts::three();
    for (addresses, expected) in [
        (&[][..], "members: name the address of one or more"),
        (&["10.0.0.1"], "members: write host:port, not `10.0.0.1`"),
    ] {
        let addresses: Vec<_> = addresses.iter().map(|&address| address.to_owned()).collect();
        let error = Client::start(config(&hosts, &addresses, "web")).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn a_client_with_a_member_s_certificate_or_none_of_its_own_is_refused() {
    let hosts = Hosts::three();
    let member = hosts.start("a").await;
    let mut borrowed = config(&hosts, &hosts.addresses[..1], "web");
    borrowed.credential = "db".to_owned();
    let client = Client::start(borrowed).await.unwrap();
    let refused = async {
        loop {
            let status = client.status().await.unwrap();
            let trouble = status.members[0].trouble.clone().unwrap_or_default();
            if trouble.contains("the certificate is not that of clients `db`") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, refused).await.unwrap();
    assert!(member.status().await.unwrap().clients.is_empty());
}

#[tokio::test]
async fn of_two_clients_with_one_number_the_one_that_does_not_lead_draws_another() {
    let hosts = Hosts::three();
    // Long leases, for machines that are busy with other tests.
    let members = hosts.start_with(&TIMING.replace("500ms", "3s")).await;
    let config = config(&hosts, &hosts.addresses, "web");
    let first = drawn(config.clone()).await;
    let leads = timeout(LONG, first.office(OFFICE).stand()).await.unwrap().unwrap();
    let second = drawn(config).await;
    let waits = second.clone();
    let next = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    for member in &members {
        until(member, |status| status.clients.len() == 2).await;
    }
    assert_eq!(first.peer().0, NUMBER);
    assert_ne!(second.peer().0, NUMBER);
    assert_ne!(first.name(), second.name());
    leads.check().unwrap();
    let term = leads.term();
    leads.resign().await;
    assert!(timeout(LONG, next).await.unwrap().unwrap().term() > term);
}

#[tokio::test]
async fn clients_that_all_draw_one_number_are_told_apart_and_lead_in_turn() {
    const CLIENTS: usize = 8;
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let config = config(&hosts, &hosts.addresses, "web");
    let mut starting = JoinSet::new();
    for _ in 0..CLIENTS {
        starting.spawn(drawn(config.clone()));
    }
    let clients = timeout(LONG, starting.join_all()).await.unwrap();
    for member in &members {
        until(member, |status| status.clients.len() == CLIENTS).await;
    }
    let numbers: BTreeSet<u32> = clients.iter().map(|client| client.peer().0).collect();
    assert_eq!(numbers.len(), CLIENTS);
    let mut leading = JoinSet::new();
    for client in clients.clone() {
        leading.spawn(async move {
            let leads = client.office(OFFICE).stand().await.unwrap();
            let term = leads.term();
            leads.resign().await;
            term
        });
    }
    let terms = timeout(LONG, leading.join_all()).await.unwrap();
    assert_eq!(terms.into_iter().collect::<BTreeSet<u64>>().len(), CLIENTS);
}

/// The members would take it for the one that has gone, recovered, and free what they owe to that one.
#[tokio::test]
async fn a_number_is_not_used_again_while_the_work_of_its_client_may_go_on() {
    let hosts = Hosts::three();
    let stop = "offices = [{ name = \"db-primary\", stop = \"3s\" }]\n";
    let members = hosts.start_with(&format!("{stop}{TIMING}")).await;
    let config = config(&hosts, &hosts.addresses, "web");
    let first = drawn(config.clone()).await;
    let leads = timeout(LONG, first.office(OFFICE).stand()).await.unwrap().unwrap();
    first.kill();
    first.ended().await;
    for member in &members {
        until(member, |status| status.clients.is_empty()).await;
    }
    let second = drawn(config).await;
    let next = timeout(LONG, second.office(OFFICE).stand()).await.unwrap().unwrap();
    assert_ne!(second.peer().0, NUMBER);
    assert!(next.term() > leads.term());
}

#[tokio::test]
async fn clients_are_told_for_how_long_the_work_of_each_office_may_go_on() {
    let hosts = Hosts::three();
    let text = |stop: &str| {
        let offices = "[[offices]]\nname = \"mail\"\nstop = \"20s\"\n[[offices]]\nname = ";
        format!("{}{offices}\"{OFFICE}\"\nstop = \"{stop}\"\n", hosts.text("a", TIMING))
    };
    let member = Member::start(hosts.config_of("a", &text("10s"))).await.unwrap();
    let config = config(&hosts, &hosts.addresses, "web");
    let stops = async || {
        let client = Client::start(config.clone()).await.unwrap();
        [OFFICE, "mail", "unknown"].map(|office| client.stop_of(office).as_secs())
    };
    assert_eq!(stops().await, [10, 20, 0]);
    member.reload(&hosts.config_of("a", &text("5s"))).unwrap();
    assert_eq!(stops().await, [5, 20, 0]);
}
