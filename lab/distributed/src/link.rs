//! A connection to another program, which ends this one when the other has gone.

use std::{
    fmt, io,
    net::{Shutdown, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};
use timely::communication::allocator::zero_copy::stream::Stream;

/// A callback that ends this program when another one is gone, since it would wait in vain. It gets the reason, and is
/// called once.
pub type OnLoss = fn(&Lost) -> !;

/// Another program has gone before the end of the election.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The name of the other program's host.
    pub host: String,
    /// The message of the system.
    pub why: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} has gone before the end of the election ({}); the election is void on all hosts, \
             run it again",
            self.host, self.why
        )
    }
}

/// How long a program that has lost another one stays, so that all others see the loss of that one
/// before the loss of this one.
const MOURNING: Duration = Duration::from_millis(500);

/// Whether this program is about to leave, and others may go; and whether one of them has gone without
/// a farewell then.
#[derive(Clone, Default)]
pub(crate) struct Leaving(Arc<(AtomicBool, AtomicBool)>);

impl Leaving {
    pub(crate) fn announce(&self) {
        self.0.0.store(true, SeqCst);
    }

    fn is_announced(&self) -> bool {
        self.0.0.load(SeqCst)
    }

    pub(crate) fn is_cut_short(&self) -> bool {
        self.0.1.load(SeqCst)
    }

    fn cut_short(&self) {
        self.0.1.store(true, SeqCst);
    }
}

/// The end of what has been read, as long as a head of timely's messages.
#[derive(Clone, Copy)]
struct Tail([u8; HEAD]);

const HEAD: usize = 48;

impl Tail {
    fn add(&mut self, read: &[u8]) {
        let new = read.len().min(HEAD);
        self.0.rotate_left(new);
        self.0[HEAD - new..].copy_from_slice(&read[read.len() - new..]);
    }

    /// Returns whether timely ends a stream with this: with a message of no length, which is the fifth of
    /// six words in its head.
    fn is_farewell(&self) -> bool {
        self.0[4 * 8..5 * 8] == [0; 8]
    }
}

/// A connection to another program.
pub(crate) struct HostLink {
    stream: TcpStream,
    host: Arc<str>,
    leaving: Leaving,
    /// Whether a loss has been told, of any program.
    told: Arc<AtomicBool>,
    on_loss: OnLoss,
    tail: Tail,
}

impl HostLink {
    pub(crate) fn new(
        stream: TcpStream,
        host: Arc<str>,
        leaving: Leaving,
        told: Arc<AtomicBool>,
        on_loss: OnLoss,
    ) -> Self {
        Self { stream, host, leaving, told, on_loss, tail: Tail([u8::MAX; HEAD]) }
    }

    /// Ends this program, unless the other one may go: then this thread waits for the end of the program,
    /// where timely would panic.
    fn lose(&self, why: impl fmt::Display) -> ! {
        if self.leaving.is_announced() {
            self.leaving.cut_short();
            loop {
                thread::park();
            }
        }
        if self.told.swap(true, SeqCst) {
            // Another thread is about to end the program.
            loop {
                thread::park();
            }
        }
        thread::sleep(MOURNING);
        (self.on_loss)(&Lost { host: self.host.to_string(), why: why.to_string() });
    }

    fn check<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.lose(error);
        }
        result
    }
}

impl io::Read for HostLink {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) if buffer.is_empty() || self.tail.is_farewell() => return Ok(0),
                Ok(0) => self.lose("the connection was closed"),
                read => {
                    let read = self.check(read)?;
                    self.tail.add(&buffer[..read]);
                    return Ok(read);
                }
            }
        }
    }
}

impl io::Write for HostLink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        self.check(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stream.flush();
        self.check(flushed)
    }
}

impl Stream for HostLink {
    fn try_clone(&self) -> io::Result<Self> {
        let Self { stream, host, leaving, told, on_loss, tail } = self;
        let (host, leaving, told) = (Arc::clone(host), leaving.clone(), Arc::clone(told));
        let (stream, on_loss, tail) = (stream.try_clone()?, *on_loss, *tail);
        Ok(Self { stream, host, leaving, told, on_loss, tail })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream.shutdown(how)
    }
}

#[cfg(test)]
mod tests;
