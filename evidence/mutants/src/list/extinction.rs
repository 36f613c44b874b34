//! Faults in extinction, and in the waves over which it elects.

use super::{SeededFault, Suite, announced, equivalent, fault, only_invariant};

/// A fault in extinction itself.
const fn extinction(fault: SeededFault) -> SeededFault {
    SeededFault { shared: Some("extinction.rs"), ..fault }
}

/// Each wave is held to the invariants of extinction: this breaks *shrinking* over each of them.
const SMALLER_WAVES_DIE_OUT: SeededFault = extinction(fault(
    "smaller waves die out",
    "current < of",
    "current > of",
    "winner-by-rule",
    "the wave of the largest initiator ends",
));

/// This breaks *named*.
pub(super) const ANNOUNCES_ANOTHER: SeededFault = announced(fault(
    "announces another",
    "self.announce(own, net);",
    "self.announce(L::of(own.id().map(|id| Id::new(id.get() + 1))).unwrap_or(own), net);",
    "agreement",
    "the announced identity is not the leader's",
));

pub(super) const RING_EXTINCTION: Suite = Suite {
    algorithm: "ring-extinction",
    file: "wave/ring_token.rs",
    process: "Announced<Extinction<RingToken>>",
    faults: &[
        SMALLER_WAVES_DIE_OUT,
        ANNOUNCES_ANOTHER,
        extinction(fault(
            "no extinction",
            "return; // Extinct.",
            "// Extinct.",
            "possible-messages",
            "an initiator takes part in a larger wave, and its own comes back to it",
        )),
        extinction(fault(
            "takes part from where it was",
            "self.wave = W::new(net.degree());",
            "",
            "possible-messages",
            "the token of another initiator is taken for its own",
        )),
        extinction(only_invariant(
            "keeps its wave",
            "self.of = Some(of);",
            "",
            "shrinking",
            "a process does not remember in which wave it takes part; on a ring no token comes to it \
             that it would have to ignore therefore",
        )),
        fault(
            "swallows the token",
            "State::Waits => net.send(Port::NEXT, Token),",
            "State::Waits => {}",
            "exactly-one-leader",
            "no token comes home",
        ),
        fault(
            "passes its own on",
            "State::Started => {}",
            "State::Started => net.send(Port::NEXT, Token),",
            "possible-messages",
            "the token goes around again",
        ),
        fault(
            "sends its token twice",
            "net.send(Port::NEXT, Token);\n        false",
            "net.send(Port::NEXT, Token);\n        net.send(Port::NEXT, Token);\n        false",
            "possible-messages",
            "a token goes around twice",
        ),
        fault(
            "sends backwards",
            "net.send(Port::NEXT, Token);\n        false",
            "net.send(Port::PREVIOUS, Token);\n        false",
            "possible-messages",
            "the token turns round at once, and is home before the others take part",
        ),
    ],
};

pub(super) const TREE_EXTINCTION: Suite = Suite {
    algorithm: "tree-extinction",
    file: "wave/tree.rs",
    process: "Announced<Extinction<Tree>>",
    faults: &[
        SMALLER_WAVES_DIE_OUT,
        ANNOUNCES_ANOTHER,
        fault(
            "does not wait for its children",
            "(self.state, self.silent.last())",
            "(self.state, self.silent.last().or(self.father))",
            "possible-messages",
            "the wave is decided before all have taken part, and the token of a child comes later",
        ),
        equivalent(
            "does not look for other silent neighbours",
            "(State::Sent, Token, Some(silent)) if silent.is_empty()",
            "(State::Sent, Token, Some(silent))",
            "a process has sent its token to the last silent neighbour, so the next token is the \
             last one",
        ),
        fault(
            "wakes no process",
            "net.send_others(from, WakeUp);",
            "",
            "possible-messages",
            "a token comes to a process that has not been woken",
        ),
        fault(
            "reports nothing",
            "Some(father) => net.send(father, Report),",
            "Some(_) => {}",
            "exactly-one-leader",
            "the process that started the wave waits for the report",
        ),
        fault(
            "both report",
            "if self.father != Some(from) {",
            "if true {",
            "possible-messages",
            "the report of the farther process reaches one that has reported",
        ),
        fault(
            "port not crossed off",
            "(State::Awake, Token, Some(silent)) => {\n                self.silent = silent;",
            "(State::Awake, Token, Some(_)) => {",
            "exactly-one-leader",
            "an inner process never has tokens from all but one",
        ),
        fault(
            "father not recorded",
            "self.father = Some(from);",
            "",
            "possible-messages",
            "a process decides that has not started the wave",
        ),
        fault(
            "leaves do not start",
            "net.send_others(from, WakeUp);\n                self.send_token(net);",
            "net.send_others(from, WakeUp);",
            "exactly-one-leader",
            "a leaf has only its father, and waits for its token",
        ),
        fault(
            "one is no tree",
            "net.degree() == 0",
            "false",
            "exactly-one-leader",
            "a single process waits for neighbours",
        ),
        extinction(fault(
            "wrong names",
            "Tagged { of: self.of, msg }",
            "Tagged { of: Id::new(self.of.get() + 1), msg }",
            "possible-messages",
            "waves are taken for those of others",
        )),
    ],
};

pub(super) const DEPTH_FIRST_EXTINCTION: Suite = Suite {
    algorithm: "depth-first-extinction",
    file: "wave/depth_first.rs",
    process: "Announced<Extinction<DepthFirst>>",
    faults: &[
        SMALLER_WAVES_DIE_OUT,
        ANNOUNCES_ANOTHER,
        fault(
            "to the father at any time",
            "Some(port) != self.father && !self.is_used(port)",
            "!self.is_used(port)",
            "at-most-one-leader",
            "the token comes home before all have taken part",
        ),
        fault(
            "ports not noted",
            "self.used[to.0 as usize / 64] |= 1 << (to.0 % 64);",
            "",
            "termination",
            "the token goes to and fro on a link",
        ),
        fault(
            "father not recorded",
            "self.father = Some(from);",
            "",
            "at-most-one-leader",
            "the token goes back at once, and is home before all have taken part",
        ),
        fault(
            "swallows the token",
            "// A process without other ports returns it.\n        self.pass_on(None, net)",
            "false",
            "exactly-one-leader",
            "the token ends at the first process that it reaches",
        ),
        fault(
            "keeps the token from its father",
            ".or(self.father.filter(|&father| !self.is_used(father)))",
            "",
            "possible-messages",
            "a process decides that has not started the wave",
        ),
        equivalent(
            "not at once",
            "back.or_else(from_there)",
            "back.filter(|_| false).or_else(from_there)",
            "without the rule of depth-first search it is Tarry's traversal, which sends as many \
             messages, one each way on each link, and is a wave as well",
        ),
        SeededFault {
            shared: Some("extinction.rs"),
            ..equivalent(
                "decides for another",
                "if of != self.id {",
                "if false {",
                "it guards against messages that cannot be: a wave is decided by the process that \
                 started it",
            )
        },
    ],
};
