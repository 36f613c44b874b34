//! The independence of a delivery of everything that may reach the process before it.

use crate::model::{automaton::Automaton, processes::LocalInput};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The inputs that may reach a process before a certain delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PendingInputs {
    /// The messages on the links to some ports, in order.
    pub queues: Vec<(u16, Vec<u32>)>,
    /// Messages that may be received through ports after those in the queues, each with whether it
    /// may be received more than once.
    pub later: Vec<(u16, u32, bool)>,
}

/// A cache of answers, which depend on the process only.
#[derive(Default)]
pub(crate) struct Independence {
    known: FxHashMap<Question, Answer>,
}

/// A local state, the delivery, and what may come before it.
type Question = (u32, LocalInput, PendingInputs);

/// The local states in between, if the delivery is independent.
type Answer = Option<Rc<[u32]>>;

/// The maximum number of pairs of a local state and a position in the inbox that are visited.
/// Beyond it, the delivery counts as dependent.
const LONGEST: usize = 1 << 12;

impl Independence {
    /// Returns the local states through which a process may pass before a delivery, if it sends
    /// nothing in any of them and the delivery commutes with every input there. Takes time linear
    /// in the number of interleavings of the inbox, up to a limit.
    pub(crate) fn before(
        &mut self,
        automaton: &mut Automaton,
        local: u32,
        message: LocalInput,
        inbox: PendingInputs,
    ) -> Answer {
        let question = (local, message, inbox);
        if let Some(answer) = self.known.get(&question) {
            return answer.clone();
        }
        let answer = follow(automaton, local, message, &question.2).map(Rc::from);
        self.known.insert(question, answer.clone());
        answer
    }
}

fn follow(
    automaton: &mut Automaton,
    local: u32,
    message: LocalInput,
    inbox: &PendingInputs,
) -> Option<Vec<u32>> {
    automaton.quiet(local, message)?;
    // The number of messages taken from each queue, and of each of the later ones.
    let mut open = vec![(local, vec![0_usize; inbox.queues.len() + inbox.later.len()])];
    let mut seen: FxHashSet<_> = open.iter().cloned().collect();
    let (mut inputs, mut after_sending, mut moving) = (Vec::new(), Vec::new(), Vec::new());
    while let Some((here, taken)) = open.pop() {
        if seen.len() > LONGEST {
            return None;
        }
        inbox.next(&taken, &mut inputs);
        if automaton.view(here).alarm {
            inputs.push((None, LocalInput::Alarm));
        }
        for &(place, input) in &inputs {
            let after = automaton.quiet(here, input)?;
            let last = automaton.only(after, message)?;
            let first = automaton.only(here, message)?;
            let second = automaton.only(automaton.effect(first).to, input)?;
            let [last, first, second] = [last, first, second].map(|of| automaton.effect(of));
            let sent = |of| automaton.sends(of);
            if last.to != second.to {
                return None;
            }
            if sent(first).is_empty() {
                if sent(last) != sent(second) {
                    return None;
                }
            } else if sent(last) != sent(first) || !sent(second).is_empty() {
                return None;
            } else {
                after_sending.push(input);
            }
            if after != here {
                moving.push(input);
            }
            let mut taken = taken.clone();
            if let Some(place) = place {
                taken[place] += 1;
            }
            if seen.insert((after, taken.clone())) {
                open.push((after, taken));
            }
        }
    }
    if after_sending.iter().any(|input| moving.contains(input)) {
        return None;
    }
    let mut states: Vec<u32> = seen.into_iter().map(|(local, _)| local).collect();
    states.sort_unstable();
    states.dedup();
    Some(states)
}

impl PendingInputs {
    /// Finds the inputs that may come next, each with the place in the inbox from which it is
    /// taken.
    fn next(&self, taken: &[usize], inputs: &mut Vec<(Option<usize>, LocalInput)>) {
        inputs.clear();
        for (place, (port, queue)) in self.queues.iter().enumerate() {
            let first = queue.get(taken[place]);
            inputs.extend(first.map(|&msg| (Some(place), LocalInput::Deliver(*port, msg))));
        }
        for (place, &(port, msg, again)) in (self.queues.len()..).zip(&self.later) {
            let behind = self.queues.iter().zip(taken);
            let waits = |((of, queue), taken): (&(u16, Vec<u32>), &usize)| {
                *of == port && *taken < queue.len()
            };
            if !behind.into_iter().any(waits) && (again || taken[place] == 0) {
                inputs.push(((!again).then_some(place), LocalInput::Deliver(port, msg)));
            }
        }
    }
}
