//! The families that are explored, a row each.

use super::{Document, Explorer, Extent};
use crate::error::Error;
use crate::plan::family::{every_shape, everything};
use crate::report::grouped;
use std::fmt::Write;
use suffrage::algorithms::Algorithm;
use suffrage::checker::{Arrangements, Extremes, Family, Faults, Initiators, Report, Wake};
use suffrage::process::NetworkClass;

/// Which networks there are in a family.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Every network and every identity order.
    Everything,
    /// Every network up to isomorphism.
    Shapes,
    /// Every port numbering, and with that every identity order.
    EveryPort,
}

struct Row {
    algorithm: &'static str,
    nodes: std::ops::RangeInclusive<u32>,
    kind: Kind,
    capacity: Option<u32>,
    extent: Extent,
}

const fn row(algorithm: &'static str, from: u32, to: u32) -> Row {
    Row {
        algorithm,
        nodes: from..=to,
        kind: Kind::Everything,
        capacity: None,
        extent: Extent::Short,
    }
}

impl Row {
    const fn shapes(self) -> Self {
        Self { kind: Kind::Shapes, ..self }
    }

    const fn every_port(self) -> Self {
        Self { kind: Kind::EveryPort, ..self }
    }

    const fn capacity(self, most: u32) -> Self {
        Self { capacity: Some(most), ..self }
    }

    const fn long(self) -> Self {
        Self { extent: Extent::Long, ..self }
    }
}

/// What is explored, by algorithm.
const ROWS: &[Row] = &[
    row("all-to-all", 1, 5),
    row("all-to-all", 2, 3).every_port(),
    row("all-to-all", 4, 4).capacity(1),
    row("humblet", 1, 5),
    row("humblet", 2, 4).every_port(),
    row("humblet", 4, 4).capacity(1),
    row("afek-gafni", 1, 5),
    row("afek-gafni", 2, 4).every_port(),
    row("afek-gafni", 2, 5).capacity(1),
    row("afek-gafni", 3, 3).every_port().capacity(1),
    row("villadangos", 1, 5),
    row("villadangos", 4, 4).capacity(1),
    row("lelann", 1, 6),
    row("lelann", 5, 5).capacity(1),
    row("chang-roberts", 1, 6),
    row("chang-roberts", 5, 5).capacity(1),
    row("dolev-klawe-rodeh", 1, 6),
    row("dolev-klawe-rodeh", 5, 5).capacity(1),
    row("tree-wave", 1, 6),
    row("tree-wave", 7, 7).shapes(),
    row("tree-wave", 5, 5).capacity(1),
    row("echo-extinction", 1, 5),
    row("echo-extinction", 2, 2).capacity(1),
    row("humblet", 6, 6).long(),
    row("afek-gafni", 6, 6).long(),
    row("villadangos", 6, 6).long(),
    row("lelann", 7, 7).long(),
    row("chang-roberts", 7, 7).long(),
    row("dolev-klawe-rodeh", 7, 7).long(),
    row("tree-wave", 7, 7).long(),
];

const HEADER: &str = "
| algorithm | networks | instances | configurations | ends | messages | bound | causal depth |
|---|---|---|---|---|---|---|---|
";

/// Writes the rows.
pub(super) fn write(
    document: &mut Document,
    explorer: &Explorer,
    extent: Extent,
) -> Result<(), Error> {
    document.text.push_str(
        "
## Every schedule

Every set of initiators, each of which wakes at any moment before a message reaches it. Networks
are complete ones in which port p of node i leads to node i + p + 1, oriented rings, trees and
connected graphs with ports in the order of the neighbours' identities; of orders of identities that
a rotation makes alike there is one. \"Every port numbering\" has all that a complete network can
have. In every row there is one leader in the end, by the algorithm's rule, all know it and have
halted, nothing impossible arrives, and the bound holds. The bound is shown as the most messages and
the bound of the instance that comes nearest to it.
",
    );
    document.text.push_str(HEADER);
    for row in ROWS.iter().filter(|row| row.extent == Extent::Short) {
        row.write(document, explorer)?;
    }
    if extent == Extent::Long {
        document.text.push_str("\n## What takes hours\n");
        document.text.push_str(HEADER);
        for row in ROWS.iter().filter(|row| row.extent == Extent::Long) {
            row.write(document, explorer)?;
        }
    }
    Ok(())
}

impl Row {
    fn write(&self, document: &mut Document, explorer: &Explorer) -> Result<(), Error> {
        let unknown = || Error::new(format!("there is no algorithm {}", self.algorithm));
        let algorithm = Algorithm::named(self.algorithm).ok_or_else(unknown)?;
        for nodes in self.nodes.clone() {
            let family = self.family(algorithm.network, nodes)?;
            let Some(report) = explorer.explore(algorithm, &family, &[], true)? else {
                return Ok(());
            };
            document.broken |= report.failing > 0;
            document.text.push_str(&self.line(algorithm, nodes, &report));
        }
        Ok(())
    }

    fn family(&self, network: NetworkClass, nodes: u32) -> Result<Family, Error> {
        let arrangements = match self.kind {
            Kind::Everything => Arrangements::all(network, nodes),
            Kind::Shapes => Arrangements::shapes(network, nodes),
            Kind::EveryPort => Ok(Arrangements::every_ports_of_complete(nodes)),
        };
        Ok(Family {
            arrangements: arrangements.map_err(|error| Error::new(error.to_string()))?,
            initiators: Initiators::EverySet,
            wake: Wake::AnyTime,
            capacity: self.capacity,
            faults: Faults::default(),
        })
    }

    fn line(&self, algorithm: &Algorithm, nodes: u32, report: &Report) -> String {
        let mut networks = match self.kind {
            Kind::Everything => everything(algorithm.network, nodes),
            Kind::Shapes => every_shape(algorithm.network, nodes),
            Kind::EveryPort => format!("complete network of {nodes} nodes, every port numbering"),
        };
        if let Some(capacity) = self.capacity {
            let _ = write!(networks, ", links of capacity {capacity}");
        }
        let (mut messages, mut depth, mut bound) = Default::default();
        if let Some(costs) = &report.costs {
            messages = range(costs.messages);
            depth = match costs.least_depth {
                Some(min) => range(Extremes { min, max: costs.greatest_depth }),
                None => format!("at most {}", costs.greatest_depth),
            };
        }
        if let Some((most, of)) = report.nearest {
            let exact = algorithm.election.exact && algorithm.announcement.exact;
            bound = match exact {
                true => "exact".to_owned(),
                false => format!("{most} of {of}"),
            };
        }
        if let Some((_, counterexample)) = &report.counterexample {
            bound =
                format!("**{}**: {}", counterexample.broken.property, counterexample.broken.detail);
        }
        format!(
            "| `{}` | {networks} | {} | {} | {} | {messages} | {bound} | {depth} |\n",
            self.algorithm,
            grouped(report.instances),
            grouped(report.states),
            grouped(report.terminal),
        )
    }
}

fn range(Extremes { min, max }: Extremes) -> String {
    match min == max {
        true => grouped(min),
        false => format!("{}–{}", grouped(min), grouped(max)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage::algorithms::CATALOGUE;

    #[test]
    fn every_correct_algorithm_is_explored() {
        for algorithm in CATALOGUE.iter().filter(|algorithm| algorithm.faulty.is_none()) {
            assert!(ROWS.iter().any(|row| row.algorithm == algorithm.name), "{}", algorithm.name);
        }
    }
}
