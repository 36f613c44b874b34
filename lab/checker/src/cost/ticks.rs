//! The greatest time in rounds: the number of ticks since the last wake-up.

use crate::{
    cost::time::Greatest,
    exploration::explorer::Explorer,
    model::{Model, Step, automaton::Input},
};
use suffrage_algorithms::Claims;

impl Explorer {
    /// Finds the greatest time, in one sweep over the steps.
    pub(crate) fn greatest_ticks(
        &mut self,
        model: &Model<'_>,
        claims: Option<&Claims>,
        order: &[u32],
    ) -> Greatest {
        let Self { automaton, graph, here, .. } = self;
        // For each configuration the greatest time at which it is reached, and the last step there.
        let mut reached: Vec<Option<(u64, u32, Option<Step>)>> = vec![None; graph.len()];
        reached[0] = Some((0, 0, None));
        let mut units = 0;
        // The end that exceeds the claim by most, with its time and what is claimed.
        let mut worst: Option<(u32, u64, u64)> = None;
        for &number in order.iter().rev() {
            let Some((now, ..)) = reached[number as usize] else { continue };
            here.read(graph.get(number));
            let edges = graph.steps(number);
            if edges.is_empty() {
                units = units.max(now);
                let most = claims.and_then(|claims| {
                    let parameters = super::parameters(claims, model, here, automaton);
                    let diameter = || model.instance.wiring.diameter().into();
                    Some(claims.time?.within(&parameters, &diameter))
                });
                let excess = |(_, units, most): (u32, u64, u64)| units - most;
                if let Some(most) = most.filter(|&most| now > most) {
                    let here = (number, now, most);
                    worst = worst.filter(|&worst| excess(worst) >= excess(here)).or(Some(here));
                }
            }
            for edge in edges {
                let then = match edge.step {
                    Step::Tick => now + u64::from(model.ticks(here, automaton)),
                    Step::React(_, effect) if automaton.effect(effect).input == Input::Wake => 0,
                    Step::React(..) | Step::Lose(_) | Step::Double(_) => now,
                };
                let known = &mut reached[edge.to as usize];
                if known.is_none_or(|(most, ..)| then > most) {
                    *known = Some((then, number, Some(edge.step)));
                }
            }
        }
        let beyond = worst.map(|(mut last, units, most)| {
            let mut steps = Vec::new();
            while let Some((_, from, Some(step))) = reached[last as usize] {
                steps.push(step);
                last = from;
            }
            steps.reverse();
            (steps, units, most)
        });
        Greatest { units, beyond }
    }
}
