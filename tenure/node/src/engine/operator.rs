//! Requests of operators: to make leaders leave, and to report the state of this participant.

use super::observer::MemberReports;
use super::{Candidacy, NodeEngine, TICK};
use crate::error::TransferError;
use crate::leadership::ReleaseReply;
use crate::office::OfficeName;
use crate::packet::PeerMessage;
use crate::status::{OfficeStatus, ParticipantStatus, PeerStatus};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tenure_model::{Office, Peer, Term};
use tenure_protocol::reconfiguration::ReconfigurableAlarm;
use tenure_protocol::tenure::Alarm;

/// The number of leases, in addition to [`GRACE`], for which an order is repeated before it is given up.
const PATIENCE: u64 = 8;
/// The time in which the leader's program may end its work, in ticks.
const GRACE: u64 = 60_000_000;
/// The maximal number of orders at a time.
const MOST: usize = 64;

/// An order to the leader of an office to leave.
pub(super) struct LeaveOrder {
    office: OfficeName,
    to: Option<Peer>,
    stage: OrderStage,
    /// When it was given.
    since: u64,
    /// What members have answered since then.
    reports: MemberReports,
    answer: ReleaseReply,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OrderStage {
    /// A majority has not said yet who leads, or it is not known whether the one that should lead stands.
    Asking,
    /// The leader of this term has been told to leave.
    Leaving(Peer, Term),
    /// The leader of this term leads no more, to the knowledge of this participant since then.
    Left(Peer, Term, u64),
}

impl LeaveOrder {
    fn refuse(self, why: String) {
        let _ = self.answer.send(Err(match self.stage {
            OrderStage::Left(..) => TransferError::NotTransferred(why),
            _ => TransferError::NotLeading(why),
        }));
    }
}

impl NodeEngine {
    /// Handles the request of an operator of this participant that the leader of the office leave.
    pub(super) fn order(&mut self, office: &OfficeName, to: Option<String>, answer: ReleaseReply) {
        let peer = to.as_deref().map(|name| (name, self.peer_named(name)));
        let to = match peer {
            Some((name, None)) => {
                let _ = answer.send(Err(TransferError::Unknown(name.to_owned())));
                return;
            }
            Some((_, to)) => to,
            None => None,
        };
        if self.orders.len() >= MOST {
            let busy = "too many orders are under way".to_owned();
            let _ = answer.send(Err(TransferError::NotLeading(busy)));
            return;
        }
        let (office, since, reports) = (office.clone(), self.now(), MemberReports::default());
        let stage = OrderStage::Asking;
        self.orders.push(LeaveOrder { office, to, stage, since, reports, answer });
        self.look_soon();
    }

    pub(super) fn is_ordered(&self, office: Office) -> bool {
        self.orders.iter().any(|order| order.office.number() == office)
    }

    /// Advances the orders that are not done. At a heartbeat it also repeats the questions and orders that others have not
    /// answered yet: if answers had it do that, each would cause further ones. Returns whether there are any orders.
    pub(super) fn order_again(&mut self, now: u64, beats: bool) -> bool {
        self.heard_order = false;
        let orders = std::mem::take(&mut self.orders);
        let offices: Vec<Office> = orders.iter().map(|order| order.office.number()).collect();
        for mut order in orders {
            self.keep(&order.office);
            let led = self.finding(order.office.number()).0;
            match order.stage {
                // The caller waits no more.
                OrderStage::Asking | OrderStage::Left(..) if order.answer.is_closed() => {}
                OrderStage::Asking => self.begin_order(order, led, now, beats),
                // It leads still, or again after this participant had not heard of it for a moment, or is not known
                // yet to lead.
                OrderStage::Leaving(leader, term) | OrderStage::Left(leader, term, _)
                    if led.is_some_and(|(_, led)| led <= term) =>
                {
                    order.stage = OrderStage::Leaving(leader, term);
                    self.insist(order, leader, term, now, beats);
                }
                OrderStage::Leaving(leader, term) => {
                    order.stage = OrderStage::Left(leader, term, now);
                    self.end_order(order, led, (term, now), now);
                }
                OrderStage::Left(_, term, at) => self.end_order(order, led, (term, at), now),
            }
        }
        for office in offices {
            // It may not matter here any more.
            self.update(office);
        }
        !self.orders.is_empty()
    }

    fn patience(&self) -> u64 {
        let setting = self.parts.setting;
        (u64::from(setting.lease) * PATIENCE + u64::from(setting.stop)) * TICK
    }

