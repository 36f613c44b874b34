//! The knowledge of a process before it starts: its identity or label, the size, its position.

use crate::Port;
use core::fmt;

/// The identity of a process: totally ordered, and unique in its network, unless that is one of
/// [homonyms](crate::NetworkClass::HomonymRing).
// Aligned to 4 bytes, because identities live in messages beside 32-bit levels and ports: a
// message with one of each is then 12 bytes instead of 16, and the simulator holds millions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(Rust, packed(4))]
pub struct Id(u64);

impl Id {
    /// Creates the identity with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of this identity.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.get())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The number of processes in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Size(pub u32);

/// The position of a process in a network with a sense of direction, in `0..size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place(pub u32);

impl Place {
    /// Returns whether a network of this size has the position.
    #[must_use]
    pub const fn is_in(self, Size(size): Size) -> bool {
        self.0 < size
    }

    /// Returns the port that leads from here to another position of a complete network of this size with a
    /// sense of direction: port `p` leads `p + 1` positions forward.
    ///
    /// # Panics
    /// If the size is 0.
    #[must_use]
    pub const fn port_to(self, there: Self, Size(size): Size) -> Port {
        let forward = there.0 as u64 + size as u64 - self.0 as u64 - 1;
        Port((forward % size as u64) as u32)
    }
}

/// The diameter of the network: the greatest distance of two processes, in links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Diameter(pub u32);

/// The label of a process: an [identity](Id) that other processes may have, too. Such processes are
/// homonyms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Label(pub Id);

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Label({})", self.0)
    }
}

/// The greatest number of processes that have the same label, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Multiplicity(pub u32);

impl Multiplicity {
    /// The multiplicity of identities that are all distinct.
    pub const ONE: Self = Self(1);

    /// Returns the greatest number of these identities that are equal; 1 if there are none. Sorts
    /// them, in the time that this takes.
    #[must_use]
    pub fn of(ids: &mut [Id]) -> Self {
        ids.sort_unstable();
        let equal = ids.chunk_by(|one, other| one == other);
        Self(equal.map(<[Id]>::len).max().unwrap_or(1) as u32)
    }
}

/// The facts about a node: engines hold them, and a process gets those for which it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The identity of the node, or its label.
    pub id: Id,
    /// The number of nodes.
    pub size: Size,
    /// The position of the node.
    pub place: Place,
    /// The diameter; any number where [`Knowledge::DIAMETER`] says that it is not asked for, since it
    /// takes long to find.
    pub diameter: Diameter,
    /// The multiplicity of the labels; any number where [`Knowledge::MULTIPLICITY`] says that it is
    /// not asked for, since labels must be sorted to find it.
    pub multiplicity: Multiplicity,
}

/// The knowledge of a process before it starts.
///
/// `()` is an anonymous network; a pair knows all that its parts know.
pub trait Knowledge: Sized {
    /// Whether the diameter is part of it.
    const DIAMETER: bool = false;
    /// Whether the multiplicity of labels is part of it.
    const MULTIPLICITY: bool = false;
    /// Whether the size or a position is part of it: then there are fewer than 2^32 processes.
    const SIZE: bool = false;

    /// Takes this knowledge from the facts.
    fn of(facts: &Facts) -> Self;

    /// Passes a description of the knowledge to `say`, one phrase per call.
    fn words(say: &mut dyn FnMut(&'static str));
}

impl Knowledge for () {
    fn of(_: &Facts) -> Self {}
    fn words(_: &mut dyn FnMut(&'static str)) {}
}

impl Knowledge for Id {
    fn of(facts: &Facts) -> Self {
        facts.id
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        say("its identity");
    }
}

impl Knowledge for Size {
    const SIZE: bool = true;

    fn of(facts: &Facts) -> Self {
        facts.size
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        say("the size of the network");
    }
}

impl Knowledge for Place {
    const SIZE: bool = true;

    fn of(facts: &Facts) -> Self {
        facts.place
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        say("its position");
    }
}

impl Knowledge for Diameter {
    const DIAMETER: bool = true;

    fn of(facts: &Facts) -> Self {
        facts.diameter
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        say("the diameter of the network");
    }
}

impl Knowledge for Label {
    fn of(facts: &Facts) -> Self {
        Self(facts.id)
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        say("its label");
    }
}

impl Knowledge for Multiplicity {
    const MULTIPLICITY: bool = true;
    const SIZE: bool = true;

    fn of(facts: &Facts) -> Self {
        facts.multiplicity
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        say("how many processes have the same label at most");
    }
}

impl<A: Knowledge, B: Knowledge> Knowledge for (A, B) {
    const DIAMETER: bool = A::DIAMETER || B::DIAMETER;
    const MULTIPLICITY: bool = A::MULTIPLICITY || B::MULTIPLICITY;
    const SIZE: bool = A::SIZE || B::SIZE;

    fn of(facts: &Facts) -> Self {
        (A::of(facts), B::of(facts))
    }
    fn words(say: &mut dyn FnMut(&'static str)) {
        A::words(say);
        B::words(say);
    }
}
