//! What the exploration of one instance has found.

use crate::{
    automaton::Stage,
    cost::{Extremes, ToCome, sent},
    course::Course,
    depth,
    explore::{Conduct, End, Explorer, Violation},
    instance::{Impossible, Instance},
    model::{Model, Step},
    order::successors_first,
    property::{Broken, Promises},
};
use std::{collections::BTreeSet, ops::ControlFlow};
use suffrage_algorithms::{Algorithm, Property, Setting};
use suffrage_process::{Id, Kind, Message, Phase, Process, Status};

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Explore every configuration, not only as many as are enough.
    pub full: bool,
    /// The most bytes of memory that the configurations of an instance may take.
    pub memory: u64,
    /// Find out what elections cost, and not only whether they keep their promises.
    pub costs: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { full: false, memory: 4 << 30, costs: true }
    }
}

/// What the exploration of one instance has found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Distinct configurations explored.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Configurations after which nothing can happen.
    pub terminal: u64,
    /// What elections cost, if that was asked, everything was explored, and nothing went wrong.
    pub costs: Option<Costs>,
    /// Who has led at an end.
    pub winners: BTreeSet<Id>,
    /// Whether all promises are kept.
    pub verdict: Verdict,
}

/// What elections cost, over all schedules.
#[derive(Clone, Debug)]
pub struct Costs {
    /// All messages.
    pub messages: Extremes,
    /// The messages of the election and those of its announcement.
    pub by_phase: [Extremes; 2],
    /// The messages of each kind.
    pub by_kind: Vec<(&'static Kind, Extremes)>,
    /// The greatest causal depth.
    pub greatest_depth: u64,
    /// The least causal depth; `None` where to find it takes too much memory.
    pub least_depth: Option<u64>,
}

/// Whether an election keeps its promises.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// On every schedule.
    Holds,
    /// Not on this one.
    Broken(Box<Counterexample>),
    /// The memory allowed was used up before everything was explored.
    OutOfMemory,
    /// It was stopped before everything was explored.
    Stopped,
}

/// A course on which a promise is broken.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// What is broken.
    pub broken: Broken,
    /// The course, up to where it is broken.
    pub course: Course,
    /// No course with fewer steps breaks a promise. For a bound of messages it is the course that
    /// misses it most instead; and it is not known where it was found, for want of memory, by the
    /// reduced exploration.
    pub shortest: bool,
}

/// Explores every schedule of an election.
///
/// # Errors
/// If the instance cannot be: its parts do not fit each other.
pub fn explore<P: Process>(
    instance: &Instance,
    promises: &Promises<'_, P>,
    options: &Options,
) -> Result<Exploration, Impossible> {
    instance.check(P::NETWORK)?;
    let mut explorer = Explorer::<P>::default();
    let mut pulse = |_| ControlFlow::Continue(());
    Ok(explorer.examine(instance, promises, options, &mut pulse))
}

/// The schedule on which an election takes the most messages; `None` if its exploration does not
/// come to its end.
///
/// # Errors
/// As [`explore`].
pub fn worst_case<P: Process>(
    instance: &Instance,
    options: &Options,
) -> Result<Option<Course>, Impossible> {
    instance.check(P::NETWORK)?;
    let mut explorer = Explorer::<P>::default();
    let mut pulse = |_| ControlFlow::Continue(());
    Ok(explorer.dearest(instance, options, &mut pulse))
}

