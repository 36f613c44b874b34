//! The steps that are possible in a configuration.

use super::{
    UNLIMITED,
    configuration::{Broken, ClusterConfiguration},
    snapshot::Snapshot,
    tables::{Crash, ReactionOutcome, StepInput, Tables},
};
use tenure_model::{Command, Memory, Office, Peer, Recoverable};

/// A step: an input to a participant, and which of its outcomes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorationStep {
    pub(super) to: Peer,
    pub(super) input: StepInput,
    /// The crash of the participant within its reaction, if it crashes.
    pub(super) crash: Option<Crash>,
    /// The place of the outcome among those of the reaction.
    pub(super) way: usize,
}

impl ExplorationStep {
    pub(super) const fn whole(to: Peer, input: StepInput) -> Self {
        Self { to, input, crash: None, way: 0 }
    }
}

/// Receives the steps that are possible, each with its result.
pub(super) type Visit<'a> =
    &'a mut dyn FnMut(ExplorationStep, Result<&ClusterConfiguration, Broken>);

/// The steps from a configuration, with buffers for the resulting configurations.
pub(super) struct Successors<'a, P: Recoverable> {
    tables: &'a Tables<'a, P>,
    before: ClusterConfiguration,
    after: ClusterConfiguration,
    kept: ClusterConfiguration,
}

impl<'a, P: Recoverable> Successors<'a, P> {
    pub(super) fn new(tables: &'a Tables<'a, P>) -> Self {
        let room = || super::configuration::first(tables);
        Self { tables, before: room(), after: room(), kept: room() }
    }

    /// Visits all possible steps, with their results. Steps that change nothing or are beyond the
    /// budget are left out.
    pub(super) fn visit(&mut self, here: &ClusterConfiguration, visit: Visit<'_>) {
        self.deliveries(here, visit);
        self.rings(here, visit);
        let tables = self.tables;
        for to in tables.explorer.participants() {
            let mut start = |memory, lost| {
                self.before.clone_from(here);
                self.before.left.lost_records -= lost;
                self.take(here, ExplorationStep::whole(to, StepInput::Start(memory)), visit);
            };
            let local = &tables.locals.get(here.locals[to.0 as usize]).local;
            match &local.up {
                None if local.boots == 0 => start(tables.explorer.first_memory(), 0),
                None => {
                    start(Memory::Kept, 0);
                    if here.left.lost_records > 0 {
                        start(Memory::Lost, 1);
                    }
                }
                Some(_) if here.left.crashes > 0 => {
                    self.before.clone_from(here);
                    self.before.left.crashes -= 1;
                    self.before.bury(tables, to);
                    self.take(here, ExplorationStep::whole(to, StepInput::Crash), visit);
                }
                Some(_) => {}
            }
        }
        self.commands(here, visit);
        self.changes(here, visit);
    }

    /// Delivers a message, or loses it where losses are counted.
    fn deliveries(&mut self, here: &ClusterConfiguration, visit: Visit<'_>) {
        let tables = self.tables;
        for (at, &parcel) in here.net.iter().enumerate() {
            let to = tables.parcels.get(parcel).to;
            let overtakes = tables.explorer.queued() && at > 0;
            // The loss of a message can be postponed until it is the next.
            let down = !is_up(tables, here, to);
            if tables.explorer.queued() && at == 0 && (here.left.losses > 0 || down) {
                self.after.clone_from(here);
                self.after.net.remove(at);
                if !down && self.after.left.losses < UNLIMITED {
                    self.after.left.losses -= 1;
                }
                self.after.settle(tables);
                visit(ExplorationStep::whole(to, StepInput::Lose(parcel)), Ok(&self.after));
            }
            if down || overtakes && here.left.overtakings == 0 {
                continue;
            }
            let step = ExplorationStep::whole(to, StepInput::Receive(parcel));
            if here.left.duplicates > 0 {
                self.before.clone_from(here);
                self.before.left.overtakings -= u8::from(overtakes);
                if here.left.duplicates < UNLIMITED {
                    self.before.left.duplicates -= 1;
                }
                self.take(here, step, visit);
            }
            if here.left.duplicates < UNLIMITED {
                self.before.clone_from(here);
                self.before.left.overtakings -= u8::from(overtakes);
                self.before.net.remove(at);
                self.take(here, step, visit);
            }
        }
    }

