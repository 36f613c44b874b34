//! Faults in Afek and Gafni's algorithm.

use super::{Suite, fault, only_invariant, sampled};

pub(super) const AFEK_GAFNI: Suite = Suite {
    algorithm: "afek-gafni",
    file: "complete/afek_gafni.rs",
    process: "AfekGafni",
    faults: &[
        fault(
            "does not defend itself",
            "None => Some((self.level, self.id)),",
            "None => None,",
            "exactly-one-leader",
            "two candidates capture each other, and are both killed",
        ),
        fault(
            "comparison turned round",
            "(level, id) < passed)",
            "(level, id) > passed)",
            "exactly-one-leader",
            "ordinary parts let small pairs pass, candidates large ones: no process gets past both",
        ),
        fault(
            "the dead are silent",
            "(Killed, Ask(..)) => net.send(from, Dead),",
            "(Killed, Ask(..)) => {}",
            "exactly-one-leader",
            "an ordinary part waits for its dead father's answer",
        ),
        fault(
            "arrivals dropped",
            "self.queue.push((from, level, id))",
            "{}",
            "exactly-one-leader",
            "a strong candidate is lost: it waits, and no process can kill it",
        ),
        fault(
            "level not raised",
            "self.level += 1;",
            "",
            "exactly-one-leader",
            "it attacks what it owns, and is killed by its own pair",
        ),
        fault(
            "stops without a word",
            "net.send(from, End);",
            "",
            "everyone-halted",
            "the leader waits for all to stop",
        ),
        fault(
            "end not sent",
            "net.send_all(End);",
            "",
            "everyone-halted",
            "the others wait for the end",
        ),
        fault(
            "counts one too many",
            "Counting(others)",
            "Counting(others + 1)",
            "everyone-halted",
            "the leader waits for an end that no process sends",
        ),
        fault(
            "always the first port",
            "net.send(Port(self.level), Arrive",
            "net.send(Port(0), Arrive",
            "possible-messages",
            "it attacks what it owns, is killed by its own pair, and accepted out of turn",
        ),
        sampled(fault(
            "one arrival of the queue",
            "self.arrive(from, level, id, net);\n",
            "self.arrive(from, level, id, net);\n            break;\n",
            "exactly-one-leader",
            "a candidate that is killed at once leaves the rest of the queue waiting",
        )),
        only_invariant(
            "passed pair not raised",
            "owned.passed = (level, id);",
            "",
            "growing",
            "later candidates are compared with the first that passed, and more of them are asked about \
             than need be",
        ),
        fault(
            "answer not cleared",
            "match potential_father.take() {",
            "match *potential_father {",
            "exactly-one-leader",
            "the ordinary part waits forever, and so do further candidates",
        ),
        sampled(fault(
            "denial taken for consent",
            "Some(_) if keeps => {}",
            "",
            "message-bound",
            "a node changes its father while the old one lives and counts on it, and what both own is \
             captured again",
        )),
        only_invariant(
            "does not wait for the last to stop",
            "match missing - 1 {\n                0 =>",
            "match missing - 1 {\n                0 | 1 =>",
            "stopped",
            "nodes end while one still takes part, which is told to stop and to end all the same",
        ),
        only_invariant(
            "keeps its old father",
            "*father = heir;",
            "let _ = heir;",
            "disjoint",
            "the old father is asked again, and two candidates count on the node; that both capture \
             everyone is too rare for the samples",
        ),
        fault(
            "heir not told",
            "net.send(heir, AcceptAnswer);",
            "let _ = heir;",
            "exactly-one-leader",
            "the new father waits for the accept, and no larger candidate is left",
        ),
        fault(
            "the dead go on",
            "(Killed, AcceptAnswer) => {} // Too late.",
            "(Killed, AcceptAnswer) => {\n                self.level += 1;\n                self.advance(net);\n            }",
            "at-most-one-leader",
            "a killed candidate goes on capturing",
        ),
    ],
};
