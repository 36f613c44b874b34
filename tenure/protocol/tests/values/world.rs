//! Participants that restart, over links that lose, double and reorder what they say of the values of leaderships. The
//! machine that is tried is `machine`, beside this module: so that seeded faults in it can be, too.

use super::machine::{LeaderValue, LeaderValues, ValueInput, ValueMessage, ValueOutput};
use std::collections::{BTreeMap, HashSet};
use tenure_model::{Office, Peer, Ratio, Setting, Term};
use tenure_scenarios::{Transcript, machine_transcript};

pub(crate) const OFFICE: Office = Office(7);

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Host {
    pub(crate) values: LeaderValues,
    boot: u64,
    leader: Option<(Peer, Term)>,
    /// The greatest term that it has known, also before a restart, as its promises on disk ensure.
    term: Term,
    /// What it shows, and the newest that it has ever shown.
    pub(crate) shows: Option<(Term, u64)>,
    newest: (Term, u64),
}

/// A message on its way.
pub(crate) type Flight = (Peer, Peer, ValueMessage);

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct World {
    members: u32,
    pub(crate) hosts: Vec<Host>,
    pub(crate) flying: Vec<Flight>,
    held: Vec<Flight>,
    /// The leader of each term, and what it has proclaimed.
    terms: BTreeMap<Term, (Peer, Vec<LeaderValue>)>,
    said: Vec<String>,
    broken: Option<String>,
}

impl World {
    pub(crate) fn new(members: u32, clients: u32) -> Self {
        let host = |me| Host {
            values: start(members, me, 1),
            boot: 1,
            leader: None,
            term: Term(0),
            shows: None,
            newest: (Term(0), 0),
        };
        Self {
            members,
            hosts: (0..members + clients).map(|me| host(Peer(me))).collect(),
            flying: Vec::new(),
            held: Vec::new(),
            terms: BTreeMap::new(),
            said: Vec::new(),
            broken: None,
        }
    }

    fn all(&self) -> impl Iterator<Item = Peer> + use<> {
        (0..self.hosts.len() as u32).map(Peer)
    }

    fn newest(&self) -> Option<(Term, Peer, u64)> {
        let (term, (leader, values)) = self.terms.last_key_value()?;
        Some((*term, *leader, values.len() as u64))
    }

    fn step(&mut self, at: Peer, input: ValueInput) {
        let mut outputs = Vec::new();
        self.hosts[at.0 as usize].values.step(input, &mut outputs);
        for output in outputs {
            if let ValueOutput::Send(to, message) = output {
                self.said.push(format!("{} > {}: {}", at.0, to.0, in_words(&message)));
                self.flying.push((at, to, message));
            }
        }
        self.look(at);
    }

    /// Holds what a host shows to what it may show.
    fn look(&mut self, at: Peer) {
        let is_member = at.0 < self.members;
        let host = &mut self.hosts[at.0 as usize];
        let shown = host.leader.and_then(|(_, term)| {
            host.values.value(OFFICE, term).map(|(change, value)| ((term, change), value.clone()))
        });
        let shows = shown.as_ref().map(|(version, _)| *version);
        if shows == host.shows {
            return;
        }
        host.shows = shows;
        let Some(((term, change), value)) = shown else {
            return self.said.push(format!("{} shows nothing", at.0));
        };
        let text = short(value.text());
        self.said.push(format!("{} shows change {change} of term {}: {text}", at.0, term.0));
        if (term, change) < host.newest {
            let whose = if is_member { "member" } else { "client" };
            self.broken.get_or_insert(format!("BROKEN: a {whose} shows an older value"));
        }
        host.newest = host.newest.max((term, change));
        let won = self.terms.get(&term).map(|(_, values)| values);
        let proclaimed = match change {
            0 => won.map(|_| LeaderValue::default()),
            _ => won.and_then(|values| values.get(change as usize - 1).cloned()),
        };
        if proclaimed != Some(value) {
            self.broken.get_or_insert("BROKEN: no leader has proclaimed it".to_owned());
        }
    }

