//! The examination of one instance: its exploration, and the verdict.
//!
//! # Why in this order
//! 1. *The search*, reduced if it may be. A violation that it meets ends everything: the graph is not
//!    finished, so neither costs nor bounds can be computed from it.
//! 2. *The search again, in full*, if the reduced graph has a cycle, because the reduction is proved
//!    correct only where every run terminates, or if expectations are wanted of processes that draw,
//!    because it keeps those schedules only that it explores. Where any cycle violates the specification, a
//!    livelock is looked for first, in the reduced graph: the full one may not fit into memory.
//! 3. *A shorter counterexample*, by a full search. It comes after the first, and not in its place,
//!    because most instances violate nothing.
//! 4. *The extremes of messages and depths*, before the time: it is looked for only where they leave it open
//!    whether it exceeds what is claimed or known. *Time*, before the judgement that needs it: it is found
//!    in a full graph without cycles alone.
//! 5. *Livelocks before bounds*, since the greatest cost of a graph with cycles may be infinite; *bounds
//!    before expectations*, since one run that violates a bound is the shorter proof; *time last*, since
//!    its execution is not known to be a shortest one.
//! 6. *Costs*, if nothing is violated.

use crate::{
    checkable::Checkable,
    components::exploration::ByComponents,
    cost::{CostToGo, extremes::RunExtremes, sent},
    execution::Execution,
    explorer::{ScheduleExplorer, SearchEnd, ViolationSite},
    instance::{ElectionClass, Instance, InvalidInstance, Wake},
    model::{Transition, TransitionSystem, leaders},
    outcome::{CheckVerdict, Counterexample, Exploration, GreatestCosts, Options, Wanted},
    reduction::persistent_set::{ALL_PROCESSES, Expansion},
    search::Search,
    specification::{Cycles, Properties},
    state_graph::{postorder, reverse_topological, steps_to},
};
use std::{collections::BTreeMap, ops::ControlFlow};
use suffrage_algorithms::{Claims, Property, Violation};

/// Explores every schedule of an election: for a [`Specification`](crate::Specification), or for
/// everything that is claimed of an algorithm and its invariants or, where faults are allowed, for safety.
///
/// # Errors
/// If the instance is invalid, or not for the algorithm.
pub fn explore(
    instance: &Instance,
    subject: &impl Checkable,
    options: &Options,
) -> Result<Exploration, InvalidInstance> {
    explore_while(instance, subject, options, &mut |_| ControlFlow::Continue(()))
}

/// Explores as [`explore`] does. `heartbeat` is called from time to time with the number of
/// configurations so far, and may stop it.
///
/// # Errors
/// As [`explore`].
pub fn explore_while(
    instance: &Instance,
    subject: &impl Checkable,
    options: &Options,
    heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Exploration, InvalidInstance> {
    let specification = subject.specified(&[], instance.faults.is_none());
    instance.check(specification.network(), specification.timing())?;
    let mut explorer = ScheduleExplorer::new(specification.automaton());
    Ok(explorer.examine(instance, &*specification, options, &Wanted::ALL, heartbeat))
}

/// How a search ended, and what follows from it.
struct Searched {
    end: SearchEnd,
    /// The configurations in postorder; `None` if the search is not complete, or there is a cycle.
    order: Option<Vec<u32>>,
    /// A livelock that a reduced search has met before a full one was begun.
    livelock: Option<Counterexample>,
}

/// Steps that take longer than is claimed, their time, and the time that is claimed.
type Late = (Vec<Transition>, u64, u64);

/// The greatest time of an instance.
#[derive(Default)]
struct TimeFound {
    by_woken: Option<BTreeMap<u128, u64>>,
    late: Option<Late>,
    /// Whether it was not looked for, since it is neither wanted nor greater than is claimed.
    left_out: bool,
}

impl Search<'_> {
    /// Returns whether the greatest time is not needed where no alarms ring: upper bounds on it are within the
    /// claim, and it is not wanted.
    pub(crate) fn decides_time(
        &self,
        by_woken: &BTreeMap<u128, RunExtremes>,
        wanted: &Wanted<'_>,
    ) -> bool {
        let (claims, model) = (self.specification.claims(), self.model);
        let times = || by_woken.iter().map(|(&woken, part)| (woken, part.time_at_most()));
        let kept = times().all(|(woken, most)| {
            model.claimed_time(claims, woken).is_none_or(|claimed| most <= claimed)
        });
        let mut by_class = model.by_class(claims, times()).into_iter();
        kept && !by_class.any(|(class, most)| (wanted.time)(class, most))
    }

    /// Returns the greatest costs of each class; without times, the depths are the units.
    pub(crate) fn costs_by_class(
        &self,
        by_woken: &BTreeMap<u128, RunExtremes>,
        times: Option<&BTreeMap<u128, u64>>,
    ) -> BTreeMap<ElectionClass, GreatestCosts> {
        let (claims, model) = (self.specification.claims(), self.model);
        let messages = by_woken.iter().map(|(&woken, part)| (woken, part.most_messages()));
        let depths = by_woken.iter().map(|(&woken, part)| (woken, part.greatest_depth));
        let units = match times {
            Some(times) => {
                model.by_class(claims, times.iter().map(|(&woken, &units)| (woken, units)))
            }
            None => model.by_class(claims, depths),
        };
        let both = model.by_class(claims, messages).into_iter().zip(units);
        both.map(|((class, messages), (_, units))| (class, GreatestCosts { messages, units }))
            .collect()
    }
}

