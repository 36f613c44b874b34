//! The participant that an operator asks for other members.

use tenure_model::{Peer, Recoverable};

/// Returns the members whose bits are set, ascending.
pub fn members_of(bits: u64) -> impl Iterator<Item = Peer> {
    (0..u64::BITS).filter(move |member| bits >> member & 1 == 1).map(Peer)
}

/// Returns the participant that an operator asks, of those that are up: one that knows of the newest members, is one of
/// them, and sees no change of them under way; the leader if it is such a one, or else the first. `None` if none is.
pub fn asked<'a, P: Recoverable>(
    up: impl Iterator<Item = (Peer, &'a P)> + Clone,
    leader: Option<Peer>,
) -> Option<Peer> {
    let known = up.filter_map(|(peer, process)| Some((peer, process.members()?)));
    let newest = known.clone().map(|(_, (number, _))| number).max()?;
    let is_able = |&(peer, (number, [old, new])): &(Peer, (u64, [u64; 2]))| {
        number == newest && old == new && members_of(new).any(|member| member == peer)
    };
    let able = known.filter(is_able).map(|(peer, _)| peer);
    able.clone().find(|&peer| Some(peer) == leader).or_else(|| able.min())
}