    fn learn(&mut self, at: Peer, leader: Option<(Peer, Term)>) {
        let host = &mut self.hosts[at.0 as usize];
        host.leader = leader;
        host.term = host.term.max(leader.map_or(Term(0), |(_, term)| term));
        self.step(at, ValueInput::Led(OFFICE, leader));
    }

    pub(crate) fn learn_newest(&mut self, at: Peer) {
        let leads = self.newest().map(|(term, leader, _)| (leader, term));
        let over =
            self.hosts[at.0 as usize].leader.is_none() && leads.is_some_and(|(it, _)| it == at);
        self.learn(at, leads.filter(|_| !over));
    }

    pub(crate) fn win(&mut self, at: Peer) {
        if let Some((_, old, _)) = self.newest() {
            self.learn(old, None);
        }
        let term = Term(self.newest().map_or(1, |(term, ..)| term.0 + 1));
        self.terms.insert(term, (at, Vec::new()));
        self.learn(at, Some((at, term)));
    }

    fn leads(&self, at: Peer) -> bool {
        self.hosts[at.0 as usize].leader.is_some_and(|(leader, _)| leader == at)
    }

    pub(crate) fn proclaim(&mut self, at: Peer, text: &str) -> Result<(), String> {
        let value = LeaderValue::new(text).map_err(|error| error.to_string())?;
        let leads = self.hosts[at.0 as usize].leader.filter(|&(leader, _)| leader == at);
        let Some((_, term)) = leads else { return Err(format!("{} does not lead", at.0)) };
        let values = self.terms.get_mut(&term).map(|(_, values)| values);
        values.ok_or("it has not won")?.push(value.clone());
        self.step(at, ValueInput::Proclaim(OFFICE, term, value));
        Ok(())
    }

    /// Starts a host again. A leader that restarts leads no longer.
    fn restart(&mut self, at: Peer) {
        let members = self.members;
        let host = &mut self.hosts[at.0 as usize];
        host.boot += 1;
        host.values = start(members, at, host.boot);
        host.leader = None;
        if at.0 >= members {
            host.newest = (Term(0), 0);
        }
        self.look(at);
    }

    pub(crate) fn deliver(&mut self, (from, to, message): Flight) {
        self.step(to, ValueInput::Received(from, message));
    }

    pub(crate) fn deliver_all(&mut self) {
        let mut steps = 0;
        while !self.flying.is_empty() {
            let next = self.flying.remove(0);
            self.deliver(next);
            steps += 1;
            assert!(steps < 10_000, "messages beget messages for ever");
        }
    }

    fn beat(&mut self, at: Peer) {
        self.step(at, ValueInput::Beat);
    }

    /// Lets nothing fail from now on, and checks what everyone shows then.
    fn heal(&mut self) {
        let hosts: Vec<Peer> = self.all().collect();
        for &at in &hosts {
            self.learn_newest(at);
        }
        let Some((term, leader, change)) = self.newest() else { return };
        if !self.leads(leader) {
            return;
        }
        self.deliver_all();
        for beat in 0..=self.members {
            for &at in &hosts {
                self.beat(at);
                let silent = at.0 >= self.members || beat == 0 || self.flying.is_empty();
                if !silent {
                    self.broken.get_or_insert(format!("BROKEN: {} repeats what is answered", at.0));
                }
            }
            self.deliver_all();
            for &at in hosts.iter().filter(|at| at.0 < self.members || beat == self.members) {
                if self.hosts[at.0 as usize].shows != Some((term, change)) {
                    self.broken
                        .get_or_insert(format!("BROKEN: {} does not show the newest value", at.0));
                }
            }
            self.flying.clear();
        }
    }

