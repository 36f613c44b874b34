//! Tables of local states, messages and alarms, each stored once: a configuration is a few numbers.
//!
//! A reaction depends only on the state of its process and on its input, so it is computed once and
//! looked up afterwards.

use super::{
    Explorer,
    effects::RecordedEffects,
    history::ExploredHistory,
    interned::{Indices, InternTable},
    serials::{Serials, serials_of},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};
use tenure_model::{Cell, Command, Memory, Peer, Recoverable, Start, Term};

/// The state of a participant: the part that survives a crash, and the part that does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LocalState<P> {
    pub me: Peer,
    /// The process, if it is up.
    pub up: Option<P>,
    pub cells: BTreeMap<Cell, u64>,
    pub boots: u64,
}

/// What happens to a process.
pub(super) enum ProcessEvent<P: Recoverable> {
    Start(Memory),
    Receive(Peer, P::Msg),
    Ring(P::Alarm),
    Command(Command),
}

impl<P: Recoverable> LocalState<P> {
    /// Carries out an event; one that starts lets its application stand for every office. Nothing else
    /// happens to a process that is down.
    pub(super) fn react(
        &mut self,
        explorer: &Explorer<P>,
        event: ProcessEvent<P>,
        effects: &mut RecordedEffects<P>,
    ) {
        match (event, &mut self.up) {
            (ProcessEvent::Start(memory), up) => {
                if memory != Memory::Kept {
                    effects.cells.clear();
                }
                self.boots += 1;
                let start = Start { boot: self.boots, memory };
                let mut process = P::start(explorer.setting_of(self.me), start, effects);
                let stands = explorer.stands(self.me);
                for office in explorer.all_offices().filter(|_| stands) {
                    process.command(Command::Stand { office, priority: 0 }, effects);
                }
                *up = Some(process);
            }
            (_, None) => {}
            (ProcessEvent::Receive(from, msg), Some(up)) => up.receive(from, msg, effects),
            (ProcessEvent::Ring(alarm), Some(up)) => up.ring(alarm, effects),
            (ProcessEvent::Command(command), Some(up)) => up.command(command, effects),
        }
    }
}

/// A tenure: its term, the number of the name of the alarm that ends it, and whether the work is to
/// stop.
type Held = (Term, Option<u32>, bool);

/// A local state and the values that are read from it repeatedly.
#[derive(Clone, Debug)]
pub(super) struct KnownLocal<P> {
    pub local: LocalState<P>,
    /// The tenure of each office.
    pub tenures: Box<[Option<Held>]>,
    pub claim: Term,
    pub serials: Serials,
}

/// A message under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SentMessage<M> {
    pub from: Peer,
    pub to: Peer,
    pub msg: M,
    pub serials: Serials,
}

/// The name of an alarm, and its process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct AlarmName<A> {
    pub of: Peer,
    pub alarm: A,
    pub serials: Serials,
}

/// A pending alarm: the number of its name, and its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AlarmSetting {
    pub name: u32,
    pub ticks: u32,
}

/// An event that happens to a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum StepInput {
    Start(Memory),
    Receive(u32),
    /// The loss of a message, without effect on the participant.
    Lose(u32),
    /// The ringing of the alarm whose name has this number.
    Ring(u32),
    Command(Command),
    Crash,
}

/// The outcome of a reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReactionOutcome {
    /// The crash within the reaction, if the process crashes.
    pub crash: Option<Crash>,
    pub local: u32,
    /// The numbers of the messages sent, in order.
    pub sends: Vec<u32>,
    pub alarms: Vec<AlarmChange>,
    pub rejected: Option<&'static str>,
}

/// A crash within a reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crash {
    /// The number of messages that have left.
    pub sent: usize,
    /// Whether it comes after the writes of the reaction.
    pub wrote: bool,
}

/// A change that a reaction made to its alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlarmChange {
    /// The alarm of this number was set.
    Set(u32),
    /// The alarm whose name has this number was cancelled.
    Cancel(u32),
}

/// The reaction of a participant in a local state: one outcome for each way in which its coins
/// fall, and then, where crashes are explored, one for each crash within it.
type Reaction = Box<[ReactionOutcome]>;

