//! Networks of one kind in many sizes.

use super::{NODES, Spec, SpecError};

impl Spec {
    /// Returns the member of a family of networks that has `nodes` nodes. A family is a
    /// specification without its number of nodes, such as `ring`, `tree:2`, `tree:random`,
    /// `regular:3` or `erdos-renyi:0.1`. A `grid` or `torus` is as near to a square as the number
    /// allows, a `hypercube` needs a power of two.
    ///
    /// ```
    /// use suffrage_networks::Spec;
    ///
    /// let text = |family, nodes| Spec::of_family(family, nodes).map(|spec| spec.to_string());
    /// assert_eq!(text("ring", 100)?, "ring:100");
    /// assert_eq!(text("regular:3", 100)?, "regular:100:3");
    /// assert_eq!(text("torus", 120)?, "torus:10x12");
    /// assert_eq!(text("hypercube", 1024)?, "hypercube:10");
    /// assert!(text("hypercube", 1000).is_err());
    /// # Ok::<(), suffrage_networks::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// The same as those of parsing, and if the family has no network of this size.
    pub fn of_family(family: &str, nodes: u32) -> Result<Self, SpecError> {
        let text = match family.split_once(':') {
            // The number of nodes comes before the other parameter, except in trees.
            Some((kind, parameter)) if kind != "tree" => format!("{kind}:{nodes}:{parameter}"),
            None if matches!(family, "grid" | "torus") => {
                // Every number has a divisor: 1.
                let rows = (1..=nodes.isqrt()).rev().find(|&rows| nodes.is_multiple_of(rows));
                let rows = rows.unwrap_or(0);
                format!("{family}:{rows}x{}", nodes.checked_div(rows).unwrap_or(0))
            }
            None if family == "hypercube" => {
                if !nodes.is_power_of_two() {
                    return Err(SpecError::Parameter {
                        spec: family.to_owned(),
                        parameter: NODES,
                        given: nodes.to_string(),
                        range: "a power of two".to_owned(),
                        example: "hypercube:4, which has 16",
                    });
                }
                format!("{family}:{}", nodes.ilog2())
            }
            _ => format!("{family}:{nodes}"),
        };
        text.parse()
    }

    /// Returns the family of the network: its specification without the number of nodes.
    ///
    /// ```
    /// use suffrage_networks::Spec;
    ///
    /// let family = |text: &str| text.parse::<Spec>().map(|spec| spec.family());
    /// assert_eq!(family("ring:100")?, "ring");
    /// assert_eq!(family("regular:100:3")?, "regular:3");
    /// assert_eq!(family("tree:random:9")?, "tree:random");
    /// # Ok::<(), suffrage_networks::SpecError>(())
    /// ```
    #[must_use]
    pub fn family(&self) -> String {
        let kind = self.kind();
        match self {
            Self::RandomTree { .. } => format!("{kind}:random"),
            Self::Chordal { chord: parameter, .. }
            | Self::Tree { children: parameter, .. }
            | Self::Regular { degree: parameter, .. }
            | Self::BarabasiAlbert { links: parameter, .. } => format!("{kind}:{parameter}"),
            Self::ErdosRenyi { probability, .. } => format!("{kind}:{probability}"),
            _ => kind.to_owned(),
        }
    }
}
