//! Whether certificates are valid, and until when.

use super::TlsError;
use rustls::CertificateError;
use rustls_pki_types::{CertificateDer, UnixTime};
use std::fmt::Display;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A certificate that ends within this time is to be replaced.
pub const SOON: Duration = Duration::from_secs(30 * 24 * 3600);

/// Returns when a certificate ends, in seconds since 1970; `None` if it cannot be read.
pub(super) fn end_of(certificate: &CertificateDer<'_>) -> Option<u64> {
    let certificate = webpki::EndEntityCert::try_from(certificate).ok()?;
    // The time is checked before any authority, and long after its end the error says when that was.
    let late = UnixTime::since_unix_epoch(Duration::from_secs(u64::from(u32::MAX) << 8));
    let usage = webpki::KeyUsage::server_auth();
    match certificate.verify_for_usage(&[], &[], &[], late, usage, None, None) {
        Err(webpki::Error::CertExpired { not_after, .. }) => Some(not_after.as_secs()),
        _ => None,
    }
}

/// The last second of the year 9999: later ones have no date of this form.
const LAST: u64 = 253_402_300_799;

/// Returns the date and the time of day of a second since 1970, in UTC.
#[must_use]
pub fn date(seconds: u64) -> impl Display {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds.min(LAST)))
}

/// Returns the warning that certificates end [soon](SOON), or have ended, if they do.
#[must_use]
pub fn warning(what: &str, ends: u64, now: SystemTime) -> Option<String> {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_secs(ends).saturating_sub(now);
    let (date, days) = (date(ends), left.as_secs() / (24 * 3600));
    match () {
        () if left.is_zero() => Some(format!("{what} ended at {date}: replace it")),
        () if left < SOON => Some(format!("{what} ends in {days} days, at {date}: replace it")),
        () => None,
    }
}

/// Says in plain words why this side's own certificate is refused.
pub(super) fn refused(what: &str, error: &rustls::Error) -> TlsError {
    let why = match error {
        rustls::Error::InvalidCertificate(invalid) => match invalid {
            CertificateError::ExpiredContext { not_after, .. } => {
                format!("it ended at {}: replace it", date(not_after.as_secs()))
            }
            CertificateError::NotValidYetContext { not_before, .. } => {
                let from = date(not_before.as_secs());
                format!("it is valid from {from} on: set the clock of this host")
            }
            CertificateError::UnknownIssuer => {
                "none of the authorities in `authority` has issued it".to_owned()
            }
            CertificateError::Revoked => "it is revoked: replace it".to_owned(),
            _ => error.to_string(),
        },
        _ => error.to_string(),
    };
    TlsError::of(what)(why)
}
