//! Faults in algorithms for trees and graphs.

use super::{SeededFault, Suite, fault};

pub(super) const TREE_WAVE: Suite = Suite {
    algorithm: "tree-wave",
    file: "tree/tree_wave.rs",
    process: "TreeWave",
    all_ports: false,
    faults: &[
        fault(
            "keeps the largest",
            "self.least = self.least.min(id);\n                self.send_token(net);",
            "self.least = self.least.max(id);\n                self.send_token(net);",
            "winner-by-rule",
            "an inner process forgets itself where it is the smallest",
        ),
        fault(
            "port not crossed off",
            "self.silent = silent;\n                self.least = self.least.min(id);\n                \
             self.send_token",
            "self.least = self.least.min(id);\n                self.send_token",
            "exactly-one-leader",
            "an inner process never has tokens from all but one",
        ),
        fault(
            "decision not passed on",
            "net.send_others(from, Decision(self.least));",
            "",
            "agreement",
            "whose token crossed with no other hears nothing",
        ),
        fault(
            "decision sent back",
            "net.send_others(from, Decision(self.least));",
            "net.send_all(Decision(self.least));",
            "silent-ending",
            "who sent the last token has decided by itself",
        ),
        fault(
            "wake-ups not counted",
            "self.asleep -= 1;",
            "",
            "exactly-one-leader",
            "everyone waits for wake-ups that have come",
        ),
        fault(
            "wakes nobody",
            "net.send_all(WakeUp);",
            "",
            "exactly-one-leader",
            "the others sleep on",
        ),
        fault(
            "one is no tree",
            "if net.degree() == 0 { Decided } else { Awake }",
            "Awake",
            "exactly-one-leader",
            "a single process waits for neighbours",
        ),
        fault(
            "tells its own",
            "Token(self.least))",
            "Token(self.id))",
            "agreement",
            "what is behind it is unknown on the other side",
        ),
        fault(
            "does not wait for wake-ups",
            "(Awake, 0, Some(last))",
            "(Awake, _, Some(last))",
            "possible-messages",
            "a wake-up reaches who has sent its token",
        ),
        SeededFault {
            shared: Some("ports.rs"),
            ..fault(
                "sum not lessened",
                "sum: self.sum.wrapping_sub(port.0)",
                "sum: self.sum",
                "possible-messages",
                "the last port is the wrong one, and the token there turns out to be impossible",
            )
        },
    ],
};

pub(super) const ECHO_EXTINCTION: Suite = Suite {
    algorithm: "echo-extinction",
    file: "graph/echo_extinction.rs",
    process: "EchoExtinction",
    all_ports: false,
    faults: &[
        fault(
            "smaller waves die out",
            "Token(id)) if id > of => {}",
            "Token(id)) if id < of => {}",
            "winner-by-rule",
            "the largest wave ends",
        ),
        fault(
            "no extinction",
            "(Wave { of, .. }, Token(id)) if id > of => {} // Extinct.",
            "",
            "possible-messages",
            "an initiator joins a larger wave, and its own comes back to it",
        ),
        fault(
            "echo not counted",
            "self.count(of, missing - 1, net)",
            "self.count(of, missing, net)",
            "exactly-one-leader",
            "no wave ends",
        ),
        fault(
            "waits for its father",
            "self.count(id, net.degree() - 1, net)",
            "self.count(id, net.degree(), net)",
            "exactly-one-leader",
            "a father's second token, which is not to come, is waited for",
        ),
        fault(
            "echoes itself",
            "net.send(self.father, Token(of))",
            "net.send(self.father, Token(self.id))",
            "exactly-one-leader",
            "the echo is taken for a wave of its own, and dies out",
        ),
        fault(
            "result kept",
            "net.send_all(Leader(of));",
            "",
            "agreement",
            "there is a leader whom nobody else knows",
        ),
        fault(
            "waits for one result more",
            "self.flood(of, net.degree() - 1, net)",
            "self.flood(of, net.degree(), net)",
            "everyone-halted",
            "the result comes once from each neighbour",
        ),
        fault(
            "results not counted",
            "self.state = Flood { of, missing: missing - 1 };",
            "",
            "everyone-halted",
            "the leader waits for results that have come",
        ),
        fault(
            "ends larger waves",
            "0 if of == self.id",
            "0 if of >= self.id",
            "possible-messages",
            "who joins the wave of a larger initiator floods it as its result at once",
        ),
        fault(
            "father not recorded",
            "self.father = from;",
            "",
            "possible-messages",
            "a child counts an echo that is meant for the father, so that the wave ends before all \
             have taken part",
        ),
    ],
};
