//! Members that change: an operator has a host removed, and later adds it again, with an empty disk.

use super::awaited::{Awaited, poll};
use super::program::Program;
use super::{ServiceWorld, Victim, WorldFault};
use crate::clock::{MILLI, SECOND};
use crate::queue::{HostNumber, HostTask, WorldEvent};
use tenure_model::{Memory, Peer};
use tenure_node::records::Loaded;
use tenure_node::testing::SteppedMember;
use tenure_node::{ChangeError, ClusterMembers, MembershipChange, Participant, RosterHost};

/// How often an operator looks at what was asked, and asks again.
const ASKS: u64 = 300 * MILLI;

/// How long a member may take to change the members.
const CHANGES: u64 = 30 * SECOND;

/// What an operator does with a host.
#[derive(Default)]
pub(crate) struct MembershipOperation {
    /// Whether its member is to decide without those that are destroyed.
    forces: bool,
    /// Whether it was removed, and its disk is empty now.
    joins: bool,
    /// Whether it is to be added again.
    over: bool,
    asked: Option<(u64, Awaited<Result<(), ChangeError>>)>,
}

impl ServiceWorld {
    /// An operator begins to have a host removed.
    pub(crate) fn remove_member(&mut self, host: HostNumber) {
        if self.hosts[host].operation.is_none() {
            self.operate_on(host, MembershipOperation::default());
        }
    }

    fn operate_on(&mut self, host: HostNumber, operation: MembershipOperation) {
        self.hosts[host].operation = Some(operation);
        self.queue.push(self.now, WorldEvent::Operate(host));
    }

    /// Returns the hosts that are destroyed when this one is to decide without them: a majority, or the other one of two.
    fn destroyed_beside(&self, host: HostNumber) -> Vec<HostNumber> {
        let hosts = self.hosts.len();
        (1..hosts).take(hosts / 2 + 1).map(|after| (host + after) % hosts).collect()
    }

    /// A majority of the hosts is destroyed, and an operator has the member of this one decide without them.
    pub(crate) fn destroy_others(&mut self, host: HostNumber) {
        for other in self.destroyed_beside(host) {
            self.begin(WorldFault::Crash { lost: true }, other);
        }
        self.operate_on(host, MembershipOperation { forces: true, ..Default::default() });
    }

    /// Those are installed anew, and an operator adds them again.
    pub(crate) fn restore_others(&mut self, host: HostNumber) {
        if self.hosts[host].operation.take().is_some() {
            self.broken(&format!("the member of host {host} does not decide without others"));
        }
        for other in self.destroyed_beside(host) {
            self.end(WorldFault::Crash { lost: true }, other);
            self.hosts[other].joins = true;
            self.hosts[other].boots.clear();
            let added = MembershipOperation { joins: true, over: true, ..Default::default() };
            self.operate_on(other, added);
        }
    }

    /// The host is to be added again, as soon as it is removed.
    pub(crate) fn add_member(&mut self, host: HostNumber) {
        if let Some(operation) = &mut self.hosts[host].operation {
            operation.over = true;
        }
    }

    /// An operator looks at what was asked, and asks for what is next.
    pub(crate) fn operate_members(&mut self, host: HostNumber) {
        let Some(mut operation) = self.hosts[host].operation.take() else { return };
        let mut done = false;
        if let Some((since, asked)) = &mut operation.asked {
            let answer = poll(asked);
            match &answer {
                None if self.now - *since > CHANGES => {
                    return self.broken("a change of the members does not end");
                }
                Some(Err(why)) => {
                    self.say(host, || format!("an operator is told: {why}"));
                    // A member that is cut off may say so of what has changed meanwhile.
                    done = why.to_string().contains(match operation.joins {
                        true => "a member already",
                        false => "there is no member",
                    }) && self.is_told_member(host) == Some(operation.joins);
                }
                Some(Ok(())) => done = true,
                None => {}
            }
            if answer.is_some() {
                operation.asked = None;
            }
        }
        let name = self.names[host].clone();
        match (done, operation.joins, operation.over) {
            (true, true, _) => return self.say(host, || "it is a member again".to_owned()),
            (true, ..) if operation.forces => {
                return self.say(host, || "its member decides without others".to_owned());
            }
            (true, false, true) => {
                self.empty_disk(host);
                operation.joins = true;
            }
            (false, joins, _) if operation.asked.is_none() => {
                let change = match joins {
                    true => MembershipChange::Add { name, address: None },
                    false if operation.forces => {
                        let lost = self.destroyed_beside(host).into_iter();
                        MembershipChange::Force {
                            lost: lost.map(|it| self.names[it].clone()).collect(),
                        }
                    }
                    false => MembershipChange::Remove { name },
                };
                operation.asked = self.ask_member(host, change);
            }
            // An answer is awaited; or it is removed, and stays so until it is to be added again.
            _ => {}
        }
        self.hosts[host].operation = Some(operation);
        self.queue.push(self.now + ASKS, WorldEvent::Operate(host));
    }

    /// Asks another member for a change.
    fn ask_member(
        &mut self,
        about: HostNumber,
        change: MembershipChange,
    ) -> Option<(u64, Awaited<Result<(), ChangeError>>)> {
        let forces = matches!(change, MembershipChange::Force { .. });
        let drawn = self.dice.below(self.hosts.len() as u64) as usize;
        let asked = if forces { about } else { drawn };
        let program = self.hosts[asked].program.as_ref().filter(|_| forces || asked != about)?;
        let participant = Participant::clone(&program.member);
        let mut waits: Awaited<_> =
            Box::pin(async move { participant.change_members(change).await });
        let _ = poll(&mut waits);
        self.wake(asked, HostTask::Engine);
        Some((self.now, waits))
    }

