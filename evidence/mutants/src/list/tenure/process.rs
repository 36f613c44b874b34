//! Faults in the process around the layers.

use super::{
    Edit, Fault,
    Found::{Explored, Simulated, Walked},
    edit, fault,
};

const fn process(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("tenure.rs", within, was, is)
}

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "epochs begin anew after a restart",
        &[process("fn start", "start.boot << 22", "0")],
        &[Explored("two members, a crash and a loss", "`backed`")],
        "what was granted before the crash counts again",
    ),
    fault(
        "acknowledgements of an earlier boot count",
        &[process("fn deliver", "boot == self.boot", "true")],
        &[Walked("three members", "rejects")],
        "they acknowledge renewals of a process that is dead",
    ),
    fault(
        "a process that comes up does not wait for the work of the one before",
        &[process(
            "fn start",
            "start.memory != tenure_model::Memory::New && setting.stop > 0",
            "false",
        )],
        &[Simulated("five members, time for stopping", "one")],
        "its renewal frees what protects that work",
    ),
    fault(
        "the quarantine never ends",
        &[process("fn ring", "tenure.quarantined = false;", "")],
        &[Walked("three members", "vacant")],
        "the member never grants",
    ),
    fault(
        "no claim is pursued at the end of the quarantine",
        &[process("fn ring", "tenure.pursue_all(out);", "")],
        &[Walked("one member", "vacant")],
        "a member alone never campaigns",
    ),
    fault(
        "a claim of a term of another is granted",
        &[process("fn deliver", "message::candidate_of(case.term) != from", "false")],
        &[],
        "participants send what they should, and none claims a term of another",
    ),
    fault(
        "no leases are renewed after the first",
        &[process("fn beat(", "self.renew(out);", "")],
        &[Walked("three members", "vacant")],
        "every lease runs out",
    ),
    fault(
        "a leader stops its heartbeat",
        &[process("fn beat(", "!self.bids.is_empty() || self.learning()", "self.learning()")],
        &[Walked("three members", "vacant")],
        "every lease runs out",
    ),
];
