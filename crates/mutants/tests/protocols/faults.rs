//! The seeded faults of tenure: what is changed in which of its files, and what must be seen of it.

/// A seeded fault. The build script reads the text, the tests what must be seen.
#[allow(dead_code)]
pub(crate) struct Fault {
    /// What is wrong, in a few words.
    pub(crate) name: &'static str,
    /// The file that is changed.
    pub(crate) file: &'static str,
    /// The text that is replaced. It occurs once.
    pub(crate) was: &'static str,
    /// What stands in its place.
    pub(crate) is: &'static str,
    /// The verdicts one of which a walk must come to, each by a part of its words.
    pub(crate) seen: &'static [&'static str],
}

/// Two lead, as it is seen from outside.
const TWO: &[&str] = &["hold Office"];
const BACK: &[&str] = &["a term goes back"];
/// A term that goes back, or two that lead, whichever comes first.
const UNSAFE: &[&str] = &["hold Office", "a term goes back"];
const VACANT: &[&str] = &["vacant after the calm"];

/// Every seeded fault.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "the lease is counted from the receipt of the acknowledgement",
        file: "leases.rs",
        was: "*lease = Lease { number, epoch, able };",
        is: "*lease = Lease { number, epoch, able };
        out.effects.set_alarm(Alarm::Renewal(number), self.setting.lease);",
        seen: TWO,
    },
    Fault {
        name: "the granter's alarm is as short as the holder's",
        file: "leases.rs",
        was: "self.setting.clocks.outlasting(self.setting.lease.saturating_add(self.setting.stop))",
        is: "self.setting.lease",
        seen: TWO,
    },
    Fault {
        name: "a renewal's alarm changes nothing",
        file: "leases.rs",
        was: "self.held.rung = self.held.rung.max(number);",
        is: "",
        seen: TWO,
    },
    Fault {
        name: "what was granted in an older epoch counts",
        file: "leases.rs",
        was: "if anew {",
        is: "if false {",
        seen: TWO,
    },
    Fault {
        name: "epochs begin anew after a restart",
        file: "tenure.rs",
        was: "epochs: start.boot << 32",
        is: "epochs: 0",
        seen: UNSAFE,
    },
    Fault {
        name: "no quarantine",
        file: "learning.rs",
        was: "self.quarantined = true;",
        is: "",
        seen: TWO,
    },
    Fault {
        name: "the promise is not written",
        file: "learning.rs",
        was: "out.effects.write(promise(office), term.0);",
        is: "",
        seen: UNSAFE,
    },
    Fault {
        name: "a record that is lost is taken for a new one",
        file: "learning.rs",
        was: "if out.effects.read(FLOOR).is_none() {",
        is: "if false {",
        seen: BACK,
    },
    Fault {
        name: "half of the votes are enough",
        file: "bids.rs",
        was: "self.votes_for(bid) >= self.setting.majority()",
        is: "self.votes_for(bid) + 1 >= self.setting.majority()",
        seen: UNSAFE,
    },
    Fault {
        name: "a leader yields",
        file: "bids.rs",
        was: "        if bid.phase != Phase::Candidate {
            return out.send(g, Msg::Lead(case));
        }
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt == attempt {",
        is: "        if bid.phase != Phase::Candidate {
            return out.send(g, Msg::Release(case, None));
        }
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt == attempt {",
        seen: UNSAFE,
    },
    Fault {
        name: "a grant counts that was yielded",
        file: "bids.rs",
        was: "if asked.attempt != attempt {",
        is: "if false {",
        seen: TWO,
    },
    Fault {
        name: "released before the work has ended",
        file: "bids.rs",
        was: "self.set_phase(office, Phase::Stopping { until, next }, out);",
        is: "self.set_phase(office, Phase::Stopping { until, next }, out);
            for g in self.setting.everyone() {
                self.send_release(office, self.bids[&office].term, g, next, out);
            }",
        seen: TWO,
    },
    Fault {
        name: "a claim does not wait",
        file: "grants.rs",
        was: "Err(i) => vote.waiting.insert(i, claim),",
        is: "Err(_) => {}",
        seen: VACANT,
    },
    Fault {
        name: "a lost lease frees nothing",
        file: "leases.rs",
        was: "            self.forget(h, out);",
        is: "",
        seen: &["vacant", "a term"],
    },
];
