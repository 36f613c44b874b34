//! Reloads certificates when their files change.

use super::TlsError;
use crate::log_limit::without_numbers;
use crate::tasks::on_thread;
use std::time::Duration;
use tokio::time::sleep;
use tracing::{info, warn};

/// Reads the certificate files again after each pause, and applies changes. Never returns. As long as the files
/// cannot be used, or cannot be read since no thread can be started, keeps the old certificates in use and tries
/// again. Logs each reason once, and gives `report` the present one; `None` if there is none.
///
/// `refresh` reads the files, and returns whether they have changed.
pub async fn refresh_for_ever(
    refresh: impl Fn() -> Result<bool, TlsError> + Clone + Send + 'static,
    pause: Duration,
    report: impl Fn(Option<String>) + Send,
) {
    let mut complained = None;
    loop {
        sleep(pause).await;
        // Reading files may block.
        let refreshed = match on_thread("certificates", refresh.clone()).await {
            Ok(refreshed) => refreshed.map_err(|error| error.to_string()),
            Err(error) => Err(format!("no thread reads them: {error}")),
        };
        match refreshed {
            Ok(changed) => {
                complained = None;
                if changed {
                    info!("the certificates have changed, and the new ones are used from now on");
                }
            }
            Err(error)
                if complained.as_deref().map(without_numbers) != Some(without_numbers(&error)) =>
            {
                warn!(%error, "the certificates cannot be read again; the old ones are used");
                complained = Some(error);
            }
            Err(_) => {}
        }
        let why = |why: &String| {
            format!("the certificates cannot be read again; the old ones are used: {why}")
        };
        report(complained.as_ref().map(why));
    }
}
