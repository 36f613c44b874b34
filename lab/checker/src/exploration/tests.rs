//! An instance in which all wake or never do, taken apart by the sets of initiators.

use crate::{
    checkable::Specified,
    explorer::ScheduleExplorer,
    family::Family,
    instance::{FaultBudget, Instance, Wake},
    model::TransitionSystem,
    outcome::{CheckVerdict, Exploration, Options, Wanted},
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, CATALOGUE, FORMS};
use suffrage_model::Stage;

/// The numbers of configurations, of steps and of ends of a set of initiators, and their winners.
#[derive(Debug, Default, PartialEq)]
struct Totals(u64, u64, u64);

fn full(explorer: &mut ScheduleExplorer, row: &Algorithm, instance: &Instance) -> Exploration {
    // The properties of elections are left out, so that nothing ends an exploration early.
    let nothing = [suffrage_algorithms::Property::Termination];
    let specification = row.specified(&nothing, true);
    let options = Options { full: true, memory: 1 << 19, ..Options::default() };
    let mut go_on = |_| ControlFlow::Continue(());
    explorer.examine(instance, &*specification, &options, &Wanted::ALL, &mut go_on)
}

/// Finds the totals of a set of initiators in a finished exploration of all: the configurations in which no
/// other process has woken, the steps between them, and the ends in which none of the set could wake.
fn part(explorer: &mut ScheduleExplorer, instance: &Instance, set: u128) -> Totals {
    let model = TransitionSystem::new(instance);
    let ScheduleExplorer { graph, automaton, here, .. } = explorer;
    let mut woken = Vec::new();
    let mut sleeping = Vec::new();
    for number in 0..graph.len() as u32 {
        here.read(graph.get(number));
        woken.push(model.woken(here, automaton));
        let sleeps = |node: &usize| automaton.view(here.locals[*node]).stage == Stage::Asleep;
        sleeping.push((0..model.nodes()).filter(sleeps).fold(0_u128, |set, node| set | 1 << node));
    }
    let belongs = |number: u32| woken[number as usize] & !set == 0;
    let mut totals = Totals::default();
    for number in (0..graph.len() as u32).filter(|&number| belongs(number)) {
        totals.0 += 1;
        totals.1 += graph.steps(number).iter().filter(|edge| belongs(edge.to)).count() as u64;
        let ends = graph.is_end(number) && sleeping[number as usize] & set == 0;
        totals.2 += u64::from(ends);
    }
    totals
}

#[test]
fn each_set_of_initiators_is_a_part_of_all() {
    let none = FaultBudget::default();
    let conditions = [
        (None, none),
        (Some(1), none),
        (None, FaultBudget { no_fifo: true, ..none }),
        (None, FaultBudget { loss: 1, ..none }),
        (None, FaultBudget { duplicate: 1, ..none }),
        (None, FaultBudget { crash: 1, ..none }),
    ];
    let mut compared = 0;
    for row in CATALOGUE.iter().chain(FORMS) {
        for nodes in (1..=3).filter(|&nodes| row.network.has_size(nodes)) {
            for (capacity, faults) in conditions {
                let family = Family::everything(row.network, nodes).unwrap();
                let all = (1_u64 << nodes) - 1;
                // The sets of an order come together, and the last one has all processes.
                for order in (0..family.len() / all).take(2) {
                    let instance = Instance {
                        wake: Wake::AnyTimeOrNever,
                        capacity,
                        faults,
                        ..family.get((order + 1) * all - 1)
                    };
                    let specification = row.specified(&[], true);
                    let mut explorer = ScheduleExplorer::new(specification.automaton());
                    explorer.components = None; // Its graph is compared.
                    let found = full(&mut explorer, row, &instance);
                    if !matches!(found.verdict, CheckVerdict::Holds) {
                        continue; // It ends earlier, or there are too many configurations.
                    }
                    let mut greatest = (0, 0);
                    compared += 1;
                    for set in 1..=u128::from(all) {
                        let part = part(&mut explorer, &instance, set);
                        let initiators = (0..nodes).filter(|node| set >> node & 1 == 1).collect();
                        let one = Instance { initiators, wake: Wake::AnyTime, ..instance.clone() };
                        let mut alone = ScheduleExplorer::new(specification.automaton());
                        let alone = full(&mut alone, row, &one);
                        let totals = Totals(alone.states, alone.transitions, alone.terminal);
                        assert_eq!(part, totals, "{}: {one:?}", row.name);
                        if let Some(costs) = &alone.costs {
                            greatest = greatest.max((costs.messages.max, set.count_ones()));
                        }
                    }
                    let of_all = found.costs.map(|costs| costs.messages.max);
                    assert!(
                        of_all.is_none_or(|most| most == greatest.0),
                        "{}: {instance:?}",
                        row.name
                    );
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
}
