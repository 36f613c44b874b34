//! Connections whose other end has yet to introduce itself.

use socket2::{SockRef, TcpKeepalive};
use std::{
    io,
    net::TcpStream,
    time::{Duration, Instant},
};

/// How long a program that has connected may take to introduce itself, from the first byte to the last.
pub(crate) const INTRODUCTION: Duration = Duration::from_secs(5);

/// A connection on which nothing comes is tested after this time, and then in these intervals; after as
/// many tests without an answer as the system sees fit it is lost.
const SILENCE: Duration = Duration::from_secs(10);
const PROBE: Duration = Duration::from_secs(5);

/// A connection is lost when nothing of what was sent has been acknowledged for this time, where the system
/// can be told: probes are for connections on which nothing is under way.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNANSWERED: Duration = Duration::from_secs(60);

/// A connection that ends with an error if its introduction takes too long: who says a byte from time to time
/// does not prolong it.
pub(crate) struct HostIntroduction {
    stream: TcpStream,
    until: Instant,
}

impl HostIntroduction {
    /// Begins an introduction over a connection.
    pub(crate) fn over(stream: TcpStream) -> Self {
        Self { stream, until: Instant::now() + INTRODUCTION }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }

    /// Ends the introduction. On the connection nothing is too late any more, unless the other host falls silent.
    pub(crate) fn end(self) -> io::Result<TcpStream> {
        let stream = self.stream;
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        let socket = SockRef::from(&stream);
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(SILENCE).with_interval(PROBE))?;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        socket.set_tcp_user_timeout(Some(UNANSWERED))?;
        Ok(stream)
    }
}

impl io::Read for HostIntroduction {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl io::Write for HostIntroduction {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
        thread,
    };

    fn introduction(within: Duration) -> (HostIntroduction, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let there = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        let (stream, _) = listener.accept().expect("one has called");
        (HostIntroduction { stream, until: Instant::now() + within }, there)
    }

    #[test]
    fn who_says_a_byte_from_time_to_time_is_not_waited_for_any_longer() {
        let (mut here, mut there) = introduction(Duration::from_millis(300));
        thread::spawn(move || {
            while there.write_all(&[1]).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        // It would take 20 seconds.
        let error = here.read_exact(&mut [0; 1000]).expect_err("too late");
        let late = [io::ErrorKind::TimedOut, io::ErrorKind::WouldBlock];
        assert!(late.contains(&error.kind()), "{error}");
        assert_eq!(here.write(&[1]).expect_err("too late").kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn whoever_falls_silent_later_is_found_out() {
        let (here, _there) = introduction(INTRODUCTION);
        let stream = here.end().expect("it is open");
        assert_eq!(stream.read_timeout().expect("it is open"), None);
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().expect("it is open"));
        #[cfg(any(target_os = "linux", target_os = "android"))]
        assert_eq!(socket.tcp_user_timeout().expect("it is open"), Some(UNANSWERED));
    }
}
