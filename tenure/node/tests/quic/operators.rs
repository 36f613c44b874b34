//! Operators ask members from other hosts.

use crate::hosts::{CLUSTER, Hosts, LONG};
use tenure_node::certificates::{Authority, CertificateSubject};
use tenure_node::config::TlsFiles;
use tenure_node::{Address, Conversation, ConversationRights, Member};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

/// Answers each operator whether it may order, and with what it has written, until its end.
pub(crate) fn echo(member: &Member) {
    let mut operators = member.conversations().unwrap();
    assert!(member.conversations().is_none(), "one program answers");
    tokio::spawn(async move {
        while let Some(mut operator) = operators.next().await {
            let mut asked = Vec::new();
            operator.read_to_end(&mut asked).await.unwrap();
            let may = if operator.rights() == &ConversationRights::Order {
                "may order: "
            } else {
                "may ask: "
            };
            operator.write_all(&[may.as_bytes(), &asked].concat()).await.unwrap();
        }
    });
}

pub(crate) fn files(
    hosts: &Hosts,
    authority: &Authority,
    cluster: &str,
    subject: CertificateSubject<'_>,
) -> TlsFiles {
    let mut own = authority.credentials(cluster, subject).unwrap();
    // Holders of another authority's certificate know the cluster's authority, too.
    own.authority = hosts.authority.own().certificate.into_bytes();
    hosts.install(&format!("{subject}.{cluster}"), &own)
}

pub(crate) async fn ask(files: TlsFiles, members: &[Address]) -> Result<String, String> {
    let ask = async {
        let mut conversation = Conversation::begin(CLUSTER, files, members).await?;
        conversation.write_all(b"who leads?").await?;
        conversation.shutdown().await?;
        let mut answer = String::new();
        conversation.read_to_string(&mut answer).await?;
        Ok(answer)
    };
    timeout(LONG, ask).await.unwrap().map_err(|error: std::io::Error| error.to_string())
}

pub(crate) fn at(address: &str, member: Option<&str>) -> Address {
    Address { at: address.to_owned(), member: member.map(str::to_owned) }
}

#[tokio::test]
async fn any_certificate_of_the_cluster_asks_and_those_of_operators_and_members_order() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    members.iter().for_each(echo);
    let all: Vec<_> = hosts.addresses.iter().map(|address| at(address, None)).collect();
    for (subject, expected) in [
        (CertificateSubject::Operator("alice"), "may order: who leads?"),
        (CertificateSubject::Member("a"), "may order: who leads?"),
        (CertificateSubject::Client("web"), "may ask: who leads?"),
    ] {
        let files = files(&hosts, &hosts.authority, CLUSTER, subject);
        assert_eq!(ask(files, &all).await.as_deref(), Ok(expected), "{subject}");
    }
    // The others answer for a dead member. A member that is named answers only for itself.
    let alice = || files(&hosts, &hosts.authority, CLUSTER, CertificateSubject::Operator("alice"));
    members[0].kill();
    members[0].ended().await;
    assert_eq!(ask(alice(), &all).await.as_deref(), Ok("may order: who leads?"));
    let named = [at(&hosts.addresses[1], Some("b"))];
    assert_eq!(ask(alice(), &named).await.as_deref(), Ok("may order: who leads?"));
    let another = ask(alice(), &[at(&hosts.addresses[1], Some("c"))]).await.unwrap_err();
    assert!(another.contains("c.members.lab"), "{another}");
    let dead = ask(alice(), &all[..1]).await.unwrap_err();
    assert!(dead.contains(&hosts.addresses[0]), "{dead}");
}

#[tokio::test]
async fn operators_without_a_certificate_of_the_cluster_are_refused() {
    let hosts = Hosts::three();
    let member = hosts.start("a").await;
    let door = [at(&hosts.addresses[0], None)];
    let alice = CertificateSubject::Operator("alice");
    let own = files(&hosts, &hosts.authority, CLUSTER, alice);
    let unanswered = ask(own.clone(), &door).await.unwrap_err();
    assert!(unanswered.contains("the program of this member answers no operators"), "{unanswered}");
    echo(&member);
    assert!(ask(own.clone(), &door).await.is_ok());
    let elsewhere = files(&hosts, &hosts.authority, "elsewhere", alice);
    let why = ask(elsewhere, &door).await.unwrap_err();
    assert!(why.contains("no member, client or operator of cluster `lab`"), "{why}");
    let node = files(&hosts, &hosts.authority, CLUSTER, CertificateSubject::Node(1));
    assert!(ask(node, &door).await.unwrap_err().contains("no member, client or operator"));
    let foreign = files(&hosts, &Authority::new().unwrap(), CLUSTER, alice);
    assert!(ask(foreign, &door).await.is_err());
    // A revoked certificate is not looked at any further.
    let revoked = std::fs::read_to_string(&own.certificate).unwrap();
    let list = hosts.authority.revoke([revoked.as_str()]).unwrap();
    std::fs::write(hosts.folder.path().join("a/revoked.pem"), list).unwrap();
    member.reload(&hosts.config("a")).unwrap();
    assert!(ask(own, &door).await.is_err());
}
