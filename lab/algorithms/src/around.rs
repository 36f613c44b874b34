//! What algorithms for rings have in common.

use crate::Configuration;
use alloc::{format, string::String};
use suffrage_model::{Port, Process};

pub(crate) const fn opposite(port: Port) -> Port {
    Port(1 - port.0 % 2)
}

/// Checks that the largest of the initiators still `competes`.
pub(crate) fn largest_stays<P: Process>(
    now: &Configuration<'_, P>,
    competes: impl Fn(&P) -> bool,
) -> Result<(), String> {
    let woken = now.nodes().filter(|(_, node)| node.woke);
    match woken.max_by_key(|(_, node)| node.id) {
        Some((number, node)) if !competes(node.process) => {
            Err(format!("{number} with {}, the largest initiator, has given up", node.id))
        }
        _ => Ok(()),
    }
}
