//! The limit on open files.

use crate::error::Error;
use crate::number::grouped;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit on open files to `wanted`, or as far as the system allows; refuses with advice
/// if that is less than `least`.
pub(super) fn allow(least: u64, wanted: u64, advice: &str) -> Result<(), Error> {
    let least = least.min(wanted);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= wanted) {
        return Ok(());
    }
    // Only the administrator can exceed the maximum.
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
