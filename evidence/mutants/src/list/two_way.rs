//! Faults in algorithms for rings whose messages go both ways.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, announced, fault, only_invariant, sampled};

pub(super) const HIRSCHBERG_SINCLAIR: Suite = Suite {
    algorithm: "hirschberg-sinclair",
    file: "ring/hirschberg_sinclair.rs",
    process: "Announced<HirschbergSinclair>",
    faults: &[
        fault(
            "refuses the larger",
            "Candidate { .. } | Home | Lost) if id < self.id",
            "Candidate { .. } | Home | Lost) if id > self.id",
            "winner-by-rule",
            "the smallest initiator is never refused",
        ),
        fault(
            "wins at the first",
            "(From { id, .. }, Candidate { .. }) if id == self.id => self.state = Home,",
            "(From { id, .. }, Candidate { .. }) if id == self.id => self.state = Won,",
            "possible-messages",
            "its other message is still under way, and comes home to a winner",
        ),
        fault(
            "asks no farther",
            "self.ask(maxnum.saturating_mul(2), net);",
            "self.ask(maxnum, net);",
            "termination",
            "the largest is approved of again and again, as far as its neighbours",
        ),
        fault(
            "one approval is enough",
            "self.state = Candidate { maxnum, approved: true };",
            "self.ask(maxnum.saturating_mul(2), net);",
            "possible-messages",
            "approval of the other side comes when its messages are home",
        ),
        fault(
            "the last does not answer",
            "None => net.send(from, Yes(id)),",
            "None => {}",
            "exactly-one-leader",
            "the largest waits for approval",
        ),
        fault(
            "sleepers answer by their identity",
            "(From { id, .. }, Candidate { .. } | Home | Lost) if id < self.id",
            "(From { id, .. }, _) if id < self.id",
            "exactly-one-leader",
            "a larger process that never woke refuses the largest initiator",
        ),
        only_invariant(
            "asks two links far at first",
            "self.ask(1, net);",
            "self.ask(2, net);",
            "apart",
            "neighbours that have not asked each other ask as far as two",
        ),
        announced(fault(
            "announcement not passed on",
            "net.send(opposite(from), Announce(leader));",
            "",
            "everyone-halted",
            "it does not come back to the leader",
        )),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const FRANKLIN: Suite = Suite {
    algorithm: "franklin",
    file: "ring/franklin.rs",
    process: "Announced<Franklin>",
    faults: &[
        fault(
            "smaller stays",
            "if larger < self.id {",
            "if larger > self.id {",
            "winner-by-rule",
            "the smallest identity is the last",
        ),
        fault(
            "either is enough",
            "self.end_round(id.max(other), net);",
            "self.end_round(id.min(other), net);",
            "message-bound",
            "too many stay in a round, so that there are more rounds",
        ),
        fault(
            "early is swallowed",
            "net.send(opposite(side), Candidate(id)); // It came early: now it passes.",
            "let _ = (side, id);",
            "exactly-one-leader",
            "who sent it waits for it to come home",
        ),
        fault(
            "early is forgotten",
            "self.heard = self.early.take().map(|id| (side, id));",
            "(self.heard, self.early) = (None, None);",
            "exactly-one-leader",
            "who stays waits for what has come already",
        ),
        fault(
            "sends twice in a round",
            "if larger < self.id {\n            net.send_all(Candidate(self.id));",
            "if larger < self.id {\n            net.send_all(Candidate(self.id));\n            \
             net.send_all(Candidate(self.id));",
            "possible-messages",
            "the second one comes home to a leader",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const STAGES_WITH_FEEDBACK: Suite = Suite {
    algorithm: "stages-with-feedback",
    file: "ring/stages_with_feedback.rs",
    process: "Announced<StagesWithFeedback>",
    faults: &[
        fault(
            "approves of the smaller",
            ".filter(|&(_, id)| id == largest)",
            ".filter(|&(_, id)| id != largest)",
            "exactly-one-leader",
            "the largest waits for approval",
        ),
        fault(
            "approves on both sides",
            ".filter(|&(_, id)| id == largest)",
            ".filter(|_| true)",
            "possible-messages",
            "feedback for the larger comes to the smaller neighbour",
        ),
        fault(
            "does not wait for approval",
            "self.state = Waiting;\n",
            "return self.start_stage(net);\n",
            "possible-messages",
            "feedback reaches a process in the next stage",
        ),
        fault(
            "early is swallowed",
            "net.send(opposite(side), Stage(id));",
            "let _ = (side, id);",
            "exactly-one-leader",
            "who sent it waits for an answer",
        ),
        fault(
            "late approvals pass",
            "(Passive, Feedback(id)) if id == self.id => {} // It has lost already.\n",
            "",
            "possible-messages",
            "feedback goes on to a candidate that it is not for",
        ),
        sampled(fault(
            "does not give up",
            "            (Waiting, Stage(_)) => {\n                self.give_up(net);",
            "            (Waiting, Stage(_)) => {",
            "exactly-one-leader",
            "who has passed the next stage on waits for approval that does not come",
        )),
        fault(
            "sends twice in a stage",
            "self.heard = self.early.take();\n        net.send_all(Stage(self.id));",
            "self.heard = self.early.take();\n        net.send_all(Stage(self.id));\n        \
             net.send_all(Stage(self.id));",
            "possible-messages",
            "the second one comes home to a leader",
        ),
        fault(
            "largest gives up",
            "} else if largest > self.id {",
            "} else if largest < self.id {",
            "winner-by-rule",
            "who is smaller than a neighbour waits for approval",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const ALTERNATING_STEPS: Suite = Suite {
    algorithm: "alternating-steps",
    file: "ring/alternating_steps.rs",
    process: "Announced<AlternatingSteps>",
    faults: &[
        fault(
            "smaller stays",
            "} else if id > self.id {",
            "} else if id < self.id {",
            "winner-by-rule",
            "the smallest identity is the last",
        ),
        fault(
            "does not alternate",
            "self.start_step(opposite(way), net);",
            "self.start_step(way, net);",
            "message-bound",
            "where identities ascend, each step leaves all but one",
        ),
        fault(
            "early is swallowed",
            "net.send(opposite(way), Candidate(early)); // Now it passes.",
            "let _ = early;",
            "exactly-one-leader",
            "who sent it waits for it to come home",
        ),
        fault(
            "early is forgotten",
            "self.end_step(opposite(way), early, net);",
            "let _ = early;",
            "exactly-one-leader",
            "who stays waits for what has come already",
        ),
        fault(
            "sends twice in a step",
            "net.send(way, Candidate(self.id));",
            "net.send(way, Candidate(self.id));\n        net.send(way, Candidate(self.id));",
            "possible-messages",
            "the second one comes home to a leader",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const CONTENT_OBLIVIOUS: Suite = Suite {
    algorithm: "content-oblivious",
    file: "ring/content_oblivious.rs",
    process: "ContentOblivious",
    faults: &[
        fault(
            "takes early pulses",
            "if self.clockwise < self.number {\n            return;\n        }\n",
            "",
            "silent-ending",
            "counts of both ways no longer lag behind one another",
        ),
        fault(
            "counts each pulse twice",
            "self.counter += 1;",
            "self.counter += 2;",
            "message-bound",
            "it seems that more have come back than have gone by",
        ),
        fault(
            "the last pulse is swallowed",
            "net.send(Port::PREVIOUS, Pulse); // The last one goes all the way round.",
            "",
            "everyone-halted",
            "the others do not learn that it is over",
        ),
        fault(
            "leads by one way",
            "} else if self.clockwise == self.number {",
            "} else {",
            "at-most-one-leader",
            "a smaller one that has its number back leads, too",
        ),
        fault(
            "sleeps on",
            "(Sleep, Port::PREVIOUS) => self.wake(net),",
            "(Sleep, Port::PREVIOUS) => self.state = Clockwise,",
            "exactly-one-leader",
            "a pulse is missing for all",
        ),
    ],
};
