//! The table of explored families.

use super::{Extent, Verifier, processor_time};
use anyhow::Context;
use indicatif::HumanCount;
use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;
use suffrage_algorithms::{Algorithm, Rule};
use suffrage_checker::{
    Arrangements, CheckReport, ExpectedExtremes, Extremes, Family, FaultBudget, InitiatorSets, Wake,
};
use suffrage_model::{NetworkClass, Timing};

/// The networks of a family.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowInstances {
    /// Every network and every identity order.
    Everything,
    /// Every network up to isomorphism.
    Shapes,
    /// Every port numbering, which includes every identity order.
    EveryPort,
}

struct VerifiedRow {
    algorithm: &'static str,
    nodes: std::ops::RangeInclusive<u32>,
    kind: RowInstances,
    capacity: Option<u32>,
    /// Whether all wake at the start, and no other set of initiators is explored.
    together: bool,
    extent: Extent,
}

const fn row(algorithm: &'static str, from: u32, to: u32) -> VerifiedRow {
    VerifiedRow {
        algorithm,
        nodes: from..=to,
        kind: RowInstances::Everything,
        capacity: None,
        together: false,
        extent: Extent::Seconds,
    }
}

impl VerifiedRow {
    const fn shapes(self) -> Self {
        Self { kind: RowInstances::Shapes, ..self }
    }

    const fn every_port(self) -> Self {
        Self { kind: RowInstances::EveryPort, ..self }
    }

    const fn capacity(self, most: u32) -> Self {
        Self { capacity: Some(most), ..self }
    }

    const fn together(self) -> Self {
        Self { together: true, ..self }
    }

    const fn minutes(self) -> Self {
        Self { extent: Extent::Minutes, ..self }
    }
}

/// The explored families, by algorithm.
const ROWS: &[VerifiedRow] = &[
    row("all-to-all", 1, 5),
    row("all-to-all", 6, 6).minutes(),
    row("all-to-all", 2, 3).every_port(),
    row("all-to-all", 4, 4).capacity(1),
    row("humblet", 1, 5),
    row("humblet", 6, 6).minutes(),
    row("humblet", 2, 3).every_port(),
    row("humblet", 4, 4).every_port().minutes(),
    row("humblet", 4, 4).capacity(1),
    row("afek-gafni", 1, 5),
    row("afek-gafni", 2, 3).every_port(),
    row("afek-gafni", 4, 4).every_port().minutes(),
    row("afek-gafni", 2, 5).capacity(1),
    row("afek-gafni", 3, 3).every_port().capacity(1),
    row("villadangos", 1, 5),
    row("villadangos", 6, 6).minutes(),
    row("villadangos", 4, 4).capacity(1),
    row("lelann", 1, 5),
    row("lelann", 6, 7).minutes(),
    row("lelann", 5, 5).capacity(1),
    row("chang-roberts", 1, 5),
    row("chang-roberts", 6, 8).minutes(),
    row("chang-roberts", 5, 5).capacity(1),
    row("hirschberg-sinclair", 1, 4),
    row("hirschberg-sinclair", 5, 5).minutes(),
    row("hirschberg-sinclair", 4, 4).capacity(8),
    row("dolev-klawe-rodeh", 1, 5),
    row("dolev-klawe-rodeh", 6, 7).minutes(),
    row("dolev-klawe-rodeh", 5, 5).capacity(1),
    row("franklin", 1, 4),
    row("franklin", 5, 6).minutes(),
    row("franklin", 4, 4).capacity(1),
    row("peterson", 1, 5),
    row("peterson", 6, 8).minutes(),
    row("peterson", 5, 5).capacity(1),
    row("stages-with-feedback", 1, 4),
    row("stages-with-feedback", 5, 6).minutes(),
    row("stages-with-feedback", 4, 4).capacity(1),
    row("alternating-steps", 1, 5),
    row("alternating-steps", 6, 7).minutes(),
    row("alternating-steps", 5, 5).capacity(1),
    row("higham-przytycka", 1, 5),
    row("higham-przytycka", 6, 7).minutes(),
    row("higham-przytycka", 5, 5).capacity(1),
    row("ring-extinction", 1, 5),
    row("ring-extinction", 6, 7).minutes(),
    row("ring-extinction", 5, 5).capacity(1),
    row("lyndon-word", 1, 4),
    row("lyndon-word", 5, 6).minutes(),
    row("lyndon-word", 4, 4).capacity(1),
    row("content-oblivious", 1, 4),
    row("content-oblivious", 5, 6).minutes(),
    row("content-oblivious", 3, 3).capacity(3),
    row("hyper-elect", 1, 2),
    row("hyper-elect", 4, 4),
    row("hyper-elect", 4, 4).capacity(2),
    row("hyper-elect", 8, 8).together().minutes(),
    row("tree-wave", 1, 5),
    row("tree-wave", 6, 6).minutes(),
    row("tree-wave", 7, 7).shapes().minutes(),
    row("tree-wave", 5, 5).capacity(1),
    row("tree-extinction", 1, 4),
    row("tree-extinction", 5, 6).minutes(),
    row("tree-extinction", 7, 7).shapes().minutes(),
    row("tree-extinction", 4, 4).capacity(3),
    row("echo-extinction", 1, 4),
    row("echo-extinction", 5, 5).minutes(),
    row("echo-extinction", 2, 2).capacity(1),
    row("depth-first-extinction", 1, 4),
    row("depth-first-extinction", 5, 5).minutes(),
    row("depth-first-extinction", 6, 6).shapes().minutes(),
    row("depth-first-extinction", 4, 4).capacity(2),
    row("korach-moran-zaks", 1, 4),
    row("korach-moran-zaks", 5, 5).minutes(),
    row("korach-moran-zaks", 2, 3).every_port(),
    row("bully", 1, 4),
    row("bully", 5, 5).minutes(),
    row("bully", 4, 4).capacity(1),
    row("loui-matsushita-west", 1, 4),
    row("loui-matsushita-west", 5, 6).minutes(),
    row("gallager-humblet-spira", 1, 4),
    row("korach-kutten-moran", 1, 4),
    row("korach-kutten-moran", 5, 5).minutes(),
    row("korach-kutten-moran", 6, 6).shapes().minutes(),
    row("yo-yo", 1, 4),
    row("afek-gafni-a", 1, 4),
    row("afek-gafni-a", 5, 5).minutes(),
    row("afek-gafni-a", 2, 3).every_port(),
    row("afek-gafni-a", 4, 4).every_port().minutes(),
    row("time-slice", 1, 5),
    row("time-slice", 6, 6).minutes(),
    row("variable-speeds", 1, 5),
    row("variable-speeds", 6, 6).minutes(),
    row("flood-max", 1, 4),
    row("flood-max", 5, 5).shapes().minutes(),
];

