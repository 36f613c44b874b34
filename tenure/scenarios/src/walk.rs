//! A protocol, step by step: only the steps of a scenario happen.
//!
//! Messages take no time and wait until a step delivers them. All clocks run at one rate; an alarm
//! that a step rings before its time brings the time forward. So every run is one that the model allows,
//! as long as no process reacts to anything before an alarm that is due first (`Pending::late`).

use crate::{
    ClusterFault, Expectation, Handling, MessageSelection, RecordFate, Step, Who, asked,
    members_of, step::written,
};
use std::{collections::BTreeMap, collections::BTreeSet, fmt::Debug};
use tenure_model::{
    Cell, Command, Effects, Memory, Message, Office, Peer, Ratio, Recoverable, Setting, Start, Term,
};

/// A check of the states of all processes that are up and not late, with its name.
pub type StateInvariant<P> = (&'static str, fn(&[&P]) -> Result<(), &'static str>);

/// The nanoseconds of a tick.
const MICROS: u64 = 1000;

/// A pending alarm.
struct Pending<A> {
    alarm: A,
    /// The instant at which it is due, in ticks, and the duration for which it was set.
    due: u64,
    ticks: u32,
    /// Its number among all that were ever set.
    serial: u64,
    /// Whether an alarm has rung that was set later and is longer, on any clocks: this one was due
    /// before. Its process is late, and does nothing before it rings.
    late: bool,
}

/// A participant.
struct ScriptedParticipant<P: Recoverable> {
    process: Option<P>,
    cells: BTreeMap<Cell, u64>,
    alarms: Vec<Pending<P::Alarm>>,
    boot: u64,
    memory: Memory,
    suspended: bool,
    /// What is held, by office, as it was last seen.
    held: BTreeMap<Office, Term>,
}

/// A message under way.
struct MessageUnderWay<M> {
    from: Peer,
    to: Peer,
    msg: M,
    /// Whether it waits until a step names it.
    held: bool,
}

/// The effects of one reaction.
struct ScriptedEffects<'a, P: Recoverable> {
    /// The instant at which the reaction counts.
    now: u64,
    serial: &'a mut u64,
    cells: &'a mut BTreeMap<Cell, u64>,
    alarms: &'a mut Vec<Pending<P::Alarm>>,
    sent: Vec<(Peer, P::Msg)>,
    offices: &'a mut BTreeSet<Office>,
    rejected: Option<&'static str>,
}

impl<P: Recoverable> Effects<P> for ScriptedEffects<'_, P> {
    fn send(&mut self, to: Peer, msg: P::Msg) {
        self.sent.push((to, msg));
    }

    fn set_alarm(&mut self, alarm: P::Alarm, ticks: u32) {
        self.cancel_alarm(alarm);
        *self.serial += 1;
        let (due, serial) = (self.now + u64::from(ticks), *self.serial);
        self.alarms.push(Pending { alarm, due, ticks, serial, late: false });
    }

    fn cancel_alarm(&mut self, alarm: P::Alarm) {
        self.alarms.retain(|pending| pending.alarm != alarm);
    }

    fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }

    fn write(&mut self, cell: Cell, number: u64) {
        self.cells.insert(cell, number);
    }

    fn choose(&mut self, _: u32) -> u32 {
        0
    }

    fn changed(&mut self, office: Office) {
        self.offices.insert(office);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected.get_or_insert(why);
    }
}

/// The cluster of a scenario, and what is written of it.
pub(crate) struct Walk<'a, P: Recoverable> {
    invariants: &'a [StateInvariant<P>],
    setting: Setting,
    clients: u32,
    memory: Memory,
    participants: Vec<ScriptedParticipant<P>>,
    under_way: Vec<MessageUnderWay<P::Msg>>,
    /// The faults that cut links, until they are healed.
    cuts: Vec<(u32, u32)>,
    now: u64,
    serial: u64,
    offices: BTreeSet<Office>,
    /// The newest members, as they were last seen.
    members: Option<(u64, [u64; 2])>,
    /// The greatest term of a tenure, by office.
    greatest: BTreeMap<Office, Term>,
    /// What has happened since it was taken last.
    pub(crate) said: Vec<String>,
    /// Whether deliveries and alarms are written.
    tells: bool,
}

