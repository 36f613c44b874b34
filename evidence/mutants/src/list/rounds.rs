//! Faults in algorithms in rounds.

use super::{Suite, extinction::ANNOUNCES_ANOTHER, fault, only_invariant};

pub(super) const TIME_SLICE: Suite = Suite {
    algorithm: "time-slice",
    file: "ring/time_slice.rs",
    process: "TimeSlice",
    faults: &[
        fault(
            "slices too short",
            "let slice = u64::from(self.size);",
            "let slice = u64::from(self.size).saturating_sub(1);",
            "at-most-one-leader",
            "the token of the smallest comes a round after another slice begins",
        ),
        fault(
            "no slices",
            "let slice = u64::from(self.size);",
            "let slice = 0_u64;",
            "winner-by-rule",
            "any process that wakes speaks",
        ),
        fault(
            "sends no wake-up",
            "net.send(Port::NEXT, Wake);",
            "",
            "message-bound",
            "a process alone sends one message instead of two",
        ),
        fault(
            "token not passed on",
            "self.state = Over(id);\n                net.send(Port::NEXT, Token(id));",
            "self.state = Over(id);",
            "everyone-halted",
            "the leader waits for it",
        ),
        fault(
            "speaks on",
            "(Token(id), Listening(_)) => {\n                self.state = Over(id);",
            "(Token(id), Listening(_)) => {",
            "at-most-one-leader",
            "its slice comes though another one has spoken",
        ),
    ],
};

pub(super) const VARIABLE_SPEEDS: Suite = Suite {
    algorithm: "variable-speeds",
    file: "ring/variable_speeds.rs",
    process: "Announced<VariableSpeeds>",
    faults: &[
        fault(
            "keeps the largest",
            "if self.least > Some(id) {",
            "if self.least < Some(id) {",
            "winner-by-rule",
            "the tokens of smaller initiators are swallowed",
        ),
        fault(
            "swallows all",
            "if self.least > Some(id) {",
            "if false {",
            "exactly-one-leader",
            "of two initiators neither has its token back",
        ),
        fault(
            "waits forever",
            "self.hold(id, rounds(id.get()), net);",
            "self.waiting = Some(Waiting { id, rounds: rounds(id.get()) });",
            "exactly-one-leader",
            "no alarm is set for the token that waits",
        ),
        fault(
            "relays are candidates",
            "self.state = Lost;\n                self.least = Some(id);\n                net.send(Port::NEXT, Fast(id));",
            "self.state = Candidate;\n                self.least = Some(self.id.min(id));\n                net.send(Port::NEXT, Fast(id));",
            "exactly-one-leader",
            "one that has sent no token swallows those that are not smaller",
        ),
        only_invariant(
            "forgets what it has seen",
            "self.state = Lost;\n                    self.least = Some(id);",
            "self.state = Lost;",
            "least-waits",
            "no token comes behind a smaller one, whose initiator swallows it",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const FLOOD_MAX: Suite = Suite {
    algorithm: "flood-max",
    file: "graph/flood_max.rs",
    process: "FloodMax",
    faults: &[
        fault(
            "counts D rounds",
            "self.diameter.saturating_mul(2).saturating_add(1)",
            "self.diameter",
            "silent-ending",
            "a process that joins late tells one that has halted",
        ),
        fault(
            "keeps the smallest",
            "self.max = self.max.max(id);",
            "self.max = self.max.min(id);",
            "winner-by-rule",
            "the smallest identity is larger than none",
        ),
        fault(
            "does not listen",
            "self.max = self.max.max(id);",
            "",
            "at-most-one-leader",
            "all have heard of none larger",
        ),
        fault(
            "tells once",
            "if self.told < Some(self.max) {",
            "if self.told.is_none() {",
            "at-most-one-leader",
            "what is two links away is not heard of",
        ),
        fault(
            "joins in silence",
            "            self.join(net);\n        }\n        self.max",
            "            self.state = Counting(self.diameter * 2 + 1);\n        }\n        self.max",
            "agreement",
            "a process reached asleep sets no alarm, and never learns the leader",
        ),
        fault(
            "says that it has told",
            "            net.send_all(Max(self.max));\n",
            "",
            "agreement",
            "no process hears of another, and sleeping ones stay asleep",
        ),
    ],
};

pub(super) const LEAST_ELEMENT_LISTS: Suite = Suite {
    algorithm: "least-element-lists",
    file: "graph/least_element_lists.rs",
    process: "Announced<LeastElementLists>",
    faults: &[
        fault(
            "waits for the father",
            "self.missing = net.degree() - 1;",
            "self.missing = net.degree();",
            "exactly-one-leader",
            "a father hears no echo, and sends its element once",
        ),
        fault(
            "echoes at once",
            "if self.state == Waiting && self.missing == 0 {",
            "if self.state == Waiting {",
            "possible-messages",
            "what neighbours send after the echo is not expected",
        ),
        fault(
            "echoes and passes on",
            "net.send_others(self.father, Least(self.least));",
            "net.send_all(Least(self.least));",
            "possible-messages",
            "the father hears of its own element before the echo, and counts both",
        ),
        fault(
            "forgets the father",
            "                self.father = from;\n",
            "",
            "at-most-one-leader",
            "the echo goes to another neighbour",
        ),
        fault(
            "one neighbour is enough",
            "self.missing -= 1;",
            "self.missing = 0;",
            "possible-messages",
            "other neighbours send the element after it has been echoed",
        ),
        fault(
            "does not join anew",
            "(Ordering::Less, _) => {\n                self.state = Joining;",
            "(Ordering::Less, _) => {",
            "exactly-one-leader",
            "a smaller element is kept and not passed on",
        ),
        only_invariant(
            "keeps the largest",
            "match (element.cmp(&self.least), self.state) {",
            "match (self.least.cmp(&element), self.state) {",
            "real",
            "the largest rank wins as well as the smallest one",
        ),
        ANNOUNCES_ANOTHER,
    ],
};
