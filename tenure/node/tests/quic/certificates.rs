//! Only certificates of the cluster's own members are admitted.

use crate::clients;
use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, trouble, until};
use std::time::{Duration, SystemTime};
use suffrage_net::tls::Credentials;
use tenure_node::Client;
use tenure_node::certificates::{Authority, CertificateSubject};
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let hosts = Hosts::three();
    let mut other = Hosts::three();
    other.addresses.clone_from(&hosts.addresses);
    let members = [hosts.start("a").await, other.start("b").await];
    let why = trouble(&members[0], "b", "certificate").await;
    assert!(why.to_lowercase().contains("issuer"), "{why}");
    assert!(!members[1].status().await.unwrap().members[0].connected);
}

/// Refuses at the start, when the configuration is checked, and when it is read again.
async fn refused(hosts: &Hosts, own: &Credentials, says: &str) {
    let member = hosts.start("b").await;
    let good = hosts.files("b");
    hosts.install("b", own);
    let config = hosts.config("b");
    let reloaded = member.reload(&config).unwrap_err().to_string();
    let checked = config.check().unwrap_err().to_string();
    member.shut_down().await;
    let started = hosts.try_start("b").await.unwrap_err().to_string();
    for why in [&reloaded, &checked, &started] {
        assert!(why.starts_with("line ") && why.contains(says), "{why}");
    }
    assert!(checked == started && reloaded == started, "{reloaded}, {checked}, {started}");
    hosts.install("b", &good);
    _ = std::fs::remove_file(hosts.folder.path().join("b/revoked.pem"));
}

#[tokio::test]
async fn a_certificate_that_the_others_would_refuse_is_refused_at_the_start() {
    let hosts = Hosts::three();
    let subject = CertificateSubject::Member("b");
    let past = SystemTime::now() - Duration::from_secs(60);
    let over = hosts.authority.issue_until(CLUSTER, subject, Some(past)).unwrap();
    refused(&hosts, &hosts.authority.with(over), "it ended at 20").await;
    let other = Authority::new().unwrap();
    let mut foreign = other.with(other.issue(CLUSTER, subject).unwrap());
    foreign.authority = hosts.authority.own().certificate.into_bytes();
    refused(&hosts, &foreign, "none of the authorities in `authority` has issued it").await;
    let own = hosts.authority.issue(CLUSTER, subject).unwrap();
    let list = hosts.authority.revoke([own.certificate.as_str()]).unwrap();
    let mut revoked = hosts.authority.with(own);
    revoked.revoked = Some(list.into_bytes());
    refused(&hosts, &revoked, "it is revoked: replace it").await;
}

#[tokio::test]
async fn a_certificate_that_ends_soon_is_told_in_the_check_and_in_the_status() {
    let hosts = Hosts::three();
    let days = |days: u64| SystemTime::now() + Duration::from_secs(days * 24 * 3600 - 60);
    for (left, warned) in [(12, true), (31, false)] {
        let (subject, end) = (CertificateSubject::Member("b"), days(left));
        let own = hosts.authority.issue_until(CLUSTER, subject, Some(end)).unwrap();
        hosts.install("b", &hosts.authority.with(own));
        let checked = hosts.config("b").check().unwrap();
        let member = hosts.start("b").await;
        let status = member.status().await.unwrap();
        assert_eq!((checked.member.as_str(), &checked.warnings), ("b", &status.warnings));
        let said =
            status.warnings.iter().any(|it| it.contains("certificate ends in 11 days, at 20"));
        assert_eq!((said, status.warnings.is_empty()), (warned, !warned), "{:?}", status.warnings);
        let since_1970 = end.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        assert_eq!(status.certificate_end, Some(since_1970));
        member.shut_down().await;
    }
}

/// A new authority takes the place of one that has revoked a certificate, as the guide says, while an office is led
/// and no member is started again.
#[tokio::test]
async fn an_authority_is_rotated_while_an_office_is_led() {
    let hosts = Hosts::three();
    let (old, new) = (&hosts.authority, Authority::new().unwrap());
    let lost = old.issue(CLUSTER, CertificateSubject::Member("c")).unwrap();
    let list = old.revoke([lost.certificate.as_str()]).unwrap();
    let mut own: Vec<Credentials> = hosts.names.iter().map(|name| hosts.files(name)).collect();
    own.iter_mut().for_each(|own| own.revoked = Some(list.clone().into_bytes()));
    let install = |own: &[Credentials]| {
        for (name, own) in hosts.names.iter().zip(own) {
            hosts.install(name, own);
            if own.revoked.is_none() {
                _ = std::fs::remove_file(hosts.folder.path().join(name).join("revoked.pem"));
            }
        }
    };
    install(&own);
    let members = hosts.start_all().await;
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let step = async |own: &[Credentials]| {
        install(own);
        for (name, member) in hosts.names.iter().zip(&members) {
            let config = hosts.config(name);
            assert_eq!(config.check().unwrap().warnings, [""; 0]);
            member.reload(&config).unwrap();
            until(member, |status| status.members.iter().all(|peer| peer.connected)).await;
        }
        leadership.check().unwrap();
    };
    // 1. Both authorities are trusted. 2. Each certificate is replaced. 3. The old authority and its list go.
    for own in &mut own {
        own.authority.extend(new.own().certificate.into_bytes());
    }
    step(&own).await;
    for (name, own) in hosts.names.iter().zip(&mut own) {
        let fresh = new.issue(CLUSTER, CertificateSubject::Member(name)).unwrap();
        own.certificate = fresh.certificate.into_bytes();
        own.key = fresh.key.into_bytes();
    }
    step(&own).await;
    for own in &mut own {
        own.authority = new.own().certificate.into_bytes();
        own.revoked = None;
    }
    step(&own).await;
    // 4. The new one revokes, too.
    let lost = new.issue(CLUSTER, CertificateSubject::Member("c")).unwrap();
    let list = new.revoke([lost.certificate.as_str()]).unwrap();
    own.iter_mut().for_each(|own| own.revoked = Some(list.clone().into_bytes()));
    step(&own).await;
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