/// All tables of an exploration.
pub(super) struct Tables<'a, P: Recoverable> {
    pub explorer: &'a Explorer<P>,
    pub locals: InternTable<KnownLocal<P>>,
    pub parcels: InternTable<SentMessage<P::Msg>>,
    pub names: InternTable<AlarmName<P::Alarm>>,
    pub alarms: InternTable<AlarmSetting>,
    pub histories: InternTable<ExploredHistory>,
    inputs: InternTable<StepInput>,
    reactions: Indices<(u32, u32), Reaction>,
    pub(super) renamed: Indices<super::serials::Renaming, u32>,
}

impl<P: PartialEq> PartialEq for KnownLocal<P> {
    fn eq(&self, other: &Self) -> bool {
        self.local == other.local
    }
}

impl<P: Eq> Eq for KnownLocal<P> {}

impl<P: Hash> Hash for KnownLocal<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.local.hash(state);
    }
}

impl<'a, P: Recoverable> Tables<'a, P> {
    pub(super) fn new(explorer: &'a Explorer<P>) -> Self {
        Self {
            explorer,
            locals: InternTable::new(),
            parcels: InternTable::new(),
            names: InternTable::new(),
            alarms: InternTable::new(),
            histories: InternTable::new(),
            inputs: InternTable::new(),
            reactions: Indices::new(),
            renamed: Indices::new(),
        }
    }

    pub(super) fn local(&self, mut local: LocalState<P>) -> u32 {
        let me = local.me;
        let tenure = |office| {
            let tenure = local.up.as_ref()?.tenure(office)?;
            let until = tenure.until.map(|alarm| self.name(me, alarm));
            Some((tenure.term, until, tenure.stopping))
        };
        let tenures = self.explorer.all_offices().map(tenure).collect();
        let serials = match &mut local.up {
            Some(up) => serials_of(|mut visit| up.serials(&mut visit)),
            None => Serials::default(),
        };
        let claim = local.up.as_ref().map_or(Term(0), P::greatest_claim);
        self.locals.number(KnownLocal { local, tenures, claim, serials })
    }

    pub(super) fn tenures(&self) -> BTreeSet<(usize, Term)> {
        let greatest = self.histories.iter().flat_map(|history| history.greatest.iter().copied());
        let offices = self.histories.iter().flat_map(|history| 0..history.greatest.len());
        offices.zip(greatest).filter(|&(_, term)| term > Term(0)).collect()
    }

    pub(super) fn parcel(&self, from: Peer, to: Peer, mut msg: P::Msg) -> u32 {
        let serials = serials_of(|mut visit| P::serials_of_message(from, to, &mut msg, &mut visit));
        self.parcels.number(SentMessage { from, to, msg, serials })
    }

    pub(super) fn name(&self, of: Peer, mut alarm: P::Alarm) -> u32 {
        let serials = serials_of(|mut visit| P::serials_of_alarm(of, &mut alarm, &mut visit));
        self.names.number(AlarmName { of, alarm, serials })
    }

    pub(super) fn ignores(&self, local: u32, parcel: u32) -> bool {
        let parcel = self.parcels.get(parcel);
        let up = self.locals.get(local).local.up.as_ref();
        up.is_some_and(|up| up.ignores(parcel.from, &parcel.msg))
    }

    pub(super) fn react(&self, local: u32, input: StepInput) -> &[ReactionOutcome] {
        // The kind of the input in the upper bits: messages and alarms have numbers already.
        let code = match input {
            StepInput::Receive(parcel) => parcel,
            StepInput::Ring(name) => 1 << 30 | name,
            other => 2 << 30 | self.inputs.number(other),
        };
        self.reactions.get_or_insert((local, code), || self.compute(local, input))
    }

