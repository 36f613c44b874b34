//! The offices, checked against the promises.

use crate::{
    Nanos, PromiseViolation, SimulationReport,
    promises::{Breach, OfficeMonitor},
};
use std::collections::{BTreeMap, VecDeque};
use tenure_model::{Office, Peer, Term};

/// The number of tenures of an office that are remembered, to determine the age of an answer.
const REMEMBERED: usize = 4096;

/// The state of one office.
struct OfficeRecord {
    monitor: OfficeMonitor,
    /// The beginning of its vacancy, and the kind of fault at that time.
    vacant: Option<(u64, &'static str)>,
    tenures: VecDeque<PastTenure>,
    /// What leaders have set, by term and leader.
    values: BTreeMap<(Term, Peer), ValuesOfTenure>,
}

/// The values that a leader has set.
#[derive(Default)]
struct ValuesOfTenure {
    /// Their digests, by the number of the change.
    digests: BTreeMap<u64, u64>,
    /// When the newest was set.
    set_at: u64,
}

/// A tenure.
#[derive(Clone, Copy)]
struct PastTenure {
    holder: (Peer, Term),
    /// The end of the tenure; `u64::MAX` while it lasts.
    ended: u64,
}

impl OfficeRecord {
    fn remember(&mut self, past: PastTenure) {
        if self.tenures.len() == REMEMBERED {
            self.tenures.pop_front();
        }
        self.tenures.push_back(past);
    }
}

/// All offices, and their measurements.
pub(crate) struct Offices {
    records: Vec<OfficeRecord>,
    /// The time for which an office may be vacant under the present conditions.
    pub(crate) bound: u64,
    /// What is measured.
    pub(crate) report: SimulationReport,
    /// The breach that has not been handled yet.
    pub(crate) found: Option<PromiseViolation>,
}

impl Offices {
    pub(crate) fn new(bound: u64, report: SimulationReport) -> Self {
        let record = || OfficeRecord {
            monitor: OfficeMonitor::default(),
            vacant: Some((0, "start")),
            tenures: VecDeque::new(),
            values: BTreeMap::new(),
        };
        let records = (0..report.offices).map(|_| record()).collect();
        Self { records, bound, report, found: None }
    }

    pub(crate) fn len(&self) -> u64 {
        self.records.len() as u64
    }

    pub(crate) fn holders(&self, office: Office) -> &[(Peer, Term)] {
        self.records[office.0 as usize].monitor.holders()
    }

    pub(crate) fn workers(&self, office: Office) -> &[(Peer, Term)] {
        self.records[office.0 as usize].monitor.workers()
    }

    fn broke(&mut self, at: u64, office: Office, breach: Option<Breach>) {
        let Some(breach) = breach else { return };
        *self.report.broken.entry(breach.promise()).or_default() += 1;
        let (at, office) = (Nanos(at), office.0);
        self.found.get_or_insert(PromiseViolation { at, office, breach, beyond: None });
    }

    /// Records the beginning of a tenure. A process could have led since `possible`.
    pub(crate) fn begins(&mut self, now: u64, office: Office, holder: (Peer, Term), possible: u64) {
        self.look(now, office, possible);
        let record = &mut self.records[office.0 as usize];
        let breach = record.monitor.begins(holder.0, holder.1);
        self.report.filled(now, record.vacant.take());
        match record.tenures.back_mut() {
            Some(past) if past.holder == holder => past.ended = u64::MAX,
            _ => {
                self.report.tenures += 1;
                record.remember(PastTenure { holder, ended: u64::MAX });
            }
        }
        self.broke(now, office, breach);
    }

    /// Records the end of a tenure, for good or because it `lapses`.
    pub(crate) fn ends(
        &mut self,
        now: u64,
        office: Office,
        holder: (Peer, Term),
        lapses: bool,
        kind: &'static str,
    ) {
        let record = &mut self.records[office.0 as usize];
        if lapses {
            record.monitor.lapses(holder.0);
        } else {
            record.monitor.ends(holder.0);
        }
        if let Some(past) = record.tenures.iter_mut().rev().find(|past| past.holder == holder)
            && past.ended == u64::MAX
        {
            past.ended = now;
        }
        if record.vacant.is_none() && record.monitor.holders().is_empty() {
            record.vacant = Some((now, kind));
        }
    }

    /// Records a tenure that was over before the writes on which it rests were on stable storage:
    /// no process could act on it, but messages may name it.
    pub(crate) fn led_briefly(&mut self, now: u64, office: Office, holder: (Peer, Term)) {
        let record = &mut self.records[office.0 as usize];
        if record.tenures.iter().rev().all(|past| past.holder != holder) {
            record.remember(PastTenure { holder, ended: now });
        }
    }

    /// Records that a holder lost the office although it could exchange messages with a majority.
    pub(crate) fn deposed(&mut self, now: u64, office: Office, holder: (Peer, Term)) {
        self.report.needless += 1;
        self.broke(now, office, Some(Breach::Deposed { holder }));
    }

