//! Faults in algorithms in rounds for complete networks.

use super::{Suite, extinction::ANNOUNCES_ANOTHER, fault, only_invariant};

pub(super) const AFEK_GAFNI_A: Suite = Suite {
    algorithm: "afek-gafni-a",
    file: "complete/afek_gafni_a.rs",
    process: "Announced<AfekGafniA>",
    faults: &[
        fault(
            "anyone captures",
            "&& self.owner.is_none_or(|owner| rival.beats(owner))",
            "",
            "exactly-one-leader",
            "two candidates capture each other",
        ),
        fault(
            "does not own itself",
            "self.owner = Some(Rival { woken: 0, id: self.id });",
            "",
            "exactly-one-leader",
            "two candidates capture each other",
        ),
        fault(
            "asks the same again",
            "(asked..last)",
            "(0..last - asked)",
            "exactly-one-leader",
            "who is owned already does not acknowledge",
        ),
        fault(
            "counts no answers",
            "=> *missing -= 1,",
            "=> {\n                let _ = missing;\n            }",
            "exactly-one-leader",
            "all give up",
        ),
        fault(
            "sleeps on",
            "*state = Captured;\n                    net.set_alarm(0);",
            "*state = Captured;",
            "exactly-one-leader",
            "who is asked asleep never answers",
        ),
        fault(
            "answers twice",
            "net.send(port, Acknowledge);",
            "net.send(port, Acknowledge);\n            net.send(port, Acknowledge);",
            "possible-messages",
            "the second answer is to nothing",
        ),
        fault(
            "prefers the worse of two",
            "rival.beats(best)",
            "best.beats(rival)",
            "exactly-one-leader",
            "the better one gives up, and captures the other one later",
        ),
        only_invariant(
            "calls its owner by another name",
            "let rival = Rival { woken, id };",
            "let rival = Rival { woken, id: Id::new(id.get() + 1) };",
            "real-owner",
            "all rivals are renamed, and rank as before among themselves",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const RANDOM_REFEREES: Suite = Suite {
    algorithm: "random-referees",
    file: "complete/random_referees.rs",
    process: "RandomReferees<2, 2, 2>",
    faults: &[
        only_invariant(
            "keeps the smallest",
            "if rank < largest => {}",
            "if rank > largest => {}",
            "largest-wins",
            "the candidate with the larger rank is told nothing",
        ),
        only_invariant(
            "does not judge itself",
            "self.largest = Some((rank, None));\n            self.compete",
            "self.compete",
            "real",
            "two processes tell each other that they have won",
        ),
        only_invariant(
            "leads without a win",
            "Waiting if self.wins == self.referees => self.state = Elected,",
            "Waiting if self.wins <= self.referees => self.state = Elected,",
            "unanimous",
            "all candidates lead",
        ),
        fault(
            "candidates do not wait",
            "self.state = Waiting;\n                    net.set_alarm(1);",
            "self.state = Lost;",
            "silent-ending",
            "what a referee answers reaches a candidate that has halted",
        ),
        fault(
            "never counts",
            "self.state = Waiting;\n                    net.set_alarm(1);",
            "self.state = Waiting;",
            "everyone-halted",
            "no alarm is set for the end of the second round",
        ),
        fault(
            "tells all, and then one",
            "(Compete(rank), Judging) => match self.largest {",
            "(Compete(rank), Judging) => match {\n                net.send(from, Won);\n                self.largest\n            } {",
            "possible-messages",
            "a referee answers twice",
        ),
        fault(
            "competes on",
            "net.send(owner, Won);",
            "net.send(owner, Compete([0; 4]));",
            "possible-messages",
            "a rank comes in the second round",
        ),
    ],
};