    fn compute(&self, local: u32, input: StepInput) -> Reaction {
        let before = &self.locals.get(local).local;
        let mut coins = Vec::new();
        let (mut outcomes, mut crashes) = (Vec::new(), Vec::new());
        loop {
            let mut recording = RecordedEffects::new(&before.cells, coins);
            let local = self.apply(before, input, &mut recording);
            let arrives = |&&(to, _): &&(Peer, P::Msg)| self.explorer.arrives(before.me, to);
            let sent = recording.sent_before;
            let sent = sent.map(|sent| recording.sends[..sent].iter().filter(arrives).count());
            let outcome = self.outcome(local, &mut recording);
            if self.explorer.budget.crashes > 0 && input != StepInput::Crash {
                let none = BTreeMap::new();
                let lost = matches!(input, StepInput::Start(memory) if memory != Memory::Kept);
                let cells = if lost { &none } else { &before.cells };
                self.crashes_within(cells, &outcome, sent, &mut crashes);
            }
            outcomes.push(outcome);
            match recording.next_coins() {
                Some(next) => coins = next,
                None => break,
            }
        }
        outcomes.append(&mut crashes);
        outcomes.into()
    }

    /// Adds the outcomes of crashes within a reaction: each has a part of its effects, from the
    /// first one on. If the reaction has written, `sent` messages came before, when the cells were
    /// `before`.
    ///
    /// Where messages are in any order, those that do not leave are as good as lost, so that but
    /// one of these crashes is one before or after the reaction: the crash just before its first
    /// write.
    fn crashes_within(
        &self,
        before: &BTreeMap<Cell, u64>,
        outcome: &ReactionOutcome,
        sent: Option<usize>,
        crashes: &mut Vec<ReactionOutcome>,
    ) {
        let after = &self.locals.get(outcome.local).local;
        let mut crash = |sent: usize, wrote: bool| {
            let cells = if wrote { &after.cells } else { before };
            let local = LocalState { up: None, cells: cells.clone(), ..*after };
            let local = self.local(local);
            let sends = outcome.sends[..sent].to_vec();
            let alarms = Vec::new();
            let crash = Some(Crash { sent, wrote });
            crashes.push(ReactionOutcome { crash, local, sends, alarms, rejected: None });
        };
        let all = outcome.sends.len();
        match sent {
            Some(sent) if self.explorer.queued() => {
                (1..=sent).for_each(|sent| crash(sent, false));
                (sent..all).for_each(|sent| crash(sent, true));
            }
            Some(sent) if sent > 0 => crash(sent, false),
            None if self.explorer.queued() => (1..all).for_each(|sent| crash(sent, false)),
            _ => {}
        }
    }

    /// Carries out what happens to a participant; returns its state afterwards, without the cells.
    fn apply(
        &self,
        before: &LocalState<P>,
        input: StepInput,
        effects: &mut RecordedEffects<P>,
    ) -> LocalState<P> {
        let up = before.up.clone();
        let mut local =
            LocalState { me: before.me, up, cells: BTreeMap::new(), boots: before.boots };
        let event = match input {
            StepInput::Crash | StepInput::Lose(_) => {
                local.up = None;
                return local;
            }
            StepInput::Start(memory) => ProcessEvent::Start(memory),
            StepInput::Receive(parcel) => {
                let SentMessage { from, msg, .. } = *self.parcels.get(parcel);
                ProcessEvent::Receive(from, msg)
            }
            StepInput::Ring(name) => ProcessEvent::Ring(self.names.get(name).alarm),
            StepInput::Command(command) => ProcessEvent::Command(command),
        };
        local.react(self.explorer, event, effects);
        local
    }

    fn outcome(
        &self,
        mut local: LocalState<P>,
        recording: &mut RecordedEffects<P>,
    ) -> ReactionOutcome {
        let me = local.me;
        let sends = recording.sends.drain(..).filter(|&(to, _)| self.explorer.arrives(me, to));
        let sends = sends.map(|(to, msg)| self.parcel(me, to, msg)).collect();
        let alarms = recording.alarms.drain(..).map(|(alarm, ticks)| {
            let name = self.name(me, alarm);
            let set = |ticks| AlarmChange::Set(self.alarms.number(AlarmSetting { name, ticks }));
            ticks.map_or(AlarmChange::Cancel(name), set)
        });
        let alarms = alarms.collect();
        local.cells = std::mem::take(&mut recording.cells);
        let local = self.local(local);
        ReactionOutcome { crash: None, local, sends, alarms, rejected: recording.rejected }
    }
}