    pub(crate) fn work_begins(&mut self, now: u64, office: Office, peer: Peer, term: Term) {
        let breach = self.records[office.0 as usize].monitor.work_begins(peer, term);
        self.broke(now, office, breach);
    }

    pub(crate) fn work_ends(&mut self, office: Office, peer: Peer) {
        self.records[office.0 as usize].monitor.work_ends(peer);
    }

    /// Records that a process no longer names this leader. It could have said so since `able`.
    pub(crate) fn unsaid(&mut self, now: u64, office: Office, named: (Peer, Term), able: u64) {
        let tenures = &self.records[office.0 as usize].tenures;
        let past = tenures.iter().rev().find(|past| past.holder == named);
        if let Some(past) = past.filter(|past| past.ended != u64::MAX) {
            self.report.staleness.push(now - past.ended.max(able).min(now));
        }
    }

    /// Records that a process names this leader.
    pub(crate) fn said(&mut self, now: u64, office: Office, teller: Peer, named: (Peer, Term)) {
        let tenures = &self.records[office.0 as usize].tenures;
        let led = tenures.iter().rev().any(|past| past.holder == named);
        let forgotten = tenures.len() == REMEMBERED;
        if !led && !forgotten {
            self.broke(now, office, Some(Breach::NeverLed { teller, named }));
        }
    }

    /// Records the value of the leader itself: the number of its change, and its digest.
    pub(crate) fn value_set(
        &mut self,
        now: u64,
        office: Office,
        (leader, term): (Peer, Term),
        value: (u64, u64),
    ) {
        let values = &mut self.records[office.0 as usize].values;
        if values.len() == REMEMBERED && !values.contains_key(&(term, leader)) {
            values.pop_first();
        }
        let of_tenure = values.entry((term, leader)).or_default();
        if of_tenure.digests.insert(value.0, value.1) != Some(value.1) {
            of_tenure.set_at = now;
            self.report.values += u64::from(value.0 > 0);
        }
    }

    /// Records that a leader has crashed before others could hear of it.
    pub(crate) fn values_lost(&mut self, office: Office, (leader, term): (Peer, Term)) {
        self.records[office.0 as usize].values.remove(&(term, leader));
    }

    /// Returns the number of the newest change of a leader, and when it was set, if it has set any.
    pub(crate) fn newest_value(
        &self,
        office: Office,
        (leader, term): (Peer, Term),
    ) -> Option<(u64, u64)> {
        let of_tenure = self.records[office.0 as usize].values.get(&(term, leader))?;
        of_tenure.digests.last_key_value().map(|(&change, _)| (change, of_tenure.set_at))
    }

    /// Records that a process shows this value, after it has shown `newest`.
    pub(crate) fn shown(
        &mut self,
        now: u64,
        office: Office,
        teller: Peer,
        named @ (leader, term): (Peer, Term),
        (change, digest): (u64, u64),
        newest: (Term, u64),
    ) {
        let values = &self.records[office.0 as usize].values;
        let known =
            values.get(&(term, leader)).and_then(|of_tenure| of_tenure.digests.get(&change));
        let forgotten = values.len() == REMEMBERED;
        let shown = (term, change);
        if change > 0 && !forgotten && known != Some(&digest) {
            self.broke(now, office, Some(Breach::NeverSet { teller, named, change }));
        } else if shown < newest {
            self.broke(now, office, Some(Breach::OlderValue { teller, shown, newest }));
        }
    }

    /// Records that a process has not shown the newest value of the leader for this time.
    pub(crate) fn value_late(
        &mut self,
        now: u64,
        office: Office,
        teller: Peer,
        nanos: u64,
        bound: u64,
    ) {
        self.broke(now, office, Some(Breach::ValueTooLate { teller, nanos, bound }));
    }

    /// Checks whether the office has been vacant for too long.
    pub(crate) fn look(&mut self, now: u64, office: Office, possible: u64) {
        let Some((since, _)) = self.records[office.0 as usize].vacant else { return };
        let nanos = now.saturating_sub(since.max(possible));
        if nanos > self.bound {
            let bound = self.bound;
            self.broke(now, office, Some(Breach::VacantTooLong { nanos, bound }));
        }
    }

    /// Checks all offices before conditions change.
    pub(crate) fn look_at_all(&mut self, now: u64, possible: u64) {
        if now.saturating_sub(possible) > self.bound {
            for office in (0..self.len()).map(Office) {
                self.look(now, office, possible);
            }
        }
    }

    /// Ends the run: vacancies that have not ended end now.
    pub(crate) fn close(&mut self, now: u64) {
        for record in &mut self.records {
            self.report.vacant_at_the_end += u64::from(record.vacant.is_some());
            self.report.filled(now, record.vacant.take());
        }
    }
}
