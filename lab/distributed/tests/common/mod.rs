//! What the tests have in common.

use suffrage_model::NetworkClass;
use suffrage_networks::{Ports, Spec, wiring::Wiring};

/// A network of a few nodes on which every algorithm for `network` runs.
pub(crate) fn network_for(network: NetworkClass) -> Wiring {
    let made = |spec: &str| {
        let spec: Spec = spec.parse().expect("a specification");
        spec.build(3).expect("a network").wire(Ports::Rotation, 3)
    };
    match network {
        NetworkClass::Complete | NetworkClass::OrientedComplete => Wiring::complete(17),
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
            Wiring::ring(17)
        }
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => Wiring::hypercube(4),
        NetworkClass::Mesh => made("grid:3x5"),
        NetworkClass::Torus | NetworkClass::OrientedTorus => Wiring::torus(3, 5),
        NetworkClass::Tree => made("tree:random:17"),
        NetworkClass::Connected => made("erdos-renyi:17:0.4"),
    }
}
