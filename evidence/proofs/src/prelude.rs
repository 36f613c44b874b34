//! What the file of an algorithm finds in place of its own prelude: identities are symbols, and a process
//! is one that can be tabulated. The rest is the real one, or stands in for what only engines use.

pub use crate::sets::{SymbolicCountedPorts as CountedPorts, SymbolicPortSet as PortSet};
pub use crate::symbols::{
    SymbolicCount as Count, SymbolicFirstPorts as FirstPorts, SymbolicId as Id,
    SymbolicPlace as Place, SymbolicSize as Size,
};
pub use serde::{Deserialize, Serialize};
pub use std::{format, string::String, vec, vec::Vec};
pub use suffrage_algorithms::prelude::{
    AlgorithmHeader, Bound, BoundStanding, Claims, Ending, Form, FormKind, Guarantee, InTransit,
    Problem, Property, Rule, Time,
};
pub use suffrage_model::{End, Kind, Knowledge, Message, Net, NetworkClass, Port, Timing};
pub use {
    SymbolicClaimed as Claimed, SymbolicConfiguration as Configuration,
    SymbolicInvariant as Invariant, SymbolicNode as Node, SymbolicProcess as Process,
    SymbolicRace as Race, SymbolicStanding as Standing, SymbolicStatus as Status,
};

use crate::symbols::SymbolicId;
use serde::de::DeserializeOwned;
use std::{fmt::Debug, hash::Hash, marker::PhantomData};

/// The decision of a process, as in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in the model")]
pub enum SymbolicStatus {
    Undecided,
    Leader,
    Follower,
}

impl SymbolicStatus {
    /// Returns the status of a process that names this leader, if it names one.
    #[must_use]
    pub fn naming(leader: Option<SymbolicId>, own: SymbolicId) -> Self {
        match leader {
            None => Self::Undecided,
            Some(leader) if leader == own => Self::Leader,
            Some(_) => Self::Follower,
        }
    }
}

/// A process, as in the model, whose identities are symbols.
#[expect(missing_docs, reason = "as in the model")]
pub trait SymbolicProcess:
    Clone + Debug + Eq + Hash + Serialize + DeserializeOwned + 'static
{
    const NETWORK: NetworkClass;
    const TIMING: Timing = Timing::Asynchronous;
    type Knows: Knowledge;
    type Msg: Message + Serialize + DeserializeOwned;

    fn new(knows: Self::Knows, degree: u32) -> Self;
    fn wake(&mut self, net: &mut impl Net<Self::Msg>);
    fn receive(&mut self, from: Port, msg: Self::Msg, net: &mut impl Net<Self::Msg>);
    fn alarm(&mut self, _net: &mut impl Net<Self::Msg>) {}
    fn status(&self) -> SymbolicStatus;
    fn leader(&self) -> Option<SymbolicId> {
        None
    }
    fn halted(&self) -> bool;
}

/// The claims in an algorithm's file. They are read where the file is compiled to run.
#[expect(missing_docs, reason = "as in the catalogue")]
pub trait SymbolicClaimed: SymbolicProcess {
    const CLAIMS: Claims;
    const ROOM: Bound = Bound::at_most("1", |_| 1);
    fn invariants() -> Vec<SymbolicInvariant<Self>> {
        Vec::new()
    }
    fn race() -> Option<SymbolicRace<Self>> {
        None
    }
}

/// The standing in a race, as in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in the catalogue")]
pub enum SymbolicStanding {
    Level(u64),
    StandsFor(SymbolicId),
}

/// Stands in for a race, which nothing here runs.
#[expect(missing_docs, reason = "as in the catalogue")]
pub struct SymbolicRace<P> {
    pub stage: &'static str,
    pub first: u64,
    pub formula: &'static str,
    pub limit: fn(u64, u64, u64) -> u64,
    pub standing: fn(&P) -> Option<SymbolicStanding>,
}

/// A check of a configuration, as in the catalogue.
type Check<P> = fn(&SymbolicConfiguration<'_, P>) -> Option<String>;

/// Stands in for an invariant: its formula is read where the file is compiled to run.
pub struct SymbolicInvariant<P>(PhantomData<P>);

impl<P: SymbolicProcess> SymbolicInvariant<P> {
    /// Creates none.
    #[must_use]
    pub fn of_header<const N: usize>(_: &[(&'static str, &str)], _: [Check<P>; N]) -> Vec<Self> {
        Vec::new()
    }

    /// Creates none.
    #[must_use]
    pub fn of_statements<const N: usize>(
        _: &[(&'static str, &'static str)],
        _: [Check<P>; N],
    ) -> Vec<Self> {
        Vec::new()
    }
}

/// Stands in for a configuration: no function that is written for one is called here.
pub struct SymbolicConfiguration<'a, P: SymbolicProcess> {
    nodes: Vec<SymbolicNode<'a, P>>,
    messages: Vec<InTransit<P::Msg>>,
}

/// A process in a [`SymbolicConfiguration`].
#[expect(missing_docs, reason = "as in the catalogue")]
pub struct SymbolicNode<'a, P> {
    pub process: &'a P,
    pub id: SymbolicId,
    pub woke: bool,
    pub degree: u32,
}

/// A process of a [`SymbolicConfiguration`] by itself, with the messages that arrive at a port.
#[expect(missing_docs, reason = "as in the catalogue")]
pub struct OneSymbolicProcess<'c, 'a, P: SymbolicProcess> {
    pub process: &'a P,
    now: &'c SymbolicConfiguration<'a, P>,
    number: u32,
}

#[expect(missing_docs, reason = "as in the catalogue")]
impl<P: SymbolicProcess> OneSymbolicProcess<'_, '_, P> {
    pub fn arriving(&self, port: Port) -> impl Iterator<Item = P::Msg> {
        self.now.on_link(self.now.across(self.number, port))
    }
}

#[expect(missing_docs, reason = "as in the catalogue")]
impl<'a, P: SymbolicProcess> SymbolicConfiguration<'a, P> {
    pub fn each(
        &self,
        look: impl Fn(&OneSymbolicProcess<'_, 'a, P>) -> Option<String>,
    ) -> Option<String> {
        let one = |(number, node): (u32, &SymbolicNode<'a, P>)| OneSymbolicProcess {
            process: node.process,
            now: self,
            number,
        };
        self.nodes().find_map(|node| look(&one(node)))
    }

    pub fn size(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub fn nodes(&self) -> impl Iterator<Item = (u32, &SymbolicNode<'a, P>)> {
        (0..).zip(&self.nodes)
    }

    pub fn process(&self, node: u32) -> &'a P {
        self.nodes[node as usize].process
    }

    pub fn initiators(&self) -> impl Iterator<Item = SymbolicId> {
        self.nodes.iter().filter(|node| node.woke).map(|node| node.id)
    }

    pub fn messages(&self) -> &[InTransit<P::Msg>] {
        &self.messages
    }

    pub fn across(&self, node: u32, port: Port) -> End {
        End { node, port }
    }

    pub fn on_link(&self, from: End) -> impl Iterator<Item = P::Msg> {
        self.messages.iter().filter(move |one| one.from == from).map(|one| one.msg)
    }
}
