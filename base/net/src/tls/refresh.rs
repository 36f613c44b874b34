//! Reloads certificates when their files change.

use super::TlsError;
use std::time::Duration;
use tokio::time::sleep;
use tracing::{info, warn};

/// Reads the certificate files again after each pause, and applies changes. Never returns. If the files
/// cannot be used, logs that once, and keeps the old certificates in use.
///
/// `refresh` reads the files, and returns whether they have changed.
pub async fn refresh_for_ever(
    refresh: impl Fn() -> Result<bool, TlsError> + Clone + Send + 'static,
    pause: Duration,
) {
    let mut complained = None;
    loop {
        sleep(pause).await;
        let reader = refresh.clone();
        // Reading files may block.
        let Ok(refreshed) = tokio::task::spawn_blocking(reader).await else {
            return;
        };
        match refreshed {
            Ok(false) => complained = None,
            Ok(true) => {
                complained = None;
                info!("the certificates have changed, and the new ones are used from now on");
            }
            Err(error) => {
                let error = error.to_string();
                if complained.as_ref() != Some(&error) {
                    warn!(%error, "the certificates cannot be read again; the old ones are used");
                    complained = Some(error);
                }
            }
        }
    }
}
