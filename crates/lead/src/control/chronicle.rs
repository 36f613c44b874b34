//! The changes of offices that a participant has seen since it started.

use super::{Change, OfficeReport, milliseconds};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use suffrage_service::Participant;

/// The number of changes that are kept per office.
const KEPT: usize = 1000;

/// The number of offices whose changes are kept.
const OFFICES: usize = 10_000;

/// The interval at which new offices are looked for.
const LOOK: Duration = Duration::from_millis(500);

type Changes = BTreeMap<String, VecDeque<Change>>;

/// The changes of all offices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chronicle(Arc<Mutex<Changes>>);

impl Chronicle {
    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the leader and the term of an office, if they have changed.
    fn note(&self, office: &str, leader: Option<String>, term: Option<u64>) {
        let mut all = self.changes();
        let changes = all.entry(office.to_owned()).or_default();
        if changes.back().is_some_and(|last| (&last.leader, last.term) == (&leader, term)) {
            return;
        }
        let at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        changes.push_back(Change { at, leader, term });
        if changes.len() > KEPT {
            changes.pop_front();
        }
    }

    /// Returns the changes of an office, the latest last.
    pub(crate) fn of(&self, office: &str) -> Vec<Change> {
        self.changes().get(office).into_iter().flatten().cloned().collect()
    }

    /// Returns the time of the last change of an office.
    fn since(&self, office: &str) -> Option<String> {
        self.changes().get(office)?.back().map(|change| change.at.clone())
    }

    /// Starts to watch an office, unless it is watched already.
    pub(crate) fn follow(&self, participant: &Participant, office: &str) {
        {
            let mut all = self.changes();
            if all.contains_key(office) || all.len() >= OFFICES {
                return;
            }
            all.insert(office.to_owned(), VecDeque::new());
        }
        let (chronicle, participant, office) =
            (self.clone(), participant.clone(), office.to_owned());
        tokio::spawn(async move {
            let Ok(mut watch) = participant.watch(&office).await else { return };
            drop(participant);
            while let Some(standing) = watch.next().await {
                let leader = standing.leader().map(|leader| leader.name.clone());
                chronicle.note(&office, leader, standing.term());
            }
        });
    }

    /// Watches all offices of which the participant knows that they have been led, until it ends. Others
    /// have no history, and a client may ask for any number of them.
    pub(crate) async fn keep(self, participant: Participant) {
        while let Ok(status) = participant.status().await {
            for office in status.offices.iter().filter(|office| office.term.is_some()) {
                self.follow(&participant, &office.name);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Returns all offices that the participant knows.
    pub(crate) async fn offices(&self, participant: &Participant) -> Option<Vec<OfficeReport>> {
        let status = participant.status().await.ok()?;
        let report = |office: &suffrage_service::status::OfficeStatus| OfficeReport {
            office: office.name.clone(),
            leader: office.leader.clone(),
            term: office.term,
            since: self.since(&office.name),
            staleness_ms: milliseconds(office.staleness),
            here: office.here,
            valid_for_ms: office.valid_for.map(milliseconds),
        };
        Some(status.offices.iter().map(report).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_kept_and_repetitions_are_not() {
        let chronicle = Chronicle::default();
        for (leader, term) in
            [(None, None), (Some("a"), Some(1)), (Some("a"), Some(1)), (None, Some(1))]
        {
            chronicle.note("office", leader.map(str::to_owned), term);
        }
        let seen: Vec<_> = chronicle.of("office").into_iter().map(|change| change.term).collect();
        assert_eq!(seen, [None, Some(1), Some(1)]);
        assert_eq!(chronicle.of("other"), []);
    }

    #[test]
    fn old_changes_make_room() {
        let chronicle = Chronicle::default();
        for term in 0..KEPT as u64 + 10 {
            chronicle.note("office", None, Some(term));
        }
        let kept = chronicle.of("office");
        assert_eq!((kept.len(), kept[0].term), (KEPT, Some(10)));
    }
}
