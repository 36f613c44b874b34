//! Who the members are, and how operators change them.
//!
//! The protocol knows numbers and the digest of a roster. Here is the roster itself: a message that tells of a
//! configuration whose roster is not known here counts as lost, and its sender is asked for that roster.

use super::{NodeEngine, TICK};
use crate::config::{MOST_MEMBERS, check_address};
use crate::membership::ClusterMembers;
use crate::packet::PeerMessage;
use crate::roster::{LONGEST_ADDRESS, MOST_HOSTS, OWN_NUMBER, Roster, RosterHost};
use crate::status::{HostStatus, MembershipStatus};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use tenure_model::{Command, Peer, Recoverable as _};
use tenure_protocol::electorate::Members;
use tenure_protocol::reconfiguration::{ReconfigurableMsg, VotingConfiguration};
use tokio::sync::oneshot;
use tracing::{info, warn};

/// The length of every part of a roster but the last, in bytes.
const PART: usize = 112;
/// How many parts answer a question.
const PARTS_AT_A_TIME: usize = 8;
/// The maximal number of rosters that are kept beside the one in force.
const MOST_ROSTERS: usize = 8;

/// What an operator wants changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MembershipChange {
    /// The host of this name, which waits for that, becomes a member; at this address, if it is not the one that its own
    /// configuration has.
    Add {
        /// The name.
        name: String,
        /// The address.
        address: Option<String>,
    },
    /// The member of this name is one no longer.
    Remove {
        /// The name.
        name: String,
    },
    /// The host of one name takes the place of a member.
    Replace {
        /// The name of the member.
        name: String,
        /// The name of the host that waits to be added.
        by: String,
        /// Its address, if it is not the one that its own configuration has.
        address: Option<String>,
    },
    /// The others decide alone, since these members are lost for good, with a majority.
    Force {
        /// The names.
        lost: Vec<String>,
    },
}

/// The answer to an operator: nothing, or why there is no change.
pub(crate) type ChangeReply = oneshot::Sender<Result<(), String>>;

/// What a participant knows of the members.
pub(super) struct KnownMembers {
    now: ClusterMembers,
    /// Other rosters, by digest: proposed here, or told by others.
    rosters: BTreeMap<u64, Roster>,
    /// The roster that is asked for: the configuration that has it, who has told of that, and its beginning.
    partial: Option<(VotingConfiguration, Peer, Vec<u8>)>,
    wish: Option<ChangeWish>,
}

/// A change that an operator wants here. It may take two steps: first the host is entered in the roster.
struct ChangeWish {
    /// The name of the member that leaves.
    leaves: Option<String>,
    comes: Option<RosterHost>,
    /// The step that the protocol was told, and the number of the configuration then.
    told: Option<(ChangeStep, u64)>,
    answer: ChangeReply,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ChangeStep {
    Enter(Roster),
    Vote(Members),
}

impl KnownMembers {
    pub(super) const fn new(now: ClusterMembers) -> Self {
        Self { now, rosters: BTreeMap::new(), partial: None, wish: None }
    }

    pub(super) const fn now(&self) -> &ClusterMembers {
        &self.now
    }

    /// Returns the roster of this digest, if it is known.
    fn roster(&self, digest: u64) -> Option<&Roster> {
        let is_in_force = self.now.configuration.roster == digest;
        if is_in_force { Some(&self.now.roster) } else { self.rosters.get(&digest) }
    }

    fn keep(&mut self, digest: u64, roster: Roster) {
        let proposed = self.wish.as_ref().and_then(|wish| match &wish.told {
            Some((ChangeStep::Enter(roster), _)) => Some(roster.digest()),
            _ => None,
        });
        if self.rosters.len() >= MOST_ROSTERS {
            let first = self.rosters.keys().copied().find(|&other| Some(other) != proposed);
            first.and_then(|first| self.rosters.remove(&first));
        }
        self.rosters.insert(digest, roster);
    }
}

impl NodeEngine {
    /// Returns whether this participant has a vote, now or after a change that is under way.
    pub(super) const fn votes(&self) -> bool {
        self.members.now.is_member(self.parts.setting.me)
    }

