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
const ENDLESS: &[&str] = &["messages without end", "vacant after the calm"];
const LIVE: &[&str] = ENDLESS;
const LOST: &[&str] = &["vacant", "hold", "lost"];
const ANY: &[&str] = &[""];
/// Seen by simulated faults, not by walks.
pub(crate) const DEPOSED: &[&str] = &["while it could exchange messages with a majority"];

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
        name: "the quarantine is as short as a lease",
        file: "learning.rs",
        was: "out.effects.set_alarm(Alarm::Quarantine, self.owed_for());",
        is: "out.effects.set_alarm(Alarm::Quarantine, self.setting.lease / 2);",
        seen: TWO,
    },
    Fault {
        name: "a member in quarantine grants",
        file: "grants.rs",
        was: "self.setting.is_member() && !self.quarantined && self.learning.is_none()",
        is: "self.setting.is_member() && self.learning.is_none()",
        seen: TWO,
    },
    Fault {
        name: "a member grants before it has learnt",
        file: "grants.rs",
        was: "self.setting.is_member() && !self.quarantined && self.learning.is_none()",
        is: "self.setting.is_member() && !self.quarantined",
        seen: UNSAFE,
    },
    Fault {
        name: "the greatest term of all offices is not recorded",
        file: "learning.rs",
        was: "if out.effects.read(HIGHEST).unwrap_or(0) < term.0 {",
        is: "if false {",
        seen: BACK,
    },
    Fault {
        name: "one answer too few is enough for learning",
        file: "learning.rs",
        was: "self.setting.majority() + 1;",
        is: "self.setting.majority();",
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
        name: "each record is taken for one that was empty when all were",
        file: "learning.rs",
        was: "founded: read(founder(h)) == Some(store),",
        is: "founded: true,",
        seen: BACK,
    },
    Fault {
        name: "one other empty record makes a new cluster",
        file: "learning.rs",
        was: "others().all(again)",
        is: "others().any(again)",
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
        name: "a running tenure is granted nothing",
        file: "grants.rs",
        was: "self.rank == Rank::Leader || self.term > promised",
        is: "self.term > promised",
        seen: LOST,
    },
    Fault {
        name: "requests of another epoch count",
        file: "tenure.rs",
        was: "self.epoch_of(from) == Some(case.epoch)",
        is: "true",
        seen: UNSAFE,
    },
    Fault {
        name: "grants of another epoch count",
        file: "tenure.rs",
        was: "self.epoch_at(from) == Some(case.epoch)",
        is: "true",
        seen: UNSAFE,
    },
    Fault {
        name: "acknowledgements of an earlier boot count",
        file: "tenure.rs",
        was: "boot == self.boot",
        is: "true",
        seen: UNSAFE,
    },
    Fault {
        name: "renewals count whose alarm has rung",
        file: "leases.rs",
        was: "if number <= self.held.rung || (epoch, number)",
        is: "if (epoch, number)",
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
        name: "a new boot does not free what the old one held",
        file: "leases.rs",
        was: "Ok(i) if boot > self.owed.to[i].1.boot => self.lapse(h, out), // Those are dead.",
        is: "",
        seen: VACANT,
    },
    Fault {
        name: "terms are not spent",
        file: "bids.rs",
        was: "self.spent = self.spent.max(bid.term);",
        is: "",
        seen: BACK,
    },
    Fault {
        name: "every candidate has the same terms",
        file: "bids.rs",
        was: "Term(counter << 32 | u64::from(me.0))",
        is: "Term(counter << 32)",
        seen: REJECTED,
    },
    Fault {
        name: "rank inverted",
        file: "grants.rs",
        was: "((greatest.rank, greatest.peer) > (grant.rank, grant.peer)).then_some(grant)",
        is: "((greatest.rank, greatest.peer) < (grant.rank, grant.peer)).then_some(grant)",
        seen: ENDLESS,
    },
    Fault {
        name: "nobody is asked to yield",
        file: "grants.rs",
        was: "((greatest.rank, greatest.peer) > (grant.rank, grant.peer)).then_some(grant)",
        is: "None",
        seen: VACANT,
    },
    Fault {
        name: "the lesser claim of those that wait goes first",
        file: "grants.rs",
        was: "(0..self.waiting.len()).max_by_key(",
        is: "(0..self.waiting.len()).min_by_key(",
        seen: VACANT,
    },
    Fault {
        name: "a candidate without connection keeps its votes",
        file: "bids.rs",
        was: "Phase::Candidate if !stands || !connected =>",
        is: "Phase::Candidate if !stands =>",
        seen: VACANT,
    },
    Fault {
        name: "a candidate that resigns keeps its votes",
        file: "bids.rs",
        was: "Phase::Candidate if !stands || !connected =>",
        is: "Phase::Candidate if !connected =>",
        seen: ANY,
    },
    Fault {
        name: "a release is not heeded",
        file: "grants.rs",
        was: "if vote.grant.is_some_and(|grant| over(&grant)) {",
        is: "if false {",
        seen: VACANT,
    },
    Fault {
        name: "releases are sent once",
        file: "bids.rs",
        was: "(Phase::Releasing { next }, Answer::Open) => {",
        is: "(Phase::Releasing { next }, Answer::Open) if false => {",
        seen: VACANT,
    },
    Fault {
        name: "requests are sent once",
        file: "bids.rs",
        was: "(_, Answer::Open) => self.ask(office, g, out),",
        is: "(_, Answer::Open) => {}",
        seen: VACANT,
    },
    Fault {
        name: "grants are sent once",
        file: "grants.rs",
        was: "again |= self.tell(office, out);",
        is: "again |= true;",
        seen: VACANT,
    },
    Fault {
        name: "the work of a lost tenure is not waited for",
        file: "bids.rs",
        was: "stop => out.effects.set_alarm(Alarm::Stop(office), stop),",
        is: "_ => self.let_go(office, None, out),",
        seen: TWO,
    },
    Fault {
        name: "a process that comes up does not wait for the work of the one before",
        file: "tenure.rs",
        was: "start.memory != recovery::Memory::New && setting.stop > 0",
        is: "false",
        seen: TWO,
    },
    Fault {
        name: "leases are owed without the time for stopping",
        file: "leases.rs",
        was: "self.setting.lease.saturating_add(self.setting.stop)",
        is: "self.setting.lease",
        seen: TWO,
    },
    Fault {
        name: "followers never come back",
        file: "bids.rs",
        was: "if candidate && leader.is_none() {",
        is: "if false {",
        seen: VACANT,
    },
    Fault {
        name: "a lesser claim goes before a greater one that was refused",
        file: "grants.rs",
        was: "            && let Some(i) = vote.greatest(first)",
        is: "            && let Some(i) = { let able: Vec<usize> = (0..vote.waiting.len()).filter(|&i| vote.waiting[i].fresh(promised)).collect(); able.into_iter().max_by_key(|&i| (Some(vote.waiting[i].peer) == first, vote.waiting[i].rank, vote.waiting[i].peer)) }",
        seen: LIVE,
    },
    Fault {
        name: "votes are granted to followers",
        file: "grants.rs",
        was: "(vote.waiting[i].rank != Rank::Follower || Some(vote.waiting[i].peer) == first)",
        is: "true",
        seen: DEPOSED,
    },
    Fault {
        name: "a follower keeps the votes that it has",
        file: "bids.rs",
        was: "        if another {\n            for",
        is: "        if false {\n            for",
        seen: DEPOSED,
    },
    Fault {
        name: "a tenure begins on the vote of a silent member",
        file: "bids.rs",
        was: "let wins = self.backed(bid, |g| self.hears_of(g));",
        is: "let wins = backed;",
        seen: DEPOSED,
    },
];
