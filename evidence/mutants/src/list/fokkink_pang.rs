//! Faults in the algorithms of Fokkink and Pang, whose processes draw from two identities here:
//! then elections of four can be explored.

use super::{Suite, announced, fault};

pub(super) const A: Suite = Suite {
    algorithm: "fokkink-pang-a",
    file: "ring/fokkink_pang_a.rs",
    process: "Announced<FokkinkPangA<2>, Anonymous>",
    faults: &[
        fault(
            "leads with the bit false",
            "Active(_) if hop == self.n && bit => self.state = Leader,",
            "Active(_) if hop == self.n => self.state = Leader,",
            "at-most-one-leader",
            "all that have drawn the largest identity lead",
        ),
        fault(
            "keeps its identity",
            "Active(_) if hop == self.n => self.select(net),",
            "Active(own) if hop == self.n => net.send(Port::NEXT, Msg { id: own, hop: 1, bit: true }),",
            "termination",
            "two processes with the same identity keep it forever",
        ),
        fault(
            "leaves the bit true",
            "net.send(Port::NEXT, Msg { bit: false, ..pass_on })",
            "net.send(Port::NEXT, pass_on)",
            "at-most-one-leader",
            "no message says that it has met an equal",
        ),
        fault(
            "does not count hops",
            "hop: hop.saturating_add(1)",
            "hop",
            "termination",
            "a message passes its sender, whom it calls an equal, again and again",
        ),
        fault(
            "purges larger ones",
            "Active(own) if id < own => {}",
            "Active(own) if id != own => {}",
            "exactly-one-leader",
            "of two that differ neither has its message back",
        ),
        fault(
            "has another identity than it sends",
            "self.state = Active(id);",
            "self.state = Active(id % identities + 1);",
            "exactly-one-leader",
            "two that have sent the smaller one purge each other's message",
        ),
        fault(
            "sleepers purge",
            "Sleep | Active(_) | Passive => {",
            "Sleep => self.state = Passive,\n            Active(_) | Passive => {",
            "exactly-one-leader",
            "the message of the only initiator ends at its neighbour",
        ),
        announced(fault(
            "announces before it is over",
            "if self.elector.status() == Status::Leader\n            && self.heard.is_none()",
            "if self.heard.is_none()",
            "silent-ending",
            "a process that is alone halts with its own message under way",
        )),
        announced(fault(
            "leader does not wait",
            "u32::from(leads)",
            "0",
            "silent-ending",
            "its announcement comes back to a leader that has halted",
        )),
    ],
};

pub(super) const B: Suite = Suite {
    algorithm: "fokkink-pang-b",
    file: "ring/fokkink_pang_b.rs",
    process: "Announced<FokkinkPangB<2>, Anonymous>",
    faults: &[
        fault(
            "equals are purged",
            "Active(own) if id == own => self.select(net),",
            "Active(own) if id == own => {}",
            "exactly-one-leader",
            "two that have the same identity purge each other's message",
        ),
        fault(
            "equals are passed on",
            "Active(own) if id == own => self.select(net),",
            "Active(own) if id == own => net.send(Port::NEXT, Msg { id, hop: hop + 1 }),",
            "at-most-one-leader",
            "the messages of two that have the same identity both come home",
        ),
        fault(
            "draws for what comes home",
            "Active(_) if hop == self.n => self.state = Leader,\n            Active(own) if id == own => self.select(net),",
            "Active(own) if id == own => self.select(net),\n            Active(_) if hop == self.n => self.state = Leader,",
            "termination",
            "the last process mistakes its own message for an equal's",
        ),
        fault(
            "does not count hops, and passes on",
            "hop: hop.saturating_add(1)",
            "hop",
            "termination",
            "the last process mistakes its own message for an equal's",
        ),
        fault(
            "larger ones are purged",
            "Active(own) if id < own => {}",
            "Active(own) if id != own => {}",
            "exactly-one-leader",
            "of two that differ neither has its message back",
        ),
        fault(
            "sleepers purge it",
            "Sleep | Active(_) | Passive => {",
            "Sleep => self.state = Passive,\n            Active(_) | Passive => {",
            "exactly-one-leader",
            "the message of the only initiator ends at its neighbour",
        ),
        announced(fault(
            "announces before it is over",
            "if self.elector.status() == Status::Leader\n            && self.heard.is_none()",
            "if self.heard.is_none()",
            "silent-ending",
            "a process that is alone halts with its own message under way",
        )),
    ],
};
