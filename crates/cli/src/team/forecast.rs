//! A forecast of how much happens in a tick, from elections in smaller networks of the same kind.

use crate::plan::{Setup, Source};
use std::ops::ControlFlow;
use suffrage::topology::Spec;

/// The sizes of the networks that are tried.
const SIZES: [u32; 2] = [500, 2000];

/// A forecast of the number of messages in a tick.
pub(super) struct Forecast {
    pub(super) per_tick: u64,
    /// The largest network that was tried.
    pub(super) nodes: u32,
}

impl Forecast {
    /// Tries the election in smaller networks; the number of messages in a tick is taken to grow with a
    /// power of the number of nodes. Returns `None` where there are no smaller networks of the kind, as
    /// for files, or where the conditions do not fit them.
    pub(super) fn of(setup: &Setup) -> Option<Self> {
        let Source::Made(spec) = &setup.source else { return None };
        let whole = spec.size().0;
        let tried = |nodes: u32| {
            let nodes = nodes.min(u32::try_from(whole).unwrap_or(u32::MAX));
            let source = Source::Made(resized(spec, nodes));
            let nodes = source.shape().nodes();
            let setup = Setup::new(setup.algorithm, source, setup.conditions.clone()).ok()?;
            let site = setup.site(setup.conditions.seed).ok()?;
            let plan = setup.plan(&site).ok()?;
            let outcome = plan.hold(None, |_| ControlFlow::Continue(())).ok()?;
            Some((nodes as f64, outcome.messages.total() as f64 / outcome.time.max(1) as f64))
        };
        let (few, many) = (tried(SIZES[0])?, tried(SIZES[1])?);
        let power =
            if many.0 > few.0 { (many.1 / few.1).ln() / (many.0 / few.0).ln() } else { 0.0 };
        let grown = (whole as f64 / many.0).powf(power.clamp(0.0, 2.0));
        Some(Self { per_tick: (many.1 * grown) as u64, nodes: many.0 as u32 })
    }
}

/// Returns the network of the same kind with about this many nodes, which are not more.
fn resized(spec: &Spec, nodes: u32) -> Spec {
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
