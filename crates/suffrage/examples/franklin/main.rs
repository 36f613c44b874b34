//! Franklin: on a ring without direction, a candidate beats both its neighbours or gives up.
//!
//! W. R. Franklin, "On an improved algorithm for decentralized extrema finding in circular
//! configurations of processors", *Communications of the ACM* 25(5), 1982, pp. 336-337.
//!
//! This example shows how to write an algorithm of one's own: here are its messages, its state, its
//! reactions and a table of what it costs, in `tests.rs` what it is held to. Run the one with
//! `cargo run --example franklin`, the other with `cargo test --example franklin`.
//!
//! # Assumes
//! A ring with FIFO links, whose port numbers say nothing about the direction; a process knows its
//! identity.
//!
//! # Idea
//! In each round an active process sends its identity both ways, and waits for the identities of
//! the nearest active processes on both sides. It stays active if its own is larger than both. A
//! passive process passes on what comes, and one that is reached before it wakes stays passive. One
//! that hears its own identity from both sides is alone, and leads.
//!
//! # Cost
//! At most `2 n floor(log2 k) + 2 n` messages for `k` initiators among `n` processes: `2 n` a round.
//! The `r`-th message on every link in either direction is one of round `r`, since a process passes
//! on or sends exactly one each way in each round, and links are FIFO. Of two neighbours among the
//! `a > 1` active processes of a round at most one stays active, so at most `a/2` do; the last round
//! has one. The announcement is flooded by `Announced`, and takes `2 n` more.
//!
//! # Deviations
//! A process waits for both sides even when the first has beaten it, and the winner does, too:
//! then nothing of the election is left under way, and the announcement ends it for all.
//!
//! # Invariants
//! - *largest-stays*: the largest initiator is active.
//! - *one-early*: while a round's identity is missing from one side, at most one identity of the
//!   next round has come from the other, since no process beyond can go on without this one.

use std::error::Error;
use suffrage::prelude::*;

#[cfg(test)]
mod tests;

/// The identity of an active process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Candidate(Id);

impl Message for Candidate {
    const KINDS: &'static [Kind] = &[Kind::election("candidate").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// Asleep, or beaten.
    Passive,
    Active,
    Leader,
}
use State::{Active, Leader, Passive};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Franklin {
    id: Id,
    state: State,
    /// What one side has said in this round, while the other has not.
    heard: Option<(Port, Id)>,
    /// What the same side has said for the next round.
    early: Option<Id>,
}

/// The other of the two ports.
const fn opposite(port: Port) -> Port {
    Port(1 - port.0)
}

impl Franklin {
    /// Both sides have spoken; this is the larger identity, and what is heard is the next round's.
    fn end_round(&mut self, larger: Id, net: &mut impl Net<Candidate>) {
        if larger < self.id {
            net.send_all(Candidate(self.id));
        } else if larger == self.id {
            self.state = Leader;
        } else {
            self.state = Passive;
            if let Some((side, id)) = self.heard.take() {
                net.send(opposite(side), Candidate(id)); // It came early: now it passes.
            }
        }
    }
}

impl Process for Franklin {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Candidate;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive, heard: None, early: None }
    }

    fn wake(&mut self, net: &mut impl Net<Candidate>) {
        self.state = Active;
        net.send_all(Candidate(self.id));
    }

    fn receive(&mut self, from: Port, msg: Candidate, net: &mut impl Net<Candidate>) {
        let Candidate(id) = msg;
        match (self.state, self.heard) {
            (Passive, _) => net.send(opposite(from), msg),
            (Active, None) => self.heard = Some((from, id)),
            (Active, Some((side, _))) if side == from => match self.early {
                None => self.early = Some(id),
                Some(_) => net.reject("no process is two rounds ahead of its neighbour"),
            },
            (Active, Some((side, other))) => {
                self.heard = self.early.take().map(|id| (side, id));
                self.end_round(id.max(other), net);
            }
            (Leader, _) => net.reject("both its messages have come home, and no other is left"),
        }
    }

    fn status(&self) -> Status {
        if self.state == Leader { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    /// The others pass messages on for ever: the announcement makes them followers, and ends them.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

/// What is claimed of the algorithm; the header has the proof of the bound. Every engine holds it to
/// this.
impl Claimed for Franklin {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestInitiator,
        problem: Problem::Implicit,
        election: Bound::at_most("2 n floor(log2 k) + 2 n", |s| {
            2 * s.nodes * (u64::from(s.initiators.ilog2()) + 1)
        }),
        announcement: Bound::exactly("0", |_| 0),
        time: None,
        ending: Ending::Silent,
    };
}

/// The algorithm with its announcement, as engines take it. `Announced` adds the announcement's
/// messages to the claims.
const FRANKLIN: Custom<Announced<Franklin>> = Custom::claimed("franklin");

/// Elects on rings of growing size, with random identities and port numbers, and checks every
/// schedule of small ones.
fn main() -> Result<(), Box<dyn Error>> {
    let claims = Announced::<Franklin>::CLAIMS;
    println!("{:>7} {:>9} {:>9} {:>7}", "n", "messages", "bound", "leader");
    for n in [1, 2, 10, 100, 1000, 10_000, 100_000] {
        let (wiring, ids) = (Wiring::ring_shuffled(n, 7), Ids::Random.assign(n, 7));
        let schedule = Schedule::Uniform(10);
        let outcome = Simulator::new(&FRANKLIN, &wiring, &ids).schedule(schedule).seed(7).run()?;
        for breach in &outcome.violations {
            println!("BROKEN: {breach}");
        }
        let nodes = u64::from(n);
        let bound = claims.bound(&Parameters::new(nodes, wiring.links(), nodes));
        let leader = outcome.leader.map_or("none".to_owned(), |leader| leader.id.to_string());
        println!("{n:>7} {:>9} {bound:>9} {leader:>7}", outcome.messages.total());
    }
    println!("bound: {}\n", claims.formula());

    let family = Family::everything(NetworkClass::Ring, 3)?;
    let report = Checker::new(&FRANKLIN, &family).run()?;
    println!(
        "every schedule of rings of 3: {} instances, {} configurations, {} that violate a property",
        report.instances, report.states, report.failing
    );
    if let Some((sent, bound)) = report.nearest {
        println!("nearest to the bound: {sent} of {bound} messages");
    }
    Ok(())
}