    pub(super) const fn is_member(&self, peer: Peer) -> bool {
        self.members.now.is_member(peer)
    }

    /// Returns all members but this participant.
    pub(super) fn other_members(&self) -> impl Iterator<Item = Peer> + use<> {
        let me = self.parts.setting.me;
        self.members.now.members().iter().filter(move |&peer| peer != me)
    }

    /// Returns whether this peer may send this message, and it can be understood here. Only hosts tell of members. The
    /// sender is asked for a roster that is not known.
    pub(super) fn may_tell(&mut self, from: Peer, msg: &ReconfigurableMsg) -> bool {
        if from.0 >= MOST_HOSTS as u32 && msg.as_tenure().is_none() {
            self.status.rejected += 1;
            return false;
        }
        let Some(told) = msg.configuration() else { return true };
        let digest = told.roster;
        if let Some(roster) = self.members.roster(digest) {
            let named = told.electorate.end() as usize <= roster.hosts().len();
            self.status.rejected += u64::from(!named);
            return named;
        }
        match &mut self.members.partial {
            // The peer that was asked before may be gone.
            Some((asked, who, _)) if asked.roster == digest => (*asked, *who) = (*told, from),
            partial => {
                *partial = Some((*told, from, Vec::new()));
                self.want_roster();
                self.look_soon();
            }
        }
        false
    }

    /// Asks for what is missing of a roster. Returns whether anything is.
    pub(super) fn want_roster(&mut self) -> bool {
        let Some((asked, from, bytes)) = &self.members.partial else { return false };
        let want = PeerMessage::WantRoster { digest: asked.roster, begin: bytes.len() as u16 };
        let to = *from;
        self.send(vec![(to, want)]);
        true
    }

    /// Answers a question for a roster.
    pub(super) fn wanted_roster(&mut self, by: Peer, digest: u64, begin: u16) {
        let Some(bytes) = self.members.roster(digest).map(Roster::encode) else { return };
        let length = bytes.len() as u16;
        let rest = bytes.get(usize::from(begin)..).unwrap_or_default();
        let parts = rest.chunks(PART).take(PARTS_AT_A_TIME).enumerate().map(|(place, part)| {
            let begin = begin + (place * PART) as u16;
            (by, PeerMessage::RosterPart { digest, length, begin, bytes: part.to_vec() })
        });
        self.send(parts.collect());
    }

    /// Takes a part of a roster for which this participant has asked; with the last one also the configuration, since
    /// the others do not repeat it.
    pub(super) fn told_roster(&mut self, digest: u64, length: u16, begin: u16, part: &[u8]) {
        let Some((told, from, bytes)) =
            self.members.partial.as_mut().filter(|(asked, _, bytes)| {
                asked.roster == digest && bytes.len() == usize::from(begin)
            })
        else {
            return;
        };
        let (told, from) = (*told, *from);
        bytes.extend(part);
        if bytes.len() < usize::from(length) {
            if bytes.len().is_multiple_of(PART * PARTS_AT_A_TIME) {
                self.want_roster();
            }
            return;
        }
        let roster = Roster::decode(bytes).filter(|roster| roster.digest() == digest);
        self.members.partial = None;
        match roster {
            Some(roster) if roster.difference(&self.members.now.agreed_roster()).is_none() => {
                self.members.keep(digest, roster);
                let told = ReconfigurableMsg::Members(told);
                if self.may_tell(from, &told) {
                    self.react(None, |process, scene| process.receive(from, told, scene));
                }
            }
            _ => warn!("a roster of another cluster was told, or one that cannot be read"),
        }
    }

