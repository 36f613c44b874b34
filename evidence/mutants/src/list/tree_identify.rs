//! Faults in the tree identification of IEEE 1394.

use super::{Suite, fault};

pub(super) const TREE_IDENTIFY: Suite = Suite {
    algorithm: "tree-identify",
    file: "tree/tree_identify.rs",
    process: "TreeIdentify",
    faults: &[
        fault(
            "always chooses fast",
            "let fast = net.choose(1) == 1;",
            "let fast = true;",
            "termination",
            "two contenders always choose the same",
        ),
        fault(
            "fast is enough",
            "(true, false) => self.state = Root,",
            "(true, _) => self.state = Root,",
            "at-most-one-leader",
            "two that are fast both lead",
        ),
        fault(
            "slow is enough",
            "(false, true) => self.state = Child,",
            "(false, _) => self.state = Child,",
            "exactly-one-leader",
            "of two that are slow neither leads",
        ),
        fault(
            "acknowledges nothing",
            "net.send(from, Acknowledge);",
            "",
            "agreement",
            "a child never knows that it is one",
        ),
        fault(
            "acknowledges everywhere",
            "net.send(from, Acknowledge);",
            "net.send_all(Acknowledge);",
            "silent-ending",
            "a process is a child, and is then asked by its parent",
        ),
        fault(
            "sends no reset",
            "net.send_all(Reset);",
            "",
            "possible-messages",
            "a process that sleeps is asked",
        ),
        fault(
            "passes no reset on",
            "net.send_others(from, Reset);",
            "",
            "possible-messages",
            "a process that sleeps at the far end is asked",
        ),
        fault(
            "the acknowledged lead",
            "(Asked, Acknowledge) if of_parent => self.state = Child,",
            "(Asked, Acknowledge) if of_parent => self.state = Root,",
            "at-most-one-leader",
            "every child but one leads",
        ),
    ],
};
