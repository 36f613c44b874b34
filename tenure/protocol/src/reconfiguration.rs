//! Tenure among members that change: any set of members takes the place of another while offices are led.
//!
//! After D. Ongaro, J. Ousterhout, "In Search of an Understandable Consensus Algorithm", *USENIX ATC*, 2014, section 6
//! (joint majorities); L. Lamport, "The Part-Time Parliament", *ACM TOCS* 16(2), 1998 (agreement on the next members);
//! W. Schultz, S. Zhou, I. Dardik, S. Tripakis, "Design and Analysis of a Logless Dynamic Reconfiguration Protocol",
//! *OPODIS*, 2021 (a configuration that replaces another, without a log).
//!
//! # Assumes
//! What [`Tenure`] assumes, of the members of a configuration and, while they change, of the old ones and of the new
//! ones. No number of a member is given to another host later. A process without its record starts among the members
//! that its setting names and learns from them which ones followed, so the setting must name others. A majority of new
//! members has a record, or has never run before ([`Memory::New`]).
//!
//! # Idea
//! A *configuration* has a number, and says whose votes are enough. Those with even numbers have one set of members;
//! the one between two of them needs majorities of both, so that any two of its neighbourhood meet. Three questions
//! remain, and each has an answer of its own.
//! - *Which members come next?* Those that the old ones agree on: Paxos with one decision for each number. A proposer
//!   also needs the promises of a majority of the new ones, so that none is proposed that cannot be reached.
//! - *When does a leader count by the next configuration?* When it leads by it, too: it asks the new members
//!   beforehand. A renewal says by which configuration its sender counts. A granter goes on with a lease whose votes
//!   count by an older one; those of a lease that it begins count by the configuration that it knows, and newer ones. So
//!   no leader loses an office by a change.
//! - *When do the new members decide alone?* When no peer counts by the old ones alone any more, and none ever will.
//!   That is so if each member of a quorum of the joint configuration knows it, and none of its votes counts by an older
//!   one. They say so with the acknowledgement of a renewal, and it is believed as long as that lease
//!   lasts. They also say what they have promised: the greatest of these is the least term of the members that follow.
//!
//! # Why a lease is needed for that
//! A member that loses its record forgets that it has agreed, and that it is done with older leases. It is silent until
//! its quarantine is over, which outlasts every lease at it; then it learns from others, who meet every quorum to
//! which it belonged. If its word were believed for longer, a quorum could be made of what it said before and of what
//! others say after they have taught it. Promises to a proposer are believed as long as a lease for the same reason.
//!
//! # Cost
//! A change is one round of agreement (two messages to each member and two back), a renewal at each heartbeat from each
//! member until it is over, and four syncs of each member's record. Nothing is sent afterwards.
//!
//! # Which host has which number
//! A configuration also has the digest of a *roster*, which says so, and of which the protocol knows nothing else. It is
//! agreed on as the members are, by a change that leaves these as they are. So a host is in a roster that is agreed on
//! before it has a vote, and two operators give no number to two hosts.
//!
//! # Deviations
//! From the papers: no log and no leader are needed to agree, since members change rarely; a proposal is made again, by
//! any member, when the new members have not taken over within a lease. Members that are removed learn it from those
//! whom they ask. A candidate at a term up to the floor asks anew: others had to grant it, too, when it got its votes.
//!
//! # Invariants
//! Those of [`Tenure`], of the processes within, and:
//! - *agreed*: where one set of members decides, it is the same in all configurations of that number ([`agreed`]).

use crate::electorate::{Electorate, Members};
use crate::tenure::{self, FLOOR, HIGHEST, Tenure, term_after};
use alloc::collections::BTreeMap;
use tenure_model::{
    Cell, Command, Effects, Kind, Memory, Message, Office, OfficeTenure, Peer, Recoverable, Series,
    Setting, Start, Term,
};

/// The number of a configuration, and the ballot at which it was proposed: a greater one replaces a smaller one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConfigurationTag {
    /// Even if one set of members decides, odd if two do.
    pub number: u64,
    /// A number that no two proposers share.
    pub ballot: Term,
}

/// Whose votes are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VotingConfiguration {
    /// Its number and ballot.
    pub tag: ConfigurationTag,
    /// The members.
    pub electorate: Electorate,
    /// A term that is not smaller than those of leaders who did not need a majority of these members.
    pub floor: Term,
    /// The digest of the roster; 0 for the first one, from which all members start.
    pub roster: u64,
}

