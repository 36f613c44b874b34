//! Specifications: the properties to which an election is held.

use crate::{
    components::component::{FormulaSet, PlacesRead, SetReading, Subjects},
    model::{StateView, automaton::Automaton, leaders, processes::LocalViolation},
    snapshot::{NarrowChecks, StateSnapshot},
};
use suffrage_algorithms::{
    Claims, Ended, Ending, FinalState, FormulaReading, FormulaSubjects, Invariant, Node, Property,
    SharedProcesses, Violation, judge,
};
use suffrage_model::{Id, NetworkClass, Process, Timing};

/// A property of the user's own: a name and a predicate on configurations.
type Own<'a, P> = (&'static str, Box<dyn Fn(&StateSnapshot<'_, P>) -> bool + Sync + 'a>);

/// The greatest number of invariants that are looked up, and of readings of a process for that: they are bits.
const MOST: usize = u64::BITS as usize;

/// The properties to which an election is held.
pub struct Specification<'a, P: Process> {
    held_to: HeldTo,
    invariants: Vec<Invariant<P>>,
    always: Vec<Own<'a, P>>,
    finally: Vec<Own<'a, P>>,
}

impl<'a, P: Process> Specification<'a, P> {
    /// Creates the specification of safety: at most one leader at any time, and no decision
    /// revoked. It should hold under any faults.
    #[must_use]
    pub fn safety() -> Self {
        Self::these(&[Property::AtMostOneLeader, Property::IrrevocableStatus])
    }

    /// Creates the specification of every election without faults: safety, termination, exactly one
    /// leader, agreement, every process halted, and no impossible message.
    #[must_use]
    pub fn election() -> Self {
        Self::these(Property::OF_ELECTIONS)
    }

    /// Creates the specification of all properties of an election, and the claims about its
    /// algorithm.
    #[must_use]
    pub fn of(claims: &Claims) -> Self {
        Self::these(&Property::ALL).about(claims)
    }

    /// Creates a specification of these properties only.
    #[must_use]
    pub fn these(properties: &[Property]) -> Self {
        let held_to = HeldTo { required: properties.to_vec(), claims: None };
        Self { held_to, invariants: Vec::new(), always: Vec::new(), finally: Vec::new() }
    }

    /// Adds invariants, which are checked in every configuration that is explored. That is every
    /// reachable one if [everything is explored](crate::Checker::full) and only some of them under
    /// partial-order reduction, which they do not disable.
    #[must_use]
    pub fn invariants(mut self, invariants: impl IntoIterator<Item = Invariant<P>>) -> Self {
        self.invariants.extend(invariants);
        self
    }

    /// Sets the claims about the algorithm, and keeps the properties.
    ///
    /// The required properties alone decide which claims are checked, with faults or without.
    #[must_use]
    pub fn about(mut self, claims: &Claims) -> Self {
        self.held_to.claims = Some(*claims);
        self
    }

