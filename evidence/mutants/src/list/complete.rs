//! Faults in algorithms for complete networks.

use super::extinction::ANNOUNCES_ANOTHER;
use super::{Suite, announced, equivalent, fault, only_invariant, sampled};

pub(super) const ALL_TO_ALL: Suite = Suite {
    algorithm: "all-to-all",
    file: "complete/all_to_all.rs",
    process: "AllToAll",
    faults: &[
        fault(
            "keeps the smallest",
            "self.largest.max(id)",
            "self.largest.min(id)",
            "winner-by-rule",
            "all agree, on the wrong one",
        ),
        fault(
            "keeps nothing",
            "self.largest = self.largest.max(id);",
            "",
            "at-most-one-leader",
            "everyone thinks that it is the largest",
        ),
        fault(
            "sleeps on",
            "if !self.sent {\n            self.wake(net);\n        }",
            "",
            "exactly-one-leader",
            "who is reached asleep never tells its identity, for which the others wait",
        ),
        fault(
            "decides one too early",
            "self.sent && self.missing == 0",
            "self.sent && self.missing <= 1",
            "silent-ending",
            "the identity for which it did not wait arrives after all",
        ),
        fault(
            "forgets a port",
            "net.send_all(Identity(self.id))",
            "net.send_others(Port(0), Identity(self.id))",
            "exactly-one-leader",
            "the process at that port waits forever",
        ),
        fault(
            "waits for itself",
            "missing: degree, sent: false",
            "missing: degree + 1, sent: false",
            "exactly-one-leader",
            "no process is sent its own identity",
        ),
        fault(
            "counts each twice",
            "self.missing -= 1;",
            "self.missing = self.missing.saturating_sub(2);",
            "silent-ending",
            "one that has heard from half of the others halts, and the others' identities reach it",
        ),
        fault(
            "answers every identity",
            "if !self.sent {\n            self.wake(net);\n        }",
            "self.wake(net);",
            "silent-ending",
            "an answer reaches a process that has halted",
        ),
        fault(
            "does not note that it has sent",
            "self.sent = true;",
            "",
            "exactly-one-leader",
            "no process counts itself as having taken part",
        ),
        equivalent(
            "sends the largest",
            "net.send_all(Identity(self.id))",
            "net.send_all(Identity(self.largest))",
            "a process sends before it takes any other identity in, so that the largest is its own",
        ),
        equivalent(
            "need not have sent",
            "self.sent && self.missing == 0",
            "self.missing == 0",
            "who has heard from all others has sent when the first was heard, and a process without others leads in the end in any case",
        ),
    ],
};