impl ScheduleExplorer {
    /// Explores an instance, and judges it.
    pub(crate) fn examine(
        &mut self,
        instance: &Instance,
        specification: &dyn Properties,
        options: &Options,
        wanted: &Wanted<'_>,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Exploration {
        let model = TransitionSystem::new(instance);
        // In rounds, the model itself leaves out equivalent interleavings.
        let full = options.full || self.automaton.timing().in_rounds();
        let model = &model;
        let expects = options.costs && instance.faults.is_none();
        let memory = options.memory;
        let judged = false;
        let mut search =
            Search { model, specification, full, costs: expects, memory, judged, heartbeat };
        let bounded = instance.capacity.is_some() || !instance.faults.is_none();
        let fits = options.full && !bounded && !self.automaton.timing().in_rounds();
        self.graph.clear();
        if fits {
            match self.examine_components(&mut search, wanted) {
                ByComponents::Found(found) => return *found,
                ByComponents::Holds => search.judged = true,
                ByComponents::Unknown => {}
            }
        }
        let Searched { end, order, livelock } = self.search(&mut search);
        let complete = matches!(end, SearchEnd::Complete);
        if complete && expects && instance.wake == Wake::AnyTimeOrNever && self.draws() {
            // A schedule that may look at draws before it decides who wakes belongs to no set of initiators.
            return self.each_set(instance, specification, options, false, search.heartbeat).0;
        }
        let mut found = Exploration {
            states: self.graph.len() as u64,
            transitions: self.graph.transitions(),
            ..Exploration::default()
        };
        // The wake-ups at the start happen one after another without a choice, and are not counted.
        let waking = self.waking(model);
        found.states -= waking.min(found.states);
        found.transitions -= waking.min(found.transitions);
        found.largest = found.states;
        let violated = |counterexample| CheckVerdict::Violated(Box::new(counterexample));
        match (end, livelock) {
            (SearchEnd::Full | SearchEnd::Stopped, Some(livelock)) => {
                found.verdict = violated(Counterexample { shortest: false, ..livelock });
            }
            (SearchEnd::Full, None) => found.verdict = CheckVerdict::OutOfMemory,
            (SearchEnd::Stopped, None) => found.verdict = CheckVerdict::Stopped,
            (SearchEnd::Violated(site), _) => {
                let reduced = self.counterexample(model, site);
                found.verdict = violated(if search.full {
                    Counterexample { shortest: true, ..reduced }
                } else {
                    self.shorten(&mut search).unwrap_or(reduced)
                });
            }
            (SearchEnd::Complete, _) => {
                self.judge(order.as_deref(), wanted, &mut search, &mut found);
            }
        }
        found
    }

