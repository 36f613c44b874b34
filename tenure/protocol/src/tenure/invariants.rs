//! Properties that hold in every configuration, as functions over the states of all participants.
//!
//! Each takes the processes that are up and not late: the state of a process whose alarm is due and
//! has not been handled claims more than holds.

use super::{
    Tenure,
    bids::{Answer, Phase},
    message::candidate_of,
};
use tenure_model::{Office, Recoverable};

/// A check of all states, with its name. It returns a description of the violation.
pub type Invariant = (&'static str, fn(&[&Tenure]) -> Result<(), &'static str>);

/// The invariants, by name.
pub const INVARIANTS: &[Invariant] =
    &[("exclusive", exclusive), ("backed", backed), ("leased", leased), ("own", own)];

/// Checks that no two processes lead one office.
///
/// # Errors
/// If two do.
pub fn exclusive(up: &[&Tenure]) -> Result<(), &'static str> {
    let leads = |office: &Office, process: &Tenure| process.tenure(*office).is_some();
    for (i, first) in up.iter().enumerate() {
        for office in first.bids.keys().filter(|office| leads(office, first)) {
            if up[i + 1..].iter().any(|second| leads(office, second)) {
                return Err("two processes lead one office");
            }
        }
    }
    Ok(())
}

/// Checks that a vote that is counted is held: the granter, if it is up, has granted the office to
/// the term that counts it, or it has come up since and grants nothing yet.
///
/// # Errors
/// If a counted vote is not held.
pub fn backed(up: &[&Tenure]) -> Result<(), &'static str> {
    for h in up {
        for (office, bid) in h.bids.iter().filter(|(_, bid)| bid.phase != Phase::Idle) {
            for g in up.iter().filter(|g| g.setting.is_member()) {
                let me = g.setting.me;
                if bid.at[me.0 as usize].answer != Answer::Granted || !h.counts_on(me) {
                    continue;
                }
                if h.epoch_at(me) != g.epoch_of(h.setting.me) {
                    if g.quarantined {
                        continue;
                    }
                    return Err("a vote is counted after its lease was over");
                }
                let grant = g.votes.get(office).and_then(|vote| vote.grant);
                if grant.map(|grant| (grant.peer, grant.term)) != Some((h.setting.me, bid.term)) {
                    return Err("a vote is counted that is no longer granted");
                }
            }
        }
    }
    Ok(())
}

/// Checks that a peer that has a grant, or waits for one, has a lease.
///
/// # Errors
/// If a claim outlives its lease.
pub fn leased(up: &[&Tenure]) -> Result<(), &'static str> {
    for g in up {
        let claims = g.votes.values().flat_map(|vote| vote.grant.iter().chain(&vote.waiting));
        if claims.into_iter().any(|claim| g.epoch_of(claim.peer).is_none()) {
            return Err("a claim has outlived its lease");
        }
    }
    Ok(())
}

/// Checks that a term belongs to the peer that claims it.
///
/// # Errors
/// If a claim has a term of another peer.
pub fn own(up: &[&Tenure]) -> Result<(), &'static str> {
    for g in up {
        let claims = g.votes.values().flat_map(|vote| vote.grant.iter().chain(&vote.waiting));
        for claim in claims {
            if candidate_of(claim.term) != claim.peer {
                return Err("a claim has the term of another peer");
            }
        }
    }
    Ok(())
}