    /// Tells the leader to leave, once a majority of the members has said who leads, and it is known whether the one
    /// that should lead stands. What this participant knows by itself may be of a leader that has left, whose order
    /// nobody would follow.
    fn begin_order(
        &mut self,
        mut order: LeaveOrder,
        led: Option<(Peer, Term)>,
        now: u64,
        beats: bool,
    ) {
        let office = order.office.clone();
        let (number, office) = (office.number(), office.name());
        // Long enough for the members to answer who leads, and for a claim to arrive.
        let late = now >= order.since + u64::from(self.parts.setting.lease) * TICK;
        let me = self.parts.setting.me;
        let electorate = self.members.now().configuration.electorate;
        let silent = |&peer: &Peer| peer != me && !order.reports.is_from(peer);
        let certain = led.is_some_and(|(leader, _)| leader == me)
            || electorate.is_quorum(|peer| !silent(&peer));
        if beats && !late {
            // Whatever the one that should lead answers, it is heard.
            let to = order.to.filter(|&to| to != me && !self.is_member(to));
            let asked = self.other_members().filter(silent).chain(to);
            self.send(asked.map(|peer| (peer, PeerMessage::Ask(number))).collect());
        }
        if !late && !certain {
            return self.orders.push(order);
        }
        let Some((leader, term)) =
            led.into_iter().chain(order.reports.newest()).max_by_key(|&(_, term)| term)
        else {
            if late {
                order.refuse(format!("no participant is known to lead `{office}`"));
            } else {
                self.orders.push(order);
            }
            return;
        };
        if let Some(to) = order.to {
            let name = self.name_of(to);
            if to == leader {
                return order
                    .refuse(format!("{name} leads `{office}` already, in term {}", term.0));
            }
            match self.hindrance(to, &order.office, order.since) {
                Some(why) if late => return order.refuse(why),
                Some(_) => return self.orders.push(order),
                None => {}
            }
        }
        order.stage = OrderStage::Leaving(leader, term);
        self.insist(order, leader, term, now, true);
    }

    /// Hears from a member who leads, for the orders that wait for it.
    pub(super) fn told_for_orders(&mut self, by: Peer, office: Office, led: Option<(Peer, Term)>) {
        let waits = |order: &&mut LeaveOrder| {
            order.stage == OrderStage::Asking && order.office.number() == office
        };
        let now = self.now();
        let mut waiting = self.orders.iter_mut().filter(waits).peekable();
        let any = waiting.peek().is_some();
        waiting.for_each(|order| order.reports.tell(by, led, now));
        if any {
            self.heard_order = true;
        }
    }

    /// Looks after the orders that wait to hear a peer, which is heard now.
    pub(super) fn heard_for_orders(&mut self, peer: Peer) {
        let waits =
            |order: &LeaveOrder| order.stage == OrderStage::Asking && order.to == Some(peer);
        if self.orders.iter().any(waits) {
            self.heard_order = true;
        }
    }

    /// Returns why a peer could not lead if the leader left now: it does not stand, or it is down, cut off or
    /// suspended, and so has not been heard since the order. `None` if it could, or if this participant has no vote,
    /// and cannot know.
    fn hindrance(&self, peer: Peer, office: &OfficeName, since: u64) -> Option<String> {
        let (setting, me, name) = (self.parts.setting, &self.parts.name, self.name_of(peer));
        let (myself, number) = (peer == setting.me, office.number());
        let claims = match self.votes() {
            true => {
                self.process.as_ref().is_some_and(|it| it.as_tenure().is_claimed_by(peer, number))
            }
            false if myself => self.candidacies.get(&number).is_some_and(Candidacy::stands),
            false => return None,
        };
        let heard = self.hearing.of(peer).map(|last| last.load(Ordering::Relaxed));
        let is_heard = myself || heard.is_some_and(|at| at >= since);
        if claims && is_heard {
            return None;
        }
        let links = self.parts.transport.links();
        let connected = links.iter().any(|link| link.reaches(peer));
        if !claims && (is_heard || connected) {
            let office = office.name();
            return Some(format!("{name} does not stand for `{office}`, {me} finds"));
        }
        Some(match heard {
            Some(at) => {
                let silent = Duration::from_millis(self.now().saturating_sub(at) / 1_000_000);
                format!(
                    "{name} is down, cut off or suspended: {me} has not heard it for {silent:?}"
                )
            }
            None => format!("{name} is down or cut off: {me} has never heard it"),
        })
    }

    /// Tells the leader to leave, again at each heartbeat, for as long as its work may take to end.
    fn insist(&mut self, order: LeaveOrder, leader: Peer, term: Term, now: u64, tells: bool) {
        let patience = self.patience() + GRACE * TICK;
        if now < order.since + patience {
            if tells {
                self.repeat_order(&order, leader, term);
            }
            return self.orders.push(order);
        }
        let (name, office) = (self.name_of(leader), order.office.clone());
        let (office, term, patience) = (office.name(), term.0, Duration::from_nanos(patience));
        order.refuse(format!(
            "`{office}` is still led by {name} in term {term}: it was told to leave {patience:?} ago, and its work \
             has not ended; it leaves when the work ends"
        ));
    }

    fn repeat_order(&mut self, order: &LeaveOrder, leader: Peer, term: Term) {
        let (office, to) = (order.office.number(), order.to);
        if leader == self.parts.setting.me {
            self.obey(office, term, to);
        } else {
            self.send(vec![(leader, PeerMessage::Leave { office, term, to })]);
        }
    }

