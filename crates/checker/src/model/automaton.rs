//! Tables of reactions: what each local state does with each input, computed once.
//!
//! A reaction of a process depends on its own state and on what happens to it, and on nothing else.
//! In a state space of millions there are some hundreds of local states; each reaction is computed
//! the first time that it is needed, and looked up ever after.

use crate::model::interner::Interner;
use rustc_hash::FxHashMap;
use std::ops::Range;
use suffrage_process::{Id, Message, Net, Port, Process, Stage, Status};

/// A local state: a process and what the engine keeps about it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct LocalState<P> {
    pub process: P,
    pub degree: u32,
    pub stage: Stage,
    /// Whether it woke spontaneously.
    pub woke: bool,
    /// Whether an alarm is set.
    pub alarm: bool,
}

/// An input of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    Wake,
    Alarm,
    Crash,
    /// This message arrives through this port.
    Deliver(u16, u32),
}

/// The effect of an input: one of several if the process makes random choices.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub input: Input,
    /// The local state after it.
    pub to: u32,
    sends: Range<u32>,
    /// The property that the reaction violates, if any.
    pub fault: Option<LocalViolation>,
    /// The results of the random choices.
    pub coins: Box<[u32]>,
}

/// A violation by a single reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalViolation {
    /// It rejects a message, for this reason.
    Rejected(&'static str),
    /// It changes its decision from the first status to the second.
    Revoked(Status, Status),
    /// It sends through a port that it does not have.
    NoSuchPort { port: u32, degree: u32 },
    /// The process had halted: the message is dropped.
    Late,
}

/// The local states, messages and reactions that have occurred.
pub(crate) struct Automaton<P: Process> {
    locals: Interner<LocalState<P>>,
    messages: Interner<P::Msg>,
    reactions: FxHashMap<(u32, Input), u32>,
    /// For each reaction, the local state before it and the range of its effects.
    table: Vec<(u32, Range<u32>)>,
    effects: Vec<Effect>,
    sends: Vec<(u16, u32)>,
    views: Vec<Observation>,
}

/// The observable part of a local state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation {
    pub stage: Stage,
    pub status: Status,
    pub leader: Option<Id>,
    pub woke: bool,
    pub alarm: bool,
}

impl<P: Process> Default for Automaton<P> {
    fn default() -> Self {
        Self {
            locals: Interner::default(),
            messages: Interner::default(),
            reactions: FxHashMap::default(),
            table: Vec::new(),
            effects: Vec::new(),
            sends: Vec::new(),
            views: Vec::new(),
        }
    }
}

impl<P: Process> Automaton<P> {
    /// The number of a local state.
    pub(crate) fn local(&mut self, local: LocalState<P>) -> u32 {
        let view = Observation {
            stage: local.stage,
            status: local.process.status(),
            leader: local.process.leader(),
            woke: local.woke,
            alarm: local.alarm,
        };
        let number = self.locals.number(local);
        if number as usize == self.views.len() {
            self.views.push(view);
        }
        number
    }

    /// The number of the local state of a process to which nothing has happened.
    pub(crate) fn fresh(&mut self, process: P, degree: u32) -> u32 {
        self.local(LocalState { process, degree, stage: Stage::Asleep, woke: false, alarm: false })
    }

    pub(crate) fn get(&self, local: u32) -> &LocalState<P> {
        self.locals.get(local)
    }

    pub(crate) fn view(&self, local: u32) -> &Observation {
        &self.views[local as usize]
    }

    pub(crate) fn message(&self, number: u32) -> &P::Msg {
        self.messages.get(number)
    }

    /// The number of a message.
    pub(crate) fn number(&mut self, message: P::Msg) -> u32 {
        self.messages.number(message)
    }

    pub(crate) fn locals(&self) -> usize {
        self.locals.len()
    }

    pub(crate) fn effects(&self) -> usize {
        self.effects.len()
    }

    pub(crate) fn effect(&self, number: u32) -> &Effect {
        &self.effects[number as usize]
    }

    /// The messages that an effect sends, by port, in order.
    pub(crate) fn sends(&self, effect: &Effect) -> &[(u16, u32)] {
        &self.sends[effect.sends.start as usize..effect.sends.end as usize]
    }

    /// The local state before a reaction, and the range of its effects.
    pub(crate) fn reaction(&self, number: u32) -> (u32, Range<u32>) {
        self.table[number as usize].clone()
    }

    /// Whether an input is a no-op for a running process.
    pub(crate) fn ignores(&mut self, local: u32, input: Input) -> bool {
        self.quiet(local, input) == Some(local) && self.view(local).stage == Stage::Running
    }