impl<'a, P: Recoverable> Walk<'a, P> {
    pub(crate) fn new(invariants: &'a [StateInvariant<P>]) -> Self {
        let setting = Setting {
            me: Peer(0),
            members: 3,
            heartbeat: 50_000,
            lease: 250_000,
            stop: 0,
            clocks: Ratio { fastest: 1001, slowest: 1000 },
        };
        Self {
            invariants,
            setting,
            clients: 0,
            memory: Memory::New,
            participants: Vec::new(),
            under_way: Vec::new(),
            cuts: Vec::new(),
            now: 0,
            serial: 0,
            offices: BTreeSet::from([Office(0)]),
            members: None,
            greatest: BTreeMap::new(),
            said: Vec::new(),
            tells: true,
        }
    }

    /// Takes a step.
    ///
    /// # Errors
    /// If it cannot be taken, or is an expectation that is not met.
    pub(crate) fn take(&mut self, step: &Step) -> Result<(), String> {
        let ticks = |nanos: &crate::Nanos| {
            u32::try_from(nanos.0 / MICROS).map_err(|_| format!("{nanos} is too long"))
        };
        match step {
            Step::Protocol(_) => return Ok(()),
            Step::Heartbeat(time) => self.setting.heartbeat = ticks(time)?.max(1),
            Step::Lease(time) => self.setting.lease = ticks(time)?,
            Step::Stopping(time) => self.setting.stop = ticks(time)?,
            Step::Clocks(ratio) => self.setting.clocks = *ratio,
            Step::Members(_) | Step::Clients(_) | Step::Founding
                if !self.participants.is_empty() =>
            {
                return Err(
                    "the cluster runs already; `members 0 1 3` changes its members".to_owned()
                );
            }
            Step::Members(count @ 1..=100) => self.setting.members = *count,
            Step::Clients(count @ 0..=100) => self.clients = *count,
            Step::Members(_) | Step::Clients(_) => return Err("at most 100".to_owned()),
            Step::Founding => self.memory = Memory::Lost,
            _ => {
                self.begin();
                self.go(step)?;
                self.look()?;
            }
        }
        Ok(())
    }

    /// Starts all processes, if they have not been started yet.
    fn begin(&mut self) {
        if self.participants.is_empty() {
            let peers = self.setting.members + self.clients;
            self.participants.extend((0..peers).map(|_| ScriptedParticipant {
                process: None,
                cells: BTreeMap::new(),
                alarms: Vec::new(),
                boot: 0,
                memory: self.memory,
                suspended: false,
                held: BTreeMap::new(),
            }));
            (0..peers).for_each(|peer| self.boot(Peer(peer)));
        }
    }