    /// Judges a finished exploration, and finds its costs.
    fn judge(
        &mut self,
        order: Option<&[u32]>,
        wanted: &Wanted<'_>,
        search: &mut Search<'_>,
        found: &mut Exploration,
    ) {
        let model = search.model;
        found.endless = order.is_none();
        self.count_ends(model, found);
        let sweep = order.filter(|_| search.costs);
        let sweep = sweep.map(|order| (order, self.extremes(model, order)));
        let TimeFound { by_woken: times, late, left_out } = match &sweep {
            Some((order, by_woken)) => self.time(order, by_woken, wanted, search),
            None => TimeFound::default(),
        };
        if let Some(counterexample) = self.violation(order, late, found, search) {
            found.verdict = CheckVerdict::Violated(Box::new(counterexample));
            return;
        }
        let Some((order, by_woken)) = sweep else { return };
        let Some(all) = RunExtremes::of_all(&by_woken) else { return };
        found.by_class = search.costs_by_class(&by_woken, times.as_ref());
        let least = self.least_depth(model, order, &all, search.heartbeat);
        let greatest_time = times.and_then(|times| times.into_values().max());
        found.costs = Some(all.costs(&self.automaton, least, greatest_time));
        found.time_left_out = left_out;
        if (wanted.worst)(all.most_messages()) {
            let most =
                |(_, part): &(&u128, &RunExtremes)| part.most_messages() == all.most_messages();
            let first = by_woken.iter().find(most).map_or(0, |(&woken, _)| woken);
            found.worst = Some(Box::new(self.worst(model, order, first)));
        }
    }

