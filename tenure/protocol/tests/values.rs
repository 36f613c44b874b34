//! Values of leaderships among participants that restart, over links that lose, double and reorder messages: as scenarios
//! (`scenarios/values`) are written, in every order of few steps, and in long random walks.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-protocol --test values
//! ```
//!
//! writes what happens now below the steps of the scenarios. In every state:
//! - a member never shows an older value than it has shown, also after a restart, and a client not while it runs;
//! - what is shown is what the leader of that term has proclaimed as that change;
//! - if nothing fails from then on, everyone that knows the leader shows the newest value after one heartbeat, or a client
//!   after a heartbeat for each member; and then the members send nothing more.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use tenure_model::{Office, Peer, Ratio, Setting, Term};
use tenure_protocol::value::{LeaderValue, LeaderValues, ValueInput, ValueMessage, ValueOutput};
use tenure_scenarios::{Transcript, check_folder, machine_transcript};

const OFFICE: Office = Office(7);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Host {
    values: LeaderValues,
    boot: u64,
    leader: Option<(Peer, Term)>,
    /// The greatest term that it has known, also before a restart, as its promises on disk ensure.
    term: Term,
    /// What it shows, and the newest that it has ever shown.
    shows: Option<(Term, u64)>,
    newest: (Term, u64),
}

/// A message on its way.
type Flight = (Peer, Peer, ValueMessage);

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    members: u32,
    hosts: Vec<Host>,
    flying: Vec<Flight>,
    held: Vec<Flight>,
    /// The leader of each term, and what it has proclaimed.
    terms: BTreeMap<Term, (Peer, Vec<LeaderValue>)>,
    said: Vec<String>,
    broken: Option<String>,
}

impl World {
    fn new(members: u32, clients: u32) -> Self {
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

    fn learn_newest(&mut self, at: Peer) {
        let leads = self.newest().map(|(term, leader, _)| (leader, term));
        let over =
            self.hosts[at.0 as usize].leader.is_none() && leads.is_some_and(|(it, _)| it == at);
        self.learn(at, leads.filter(|_| !over));
    }

    fn win(&mut self, at: Peer) {
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

    fn proclaim(&mut self, at: Peer, text: &str) -> Result<(), String> {
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

    fn deliver(&mut self, (from, to, message): Flight) {
        self.step(to, ValueInput::Received(from, message));
    }

    fn deliver_all(&mut self) {
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
            Some(&"all") | None => self.all().collect(),
            Some(word) => vec![Peer(number(word)?)],
        };
        let host = everyone[0];
        match words[..] {
            ["deliver"] => self.deliver_all(),
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
            ["proclaim", _, text] => match text.strip_suffix(" bytes") {
                Some(length) => self.proclaim(host, &"x".repeat(number(length)? as usize))?,
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

#[test]
fn every_scenario_happens_as_it_is_written() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/values"));
    let run = |text: &str| -> Result<Transcript, String> {
        Ok(machine_transcript(text, World::make, World::take, |world| &mut world.said))
    };
    let wrong = check_folder(folder, run).expect("they can be read");
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// What may still happen in the exploration of a leader, host 0, and a member.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Budget {
    proclaims: u32,
    beats: u32,
    restarts: u32,
    vacancies: u32,
    copies: u32,
}

#[test]
fn no_order_of_few_steps_breaks_anything() {
    explore(Budget { proclaims: 2, beats: 1, restarts: 1, vacancies: 0, copies: 0 });
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn no_order_of_more_steps_breaks_anything() {
    explore(Budget { proclaims: 2, beats: 1, restarts: 1, vacancies: 1, copies: 1 });
}

/// Every order of few steps. A message that is never delivered is a lost one.
fn explore(budget: Budget) {
    let mut world = World::new(2, 0);
    world.win(Peer(0));
    world.learn_newest(Peer(1));
    let (mut seen, mut rest) = (HashSet::new(), vec![(world, budget)]);
    while let Some((mut world, budget)) = rest.pop() {
        world.said.clear();
        world.flying.sort();
        assert_eq!(world.broken, None);
        if !seen.insert((world.clone(), budget)) {
            continue;
        }
        let mut healed = world.clone();
        healed.heal();
        assert_eq!(healed.broken, None);
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
    println!("{} states", seen.len());
    assert!(seen.len() > 10_000, "{} states", seen.len());
}

/// A generator of random numbers: `SplitMix64`.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

#[test]
fn no_random_walk_breaks_anything() {
    let mut shown = 0;
    for seed in 0..400 {
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
                    if let Some((_, leader, _)) =
                        world.newest().filter(|(_, it, _)| world.leads(*it))
                    {
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
            assert_eq!(world.broken, None, "walk {seed}, step {step}");
        }
        world.heal();
        assert_eq!(world.broken, None, "walk {seed} healed");
    }
    assert!(shown > 10_000, "values must be seen to change: {shown}");
}

#[test]
fn a_value_is_one_line_of_limited_length() {
    for (text, why) in [
        ("a\nb".to_owned(), "a value cannot have the control character \\n"),
        ("é".repeat(2049), "a value of 4098 bytes is too long: at most 4096 are possible"),
    ] {
        assert_eq!(LeaderValue::new(&text).map_err(|it| it.to_string()), Err(why.to_owned()));
    }
    let longest = "é".repeat(2048);
    assert_eq!(LeaderValue::new(&longest).map(|it| it.text().to_owned()), Ok(longest));
}

#[test]
fn a_member_believes_no_one_but_the_leader() {
    let mut world = World::new(3, 0);
    world.win(Peer(0));
    world.learn_newest(Peer(1));
    world.deliver_all();
    world.proclaim(Peer(0), "true").expect("it leads");
    let (_, to, message) = world.flying.remove(0);
    world.deliver((Peer(2), to, message.clone()));
    assert_eq!(world.hosts[1].shows, Some((Term(1), 0)));
    world.deliver((Peer(0), to, message));
    assert_eq!(world.hosts[1].shows, Some((Term(1), 1)));
}

/// Of the leader itself, and of another member: nothing panics, and no value is made of it that could not be set.
#[test]
fn what_no_correct_leader_sends_does_no_harm() {
    let mut draws = Draws(7);
    let mut world = World::new(3, 0);
    world.win(Peer(0));
    world.learn_newest(Peer(1));
    let ValueMessage::Want { office, term, asking, .. } = world.flying[0].2 else { panic!() };
    for _ in 0..50_000 {
        let length = [0, 1, 112, 113, 4096, 4097, u16::MAX][draws.below(7)];
        let part = [0, 1, 36, 37, 63, 64, u8::MAX][draws.below(7)];
        let change = [0, 1, 2, u64::MAX][draws.below(4)];
        let bytes = vec![[b'x', b'\n', 0xff][draws.below(3)]; [0, 1, 112, 113][draws.below(4)]];
        let missing = [0, 1, u64::MAX][draws.below(3)];
        let message = match draws.below(4) {
            0 => ValueMessage::Want { office, term, asking, change, missing },
            _ => ValueMessage::Part { office, term, asking, change, length, part, bytes },
        };
        let from = Peer([0, 0, 0, 2][draws.below(4)]);
        for at in [Peer(0), Peer(1)] {
            let input = ValueInput::Received(from, message.clone());
            world.hosts[at.0 as usize].values.step(input, &mut Vec::new());
        }
        if let Some((_, value)) = world.hosts[1].values.value(OFFICE, Term(1)) {
            assert_eq!(LeaderValue::new(value.text()), Ok(value.clone()));
        }
    }
}