    /// The effect of an input, if there is only one, and it violates no property.
    pub(crate) fn only(&mut self, local: u32, input: Input) -> Option<u32> {
        let reaction = self.react(local, input);
        let (_, effects) = self.reaction(reaction);
        let first = effects.start;
        (effects.len() == 1 && self.effect(first).fault.is_none()).then_some(first)
    }

    /// The local state after an input, if its effect is the only one, violates no property and
    /// sends nothing.
    pub(crate) fn quiet(&mut self, local: u32, input: Input) -> Option<u32> {
        let effect = self.only(local, input)?;
        let effect = self.effect(effect);
        effect.sends.is_empty().then_some(effect.to)
    }

    /// The number of a reaction. Computes it if it is new.
    pub(crate) fn react(&mut self, local: u32, input: Input) -> u32 {
        match self.reactions.get(&(local, input)) {
            Some(&reaction) => reaction,
            None => self.find_out(local, input),
        }
    }

    #[cold]
    fn find_out(&mut self, local: u32, input: Input) -> u32 {
        let first = self.effects.len() as u32;
        // Every way in which the lots may fall, the last one drawn varying fastest.
        let mut coins: Vec<(u32, u32)> = Vec::new();
        loop {
            self.perform(local, input, &mut coins);
            while coins.last().is_some_and(|&(coin, max)| coin == max) {
                coins.pop();
            }
            let Some((coin, _)) = coins.last_mut() else { break };
            *coin += 1;
        }
        let number = self.table.len() as u32;
        self.table.push((local, first..self.effects.len() as u32));
        self.reactions.insert((local, input), number);
        number
    }

    fn perform(&mut self, from: u32, input: Input, coins: &mut Vec<(u32, u32)>) {
        let mut local = self.locals.get(from).clone();
        let before = local.process.status();
        let mut net = Outbox {
            degree: local.degree,
            sent: Vec::new(),
            coins,
            drawn: 0,
            alarm: None,
            rejected: None,
            missing: None,
        };
        let mut late = false;
        match input {
            Input::Crash => local.stage = Stage::Crashed,
            _ if local.stage == Stage::Halted => late = true,
            Input::Wake => {
                local.woke = true;
                local.process.wake(&mut net);
            }
            Input::Alarm => {
                local.alarm = false;
                local.process.alarm(&mut net);
            }
            Input::Deliver(port, msg) => {
                let msg = *self.messages.get(msg);
                local.process.receive(Port(port.into()), msg, &mut net);
            }
        }
        let Outbox { sent, coins, rejected, alarm, missing, degree, .. } = net;
        if !matches!(local.stage, Stage::Crashed | Stage::Halted) {
            let halted = local.process.halted();
            local.stage = if halted { Stage::Halted } else { Stage::Running };
            local.alarm = !halted && alarm.unwrap_or(local.alarm);
        }
        let after = local.process.status();
        let missing = missing.map(|port| LocalViolation::NoSuchPort { port, degree });
        let fault = match rejected {
            _ if missing.is_some() => missing,
            Some(why) => Some(LocalViolation::Rejected(why)),
            None if before != Status::Undecided && after != before => {
                Some(LocalViolation::Revoked(before, after))
            }
            None => late.then_some(LocalViolation::Late),
        };
        let coins = coins.iter().map(|&(coin, _)| coin).collect();
        let first = self.sends.len() as u32;
        for (port, msg) in sent {
            let number = self.messages.number(msg);
            self.sends.push((port, number));
        }
        let to = self.local(local);
        let sends = first..self.sends.len() as u32;
        self.effects.push(Effect { input, to, sends, fault, coins });
    }

    /// The kind of a message, as an index.
    pub(crate) fn kind(&self, message: u32) -> usize {
        self.messages.get(message).kind()
    }
}

/// Collects the effect of a reaction.
struct Outbox<'c, M> {
    degree: u32,
    sent: Vec<(u16, M)>,
    /// The random choices so far, each with its largest result.
    coins: &'c mut Vec<(u32, u32)>,
    drawn: usize,
    alarm: Option<bool>,
    rejected: Option<&'static str>,
    /// The first port that does not exist through which it sends.
    missing: Option<u32>,
}

impl<M: Message> Net<M> for Outbox<'_, M> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: M) {
        match to.0 < self.degree {
            true => self.sent.push((to.0 as u16, msg)),
            false => drop(self.missing.get_or_insert(to.0)),
        }
    }

    fn choose(&mut self, max: u32) -> u32 {
        if self.drawn == self.coins.len() {
            self.coins.push((0, max));
        }
        self.drawn += 1;
        self.coins[self.drawn - 1].0
    }

    fn set_alarm(&mut self, _: u32) {
        self.alarm = Some(true);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}
