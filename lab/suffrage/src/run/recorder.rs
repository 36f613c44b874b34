//! Writes a run while the simulator runs it.

use super::{Header, format};
use std::io::{self, Write};
use suffrage_simulator::{Event, Observer, Tracer};

/// An [`Observer`] that writes a run in the [format](super#format), with every event.
///
/// Nothing is held back except by the writer. A failure to write stops the writing, and
/// [`finish`](Self::finish) returns it.
pub struct Recorder<W: Write> {
    tracer: Tracer<W>,
}

impl<W: Write> Recorder<W> {
    /// Writes the header of the run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        format::write_header(&mut out, header)?;
        Ok(Self { tracer: Tracer::after_header(out) })
    }

    /// Ends the run and returns the writer.
    ///
    /// # Errors
    /// If any of it could not be written.
    pub fn finish(self) -> io::Result<W> {
        self.tracer.finish()
    }
}

impl<W: Write> Observer for Recorder<W> {
    fn event(&mut self, at: u64, clock: u32, event: &Event<'_>) {
        self.tracer.event(at, clock, event);
    }
}