    fn rings(&mut self, here: &ClusterConfiguration, visit: Visit<'_>) {
        let tables = self.tables;
        let overtakes = self.tables.explorer.queued() && !here.net.is_empty();
        if here.left.rings == 0 || overtakes && here.left.overtakings == 0 {
            return;
        }
        for at in here.pending.may_ring() {
            self.before.clone_from(here);
            self.before.left.rings -= 1;
            self.before.left.overtakings -= u8::from(overtakes);
            let name = tables.alarms.get(self.before.pending.remove(at)).name;
            let to = tables.names.get(name).of;
            self.take(here, ExplorationStep::whole(to, StepInput::Ring(name)), visit);
        }
    }

    /// Takes the steps of applications: that their work has stopped, or that they want to leave.
    fn commands(&mut self, here: &ClusterConfiguration, visit: Visit<'_>) {
        let tables = self.tables;
        let works = &tables.histories.get(here.history).works;
        for (index, &work) in works.iter().enumerate() {
            let (to, office) = (work.of, work.office);
            let held = here.holds(tables, to, office).filter(|&(term, _)| term == work.term);
            if held.is_none_or(|(_, stopping)| stopping) {
                self.before.clone_from(here);
                let mut history = tables.histories.get(here.history).clone();
                history.works.remove(index);
                self.before.history = tables.histories.number(history);
                let command = Command::Stopped { office, term: work.term };
                self.take(here, ExplorationStep::whole(to, StepInput::Command(command)), visit);
            } else if here.left.departures > 0 {
                let others = tables.explorer.participants();
                let others = others.filter(|&other| other != to && tables.explorer.stands(other));
                let transfers = others.map(|to| Command::Transfer { office, to });
                for command in transfers.chain([Command::Resign { office }]) {
                    self.before.clone_from(here);
                    self.before.left.departures -= 1;
                    self.take(here, ExplorationStep::whole(to, StepInput::Command(command)), visit);
                }
            }
        }
    }

    /// Takes the steps of operators who ask for other members.
    fn changes(&mut self, here: &ClusterConfiguration, visit: Visit<'_>) {
        let tables = self.tables;
        for &(to, members, roster) in
            tables.explorer.changes.iter().filter(|_| here.left.changes > 0)
        {
            if is_up(tables, here, to) {
                self.before.clone_from(here);
                self.before.left.changes -= 1;
                let command = StepInput::Command(Command::Reconfigure { members, roster });
                self.take(here, ExplorationStep::whole(to, command), visit);
            }
        }
    }

    /// Takes a step from `self.before`, to which everything before the reaction has been applied.
    fn take(&mut self, here: &ClusterConfiguration, step: ExplorationStep, visit: Visit<'_>) {
        let tables = self.tables;
        let local = self.before.locals[step.to.0 as usize];
        for (way, outcome) in tables.react(local, step.input).iter().enumerate() {
            if tables.explorer.reduced
                && !tables.explorer.queued()
                && matches!(step.input, StepInput::Receive(_))
                && changes_nothing(here, local, outcome)
            {
                continue;
            }
            let asks = matches!(step.input, StepInput::Command(Command::Reconfigure { .. }));
            if asks && outcome.rejected.is_some() {
                continue; // The operator is told that it cannot be now.
            }
            let step = ExplorationStep { crash: outcome.crash, way, ..step };
            self.after.clone_from(&self.before);
            if outcome.crash.is_some() {
                match self.after.left.crashes.checked_sub(1) {
                    Some(left) => self.after.left.crashes = left,
                    None => continue,
                }
                self.after.bury(tables, step.to);
            }
            let mut reacted = self.after.react(tables, step.to, outcome);
            if reacted == Ok(true) {
                reacted = self.after.deliver_at_once(tables);
            }
            if reacted == Ok(true)
                && let Some(judge) = &tables.explorer.judge
            {
                let after = Snapshot { tables, here: &self.after };
                let judged = judge(&Snapshot { tables, here }, step.to, &after);
                reacted = judged.map_err(|why| (None, why)).map(|()| true);
            }
            match reacted {
                Ok(true) => {}
                Ok(false) => continue,
                Err(broken) => {
                    visit(step, Err(broken));
                    continue;
                }
            }
            self.after.forget(tables);
            let room = match tables.explorer.budget.under_way {
                UNLIMITED => usize::MAX,
                room => room.into(),
            };
            if tables.explorer.queued() || self.after.net.len() <= room {
                self.after.settle(tables);
                if self.after != *here {
                    visit(step, Ok(&self.after));
                }
                continue;
            }
            // Any of them are lost, as few as necessary.
            let all = self.after.net.len();
            for mask in subsets(all, room) {
                self.kept.clone_from(&self.after);
                self.kept.net.clear();
                let kept = (0..all).filter(|i| mask >> i & 1 == 1).map(|i| self.after.net[i]);
                self.kept.net.extend(kept);
                self.kept.forget(tables);
                self.kept.settle(tables);
                if self.kept != *here {
                    visit(step, Ok(&self.kept));
                }
            }
        }
    }
}

