//! Faults in algorithms for rings whose messages go forward only, and that eliminate in turn.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, fault};

pub(super) const PETERSON: Suite = Suite {
    algorithm: "peterson",
    file: "ring/peterson.rs",
    process: "Peterson",
    faults: &[
        fault(
            "smaller stays",
            "(Active(Odd), Tid(ntid)) if self.tid > ntid",
            "(Active(Odd), Tid(ntid)) if self.tid < ntid",
            "winner-by-rule",
            "the largest identity is lost in the first phase",
        ),
        fault(
            "holds its own",
            "self.tid = ntid;\n                self.start(Odd, net);",
            "self.start(Odd, net);",
            "winner-by-rule",
            "who stays holds an identity that should have been lost",
        ),
        fault(
            "waits for its own identity",
            "(Active(_), Tid(ntid)) if ntid == self.tid",
            "(Active(_), Tid(ntid)) if ntid == self.id",
            "exactly-one-leader",
            "who holds another's identity does not know it again",
        ),
        fault(
            "relays swallow",
            "self.state = Relay;\n                net.send(Port::NEXT, msg);",
            "self.state = Relay;",
            "exactly-one-leader",
            "the active process behind waits for it",
        ),
        fault(
            "does not alternate",
            "self.start(Even, net),",
            "self.start(Odd, net),",
            "message-bound",
            "where identities ascend, each phase leaves all but one",
        ),
        fault(
            "winner not recorded",
            "self.tid = winner;\n                self.state = Done;",
            "self.state = Done;",
            "at-most-one-leader",
            "a relay takes the identity that it held, perhaps its own, for the winner's",
        ),
        fault(
            "loser takes over",
            "(Active(_), Tid(_)) => self.state = Relay,",
            "(Active(phase), Tid(ntid)) => {\n                self.tid = ntid;\n                self.start(phase, net);\n            }",
            "possible-messages",
            "two active processes compete with the same identity",
        ),
        fault(
            "does not give up",
            "(Active(_), Tid(_)) => self.state = Relay,",
            "(Active(_), Tid(_)) => {}",
            "exactly-one-leader",
            "it swallows the messages that it should pass on",
        ),
    ],
};

pub(super) const HIGHAM_PRZYTYCKA: Suite = Suite {
    algorithm: "higham-przytycka",
    file: "ring/higham_przytycka.rs",
    process: "Announced<HighamPrzytycka>",
    faults: &[
        fault(
            "odd rounds destroy the smaller",
            "Odd { .. } if of(round).is_some_and(|other| other < label) => return,",
            "Odd { .. } if of(round).is_some_and(|other| other > label) => return,",
            "possible-messages",
            "survivors of an odd round reach labels without a witness before them",
        ),
        fault(
            "odd rounds destroy all",
            "Odd { .. } if of(round).is_some_and(|other| other < label) => return,",
            "Odd { .. } if of(round).is_some() => return,",
            "exactly-one-leader",
            "no envelope is left",
        ),
        fault(
            "no witness",
            "Even { .. } => of(round.saturating_sub(1)).is_some_and(|witness| witness < label),",
            "Even { .. } => false,",
            "possible-messages",
            "an envelope comes as far as to a smaller label of its round",
        ),
        fault(
            "witness of a larger label",
            "is_some_and(|witness| witness < label)",
            "is_some_and(|witness| witness > label)",
            "possible-messages",
            "who would lose is promoted, and who would not comes to a smaller label of its round",
        ),
        fault(
            "a message is not remembered",
            "self.last = Some(envelope.face());",
            "self.last = self.last.or(Some(envelope.face()));",
            "termination",
            "an envelope that comes home to where it was promoted is not known again",
        ),
        fault(
            "sends twice",
            "net.send(Port::NEXT, envelope);",
            "net.send(Port::NEXT, envelope);\n        net.send(Port::NEXT, envelope);",
            "possible-messages",
            "the second one comes home to a leader",
        ),
        ANNOUNCES_ANOTHER,
    ],
};