impl VotingConfiguration {
    /// Returns the first configuration.
    #[must_use]
    pub const fn founding(electorate: Electorate) -> Self {
        let tag = ConfigurationTag { number: 0, ballot: Term(0) };
        Self { tag, electorate, floor: Term(0), roster: 0 }
    }

    /// Returns the number of the decision that this configuration results from, or that follows it.
    const fn decision(&self) -> u64 {
        self.tag.number | 1
    }

    /// Returns whether it is one of two sets of members, or rosters, and the newer has not taken over yet.
    #[must_use]
    pub const fn changes(&self) -> bool {
        self.tag.number % 2 == 1
    }

    /// Returns what is in force when the change to this configuration is over.
    const fn outcome(&self) -> ChangeOutcome {
        ChangeOutcome { members: self.electorate.new, roster: self.roster }
    }
}

/// What a change leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ChangeOutcome {
    members: Members,
    roster: u64,
}

/// What a granter says with its acknowledgement, if it owes no lease to a peer that counts by an older configuration:
/// the configuration, and the greatest term that it has promised.
pub type Settled = Option<(ConfigurationTag, Term)>;

/// A message of the protocol, with what belongs to it while members change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ReconfigurableMsg {
    /// About offices.
    Own(tenure::Msg),
    /// A renewal: what its sender knows, and by what it counts.
    Renewal(ConfigurationTag, ConfigurationTag, tenure::Msg),
    /// The acknowledgement of a renewal: by which configurations the votes in this lease count, from this one on.
    Acknowledgement(Settled, ConfigurationTag, tenure::Msg),
    /// A question of a member without a record, or an answer: what the sender knows, and its greatest promise to a
    /// proposer.
    Record(ConfigurationTag, Term, tenure::Msg),
    /// The members.
    Members(VotingConfiguration),
    /// May I propose, at this ballot, the outcome of the decision of this number?
    Prepare(u64, Term),
    /// You may; and the proposal that I have accepted.
    Prepared(Term, Option<VotingConfiguration>),
    /// I have promised this ballot.
    Outbid(Term),
}

impl ReconfigurableMsg {
    /// Returns the message about offices or leases, if it is one.
    #[must_use]
    pub const fn as_tenure(&self) -> Option<&tenure::Msg> {
        match self {
            Self::Own(msg)
            | Self::Renewal(_, _, msg)
            | Self::Acknowledgement(_, _, msg)
            | Self::Record(_, _, msg) => Some(msg),
            _ => None,
        }
    }

    /// Returns the configuration of which it tells, if it does.
    #[must_use]
    pub const fn configuration(&self) -> Option<&VotingConfiguration> {
        match self {
            Self::Members(configuration) | Self::Prepared(_, Some(configuration)) => {
                Some(configuration)
            }
            _ => None,
        }
    }
}

/// An alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReconfigurableAlarm {
    /// One of the protocol.
    Own(tenure::Alarm),
    /// The next renewal of a member that stands for nothing, while members change.
    Beat,
    /// The promises to this process as a proposer count no longer.
    Round,
}

impl ReconfigurableAlarm {
    /// Returns whether the proof needs that one alarm, which was set earlier, rings before another.
    #[must_use]
    pub fn is_ordered((one, earlier): (Peer, Self), (other, later): (Peer, Self)) -> bool {
        match (earlier, later) {
            (Self::Own(earlier), Self::Own(later)) => {
                tenure::Alarm::is_ordered((one, earlier), (other, later))
            }
            (Self::Round, Self::Own(tenure::Alarm::Quarantine)) => true,
            _ => false,
        }
    }
}

/// What a proposer has heard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProposalRound {
    decision: u64,
    ballot: Term,
    target: ChangeOutcome,
    promised: BTreeMap<Peer, Option<VotingConfiguration>>,
}

/// A process of the protocol among members that change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reconfigurable {
    tenure: Tenure,
    setting: Setting,
    memory: Memory,
    /// The newest configuration that it knows of, as in its record.
    known: VotingConfiguration,
    /// The configuration by which it counts.
    counting: ConfigurationTag,
    /// By which configuration, or a newer one, its votes count at each peer to which it owes a lease.
    debtors: BTreeMap<Peer, ConfigurationTag>,
    /// The members that owe nothing by an older configuration, while the lease there lasts, and their promises.
    settled: BTreeMap<Peer, Term>,
    /// What an operator wants after the configuration of this number.
    wanted: Option<(u64, ChangeOutcome)>,
    round: Option<ProposalRound>,
    /// Whether the work of the process before may not have ended, which its leases protect: a renewal of this one
    /// would free them.
    waits: bool,
}

