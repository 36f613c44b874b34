//! Members that change while an office is led: hosts are added, removed and replaced, lose their records, and are named by
//! old configuration files.

use crate::hosts::{Hosts, LONG, OFFICE, TIMING, until};
use std::time::Duration;
use tenure_node::certificates::CertificateSubject;
use tenure_node::{ChangeError, Member, MembershipChange, StartError};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const CLUSTER: &str = crate::hosts::CLUSTER;

impl Hosts {
    /// Returns the configuration of a host that joins the cluster by the first of its members.
    fn joining(&self, name: &str, address: &str, timing: &str) -> String {
        let text = self.text(name, timing);
        let (keys, _) = text.split_once("[[members]]").unwrap();
        let contact = &self.addresses[0];
        format!(
            "join = [\"{contact}\"]\n{keys}\n[[members]]\nname = \"{name}\"\naddress = \"{address}\"\n"
        )
    }

    /// Starts a host that joins, which waits until it is added.
    fn join(&self, name: &str, address: &str) -> JoinHandle<Result<Member, StartError>> {
        self.join_with(name, address, TIMING)
    }

    /// The same, with this timing.
    pub(crate) fn join_with(
        &self,
        name: &str,
        address: &str,
        timing: &str,
    ) -> JoinHandle<Result<Member, StartError>> {
        let own = self.authority.issue(CLUSTER, CertificateSubject::Member(name)).unwrap();
        self.install(name, &self.authority.with(own));
        let config = self.config_of(name, &self.joining(name, address, timing));
        tokio::spawn(Member::start(config))
    }
}

pub(crate) fn free() -> String {
    suffrage_net::free::addresses(1).unwrap()[0].to_string()
}

/// Asks a member until the host waits there.
pub(crate) async fn change(at: &Member, change: MembershipChange) -> Result<(), ChangeError> {
    let changed = async {
        loop {
            match at.change_members(change.clone()).await {
                Err(why) if why.to_string().contains("does not wait") => {
                    sleep(Duration::from_millis(50)).await;
                }
                done => return done,
            }
        }
    };
    timeout(LONG, changed).await.expect("the change ends in time")
}

fn add(name: &str) -> MembershipChange {
    MembershipChange::Add { name: name.to_owned(), address: None }
}

fn remove(name: &str) -> MembershipChange {
    MembershipChange::Remove { name: name.to_owned() }
}

pub(crate) fn replace(name: &str, by: &str) -> MembershipChange {
    MembershipChange::Replace { name: name.to_owned(), by: by.to_owned(), address: None }
}

async fn names(member: &Member) -> Vec<String> {
    let status = member.members().await.unwrap();
    assert!(!status.changing, "{status:?}");
    status.hosts.into_iter().map(|host| host.name).collect()
}

