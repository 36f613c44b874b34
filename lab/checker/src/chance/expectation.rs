//! Expectations over the random choices, on the schedules that make them least and greatest.

use crate::{
    chance::end_components::DecisionProcess,
    outcome::ExpectedExtremes,
    state_graph::{Successor, reverse_topological},
};
use std::ops::ControlFlow;

pub(super) const TOLERANCE: f64 = 1e-9;

const SWEEPS: usize = 1 << 16;

/// What is looked for over all schedules.
#[derive(Clone, Copy)]
enum Extreme {
    Least,
    Greatest,
}

/// The equations of a graph in which every schedule ends with probability 1.
pub(crate) struct Equations<'a> {
    process: &'a DecisionProcess<'a>,
    order: Vec<u32>,
    /// For each configuration an upper bound, of no precision, for the expected number of steps to
    /// the end, from which the errors of other solutions follow.
    steps: Vec<f64>,
}

impl<'a> Equations<'a> {
    /// Sets up the equations of a graph without end components. Returns `None` if that is stopped.
    ///
    /// For the expected number of steps `h`, and the greatest expectation `M h` of it over the
    /// events after one step, this finds a solution of `h - M h >= 1/2`.
    pub(crate) fn new(
        process: &'a DecisionProcess<'a>,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<Self> {
        let order = reverse_topological(process.graph);
        let mut equations = Self { process, order, steps: vec![0.0; process.graph.len()] };
        let mut steps = std::mem::take(&mut equations.steps);
        equations
            .solve(&mut steps, Extreme::Greatest, &|_| 1.0, heartbeat, |change, _| change <= 0.5)?;
        equations.steps = steps;
        Some(equations)
    }

    pub(crate) fn sum(
        &self,
        cost: &dyn Fn(&Successor) -> f64,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<ExpectedExtremes> {
        self.extremes(vec![0.0; self.process.graph.len()], cost, heartbeat)
    }

    pub(crate) fn probability(
        &self,
        counts: impl Fn(u32) -> bool,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<ExpectedExtremes> {
        let numbers = 0..self.process.graph.len() as u32;
        let ends = |number: u32| self.process.graph.is_end(number) && counts(number);
        let at_the_end = numbers.map(|number| if ends(number) { 1.0 } else { 0.0 });
        self.extremes(at_the_end.collect(), &|_| 0.0, heartbeat)
    }

    fn extremes(
        &self,
        from: Vec<f64>,
        cost: &dyn Fn(&Successor) -> f64,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<ExpectedExtremes> {
        let mut of = |extreme| {
            let mut values = from.clone();
            // If `x` is at most its own image, which exceeds it by no more than `d`, then the exact
            // solution lies between `x` and `x + 2 d h`, since the latter is at least its image.
            self.solve(&mut values, extreme, cost, heartbeat, |change, value| {
                2.0 * change * self.steps[0] <= TOLERANCE * value.max(1.0)
            })?;
            Some(values[0])
        };
        Some(ExpectedExtremes { min: of(Extreme::Least)?, max: of(Extreme::Greatest)? })
    }

    /// Iterates from below until `enough`, which is given the greatest change that one more
    /// simultaneous step would make, and the present value of the initial configuration.
    fn solve(
        &self,
        values: &mut [f64],
        extreme: Extreme,
        cost: &dyn Fn(&Successor) -> f64,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
        enough: impl Fn(f64, f64) -> bool,
    ) -> Option<()> {
        for _ in 0..SWEEPS {
            for &number in &self.order {
                values[number as usize] = self.image(values, number, extreme, cost);
            }
            let changes = self
                .order
                .iter()
                .map(|&number| self.image(values, number, extreme, cost) - values[number as usize]);
            if enough(changes.fold(0.0, f64::max), values[0]) {
                return Some(());
            }
            if heartbeat(self.order.len() as u64).is_break() {
                return None;
            }
        }
        None
    }

    fn image(
        &self,
        values: &[f64],
        number: u32,
        extreme: Extreme,
        cost: &dyn Fn(&Successor) -> f64,
    ) -> f64 {
        let each = self.process.events(number).map(|outcomes| {
            let parts = outcomes.iter().map(|edge| {
                self.process.probability(edge) * (cost(edge) + values[edge.to as usize])
            });
            parts.sum::<f64>()
        });
        let best = match extreme {
            Extreme::Least => each.reduce(f64::min),
            Extreme::Greatest => each.reduce(f64::max),
        };
        best.unwrap_or(values[number as usize])
    }
}
