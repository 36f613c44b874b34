//! The changes of offices that a participant has seen since it started.

use super::{CommandReport, LeaderChange, OfficeReport, milliseconds};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tenure_node::Participant;
use tokio::time::timeout;

/// The number of changes that are kept per office.
const KEPT: usize = 1000;

/// The number of offices whose changes are kept.
const OFFICES: usize = 10_000;

/// The interval at which new offices are looked for.
const LOOK: Duration = Duration::from_millis(500);

/// How long an office without a leader is watched, by asking the members for its leader.
const VACANT: Duration = Duration::from_secs(60);

/// The changes of all offices.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeaderHistory(Arc<Mutex<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    changes: BTreeMap<String, VecDeque<LeaderChange>>,
    /// The offices that are watched.
    followed: BTreeSet<String>,
    /// The newest value of each office that was told to anyone here.
    newest: BTreeMap<String, ToldValue>,
}

/// A value, with the term and the number of its change.
type ToldValue = ((u64, u64), Option<String>);

impl Pages {
    /// Begins to follow an office, in place of others that are not followed if there are too many. Returns
    /// whether it was not.
    fn begin(&mut self, office: &str) -> bool {
        if self.followed.contains(office) {
            return false;
        }
        if !self.changes.contains_key(office) && self.changes.len() >= OFFICES {
            self.changes.retain(|office, _| self.followed.contains(office));
            if self.changes.len() >= OFFICES {
                return false;
            }
        }
        self.changes.entry(office.to_owned()).or_default();
        self.followed.insert(office.to_owned())
    }
}

/// An office that is followed until this is dropped, however the task that follows it ends.
struct FollowedOffice(LeaderHistory, String);

impl Drop for FollowedOffice {
    fn drop(&mut self) {
        self.0.pages().followed.remove(&self.1);
    }
}

impl LeaderHistory {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the leader and the term of an office, if they have changed.
    fn note(&self, office: &str, leader: Option<String>, term: Option<u64>) {
        let mut pages = self.pages();
        let changes = pages.changes.entry(office.to_owned()).or_default();
        if changes.back().is_some_and(|last| (&last.leader, last.term) == (&leader, term)) {
            return;
        }
        let at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        changes.push_back(LeaderChange { at, leader, term });
        if changes.len() > KEPT {
            changes.pop_front();
        }
    }

    pub(crate) fn of(&self, office: &str) -> Vec<LeaderChange> {
        self.pages().changes.get(office).into_iter().flatten().cloned().collect()
    }

    /// Replaces an older value in a report by the newest one that was told here. The newer one may have come from another
    /// member, which does not answer now.
    pub(crate) fn keep_newest(&self, report: &mut OfficeReport) {
        let Some(term) = report.term.filter(|_| report.leader.is_some()) else { return };
        let mut pages = self.pages();
        let told = pages.newest.get(&report.office);
        match (told, report.change) {
            (Some((told, _)), _) if told.0 > term => (report.value, report.change) = (None, None),
            (Some((told, value)), change)
                if told.0 == term && change.is_none_or(|it| it < told.1) =>
            {
                (report.value, report.change) = (value.clone(), Some(told.1));
            }
            (told, Some(change)) if told.is_some() || pages.newest.len() < OFFICES => {
                pages.newest.insert(report.office.clone(), ((term, change), report.value.clone()));
            }
            _ => {}
        }
    }

    fn since(&self, office: &str) -> Option<String> {
        self.pages().changes.get(office)?.back().map(|change| change.at.clone())
    }

    /// Starts to watch an office, unless it is watched already. Stops when it has had no leader for
    /// [`VACANT`].
    pub(crate) fn follow(&self, participant: &Participant, office: &str) {
        if !self.pages().begin(office) {
            return;
        }
        let (followed, participant) =
            (FollowedOffice(self.clone(), office.to_owned()), participant.clone());
        tokio::spawn(async move {
            let FollowedOffice(history, office) = &followed;
            if let Ok(mut watch) = participant.watch(office).await {
                drop(participant);
                let mut longest = VACANT;
                while let Ok(Some(standing)) = timeout(longest, watch.next()).await {
                    let leader = standing.leader().map(|leader| leader.name.clone());
                    longest = if leader.is_some() { Duration::MAX } else { VACANT };
                    history.note(office, leader, standing.term());
                }
            }
        });
    }

    /// Watches the offices that the participant stands for or knows a leader of, until the participant ends.
    /// Other offices have no history: a program may ask for any number of them.
    pub(crate) async fn keep(self, participant: Participant) {
        while let Ok(status) = participant.status().await {
            for office in status.offices.iter().filter(|it| it.leader.is_some() || it.stands) {
                self.follow(&participant, &office.name);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    pub(crate) async fn offices(&self, participant: &Participant) -> Option<Vec<OfficeReport>> {
        let status = participant.status().await.ok()?;
        let report = |office: &tenure_node::status::OfficeStatus| OfficeReport {
            office: office.name.clone(),
            leader: office.leader.clone(),
            term: office.term,
            value: office.value.clone(),
            change: office.change,
            since: self.since(&office.name),
            staleness_ms: milliseconds(office.staleness),
            here: office.here,
            valid_for_ms: office.valid_for.map(milliseconds),
            command: office.work.as_ref().map(CommandReport::of),
        };
        Some(status.offices.iter().map(report).collect())
    }
}

#[cfg(test)]
mod tests;
