//! Faults of the granter: in the leases that it owes, in its votes, and in coming up with the record or without.

use super::{
    Edit, Fault,
    Found::{Explored, Simulated, Walked},
    edit, fault,
};

const fn granter(within: &'static str, was: &'static str, is: &'static str) -> Edit {
    edit("granter.rs", within, was, is)
}

const OWED_FOR: &str =
    "self.setting.clocks.outlasting(self.setting.lease.saturating_add(self.setting.stop))";
const ABLE: &str = "self.setting.is_member() && !self.quarantined && self.learning.is_none()";
const FRESH: &str = "self.rank == Rank::Leader || self.term > promised";
const CONTESTED: &str = "(greatest.rank, greatest.peer) > (grant.rank, grant.peer)";

pub(super) const FAULTS: &[Fault] = &[
    fault(
        "the granter's alarm is as short as the holder's",
        &[granter("fn owed_for", OWED_FOR, "self.setting.lease")],
        &[Explored("two members", "`backed`"), Walked("two offices, two clients", "hold Office")],
        "on a faster clock it rings first",
    ),
    fault(
        "the ratio of the clocks is not heeded",
        &[granter("fn owed_for", OWED_FOR, "self.setting.lease + self.setting.stop")],
        &[Explored("two members", "`backed`"), Walked("two offices, two clients", "hold Office")],
        "as before, with time for stopping",
    ),
    fault(
        "leases are owed without the time for stopping",
        &[granter("fn owed_for", OWED_FOR, "self.setting.clocks.outlasting(self.setting.lease)")],
        &[Simulated("five members, time for stopping", "one")],
        "the old leader's work goes on when the next leads",
    ),
    fault(
        "an epoch is never over",
        &[granter("fn renewed", "self.owed.epochs += 1;", "")],
        &[Walked("three members", "vacant")],
        "a lapse and a restart go unnoticed by the holder",
    ),
    fault(
        "a new boot does not free what the old one held",
        &[granter("fn renewed", "boot > debt.boot", "false")],
        &[Walked("many candidates", "a term goes back")],
        "the granter keeps the vote for a process that knows nothing of it",
    ),
    fault(
        "a lost lease frees nothing",
        &[granter("fn lapse", "self.forget(h, out);", "")],
        &[
            Explored("two members, a loss", "`leased`"),
            Walked("two offices, two clients", "a term goes back"),
        ],
        "the grant stays with a peer without a lease",
    ),
    fault(
        "a lease that has run out stays",
        &[granter("fn lapse", "self.owed.to.remove(i);", "")],
        &[Walked("two offices, two clients", "hold Office")],
        "its epoch goes on, while the grants are gone",
    ),
    fault(
        "a member in quarantine grants",
        &[granter("fn able", ABLE, "self.setting.is_member() && self.learning.is_none()")],
        &[Explored("three members, a record lost", "while")],
        "it may owe what it has forgotten",
    ),
    fault(
        "an office is granted at any term",
        &[granter("fn fresh", FRESH, "true")],
        &[Walked("three members", "a term goes back")],
        "a term below the promise comes after a greater one",
    ),
    fault(
        "an office is granted at a term that was promised",
        &[granter("fn fresh", FRESH, "self.rank == Rank::Leader || self.term >= promised")],
        &[Explored("a client beside two witnesses, a crash", "there has been")],
        "`>=` for `>`: a client that has crashed claims the same term twice",
    ),
    fault(
        "a running tenure is granted nothing",
        &[granter("fn fresh", FRESH, "self.term > promised")],
        &[Simulated("three members", "stable")],
        "a leader does not get the vote back of a member that has restarted",
    ),
    fault(
        "rank inverted",
        &[granter(
            "fn contested",
            CONTESTED,
            "(greatest.rank, greatest.peer) < (grant.rank, grant.peer)",
        )],
        &[Walked("three members", "does not end")],
        "a candidate and a lesser one yield to each other forever",
    ),
    fault(
        "no candidate is asked to yield",
        &[granter("fn contested", CONTESTED, "false")],
        &[Simulated("three members", "stable")],
        "two candidates hold votes of each other's majority until a lease is over",
    ),
    fault(
        "of two claims of one rank the lesser identity is the greater",
        &[granter(
            "fn greatest",
            "(Some(claim.peer) == first, claim.rank, claim.peer)",
            "(Some(claim.peer) == first, claim.rank, Peer(u32::MAX - claim.peer.0))",
        )],
        &[Walked("three members", "does not end")],
        "the queue prefers whom the contest does not",
    ),
    fault(
        "the rank of claims that wait is not heeded",
        &[granter(
            "fn greatest",
            "(Some(claim.peer) == first, claim.rank, claim.peer)",
            "(Some(claim.peer) == first, Rank::Candidate(0), claim.peer)",
        )],
        &[Walked("three members", "does not end")],
        "members grant to different claims, which contest each other",
    ),
    fault(
        "a leader is contested",
        &[granter("fn contested", "grant.rank != Rank::Leader", "true")],
        &[],
        "it answers that it leads, and yields nothing; messages are what it costs",
    ),
    fault(
        "a request is not queued",
        &[granter(
            "fn request",
            "vote.waiting.insert(i, Claim { told: vote.with(), ..claim })",
            "{}",
        )],
        &[Walked("three members", "vacant")],
        "it is told to wait, and no granter knows of it",
    ),
    fault(
        "a late request of an earlier attempt takes the grant back",
        &[granter("fn request", "age(&claim) < age(grant)", "false")],
        &[Explored("three members, any order", "`backed`"), Walked("three members", "hold Office")],
        "the vote of a later attempt is counted, and no longer held",
    ),
    fault(
        "a late request of an earlier attempt waits in the place of the new one",
        &[granter("fn request", "age(&claim) < age(&vote.waiting[i])", "false")],
        &[Simulated("two members, a client", "soon")],
        "the grant is then for an attempt that counts no longer",
    ),
    fault(
        "a claim keeps the grant that it has yielded",
        &[granter("fn request", "vote.grant = None;", "return;")],
        &[Walked("three members", "vacant")],
        "the greater claim, for which it has yielded, is never granted",
    ),
    fault(
        "the vote is given to two",
        &[granter(
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
        &[granter(
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
        &[granter(
            "fn settle",
            "if claim.term > promised {
                write_promise(office, claim.term, out); // Before the grant leaves.
            }",
            "self.tell(office, out);
            if claim.term > promised {
                write_promise(office, claim.term, out);
            }",
        )],
        &[Walked("three members", "a term goes back"), Walked("restarts", "a term goes back")],
        "a crash in between loses the promise of a vote that is counted",
    ),
    fault(
        "the promise is written when the candidate leads",
        &[
            granter(
                "fn settle",
                "if claim.term > promised {
                write_promise(office, claim.term, out); // Before the grant leaves.
            }",
                "",
            ),
            granter(
                "fn leads",
                "grant.rank = Rank::Leader;",
                "grant.rank = Rank::Leader;
                write_promise(case.office, case.term, out);",
            ),
        ],
        &[Walked("three members", "a term goes back")],
        "written after the grant has left",
    ),
    fault(
        "a grant is not told again",
        &[granter("fn tell_again", "self.tell(office, out) | again", "again || office == office")],
        &[Explored("two members", "vacant")],
        "a grant that was lost is never known",
    ),
    fault(
        "a release is not heeded",
        &[granter("fn release", "vote.grant.is_some_and(|grant| over(&grant))", "false")],
        &[Walked("three members", "does not end")],
        "the office stays with a claim that is over",
    ),
    fault(
        "a release takes back what was claimed after it",
        &[granter("fn release", "claim.peer == h && claim.term <= case.term", "claim.peer == h")],
        &[Walked("three members", "hold Office")],
        "a late release of an earlier term frees a vote that is counted",
    ),
    fault(
        "a release of one takes back the grant of another",
        &[granter(
            "fn release",
            "claim.peer == h && claim.term <= case.term",
            "claim.term <= case.term",
        )],
        &[Walked("three members", "hold Office")],
        "a vote is counted and given away",
    ),
    fault(
        "a release is not answered",
        &[granter("pub(super) fn release", "out.send(h, Msg::Released(case));", "")],
        &[Walked("three members", "vacant")],
        "the release is sent forever, and the next claim is never made",
    ),
    fault(
        "what waits is not granted when the office is free",
        &[granter("fn release", "self.settle(case.office, next, out);", "")],
        &[Simulated("three members", "soon")],
        "no candidate asks again: the claims wait",
    ),
    fault(
        "the end of one lease takes all grants",
        &[granter("fn forget", "claim.peer == h", "true")],
        &[Walked("three members", "hold Office")],
        "the grants of others are counted, and no longer held",
    ),
    fault(
        "claims that wait outlive their leases",
        &[granter("fn forget", "vote.waiting.retain(|claim| !theirs(claim));", "")],
        &[Explored("two members, a loss", "`leased`"), Simulated("three members", "soon")],
        "they are granted without a lease",
    ),
    fault(
        "what waits is not granted when the lease of the holder has run out",
        &[granter("fn forget", "self.settle(office, None, out);", "")],
        &[Simulated("three members", "soon")],
        "no candidate asks again: the claims wait",
    ),
    fault(
        "whose grant it is makes no difference to who is taken for the leader",
        &[granter("fn leads", "(grant.peer, grant.term) == (h, case.term)", "true")],
        &[Simulated("three members, two clients, two offices", "tellable")],
        "a claimant is told of a leader that does not lead",
    ),
    fault(
        "the promise of a recovered record is not heeded",
        &[granter(
            "fn promised",
            "read(promise(office)).max(read(FLOOR))",
            "read(promise(office))",
        )],
        &[Walked("two offices, two clients", "a term goes back")],
        "what was learnt is not promised",
    ),
    fault(
        "no quarantine",
        &[granter("fn recover", "self.quarantined = true;", "")],
        &[
            Explored("two members, a crash and a loss", "`backed`"),
            Walked("restarts", "hold Office"),
        ],
        "it may owe what it has forgotten",
    ),
    fault(
        "the quarantine is as short as a lease",
        &[granter("fn recover", "self.owed_for()", "self.setting.lease")],
        &[Explored("two members, a crash and a loss", "`backed`")],
        "on a faster clock it ends before what it owed",
    ),
    fault(
        "the promise is not written",
        &[granter("fn write_promise", "out.effects.write(promise(office), term.0);", "")],
        &[Walked("three members", "a term goes back")],
        "after a restart a lesser term is granted",
    ),
    fault(
        "the greatest term of all offices is not written",
        &[granter("fn write_promise", "out.effects.write(HIGHEST, term.0);", "")],
        &[Walked("two offices, two clients", "a term goes back")],
        "a member without a record learns too little",
    ),
    fault(
        "a lesser promise is written over a greater one",
        &[granter("fn write_promise", "out.effects.read(HIGHEST).unwrap_or(0) < term.0", "true")],
        &[Walked("two offices, two clients", "a term goes back")],
        "a member without a record learns too little",
    ),
    fault(
        "a record that is lost is taken for a new one",
        &[granter("fn recover", "out.effects.read(FLOOR).is_none()", "false")],
        &[Walked("work that stops late", "a term goes back")],
        "recovery without learning the promises",
    ),
    fault(
        "the smallest term that is learnt counts",
        &[granter(
            "fn learnt",
            "others().filter_map(highest).max()",
            "others().filter_map(highest).min()",
        )],
        &[Walked("two offices, two clients", "a term goes back")],
        "another has promised more",
    ),
    fault(
        "no member makes a new cluster",
        &[granter("fn learnt", "others().all(again)", "others().all(again) && false")],
        &[Walked("a new cluster", "vacant")],
        "all empty records wait for each other",
    ),
    fault(
        "founders do not remember each other",
        &[granter("fn learnt", "out.effects.write(founder(g), store);", "")],
        &[Walked("a new cluster", "vacant")],
        "the first to begin locks the others out",
    ),
    fault(
        "what was learnt is not written",
        &[granter("fn learnt", "out.effects.write(FLOOR, floor.0);", "")],
        &[Walked("a new cluster", "vacant")],
        "it never stops learning",
    ),
];
