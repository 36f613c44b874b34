//! Sets of ports that are symbols: those in the state, with some ports taken out.

use crate::set_number::{SetBase, SetGuard, SetNumber, Symbol};
use crate::symbols::{
    PortsGuard, another_port, ask, asked_of_ports, choose, known_ports, leads_to, miscount,
    next_set, read_port, refuse, skip, unasked_degree, write_port,
};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use suffrage_model::Port;

impl SetNumber {
    fn without(self, to: Symbol) -> Self {
        let taken = self.taken_out().count() as u32;
        if taken == 7 || to > 0xfe {
            refuse("it takes more than 7 ports out of a set");
        }
        Self(self.0 | (to + 1) << (8 * (taken + 1)))
    }
}

/// A set of ports of the process that reacts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename = "PortSet")]
pub struct SymbolicPortSet(u64);

impl SymbolicPortSet {
    /// All ports.
    #[must_use]
    pub fn all(degree: u32) -> Self {
        if degree != unasked_degree() {
            refuse("it makes a set of other ports than all that it has");
        }
        Self(SetNumber::ALL)
    }

    /// One that the state has, in the order of its fields.
    pub(crate) fn of_state() -> u64 {
        next_set()
    }

    const fn number(&self) -> SetNumber {
        SetNumber(self.0)
    }

    fn known<T>(answer: impl Fn(SetGuard) -> Option<T>) -> Option<T> {
        asked_of_ports().into_iter().find_map(|guard| match guard {
            PortsGuard::OfSet(guard) => answer(guard),
            _ => None,
        })
    }

    fn has(&self, to: Symbol) -> bool {
        let set = self.number();
        if set.taken_out().any(|taken| taken == to) {
            return false;
        }
        if set.base() == SetBase::All {
            return true;
        }
        // What has been taken out leads elsewhere.
        let base = SetNumber(set.0 & 0xff);
        let known = Self::known(|guard| match guard {
            SetGuard::Contains(of, process, is) if (of, process) == (base, to) => Some(is),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let is = choose(2) == 0;
            ask(PortsGuard::OfSet(SetGuard::Contains(base, to, is)));
            is
        })
    }

    /// A process behind a port that the path knows to be in the set.
    fn known_inside(&self) -> Option<Symbol> {
        let set = self.number();
        Self::known(|guard| match guard {
            SetGuard::Contains(of, to, true) if of.base() == set.base() => {
                set.taken_out().all(|taken| taken != to).then_some(to)
            }
            _ => None,
        })
    }

    /// Whether a port is in the set.
    #[must_use]
    pub fn contains(&self, port: Port) -> bool {
        let port = read_port(port).unwrap_or_else(|| refuse("it has no such port"));
        leads_to(port).is_some_and(|to| self.has(to))
    }

    /// Takes a port out.
    pub fn remove(&mut self, port: Port) {
        let port = read_port(port).unwrap_or_else(|| refuse("it has no such port"));
        if let Some(to) = leads_to(port).filter(|&to| self.has(to)) {
            self.0 = self.number().without(to).0;
        }
    }

    /// The number is not known.
    #[must_use]
    pub fn len(&self) -> u32 {
        refuse("it takes the number of ports in a set")
    }

    /// Whether no port is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let known = Self::known(|guard| match guard {
            SetGuard::Empty(of, is) if of == self.number() => Some(is),
            SetGuard::Last(of, Some(_)) if of == self.number() => Some(false),
            _ => None,
        });
        known.or(self.known_inside().map(|_| false)).unwrap_or_else(|| {
            let is = choose(2) == 0;
            ask(PortsGuard::OfSet(SetGuard::Empty(self.number(), is)));
            is
        })
    }

    /// The port that is alone in the set: one that the path has met and that is in it, another one, or none.
    #[must_use]
    pub fn last(&self) -> Option<Port> {
        let known = Self::known(|guard| match guard {
            SetGuard::Last(of, to) if of == self.number() => Some(to),
            SetGuard::Empty(of, true) if of == self.number() => Some(None),
            _ => None,
        });
        let to = known.unwrap_or_else(|| {
            let ports = known_ports();
            let to = match self.known_inside() {
                Some(to) => (choose(2) == 0).then_some(to),
                None => match choose(ports.len() + 2) {
                    way if way < ports.len() => Some(ports[way]),
                    way => (way == ports.len()).then(another_port),
                },
            };
            if to.is_some_and(|to| !self.has(to)) {
                skip(); // No such path.
            }
            ask(PortsGuard::OfSet(SetGuard::Last(self.number(), to)));
            to
        });
        to.map(write_port)
    }

    /// The ports in the set are not known.
    pub fn iter(&self) -> std::slice::Iter<'_, Port> {
        refuse("it looks through a set of ports")
    }
}

/// A set of ports of the process that reacts. The process that runs keeps only their number, which is one less with
/// each port that is taken out: it is right if each port taken out was in the set.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename = "CountedPorts")]
pub struct SymbolicCountedPorts(u64);

impl SymbolicCountedPorts {
    /// All ports.
    #[must_use]
    pub fn all(degree: u32) -> Self {
        Self(SymbolicPortSet::all(degree).0)
    }

    /// Takes a port out. That it is in the set is to be proved.
    pub fn remove(&mut self, port: Port) {
        let mut set = SymbolicPortSet(self.0);
        if !set.contains(port) {
            miscount();
        }
        set.remove(port);
        *self = Self(set.0);
    }

    /// The number is not known.
    #[must_use]
    pub fn len(&self) -> u32 {
        SymbolicPortSet(self.0).len()
    }

    /// Whether no port is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        SymbolicPortSet(self.0).is_empty()
    }
}

/// A set of ports of the process that reacts. The process that runs keeps of it only what tells the last one, which is
/// right if each port taken out was in the set.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename = "CountedPorts")]
pub struct SymbolicWaitedPorts(u64);

impl SymbolicWaitedPorts {
    /// All ports.
    #[must_use]
    pub fn all(degree: u32) -> Self {
        Self(SymbolicPortSet::all(degree).0)
    }

    /// The set without a port. That it is in the set is to be proved.
    #[must_use]
    pub fn without(self, port: Port, degree: u32) -> Option<Self> {
        if degree != unasked_degree() {
            refuse("it takes another number for that of its ports");
        }
        let mut set = SymbolicPortSet(self.0);
        if !set.contains(port) {
            miscount();
            return None;
        }
        set.remove(port);
        Some(Self(set.0))
    }

    /// The port that is alone in the set.
    #[must_use]
    pub fn last(self) -> Option<Port> {
        SymbolicPortSet(self.0).last()
    }

    /// Whether no port is in the set.
    #[must_use]
    pub fn is_empty(self) -> bool {
        SymbolicPortSet(self.0).is_empty()
    }
}

/// Refuses what compares sets.
macro_rules! incomparable {
    ($($name:ident)*) => {$(
        impl PartialEq for $name {
            fn eq(&self, _: &Self) -> bool {
                refuse("it compares sets of ports")
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, _: &mut H) {
                refuse("it hashes a set of ports")
            }
        }
    )*};
}

incomparable! { SymbolicPortSet SymbolicCountedPorts SymbolicWaitedPorts }
