//! The offices, checked against the promises.

use crate::promises::{Breach, Promise, SafetyMonitor};
use std::collections::{BTreeMap, VecDeque};
use tenure_model::{Peer, Term};

/// The number of tenures of an office that are remembered, to determine the age of an answer.
const REMEMBERED: usize = 4096;

/// The state of one office.
struct OfficeRecord {
    ledger: SafetyMonitor,
    /// The beginning of its vacancy, and the kind of fault at that time.
    vacant: Option<(u64, &'static str)>,
    tenures: VecDeque<PastTenure>,
}

/// A tenure.
#[derive(Clone, Copy)]
struct PastTenure {
    holder: (Peer, Term),
    /// The end of the tenure; `u64::MAX` while it lasts.
    ended: u64,
}

/// A breach that was found, with its instant and its office.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundBreach {
    pub(crate) at: u64,
    pub(crate) office: u32,
    pub(crate) breach: Breach,
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
    /// The durations of vacancies, by kind of fault, in the order of their ends.
    pub(crate) vacancies: BTreeMap<&'static str, Vec<u64>>,
    /// The sum of the vacancies of all offices.
    pub(crate) vacant: u64,
    pub(crate) vacant_at_the_end: u64,
    pub(crate) tenures: u64,
    pub(crate) needless: u64,
    pub(crate) staleness: Vec<u64>,
    /// The number of times that each promise was broken.
    pub(crate) broken: BTreeMap<Promise, u64>,
    /// The breach that has not been handled yet.
    pub(crate) found: Option<FoundBreach>,
}

impl Offices {
    pub(crate) fn new(offices: u32, bound: u64) -> Self {
        let record = || OfficeRecord {
            ledger: SafetyMonitor::default(),
            vacant: Some((0, "start")),
            tenures: VecDeque::new(),
        };
        Self {
            records: (0..offices).map(|_| record()).collect(),
            bound,
            vacancies: BTreeMap::new(),
            vacant: 0,
            vacant_at_the_end: 0,
            tenures: 0,
            needless: 0,
            staleness: Vec::new(),
            broken: BTreeMap::new(),
            found: None,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.records.len() as u64
    }

    pub(crate) fn holders(&self, office: u32) -> &[(Peer, Term)] {
        self.records[office as usize].ledger.holders()
    }

    pub(crate) fn workers(&self, office: u32) -> &[(Peer, Term)] {
        self.records[office as usize].ledger.workers()
    }

    fn broke(&mut self, at: u64, office: u32, breach: Option<Breach>) {
        let Some(breach) = breach else { return };
        *self.broken.entry(breach.promise()).or_default() += 1;
        self.found.get_or_insert(FoundBreach { at, office, breach });
    }

    /// Records the beginning of a tenure. A process could have led since `possible`.
    pub(crate) fn begins(&mut self, now: u64, office: u32, holder: (Peer, Term), possible: u64) {
        self.look(now, office, possible);
        let record = &mut self.records[office as usize];
        let breach = record.ledger.begins(holder.0, holder.1);
        if let Some((since, kind)) = record.vacant.take() {
            self.vacancies.entry(kind).or_default().push(now - since);
            self.vacant += now - since;
        }
        match record.tenures.back_mut() {
            Some(past) if past.holder == holder => past.ended = u64::MAX,
            _ => {
                self.tenures += 1;
                record.remember(PastTenure { holder, ended: u64::MAX });
            }
        }
        self.broke(now, office, breach);
    }

    /// Records the end of a tenure, for good or because it `lapses`.
    pub(crate) fn ends(
        &mut self,
        now: u64,
        office: u32,
        holder: (Peer, Term),
        lapses: bool,
        kind: &'static str,
    ) {
        let record = &mut self.records[office as usize];
        if lapses {
            record.ledger.lapses(holder.0);
        } else {
            record.ledger.ends(holder.0);
        }
        if let Some(past) = record.tenures.iter_mut().rev().find(|past| past.holder == holder)
            && past.ended == u64::MAX
        {
            past.ended = now;
        }
        if record.vacant.is_none() && record.ledger.holders().is_empty() {
            record.vacant = Some((now, kind));
        }
    }

    /// Records a tenure that was over before the writes on which it rests were on stable storage:
    /// no process could act on it, but messages may name it.
    pub(crate) fn led_briefly(&mut self, now: u64, office: u32, holder: (Peer, Term)) {
        let record = &mut self.records[office as usize];
        if record.tenures.iter().rev().all(|past| past.holder != holder) {
            record.remember(PastTenure { holder, ended: now });
        }
    }

    /// Records that a holder lost the office although it could exchange messages with a majority.
    pub(crate) fn deposed(&mut self, now: u64, office: u32, holder: (Peer, Term)) {
        self.needless += 1;
        self.broke(now, office, Some(Breach::Deposed { holder }));
    }

    pub(crate) fn work_begins(&mut self, now: u64, office: u32, peer: Peer, term: Term) {
        let breach = self.records[office as usize].ledger.work_begins(peer, term);
        self.broke(now, office, breach);
    }

    pub(crate) fn work_ends(&mut self, office: u32, peer: Peer) {
        self.records[office as usize].ledger.work_ends(peer);
    }

    /// Records that a process no longer names this leader. It could have said so since `able`.
    pub(crate) fn unsaid(&mut self, now: u64, office: u32, named: (Peer, Term), able: u64) {
        let tenures = &self.records[office as usize].tenures;
        let past = tenures.iter().rev().find(|past| past.holder == named);
        if let Some(past) = past.filter(|past| past.ended != u64::MAX) {
            self.staleness.push(now - past.ended.max(able).min(now));
        }
    }

    /// Records that a process names this leader.
    pub(crate) fn said(&mut self, now: u64, office: u32, teller: Peer, named: (Peer, Term)) {
        let tenures = &self.records[office as usize].tenures;
        let led = tenures.iter().rev().any(|past| past.holder == named);
        let forgotten = tenures.len() == REMEMBERED;
        if !led && !forgotten {
            self.broke(now, office, Some(Breach::NeverLed { teller, named }));
        }
    }

    /// Checks whether the office has been vacant for too long.
    pub(crate) fn look(&mut self, now: u64, office: u32, possible: u64) {
        let Some((since, _)) = self.records[office as usize].vacant else { return };
        let nanos = now.saturating_sub(since.max(possible));
        if nanos > self.bound {
            let bound = self.bound;
            self.broke(now, office, Some(Breach::VacantTooLong { nanos, bound }));
        }
    }

    /// Checks all offices before conditions change.
    pub(crate) fn look_at_all(&mut self, now: u64, possible: u64) {
        if now.saturating_sub(possible) > self.bound {
            for office in 0..self.records.len() as u32 {
                self.look(now, office, possible);
            }
        }
    }

    /// Ends the run: vacancies that have not ended end now.
    pub(crate) fn close(&mut self, now: u64) {
        for record in &mut self.records {
            if let Some((since, kind)) = record.vacant.take() {
                self.vacancies.entry(kind).or_default().push(now - since);
                self.vacant += now - since;
                self.vacant_at_the_end += 1;
            }
        }
    }
}
