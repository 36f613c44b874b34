//! The examination of an instance by its components, as far as that goes.

use crate::{
    components::{
        ComponentStore, MOST_OF_SMALL,
        graph::{ComponentGraph, GraphEnd},
        scene::Scene,
        sweep::Swept,
        tables::ComponentTables,
    },
    cost::extremes::RunExtremes,
    explorer::ScheduleExplorer,
    model::{configuration::GlobalState, leaders},
    outcome::{CheckVerdict, Exploration, Wanted},
    search::Search,
};
use suffrage_algorithms::Property;

/// What is known of an instance.
pub(crate) enum ByComponents {
    /// What the report wants.
    Found(Box<Exploration>),
    /// That nothing is violated; the general exploration finds the rest.
    Holds,
    /// Nothing.
    Unknown,
}

impl ScheduleExplorer {
    /// Examines an instance without faults, bounded links and rounds. Explores all of its configurations.
    pub(crate) fn examine_components(
        &mut self,
        search: &mut Search<'_>,
        wanted: &Wanted<'_>,
    ) -> ByComponents {
        let model = search.model;
        let Some(mut components) = self.components.take() else { return ByComponents::Unknown };
        let ComponentStore { tables, small, large } = &mut *components;
        let ports = (0..model.nodes()).map(|node| model.links.degree(node)).max();
        if tables.prepare(ports.unwrap_or(0), search.specification, search.memory) {
            small.forget();
            large.forget();
        }
        let found = match model.nodes() {
            0..=MOST_OF_SMALL => self.examine_graph::<2, 8>(tables, small, search, wanted),
            9..=16 => self.examine_graph::<4, 16>(tables, large, search, wanted),
            _ => None,
        };
        if found.is_none() {
            // What was read last may be where a formula does not hold.
            small.forget();
            large.forget();
        }
        if !matches!(found, Some(ByComponents::Found(_))) {
            // The general exploration may take all of the memory.
            small.release(search.memory / 8);
            large.release(search.memory / 8);
        }
        self.components = Some(components);
        found.unwrap_or(ByComponents::Unknown)
    }

    /// Explores an instance, and judges it; `None` if a property may be violated.
    fn examine_graph<const L: usize, const N: usize>(
        &mut self,
        tables: &mut ComponentTables,
        graph: &mut ComponentGraph<L>,
        search: &mut Search<'_>,
        wanted: &Wanted<'_>,
    ) -> Option<ByComponents> {
        let scene = Scene::new(search.model, tables);
        let reached = graph.explore(&scene, tables, &mut self.automaton, search)?;
        let states = (graph.len() - scene.waking.min(graph.len())) as u64;
        let mut found = Exploration {
            states,
            transitions: (graph.transitions() - scene.waking.min(graph.transitions())) as u64,
            largest: states,
            verdict: match reached {
                GraphEnd::Everything => CheckVerdict::Holds,
                GraphEnd::Full => CheckVerdict::OutOfMemory,
                GraphEnd::Stopped => CheckVerdict::Stopped,
            },
            ..Exploration::default()
        };
        if reached != GraphEnd::Everything {
            return Some(ByComponents::Found(Box::new(found)));
        }
        let kinds = self.automaton.kinds().len();
        let swept = graph.sweep::<N>(&scene, tables, kinds, search.memory)?;
        if !self.keeps_bounds(&swept, search) || search.specification.may_err() {
            return None;
        }
        let mut here = search.model.first(&mut self.automaton);
        self.count_component_ends(graph, tables, search, (&mut here, &mut found));
        if !search.costs {
            return Some(ByComponents::Found(Box::new(found)));
        }
        let costs = self.component_costs::<L, N>(graph, (&scene, tables), &swept, search, wanted);
        Some(match costs {
            Some(costs) => ByComponents::Found(Box::new(Exploration {
                costs: costs.costs,
                by_class: costs.by_class,
                time_left_out: costs.time_left_out,
                ..found
            })),
            None => ByComponents::Holds,
        })
    }

    /// Returns whether no run breaks a bound on messages, if that is required.
    fn keeps_bounds(&self, swept: &Swept, search: &Search<'_>) -> bool {
        let bounded = search.specification.requires(Property::MessageBound);
        let Some(claims) = search.specification.claims().filter(|_| bounded) else { return true };
        swept.by_woken.iter().all(|(&woken, part)| {
            let parameters = search.model.parameters(claims, woken);
            let phases =
                [&claims.election, &claims.announcement].into_iter().zip(&part.messages[1..]);
            phases.into_iter().all(|(bound, sent)| {
                sent.max <= bound.at(&parameters) && sent.min >= bound.least(&parameters)
            })
        })
    }

    fn count_component_ends<const L: usize>(
        &self,
        graph: &ComponentGraph<L>,
        tables: &ComponentTables,
        search: &Search<'_>,
        (here, found): (&mut GlobalState, &mut Exploration),
    ) {
        let ends = (0..graph.len() as u32).filter(|&number| graph.is_end(number));
        for number in ends {
            found.terminal += 1;
            graph.decode(graph.word(number), tables, search.model, here);
            let leaders = leaders(here, &self.automaton);
            found.winners.extend(leaders.map(|node| search.model.instance.ids[node]));
        }
    }

    /// Returns the costs; `None` if an election takes more time than is claimed, or an execution with the most messages
    /// is wanted.
    fn component_costs<const L: usize, const N: usize>(
        &self,
        graph: &ComponentGraph<L>,
        (scene, tables): (&Scene, &ComponentTables),
        swept: &Swept,
        search: &Search<'_>,
        wanted: &Wanted<'_>,
    ) -> Option<Exploration> {
        let all = RunExtremes::of_all(&swept.by_woken)?;
        if (wanted.worst)(all.most_messages()) {
            return None;
        }
        let time_left_out = search.decides_time(&swept.by_woken, wanted);
        let times = match time_left_out {
            true => None,
            false => Some(graph.greatest_time::<N>(scene, tables, swept, search.memory)?),
        };
        let claims = search.specification.claims();
        let is_late = |(&woken, &units): (&u128, &u64)| {
            search.model.claimed_time(claims, woken).is_some_and(|claimed| units > claimed)
        };
        if times.iter().flatten().any(is_late) {
            return None;
        }
        let bounds = (all.least_depth, all.greatest_depth);
        let known = (wanted.shallowest)();
        let least = graph.least_depth::<N>(scene, tables, swept, bounds, known, search.memory)?;
        let greatest_time = times.as_ref().and_then(|times| times.values().copied().max());
        Some(Exploration {
            costs: Some(all.costs(&self.automaton, Some(least), greatest_time)),
            by_class: search.costs_by_class(&swept.by_woken, times.as_ref()),
            time_left_out,
            ..Exploration::default()
        })
    }
}
