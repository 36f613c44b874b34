//! What an election promises, and where it breaks its promise.

pub(crate) mod snapshot;

use crate::{
    model::{
        Model,
        automaton::{Automaton, Lifecycle, LocalViolation, Observation},
        configuration::Configuration,
    },
    property::snapshot::Snapshot,
};
use std::borrow::Cow;
use suffrage_algorithms::{Algorithm, Ending, Property};
use suffrage_process::{Id, Process, Status};

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The name of the property.
    pub property: Cow<'static, str>,
    /// What has happened, in words; processes are named by their numbers.
    pub detail: String,
}

impl Broken {
    pub(crate) fn new(property: Property, detail: String) -> Self {
        Self { property: Cow::Borrowed(property.name()), detail }
    }
}

/// A property of one's own: a name, and whether a configuration has it.
type Own<'a, P> = (&'a str, Box<dyn Fn(&Snapshot<'_, P>) -> bool + Sync + 'a>);

/// What an election is held to.
pub struct Specification<'a, P: Process> {
    required: Vec<Property>,
    algorithm: Option<&'a Algorithm>,
    always: Vec<Own<'a, P>>,
    finally: Vec<Own<'a, P>>,
}

impl<'a, P: Process> Specification<'a, P> {
    /// That there is never a second leader and no decision is taken back: what must hold whatever
    /// goes wrong.
    #[must_use]
    pub fn safety() -> Self {
        Self::these(&[Property::AtMostOneLeader, Property::IrrevocableStatus])
    }