impl<P: Process> Explorer<P> {
    pub(crate) fn dearest(
        &mut self,
        instance: &Instance,
        options: &Options,
        pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<Course> {
        let model = Model::new(instance);
        let mut conduct = Conduct { full: options.full, memory: options.memory, pulse };
        let promises = Promises::these(&[]);
        let End::Complete = self.explore(&model, &promises, &mut conduct) else { return None };
        let order = successors_first(&self.space).ok()?;
        let cost = sent(&self.automaton, |_| true);
        let path = ToCome::new(&self.space, &order, &cost, |_| 0).path(&self.space, &cost, true);
        Some(Course::new(&model, &mut self.automaton, &path))
    }

    pub(crate) fn examine(
        &mut self,
        instance: &Instance,
        promises: &Promises<'_, P>,
        options: &Options,
        pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Exploration {
        let model = Model::new(instance);
        let mut conduct = Conduct { full: options.full, memory: options.memory, pulse };
        let end = self.explore(&model, promises, &mut conduct);
        let mut found = Exploration {
            states: self.space.len() as u64,
            transitions: self.space.transitions(),
            terminal: 0,
            costs: None,
            winners: BTreeSet::new(),
            verdict: Verdict::Holds,
        };
        // Before the start they wake one after another, and nothing is decided by that.
        let waking = self.waking(&model);
        found.states -= waking.min(found.states);
        found.transitions -= waking.min(found.transitions);
        match end {
            End::Full => found.verdict = Verdict::OutOfMemory,
            End::Stopped => found.verdict = Verdict::Stopped,
            End::Broken(violation) => {
                let reduced = self.counterexample(&model, violation);
                found.verdict = Verdict::Broken(Box::new(if options.full {
                    Counterexample { shortest: true, ..reduced }
                } else {
                    self.shorten(&model, promises, &mut conduct).unwrap_or(reduced)
                }));
            }
            End::Complete => self.conclude(&model, promises, options, &mut found),
        }
        found
    }

    /// How many steps there are before all have woken who wake at the start.
    fn waking(&mut self, model: &Model<'_>) -> u64 {
        let (mut number, mut steps) = (0, 0);
        loop {
            self.here.read(self.space.get(number));
            match (model.begins(&self.here, &self.automaton), self.space.steps(number)) {
                (true, [edge]) => number = edge.to,
                _ => return steps,
            }
            steps += 1;
        }
    }

    /// Explores everything, to find a counterexample than which none is shorter.
    fn shorten(
        &mut self,
        model: &Model<'_>,
        promises: &Promises<'_, P>,
        conduct: &mut Conduct<'_>,
    ) -> Option<Counterexample> {
        let Conduct { memory, pulse, .. } = conduct;
        let mut everything = Conduct { full: true, memory: *memory, pulse: &mut **pulse };
        match self.explore(model, promises, &mut everything) {
            End::Broken(violation) => {
                Some(Counterexample { shortest: true, ..self.counterexample(model, violation) })
            }
            End::Complete | End::Full | End::Stopped => None,
        }
    }

    fn counterexample(&mut self, model: &Model<'_>, violation: Violation) -> Counterexample {
        let mut steps = self.path_to(violation.at);
        steps.extend(violation.last);
        let course = Course::new(model, &mut self.automaton, &steps);
        Counterexample { broken: violation.broken, course, shortest: false }
    }

    /// The steps by which a configuration was first reached.
    fn path_to(&self, mut number: u32) -> Vec<Step> {
        let mut path = Vec::new();
        while number != 0 {
            let parent = self.space.parents[number as usize];
            let edge = self.space.steps(parent).iter().find(|edge| edge.to == number);
            path.extend(edge.map(|edge| edge.step));
            number = parent;
        }
        path.reverse();
        path
    }

    /// Everything is explored: how it ends, and what it costs.
    fn conclude(
        &mut self,
        model: &Model<'_>,
        promises: &Promises<'_, P>,
        options: &Options,
        found: &mut Exploration,
    ) {
        for number in 0..self.space.len() as u32 {
            if self.space.steps(number).is_empty() {
                found.terminal += 1;
                self.here.read(self.space.get(number));
                let ends = self.here.locals.iter().map(|&local| self.automaton.view(local));
                let leads = ends.zip(&model.instance.ids).filter(|(view, _)| {
                    view.status == Status::Leader && view.stage != Stage::Crashed
                });
                found.winners.extend(leads.map(|(_, &id)| id));
            }
        }
        let order = match successors_first(&self.space) {
            Ok(order) => order,
            Err(around) => {
                if promises.keep(Property::Termination) {
                    found.verdict = Verdict::Broken(Box::new(self.around(model, &around)));
                }
                return;
            }
        };
        if promises.keep(Property::MessageBound)
            && let Some(algorithm) = promises.algorithm()
            && let Some(counterexample) = self.beyond(model, algorithm, &order)
        {
            found.verdict = Verdict::Broken(Box::new(counterexample));
            return;
        }
        if options.costs && model.instance.faults.is_none() {
            found.costs = Some(self.costs(model, &order));
        }
    }

    /// A course that comes back to where it was.
    fn around(&mut self, model: &Model<'_>, around: &[u32]) -> Counterexample {
        let first = around[0];
        let mut steps = self.path_to(first);
        let before = steps.len();
        for (place, &number) in around.iter().enumerate() {
            let next = around.get(place + 1).copied().unwrap_or(first);
            let edge = self.space.steps(number).iter().find(|edge| edge.to == next);
            steps.extend(edge.map(|edge| edge.step));
        }
        let broken = Broken::new(
            Property::Termination,
            format!(
                "livelock: after {before} steps the election can go around for ever, {} steps a \
                 time",
                around.len()
            ),
        );
        let course = Course::new(model, &mut self.automaton, &steps);
        Counterexample { broken, course, shortest: false }
    }

    /// A course on which there are more messages than the catalogue says, or not as many.
    fn beyond(
        &mut self,
        model: &Model<'_>,
        algorithm: &Algorithm,
        order: &[u32],
    ) -> Option<Counterexample> {
        for (bound, phase, what) in [
            (&algorithm.election, Phase::Election, "election"),
            (&algorithm.announcement, Phase::Announcement, "announcement"),
        ] {
            let cost = sent(&self.automaton, |kind| P::Msg::KINDS[kind].phase == phase);
            let Self { space, automaton, here, .. } = self;
            // What is left of the bound at the end is what counts: it depends on who woke.
            let most: Vec<i64> = (0..space.len() as u32)
                .map(|number| match space.steps(number).is_empty() {
                    false => 0,
                    true => {
                        here.read(space.get(number));
                        let views = here.locals.iter().map(|&local| automaton.view(local));
                        let initiators = views.filter(|view| view.woke).count() as u64;
                        let wiring = &model.instance.wiring;
                        let nodes = u64::from(wiring.nodes());
                        let setting = Setting { nodes, links: wiring.links(), initiators };
                        i64::try_from((bound.messages)(&setting)).unwrap_or(i64::MAX >> 1)
                    }
                })
                .collect();
            let excess = ToCome::new(space, order, &cost, |number| -most[number as usize]);
            let (too_many, too_few) = (excess.max() > 0, bound.exact && excess.min() < 0);
            if !too_many && !too_few {
                continue;
            }
            let path = excess.path(space, &cost, too_many);
            let sends = |step: &Step| match *step {
                Step::React(_, outcome) => i64::from(cost[outcome as usize]),
                Step::Lose(_) | Step::Double(_) => 0,
            };
            let sent: i64 = path.iter().map(sends).sum();
            let must = sent - if too_many { excess.max() } else { excess.min() };
            let rule = if bound.exact { "exactly" } else { "at most" };
            let broken = Broken::new(
                Property::MessageBound,
                format!(
                    "{sent} {what} messages, where there are {rule} {} = {must}",
                    bound.formula
                ),
            );
            let course = Course::new(model, &mut self.automaton, &path);
            return Some(Counterexample { broken, course, shortest: false });
        }
        None
    }

    fn costs(&mut self, model: &Model<'_>, order: &[u32]) -> Costs {
        let (least_depth, greatest_depth) = depth::extremes(model, self, order);
        let extremes = |counts: &dyn Fn(usize) -> bool| {
            let cost = sent(&self.automaton, counts);
            ToCome::new(&self.space, order, &cost, |_| 0).extremes()
        };
        let kinds = P::Msg::KINDS;
        let of_phase = |phase| extremes(&|kind| kinds[kind].phase == phase);
        Costs {
            messages: extremes(&|_| true),
            by_phase: [of_phase(Phase::Election), of_phase(Phase::Announcement)],
            by_kind: (0..).zip(kinds).map(|(k, kind)| (kind, extremes(&|of| of == k))).collect(),
            greatest_depth,
            least_depth,
        }
    }
}
