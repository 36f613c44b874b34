//! Whatever the tables of components answer is what the general exploration answers.

use crate::{
    checkable::Specified,
    components::exploration::ByComponents,
    explorer::ScheduleExplorer,
    family::{Arrangements, Family, InitiatorSets},
    instance::{Instance, Wake},
    model::TransitionSystem,
    outcome::{CheckVerdict, Exploration, Options, Wanted},
    search::Search,
    specification::{Properties, Specification},
    tests::{Actor, ECHOES, HALTS, PASSES, TELLS, TELLS_TWICE, path},
};
use serde::Serialize;
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};
use suffrage_algorithms::{
    Algorithm, CATALOGUE, Configuration, FORMS, Invariant, OneProcess, Statement,
    assertion::Assertion,
    complete::{Humblet, Villadangos},
    ring::{
        AlternatingSteps, ChangRoberts, DolevKlaweRodeh, Franklin, HighamPrzytycka, LeLann,
        StagesWithFeedback,
    },
};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Stage, Status};

const OPTIONS: Options = Options { full: true, memory: 1 << 26, costs: true };

/// How many explorations the tables answered, and how many there were.
#[derive(Default)]
pub(crate) struct Compared {
    answered: u64,
    all: u64,
}

impl Compared {
    /// Compares both explorations of an instance.
    fn instance(
        &mut self,
        instance: &Instance,
        specification: &dyn Properties,
        [explorer, general]: &mut [ScheduleExplorer; 2],
        options: &Options,
    ) {
        if instance.check(specification.network(), specification.timing()).is_err() {
            return;
        }
        let found = |explorer: &mut ScheduleExplorer, wanted: &Wanted<'_>| {
            let mut go_on = |_| ControlFlow::Continue(());
            let found = explorer.examine(instance, specification, options, wanted, &mut go_on);
            (found, explorer.is_by_components())
        };
        let (other, _) = found(general, &Wanted::NOTHING);
        let (one, answered) = found(explorer, &Wanted::NOTHING);
        if [&one, &other].iter().any(|found| matches!(found.verdict, CheckVerdict::OutOfMemory)) {
            return; // They take different amounts of memory.
        }
        assert_eq!(words(&one), words(&other), "{instance:?}");
        self.all += 1;
        self.answered += u64::from(answered);
        if answered && matches!(one.verdict, CheckVerdict::Holds) {
            assert_eq!(reactions(explorer, instance), reactions(general, instance), "{instance:?}");
        }
        let (one, _) = found(explorer, &Wanted::ALL);
        let (other, _) = found(general, &Wanted::ALL);
        assert_eq!(words(&one), words(&other), "{instance:?}");
        // Times are searched for beyond this: messages that come too late may be deeper than all processes.
        let deepest = other.costs.as_ref().map(|costs| costs.greatest_depth);
        let longer = |_, most| Some(most) > deepest;
        for time in [&longer as &dyn Fn(_, _) -> bool, &|_, _| true] {
            let wanted = Wanted { time, ..Wanted::NOTHING };
            let (one, _) = found(explorer, &wanted);
            assert_eq!(words(&one), words(&found(general, &wanted).0), "{instance:?}");
        }
        let depth = |found: &Exploration| found.costs.as_ref()?.least_depth;
        let Some(least) = depth(&other) else { return };
        for known in [least.saturating_sub(1), least, least + 1] {
            let wanted = Wanted { shallowest: &|| Some(known), ..Wanted::NOTHING };
            let (one, _) = found(explorer, &wanted);
            assert_eq!(depth(&one).map(|one| one.min(known)), Some(least.min(known)));
        }
    }

    /// Compares all instances of a family.
    fn family(&mut self, row: &Algorithm, family: &Family) {
        self.specified(&*row.specified(&[], true), family);
    }

    /// Compares all instances of a family, held to a specification.
    pub(crate) fn specified(&mut self, specification: &dyn Properties, family: &Family) {
        let mut explorers = explorers(specification);
        for number in 0..family.len() {
            let instance = family.get(number);
            self.instance(&instance, specification, &mut explorers, &OPTIONS);
            if number == 0 {
                let options = Options { costs: false, ..OPTIONS };
                self.instance(&instance, specification, &mut explorers, &options);
            }
        }
    }

    /// Compares all instances of some size: every network, every order, some sets of initiators.
    fn size(&mut self, row: &Algorithm, nodes: u32) {
        let Ok(everything) = Family::everything(row.network, nodes) else { return };
        let all = InitiatorSets::These((0..nodes).collect());
        let some = InitiatorSets::These(vec![nodes - 1]);
        for (initiators, wake) in [
            (all.clone(), Wake::AnyTimeOrNever),
            (all, Wake::AtStart),
            (some.clone(), Wake::AnyTime),
            (some, Wake::AtStart),
        ] {
            self.family(row, &Family { initiators, wake, ..everything.clone() });
        }
        if row.network == NetworkClass::Complete && nodes == 3 {
            let arrangements = Arrangements::every_ports_of_complete(nodes);
            self.family(row, &Family { arrangements, ..everything });
        }
    }
}