const fn cell(key: u64) -> Cell {
    Cell { table: 3, key }
}

/// The cells of the configuration: its number, its ballot, the bits of both sets of members, its floor and its roster.
const CONFIGURATION: [Cell; 6] = [cell(0), cell(1), cell(2), cell(3), cell(4), cell(6)];
/// The cell of the greatest ballot that it has promised to a proposer.
const BALLOT: Cell = cell(5);

impl VotingConfiguration {
    /// Returns the configuration that stands in these cells, if there is one.
    pub fn recorded(read: impl Fn(Cell) -> Option<u64>) -> Option<Self> {
        let [number, ballot, old, new, floor, roster] = CONFIGURATION.map(read);
        Some(Self {
            tag: ConfigurationTag { number: number?, ballot: Term(ballot?) },
            electorate: Electorate { old: Members::from_bits(old?), new: Members::from_bits(new?) },
            floor: Term(floor?),
            roster: roster?,
        })
    }

    /// Returns the configuration in which these members decide alone although no majority of the present ones has agreed,
    /// at the wish of an operator who knows that the others are lost for good; `read` reads the cells of `me`.
    ///
    /// If they are not lost, two sets of members decide. Its floor is a guess: it is greater than all terms of the lost
    /// ones if they have led in fewer than a million terms of which `me` knows nothing. `me` must grant nothing until
    /// each lease is over that it does not know of: it has to start again.
    #[must_use]
    pub fn forced(self, left: Members, me: Peer, read: impl Fn(Cell) -> Option<u64>) -> Self {
        let cell = |cell| Term(read(cell).unwrap_or(0));
        let promised = cell(BALLOT).max(self.tag.ballot);
        let ballot = term_after(promised, me).unwrap_or(promised);
        let known = cell(HIGHEST).max(cell(FLOOR)).max(self.floor);
        Self {
            tag: ConfigurationTag { number: self.decision().saturating_add(3), ballot },
            electorate: Electorate::all(left),
            floor: Term(known.0.saturating_add(1 << 52)),
            roster: self.roster,
        }
    }

    /// Returns the cells in which it stands, with their contents; `None` if it has too many members for that.
    #[must_use]
    pub fn cells(&self) -> Option<[(Cell, u64); 6]> {
        let Self { tag, electorate, floor, roster } = *self;
        let (old, new) = (electorate.old.bits()?, electorate.new.bits()?);
        let numbers = [tag.number, tag.ballot.0, old, new, floor.0, roster];
        Some(core::array::from_fn(|i| (CONFIGURATION[i], numbers[i])))
    }
}

fn ballot_promised(effects: &impl Effects<Reconfigurable>) -> Term {
    Term(effects.read(BALLOT).unwrap_or(0))
}

fn promise_ballot(ballot: Term, effects: &mut impl Effects<Reconfigurable>) {
    if ballot > ballot_promised(effects) {
        effects.write(BALLOT, ballot.0);
    }
}

/// The effects of the protocol's own reaction.
struct Within<'a, E> {
    effects: &'a mut E,
    known: ConfigurationTag,
    counting: ConfigurationTag,
    settled: Settled,
    debtors: &'a BTreeMap<Peer, ConfigurationTag>,
}

impl<E: Effects<Reconfigurable>> Effects<Tenure> for Within<'_, E> {
    fn send(&mut self, to: Peer, msg: tenure::Msg) {
        let msg = match msg {
            tenure::Msg::Renew { .. } => ReconfigurableMsg::Renewal(self.known, self.counting, msg),
            tenure::Msg::Ack { .. } => {
                let since = self.debtors.get(&to).copied().unwrap_or(self.known);
                ReconfigurableMsg::Acknowledgement(self.settled, since, msg)
            }
            tenure::Msg::Learn { .. }
            | tenure::Msg::Promised { .. }
            | tenure::Msg::Blank { .. } => {
                ReconfigurableMsg::Record(self.known, ballot_promised(self.effects), msg)
            }
            _ => ReconfigurableMsg::Own(msg),
        };
        self.effects.send(to, msg);
    }

    fn set_alarm(&mut self, alarm: tenure::Alarm, ticks: u32) {
        self.effects.set_alarm(ReconfigurableAlarm::Own(alarm), ticks);
    }

    fn cancel_alarm(&mut self, alarm: tenure::Alarm) {
        self.effects.cancel_alarm(ReconfigurableAlarm::Own(alarm));
    }

    fn read(&self, cell: Cell) -> Option<u64> {
        self.effects.read(cell)
    }

    fn write(&mut self, cell: Cell, number: u64) {
        self.effects.write(cell, number);
    }

    fn choose(&mut self, max: u32) -> u32 {
        self.effects.choose(max)
    }

    fn changed(&mut self, office: Office) {
        self.effects.changed(office);
    }

    fn reject(&mut self, why: &'static str) {
        self.effects.reject(why);
    }
}

