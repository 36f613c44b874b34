//! The other members, which are asked for what this one does not know.

use super::client::{self, ControlAddress};
use super::{ControlReply, OfficeReport, Request, milliseconds};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tenure_node::Address;
use tenure_node::config::{ClusterConfig, TlsFiles};
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
    pub(crate) fn of(config: &ClusterConfig, name: &str) -> Self {
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
            let place = ControlAddress::Members {
                cluster: self.cluster.clone(),
                tls,
                addresses: vec![address],
            };
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
            if let Ok((Ok(Ok(ControlReply::Offices(offices))), took)) = told {
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
mod tests;
