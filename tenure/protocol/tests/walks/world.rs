//! A small world to walk through at random: any [`Recoverable`], links that lose, double and
//! overtake, crashes, lost records, and alarms in every order that clocks of the given ratio allow.
//!
//! It has no time. An alarm may ring when the model's rule lets it, so processes that are suspended
//! and clocks of any rate within the bound are among the walks. All comes from the seed.

#[path = "climates.rs"] // Also where the mutants include this file.
mod climates;

pub(crate) use climates::{CHANGES, CLIMATES, Weather};
use std::collections::{BTreeMap, BTreeSet};
use tenure_model::*;

/// A small generator (xorshift64*): walks need many numbers, and no statistics.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % n
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

pub(crate) struct Pending<A> {
    pub(crate) at: usize,
    pub(crate) alarm: A,
    ticks: u32,
    /// When it rings in the calm.
    due: u64,
}

pub(crate) struct Site<P: Recoverable> {
    pub(crate) process: Option<P>,
    setting: Setting,
    pub(crate) cells: BTreeMap<Cell, u64>,
    starts: u64,
    /// By office: the term in which work is done.
    work: BTreeMap<Office, Term>,
    /// The offices for which it was told to stand and has not resigned.
    stands: BTreeSet<Office>,
}

/// The world of one walk.
pub(crate) struct World<P: Recoverable> {
    weather: Weather,
    random: Random,
    pub(crate) sites: Vec<Site<P>>,
    pub(crate) net: Vec<(usize, usize, P::Msg)>,
    /// In the order of setting.
    pub(crate) alarms: Vec<Pending<P::Alarm>>,
    greatest: BTreeMap<Office, Term>,
    /// The time, in the calm.
    now: u64,
    tenures: u64,
}

/// What a reaction causes.
struct Reaction<'a, P: Recoverable> {
    cells: &'a mut BTreeMap<Cell, u64>,
    alarms: &'a mut Vec<Pending<P::Alarm>>,
    random: &'a mut Random,
    at: usize,
    now: u64,
    sent: Vec<(Peer, P::Msg)>,
    /// The number of messages sent before the first write, and the cells before it.
    before: Option<(usize, BTreeMap<Cell, u64>)>,
    rejected: Option<&'static str>,
    changed: Vec<Office>,
}

impl<P: Recoverable> Effects<P> for Reaction<'_, P> {
    fn send(&mut self, to: Peer, msg: P::Msg) {
        self.sent.push((to, msg));
    }
    fn set_alarm(&mut self, alarm: P::Alarm, ticks: u32) {
        self.cancel_alarm(alarm);
        let due = self.now + u64::from(ticks);
        self.alarms.push(Pending { at: self.at, alarm, ticks, due });
    }
    fn cancel_alarm(&mut self, alarm: P::Alarm) {
        self.alarms.retain(|pending| (pending.at, pending.alarm) != (self.at, alarm));
    }
    fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }
    fn write(&mut self, cell: Cell, number: u64) {
        self.before.get_or_insert_with(|| (self.sent.len(), self.cells.clone()));
        self.cells.insert(cell, number);
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.random.below(max as usize + 1) as u32
    }
    fn changed(&mut self, office: Office) {
        self.changed.push(office);
    }
    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}

/// What a process has to do.
enum Act<P: Recoverable> {
    Start(Memory),
    Receive(Peer, P::Msg),
    Ring(P::Alarm),
    Command(Command),
}

pub(crate) type Verdict = Result<(), String>;

impl<P: Recoverable> World<P> {
    fn new(weather: Weather, seed: u64) -> Result<Self, String> {
        let site = |me| Site {
            process: None,
            setting: Setting {
                me: Peer(me),
                members: weather.members,
                heartbeat: 50,
                lease: 250,
                stop: weather.stop,
                clocks: Ratio { fastest: 101, slowest: 100 },
            },
            cells: BTreeMap::new(),
            starts: 0,
            work: BTreeMap::new(),
            stands: BTreeSet::new(),
        };
        let count = weather.members + weather.clients;
        let mut world = Self {
            weather,
            random: Random::new(seed),
            sites: (0..count).map(site).collect(),
            net: Vec::new(),
            alarms: Vec::new(),
            greatest: BTreeMap::new(),
            now: 0,
            tenures: 0,
        };
        let memory = if weather.founding { Memory::Lost } else { Memory::New };
        for at in 0..world.sites.len() {
            world.act(at, Act::Start(memory))?;
        }
        Ok(world)
    }