    fn make(line: &str) -> Result<Self, String> {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["members", members, "clients", clients] => {
                Ok(Self::new(number(members)?, number(clients)?))
            }
            _ => Err("the first step is `members 3 clients 1`".to_owned()),
        }
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let everyone: Vec<Peer> = match words.get(1) {
            Some(&"all" | &"one") | None => self.all().collect(),
            Some(word) => vec![Peer(number(word)?)],
        };
        let host = everyone[0];
        match words[..] {
            ["deliver"] => self.deliver_all(),
            ["deliver", "one"] if !self.flying.is_empty() => {
                let next = self.flying.remove(0);
                self.deliver(next);
            }
            ["lose"] => self.flying.clear(),
            ["double"] => self.flying.extend(self.flying.clone()),
            ["hold"] => self.held.append(&mut self.flying),
            ["late"] => {
                self.flying.append(&mut self.held);
                self.deliver_all();
            }
            ["learn", _] => everyone.into_iter().for_each(|at| self.learn_newest(at)),
            ["vacant", _] => everyone.into_iter().for_each(|at| self.learn(at, None)),
            ["beat", _] => everyone.into_iter().for_each(|at| self.beat(at)),
            ["forget", _] => self.step(host, ValueInput::Forget(OFFICE)),
            ["restart", _] => self.restart(host),
            ["win", _] => self.win(host),
            ["told", _, term] => {
                let term = Term(u64::from(number(term)?));
                let leader = self.terms.get(&term).map(|(leader, _)| (*leader, term));
                self.learn(host, leader);
            }
            ["again", _] => {
                let leader = self.newest().map(|(term, ..)| (host, term));
                self.learn(host, leader);
            }
            ["proclaim", _, text] => match text.split_once(" bytes of ") {
                Some((length, letter)) => {
                    self.proclaim(host, &letter.repeat(number(length)? as usize))?;
                }
                None => self.proclaim(host, text)?,
            },
            _ => return Err(format!("there is no step {line:?}")),
        }
        self.broken.take().map_or(Ok(()), Err)
    }
}

fn start(members: u32, me: Peer, boot: u64) -> LeaderValues {
    let clocks = Ratio::ONE;
    let setting = Setting { me, members, heartbeat: 1, lease: 5, stop: 0, clocks };
    LeaderValues::new(&setting, boot)
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("{word:?} is no number"))
}

fn short(text: &str) -> String {
    if text.len() > 40 { format!("{} bytes", text.len()) } else { format!("{text:?}") }
}

fn in_words(message: &ValueMessage) -> String {
    match message {
        ValueMessage::Want { change: 0, missing: 1, .. } => "asks".to_owned(),
        ValueMessage::Want { change, missing: 0, .. } => format!("has change {change}"),
        ValueMessage::Want { change, missing, .. } => {
            format!("lacks {} parts of change {change}", missing.count_ones())
        }
        ValueMessage::Part { change, part, bytes, .. } => {
            format!("part {part} of change {change}: {}", short(&String::from_utf8_lossy(bytes)))
        }
    }
}

/// Lets happen what a scenario says.
pub(crate) fn transcript(text: &str) -> Transcript {
    machine_transcript(text, World::make, World::take, |world| &mut world.said)
}

/// What may still happen in the exploration of a leader, host 0, and a member.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    pub(crate) proclaims: u32,
    pub(crate) beats: u32,
    pub(crate) restarts: u32,
    pub(crate) vacancies: u32,
    pub(crate) copies: u32,
}

/// What takes a second to explore.
pub(crate) const FEW_STEPS: Budget =
    Budget { proclaims: 2, beats: 1, restarts: 1, vacancies: 0, copies: 0 };

