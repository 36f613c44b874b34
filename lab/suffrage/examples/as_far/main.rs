//! As far as it can: an identity travels both ways round a ring, until it meets a smaller one.
//!
//! N. Santoro, *Design and Analysis of Distributed Algorithms*, Wiley, 2007, chapter 3: "As Far", on
//! a bidirectional ring.
//!
//! This example shows how to write an algorithm of one's own: here are its messages, its state, its
//! reactions and a table of what it costs, in `tests.rs` what it is held to. Run the one with
//! `cargo run --example as_far`, the other with `cargo test --example as_far`.
//!
//! # Assumes
//! A ring with FIFO links, whose port numbers say nothing about the direction; a process knows its
//! identity.
//!
//! # Idea
//! An initiator sends its identity both ways. A candidate swallows larger identities. If it receives a
//! smaller one, it passes it on, and has lost. A process that has lost passes everything on, and so does
//! a process that is reached before it wakes. The identity of the smallest initiator comes home from both sides, and
//! that process leads.
//!
//! # Cost
//! At most `(k+1) n` messages for `k` initiators among `n` processes. The two identities of an
//! initiator that loses end at the smallest one at the latest, from both sides, and that makes `n`
//! links together; those of the smallest take `n` each. A schedule on which the smallest identity
//! comes first everywhere attains it. The announcement goes round both ways by `Announced`, and
//! takes `2 n` more.
//!
//! # Deviations
//! The winner waits until its identity has come from both sides: then nothing of the election is
//! left under way, and the announcement ends it for all.
//!
//! # Invariants
//! - *smallest-stays*: the smallest initiator is a candidate, or leads.

use std::error::Error;
use suffrage::algorithms::{Configuration, Invariant};
use suffrage::prelude::*;

#[cfg(test)]
mod tests;

/// The identity of an initiator, as far as it can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Token(Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// Asleep, or beaten.
    Passive,
    Candidate,
    /// Its identity has come home from one side.
    Home,
    Leader,
}
use State::{Candidate, Home, Leader, Passive};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AsFar {
    id: Id,
    state: State,
}

/// The other of the two ports.
const fn opposite(port: Port) -> Port {
    Port(1 - port.0)
}

impl Process for AsFar {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.state = Candidate;
        net.send_all(Token(self.id));
    }

    fn receive(&mut self, from: Port, msg: Token, net: &mut impl Net<Token>) {
        let Token(id) = msg;
        match self.state {
            Candidate if id == self.id => self.state = Home,
            Home if id == self.id => self.state = Leader,
            Candidate | Home if id > self.id => {} // Mine will beat it: swallow.
            Candidate | Passive => {
                self.state = Passive;
                net.send(opposite(from), msg);
            }
            Home | Leader => net.reject("an identity that has come home is the smallest"),
        }
    }

    fn status(&self) -> Status {
        if self.state == Leader { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    /// The others never halt by themselves: the announcement makes them followers, and ends them.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

/// What is claimed of the algorithm; the header has the proof of the bound. Every engine holds it to
/// this.
impl Claimed for AsFar {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        problem: Problem::Implicit,
        election: Bound::at_most("(k+1) n", |s| (s.initiators + 1) * s.nodes),
        announcement: Bound::exactly("0", |_| 0),
        time: None,
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        vec![Invariant::new("smallest-stays", |now: &Configuration<'_, Self>| {
            let woken = now.nodes().filter(|(_, node)| node.woke);
            let (number, node) = woken.min_by_key(|(_, node)| node.id)?;
            let lost = node.process.state == Passive;
            lost.then(|| format!("{number}, the smallest initiator, has given up"))
        })]
    }
}

/// The algorithm with its announcement, as engines take it. `Announced` adds the announcement's
/// messages to the claims.
const AS_FAR: Custom<Announced<AsFar>> = Custom::claimed("as-far");

/// Elects on rings of growing size, with random identities and port numbers, and checks every
/// schedule of small ones.
fn main() -> Result<(), Box<dyn Error>> {
    let claims = Announced::<AsFar>::CLAIMS;
    println!("{:>7} {:>9} {:>9} {:>7}", "n", "messages", "bound", "leader");
    for n in [1, 2, 10, 100, 1000, 10_000, 100_000] {
        let (wiring, ids) = (Wiring::ring_shuffled(n, 7), Ids::Random.assign(n, 7));
        let schedule = Schedule::Uniform(10);
        let outcome = Simulator::new(&AS_FAR, &wiring, &ids).schedule(schedule).seed(7).run()?;
        for breach in &outcome.violations {
            println!("BROKEN: {breach}");
        }
        let nodes = u64::from(n);
        let bound = claims.bound(&Parameters::new(nodes, wiring.links(), nodes));
        let leader = outcome.leader.map_or("none".to_owned(), |leader| leader.id.to_string());
        println!("{n:>7} {:>9} {bound:>9} {leader:>7}", outcome.messages.total());
    }
    println!("bound: {}\n", claims.stated().signed());

    let family = Family::everything(NetworkClass::Ring, 3)?;
    let report = Checker::new(&AS_FAR, &family).run()?;
    println!(
        "every schedule of rings of 3: {} instances, {} configurations, {} that violate a property",
        report.instances, report.states, report.failing
    );
    if let Some((sent, bound)) = report.nearest {
        println!("nearest to the bound: {sent} of {bound} messages");
    }
    Ok(())
}
