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