    /// Tells a peer who the members are.
    pub(super) fn tell_members(&mut self, peer: Peer) {
        if let Some(process) = &self.process {
            let members = ReconfigurableMsg::Members(*process.configuration());
            self.send_later(vec![(peer, PeerMessage::Protocol(members))]);
        }
    }

    /// Takes the configuration of the protocol for the one in force, if it is another one.
    pub(super) fn follow_members(&mut self) {
        let Some(process) = &self.process else { return };
        let before = &self.members.now.configuration;
        if process.configuration().tag == before.tag {
            return;
        }
        let known = *process.configuration();
        if known.roster != before.roster {
            // No other configuration was told to the protocol.
            let Some(roster) = self.members.rosters.get(&known.roster) else { return };
            self.members.now.roster = roster.clone();
        }
        self.members.now.configuration = known;
        // A roster that was asked for may be obsolete now.
        self.members.partial = None;
        self.use_members();
        if !known.changes() {
            let members = self.members.now.names();
            info!(
                number = known.tag.number,
                members, "the members, and the hosts that may become members"
            );
        }
        self.look_soon();
    }

    /// Tells all parts of this participant who the members are.
    pub(super) fn use_members(&mut self) {
        let now = &self.members.now;
        self.hearing.change_members(now.configuration.electorate);
        self.values.change_members(now.members());
        self.record.roster = Some(now.roster.clone());
        self.record.cells.insert(OWN_NUMBER, self.parts.setting.me.0.into());
        self.status.member = now.is_member(self.parts.setting.me);
        self.parts.transport.use_members(now);
        self.parts.members.send_replace(now.clone());
    }

    /// Clears the record, except for the members.
    pub(super) fn forget_promises(&mut self) {
        self.record.cells.clear();
        self.record.cells.extend(self.members.now.configuration.cells().into_iter().flatten());
        self.use_members();
    }

    /// Handles an operator's wish.
    pub(super) fn change_members(&mut self, change: MembershipChange, answer: ChangeReply) {
        let waits = |name, address| self.waiting_host(name, address).map(Some);
        let resolved = match change {
            MembershipChange::Add { name, address } => waits(name, address).map(|it| (None, it)),
            MembershipChange::Remove { name } => Ok((Some(name), None)),
            MembershipChange::Replace { name, by, address } => {
                waits(by, address).map(|it| (Some(name), it))
            }
            MembershipChange::Force { lost } => return self.force_members(&lost, answer),
        };
        let checked = resolved.and_then(|(leaves, comes)| {
            let objection = self.objection(leaves.as_ref(), comes.as_ref());
            objection.map_or(Ok((leaves, comes)), Err)
        });
        match checked {
            Ok((leaves, comes)) => {
                self.members.wish = Some(ChangeWish { leaves, comes, told: None, answer });
                self.pursue_wish();
            }
            Err(why) => _ = answer.send(Err(why)),
        }
    }

    /// Returns the host of this name that waits to be added.
    fn waiting_host(&self, name: String, address: Option<String>) -> Result<RosterHost, String> {
        let waiting = self.parts.transport.waiting();
        let Some(host) = waiting.iter().find(|host| host.name == name) else {
            if self.members.now.member(&name).is_some() {
                return Err(self.member_already(&name));
            }
            let others =
                waiting.iter().map(|host| host.name.as_str()).collect::<Vec<_>>().join(", ");
            let others = if others.is_empty() { "no host does".to_owned() } else { others };
            return Err(format!(
                "`{name}` does not wait here to be added ({others}): start it with the key `join`, which names members \
                 that it reaches, among them {}",
                self.parts.name
            ));
        };
        let address = address.unwrap_or_else(|| host.address.clone());
        check_address(&address)?;
        if address.len() > LONGEST_ADDRESS {
            return Err(format!("an address has at most {LONGEST_ADDRESS} bytes"));
        }
        Ok(RosterHost { address, ..host.clone() })
    }

