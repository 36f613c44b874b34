//! Faults in the announcement.

use super::{Fault, Suite, fault};

const fn announced(fault: Fault) -> Fault {
    Fault { shared: Some("announced.rs"), ..fault }
}

pub(super) const ON_A_RING: Suite = Suite {
    algorithm: "lelann",
    file: "ring/lelann.rs",
    process: "Announced<LeLann>",
    faults: &[
        announced(fault(
            "announcement not sent",
            "net.send(Port::NEXT, Announce(leader));",
            "",
            "everyone-halted",
            "the leader waits for it to come back",
        )),
        announced(fault(
            "leader does not wait",
            "self.pending = u32::from(leads);",
            "",
            "silent-ending",
            "its announcement comes back to a leader that has halted",
        )),
        announced(fault(
            "leader not recorded",
            "self.leader = Some(leader);",
            "",
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
    ],
};

pub(super) const ON_A_COMPLETE_NETWORK: Suite = Suite {
    algorithm: "villadangos",
    file: "complete/villadangos.rs",
    process: "Announced<Villadangos>",
    faults: &[
        announced(fault(
            "everyone announces",
            "if leads {\n                    net.send_all(Announce(leader));\n                }",
            "net.send_all(Announce(leader));",
            "silent-ending",
            "who hears it tells the leader, too, which has halted",
        )),
        announced(fault(
            "does not look after waking",
            "self.elector.wake(&mut Electing(net));\n        self.look(net);",
            "self.elector.wake(&mut Electing(net));",
            "agreement",
            "a single process leads when it wakes, and does not say so",
        )),
        announced(fault(
            "does not look after messages",
            "self.elector.receive(from, msg, &mut Electing(net));\n                self.look(net);",
            "self.elector.receive(from, msg, &mut Electing(net));",
            "agreement",
            "there is a leader that announces nothing",
        )),
    ],
};
