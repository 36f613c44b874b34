//! Executions: the actions of an election, in order.

use crate::{
    instance::{Instance, Wake},
    model::{
        Transition, TransitionSystem, automaton::Automaton, configuration::GlobalState,
        processes::LocalInput,
    },
};
use suffrage_model::{Action, Stage};

/// An execution of an election, or a prefix of one, with everything that is needed to replay it.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The election. Where processes wake [or never do](Wake::AnyTimeOrNever), those that have woken are its
    /// initiators.
    pub instance: Instance,
    /// The actions, in order.
    pub moves: Vec<Action>,
    /// The tick of each action, where processes run in rounds; elsewhere, where there is no time, its number from 1 on.
    pub ticks: Vec<u64>,
    /// The results of random choices, in the order in which they are made.
    pub coins: Vec<u32>,
    /// The number of actions before the loop: the actions that lead back to the same configuration,
    /// and can be repeated without end. `None` if there is no loop.
    pub loop_start: Option<usize>,
}

impl Execution {
    /// Returns the actions with their [ticks](Self::ticks), as a recording has them.
    pub fn timed(&self) -> impl Iterator<Item = (u64, Action)> {
        self.ticks.iter().copied().zip(self.moves.iter().copied())
    }

    /// Creates the execution that takes these steps from the initial configuration. Takes time
    /// linear in their number, and in the number of links for each.
    pub(crate) fn new(
        model: &TransitionSystem<'_>,
        automaton: &mut Automaton,
        steps: &[Transition],
    ) -> Self {
        let mut here = model.first(automaton);
        let mut sent = SentMessages { links: vec![Vec::new(); model.links.len()] };
        let (mut moves, mut ticks, mut coins) = (Vec::new(), Vec::new(), Vec::new());
        let mut tick = 0;
        for &step in steps {
            let next = match step {
                Transition::Tick => {
                    tick += u64::from(model.ticks(&here, automaton));
                    model.apply(step, &mut here, automaton);
                    sent.catch_up(&here);
                    continue;
                }
                Transition::Lose(link) => {
                    sent.links[usize::from(link)].remove(0);
                    Action::Lose { to: model.links.to(link.into()) }
                }
                Transition::Double(link) => {
                    let messages = &mut sent.links[usize::from(link)];
                    messages.insert(0, messages[0]);
                    Action::Duplicate { to: model.links.to(link.into()) }
                }
                Transition::React(node, effect) => {
                    let effect = automaton.effect(effect);
                    coins.extend(effect.coins.iter().copied());
                    let number = u32::from(node);
                    match effect.input {
                        LocalInput::Wake => Action::Wake(number),
                        LocalInput::Alarm => Action::Alarm(number),
                        LocalInput::Crash => Action::Crash(number),
                        LocalInput::Deliver(port, msg) => {
                            let link = model.links.entering(node.into(), port.into());
                            let to = model.links.to(link);
                            Action::Deliver { to, overtakes: sent.take(link, msg) }
                        }
                    }
                }
            };
            moves.push(next);
            ticks.push(if here.round.is_some() { tick } else { moves.len() as u64 });
            model.apply(step, &mut here, automaton);
            if let Transition::React(node, effect) = step {
                let sends = automaton.sends(automaton.effect(effect));
                for &(port, msg) in sends {
                    sent.add(model.links.leaving(node.into(), port.into()), msg, &here);
                }
            }
            sent.catch_up(&here);
        }
        Self { instance: instance(model, &here, automaton), moves, ticks, coins, loop_start: None }
    }
}

/// Returns the instance of an execution that ends in this configuration: where initiators wake or never do,
/// those that have woken are the initiators, or, if all others have crashed before, those that have.
fn instance(model: &TransitionSystem<'_>, end: &GlobalState, automaton: &Automaton) -> Instance {
    let mut instance = model.instance.clone();
    if instance.wake == Wake::AnyTimeOrNever {
        instance.wake = Wake::AnyTime;
        let woken = model.woken(end, automaton);
        let sleeps = |node: u32| automaton.view(end.locals[node as usize]).stage == Stage::Asleep;
        let (all, some) = (instance.initiators.iter().copied(), woken > 0);
        let count = |node: &u32| if some { woken >> node & 1 == 1 } else { !sleeps(*node) };
        let counted: Vec<u32> = all.filter(count).collect();
        if !counted.is_empty() {
            instance.initiators = counted;
        }
    }
    instance
}

/// The messages on each link in the order of sending, which configurations without FIFO do not
/// record.
struct SentMessages {
    links: Vec<Vec<u32>>,
}

impl SentMessages {
    /// Removes the first message of this number from a link. Returns the number of messages before
    /// it.
    fn take(&mut self, link: usize, msg: u32) -> u32 {
        let at = self.links[link].iter().position(|&other| other == msg).unwrap_or(0);
        self.links[link].remove(at);
        at as u32
    }

    /// Adds a message that a process has just sent, unless it waits for room or is lost.
    fn add(&mut self, link: usize, msg: u32, here: &GlobalState) {
        let now = here.queues[link].iter().filter(|token| token.msg == msg).count();
        if self.links[link].iter().filter(|&&other| other == msg).count() < now {
            self.links[link].push(msg);
        }
    }

    /// Adds the messages that are on the links and were not before.
    fn catch_up(&mut self, here: &GlobalState) {
        for (before, now) in self.links.iter_mut().zip(&here.queues) {
            if now.is_empty() {
                before.clear(); // Its receiver may have crashed.
            }
            let mut old = before.clone();
            for token in now {
                match old.iter().position(|&msg| msg == token.msg) {
                    Some(at) => drop(old.remove(at)),
                    None => before.push(token.msg),
                }
            }
        }
    }
}