/// An explorer with tables of components, and one without.
fn explorers(specification: &dyn Properties) -> [ScheduleExplorer; 2] {
    [Some(Box::default()), None].map(|components| {
        let mut explorer = ScheduleExplorer::new(specification.automaton());
        explorer.components = components;
        explorer
    })
}

/// The reactions of the last exploration, in words.
fn reactions(explorer: &ScheduleExplorer, instance: &Instance) -> Vec<String> {
    let automaton = &explorer.automaton;
    let all = explorer.reactions(instance.wiring.nodes() as usize).into_iter();
    let words = all.map(|(node, effect)| {
        let effect = automaton.effect(effect);
        let sends = automaton.sends(effect).iter();
        let sends = sends.map(|&(port, msg)| (port, automaton.message_text(msg)));
        format!(
            "{node} is then {}, sends {:?}",
            automaton.text(effect.to),
            sends.collect::<Vec<_>>()
        )
    });
    words.collect()
}

/// The whole result, in words.
fn words(found: &Exploration) -> String {
    format!("{found:?}")
}

#[test]
fn components_answer_as_the_general_exploration_does() {
    let mut compared = Compared::default();
    for row in CATALOGUE.iter().chain(FORMS) {
        (1..=3).for_each(|nodes| compared.size(row, nodes));
    }
    let Compared { answered, all } = compared;
    assert!(answered > 1000 && answered * 2 > all, "{answered} of {all}");
}

#[test]
#[ignore = "takes minutes"]
fn components_answer_as_the_general_exploration_does_for_four() {
    let mut compared = Compared::default();
    for row in CATALOGUE.iter().chain(FORMS) {
        compared.size(row, 4);
    }
    let Compared { answered, all } = compared;
    assert!(answered * 2 > all, "{answered} of {all}");
}

#[test]
fn no_false_formula_is_missed() {
    let stated = [("false", "no candidate's token is under way.\n Token(a) at x -> !Candidate(a)")];
    let specification =
        Specification::<ChangRoberts>::these(&[]).invariants(Invariant::of_statements(&stated, []));
    let initiators = InitiatorSets::These((0..3).collect());
    let everything = Family::everything(NetworkClass::OrientedRing, 3).expect("three are few");
    let family = Family { initiators, wake: Wake::AnyTimeOrNever, ..everything };
    let mut compared = Compared::default();
    compared.specified(&specification, &family);
    // What was read where the formula did not hold must not count as read where it held, however often.
    let mut explorers = explorers(&specification);
    for _ in 0..100 {
        compared.instance(&family.get(0), &specification, &mut explorers, &OPTIONS);
    }

    assert_eq!(compared.answered, 0);
}

