//! Certificates that are replaced in their files.

use super::Tls;
use std::time::Duration;
use tokio::time::sleep;
use tracing::{info, warn};

/// Reads the files of certificates anew, for ever, with pauses. What has changed is used from then
/// on; what cannot be read is logged once, and the old certificates are used.
pub async fn refresh_for_ever(tls: Tls, pause: Duration) {
    let mut complained = None;
    loop {
        sleep(pause).await;
        let reader = tls.clone();
        // Reading files may block.
        let Ok(refreshed) = tokio::task::spawn_blocking(move || reader.refresh()).await else {
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
