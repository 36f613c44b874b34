//! Faults in algorithms for hypercubes.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, announced, fault, only_invariant};

pub(super) const HYPER_ELECT: Suite = Suite {
    algorithm: "hyper-elect",
    file: "hypercube/hyper_elect.rs",
    process: "Announced<HyperElect>",
    faults: &[
        fault(
            "the smaller wins",
            "if forward.id > self.id {",
            "if forward.id < self.id {",
            "winner-by-rule",
            "a larger one is defeated",
        ),
        fault(
            "both win",
            "if forward.id > self.id {",
            "if forward.id > self.id && of > 0 {",
            "at-most-one-leader",
            "two come to a stage in which there is one opponent",
        ),
        fault(
            "keeps what is for another",
            "Defeated(way) => send(Forward { dest: way, ..forward }, net),",
            "Defeated(_) => {}",
            "exactly-one-leader",
            "the duellist waits behind a defeated process",
        ),
        fault(
            "delays nothing",
            "Duellist(stage) if of > stage => self.delayed.push(forward),",
            "",
            "possible-messages",
            "the opponent of a later stage comes early",
        ),
        fault(
            "forgets what it has delayed",
            "for _ in 0..self.delayed.iter().count() {",
            "for _ in 0..0 {",
            "exactly-one-leader",
            "the opponent of a later stage is not met",
        ),
        fault(
            "sleeps on",
            "if self.state == Sleep {\n            self.enter(0, net);\n        }",
            "",
            "possible-messages",
            "a process that is reached asleep does not fight",
        ),
        fault(
            "bears no way back",
            "(forward.source ^ 1 << port, forward.dest ^ 1 << port)",
            "(1 << port, forward.dest ^ 1 << port)",
            "possible-messages",
            "messages forwarded along that path go astray",
        ),
        only_invariant(
            "remembers the nearest",
            "self.state = Defeated(forward.source);",
            "self.state = Defeated(1 << of);",
            "upward",
            "the process across that bit has the same winner, on a longer way",
        ),
        announced(fault(
            "announces by all bits",
            "(0..from.0).for_each(|bit|",
            "(0..net.degree()).for_each(|bit|",
            "message-bound",
            "the announcement comes several times",
        )),
        announced(fault(
            "announces by no bit 0",
            "(0..from.0).for_each(|bit|",
            "(1..from.0).for_each(|bit|",
            "agreement",
            "half of them do not hear of it",
        )),
        ANNOUNCES_ANOTHER,
    ],
};