/// False formulas of chang-roberts. In each, a step of another subject makes the first breach.
/// The last ones are false of one order of three identities on the ring, and true of the other one.
const OF_THREE: [&str; 7] = [
    "Candidate(a) & Candidate(b) & a < b & Lost(c) -> woke(c)",
    "Candidate(a) & Lost(c) & Candidate(b) & a < b -> woke(c)",
    "Lost(c) & Candidate(a) & Candidate(b) & a < b -> woke(c)",
    "Candidate(a) & Candidate(b) & Candidate(c) & a < b & b < c -> b in (a, c)",
    "Candidate(a) & Candidate(b) & Candidate(c) & a < b & b < c -> !b in (a, c)",
    "Token(a) at x from c to b & b < a & a < d -> c != a",
    "Token(a) at x from c to b & b < a & a < d -> c = a",
];

/// A false formula of humblet, whose subjects name one process by a port and by its identity.
const OF_A_PORT: [&str; 1] = ["owner(a, b) & Done(c, b) & Inactive(d) & a != d -> c = d"];

/// Returns the premise of each formula of an algorithm with the conclusion of each, which is false of most, of one
/// configuration in a hundred or of all.
fn altered_formulas(row: &Algorithm) -> Vec<&'static str> {
    let formulas = row.header.invariants.iter().filter_map(|stated| Statement::of(stated).formula);
    let parts: Vec<(&str, &str)> =
        formulas.filter_map(|formula| formula.split_once("->")).collect();
    let all = parts.iter().flat_map(|(premise, _)| {
        parts.iter().map(move |(_, conclusion)| format!("{premise} -> {conclusion}"))
    });
    let readable = |text: &String| Assertion::read(text).is_ok_and(|of| !of.is_of_history());
    let others = match row.name {
        "chang-roberts" => &OF_THREE[..],
        "humblet" => &OF_A_PORT,
        _ => &[],
    };
    all.filter(readable)
        .chain(others.iter().map(|&text| text.to_owned()))
        .map(|text| &*format!("it is altered.\n{text}").leak())
        .collect()
}

/// Explores all instances by components, held to a claim: each exploration may go on only to the first configuration in
/// which the claim `breaks`. Returns the numbers of explorations that met none, and one.
fn hold_to<P: Process>(
    claim: Invariant<P>,
    breaks: impl Fn(&Configuration<'_, P>) -> bool + Send + Sync + 'static,
    families: &[Family],
    what: &str,
) -> [u64; 2] {
    let breaches = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&breaches);
    let function = Invariant::new("function", move |now| {
        seen.fetch_add(u64::from(breaks(now)), Relaxed);
        // So that it is asked everywhere.
        let _ = now.messages();
        None
    });
    let specification = Specification::these(&[]).invariants([function, claim]);
    let [mut explorer, _] = explorers(&specification);
    let mut ended = [0, 0];
    for (number, family) in families.iter().enumerate() {
        for instance in 0..family.len() {
            let ended_at = by_components(&mut explorer, &family.get(instance), &specification);
            let met = breaches.swap(0, Relaxed);
            assert_eq!(met, u64::from(ended_at.is_none()), "{number} {instance}: {what}");
            ended[met as usize] += 1;
        }
    }
    ended
}

fn sum(all: impl IntoIterator<Item = [u64; 2]>) -> [u64; 2] {
    all.into_iter().fold([0; 2], |[holds, breaks], of| [holds + of[0], breaks + of[1]])
}

/// Holds the instances of a size to each altered formula of an algorithm, beside a function that says the same.
macro_rules! hold_to_altered {
    ($process:ty, $name:literal, $nodes:literal) => {{
        let row = Algorithm::named($name).expect("it is in the catalogue");
        let everything = Family::everything(row.network, $nodes).expect("they are few");
        let initiators = InitiatorSets::These((0..$nodes).collect());
        let families = [Family { initiators, wake: Wake::AnyTimeOrNever, ..everything }];
        sum(altered_formulas(row).into_iter().map(|text| {
            let of = || Invariant::<$process>::of_statements(&[("altered", text)], []).remove(0);
            let formula = of();
            hold_to(of(), move |now| formula.check(now).is_err(), &families, text)
        }))
    }};
}

