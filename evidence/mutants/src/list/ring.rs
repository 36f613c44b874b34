//! Faults in algorithms for rings.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, announced, fault};

pub(super) const LELANN: Suite = Suite {
    algorithm: "lelann",
    file: "ring/lelann.rs",
    process: "Announced<LeLann>",
    faults: &[
        fault(
            "keeps the largest",
            "least.min(id)",
            "least.max(id)",
            "winner-by-rule",
            "the largest initiator finds itself the least",
        ),
        fault(
            "keeps nothing",
            "Candidate(least.min(id))",
            "Candidate(least)",
            "at-most-one-leader",
            "every initiator finds itself the least",
        ),
        fault(
            "does not compare",
            "if least == self.id { Leader } else { Lost }",
            "Leader",
            "at-most-one-leader",
            "every initiator leads when its token is home",
        ),
        fault(
            "candidates swallow",
            "self.state = Candidate(least.min(id));\n                net.send(Port::NEXT, Token(id));",
            "self.state = Candidate(least.min(id));",
            "exactly-one-leader",
            "of two initiators neither has its token back",
        ),
        fault(
            "passes on its own",
            "self.state = Lost;\n                net.send(Port::NEXT, Token(id));",
            "self.state = Lost;\n                net.send(Port::NEXT, Token(self.id));",
            "possible-messages",
            "the identity of a process that did not start comes home to it",
        ),
        announced(fault(
            "announcement not sent",
            "net.send(Port::NEXT, Announce(leader));",
            "",
            "everyone-halted",
            "the leader waits for it to come back",
        )),
        announced(fault(
            "leader does not wait",
            "u32::from(leads)",
            "0",
            "silent-ending",
            "its announcement comes back to a leader that has halted",
        )),
        announced(fault(
            "leader not recorded",
            "self.heard = Some(Heard { leader, pending: NonZeroU32::MIN.saturating_add(pending) });",
            "let _ = pending;",
            "termination",
            "everyone announces whenever the announcement comes by",
        )),
        announced(fault(
            "announces backwards",
            "net.send(Port::NEXT, Announce(leader));",
            "net.send(Port::PREVIOUS, Announce(leader));",
            "silent-ending",
            "the announcement overtakes tokens, which find processes that have halted",
        )),
        ANNOUNCES_ANOTHER,
        fault(
            "sends its token twice",
            "self.state = Candidate(self.id);\n        net.send(Port::NEXT,",
            "self.state = Candidate(self.id);\n        net.send(Port::NEXT, Token(self.id));\n        net.send(Port::NEXT,",
            "possible-messages",
            "the second token comes home to an initiator that has decided",
        ),
    ],
};

pub(super) const CHANG_ROBERTS: Suite = Suite {
    algorithm: "chang-roberts",
    file: "ring/chang_roberts.rs",
    process: "Announced<ChangRoberts>",
    faults: &[
        fault(
            "swallows the smaller",
            "let passes = id < self.id",
            "let passes = id > self.id",
            "winner-by-rule",
            "the largest token comes home",
        ),
        fault(
            "swallows nothing",
            "let passes = id < self.id",
            "let passes = id != self.id",
            "termination",
            "two candidates defeat each other, and both tokens circulate forever",
        ),
        fault(
            "does not know its token",
            "let passes = id < self.id",
            "let passes = id <= self.id",
            "termination",
            "no process takes the winning token off the ring",
        ),
        fault(
            "passes on its own",
            "self.state = Lost;\n                net.send(Port::NEXT, Token(id));",
            "self.state = Lost;\n                net.send(Port::NEXT, Token(self.id));",
            "termination",
            "identities change on their way, and none comes home to a candidate",
        ),
        fault(
            "starts backwards",
            "self.state = Candidate;\n        net.send(Port::NEXT,",
            "self.state = Candidate;\n        net.send(Port::PREVIOUS,",
            "possible-messages",
            "its token turns round at once and is home before the others are swept",
        ),
        fault(
            "sends its token twice",
            "self.state = Candidate;\n        net.send(Port::NEXT,",
            "self.state = Candidate;\n        net.send(Port::NEXT, Token(self.id));\n        \
             net.send(Port::NEXT,",
            "possible-messages",
            "the second one reaches a leader",
        ),
        fault(
            "sleepers swallow",
            "_ if passes => {",
            "Sleep => self.state = Lost,\n            _ if passes => {",
            "exactly-one-leader",
            "a token ends at the first process that is asleep",
        ),
        fault(
            "loses by its own token",
            "_ if id == self.id => self.state = Leader,",
            "_ if id == self.id => self.state = Lost,",
            "exactly-one-leader",
            "the winning token is taken for one that wins against its own process",
        ),
        ANNOUNCES_ANOTHER,
        fault(
            "wins by a smaller token",
            "_ if passes => {",
            "Candidate if id <= self.id => self.state = Leader,\n            _ if passes => {",
            "winner-by-rule",
            "the first smaller token makes its receiver the leader",
        ),
    ],
};

pub(super) const DOLEV_KLAWE_RODEH: Suite = Suite {
    algorithm: "dolev-klawe-rodeh",
    file: "ring/dolev_klawe_rodeh.rs",
    process: "DolevKlaweRodeh",
    faults: &[
        fault(
            "largest survives",
            "before < self.current && before < id",
            "before > self.current && before > id",
            "winner-by-rule",
            "the largest identity survives all rounds",
        ),
        fault(
            "either is enough",
            "before < self.current && before < id",
            "before < self.current || before < id",
            "message-bound",
            "too many survive a round, so that there are more rounds",
        ),
        fault(
            "stands for itself",
            "self.start_round(before, net)",
            "self.start_round(self.current, net)",
            "winner-by-rule",
            "who survives stands for an identity that should have been eliminated",
        ),
        fault(
            "two tells its own",
            "Two(id));",
            "Two(self.current));",
            "exactly-one-leader",
            "no process is smaller than both of the same, so that none survives",
        ),
        fault(
            "waits for its own identity",
            "(Propagation, One(id)) if id == self.current",
            "(Propagation, One(id)) if id == self.id",
            "exactly-one-leader",
            "who stands for another's identity does not know it again",
        ),
        fault(
            "announcement swallowed",
            "self.state = Done;\n                net.send(Port::NEXT, msg);",
            "self.state = Done;",
            "everyone-halted",
            "who announces waits for it to come back",
        ),
        fault(
            "winner not recorded",
            "self.current = id;\n                self.state = Done;",
            "self.state = Done;",
            "at-most-one-leader",
            "a passive process takes the identity for which it stood, perhaps its own, for the \
             winner's",
        ),
        fault(
            "forgets the end",
            "(Announced, Small(id)) if id == self.current => self.state = Done,",
            "(Announced, Small(id)) if id == self.current => self.state = Passive,",
            "irrevocable-status",
            "the leader is undecided again",
        ),
        fault(
            "sends one twice",
            "net.send(Port::NEXT, One(identity));",
            "net.send(Port::NEXT, One(identity));\n        net.send(Port::NEXT, One(identity));",
            "possible-messages",
            "a second `one` comes where a `two` or the announcement is due",
        ),
        fault(
            "passive swallow two",
            "(Sleep | Passive, One(_)) | (Passive, Two(_)) => {",
            "(Passive, Two(_)) => {}\n            (Sleep | Passive, One(_)) => {",
            "exactly-one-leader",
            "the active process behind waits for it",
        ),
    ],
};
