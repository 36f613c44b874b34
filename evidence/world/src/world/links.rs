//! The connections between members: what decides is theirs, and handshakes are real ones. A host can show a wrong
//! certificate, or speak other versions, and another process can come with the identity of a member.

use super::ServiceWorld;
use crate::certificates::{CertificateFault, shake_hands};
use crate::clock::{MICRO, MILLI, SECOND};
use crate::queue::{HostNumber, HostTask, WorldEvent};
use rustls::pki_types::CertificateDer;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;
use tenure_model::Peer;
use tenure_node::testing::{
    DiallingNews, DiallingOrder, SteppedDialling, SteppedLinks, SteppedSession,
};

/// How often another process with the identity of a member dials all others.
const AGAIN: u64 = 100 * MILLI;

/// The room for messages in a datagram.
const ROOM: usize = 1200;

/// One side of a connection.
struct LinkEnd {
    host: HostNumber,
    /// The start of its program.
    start: u64,
    /// The number of the other side.
    peer: Peer,
    /// When it has heard the other side.
    heard: u64,
    /// `None` if its program is gone.
    session: Option<SteppedSession>,
}

impl LinkEnd {
    /// Returns its session, if it has not closed that.
    fn open(&self) -> Option<&SteppedSession> {
        self.session.as_ref().filter(|session| !session.is_closed())
    }
}

/// A connection of two members: the side that has dialled, and the other one.
struct MemberLink {
    /// After which silence it is over, in nanoseconds.
    silence: u64,
    ends: [LinkEnd; 2],
    /// When both were there last, and heard each other.
    open_at: u64,
    /// Whether its end is under way.
    ends_soon: bool,
}

/// What the dialler has shown, or why one of the two refuses the other.
type Handshake = Result<Vec<CertificateDer<'static>>, String>;

/// The connections of all members, by their numbers.
#[derive(Default)]
pub(crate) struct MemberLinks {
    all: BTreeMap<u64, MemberLink>,
    last: u64,
    /// How handshakes end with the certificates that hosts have now.
    handshakes: BTreeMap<(HostNumber, HostNumber), Handshake>,
}

/// Another process with the identity of a member, and the connections that it has got.
pub(crate) struct TwinProcess {
    /// The number as which it comes: the member's own may be another one later.
    me: Peer,
    links: SteppedLinks,
    sessions: Vec<SteppedSession>,
}

impl ServiceWorld {
    /// Returns the versions that the program of a host speaks: those of this program, or later ones.
    pub(crate) fn versions(&self, host: HostNumber) -> RangeInclusive<u16> {
        let (oldest, newest) = tenure_node::testing::versions().into_inner();
        match self.hosts[host].upgraded {
            None => oldest..=newest,
            Some(true) => newest + 1..=newest + 1,
            Some(false) => oldest..=newest + 1,
        }
    }

    /// Lets a member begin to dial those that it knows now, and look again which of them it has to.
    pub(crate) fn dial_all(&mut self, host: HostNumber) {
        let me = self.hosts[host].me;
        let Some(program) = &mut self.hosts[host].program else { return };
        let start = program.number;
        let members = program.member.membership();
        for (peer, _) in members.hosts().filter(|&(peer, _)| peer != me) {
            let seed = self.dice.below(u64::MAX);
            program
                .dialling
                .entry(peer)
                .or_insert_with(|| SteppedDialling::new(program.links.clone(), peer, seed));
        }
        let looking = program.dialling.iter().filter(|(_, dialling)| dialling.looks());
        for peer in looking.map(|(&peer, _)| peer).collect::<Vec<_>>() {
            self.dialling(host, start, peer, DiallingNews::Due);
        }
    }

