//! Messages of a guard that no member logs.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{Write, stderr};

/// Writes a line to standard error if that can be written now: a guard must not wait for one that reads it. A
/// pipe that is ready takes a short line whole.
pub(crate) fn complain(text: &str) {
    let stderr = stderr();
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let ready = |mut source: [PollFd<'_>; 1]| {
        poll(&mut source, Some(&now)).is_ok() && source[0].revents().contains(PollFlags::OUT)
    };
    if ready([PollFd::new(&stderr, PollFlags::OUT)]) {
        let _ = writeln!(stderr.lock(), "tenure: {text}");
    }
}
