//! The other members, which are asked for what this one does not know.

use super::client::{self, Place};
use super::{Answer, OfficeReport, Request, milliseconds};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tenure_node::Address;
use tenure_node::config::{Config, TlsFiles};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

/// The other members of the cluster.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    cluster: String,
    addresses: Vec<Address>,
    /// The files of this member's certificates, which change when the configuration is read again.
    tls: Arc<RwLock<TlsFiles>>,
}

impl Neighbours {
    /// Returns the members of a configuration, without the one of this name.
    pub(crate) fn of(config: &Config, name: &str) -> Self {
        let others = config.members.iter().filter(|member| member.name != name);
        let address = others.map(|member| Address {
            at: member.address.clone(),
            member: Some(member.name.clone()),
        });
        Self {
            cluster: config.cluster.clone(),
            addresses: address.collect(),
            tls: Arc::new(RwLock::new(config.tls.clone())),
        }
    }

    /// Uses these files of certificates from now on.
    pub(crate) fn use_files(&self, tls: TlsFiles) {
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = tls;
    }

    /// Adds what the other members know of an office, or of all, within a time.
    pub(crate) async fn add(
        &self,
        known: Vec<OfficeReport>,
        office: Option<&str>,
        limit: Duration,
    ) -> Vec<OfficeReport> {
        let mut asked = JoinSet::new();
        for address in self.addresses.clone() {
            let tls = self.tls.read().unwrap_or_else(PoisonError::into_inner).clone();
            let place =
                Place::Members { cluster: self.cluster.clone(), tls, addresses: vec![address] };
            let request = Request::Known { office: office.map(str::to_owned) };
            asked.spawn(async move {
                let begin = Instant::now();
                let answer = timeout(limit, client::ask(&place, &request)).await;
                (answer, begin.elapsed())
            });
        }
        let mut all: BTreeMap<_, _> =
            known.into_iter().map(|report| (report.office.clone(), report)).collect();
        while let Some(told) = asked.join_next().await {
            // One that does not answer in time knows nothing that the others do not, mostly.
            if let Ok((Ok(Ok(Answer::Offices(offices))), took)) = told {
                offices.into_iter().for_each(|report| merge(&mut all, report, took));
            }
        }
        all.into_values().collect()
    }
}

/// Adds what another member has answered, which took some time.
fn merge(known: &mut BTreeMap<String, OfficeReport>, report: OfficeReport, took: Duration) {
    let took = milliseconds(took).saturating_add(1);
    let left = report.valid_for_ms.and_then(|left| left.checked_sub(took));
    let report = OfficeReport {
        here: false,
        staleness_ms: report.staleness_ms.saturating_add(took),
        valid_for_ms: left.filter(|&left| left > 0),
        ..report
    };
    let Some(ours) = known.get_mut(&report.office) else {
        known.insert(report.office.clone(), report);
        return;
    };
    // Of two that know of the same tenure, the first has noticed it sooner.
    let same = (&report.leader, report.term) == (&ours.leader, ours.term);
    let since = if same { ours.since.iter().chain(&report.since).min().cloned() } else { None };
    // The leader knows best; and one that knows no leader may only not hear it.
    let weight = |report: &OfficeReport| {
        let certain = report.here || report.valid_for_ms.is_some();
        (report.term, certain, report.leader.is_some())
    };
    let better = (weight(&report), ours.staleness_ms) > (weight(ours), report.staleness_ms);
    if better {
        *ours = report;
    }
    if same {
        ours.since = since;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(leader: Option<&str>, term: Option<u64>) -> OfficeReport {
        OfficeReport {
            office: "db".to_owned(),
            leader: leader.map(str::to_owned),
            term,
            since: Some("2026-11-24T12:00:02.000Z".to_owned()),
            staleness_ms: 20,
            here: false,
            valid_for_ms: None,
        }
    }

    /// Merges the reports of other members into ours. Each took 9 ms.
    fn merged(ours: OfficeReport, others: &[OfficeReport]) -> OfficeReport {
        let mut known = BTreeMap::from([(ours.office.clone(), ours)]);
        for other in others {
            merge(&mut known, other.clone(), Duration::from_millis(9));
        }
        known.remove("db").unwrap()
    }

    #[test]
    fn a_greater_term_and_a_leader_are_better_known_than_none() {
        let (none, old, new) =
            (report(None, None), report(Some("a"), Some(7)), report(Some("b"), Some(8)));
        let told =
            |ours: &OfficeReport, others: &[OfficeReport]| merged(ours.clone(), others).leader;
        assert_eq!(told(&none, std::slice::from_ref(&old)).as_deref(), Some("a"));
        assert_eq!(told(&old, &[none.clone(), new.clone()]).as_deref(), Some("b"));
        assert_eq!(told(&new, &[old.clone(), none]).as_deref(), Some("b"));
        assert_eq!(told(&report(None, Some(7)), &[old]).as_deref(), Some("a"));
        assert_eq!(told(&report(Some("a"), Some(7)), &[report(None, Some(8))]), None);
    }

    #[test]
    fn the_leader_tells_for_how_long_it_leads_less_the_time_of_the_answer() {
        let mut leader = report(Some("a"), Some(7));
        (leader.here, leader.valid_for_ms, leader.staleness_ms) = (true, Some(210), 0);
        let told = merged(report(Some("a"), Some(7)), std::slice::from_ref(&leader));
        assert_eq!((told.here, told.valid_for_ms, told.staleness_ms), (false, Some(200), 10));
        leader.valid_for_ms = Some(10);
        assert_eq!(merged(report(None, None), std::slice::from_ref(&leader)).valid_for_ms, None);
        // What it knows itself is as it was.
        assert!(merged(leader, &[report(Some("a"), Some(7))]).here);
    }

    #[test]
    fn who_has_noticed_first_tells_since_when() {
        let mut earlier = report(Some("a"), Some(7));
        earlier.since = Some("2026-11-24T12:00:01.500Z".to_owned());
        let since = |ours, other| merged(ours, &[other]).since.unwrap();
        assert!(since(report(Some("a"), Some(7)), earlier.clone()).contains(":01.500"));
        assert!(since(earlier.clone(), report(Some("a"), Some(7))).contains(":01.500"));
        assert!(since(earlier, report(Some("b"), Some(8))).contains(":02.000"));
    }
}
