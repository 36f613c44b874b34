//! The tables are those of the code that runs: in every small election that the checker explores, each reaction is one
//! row of the table, and each row is taken that the invariants do not exclude.

use serde::Serialize;
use std::{
    any::type_name,
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};
use suffrage_algorithms::{
    Algorithm, Claimed, Extinction, Fact, FactValue, Invariant,
    complete::{AfekGafni, AllToAll, Humblet, Villadangos},
    ring::{
        AlternatingSteps, ChangRoberts, DolevKlaweRodeh, Franklin, HighamPrzytycka,
        HirschbergSinclair, LeLann, StagesWithFeedback,
    },
    tree::TreeWave,
    wave::{RingToken, Tree},
};
use suffrage_checker::{Checker, Family, RandomInstances, Sampler, Specification};
use suffrage_model::{Id, Net, NetworkClass, Place, Port, PortSet, Process, Size, Status};
use suffrage_proofs::{
    SUBJECTS,
    proof::Proof,
    subjects::ProvedAlgorithm,
    table::{Effect, Event, ReactingProcess, ReactionRow, Table, take_members},
};

/// For each process that is watched its table, and the rows that it has taken.
static WATCHED: Mutex<BTreeMap<&str, (Table, BTreeSet<usize>)>> = Mutex::new(BTreeMap::new());

/// A process whose reactions are looked up in the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Watched<P> {
    process: P,
    id: Id,
    place: Place,
    size: Size,
    degree: u32,
    /// Where the process keeps only the size of a set, the members of that set. No process has two such sets.
    counted: PortSet,
}

/// A net that records messages.
struct Recording<'a, N> {
    net: &'a mut N,
    effects: Vec<Effect>,
    /// Whether a message to all is one effect, and not one for each port.
    to_all: bool,
}

impl<M: Copy + Serialize, N: Net<M>> Net<M> for Recording<'_, N> {
    fn degree(&self) -> u32 {
        self.net.degree()
    }

    fn send(&mut self, to: Port, msg: M) {
        self.effects.push(Effect::Send(to, Fact::of_message(&msg).expect("a fact")));
        self.net.send(to, msg);
    }

    fn choose(&mut self, _: u32) -> u32 {
        panic!("no lots are drawn")
    }

    fn set_alarm(&mut self, _: u32) {
        panic!("no alarm is set")
    }

    fn reject(&mut self, why: &'static str) {
        self.effects.push(Effect::Reject(why));
        self.net.reject(why);
    }

    fn send_all(&mut self, msg: M) {
        if !self.to_all {
            return (0..self.degree()).for_each(|port| self.send(Port(port), msg));
        }
        self.effects.push(Effect::SendAll(Fact::of_message(&msg).expect("a fact")));
        self.net.send_all(msg);
    }

    fn send_others(&mut self, than: Port, msg: M) {
        if !self.to_all {
            let others = (0..self.degree()).map(Port).filter(|&port| port != than);
            return others.for_each(|port| self.send(port, msg));
        }
        self.effects.push(Effect::SendOthers(than, Fact::of_message(&msg).expect("a fact")));
        self.net.send_others(than, msg);
    }
}

impl<P: Process<Msg: Serialize> + Serialize> Watched<P> {
    /// What the set of ports that are counted may be after an event: it stays, or has all ports again, and the port of
    /// the message may be taken out. Which of these it is, the row says.
    fn counted_after(&self, event: &Event) -> Vec<PortSet> {
        let facts = Fact::of_state(&self.process).expect("facts");
        let mut values = facts.iter().flat_map(|fact| &fact.values);
        let mut sets = vec![self.counted.clone()];
        if values.any(|value| matches!(value, FactValue::CountedSet(_))) {
            sets.push(PortSet::all(self.degree));
            if let Event::Receive(from, _) = event {
                for mut set in sets.clone() {
                    set.remove(*from);
                    sets.push(set);
                }
            }
        }
        let mut distinct: Vec<PortSet> = Vec::new();
        for set in sets {
            if !distinct.contains(&set) {
                distinct.push(set);
            }
        }
        distinct
    }