    /// The processes that are up.
    pub(crate) fn up(&self) -> Vec<&P> {
        self.sites.iter().filter_map(|site| site.process.as_ref()).collect()
    }

    /// One reaction, with all that it causes but the delivery of what it sends.
    fn act(&mut self, at: usize, act: Act<P>) -> Verdict {
        let site = &mut self.sites[at];
        let mut reaction = Reaction {
            cells: &mut site.cells,
            alarms: &mut self.alarms,
            random: &mut self.random,
            at,
            now: self.now,
            sent: Vec::new(),
            before: None,
            rejected: None,
            changed: Vec::new(),
        };
        let offices = (0..self.weather.offices).map(Office);
        let say = |process: &P| -> Vec<_> {
            let told = |office| {
                let tenure = process.tenure(office).map(|held| (held.term, held.stopping));
                (tenure, process.leader(office))
            };
            offices.clone().map(told).collect()
        };
        let before = site.process.as_ref().map(say);
        let commanded = matches!(act, Act::Command(_));
        _ = match act {
            Act::Command(Command::Stand { office, .. }) => site.stands.insert(office),
            Act::Command(Command::Resign { office }) => site.stands.remove(&office),
            _ => false,
        };
        match (act, &mut site.process) {
            (Act::Start(memory), process @ None) => {
                let start = Start { boot: site.starts, memory };
                site.starts += 1;
                *process = Some(P::start(site.setting, start, &mut reaction));
            }
            (Act::Receive(from, msg), Some(process)) => process.receive(from, msg, &mut reaction),
            (Act::Ring(alarm), Some(process)) => process.ring(alarm, &mut reaction),
            (Act::Command(command), Some(process)) => process.command(command, &mut reaction),
            _ => return Ok(()),
        }
        let Reaction { mut sent, before: halfway, rejected, changed, .. } = reaction;
        if let Some(why) = rejected.filter(|_| !commanded) {
            return Err(format!("process {at} rejects: {why}"));
        }
        if let Some((left, cells)) = halfway.filter(|&(left, _)| left > 0)
            && self.weather.crashes > 0
            && self.random.percent(10)
        {
            // It crashes before it writes, and what it sent until then has left.
            (self.weather.crashes, site.cells) = (self.weather.crashes - 1, cells);
            sent.truncate(left);
            self.post(at, sent);
            self.crash(at);
            return Ok(());
        }
        let process = site.process.as_ref().expect("it has just reacted");
        for (office, now) in offices.clone().zip(say(process)) {
            let was = before.as_ref().map_or((None, None), |before| before[office.0 as usize]);
            if now != was && !changed.contains(&office) {
                return Err(format!("process {at} does not say that {office:?} has changed"));
            }
            if let Some((term, _)) = now.0
                && was.0.map(|(term, _)| term) != Some(term)
            {
                if site.work.contains_key(&office) && self.weather.stop == 0 {
                    return Err(format!("process {at} leads {office:?} again before it stopped"));
                }
                if !site.stands.contains(&office) {
                    return Err(format!("process {at} leads {office:?} and does not stand for it"));
                }
                let greatest = self.greatest.entry(office).or_default();
                if term <= *greatest && *greatest != Term(0) {
                    return Err(format!("a term goes back: {term:?} after {greatest:?}"));
                }
                *greatest = term;
                self.tenures += 1;
                site.work.insert(office, term);
            } else if now.0.is_none() && self.weather.stop == 0 {
                site.work.remove(&office); // It has been killed at the deadline.
            }
        }
        self.post(at, sent);
        // More under way than the eldest few hundred teaches nothing.
        if self.net.len() > 200 {
            let lost = self.random.below(self.net.len());
            self.net.remove(lost);
        }
        Ok(())
    }

    fn post(&mut self, at: usize, sent: Vec<(Peer, P::Msg)>) {
        assert!(sent.iter().all(|(to, _)| to.0 as usize != at), "sent to itself");
        let sent = sent.into_iter().filter(|(to, _)| (to.0 as usize) < self.sites.len());
        self.net.extend(sent.map(|(to, msg)| (at, to.0 as usize, msg)));
    }

    /// At most one process holds each office.
    fn one_holder(&self) -> Verdict {
        for office in (0..self.weather.offices).map(Office) {
            let holds = |site: &&Site<P>| {
                site.process.as_ref().is_some_and(|process| process.tenure(office).is_some())
            };
            let holders: Vec<Peer> =
                self.sites.iter().filter(holds).map(|site| site.setting.me).collect();
            if holders.len() > 1 {
                return Err(format!("{holders:?} hold {office:?}"));
            }
        }
        Ok(())
    }

