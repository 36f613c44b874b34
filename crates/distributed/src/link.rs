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

/// What ends this program when another one has gone: nothing is left to wait for. It gets the reason,
/// and is called once.
pub type OnLoss = fn(&Lost) -> !;

/// Another program has gone before the end of the election.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The name of the other program's host.
    pub host: String,
    /// What the system says.
    pub why: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} has gone before the end of the election ({}); the election is void on all hosts, hold \
             it again",
            self.host, self.why
        )
    }
}

/// How long a program that has lost another one stays, so that all others see the loss of that one
/// before the loss of this one.
const MOURNING: Duration = Duration::from_millis(500);

/// Whether this program is about to leave, and others may go.
#[derive(Clone, Default)]
pub(crate) struct Leaving(Arc<AtomicBool>);

impl Leaving {
    pub(crate) fn announce(&self) {
        self.0.store(true, SeqCst);
    }

    fn is_announced(&self) -> bool {
        self.0.load(SeqCst)
    }
}

/// A connection to another program.
pub(crate) struct Link {
    stream: TcpStream,
    host: Arc<str>,
    leaving: Leaving,
    /// Whether a loss has been told, of any program.
    told: Arc<AtomicBool>,
    on_loss: OnLoss,
}

impl Link {
    pub(crate) const fn new(
        stream: TcpStream,
        host: Arc<str>,
        leaving: Leaving,
        told: Arc<AtomicBool>,
        on_loss: OnLoss,
    ) -> Self {
        Self { stream, host, leaving, told, on_loss }
    }

    /// Ends this program, unless the other one may go.
    fn lose(&self, why: impl fmt::Display) {
        if self.leaving.is_announced() {
            return;
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

impl io::Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) if !buffer.is_empty() => {
                    self.lose("the connection was closed");
                    return Ok(0);
                }
                read => return self.check(read),
            }
        }
    }
}

impl io::Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        self.check(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stream.flush();
        self.check(flushed)
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        let Self { stream, host, leaving, told, on_loss } = self;
        let (host, leaving, told) = (Arc::clone(host), leaving.clone(), Arc::clone(told));
        Ok(Self { stream: stream.try_clone()?, host, leaving, told, on_loss: *on_loss })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream.shutdown(how)
    }
}
