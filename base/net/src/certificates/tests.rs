use super::*;

#[test]
fn an_authority_is_read_back_and_another_one_is_not_taken_for_it() {
    let authority = Authority::new().unwrap();
    let own = authority.own();
    let read = Authority::from_pem(&own.certificate, &own.key).unwrap();
    assert_eq!(read.own().certificate, own.certificate);
    let other = Authority::new().unwrap().own();
    let mixed = Authority::from_pem(&own.certificate, &other.key).unwrap_err();
    assert_eq!(mixed, CertificateError::Foreign);
    let node = read.issue("lab", CertificateSubject::Node(1)).unwrap();
    let leaf = Authority::from_pem(&node.certificate, &node.key).unwrap_err();
    assert_eq!(leaf, CertificateError::Foreign);
    assert_eq!(serial("nothing"), Err(CertificateError::Unreadable));
}

#[test]
fn what_cannot_be_in_a_certificate_is_refused() {
    let authority = Authority::new().unwrap();
    let refusal = |cluster, subject| authority.issue(cluster, subject).unwrap_err();
    assert_eq!(refusal("", CertificateSubject::Member("a")), CertificateError::Cluster);
    let long = "x".repeat(LONGEST_CLUSTER + 1);
    assert_eq!(refusal(&long, CertificateSubject::Member("a")), CertificateError::Cluster);
    for subject in [
        CertificateSubject::Member("A"),
        CertificateSubject::Client("a.b"),
        CertificateSubject::Operator(""),
    ] {
        assert!(matches!(refusal("lab", subject), CertificateError::Name(_)), "{subject}");
    }
}

#[test]
fn a_list_without_certificates_is_a_list() {
    let list = Authority::new().unwrap().revoke([]).unwrap();
    assert!(list.contains("X509 CRL"), "{list}");
}