/// The explored families of randomized algorithms. Where their processes are anonymous, one identity
/// order is enough.
const RANDOMIZED: &[VerifiedRow] = &[
    row("itai-rodeh", 1, 4).shapes(),
    row("fokkink-pang-a", 1, 4).shapes(),
    row("fokkink-pang-b", 1, 4).shapes(),
    row("probabilistic-franklin", 1, 3).shapes(),
    row("probabilistic-franklin", 4, 4).shapes().minutes(),
    row("tree-identify", 1, 4),
    row("tree-identify", 5, 5).shapes().minutes(),
    row("least-element-lists", 1, 3),
    row("least-element-lists", 4, 4).shapes().minutes(),
    row("random-referees", 1, 2),
];

const HEADER_OF_RANDOMIZED: &str = "
| algorithm | networks | instances | configurations | ends | expected messages | bound | one leads with probability | processor time |
|---|---|---|---|---|---|---|---|---:|
";

const INTRODUCTION_OF_RANDOMIZED: &str = "
## Every schedule, and every outcome of random choices

The same for randomized algorithms; in rounds all processes wake at the start. In every row the election ends
with probability 1 on every schedule that eventually delivers every message; then there is one leader, all
others follow and have halted, nothing impossible arrives, and the bound holds for the expectation. A schedule
may depend on the draws: the table has the least and the greatest expectation over all schedules, in all
instances, both with a relative error of at most 10^-9.
";

const HEADER: &str = "
| algorithm | networks | instances | configurations | ends | messages | bound | causal depth | processor time |
|---|---|---|---|---|---|---|---|---:|
";

const INTRODUCTION: &str = "
## Every schedule

Every set of initiators is explored, unless a row says otherwise; each initiator wakes at any moment before a
message reaches it. One exploration in which all processes wake or never do contains all sets of a network and
an order: instances are counted by their sets, configurations and ends once for all of them (except in rounds).
Networks are complete networks in which port p of node i leads to node i + p + 1, oriented
rings, hypercubes in which port p of node i leads to the node whose number differs in bit p, and trees and
connected graphs with ports in the order of the neighbours' identities. Orders of identities are explored up
to automorphism, unless processes know their place (`villadangos`, `bully`). \"Every port numbering\" has all
numberings of a complete network. Initiators of algorithms in rounds wake in any tick, and the messages of a
tick arrive at a process in every order. In every row there is one leader in the end, by the algorithm's rule,
all know it and have halted, nothing impossible arrives, and the bound holds. The bound column has the most
messages and the bound, for the instance that comes nearest to its bound.
";

/// Writes the rows. Returns whether a property is broken.
pub(super) fn write(
    out: &mut dyn Write,
    explorer: &Verifier,
    extent: Extent,
) -> anyhow::Result<bool> {
    write!(out, "{INTRODUCTION}{HEADER}")?;
    let mut broken = false;
    for row in ROWS.iter().filter(|row| row.extent <= extent) {
        broken |= row.write(out, explorer)?;
    }
    write!(out, "{INTRODUCTION_OF_RANDOMIZED}{HEADER_OF_RANDOMIZED}")?;
    for row in RANDOMIZED.iter().filter(|row| row.extent <= extent) {
        broken |= row.write(out, explorer)?;
    }
    Ok(broken)
}

