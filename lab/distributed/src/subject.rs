//! The subject of a team: an algorithm of the catalogue, or a user's own process.

use crate::part::{Compiled, CompiledEngine};
use serde::{Serialize, de::DeserializeOwned};
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, Claimed, Claims, Custom};
use suffrage_model::{Knowledge, NetworkClass, Process, Timing, Wire};

/// An algorithm by which a team can [elect](crate::elect): an [`Algorithm`] of the catalogue, or a
/// [`Custom`] one whose processes and messages derive serde's traits, since messages are sent to other
/// workers, and checkpoints have both.
#[diagnostic::on_unimplemented(
    message = "a team cannot elect by `{Self}`",
    label = "neither an algorithm of the catalogue nor a custom one",
    note = "wrap a process in `Custom`; it and its messages must derive serde's traits"
)]
pub trait TeamSubject: private::TeamSubject {}

impl<S: private::TeamSubject + ?Sized> TeamSubject for S {}

pub(crate) mod private {
    use super::{Claims, CompiledEngine, NetworkClass, Timing};

    /// The private part of a subject.
    pub trait TeamSubject {
        #[expect(private_interfaces, reason = "only this crate calls it")]
        fn engine(&self) -> CompiledEngine;

        fn name(&self) -> &str;

        fn claims(&self) -> Option<&Claims>;

        fn needs(&self) -> (NetworkClass, Timing);

        /// Returns whether a process knows the size of the network or its position.
        fn knows_size(&self) -> bool;
    }
}

/// Whether a process knows the size of the network or its position.
struct KnowsSize;

impl AlgorithmVisitor for KnowsSize {
    type Output = bool;

    fn visit<P: Claimed>(self) -> bool {
        P::Knows::SIZE
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl private::TeamSubject for Algorithm {
    fn engine(&self) -> CompiledEngine {
        self.visit(Compiled)
    }

    fn name(&self) -> &str {
        self.name
    }

    fn claims(&self) -> Option<&Claims> {
        Some(&self.claims)
    }

    fn needs(&self) -> (NetworkClass, Timing) {
        (self.network, self.timing)
    }

    fn knows_size(&self) -> bool {
        self.visit(KnowsSize)
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process<Msg: Wire> + Serialize + DeserializeOwned> private::TeamSubject for Custom<P> {
    fn engine(&self) -> CompiledEngine {
        CompiledEngine::of::<P>()
    }

    fn name(&self) -> &str {
        Self::name(self)
    }

    fn claims(&self) -> Option<&Claims> {
        Self::claims(self)
    }

    fn needs(&self) -> (NetworkClass, Timing) {
        (P::NETWORK, P::TIMING)
    }

    fn knows_size(&self) -> bool {
        P::Knows::SIZE
    }
}
