//! A forecast of how much happens in a tick, from elections in smaller networks of the same kind.

use std::ops::ControlFlow;
use suffrage::experiment::conditions::{Conditions, Initiators};
use suffrage::experiment::{NetworkSource, Prepared};
use suffrage::model::NetworkClass;
use suffrage::networks::{Ids, Spec};

/// The sizes of the networks that are tried.
const SIZES: [u32; 2] = [500, 2000];

/// The least number of initiators in a smaller network, if the whole network has as many.
const FEW: u64 = 3;

/// A forecast of the number of messages in a tick.
pub(super) struct TickForecast {
    pub(super) per_tick: u64,
    /// The largest network that was tried.
    pub(super) tried: Spec,
}

impl TickForecast {
    /// Tries the election in smaller networks; the number of messages in a tick is taken to grow with a
    /// power of the number of nodes. Returns `None` where the algorithm has no smaller networks.
    pub(super) fn of(prepared: &Prepared) -> Option<Self> {
        let whole = prepared.source.shape().nodes();
        let tried = |nodes: u32| {
            let spec = resized(prepared, nodes.min(u32::try_from(whole).unwrap_or(u32::MAX)));
            let source = NetworkSource::Made(spec);
            let nodes = source.shape().nodes();
            let conditions = rarefied(&prepared.conditions, nodes, whole);
            let prepared = Prepared::new(prepared.algorithm, source, conditions).ok()?;
            let instance = prepared.instance(prepared.conditions.seed).ok()?;
            let outcome = instance.run(None, |_| ControlFlow::Continue(())).ok()?;
            let per_tick = outcome.messages.total() as f64 / outcome.time.max(1) as f64;
            Some((nodes as f64, per_tick, spec))
        };
        let (few, many) = (tried(SIZES[0])?, tried(SIZES[1])?);
        let power =
            if many.0 > few.0 { (many.1 / few.1).ln() / (many.0 / few.0).ln() } else { 0.0 };
        let grown = (whole as f64 / many.0).powf(power.clamp(0.0, 2.0));
        Some(Self { per_tick: (many.1 * grown) as u64, tried: many.2 })
    }
}

/// Returns the conditions for a network of `nodes` nodes in place of `whole`: as dense initiators, wherever
/// they are, and identities of its own.
fn rarefied(conditions: &Conditions, nodes: u64, whole: u64) -> Conditions {
    let mut conditions = conditions.clone();
    let some = match &conditions.initiators {
        None | Some(Initiators::All) => None,
        Some(Initiators::Some(count)) => Some(u64::from(*count)),
        Some(Initiators::Listed(list)) => Some(list.split(',').count() as u64),
    };
    if let Some(count) = some {
        let scaled = u128::from(count) * u128::from(nodes) / u128::from(whole.max(1));
        let least = count.min(FEW);
        let count = u64::try_from(scaled).unwrap_or(u64::MAX).max(least).min(nodes);
        conditions.initiators = Some(Initiators::Some(u32::try_from(count).unwrap_or(u32::MAX)));
    }
    if conditions.ids.parse::<Ids>().is_err() {
        conditions.ids = Ids::Random.to_string();
    }
    conditions
}

/// Returns a network like the prepared's with about this many nodes, and not more. In place of a network from a
/// file, it returns one that suits the algorithm, with as many links per node.
fn resized(prepared: &Prepared, nodes: u32) -> Spec {
    let shape = prepared.source.shape();
    let links = (shape.links() as f64 / shape.nodes().max(1) as f64).round().max(1.0) as u32;
    match (&prepared.source, prepared.algorithm.network) {
        (NetworkSource::Made(spec), _) => same_kind(spec, nodes),
        (_, NetworkClass::Connected) if links < nodes => Spec::BarabasiAlbert { nodes, links },
        (_, network) => Spec::natural(network, nodes),
    }
}

fn same_kind(spec: &Spec, nodes: u32) -> Spec {
    let side = f64::from(nodes).sqrt() as u32;
    match *spec {
        Spec::Complete { .. } => Spec::Complete { nodes },
        Spec::Ring { .. } => Spec::Ring { nodes },
        Spec::Chordal { chord, .. } => Spec::Chordal { nodes, chord: chord.min(nodes / 2) },
        Spec::Path { .. } => Spec::Path { nodes },
        Spec::Star { .. } => Spec::Star { nodes },
        Spec::Tree { children, .. } => Spec::Tree { children, nodes },
        Spec::RandomTree { .. } => Spec::RandomTree { nodes },
        Spec::Grid { .. } => Spec::Grid { rows: side, columns: side },
        Spec::Torus { .. } => Spec::Torus { rows: side, columns: side },
        Spec::Hypercube { .. } => Spec::Hypercube { dimension: nodes.max(1).ilog2() },
        Spec::Regular { degree, .. } => Spec::Regular { nodes: nodes & !1, degree },
        Spec::BarabasiAlbert { links, .. } => Spec::BarabasiAlbert { nodes, links },
        // The mean degree stays what it is.
        Spec::ErdosRenyi { nodes: whole, probability } => {
            let probability = probability * f64::from(whole) / f64::from(nodes.max(1));
            Spec::ErdosRenyi { nodes, probability: probability.min(1.0) }
        }
    }
}