    /// Tells a member what has become of its attempt to dial another one, and does what it wants then.
    fn dialling(&mut self, host: HostNumber, start: u64, peer: Peer, news: DiallingNews) {
        self.set_clock(host);
        let program = self.hosts[host].program.as_mut().filter(|program| program.number == start);
        let Some(program) = program else { return };
        let Some(dialling) = program.dialling.get_mut(&peer) else { return };
        let before = dialling.due();
        let order = dialling.step(Duration::from_nanos(self.now), news);
        let (due, reaches) = (dialling.due(), dialling.reaches());
        if due != before && due != Duration::MAX {
            let at = self.now.max(due.as_nanos() as u64);
            self.queue.push(at, WorldEvent::Dial(host, start, peer));
        }
        match order {
            Some(DiallingOrder::Dial(limit)) => {
                let takes = self.handshake_takes();
                if let Some(reaches) = reaches.filter(|_| takes <= limit.as_nanos() as u64) {
                    let over = WorldEvent::HandshakeEnds(host, start, peer, reaches);
                    self.queue.push(self.now + takes, over);
                }
            }
            Some(DiallingOrder::Log(why)) => {
                self.log(host, format!("is not connected with number {}: {why}", peer.0));
            }
            None => {}
        }
    }

    fn handshake_takes(&mut self) -> u64 {
        600 * MICRO + self.dice.below(1200 * MICRO) + 4 * self.delay
    }

    /// Returns whether a process of a host runs and can be reached from another one.
    fn reaches(&self, from: HostNumber, to: HostNumber) -> bool {
        let runs = |host: HostNumber| {
            let it = &self.hosts[host];
            it.program.is_some() && it.can_run(HostTask::Engine)
        };
        self.is_open_between(from, to) && runs(from) && runs(to)
    }

    /// Returns how a member dials another one, if it does.
    fn dialling_of(&self, host: HostNumber, start: u64, peer: Peer) -> Option<&SteppedDialling> {
        let program = self.hosts[host].program.as_ref();
        program.filter(|program| program.number == start)?.dialling.get(&peer)
    }

    /// Something is due of a member that dials another one.
    pub(crate) fn dial(&mut self, host: HostNumber, start: u64, peer: Peer) {
        let due = self.dialling_of(host, start, peer).map(|it| it.due().as_nanos() as u64);
        if due.is_some_and(|due| due <= self.now) {
            self.dialling(host, start, peer, DiallingNews::Due);
        }
    }

    /// A handshake would be over now. A host that does not answer is silent.
    pub(crate) fn handshake_ends(
        &mut self,
        host: HostNumber,
        start: u64,
        peer: Peer,
        reaches: u64,
    ) {
        let dialling = self.dialling_of(host, start, peer);
        if dialling.and_then(SteppedDialling::reaches) != Some(reaches) {
            return;
        }
        let program = self.hosts[host].program.as_ref();
        let Some(name) = program.and_then(|program| program.links.dials(peer)) else { return };
        // Whatever number that host has: it is the address that is dialled.
        let to = self.names.iter().position(|it| *it == name.0);
        let to = to.filter(|&to| self.reaches(host, to));
        let lost = self.loss > 0 && self.dice.below(100) < u64::from(self.loss);
        let Some(to) = to.filter(|_| !lost) else { return };
        self.set_clock(host);
        self.set_clock(to);
        let news = match self.shake_hands(host, to, name.1) {
            Err(why) => DiallingNews::Failed(why),
            Ok(shown) => match self.let_in(host, to, peer, &shown) {
                Err(why) => DiallingNews::Over(why),
                Ok(()) => DiallingNews::Connected,
            },
        };
        self.dialling(host, start, peer, news);
    }

