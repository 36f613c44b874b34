//! Faults in the probabilistic algorithm of Franklin, whose processes draw from two identities here:
//! then elections of four can be explored.

use super::{Suite, announced, fault};

pub(super) const PROBABILISTIC_FRANKLIN: Suite = Suite {
    algorithm: "probabilistic-franklin",
    file: "ring/probabilistic_franklin.rs",
    process: "Announced<ProbabilisticFranklin<2>, Anonymous>",
    faults: &[
        fault(
            "equals become passive",
            "left.max(right) > id",
            "left.max(right) >= id",
            "exactly-one-leader",
            "of two that have drawn the same neither goes on",
        ),
        fault(
            "counts a hop too many",
            "if hop == self.n {",
            "if hop + 1 >= self.n {",
            "irrevocable-status",
            "two neighbours take each other's message for their own",
        ),
        fault(
            "keeps its parity",
            "self.begin(!odd, net);",
            "self.begin(odd, net);",
            "possible-messages",
            "a neighbour that is a round ahead seems to send twice in one",
        ),
        fault(
            "drops what is for the next round",
            "Self::relay(Port(port), Msg { id, hop, odd: !odd }, net);",
            "",
            "exactly-one-leader",
            "the neighbour that is a round ahead waits for its own message",
        ),
        fault(
            "relays back",
            "net.send_others(from, Msg { hop: msg.hop.saturating_add(1), ..msg });",
            "net.send(from, Msg { hop: msg.hop.saturating_add(1), ..msg });",
            "termination",
            "no message crosses as many links as there are",
        ),
        fault(
            "draws once",
            "self.begin(!odd, net);",
            "{ self.state = Active { id, odd: !odd }; net.send_all(Msg { id, hop: 1, odd: !odd }) }",
            "termination",
            "two that have drawn the same have it in every round",
        ),
        announced(fault(
            "announces before it is over",
            "if self.elector.status() == Status::Leader\n            && self.heard.is_none()",
            "if self.heard.is_none()",
            "irrevocable-status",
            "a process that has told itself that another leads becomes the leader",
        )),
    ],
};