    fn go(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Fault { at: None, lasts: None, flapping: None, fault } => self.suffer(fault)?,
            Step::Start(whom) => {
                self.down(*whom)?.into_iter().for_each(|peer| self.boot(peer));
            }
            Step::Resume(who) => {
                let peer = self.peer(*who)?;
                self.participant(peer).suspended = false;
                self.ring_until(self.now, Some(peer));
            }
            Step::Heal => self.cuts.clear(),
            Step::Stand { peer, office, priority } => {
                let (office, priority) = (Office(*office), *priority);
                self.command(*peer, Command::Stand { office, priority })?;
            }
            Step::Stopped { peer, office } => {
                let office = Office(*office);
                let who = self.peer(*peer)?;
                let term = self.participant(who).held.get(&office).copied();
                // The work of a tenure that was lost goes on: the last term is meant.
                let term = term.or_else(|| self.greatest.get(&office).copied());
                let term = term.ok_or("it has never led")?;
                self.command(*peer, Command::Stopped { office, term })?;
            }
            Step::Wait(time) => {
                self.tells = false;
                self.advance(self.now + time.0 / MICROS);
                self.tells = true;
            }
            Step::Ring { alarm, peer } => self.ring_named(alarm, *peer)?,
            Step::Messages(handling, selection) => self.handle(*handling, selection)?,
            Step::Stabilize => self.stabilize(|_| true),
            Step::Expect(expectation) => self.expect(expectation)?,
            Step::Show => self.show(),
            _ => {
                return Err("this step is for a simulation or a demonstration: in a test nothing \
                            happens by itself, and disks and programs have no faults"
                    .to_owned());
            }
        }
        Ok(())
    }

    fn suffer(&mut self, fault: &ClusterFault) -> Result<(), String> {
        for who in fault.named() {
            self.peer(who)?;
        }
        match fault {
            ClusterFault::Crash { record: RecordFate::Restored, .. } => {
                return Err("no record is restored here".to_owned());
            }
            ClusterFault::Crash { peer, record } => {
                let peer = self.peer(*peer)?;
                let participant = self.participant(peer);
                participant.process.take().ok_or_else(|| format!("{} is down", peer.0))?;
                participant.alarms.clear();
                participant.suspended = false;
                participant.memory = Memory::Kept;
                if *record == RecordFate::Lost {
                    participant.cells.clear();
                    participant.memory = Memory::Lost;
                }
            }
            ClusterFault::Suspend { peer } => {
                let peer = self.peer(*peer)?;
                self.participant(peer).suspended = true;
            }
            ClusterFault::Resign { peer } => {
                self.command(*peer, Command::Resign { office: Office(0) })?;
            }
            ClusterFault::Transfer { peer, to } => {
                let to = self.peer(*to)?;
                self.command(*peer, Command::Transfer { office: Office(0), to })?;
            }
            ClusterFault::Members { peers } => self.ask_for(peers)?,
            fault if fault.cuts() => {
                let leader = self.leader(Office(0)).map_or(0, |(peer, _)| peer.0);
                let members = self.setting.members;
                // Where members change, any participant may be one.
                let all = if P::MEMBERS_CHANGE { self.participants.len() as u32 } else { members };
                self.cuts.extend(fault.links(all, |who| who.resolve(members, || leader)));
                let cuts = &self.cuts;
                self.under_way.retain(|it| it.held || !cuts.contains(&(it.from.0, it.to.0)));
            }
            _ => return Err("this takes a simulation".to_owned()),
        }
        Ok(())
    }

    /// An operator asks for these members.
    fn ask_for(&mut self, members: &[Who]) -> Result<(), String> {
        if !P::MEMBERS_CHANGE {
            return Err("the members of this protocol never change".to_owned());
        }
        let members = members.iter().try_fold(0, |bits, &who| {
            let bit = 1_u64.checked_shl(self.peer(who)?.0);
            Ok::<_, String>(bits | bit.ok_or("members that change have numbers up to 63")?)
        })?;
        let up = (0..).map(Peer).zip(&self.participants).filter(|(_, it)| !it.suspended);
        let up = up.filter_map(|(peer, it)| Some((peer, it.process.as_ref()?)));
        let asked = asked(up, self.leader(Office(0)).map(|(peer, _)| peer));
        let asked = asked.ok_or("no member can be asked for others now")?;
        self.command(Who::Peer(asked.0), Command::Reconfigure { members, roster: None })
    }

    fn participant(&mut self, peer: Peer) -> &mut ScriptedParticipant<P> {
        &mut self.participants[peer.0 as usize]
    }

    fn peer(&self, who: Who) -> Result<Peer, String> {
        who.check(self.participants.len() as u32, self.setting.members)?;
        let leader = self.leader(Office(0));
        if who == Who::Leader && leader.is_none() {
            return Err("no participant leads".to_owned());
        }
        Ok(Peer(who.resolve(self.setting.members, || leader.map_or(0, |(peer, _)| peer.0))))
    }

    fn down(&self, whom: Option<Who>) -> Result<Vec<Peer>, String> {
        let down = |peer: &Peer| self.participants[peer.0 as usize].process.is_none();
        let all = || (0..self.participants.len() as u32).map(Peer);
        match whom {
            None => Ok(all().filter(down).collect()),
            Some(who) => match self.peer(who)? {
                peer if down(&peer) => Ok(vec![peer]),
                peer => Err(format!("{} is up", peer.0)),
            },
        }
    }

    /// Carries out a reaction, as of an instant.
    fn react(
        &mut self,
        peer: Peer,
        now: u64,
        reaction: impl FnOnce(&mut Option<P>, &mut ScriptedEffects<'_, P>),
    ) {
        let participant = &mut self.participants[peer.0 as usize];
        let mut effects = ScriptedEffects {
            now,
            serial: &mut self.serial,
            cells: &mut participant.cells,
            alarms: &mut participant.alarms,
            sent: Vec::new(),
            offices: &mut self.offices,
            rejected: None,
        };
        reaction(&mut participant.process, &mut effects);
        let (from, sent) = (peer, effects.sent);
        if let Some(why) = effects.rejected {
            self.said.push(format!("{} rejects: {why}", peer.0));
        }
        for (to, msg) in sent {
            if self.cuts.contains(&(from.0, to.0)) {
                self.tell(|| format!("{}>{} {} is lost", from.0, to.0, kind(&msg)));
            } else {
                self.under_way.push(MessageUnderWay { from, to, msg, held: false });
            }
        }
        self.notice();
    }

    fn tell(&mut self, what: impl FnOnce() -> String) {
        if self.tells {
            self.said.push(what());
        }
    }

    fn boot(&mut self, peer: Peer) {
        let setting = Setting { me: peer, ..self.setting };
        let participant = self.participant(peer);
        let start = Start { boot: participant.boot, memory: participant.memory };
        participant.boot += 1;
        participant.memory = Memory::Kept;
        self.react(peer, self.now, |process, effects| {
            *process = Some(P::start(setting, start, effects));
        });
    }

    fn command(&mut self, who: Who, command: Command) -> Result<(), String> {
        let peer = self.peer(who)?;
        self.able(peer)?;
        self.react(peer, self.now, |process, effects| {
            if let Some(process) = process {
                process.command(command, effects);
            }
        });
        Ok(())
    }

    /// Checks that a process can react now.
    fn able(&self, peer: Peer) -> Result<(), String> {
        let participant =
            self.participants.get(peer.0 as usize).ok_or("there is no such participant")?;
        if participant.process.is_none() {
            return Err(format!("{} is down", peer.0));
        }
        if participant.suspended {
            return Err(format!("{} is suspended", peer.0));
        }
        match participant.alarms.iter().find(|pending| pending.late) {
            Some(late) => Err(format!("{} is late: {} was due before", peer.0, name(&late.alarm))),
            None => Ok(()),
        }
    }

    fn ring_named(&mut self, wanted: &str, who: Who) -> Result<(), String> {
        let peer = self.peer(who)?;
        let wanted = wanted.to_ascii_lowercase();
        let matches = |alarm: &P::Alarm| {
            let name = name(alarm);
            name == wanted || name.split(':').next() == Some(wanted.as_str())
        };
        let alarms = &self.participants[peer.0 as usize].alarms;
        let matching = alarms.iter().filter(|pending| matches(&pending.alarm));
        let first = matching.min_by_key(|pending| (pending.due, pending.serial));
        let serial = first.map(|pending| pending.serial).ok_or_else(|| {
            let set: Vec<_> = alarms.iter().map(|pending| name(&pending.alarm)).collect();
            format!("no alarm {wanted} is set at {}; there are {}", peer.0, set.join(", "))
        })?;
        let late = alarms.iter().find(|pending| pending.late && pending.serial < serial);
        if let Some(late) = late {
            return Err(format!("{} was due before", name(&late.alarm)));
        }
        self.ring(peer, serial);
        Ok(())
    }

    /// Rings an alarm, now or at the instant at which it is due.
    fn ring(&mut self, peer: Peer, serial: u64) {
        let alarms = &mut self.participant(peer).alarms;
        let Some(at) = alarms.iter().position(|pending| pending.serial == serial) else { return };
        let rung = alarms.remove(at);
        self.now = self.now.max(rung.due);
        let Ratio { fastest, slowest } = self.setting.clocks;
        for (other, participant) in (0..).map(Peer).zip(&mut self.participants) {
            for pending in participant.alarms.iter_mut().filter(|it| it.serial < rung.serial) {
                let (earlier, later) = (u64::from(pending.ticks), u64::from(rung.ticks));
                pending.late |= if other == peer {
                    earlier <= later
                } else {
                    earlier * u64::from(fastest) < later * u64::from(slowest)
                };
            }
        }
        self.tell(|| format!("{} rings {}", peer.0, name(&rung.alarm)));
        self.react(peer, rung.due, |process, effects| {
            if let Some(process) = process {
                process.ring(rung.alarm, effects);
            }
        });
    }

    /// Rings the alarms that are due until an instant, of one process or of all, in order.
    fn ring_until(&mut self, until: u64, only: Option<Peer>) -> bool {
        let mut any = false;
        while let Some((_, serial, peer)) = (0..)
            .map(Peer)
            .zip(&self.participants)
            .filter(|(peer, it)| !it.suspended && only.is_none_or(|only| only == *peer))
            .flat_map(|(peer, it)| it.alarms.iter().map(move |set| (set.due, set.serial, peer)))
            .filter(|&(due, ..)| due <= until)
            .min()
        {
            self.ring(peer, serial);
            any = true;
            if only.is_none() {
                self.stabilize(|_| true);
            }
        }
        any
    }

    /// Lets time pass: alarms ring when they are due, and messages arrive at once.
    fn advance(&mut self, until: u64) {
        self.stabilize(|_| true);
        self.ring_until(until, None);
        self.now = self.now.max(until);
        self.notice();
    }

    /// Delivers the selected messages that are not held, in the order of sending, and the messages
    /// that follow.
    fn stabilize(&mut self, selected: impl Fn(&MessageUnderWay<P::Msg>) -> bool) {
        let mut steps = 0;
        let mut from = 0;
        while let Some(at) = (from..self.under_way.len()).find(|&at| {
            let it = &self.under_way[at];
            !it.held && selected(it)
        }) {
            steps += 1;
            if steps > 10_000 {
                return self.said.push("it does not end".to_owned());
            }
            if !self.deliver(at, false) {
                from = at + 1;
            }
        }
    }

    /// Delivers a message; one to a process that is suspended or late stays under way.
    fn deliver(&mut self, at: usize, copy: bool) -> bool {
        let (from, to) = (self.under_way[at].from, self.under_way[at].to);
        if self.participants.get(to.0 as usize).is_some_and(|it| it.process.is_some())
            && self.able(to).is_err()
        {
            return false;
        }
        let msg = self.under_way[at].msg;
        if !copy {
            self.under_way.remove(at);
        }
        if self.able(to).is_err() {
            self.tell(|| format!("{}>{} {} is lost", from.0, to.0, kind(&msg)));
        } else {
            self.tell(|| format!("{}>{} {}", from.0, to.0, kind(&msg)));
            self.react(to, self.now, |process, effects| {
                if let Some(process) = process {
                    process.receive(from, msg, effects);
                }
            });
        }
        true
    }

    fn handle(&mut self, handling: Handling, selection: &MessageSelection) -> Result<(), String> {
        let MessageSelection { both, kind: wanted, .. } = selection;
        let from = selection.from.map(|who| self.peer(who)).transpose()?;
        let to = selection.to.map(|who| self.peer(who)).transpose()?;
        if let Some(wanted) = wanted
            && !P::Msg::KINDS.iter().any(|kind| kind.name == wanted)
        {
            let names: Vec<_> = P::Msg::KINDS.iter().map(|kind| kind.name).collect();
            return Err(format!("`{wanted}` is no message; there are {}", names.join(", ")));
        }
        let selected = |it: &MessageUnderWay<P::Msg>| {
            let way = |from: Option<Peer>, to: Option<Peer>| {
                from.is_none_or(|from| from == it.from) && to.is_none_or(|to| to == it.to)
            };
            (way(from, to) || *both && way(to, from))
                && wanted.as_ref().is_none_or(|wanted| wanted == kind(&it.msg))
        };
        let one = from.is_some() && to.is_some() && !both;
        let anything = selection == &MessageSelection::default();
        if handling == Handling::Deliver && !one {
            if !self.under_way.iter().any(selected) {
                return Err("no such message is under way".to_owned());
            }
            self.stabilize(selected);
            return Ok(());
        }
        // What is held waits until a step names it.
        let named = |it: &MessageUnderWay<P::Msg>| selected(it) && (one || !it.held);
        let places = (0..self.under_way.len()).filter(|&at| named(&self.under_way[at]));
        let mut places: Vec<usize> = places.collect();
        if one {
            // What is held comes last.
            places.sort_by_key(|&at| self.under_way[at].held);
            places.truncate(1);
        }
        if places.is_empty() && !anything {
            return Err("no such message is under way".to_owned());
        }
        if matches!(handling, Handling::Deliver | Handling::Copy) {
            for at in places {
                let to = self.under_way[at].to;
                if !self.deliver(at, handling == Handling::Copy) {
                    return self.able(to);
                }
            }
            return Ok(());
        }
        places.reverse();
        for at in places {
            if handling == Handling::Drop {
                self.under_way.remove(at);
            } else {
                self.under_way[at].held = true;
            }
        }
        Ok(())
    }

    /// The tenure of a participant, if it lasts: the alarm that ends it is not due.
    fn tenure(&self, peer: Peer, office: Office) -> Option<(Term, Option<P::Alarm>)> {
        let participant = self.participants.get(peer.0 as usize)?;
        let tenure = participant.process.as_ref()?.tenure(office)?;
        let mut alarms = participant.alarms.iter();
        let lasts = |until| alarms.any(|it| it.alarm == until && it.due > self.now);
        tenure.until.is_none_or(lasts).then_some((tenure.term, tenure.until))
    }

    fn leaders(&self, office: Office) -> Vec<(Peer, Term)> {
        let all = (0..self.participants.len() as u32).map(Peer);
        all.filter_map(|peer| Some((peer, self.tenure(peer, office)?.0))).collect()
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        self.leaders(office).first().copied()
    }

    /// Writes which members are the newest, if these are others than before.
    fn notice_members(&mut self) {
        let up = self.participants.iter().filter_map(|it| it.process.as_ref());
        let Some(newest) = up.filter_map(P::members).max() else { return };
        let before = self.members.replace(newest);
        if before.is_some_and(|before| before < newest) {
            let one = |bits: u64| {
                members_of(bits).map(|Peer(member)| format!(" {member}")).collect::<String>()
            };
            let (_, [old, new]) = newest;
            let old = if old == new { String::new() } else { format!("{} and", one(old)) };
            self.said.push(format!("members{old}{}", one(new)));
        }
    }

    /// Writes which tenures have begun and ended, and what promise that breaks.
    fn notice(&mut self) {
        self.notice_members();
        for office in self.offices.clone() {
            let of = if office.0 == 0 { String::new() } else { format!(" office {}", office.0) };
            for peer in (0..self.participants.len() as u32).map(Peer) {
                let term = self.tenure(peer, office).map(|(term, _)| term);
                let held = &mut self.participants[peer.0 as usize].held;
                let before = held.get(&office).copied();
                if before == term {
                    continue;
                }
                match term {
                    None => _ = held.remove(&office),
                    Some(term) => _ = held.insert(office, term),
                }
                if before.is_some() {
                    self.said.push(format!("{} leads{of} no more", peer.0));
                }
                let Some(term) = term else { continue };
                self.said.push(format!("{} leads{of} at term {}", peer.0, written(term)));
                let greatest = self.greatest.entry(office).or_insert(Term(0));
                if term <= *greatest && *greatest > Term(0) {
                    let (new, old) = (written(term), written(*greatest));
                    self.said.push(format!("BROKEN ever newer: term {new} after term {old}"));
                }
                *greatest = term.max(*greatest);
                if let [(one, _), (other, _), ..] = self.leaders(office).as_slice() {
                    self.said.push(format!("BROKEN one: {} and {} lead{of}", one.0, other.0));
                }
            }
        }
    }

    /// Holds the states of all processes that are not late to the invariants.
    fn look(&mut self) -> Result<(), String> {
        let on_time = |it: &&ScriptedParticipant<P>| it.alarms.iter().all(|set| set.due > self.now);
        let up = self.participants.iter().filter(on_time);
        let up: Vec<&P> = up.filter_map(|it| it.process.as_ref()).collect();
        for (name, holds) in self.invariants {
            holds(&up).map_err(|why| format!("the invariant `{name}` is broken: {why}"))?;
        }
        Ok(())
    }

    fn expect(&mut self, expectation: &Expectation) -> Result<(), String> {
        self.notice();
        let name = |leader: Option<(Peer, Term)>| match leader {
            Some((peer, term)) => format!("{} at term {}", peer.0, written(term)),
            None => "no leader".to_owned(),
        };
        match expectation {
            Expectation::NoLeader { office } => match self.leader(Office(*office)) {
                None => Ok(()),
                leader => Err(format!("expected no leader, and there is {}", name(leader))),
            },
            Expectation::Leader { peer, term, office } => {
                let leaders = self.leaders(Office(*office));
                let wanted = self.peer(*peer)?;
                let fits = |&(leader, led): &(Peer, Term)| {
                    leader == wanted && term.is_none_or(|(order, than)| led.cmp(&than) == order)
                };
                match leaders.as_slice() {
                    [only] if fits(only) => Ok(()),
                    leaders => {
                        let names: Vec<_> = leaders.iter().map(|&it| name(Some(it))).collect();
                        let all = names.join(" and ");
                        let all = if all.is_empty() { "no leader" } else { &all };
                        Err(format!("expected leader {peer}, and there is {all}"))
                    }
                }
            }
            Expectation::Names { peer, leader, office } => {
                let peer = self.peer(*peer)?;
                self.able(peer)?;
                let named = self.participants[peer.0 as usize].process.as_ref();
                let named = named.and_then(|process| process.leader(Office(*office)));
                let wanted = leader.map(|who| self.peer(who)).transpose()?;
                match named.map(|(leader, _)| leader) == wanted {
                    true => Ok(()),
                    false => Err(format!("{} names {}", peer.0, name(named))),
                }
            }
        }
    }

    fn show(&mut self) {
        let mut lines = vec![format!("time {}", crate::Nanos(self.now * MICROS))];
        for (peer, it) in (0..).map(Peer).zip(&self.participants) {
            let mut line = format!("{}:", peer.0);
            let Some(process) = &it.process else {
                lines.push(line + " down");
                continue;
            };
            if it.suspended {
                line += " suspended;";
            }
            for &office in &self.offices {
                let named = process.leader(office);
                line += &match (self.tenure(peer, office), named) {
                    (Some((term, None)), _) => format!(" leads {} at {};", office.0, written(term)),
                    (Some((term, Some(until))), _) => {
                        format!(" leads {} at {} until {};", office.0, written(term), name(&until))
                    }
                    (None, Some((leader, term))) => {
                        format!(" names {} in {} at {};", leader.0, office.0, written(term))
                    }
                    (None, None) => format!(" names none in {};", office.0),
                };
            }
            let mut alarms: Vec<_> = it.alarms.iter().collect();
            alarms.sort_by_key(|set| (set.due, set.serial));
            let alarms: Vec<_> = alarms.iter().map(|set| name(&set.alarm)).collect();
            lines.push(format!("{line} alarms {}", alarms.join(", ")));
        }
        for it in &self.under_way {
            let held = if it.held { " (held)" } else { "" };
            lines.push(format!("{}>{} {:?}{held}", it.from.0, it.to.0, it.msg));
        }
        self.said.append(&mut lines);
    }
}

fn kind<M: Message>(msg: &M) -> &'static str {
    M::KINDS[msg.kind()].name
}

/// The name of an alarm, as scenarios write it: `Owed(Peer(1))` is `owed:1`.
fn name(alarm: &impl Debug) -> String {
    let text = format!("{alarm:?}");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.filter(|word| !matches!(*word, "Peer" | "Office" | "Term" | "Some"));
    words.collect::<Vec<_>>().join(":").to_ascii_lowercase()
}
