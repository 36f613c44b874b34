//! Faults in the algorithm of Itai and Rodeh, whose processes draw from two identities here.

use super::{Suite, announced, equivalent, fault, only_invariant};

pub(super) const ITAI_RODEH: Suite = Suite {
    algorithm: "itai-rodeh",
    file: "ring/itai_rodeh.rs",
    process: "Announced<ItaiRodeh<2>, Anonymous>",
    faults: &[
        fault(
            "leads with the bit false",
            "true => self.state = Leader,\n                false => self.select(Self::next(phase), net),",
            "_ => {\n                    let _ = (phase, Self::next);\n                    self.state = Leader;\n                }",
            "at-most-one-leader",
            "all that have drawn the largest identity lead",
        ),
        equivalent(
            "never a next phase",
            "self.select(Self::next(phase), net)",
            "self.select(phase, net)",
            "on FIFO links no process compares phases: it is Fokkink and Pang's A",
        ),
        only_invariant(
            "skips a phase",
            "self.select(Self::next(phase), net)",
            "self.select(Self::next(Self::next(phase)), net)",
            "two-phases",
            "those that have not gone on yet are in the phase before the last one",
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
            "hop: msg.hop.saturating_add(1)",
            "hop: msg.hop",
            "termination",
            "a message passes its sender, whom it calls an equal, again and again",
        ),
        fault(
            "compares phases alone",
            "match phases.then(msg.id.cmp(&id)) {",
            "let _ = id;\n                match phases {",
            "termination",
            "all are equal in every phase",
        ),
        fault(
            "has another identity than it sends",
            "self.state = Active { phase, id };",
            "self.state = Active { phase, id: id % identities + 1 };",
            "exactly-one-leader",
            "two that have sent the smaller one purge each other's message",
        ),
        fault(
            "sleepers purge",
            "Sleep | Passive => {\n                self.state = Passive;",
            "Sleep => self.state = Passive,\n            Passive => {",
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