    /// Which alarms may ring: those before which no other is due.
    fn due(&self) -> Vec<usize> {
        let may = |&i: &usize| {
            let alarm = &self.alarms[i];
            self.alarms[..i].iter().all(|earlier| {
                let (e, d) = (u64::from(earlier.ticks), u64::from(alarm.ticks));
                if earlier.at == alarm.at { e > d } else { e * 101 >= d * 100 }
            })
        };
        (0..self.alarms.len()).filter(may).collect()
    }

    fn deliver(&mut self, i: usize, twice: bool) -> Verdict {
        let (from, to, msg) = self.net[i];
        if !twice {
            self.net.remove(i);
        }
        self.act(to, Act::Receive(Peer(from as u32), msg))
    }

    fn ring(&mut self, i: usize) -> Verdict {
        let Pending { at, alarm, .. } = self.alarms.remove(i);
        self.act(at, Act::Ring(alarm))
    }

    fn crash(&mut self, at: usize) {
        let site = &mut self.sites[at];
        site.process = None;
        site.work.clear();
        site.stands.clear();
        self.alarms.retain(|pending| pending.at != at);
        // What the reaction before has sent may not have left.
        let keep = self.random.below(2) == 0;
        self.net.retain(|&(from, ..)| keep || from != at);
    }

    fn command(&mut self) -> Verdict {
        let at = self.random.below(self.sites.len());
        let office = Office(self.random.below(self.weather.offices as usize) as u64);
        let to = Peer(self.random.below(self.sites.len()) as u32);
        let stopping = |site: &Site<P>| {
            let held = site.process.as_ref().and_then(|process| process.tenure(office));
            held.is_none_or(|held| held.stopping)
        };
        let command = match self.random.below(10) {
            0..=3 => Command::Stand { office, priority: self.random.below(3) as u32 },
            4 => Command::Resign { office },
            5 => Command::Transfer { office, to },
            _ => match self.sites[at].work.get(&office) {
                Some(&term) if stopping(&self.sites[at]) => {
                    self.sites[at].work.remove(&office);
                    Command::Stopped { office, term }
                }
                _ => return Ok(()),
            },
        };
        self.act(at, Act::Command(command))
    }

    /// Asks someone for other members, at least as many as this, or for another roster.
    fn change(&mut self, least: u32) -> Verdict {
        let at = self.random.below(self.sites.len());
        let members = self.random.below(1 << self.sites.len()) as u64;
        let rosters = self.weather.rosters;
        let is_of_roster = rosters > 0 && self.random.percent(rosters);
        let roster = is_of_roster.then(|| self.random.below(3) as u64);
        let now = self.sites[at].process.as_ref().and_then(Recoverable::members);
        let command = match (roster, now) {
            (Some(_), Some((_, [_, members]))) => Command::Reconfigure { members, roster },
            _ if members.count_ones() >= least => Command::Reconfigure { members, roster: None },
            _ => return Ok(()),
        };
        self.act(at, Act::Command(command))
    }

    /// A step of the walk.
    fn step(&mut self) -> Verdict {
        let weather = self.weather;
        let dice = self.random.below(1000);
        let down = self.sites.iter().position(|site| site.process.is_none());
        let (falls, rises) = (weather.restlessness, weather.restlessness * 4);
        if dice < falls && self.weather.crashes > 0 {
            let at = self.random.below(self.sites.len());
            if self.sites[at].process.is_some() {
                self.weather.crashes -= 1;
                self.crash(at);
            }
        } else if dice < falls + rises && down.is_some() {
            self.recover(down.expect("it is down"))?;
        } else if self.random.percent(weather.commands) {
            self.command()?;
        } else if weather.changes.0 > 0 && self.random.below(1000) < weather.changes.0 {
            self.change(weather.changes.1)?;
        } else if self.net.is_empty() || self.random.percent(weather.alarms) {
            let due = self.due();
            if !due.is_empty() {
                let i = due[self.random.below(due.len())];
                self.ring(i)?;
            }
        } else {
            let any = self.random.below(self.net.len());
            let link = |message: &(usize, usize, P::Msg)| (message.0, message.1);
            let eldest = self.net.iter().position(|m| link(m) == link(&self.net[any]));
            let overtakes = self.random.percent(weather.overtaking);
            let i = if overtakes { any } else { eldest.unwrap_or(any) };
            if self.random.percent(weather.loss) {
                self.net.remove(i);
            } else {
                let twice = self.random.percent(weather.duplication);
                self.deliver(i, twice)?;
            }
        }
        self.one_holder()
    }

