//! The network that an algorithm is held on where only the number of nodes is given.

use super::Spec;
use suffrage_model::NetworkClass;

impl Spec {
    /// Returns the natural network of a class with this number of nodes: the class itself where it
    /// has one member of each size, the lattice nearest to a square, or else a random member. Where
    /// the class has [none of this size](NetworkClass::has_size) it is the largest smaller one, or the
    /// smallest of all if none is smaller.
    ///
    /// ```
    /// use suffrage_model::NetworkClass;
    /// use suffrage_networks::Spec;
    ///
    /// let text = |class, nodes| Spec::natural(class, nodes).to_string();
    /// assert_eq!(text(NetworkClass::OrientedRing, 6), "ring:6");
    /// assert_eq!(text(NetworkClass::Connected, 6), "barabasi-albert:6:2");
    /// assert_eq!(text(NetworkClass::Torus, 12), "torus:3x4");
    /// assert_eq!(text(NetworkClass::Hypercube, 6), "hypercube:2");
    /// assert_eq!(text(NetworkClass::Torus, 6), "torus:3x3");
    /// ```
    #[must_use]
    pub fn natural(class: NetworkClass, nodes: u32) -> Self {
        let mut sizes = (1..=nodes).rev().chain(nodes.saturating_add(1)..);
        let nodes = sizes.find(|&nodes| class.has_size(nodes)).unwrap_or(nodes);
        let (rows, columns) = class.rows_and_columns(nodes).unwrap_or((1, nodes));
        match class {
            NetworkClass::Complete | NetworkClass::OrientedComplete => Self::Complete { nodes },
            NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                Self::Ring { nodes }
            }
            NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
                Self::Hypercube { dimension: nodes.ilog2() }
            }
            NetworkClass::Mesh => Self::Grid { rows, columns },
            NetworkClass::Torus | NetworkClass::OrientedTorus => Self::Torus { rows, columns },
            NetworkClass::Tree => Self::RandomTree { nodes },
            // A new node makes two links, so the first three form a triangle; fewer are a path.
            NetworkClass::Connected if nodes < 3 => Self::Path { nodes },
            NetworkClass::Connected => Self::BarabasiAlbert { nodes, links: 2 },
        }
    }
}
