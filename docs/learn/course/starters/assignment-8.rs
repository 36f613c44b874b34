//! Assignment 8: leases. Here two members lead at one time: see how, then mend it.

use suffrage::prelude::*;

/// What members send.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Lead(u64),
}

/// The names of alarms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Alarm {
    Silence,
}

/// A member. A crash loses its fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: u32,
    /// The greatest term that it has seen.
    seen: u64,
    /// The term in which it leads.
    term: Option<u64>,
}

impl ElectionMember for Election {
    type Msg = Msg;
    type Alarm = Alarm;

    // What a member knows whenever it comes up: its number, below the size.
    fn new(id: u32, _size: u32) -> Self {
        Self { id, seen: 0, term: None }
    }

    fn start(&mut self, _record: Option<u64>, net: &mut MemberNet<Self>) {
        // It comes up, for the first time or after a crash. The record is what it has written last with net.write.
        net.set_alarm(Alarm::Silence, 9 + self.id);
    }

    fn ring(&mut self, _alarm: Alarm, net: &mut MemberNet<Self>) {
        // An alarm rings.
        self.seen += 1;
        self.term = Some(self.seen);
        net.set_alarm(Alarm::Silence, 8);
        net.send_all(Msg::Lead(self.seen));
    }

    fn receive(&mut self, _sender: u32, message: Msg, net: &mut MemberNet<Self>) {
        // A message has come, which may be late, or not for the first time.
        let Msg::Lead(term) = message;
        if term > self.seen {
            (self.seen, self.term) = (term, None);
            net.set_alarm(Alarm::Silence, 9 + self.id);
        }
    }

    fn leads(&self) -> Option<(u64, Alarm)> {
        // It leads in this term, while this alarm is set.
        self.term.map(|term| (term, Alarm::Silence))
    }
}
