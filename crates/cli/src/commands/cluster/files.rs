//! The limit on open files.

use crate::error::Error;
use crate::number::grouped;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets this program open `wanted` files, or as many as the system allows; refuses where that is
/// less than `least`, with what to do.
pub(super) fn allow(least: u64, wanted: u64, advice: &str) -> Result<(), Error> {
    let least = least.min(wanted);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    // The administrator may go beyond the maximum; others as far as it.
    let more = Rlimit { current: Some(wanted), maximum: maximum.map(|most| most.max(wanted)) };
    if setrlimit(Resource::Nofile, more).is_err() {
        let most = Rlimit { current: maximum.map(|most| most.min(wanted)), maximum };
        let _ = setrlimit(Resource::Nofile, most);
    }
    match getrlimit(Resource::Nofile).current {
        Some(current) if current < least => Err(Error::new(format!(
            "a cluster of this size has at least {} files open, and {} are allowed: allow more with \
             `ulimit -n {wanted}`, take fewer --nodes{advice}",
            grouped(least),
            grouped(current)
        ))),
        _ => Ok(()),
    }
}