/// Explores every order of few steps, and returns the number of configurations. A message that is never delivered is a
/// lost one.
///
/// # Errors
/// If something is broken: after how many configurations, and what.
pub(crate) fn explore(budget: Budget) -> Result<u64, (u64, String)> {
    let mut world = World::new(2, 0);
    world.win(Peer(0));
    world.learn_newest(Peer(1));
    let (mut seen, mut rest) = (HashSet::new(), vec![(world, budget)]);
    while let Some((mut world, budget)) = rest.pop() {
        world.said.clear();
        world.flying.sort();
        if world.flying.len() > 50 {
            world.broken.get_or_insert("BROKEN: messages beget messages for ever".to_owned());
        }
        if let Some(broken) = world.broken {
            return Err((seen.len() as u64, broken));
        }
        if !seen.insert((world.clone(), budget)) {
            continue;
        }
        let mut healed = world.clone();
        healed.heal();
        if let Some(broken) = healed.broken {
            return Err((seen.len() as u64, broken));
        }
        let mut next = |change: &dyn Fn(&mut World), left: Budget| {
            let mut world = world.clone();
            change(&mut world);
            rest.push((world, left));
        };
        if let Some(proclaims) = budget.proclaims.checked_sub(1) {
            let text = "long ".repeat(1 + 29 * proclaims as usize);
            let set = |world: &mut World| world.proclaim(Peer(0), &text).expect("it leads");
            next(&set, Budget { proclaims, ..budget });
        }
        if let Some(beats) = budget.beats.checked_sub(1) {
            for at in world.all() {
                next(&|world| world.beat(at), Budget { beats, ..budget });
            }
        }
        if let Some(restarts) = budget.restarts.checked_sub(1) {
            next(&|world| world.restart(Peer(1)), Budget { restarts, ..budget });
        }
        match (world.hosts[1].leader, budget.vacancies.checked_sub(1)) {
            (None, _) => next(&|world| world.learn_newest(Peer(1)), budget),
            (_, Some(vacancies)) => {
                next(&|world| world.learn(Peer(1), None), Budget { vacancies, ..budget });
            }
            _ => {}
        }
        for flight in 0..world.flying.len() {
            let arrives = |world: &mut World| {
                let message = world.flying.remove(flight);
                world.deliver(message);
            };
            next(&arrives, budget);
            if let Some(copies) = budget.copies.checked_sub(1) {
                let copied = |world: &mut World| world.deliver(world.flying[flight].clone());
                next(&copied, Budget { copies, ..budget });
            }
        }
    }
    Ok(seen.len() as u64)
}

/// A generator of random numbers: `SplitMix64`.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// Walks at random, lets nothing fail any more, and returns how often a value was seen to change.
///
/// # Errors
/// If something is broken.
pub(crate) fn walk(seed: u64) -> Result<usize, String> {
    let mut shown = 0;
    let mut draws = Draws(seed);
    let mut world = World::new(1 + draws.below(4) as u32, draws.below(3) as u32);
    for step in 0..600 {
        let at = Peer(draws.below(world.hosts.len()) as u32);
        match draws.below(64) {
            0 => world.win(at),
            1 => world.restart(at),
            2 => {
                let leader = world.hosts[at.0 as usize].leader;
                world.learn(at, None);
                if leader.is_none_or(|(it, _)| it != at) && draws.below(2) == 0 {
                    world.step(at, ValueInput::Forget(OFFICE));
                }
                world.learn(at, leader.filter(|_| draws.below(2) == 0));
            }
            3..8 => {
                // It may be behind, and even be told of an earlier leader than it knows.
                let host = &world.hosts[at.0 as usize];
                let knows = host.leader.is_some_and(|(_, term)| term == host.term);
                let first = if knows && draws.below(4) == 0 { Term(0) } else { host.term };
                let terms = world.terms.range(first..);
                let known: Vec<_> = terms.map(|(&term, &(leader, _))| (leader, term)).collect();
                if !known.is_empty() && !world.leads(at) {
                    let (leader, term) = known[draws.below(known.len())];
                    world.learn(at, Some((leader, term)).filter(|_| leader != at));
                }
            }
            8..12 => {
                if let Some((_, leader, _)) = world.newest().filter(|(_, it, _)| world.leads(*it)) {
                    let length = [0, 30, 30, 60, 800][draws.below(5)];
                    let text = format!("{step:3} {}", format!("{step:5}").repeat(length));
                    world.proclaim(leader, &text).expect("it leads");
                }
            }
            12..20 => world.beat(at),
            draw if !world.flying.is_empty() => {
                let flight = draws.below(world.flying.len());
                let message = world.flying[flight].clone();
                if draw >= 24 {
                    world.flying.swap_remove(flight);
                }
                if draw < 56 {
                    world.deliver(message);
                }
            }
            _ => {}
        }
        world.flying.truncate(200);
        shown += world.said.iter().filter(|it| it.contains(" shows change ")).count();
        world.said.clear();
        if let Some(broken) = world.broken {
            return Err(format!("step {step}: {broken}"));
        }
    }
    world.heal();
    world.broken.map_or(Ok(shown), Err)
}