    /// The program is killed, and the host is installed anew.
    fn empty_disk(&mut self, host: HostNumber) {
        self.say(host, || "it is installed anew, and joins".to_owned());
        self.begin(WorldFault::Kill(Victim::Server), host);
        self.lose_record(host);
        self.hosts[host].joins = true;
        self.hosts[host].boots.clear();
    }

    /// The record is lost; the next one has another number.
    pub(crate) fn lose_record(&mut self, host: HostNumber) {
        let store = u128::from(self.dice.below(u64::MAX)) + 1;
        self.hosts[host].record = Loaded { store, ..Loaded::nothing(Memory::Lost) };
    }

    /// Returns as what the program of a host starts; nothing if it has to wait.
    pub(crate) fn starts_as(
        &mut self,
        host: HostNumber,
        loaded: &mut Loaded,
    ) -> Option<(ClusterMembers, Peer)> {
        let name = self.names[host].clone();
        let told = self.hosts[host].joins.then(|| self.told_members(host));
        let joins = told.as_ref().map(Option::as_ref);
        let found = SteppedMember::number(&name, loaded, &self.names, joins);
        if found.is_none() {
            let (address, record) = (format!("{name}:7400"), loaded.store);
            let waits = RosterHost { name, address, witness: false, record };
            self.reached(host).for_each(|other| other.links.waits(waits.clone()));
        }
        let me = found.as_ref()?.1;
        self.judge_start(host, me, loaded);
        self.hosts[host].me = me;
        let number = me.0 as usize;
        if number >= self.numbers.len() {
            self.numbers.resize(number + 1, host);
        }
        self.numbers[number] = host;
        found
    }

    /// A program starts as the member of this number: with a record of that number, or as what it is without one.
    fn judge_start(&mut self, host: HostNumber, me: Peer, loaded: &Loaded) {
        let key = (host, loaded.store);
        let used = self.owners.iter().any(|(&other, &number)| other != key && number == me);
        if *self.owners.entry(key).or_insert(me) != me {
            self.broken(&format!("host {host} starts as number {} with another's record", me.0));
        } else if loaded.memory == Memory::New && (used || loaded.record.boot > 0) {
            self.broken(&format!("host {host} starts as if number {} had never voted", me.0));
        }
    }

    /// Checks that all hosts are members, and that the member of each says so.
    pub(crate) fn members_agree(&self) -> Result<(), String> {
        let told = self.hosts.iter().map(|host| {
            let now = host.program.as_ref()?.member.membership();
            let mut hosts: Vec<_> = now.hosts().map(|(peer, it)| (it.name.clone(), peer)).collect();
            hosts.sort();
            Some((now.number(), hosts))
        });
        let right = self.names.iter().cloned().zip(self.hosts.iter().map(|host| host.me)).collect();
        let told = told.map(Option::unwrap_or_default).collect::<Vec<_>>();
        let number = told.iter().map(|(number, _)| *number).max().unwrap_or(0);
        let right: (u64, Vec<_>) = (number, right);
        match told.iter().position(|it| *it != right) {
            Some(host) => {
                Err(format!("host {host} tells of the members {:?}, not of {right:?}", told[host]))
            }
            None => Ok(()),
        }
    }

    /// Returns the newest members that the hosts know which this one reaches.
    fn told_members(&self, host: HostNumber) -> Option<ClusterMembers> {
        let told = self.reached(host).map(|other| other.member.membership());
        told.max_by_key(ClusterMembers::number)
    }

    /// Returns the programs that this host reaches.
    fn reached(&self, host: HostNumber) -> impl Iterator<Item = &Program> {
        let reached = (0..self.hosts.len()).filter(move |&other| {
            let open = other != host && self.is_open_between(host, other);
            open && self.hosts[other].can_run(HostTask::Engine)
        });
        reached.filter_map(|other| self.hosts[other].program.as_deref())
    }

    /// Returns whether a host is a member, by the newest members that the others know which it reaches.
    fn is_told_member(&self, host: HostNumber) -> Option<bool> {
        let told = self.told_members(host)?;
        Some(told.hosts().any(|(_, it)| it.name == self.names[host]))
    }

    /// Notes who decides, as the members know it. Of one number, one set of members decides alone.
    pub(crate) fn note_members(&mut self, host: HostNumber) {
        let program = self.hosts[host].program.as_mut();
        let Some(now) = program.and_then(|program| program.member.new_membership()) else { return };
        self.dial_all(host);
        let sets = self.electorates.entry(now.number()).or_insert_with(|| now.sets());
        if now.number() % 2 == 0 && *sets != now.sets() {
            let (number, known, told) = (now.number(), sets.clone(), now.sets());
            self.broken(&format!("members differ in configuration {number}: {known:?}, {told:?}"));
        }
    }

    /// Returns whether those for which this holds are a majority of all that decide in a configuration by which a leader
    /// may count whose newest one has the number `known`.
    pub(crate) fn is_majority(&self, known: u64, has: impl Fn(HostNumber) -> bool) -> bool {
        let enough = |members: &u64| {
            let all = (0..u64::BITS).filter(|member| members >> member & 1 == 1);
            let with = all
                .filter(|&member| self.numbers.get(member as usize).is_some_and(|&host| has(host)));
            2 * with.count() as u32 > members.count_ones()
        };
        let counted = self.electorates.range(known.saturating_sub(2)..=known);
        counted.into_iter().any(|(_, sets)| sets.iter().all(enough))
    }
}
