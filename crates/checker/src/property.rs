//! Specifications: the properties to which an election is held.

pub(crate) mod snapshot;

use crate::{
    model::{
        Model,
        automaton::{Automaton, LocalViolation, Observation},
        configuration::Configuration,
    },
    property::snapshot::Snapshot,
};
use suffrage_algorithms::{
    Claims, Ended, Ending, FinalState, Invariant, Property, Violation, judge,
};
use suffrage_process::{Process, Stage, Status};

/// A property of the user's own: a name and a predicate on configurations.
type Own<'a, P> = (&'static str, Box<dyn Fn(&Snapshot<'_, P>) -> bool + Sync + 'a>);

/// The properties to which an election is held.
pub struct Specification<'a, P: Process> {
    required: Vec<Property>,
    claims: Option<Claims>,
    invariants: Vec<Invariant<P>>,
    always: Vec<Own<'a, P>>,
    finally: Vec<Own<'a, P>>,
}

impl<'a, P: Process> Specification<'a, P> {
    /// Safety: at most one leader at any time, and no decision revoked. It should hold under any
    /// faults.
    #[must_use]
    pub fn safety() -> Self {
        Self::these(&[Property::AtMostOneLeader, Property::IrrevocableStatus])
    }

    /// What every election without faults must satisfy: safety, termination, exactly one leader,
    /// agreement, every process halted, and no impossible message.
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

    /// All properties of an election, and the claims about its algorithm.
    #[must_use]
    pub fn of(claims: &Claims) -> Self {
        Self::these(&Property::ALL).about(claims)
    }

    /// These properties only.
    #[must_use]
    pub fn these(properties: &[Property]) -> Self {
        let required = properties.to_vec();
        let (always, finally) = (Vec::new(), Vec::new());
        Self { required, claims: None, invariants: Vec::new(), always, finally }
    }

    /// Adds invariants: they are checked in every configuration that is explored. That is every
    /// reachable one if [everything is explored](crate::Checker::full) and only some of them under
    /// partial-order reduction, which they do not disable.
    #[must_use]
    pub fn invariants(mut self, invariants: impl IntoIterator<Item = Invariant<P>>) -> Self {
        self.invariants.extend(invariants);
        self
    }

    /// The same properties, of an algorithm with these claims.
    ///
    /// The required properties alone decide which claims are checked, with faults or without.
    #[must_use]
    pub fn about(self, claims: &Claims) -> Self {
        Self { claims: Some(*claims), ..self }
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

    pub(crate) fn requires(&self, property: Property) -> bool {
        self.required.contains(&property)
    }

    /// Whether there are properties of the user's own.
    pub(crate) fn has_own(&self) -> bool {
        !self.always.is_empty() || !self.finally.is_empty()
    }

    pub(crate) fn claims(&self) -> Option<&Claims> {
        self.claims.as_ref()
    }

    /// Whether every configuration must be explored.
    pub(crate) fn need_everything(&self) -> bool {
        !self.always.is_empty()
    }

    /// The required property that a reaction has broken.
    pub(crate) fn broken_by(&self, fault: LocalViolation, node: u16) -> Option<Violation> {
        let node = node.into();
        let violation = match fault {
            LocalViolation::Rejected(why) => Violation::rejected(node, why),
            // Whatever is required: nothing is known of what such a process does.
            LocalViolation::NoSuchPort { port, degree } => {
                return Some(Violation::no_such_port(node, port, degree));
            }
            LocalViolation::Revoked(old, new) => Violation::revoked(node, old, new),
            LocalViolation::Late => match self.claims {
                Some(claims) if claims.ending == Ending::Silent => Violation::late(1),
                _ => return None,
            },
        };
        self.requires(violation.property).then_some(violation)
    }

    /// The first required property that a configuration breaks.
    pub(crate) fn at(
        &self,
        configuration: &Configuration,
        automaton: &Automaton<P>,
        model: &Model<'_>,
        last: bool,
    ) -> Option<Violation> {
        let mut leaders = leaders(configuration, automaton);
        if self.requires(Property::AtMostOneLeader)
            && let (Some(first), Some(second)) = (leaders.next(), leaders.next())
        {
            return Some(Violation::two_leaders(first as u32, second as u32));
        }
        if !self.invariants.is_empty() {
            let snapshot = Snapshot::new(configuration, automaton, model);
            if let broken @ Some(_) = snapshot.violation(&self.invariants) {
                return broken;
            }
        }
        let own = |&(name, ref holds): &Own<'_, P>| {
            let snapshot = Snapshot::new(configuration, automaton, model);
            (!holds(&snapshot)).then(|| Violation {
                property: Property::Own(name),
                detail: format!("`{name}` does not hold here: {snapshot}"),
            })
        };
        if let broken @ Some(_) = self.always.iter().find_map(own) {
            return broken;
        }
        if !last {
            return None;
        }
        self.at_the_end(configuration, automaton, model)
            .or_else(|| self.finally.iter().find_map(own))
    }

    /// Judges a terminal configuration. Messages and time are judged where they are counted.
    fn at_the_end(
        &self,
        configuration: &Configuration,
        automaton: &Automaton<P>,
        model: &Model<'_>,
    ) -> Option<Violation> {
        if self.required.is_empty() {
            return None;
        }
        let instance = model.instance;
        let ended = Ended {
            nodes: instance.wiring.nodes(),
            links: instance.wiring.links(),
            process: &|node| {
                let view = automaton.view(configuration.locals[node as usize]);
                FinalState {
                    id: instance.ids[node as usize],
                    woke: view.woke,
                    stage: view.stage,
                    status: view.status,
                    leader: view.leader,
                }
            },
            blocked: configuration.outboxes.iter().filter(|waits| !waits.is_empty()).count() as u64,
            sent: None,
            units: None,
            diameter: &|| instance.wiring.diameter().into(),
            late: 0,
            lost: 0,
            faultless: true,
            unfinished: false,
        };
        let violations = judge(self.claims.as_ref(), &ended).violations;
        violations.into_iter().find(|violation| self.requires(violation.property))
    }
}

/// The processes that have not crashed, by number.
fn alive<'a, P: Process>(
    configuration: &'a Configuration,
    automaton: &'a Automaton<P>,
) -> impl Iterator<Item = (usize, &'a Observation)> {
    let views = configuration.locals.iter().map(|&local| automaton.view(local));
    views.enumerate().filter(|(_, view)| view.stage != Stage::Crashed)
}

/// Those of them that lead.
pub(crate) fn leaders<'a, P: Process>(
    configuration: &'a Configuration,
    automaton: &'a Automaton<P>,
) -> impl Iterator<Item = usize> {
    let leads = |(_, view): &(usize, &Observation)| view.status == Status::Leader;
    alive(configuration, automaton).filter(leads).map(|(node, _)| node)
}
