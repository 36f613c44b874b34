#![doc = include_str!("../README.md")]

mod columns;

pub use columns::TextColumns;

use std::io::{self, ErrorKind, Write};

/// Prints to standard output, and returns whether there is still a reader.
///
/// # Errors
/// As [`written`].
pub fn print(text: &str) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Returns whether there is still a reader, given how writing to standard output ended.
///
/// # Errors
/// The error of `result`, except when the reader has left; `EBADF` if standard output was closed when the
/// program started.
pub fn written(result: io::Result<()>) -> io::Result<bool> {
    match closed::check().and(result) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
mod closed {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Runs before the standard library opens `/dev/null` in place of a closed stream; afterwards the two cannot be
    /// distinguished. It makes one system call, and needs nothing that is set up later.
    #[ctor::ctor(unsafe)]
    fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        CLOSED.store(closed, Relaxed);
    }

    pub(super) fn check() -> io::Result<()> {
        match CLOSED.load(Relaxed) {
            true => Err(rustix::io::Errno::BADF.into()),
            false => Ok(()),
        }
    }
}

#[cfg(not(unix))]
mod closed {
    pub(super) fn check() -> std::io::Result<()> {
        Ok(())
    }
}