/// Explores an instance by components; returns the number of configurations, `None` if a property may be violated.
fn by_components(
    explorer: &mut ScheduleExplorer,
    instance: &Instance,
    specification: &dyn Properties,
) -> Option<u64> {
    let model = &TransitionSystem::new(instance);
    let heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()> = &mut |_| ControlFlow::Continue(());
    let (full, costs, memory, judged) = (true, false, OPTIONS.memory, false);
    let mut search = Search { model, specification, full, costs, memory, judged, heartbeat };
    match explorer.examine_components(&mut search, &Wanted::NOTHING) {
        ByComponents::Found(found) => Some(found.states),
        ByComponents::Holds | ByComponents::Unknown => None,
    }
}

#[test]
fn a_false_formula_is_found_in_the_first_configuration_in_which_it_is_false() {
    let all = [
        hold_to_altered!(ChangRoberts, "chang-roberts", 3),
        hold_to_altered!(ChangRoberts, "chang-roberts", 4),
        hold_to_altered!(LeLann, "lelann", 3),
        hold_to_altered!(DolevKlaweRodeh, "dolev-klawe-rodeh", 3),
        hold_to_altered!(DolevKlaweRodeh, "dolev-klawe-rodeh", 4),
        hold_to_altered!(Franklin, "franklin", 3),
        hold_to_altered!(StagesWithFeedback, "stages-with-feedback", 3),
        hold_to_altered!(AlternatingSteps, "alternating-steps", 3),
        hold_to_altered!(HighamPrzytycka, "higham-przytycka", 4),
        hold_to_altered!(Humblet, "humblet", 3),
        hold_to_altered!(Villadangos, "villadangos", 3),
    ];
    assert!(all.iter().all(|[holds, breaks]| *holds > 20 && *breaks > 20), "{all:?}");
}

/// Sends `Left` if it wakes. The process 1 sends `Right` behind it, or before it if a message wakes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct TwoShoes {
    id: Id,
    sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
enum Shoe {
    Left(Id),
    Right(Id),
}

impl Message for Shoe {
    const KINDS: &'static [Kind] = &[Kind::election("shoe").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for TwoShoes {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Shoe;

    fn new(id: Id, _: u32) -> Self {
        Self { id, sent: false }
    }

    fn wake(&mut self, net: &mut impl Net<Shoe>) {
        self.sent = true;
        net.send(Port::NEXT, Shoe::Left(self.id));
        if self.id == Id::new(1) {
            net.send(Port::NEXT, Shoe::Right(self.id));
        }
    }

    fn receive(&mut self, _: Port, _: Shoe, net: &mut impl Net<Shoe>) {
        if self.id == Id::new(1) && !std::mem::replace(&mut self.sent, true) {
            net.send(Port::NEXT, Shoe::Right(self.id));
            net.send(Port::NEXT, Shoe::Left(self.id));
        }
    }

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn leader(&self) -> Option<Id> {
        None
    }

    fn halted(&self) -> bool {
        false
    }
}

/// Of each of three subjects, `x`, `y` and `a`, the formula reads the same when `Right` comes first as when it comes last.
const SHOES: &str = "of two on one link to a process, the right one is behind, or `a` leads.
    Left(_) at x & Right(_) at y & a != b & b != c & a != c & x in (a, b) & x in (c, b) & y in (x, b) -> leads(a)";