    /// Explores each set of the initiators of an instance by itself, if it is not to keep going up to the first
    /// that violates a property. Returns the result, and the number of those.
    pub(crate) fn each_set(
        &mut self,
        instance: &Instance,
        specification: &dyn Properties,
        options: &Options,
        keep_going: bool,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> (Exploration, u64) {
        let all = &instance.initiators;
        let sets = (1..1_u128 << all.len()).map(|set| {
            let some = all.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
            some.map(|(_, &node)| node).collect()
        });
        let (mut union, mut failing): (Option<Exploration>, u64) = (None, 0);
        for initiators in sets {
            let one = Instance { initiators, wake: Wake::AnyTime, ..instance.clone() };
            let found = self.examine(&one, specification, options, &Wanted::ALL, heartbeat);
            let ended = match found.verdict {
                CheckVerdict::Holds => false,
                CheckVerdict::OutOfMemory | CheckVerdict::Stopped => true,
                CheckVerdict::Violated(_) => {
                    failing += 1;
                    !keep_going
                }
            };
            match &mut union {
                Some(union) => union.join(found),
                None => union = Some(found),
            }
            if ended {
                break;
            }
        }
        (union.unwrap_or_default(), failing)
    }

    /// Searches, and again without reduction where the reduction is not proved correct.
    fn search(&mut self, search: &mut Search<'_>) -> Searched {
        let mut end = self.explore(search);
        let mut order = self.order(&end);
        let mut livelock = None;
        let complete = matches!(end, SearchEnd::Complete) && self.has_left_out();
        if complete && (order.is_none() || search.costs && self.draws()) {
            if order.is_none() && search.specification.cycles() == Some(Cycles::All) {
                livelock = self.livelock(search.model, Cycles::All);
            }
            search.full = true;
            end = self.explore(search);
            order = self.order(&end);
        }
        Searched { end, order, livelock }
    }

    /// Finds the greatest time, if everything was explored and links hold any number of messages. It is
    /// looked for only if the greatest depth does not tell that it is within the claim, and not wanted.
    fn time(
        &mut self,
        order: &[u32],
        by_woken: &BTreeMap<u128, RunExtremes>,
        wanted: &Wanted<'_>,
        search: &mut Search<'_>,
    ) -> TimeFound {
        if !search.full || search.model.instance.capacity.is_some() {
            return TimeFound::default();
        }
        let found = if self.automaton.timing().in_rounds() {
            Some(self.greatest_ticks(order, search))
        } else {
            if !self.rings() && search.decides_time(by_woken, wanted) {
                return TimeFound { left_out: true, ..TimeFound::default() };
            }
            self.greatest_time(order, search)
        };
        let (by_woken, late) =
            found.map_or((None, None), |time| (Some(time.by_woken), time.beyond));
        TimeFound { by_woken, late, left_out: false }
    }

    /// Returns a counterexample of a finished exploration, if there is one. Finds the expectations over its random
    /// choices, unless a livelock or a bound is violated before.
    fn violation(
        &mut self,
        order: Option<&[u32]>,
        late: Option<Late>,
        found: &mut Exploration,
        search: &mut Search<'_>,
    ) -> Option<Counterexample> {
        let (model, specification) = (search.model, search.specification);
        if order.is_none()
            && let Some(cycles) = specification.cycles()
            && let livelock @ Some(_) = self.livelock(model, cycles)
        {
            return livelock;
        }
        let required = |property| move |_: &&Claims| specification.requires(property);
        let bounded = specification.claims().filter(required(Property::MessageBound));
        if let Some(claims) = bounded {
            let beyond = match order {
                Some(order) => self.beyond(claims, order, true, search),
                None => self.beyond(claims, &reverse_topological(&self.graph), false, search),
            };
            if beyond.is_some() {
                return beyond;
            }
        }
        if specification.may_err() && !self.draws() {
            let detail = "nothing is drawn, and yet not exactly one process leads".to_owned();
            let violation = Violation { property: Property::ExactlyOneLeader, detail };
            if let errs @ Some(_) = self.at_some_end(model, violation, &|leaders| leaders != 1) {
                return errs;
            }
        }
        if search.costs && self.draws() {
            found.chances = self.chances(search.heartbeat);
        }
        if let Some(chances) = found.chances {
            let beyond =
                bounded.and_then(|claims| self.beyond_expectation(model, claims, &chances));
            let errs = || specification.may_err().then(|| self.errs_too_often(model, &chances))?;
            if let violation @ Some(_) = beyond.or_else(errs) {
                return violation;
            }
        }
        let claims = specification.claims().filter(required(Property::TimeBound))?;
        let (steps, units, most) = late?;
        let violation = Violation::time(&claims.time?, units, most);
        let execution = Execution::new(model, &mut self.automaton, &steps);
        Some(Counterexample { violation, execution, shortest: false })
    }

    fn waking(&mut self, model: &TransitionSystem<'_>) -> u64 {
        let (mut number, mut steps) = (0, 0);
        loop {
            self.here.read(self.graph.get(number));
            match (model.begins(&self.here, &self.automaton), self.graph.steps(number)) {
                (true, [edge]) => number = edge.to,
                _ => return steps,
            }
            steps += 1;
        }
    }

    fn shorten(&mut self, search: &mut Search<'_>) -> Option<Counterexample> {
        let SearchEnd::Violated(site) = self.explore_all(search) else { return None };
        Some(Counterexample { shortest: true, ..self.counterexample(search.model, site) })
    }

    fn counterexample(
        &mut self,
        model: &TransitionSystem<'_>,
        violation: ViolationSite,
    ) -> Counterexample {
        let mut steps = self.path_to(violation.at);
        steps.extend(violation.last);
        let execution = Execution::new(model, &mut self.automaton, &steps);
        Counterexample { violation: violation.violation, execution, shortest: false }
    }

    pub(crate) fn path_to(&self, number: u32) -> Vec<Transition> {
        let step_from = |parent: u32, to: u32| {
            self.graph.steps(parent).iter().find(|edge| edge.to == to).map(|edge| edge.step)
        };
        steps_to(number, |number| {
            let parent = self.graph.parents[number as usize];
            (number > 0).then(|| Some((step_from(parent, number)?, parent)))?
        })
    }

    fn order(&self, end: &SearchEnd) -> Option<Vec<u32>> {
        matches!(end, SearchEnd::Complete).then(|| postorder(&self.graph)).flatten()
    }

    fn has_left_out(&self) -> bool {
        self.choices.iter().any(|&choice| choice != Expansion::Persistent(ALL_PROCESSES))
    }

    /// Counts the terminal configurations of a finished exploration, and collects their leaders.
    fn count_ends(&mut self, model: &TransitionSystem<'_>, found: &mut Exploration) {
        for number in 0..self.graph.len() as u32 {
            if self.graph.is_end(number) {
                found.terminal += 1;
                self.here.read(self.graph.get(number));
                let leaders = leaders(&self.here, &self.automaton);
                found.winners.extend(leaders.map(|node| model.instance.ids[node]));
            }
        }
    }

    /// Returns an execution with the most messages. Where processes wake or never do, it is one in which
    /// these wake.
    fn worst(&mut self, model: &TransitionSystem<'_>, order: &[u32], woken: u128) -> Execution {
        const NEVER: i64 = i64::MIN >> 2;
        let cost = sent(&self.automaton, |_| true);
        let Self { graph, automaton, here, .. } = self;
        let mut wanted = |number| {
            here.read(graph.get(number));
            model.counts_all() || model.woken(here, automaton) == woken
        };
        let last = |number| if wanted(number) { (0, 0) } else { (0, NEVER) };
        let path = CostToGo::new(graph, order, &cost, last).path(graph, &cost, true);
        Execution::new(model, &mut self.automaton, &path)
    }
}

#[cfg(test)]
mod tests;
