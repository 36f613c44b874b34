//! The networks of a size on which an algorithm is to be correct.

use crate::common::wired;
use suffrage_model::NetworkClass;
use suffrage_networks::Ports;
use suffrage_networks::wiring::Wiring;

/// A network and how it was made.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) wiring: Wiring,
}

fn named(name: String, wiring: Wiring) -> Named {
    Named { name, wiring }
}

/// Every kind of network of `n` nodes on which algorithms for `network` must run.
pub(crate) fn networks(network: NetworkClass, n: u32) -> Vec<Named> {
    let seed = u64::from(n);
    let rotation = || named(format!("complete:{n}"), Wiring::complete(n));
    let shuffled =
        || named(format!("complete:{n}, ports at random"), Wiring::complete_shuffled(n, seed));
    let ring = || named(format!("ring:{n}"), Wiring::ring(n));
    let two_way = || named(format!("ring:{n}, ports at random"), Wiring::ring_shuffled(n, seed));
    match network {
        NetworkClass::OrientedComplete => vec![rotation()],
        NetworkClass::Complete => vec![rotation(), shuffled()],
        NetworkClass::OrientedRing | NetworkClass::HomonymRing => vec![ring()],
        NetworkClass::Ring => vec![ring(), two_way()],
        _ if !network.has_size(n) => Vec::new(),
        NetworkClass::Hypercube => {
            stored(&[0, 1].map(|_| format!("hypercube:{}", n.ilog2())), seed)
        }
        NetworkClass::OrientedHypercube => {
            vec![named(format!("hypercube:{}", n.ilog2()), Wiring::hypercube(n.ilog2()))]
        }
        NetworkClass::Mesh => {
            let (rows, columns) = network.rows_and_columns(n).expect("the class has the size");
            stored(&[format!("grid:{rows}x{columns}"), format!("grid:{columns}x{rows}")], seed)
        }
        NetworkClass::Torus => {
            let (rows, columns) = network.rows_and_columns(n).expect("the class has the size");
            stored(&[format!("torus:{rows}x{columns}"), format!("torus:{columns}x{rows}")], seed)
        }
        NetworkClass::OrientedTorus => {
            let (rows, columns) = network.rows_and_columns(n).expect("the class has the size");
            vec![named(format!("torus:{rows}x{columns}"), Wiring::torus(rows, columns))]
        }
        NetworkClass::Tree => stored(&trees(n), seed),
        NetworkClass::Connected => {
            let mut all = stored(&graphs(n), seed);
            all.extend([rotation(), shuffled(), ring(), two_way()]);
            all
        }
    }
}

/// The networks of these specs, in turn with ports in rotation and at random.
fn stored(specs: &[String], seed: u64) -> Vec<Named> {
    let both = [(Ports::Rotation, "in rotation"), (Ports::Random, "at random")];
    specs
        .iter()
        .zip((seed..).map(|place| both[place as usize % 2]))
        .map(|(spec, (ports, how))| named(format!("{spec}, ports {how}"), wired(spec, ports, seed)))
        .collect()
}

fn trees(n: u32) -> Vec<String> {
    ["path:", "star:", "tree:2:", "tree:3:", "tree:random:"].map(|kind| format!("{kind}{n}")).into()
}

/// A spec of every kind that has a network of `n` nodes.
fn graphs(n: u32) -> Vec<String> {
    let rows = (1..=n.isqrt()).rfind(|&rows| n.is_multiple_of(rows)).unwrap_or(1);
    let columns = n / rows;
    // Above ln(n)/n, where most are connected.
    let probability = (2.5 * f64::from(n).ln() / f64::from(n)).clamp(0.2, 1.0);
    let mut specs = vec![
        format!("star:{n}"),
        format!("tree:random:{n}"),
        format!("grid:{rows}x{columns}"),
        format!("torus:{rows}x{columns}"),
        format!("erdos-renyi:{n}:{probability}"),
    ];
    let degree = if n.is_multiple_of(2) { 3.min(n - 1) } else { 4.min(n - 1) };
    specs.push(format!("regular:{n}:{degree}"));
    if n.is_power_of_two() {
        specs.push(format!("hypercube:{}", n.ilog2()));
    }
    if n >= 2 {
        specs.push(format!("barabasi-albert:{n}:{}", 2.min(n - 1)));
    }
    specs
}