    /// Answers an order once another one leads than in this term, and one to resign also where nobody has led for a
    /// lease, as far as a majority of the members knows.
    fn end_order(
        &mut self,
        order: LeaveOrder,
        led: Option<(Peer, Term)>,
        (left, at): (Term, u64),
        now: u64,
    ) {
        let office = order.office.clone();
        let office = office.name();
        let name = |peer| self.name_of(peer);
        let lease = u64::from(self.parts.setting.lease) * TICK;
        let vacant = now >= at + lease && self.hearing.majority() >= at;
        match (led, order.to) {
            (Some((leader, term)), Some(to)) if term > left && leader != to => {
                let (leader, to, term) = (name(leader), name(to), term.0);
                order.refuse(format!("`{office}` is led by {leader} in term {term}, not by {to}"));
            }
            (Some((_, term)), _) if term > left => drop(order.answer.send(Ok(()))),
            (None, None) if vacant => drop(order.answer.send(Ok(()))),
            (_, Some(_)) if now >= at + self.patience() => {
                order.refuse(format!("the leader has left `{office}`, and it has no leader now"));
            }
            (_, None) if now >= at + self.patience() => order.refuse(format!(
                "no participant is known to lead `{office}` any more, and no majority of the members is heard"
            )),
            _ => self.orders.push(order),
        }
    }

    /// Handles an order from another participant to leave the office.
    pub(super) fn ordered(&mut self, by: Peer, office: Office, term: Term, to: Option<Peer>) {
        if self.is_member(by) {
            self.obey(office, term, to);
        }
    }

    fn obey(&mut self, office: Office, term: Term, to: Option<Peer>) {
        let leads = |(tenure, _): &(tenure_model::OfficeTenure<_>, _)| {
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

    /// Adds what the protocol knows of a peer to what the transport knows of it.
    fn peer_status(&self, peer: Peer, link: Option<&PeerStatus>, now: u64) -> PeerStatus {
        let process = self.process.as_ref();
        let left = |alarm: Option<Alarm>| {
            let left = self.alarms.due(ReconfigurableAlarm::Own(alarm?))?.checked_sub(now)?;
            (left > 0).then(|| Duration::from_nanos(left))
        };
        let heard = self.hearing.of(peer).map(|last| last.load(Ordering::Relaxed));
        PeerStatus {
            name: self.name_of(peer),
            number: peer.0,
            last_heard: heard.map(|at| Duration::from_nanos(now.saturating_sub(at))),
            lease_held: left(process.and_then(|process| process.as_tenure().counted_until(peer))),
            lease_owed: left(process.and_then(|process| process.as_tenure().kept_until(peer))),
            ..link.cloned().unwrap_or_default()
        }
    }

    fn office_status(&self, candidacy: &Candidacy, now: u64) -> OfficeStatus {
        let office = candidacy.office.number();
        let standing = self.standing(&candidacy.office);
        let left = |at: u64| Duration::from_nanos(at.saturating_sub(now));
        OfficeStatus {
            name: candidacy.office.name().to_owned(),
            leader: standing.leader().map(|leader| leader.name.clone()),
            term: standing.term(),
            staleness: standing.staleness(),
            value: standing.value().map(str::to_owned),
            change: standing.change(),
            here: candidacy.is_working(),
            stands: candidacy.stands(),
            work: self.work_status(candidacy, now),
            valid_for: self.tenure(office).map(|(_, until)| until.map_or(Duration::MAX, left)),
        }
    }

    pub(super) fn status(&mut self) -> ParticipantStatus {
        self.forget_names();
        let now = self.now();
        let links = self.parts.transport.links();
        let process = self.process.as_ref();
        let link = |peer: Peer| links.iter().find(|link| link.number == peer.0);
        let clients = links.iter().filter(|link| !self.is_member(Peer(link.number)));
        let offices = self.candidacies.values().filter(|it| !self.is_only_reported(it));
        ParticipantStatus {
            boot: self.boot,
            learning: process.is_some_and(|it| it.as_tenure().learning()),
            quarantined: process.is_some_and(|it| it.as_tenure().quarantined()),
            up: process.is_some(),
            majority_heard: Duration::from_nanos(now.saturating_sub(self.hearing.majority())),
            undecodable: self.parts.inbox.undecodable(),
            dropped: self.parts.inbox.dropped(),
            refused: self.parts.transport.refused(),
            warnings: self.parts.transport.warnings(),
            certificate_end: self.parts.transport.certificate_end(),
            panics: self.parts.transport.panics(),
            offices: offices.map(|candidacy| self.office_status(candidacy, now)).collect(),
            members: self.other_members().map(|it| self.peer_status(it, link(it), now)).collect(),
            clients: clients
                .map(|link| self.peer_status(Peer(link.number), Some(link), now))
                .collect(),
            ..self.status.clone()
        }
    }
}
