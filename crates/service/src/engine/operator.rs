//! Requests of operators: to make leaders leave, and to report the state of this participant.

use super::{Engine, TICK};
use crate::leadership::{Answer, TransferError};
use crate::office::OfficeName;
use crate::packet::Packet;
use crate::status::{OfficeStatus, PeerStatus, Status};
use std::sync::atomic::Ordering;
use std::time::Duration;
use suffrage_process::recovery::{Office, Peer, Term};
use suffrage_protocols::tenure::{Alarm, Tenure};

/// For how many leases an order is repeated before it is given up, beside [`GRACE`].
const PATIENCE: u64 = 8;
/// The time in which the leader's program may end its work, in ticks.
const GRACE: u64 = 60_000_000;
/// The maximal number of orders at a time.
const MOST: usize = 64;

/// An order to a leader to leave.
pub(super) struct Order {
    office: OfficeName,
    leader: Peer,
    term: Term,
    to: Option<Peer>,
    until: u64,
    answer: Answer,
}

impl Engine {
    /// Handles the request of an operator of this participant that the leader of the office leave.
    pub(super) fn order(&mut self, office: &OfficeName, to: Option<String>, answer: Answer) {
        let peer = to.as_deref().map(|name| (name, self.peer_named(name)));
        let to = match peer {
            Some((name, None)) => {
                let _ = answer.send(Err(TransferError::Unknown(name.to_owned())));
                return;
            }
            Some((_, to)) => to,
            None => None,
        };
        let Some((leader, term)) = self.finding(office.number()).0 else {
            let vacant = format!("no participant is known to lead `{}`", office.name());
            let _ = answer.send(Err(TransferError::NotLeading(vacant)));
            return;
        };
        if self.orders.len() >= MOST {
            let busy = "too many orders are under way".to_owned();
            let _ = answer.send(Err(TransferError::NotLeading(busy)));
            return;
        }
        let stop = u64::from(self.parts.setting.stop);
        let patience = (u64::from(self.parts.setting.lease) * PATIENCE + stop + GRACE) * TICK;
        let until = self.now() + patience;
        self.orders.push(Order { office: office.clone(), leader, term, to, until, answer });
        self.look_soon();
    }

    /// Repeats the orders that leaders have not followed yet. Returns whether there are any.
    pub(super) fn order_again(&mut self, now: u64) -> bool {
        for order in std::mem::take(&mut self.orders) {
            let Order { leader, term, to, .. } = order;
            let office = order.office.number();
            let leads = self.finding(office).0 == Some((leader, term));
            if !leads {
                let _ = order.answer.send(Ok(()));
                continue;
            }
            if now >= order.until {
                let name = self.name_of(leader);
                let why =
                    format!("`{}` is still led by {name} in term {}", order.office.name(), term.0);
                let _ = order.answer.send(Err(TransferError::NotLeading(why)));
                continue;
            }
            self.orders.push(order);
            if leader == self.parts.setting.me {
                self.obey(office, term, to);
            } else {
                self.send(vec![(leader, Packet::Leave { office, term, to })]);
            }
        }
        !self.orders.is_empty()
    }

    /// Handles an order from another participant to leave the office.
    pub(super) fn ordered(&mut self, by: Peer, office: Office, term: Term, to: Option<Peer>) {
        if by.0 < self.parts.setting.members {
            self.obey(office, term, to);
        }
    }

    fn obey(&mut self, office: Office, term: Term, to: Option<Peer>) {
        let leads = |(tenure, _): &(suffrage_process::recovery::Tenure<_>, _)| {
            tenure.term == term && !tenure.stopping
        };
        if !self.tenure(office).as_ref().is_some_and(leads) {
            return;
        }
        // The office is held until the program has ended its work.
        if !self.ask_to_stop(office, term, to) {
            self.leave(office, to);
        }
    }

    /// Returns the state of the participant.
    pub(super) fn status(&mut self) -> Status {
        let now = self.now();
        let setting = self.parts.setting;
        let links = self.parts.transport.links();
        let process = self.process.as_ref();
        let left = |alarm: Option<Alarm>| {
            let left = self.alarms.due(alarm?)?.checked_sub(now)?;
            (left > 0).then(|| Duration::from_nanos(left))
        };
        let member = |peer: Peer| {
            let link = links.iter().find(|link| link.peer == peer);
            let heard = self.hearing.of(peer).map(|last| last.load(Ordering::Relaxed));
            PeerStatus {
                name: self.name_of(peer),
                number: peer.0,
                connected: link.is_some_and(|link| link.connected),
                version: link.and_then(|link| link.version),
                round_trip: link.and_then(|link| link.round_trip),
                datagrams_sent: link.map_or(0, |link| link.datagrams.0),
                datagrams_received: link.map_or(0, |link| link.datagrams.1),
                last_heard: heard.map(|at| Duration::from_nanos(now.saturating_sub(at))),
                lease_held: left(process.and_then(|process| process.counted_until(peer))),
                lease_owed: left(process.and_then(|process| process.kept_until(peer))),
                trouble: link.and_then(|link| link.trouble.clone()),
            }
        };
        let members: Vec<PeerStatus> = setting.others().map(member).collect();
        let standers = links.iter().filter(|link| link.peer.0 >= setting.members);
        let standers = standers.map(|link| member(link.peer)).collect();
        let offices = self.seats.values().filter(|seat| !self.is_hearsay(seat)).map(|seat| {
            let tenure = self.tenure(seat.office.number());
            let standing = self.standing(&seat.office);
            OfficeStatus {
                name: seat.office.name().to_owned(),
                leader: standing.leader().map(|leader| leader.name.clone()),
                term: standing.term(),
                staleness: standing.staleness(),
                here: self.is_at_work(seat.office.number()),
                stands: seat.stands(),
                valid_for: tenure.map(|(_, until)| {
                    until.map_or(Duration::MAX, |at| Duration::from_nanos(at.saturating_sub(now)))
                }),
            }
        });
        Status {
            name: self.parts.name.clone(),
            cluster: self.parts.cluster.clone(),
            member: setting.is_member(),
            boot: self.boot,
            learning: process.is_some_and(Tenure::learning),
            quarantined: process.is_some_and(Tenure::quarantined),
            up: process.is_some(),
            storage: self.storage.clone(),
            majority_heard: Duration::from_nanos(now.saturating_sub(self.hearing.majority())),
            last_sync: Duration::from_nanos(self.counters.last_sync),
            longest_sync: Duration::from_nanos(self.counters.longest_sync),
            longest_pause: Duration::from_nanos(self.counters.longest_pause),
            clock_drift_ppm: self.parts.clock_drift,
            syncs: self.counters.syncs,
            sent: self.counters.sent,
            received: self.counters.received,
            undecodable: self.parts.inbox.undecodable(),
            rejected: self.counters.rejected,
            dropped: self.parts.inbox.dropped(),
            restarts: self.counters.restarts,
            elections: self.counters.elections,
            losses: self.counters.losses,
            vacancies: self.counters.vacancies,
            heralded: self.counters.heralded,
            refused: self.parts.transport.refused(),
            offices: offices.collect(),
            members,
            standers,
        }
    }
}
