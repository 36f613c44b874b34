//! Whatever the tables of components answer is what the general exploration answers.

use crate::{
    checkable::Specified,
    explorer::ScheduleExplorer,
    family::{Arrangements, Family, InitiatorSets},
    instance::{Instance, Wake},
    outcome::{CheckVerdict, Exploration, Options, Wanted},
    specification::{Properties, Specification},
    tests::{Actor, ECHOES, HALTS, PASSES, TELLS, TELLS_TWICE, path},
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, CATALOGUE, FORMS, Invariant, ring::ChangRoberts};
use suffrage_model::NetworkClass;

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
            explorer.graph.clear();
            let found = explorer.examine(instance, specification, options, wanted, &mut go_on);
            (found, explorer.graph.len() == 0)
        };
        let (other, _) = found(general, &Wanted::NOTHING);
        let (one, answered) = found(explorer, &Wanted::NOTHING);
        if [&one, &other].iter().any(|found| matches!(found.verdict, CheckVerdict::OutOfMemory)) {
            return; // They take different amounts of memory.
        }
        assert_eq!(words(&one), words(&other), "{instance:?}");
        self.all += 1;
        self.answered += u64::from(answered);
        let (one, _) = found(explorer, &Wanted::ALL);
        let (other, _) = found(general, &Wanted::ALL);
        assert_eq!(words(&one), words(&other), "{instance:?}");
        // Times are searched for beyond this: messages that come too late may be deeper than all processes.
        let deepest = other.costs.as_ref().map(|costs| costs.greatest_depth);
        let longer = |_, most| Some(most) > deepest;
        let wanted = Wanted { time: &longer, ..Wanted::NOTHING };
        let (one, _) = found(explorer, &wanted);
        assert_eq!(words(&one), words(&found(general, &wanted).0), "{instance:?}");
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