    fn watch<N: Net<P::Msg>>(
        &mut self,
        event: Event,
        net: &mut N,
        react: impl FnOnce(&mut P, &mut Recording<'_, N>),
    ) {
        let ports = [NetworkClass::Complete, NetworkClass::Tree, NetworkClass::Connected]
            .contains(&P::NETWORK);
        // `None` if the process keeps another size than the set has.
        let facts = |process: &P, counted: &PortSet| {
            let mut facts = Fact::of_state(process).expect("facts");
            let mut sets = take_members(&mut facts);
            for value in facts.iter_mut().flat_map(|fact| &mut fact.values) {
                match *value {
                    FactValue::Port(port) if ports => *value = FactValue::Place(port.into()),
                    FactValue::CountedSet(count) if count == u64::from(counted.len()) => {
                        sets = vec![counted.iter().map(|Port(port)| u64::from(port)).collect()];
                        *value = FactValue::Set(count);
                    }
                    FactValue::CountedSet(_) => return None,
                    _ => {}
                }
            }
            Some((facts, sets))
        };
        let (before, sets) = facts(&self.process, &self.counted).expect("ports that are counted");
        let mut recording = Recording { net, effects: Vec::new(), to_all: ports };
        react(&mut self.process, &mut recording);
        let effects = recording.effects;
        let alone = Some(self.size == Size(1));
        let reaction = |(after, sets_after): (Vec<Fact>, _)| ReactionRow {
            event: event.clone(),
            alone,
            before: before.clone(),
            guards: Vec::new(),
            asked: Vec::new(),
            after,
            effects: effects.clone(),
            loops: false,
            sets: [sets.clone(), sets_after],
        };
        let mut watched = WATCHED.lock().expect("no test has failed");
        let (table, taken) = watched.get_mut(type_name::<P>()).expect("it is watched");
        let (Place(place), Size(size)) = (self.place, self.size);
        let across = |Port(port): Port| match ports {
            true => port.into(),
            false => u64::from((place + port + 1) % size),
        };
        let place = if ports { u64::MAX } else { place.into() };
        let degree = u64::from(self.degree);
        let of = ReactingProcess { id: self.id.get(), place, across: &across, degree };
        let mut found = Vec::new();
        for counted in self.counted_after(&event) {
            let Some(after) = facts(&self.process, &counted) else { continue };
            let reaction = reaction(after);
            let rows = table.rows_of(&of, &reaction).expect("it is itself");
            found.extend((!rows.is_empty()).then_some((counted, reaction, rows)));
        }
        assert_eq!(
            found.len(),
            1,
            "{before:?}, {event:?}: so many ways to count the ports fit rows of the table"
        );
        let (counted, reaction, rows) = found.remove(0);
        self.counted = counted;
        // Of counts nothing is known, and so rows that differ in what they ask of counts are the same; and a reaction
        // with a loop is several rows.
        let of_counts =
            |fact: &Fact| fact.values.iter().any(|of| matches!(of, FactValue::Count(_)));
        let most = match ports || reaction.before.iter().chain(&reaction.after).any(of_counts) {
            true => usize::MAX,
            false => 1,
        };
        let fits = rows.len() <= most;
        assert!(fits, "{} is {} rows of the table", reaction, rows.len());
        taken.extend(rows);
    }
}

impl<P: Process<Msg: Serialize> + Serialize> Process for Watched<P> {
    const NETWORK: NetworkClass = P::NETWORK;
    type Knows = (P::Knows, (Id, (Place, Size)));
    type Msg = P::Msg;

    fn new((knows, (id, (place, size))): Self::Knows, degree: u32) -> Self {
        let (process, counted) = (P::new(knows, degree), PortSet::all(degree));
        Self { process, id, place, size, degree, counted }
    }

    fn wake(&mut self, net: &mut impl Net<P::Msg>) {
        self.watch(Event::Wake, net, |process, net| process.wake(net));
    }

    fn receive(&mut self, from: Port, msg: P::Msg, net: &mut impl Net<P::Msg>) {
        let event = Event::Receive(from, Fact::of_message(&msg).expect("a fact"));
        self.watch(event, net, |process, net| process.receive(from, msg, net));
    }

    fn status(&self) -> Status {
        self.process.status()
    }

    fn leader(&self) -> Option<Id> {
        self.process.leader()
    }

