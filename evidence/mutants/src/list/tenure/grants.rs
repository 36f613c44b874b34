//! Faults of the granter.

use super::{
    Edit, Fault,
    Found::{Explored, Simulated, Walked},
    edit, fault,
};

const fn grants(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("grants.rs", within, was, is)
}

const ABLE: &str = "self.setting.is_member() && !self.quarantined && self.learning.is_none()";
const FRESH: &str = "self.rank == Rank::Leader || self.term > promised";
const CONTESTED: &str = "(greatest.rank, greatest.peer) > (grant.rank, grant.peer)";

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "a member in quarantine grants",
        &[grants("fn able", ABLE, "self.setting.is_member() && self.learning.is_none()")],
        &[Explored("three members, a record lost", "while")],
        "it may owe what it has forgotten",
    ),
    fault(
        "an office is granted at any term",
        &[grants("fn fresh", FRESH, "true")],
        &[Walked("three members", "a term goes back")],
        "a term below the promise comes after a greater one",
    ),
    fault(
        "an office is granted at a term that was promised",
        &[grants("fn fresh", FRESH, "self.rank == Rank::Leader || self.term >= promised")],
        &[Explored("a stander beside two witnesses, a crash", "there has been")],
        "`>=` for `>`: a stander that has crashed claims the same term twice",
    ),
    fault(
        "a running tenure is granted nothing",
        &[grants("fn fresh", FRESH, "self.term > promised")],
        &[Simulated("three members", "stable")],
        "a leader does not get the vote back of a member that has restarted",
    ),
    fault(
        "rank inverted",
        &[grants(
            "fn contested",
            CONTESTED,
            "(greatest.rank, greatest.peer) < (grant.rank, grant.peer)",
        )],
        &[Walked("three members", "does not end")],
        "a candidate yields to a lesser one, and that to it, for ever",
    ),
    fault(
        "no candidate is asked to yield",
        &[grants("fn contested", CONTESTED, "false")],
        &[Simulated("three members", "stable")],
        "two candidates hold votes of each other's majority until a lease is over",
    ),
    fault(
        "of two claims of one rank the lesser identity is the greater",
        &[grants(
            "fn greatest",
            "(Some(claim.peer) == first, claim.rank, claim.peer)",
            "(Some(claim.peer) == first, claim.rank, Peer(u32::MAX - claim.peer.0))",
        )],
        &[Walked("three members", "does not end")],
        "the queue prefers whom the contest does not",
    ),
    fault(
        "the rank of claims that wait is not heeded",
        &[grants(
            "fn greatest",
            "(Some(claim.peer) == first, claim.rank, claim.peer)",
            "(Some(claim.peer) == first, Rank::Candidate(0), claim.peer)",
        )],
        &[Walked("three members", "does not end")],
        "members grant to different claims, which contest each other",
    ),
    fault(
        "a leader is contested",
        &[grants("fn contested", "grant.rank != Rank::Leader", "true")],
        &[],
        "it answers that it leads, and yields nothing; messages are what it costs",
    ),
    fault(
        "a request is not queued",
        &[grants(
            "fn request",
            "vote.waiting.insert(i, Claim { told: vote.with(), ..claim })",
            "{}",
        )],
        &[Walked("three members", "vacant")],
        "it is told to wait, and no granter knows of it",
    ),
    fault(
        "a late request of an earlier attempt takes the grant back",
        &[grants("fn request", "age(&claim) < age(grant)", "false")],
        &[Explored("three members, any order", "`backed`"), Walked("three members", "hold Office")],
        "the vote of a later attempt is counted, and no longer held",
    ),
    fault(
        "a late request of an earlier attempt waits in the place of the new one",
        &[grants("fn request", "age(&claim) < age(&vote.waiting[i])", "false")],
        &[Simulated("two members, a stander", "soon")],
        "the grant is then for an attempt that counts no longer",
    ),
    fault(
        "a claim keeps the grant that it has yielded",
        &[grants("fn request", "vote.grant = None;", "return;")],
        &[Walked("three members", "vacant")],
        "the greater claim, for which it has yielded, is never granted",
    ),
    fault(
        "the vote is given to two",
        &[grants(
            "fn settle",
            "able
            && vote.grant.is_none()",
            "able",
        )],
        &[Walked("three members", "hold Office")],
        "two majorities",
    ),
    fault(
        "a lesser claim goes before a greater one that was refused",
        &[grants(
            "fn settle",
            "vote.greatest(first)",
            "{
                let fresh = |&i: &usize| vote.waiting[i].fresh(promised);
                let of = |&i: &usize| (vote.waiting[i].rank, vote.waiting[i].peer);
                (0..vote.waiting.len()).filter(fresh).max_by_key(of)
            }",
        )],
        &[Walked("three members", "does not end")],
        "terms overtake each other",
    ),
    fault(
        "the grant is sent before the promise is written",
        &[grants(
            "fn settle",
            "if claim.term > promised {
                learning::write_promise(office, claim.term, out); // Before the grant leaves.
            }",
            "self.tell(office, out);
            if claim.term > promised {
                learning::write_promise(office, claim.term, out);
            }",
        )],
        &[Walked("three members", "a term goes back"), Walked("restarts", "a term goes back")],
        "a crash in between loses the promise of a vote that is counted",
    ),
    fault(
        "the promise is written when the candidate leads",
        &[
            grants(
                "fn settle",
                "if claim.term > promised {
                learning::write_promise(office, claim.term, out); // Before the grant leaves.
            }",
                "",
            ),
            grants(
                "fn leads",
                "grant.rank = Rank::Leader;",
                "grant.rank = Rank::Leader;
                learning::write_promise(case.office, case.term, out);",
            ),
        ],
        &[Walked("three members", "a term goes back")],
        "written after the grant has left",
    ),
    fault(
        "a grant is not told again",
        &[grants("fn tell_again", "self.tell(office, out) | again", "again || office == office")],
        &[Explored("two members", "vacant")],
        "a grant that was lost is never known",
    ),
    fault(
        "a release is not heeded",
        &[grants("fn release", "vote.grant.is_some_and(|grant| over(&grant))", "false")],
        &[Walked("three members", "does not end")],
        "the office stays with a claim that is over",
    ),
    fault(
        "a release takes back what was claimed after it",
        &[grants("fn release", "claim.peer == h && claim.term <= case.term", "claim.peer == h")],
        &[Walked("three members", "hold Office")],
        "a late release of an earlier term frees a vote that is counted",
    ),
    fault(
        "a release of one takes back the grant of another",
        &[grants(
            "fn release",
            "claim.peer == h && claim.term <= case.term",
            "claim.term <= case.term",
        )],
        &[Walked("three members", "hold Office")],
        "a vote is counted and given away",
    ),
    fault(
        "a release is not answered",
        &[grants("pub(super) fn release", "out.send(h, Msg::Released(case));", "")],
        &[Walked("three members", "vacant")],
        "it is said for ever, and the next claim never made",
    ),
    fault(
        "what waits is not granted when the office is free",
        &[grants("fn release", "self.settle(case.office, next, out);", "")],
        &[Simulated("three members", "soon")],
        "no candidate asks again: the claims wait",
    ),
    fault(
        "the end of one lease takes all grants",
        &[grants("fn forget", "claim.peer == h", "true")],
        &[Walked("three members", "hold Office")],
        "the grants of others are counted, and no longer held",
    ),
    fault(
        "claims that wait outlive their leases",
        &[grants("fn forget", "vote.waiting.retain(|claim| !theirs(claim));", "")],
        &[Explored("two members, a loss", "`leased`"), Simulated("three members", "soon")],
        "they are granted without a lease",
    ),
    fault(
        "what waits is not granted when the lease of the holder has run out",
        &[grants("fn forget", "self.settle(office, None, out);", "")],
        &[Simulated("three members", "soon")],
        "no candidate asks again: the claims wait",
    ),
    fault(
        "whose grant it is makes no difference to who is taken for the leader",
        &[grants("fn leads", "(grant.peer, grant.term) == (h, case.term)", "true")],
        &[Simulated("three members, two standers, two offices", "tellable")],
        "a claimant is told of a leader that does not lead",
    ),
    fault(
        "the promise of a recovered record is not heeded",
        &[grants(
            "fn promised",
            "read(learning::promise(office)).max(read(learning::FLOOR))",
            "read(learning::promise(office))",
        )],
        &[Walked("two offices, two standers", "a term goes back")],
        "what was learnt is not promised",
    ),
];