impl Reconfigurable {
    /// Returns the newest configuration that this process knows of.
    #[must_use]
    pub const fn configuration(&self) -> &VotingConfiguration {
        &self.known
    }

    /// Returns the process of the protocol.
    #[must_use]
    pub const fn as_tenure(&self) -> &Tenure {
        &self.tenure
    }

    /// Handles the report of another process on the host of a peer, as [`Tenure::ended`].
    pub fn ended(&mut self, h: Peer, office: Office, term: Term, effects: &mut impl Effects<Self>) {
        self.within(effects, |tenure, within| tenure.ended(h, office, term, within));
        self.advance(effects);
    }

    /// Lets the protocol react.
    fn within<E: Effects<Self>>(
        &mut self,
        effects: &mut E,
        reaction: impl FnOnce(&mut Tenure, &mut Within<'_, E>),
    ) {
        let settled = self.settled(effects);
        let (known, counting, debtors) = (self.known.tag, self.counting, &self.debtors);
        reaction(&mut self.tenure, &mut Within { effects, known, counting, settled, debtors });
    }

    /// Returns what this member says if it is settled: it can grant, it counts by no older configuration, and none of its
    /// votes does.
    fn settled(&self, effects: &impl Effects<Self>) -> Settled {
        let newest = |tag: &ConfigurationTag| *tag >= self.known.tag;
        let settled = self.known.changes()
            && self.tenure.able()
            && newest(&self.counting)
            && self.tenure.debtors().all(|h| self.debtors.get(&h).is_some_and(newest));
        settled.then(|| (self.known.tag, highest(effects)))
    }

    /// Tells a peer what this process knows, and asks it again what it asks as a proposer.
    fn tell(&self, to: Peer, effects: &mut impl Effects<Self>) {
        effects.send(to, ReconfigurableMsg::Members(self.known));
        if let Some(round) = self.round.as_ref().filter(|round| !round.promised.contains_key(&to)) {
            effects.send(to, ReconfigurableMsg::Prepare(round.decision, round.ballot));
        }
    }

    fn tell_all(&self, electorate: Electorate, effects: &mut impl Effects<Self>) {
        for peer in electorate.iter().filter(|&peer| peer != self.setting.me) {
            effects.send(peer, ReconfigurableMsg::Members(self.known));
        }
    }

    /// Replaces the configuration by a newer one.
    fn adopt(&mut self, configuration: VotingConfiguration, effects: &mut impl Effects<Self>) {
        let VotingConfiguration { tag, electorate, floor, .. } = configuration;
        let Some(cells) = configuration.cells() else { return };
        for (cell, number) in cells {
            effects.write(cell, number);
        }
        self.known = configuration;
        self.settled.clear();
        self.wanted = self.wanted.filter(|&(number, _)| number == tag.number);
        if self.round.as_ref().is_some_and(|round| round.decision <= tag.number) {
            self.round = None;
            effects.cancel_alarm(ReconfigurableAlarm::Round);
        }
        let memory = self.memory;
        self.within(effects, |tenure, within| {
            tenure.change_members(electorate, floor, memory, within);
        });
        self.raise_floor(effects);
    }

    /// Renews the leases by a configuration that it has adopted, now and, while members change, again and again.
    fn follow(&mut self, effects: &mut impl Effects<Self>) {
        self.count(effects);
        let changes = self.known.changes() && self.tenure.is_member();
        self.renew(changes, effects);
        if changes {
            // While members change it renews, so that it is told who is settled.
            effects.set_alarm(ReconfigurableAlarm::Beat, self.setting.heartbeat);
            self.try_later(effects);
        }
    }

    /// Counts by the newest configuration, if no office is lost by that.
    fn count(&mut self, effects: &mut impl Effects<Self>) {
        if self.counting != self.known.tag {
            let mut counts = false;
            self.within(effects, |tenure, within| counts = tenure.count_by_known(within));
            if counts {
                self.counting = self.known.tag;
            }
        }
    }

    /// Has the floor of the record cover the tenures of earlier members, once it is known.
    fn raise_floor(&self, effects: &mut impl Effects<Self>) {
        if effects.read(FLOOR).is_some_and(|floor| floor < self.known.floor.0) {
            effects.write(FLOOR, self.known.floor.0);
        }
    }

    /// Renews the leases, `also` where it stands for nothing.
    fn renew(&mut self, also: bool, effects: &mut impl Effects<Self>) {
        if !self.waits && (also || self.tenure.stands()) {
            self.within(effects, |tenure, within| tenure.renew_leases(within));
        }
    }

    /// Draws the conclusions from what has happened.
    fn advance(&mut self, effects: &mut impl Effects<Self>) {
        self.count(effects);
        let tenure = &self.tenure;
        if self.debtors.len() > tenure.debtors().count() {
            self.debtors.retain(|&peer, _| tenure.debtors().any(|debtor| debtor == peer));
        }
        let VotingConfiguration { tag, electorate, roster, .. } = self.known;
        if !self.known.changes() {
            return;
        }
        let me = self.setting.me;
        if let Some((_, highest)) = self.settled(effects) {
            self.settled.insert(me, highest);
        } else {
            self.settled.remove(&me);
        }
        let settled = |g: Peer| {
            self.settled.get(&g).copied().filter(|_| g == me || self.tenure.is_counted_on(g))
        };
        if electorate.is_quorum(|g| settled(g).is_some()) {
            let floors = electorate.iter().filter_map(settled);
            let floor = floors.max().unwrap_or_default();
            let tag = ConfigurationTag { number: tag.number + 1, ..tag };
            let alone = Electorate::all(electorate.new);
            self.adopt(VotingConfiguration { tag, electorate: alone, floor, roster }, effects);
            self.tell_all(electorate, effects);
            self.follow(effects);
        }
    }

    /// Handles the news of a configuration.
    fn hear(&mut self, from: Peer, heard: VotingConfiguration, effects: &mut impl Effects<Self>) {
        if heard.tag < self.known.tag {
            return self.tell(from, effects);
        }
        // It has promised nothing about a decision that it did not know to be open.
        let open = heard.changes() && heard.tag.number == self.known.decision();
        let refused = open && heard.tag.ballot < ballot_promised(effects);
        if heard.tag > self.known.tag && !refused {
            self.adopt(heard, effects);
            self.follow(effects);
        }
    }
}

fn highest(effects: &impl Effects<Reconfigurable>) -> Term {
    Term(effects.read(HIGHEST).max(effects.read(FLOOR)).unwrap_or(0))
}

/// A check of all states, with its name. It returns a description of the violation.
pub type Invariant = (&'static str, fn(&[&Reconfigurable]) -> Result<(), &'static str>);

/// The invariants, by name.
pub const INVARIANTS: &[Invariant] = &[("agreed", agreed)];

/// Checks that configurations of one number, in which one set of members decides, have the same members and roster.
///
/// # Errors
/// If two have others.
pub fn agreed(up: &[&Reconfigurable]) -> Result<(), &'static str> {
    for (i, one) in up.iter().enumerate() {
        let other = |other: &&Reconfigurable| {
            other.known.tag.number == one.known.tag.number
                && other.known.outcome() != one.known.outcome()
        };
        if !one.known.changes() && up[i + 1..].iter().any(other) {
            return Err("two sets of members decide alone, or two rosters are in force");
        }
    }
    Ok(())
}