/// Writes the rows of one algorithm. Returns whether a property is broken.
pub(super) fn write_of(
    out: &mut dyn Write,
    explorer: &Verifier,
    extent: Extent,
    algorithm: &str,
) -> anyhow::Result<bool> {
    let mut broken = false;
    let rows = ROWS.iter().chain(RANDOMIZED);
    for row in rows.filter(|row| row.extent <= extent && row.algorithm == algorithm) {
        broken |= row.write(out, explorer)?;
    }
    Ok(broken)
}

impl VerifiedRow {
    fn write(&self, out: &mut dyn Write, explorer: &Verifier) -> anyhow::Result<bool> {
        let algorithm = Algorithm::named(self.algorithm)
            .with_context(|| format!("there is no algorithm {}", self.algorithm))?;
        let mut broken = false;
        for nodes in self.nodes.clone() {
            let family = self.family(algorithm.network, algorithm.timing, nodes)?;
            let before = processor_time();
            let report = explorer.explore(algorithm, &family, &[], true)?;
            let took = processor_time() - before;
            broken |= report.failing > 0;
            writeln!(out, "{} {} s |", self.line(algorithm, nodes, &report), tenths(took))?;
            out.flush()?;
        }
        Ok(broken)
    }

    fn family(&self, network: NetworkClass, timing: Timing, nodes: u32) -> anyhow::Result<Family> {
        let arrangements = match self.kind {
            RowInstances::Everything => Arrangements::all(network, nodes),
            RowInstances::Shapes => Arrangements::shapes(network, nodes),
            RowInstances::EveryPort => Ok(Arrangements::every_ports_of_complete(nodes)),
        };
        Ok(Family {
            arrangements: arrangements?,
            initiators: InitiatorSets::EverySet,
            wake: Wake::AnyTime,
            capacity: self.capacity,
            faults: FaultBudget::default(),
            nodes_differ: false,
        }
        .timed(if self.together { Timing::SimultaneousRounds } else { timing }))
    }

    fn line(&self, algorithm: &Algorithm, nodes: u32, report: &CheckReport) -> String {
        let mut networks = match self.kind {
            RowInstances::Everything => {
                let every = match algorithm.network {
                    NetworkClass::HomonymRing => "asymmetric labelling",
                    _ => "identity order",
                };
                format!("{}, every {every}", all(algorithm.network, nodes))
            }
            RowInstances::Shapes => format!("{}, up to isomorphism", all(algorithm.network, nodes)),
            RowInstances::EveryPort => {
                format!("complete network of {nodes} nodes, every port numbering")
            }
        };
        if let Some(capacity) = self.capacity {
            let _ = write!(networks, ", links of capacity {capacity}");
        }
        if self.together {
            networks.push_str(", all awake at the start");
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
            let exact = algorithm.claims.is_exact();
            bound = match exact {
                true => "exact".to_owned(),
                false => format!("{most} of {of}"),
            };
        }
        let claims = &algorithm.claims;
        if matches!(claims.rule, Rule::Chance | Rule::MonteCarlo) {
            bound = claims.stated().sentence().replace('|', "\\|");
            (messages, depth) = match &report.chances {
                Some(chances) => (expected(chances.messages), expected(chances.elected)),
                None => (messages, "1".to_owned()),
            };
        }
        if let Some((_, counterexample)) = &report.counterexample {
            bound = format!(
                "**{}**: {}",
                counterexample.violation.property, counterexample.violation.detail
            );
        }
        format!(
            "| `{}` | {networks} | {} | {} | {} | {messages} | {bound} | {depth} |",
            self.algorithm,
            HumanCount(report.instances),
            HumanCount(report.states),
            HumanCount(report.terminal),
        )
    }
}

/// Formats a duration in seconds: to a tenth below ten, else whole.
fn tenths(took: Duration) -> String {
    match took.as_secs_f64() {
        few if few < 9.95 => format!("{few:.1}"),
        many => HumanCount(many.round() as u64).to_string(),
    }
}

/// Describes all networks of a class.
fn all(network: NetworkClass, nodes: u32) -> String {
    let class = match network {
        NetworkClass::Complete | NetworkClass::OrientedComplete => "complete network",
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => "ring",
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => "hypercube",
        NetworkClass::Mesh => "every mesh",
        NetworkClass::Torus | NetworkClass::OrientedTorus => "every torus",
        NetworkClass::Tree => "every tree",
        NetworkClass::Connected => "every connected graph",
    };
    let s = if nodes == 1 { "" } else { "s" };
    format!("{class} of {nodes} node{s}")
}

/// Formats an expectation to six digits after the point.
pub(super) fn expected(ExpectedExtremes { min, max }: ExpectedExtremes) -> String {
    let [min, max] = [min, max].map(|value| {
        let digits = format!("{value:.6}");
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    });
    if min == max { min } else { format!("{min}–{max}") }
}

fn range(Extremes { min, max }: Extremes) -> String {
    match min == max {
        true => HumanCount(min).to_string(),
        false => format!("{}–{}", HumanCount(min), HumanCount(max)),
    }
}

#[cfg(test)]
mod tests;
