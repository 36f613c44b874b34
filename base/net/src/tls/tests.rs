use super::*;
use rustls_pki_types::UnixTime;
use std::time::Duration;

/// A log that omits what it has said before recognizes it.
#[test]
fn the_reason_of_an_invalid_certificate_has_no_time_of_day() {
    let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    let expired = |now| CertificateError::ExpiredContext { time: at(now), not_after: at(7) };
    let early = |now| CertificateError::NotValidYetContext { time: at(now), not_before: at(9) };
    let said = |error| {
        without_clock(io::Error::other(rustls::Error::InvalidCertificate(error))).to_string()
    };
    assert_eq!(said(expired(1_700_000_000)), said(expired(1_700_000_001)));
    assert_eq!(said(early(1)), said(early(2)));
    assert!(said(expired(8)).ends_with("expired at 7 s Unix time"));
    assert!(said(early(8)).ends_with("is not valid before 9 s Unix time"));
}

#[cfg(feature = "certificates")]
mod certificates {
    use super::*;
    use crate::certificates::{Authority, CertificateSubject, Certified};

    fn issued(authority: &Authority, name: &str) -> Certified {
        authority.issue("lab", CertificateSubject::Member(name)).unwrap()
    }

    /// The credentials of one that trusts these authorities, and has these lists.
    fn trusting(own: &Certified, authorities: &[&Authority], lists: &[&str]) -> Credentials {
        let trusted: Vec<_> = authorities.iter().map(|one| one.own().certificate).collect();
        Credentials {
            authority: trusted.concat().into_bytes(),
            certificate: own.certificate.clone().into_bytes(),
            key: own.key.clone().into_bytes(),
            revoked: (!lists.is_empty()).then(|| lists.concat().into_bytes()),
        }
    }

    fn refused(credentials: Credentials) -> String {
        Tls::new(credentials).unwrap().check_own().unwrap_err().to_string()
    }

    #[test]
    fn each_authority_has_a_list_of_its_own_or_none() {
        let [old, new] = [(); 2].map(|()| Authority::new().unwrap());
        let [first, second] = [&old, &new].map(|authority| issued(authority, "a"));
        let [of_old, of_new] = [(&old, &first), (&new, &second)]
            .map(|(authority, own)| authority.revoke([own.certificate.as_str()]).unwrap());
        let both = [&old, &new];
        let good = |own, lists: &[&str]| {
            let tls = Tls::new(trusting(own, &both, lists)).unwrap();
            tls.check_own().unwrap();
            assert_eq!(tls.warnings(), [""; 0]);
        };
        good(&second, &[&of_old]);
        good(&first, &[&of_new]);
        good(&issued(&old, "a"), &[&of_old, &of_new]);
        for lists in [&[of_old.as_str()][..], &[&of_old, &of_new], &[&of_new, &of_old]] {
            assert!(refused(trusting(&first, &both, lists)).contains("it is revoked"));
        }
        // A list of an authority that is trusted no more changes nothing, and a warning names it.
        let tls = Tls::new(trusting(&second, &[&new], &[&of_old])).unwrap();
        tls.check_own().unwrap();
        let said = tls.warnings().join("\n");
        assert!(
            said.starts_with("1 of the lists of revoked certificates belong to none"),
            "{said}"
        );
    }

    #[test]
    fn a_certificate_is_good_from_1970_on_until_its_end_which_is_told_before() {
        let authority = Authority::new().unwrap();
        let until = |end| {
            let subject = CertificateSubject::Member("a");
            let own = authority.issue_until("lab", subject, Some(end)).unwrap();
            Tls::new(trusting(&own, &[&authority], &[])).unwrap()
        };
        let tls = Tls::new(trusting(&issued(&authority, "a"), &[&authority], &[])).unwrap();
        let own = tls.own_certificates();
        let day = UnixTime::since_unix_epoch(Duration::from_secs(1));
        tls.current().diallers.verify_client_cert(&own[0], &[], day).unwrap();
        assert_eq!((tls.warnings(), tls.ends()), (Vec::new(), Some(67_090_118_400)));
        let now = SystemTime::now();
        let days = |days: u64| Duration::from_secs(days * 24 * 3600);
        let later = until(now + days(31));
        later.check_own().unwrap();
        assert_eq!(later.warnings(), [""; 0]);
        let soon = until(now + days(12) + days(1) / 2);
        soon.check_own().unwrap();
        let said = soon.warnings().join("\n");
        assert!(said.starts_with("the node's certificate ends in 12 days, at 20"), "{said}");
        let over = until(now - days(1));
        let said = over.check_own().unwrap_err().to_string();
        assert!(said.starts_with("the node's certificate: it ended at 20"), "{said}");
        assert!(over.warnings()[0].starts_with("the node's certificate ended at 20"));
    }

    #[test]
    fn a_certificate_of_an_authority_that_is_not_trusted_is_refused() {
        let [one, other] = [(); 2].map(|()| Authority::new().unwrap());
        let said = refused(trusting(&issued(&one, "a"), &[&other], &[]));
        assert!(said.contains("none of the authorities in `authority` has issued it"), "{said}");
    }

    #[test]
    fn files_with_a_certificate_that_others_would_refuse_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new().unwrap();
        let good = trusting(&issued(&authority, "a"), &[&authority], &[]);
        let install = |credentials: &Credentials| {
            let write = |name: &str, text: &[u8]| {
                let path = folder.path().join(name);
                std::fs::write(&path, text).unwrap();
                path
            };
            TlsFiles {
                authority: write("ca.pem", &credentials.authority),
                certificate: write("own.pem", &credentials.certificate),
                key: write("key.pem", &credentials.key),
                revoked: None,
            }
        };
        let tls = Tls::from_files(install(&good)).unwrap();
        let other = Authority::new().unwrap();
        install(&trusting(&issued(&other, "a"), &[&authority], &[]));
        let why = tls.refresh_valid().unwrap_err().to_string();
        assert!(why.contains("none of the authorities in `authority` has issued it"), "{why}");
        tls.check_own().unwrap();
        install(&trusting(&issued(&other, "a"), &[&authority, &other], &[]));
        assert!(tls.refresh_valid().unwrap());
        assert!(!tls.refresh_valid().unwrap());
    }
}