/// Agreement on the next members.
impl Reconfigurable {
    /// Proposes later, if by then the new members have not taken over.
    fn try_later(&self, effects: &mut impl Effects<Self>) {
        let after = self.setting.heartbeat.saturating_mul(self.setting.me.0);
        effects.set_alarm(ReconfigurableAlarm::Round, self.setting.lease.saturating_add(after));
    }

    /// Begins to propose what an operator wants, or again what was proposed.
    fn propose(&mut self, effects: &mut impl Effects<Self>) {
        self.round = None;
        let changes = self.known.changes();
        let target = match self.wanted {
            _ if changes => self.known.outcome(),
            Some((_, wanted)) => wanted,
            None => return,
        };
        if !self.tenure.is_member() || self.tenure.learning() {
            return self.try_later(effects);
        }
        let me = self.setting.me;
        let Some(ballot) = term_after(ballot_promised(effects), me) else {
            return effects.reject("the ballots are used up");
        };
        promise_ballot(ballot, effects);
        let decision = self.known.decision();
        let promised = BTreeMap::from([(me, changes.then_some(self.known))]);
        self.round = Some(ProposalRound { decision, ballot, target, promised });
        effects.set_alarm(ReconfigurableAlarm::Round, self.setting.lease);
        let asked = Electorate { old: self.known.electorate.old, new: target.members };
        for g in asked.iter().filter(|&g| g != me) {
            effects.send(g, ReconfigurableMsg::Prepare(decision, ballot));
        }
        self.decide(effects);
    }

