//! What `suffrage elect` refuses.

use crate::error::Error;
use crate::number::grouped;
use crate::output::Output;
use std::path::Path;
use suffrage::algorithms::{Algorithm, CATALOGUE};
use suffrage::diagram::ROOM;
use suffrage::network::MOST_NODES;

/// Creates the file for a picture of this number of nodes.
pub(super) fn picture(path: &Path, nodes: usize) -> Result<Output, Error> {
    const FLAG: &str = "--draw-network";
    if nodes > MOST_NODES {
        let (nodes, most) = (grouped(nodes), grouped(MOST_NODES));
        let what = format!("{FLAG}: {nodes} nodes are too many; at most {most} are drawn");
        return Err(Error::new(what));
    }
    Output::begin(FLAG, path)
}

/// An election has too many processes for a diagram beside its report.
pub(super) fn too_wide(processes: usize) -> Error {
    Error::new(format!(
        "--draw: {} processes are too many for the terminal, which shows up to {}; write the run \
         with --trace FILE, and choose processes with `suffrage draw FILE --processes LIST`",
        grouped(processes),
        ROOM.0
    ))
}

/// The processes of an algorithm do not compete in rounds or by levels.
pub(super) fn no_rounds(algorithm: &Algorithm) -> Error {
    let others = CATALOGUE.iter().filter(|row| row.stages().is_some()).map(|row| row.name);
    let others: Vec<_> = others.collect();
    Error::new(format!(
        "--rounds: {} has neither rounds nor levels; these have: {}",
        algorithm.name,
        others.join(", ")
    ))
}