pub(super) const VILLADANGOS: Suite = Suite {
    algorithm: "villadangos",
    file: "complete/villadangos.rs",
    process: "Announced<Villadangos>",
    faults: &[
        fault(
            "the smaller introduces itself",
            "None if self.me.id > new.id => self.introduce(new, net),\n                    _ => {}",
            "None if self.me.id < new.id => self.introduce(new, net),\n                    _ => {}",
            "winner-by-rule",
            "the larger leaves the ring",
        ),
        fault(
            "repair (a) undone",
            "Some(successor) if REPAIRED || self.me.id > new.id",
            "Some(successor) if self.me.id > new.id",
            "exactly-one-leader",
            "as published: who hears of its successor first never leaves, and that one waits",
        ),
        fault(
            "repair (b) undone",
            "None if REPAIRED => self.state = State::Candidate, // Repair (b).",
            "",
            "exactly-one-leader",
            "as published: who waits, and is told of a larger predecessor, never leaves, and its \
             successor waits",
        ),
        fault(
            "forgets its successor",
            "(Waiting, Message2(new)) => self.successor = Some(new),",
            "(Waiting, Message2(_)) => {}",
            "exactly-one-leader",
            "it never leaves, and its successor waits",
        ),
        fault(
            "dummies swallow",
            "self.state = Dummy;\n                net.send(Port::NEXT, msg);",
            "self.state = Dummy;",
            "exactly-one-leader",
            "no candidate learns of its predecessor behind a dummy",
        ),
        fault(
            "counts places backwards",
            "(there + self.size - here - 1)",
            "(here + self.size - there - 1)",
            "possible-messages",
            "a dummy is introduced to a successor",
        ),
        fault(
            "does not know itself",
            "self.predecessor = Some(new);\n                match self.successor {\n                    \
             _ if new.id == self.me.id => self.state = Leader,\n                    \
             Some(successor) if",
            "self.predecessor = Some(new);\n                match self.successor {\n                    \
             Some(successor) if",
            "exactly-one-leader",
            "a single candidate that is its own predecessor does not lead",
        ),
        fault(
            "hands over the successor",
            "Message3(from)",
            "Message3(to)",
            "silent-ending",
            "a candidate is named its own predecessor while others are left, which still write to \
             it when it has ended",
        ),
        fault(
            "leaves without a word",
            "self.state = Dummy;\n        net.send(self.port(to), Message3(from));",
            "self.state = Dummy;",
            "exactly-one-leader",
            "its successor waits for a new predecessor",
        ),
        only_invariant(
            "stays on the ring",
            "self.state = Dummy;\n        net.send(self.port(to), Message3(from));",
            "net.send(self.port(to), Message3(from));",
            "between",
            "a candidate that has handed its predecessor on is passed over by all others, and follows in \
             the end",
        ),
        announced(fault(
            "everyone announces",
            "if leads {\n                    net.send_all(Announce(leader));\n                }",
            "net.send_all(Announce(leader));",
            "silent-ending",
            "who hears it tells the leader, too, which has halted",
        )),
        announced(fault(
            "does not look after waking",
            "self.elector.wake(&mut Electing::new(net));\n        self.look(net);",
            "self.elector.wake(&mut Electing::new(net));",
            "agreement",
            "a single process leads when it wakes, and does not say so",
        )),
        announced(fault(
            "does not look after messages",
            "self.elector.receive(from, msg, &mut Electing::new(net));\n                self.look(net);",
            "self.elector.receive(from, msg, &mut Electing::new(net));",
            "agreement",
            "there is a leader that announces nothing",
        )),
        fault(
            "one is a ring",
            "if net.degree() == 0 {",
            "if false {",
            "existing-ports",
            "a single node has no neighbour",
        ),
        ANNOUNCES_ANOTHER,
    ],
};

pub(super) const KORACH_MORAN_ZAKS: Suite = Suite {
    algorithm: "korach-moran-zaks",
    file: "complete/korach_moran_zaks.rs",
    process: "Announced<KorachMoranZaks>",
    faults: &[
        fault(
            "yields to the smaller",
            "if (phase, king) > self.rank() {\n                    self.join",
            "if (phase, king) < self.rank() {\n                    self.join",
            "possible-messages",
            "the larger king joins and the smaller one is told nothing",
        ),
        fault(
            "does not answer",
            "(Citizen, Ask(phase, king)) => {\n                if (phase, king) == self.rank() {",
            "(Citizen, Ask(phase, king)) => {\n                if (phase, king) < self.rank() {",
            "exactly-one-leader",
            "the king waits for its own citizen",
        ),
        fault(
            "old answers ignored",
            "// The answer to what it asked as a king.\n                self.vassals.push(from);",
            "// The answer to what it asked as a king.",
            "exactly-one-leader",
            "who has joined a king that has joined another is not told of later ones",
        ),
        sampled(fault(
            "the way up not turned",
            "self.vassals.push(above);",
            "let _ = above;",
            "exactly-one-leader",
            "the old king is not told of the new one",
        )),
        fault(
            "goes on at once",
            "(Asking | Joining, _) => true,",
            "(Asking | Joining, _) => false,",
            "possible-messages",
            "what should wait for a verdict fits nothing",
        ),
        fault(
            "asks all again",
            "self.next += 1;",
            "",
            "termination",
            "its citizen is asked again and again",
        ),
        sampled(fault(
            "takes its vassal for one above",
            "&& vassal != from",
            "&& vassal != Port(u32::MAX)",
            "possible-messages",
            "the updates of the new king go back up",
        )),
        ANNOUNCES_ANOTHER,
    ],
};