    /// Handles the question of a proposer.
    fn prepare(
        &self,
        from: Peer,
        (decision, ballot): (u64, Term),
        effects: &mut impl Effects<Self>,
    ) {
        let promised = ballot_promised(effects);
        if decision != self.known.decision() {
            self.tell(from, effects);
        } else if ballot < promised {
            effects.send(from, ReconfigurableMsg::Outbid(promised));
        } else if !self.tenure.learning() && !self.would_learn(effects) {
            promise_ballot(ballot, effects);
            let accepted = self.known.changes().then_some(self.known);
            effects.send(from, ReconfigurableMsg::Prepared(ballot, accepted));
        }
    }

    /// Returns whether this process would have to learn from other members if it became one. So that not too many of
    /// them wait for each other, no change begins that only such ones make possible.
    fn would_learn(&self, effects: &impl Effects<Self>) -> bool {
        !self.tenure.is_member() && self.memory == Memory::Lost && effects.read(FLOOR).is_none()
    }

    fn prepared(
        &mut self,
        from: Peer,
        ballot: Term,
        accepted: Option<VotingConfiguration>,
        effects: &mut impl Effects<Self>,
    ) {
        if let Some(round) = self.round.as_mut().filter(|round| round.ballot == ballot) {
            round.promised.insert(from, accepted);
            self.decide(effects);
        }
    }

    /// Proposes, if enough members have promised: the members accepted at the greatest ballot, or else those wanted.
    fn decide(&mut self, effects: &mut impl Effects<Self>) {
        let Some(ProposalRound { decision, ballot, target, promised }) = &self.round else {
            return;
        };
        let old = self.known.electorate.old;
        let enough = Electorate { old, new: target.members };
        if *ballot < ballot_promised(effects) || !enough.is_quorum(|g| promised.contains_key(&g)) {
            return;
        }
        let accepted = promised.values().flatten().max_by_key(|accepted| accepted.tag);
        let ChangeOutcome { members, roster } =
            accepted.map_or(*target, VotingConfiguration::outcome);
        let tag = ConfigurationTag { number: *decision, ballot: *ballot };
        let (electorate, floor) = (Electorate { old, new: members }, Term(0));
        self.adopt(VotingConfiguration { tag, electorate, floor, roster }, effects);
        self.tell_all(self.known.electorate, effects);
        self.follow(effects);
    }

    /// Handles the wish of an operator for other members, or for another roster.
    fn want(&mut self, wanted: ChangeOutcome, effects: &mut impl Effects<Self>) {
        let now = self.known.outcome();
        if !self.tenure.is_member() {
            effects.reject("only a member can be asked for other members");
        } else if self.known.changes() {
            effects.reject("the members are changing already");
        } else if wanted.members.is_empty() {
            effects.reject("one member has to remain");
        } else if now.members.bits().is_none() {
            effects.reject("too many members to change them");
        } else if wanted.members != now.members && wanted.roster != now.roster {
            effects.reject("members are in the roster before they have a vote");
        } else if wanted == now {
            (self.wanted, self.round) = (None, None);
            effects.cancel_alarm(ReconfigurableAlarm::Round);
        } else {
            self.wanted = Some((self.known.tag.number, wanted));
            self.propose(effects);
        }
    }
}

/// Messages about the protocol.
impl Reconfigurable {
    /// Returns the granter of the lease in which a message means something.
    const fn granter(&self, from: Peer, msg: &ReconfigurableMsg) -> Option<Peer> {
        match msg {
            ReconfigurableMsg::Own(msg) if msg.is_to_granter() => Some(self.setting.me),
            ReconfigurableMsg::Own(_) | ReconfigurableMsg::Acknowledgement(..) => Some(from),
            _ => None,
        }
    }