pub(crate) async fn joined(joins: JoinHandle<Result<Member, StartError>>) -> Member {
    timeout(LONG, joins).await.unwrap().unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_added_removed_and_replaced_while_one_leads_on() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let leads = members[0].office(OFFICE).stand().await.unwrap();
    let joins = hosts.join("d", &free());
    change(&members[1], add("d")).await.unwrap();
    let fourth = joined(joins).await;
    assert_eq!(names(&members[1]).await, ["a", "b", "c", "d"]);
    until(&fourth, |status| status.members.iter().all(|peer| peer.connected)).await;

    let joins = hosts.join("e", &free());
    change(&members[0], replace("c", "e")).await.unwrap();
    let fifth = joined(joins).await;
    change(&members[0], remove("b")).await.unwrap();
    until(&fourth, |status| status.members.len() == 2).await;
    assert_eq!(names(&fourth).await, ["a", "d", "e"]);
    assert_eq!(leads.check().map(|()| leads.term()), Ok(leads.term()), "the office was never lost");

    // The removed ones are not needed, and have no vote.
    for removed in &members[1..] {
        until(removed, |status| !status.member).await;
        removed.kill();
    }
    drop(leads);
    let next = timeout(LONG, fifth.office(OFFICE).stand()).await.unwrap().unwrap();
    assert_eq!(fourth.office(OFFICE).standing().await.unwrap().office(), OFFICE);
    drop(next);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_member_alone_grows_to_three_and_lives_on_without_the_first() {
    let hosts = Hosts::new(&["a"]);
    let first = hosts.start("a").await;
    let leads = first.office(OFFICE).stand().await.unwrap();
    let mut more = Vec::new();
    for name in ["b", "c"] {
        let joins = hosts.join(name, &free());
        change(&first, add(name)).await.unwrap();
        more.push(joined(joins).await);
    }
    assert!(leads.check().is_ok());
    let term = leads.term();
    first.kill();
    let next = timeout(LONG, more[0].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(next.term() > term);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_says_who_the_members_are_and_an_old_file_is_refused_by_name() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let address = free();
    let joins = hosts.join("d", &address);
    change(&members[0], replace("c", "d")).await.unwrap();
    let fourth = joined(joins).await;
    until(&members[2], |status| !status.member).await;
    for member in members.iter().chain([&fourth]) {
        member.shut_down().await;
    }
    drop((members, fourth));

    // The file of the beginning.
    let old = hosts.try_start("a").await.unwrap_err().to_string();
    let says = "this file names `a`, `b`, `c`, and by the record the members are `a`, `b`, `d`";
    assert!(old.contains(says), "{old}");
    let removed = hosts.try_start("c").await.unwrap_err().to_string();
    assert!(
        removed.contains("`c` is a member no longer; the members are `a`, `b`, `d`"),
        "{removed}"
    );

    // A new file, and one that leaves it to the record.
    let text = hosts.text("a", TIMING).replace("name = \"c\"", "name = \"d\"");
    let text = text.replace(&hosts.addresses[2], &address);
    let first = Member::start(hosts.config_of("a", &text)).await.unwrap();
    let fourth =
        Member::start(hosts.config_of("d", &hosts.joining("d", &address, TIMING))).await.unwrap();
    let leads = timeout(LONG, fourth.office(OFFICE).stand()).await.unwrap().unwrap();
    assert_eq!(names(&first).await, ["a", "b", "d"]);
    let reloaded = first.reload(&hosts.config("a")).unwrap_err().to_string();
    assert!(reloaded.contains(says), "{reloaded}");
    drop(leads);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_has_lost_its_record_comes_back_with_its_number() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let address = free();
    let joins = hosts.join("d", &address);
    change(&members[0], add("d")).await.unwrap();
    let fourth = joined(joins).await;
    fourth.shut_down().await;
    drop(fourth);
    std::fs::remove_dir_all(hosts.config("d").data).unwrap();
    let again = joined(hosts.join("d", &address)).await;
    assert_eq!(again.peer().0, 3);
    until(&again, |status| status.unready().is_none()).await;
    // Two of the others are down: its vote counts.
    members[2].kill();
    let leads = timeout(LONG, again.office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(leads.check().is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_changed_is_said() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    until(&members[0], |status| status.members.iter().all(|peer| peer.connected)).await;
    let why = async |change| members[0].change_members(change).await.unwrap_err().to_string();
    assert_eq!(why(remove("x")).await, "there is no member `x`; there are a, b, c");
    let unknown = why(add("d")).await;
    assert!(unknown.starts_with("`d` does not wait here to be added (no host does)"), "{unknown}");
    let joins = hosts.join("d", &free());
    let name = "d".to_owned();
    let there = MembershipChange::Add { name, address: Some(hosts.addresses[1].clone()) };
    let taken = change(&members[0], there).await.unwrap_err().to_string();
    assert_eq!(taken, format!("`b` has the address {} already", hosts.addresses[1]));
    joins.abort();
    let force = |lost: &str| MembershipChange::Force { lost: vec![lost.to_owned()] };
    let alive = why(force("b")).await;
    assert!(alive.contains("`b` is not lost: it is connected"), "{alive}");
    assert_eq!(why(force("a")).await, "`a` is no other member");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_majority_that_is_lost_for_good_can_be_given_up() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let leads = members[1].office(OFFICE).stand().await.unwrap();
    let term = leads.term();
    until(&members[0], |status| status.members.iter().all(|peer| peer.connected)).await;
    members[1].kill();
    members[2].kill();
    drop(leads);
    let lost = MembershipChange::Force { lost: vec!["b".to_owned(), "c".to_owned()] };
    let forced = async {
        while let Err(why) = members[0].change_members(lost.clone()).await {
            assert!(why.to_string().contains("is not lost"), "{why}");
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(LONG, forced).await.unwrap();
    assert_eq!(names(&members[0]).await, ["a"]);
    let next = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(next.term() > term);
    let joins = hosts.join("d", &free());
    change(&members[0], add("d")).await.unwrap();
    joined(joins).await;
    assert!(next.check().is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_away_during_a_change_learns_of_it() {
    let hosts = Hosts::three();
    let mut members = hosts.start_all().await;
    let third = members.pop().unwrap();
    until(&third, |status| status.unready().is_none()).await;
    third.kill();
    third.ended().await;
    let joins = hosts.join("d", &free());
    change(&members[0], replace("b", "d")).await.unwrap();
    let fourth = joined(joins).await;
    let third = hosts.start("c").await;
    until(&third, |status| status.members.iter().any(|peer| peer.name == "d" && peer.connected))
        .await;
    assert_eq!(names(&third).await, ["a", "c", "d"]);
    // It may have to learn from the others what it has promised.
    until(&third, |status| status.unready().is_none()).await;
    members[0].kill();
    let leads = timeout(LONG, third.office(OFFICE).stand()).await.unwrap().unwrap();
    assert!(leads.check().is_ok() && fourth.members().await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leads_follows_the_members() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let config = crate::clients::config(&hosts, &hosts.addresses[..1], "web");
    let client = tenure_node::Client::start(config).await.unwrap();
    let leads = client.office(OFFICE).stand().await.unwrap();
    let mut more = Vec::new();
    for (old, new) in [("a", "d"), ("b", "e"), ("c", "f")] {
        let last = more.last().unwrap_or(&members[2]);
        let joins = hosts.join(new, &free());
        change(last, replace(old, new)).await.unwrap();
        more.push(joined(joins).await);
    }
    for removed in &members {
        removed.kill();
    }
    let status = until(&client, |status| {
        status.members.len() == 3 && status.members.iter().all(|peer| peer.connected)
    })
    .await;
    assert_eq!(status.members.iter().map(|peer| peer.number).collect::<Vec<_>>(), [3, 4, 5]);
    sleep(Duration::from_secs(1)).await;
    assert!(leads.check().is_ok(), "it has led on");
}
