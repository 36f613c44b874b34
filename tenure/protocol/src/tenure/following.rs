//! The follower: a candidate that is told of a leader leaves the votes to it.

use super::{
    Out, Tenure,
    bids::{Answer, Asked, Phase},
};
use tenure_model::{Effects, Office, Peer};

impl Tenure {
    /// Determines which process leads, from what the members that this process counts on have told.
    /// If none tells of a leader any more, asks again for the votes that were left to the leader,
    /// and returns `true`.
    pub(super) fn follow(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) -> bool {
        let Some(bid) = self.bids.get(&office) else { return false };
        let candidate = bid.phase == Phase::Candidate;
        let told = self.setting.everyone().filter(|&g| candidate && self.counts_on(g));
        let leader = told.filter_map(|g| bid.at[g.0 as usize].with.term()).max();
        let was = bid.following;
        if leader != was
            && let Some(bid) = self.bids.get_mut(&office)
        {
            bid.following = leader;
            out.effects.changed(office);
            if candidate && leader.is_none() {
                self.ask_all(office, out);
                return true;
            }
        }
        false
    }

    /// Yields the vote of `g` to the leader that others have told of.
    pub(super) fn give_back(&mut self, office: Office, g: Peer, out: &mut Out<impl Effects<Self>>) {
        let Some(bid) = self.bids.get_mut(&office) else { return };
        let asked = &mut bid.at[g.0 as usize];
        if asked.answer == Answer::Granted {
            *asked = Asked { attempt: asked.attempt + 1, ..Asked::default() };
            self.ask(office, g, out);
        }
    }
}
