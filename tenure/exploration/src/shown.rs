//! An execution as events, for who watches it.

use super::{
    configuration::ClusterConfiguration,
    step::ExplorationStep,
    tables::{LocalState, StepInput, Tables},
};
use std::collections::BTreeMap;
use tenure_model::{Office, OfficeTenure, Peer, Recoverable, Term};
use tenure_simulation::{ClusterEvent, Nanos, SimulationWatch};

/// Shows an execution step by step.
pub(super) struct ShownExecution<'a, 'b, P: Recoverable> {
    tables: &'a Tables<'a, P>,
    watch: &'b mut dyn SimulationWatch<P>,
    /// The number of the step, from 1 on.
    at: Nanos,
    held: BTreeMap<(Peer, Office), Term>,
}

impl<'a, 'b, P: Recoverable> ShownExecution<'a, 'b, P> {
    /// Shows who comes up at the beginning; all of them do so in one step.
    pub(super) fn begin(
        tables: &'a Tables<'a, P>,
        watch: &'b mut dyn SimulationWatch<P>,
        first: &ClusterConfiguration,
    ) -> Self {
        let mut shown = Self { tables, watch, at: Nanos(0), held: BTreeMap::new() };
        let is_up = |&local: &u32| tables.locals.get(local).local.up.is_some();
        if !first.locals.iter().any(is_up) {
            return shown;
        }
        shown.at.0 += 1;
        for me in tables.explorer.participants() {
            let down = LocalState { me, up: None, cells: BTreeMap::new(), boots: 0 };
            let start = StepInput::Start(tables.explorer.first_memory());
            shown.reaction(tables.local(down), ExplorationStep::whole(me, start));
        }
        shown.holders(first);
        shown
    }

    /// Shows a step that leads from a configuration to another.
    pub(super) fn step(
        &mut self,
        here: &ClusterConfiguration,
        step: ExplorationStep,
        after: &ClusterConfiguration,
    ) {
        self.at.0 += 1;
        self.reaction(here.locals[step.to.0 as usize], step);
        self.holders(after);
    }

    /// Shows what happens to a participant in this state, and what it does.
    fn reaction(&mut self, local: u32, step: ExplorationStep) {
        let (tables, at, to) = (self.tables, self.at, step.to);
        let mut see = |event| self.watch.event(at, event);
        match step.input {
            StepInput::Start(memory) => see(ClusterEvent::Start(to, memory)),
            StepInput::Receive(parcel) => {
                let parcel = tables.parcels.get(parcel);
                see(ClusterEvent::Receive(parcel.from, to, &parcel.msg));
            }
            StepInput::Lose(parcel) => {
                let parcel = tables.parcels.get(parcel);
                return see(ClusterEvent::Lose(parcel.from, to, &parcel.msg));
            }
            StepInput::Ring(name) => see(ClusterEvent::Ring(to, tables.names.get(name).alarm, 0)),
            StepInput::Command(command) => see(ClusterEvent::Command(to, command)),
            StepInput::Crash => see(ClusterEvent::Crash(to)),
        }
        let outcome = &tables.react(local, step.input)[step.way];
        for &parcel in &outcome.sends {
            let parcel = tables.parcels.get(parcel);
            see(ClusterEvent::Send(to, parcel.to, &parcel.msg));
        }
        if let Some(why) = outcome.rejected {
            see(ClusterEvent::Rejects(to, why));
        }
        if step.crash.is_some() {
            see(ClusterEvent::Crash(to));
        }
        let LocalState { up, cells, .. } = &tables.locals.get(outcome.local).local;
        self.watch.state(at, to, up.as_ref(), cells);
    }

    /// Shows the tenures that have ended, and those that have begun.
    fn holders(&mut self, here: &ClusterConfiguration) {
        let explorer = self.tables.explorer;
        for peer in explorer.participants() {
            for office in explorer.all_offices() {
                let held = here.holds(self.tables, peer, office).map(|(term, _)| term);
                let known = self.held.get(&(peer, office)).copied();
                if held == known {
                    continue;
                }
                if let Some(term) = known {
                    self.held.remove(&(peer, office));
                    self.watch.event(self.at, ClusterEvent::Loses(peer, office, term));
                }
                if let Some((term, tenure)) = held.zip(self.tenure(here, peer, office)) {
                    self.held.insert((peer, office), term);
                    self.watch.event(self.at, ClusterEvent::Holds(peer, office, tenure));
                }
            }
        }
    }

    fn tenure(
        &self,
        here: &ClusterConfiguration,
        peer: Peer,
        office: Office,
    ) -> Option<OfficeTenure<P::Alarm>> {
        let local = self.tables.locals.get(here.locals[peer.0 as usize]);
        local.local.up.as_ref()?.tenure(office)
    }
}
