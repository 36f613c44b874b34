//! Ctrl-C: the first asks for an orderly end, the second does not ask.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Where signals cannot be caught, Ctrl-C ends the program at once, as ever.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether somebody has asked for an end.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// What says so, for those who watch it themselves.
pub(crate) fn flag() -> &'static AtomicBool {
    &ASKED
}