    fn renewal(
        &mut self,
        from: Peer,
        (known, counting): (ConfigurationTag, ConfigurationTag),
        msg: tenure::Msg,
        effects: &mut impl Effects<Self>,
    ) {
        if known != self.known.tag {
            self.tell(from, effects);
        }
        let tenure::Msg::Renew { boot, .. } = msg else { return };
        let before = self.debtors.get(&from).copied().filter(|_| self.tenure.owes(from, boot));
        // A lease that has begun goes on. Another one is for the present configuration and newer ones alone.
        let since = match before {
            Some(before) if before <= counting || known != self.known.tag => before.max(counting),
            None if counting < self.known.tag && known != self.known.tag => return,
            _ => self.known.tag,
        };
        if self.tenure.is_member() {
            self.debtors.insert(from, since);
            self.within(effects, |tenure, within| tenure.receive(from, msg, within));
        }
    }

    fn acknowledgement(
        &mut self,
        from: Peer,
        (settled, since): (Settled, ConfigurationTag),
        msg: tenure::Msg,
        effects: &mut impl Effects<Self>,
    ) {
        let tenure::Msg::Ack { number, epoch, .. } = msg else { return };
        if since > self.known.tag {
            return;
        }
        match settled.filter(|&(tag, _)| tag == self.known.tag) {
            Some((_, highest)) => {
                self.settled.insert(from, highest);
            }
            None => {
                self.settled.remove(&from);
            }
        }
        let apart = since > self.counting;
        self.within(effects, |tenure, within| {
            tenure.receive(from, msg, within);
            tenure.set_apart(from, (number, epoch), apart);
        });
    }

    fn record(
        &mut self,
        from: Peer,
        (known, ballot): (ConfigurationTag, Term),
        msg: tenure::Msg,
        effects: &mut impl Effects<Self>,
    ) {
        if known != self.known.tag {
            return self.tell(from, effects);
        }
        if !self.tenure.is_asked(from) || !self.tenure.is_member() {
            return;
        }
        if self.tenure.learning() && matches!(msg, tenure::Msg::Promised { .. }) {
            promise_ballot(ballot, effects);
        }
        self.within(effects, |tenure, within| tenure.receive(from, msg, within));
        self.raise_floor(effects);
    }
}

