//! The one net that simulated processes have, whatever engine runs them.

use crate::node::SimulatedProcess;
use suffrage_model::{Message, Net, Port, Process, Stage, Status};

/// The greatest number of kinds of messages that an algorithm may have.
pub(crate) const KINDS: usize = 16;

/// What reactions act on: how an engine finds receivers, and where its messages wait.
///
/// An engine tells apart reactions of one process by the number of messages that the process had sent and
/// received `before` them.
pub(crate) trait Surroundings<M> {
    type Number: Copy;
    /// The data kept with a process for the depths of its messages.
    type Depth;
    /// The receiving end of a link.
    type Way;

    fn degree(&self, of: Self::Number) -> u32;

    /// Returns the other end of the link at this port; `None` if there is no such port.
    fn across(&self, from: Self::Number, port: Port) -> Option<Self::Way>;

    fn counts(&mut self) -> &mut [u64; KINDS];

    /// Puts a message under way, whose process has no other one with this `serial`.
    fn send(
        &mut self,
        from: (Self::Number, Port),
        serial: u32,
        depth: &mut Self::Depth,
        way: Self::Way,
        msg: M,
    );

    fn no_such_port(&mut self, from: Self::Number, before: u32, port: Port);

    fn reject(&mut self, at: Self::Number, before: u32, why: &'static str);

    fn choose(&mut self, at: Self::Number, max: u32) -> u32;

    fn set_alarm(&mut self, at: Self::Number, ticks: u32);
}

// Everything here is inlined into the engine's loop, so that what it borrows stays in registers.
struct Reaction<'r, N, D, S> {
    number: N,
    depth: &'r mut D,
    /// The number of messages that the process has sent and received.
    load: &'r mut u32,
    /// Those of them that it sends in this reaction.
    sent: u32,
    surroundings: &'r mut S,
}

impl<M: Message, S: Surroundings<M>> Net<M> for Reaction<'_, S::Number, S::Depth, S> {
    #[inline(always)]
    fn degree(&self) -> u32 {
        self.surroundings.degree(self.number)
    }

    #[inline(always)]
    fn send(&mut self, to: Port, msg: M) {
        let Some(way) = self.surroundings.across(self.number, to) else {
            return self.surroundings.no_such_port(self.number, *self.load - self.sent, to);
        };
        let serial = *self.load;
        *self.load += 1;
        self.sent += 1;
        self.surroundings.counts()[msg.kind()] += 1;
        self.surroundings.send((self.number, to), serial, self.depth, way, msg);
    }

    #[inline(always)]
    fn choose(&mut self, max: u32) -> u32 {
        self.surroundings.choose(self.number, max)
    }

    #[inline(always)]
    fn set_alarm(&mut self, ticks: u32) {
        self.surroundings.set_alarm(self.number, ticks);
    }

    #[inline(always)]
    fn reject(&mut self, why: &'static str) {
        self.surroundings.reject(self.number, *self.load - self.sent, why);
    }
}

/// A change of a process by a reaction.
pub(crate) struct TurningPoint {
    /// Its status before and now, if they differ.
    pub decides: Option<(Status, Status)>,
    pub halts: bool,
}

impl<P: Process, D> SimulatedProcess<P, D> {
    /// Wakes the process; `None` if a message came first: it is no initiator any more. Returns how many
    /// messages it has sent.
    #[inline(always)]
    pub(crate) fn wake<S>(&mut self, number: S::Number, surroundings: &mut S) -> Option<u32>
    where
        S: Surroundings<P::Msg, Depth = D>,
    {
        if self.stage != Stage::Asleep {
            return None;
        }
        (self.stage, self.woke) = (Stage::Running, true);
        let (depth, load) = (&mut self.depth, &mut self.load);
        let mut net = Reaction { number, depth, load, sent: 0, surroundings };
        self.process.wake(&mut net);
        Some(net.sent)
    }

    /// Hands a message over. Returns how many messages the process has sent.
    #[inline(always)]
    pub(crate) fn receive<S>(
        &mut self,
        number: S::Number,
        (port, msg): (Port, P::Msg),
        surroundings: &mut S,
    ) -> u32
    where
        S: Surroundings<P::Msg, Depth = D>,
    {
        let (depth, load) = (&mut self.depth, &mut self.load);
        let mut net = Reaction { number, depth, load, sent: 0, surroundings };
        self.process.receive(port, msg, &mut net);
        net.sent
    }

    /// Lets an alarm ring.
    pub(crate) fn alarm<S>(&mut self, number: S::Number, surroundings: &mut S)
    where
        S: Surroundings<P::Msg, Depth = D>,
    {
        let (depth, load) = (&mut self.depth, &mut self.load);
        self.process.alarm(&mut Reaction { number, depth, load, sent: 0, surroundings });
    }

    #[inline(always)]
    pub(crate) fn turns(&self) -> bool {
        self.process.status() != self.status || self.process.halted()
    }

    /// Notes what the last reaction has changed.
    pub(crate) fn settle(&mut self) -> TurningPoint {
        let (old, new) = (self.status, self.process.status());
        self.status = new;
        let halts = self.process.halted();
        if halts {
            self.stage = Stage::Halted;
        }
        TurningPoint { decides: (old != new).then_some((old, new)), halts }
    }
}