    fn recover(&mut self, at: usize) -> Verdict {
        let lost = self.weather.lost_records > 0 && self.random.percent(30);
        let memory = if lost { Memory::Lost } else { Memory::Kept };
        if lost {
            self.weather.lost_records -= 1;
            self.sites[at].cells.clear();
        }
        self.act(at, Act::Start(memory))
    }

    /// Ends all faults, lets messages take no time and clocks run at one rate, and has all stand for
    /// every office: each must be held after `heartbeats` heartbeats, and be held on for as many. Of a new
    /// cluster in which an office was held, a majority must be enough: the others are down for good.
    fn calm(&mut self, heartbeats: u32) -> Verdict {
        self.weather.crashes = 0;
        let (all, mut gone) = (self.weather.members as usize, 0..0);
        if self.weather.founding && self.tenures > 0 {
            let first = self.random.below(all);
            gone = first..first + (all - 1) / 2;
        }
        for at in 0..self.sites.len() {
            if gone.contains(&at) || gone.contains(&(at + all)) {
                self.crash(at);
                continue;
            }
            if self.sites[at].process.is_none() {
                self.recover(at)?;
            }
            for office in (0..self.weather.offices).map(Office) {
                self.act(at, Act::Command(Command::Stand { office, priority: at as u32 % 2 }))?;
            }
        }
        // Every alarm that pends has been set by now, in its order.
        for pending in &mut self.alarms {
            pending.due = self.now + u64::from(pending.ticks);
        }
        let filled = self.now + u64::from(heartbeats) * 50;
        let end = filled + u64::from(heartbeats) * 50;
        while self.now < end {
            let mut delivered = 0;
            while !self.net.is_empty() {
                delivered += 1;
                if delivered > 5000 {
                    let next = &self.net[0];
                    return Err(format!("messages without end in the calm, next {next:?}"));
                }
                self.deliver(0, false)?;
                self.stop_all()?;
                self.one_holder()?;
            }
            let holds = |site: &Site<P>, office| {
                site.process.as_ref().is_some_and(|process| process.tenure(office).is_some())
            };
            let mut offices = (0..self.weather.offices).map(Office);
            let vacant = offices.find(|&office| !self.sites.iter().any(|site| holds(site, office)));
            if let Some(office) = vacant.filter(|_| self.now > filled) {
                return Err(format!("{office:?} is vacant after the calm"));
            }
            let next = (0..self.alarms.len()).min_by_key(|&i| self.alarms[i].due);
            let Some(next) = next else { break };
            self.now = self.alarms[next].due;
            self.ring(next)?;
            self.stop_all()?;
            self.one_holder()?;
        }
        let up = self.sites.iter().filter_map(|site| site.process.as_ref());
        let newest = up.filter_map(P::members).map(|(number, _)| number).max();
        match newest.filter(|number| number % 2 == 1) {
            Some(number) => Err(format!("the change to configuration {number} does not end")),
            None => Ok(()),
        }
    }

    /// Ends the work wherever it is to end.
    fn stop_all(&mut self) -> Verdict {
        for at in 0..self.sites.len() {
            let work: Vec<_> = self.sites[at].work.iter().map(|(&o, &t)| (o, t)).collect();
            for (office, term) in work {
                let held = self.sites[at].process.as_ref().and_then(|p| p.tenure(office));
                if held.is_none_or(|held| held.stopping) {
                    self.sites[at].work.remove(&office);
                    self.act(at, Act::Command(Command::Stopped { office, term }))?;
                }
            }
        }
        Ok(())
    }
}

/// A walk and the calm after it: the number of tenures, or what was broken.
pub(crate) fn walk<P: Recoverable>(
    climate: Weather,
    seed: u64,
    steps: u64,
    check: impl Fn(&mut World<P>) -> Verdict,
) -> Result<u64, String> {
    let mut random = Random::new(seed ^ 0x5eed);
    let weather = Weather {
        loss: [0, 5, 30][random.below(3)],
        duplication: [0, 10, 30][random.below(3)],
        overtaking: [0, 30, 100][random.below(3)],
        alarms: [5, 15, 40][random.below(3)],
        ..climate
    };
    let mut world = World::<P>::new(weather, seed)?;
    for step in 0..steps {
        let taken = world.step().and_then(|()| check(&mut world));
        taken.map_err(|why| format!("step {step}, {weather:?}: {why}"))?;
    }
    let heartbeats = if weather.changes.0 > 0 { 60 } else { 15 };
    world.calm(heartbeats).map_err(|why| format!("{weather:?}: {why}"))?;
    Ok(world.tenures)
}
