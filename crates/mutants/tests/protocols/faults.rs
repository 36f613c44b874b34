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

/// A message that no correct participant sends.
const REJECTED: &[&str] = &["rejects"];

/// Every seeded fault.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "the lease is counted from the receipt of the acknowledgement",
        file: "leases.rs",
        was: "Lease { number, epoch, able, after };",
        is: "Lease { number, epoch, able, after };
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
        was: "votes >= self.setting.majority()",
        is: "votes + 1 >= self.setting.majority()",
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
        was: "if asked.attempt != attempt {\n            return;",
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
        was: "Err(i) => vote.waiting.insert(i, Claim { told: vote.with(), ..claim }),",
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
    Fault {
        name: "a member in quarantine grants",
        file: "grants.rs",
        was: "self.setting.is_member() && !self.quarantined && self.learning.is_none()",
        is: "self.setting.is_member() && self.learning.is_none()",
        seen: TWO,
    },
    Fault {
        name: "the greatest term of all offices is not recorded",
        file: "learning.rs",
        was: "if out.effects.read(HIGHEST).unwrap_or(0) < term.0 {",
        is: "if false {",
        seen: BACK,
    },
    Fault {
        name: "the smallest term that is learnt counts",
        file: "learning.rs",
        was: "others().filter_map(highest).max().unwrap_or_default()",
        is: "others().filter_map(highest).min().unwrap_or_default()",
        seen: BACK,
    },
    Fault {
        name: "nobody makes a new cluster",
        file: "learning.rs",
        was: "others().all(again)",
        is: "others().all(again) && false",
        seen: VACANT,
    },
    Fault {
        name: "an office is granted at a term that was promised",
        file: "grants.rs",
        was: "self.rank == Rank::Leader || self.term > promised",
        is: "true",
        seen: UNSAFE,
    },
    Fault {
        name: "a release takes back what was claimed after it",
        file: "grants.rs",
        was: "claim.peer == h && claim.term <= case.term",
        is: "claim.peer == h",
        seen: TWO,
    },
    Fault {
        name: "the end of one lease takes all grants",
        file: "grants.rs",
        was: "let theirs = |claim: &Claim| claim.peer == h;",
        is: "let theirs = |_: &Claim| true;",
        seen: TWO,
    },
    Fault {
        name: "terms are not spent",
        file: "bids.rs",
        was: "self.spent = self.spent.max(bid.term);",
        is: "",
        seen: UNSAFE,
    },
    Fault {
        name: "every candidate has the same terms",
        file: "bids.rs",
        was: "Term(counter << 32 | u64::from(me.0))",
        is: "Term(counter << 32)",
        seen: REJECTED,
    },
];
