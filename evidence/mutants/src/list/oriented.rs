//! Faults in algorithms for complete networks with a sense of direction.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, fault};

pub(super) const BULLY: Suite = Suite {
    algorithm: "bully",
    file: "complete/bully.rs",
    process: "Bully",
    faults: &[
        fault(
            "the largest answers",
            "if above > 0 {",
            "if above < u32::MAX {",
            "possible-messages",
            "only the coordinator comes from the largest",
        ),
        fault(
            "answers and leaves it at that",
            "if self.state == Normal {\n                    self.elect(net);\n                }",
            "",
            "exactly-one-leader",
            "the one that asks waits for a coordinator",
        ),
        fault(
            "takes over from the second",
            "if above == 0 {",
            "if above <= 1 {",
            "possible-messages",
            "the two largest both take over",
        ),
        fault(
            "starts again",
            "if self.state == Normal {\n                    self.elect(net);\n                }",
            "self.elect(net);",
            "message-bound",
            "each question asks all above once more",
        ),
    ],
};

pub(super) const LOUI_MATSUSHITA_WEST: Suite = Suite {
    algorithm: "loui-matsushita-west",
    file: "complete/loui_matsushita_west.rs",
    process: "Announced<LouiMatsushitaWest>",
    faults: &[
        fault(
            "distance not modulo n",
            "if distance < before { distance + size } else { distance }",
            "distance.max(before)",
            "possible-messages",
            "no process is that far",
        ),
        fault(
            "passes on to the next",
            "net.send(Port(size - before - 1), Elect(id, from_there));",
            "net.send(Port(0), Elect(id, from_there));",
            "possible-messages",
            "the distance is wrong for the next process",
        ),
        fault(
            "beats in silence",
            "net.send(Port(there - 1), Elect(self.id, there));",
            "let _ = there;",
            "exactly-one-leader",
            "the token of a smaller one is lost, and none comes home",
        ),
        fault(
            "the smaller wins",
            "Active if id > self.id =>",
            "Active if id < self.id =>",
            "winner-by-rule",
            "a larger one becomes passive",
        ),
        fault(
            "sleeps on",
            "if self.state == Sleep {\n            self.wake(net);\n        }",
            "",
            "possible-messages",
            "a process that is reached asleep does nothing",
        ),
        ANNOUNCES_ANOTHER,
    ],
};
