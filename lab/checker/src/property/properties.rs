//! The interface of a specification to the checker, independent of the algorithm.

use crate::{
    chance::Cycles,
    model::{
        Model,
        automaton::{Automaton, LocalViolation, Observation},
        configuration::Configuration,
    },
};
use suffrage_algorithms::{Claims, Ended, Ending, FinalState, Property, Violation, judge};
use suffrage_model::{NetworkClass, Stage, Status, Timing};

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

    fn violated_anywhere(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
    ) -> Option<Violation>;

    fn violated_at_the_end(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
    ) -> Option<Violation>;
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

    pub(crate) fn broken_by(&self, fault: LocalViolation, node: u16) -> Option<Violation> {
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

    pub(crate) fn at(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
        last: bool,
    ) -> Option<Violation> {
        let mut leaders = leaders(configuration, automaton);
        if self.requires(Property::AtMostOneLeader)
            && let (Some(first), Some(second)) = (leaders.next(), leaders.next())
        {
            return Some(Violation::two_leaders(first as u32, second as u32));
        }
        if let broken @ Some(_) = self.violated_anywhere(configuration, automaton, model) {
            return broken;
        }
        if !last {
            return None;
        }
        self.judge(configuration, automaton, model)
            .or_else(|| self.violated_at_the_end(configuration, automaton, model))
    }

    /// Returns the required property that a terminal configuration violates. Messages and time are
    /// judged where they are counted.
    fn judge(
        &self,
        configuration: &Configuration,
        automaton: &Automaton,
        model: &Model<'_>,
    ) -> Option<Violation> {
        if self.held_to().required.is_empty() {
            return None;
        }
        let instance = model.instance;
        let ended = Ended {
            nodes: instance.wiring.nodes().into(),
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
        let violations = judge(self.claims(), &ended).violations;
        violations.into_iter().find(|violation| self.requires(violation.property))
    }
}

fn alive<'a>(
    configuration: &'a Configuration,
    automaton: &'a Automaton,
) -> impl Iterator<Item = (usize, &'a Observation)> {
    let views = configuration.locals.iter().map(|&local| automaton.view(local));
    views.enumerate().filter(|(_, view)| view.stage != Stage::Crashed)
}

pub(crate) fn leaders<'a>(
    configuration: &'a Configuration,
    automaton: &'a Automaton,
) -> impl Iterator<Item = usize> {
    let leads = |(_, view): &(usize, &Observation)| view.status == Status::Leader;
    alive(configuration, automaton).filter(leads).map(|(node, _)| node)
}
