use super::*;
use CertificateSubject::{Client, Member, Operator};

fn refused(done: Result<String, CertificateError>, why: &str) {
    let said = done.expect_err(why).to_string();
    assert!(said.contains(why), "{said}");
}

#[test]
fn one_authority_issues_for_all_that_a_cluster_has_and_revokes() {
    let place = tempfile::tempdir().unwrap();
    let folder = CertificateFolder::new(place.path());
    let holders = [Member("host-1"), Member("host-2"), Client("web"), Operator("alice")];
    let made = folder.issue("lab", &holders, false, false).unwrap();
    assert!(made.contains("an authority and 4 certificates for cluster lab"), "{made}");
    let files = || {
        let entries = fs::read_dir(place.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".pem")).collect();
        names.sort();
        names.join(" ")
    };
    let all = "ca-key.pem ca.pem client-web-key.pem client-web.pem member-host-1-key.pem \
               member-host-1.pem member-host-2-key.pem member-host-2.pem operator-alice-key.pem \
               operator-alice.pem";
    assert_eq!(files(), all);
    let again = [Member("host-2"), Operator("alice")];
    let said = folder.revoke(&again).unwrap();
    assert!(said.contains("revoked.pem: 2 revoked certificates"), "{said}");
    assert!(!files().contains("host-2") && !files().contains("alice"), "{}", files());
    folder.issue("lab", &again, true, false).unwrap();
    assert_eq!(files(), format!("{all} revoked.pem"));
}

#[test]
fn all_files_are_written_or_none() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("new");
    let folder = CertificateFolder::new(&path);
    let issue = |holders: &[CertificateSubject<'_>], add| folder.issue("c", holders, add, false);
    refused(issue(&[Member("a"), Member("a")], false), "member-a occurs twice");
    refused(issue(&[Member("a"), Member("a-key")], false), "two files would be ");
    refused(issue(&[Operator("A")], false), "`A` cannot name");
    refused(issue(&[Member("a")], true), "cannot read");
    refused(folder.revoke(&[Member("a")]), "cannot read");
    assert!(!path.exists());
}