    fn let_in(
        &mut self,
        host: HostNumber,
        to: HostNumber,
        peer: Peer,
        shown: &[CertificateDer<'_>],
    ) -> Result<(), String> {
        let (me, programs) = (self.hosts[host].me, [host, to].map(|it| &self.hosts[it].program));
        let [Some(one), Some(other)] = programs else { return Err("it has ended".to_owned()) };
        let starts = [one.number, other.number];
        let silence = one.links.silence().as_nanos() as u64;
        let (answer, admitted) = other.links.answer(shown, &one.links.introduction());
        let welcomed = one.links.answered(peer, &answer)?;
        let end = |host, start, peer, session| LinkEnd {
            host,
            start,
            peer,
            heard: self.now,
            session: Some(session),
        };
        let ends = [end(host, starts[0], peer, welcomed), end(to, starts[1], me, admitted?)];
        self.judge_link(host, to);
        self.links.last += 1;
        let id = self.links.last;
        self.say(host, || format!("is connected with {}", self.names[to]));
        for (side, end) in ends.iter().enumerate() {
            if let Some(program) = &mut self.hosts[end.host].program {
                program.connections.push((id, side));
            }
            self.wake(end.host, HostTask::Engine);
        }
        self.links
            .all
            .insert(id, MemberLink { silence, ends, open_at: self.now, ends_soon: false });
        self.queue.push(self.now + silence / 4, WorldEvent::LookAtLink(id));
        self.sweep_links();
        Ok(())
    }

    /// Two members are connected: each has a right certificate, and they speak a common version.
    fn judge_link(&mut self, one: HostNumber, other: HostNumber) {
        let [ours, theirs] = [one, other].map(|host| self.versions(host));
        if ours.end().min(theirs.end()) < ours.start().max(theirs.start()) {
            self.broken(&format!(
                "hosts {one} and {other} are connected, and speak no common version"
            ));
        }
        for (host, from) in [(one, other), (other, one)] {
            if let Some((wrong, _)) = self.wrong_certificate(host, from) {
                self.broken(&format!(
                    "hosts {one} and {other} are connected: the certificate of {host} is {wrong:?}"
                ));
            }
        }
    }

    /// Returns what is wrong with the certificate of a host, as another one finds, and since when.
    fn wrong_certificate(&self, of: HostNumber, by: HostNumber) -> Option<(CertificateFault, u64)> {
        let foreign = |host: HostNumber| {
            self.hosts[host].certificate.is_some_and(|it| it.0 == CertificateFault::Foreign)
        };
        self.hosts[of].certificate.filter(|_| !(foreign(of) && foreign(by)))
    }

    /// Programs read their certificates again, and give up connections with hosts that have wrong ones.
    fn judge_certificate(&mut self, from: HostNumber, to: HostNumber) {
        let wrong = self.wrong_certificate(from, to);
        if let Some((wrong, _)) = wrong.filter(|&(_, since)| self.now - since > SECOND) {
            self.broken(&format!(
                "host {to} hears host {from}, whose certificate is {wrong:?} for a second"
            ));
        }
    }

    /// Lets a host, or another process with its certificate, shake hands with another one. Returns what it has shown.
    fn shake_hands(&mut self, host: HostNumber, to: HostNumber, name: String) -> Handshake {
        let tls = [host, to].map(|it| &self.hosts[it].tls);
        let made = || shake_hands(tls[0], tls[1], name).map_err(|error| error.to_string());
        self.links.handshakes.entry((host, to)).or_insert_with(made).clone()
    }

    /// Has connections end that one of the two has closed.
    pub(crate) fn sweep_links(&mut self) {
        let one_way = 450 * MICRO + self.delay;
        for (&id, link) in &mut self.links.all {
            let closed =
                |end: &LinkEnd| end.session.as_ref().is_some_and(SteppedSession::is_closed);
            if !link.ends_soon && link.ends.iter().any(closed) {
                link.ends_soon = true;
                self.queue.push(self.now + one_way, WorldEvent::LinkEnds(id));
            }
        }
    }

    /// The program of a host ends, and closes its connections, if it is not killed.
    pub(crate) fn leave_links(&mut self, connections: &[(u64, usize)], killed: bool) {
        for &(id, side) in connections {
            let Some(link) = self.links.all.get_mut(&id) else { continue };
            link.ends[side].session = None;
            if !killed {
                let one_way = 450 * MICRO + self.delay;
                self.queue.push(self.now + one_way, WorldEvent::LinkEnds(id));
            }
        }
    }

    /// The other side of a connection hears that it is over, if it can.
    pub(crate) fn link_ends(&mut self, id: u64) {
        let Some(link) = self.links.all.get(&id) else { return };
        let [one, other] = [0, 1].map(|side: usize| link.ends[side].host);
        if self.is_open_between(one, other) {
            self.end_link(id);
        }
    }

    fn end_link(&mut self, id: u64) {
        let Some(link) = self.links.all.remove(&id) else { return };
        for (side, end) in link.ends.into_iter().enumerate() {
            self.set_clock(end.host);
            let program = self.hosts[end.host].program.as_mut();
            let Some(program) = program.filter(|program| program.number == end.start) else {
                continue;
            };
            program.connections.retain(|&(other, _)| other != id);
            drop(end.session);
            if side == 0 {
                let over = DiallingNews::Over("the connection is over".to_owned());
                self.dialling(end.host, end.start, end.peer, over);
            }
        }
    }

    /// Looks whether the two sides of a connection hear each other. It ends after a silence; or when one of them says that
    /// it knows nothing of it, since it has closed it or was started meanwhile.
    pub(crate) fn look_at_link(&mut self, id: u64) {
        let Some(link) = self.links.all.get(&id) else { return };
        let [one, other] = [0, 1].map(|side: usize| link.ends[side].host);
        let open = self.reaches(one, other);
        let is_there = |end: &LinkEnd| {
            let same =
                self.hosts[end.host].program.as_ref().is_some_and(|it| it.number == end.start);
            same && end.open().is_some()
        };
        let there = link.ends.iter().all(is_there);
        let silence = link.silence;
        let silent = self.now - link.open_at >= silence;
        if if open { !there } else { silent } {
            return self.end_link(id);
        }
        if open && let Some(link) = self.links.all.get_mut(&id) {
            link.open_at = self.now;
        }
        self.queue.push(self.now + silence / 4, WorldEvent::LookAtLink(id));
    }

    /// Sends what a member has for others.
    pub(crate) fn send_all(&mut self, host: HostNumber) {
        let mut sends = false;
        for place in 0.. {
            let program = self.hosts[host].program.as_ref();
            let connection = program.and_then(|program| program.connections.get(place).copied());
            let Some((id, side)) = connection else { break };
            while let Some(link) = self.links.all.get(&id)
                && let Some(session) = link.ends[side].open()
                && let Some(datagram) = session.pack(ROOM)
            {
                sends = true;
                let to = link.ends[1 - side].host;
                for message in SteppedSession::messages(&datagram) {
                    self.judge_message(host, message);
                }
                let arrives = WorldEvent::Carried(id, 1 - side, datagram);
                self.send_from((host, to), arrives);
            }
        }
        if sends && self.judge.floods(host, self.now) {
            self.broken(&format!("host {host} floods the others"));
        }
    }

    /// A datagram arrives on this side of a connection.
    pub(crate) fn carried(&mut self, id: u64, side: usize, datagram: &[u8]) {
        let hosts =
            self.links.all.get(&id).map(|link| [side, 1 - side].map(|it| link.ends[it].host));
        let Some([host, from]) = hosts else { return };
        self.set_clock(host);
        self.judge_certificate(from, host);
        let Some(link) = self.links.all.get_mut(&id) else { return };
        let end = &mut link.ends[side];
        let program = self.hosts[host].program.as_ref();
        match (program, end.open()) {
            (Some(program), Some(session))
                if program.number == end.start && session.unpack(datagram) =>
            {
                end.heard = self.now;
                self.wake(host, HostTask::Engine);
            }
            // A program that has closed it, or was started meanwhile, does not know it.
            (Some(_), _) if self.hosts[host].can_run(HostTask::Engine) => {
                let one_way = 450 * MICRO + self.delay;
                self.queue.push(self.now + one_way, WorldEvent::LinkEnds(id));
            }
            _ => {}
        }
    }

    /// The files of certificates of all hosts are written anew, and programs read them.
    pub(crate) fn write_certificates(&mut self) {
        self.links.handshakes.clear();
        let hosts = 0..self.hosts.len();
        let wrong = |host: &HostNumber| self.hosts[*host].certificate.map(|(wrong, _)| wrong);
        let revoked = |host: &HostNumber| wrong(host) == Some(CertificateFault::Revoked);
        let revoked: Vec<HostNumber> = hosts.clone().filter(revoked).collect();
        for host in hosts {
            let named = (host, self.names[host].as_str());
            let made = self.certificates.credentials(named, wrong(&host), &revoked);
            let Ok(credentials) = made else { continue };
            if self.hosts[host].tls.replace(credentials).is_ok()
                && let Some(program) = &self.hosts[host].program
            {
                program.links.renew();
            }
        }
        self.sweep_links();
    }

    /// An operator gives all hosts new certificates.
    pub(crate) fn rotate_certificates(&mut self) {
        for host in 0..self.hosts.len() {
            if let Err(error) = self.certificates.rotate(host, &self.names[host]) {
                self.broken(&format!("no certificate can be issued: {error}"));
            }
        }
        self.write_certificates();
    }

    /// Another process begins to dial as the member of a host, whose certificate it has.
    pub(crate) fn start_twin(&mut self, host: HostNumber) {
        let Some(program) = &self.hosts[host].program else { return };
        let (members, me) = (program.member.membership(), self.hosts[host].me);
        let (tls, clock) = (self.hosts[host].tls.clone(), self.hosts[host].clock.clone());
        let sink = tenure_node::transport::MessageSink::new(|_, _| {});
        let named = (self.names[host].as_str(), me);
        let versions = self.versions(host);
        let with = (tls, clock as _);
        let links =
            SteppedLinks::new(named, &self.timing, members, &versions, with, (sink, |_| {}));
        self.hosts[host].twin = Some(TwinProcess { me, links, sessions: Vec::new() });
        self.queue.push(self.now + MILLI, WorldEvent::TwinDials(host));
    }

    /// That process dials all members. None lets it in that has heard the member within a lease.
    pub(crate) fn twin_dials(&mut self, host: HostNumber) {
        let Some(mut twin) = self.hosts[host].twin.take() else { return };
        let me = twin.me;
        for to in (0..self.hosts.len()).filter(|&to| to != host) {
            let peer = self.hosts[to].me;
            let Some((_, name)) = twin.links.dials(peer).filter(|_| self.reaches(to, to)) else {
                continue;
            };
            self.set_clock(to);
            let shown = self.shake_hands(host, to, name);
            let (Ok(shown), Some(other)) = (shown, &self.hosts[to].program) else { continue };
            let heard = self.links.all.values().flat_map(|link| &link.ends).filter(|end| {
                let there = end.open().is_some();
                end.host == to && end.start == other.number && end.peer == me && there
            });
            let heard = heard.map(|end| end.heard).max();
            let (_, let_in) = other.links.answer(&shown, &twin.links.introduction());
            let Ok(session) = let_in else { continue };
            let lease = self.timing.lease.as_nanos() as u64;
            if heard.is_some_and(|at| self.now - at < lease - lease / 100) {
                self.broken(&format!(
                    "host {to} takes another process for host {host}, which it has heard within a lease"
                ));
            }
            twin.sessions.push(session);
        }
        self.hosts[host].twin = Some(twin);
        self.sweep_links();
        self.queue.push(self.now + AGAIN, WorldEvent::TwinDials(host));
    }

    /// That process ends.
    pub(crate) fn end_twin(&mut self, host: HostNumber) {
        for other in 0..self.hosts.len() {
            self.set_clock(other);
        }
        self.hosts[host].twin = None;
    }
}
