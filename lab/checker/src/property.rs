//! Specifications: the properties to which an election is held.

pub(crate) mod properties;
pub(crate) mod snapshot;

use crate::{
    model::{Model, automaton::Automaton, configuration::Configuration},
    property::{
        properties::{HeldTo, Properties},
        snapshot::Snapshot,
    },
};
use suffrage_algorithms::{Claims, Invariant, Property, Violation};
use suffrage_model::{NetworkClass, Process, Timing};

/// A property of the user's own: a name and a predicate on configurations.
type Own<'a, P> = (&'static str, Box<dyn Fn(&Snapshot<'_, P>) -> bool + Sync + 'a>);

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
        Self::these(&[
            Property::AtMostOneLeader,
            Property::IrrevocableStatus,
            Property::ExactlyOneLeader,
            Property::Agreement,
            Property::EveryoneHalted,
            Property::Termination,
            Property::PossibleMessages,
            Property::ExistingPorts,
        ])
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
        holds: impl Fn(&Snapshot<'_, P>) -> bool + Sync + 'a,
    ) -> Self {
        self.always.push((name, Box::new(holds)));
        self
    }

    /// Adds a property of every terminal configuration.
    #[must_use]
    pub fn finally(
        mut self,
        name: &'static str,
        holds: impl Fn(&Snapshot<'_, P>) -> bool + Sync + 'a,
    ) -> Self {
        self.finally.push((name, Box::new(holds)));
        self
    }
}

impl<P: Process> Specification<'_, P> {
    fn first_violated(
        own: &[Own<'_, P>],
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
    ) -> Option<Violation> {
        own.iter().find_map(|&(name, ref holds)| {
            let snapshot = Snapshot::<P>::new(configuration, automaton, model);
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

    fn violated_anywhere(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
    ) -> Option<Violation> {
        if !self.invariants.is_empty() {
            let snapshot = Snapshot::<P>::new(configuration, automaton, model);
            if let broken @ Some(_) = snapshot.violation(&self.invariants) {
                return broken;
            }
        }
        Self::first_violated(&self.always, configuration, automaton, model)
    }

    fn violated_at_the_end(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
    ) -> Option<Violation> {
        Self::first_violated(&self.finally, configuration, automaton, model)
    }
}
