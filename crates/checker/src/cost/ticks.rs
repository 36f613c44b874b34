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
        let (mut units, mut last) = (0, 0);
        for &number in order.iter().rev() {
            let Some((now, ..)) = reached[number as usize] else { continue };
            here.read(graph.get(number));
            let edges = graph.steps(number);
            if edges.is_empty() && now >= units {
                (units, last) = (now, number);
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
        let instance = model.instance;
        let most = claims.and_then(|claims| {
            let (time, parameters) = (claims.time?, instance.parameters(claims));
            Some(time.within(&parameters, &|| instance.wiring.diameter().into()))
        });
        let beyond = most.filter(|&most| units > most).map(|most| {
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