impl Recoverable for Reconfigurable {
    const MEMBERS_CHANGE: bool = true;
    type Msg = ReconfigurableMsg;
    type Alarm = ReconfigurableAlarm;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        let electorate = Electorate::all(Members::Below(setting.members));
        let recorded = VotingConfiguration::recorded(|cell| effects.read(cell));
        let known = recorded.unwrap_or_else(|| VotingConfiguration::founding(electorate));
        let (tag, settled) = (known.tag, None);
        let debtors = BTreeMap::new();
        let mut within = Within { effects, known: tag, counting: tag, settled, debtors: &debtors };
        let tenure =
            Tenure::start_among((known.electorate, known.floor), setting, start, &mut within);
        let mut process = Self {
            tenure,
            setting,
            memory: start.memory,
            known,
            counting: tag,
            debtors: BTreeMap::new(),
            settled: BTreeMap::new(),
            wanted: None,
            round: None,
            waits: start.memory != Memory::New && setting.stop > 0,
        };
        if known.changes() && process.tenure.is_member() {
            process.follow(effects);
        }
        process
    }

    fn receive(&mut self, from: Peer, msg: ReconfigurableMsg, effects: &mut impl Effects<Self>) {
        // Late answers may come from those that are members no longer.
        let is_late = self.granter(from, &msg).is_some_and(|it| !self.tenure.is_asked(it));
        if is_late || self.ignores(from, &msg) {
            return;
        }
        match msg {
            ReconfigurableMsg::Own(msg) => {
                self.within(effects, |tenure, within| tenure.receive(from, msg, within));
            }
            ReconfigurableMsg::Renewal(known, counting, msg) => {
                self.renewal(from, (known, counting), msg, effects);
            }
            ReconfigurableMsg::Acknowledgement(settled, since, msg) => {
                self.acknowledgement(from, (settled, since), msg, effects);
            }
            ReconfigurableMsg::Record(known, ballot, msg) => {
                self.record(from, (known, ballot), msg, effects);
            }
            ReconfigurableMsg::Members(configuration) => self.hear(from, configuration, effects),
            ReconfigurableMsg::Prepare(decision, ballot) => {
                self.prepare(from, (decision, ballot), effects);
            }
            ReconfigurableMsg::Prepared(ballot, accepted) => {
                self.prepared(from, ballot, accepted, effects);
            }
            ReconfigurableMsg::Outbid(ballot) => promise_ballot(ballot, effects),
        }
        self.advance(effects);
    }

    fn ring(&mut self, alarm: ReconfigurableAlarm, effects: &mut impl Effects<Self>) {
        match alarm {
            ReconfigurableAlarm::Own(alarm) => {
                self.waits &= alarm != tenure::Alarm::Beat;
                self.within(effects, |tenure, within| tenure.ring(alarm, within));
                if matches!(alarm, tenure::Alarm::Renewal(_)) {
                    return; // An office that was lost by it is not led again in the same reaction.
                }
            }
            ReconfigurableAlarm::Beat => {
                if self.known.changes() && self.tenure.is_member() {
                    if !self.tenure.stands() {
                        self.renew(true, effects);
                    }
                    effects.set_alarm(ReconfigurableAlarm::Beat, self.setting.heartbeat);
                }
            }
            ReconfigurableAlarm::Round => self.propose(effects),
        }
        self.advance(effects);
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        match command {
            Command::Reconfigure { members, roster } => {
                let roster = roster.unwrap_or(self.known.roster);
                self.want(ChangeOutcome { members: Members::from_bits(members), roster }, effects);
            }
            command => self.within(effects, |tenure, within| tenure.command(command, within)),
        }
        self.advance(effects);
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<ReconfigurableAlarm>> {
        let OfficeTenure { term, until, stopping } = self.tenure.tenure(office)?;
        Some(OfficeTenure { term, until: until.map(ReconfigurableAlarm::Own), stopping })
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        self.tenure.leader(office)
    }

    fn members(&self) -> Option<(u64, [u64; 2])> {
        let Electorate { old, new } = self.known.electorate;
        Some((self.known.tag.number, [old.bits()?, new.bits()?]))
    }

    fn greatest_claim(&self) -> Term {
        let round = self.round.as_ref().map_or(Term(0), |round| round.ballot);
        self.tenure.greatest_claim().max(round).max(self.known.tag.ballot)
    }

    fn ignores(&self, from: Peer, msg: &ReconfigurableMsg) -> bool {
        match msg {
            ReconfigurableMsg::Own(own) | ReconfigurableMsg::Acknowledgement(_, _, own) => {
                let granter = self.granter(from, msg);
                granter.is_some_and(|it| self.tenure.is_asked(it)) && self.tenure.ignores(from, own)
            }
            _ => false,
        }
    }

    fn serials(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        self.tenure.serials(visit);
    }

    fn serials_of_message(
        from: Peer,
        to: Peer,
        msg: &mut ReconfigurableMsg,
        visit: &mut impl FnMut(Series, &mut u64),
    ) {
        if let ReconfigurableMsg::Own(msg)
        | ReconfigurableMsg::Renewal(_, _, msg)
        | ReconfigurableMsg::Acknowledgement(_, _, msg)
        | ReconfigurableMsg::Record(_, _, msg) = msg
        {
            Tenure::serials_of_message(from, to, msg, visit);
        }
    }

    fn serials_of_alarm(
        at: Peer,
        alarm: &mut ReconfigurableAlarm,
        visit: &mut impl FnMut(Series, &mut u64),
    ) {
        if let ReconfigurableAlarm::Own(alarm) = alarm {
            Tenure::serials_of_alarm(at, alarm, visit);
        }
    }
}

/// The kinds of messages: those of the protocol, and those about members.
const KINDS: [Kind; 17] = {
    let mut kinds = [Kind::announcement("members").ids(3).counters(3); 17];
    let mut i = 0;
    while i < 13 {
        kinds[i] = tenure::Msg::KINDS[i];
        i += 1;
    }
    kinds[14] = Kind::election("prepare").ids(1).counters(1);
    kinds[15] = Kind::election("prepared").ids(4).counters(3);
    kinds[16] = Kind::election("outbid").ids(1);
    kinds
};

impl Message for ReconfigurableMsg {
    const KINDS: &'static [Kind] = &KINDS;

    fn kind(&self) -> usize {
        match self {
            Self::Own(msg)
            | Self::Renewal(_, _, msg)
            | Self::Acknowledgement(_, _, msg)
            | Self::Record(_, _, msg) => msg.kind(),
            Self::Members(_) => 13,
            Self::Prepare(..) => 14,
            Self::Prepared(..) => 15,
            Self::Outbid(_) => 16,
        }
    }
}