    fn member_already(&self, name: &str) -> String {
        format!("`{name}` is a member already; the members are {}", self.members.now.names())
    }

    /// Returns why a change cannot be made now.
    fn objection(&self, leaves: Option<&String>, comes: Option<&RosterHost>) -> Option<String> {
        let now = &self.members.now;
        if !self.votes() || self.process.is_none() {
            return Some(format!("{} has no vote now: ask another member", self.parts.name));
        }
        if self.members.wish.is_some() || now.configuration.changes() {
            return Some(
                "the members are changing already: ask again when that is over".to_owned(),
            );
        }
        if let Some(name) = leaves.filter(|name| now.member(name).is_none()) {
            return Some(format!("there is no member `{name}`; there are {}", now.names()));
        }
        let Some(host) = comes else {
            let last = now.members().len() == 1;
            return last.then(|| "it is the last member: one has to remain".to_owned());
        };
        let taken = |(_, other): &(Peer, &RosterHost)| {
            other.address == host.address && leaves != Some(&other.name)
        };
        if now.member(&host.name).is_some() {
            Some(self.member_already(&host.name))
        } else if let Some((_, other)) = now.hosts().find(taken) {
            Some(format!("`{}` has the address {} already", other.name, host.address))
        } else if leaves.is_none() && now.members().len() >= MOST_MEMBERS {
            Some(format!("there are {MOST_MEMBERS} members already, the most that are possible"))
        } else {
            None
        }
    }

    /// Tells the protocol the next step of an operator's wish, or the operator that it is done. Returns whether there is
    /// a wish.
    pub(super) fn pursue_wish(&mut self) -> bool {
        let configuration = self.members.now.configuration;
        let Some(wish) = self.members.wish.take() else { return false };
        let number = configuration.tag.number;
        let waits = wish.told.as_ref().is_some_and(|&(_, asked)| asked == number);
        if waits || configuration.changes() || self.process.is_none() {
            self.members.wish = Some(wish);
            return true;
        }
        let now = &self.members.now;
        let failed = wish.told.as_ref().is_some_and(|(step, _)| match step {
            ChangeStep::Enter(roster) => *roster != now.roster,
            ChangeStep::Vote(members) => *members != now.members(),
        });
        let step = match failed {
            true => {
                Err("another change of the members came first: look at them, and ask again"
                    .to_owned())
            }
            false => next_step(now, wish.leaves.as_ref(), wish.comes.as_ref()),
        };
        match step {
            Ok(Some(step)) => {
                let command = self.command_of(&step);
                self.members.wish = Some(ChangeWish { told: Some((step, number)), ..wish });
                let rejected = self.react(None, |process, scene| process.command(command, scene));
                match (rejected, self.members.wish.take()) {
                    (Some(why), Some(wish)) => _ = wish.answer.send(Err(why.to_owned())),
                    (_, wish) => self.members.wish = wish,
                }
                self.look_soon();
            }
            Ok(None) => _ = wish.answer.send(Ok(())),
            Err(why) => _ = wish.answer.send(Err(why)),
        }
        self.members.wish.is_some()
    }

    fn command_of(&mut self, step: &ChangeStep) -> Command {
        let bits = |members: Members| members.bits().unwrap_or_default();
        match step {
            ChangeStep::Enter(roster) => {
                let digest = roster.digest();
                self.members.keep(digest, roster.clone());
                let members = bits(self.members.now.members());
                Command::Reconfigure { members, roster: Some(digest) }
            }
            ChangeStep::Vote(members) => {
                Command::Reconfigure { members: bits(*members), roster: None }
            }
        }
    }

    /// After a restart of the process, which has forgotten what it was told.
    pub(super) fn forget_told(&mut self) {
        if let Some(wish) = &mut self.members.wish {
            wish.told = None;
        }
    }

