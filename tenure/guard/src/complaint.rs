//! Messages of a guard that no member logs.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::net::{SendFlags, send};
use std::io::{self, Write, stderr};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, Ordering};

/// The lines that were lost since the last one that was written.
static LOST: AtomicU32 = AtomicU32::new(0);

/// Writes a line to standard error if that can be written now: a guard must not wait for one that reads it. A line that
/// cannot is lost, and the next one says how many were.
pub(crate) fn complain(text: &str) {
    let lost = LOST.swap(0, Ordering::Relaxed);
    let before = match lost {
        0 => String::new(),
        _ => format!(" (after {lost} lines that nothing has read)"),
    };
    if write_now(stderr(), format!("tenure: {text}{before}\n").as_bytes()).is_err() {
        LOST.fetch_add(lost + 1, Ordering::Relaxed);
    }
}

/// Writes a short line whole, or fails where that would have to wait.
fn write_now(to: impl AsFd, line: &[u8]) -> io::Result<()> {
    let short = |written: usize| match written == line.len() {
        true => Ok(()),
        false => Err(io::ErrorKind::WriteZero.into()),
    };
    let to = to.as_fd();
    match FileType::from_raw_mode(fstat(to)?.st_mode) {
        FileType::Socket => {
            return short(send(to, line, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?);
        }
        FileType::Fifo | FileType::CharacterDevice => {
            // Opened again, since a flag of the present descriptor would be one of all processes that have it.
            let again = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&to));
            let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            match open(again, flags, Mode::empty()) {
                Ok(again) => return short(rustix::io::write(again, line)?),
                // One of another user. It is ready if it has room for a short line, unless another process is faster.
                Err(_) => ready(to)?,
            }
        }
        // A file does not wait for a reader.
        _ => {}
    }
    stderr().lock().write_all(line)
}

fn ready(to: impl AsFd) -> io::Result<()> {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut source = [PollFd::new(&to, PollFlags::OUT)];
    poll(&mut source, Some(&now))?;
    match source[0].revents().contains(PollFlags::OUT) {
        true => Ok(()),
        false => Err(io::ErrorKind::WouldBlock.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_line_is_lost_where_a_pipe_or_a_socket_is_full() {
        let (mut reader, writer) = io::pipe().unwrap();
        let line = [b'x'; 100];
        let written = (0..).take_while(|_| write_now(&writer, &line).is_ok()).count();
        assert!(written > 0);
        reader
            .read_exact(&mut vec![0; 4096.max(written * line.len())][..written * line.len()])
            .unwrap();
        write_now(&writer, &line).unwrap();

        let (reader, writer) = UnixStream::pair().unwrap();
        assert!((0..).take_while(|_| write_now(&writer, &line).is_ok()).count() > 0);
        drop(reader);
        assert!(write_now(&writer, &line).is_err());
    }
}