    /// Adds a property of every configuration. This disables partial-order reduction.
    #[must_use]
    pub fn always(
        mut self,
        name: &'static str,
        holds: impl Fn(&StateSnapshot<'_, P>) -> bool + Sync + 'a,
    ) -> Self {
        self.always.push((name, Box::new(holds)));
        self
    }

    /// Adds a property of every terminal configuration.
    #[must_use]
    pub fn finally(
        mut self,
        name: &'static str,
        holds: impl Fn(&StateSnapshot<'_, P>) -> bool + Sync + 'a,
    ) -> Self {
        self.finally.push((name, Box::new(holds)));
        self
    }
}

impl<P: Process> Specification<'_, P> {
    /// Returns of these formulas one for each way in which they read.
    fn readers(&self, formulas: u64) -> impl Iterator<Item = &Invariant<P>> {
        let all = move || (0..64).filter(move |number| formulas >> number & 1 == 1);
        all().filter_map(move |number| {
            let this = &self.invariants[number];
            let known = all().take_while(|&other| other < number);
            let is_new = !known.into_iter().any(|other| self.invariants[other].reads_like(this));
            is_new.then_some(this)
        })
    }

    fn first_violated(own: &[Own<'_, P>], here: StateView<'_>) -> Option<Violation> {
        own.iter().find_map(|&(name, ref holds)| {
            let snapshot = StateSnapshot::<P>::new(here);
            (!holds(&snapshot)).then(|| Violation {
                property: Property::Own(name),
                detail: format!("`{name}` does not hold here: {snapshot}"),
            })
        })
    }
}

impl<P: Process> Properties for Specification<'_, P> {
    fn network(&self) -> NetworkClass {
        P::NETWORK
    }

    fn timing(&self) -> Timing {
        P::TIMING
    }

    fn automaton(&self) -> Automaton {
        Automaton::of::<P>()
    }

    fn held_to(&self) -> &HeldTo {
        &self.held_to
    }

    fn has_own(&self) -> bool {
        !self.always.is_empty() || !self.finally.is_empty()
    }

    fn needs_everything(&self) -> bool {
        !self.always.is_empty()
    }

    fn watches(&self, known: u64) -> bool {
        self.invariants.len() > known.count_ones() as usize || !self.always.is_empty()
    }

    fn formulas(&self) -> Vec<FormulaSet> {
        let mut sets: Vec<FormulaSet> = Vec::new();
        let mut readings = self.invariants.len().min(MOST);
        for (number, invariant) in self.invariants.iter().enumerate().take(MOST) {
            if !invariant.reads_like(invariant) {
                continue; // It is a function.
            }
            let known = invariant.subjects();
            let subjects = match known {
                Some(FormulaSubjects { number: 0..=2, .. }) => Subjects::Two,
                Some(FormulaSubjects { number: 3, are_needed: true, .. })
                    if readings + Subjects::Three.readings() <= MOST + 1 =>
                {
                    readings += Subjects::Three.readings() - 1;
                    Subjects::Three
                }
                _ => Subjects::All,
            };
            let places = match known {
                _ if subjects == Subjects::All && invariant.reads_kinds() => PlacesRead::Alone,
                _ if invariant.is_placeless() => PlacesRead::No,
                Some(FormulaSubjects { in_order: true, .. }) if subjects != Subjects::All => {
                    PlacesRead::Order
                }
                _ => PlacesRead::Yes,
            };
            let together = |set: &&mut FormulaSet| match subjects {
                Subjects::Two => (set.subjects, set.places) == (subjects, places),
                Subjects::Three => false,
                Subjects::All => {
                    let first = &self.invariants[set.formulas.trailing_zeros() as usize];
                    let are_alone = places == PlacesRead::Alone && set.places == places;
                    set.subjects == subjects && (are_alone || first.reads_like(invariant))
                }
            };
            match sets.iter_mut().find(together) {
                Some(set) => set.formulas |= 1 << number,
                None => sets.push(FormulaSet { formulas: 1 << number, places, subjects }),
            }
        }
        sets
    }

    fn read_local(
        &self,
        formulas: u64,
        subject: Option<usize>,
        local: u32,
        automaton: &Automaton,
    ) -> Option<SetReading> {
        let number = local;
        let local = automaton.values::<P>().local(local);
        let node = Node {
            process: &local.process,
            id: Id::new(0),
            stage: local.stage,
            woke: local.woke,
            degree: local.degree,
            number: Some(number),
        };
        self.readers(formulas).map(|invariant| invariant.read_process(&node, subject)).collect()
    }

    fn read_message(
        &self,
        formulas: u64,
        subject: Option<usize>,
        message: u32,
        automaton: &Automaton,
    ) -> Option<SetReading> {
        let message = *automaton.values::<P>().message(message);
        let read = |invariant: &Invariant<P>| invariant.read_message(message, subject);
        let readings: Vec<Option<FormulaReading>> = self.readers(formulas).map(read).collect();
        let all =
            readings.iter().cloned().map(|reading| reading.unwrap_or(FormulaReading::NOTHING));
        readings.iter().any(Option::is_some).then(|| all.collect())
    }

    fn shared_processes(
        &self,
        formulas: u64,
        subject: usize,
        reading: &SetReading,
    ) -> SharedProcesses {
        // A set in which subjects are told apart has one formula.
        let mut each = self.readers(formulas).zip(reading);
        let (invariant, reading) = each.next().expect("a set has a formula");
        invariant.shared_processes(subject, reading)
    }

    fn check_anywhere(&self, here: StateView<'_>, known: u64) -> Result<NarrowChecks, Violation> {
        let mut narrow = NarrowChecks::default();
        if self.invariants.len() > known.count_ones() as usize {
            narrow = StateSnapshot::<P>::new(here).check(&self.invariants, known)?;
        }
        Self::first_violated(&self.always, here).map_or(Ok(narrow), Err)
    }

    fn violated_at_the_end(&self, here: StateView<'_>) -> Option<Violation> {
        Self::first_violated(&self.finally, here)
    }
}

/// The properties to which an election is held. Those of all elections are checked here, by
/// numbers; those that depend on processes are left to the [`Specification`](crate::Specification).
pub(crate) trait Properties: Sync {
    fn network(&self) -> NetworkClass;

    fn timing(&self) -> Timing;

    /// Creates an automaton of the algorithm.
    fn automaton(&self) -> Automaton;

    fn held_to(&self) -> &HeldTo;

    fn has_own(&self) -> bool;

    fn needs_everything(&self) -> bool;

    /// Returns whether there are properties of single configurations beside invariants of these numbers.
    fn watches(&self, known: u64) -> bool;

    /// Returns the sets of those of the first 64 invariants that are formulas. Together they have at most 64 readings
    /// of a process.
    fn formulas(&self) -> Vec<FormulaSet>;

    /// Returns what formulas read of a local state, or read of it as this subject, if it can be one in a breach.
    fn read_local(
        &self,
        formulas: u64,
        subject: Option<usize>,
        local: u32,
        automaton: &Automaton,
    ) -> Option<SetReading>;