/// Returns what a step makes of a configuration before its promises are checked; messages under way are as before.
pub(super) fn reacted<P: Recoverable>(
    tables: &Tables<'_, P>,
    here: &ClusterConfiguration,
    step: ExplorationStep,
) -> ClusterConfiguration {
    let mut after = here.clone();
    if let StepInput::Ring(rings) = step.input {
        after.pending.retain(|alarm| tables.alarms.get(alarm).name != rings);
    }
    if step.input == StepInput::Crash || step.crash.is_some() {
        after.bury(tables, step.to);
    }
    let local = here.locals[step.to.0 as usize];
    let _ = after.react(tables, step.to, &tables.react(local, step.input)[step.way]);
    after
}

fn is_up<P: Recoverable>(tables: &Tables<'_, P>, here: &ClusterConfiguration, peer: Peer) -> bool {
    tables.locals.get(here.locals[peer.0 as usize]).local.up.is_some()
}

/// Returns whether a delivery only takes the message from the network. The message can as well be
/// lost later.
fn changes_nothing(here: &ClusterConfiguration, local: u32, outcome: &ReactionOutcome) -> bool {
    outcome.local == local
        && outcome.rejected.is_none()
        && outcome.alarms.is_empty()
        && outcome.sends.iter().all(|parcel| here.net.binary_search(parcel).is_ok())
}

fn subsets(all: usize, few: usize) -> impl Iterator<Item = u64> {
    let end = 1_u64 << all;
    let next = |&set: &u64| {
        // The next greater number with the same number of bits (R. W. Gosper, HAKMEM 175, 1972).
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        (lowest != 0).then(|| carried | (((set ^ carried) >> 2) / lowest))
    };
    std::iter::successors(Some((1_u64 << few) - 1), next).take_while(move |&set| set < end)
}

/// Describes a step in words.
pub(super) fn words<P: Recoverable>(step: ExplorationStep, tables: &Tables<'_, P>) -> String {
    let member = |Peer(number): Peer| format!("participant {number}");
    let named = |Office(number): Office| format!("office {number}");
    let to = member(step.to);
    let what = match step.input {
        StepInput::Start(Memory::Lost) => format!("{to} comes up without its record"),
        StepInput::Start(_) => format!("{to} comes up with its record"),
        StepInput::Receive(parcel) => {
            let parcel = tables.parcels.get(parcel);
            format!("{to} gets {:?} from {}", parcel.msg, member(parcel.from))
        }
        StepInput::Lose(parcel) => {
            let parcel = tables.parcels.get(parcel);
            format!("{:?} from {} to {to} is lost", parcel.msg, member(parcel.from))
        }
        StepInput::Ring(name) => format!("{to}'s alarm {:?} rings", tables.names.get(name).alarm),
        StepInput::Command(Command::Stopped { office, term }) => {
            format!("{to}'s work in {} of term {} has stopped", named(office), term.0)
        }
        StepInput::Command(Command::Transfer { office, to: other }) => {
            format!("{to} is told to hand {} over to {}", named(office), member(other))
        }
        StepInput::Command(command) => format!("{to} is told to {command:?}"),
        StepInput::Crash => format!("{to} crashes"),
    };
    match step.crash {
        None => what,
        Some(Crash { sent, wrote }) => {
            let wrote = if wrote { "what it wrote is kept" } else { "nothing is written" };
            format!("{what}, and crashes after sending {sent} messages; {wrote}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::subsets;

    #[test]
    fn every_subset_comes_once() {
        assert_eq!(subsets(4, 2).collect::<Vec<_>>(), [3, 5, 6, 9, 10, 12]);
        assert_eq!(subsets(3, 3).collect::<Vec<_>>(), [7]);
        assert_eq!(subsets(3, 0).collect::<Vec<_>>(), [0]);
    }
}
