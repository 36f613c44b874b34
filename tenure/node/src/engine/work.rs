//! Whether the work of a leadership is under way, as its program tells. What a client tells, the members know, too: an
//! operator asks them, and not the client.

use super::{Candidacy, NodeEngine, TICK};
use crate::packet::{LONGEST_WHY, PeerMessage};
use crate::status::WorkStatus;
use std::time::Duration;
use tenure_model::{Office, Peer, Term};

/// How often a client tells it again, in nanoseconds, since messages may be lost and members restart.
const AGAIN: u64 = 1_000_000_000;

/// What is known of the work in one office beside what its own program tells.
#[derive(Debug, Default)]
pub(super) struct LeaderWork {
    /// The last word of a leader without a vote: its number, the term, since when it is so, and why no work is done.
    heard: Option<(Peer, Term, u64, Option<String>)>,
    /// What this client has told the members last, and when.
    told: Option<(Term, Option<String>, u64)>,
}

impl NodeEngine {
    /// Tells the members of the work of the leaderships here, if it has changed or was told long ago. Members are asked
    /// themselves.
    pub(super) fn tell_of_work(&mut self) {
        if self.votes() {
            return;
        }
        let now = self.now();
        let mut all = Vec::new();
        for (&office, candidacy) in &mut self.candidacies {
            let Some((term, work)) = candidacy.own_work() else { continue };
            let told = candidacy.work.told.as_ref();
            let is_told = told.is_some_and(|(of, why, at)| {
                (*of, why) == (term, &work.why) && now < at.saturating_add(AGAIN)
            });
            if !is_told {
                let (why, since) = (work.why.as_deref().map(shorten), work.since.as_millis());
                all.push((office, term, u64::try_from(since).unwrap_or(u64::MAX), why));
                candidacy.work.told = Some((term, work.why, now));
            }
        }
        for (office, term, since, why) in all {
            let word = |to| (to, PeerMessage::Work { office, term, since, why: why.clone() });
            let words = self.other_members().map(word).collect();
            self.send(words);
        }
    }

    /// Handles what a leader says of its work, once it is known to lead.
    pub(super) fn told_of_work(
        &mut self,
        by: Peer,
        office: Office,
        term: Term,
        since: u64,
        why: Option<&str>,
    ) {
        let now = self.now();
        if self.finding(office).0 != Some((by, term)) {
            return;
        }
        if let Some(candidacy) = self.candidacies.get_mut(&office) {
            let since = now.saturating_sub(since.saturating_mul(1000 * TICK));
            candidacy.work.heard = Some((by, term, since, why.map(shorten)));
        }
    }

    /// Returns whether the work of the leader is under way, if it leads here or has told, and leads still.
    pub(super) fn work_status(&self, candidacy: &Candidacy, now: u64) -> Option<WorkStatus> {
        if let Some((_, work)) = candidacy.own_work() {
            return Some(work);
        }
        let (by, term, since, why) = candidacy.work.heard.as_ref()?;
        let leads = self.finding(candidacy.office.number()).0 == Some((*by, *term));
        leads.then(|| WorkStatus {
            running: why.is_none(),
            since: Duration::from_nanos(now.saturating_sub(*since)),
            why: why.clone(),
        })
    }
}

/// Returns the beginning of a text, for a terminal.
fn shorten(text: &str) -> String {
    let mut short = String::new();
    for letter in text.chars() {
        if short.len() + letter.len_utf8() > LONGEST_WHY {
            break;
        }
        short.push(if letter.is_control() { ' ' } else { letter });
    }
    short
}