    fn halted(&self) -> bool {
        self.process.halted()
    }
}

/// Explores every election of up to so many processes, with the invariants in every configuration, and samples
/// larger ones. The invariants exclude all rows that no election takes, except for those with these parts.
fn explore<P: Claimed<Msg: Serialize> + Serialize>(name: &str, nodes: u32, beyond_proof: &[&str]) {
    explore_with_samples::<P>(name, nodes, 400, beyond_proof);
}

fn explore_with_samples<P: Claimed<Msg: Serialize> + Serialize>(
    name: &str,
    nodes: u32,
    samples: u64,
    beyond_proof: &[&str],
) {
    let subject = ProvedAlgorithm::named(name).expect("it is proved");
    let table = (subject.table)().expect("a table");
    WATCHED
        .lock()
        .expect("no test has failed")
        .insert(type_name::<P>(), (table.clone(), BTreeSet::new()));
    let invariants = || {
        P::invariants()
            .into_iter()
            .map(|invariant| invariant.lift(|of: &Watched<P>| &of.process, Some))
    };
    let specification = Specification::<Watched<P>>::these(&[]).invariants(invariants());
    for nodes in 1..=nodes {
        let family = Family::everything(P::NETWORK, nodes).expect("a small family");
        // Every configuration: a reduction looks at reactions that no schedule brings.
        let checker = Checker::new(&specification, &family).costs(false).full(true);
        let report = checker.symmetry(false).run().expect("instances");
        assert_eq!((report.failing, report.incomplete), (0, None), "{name}, {nodes}");
    }
    let instances = RandomInstances::new(P::NETWORK, 4..=9);
    let sampler = Sampler::new(&specification, &instances).samples(samples);
    assert!(sampler.run().expect("instances").violation.is_none(), "{name}");
    let row = Algorithm::named(name).expect("a row");
    let proof = Proof::new(
        &table,
        row.statements(),
        row.claims.rule,
        subject.record().properties,
        subject.record().finite,
    );
    let report = proof.expect("formulas").run(false);
    let taken = WATCHED.lock().expect("no test has failed")[type_name::<P>()].1.clone();
    let mut beyond = Vec::new();
    for (number, row) in table.rows.iter().enumerate() {
        let turned = format!("where port 0 leads back, {row}");
        let possible = report.possible.iter().any(|of| *of == row.to_string() || *of == turned);
        assert!(possible || !taken.contains(&number), "{name}: {row}: was excluded, and is taken");
        if possible && !taken.contains(&number) {
            beyond.push(row.to_string());
        }
    }
    let is_listed = |row: &String| beyond_proof.iter().any(|part| row.contains(part));
    beyond.retain(|row| !is_listed(row));
    assert!(
        beyond.is_empty(),
        "{name}: these are never taken; exclude them by an invariant, or list them: {beyond:#?}"
    );
}

#[test]
fn all_to_all() {
    explore::<AllToAll>("all-to-all", 4, &[]);
}

#[test]
fn tree_wave() {
    explore::<TreeWave>("tree-wave", 4, &[]);
}

#[test]
fn chang_roberts() {
    explore::<ChangRoberts>("chang-roberts", 4, &[]);
}

#[test]
fn lelann() {
    explore::<LeLann>("lelann", 4, &[]);
}

#[test]
fn franklin() {
    // That its messages come in rounds is not proved: nothing that comes early comes with the last round, and no
    // process hears its own identity from one side alone.
    let beyond = [", rejects it", "-> Leader heard(", "own = k, j < k -> Leader"];
    explore::<Franklin>("franklin", 3, &beyond);
}

#[test]
fn hirschberg_sinclair() {
    // How far messages go is not proved: they come home, approve or are refused at any distance.
    let beyond = [", rejects it", "-> Home", "own != j -> Candidate("];
    explore::<HirschbergSinclair>("hirschberg-sinclair", 4, &beyond);
}

#[test]
fn higham_przytycka() {
    // Rounds are counted, so that an envelope may be promoted, stay or be destroyed wherever labels allow it.
    explore::<HighamPrzytycka>("higham-przytycka", 4, &[", rejects it", "last("]);
}

#[test]
fn ring_extinction() {
    explore::<Extinction<RingToken>>("ring-extinction", 4, &[]);
}

#[test]
#[ignore = "takes two minutes; part of `.ci/evidence`"]
fn tree_extinction() {
    // No row is excluded because a process with one neighbour sends its token at once, and has no other father.
    let beyond = [
        "Awake receives WakeUp(l) from k where own != l, j > l, k alone in all",
        "k != l, l alone in all",
    ];
    explore::<Extinction<Tree>>("tree-extinction", 4, &beyond);
}

#[test]
fn alternating_steps() {
    // That candidates keep in step is not proved.
    explore::<AlternatingSteps>("alternating-steps", 4, &[", rejects it", "-> Leader"]);
}

#[test]
#[ignore = "takes half a minute; part of `.ci/evidence`"]
fn stages_with_feedback() {
    // Nor is it here, and so what comes early or is approved of may come together as in no election.
    let beyond = [", rejects it", "approved(", "early(", "-> Leader"];
    explore::<StagesWithFeedback>("stages-with-feedback", 3, &beyond);
}

#[test]
fn villadangos() {
    explore::<Villadangos>("villadangos", 4, &[]);
}

#[test]
fn afek_gafni() {
    // What waits in queues is not proved, nor whose messages a node that waits, or has stopped, may still get.
    let beyond = [
        ", rejects it",
        "goes on",
        "potential_father(",
        "Ending(j)",
        "Counting(_) receives",
        "owned(j, _, k) receives Arrive(_, l) from j",
        "owned(j, _, k) receives Leader(m) from l",
        "Killed owned(j, _, k) receives Ask(_, l) from j",
        "Killed owned(j, _, k) receives AcceptAnswer from j",
        "Killed receives Ask(_, k) from j",
    ];
    explore_with_samples::<AfekGafni>("afek-gafni", 3, 2000, &beyond);
}

#[test]
fn humblet() {
    // What waits in queues is not proved, nor whose messages a node that waits, or its owner, may still get.
    let beyond = [
        ", rejects it",
        "Sleep goes on",
        "Active goes on",
        "Inactive goes on",
        "owner(j) goes on",
        "Inactive receives Capture",
        "owner(j) receives Capture(_, k) from j",
        "owner(j) receives Accept from j",
        "owner(j) contender(",
    ];
    explore_with_samples::<Humblet>("humblet", 3, 2000, &beyond);
    let taken = &WATCHED.lock().expect("no test has failed")[type_name::<Humblet>()];
    let (table, taken) = taken;
    let turns = taken.iter().filter(|&&row| table.rows[row].event == Event::Turn).count();
    assert!(turns > 1, "{turns} turns of the loop over a queue");
}

#[test]
fn dolev_klawe_rodeh() {
    explore::<DolevKlaweRodeh>("dolev-klawe-rodeh", 4, &[", rejects it"]);
}

#[test]
fn each_record_of_a_proof_has_a_test_here() {
    let here = include_str!("bound.rs");
    for subject in SUBJECTS {
        assert!(
            here.contains(&format!(">(\"{}\", ", subject.name)),
            "{} is not explored",
            subject.name
        );
    }
}

fn broken<P: Claimed<Msg: Serialize> + Serialize>(formula: &'static str) -> String {
    let text = format!("is wrong.\n{formula}").leak();
    let specification = Specification::<P>::these(&[])
        .invariants(Invariant::of_statements(&[("wrong", &*text)], []));
    let family = Family::everything(P::NETWORK, 3).expect("a small family");
    let report = Checker::new(&specification, &family).costs(false).run().expect("instances");
    let (_, found) = report.counterexample.unwrap_or_else(|| panic!("{formula} holds"));
    found.violation.to_string()
}

/// Engines find what does not hold: they read formulas as the proofs do.
#[test]
fn a_wrong_formula_is_broken_in_some_configuration() {
    let of_chang_roberts = [
        "Token(a) at x & b in (x, a) -> Lost(b)",
        "Token(a) at x & Token(b) at y -> a = b",
        "Token(a) at x & Token(b) at y & a < b -> y in (a, x)",
        "Token(a) at x -> !Candidate(a)",
        "Lost(a) -> exists c. leads(c)",
        "woke(a) -> exists b x. a != b & Token(b) at x",
        "!asleep(a) -> woke(a)",
        "leads(a) -> !halted(a)",
    ];
    for formula in of_chang_roberts {
        broken::<ChangRoberts>(formula);
    }
    let of_franklin = [
        "heard(b, behind, c) -> c < b",
        "heard(b, ahead) -> early(b)",
        "Candidate(a) back x & b in (a, x) -> Passive(b)",
        "Candidate(a) at x -> !Candidate(a) back y",
    ];
    for formula in of_franklin {
        broken::<Franklin>(formula);
    }
    let of_tree_wave = [
        "near(a, c) -> silent(a, c)",
        "Sent(a) & near(a, c) -> silent(a, c)",
        "Token(v) at x from b to a & beyond(b, a, c) -> v <= c",
        "Token(v) at y from c to a & WakeUp() at x from c to a -> y < x",
        "Token(v) at x from c to a -> v = c",
        "Decided(a) -> exists c. near(a, c) & Sent(c)",
        "dormant(a, c) -> Sleep(c)",
    ];
    for formula in of_tree_wave {
        broken::<TreeWave>(formula);
    }
    broken::<LeLann>("Candidate(a, v) -> v = a");
    let said = broken::<ChangRoberts>("woke(a) & Token(b) at x -> Lost(a)");
    assert!(
        said.contains("not where a is process 0, b is process 0, x is where Token of 0 is"),
        "{said}"
    );
}