    /// Makes the members that are left decide alone, since the others are lost for good.
    fn force_members(&mut self, lost: &[String], answer: ChangeReply) {
        let reply = self.forced(lost).map(|configuration| {
            warn!(
                lost = lost.join(", "),
                "an operator has said that these members are lost for good"
            );
            for (cell, number) in configuration.cells().into_iter().flatten() {
                self.record.cells.insert(cell, number);
            }
            self.members.now.configuration = configuration;
            self.use_members();
            // Grants nothing for as long as a lease that it does not know of may last.
            self.restart();
        });
        let _ = answer.send(reply);
    }

    fn forced(&self, lost: &[String]) -> Result<VotingConfiguration, String> {
        let now = &self.members.now;
        let me = self.parts.setting.me;
        if !self.votes() {
            return Err(format!("{} has no vote", self.parts.name));
        }
        let links = self.parts.transport.links();
        let lasts = u64::from(self.parts.setting.lease + self.parts.setting.stop) * TICK * 2;
        let mut gone = 0_u64;
        for name in lost {
            let Some(peer) = now.member(name).filter(|&peer| peer != me) else {
                return Err(format!("`{name}` is no other member"));
            };
            let heard = self.hearing.of(peer).map(|last| last.load(Ordering::Relaxed));
            let silent = heard.is_none_or(|at| self.now().saturating_sub(at) >= lasts);
            if !silent || links.iter().any(|link| link.reaches(peer)) {
                return Err(format!("`{name}` is not lost: it is connected; remove it instead"));
            }
            gone |= 1 << peer.0;
        }
        let left = Members::from_bits(now.members().bits().unwrap_or_default() & !gone);
        if now.configuration.electorate.is_quorum(|peer| left.contains(peer)) {
            return Err("the other members are a majority: remove the lost ones instead".to_owned());
        }
        let read = |cell| self.record.cells.get(&cell).copied();
        Ok(now.configuration.forced(left, me, read))
    }

    pub(super) fn membership_status(&self) -> MembershipStatus {
        let now = &self.members.now;
        let electorate = now.configuration.electorate;
        let links = self.parts.transport.links();
        let host = |(peer, host): (Peer, &RosterHost)| HostStatus {
            name: host.name.clone(),
            number: peer.0,
            address: host.address.clone(),
            witness: host.witness,
            leaves: !electorate.new.contains(peer),
            comes: !electorate.old.contains(peer),
            connected: peer == self.parts.setting.me || links.iter().any(|link| link.reaches(peer)),
        };
        let waiting = self.parts.transport.waiting().into_iter();
        let waiting = waiting.filter(|host| now.member(&host.name).is_none());
        MembershipStatus {
            number: now.configuration.tag.number,
            changing: now.configuration.changes(),
            hosts: now.hosts().map(host).collect(),
            waiting: waiting.map(|host| host.name).collect(),
        }
    }
}

/// Returns what has to be done next for a change; `None` if all is done.
fn next_step(
    now: &ClusterMembers,
    leaves: Option<&String>,
    comes: Option<&RosterHost>,
) -> Result<Option<ChangeStep>, String> {
    let mut members = now.members().bits().unwrap_or_default();
    let bit = |peer: Peer| 1_u64 << peer.0;
    if let Some(name) = leaves {
        members &= !now.member(name).map_or(0, bit);
    }
    if let Some(host) = comes {
        let entered = now.roster.number_with(&host.name, host.record);
        let entered = entered.filter(|&it| now.roster.host(it) == Some(host));
        let Some(number) = entered else {
            let none = || {
                format!("{MOST_HOSTS} hosts have been members: no number is left for another one")
            };
            let (roster, _) = now.roster.with(host.clone()).ok_or_else(none)?;
            return Ok(Some(ChangeStep::Enter(roster)));
        };
        members |= bit(number);
    }
    let members = Members::from_bits(members);
    Ok((members != now.members()).then_some(ChangeStep::Vote(members)))
}

#[cfg(test)]
mod tests;