    /// All that an election without faults must keep: safety, an end at which all have halted,
    /// one leader whom all who name one name, and no impossible messages.
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
        ])
    }

    /// All properties of an election, and what the catalogue says of this algorithm: who wins,
    /// how many messages are sent, that all know the leader, and what may arrive after the end.
    #[must_use]
    pub fn of(algorithm: &'a Algorithm) -> Self {
        Self::these(&Property::ALL).about(algorithm)
    }

    /// These properties alone.
    #[must_use]
    pub fn these(properties: &[Property]) -> Self {
        let required = properties.to_vec();
        Self { required, algorithm: None, always: Vec::new(), finally: Vec::new() }
    }

    /// The same properties; what they say depends on the algorithm.
    #[must_use]
    pub fn about(self, algorithm: &'a Algorithm) -> Self {
        Self { algorithm: Some(algorithm), ..self }
    }

    /// This property as well, in every configuration. All of them have to be explored then.
    #[must_use]
    pub fn always(
        mut self,
        name: &'a str,
        holds: impl Fn(&Snapshot<'_, P>) -> bool + Sync + 'a,
    ) -> Self {
        self.always.push((name, Box::new(holds)));
        self
    }

    /// This property as well, in every last configuration.
    #[must_use]
    pub fn finally(
        mut self,
        name: &'a str,
        holds: impl Fn(&Snapshot<'_, P>) -> bool + Sync + 'a,
    ) -> Self {
        self.finally.push((name, Box::new(holds)));
        self
    }

    pub(crate) fn requires(&self, property: Property) -> bool {
        self.required.contains(&property)
    }

    /// Whether there is a property that may look at anything.
    pub(crate) fn has_own(&self) -> bool {
        !self.always.is_empty() || !self.finally.is_empty()
    }

    pub(crate) fn algorithm(&self) -> Option<&'a Algorithm> {
        self.algorithm
    }

    /// Whether a promise is about every configuration, in whatever order things happen.
    pub(crate) fn need_everything(&self) -> bool {
        !self.always.is_empty()
    }

    /// What a reaction has broken, if that was promised.
    pub(crate) fn broken_by(&self, violation: LocalViolation, node: u16) -> Option<Broken> {
        let property = match violation {
            LocalViolation::Rejected(_) => Property::PossibleMessages,
            LocalViolation::Revoked(..) => Property::IrrevocableStatus,
            LocalViolation::Late => match self.algorithm {
                Some(algorithm) if algorithm.ending == Ending::Silent => Property::SilentEnding,
                _ => return None,
            },
        };
        self.requires(property).then(|| Broken::new(property, violation.words(node)))
    }

    /// What a configuration breaks.
    pub(crate) fn at(
        &self,
        configuration: &Configuration,
        automaton: &Automaton<P>,
        model: &Model<'_>,
        last: bool,
    ) -> Option<Broken> {
        let mut leaders = leaders(configuration, automaton);
        let leader = leaders.next();
        if self.requires(Property::AtMostOneLeader)
            && let (Some(first), Some(second)) = (leader, leaders.next())
        {
            return Some(Broken::new(
                Property::AtMostOneLeader,
                format!("processes {first} and {second} are both leaders"),
            ));
        }
        let own = |(name, holds): &Own<'_, P>| {
            let snapshot = Snapshot::new(configuration, automaton, model);
            (!holds(&snapshot)).then(|| Broken {
                property: Cow::Owned((*name).to_owned()),
                detail: "the configuration does not have this property".to_owned(),
            })
        };
        if let broken @ Some(_) = self.always.iter().find_map(own) {
            return broken;
        }
        if !last {
            return None;
        }
        self.at_the_end(configuration, automaton, model, leader)
            .or_else(|| self.finally.iter().find_map(own))
    }

    fn at_the_end(
        &self,
        configuration: &Configuration,
        automaton: &Automaton<P>,
        model: &Model<'_>,
        leader: Option<usize>,
    ) -> Option<Broken> {
        let ids = &model.instance.ids;
        let alive = || alive(configuration, automaton);
        let wait = alive().filter(|(_, view)| view.stage != Lifecycle::Halted);
        let waiting = wait.map(|(node, _)| node.to_string()).collect::<Vec<_>>().join(", ");
        let Some(leader) = leader else {
            return self.requires(Property::ExactlyOneLeader).then(|| {
                let detail = if waiting.is_empty() {
                    "all have halted and there is no leader".to_owned()
                } else {
                    format!("deadlock: there is no leader, and {waiting} wait for ever")
                };
                Broken::new(Property::ExactlyOneLeader, detail)
            });
        };
        let wins = ids[leader];
        // Of the algorithms of the catalogue all tell everyone; others may leave it open.
        let knows = |named: Option<Id>| match named {
            Some(named) => named == wins,
            None => self.algorithm.is_none(),
        };
        if self.requires(Property::Agreement)
            && let Some((node, view)) = alive().find(|(_, view)| !knows(view.leader))
        {
            let named = view.leader.map_or("nobody".to_owned(), |id| id.to_string());
            let detail = format!("process {node} names {named}, but the leader is {wins}");
            return Some(Broken::new(Property::Agreement, detail));
        }
        if self.requires(Property::EveryoneHalted) && !waiting.is_empty() {
            let detail = format!("deadlock: {waiting} wait for ever");
            return Some(Broken::new(Property::EveryoneHalted, detail));
        }
        let processes = || ids.iter().zip(&configuration.locals);
        let woke = processes().map(|(&id, &local)| (id, automaton.view(local).woke));
        if self.requires(Property::WinnerByRule)
            && let Some(algorithm) = self.algorithm
            && let Some(must) = algorithm.rule.winner(woke)
            && must != wins
        {
            let rule = algorithm.rule.words();
            let detail = format!("{wins} has won, but the {rule} is {must}");
            return Some(Broken::new(Property::WinnerByRule, detail));
        }
        None
    }
}

/// The processes that have not crashed, by number.
fn alive<'a, P: Process>(
    configuration: &'a Configuration,
    automaton: &'a Automaton<P>,
) -> impl Iterator<Item = (usize, &'a Observation)> {
    let views = configuration.locals.iter().map(|&local| automaton.view(local));
    views.enumerate().filter(|(_, view)| view.stage != Lifecycle::Crashed)
}

/// Those of them that lead.
pub(crate) fn leaders<'a, P: Process>(
    configuration: &'a Configuration,
    automaton: &'a Automaton<P>,
) -> impl Iterator<Item = usize> {
    let leads = |(_, view): &(usize, &Observation)| view.status == Status::Leader;
    alive(configuration, automaton).filter(leads).map(|(node, _)| node)
}
