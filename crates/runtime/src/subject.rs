//! What nodes can run.

use crate::error::ElectionError;
use crate::node::{Gate, Links, Node, Setup, make};
use suffrage_algorithms::{Algorithm, Claimed, Claims, Custom, WireVisitor};
use suffrage_process::{Process, Wire};

/// An algorithm that nodes can run: an [`Algorithm`] of the catalogue, or a [`Custom`] one whose
/// messages derive serde's traits, since they are sent to other nodes.
pub trait Subject: private::Subject {}

impl<S: private::Subject> Subject for S {}

pub(crate) mod private {
    use super::{Claims, ElectionError, Gate, Links, Node, Setup};

    /// The part of a subject that only this crate sees.
    pub trait Subject {
        #[expect(private_interfaces, reason = "only this crate calls it")]
        fn node(&self, setup: Setup, gate: Gate, links: Links) -> Result<Node, ElectionError>;

        fn claims(&self) -> Option<&Claims>;
    }
}

/// Makes a node for an algorithm of the catalogue.
struct Make<'a> {
    name: &'a str,
    setup: Setup,
    gate: Gate,
    links: Links,
}

impl WireVisitor for Make<'_> {
    type Output = Result<Node, ElectionError>;

    fn visit<P: Claimed<Msg: Wire>>(self) -> Self::Output {
        make::<P>(self.name, self.setup, self.gate, self.links)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl private::Subject for Algorithm {
    fn node(&self, setup: Setup, gate: Gate, links: Links) -> Result<Node, ElectionError> {
        self.visit_wire(Make { name: self.name, setup, gate, links })
    }

    fn claims(&self) -> Option<&Claims> {
        Some(&self.claims)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process<Msg: Wire>> private::Subject for Custom<P> {
    fn node(&self, setup: Setup, gate: Gate, links: Links) -> Result<Node, ElectionError> {
        make::<P>(self.name(), setup, gate, links)
    }

    fn claims(&self) -> Option<&Claims> {
        self.claims()
    }
}
