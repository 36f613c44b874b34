//! Faults of the candidate and the leader, and of the leases that they hold.

use super::{
    Edit, Fault,
    Found::{Explored, Simulated, Walked},
    edit, fault,
};

const fn candidate(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("candidate.rs", within, was, is)
}

const ENOUGH: &str = "votes >= self.setting.majority()";
const CANDIDATE: &str = "if bid.phase != BidPhase::Candidate {
            return out.send(g, Msg::Lead(case));
        }";

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "the lease is counted from the receipt of the acknowledgement",
        &[candidate(
            "fn acknowledged",
            "self.held.at[g.0 as usize] = HeldLease { number, epoch, able, after, silent: 0 };",
            "self.held.at[g.0 as usize] = HeldLease { number, epoch, able, after, silent: 0 };
            out.effects.set_alarm(Alarm::Renewal(number), self.setting.lease);",
        )],
        &[Explored("two members", "`backed`"), Walked("three members", "hold Office")],
        "the granter counts from the receipt of the renewal, which was before",
    ),
    fault(
        "a renewal's alarm changes nothing",
        &[candidate("fn expired", "self.held.rung = self.held.rung.max(number);", "")],
        &[Explored("two members", "`backed`"), Walked("two offices, two clients", "hold Office")],
        "a leader that is cut off never stops leading",
    ),
    fault(
        "a lease lasts as long as its last renewal but one",
        &[candidate(
            "fn lasts",
            "self.at[g.0 as usize].number > self.rung",
            "self.at[g.0 as usize].number >= self.rung",
        )],
        &[Explored("two members", "`backed`"), Walked("two offices, two clients", "hold Office")],
        "`>=` for `>`: a renewal counts whose alarm has rung",
    ),
    fault(
        "what was granted in an older epoch counts",
        &[candidate(
            "fn acknowledged",
            "if anew {
            self.asked_nothing(g);
        }",
            "",
        )],
        &[
            Explored("two members, a crash and a loss", "`backed`"),
            Walked("restarts", "hold Office"),
        ],
        "h is suspended, its lease runs out and is renewed afterwards: of what was granted before, g owes nothing",
    ),
    fault(
        "acknowledgements count whose renewal's alarm has rung",
        &[candidate("fn is_past", "number <= self.held.rung", "false")],
        &[],
        "a lease counts by the number of its renewal, so one whose alarm has rung does not last, acknowledged or not",
    ),
    fault(
        "that a lease is over is not told",
        &[candidate("fn renew(", "lease.number > 0", "false")],
        &[Explored("three members, cut one way", "does not hear")],
        "the granter keeps the vote for a process that does not hear of it",
    ),
    fault(
        "that a lease is over is told while its vote protects work",
        &[candidate("fn renew(", "!self.needs(g, lease.silent)", "true")],
        &[Simulated("five members, time for stopping", "one")],
        "the next leader begins before the work of the last one has ended",
    ),
    fault(
        "a leader never gives up the vote of a silent member",
        &[candidate("fn needs", "silent <= moment", "true")],
        &[Explored("three members, two offices, cut one way", "does not hear")],
        "the member's vote in another office stays with the leader, which has not heard of it",
    ),
    fault(
        "a leader gives up the vote of a silent member at once",
        &[candidate("fn needs", "silent <= moment", "false")],
        &[],
        "the promises hold, but where many messages are lost, a leader loses votes that it could keep",
    ),
    fault(
        "an epoch that was told to be over counts again",
        &[candidate("fn is_over", "epoch == lease.epoch && lease.number == 0", "false")],
        &[Explored("one of two members stands, any order", "`backed`")],
        "a late acknowledgement of the lease that the granter has forgotten is taken for a new one",
    ),
    fault(
        "half of the members are a majority to be connected with",
        &[candidate(
            "fn connected",
            "self.setting.everyone().filter(able).count()",
            "self.setting.everyone().filter(able).count() + 1",
        )],
        &[
            Explored("two members and a client, cut one way", "does not hear"),
            Simulated("two members, a client", "soon"),
        ],
        "a candidate that cannot win keeps the votes of others",
    ),
    fault(
        "alarms are cancelled whose renewal some member has acknowledged last",
        &[candidate(
            "fn trim",
            "self.setting.others().map(|g| self.held.at[g.0 as usize].number).min()",
            "self.setting.others().map(|g| self.held.at[g.0 as usize].number).max()",
        )],
        &[
            Explored("two members and a client, a crash", "there has been"),
            Simulated("three members", "stable"),
        ],
        "leases at slower members are lost, and with them the alarms that end tenures",
    ),
    fault(
        "the end of a lease is not heeded until the next message",
        &[candidate(
            "fn expired",
            "if lost {
            self.pursue_all(out);
        }",
            "",
        )],
        &[Walked("work that stops late", "hold Office")],
        "the leader does not stop when its alarm rings",
    ),
    fault(
        "half of the votes are enough",
        &[candidate("fn backed", ENOUGH, "votes + 1 >= self.setting.majority()")],
        &[Walked("three members", "a term goes back")],
        "majority off by one: two majorities without a common member",
    ),
    fault(
        "a majority is not enough",
        &[candidate("fn backed", ENOUGH, "votes > self.setting.majority()")],
        &[Walked("one member", "vacant")],
        "majority off by one: one member, or two of three, never lead",
    ),
    fault(
        "a candidate's own grant is not counted",
        &[candidate(
            "fn backed",
            "bid.at[g.0 as usize].answer == VoteAnswer::Granted",
            "bid.at[g.0 as usize].answer == VoteAnswer::Granted && *g != self.setting.me",
        )],
        &[Walked("one member", "vacant")],
        "one member, or two, never lead",
    ),
    fault(
        "a tenure lasts as long as the last of its votes",
        &[candidate("fn lasts_until", "others.checked_sub(1)", "Some(0)")],
        &[Walked("one member", "again before it stopped")],
        "it ends with an alarm that has nothing to do with it",
    ),
    fault(
        "a leader yields, and leads on",
        &[candidate("fn contested", CANDIDATE, "")],
        &[Explored("two members, any order", "there has been term")],
        "it gives a vote away that it needs",
    ),
    fault(
        "a leader gives its votes back when it is contested",
        &[candidate(
            "fn contested",
            CANDIDATE,
            "if bid.phase != BidPhase::Candidate {
            return out.send(g, Msg::Release(case, None));
        }",
        )],
        &[Walked("three members", "hold Office")],
        "it leads on without them",
    ),
    fault(
        "a candidate does not yield",
        &[candidate("fn contested", "asked.attempt == attempt", "false")],
        &[Simulated("three members", "stable")],
        "two candidates wait for each other",
    ),
    fault(
        "a yielded grant is counted again",
        &[candidate("fn granted", "asked.attempt != attempt", "false")],
        &[Walked("three members", "hold Office")],
        "a late copy of it is counted, and the vote is another's",
    ),
    fault(
        "a yield is no new attempt",
        &[candidate("fn contested", "attempt + 1", "attempt")],
        &[Walked("three members", "does not end")],
        "the granter takes the yield for a repetition, and contests again",
    ),
    fault(
        "a late grant of an old request is counted",
        &[candidate("fn granted", "bid.term == case.term && bid.holds()", "bid.holds()")],
        &[
            Explored("three members, any order", "`backed`"),
            Walked("two offices, two clients", "a term goes back"),
        ],
        "it was made to an earlier term",
    ),
    fault(
        "a grant is taken by who wants it no longer",
        &[candidate("fn granted", "bid.term == case.term && bid.holds()", "bid.term == case.term")],
        &[Walked("three members", "vacant")],
        "it never gives the vote back",
    ),
    fault(
        "votes of the last term are counted in the next",
        &[candidate(
            "fn campaign",
            "*asked = AskedVote { with: asked.with, ..AskedVote::default() };",
            "",
        )],
        &[Walked("three members", "a term goes back")],
        "the granter holds them for a term that is over",
    ),
    fault(
        "a refusal is not heeded",
        &[candidate("fn refused", "self.campaign(case.office, promised, out);", "")],
        &[Explored("two members", "vacant")],
        "the claim waits with a term that is never granted",
    ),
    fault(
        "every candidate has the same terms",
        &[candidate("fn after", "Term(counter << 32 | u64::from(me.0))", "Term(counter << 32)")],
        &[Explored("two members", "rejects"), Walked("three members", "rejects")],
        "two may lead at one term",
    ),
    fault(
        "terms are not spent",
        &[candidate("fn pursue", "self.spent = self.spent.max(bid.term);", "")],
        &[Walked("restless clients", "hold Office")],
        "a client that resigns and comes again claims its term again",
    ),
    fault(
        "votes are counted whose leases are over",
        &[candidate(
            "fn pursue",
            "self.backed(bid, |g| self.counts_on(g))",
            "self.backed(bid, |_| true)",
        )],
        &[Explored("three members", "there has been"), Walked("three members", "hold Office")],
        "the granter has given them away",
    ),
    fault(
        "a candidate without connection never releases",
        &[candidate("fn pursue", "!stands || !connected", "!stands")],
        &[
            Explored("two members and a client, cut one way", "does not hear"),
            Simulated("two members, a client", "soon"),
        ],
        "others cannot have a majority",
    ),
    fault(
        "a candidate that resigns never releases",
        &[candidate("fn pursue", "!stands || !connected", "!connected")],
        &[Walked("three members", "does not stand")],
        "it wins without standing",
    ),
    fault(
        "a candidate never releases",
        &[
            candidate("fn let_go", "self.send_release(office, term, g, next, out);", ""),
            candidate("fn ask_again", "self.send_release(office, bid.term, g, next, out);", ""),
        ],
        &[Explored("two members", "vacant"), Simulated("three members", "soon")],
        "what it holds stays held",
    ),
    fault(
        "releases are sent once",
        &[candidate("fn ask_again", "self.send_release(office, bid.term, g, next, out);", "")],
        &[Walked("three members", "vacant")],
        "a lost release leaves the vote held",
    ),
    fault(
        "requests are sent once",
        &[candidate("fn ask_again", "self.ask(office, g, out)", "{}")],
        &[Explored("two members", "vacant")],
        "a lost request is never granted",
    ),
    fault(
        "released before the work has stopped",
        &[candidate(
            "fn leave",
            "self.set_phase(office, BidPhase::Stopping { until, next }, out);",
            "self.set_phase(office, BidPhase::Stopping { until, next }, out);
            for g in self.setting.everyone() {
                self.send_release(office, self.bids[&office].term, g, next, out);
            }",
        )],
        &[Walked("three members", "hold Office")],
        "the next leads while the old one works",
    ),
    fault(
        "the work of a lost tenure is not waited for",
        &[candidate(
            "fn lose",
            "out.effects.set_alarm(Alarm::Stop(office), stop)",
            "self.let_go(office, None, out)",
        )],
        &[Simulated("five members, time for stopping", "one")],
        "the next leads while the old one works",
    ),
    fault(
        "a leader asks with a candidate's rank",
        &[candidate("fn rank", "Rank::Leader", "Rank::Candidate(self.priority.unwrap_or(0))")],
        &[Simulated("three members", "stable")],
        "it is not granted what it lost",
    ),
    fault(
        "followers never come back",
        &[candidate("fn follow", "candidate && leader.is_none()", "false")],
        &[Walked("two members", "vacant")],
        "they do not want the votes that the leader has left",
    ),
    fault(
        "a new rank is no new attempt",
        &[candidate(
            "fn ask_all",
            "(asked.answer, asked.attempt) = (VoteAnswer::Open, asked.attempt + 1);",
            "asked.answer = VoteAnswer::Open;",
        )],
        &[Explored("two members, any order", "vacant")],
        "an answer to the old request is taken for one to the new",
    ),
];
