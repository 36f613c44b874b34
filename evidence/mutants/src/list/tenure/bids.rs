//! Faults of the candidate and the leader.

use super::{
    Edit, Fault,
    Found::{Explored, Simulated, Walked},
    edit, fault,
};

const fn bids(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("bids.rs", within, was, is)
}

const ENOUGH: &str = "votes >= self.setting.majority()";
const CANDIDATE: &str = "if bid.phase != Phase::Candidate {
            return out.send(g, Msg::Lead(case));
        }";

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "half of the votes are enough",
        &[bids("fn backed", ENOUGH, "votes + 1 >= self.setting.majority()")],
        &[Walked("three members", "a term goes back")],
        "majority off by one: two majorities without a common member",
    ),
    fault(
        "a majority is not enough",
        &[bids("fn backed", ENOUGH, "votes > self.setting.majority()")],
        &[Walked("one member", "vacant")],
        "majority off by one: one member, or two of three, never lead",
    ),
    fault(
        "a candidate's own grant is not counted",
        &[bids(
            "fn backed",
            "bid.at[g.0 as usize].answer == Answer::Granted",
            "bid.at[g.0 as usize].answer == Answer::Granted && *g != self.setting.me",
        )],
        &[Walked("one member", "vacant")],
        "one member, or two, never lead",
    ),
    fault(
        "a tenure lasts as long as the last of its votes",
        &[bids("fn lasts_until", "others.checked_sub(1)", "Some(0)")],
        &[Walked("one member", "again before it stopped")],
        "it ends with an alarm that has nothing to do with it",
    ),
    fault(
        "a leader yields, and leads on",
        &[bids("fn contested", CANDIDATE, "")],
        &[Explored("two members, any order", "there has been term")],
        "it gives a vote away that it needs",
    ),
    fault(
        "a leader gives its votes back when it is contested",
        &[bids(
            "fn contested",
            CANDIDATE,
            "if bid.phase != Phase::Candidate {
            return out.send(g, Msg::Release(case, None));
        }",
        )],
        &[Walked("three members", "hold Office")],
        "it leads on without them",
    ),
    fault(
        "a candidate does not yield",
        &[bids("fn contested", "asked.attempt == attempt", "false")],
        &[Simulated("three members", "stable")],
        "two candidates wait for each other",
    ),
    fault(
        "a yielded grant is counted again",
        &[bids("fn granted", "asked.attempt != attempt", "false")],
        &[Walked("three members", "hold Office")],
        "a late copy of it is counted, and the vote is another's",
    ),
    fault(
        "a yield is no new attempt",
        &[bids("fn contested", "attempt + 1", "attempt")],
        &[Walked("three members", "does not end")],
        "the granter takes the yield for a repetition, and contests again",
    ),
    fault(
        "a late grant of an old request is counted",
        &[bids("fn granted", "bid.term == case.term && bid.holds()", "bid.holds()")],
        &[
            Explored("three members, any order", "`backed`"),
            Walked("two offices, two standers", "a term goes back"),
        ],
        "it was made to an earlier term",
    ),
    fault(
        "a grant is taken by who wants it no longer",
        &[bids("fn granted", "bid.term == case.term && bid.holds()", "bid.term == case.term")],
        &[Walked("three members", "vacant")],
        "it never gives the vote back",
    ),
    fault(
        "votes of the last term are counted in the next",
        &[bids("fn campaign", "*asked = Asked { with: asked.with, ..Asked::default() };", "")],
        &[Walked("three members", "a term goes back")],
        "the granter holds them for a term that is over",
    ),
    fault(
        "a refusal is not heeded",
        &[bids("fn refused", "self.campaign(case.office, promised, out);", "")],
        &[Explored("two members", "vacant")],
        "the claim waits with a term that is never granted",
    ),
    fault(
        "every candidate has the same terms",
        &[bids("fn after", "Term(counter << 32 | u64::from(me.0))", "Term(counter << 32)")],
        &[Explored("two members", "rejects"), Walked("three members", "rejects")],
        "two may lead at one term",
    ),
    fault(
        "terms are not spent",
        &[bids("fn pursue", "self.spent = self.spent.max(bid.term);", "")],
        &[Walked("restless standers", "hold Office")],
        "a stander that resigns and comes again claims its term again",
    ),
    fault(
        "votes are counted whose leases are over",
        &[bids(
            "fn pursue",
            "self.backed(bid, |g| self.counts_on(g))",
            "self.backed(bid, |_| true)",
        )],
        &[Explored("three members", "there has been"), Walked("three members", "hold Office")],
        "the granter has given them away",
    ),
    fault(
        "a candidate without connection never releases",
        &[bids("fn pursue", "!stands || !connected", "!stands")],
        &[
            Explored("two members and a stander, cut one way", "does not hear"),
            Simulated("two members, a stander", "soon"),
        ],
        "others cannot have a majority",
    ),
    fault(
        "a candidate that resigns never releases",
        &[bids("fn pursue", "!stands || !connected", "!connected")],
        &[Walked("three members", "does not stand")],
        "it wins without standing",
    ),
    fault(
        "a candidate never releases",
        &[
            bids("fn let_go", "self.send_release(office, term, g, next, out);", ""),
            bids("fn ask_again", "self.send_release(office, bid.term, g, next, out);", ""),
        ],
        &[Explored("two members", "vacant"), Simulated("three members", "soon")],
        "what it holds stays held",
    ),
    fault(
        "releases are sent once",
        &[bids("fn ask_again", "self.send_release(office, bid.term, g, next, out);", "")],
        &[Walked("three members", "vacant")],
        "one that is lost leaves the vote held",
    ),
    fault(
        "requests are sent once",
        &[bids("fn ask_again", "self.ask(office, g, out)", "{}")],
        &[Explored("two members", "vacant")],
        "one that is lost is never granted",
    ),
    fault(
        "released before the work has stopped",
        &[bids(
            "fn leave",
            "self.set_phase(office, Phase::Stopping { until, next }, out);",
            "self.set_phase(office, Phase::Stopping { until, next }, out);
            for g in self.setting.everyone() {
                self.send_release(office, self.bids[&office].term, g, next, out);
            }",
        )],
        &[Walked("three members", "hold Office")],
        "the next leads while the old one works",
    ),
    fault(
        "the work of a lost tenure is not waited for",
        &[bids(
            "fn lose",
            "out.effects.set_alarm(Alarm::Stop(office), stop)",
            "self.let_go(office, None, out)",
        )],
        &[Simulated("five members, time for stopping", "one")],
        "the next leads while the old one works",
    ),
    fault(
        "a leader asks with a candidate's rank",
        &[bids("fn rank", "Rank::Leader", "Rank::Candidate(self.priority.unwrap_or(0))")],
        &[Simulated("three members", "stable")],
        "it is not granted what it lost",
    ),
    fault(
        "followers never come back",
        &[edit("following.rs", "fn follow", "candidate && leader.is_none()", "false")],
        &[Walked("two members", "vacant")],
        "they do not want the votes that the leader has left",
    ),
    fault(
        "a new rank is no new attempt",
        &[bids(
            "fn ask_all",
            "(asked.answer, asked.attempt) = (Answer::Open, asked.attempt + 1);",
            "asked.answer = Answer::Open;",
        )],
        &[Explored("two members, any order", "vacant")],
        "an answer to the old request is taken for one to the new",
    ),
];