    /// Returns what formulas read of a message, or read of it as this subject, if they read anything.
    fn read_message(
        &self,
        formulas: u64,
        subject: Option<usize>,
        message: u32,
        automaton: &Automaton,
    ) -> Option<SetReading>;

    /// Returns which processes this subject can name in a breach, if this is read of a state or a message.
    fn shared_processes(
        &self,
        formulas: u64,
        subject: usize,
        reading: &SetReading,
    ) -> SharedProcesses;

    /// Checks the properties of every configuration. The invariants of the numbers `known` are known to hold.
    fn check_anywhere(&self, here: StateView<'_>, known: u64) -> Result<NarrowChecks, Violation>;

    fn violated_at_the_end(&self, here: StateView<'_>) -> Option<Violation>;
}

/// The properties of elections that are required, and the claims about the algorithm.
pub(crate) struct HeldTo {
    pub required: Vec<Property>,
    pub claims: Option<Claims>,
}

impl dyn Properties + '_ {
    pub(crate) fn requires(&self, property: Property) -> bool {
        let promised = self.claims().is_none_or(|claims| claims.promise(property));
        promised && self.held_to().required.contains(&property)
    }

    /// Returns whether exactly one process is to lead with a probability of at least `1 - 1/n`, and
    /// not in every single election.
    pub(crate) fn may_err(&self) -> bool {
        let required = self.held_to().required.contains(&Property::ExactlyOneLeader);
        required && !self.requires(Property::ExactlyOneLeader)
    }

    /// Returns which executions without an end violate the specification, if any do: every one, where
    /// a bound is required, which none satisfies; those that some schedule makes probable, where a
    /// bound is required that is a statement about probabilities; those that a fair schedule makes
    /// probable, where termination is.
    pub(crate) fn cycles(&self) -> Option<Cycles> {
        let claims = self.claims();
        let messages = claims.filter(|_| self.requires(Property::MessageBound));
        let time = claims.filter(|_| self.requires(Property::TimeBound));
        let time = time.and_then(|claims| claims.time);
        let sure =
            [messages.map(|claims| claims.guarantee().is_sure()), time.map(|time| time.is_sure())];
        match sure.into_iter().flatten().max() {
            Some(true) => Some(Cycles::All),
            Some(false) => Some(Cycles::Probable),
            None => self.requires(Property::Termination).then_some(Cycles::FairAndProbable),
        }
    }

    pub(crate) fn claims(&self) -> Option<&Claims> {
        self.held_to().claims.as_ref()
    }

    pub(crate) fn violated_by(&self, fault: LocalViolation, node: u16) -> Option<Violation> {
        let violation = match fault {
            LocalViolation::Rejected(why) => Violation::rejected(node, why),
            // A violation even if it is not required: the behaviour of such a process is unknown.
            LocalViolation::NoSuchPort { port, degree } => {
                return Some(Violation::no_such_port(node, port, degree));
            }
            LocalViolation::Revoked(old, new) => Violation::revoked(node, old, new),
            LocalViolation::Late => match self.claims() {
                Some(claims) if claims.ending != Ending::LateMessages => Violation::late(1),
                _ => return None,
            },
        };
        self.requires(violation.property).then_some(violation)
    }

    pub(crate) fn at(&self, here: StateView<'_>, last: bool) -> Option<Violation> {
        let mut leaders = leaders(here.state, here.automaton);
        if self.requires(Property::AtMostOneLeader)
            && let (Some(first), Some(second)) = (leaders.next(), leaders.next())
        {
            return Some(Violation::two_leaders(first as u32, second as u32));
        }
        if let Err(violation) = self.check_anywhere(here, 0) {
            return Some(violation);
        }
        if !last {
            return None;
        }
        self.judge(here).or_else(|| self.violated_at_the_end(here))
    }

    /// Returns the required property that a terminal configuration violates. Messages and time are
    /// judged where they are counted.
    fn judge(&self, here: StateView<'_>) -> Option<Violation> {
        if self.held_to().required.is_empty() {
            return None;
        }
        let StateView { state, automaton, model } = here;
        let instance = model.instance;
        let ended = Ended {
            nodes: instance.wiring.nodes().into(),
            links: instance.wiring.links(),
            process: &|node| {
                let view = automaton.view(state.locals[node as usize]);
                FinalState {
                    id: instance.ids[node as usize],
                    woke: view.woke,
                    stage: view.stage,
                    status: view.status,
                    leader: view.leader,
                }
            },
            blocked: state.outboxes.iter().filter(|waits| !waits.is_empty()).count() as u64,
            sent: None,
            units: None,
            diameter: &|| instance.wiring.diameter().into(),
            late: 0,
            lost: 0,
            faultless: true,
            unfinished: false,
        };
        let violations = judge(self.claims(), &ended).violations;
        violations.into_iter().find(|violation| self.requires(violation.property))
    }
}

/// The executions without an end that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cycles {
    /// Loops on any schedule with any outcome of the random choices.
    All,
    /// Loops on any schedule that have a positive probability.
    Probable,
    /// Loops on fair schedules that have a positive probability.
    FairAndProbable,
}
