use super::*;
use rustls_pki_types::ServerName;
use std::collections::BTreeSet;

#[test]
fn clusters_have_different_names_and_all_are_dns_names() {
    let long = "x".repeat(64);
    let hashed = label("Lab");
    let clusters =
        ["lab", "Lab", "my cluster", "été", "7", "a.b", "-a", "a-", "a_b", &long, &hashed];
    let names: BTreeSet<_> =
        clusters.iter().map(|cluster| node_name(cluster, 7).to_lowercase()).collect();
    assert_eq!(names.len(), clusters.len(), "{names:?}");
    for name in &names {
        assert!(ServerName::try_from(name.as_str()).is_ok(), "{name}");
    }
    assert!(names.contains("node-7.lab"));
}

#[test]
fn a_certificate_tells_its_holder_and_a_cluster_whose_name_it_can_have() {
    let names = [member_name, client_name, operator_name];
    let roles = [CertificateRole::Member, CertificateRole::Client, CertificateRole::Operator];
    for (dns, role) in names.into_iter().zip(roles) {
        let holder = |cluster: &str| {
            Some(CertificateHolder { role, name: "a".to_owned(), cluster: cluster.to_owned() })
        };
        assert_eq!(CertificateHolder::of_name(&dns("lab", "a"), None), holder("lab"));
        assert_eq!(CertificateHolder::of_name(&dns("lab", "a"), Some("lab")), holder("lab"));
        assert_eq!(CertificateHolder::of_name(&dns("lab", "a"), Some("other")), None);
        // Its digest says that it is another name, and not which.
        assert_eq!(CertificateHolder::of_name(&dns("My cluster", "a"), None), None);
        assert_eq!(
            CertificateHolder::of_name(&dns("My cluster", "a"), Some("My cluster")),
            holder("My cluster")
        );
    }
    for none in [any_member_name("lab"), node_name("lab", 7), "a.members".to_owned()] {
        assert_eq!(CertificateHolder::of_name(&none, None), None, "{none}");
    }
}

#[test]
fn a_role_is_that_of_one_cluster() {
    for cluster in ["lab", "My cluster"] {
        let role = |name: &str| CertificateRole::of_name(name, cluster);
        assert_eq!(role(&any_member_name(cluster)), Some(CertificateRole::Member));
        assert_eq!(role(&client_name(cluster, "web")), Some(CertificateRole::Client));
        assert_eq!(role(&operator_name(cluster, "alice")), Some(CertificateRole::Operator));
        assert_eq!(role(&member_name(cluster, "a")), None, "it is beside the name of all");
        assert_eq!(role(&node_name(cluster, 7)), None);
        assert_eq!(role(&operator_name("other", "alice")), None);
        assert_eq!(role(&operator_name(&format!("x{cluster}"), "alice")), None);
    }
    assert_eq!(CertificateRole::of_name("operators.lab", "lab"), None);
    assert_eq!(CertificateRole::of_name("a.b.operators.lab", "lab"), None);
}
