//! What can happen in a configuration.

use super::{
    Explorer,
    configuration::{Broken, Configuration, pending},
    order::may_ring,
    tables::{Input, Tables},
};
use std::fmt;
use suffrage_process::recovery::{Command, Memory, Office, Peer, Recoverable};

/// Something that happens to a participant. It is an input, and which of its outcomes comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub(super) to: Peer,
    pub(super) input: Input,
}

/// A configuration that a step leads to, or the promise that it breaks.
pub(super) type Next = (Step, Result<Configuration, Broken>);

/// All that can happen, with what comes of it. What changes nothing is left out, and so is what is
/// beyond the budget.
pub(super) fn successors<P: Recoverable>(
    explorer: &Explorer<P>,
    tables: &Tables<P>,
    here: &Configuration,
    found: &mut Vec<Next>,
) {
    found.clear();
    let peers = || (0..explorer.peers).map(Peer);
    let is_up = |peer: Peer| tables.locals.get(here.locals[peer.0 as usize]).up.is_some();
    let up: Vec<bool> = peers().map(is_up).collect();
    let mut go = |step: Step, from: &Configuration| {
        let local = from.locals[step.to.0 as usize];
        for outcome in &*tables.react(explorer, step.to, local, step.input) {
            let mut next = from.clone();
            match next.react(explorer, tables, step.to, outcome) {
                Ok(true) if next == *here => {}
                Ok(true) => found.push((step, Ok(next))),
                Ok(false) => {}
                Err(broken) => found.push((step, Err(broken))),
            }
        }
    };
    for &parcel in &here.sent {
        let to = tables.parcels.get(parcel).to;
        if up.get(to.0 as usize) == Some(&true) {
            go(Step { to, input: Input::Receive(parcel) }, here);
        }
    }
    if here.rest.budget.rings > 0 {
        for at in may_ring(&here.pending, explorer.setting.clocks, pending) {
            let mut rung = here.clone();
            let alarm = rung.pending.remove(at);
            rung.rest.budget.rings -= 1;
            rung.settle(explorer.setting.clocks);
            go(Step { to: alarm.of, input: Input::Ring(alarm.name) }, &rung);
        }
    }
    for peer in peers() {
        let mut then = here.clone();
        if up[peer.0 as usize] {
            if here.rest.budget.crashes > 0 {
                then.rest.budget.crashes -= 1;
                then.bury(peer, explorer.setting.clocks);
                go(Step { to: peer, input: Input::Crash }, &then);
            }
        } else {
            go(Step { to: peer, input: Input::Start(Memory::Kept) }, &then);
            if here.rest.budget.lost_records > 0 {
                then.rest.budget.lost_records -= 1;
                go(Step { to: peer, input: Input::Start(Memory::Lost) }, &then);
            }
        }
    }
    for (index, &work) in here.rest.works.iter().enumerate() {
        let (to, office) = (work.of, work.office);
        let held = here.holds(tables, to, office).filter(|&(term, _)| term == work.term);
        if held.is_none_or(|(_, stopping)| stopping) {
            let mut stopped = here.clone();
            stopped.rest.works.remove(index);
            let command = Command::Stopped { office, term: work.term };
            go(Step { to, input: Input::Command(command) }, &stopped);
        } else if here.rest.budget.departures > 0 {
            let mut leaving = here.clone();
            leaving.rest.budget.departures -= 1;
            let resign = Command::Resign { office };
            go(Step { to, input: Input::Command(resign) }, &leaving);
            for other in peers().filter(|&other| other != to && explorer.stands(other)) {
                let transfer = Command::Transfer { office, to: other };
                go(Step { to, input: Input::Command(transfer) }, &leaving);
            }
        }
    }
}

/// A step in words.
pub(super) fn words<P: Recoverable>(step: Step, tables: &Tables<P>) -> String {
    let to = Member(step.to);
    match step.input {
        Input::Start(Memory::Lost) => format!("{to} comes up without its record"),
        Input::Start(_) => format!("{to} comes up with its record"),
        Input::Receive(parcel) => {
            let parcel = tables.parcels.get(parcel);
            format!("{to} gets {:?} from {}", parcel.msg, Member(parcel.from))
        }
        Input::Ring(name) => format!("{to}'s alarm {:?} rings", tables.names.get(name)),
        Input::Command(Command::Stopped { office, term }) => {
            format!("{to}'s work in {} of term {} has stopped", Room(office), term.0)
        }
        Input::Command(Command::Transfer { office, to: other }) => {
            format!("{to} is told to hand {} over to {}", Room(office), Member(other))
        }
        Input::Command(command) => format!("{to} is told to {command:?}"),
        Input::Crash => format!("{to} crashes"),
    }
}

struct Member(Peer);

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "participant {}", self.0.0)
    }
}

struct Room(Office);

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "office {}", self.0.0)
    }
}
