//! The common parts of algorithms for rings.

use crate::prelude::*;

pub(crate) const fn opposite(port: Port) -> Port {
    Port(1 - port.0 % 2)
}

/// Checks that the largest of the initiators still `competes`.
pub(crate) fn largest_stays<P: Process>(
    now: &Configuration<'_, P>,
    competes: impl Fn(&P) -> bool,
) -> Option<String> {
    let woken = now.nodes().filter(|(_, node)| node.woke);
    match woken.max_by_key(|(_, node)| node.id) {
        Some((number, node)) if !competes(node.process) => {
            Some(format!("{number} with {}, the largest initiator, has given up", node.id))
        }
        _ => None,
    }
}

/// Checks that unless a process leads, the largest identity of `active` processes and the largest that
/// messages carry are the same.
pub(crate) fn largest_survives<P: Process>(
    now: &Configuration<'_, P>,
    active: impl Fn(&P) -> Option<u32>,
    carried: impl Fn(&P::Msg) -> u32,
) -> Option<String> {
    let active = now.nodes().filter_map(|(_, node)| active(node.process)).max();
    let sent = now.messages().iter().map(|one| carried(&one.msg)).max();
    match active == sent || now.nodes().any(|(_, node)| node.process.status() == Status::Leader) {
        true => None,
        false => Some(format!("the largest identity is {active:?}, the largest sent {sent:?}")),
    }
}
