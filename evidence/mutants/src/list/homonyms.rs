//! Faults in algorithms for rings of homonyms.

use super::{Suite, fault};

pub(super) const LYNDON_WORD: Suite = Suite {
    algorithm: "lyndon-word",
    file: "ring/lyndon_word.rs",
    process: "LyndonWord",
    faults: &[
        fault(
            "decides on the second copy",
            "if *copies > self.most.saturating_mul(2) {",
            "if *copies > 1 {",
            "at-most-one-leader",
            "two equal labels next to each other seem to be a ring of one",
        ),
        fault(
            "does not know the multiplicity",
            "if *copies > self.most.saturating_mul(2) {",
            "if *copies > 2 {",
            "at-most-one-leader",
            "three equal labels in a row seem to be a ring of one",
        ),
        fault(
            "leads whatever it reads",
            "if is_lyndon(word) {",
            "if !word.is_empty() {",
            "at-most-one-leader",
            "every process reads the ring",
        ),
        fault(
            "the largest rotation",
            "word < &word[start..]",
            "word > &word[start..]",
            "agreement",
            "the others name the smallest label, and it leads with the largest",
        ),
        fault(
            "compares the whole string",
            "let word = repeating_prefix(string);",
            "let word = &string[..];",
            "termination",
            "a string that repeats itself has a smaller suffix, and labels circulate forever",
        ),
        fault(
            "reads the other way round",
            "string.push(label);",
            "string.insert(0, label);",
            "winner-by-rule",
            "its string is a rotation that begins behind it",
        ),
        fault(
            "passes on the last label",
            "return net.send(Port::NEXT, Finish);",
            "net.send(Port::NEXT, msg);\n                        return net.send(Port::NEXT, Finish);",
            "message-bound",
            "each process sends one more, and with distinct labels none is to spare",
        ),
        fault(
            "the leader passes on",
            "(Leader, Token(_)) => {}",
            "(Leader, Token(_)) => net.send(Port::NEXT, msg),",
            "silent-ending",
            "labels follow the finish",
        ),
        fault(
            "who is reached does not start",
            "if let (Sleep, Token(_)) = (&self.state, msg) {",
            "if let (Sleep, Finish) = (&self.state, msg) {",
            "possible-messages",
            "its label is missing",
        ),
        fault(
            "the finish goes no further",
            "self.state = Follower(*leader);\n                net.send(Port::NEXT, Finish);",
            "self.state = Follower(*leader);",
            "everyone-halted",
            "the others do not learn that it is over",
        ),
        fault(
            "names itself",
            "self.state = Passive(smallest(word, self.label));",
            "self.state = Passive(self.label);",
            "agreement",
            "the leader has the smallest label, and not every process has it",
        ),
    ],
};