#[test]
fn it_matters_which_of_two_messages_to_a_process_comes_first() {
    let specification = Specification::<TwoShoes>::these(&[])
        .invariants(Invariant::of_statements(&[("behind", SHOES)], []));
    let everything = Family::everything(NetworkClass::OrientedRing, 3).expect("three are few");
    let one = everything.get(0).ids.iter().position(|&id| id == Id::new(1)).expect("all have one");
    for (initiators, holds) in [(vec![one as u32], true), (vec![0, 1, 2], false)] {
        let initiators = InitiatorSets::These(initiators);
        let family = Family { initiators, wake: Wake::AnyTimeOrNever, ..everything.clone() };
        let [mut explorer, _] = explorers(&specification);
        let found = by_components(&mut explorer, &family.get(0), &specification);
        assert_eq!(found.is_some(), holds);
    }
}

/// What a check says of a configuration.
type Says = fn(&Configuration<'_, ChangRoberts>) -> Option<String>;

fn has_lost(process: &ChangRoberts) -> bool {
    format!("{process:?}").contains("Lost")
}

fn lost(now: &Configuration<'_, ChangRoberts>) -> usize {
    now.nodes().filter(|(_, node)| has_lost(node.process)).count()
}

/// False claims about chang-roberts that read little of most configurations.
const OF_LITTLE: [Says; 6] = [
    |now| now.each(|one| has_lost(one.process).then(String::new)),
    |now| {
        let waits = |one: &OneProcess<'_, _>| one.arriving(Port::PREVIOUS).nth(1).is_some();
        now.each(|one| (has_lost(one.process) && waits(one)).then(String::new))
    },
    |now| (lost(now) > 1).then(String::new),
    |now| (lost(now) > 1 && now.messages().len() > 1).then(String::new),
    // What is found of one process decides about all.
    |now| match now.each(|one| (one.stage == Stage::Asleep).then(String::new)) {
        Some(_) => None,
        None => Some(String::new()),
    },
    // A check within a check.
    |now| {
        let all = now.messages().len();
        let inner = Invariant::new("inner", |now| now.each(|_| None));
        let holds = inner.check(now).is_ok();
        (lost(now) > 1 && holds && all == 1).then(String::new)
    },
];

#[test]
fn a_false_function_is_found_in_the_first_configuration_in_which_it_is_false() {
    let sizes = [2, 3, 4].into_iter();
    let wakes = [Wake::AnyTimeOrNever, Wake::AtStart];
    let families = sizes.flat_map(|nodes| wakes.map(|wake| (nodes, wake))).map(|(nodes, wake)| {
        let everything = Family::everything(NetworkClass::OrientedRing, nodes);
        let initiators = InitiatorSets::These((0..nodes).collect());
        Family { initiators, wake, ..everything.expect("they are few") }
    });
    let families: Vec<Family> = families.collect();
    let ended = sum(OF_LITTLE.into_iter().enumerate().map(|(number, says)| {
        let little = Invariant::new("little", says);
        hold_to(little, move |now| says(now).is_some(), &families, &number.to_string())
    }));
    assert!(ended.iter().all(|count| *count > 5), "{ended:?}");
}

/// Hardly any message of the catalogue's elections reaches a process that has halted.
#[test]
fn messages_to_processes_that_have_halted_cost_the_same() {
    const ROLES: [u64; 5] = [PASSES, TELLS, ECHOES, HALTS, TELLS_TWICE];
    let specification = Specification::<Actor>::these(&[]);
    let mut explorers = explorers(&specification);
    let mut compared = Compared::default();
    for number in 0..ROLES.len().pow(3) {
        let role = |place: u32| ROLES[number / ROLES.len().pow(place) % ROLES.len()];
        let ids = [0, 1, 2].map(|place| 10 * role(place) + u64::from(place));
        for initiators in [&[0, 1, 2][..], &[0, 2], &[1]] {
            for wake in [Wake::AnyTimeOrNever, Wake::AtStart] {
                let instance = Instance { wake, ..path(&ids, initiators) };
                compared.instance(&instance, &specification, &mut explorers, &OPTIONS);
            }
        }
    }
    assert!(compared.answered > 200, "{} of {}", compared.answered, compared.all);
}
